"""Layers: one formula per file.

=================  ======================================================
``general``        :class:`GSNConv`, messages by an MLP (GSN-v and GSN-e)
``gin``            :class:`GINSubstructureConv`, one MLP over sums
``ogb``            :class:`OGBConv`, sums of ReLU
``dgn``            :class:`DGNConv`, aggregators side by side
``aggregators``    the aggregators of DGN
``state``          :class:`ArcState`, states of arcs behind a layer
``mlp``            Linear, BatchNorm, activation
``norm``           BatchNorm as the Rust networks have it
``encoder``        from a table of a batch to input of a Linear
``blocks``         input of a Linear, one-hot rows as look-ups
``scatter``        sums over arcs and vertices
=================  ======================================================
"""

from gsn.nn.layer.dgn import DGNConv
from gsn.nn.layer.general import GSNConv
from gsn.nn.layer.gin import GINSubstructureConv
from gsn.nn.layer.mlp import MLP
from gsn.nn.layer.norm import BatchNorm
from gsn.nn.layer.ogb import OGBConv
from gsn.nn.layer.state import ArcState

__all__ = ["MLP", "ArcState", "BatchNorm", "DGNConv", "GINSubstructureConv", "GSNConv", "OGBConv"]
