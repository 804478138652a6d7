"""Networks made of layers: one file for each kind, and what they have in common."""

from gsn.nn.model.deepsets import DeepSets
from gsn.nn.model.dgn import DGN
from gsn.nn.model.gsn import GSN
from gsn.nn.model.network import Network, load, load_members, save_members
from gsn.nn.model.ogb import OGBNet

__all__ = ["DGN", "GSN", "DeepSets", "Network", "OGBNet", "load", "load_members", "save_members"]
