"""Data sets of PyTorch Geometric and OGB as files that ``gsn`` reads, and the other way round.

:func:`to_gsn` writes a data set so that the program and :func:`from_gsn` read it; :func:`from_gsn`
gives any set of the catalogue, or any file of graphs, as a PyG dataset. What is written has the
sha256 of every file beside it, and these are verified when it is read.
"""

from gsn.datasets._read import GraphDataset, from_gsn
from gsn.datasets._write import Written, to_gsn

__all__ = ["GraphDataset", "Written", "from_gsn", "to_gsn"]
