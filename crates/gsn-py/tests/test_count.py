"""Counts of one graph: truth, objects of other libraries, and the order of rows."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gsn


def brute_force(graph: nx.Graph, pattern: nx.Graph, induced: bool) -> np.ndarray:
    """How many subgraphs isomorphic to the pattern hold each vertex, by looking at all of them."""
    totals = np.zeros(len(graph), int)
    size = pattern.number_of_nodes()
    for vertices in itertools.combinations(graph.nodes, size):
        part = graph.subgraph(vertices)
        edges = [part.edges] if induced else itertools.combinations(part.edges, pattern.size())
        for chosen in edges:
            if len(chosen) != pattern.size():
                continue
            candidate = nx.Graph(chosen)
            candidate.add_nodes_from(vertices)
            if nx.is_isomorphic(candidate, pattern):
                totals[list(vertices)] += 1
    return totals


PATTERNS = {
    "cycle:3": nx.cycle_graph(3),
    "cycle:4": nx.cycle_graph(4),
    "path:4": nx.path_graph(4),
    "star:3": nx.star_graph(3),
    "clique:4": nx.complete_graph(4),
}


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 7),
    st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6))),
    st.sampled_from(sorted(PATTERNS)),
    st.sampled_from(["induced", "subgraph"]),
)
def test_counts_are_those_of_brute_force(order, pairs, name, matching):
    edges = [(u, v) for u, v in pairs if u < v < order]
    graph = nx.Graph(edges)
    graph.add_nodes_from(range(order))
    expected = brute_force(graph, PATTERNS[name], matching == "induced")
    index = np.array(edges, dtype=np.int64).reshape(-1, 2).T
    found = gsn.count(index, order, name, matching=matching).values.sum(axis=1)
    assert found.tolist() == expected.tolist()


EDGES = [(0, 1), (1, 2), (2, 0), (2, 3)]
INDEX = np.array(EDGES).T
TRIANGLE = [1, 1, 1, 0]


def objects():
    """The same graph as everything that is understood."""
    import igraph
    import rustworkx
    import scipy.sparse
    import torch
    from rdkit import Chem
    from torch_geometric.data import Data

    plain = rustworkx.PyGraph()
    plain.add_nodes_from(range(4))
    plain.add_edges_from_no_data(EDGES)
    matrix = scipy.sparse.coo_matrix((np.ones(4), INDEX), shape=(4, 4))
    return {
        "list": INDEX.tolist(),
        "int64": INDEX,
        "int32": INDEX.astype(np.int32),
        "uint8": INDEX.astype(np.uint8),
        "read-only": np.frombuffer(INDEX.astype(np.int64).tobytes(), np.int64).reshape(2, 4),
        "not contiguous": np.repeat(INDEX, 2, axis=1)[:, ::2],
        "fortran": np.asfortranarray(INDEX),
        "torch": torch.tensor(INDEX),
        "scipy coo": matrix,
        "scipy csr": matrix.tocsr(),
        "networkx": nx.Graph(EDGES),
        "networkx directed": nx.DiGraph(EDGES),
        "rustworkx": plain,
        "igraph": igraph.Graph(EDGES),
        "PyG": Data(edge_index=torch.tensor(INDEX), num_nodes=4),
        "RDKit": Chem.MolFromSmiles("C1CC1C"),
        "SMILES": "C1CC1C",
    }


@pytest.mark.parametrize("name", objects())
def test_every_object_gives_the_same_counts(name):
    graph = objects()[name]
    assert gsn.count(graph, patterns="cycle:3").values[:, 0].tolist() == TRIANGLE


def test_names_of_networkx_are_kept():
    graph = nx.Graph([("ann", "bob"), ("bob", "cyd"), ("cyd", "ann"), ("cyd", "dan")])
    frame = gsn.count(graph, patterns="cycle:3").to_pandas()
    assert frame["vertex"].tolist() == ["ann", "bob", "cyd", "dan"]
    assert frame["cycle:3/v0"].tolist() == TRIANGLE
    arcs = gsn.count(graph, patterns="cycle:3", scope="arc").keys()
    assert arcs["source"] == [u for u, _ in graph.edges] + [v for _, v in graph.edges]


def test_rows_follow_the_columns_of_the_edge_index():
    # Unsorted, both directions, one edge three times, one edge in one direction only, a loop.
    index = [[2, 0, 1, 3, 1, 0, 2, 2, 0], [0, 2, 0, 2, 2, 1, 1, 2, 2]]
    edges = gsn.count(index, 4, "cycle:3", scope="edge")
    assert edges.values[:, 0].tolist() == [1, 1, 1, 0, 1, 1, 1, 0, 1]
    path = gsn.count([[0, 1], [1, 2]], 3, "path:3", scope="arc")
    turned = gsn.count([[1, 2], [0, 1]], 3, "path:3", scope="arc")
    both = gsn.count([[0, 1, 1, 2], [1, 2, 0, 1]], 3, "path:3", scope="arc")
    assert np.concatenate([path.values, turned.values]).tolist() == both.values.tolist()
    assert path.values.tolist() != turned.values.tolist()


def test_one_direction_or_both_are_the_same_graph():
    once = gsn.count(INDEX, 4, "cycle:3..=4,path:3")
    twice = gsn.count(np.concatenate([INDEX, INDEX[::-1]], axis=1), 4, "cycle:3..=4,path:3")
    assert (once.values == twice.values).all()


def test_directed_graphs_and_labels():
    circle = [[0, 1, 2], [1, 2, 0]]
    pattern = "edges:0>1,1>2,2>0"
    assert gsn.count(circle, 3, pattern, directed=True).values.sum() == 3
    with pytest.raises(ValueError, match="directed"):
        gsn.count(circle, 3, pattern)
    labelled = gsn.count([[0, 1], [1, 2]], 3, "edges:0@7-1@8", vertex_labels=[7, 8, 7])
    assert labelled.values.sum(axis=1).tolist() == [1, 2, 1]


def test_the_size_of_a_graph():
    assert gsn.count([[], []], 0, "cycle:3").shape == (0, 1)
    assert gsn.count(np.empty((2, 0)), 3, "cycle:3").values.tolist() == [[0], [0], [0]]
    assert gsn.count([[0], [4]], patterns="path:2").shape == (5, 1)


@pytest.mark.parametrize(
    ("index", "nodes", "error", "words"),
    [
        ([[0.0, 1.0], [1.0, 2.0]], 3, TypeError, "integers"),
        ([[True, False], [False, True]], 2, TypeError, "integers"),
        ([["a"], ["b"]], 2, TypeError, "integers"),
        ([[0, 1], [1]], 3, ValueError, "regular"),
        ([0, 1], 2, ValueError, "dimensions"),
        ([[0, 1], [1, 2], [2, 0]], 3, ValueError, "transpose"),
        ([[0], [-1]], 3, ValueError, "negative"),
        ([[0], [3]], 3, ValueError, "3 vertices"),
        ([[0], [1]], -1, ValueError, "negative"),
        ([[0], [1]], 2.5, TypeError, "integer"),
        ([[0], [1]], "two", TypeError, "integer"),
        ([[0], [2**40]], 2**41, ValueError, "num_nodes"),
        (np.array([[0], [2**64 - 1]], np.uint64), 2, ValueError, "64 bits"),
        (None, 2, TypeError, "integers"),
    ],
)
def test_bad_arrays_are_errors_with_a_sentence(index, nodes, error, words):
    with pytest.raises(error, match=words):
        gsn.count(index, nodes, "cycle:3")


def test_bad_settings_are_errors_with_a_sentence():
    for settings_ in ({"scope": "face"}, {"matching": "loose"}, {"orbits": "some"}):
        with pytest.raises(ValueError, match="write one of"):
            gsn.count(INDEX, 4, "cycle:3", **settings_)
    with pytest.raises(ValueError, match="cycel"):
        gsn.count(INDEX, 4, "cycel:3")
    with pytest.raises(ValueError, match="vertex labels"):
        gsn.count(INDEX, 4, "edges:0@1-1@1", vertex_labels=[1])
    with pytest.raises(RuntimeError, match="budget"):
        gsn.count(nx.complete_graph(60), patterns="path:6", matching="subgraph", budget=1000)


def test_a_huge_promise_takes_no_memory():
    for nodes in (10**8, 2**32 - 2):
        with pytest.raises(ValueError, match="edges"):
            gsn.count([[0], [1]], nodes, "cycle:3")


def test_results_as_tables():
    counts = gsn.count(INDEX, 4, "cycle:3,path:2", scope="edge")
    columns = ["source", "target", *counts.columns]
    assert list(counts.to_pandas().columns) == columns
    assert counts.to_polars().columns == columns
    assert counts.to_arrow().column_names == columns
    assert np.asarray(counts, dtype=float).dtype == float
    assert counts["cycle:3/e0"].tolist() == [1, 1, 1, 0]
    with pytest.raises(KeyError, match="cycle:3/e0"):
        counts["nothing"]


def test_patterns_show_themselves():
    shown = gsn.patterns("cycle:3,path:3")
    assert shown._repr_svg_().startswith("<svg")
    assert [(p.name, p.num_nodes, p.orbits) for p in shown] == [
        ("cycle:3", 3, [0, 0, 0]),
        ("path:3", 3, [0, 1, 0]),
    ]
