"""Counts in PyTorch Geometric."""

from __future__ import annotations

import copy
import pickle

import pytest
import torch
from torch_geometric.data import Batch, Data, InMemoryDataset

import gsn
from gsn.transforms import AddSubstructureCounts


class Own(Data):
    """A kind of graph that only its author knows."""


def ring(size: int) -> Data:
    ends = torch.arange(size)
    index = torch.stack([ends, (ends + 1) % size])
    return Data(edge_index=torch.cat([index, index.flip(0)], dim=1), num_nodes=size)


@pytest.mark.parametrize("scope", ["vertex", "edge", "arc"])
def test_one_by_one_and_all_at_once_are_the_same(scope):
    add = AddSubstructureCounts("cycle:3..=6,path:3", scope=scope)
    alone = [add(ring(size)) for size in range(3, 9)]
    together = add.add_to([ring(size) for size in range(3, 9)])
    for a, b in zip(alone, together, strict=True):
        assert torch.equal(a[add.attribute], b[add.attribute])
        assert torch.equal(
            a[add.attribute],
            torch.from_numpy(gsn.count(a, patterns="cycle:3..=6,path:3", scope=scope).values),
        )


def test_a_call_leaves_the_graph_alone_and_copies_as_pyg_does():
    for kind in (Data, Own):
        given = kind(x=torch.zeros(3, 1), edge_index=torch.tensor([[0, 1, 2], [1, 2, 0]]), name="triangle")
        assert given.is_undirected() is False and given.num_edges == 3
        out, copied = AddSubstructureCounts("cycle:3")(given), copy.copy(given)
        assert type(out) is kind and "substructure_counts" not in given
        assert vars(out).keys() == vars(copied).keys()
        assert vars(out._store).keys() == vars(copied._store).keys()
        assert out._store._parent() is out and given._store._parent() is given
        assert out.x is given.x and out.edge_index is given.edge_index and out.name == "triangle"
        out.name = "other"
        assert given.name == "triangle" and set(out.keys()) == {*given.keys(), "substructure_counts"}
        assert pickle.loads(pickle.dumps(out)).substructure_counts.tolist() == [[1], [1], [1]]


def test_batching_changes_no_number():
    for scope in ("vertex", "arc"):
        add = AddSubstructureCounts("cycle:3..=6", scope=scope)
        parts = add.add_to([ring(5), ring(6)])
        batch = Batch.from_data_list(parts)
        assert torch.equal(batch[add.attribute], torch.cat([p[add.attribute] for p in parts]))


def test_maps_of_quotients_are_features_like_any_other():
    odd, even = (AddSubstructureCounts(f"spasm:cycle:{k}", matching="homomorphism") for k in (7, 8))
    counts = even(ring(6))[even.attribute]
    assert counts.shape == (6, len(gsn.count("C1CCCCC1", patterns="spasm:cycle:8", matching="homomorphism").columns))
    # A cycle of eight folds into an edge; what one of seven folds into has an odd cycle, and a ring of six has none.
    assert counts[:, 0].tolist() == [2] * 6 and not odd(ring(6))[odd.attribute].any()


def test_the_repr_tells_everything():
    texts = {
        repr(AddSubstructureCounts(**settings))
        for settings in (
            {},
            {"patterns": "cycle:3"},
            {"scope": "arc"},
            {"matching": "subgraph"},
            {"orbits": "official"},
            {"dtype": torch.float32},
            {"attribute": "rings"},
        )
    }
    assert len(texts) == 7


def test_names_that_batching_would_offset_are_refused():
    with pytest.raises(ValueError, match="batching"):
        AddSubstructureCounts(attribute="ring_index")


class Stored(InMemoryDataset):
    """Graphs in one storage, as PyG's own datasets keep them."""

    def __init__(self, graphs: list[Data], transform=None) -> None:
        super().__init__(None, transform)
        self.data, self.slices = self.collate(graphs)


def with_features(size: int) -> Data:
    return Data(x=torch.rand(size + 1, 2), edge_index=ring(size).edge_index, y=torch.tensor([size]))


@pytest.mark.parametrize("scope", ["vertex", "edge", "arc"])
@pytest.mark.parametrize("make", [ring, with_features])
def test_a_dataset_gets_its_counts_in_place_of_graphs(scope, make):
    add = AddSubstructureCounts("cycle:3..=6,path:3", scope=scope)
    dataset = Stored([make(size) for size in range(3, 9)])
    together = add.add_to(dataset)
    assert isinstance(together, Stored) and len(together) == 6
    assert together._data.edge_index is dataset._data.edge_index
    assert add.attribute not in dataset[0] and add.attribute not in dataset.slices
    for alone, counted in zip((add(graph) for graph in dataset), together, strict=True):
        assert torch.equal(alone[add.attribute], counted[add.attribute])
        assert torch.equal(alone.edge_index, counted.edge_index)
    again = AddSubstructureCounts("cycle:4", attribute="squares").add_to(together)
    assert again[1].squares.sum() == 4 and add.attribute in again[1]


def test_vertices_are_known_by_other_names_too():
    graphs = [Data(pos=torch.rand(size + 2, 3), edge_index=ring(size).edge_index) for size in (3, 4)]
    added = AddSubstructureCounts("cycle:3").add_to(Stored(graphs))
    assert [data.substructure_counts.shape[0] for data in added] == [5, 6]


def test_parts_and_single_graphs_of_datasets():
    add = AddSubstructureCounts("cycle:5", dtype=torch.float32)
    part = add.add_to(Stored([ring(size) for size in range(3, 9)])[[2, 4]])
    assert [float(data.substructure_counts.sum()) for data in part] == [5.0, 0.0]
    single = add.add_to(Stored([ring(5)]))
    assert len(single) == 1 and single[0].substructure_counts.dtype == torch.float32


def test_counting_comes_before_the_transform_of_a_dataset():
    dataset = Stored([ring(4), ring(5)], transform=AddSubstructureCounts("cycle:5", attribute="later"))
    added = AddSubstructureCounts("cycle:4").add_to(dataset)
    assert added[0].substructure_counts.sum() == 4 and added[1].later.sum() == 5


def test_the_first_bad_graph_is_named():
    bad = Data(edge_index=torch.tensor([[0], [7]]), num_nodes=2)
    with pytest.raises(ValueError, match="graph 1: .*vertex 7"):
        AddSubstructureCounts().add_to([ring(3), bad])
    with pytest.raises(ValueError, match="graph 1: .*vertex 7"):
        AddSubstructureCounts().add_to(Stored([ring(3), bad]))
    real = Data(edge_index=torch.tensor([[0.5], [1.0]]), num_nodes=2)
    with pytest.raises(TypeError, match="graph 1: edge_index must hold integers"):
        AddSubstructureCounts().add_to([ring(3), real])
    assert AddSubstructureCounts().add_to([]) == []
