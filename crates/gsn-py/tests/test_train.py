"""Training: every kind of data gives the same bits as the program, runs stop and go on, mistakes are sentences."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import numpy as np
import pytest
from session import RINGS, SIZES, SMILES, csv_of, run

import gsn

#: Small enough for a test.
QUICK = {"epochs": 2, "width": 8, "layers": 1, "seeds": 1, "patterns": "cycle:3..=5"}
FLAGS = ["--epochs", "2", "--width", "8", "--layers", "1", "--seeds", "1", "--patterns", "cycle:3..=5"]


def weights(folder: Path) -> dict[str, bytes]:
    """The weights of every unit, without the card, which names the file of the data."""
    from gsn import _modelfile

    units = sorted((folder / "units").iterdir())
    members = {unit.name: _modelfile.read(unit / "model.gsn").members[0] for unit in units}
    return {f"{unit}.{k}": v.tobytes() for unit, one in members.items() for k, v in one.tensors.items()}


@pytest.fixture(scope="module")
def by_program(tmp_path_factory):
    """The program's run on the same rows as a CSV file."""
    where = tmp_path_factory.mktemp("program")
    csv_of(where / "sizes.csv", smiles=SMILES, size=SIZES)
    run(where, "train", "sizes.csv", "--target", "size", *FLAGS, "--out", "run", "-q")
    return where / "run"


def kinds_of_data(where: Path):
    import pandas
    import polars
    import pyarrow

    columns = {"smiles": SMILES, "size": SIZES}
    return {
        "mapping": columns,
        "pandas": pandas.DataFrame(columns, index=range(100, 140)),
        "categories": pandas.DataFrame(columns).astype({"smiles": "category"}),
        "polars": polars.DataFrame(columns),
        "arrow": pyarrow.table(columns),
        "batch": pyarrow.RecordBatch.from_pydict(columns),
        "path": csv_of(where / "rows.csv", **columns),
    }


@pytest.mark.parametrize("kind", ["mapping", "pandas", "categories", "polars", "arrow", "batch", "path"])
def test_every_table_trains_the_same_network_as_the_program(by_program, tmp_path, kind):
    data = kinds_of_data(tmp_path)[kind]
    done = gsn.train(data, target="size", out=tmp_path / "run", **QUICK)
    assert weights(done.folder) == weights(by_program)
    said, expected = done.predictions(), gsn.Run(by_program).predictions()
    assert (said["size_predicted"] == expected["size_predicted"]).all()
    assert done.test == gsn.Run(by_program).test


def test_lists_train_the_same_network(by_program):
    done = gsn.train(SMILES, SIZES, target="size", **QUICK)
    assert weights(done.folder) == weights(by_program)
    done = gsn.train(np.array(SMILES), {"size": np.array(SIZES)}, **QUICK)
    assert weights(done.folder) == weights(by_program)


def test_pandas_without_pyarrow(by_program, tmp_path):
    """`pip install graphgsn pandas` is enough."""
    script = f"""
import sys; sys.modules["pyarrow"] = None
import pandas, gsn
rows = pandas.DataFrame({{"smiles": {SMILES!r}, "size": {SIZES!r}}})
gsn.train(rows, target="size", out="run", epochs=2, width=8, layers=1, seeds=1, patterns="cycle:3..=5")
"""
    done = subprocess.run([os.sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert weights(tmp_path / "run") == weights(by_program)


def test_a_recipe_is_the_same_run_as_the_program_s(tmp_path):
    changes = {"training.steps-per-epoch": 3, "training.batch": 64}
    done = gsn.train("mutag-gsn-e", epochs=2, set=changes, out=tmp_path / "here")
    settings = ["--set", "training.steps-per-epoch=3", "--set", "training.batch=64"]
    run(tmp_path, "train", "mutag-gsn-e", "--epochs", "2", *settings, "--out", "there", "-q")
    for name in ("results.json", "metrics.jsonl", "model.gsn", "recipe.toml"):
        assert (tmp_path / "here" / name).read_bytes() == (tmp_path / "there" / name).read_bytes(), name
    assert done.results["published"]["mean"] > 0.9


def test_graphs_with_labels_train():
    import networkx as nx

    graphs, targets = [], []
    for n in range(3, 23):
        for make in (nx.cycle_graph, nx.path_graph):
            graph = make(n)
            nx.set_node_attributes(graph, n % 2, "label")
            graphs.append(graph)
            targets.append(make is nx.cycle_graph)
    done = gsn.train(graphs, targets, target="cyclic", **QUICK)
    assert done.results["metric"] == "roc-auc"
    said = done.model().predict_table([graphs[0], graphs[1]])
    assert said.rows == 2 and all(flag is None for flag in said["flag"])
    strange = nx.cycle_graph(4)
    nx.set_node_attributes(strange, 7, "label")
    assert "never seen" in done.model().predict_table([strange])["flag"][0]


def test_a_run_tells_what_it_did():
    events = []
    options = {**QUICK, "seeds": 2, "folds": 3, "repeats": 1}
    done = gsn.train(SMILES, RINGS, target="shape", progress=events.append, **options)
    assert [e["event"] for e in events if e["event"] in ("planned", "done")] == ["planned"] + ["done"] * 6
    epochs = [e for e in events if e["event"] == "epoch"]
    assert len(epochs) == 12 and epochs[0]["epochs"] == 2 and np.isfinite(epochs[0]["train_loss"])
    history = done.history()
    assert history.rows == 12 and set(history["epoch"]) == {1, 2}
    assert set(done.metrics) == {*(f"seed-{s}-fold-{f}" for s in range(2) for f in range(3)), "ensemble"}
    assert done.test["interval95"][0] <= done.test["mean"] <= done.test["interval95"][1]
    value = done.metrics["ensemble"]["test"]["accuracy"]
    assert value["interval95"][0] <= value["value"] <= value["interval95"][1]
    assert repr(done).startswith("Run('data' on data.arrow, test accuracy")
    assert any("task" in note for note in done.notes)
    assert done.predictions().to_pandas().shape[0] == done.predictions().rows
    folder = done.folder
    assert (folder / "data.arrow").exists()
    model = done.model()
    del done
    assert not folder.exists(), "a temporary run goes with its object"
    assert len(model.card["members"]) == 6


def test_threads_and_jobs_change_nothing(by_program, tmp_path):
    done = gsn.train(SMILES, SIZES, target="size", threads=1, jobs=1, out=tmp_path / "run", **QUICK)
    assert weights(done.folder) == weights(by_program)


def test_rows_that_cannot_be_used_are_left_out_and_listed():
    import pandas

    rows = pandas.DataFrame({"smiles": [*SMILES, "C1CC", None, "CCO"], "size": [*SIZES, 1.0, 2.0, None]})
    done = gsn.train(rows, target="size", **QUICK)
    assert [bad["row"] for bad in done.rejected] == [40, 41, 42]
    assert done.rejected[0]["input"] == "C1CC" and "ring closure" in done.rejected[0]["reason"]
    assert "null" in done.rejected[1]["reason"]
    assert any("left out: 3 rows" in note for note in done.notes)


def test_a_run_that_was_stopped_goes_on_to_the_same_bits(tmp_path):
    options = {**QUICK, "epochs": 6}
    whole = gsn.train(SMILES, SIZES, target="size", out=tmp_path / "whole", **options)

    def stop(event):
        if event["event"] == "epoch" and event["epoch"] == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt, match=r"go on with gsn.train\(resume="):
        gsn.train(SMILES, SIZES, target="size", out=tmp_path / "stopped", progress=stop, **options)
    with pytest.raises(ValueError, match="holds no finished run"):
        gsn.Run(tmp_path / "stopped")
    again = gsn.train(resume=tmp_path / "stopped")
    for name in ("results.json", "metrics.jsonl", "predictions.csv"):
        assert (again.folder / name).read_bytes() == (whole.folder / name).read_bytes(), name
    assert weights(again.folder) == weights(whole.folder)


def test_ctrl_c_stops_and_leaves_a_run_that_can_go_on():
    def press(event):
        if event["event"] == "epoch" and event["epoch"] == 2:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt) as stopped:
        gsn.train(SMILES, SIZES, target="size", progress=press, **{**QUICK, "epochs": 1_000_000})
    folder = Path(str(stopped.value).split("'")[1])
    assert (folder / "recipe.toml").exists() and (folder / "data.arrow").exists()


def test_what_a_listener_raises_stops_the_run():
    def bad(event):
        raise LookupError("no")

    with pytest.raises(LookupError, match="no"):
        gsn.train(SMILES, SIZES, target="size", progress=bad, **QUICK)


def test_progress_as_lines(capsys):
    gsn.train(SMILES, SIZES, target="size", progress=True, **QUICK)
    said = capsys.readouterr().err
    assert "task: " in said and "epoch 2 of 2" in said and "done after 2 epochs" in said


def test_every_option_of_the_program_is_one_here(tmp_path):
    """Each is refused for its value or taken, never unknown."""
    text = run(tmp_path, "train", "--help")
    names = {word.strip(",") for line in text.splitlines() for word in line.split()[:2] if word.startswith("--")}
    names -= {"--help", "--version", "--json", "--quiet", "--verbose", "--save-recipe"}
    assert len(names) > 30
    for name in names:
        with pytest.raises(ValueError):
            keyword = name[2:].replace("-", "_")
            gsn.train("no-such-recipe", **{keyword: "?" if keyword not in ("set",) else {"a": 1}})


@pytest.mark.parametrize(
    ("call", "kind", "sentence"),
    [
        (lambda: gsn.train(SMILES, SIZES, epoch=3), TypeError, "there is no option 'epoch'; there is 'epochs'"),
        (lambda: gsn.train(SMILES, SIZES, seeds=0), ValueError, "invalid value '0' for `seeds`"),
        (lambda: gsn.train(SMILES), TypeError, "needs targets beside it"),
        (lambda: gsn.train(SMILES, SIZES[1:]), ValueError, "column `y` has 39 values, not 40"),
        (lambda: gsn.train(SMILES, np.zeros((40, 2, 2))), ValueError, "targets must have shape"),
        (lambda: gsn.train(SMILES, np.zeros((40, 2)), target="y"), ValueError, "2 targets, but 1 names"),
        (lambda: gsn.train({"smiles": SMILES}, target="y"), ValueError, "no column `y`"),
        (lambda: gsn.train({"smiles": SMILES, "y": SIZES}, SIZES, target="y"), TypeError, "in a column of the table"),
        (lambda: gsn.train({"smiles": SMILES, "y": [object()] * 40}), TypeError, "column `y` holds a object"),
        (lambda: gsn.train("no-such-recipe"), ValueError, "no-such-recipe"),
        (lambda: gsn.train("mutag-gsn-e", target="y"), ValueError, "a benchmark with targets"),
        (lambda: gsn.train(), TypeError, "give data, a recipe, or a run"),
        (lambda: gsn.train(SMILES, SIZES, resume="there"), ValueError, "give resume alone"),
        (lambda: gsn.train(resume="nowhere"), ValueError, "nowhere"),
        (lambda: gsn.train(resume="nowhere", epochs=3), ValueError, "cannot be combined"),
        (lambda: gsn.train(SMILES, SIZES, progress=3), TypeError, "progress is"),
        (lambda: gsn.train("mutag-gsn-e", set={"a": {1, 2}}), TypeError, "a setting is"),
        (lambda: gsn.train("mutag-gsn-e", set={"training.lrr": 1}), ValueError, "lrr"),
    ],
)
def test_mistakes_are_one_sentence(call, kind, sentence):
    with pytest.raises(kind, match=sentence.replace("(", r"\(")):
        call()


def test_a_folder_that_is_taken_is_not_touched(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(ValueError, match="is not empty"):
        gsn.train(SMILES, SIZES, out=tmp_path, **QUICK)
    assert [p.name for p in tmp_path.iterdir()] == ["mine.txt"]
