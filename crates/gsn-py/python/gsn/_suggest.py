"""``suggest``: which patterns are worth counting."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gsn import _gsn
from gsn._options import arguments, asked
from gsn._train import rows_of


@dataclass(frozen=True)
class Signal:
    """How far the number of occurrences explains the label.

    Attributes:
        share: share of the label's variance that it explains.
        f: the statistic of the F-test.
        baseline: the 99th percentile of that share for permuted labels.
    """

    share: float
    f: float
    baseline: float


@dataclass(frozen=True)
class Candidate:
    """One pattern.

    Attributes:
        pattern: its name.
        order: its vertices.
        found: share of graphs in which it occurs.
        delta: share of vertices that input features and its counts tell apart inside their graph.
        signal: what its number of occurrences says about the label.
        cost: predicted steps of counting it in a graph.
    """

    pattern: str
    order: int
    found: float
    delta: float
    signal: Signal
    cost: float


@dataclass(frozen=True)
class Pick:
    """A pattern that was picked.

    Attributes:
        pattern: its name.
        score: signal + ½ · share of the remaining ambiguity resolved − 0.01 · log₁₀(cost / cheapest).
        signal: share of the label's variance that it explains beyond those picked before.
        delta: δ of input features and everything picked so far.
        redundancy: share of its own variance that those picked before explain.
        why: the reason, in words.
    """

    pattern: str
    score: float
    signal: float
    delta: float
    redundancy: float
    why: str


@dataclass(frozen=True)
class FamilyDelta:
    """δ of input features and a whole family, ``"cycle"``, ``"path"`` or ``"tree"``, of 3 to ``k`` vertices."""

    family: str
    k: int
    delta: float


@dataclass(frozen=True)
class Suggestion:
    """What was found.

    Attributes:
        data: the data.
        graphs: training graphs that were looked at, and how many there are.
        part: which part of the data that is.
        delta_without: δ of the input features alone.
        families: δ of input features and whole families.
        candidates: all candidates, by signal above chance, then by δ.
        picks: the patterns that were picked, in order.
        patterns: the same, ready for ``patterns=`` of :func:`gsn.train` and :func:`gsn.count`.
        delta_with: δ with all of them.
        notes: what else there is to say.
        about: what was found in the data.
    """

    data: str
    graphs: tuple[int, int]
    part: str
    delta_without: float
    families: list[FamilyDelta]
    candidates: list[Candidate]
    picks: list[Pick]
    patterns: str
    delta_with: float
    notes: list[str]
    about: list[str]


def suggest(
    data: Any,
    targets: Any = None,
    *,
    target: str | list[str] | None = None,
    smiles: str | None = None,
    **options: Any,
) -> Suggestion:
    """Ranks patterns for your data, and picks a set; the same as ``gsn suggest``. Only the training part is looked at.

    Args:
        data: as in :func:`gsn.train`, but the name of a set of the catalogue (``"MUTAG"``) in place of a recipe.
        targets: as in :func:`gsn.train`; likewise ``target`` and ``smiles``.
        options: options of ``gsn suggest`` (see ``gsn suggest --help``) with ``_`` for ``-``: ``max_size``,
            ``candidates``, ``matching``, ``picks``, ``trees``, ``graphs``, ``seed``, ``threads``, ``max_memory``.

    Returns:
        :class:`Suggestion`.

    >>> import gsn
    >>> rings = ["C1" + "C" * (n % 4 + 2) + "C1" + "C" * (n // 4) for n in range(40)]
    >>> found = gsn.suggest(rings, [n % 4 == 2 for n in range(40)], max_size=6)
    >>> found.picks[0].pattern
    'cycle:6'
    """
    for other in ("json", "plot", "output"):
        if options.get(other):
            raise TypeError(f"there is no option {other!r}")
    if isinstance(data, (str, os.PathLike)):
        words = [*arguments({"target": target, "smiles": smiles, **options}), "--", os.fspath(data)]
        return _suggestion(*asked(_gsn.suggest, words))
    rows, target = rows_of(data, targets, target)
    with tempfile.TemporaryDirectory(prefix="gsn-") as folder:
        path = _gsn.keep_rows(rows, str(Path(folder) / "rows"))
        words = [*arguments({"target": target, "smiles": smiles, **options}), "--", str(path)]
        return _suggestion(*asked(_gsn.suggest, words))


def _suggestion(text: str, about: list[str]) -> Suggestion:
    value = json.loads(text)
    value |= {
        "graphs": tuple(value["graphs"]),
        "families": [FamilyDelta(**one) for one in value["families"]],
        "candidates": [Candidate(**{**one, "signal": Signal(**one["signal"])}) for one in value["candidates"]],
        "picks": [Pick(**one) for one in value["picks"]],
    }
    return Suggestion(**value, about=about)
