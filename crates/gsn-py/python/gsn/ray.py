"""Counts and predictions on Ray: record batches go to the workers by ``map_batches``.

The package must be installed where the workers run. Bad rows end nothing: their reason stands in
the column ``error``. Ray hands out blocks as workers get free, so rows that differ in cost need
nothing but blocks that are not too large (``ds.repartition``).
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from gsn._engines import CountTask, Input, PartTask, PredictTask, refuse_taken

if TYPE_CHECKING:
    import pyarrow as pa
    from ray.data import Dataset

__all__ = ["count", "count_graph", "predict"]


def count(
    ds: Dataset,
    patterns: str | Iterable[str] = "cycle:3..=6",
    *,
    scope: str = "vertex",
    matching: str = "induced",
    orbits: str = "exact",
    directed: bool = False,
    smiles: str | None = None,
    num_nodes: str = "num_nodes",
    src: str = "src",
    dst: str = "dst",
    budget: int | None = None,
    seconds: float | None = None,
    batch_size: int | None = 4096,
) -> Dataset:
    """Counts patterns in the graph of every row, as :func:`gsn.spark.count` does.

    Args:
        ds: a graph a row: a column of SMILES, or a number of vertices and two lists with the ends of
            the edges.
        patterns: as in :func:`gsn.count`; likewise ``scope``, ``matching``, ``orbits``, ``directed``.
        smiles: the column of SMILES; by default ``smiles`` if there is no column ``num_nodes``.
        num_nodes: the column of numbers of vertices; likewise ``src`` and ``dst`` of lists of ends.
        budget: steps a graph may take; likewise ``seconds``.
        batch_size: rows that are counted together.

    Returns:
        The same rows and columns, behind them lists of counts and ``error``.

    Raises:
        ValueError: a column is missing or has a name that is needed, or a pattern is none.

    >>> import ray
    >>> import gsn.ray
    >>> molecules = ray.data.from_items([{"smiles": "C1CC1C"}, {"smiles": "xyz"}])
    >>> for row in gsn.ray.count(molecules, "cycle:3").take_all():
    ...     print(row["cycle:3/v0"], row["error"])
    [1, 1, 1, 0] None
    None unexpected character at position 0
    """
    there = _names(ds)
    task = CountTask.new(
        patterns, scope, matching, orbits, directed, budget, seconds, Input.find(there, smiles, (num_nodes, src, dst))
    )
    refuse_taken(there, [*task.lists, "error"])
    return _apply(ds, task, batch_size)


def predict(
    ds: Dataset,
    model: str | os.PathLike[str] | bytes,
    *,
    smiles: str | None = None,
    num_nodes: str = "num_nodes",
    src: str = "src",
    dst: str = "dst",
    batch_size: int | None = 4096,
) -> Dataset:
    """Predicts for the graph of every row, with the same bits as ``gsn predict``.

    Args:
        ds: as in :func:`count`, with the columns beside the graph that the model reads, if any.
        model: a ``.gsn`` file, or its bytes; they are sent to the workers.
        smiles: the column of SMILES; likewise ``num_nodes``, ``src``, ``dst``.
        batch_size: rows that are predicted together; the numbers do not depend on it.

    Returns:
        The same rows and columns, behind them those of ``gsn predict`` and ``error``.

    Raises:
        ValueError: the file is no model, or a column is missing or has a name that is needed.

    .. code-block:: python

        predicted = gsn.ray.predict(ray.data.read_parquet("molecules"), "run/model.gsn")
    """
    there = _names(ds)
    task = PredictTask.new(model, Input.find(there, smiles, (num_nodes, src, dst)))
    refuse_taken(there, [*(name for name, _ in task.predictor().columns()), "error"])
    return _apply(ds, task, batch_size)


def count_graph(
    path: str | os.PathLike[str],
    patterns: str | Iterable[str] = "cycle:3..=6",
    *,
    parts: int = 32,
    scope: str = "vertex",
    matching: str = "induced",
    orbits: str = "exact",
    directed: bool = False,
    budget: int | None = None,
    seconds: float | None = None,
) -> Dataset:
    """Counts patterns in one large graph, the work cut into parts, as :func:`gsn.spark.count_graph` does.

    Args:
        path: an Arrow file with one graph, as ``gsn convert graph.txt graph.arrow`` writes it, or any
            other file with one graph, at a place that every worker can read.
        patterns: as in :func:`gsn.count`; likewise ``scope``, ``matching``, ``orbits``, ``directed``.
        parts: pieces of work; some times the number of processors.
        budget: steps a part may take; likewise ``seconds``.

    Returns:
        A row a vertex (``vertex``), edge or arc (``source`` and ``target``), in their order, and a
        column for every pattern and orbit.

    Raises:
        ValueError: a pattern is none, or there are less than one part.
    """
    import ray

    task = PartTask.new(path, CountTask.new(patterns, scope, matching, orbits, directed, budget, seconds), parts)
    keys, counts = task.count.keys, task.count.counts

    def work(table: pa.Table) -> pa.Table:
        import pyarrow as pa

        return pa.Table.from_batches([task(part) for part in table.column("id").to_pylist()])

    numbers = ray.data.range(parts, override_num_blocks=parts)
    partial = numbers.map_batches(work, batch_format="pyarrow", batch_size=1, num_cpus=1)
    sums = partial.groupby(keys).sum(counts)
    named: Dataset = sums.rename_columns({f"sum({name})": name for name in counts})
    return named


def _names(ds: Dataset) -> list[str]:
    schema = ds.schema()
    if schema is None:
        raise ValueError("the dataset has neither rows nor columns")
    return list(schema.names)


def _apply(ds: Dataset, task: CountTask | PredictTask, batch_size: int | None) -> Dataset:
    """A task as ``map_batches`` wants it."""

    def work(table: pa.Table) -> pa.Table:
        import pyarrow as pa

        batches = table.combine_chunks().to_batches() or [pa.RecordBatch.from_pylist([], schema=table.schema)]
        return pa.Table.from_batches([task(batch) for batch in batches])

    return ds.map_batches(work, batch_format="pyarrow", batch_size=batch_size, zero_copy_batch=True, num_cpus=1)
