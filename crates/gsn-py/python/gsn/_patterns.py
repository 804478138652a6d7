"""Patterns to look at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gsn import _gsn


@dataclass(frozen=True)
class Pattern:
    """A small connected graph.

    Attributes:
        name: its name, as in columns of counts.
        num_nodes: its vertices are 0 to ``num_nodes - 1``.
        edges: pairs of vertices; arcs if it is directed.
        directed: whether edges have a direction.
        orbits: the orbit of every vertex.
        automorphisms: the size of its automorphism group, as text since it may be very large.
    """

    name: str
    num_nodes: int
    edges: list[tuple[int, int]]
    directed: bool
    orbits: list[int]
    automorphisms: str


class Patterns:
    """A collection of patterns; notebooks show it as a picture.

    >>> import gsn
    >>> [p.name for p in gsn.patterns("cycle:3..=5")]
    ['cycle:3', 'cycle:4', 'cycle:5']
    >>> gsn.patterns("path:3").columns("vertex")
    ['path:3/v0', 'path:3/v1']
    """

    def __init__(self, text: str, orbits: str) -> None:
        self._spec = _gsn.Spec(text, "vertex", "induced", orbits)

    def __iter__(self) -> Iterator[Pattern]:
        return iter([Pattern(*parts) for parts in self._spec.describe()])

    def __len__(self) -> int:
        return len(self._spec.describe())

    def columns(self, scope: str = "vertex") -> list[str]:
        """Names of the columns of counts."""
        return _gsn.Spec(self._spec.patterns, scope, "induced", self._spec.orbits).columns()

    def to_svg(self) -> str:
        """A picture: vertices and arcs coloured by their orbits."""
        return self._spec.svg()

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def __str__(self) -> str:
        return self._spec.patterns

    def __repr__(self) -> str:
        return f"Patterns({self._spec.patterns!r})"


def patterns(text: str | Iterable[str], *, orbits: str = "exact") -> Patterns:
    """Reads patterns, such as ``"cycle:3..=8"``, ``"all:4"`` or ``"smiles:c1ccccc1"``.

    Args:
        text: the patterns.
        orbits: ``"exact"``, or ``"official"`` as in the authors' code.

    Returns:
        :class:`Patterns`.

    >>> import gsn
    >>> len(gsn.patterns("all:4"))
    6
    """
    return Patterns(text if isinstance(text, str) else ",".join(text), orbits)
