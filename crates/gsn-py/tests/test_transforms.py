"""Counts in PyTorch Geometric."""

from __future__ import annotations

import pytest
import torch
from torch_geometric.data import Batch, Data

import gsn
from gsn.transforms import AddSubstructureCounts


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


def test_batching_changes_no_number():
    for scope in ("vertex", "arc"):
        add = AddSubstructureCounts("cycle:3..=6", scope=scope)
        parts = add.add_to([ring(5), ring(6)])
        batch = Batch.from_data_list(parts)
        assert torch.equal(batch[add.attribute], torch.cat([p[add.attribute] for p in parts]))


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
