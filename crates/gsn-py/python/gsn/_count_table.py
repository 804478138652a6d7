"""Counts beside the rows of Arrow tables, whichever library holds them.

Tables come and go through the Arrow PyCapsule interface (``__arrow_c_stream__``): no library is
needed for it, and no column of the input is copied.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from gsn import _gsn
from gsn._counts import as_text, counter, is_table

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from gsn._arrow import ArrowStream


class CountedTable:
    """The rows of a table with their counts, counted batch by batch as they are asked for.

    Anything that reads Arrow streams takes it as it is (``pyarrow.table(counted)``,
    ``polars.DataFrame(counted)``, a duckdb query), and it can be read once, as a file from front to
    back.

    >>> import gsn, pyarrow
    >>> table = pyarrow.table({"smiles": ["C1CC1C", "CCO"]})
    >>> counted = gsn.count_table(table, "cycle:3")
    >>> counted.columns
    ['smiles', 'cycle:3/v0', 'error']
    >>> pyarrow.table(counted)["cycle:3/v0"].to_pylist()
    [[1, 1, 1, 0], [0, 0, 0]]
    """

    __slots__ = ("_stream", "columns")

    def __init__(self, stream: ArrowStream, columns: list[str]) -> None:
        self._stream = stream
        #: Names of all columns: those of the input, then those of the counts, then ``error``.
        self.columns = columns

    def __arrow_c_schema__(self) -> object:
        schema: object = self._stream.__arrow_c_schema__()  # type: ignore[attr-defined]
        return schema

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._stream.__arrow_c_stream__(requested_schema)

    def __iter__(self) -> Iterator[pyarrow.RecordBatch]:
        """The record batches of pyarrow, one after the other."""
        import pyarrow

        return iter(pyarrow.RecordBatchReader.from_stream(self))

    def to_arrow(self) -> pyarrow.Table:
        """All rows as an Arrow table.

        >>> import gsn, pyarrow
        >>> table = pyarrow.table({"num_nodes": [3], "src": [[0, 1, 2]], "dst": [[1, 2, 0]]})
        >>> gsn.count_table(table, "cycle:3").to_arrow()["cycle:3/v0"].to_pylist()
        [[1, 1, 1]]
        """
        import pyarrow

        return pyarrow.RecordBatchReader.from_stream(self).read_all()

    def to_polars(self) -> polars.DataFrame:
        """All rows as a polars data frame."""
        import polars

        return polars.DataFrame(self)

    def to_pandas(self) -> pandas.DataFrame:
        """All rows as a pandas data frame; lists become numpy arrays."""
        return self.to_arrow().to_pandas()

    def __repr__(self) -> str:
        return f"CountedTable({len(self.columns)} columns: {', '.join(self.columns)})"


def count_table(
    table: Any,
    patterns: str | Iterable[str] = "cycle:3..=6",
    *,
    scope: str = "vertex",
    matching: str = "induced",
    orbits: str = "exact",
    directed: bool = False,
    budget: int | None = None,
    seconds: float | None = None,
    smiles: str | None = None,
    num_nodes: str = "num_nodes",
    src: str = "src",
    dst: str = "dst",
    node_labels: str = "node_labels",
    edge_labels: str = "edge_labels",
    progress: bool | Callable[[int], object] = False,
) -> CountedTable:
    r"""Counts patterns in the graphs of a table, a graph a row.

    A row holds a graph as a number of vertices and two lists with the ends of its edges, or as a
    SMILES. Behind the columns of the input stand, for every pattern :math:`H` and orbit :math:`o`, a
    list with :math:`x_{H,o}(v)` of all vertices :math:`v` (see :func:`count`), and ``error``: null,
    or why the row has no counts, whose lists are then null.

    Args:
        table: anything with ``__arrow_c_stream__`` or ``__arrow_c_array__``: a pyarrow table, record
            batch or reader, a polars or pandas data frame, a duckdb relation.
        patterns: what is counted; likewise ``scope``, ``matching``, ``orbits``, ``directed``,
            ``budget`` and ``seconds`` (of one graph), as in :func:`count`.
        smiles: the column with the SMILES; by default the one called so in any case, unless there
            is a column ``num_nodes``.
        num_nodes: the column with the number of vertices, integers of any width.
        src: the column with one end of every edge, lists of integers.
        dst: the column with the other end; an edge may stand there once or in both directions.
        node_labels: the column with an integer a vertex, for patterns with labels; may be missing.
        edge_labels: the column with an integer an edge; may be missing.
        progress: a function that is called with the number of rows that are counted, or true for a
            line on standard error.

    Returns:
        :class:`CountedTable`. With scope ``"vertex"`` the lists have an entry a vertex. With
        ``"edge"`` (each edge once, the smaller end first) and ``"arc"`` (each in both directions)
        lists ``source`` and ``target`` stand before the counts and say which entry is which.

    Raises:
        TypeError: it is no table.
        ValueError: a column is missing, of another type, or has a name that the counts need.

    >>> import gsn, pyarrow
    >>> table = pyarrow.table({"mol": ["C1CC1", "C1CC"]})
    >>> rows = gsn.count_table(table, "cycle:3", smiles="mol").to_arrow().to_pylist()
    >>> rows[0]["cycle:3/v0"], rows[1]["error"]
    ([1, 1, 1], 'unmatched ring closure 1 at position 4')
    """
    if not is_table(table):
        kind = type(table).__name__
        raise TypeError(
            f"a table must be an Arrow table or data frame (with __arrow_c_stream__), not {kind}"
        )
    counts = counter(as_text(patterns), scope, matching, orbits, budget, seconds)
    columns = _gsn.TableCounter(counts, smiles, directed, num_nodes, src, dst, node_labels, edge_labels)
    call = _Line(table) if progress is True else progress or None
    return CountedTable(*columns.stream(table, call))


def count_schema(
    schema: Any,
    patterns: str | Iterable[str] = "cycle:3..=6",
    *,
    scope: str = "vertex",
    matching: str = "induced",
    orbits: str = "exact",
    smiles: str | None = None,
    num_nodes: str = "num_nodes",
    src: str = "src",
    dst: str = "dst",
    node_labels: str = "node_labels",
    edge_labels: str = "edge_labels",
) -> pyarrow.Schema:
    """The schema that :func:`count_table` gives for tables of this schema, known before any row.

    Args:
        schema: a pyarrow schema, or anything else with ``__arrow_c_schema__``.
        patterns: as in :func:`count_table`; likewise all others.

    Returns:
        A ``pyarrow.Schema``: the fields of the input, a list of int64 for every column of the
        counts, and ``error``.

    Raises:
        TypeError: it is no schema.
        ValueError: as in :func:`count_table`.

    >>> import gsn, pyarrow
    >>> gsn.count_schema(pyarrow.schema({"smiles": pyarrow.string()}), "cycle:3").names
    ['smiles', 'cycle:3/v0', 'error']
    """
    if not hasattr(schema, "__arrow_c_schema__"):
        kind = type(schema).__name__
        raise TypeError(f"a schema must be an Arrow schema (with __arrow_c_schema__), not {kind}")
    import pyarrow

    counts = counter(as_text(patterns), scope, matching, orbits)
    columns = _gsn.TableCounter(counts, smiles, False, num_nodes, src, dst, node_labels, edge_labels)
    return pyarrow.schema(columns.schema(schema))


class _Line:
    """A line on standard error that says how many rows are counted."""

    def __init__(self, table: Any) -> None:
        rows = getattr(table, "num_rows", None)
        if rows is None and hasattr(table, "__len__"):
            rows = len(table)
        self.of = f" of {rows:,}" if isinstance(rows, int) else ""

    def __call__(self, rows: int) -> None:
        done = f"counted {rows:,}{self.of} rows"
        sys.stderr.write(f"\r{done}" + ("\n" if done == f"counted {rows:,} of {rows:,} rows" else ""))
        sys.stderr.flush()
