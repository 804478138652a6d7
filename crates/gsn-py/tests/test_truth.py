"""Counts by orbits against networkx: all scopes and matchings, edge indexes in any order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networkx.algorithms.isomorphism import GraphMatcher

import gsn

PATTERNS = [
    "cycle:3",
    "cycle:4",
    "path:3",
    "path:4",
    "star:3",
    "clique:4",
    "edges:0-1,1-2,2-0,2-3",
    "edges:0-1,1-2,2-3,3-0,0-2",
]


def roles(pattern: nx.Graph, scope: str) -> list:
    """What of a pattern is counted at: its vertices, edges or arcs."""
    if scope == "vertex":
        return list(pattern.nodes)
    edges = [tuple(sorted(edge)) for edge in pattern.edges]
    return edges if scope == "edge" else edges + [(v, u) for u, v in edges]


def image(role, mapping: dict, scope: str):
    if scope == "vertex":
        return mapping[role]
    ends = tuple(mapping[end] for end in role)
    return tuple(sorted(ends)) if scope == "edge" else ends


def maps(graph: nx.Graph, pattern: nx.Graph, matching: str) -> Iterator[dict]:
    """The maps of a pattern into a graph: where each vertex of the pattern goes."""
    if matching != "homomorphism":
        matcher = GraphMatcher(graph, pattern)
        induced = matching == "induced"
        found = matcher.subgraph_isomorphisms_iter() if induced else matcher.subgraph_monomorphisms_iter()
        yield from ({role: vertex for vertex, role in one.items()} for one in found)
        return
    for images in product(graph.nodes, repeat=len(pattern)):
        one = dict(zip(pattern.nodes, images, strict=True))
        if all(graph.has_edge(one[a], one[b]) for a, b in pattern.edges):
            yield one


def truth(graph: nx.Graph, pattern: nx.Graph, scope: str, matching: str, rows: list) -> list:
    """The columns of counts, one an orbit, sorted: every map of the pattern into the graph adds one
    to what each role is mapped to. An occurrence has as many maps as automorphisms; where maps are
    counted, it is by where they send one member of an orbit, and all members give the same."""
    group = list(GraphMatcher(pattern, pattern).isomorphisms_iter())
    all_roles = roles(pattern, scope)
    orbit = {role: min(image(role, map_, scope) for map_ in group) for role in all_roles}
    counts = {o: dict.fromkeys(rows, 0) for o in orbit.values()}
    for found in maps(graph, pattern, matching):
        for role in all_roles:
            counts[orbit[role]][image(role, found, scope)] += 1
    members = Counter(orbit.values())
    share = {o: members[o] if matching == "homomorphism" else len(group) for o in counts}
    return sorted([column[row] // share[o] for row in rows] for o, column in counts.items())


@settings(max_examples=150, deadline=None)
@given(
    order=st.integers(1, 7),
    pairs=st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=30),
    name=st.sampled_from(PATTERNS),
    scope=st.sampled_from(["vertex", "edge", "arc"]),
    matching=st.sampled_from(["induced", "subgraph", "homomorphism"]),
)
def test_every_column_of_the_edge_index_has_the_counts_of_its_edge(order, pairs, name, scope, matching):
    # As they come: unsorted, repeated, in one direction or both, with loops.
    pairs = [(u % order, v % order) for u, v in pairs]
    graph = nx.Graph((u, v) for u, v in pairs if u != v)
    graph.add_nodes_from(range(order))
    pattern = nx.Graph(next(iter(gsn.patterns(name))).edges)
    index = np.array(pairs, np.int64).reshape(-1, 2).T
    found = gsn.count(index, order, name, scope=scope, matching=matching).values
    many = gsn.count_many([(index, order)], name, scope=scope, matching=matching).values
    assert (found == many).all()
    if scope == "vertex":
        rows: list = list(range(order))
        assert sorted(found.T.tolist()) == truth(graph, pattern, scope, matching, rows)
        return
    ends = [(u, v) if scope == "arc" else (min(u, v), max(u, v)) for u, v in pairs]
    every = [(u, v) for u in range(order) for v in range(order) if u != v]
    proper = [at for at, (u, v) in enumerate(pairs) if u != v]
    assert not found[[at for at in range(len(pairs)) if at not in proper]].any()
    by_row = {row: at for at, row in enumerate(every)}
    columns = truth(graph, pattern, scope, matching, every)
    expected = sorted([column[by_row[ends[at]]] for at in proper] for column in columns)
    assert sorted(found[proper].T.tolist()) == expected


@pytest.mark.parametrize("matching", ["induced", "subgraph"])
def test_the_sums_of_the_scopes_fit_each_other(matching):
    graph = nx.gnp_random_graph(12, 0.4, seed=3)
    for name in PATTERNS:
        pattern = next(iter(gsn.patterns(name)))
        total = {
            scope: int(gsn.count(graph, patterns=name, scope=scope, matching=matching).values.sum())
            for scope in ("vertex", "edge", "arc")
        }
        occurrences = total["vertex"] // pattern.num_nodes
        assert total["edge"] == occurrences * len(pattern.edges)
        assert total["arc"] == 2 * total["edge"]


def partitions(rest: list) -> Iterator[list[list]]:
    """All partitions of a list into blocks."""
    if not rest:
        yield []
        return
    for blocks in partitions(rest[1:]):
        yield [[rest[0]], *blocks]
        for at in range(len(blocks)):
            yield [*blocks[:at], [rest[0], *blocks[at]], *blocks[at + 1 :]]


def quotients(graph: nx.Graph) -> list[nx.Graph]:
    """What is left of a graph when vertices that are not adjacent are glued together, in all ways,
    up to isomorphism."""
    found: dict[str, list[nx.Graph]] = {}
    for blocks in partitions(list(graph.nodes)):
        block = {v: at for at, members in enumerate(blocks) for v in members}
        if any(block[u] == block[v] for u, v in graph.edges):
            continue
        quotient = nx.Graph((block[u], block[v]) for u, v in graph.edges)
        like = found.setdefault(nx.weisfeiler_lehman_graph_hash(quotient), [])
        if not any(nx.is_isomorphic(quotient, other) for other in like):
            like.append(quotient)
    return [quotient for like in found.values() for quotient in like]


def test_the_spasm_of_a_cycle_is_all_its_quotients():
    expected = quotients(nx.cycle_graph(7)) + quotients(nx.cycle_graph(8))
    found = [nx.Graph(pattern.edges) for pattern in gsn.patterns("spasm:cycle:7..=8")]
    distinct = [g for at, g in enumerate(expected) if not any(nx.is_isomorphic(g, e) for e in expected[:at])]
    assert len(found) == len(distinct)
    for graph in found:
        assert sum(nx.is_isomorphic(graph, other) for other in distinct) == 1
