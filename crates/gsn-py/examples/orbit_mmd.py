r"""Orbit-count MMD between two sets of graphs, as evaluations of graph generators use it.

A graph :math:`G` is described by the mean of its vertices' orbit counts, the 15 orbits of the connected graphs of two
to four vertices (induced):

.. math:: \phi(G) = \frac{1}{|V|} \sum_{v \in V} x(v) \in \mathbb{R}^{15}

The distance of two sets :math:`A` and :math:`B` is their maximum mean discrepancy under a kernel :math:`k`:

.. math::
    \mathrm{MMD}^2(A, B) = \frac{1}{|A|^2} \sum_{a, a'} k(\phi(a), \phi(a'))
        + \frac{1}{|B|^2} \sum_{b, b'} k(\phi(b), \phi(b')) - \frac{2}{|A| |B|} \sum_{a, b} k(\phi(a), \phi(b))

with :math:`\sigma = 30` and either of

* ``gaussian`` (GraphRNN): :math:`k(x, y) = \exp(-\lVert x - y \rVert_2^2 / 2 \sigma^2)`;
* ``tv`` (SPECTRE, DiGress): :math:`k(x, y) = \exp(-(\tfrac12 \lVert x - y \rVert_1)^2 / 2 \sigma^2)`.

Run ``python orbit_mmd.py reference.g6 generated.g6`` on two files in graph6, or without files on generated graphs.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt

import gsn

Vectors = npt.NDArray[np.float64]


def orbit_vectors(graphs: Sequence[Any], patterns: str = "all:2..=4") -> Vectors:
    """The mean orbit counts of every graph: one row a graph, a column an orbit."""
    counts = gsn.count_many(graphs, patterns)
    return np.stack([of_one.values.sum(axis=0) / max(len(of_one), 1) for of_one in counts])


def kernel_matrix(a: Vectors, b: Vectors, kernel: str = "gaussian", sigma: float = 30.0) -> Vectors:
    """k of every row of ``a`` with every row of ``b``."""
    difference = a[:, None, :] - b[None, :, :]
    if kernel == "gaussian":
        squared = (difference**2).sum(axis=2)
    elif kernel == "tv":
        squared = (np.abs(difference).sum(axis=2) / 2) ** 2
    else:
        raise ValueError(f"the kernel is gaussian or tv, not {kernel!r}")
    return np.exp(-squared / (2 * sigma**2))


def mmd(a: Sequence[Any], b: Sequence[Any], kernel: str = "gaussian", sigma: float = 30.0) -> float:
    """MMD² of two sets of graphs: 0 for equal sets."""
    x, y = orbit_vectors(a), orbit_vectors(b)
    within = kernel_matrix(x, x, kernel, sigma).mean() + kernel_matrix(y, y, kernel, sigma).mean()
    return float(within - 2 * kernel_matrix(x, y, kernel, sigma).mean())


def communities(number: int, seed: int) -> list[nx.Graph]:
    """Graphs of two dense halves with a few edges in between."""
    return [nx.planted_partition_graph(2, 15, 0.5, 0.03, seed=seed + i) for i in range(number)]


def random_graphs(like: Sequence[nx.Graph], seed: int) -> list[nx.Graph]:
    """A random graph with the vertices and edges of each, as a generator that learned nothing else would make them."""
    return [nx.gnm_random_graph(g.number_of_nodes(), g.number_of_edges(), seed=seed + i) for i, g in enumerate(like)]


def main() -> None:
    parser = argparse.ArgumentParser(description="Orbit-count MMD between two sets of graphs.")
    parser.add_argument("reference", nargs="?", help="graphs in graph6; without files graphs are generated")
    parser.add_argument("generated", nargs="?", help="graphs in graph6")
    parser.add_argument("--kernel", choices=["gaussian", "tv"], default="gaussian")
    parser.add_argument("--sigma", type=float, default=30.0)
    parser.add_argument("--quick", action="store_true", help="ten graphs a set instead of a hundred")
    settings = parser.parse_args()
    if settings.reference and not settings.generated:
        parser.error("two files are compared, only one was given")

    if settings.reference:
        sets = [np.atleast_1d(nx.read_graph6(path)) for path in (settings.reference, settings.generated)]
        names = {"generated against reference": (list(sets[0]), list(sets[1]))}
    else:
        number = 10 if settings.quick else 100
        reference = communities(number, seed=0)
        names = {
            "communities against other communities": (reference, communities(number, seed=1000)),
            "communities against random graphs": (reference, random_graphs(reference, seed=2000)),
        }
    for name, (a, b) in names.items():
        print(f"{name}: {mmd(a, b, settings.kernel, settings.sigma):.6f}")


if __name__ == "__main__":
    main()
