"""Graph Substructure Networks as plain torch modules.

The layers and networks compute what the program ``gsn`` computes and have its parameters under the same names, so that
weights go both ways through a ``.gsn`` file::

    network = gsn.nn.load("run/model.gsn")     # the network that `gsn train` made
    ...                                        # train it further, on any device
    network.save("tuned.gsn")                  # `gsn predict tuned.gsn …` opens it

* layers: :class:`GSNConv`, :class:`GINSubstructureConv`, :class:`OGBConv`, :class:`DGNConv`;
* networks: :class:`GSN`, :class:`OGBNet`, :class:`DGN`, :class:`DeepSets`, made by :meth:`Network.from_config`;
* input: :class:`GraphBatch`, or ``Data`` and ``Batch`` of PyTorch Geometric (:meth:`GraphBatch.from_data`);
* settings: :mod:`gsn.nn.config`.

Needs torch; PyTorch Geometric is welcome but not needed.
"""

from gsn.nn import config
from gsn.nn.batch import GraphBatch
from gsn.nn.layer import MLP, BatchNorm, DGNConv, GINSubstructureConv, GSNConv, OGBConv
from gsn.nn.model import DGN, GSN, DeepSets, Network, OGBNet, load, load_members, save_members

__all__ = [
    "DGN",
    "GSN",
    "MLP",
    "BatchNorm",
    "DGNConv",
    "DeepSets",
    "GINSubstructureConv",
    "GSNConv",
    "GraphBatch",
    "Network",
    "OGBConv",
    "OGBNet",
    "config",
    "load",
    "load_members",
    "save_members",
]
