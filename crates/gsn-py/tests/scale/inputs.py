"""What Spark and Ray are given to work on, and what one process makes of it."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

import gsn

#: Molecules, rings and chains, and rows that are none.
SMILES = ["c1ccccc1C", "C1CC1CC", "C1CC2CCC1C2", "CCO", "xyz", "C1CC", "c1ccc2ccccc2c1", "N1CC1", None]
PATTERNS = "cycle:3..=6,path:3"


def random_graphs(number: int) -> list[dict[str, Any]]:
    """Rows of graphs of very different sizes; every seventh is broken."""
    draw = random.Random(1)
    rows = []
    for key in range(number):
        order = draw.choice([5, 8, 12, 40])
        pairs = [(u, v) for u in range(order) for v in range(u) if draw.random() < 4 / order]
        source, target = [u for u, _ in pairs], [v for _, v in pairs]
        if key % 7 == 3:
            source = [*source, order]
            target = [*target, 0]
        rows.append({"key": key, "n": order, "from": source, "to": target})
    return rows


def expected(rows: list[dict[str, Any]], **settings: Any) -> dict[int, Any]:
    """The counts of these rows by one process: a table, or ``None`` for broken rows."""
    graphs = [(np.array([row["from"], row["to"]]).reshape(2, -1), row["n"]) for row in rows]
    many = gsn.count_many(graphs, PATTERNS, errors="collect", **settings)
    found = {}
    for at, row in enumerate(rows):
        found[row["key"]] = None if at in many.errors else many[at].values.T.tolist()
    return found


def large_edges() -> tuple[Any, int]:
    """A random graph with hubs: an edge index, each edge once, and the number of vertices."""
    draw = np.random.default_rng(3)
    order = 400
    ends = np.minimum(draw.integers(0, order, (2, 1500)), draw.integers(0, order, (2, 1500)))
    pairs = {(int(min(u, v)), int(max(u, v))) for u, v in ends.T if u != v}
    # As the program lists arcs, both directions, by source and target.
    arcs = sorted(pairs | {(v, u) for u, v in pairs})
    return np.array(arcs, np.int64).T, order
