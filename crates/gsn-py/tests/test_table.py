"""Counts beside the rows of Arrow tables, whichever library holds them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import gsn

SMILES = ["C1CC1C", "CCO", "C1CC", None, "c1ccccc1"]
GRAPHS = {
    "id": ["triangle", "path", "nothing"],
    "num_nodes": [3, 3, 0],
    "src": [[0, 1, 2], [0, 1], []],
    "dst": [[1, 2, 0], [1, 2], []],
}
RINGS = "cycle:3..=6"


def lists() -> pa.Table:
    kinds = [pa.string(), pa.int32(), pa.list_(pa.int32()), pa.large_list(pa.uint16())]
    return pa.table(GRAPHS, schema=pa.schema(list(zip(GRAPHS, kinds, strict=True))))


def test_a_row_has_its_counts_or_the_reason_why_not():
    table = pa.table({"smiles": SMILES, "weight": [1.5, 2.5, 3.5, 4.5, 5.5]})
    counted = gsn.count_table(table, RINGS).to_arrow()
    assert counted.column_names[:2] == table.column_names and counted.column_names[-1] == "error"
    for row in counted.to_pylist():
        if row["error"] is None:
            alone = gsn.count(row["smiles"], patterns=RINGS)
            assert all(row[name] == alone[name].tolist() for name in alone.columns)
        else:
            assert all(row[name] is None for name in gsn.patterns(RINGS).columns())
    assert [row["error"] is None for row in counted.to_pylist()] == [True, True, False, False, True]
    assert "null" in counted["error"][3].as_py()


@pytest.mark.parametrize("scope", ["vertex", "edge", "arc"])
def test_lists_of_any_width(scope):
    rows = gsn.count_table(lists(), "cycle:3,path:3", scope=scope).to_arrow().to_pylist()
    for at, row in enumerate(rows):
        index = np.array([GRAPHS["src"][at], GRAPHS["dst"][at]], np.int64).reshape(2, -1)
        if scope != "vertex":
            index = np.array([row["source"], row["target"]], np.int64).reshape(2, -1)
        alone = gsn.count(index, GRAPHS["num_nodes"][at], "cycle:3,path:3", scope=scope)
        assert all(row[name] == alone[name].tolist() for name in alone.columns)
        assert row["error"] is None


def every_form(table: pa.Table) -> dict:
    batches = table.to_batches()
    return {
        "table": table,
        "chunks": pa.concat_tables([table.slice(0, 2), table.slice(2)]),
        "batch": batches[0],
        "reader": pa.RecordBatchReader.from_batches(table.schema, iter(batches)),
        "generator": pa.RecordBatchReader.from_batches(table.schema, (b for b in batches)),
        "polars": pl.DataFrame(table),
        "pandas": table.to_pandas(),
    }


@pytest.mark.parametrize("form", ["table", "chunks", "batch", "reader", "generator", "polars", "pandas"])
def test_every_library_gives_the_same(form):
    for table in (pa.table({"smiles": SMILES}), lists()):
        expected = gsn.count_table(table, RINGS).to_arrow().to_pylist()
        given = every_form(table)[form]
        assert gsn.count_table(given, RINGS).to_arrow().to_pylist() == expected
        again = every_form(table)[form]
        assert gsn.count_many(again, RINGS).to_arrow().to_pylist() == expected


def test_every_library_takes_the_result():
    def counted() -> gsn.CountedTable:
        return gsn.count_table(lists(), "cycle:3")

    assert pa.table(counted()).column_names == counted().columns
    assert counted().to_polars()["cycle:3/v0"].to_list() == [[1, 1, 1], [0, 0, 0], []]
    assert pl.DataFrame(counted()).columns == counted().columns
    frame = counted().to_pandas()
    assert isinstance(frame, pd.DataFrame) and frame["cycle:3/v0"][0].tolist() == [1, 1, 1]
    assert [batch.num_rows for batch in counted()] == [3]
    assert pa.schema(counted()).names == counted().columns
    # What was counted can be counted again, by other patterns.
    twice = gsn.count_table(counted().to_arrow().drop_columns("error"), "path:3")
    assert "cycle:3/v0" in twice.columns and "path:3/v0" in twice.columns
    assert repr(twice).startswith("CountedTable(")


def test_nothing_of_the_input_is_copied():
    table = pa.table({"smiles": ["CCO"] * 20_000, "weight": np.arange(20_000.0)})
    start = table["weight"].chunk(0).buffers()[1].address
    places = []
    for batch in gsn.count_table(table, "cycle:3"):
        column = batch.column("weight")
        places.append(column.buffers()[1].address + 8 * column.offset)
    assert places == [start, start + 8 * 8192, start + 8 * 16384]


def test_a_table_is_read_once_and_only_as_far_as_it_is_asked_for():
    read = []

    def batches():
        for at in range(3):
            read.append(at)
            yield pa.record_batch({"smiles": ["C1CC1"] * 4})

    schema = pa.schema({"smiles": pa.string()})
    counted = gsn.count_table(pa.RecordBatchReader.from_batches(schema, batches()), "cycle:3")
    assert read == []
    rows = iter(counted)
    next(rows)
    assert read == [0]
    assert sum(batch.num_rows for batch in rows) == 8
    with pytest.raises(OSError, match="closed"):
        counted.to_arrow()


def test_progress_is_told_in_rows(capfd):
    rows: list[int] = []
    table = pa.table({"smiles": ["CCO"] * 20_000})
    gsn.count_table(table, "cycle:3", progress=rows.append).to_arrow()
    assert rows == [8192, 16384, 20_000]
    gsn.count_table(table, "cycle:3", progress=True).to_arrow()
    assert capfd.readouterr().err.endswith("counted 20,000 of 20,000 rows\n")

    def stop(rows: int) -> None:
        raise KeyError("enough")

    with pytest.raises(Exception, match="enough"):
        gsn.count_table(table, "cycle:3", progress=stop).to_arrow()


def test_columns_may_have_any_name():
    renamed = lists().rename_columns(["id", "n", "from", "to"])
    rows = gsn.count_table(renamed, "cycle:3", num_nodes="n", src="from", dst="to").to_arrow()
    assert rows["cycle:3/v0"].to_pylist() == [[1, 1, 1], [0, 0, 0], []]
    bad = pa.table({"n": [1], "from": [[0, 1]], "to": [[1]]})
    error = gsn.count_table(bad, "cycle:3", num_nodes="n", src="from", dst="to").to_arrow()["error"]
    assert error.to_pylist() == ["from has 2 entries and to has 1"]
    both = lists().append_column("mol", pa.array(["C1CC1", "C", "C"]))
    assert gsn.count_table(both, "cycle:3", smiles="mol").to_arrow()["cycle:3/v0"][1].as_py() == [0]
    labelled = lists().append_column("kind", pa.array([[7, 8, 7], [7, 8, 7], []]))
    found = gsn.count_table(labelled, "edges:0@7-1@7", node_labels="kind").to_arrow()
    assert found.column(5).to_pylist() == [[1, 0, 1], [0, 0, 0], []]


def test_the_schema_is_known_before_any_row():
    for scope in ("vertex", "edge", "arc"):
        schema = gsn.count_schema(lists().schema, RINGS, scope=scope)
        assert schema == gsn.count_table(lists(), RINGS, scope=scope).to_arrow().schema
        empty = gsn.count_table(lists().slice(0, 0), RINGS, scope=scope).to_arrow()
        assert (empty.schema, empty.num_rows) == (schema, 0)
    marked = pa.schema({"smiles": pa.string()}, metadata={"origin": "here"})
    assert gsn.count_schema(marked, "cycle:3").metadata == {b"origin": b"here"}
    with pytest.raises(TypeError, match="schema"):
        gsn.count_schema({"smiles": str}, "cycle:3")
    with pytest.raises(ValueError, match="smiles"):
        gsn.count_schema(pa.schema({"text": pa.string()}), "cycle:3")


@pytest.mark.parametrize(
    ("table", "error", "words"),
    [
        ([1, 2], TypeError, "list"),
        (pa.chunked_array([["CCO"]]), TypeError, "ChunkedArray"),
        (pa.table({"text": ["CCO"]}), ValueError, "smiles"),
        (pa.table({"smiles": [1, 2]}), ValueError, "text"),
        (pa.table({"num_nodes": [1]}), ValueError, "src"),
        (pa.table({"num_nodes": [1.5], "src": [[0]], "dst": [[0]]}), ValueError, "whole number"),
        (pa.table({"num_nodes": [1], "src": [[0.5]], "dst": [[0]]}), ValueError, "whole numbers"),
        (pa.table({"num_nodes": [1], "src": [0], "dst": [0]}), ValueError, "list of whole numbers"),
        (pa.table({"src": [0], "dst": [0]}), ValueError, "edge a row"),
        (pa.table({"smiles": ["C"], "error": ["none"]}), ValueError, "`error` already"),
        (pa.table({}), ValueError, "smiles"),
    ],
)
def test_bad_tables_are_errors_with_a_sentence(table, error, words):
    with pytest.raises(error, match=words):
        gsn.count_table(table, "cycle:3")


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ((-1, [], []), "num_nodes is -1"),
        ((None, [], []), "num_nodes is null"),
        ((2**62, [], []), "edges"),
        ((2**31, [0], [1]), "edges"),
        ((2, [0, None], [1, 1]), "null"),
        ((2, None, [1]), "src is null"),
        ((2, [0], [5]), "vertex 5 of only 2"),
        ((2, [-1], [0]), "vertex -1"),
        ((2, [2**40], [0]), "of only 2"),
        ((2, [0, 1], [1]), "2 entries"),
    ],
)
def test_bad_rows_spoil_nothing_but_themselves(row, words):
    kinds = {"num_nodes": pa.int64(), "src": pa.list_(pa.int64()), "dst": pa.list_(pa.int64())}
    rows = [(3, [0, 1, 2], [1, 2, 0]), row, (1, [], [])]
    table = pa.Table.from_pylist([dict(zip(kinds, r, strict=True)) for r in rows], pa.schema(kinds))
    counted = gsn.count_table(table, "cycle:3").to_arrow().to_pylist()
    assert words in counted[1]["error"] and counted[1]["cycle:3/v0"] is None
    assert [counted[0]["cycle:3/v0"], counted[2]["cycle:3/v0"]] == [[1, 1, 1], [0]]


def test_control_c_stops_a_long_table():
    code = (
        "import gsn, networkx as nx, pyarrow as pa\n"
        "ends = list(zip(*nx.gnm_random_graph(3000, 200000, seed=0).edges))\n"
        "table = pa.table({'num_nodes': [3000], 'src': [ends[0]], 'dst': [ends[1]]})\n"
        "print('ready', flush=True)\n"
        "gsn.count_table(table, 'path:10', matching='subgraph').to_arrow()\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdout=-1, stderr=-1, text=True)
    assert child.stdout is not None and child.stdout.readline() == "ready\n"
    time.sleep(1)
    os.kill(child.pid, signal.SIGINT)
    _, said = child.communicate(timeout=60)
    assert "KeyboardInterrupt" in said and child.returncode != 0
