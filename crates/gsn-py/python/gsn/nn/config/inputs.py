"""The tables of a batch that a network reads, and how each becomes numbers a Linear can read."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from gsn.nn.config import fields
from gsn.nn.config.fields import Fields

#: Encodings without a width, and those that have one.
_PLAIN = ("none", "one-hot", "log1p", "standardise")
_WIDE = ("embedding", "embedding-concat", "linear", "zero")
_CATEGORIES_ONLY = ("one-hot", "embedding", "embedding-concat")


@dataclass(frozen=True)
class Input:
    """A table and its encoding.

    * ``sizes``: number of categories of every column, or ``None`` where the table holds numbers;
    * ``columns``: number of columns;
    * ``encode``: ``"none"`` (as it is, categories as numbers), ``"one-hot"``, ``"embedding"`` (a trained row per
      category, summed over the columns), ``"embedding-concat"`` (the same side by side), ``"linear"``, ``"log1p"``,
      ``"standardise"`` or ``"zero"`` (zeros, to leave a table out without changing shapes);
    * ``to``: the width of an embedding, linear or zero encoding;
    * ``mean``, ``std``: of every column, for ``"standardise"``.

    >>> Input.categories([28, 4], "one-hot").width
    32
    >>> Input.values(3).width
    3
    """

    sizes: tuple[int, ...] | None
    columns: int
    encode: str = "none"
    to: int | None = None
    mean: tuple[float, ...] = ()
    std: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        self._check("a table")

    @classmethod
    def categories(cls, sizes: list[int] | tuple[int, ...], encode: str = "none", to: int | None = None) -> Input:
        """A table of categories; column c has ``sizes[c]`` of them."""
        return cls(tuple(sizes), len(sizes), encode, to)

    @classmethod
    def values(cls, columns: int, encode: str = "none", to: int | None = None) -> Input:
        """A table of numbers."""
        return cls(None, columns, encode, to)

    @property
    def width(self) -> int:
        """Width after encoding."""
        if self.encode == "one-hot":
            return sum(self.sizes or ())
        if self.encode == "embedding-concat":
            return self.columns * (self.to or 0)
        return self.to if self.encode in _WIDE and self.to else self.columns

    def with_width(self, to: int | None) -> Input:
        """The same table with another width, where the encoding has one to choose."""
        return replace(self, to=to) if to is not None and self.encode in _WIDE else self

    def _check(self, what: str) -> None:
        fields.check_word(f"{what}: encode", self.encode, _PLAIN + _WIDE)
        if (self.to is not None) != (self.encode in _WIDE):
            raise ValueError(f"{what}: {' and '.join(_WIDE)} need a width, the other encodings have none")
        if self.sizes is not None and (len(self.sizes) != self.columns or not all(s >= 1 for s in self.sizes)):
            raise ValueError(f"{what}: vocabulary sizes {list(self.sizes)}")
        if self.sizes is None and self.encode in _CATEGORIES_ONLY:
            raise ValueError(f"{what}: {self.encode} needs categories, not numbers")
        if self.encode == "standardise":
            means, stds = len(self.mean), len(self.std)
            if means != self.columns or stds != self.columns:
                raise ValueError(f"{what}: {means} means and {stds} deviations for {self.columns} columns")
            if not all(map(math.isfinite, self.mean + self.std)) or any(s < 0 for s in self.std):
                raise ValueError(f"{what}: means and deviations must be finite, std >= 0")
        fields.check_widths(what, [self.width])

    @classmethod
    def from_dict(cls, value: Any, what: str = "input") -> Input:
        """From what JSON gives: ``{"data": {"categories": {"sizes": [28]}}, "encode": "one-hot"}``."""
        own = Fields(value, what)
        kind, data = _one_of(own.take("data", lambda v, _: v), f"{what}.data")
        sizes: tuple[int, ...] | None = None
        if kind == "categories":
            sizes = data.take("sizes", fields.list_of(fields.whole))
            columns = len(sizes)
        elif kind == "values":
            columns = data.take("width", fields.whole)
        else:
            raise ValueError(f"{what}.data: `{kind}` is neither categories nor values")
        data.end()
        encode, to = "none", None
        mean: tuple[float, ...] = ()
        std: tuple[float, ...] = ()
        stored = own.take("encode", lambda v, _: v, "none")
        if isinstance(stored, str):
            encode = stored
        else:
            encode, settings = _one_of(stored, f"{what}.encode")
            if encode in _WIDE:
                to = settings.take("width", fields.whole)
            elif encode == "standardise":
                mean = settings.take("mean", fields.list_of(fields.number))
                std = settings.take("std", fields.list_of(fields.number))
            settings.end()
        own.end()
        return cls(sizes, columns, encode, to, mean, std)

    def to_dict(self) -> dict[str, Any]:
        """What JSON is written from."""
        data: dict[str, Any] = {"values": {"width": self.columns}}
        if self.sizes is not None:
            data = {"categories": {"sizes": list(self.sizes)}}
        encode: Any = self.encode
        if self.encode in _WIDE:
            encode = {self.encode: {"width": self.to}}
        elif self.encode == "standardise":
            encode = {self.encode: {"mean": list(self.mean), "std": list(self.std)}}
        return {"data": data, "encode": encode}


def _one_of(value: Any, what: str) -> tuple[str, Fields]:
    """The only key of a mapping, and what is under it."""
    if not isinstance(value, dict) or len(value) != 1:
        raise ValueError(f"{what}: a mapping with one key is needed, not {value!r}")
    ((key, inner),) = value.items()
    return str(key), Fields(inner, f"{what}.{key}")


@dataclass(frozen=True)
class Ids:
    """Structural identifiers: the encoded counts of each vertex (``scope="vertex"``, GSN-v) or arc (``"arc"``, GSN-e).

    >>> Ids("vertex", Input.categories([5, 3], "one-hot")).input.width
    8
    """

    scope: str
    input: Input

    def __post_init__(self) -> None:
        fields.check_word("identifiers: scope", self.scope, ("vertex", "arc"))

    @classmethod
    def from_dict(cls, value: Any, what: str = "ids") -> Ids:
        own = Fields(value, what)
        ids = cls(own.take("scope", fields.text), own.take("input", Input.from_dict))
        own.end()
        return ids

    def to_dict(self) -> dict[str, Any]:
        return {"scope": self.scope, "input": self.input.to_dict()}


@dataclass(frozen=True)
class Inputs:
    """What a network reads from a batch.

    * ``vertex``: features of the vertices;
    * ``arc``: features of the arcs, if any;
    * ``ids``: structural identifiers, if any;
    * ``degree``: degrees, if any;
    * ``random``: width of fresh uniform noise beside the vertex features at every pass (MPNN-r);
    * ``numbers``: how many numbers of every vertex stand beside its encoded features, such as the chances of closed
      walks; the OGB form adds them, after a Linear.

    >>> inputs = Inputs(Input.values(1), ids=Ids("arc", Input.categories([5], "one-hot")))
    >>> Inputs.from_dict(inputs.to_dict()) == inputs
    True
    """

    vertex: Input
    arc: Input | None = None
    ids: Ids | None = None
    degree: Input | None = None
    random: int = 0
    numbers: int = 0

    def __post_init__(self) -> None:
        if not (0 <= self.random <= fields.MOST_WIDTH and 0 <= self.numbers <= fields.MOST_WIDTH):
            raise ValueError("random features or numbers of the vertices are too wide")

    def ids_of(self, scope: str) -> Input | None:
        """The table of identifiers, if it is of this scope."""
        return self.ids.input if self.ids is not None and self.ids.scope == scope else None

    @classmethod
    def from_dict(cls, value: Any, what: str = "inputs") -> Inputs:
        own = Fields(value, what)
        inputs = cls(
            own.take("vertex", Input.from_dict),
            own.maybe("arc", Input.from_dict),
            own.maybe("ids", Ids.from_dict),
            own.maybe("degree", Input.from_dict),
            own.take("random", fields.whole, 0),
            own.take("numbers", fields.whole, 0),
        )
        own.end()
        return inputs

    def to_dict(self) -> dict[str, Any]:
        tables = {"vertex": self.vertex, "arc": self.arc, "ids": self.ids, "degree": self.degree}
        there = {key: table.to_dict() for key, table in tables.items() if table is not None}
        numbers = {"numbers": self.numbers} if self.numbers else {}
        return {**there, **numbers, "random": self.random}
