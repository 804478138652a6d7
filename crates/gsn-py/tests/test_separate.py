"""Telling graphs apart and suggesting patterns: the numbers that the program prints."""

from __future__ import annotations

import json
from dataclasses import asdict

import networkx as nx
import pytest
from session import SIZES, SMILES, csv_of, run

import gsn

PAIR = [nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3)), nx.cycle_graph(6)]


def plain(value):
    """As JSON has it: tuples are lists."""
    return json.loads(json.dumps(value))


def graph6(path, graphs):
    path.write_bytes(b"".join(nx.to_graph6_bytes(graph, header=False) for graph in graphs))
    return path


OPTIONS = [{}, {"pairs": True, "fwl": 2}, {"scope": "vertex", "matching": ["induced", "subgraph"]}]


@pytest.mark.parametrize("options", OPTIONS)
def test_the_numbers_of_the_program(tmp_path, options):
    graphs = [*PAIR, nx.path_graph(5), nx.star_graph(4), nx.path_graph(5), nx.complete_graph(4)]
    path = graph6(tmp_path / "graphs.g6", graphs)
    flags = []
    for key, value in options.items():
        for one in value if isinstance(value, list) else [value]:
            flags += [f"--{key}"] if one is True else [f"--{key}", str(one)]
    there = json.loads(run(tmp_path, "separate", "graphs.g6", "-p", "cycle:3..=4", "--seeds", "1", "--json", *flags))
    here = gsn.separate(graphs, "cycle:3..=4", seeds=1, **options)
    by_path = gsn.separate(path, "cycle:3..=4", seeds=1, **options)
    for found in (here, by_path):
        found = plain(asdict(found))
        for key, value in there.items():
            if key == "certificates":
                found[key] = [{k: v for k, v in one.items() if v is not None or k != "witness"} for one in found[key]]
            if key != "file":
                assert found[key] == value, key
    assert by_path.file == str(path) and here.file == "graphs"


def test_one_pair_and_names_of_vertices(tmp_path):
    named = [nx.relabel_nodes(graph, {v: f"v{v}" for v in graph}) for graph in PAIR]
    found = gsn.certificate(named, "cycle:3..=6")
    assert (found.pattern, found.by, found.left_rows, found.right_rows) == ("cycle:3", "counts", [([1], 6)], [([0], 6)])
    assert found.witness.ends == ["v0"] and found.witness.graph == 0
    graph6(tmp_path / "pair.g6", PAIR)
    words = ["separate", "pair.g6", "-p", "cycle:3..=6", "--pair", "0,1", "--json"]
    there = json.loads(run(tmp_path, *words))
    del there["file"]
    assert plain(asdict(gsn.certificate(PAIR, "cycle:3..=6"))) == there


def test_sets_of_the_catalogue_and_labels():
    assert gsn.separate("sr251256", "clique:3..=5", fwl=1, seeds=0).failures("1-wl") == 15 * 14 // 2
    plain_one, marked = nx.path_graph(3), nx.path_graph(3)
    nx.set_node_attributes(plain_one, 0, "label")
    nx.set_node_attributes(marked, {0: 1, 1: 0, 2: 0}, "label")
    assert gsn.separate([plain_one, marked], seeds=0).failures("1-wl") == 0
    found = gsn.separate([plain_one, marked], seeds=0, ignore_labels=True)
    assert found.isomorphic == 1


def test_directed_graphs():
    ring, other = [[0, 1, 2], [1, 2, 0]], [[0, 1, 0], [1, 2, 2]]
    assert gsn.separate([ring, other], seeds=0).isomorphic == 1
    assert gsn.separate([ring, other], seeds=0, directed=True).failures("1-wl") == 0


@pytest.mark.parametrize(
    ("call", "kind", "sentence"),
    [
        (lambda: gsn.separate([]), ValueError, "no graphs"),
        (lambda: gsn.separate([[[0, -1], [1, 2]]]), ValueError, "graph 0: edge_index column 1 holds -1"),
        (lambda: gsn.separate(PAIR, "circle:3"), ValueError, "circle"),
        (lambda: gsn.separate(PAIR, fwl=9), ValueError, "invalid value '9' for `fwl`"),
        (lambda: gsn.separate(PAIR, sweep=True), TypeError, "no option 'sweep'"),
        (lambda: gsn.separate(PAIR[:1], pairs=True), ValueError, "graph"),
        (lambda: gsn.certificate(PAIR, "cycle:3", 0, 5), ValueError, "there is no graph 5"),
        (lambda: gsn.separate("no-such-file.g6"), ValueError, "no-such-file.g6"),
        (lambda: gsn.suggest(SMILES), TypeError, "needs targets"),
        (lambda: gsn.suggest(SMILES, SIZES, max_sise=3), TypeError, "no option 'max_sise'; there is 'max_size'"),
        (lambda: gsn.suggest(SMILES, SIZES, max_size=2), ValueError, "at least 3 vertices"),
    ],
)
def test_mistakes_are_one_sentence(call, kind, sentence):
    with pytest.raises(kind, match=sentence):
        call()


def test_suggestions_are_those_of_the_program(tmp_path):
    csv_of(tmp_path / "data.csv", smiles=SMILES, size=SIZES)
    there = json.loads(run(tmp_path, "suggest", "data.csv", "--target", "size", "--max-size", "5", "--json"))
    for data in ({"smiles": SMILES, "size": SIZES}, tmp_path / "data.csv"):
        here = plain(asdict(gsn.suggest(data, target="size", max_size=5)))
        # A table in memory has no name that could be typed, so the command is the program's alone.
        assert {k: v for k, v in here.items() if k not in ("about", "data")} == {
            k: v for k, v in there.items() if k not in ("data", "command")
        }
        assert here["about"][0].startswith("task: ")
    assert there["command"].startswith("gsn train data.csv --target size --patterns ")
    found = gsn.suggest(SMILES, SIZES, target="size", max_size=5)
    assert found.picks and gsn.patterns(found.patterns)
