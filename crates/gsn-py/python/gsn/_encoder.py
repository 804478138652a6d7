"""Counts as categories or numbers, learned from training graphs."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from gsn import _gsn
from gsn._counts import Counts, CountsOfMany
from gsn._graphs import integers


class CountEncoder:
    r"""Turns counts into what a network reads.

    Args:
        encoding: ``"one-hot"`` (a category for every value seen in fitting, as in the paper),
            ``"one-hot-max"`` (a category for every value up to the largest), ``"bins:N"``,
            ``"embedding"``, ``"raw"``, ``"log1p"`` (:math:`\log(1 + x)`) or ``"standardise"``
            (:math:`(x - \mu) / \sigma`).
        unseen: where values go that were not seen in fitting: ``"unknown"`` (a category of their
            own), ``"nearest"`` or ``"error"``.

    >>> import gsn
    >>> counts = gsn.count("C1CC1CC", patterns="cycle:3")
    >>> encoder = gsn.CountEncoder().fit(counts)
    >>> encoder.transform(counts)[:, 0], encoder.sizes_
    (array([1, 1, 1, 0, 0]), [3])
    """

    def __init__(self, encoding: str = "one-hot", unseen: str = "unknown") -> None:
        self.encoding = encoding
        self.unseen = unseen
        self._fitted: _gsn.Encoder | None = None

    def fit(self, counts: Any) -> CountEncoder:
        """Learns the values of every column from counts: one table, or several of the same columns."""
        columns, table = _table(counts)
        self._fitted = _gsn.Encoder(columns, table, self.encoding, self.unseen)
        return self

    def transform(self, counts: Any) -> npt.NDArray[Any]:
        """The codes of some rows: int64 categories or float64 numbers, in the shape of the counts."""
        columns, table = _table(counts)
        fitted = self._encoder()
        if columns != fitted.columns and not _unnamed(columns):
            raise ValueError(f"the encoder was fitted on {fitted.columns}, not on {columns}")
        codes, _ = fitted.encode(table)
        return codes

    def fit_transform(self, counts: Any) -> npt.NDArray[Any]:
        """:meth:`fit`, then :meth:`transform`."""
        return self.fit(counts).transform(counts)

    @property
    def sizes_(self) -> list[int] | None:
        """Categories of every column; ``None`` if the codes are numbers."""
        return self._encoder().sizes()

    @property
    def columns_(self) -> list[str]:
        """Names of the columns."""
        return self._encoder().columns

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the fitted encoder as JSON."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._encoder().to_json())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> CountEncoder:
        """Reads what :meth:`save` wrote."""
        with open(path, encoding="utf-8") as file:
            return cls._of(file.read())

    @classmethod
    def _of(cls, text: str) -> CountEncoder:
        fitted = _gsn.Encoder.from_json(text)
        encoder = cls(fitted.encoding, fitted.unseen)
        encoder._fitted = fitted
        return encoder

    def _encoder(self) -> _gsn.Encoder:
        if self._fitted is None:
            raise ValueError("the encoder is not fitted yet; call fit")
        return self._fitted

    def __getstate__(self) -> dict[str, Any]:
        fitted = None if self._fitted is None else self._fitted.to_json()
        return {"encoding": self.encoding, "unseen": self.unseen, "fitted": fitted}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.encoding = state["encoding"]
        self.unseen = state["unseen"]
        fitted = state["fitted"]
        self._fitted = None if fitted is None else _gsn.Encoder.from_json(fitted)

    def __repr__(self) -> str:
        return f"CountEncoder(encoding={self.encoding!r}, unseen={self.unseen!r})"


def _unnamed(columns: list[str]) -> bool:
    return all(name == str(at) for at, name in enumerate(columns))


def _table(counts: Any) -> tuple[list[str], npt.NDArray[np.int64]]:
    """Names of the columns and all rows."""
    if isinstance(counts, (Counts, CountsOfMany)):
        return counts.columns, counts.values
    if isinstance(counts, Iterable) and not hasattr(counts, "__array__"):
        parts = list(counts)
        if parts and all(isinstance(part, Counts) for part in parts):
            if any(part.columns != parts[0].columns for part in parts):
                raise ValueError("the counts have different columns")
            return parts[0].columns, np.concatenate([part.values for part in parts])
        counts = parts
    table = integers(counts, "counts", 2)
    return [str(at) for at in range(table.shape[1])], table
