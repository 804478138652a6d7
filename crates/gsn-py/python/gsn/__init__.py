"""Graph Substructure Networks: exact substructure counts, and networks that learn from them.

>>> import gsn
>>> gsn.count("c1ccccc1C", patterns="cycle:5..=6")["cycle:6/v0"]
array([1, 1, 1, 1, 1, 1, 0])
"""

from gsn._count_table import CountedTable, count_schema, count_table
from gsn._counts import Counts, CountsOfMany, count, count_many
from gsn._encoder import CountEncoder
from gsn._gsn import __version__
from gsn._model import Model, Predictions, Rejected, load_model
from gsn._patterns import Pattern, Patterns, patterns
from gsn._separate import Certificate, Separation, Test, Witness, certificate, separate
from gsn._suggest import Candidate, Pick, Signal, Suggestion, suggest
from gsn._table import Table
from gsn._train import Run, train

__all__ = [
    "Candidate",
    "Certificate",
    "CountEncoder",
    "CountedTable",
    "Counts",
    "CountsOfMany",
    "Model",
    "Pattern",
    "Patterns",
    "Pick",
    "Predictions",
    "Rejected",
    "Run",
    "Separation",
    "Signal",
    "Suggestion",
    "Table",
    "Test",
    "Witness",
    "__version__",
    "certificate",
    "count",
    "count_many",
    "count_schema",
    "count_table",
    "load_model",
    "patterns",
    "separate",
    "suggest",
    "train",
]
