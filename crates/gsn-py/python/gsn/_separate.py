"""``separate``: which graphs can be told apart, by which test."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any

from gsn import _gsn
from gsn._graphs import Edges
from gsn._options import arguments, asked
from gsn._rows import Arrays


@dataclass(frozen=True)
class Test:
    """How one test did.

    Attributes:
        test: ``"1-wl"``, ``"2-fwl"``, ``"3-fwl"``, ``"counts"``, ``"counts+1-wl"``, ``"network-f64"`` or
            ``"network-f32"``.
        scope: what the counts are of; ``None`` for tests without counts; likewise ``matching`` and ``orbits``.
        failures: pairs that are not told apart and not isomorphic; ``None`` if it was not run.
        by_size: failures with the patterns of at most so many vertices.
        smallest: the smallest pattern that tells pairs apart, and how many pairs.
        by_seed: of networks: failures of every seed.
        note: why it was not run, or what else there is to say.
    """

    __test__ = False

    test: str
    scope: str | None
    matching: str | None
    orbits: str | None
    failures: int | None
    by_size: list[tuple[int, int]]
    smallest: list[tuple[str, int]]
    by_seed: list[int]
    note: str | None


@dataclass(frozen=True)
class Witness:
    """A vertex, edge or arc with a row of counts that one graph has more often than the other.

    Attributes:
        graph: the graph it is in.
        ends: the vertex, or the two ends, as the caller calls them.
        row: its counts.
    """

    graph: int
    ends: list[Any]
    row: list[int]


@dataclass(frozen=True)
class Certificate:
    """Why two graphs differ, or that the patterns do not tell.

    Attributes:
        left: the first graph.
        right: the second graph.
        pattern: the smallest pattern that tells them apart; ``None`` if no pattern does.
        order: number of its vertices.
        scope: ``"vertex"`` or ``"arc"``.
        matching: which occurrences.
        by: ``"counts"`` when the multisets of rows differ, ``"counts+1-wl"`` when only refinement from them does.
        left_rows: rows of counts of the first graph and how often each occurs; likewise ``right_rows``.
        witness: one place where they differ.
    """

    left: int
    right: int
    pattern: str | None
    order: int
    scope: str | None
    matching: str | None
    by: str | None
    left_rows: list[tuple[list[int], int]]
    right_rows: list[tuple[list[int], int]]
    witness: Witness | None = None


@dataclass(frozen=True)
class Separation:
    """What was found.

    Attributes:
        file: where the graphs are from.
        graphs: how many there are.
        pairs: how many pairs.
        patterns: names of the patterns.
        tests: how every test did.
        isomorphic: pairs that are isomorphic; ``None`` if it was not asked.
        isomorphic_pairs: the first of them.
        undecided: pairs whose isomorphism could not be decided; they count as different.
        unseparated: pairs that no test tells apart, isomorphic ones left out.
        unseparated_pairs: the first of them.
        certificates: why pairs differ.
        rejected: rows that are no graphs.
    """

    file: str
    graphs: int
    pairs: int
    patterns: list[str]
    tests: list[Test]
    isomorphic: int | None
    isomorphic_pairs: list[tuple[int, int]]
    undecided: list[tuple[int, int]]
    unseparated: int
    unseparated_pairs: list[tuple[int, int]]
    certificates: list[Certificate]
    rejected: list[str] = field(default_factory=list)

    def failures(self, test: str) -> int | None:
        """The fewest failures of a test, over the scopes and matchings that it was run with."""
        found = [t.failures for t in self.tests if t.test == test and t.failures is not None]
        return min(found, default=None)


def separate(graphs: Any, patterns: str | list[str] | None = None, **options: Any) -> Separation:
    """Says which graphs can be told apart: by 1-WL, 2-FWL and 3-FWL, by counts of patterns, by counts with 1-WL (the
    exact bound of GSN-v and GSN-e), and by networks with random weights. The same as ``gsn separate``.

    Args:
        graphs: a list of graphs, as :func:`gsn.count` takes them; the path of a file of graphs; or the name of a set
            of the catalogue, such as ``"sr25"``.
        patterns: what is counted; without it, nothing.
        options: options of ``gsn separate`` (see ``gsn separate --help``) with ``_`` for ``-``: ``pairs``, ``scope``,
            ``matching``, ``fwl``, ``seeds``, ``ignore_labels``, ``no_isomorphism``, ``certificates``, ``memory``,
            ``threads``, ``max_memory``, and those that say how a file is read. ``directed`` of a list: edges have
            a direction.

    Returns:
        :class:`Separation`.

    >>> import gsn
    >>> two_triangles = [[0, 1, 2, 3, 4, 5], [1, 2, 0, 4, 5, 3]]
    >>> hexagon = [[0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 0]]
    >>> found = gsn.separate([two_triangles, hexagon], "cycle:3", seeds=0)
    >>> found.failures("1-wl"), found.failures("counts")
    (1, 0)
    >>> found.certificates[0].pattern
    'cycle:3'
    """
    value, names = _found(graphs, {"patterns": patterns, **options})
    return Separation(
        file=value["file"],
        graphs=value["graphs"],
        pairs=value["pairs"],
        patterns=value["patterns"],
        tests=[
            Test(**{**test, "by_size": _pairs(test["by_size"]), "smallest": _pairs(test["smallest"])})
            for test in value["tests"]
        ],
        isomorphic=value["isomorphic"],
        isomorphic_pairs=_pairs(value["isomorphic_pairs"]),
        undecided=_pairs(value["undecided"]),
        unseparated=value["unseparated"],
        unseparated_pairs=_pairs(value["unseparated_pairs"]),
        certificates=[_certificate(one, names) for one in value["certificates"]],
        rejected=value.get("rejected", []),
    )


def certificate(
    graphs: Any, patterns: str | list[str], left: int = 0, right: int = 1, **options: Any
) -> Certificate:
    """The smallest pattern whose counts tell two graphs apart, and both multisets of rows; as ``gsn separate --pair``.

    Args:
        graphs: as in :func:`separate`; likewise ``options``.
        patterns: what is counted.
        left: the first graph, by its place.
        right: the second graph.

    Returns:
        :class:`Certificate`.

    >>> import gsn
    >>> star, path = [[0, 0, 0], [1, 2, 3]], [[0, 1, 2], [1, 2, 3]]
    >>> found = gsn.certificate([star, path], "path:3..=4")
    >>> found.pattern, found.left_rows, found.right_rows
    ('path:3', [([0, 3], 1), ([2, 0], 3)], [([1, 0], 2), ([1, 1], 2)])
    """
    value, names = _found(graphs, {"patterns": patterns, "pair": (left, right), **options})
    return _certificate({k: v for k, v in value.items() if k not in ("file", "rejected")}, names)


def _found(graphs: Any, options: dict[str, Any]) -> tuple[dict[str, Any], list[Edges] | None]:
    """The object that the program prints, and what the caller calls the vertices."""
    for other in ("sweep", "json", "svg"):
        if options.get(other):
            raise TypeError(f"there is no option {other!r}")
    if isinstance(graphs, (str, os.PathLike)):
        words = [*arguments(options), "--", os.fspath(graphs)]
        (text,) = asked(_gsn.separate, words, None)
        return json.loads(text), None
    directed = bool(options.pop("directed", False))
    given = Arrays(graphs, strict=False)
    if not given.edges:
        raise ValueError("there are no graphs to tell apart")
    (text,) = asked(_gsn.separate, [*arguments(options), "--", "graphs"], given.given(directed))
    return json.loads(text), given.edges


def _pairs(pairs: list[list[Any]]) -> list[tuple[Any, Any]]:
    return [(one, other) for one, other in pairs]


def _certificate(value: dict[str, Any], edges: list[Edges] | None) -> Certificate:
    witness = value.get("witness")
    if witness is not None:
        names = edges[witness["graph"]].names if edges is not None else None
        ends = [end if names is None else names[end] for end in witness["ends"]]
        witness = Witness(witness["graph"], ends, witness["row"])
    rows = {side: _pairs(value[side]) for side in ("left_rows", "right_rows")}
    return Certificate(**{**value, **rows, "witness": witness})
