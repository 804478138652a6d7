"""Counts as features for scikit-learn: a row a graph."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from gsn._counts import count_many
from gsn._patterns import patterns as read_patterns


class SubstructureCounts(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    r"""How often each pattern and orbit occurs in a graph, as features.

    The feature of a column :math:`c` is the sum (or mean) of its counts over all rows of the
    graph, :math:`\sum_v x_c(v)`, optionally as :math:`\log(1 + \cdot)`.

    Args:
        patterns: what is counted.
        scope: ``"vertex"``, ``"edge"`` or ``"arc"``.
        matching: ``"induced"``, ``"subgraph"`` or ``"homomorphism"``.
        pool: ``"sum"`` or ``"mean"``.
        log: whether :math:`\log(1 + x)` is taken at the end.

    >>> from gsn.sklearn import SubstructureCounts
    >>> SubstructureCounts("cycle:3..=4").fit_transform(["C1CC1", "C1CCC1", "CCC"])
    array([[3., 0.],
           [0., 4.],
           [0., 0.]])
    """

    def __init__(
        self,
        patterns: str = "cycle:3..=6",
        scope: str = "vertex",
        matching: str = "induced",
        pool: str = "sum",
        log: bool = False,
    ) -> None:
        self.patterns = patterns
        self.scope = scope
        self.matching = matching
        self.pool = pool
        self.log = log

    def fit(self, X: Iterable[Any], y: Any = None) -> SubstructureCounts:
        """Reads the patterns; nothing is learned from the graphs."""
        if self.pool not in ("sum", "mean"):
            raise ValueError(f"pool must be 'sum' or 'mean', not {self.pool!r}")
        self.columns_ = read_patterns(self.patterns).columns(self.scope)
        return self

    def transform(self, X: Iterable[Any]) -> npt.NDArray[np.float64]:
        """A row of features a graph."""
        check_is_fitted(self)
        many = count_many(X, self.patterns, scope=self.scope, matching=self.matching)
        sums = np.zeros((len(many), len(self.columns_)))
        np.add.at(sums, np.repeat(np.arange(len(many)), np.diff(many.starts)), many.values)
        if self.pool == "mean":
            sums /= np.maximum(np.diff(many.starts), 1)[:, None]
        return np.log1p(sums) if self.log else sums

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[Any]:
        """Names of the features."""
        check_is_fitted(self)
        return np.array(self.columns_, dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.no_validation = True
        tags.requires_fit = False
        return tags
