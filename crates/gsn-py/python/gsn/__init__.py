"""Graph Substructure Networks: exact substructure counts, and networks that learn from them.

>>> import gsn
>>> gsn.count("c1ccccc1C", patterns="cycle:5..=6")["cycle:6/v0"]
array([1, 1, 1, 1, 1, 1, 0])
"""

from gsn._counts import Counts, CountsOfMany, count, count_many
from gsn._encoder import CountEncoder
from gsn._gsn import __version__
from gsn._patterns import Pattern, Patterns, patterns

__all__ = [
    "CountEncoder",
    "Counts",
    "CountsOfMany",
    "Pattern",
    "Patterns",
    "__version__",
    "count",
    "count_many",
    "patterns",
]
