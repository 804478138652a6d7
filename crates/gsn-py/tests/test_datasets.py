"""Data sets of PyG and OGB to files of gsn and back: the real classes on small folders of the same
structure, and the real sets where ``GSN_DATA`` has them."""

from __future__ import annotations

import gzip
import json
import os
import pickle
import random
import subprocess
import sys

import numpy as np
import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.datasets import ZINC, TUDataset
from torch_geometric.utils import coalesce

import gsn
from gsn.datasets import from_gsn, to_gsn

needs_data = pytest.mark.skipif("GSN_DATA" not in os.environ, reason="needs GSN_DATA")


def run(*arguments: str, data: str | None = None) -> subprocess.CompletedProcess:
    env = {**os.environ, "XDG_DATA_HOME": "/nonexistent", **({"GSN_DATA": data} if data else {})}
    return subprocess.run(
        [sys.executable, "-m", "gsn", *arguments], env=env, capture_output=True, text=True, timeout=300
    )


def molecule(seed: int) -> tuple[list[int], dict[tuple[int, int], int]]:
    """Atom types, and bonds with their kinds: a ring with a tail."""
    draw = random.Random(seed)
    order, ring = draw.randint(5, 12), draw.choice([3, 4, 5])
    atoms = [draw.randrange(28) for _ in range(order)]
    bonds = {(v - 1, v): draw.choice([1, 2, 3]) for v in range(1, order)}
    bonds[(0, ring - 1)] = 1
    return atoms, bonds


def zinc_folder(root, sizes=(12, 4, 4)) -> None:
    """The raw files of PyG's ZINC: lists of molecules as pickles, and index files."""
    raw = root / "raw"
    raw.mkdir(parents=True)
    seed = 0
    for part, size in zip(("train", "val", "test"), sizes, strict=True):
        molecules = []
        for _ in range(size):
            atoms, bonds = molecule(seed)
            seed += 1
            matrix = torch.zeros(len(atoms), len(atoms))
            for (u, v), kind in bonds.items():
                matrix[u, v] = matrix[v, u] = kind
            target = torch.tensor([random.Random(seed).gauss(0, 2)])
            molecules.append(
                {"atom_type": torch.tensor(atoms), "bond_type": matrix, "logP_SA_cycle_normalized": target}
            )
        (raw / f"{part}.pickle").write_bytes(pickle.dumps(molecules))
        (raw / f"{part}.index").write_text(",".join(map(str, range(size))) + "\n")


@pytest.fixture(scope="module")
def zinc(tmp_path_factory) -> dict[str, ZINC]:
    root = tmp_path_factory.mktemp("zinc")
    zinc_folder(root / "ZINC")
    return {part: ZINC(str(root / "ZINC"), subset=True, split=part) for part in ("train", "val", "test")}


def same(a: Data, b: Data) -> None:
    """Two graphs are the same, edges in any order."""
    assert a.num_nodes == b.num_nodes
    assert (a.x is None) == (b.x is None) and (a.edge_attr is None) == (b.edge_attr is None)
    if a.x is not None:
        assert torch.equal(a.x, b.x) and a.x.dtype == b.x.dtype
    assert torch.equal(a.y, b.y) and a.y.dtype == b.y.dtype and a.y.shape == b.y.shape
    if a.edge_attr is None:
        assert torch.equal(coalesce(a.edge_index), coalesce(b.edge_index))
        return
    first, second = (coalesce(d.edge_index, d.edge_attr) for d in (a, b))
    assert torch.equal(first[0], second[0]) and torch.equal(first[1], second[1])
    assert a.edge_attr.dtype == b.edge_attr.dtype and a.edge_attr.shape == b.edge_attr.shape


def test_zinc_becomes_a_set_of_the_catalogue(zinc, tmp_path):
    told = []
    with pytest.warns(UserWarning, match="graphs: 20 imported, 12000 in the catalogue"):
        written = to_gsn(zinc, tmp_path / "data", progress=lambda *at: told.append(at))
    assert (written.use, written.graphs, told[-1]) == ("ZINC-12k", 20, (20, 20))
    assert sorted(written.files) == ["zinc12k_test.txt", "zinc12k_train.txt", "zinc12k_val.txt"]
    back = from_gsn("ZINC", root=tmp_path / "data")
    split = back.get_idx_split()
    assert [len(split[part]) for part in ("train", "valid", "test")] == [12, 4, 4]
    for data, place in zip([*zinc["train"], *zinc["val"], *zinc["test"]], back, strict=True):
        same(data, place)
    assert torch.equal(back[split["valid"]][0].y, zinc["val"][0].y)
    assert "PyTorch Geometric's ZINC" in back.licence


def test_the_program_reads_an_imported_set(zinc, tmp_path):
    with pytest.warns(UserWarning):
        to_gsn(zinc, tmp_path)
    done = run("train", "zinc-gsn-ef-100k", "--epochs", "1", "--out", str(tmp_path / "run"), data=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "ZINC-12k was imported from PyTorch Geometric's ZINC" in done.stderr
    assert "20 imported, 12000 in the catalogue" in done.stderr


def test_a_changed_file_is_refused(zinc, tmp_path):
    with pytest.warns(UserWarning):
        to_gsn(zinc, tmp_path)
    file = tmp_path / "zinc12k" / "zinc12k_val.txt"
    file.write_text(file.read_text().replace("1", "2", 1))
    with pytest.raises(ValueError, match="sha256"):
        from_gsn("ZINC", root=tmp_path)
    with pytest.raises(ValueError, match="there already"):
        to_gsn(zinc, tmp_path)
    manifest = tmp_path / "zinc12k" / "imported.json"
    manifest.write_text(manifest.read_text().replace('"format": 1', '"format": 9'))
    with pytest.raises(ValueError, match="format 9"):
        from_gsn("ZINC", root=tmp_path)


def test_sets_that_are_not_of_the_kind_leave_nothing_behind(zinc, tmp_path):
    strange = {part: list(graphs) for part, graphs in zinc.items()}
    strange["train"][0] = strange["train"][0].clone()
    strange["train"][0].x += 100

    class Like(list):
        subset = True

    Like.__name__ = "ZINC"
    with pytest.raises(ValueError, match="not below 28"):
        to_gsn({part: Like(graphs) for part, graphs in strange.items()}, tmp_path / "data")
    assert not (tmp_path / "data" / "zinc12k").exists()


def tu_folder(root, name="TOY", attributes=False) -> None:
    """The raw files of a TU set with labels of vertices and edges."""
    raw = root / name / "raw"
    raw.mkdir(parents=True)
    keys = ("A", "graph_indicator", "node_labels", "edge_labels", "graph_labels", "node_attributes")
    lines: dict[str, list[str]] = {key: [] for key in keys}
    first = 1
    for graph in range(9):
        atoms, bonds = molecule(graph)
        lines["graph_labels"].append(str(1 - 2 * (graph % 2)))
        lines["graph_indicator"] += [str(graph + 1)] * len(atoms)
        lines["node_labels"] += [str(atom % 4 + 1) for atom in atoms]
        lines["node_attributes"] += [f"{atom / 7}, {atom}" for atom in atoms]
        for (u, v), kind in bonds.items():
            for a, b in ((u, v), (v, u)):
                lines["A"].append(f"{a + first}, {b + first}")
                lines["edge_labels"].append(str(kind))
        first += len(atoms)
    if not attributes:
        del lines["node_attributes"]
    for key, text in lines.items():
        (raw / f"{name}_{key}.txt").write_text("\n".join(text) + "\n")


def test_tu_sets_there_and_back(tmp_path):
    tu_folder(tmp_path / "pyg")
    original = TUDataset(str(tmp_path / "pyg"), "TOY")
    written = to_gsn(original, tmp_path / "TOY")
    assert written.notes == [] and "TOY_A.txt" in written.files
    back = from_gsn(tmp_path / "TOY")
    for data, place in zip(original, back, strict=True):
        same(data, place)
    # PyG reads the folder as well, if it stands where PyG looks.
    again = tmp_path / "again" / "TOY"
    again.mkdir(parents=True)
    os.rename(tmp_path / "TOY", again / "raw")
    for data, place in zip(original, TUDataset(str(tmp_path / "again"), "TOY"), strict=True):
        same(data, place)
    done = run("count", str(again / "raw"), "-p", "cycle:3..=5", "-o", str(tmp_path / "counts.csv"))
    assert done.returncode == 0, done.stderr
    rings = gsn.count_many(list(original), "cycle:3..=5")
    assert len((tmp_path / "counts.csv").read_text().splitlines()) == 1 + len(rings.values)


def test_attributes_of_tu_sets_are_left_out_aloud(tmp_path):
    tu_folder(tmp_path / "pyg", attributes=True)
    original = TUDataset(str(tmp_path / "pyg"), "TOY", use_node_attr=True)
    with pytest.warns(UserWarning, match="first 2 columns of x"):
        to_gsn(original, tmp_path / "TOY")
    assert torch.equal(from_gsn(tmp_path / "TOY")[0].x, original[0].x[:, 2:])


def ogb_folder(root, name: str, targets: int) -> None:
    """The raw files of an OGB set: every column of numbers in a packed CSV file of its own."""
    folder = root / name.replace("-", "_")
    sizes = {"atom": [119, 5, 12, 12, 10, 6, 6, 2, 2], "bond": [5, 6, 2]}
    draw = random.Random(name)
    files: dict[str, list[str]] = {}

    def put(file: str, *values: object) -> None:
        files.setdefault(file, []).append(",".join(map(str, values)))

    for graph in range(12):
        atoms, bonds = molecule(graph)
        put("raw/num-node-list", len(atoms))
        put("raw/num-edge-list", len(bonds))
        cells = [draw.choice([0, 1, ""]) if targets > 1 else graph % 2 for _ in range(targets)]
        put("raw/graph-label", *cells)
        for _ in atoms:
            put("raw/node-feat", *(draw.randrange(size) for size in sizes["atom"]))
        for u, v in bonds:
            put("raw/edge", u, v)
            put("raw/edge-feat", *(draw.randrange(size) for size in sizes["bond"]))
        put(f"split/scaffold/{['train', 'train', 'valid', 'test'][graph % 4]}", graph)
    for file, lines in files.items():
        place = folder / f"{file}.csv.gz"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(gzip.compress(("\n".join(lines) + "\n").encode()))
    (folder / "RELEASE_v1.txt").write_text("")


@pytest.fixture
def ogb(monkeypatch):
    # ogb 1.3.6 was written before torch asked what a file may hold.
    load = torch.load
    monkeypatch.setattr(torch, "load", lambda path, **_: load(path, weights_only=False))
    return pytest.importorskip("ogb.graphproppred", reason="ogb is part of the tests").PygGraphPropPredDataset


def test_molhiv_becomes_a_set_of_the_catalogue(ogb, tmp_path):
    ogb_folder(tmp_path / "ogb", "ogbg-molhiv", 1)
    original = ogb("ogbg-molhiv", str(tmp_path / "ogb"))
    with pytest.warns(UserWarning, match="in the catalogue"):
        written = to_gsn(original, tmp_path / "data")
    assert written.use == "ogbg-molhiv" and "molhiv_graphs.txt" in written.files
    back = from_gsn("molhiv", root=tmp_path / "data")
    for data, place in zip(original, back, strict=True):
        same(data, place)
    for part, at in original.get_idx_split().items():
        assert torch.equal(back.get_idx_split()[part], at)


def test_other_sets_of_ogb_become_parquet(ogb, tmp_path):
    ogb_folder(tmp_path / "ogb", "ogbg-moltox21", 12)
    original = ogb("ogbg-moltox21", str(tmp_path / "ogb"))
    assert original[0].y.isnan().any()
    to_gsn(original, tmp_path / "tox21.parquet")
    back = from_gsn(tmp_path / "tox21.parquet")
    for data, place in zip(original, back, strict=True):
        assert torch.equal(data.y.nan_to_num(7), place.y.nan_to_num(7))
        data.y = place.y = data.y.nan_to_num(7)
        same(data, place)
    assert torch.equal(back.get_idx_split()["test"], original.get_idx_split()["test"])
    done = run("info", str(tmp_path / "tox21.parquet"))
    assert done.returncode == 0, done.stderr


def lists() -> dict[str, list[Data]]:
    both = torch.tensor([[0, 1, 1, 2, 0, 2], [1, 0, 2, 1, 2, 0]])
    one = torch.tensor([[0, 1], [1, 2]])
    draw = torch.Generator().manual_seed(0)
    three = torch.tensor([[1], [2], [3]])
    values = torch.tensor([0.5, 0.5, -1.0, -1.0, 2.0, 2.0])
    floats = Data(edge_index=both, x=torch.rand(3, 2, generator=draw), edge_attr=values, y=torch.tensor(3))
    endless = torch.tensor([[1.0, float("inf")]])
    two_ways = Data(edge_index=both, num_nodes=3, edge_attr=torch.arange(6), y=torch.tensor([[1, 2, 3]]))
    return {
        "bare": [Data(edge_index=both, num_nodes=n, y=torch.tensor([n / 2])) for n in (3, 5)],
        "directed": [Data(edge_index=one, num_nodes=3, y=torch.tensor([0]))] * 2,
        "one number": [Data(edge_index=both, x=torch.tensor([[4], [9], [4]]), y=endless)] * 2,
        "floats": [floats] * 2,
        "no edges": [
            Data(edge_index=torch.empty(2, 0, dtype=torch.long), x=torch.tensor([[1]]), y=torch.tensor([1.0])),
            Data(edge_index=both, x=three, y=torch.tensor([2.0])),
        ],
        "two ways": [two_ways] * 2,
    }


@pytest.mark.parametrize("kind", lists())
def test_any_list_there_and_back(kind, tmp_path):
    graphs = lists()[kind]
    file = tmp_path / "graphs.parquet"
    split = {"train": [1], "valid": [], "test": torch.tensor([0])}
    written = to_gsn(graphs, file, split=split)
    assert written.path == file and list(written.files) == ["graphs.parquet"]
    back = from_gsn(file)
    for data, place in zip(graphs, back, strict=True):
        if data.y.dim() == 0:
            data = data.clone()
            data.y = data.y.view(1)
        same(data, place)
    assert {part: at.tolist() for part, at in back.get_idx_split().items()} == {"train": [1], "valid": [], "test": [0]}
    # Again from what came back.
    to_gsn(back, tmp_path / "again.parquet")
    for first, second in zip(back, from_gsn(tmp_path / "again.parquet"), strict=True):
        same(first, second)


def test_the_program_trains_on_a_list(tmp_path):
    draw = torch.Generator().manual_seed(1)
    graphs = []
    for seed in range(60):
        atoms, bonds = molecule(seed)
        index = torch.tensor(list(bonds)).T
        index = torch.cat([index, index.flip(0)], dim=1)
        x = torch.tensor(atoms).view(-1, 1)
        graphs.append(Data(edge_index=index, x=x, y=torch.rand(1, generator=draw)))
    parts = ["train"] * 40 + ["valid"] * 10 + ["test"] * 10
    split = {name: [at for at, part in enumerate(parts) if part == name] for name in set(parts)}
    file = tmp_path / "toy.parquet"
    to_gsn(graphs, file, split=split)
    settings = ["--target", "y", "--split", "column:split", "--epochs", "1"]
    done = run("train", str(file), *settings, "--out", str(tmp_path / "run"))
    assert done.returncode == 0, done.stderr


def test_changed_files_and_sidecars_are_refused(tmp_path):
    file = tmp_path / "graphs.parquet"
    to_gsn(lists()["bare"], file)
    sidecar = tmp_path / "graphs.parquet.pyg.json"
    said = json.loads(sidecar.read_text())
    sidecar.write_text(json.dumps({**said, "files": {"graphs.parquet": "0" * 64}}))
    with pytest.raises(ValueError, match="sha256 of .*graphs.parquet"):
        from_gsn(file)
    sidecar.write_text(json.dumps({**said, "files": {"gone.parquet": "0" * 64}}))
    with pytest.raises(ValueError, match="missing"):
        from_gsn(file)
    sidecar.write_text(json.dumps({**said, "format": 2}))
    with pytest.raises(ValueError, match="format 2"):
        from_gsn(file)
    sidecar.write_text("[]")
    with pytest.raises(ValueError, match="not what to_gsn writes"):
        from_gsn(file)
    # Without a sidecar it is a file like any other.
    sidecar.unlink()
    assert from_gsn(file, targets=["y"])[1].y.tolist() == [2.5]


@pytest.mark.parametrize(
    ("graphs", "words"),
    [
        ([], "no graph"),
        ([Data(num_nodes=3)], "graph 0 has no edge_index"),
        ([lists()["bare"][0], lists()["one number"][0]], "x must be on all graphs"),
        ({"training": lists()["bare"]}, "'training'"),
        ([Data(edge_index=torch.tensor([[0], [7]]), num_nodes=2)], "7"),
    ],
)
def test_lists_that_make_no_data_set(graphs, words, tmp_path):
    with pytest.raises(ValueError, match=words):
        to_gsn(graphs, tmp_path / "graphs.parquet")
    assert not (tmp_path / "graphs.parquet").exists()


def test_sets_of_the_catalogue():
    mutag = from_gsn("mutag", progress=False)
    assert (len(mutag), mutag[0].x.dtype, mutag[0].y.shape) == (188, torch.int64, (1,))
    assert [len(mutag.folds[0][part]) for part in ("train", "valid", "test")] == [170, 0, 18]
    with pytest.raises(ValueError, match="10 folds"):
        mutag.get_idx_split()
    with pytest.raises(ValueError, match="did you mean MUTAG"):
        from_gsn("MUTGA")
    with pytest.raises(ValueError, match="are for files"):
        from_gsn("MUTAG", targets=["y"])
    molecules = from_gsn("ZINC")
    assert len(molecules) == 12_000 and molecules[0].edge_attr.dim() == 1
    assert molecules[0].y.dtype == torch.float32


def test_files_of_any_format(tmp_path):
    (tmp_path / "two.g6").write_text("Bw\nBg\n")
    graphs = from_gsn(tmp_path / "two.g6")
    assert [(g.num_nodes, g.num_edges, g.y) for g in graphs] == [(3, 6, None), (3, 4, None)]
    (tmp_path / "table.csv").write_text("smiles,p,part\nCCO,0.5,train\nc1ccccc1,,test\n")
    table = from_gsn(tmp_path / "table.csv", targets=["p"], split="part")
    assert table[0].x.flatten().tolist() == [6, 6, 8] and table[1].y.isnan().all()
    assert table.get_idx_split()["test"].tolist() == [1]
    with pytest.raises(ValueError, match="no column `q`"):
        from_gsn(tmp_path / "table.csv", targets=["q"])
    (tmp_path / "bad.csv").write_text("smiles\nC1CC\n")
    with pytest.raises(ValueError, match="row 0"):
        from_gsn(tmp_path / "bad.csv")


@needs_data
def test_the_real_zinc_there_and_back(tmp_path):
    zinc = from_gsn("ZINC", root=os.environ["GSN_DATA"])

    class Part(list):
        subset = True

    Part.__name__ = "ZINC"
    split = zinc.get_idx_split()
    parts = {name: Part(zinc[at]) for name, at in split.items()}
    written = to_gsn(parts, tmp_path)
    assert written.notes == []
    back = from_gsn("ZINC", root=tmp_path)
    for key in ("x", "edge_index", "edge_attr", "y"):
        assert torch.equal(zinc._data[key], back._data[key])


@needs_data
def test_the_real_molhiv():
    hiv = from_gsn("ogbg-molhiv", root=os.environ["GSN_DATA"])
    assert len(hiv) == 41_127 and int(hiv._data.y.sum()) == 1443
    assert hiv[0].x.shape[1] == 9 and hiv[0].edge_attr.shape[1] == 3 and hiv[0].y.shape == (1, 1)
    assert np.concatenate([at.numpy() for at in hiv.get_idx_split().values()]).size == 41_127
