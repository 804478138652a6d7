"""Arrays of every odd kind work or are refused with a sentence; none ends the process."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import gsn

INDEX = np.array([[0, 1, 2, 2], [1, 2, 0, 3]])
EXPECTED = [[1], [1], [1], [0]]


def as_is(array):
    return array


def misaligned(array):
    raw = np.zeros(array.size * 8 + 1, np.uint8)
    view = raw[1:].view(np.int64).reshape(array.shape)
    view[:] = array
    assert not view.flags.aligned
    return view


def memory_mapped(array, folder):
    mapped = np.memmap(folder / "index.bin", np.int64, "w+", shape=array.shape)
    mapped[:] = array
    mapped.flush()
    return np.memmap(folder / "index.bin", np.int64, "r", shape=array.shape)


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


GOOD = {
    "int8": lambda a: a.astype(np.int8),
    "uint16": lambda a: a.astype(np.uint16),
    "uint64": lambda a: a.astype(np.uint64),
    "big-endian": lambda a: a.astype(">i8"),
    "big-endian 32 bits": lambda a: a.astype(">u4"),
    "Fortran order": np.asfortranarray,
    "transposed": lambda a: np.ascontiguousarray(a.T).T,
    "strided": lambda a: np.repeat(a, 3, axis=1)[:, ::3],
    "backwards and back": lambda a: np.ascontiguousarray(a[:, ::-1])[:, ::-1],
    "read-only": read_only,
    "misaligned": misaligned,
    "masked, but no entry is": np.ma.masked_array,
    "subclass": lambda a: a.view(np.matrix),
    "lists": lambda a: a.tolist(),
    "tuples": lambda a: tuple(map(tuple, a.tolist())),
    "rows of arrays": list,
    "torch": torch.from_numpy,
    "torch int32": lambda a: torch.from_numpy(a).int(),
    "torch uint8": lambda a: torch.from_numpy(a).to(torch.uint8),
    "torch, not contiguous": lambda a: torch.from_numpy(np.ascontiguousarray(a.T)).T,
}


@pytest.mark.parametrize("kind", GOOD)
def test_arrays_that_hold_integers_work(kind):
    index = GOOD[kind](INDEX)
    assert gsn.count(index, 4, "cycle:3").values.tolist() == EXPECTED
    assert gsn.count_many([index, (index, 4)], "cycle:3")[1].values.tolist() == EXPECTED
    edges = gsn.count(index, 4, "cycle:3", scope="edge").values
    assert edges.tolist() == EXPECTED


def test_memory_mapped_arrays(tmp_path):
    assert gsn.count(memory_mapped(INDEX, tmp_path), 4, "cycle:3").values.tolist() == EXPECTED


@pytest.mark.parametrize("empty", [[[], []], np.empty((2, 0)), np.empty((0, 2), int), torch.empty(2, 0)])
def test_no_edges(empty):
    assert gsn.count(empty, 2, "path:2").values.tolist() == [[0], [0]]
    assert gsn.count(empty, None, "path:2").shape == (0, 1)
    assert gsn.count(empty, 2, "path:2", scope="arc").shape[0] == 0


BAD = {
    "floats": (INDEX.astype(float), TypeError),
    "NaN": (np.array([[np.nan], [1.0]]), TypeError),
    "float16": (INDEX.astype(np.float16), TypeError),
    "complex": (INDEX.astype(complex), TypeError),
    "booleans": (INDEX.astype(bool), TypeError),
    "objects": (INDEX.astype(object), TypeError),
    "beyond 64 bits": ([[0], [2**70]], TypeError),
    "beyond int64": (np.array([[0], [2**63]], np.uint64), ValueError),
    "text": (INDEX.astype(str), TypeError),
    "bytes": (INDEX.astype("S4"), TypeError),
    "dates": (INDEX.astype("datetime64[s]"), TypeError),
    "structured": (np.zeros((2, 3), [("u", int), ("v", int)]), TypeError),
    "ragged": ([[0, 1], [1]], ValueError),
    "deeply ragged": ([[0, [1, 2]], [1, 2]], ValueError),
    "nothing": (None, TypeError),
    "a number": (3, ValueError),
    "0-d": (np.array(3), ValueError),
    "1-d": (np.arange(4), ValueError),
    "3-d": (INDEX[None], ValueError),
    "three rows": (np.zeros((3, 4), int), ValueError),
    "the wrong way round": (INDEX.T, ValueError),
    "negative": (-INDEX, ValueError),
    "out of range": (INDEX + 1, ValueError),
    "far out of range": (INDEX + 2**40, ValueError),
    "largest": (np.full((2, 1), 2**63 - 1), ValueError),
    "smallest": (np.full((2, 1), -(2**63)), ValueError),
    "masked": (np.ma.masked_array(INDEX, INDEX == 3), ValueError),
    "endless": (np.broadcast_to(np.array([[0], [1]]), (2, 2**40)), ValueError),
    "torch floats": (torch.tensor([[0.0], [1.0]], requires_grad=True), TypeError),
    "torch booleans": (torch.tensor([[True], [False]]), TypeError),
    "torch bfloat16": (torch.zeros(2, 3, dtype=torch.bfloat16), ValueError),
    "torch sparse": (torch.eye(3).to_sparse(), ValueError),
    "torch without data": (torch.zeros(2, 3, dtype=torch.int64, device="meta"), ValueError),
    "a dictionary": ({"edge_index": INDEX}, TypeError),
    "a set": ({(0, 1)}, TypeError),
    "a function": (as_is, TypeError),
}


@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize("scope", ["vertex", "arc"])
def test_arrays_that_are_no_edge_index_are_refused(kind, scope):
    index, error = BAD[kind]
    with pytest.raises(error) as raised:
        gsn.count(index, 4, "cycle:3", scope=scope)
    assert len(str(raised.value).split()) > 3
    with pytest.raises(error, match="graph 1: "):
        gsn.count_many([(INDEX, 4), (index, 4)], "cycle:3", scope=scope)
    many = gsn.count_many([(INDEX, 4), (index, 4), (INDEX, 4)], "cycle:3", scope="vertex", errors="collect")
    assert list(many.errors) == [1] and many[2].values.tolist() == EXPECTED


@pytest.mark.parametrize(
    ("nodes", "error"),
    [
        (2**31, ValueError),
        (2**32, ValueError),
        (2**62, ValueError),
        (2**63, ValueError),
        (2**80, ValueError),
        (-1, ValueError),
        (-(2**80), ValueError),
        (np.int64(2**62), ValueError),
        (4.5, TypeError),
        (float("nan"), TypeError),
        (float("inf"), TypeError),
        ("four", TypeError),
        ([4, 4], TypeError),
        (3, ValueError),
        (torch.tensor([4, 4]), TypeError),
        (object(), TypeError),
    ],
)
def test_numbers_of_vertices_that_cannot_be(nodes, error):
    with pytest.raises(error):
        gsn.count(INDEX, nodes, "cycle:3")


@pytest.mark.parametrize("nodes", [4, 4.0, np.int32(4), np.uint8(4), torch.tensor(4), np.array(4)])
def test_numbers_of_vertices_of_other_types(nodes):
    assert gsn.count(INDEX, nodes, "cycle:3").values.tolist() == EXPECTED


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"vertex_labels": [1, 2]}, ValueError),
        ({"vertex_labels": [1.0, 2.0, 3.0, 4.0]}, TypeError),
        ({"vertex_labels": [[1, 2, 3, 4]]}, ValueError),
        ({"vertex_labels": [-1, 2, 3, 4]}, ValueError),
        ({"vertex_labels": [2**40, 2, 3, 4]}, ValueError),
        ({"edge_labels": [1]}, ValueError),
        ({"edge_labels": "abcd"}, TypeError),
        ({"budget": -1}, ValueError),
        ({"budget": 2**64}, ValueError),
        ({"budget": "much"}, TypeError),
        ({"seconds": -1.0}, ValueError),
        ({"seconds": float("nan")}, ValueError),
        ({"seconds": float("inf")}, ValueError),
        ({"patterns": 3}, TypeError),
        ({"patterns": [3]}, TypeError),
        ({"patterns": ""}, ValueError),
        ({"patterns": "cycle:2"}, ValueError),
        ({"patterns": "cycle:99999999999999999999"}, ValueError),
        ({"patterns": "edges:0-1,0-0"}, ValueError),
        ({"patterns": "\x00"}, ValueError),
        ({"scope": None}, TypeError),
    ],
)
def test_settings_that_cannot_be(settings, error):
    with pytest.raises(error):
        gsn.count(INDEX, 4, **{"patterns": "cycle:3", **settings})


def test_many_of_something_else():
    with pytest.raises(TypeError, match="list"):
        gsn.count_many("CCO", "cycle:3")
    with pytest.raises(TypeError):
        gsn.count_many(None, "cycle:3")
    with pytest.raises(ValueError, match="graph 0"):
        gsn.count_many(INDEX, "cycle:3")
    with pytest.raises(ValueError, match="errors must be"):
        gsn.count_many([], "cycle:3", errors="ignore")
    assert gsn.count_many(iter([INDEX]), "cycle:3")[0].values.tolist() == EXPECTED
    assert gsn.count_many(np.stack([INDEX, INDEX]), "cycle:3").values.tolist() == EXPECTED * 2


ENCODINGS = ["one-hot", "bins:3", "raw", "log1p", "standardise"]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("kind", GOOD)
def test_encoders_take_arrays_of_integers(encoding, kind):
    codes = gsn.CountEncoder(encoding).fit_transform(GOOD[kind](INDEX))
    assert codes.shape == INDEX.shape
    assert (codes == gsn.CountEncoder(encoding).fit_transform(INDEX)).all()


TABLES_AFTER_ALL = [
    *("three rows", "the wrong way round", "out of range", "far out of range", "largest", "endless", "a set")
]
NOT_COUNTS = {
    name: given
    for name, given in BAD.items()
    if name not in TABLES_AFTER_ALL
}


@pytest.mark.parametrize("kind", NOT_COUNTS)
def test_encoders_refuse_what_holds_no_counts(kind):
    table, error = NOT_COUNTS[kind]
    with pytest.raises((ValueError, TypeError)):
        gsn.CountEncoder().fit(table)
    fitted = gsn.CountEncoder().fit(np.zeros((1, 4), int))
    with pytest.raises((ValueError, TypeError)):
        fitted.transform(table)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_encoders_at_the_edges(encoding):
    encoder = gsn.CountEncoder(encoding).fit(np.array([[0], [2**63 - 1]]))
    assert encoder.transform(np.array([[2**63 - 1]])).shape == (1, 1)
    assert encoder.transform(np.empty((0, 1), int)).shape == (0, 1)
    with pytest.raises(ValueError):
        encoder.transform(np.zeros((1, 2), int))
    # Nothing to learn from is refused or learned from; it never ends the process.
    for shape in ((0, 1), (0, 0), (3, 0)):
        try:
            assert gsn.CountEncoder(encoding).fit_transform(np.empty(shape, int)).shape == shape
        except ValueError as error:
            assert len(str(error).split()) > 3
