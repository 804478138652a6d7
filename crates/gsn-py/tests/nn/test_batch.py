"""Batches: the names that PyG must not shift, tables of wrong shapes and ranges, and what becomes of PyG's objects."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from networks import configs, graphs
from torch_geometric.data import Batch, Data
from torch_geometric.loader import DataLoader

from gsn.nn import GraphBatch, Network
from gsn.nn.batch import TABLES

EDGES = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])


def data_of(graph: GraphBatch) -> Data:
    """One of our graphs as PyG's."""
    names = {
        "vertex_counts": "substructure_counts",
        "arc_counts": "edge_substructure_counts",
        "numbers": "random_walk_pe",
    }
    tables = {names.get(name, name): getattr(graph, name) for name in TABLES if getattr(graph, name) is not None}
    return Data(edge_index=graph.edge_index, num_nodes=graph.num_vertices, **tables)


@pytest.mark.parametrize("name", configs())
def test_batching_by_pyg_and_by_us_is_the_same(name: str) -> None:
    config = configs()[name]
    network = Network.from_config(config).double().eval()
    ours = GraphBatch.union(graphs(config))
    theirs = Batch.from_data_list([data_of(g) for g in graphs(config)])
    converted = GraphBatch.from_data(theirs)
    for field in (*TABLES, "edge_index", "batch"):
        a, b = getattr(ours, field), getattr(converted, field)
        assert (a is None and b is None) or torch.equal(a, b), field
    assert torch.equal(network(theirs), network(ours))


def test_a_loader_of_pyg_feeds_a_network() -> None:
    config = configs()["general, GSN-v, one-hot"]
    network = Network.from_config(config).double().eval()
    loader = DataLoader([data_of(g) for g in graphs(config)], batch_size=3)
    got = torch.cat([network(batch) for batch in loader])
    torch.testing.assert_close(got, network(GraphBatch.union(graphs(config))))


def test_a_single_data_object_is_one_graph() -> None:
    config = configs()["gin, GSN-v, one-hot"]
    network = Network.from_config(config).double().eval()
    graph = graphs(config)[0]
    assert torch.equal(network(data_of(graph)), network(graph))


def test_attributes_under_other_names() -> None:
    data = Data(atom=torch.tensor([0, 1, 2]), ring_counts=torch.rand(3, 2), edge_index=EDGES)
    batch = GraphBatch.from_data(data, x="atom", vertex_counts="ring_counts")
    assert batch.x is data.atom and batch.vertex_counts is data.ring_counts and batch.edge_attr is None


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"edge_index": EDGES.t()}, "edge_index: 2 × arcs"),
        ({"edge_index": EDGES.float()}, "edge_index: 2 × arcs"),
        ({"edge_index": EDGES + 1}, "edge_index holds numbers from 1 to 3"),
        ({"edge_index": EDGES - 1}, "edge_index holds numbers from -1"),
        ({"x": torch.rand(4, 1)}, r"x has the shape \[4, 1\], but there are 3 vertices"),
        ({"arc_counts": torch.rand(3, 1)}, r"arc_counts has the shape \[3, 1\], but there are 4 arcs"),
        ({"x": torch.rand(3, 1, 1)}, "x has the shape"),
        ({"batch": torch.tensor([0, 0, 5]), "num_graphs": 2}, "batch holds numbers from 0 to 5"),
        ({"batch": torch.tensor([0, 0])}, "batch has the shape"),
    ],
)
def test_wrong_shapes_and_ranges_are_refused(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        GraphBatch(**{"edge_index": EDGES, "x": torch.rand(3, 1), "num_vertices": 3, **changes})


def test_the_number_of_vertices_must_be_known() -> None:
    with pytest.raises(ValueError, match="number of vertices is not known"):
        GraphBatch(EDGES)
    assert GraphBatch(EDGES, num_vertices=4).batch.tolist() == [0, 0, 0, 0]


def test_graphs_of_a_union_have_the_same_tables() -> None:
    with pytest.raises(ValueError, match="some graphs have x and some do not"):
        GraphBatch.union([GraphBatch(EDGES, num_vertices=3), GraphBatch(EDGES, x=torch.rand(3, 1))])
    with pytest.raises(ValueError, match="no graphs"):
        GraphBatch.union([])


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        (None, "vertex features are missing"),
        (torch.tensor([[0, 0], [4, 0], [0, 0]]), "vertex features, column 0: category 4, but the vocabulary has 4"),
        (torch.tensor([[0, 0], [0, -1], [0, 0]]), "vertex features, column 1: category -1"),
        (torch.tensor([[0], [0], [0]]), "2 columns are needed"),
        (torch.rand(3, 2), "whole numbers are needed"),
    ],
)
def test_tables_that_the_network_cannot_read_are_named(table: torch.Tensor | None, reason: str) -> None:
    network = Network.from_config(configs()["deep sets, vertices"])
    batch = GraphBatch(EDGES, x=table, vertex_counts=torch.zeros(3, 2, dtype=torch.int64), num_vertices=3)
    with pytest.raises(ValueError, match=reason):
        network(batch)


def test_small_whole_numbers_are_categories_too() -> None:
    network = Network.from_config(configs()["deep sets, vertices"]).eval()
    zeros = torch.zeros(3, 2, dtype=torch.int64)
    want = network(GraphBatch(EDGES, x=zeros, vertex_counts=zeros))
    for dtype in (torch.uint8, torch.int32, torch.bool):
        small = zeros.to(dtype)
        assert torch.equal(network(GraphBatch(EDGES.int(), x=small, vertex_counts=small)), want)


def test_pinned_memory_and_devices_are_asked_for_every_tensor() -> None:
    batch = graphs(configs()["general, GSN-v, one-hot"])[0]
    moved = batch.to("meta")
    tensors = [getattr(moved, name) for name in (*TABLES, "edge_index", "batch")]
    assert all(t.device.type == "meta" for t in tensors if t is not None)
    assert (moved.num_vertices, moved.num_graphs) == (batch.num_vertices, 1)
