"""Ray with two workers gives what one process gives, also when a worker is killed."""

from __future__ import annotations

import doctest
import os
from pathlib import Path
from typing import Any

import pytest
from inputs import PATTERNS, SMILES, expected, large_edges, random_graphs

import gsn
import gsn.ray

Ray = Any
COLUMNS = {"num_nodes": "n", "src": "from", "dst": "to"}


def collected(ds: Any, names: list[str]) -> dict[int, Any]:
    rows = ds.take_all()
    return {row["key"]: None if row["error"] else [list(row[name]) for name in names] for row in rows}


def graphs(ray: Ray, number: int = 60) -> tuple[list[dict[str, Any]], Any]:
    import pyarrow as pa

    rows = random_graphs(number)
    lists = pa.list_(pa.int64())
    schema = pa.schema([("key", pa.int64()), ("n", pa.int64()), ("from", lists), ("to", lists)])
    return rows, ray.data.from_arrow(pa.Table.from_pylist(rows, schema)).repartition(4)


def test_counts_are_those_of_one_process(local_ray: Ray) -> None:
    rows, ds = graphs(local_ray)
    counted = gsn.ray.count(ds, PATTERNS, **COLUMNS, batch_size=7)
    names = gsn.patterns(PATTERNS).columns("vertex")
    assert collected(counted, names) == expected(rows)


def test_smiles(local_ray: Ray) -> None:
    ds = local_ray.data.from_items([{"key": at, "smiles": text} for at, text in enumerate(SMILES)])
    for row in gsn.ray.count(ds, PATTERNS, scope="arc").take_all():
        text = SMILES[row["key"]]
        if text in ("xyz", "C1CC", None):
            assert row["error"] and row["source"] is None
        else:
            one = gsn.count([row["source"], row["target"]], patterns=PATTERNS, scope="arc")
            assert list(row["cycle:6/a0"]) == one["cycle:6/a0"].tolist()


def test_a_killed_worker_changes_nothing(local_ray: Ray, tmp_path: Path) -> None:
    rows, ds = graphs(local_ray, 200)
    marker = str(tmp_path / "killed")

    def bomb(table: Any) -> Any:
        import signal

        if 50 in table.column("key").to_pylist():
            try:
                os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                pass
            else:
                os.kill(os.getpid(), signal.SIGKILL)
        return table

    # Fused with the count, so that it is its worker that is killed.
    ds = ds.map_batches(bomb, batch_format="pyarrow", batch_size=16, num_cpus=1)
    counted = gsn.ray.count(ds, PATTERNS, **COLUMNS, batch_size=16)
    names = gsn.patterns(PATTERNS).columns("vertex")
    assert collected(counted, names) == expected(rows)
    assert os.path.exists(marker)


def test_one_graph_in_parts(local_ray: Ray, large_graph: Path) -> None:
    patterns = "cycle:3..=5,clique:4,star:3"
    counted = gsn.ray.count_graph(large_graph, patterns, parts=5)
    one = gsn.count(*large_edges(), patterns)
    found = {row["vertex"]: [row[name] for name in one.columns] for row in counted.take_all()}
    assert found == dict(enumerate(one.values.tolist()))


def test_predictions_are_those_of_the_program(local_ray: Ray, model: Path, predicted: dict[str, Any]) -> None:
    ds = local_ray.data.from_items([{"smiles": text} for text in predicted]).repartition(2)
    found = gsn.ray.predict(ds, model).take_all()
    assert len(found) == len(predicted)
    for row in found:
        wanted = predicted[row["smiles"]]
        assert {name: row[name] for name in wanted} == wanted


def test_mistakes_are_told_before_anything_runs(local_ray: Ray) -> None:
    ds = local_ray.data.from_items([{"molecule": "CCO", "error": 1}])
    with pytest.raises(ValueError, match="no column 'num_nodes'"):
        gsn.ray.count(ds)
    with pytest.raises(ValueError, match="column 'error' already"):
        gsn.ray.count(ds, smiles="molecule")


def test_examples(local_ray: Ray) -> None:
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    tried = doctest.testmod(gsn.ray, optionflags=flags)
    assert tried.attempted and not tried.failed
