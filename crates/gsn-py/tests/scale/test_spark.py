"""Spark with several workers gives what one process gives, also when workers are killed."""

from __future__ import annotations

import doctest
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from inputs import PATTERNS, SMILES, expected, large_edges, random_graphs

import gsn
import gsn.spark

Spark = Any
COLUMNS = {"num_nodes": "n", "src": "from", "dst": "to"}
SCHEMA = "key long, n long, `from` array<long>, `to` array<long>"


def graphs(spark: Spark, number: int = 60, partitions: int = 4) -> tuple[list[dict[str, Any]], Any]:
    rows = random_graphs(number)
    df = spark.createDataFrame([tuple(row.values()) for row in rows], SCHEMA)
    return rows, df.repartition(partitions, "key")


def collected(df: Any, names: list[str]) -> dict[int, Any]:
    """Counts by key, a list a column; ``None`` where there is an error."""
    return {row["key"]: None if row["error"] else [row[name] for name in names] for row in df.collect()}


@pytest.mark.parametrize("scope", ["vertex", "arc"])
def test_counts_are_those_of_one_process(spark: Spark, scope: str) -> None:
    rows, df = graphs(spark)
    counted = gsn.spark.count(df, PATTERNS, scope=scope, **COLUMNS)
    names = gsn.patterns(PATTERNS).columns(scope)
    assert counted.columns[:4] == df.columns and counted.columns[-1] == "error"
    found = counted.collect()
    assert len(found) == len(rows)
    by_key = {row["key"]: row for row in rows}
    for row in found:
        broken = row["key"] % 7 == 3
        assert (row["error"] is not None) == broken
        if broken:
            assert row[names[0]] is None
            assert str(by_key[row["key"]]["n"]) in row["error"]
            continue
        index = [row["from"], row["to"]]
        if scope == "arc":
            index = [row["source"], row["target"]]
        one = gsn.count(index, row["n"], PATTERNS, scope=scope)
        assert [row[name] for name in names] == one.values.T.tolist()


def test_smiles(spark: Spark) -> None:
    df = spark.createDataFrame([(at, text) for at, text in enumerate(SMILES)], "key long, molecule string")
    counted = gsn.spark.count(df, PATTERNS, smiles="molecule")
    for row in counted.collect():
        text = SMILES[row["key"]]
        if text in ("xyz", "C1CC", None):
            assert row["error"] and row["cycle:3/v0"] is None
        else:
            assert row["error"] is None
            assert row["cycle:3/v0"] == gsn.count(text, patterns=PATTERNS)["cycle:3/v0"].tolist()


def test_balanced_rows_are_the_same_and_spread(spark: Spark) -> None:
    from pyspark.sql import functions as F

    rows, df = graphs(spark, 120)
    steps = [(v, (v + step) % 300) for v in range(300) for step in range(1, 6)]
    circulant = (300, [u for u, _ in steps], [v for _, v in steps])
    heavy = [(1000 + at, *circulant) for at in range(8)]
    all_rows = [*heavy, *(tuple(row.values()) for row in rows)]
    uneven = spark.createDataFrame(spark.sparkContext.parallelize(all_rows, 4), SCHEMA)
    plain = gsn.spark.count(uneven, PATTERNS, **COLUMNS, balance=False)
    balanced = gsn.spark.count(uneven, PATTERNS, **COLUMNS)
    names = gsn.patterns(PATTERNS).columns("vertex")
    assert collected(plain, names) == collected(balanced, names)
    places = {
        row["key"]: row["at"] for row in balanced.select("key", F.spark_partition_id().alias("at")).collect()
    }
    assert len({at for key, at in places.items() if key >= 1000}) > 1
    assert max(at for key, at in places.items() if key >= 1000) < min(at for key, at in places.items() if key < 1000)
    even = gsn.spark.count(df.repartition(4, "key"), PATTERNS, **COLUMNS)
    assert "RepartitionById" not in even._jdf.queryExecution().toString()  # nothing to gain: rows stay


def bomb(marker: str, target: str) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Rows as they are, but the first worker that has passed a batch on takes others with it."""

    def parent(pid: int) -> int:
        return int(Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()[1])

    def work(batches: Iterator[Any]) -> Iterator[Any]:
        import signal

        for at, batch in enumerate(batches):
            if at == 1:
                try:
                    os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
                except FileExistsError:
                    pass
                else:
                    daemon = os.getppid()
                    if target == "executor":
                        os.kill(parent(daemon), signal.SIGKILL)
                    for entry in Path("/proc").iterdir():
                        # All Python workers of this executor: this one, and the one that counts.
                        if entry.name.isdigit() and int(entry.name) != os.getpid():
                            try:
                                if parent(int(entry.name)) == daemon:
                                    os.kill(int(entry.name), signal.SIGKILL)
                            except (FileNotFoundError, ProcessLookupError):
                                pass
                    os.kill(os.getpid(), signal.SIGKILL)
            yield batch

    return work


@pytest.mark.parametrize("target", ["python workers", "executor"])
def test_killed_workers_change_nothing(spark: Spark, tmp_path: Path, target: str) -> None:
    rows, df = graphs(spark, 200)
    marker = tmp_path / "killed"
    df = df.mapInArrow(bomb(str(marker), target), df.schema)
    counted = gsn.spark.count(df, PATTERNS, **COLUMNS, balance=False)
    names = gsn.patterns(PATTERNS).columns("vertex")
    found = collected(counted, names)
    assert marker.exists()
    assert found == expected(rows)


@pytest.mark.parametrize("scope", ["vertex", "arc"])
def test_one_graph_in_parts(spark: Spark, large_graph: Path, scope: str) -> None:
    patterns = "cycle:3..=5,clique:4,star:3"
    counted = gsn.spark.count_graph(spark, large_graph, patterns, scope=scope, parts=7)
    index, order = large_edges()
    one = gsn.count(index, order, patterns, scope=scope)
    names = one.columns
    keys = ["vertex"] if scope == "vertex" else ["source", "target"]
    found = {tuple(row[key] for key in keys): [row[name] for name in names] for row in counted.collect()}
    wanted = zip(*(one.keys()[key].tolist() for key in keys), strict=True)
    assert found == dict(zip(wanted, one.values.tolist(), strict=True))


def test_predictions_are_those_of_the_program(spark: Spark, model: Path, predicted: dict[str, Any]) -> None:
    df = spark.createDataFrame([(text,) for text in predicted], ["smiles"]).repartition(3)
    found = gsn.spark.predict(df, model).collect()
    assert len(found) == len(predicted)
    for row in found:
        wanted = predicted[row["smiles"]]
        assert {name: row[name] for name in wanted} == wanted


def test_mistakes_are_told_before_anything_runs(spark: Spark, tmp_path: Path) -> None:
    df = spark.createDataFrame([("CCO", 1)], ["molecule", "error"])
    with pytest.raises(ValueError, match="no column 'num_nodes'; the columns are molecule, error"):
        gsn.spark.count(df)
    with pytest.raises(ValueError, match="column 'error' already"):
        gsn.spark.count(df, smiles="molecule")
    with pytest.raises(ValueError, match="cycle:2"):
        gsn.spark.count(df.drop("error"), "cycle:2", smiles="molecule")
    with pytest.raises(ValueError, match="parts must be at least 1"):
        gsn.spark.count_graph(spark, "graph.arrow", parts=0)
    nothing = tmp_path / "nothing.gsn"
    nothing.write_bytes(b"no model")
    with pytest.raises(ValueError):
        gsn.spark.predict(df, nothing, smiles="molecule")


def test_examples(spark: Spark) -> None:
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    tried = doctest.testmod(gsn.spark, optionflags=flags)
    assert tried.attempted and not tried.failed


def test_training_by_spark(spark: Spark, molecules: Path, tmp_path: Path) -> None:
    """The script that torchrun starts, started in tasks of Spark: the same weights."""
    from pyspark.ml.torch.distributor import TorchDistributor
    from test_train_ddp import SCRIPT, options, torchrun, weights

    torchrun(2, options(molecules, tmp_path / "torchrun"))
    spark_options = [str(option) for option in options(molecules, tmp_path / "spark")]
    TorchDistributor(num_processes=2, local_mode=False, use_gpu=False).run(str(SCRIPT), *spark_options)
    one, other = weights(tmp_path / "torchrun"), weights(tmp_path / "spark")
    assert all((one[name] == other[name]).all() for name in one)
