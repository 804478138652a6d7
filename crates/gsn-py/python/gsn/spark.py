"""Counts and predictions on Spark 4: record batches go to the workers by ``mapInArrow``.

The package must be installed where the executors run. Bad rows end nothing: their reason stands in
the column ``error``. Spark promises no order of rows; keep a column that tells them apart.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from gsn._engines import CountTask, Input, PartTask, PredictTask, refuse_taken

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame, SparkSession

__all__ = ["count", "count_graph", "predict"]

#: A partition that is predicted to take this many times the mean is worth moving rows for.
UNEVEN = 1.5


def count(
    df: DataFrame,
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
    balance: bool | None = None,
) -> DataFrame:
    """Counts patterns in the graph of every row; the formula is that of :func:`gsn.count`.

    Args:
        df: a graph a row: a column of SMILES, or a number of vertices and two lists with the ends of
            the edges; ``node_labels`` and ``edge_labels`` beside these are read as well.
        patterns: as in :func:`gsn.count`; likewise ``scope``, ``matching``, ``orbits``, ``directed``.
        smiles: the column of SMILES; by default ``smiles`` if there is no column ``num_nodes``.
        num_nodes: the column of numbers of vertices.
        src: the column of lists of sources.
        dst: the column of lists of targets.
        budget: steps a graph may take; likewise ``seconds``.
        balance: whether rows are moved so that no task has much more work than the others, by the
            prediction vertices · (mean degree)^(largest pattern − 1), the heaviest rows first. It takes
            one look at the sizes of all graphs and one shuffle. By default SMILES stay where they are,
            since molecules differ little, and graphs are looked at and moved if some partition is
            predicted to take more than one and a half times the mean.

    Returns:
        The same rows and columns. Behind them a list of numbers for every column of counts, one a
        vertex, edge or arc; before these the lists ``source`` and ``target`` where edges or arcs are
        counted; and ``error``, which says why a row has no counts.

    Raises:
        ValueError: a column is missing or has a name that is needed, or a pattern is none.

    >>> from pyspark.sql import SparkSession
    >>> import gsn.spark
    >>> spark = SparkSession.builder.master("local[2]").getOrCreate()
    >>> molecules = spark.createDataFrame([("C1CC1C",), ("xyz",)], ["smiles"])
    >>> for row in gsn.spark.count(molecules, "cycle:3").sort("smiles").collect():
    ...     print(row["cycle:3/v0"], row["error"])
    [1, 1, 1, 0] None
    None unexpected character at position 0
    """
    from pyspark.sql import types as T

    columns = Input.find(df.columns, smiles, (num_nodes, src, dst))
    task = CountTask.new(patterns, scope, matching, orbits, directed, budget, seconds, columns)
    refuse_taken(df.columns, [*task.lists, "error"])
    if balance or (balance is None and columns.smiles is None):
        df = _balanced(df, task, always=bool(balance))
    lists = [T.StructField(name, T.ArrayType(T.LongType())) for name in task.lists]
    schema = T.StructType([*df.schema.fields, *lists, T.StructField("error", T.StringType())])
    return df.mapInArrow(_each(task), schema)


def predict(
    df: DataFrame,
    model: str | os.PathLike[str] | bytes,
    *,
    smiles: str | None = None,
    num_nodes: str = "num_nodes",
    src: str = "src",
    dst: str = "dst",
) -> DataFrame:
    """Predicts for the graph of every row, with the same bits as ``gsn predict``.

    Args:
        df: as in :func:`count`, with the columns beside the graph that the model reads, if any.
        model: a ``.gsn`` file, or its bytes; they are sent to the workers.
        smiles: the column of SMILES; likewise ``num_nodes``, ``src``, ``dst``.

    Returns:
        The same rows and columns, behind them those of ``gsn predict``: for a target ``T`` the column
        ``T``, and ``T_spread``, ``T_low``, ``T_high``, ``T_set`` where the model gives them, ``flag`` and
        ``error``.

    Raises:
        ValueError: the file is no model, or a column is missing or has a name that is needed.

    .. code-block:: python

        predicted = gsn.spark.predict(spark.read.parquet("molecules"), "run/model.gsn")
    """
    from pyspark.sql import types as T

    task = PredictTask.new(model, Input.find(df.columns, smiles, (num_nodes, src, dst)))
    columns = task.predictor().columns()
    refuse_taken(df.columns, [*(name for name, _ in columns), "error"])
    added = [T.StructField(name, T.DoubleType() if number else T.StringType()) for name, number in columns]
    schema = T.StructType([*df.schema.fields, *added, T.StructField("error", T.StringType())])
    return df.mapInArrow(_each(task), schema)


def count_graph(
    spark: SparkSession,
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
) -> DataFrame:
    r"""Counts patterns in one large graph, the work cut into parts.

    Every occurrence has one root, roots are cut into ranges of about equal predicted cost, and the
    counts of all ranges are added up:

    .. math:: x_{H,o}(v) = \sum_{r \in \text{roots}} \#\{S \text{ of root } r : v \text{ plays the role } o\}

    Every worker process maps the file and builds the graph once, whatever the number of parts; what
    a kernel finds out about the graph as a whole is found out in every part. Formulas for small
    patterns do most of their work there and gain little.

    Args:
        spark: the session.
        path: an Arrow file with one graph, as ``gsn convert graph.txt graph.arrow`` writes it, or any
            other file with one graph, at a place that every executor can read.
        patterns: as in :func:`gsn.count`; likewise ``scope``, ``matching``, ``orbits``, ``directed``.
        parts: pieces of work; some times the number of processors.
        budget: steps a part may take; likewise ``seconds``.

    Returns:
        A row a vertex (``vertex``), edge or arc (``source`` and ``target``), in no order, and a column
        for every pattern and orbit.

    Raises:
        ValueError: a pattern is none, or there are less than one part. What is wrong with the graph
            is an error of the job.
    """
    from pyspark.sql import functions as F
    from pyspark.sql import types as T

    task = PartTask.new(path, CountTask.new(patterns, scope, matching, orbits, directed, budget, seconds), parts)
    keys, counts = task.count.keys, task.count.counts
    schema = T.StructType([T.StructField(name, T.LongType()) for name in [*keys, *counts]])

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for part in batch.column(0).to_pylist():
                yield task(part)

    partial = spark.range(0, parts, 1, parts).mapInArrow(work, schema)
    sums = [F.sum(F.col(f"`{name}`")).alias(name) for name in counts]
    return partial.groupBy(*keys).agg(*sums)


def _each(task: CountTask | PredictTask) -> Any:
    """A task as ``mapInArrow`` wants it."""

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield task(batch)

    return work


def _cost(task: CountTask) -> Column:
    """Predicted steps of a row: vertices · (mean degree)^(largest pattern − 1)."""
    from pyspark.sql import functions as F

    assert task.input is not None
    if task.input.smiles:
        return F.coalesce(F.length(task.input.smiles), F.lit(1)).cast("double")
    num_nodes, src, _ = task.input.graph
    vertices = F.greatest(F.coalesce(F.col(num_nodes), F.lit(1)), F.lit(1)).cast("double")
    ends = F.coalesce(F.size(src), F.lit(0)).cast("double")
    return vertices * F.pow(F.greatest(ends / vertices, F.lit(2.0)), float(task.largest - 1))


def _balanced(df: DataFrame, task: CountTask, always: bool) -> DataFrame:
    """The rows dealt out by predicted cost, if some partition has much more of it than others.

    Rows of about equal cost form a class; a class gets partitions by its share of all cost, the
    heaviest the first ones, which Spark starts first. The class and a hash of the row say where it
    goes, so a lost partition is made again as it was.
    """
    from pyspark.sql import functions as F
    from pyspark.sql import types as T

    cost = _cost(task)
    level = F.floor(F.log2(cost)).cast("int")
    sizes = df.groupBy(F.spark_partition_id().alias("at"), level.alias("level"))
    found = sizes.agg(F.sum(cost).alias("cost"), F.count("*").alias("rows")).collect()
    if not found:
        return df
    loads: dict[int, float] = {}
    levels: dict[int, tuple[float, int]] = {}
    for at, of, load, rows in found:
        loads[at] = loads.get(at, 0.0) + load
        before = levels.get(of, (0.0, 0))
        levels[of] = (before[0] + load, before[1] + rows)
    total = sum(loads.values())
    if not always and max(loads.values()) <= UNEVEN * total / len(loads):
        return df
    partitions = 4 * max(len(loads), 2)
    first, number = F.lit(0), F.lit(1)
    start = 0
    for of, (load, rows) in sorted(levels.items(), reverse=True):
        width = max(1, min(rows, round(partitions * load / total)))
        first = F.when(level == of, F.lit(start)).otherwise(first)
        number = F.when(level == of, F.lit(width)).otherwise(number)
        start += width
    hashable = [f"`{f.name}`" for f in df.schema.fields if not isinstance(f.dataType, (T.MapType, T.VariantType))]
    place = first + F.pmod(F.xxhash64(*hashable), number).cast("int")
    return df.repartitionById(start, place)
