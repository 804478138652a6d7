"""What a network reads and computes, as plain values; the same words as in the configuration inside a ``.gsn`` file.

=================  ======================================================
``inputs``         tables of a batch and how they are encoded
``networks``       the four kinds of networks and their layers
``model``          inputs, network and number of outputs together
``fields``         reading and checking single settings
=================  ======================================================
"""

from gsn.nn.config.inputs import Ids, Input, Inputs
from gsn.nn.config.model import ModelConfig
from gsn.nn.config.networks import (
    DeepSetsConfig,
    DGNConfig,
    GSNConfig,
    GSNLayer,
    Head,
    OGBConfig,
    OGBLayer,
    VirtualNode,
)

__all__ = [
    "DGNConfig",
    "DeepSetsConfig",
    "GSNConfig",
    "GSNLayer",
    "Head",
    "Ids",
    "Input",
    "Inputs",
    "ModelConfig",
    "OGBConfig",
    "OGBLayer",
    "VirtualNode",
]
