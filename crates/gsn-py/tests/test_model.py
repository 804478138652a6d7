"""Models: the same bits as `gsn predict`, for every kind of input; pickle; mistakes as sentences."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from session import RINGS, SIZES, SMILES, csv_of, run

import gsn

QUICK = {"epochs": 2, "width": 8, "layers": 1, "patterns": "cycle:3..=5"}
#: Never seen in training, among them a row that is no molecule.
NEW = ["CCN", "C1CCCCC1CC", "OCCCO", "C1CC", "C1CC1C1CC1"]
#: Rows enough for intervals.
MANY = [smiles + "C" * k for k in range(10) for smiles in SMILES]


def shape(smiles: str) -> str:
    return "ring" if "1" in smiles else "chain"


@pytest.fixture(scope="module")
def models(tmp_path_factory) -> dict[str, Path]:
    """A model of every kind of task, with one and several members, with and without intervals."""
    where = tmp_path_factory.mktemp("models")
    several = {"sizes": [float(len(s)) for s in SMILES], "oxygens": [float(s.count("O")) for s in SMILES]}
    made = {
        "numbers": gsn.train(SMILES, SIZES, target="size", seeds=1, **QUICK),
        "members": gsn.train(SMILES, SIZES, target="size", seeds=3, **QUICK),
        "two": gsn.train(SMILES, several, seeds=1, **QUICK),
        "truth": gsn.train(SMILES, [ring == "ring" for ring in RINGS], target="ring", seeds=2, **QUICK),
        "classes": gsn.train(SMILES, RINGS, target="shape", seeds=1, **QUICK),
        "calibrated": gsn.train(MANY, [float(len(s)) for s in MANY], target="size", folds=3, seeds=1, **QUICK),
        "sets": gsn.train(MANY, [shape(s) for s in MANY], target="shape", folds=3, seeds=1, **QUICK),
    }
    for name, done in made.items():
        (where / f"{name}.gsn").write_bytes((done.folder / "model.gsn").read_bytes())
    return {name: where / f"{name}.gsn" for name in made}


NAMES = ["numbers", "members", "two", "truth", "classes", "calibrated", "sets"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("options", [{}, {"level": 0.8}, {"intervals": False}])
def test_the_same_bits_as_the_program(models, tmp_path, name, options):
    import pyarrow

    flags = {"level": ["--interval", "0.8"], "intervals": ["--no-interval"]}
    words = [flag for key in options for flag in flags[key]]
    model = gsn.load_model(models[name])
    csv_of(tmp_path / "new.csv", smiles=NEW)
    if "level" in options and not model.card["calibrated"]:
        run(tmp_path, "predict", models[name], "new.csv", "-o", "there.arrow", "-q", *words, code=2)
        with pytest.raises(ValueError, match="gives no intervals"):
            model.predict_table(NEW, **options)
        return
    run(tmp_path, "predict", models[name], "new.csv", "-o", "there.arrow", "-q", *words, code=1)
    there = pyarrow.ipc.open_file(tmp_path / "there.arrow").read_all()
    here = model.predict_table(NEW, errors="collect", **options)
    assert list(here) == there.column_names
    for column in there.column_names:
        expected, said = there[column].to_pylist(), here.to_arrow()[column].to_pylist()
        assert said == expected, column


def test_every_kind_of_input_gives_the_same(models, tmp_path):
    import pandas
    import polars
    import pyarrow

    model = gsn.load_model(models["members"])
    good = [smiles for smiles in NEW if smiles != "C1CC"]
    expected = model.predict(good)
    assert expected.shape == (4,) and expected.dtype == np.float64
    for data in (
        tuple(good),
        np.array(good),
        (smiles for smiles in good),
        pandas.Series(good),
        polars.Series(good),
        pyarrow.array(good),
        pyarrow.chunked_array([good[:1], good[1:]]),
        {"smiles": good},
        pandas.DataFrame({"smiles": good}),
        polars.DataFrame({"smiles": good}),
        pyarrow.table({"smiles": good}),
        csv_of(tmp_path / "good.csv", smiles=good),
        str(tmp_path / "good.csv"),
    ):
        assert (model.predict(data) == expected).all(), type(data)
    renamed = pandas.DataFrame({"structure": good})
    assert (model.predict(renamed, smiles="structure") == expected).all()
    assert model.predict(good[0]).tolist() == expected[:1].tolist()
    assert model.predict([]).shape == (0,)


def test_shapes_follow_the_task(models):
    two = gsn.load_model(models["two"]).predict(["CCO", "CC", "C"])
    assert two.shape == (3, 2)
    truth = gsn.load_model(models["truth"]).predict(["CCO", "C1CC1"])
    assert ((truth >= 0) & (truth <= 1)).all()
    classes = gsn.load_model(models["classes"])
    assert set(classes.predict(SMILES)) <= {"ring", "chain"}
    table = classes.predict_table(SMILES)
    assert np.allclose(table["shape=ring"] + table["shape=chain"], 1)


def test_rows_without_a_prediction(models):
    model = gsn.load_model(models["numbers"])
    with pytest.raises(ValueError, match=r"row 3 `C1CC`: unmatched ring closure 1 at position 4; errors='collect'"):
        model.predict(NEW)
    table = model.predict_table([*NEW, None], errors="collect")
    assert [bad.row for bad in table.rejected] == [3, 5]
    assert np.isnan(table["size"]).tolist() == [False, False, False, True, False, True]
    assert "null" in table.rejected[1].reason
    assert "never seen in training" in table["flag"][0], "nitrogen"
    assert table.to_pandas().shape == (6, len(table)) and table.to_polars().shape[0] == 6


def test_targets_judge_and_columns_are_kept(models):
    import pandas

    rows = pandas.DataFrame({"name": ["a", "b"], "smiles": ["CCO", "CCC"], "size": [0.5, 0.25]})
    table = gsn.load_model(models["numbers"]).predict_table(rows, keep=["name", "smiles"])
    assert list(table)[:4] == ["row", "name", "smiles", "size"] and table["name"].tolist() == ["a", "b"]
    assert table.judged["mae"] == pytest.approx(np.abs(table["size"] - rows["size"]).mean())


def test_a_model_tells_about_itself(models, tmp_path):
    model = gsn.load_model(models["members"])
    assert repr(model) == "Model('data', predicts size, 3 members, trained on data.arrow)"
    assert [pattern.name for pattern in model.patterns] == ["cycle:3", "cycle:4", "cycle:5"]
    assert model.card == json.loads(run(tmp_path, "info", models["members"], "--json"))
    model.save(tmp_path / "again.gsn")
    assert (tmp_path / "again.gsn").read_bytes() == models["members"].read_bytes()


def test_everything_survives_pickle(models):
    model = gsn.load_model(models["members"])
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict(SMILES) == model.predict(SMILES)).all() and again.card == model.card
    spec = gsn._gsn.Spec("cycle:3..=5,smiles:C1CC1", "arc", "subgraph", "official")
    counter = gsn._gsn.Counter(spec, 1000, 2.5)
    other = pickle.loads(pickle.dumps(counter))
    assert other.spec == spec and other.columns == counter.columns
    assert other.__getnewargs__() == counter.__getnewargs__() == (spec, 1000, 2.5)
    patterns = gsn.patterns("cycle:3..=5", orbits="official")
    assert str(pickle.loads(pickle.dumps(patterns))) == str(patterns)
    counts = gsn.count("C1CC1C", patterns="cycle:3")
    assert (pickle.loads(pickle.dumps(counts)).values == counts.values).all()
    encoder = gsn.CountEncoder().fit(counts)
    assert (pickle.loads(pickle.dumps(encoder._fitted)).encode(counts.values)[0] == encoder.transform(counts)).all()
    table = pickle.loads(pickle.dumps(model.predict_table(NEW, errors="collect")))
    assert table.rejected[0].row == 3


def test_graphs_of_every_library():
    import networkx as nx
    import torch
    from torch_geometric.data import Data

    graphs = [nx.cycle_graph(n) for n in range(3, 23)] + [nx.path_graph(n) for n in range(3, 23)]
    model = gsn.train(graphs, [graph.size() for graph in graphs], target="edges", seeds=1, **QUICK).model()
    expected = model.predict(graphs)
    indices = [np.array(graph.edges()).T for graph in graphs]
    assert (model.predict(indices) == expected).all()
    assert (model.predict([(index, int(index.max()) + 1) for index in indices]) == expected).all()
    both = [torch.tensor(np.concatenate([index, index[::-1]], axis=1)) for index in indices]
    data = [Data(edge_index=index, num_nodes=int(index.max()) + 1) for index in both]
    assert (model.predict(data) == expected).all()
    assert (model.predict(data[0]) == expected[:1]).all()
    with pytest.raises(ValueError, match=r"graph 0: x has shape \(3, 2\) and holds float32"):
        model.predict([Data(edge_index=both[0], x=torch.rand(3, 2))])


def test_labels_of_pyg_data():
    import torch
    from torch_geometric.data import Data

    ring = torch.tensor([[0, 1, 2, 1, 2, 0], [1, 2, 0, 0, 1, 2]])
    graphs = [Data(edge_index=ring, x=torch.full((3, 1), k % 2), edge_attr=torch.zeros(6, 1).long()) for k in range(40)]
    model = gsn.train(graphs, [float(k % 2) for k in range(40)], target="y", seeds=1, **QUICK).model()
    hot = Data(edge_index=ring, x=torch.eye(2)[[1, 1, 1]], edge_attr=torch.zeros(6, 1).long())
    assert (model.predict([hot]) == model.predict([graphs[1]])).all()
    assert model.predict_table([graphs[0]])["flag"][0] is None
    other = Data(edge_index=ring, x=torch.full((3, 1), 9), edge_attr=torch.zeros(6, 1).long())
    assert "never seen" in model.predict_table([other])["flag"][0]
    with pytest.raises(ValueError, match="some graphs have labels of vertices, but graph 1 has none"):
        model.predict([graphs[0], Data(edge_index=ring, num_nodes=3)])


def test_bad_files_and_options(models, tmp_path):
    data = models["numbers"].read_bytes()
    damaged = tmp_path / "damaged.gsn"
    damaged.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    with pytest.raises(ValueError, match=r"damaged.gsn: is damaged"):
        gsn.load_model(damaged)
    with pytest.raises(ValueError, match="the model: "):
        gsn.Model(b"not a model")
    model = gsn.load_model(models["calibrated"])
    with pytest.raises(ValueError, match="1.5 is no share between 0 and 1"):
        model.predict_table(["C"], level=1.5)
    with pytest.raises(ValueError, match="errors must be"):
        model.predict(["C"], errors="ignore")
    with pytest.raises(ValueError, match="there is no column `id` to keep"):
        model.predict_table({"smiles": ["C"]}, keep="id")
    with pytest.raises(ValueError, match="smiles"):
        model.predict({"molecule": ["C"]})
    with pytest.raises(TypeError, match="holds a list"):
        model.predict({"smiles": [["C"]]})
    with pytest.raises(ValueError, match="the model reads molecules"):
        model.predict([[[0, 1], [1, 2]]])
