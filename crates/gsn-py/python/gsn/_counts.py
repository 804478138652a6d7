"""``count`` and ``count_many``, and what they return."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from gsn import _gsn
from gsn._graphs import Edges, IntArray, as_edges, integers

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from gsn._arrow import ArrowArray, ArrowStream
    from gsn._count_table import CountedTable


class Counts:
    """Counts of one graph: a row a vertex, edge or arc, a column a pattern and orbit.

    It is an array where one is wanted (``np.asarray(counts)``, ``torch.as_tensor(counts.values)``),
    and a table by :meth:`to_pandas`, :meth:`to_polars` and :meth:`to_arrow`.

    Attributes:
        values: int64 array of shape (rows, columns).
        columns: names of the columns, such as ``"cycle:5/v0"``.
        scope: ``"vertex"``, ``"edge"`` or ``"arc"``.

    >>> import gsn
    >>> counts = gsn.count([[0, 1, 2], [1, 2, 0]], 3, "cycle:3")
    >>> counts["cycle:3/v0"]
    array([1, 1, 1])
    """

    __slots__ = ("_edges", "columns", "scope", "values")

    def __init__(self, values: IntArray, columns: list[str], scope: str, edges: Edges) -> None:
        self.values = values
        self.columns = columns
        self.scope = scope
        self._edges = edges

    def keys(self) -> dict[str, Any]:
        """What each row is about: ``vertex``, or ``source`` and ``target``, by the caller's names.

        >>> import gsn
        >>> gsn.count([[0, 1], [1, 2]], 3, "path:3", scope="edge").keys()["target"]
        array([1, 2])
        """
        edges = self._edges
        names = edges.names
        if self.scope == "vertex":
            return {"vertex": np.arange(edges.num_nodes) if names is None else list(names)}
        source, target = edges.index
        if names is None:
            return {"source": source, "target": target}
        return {"source": [names[u] for u in source], "target": [names[v] for v in target]}

    def to_pandas(self) -> pandas.DataFrame:
        """A data frame with the keys as its first columns."""
        import pandas

        return pandas.DataFrame({**self.keys(), **self._by_name()})

    def to_polars(self) -> polars.DataFrame:
        """A polars data frame with the keys as its first columns."""
        import polars

        return polars.DataFrame({**self.keys(), **self._by_name()}, strict=False)

    def to_arrow(self) -> pyarrow.Table:
        """An Arrow table with the keys as its first columns."""
        import pyarrow

        return pyarrow.table({**self.keys(), **self._by_name()})

    def _by_name(self) -> dict[str, IntArray]:
        return {name: self.values[:, at] for at, name in enumerate(self.columns)}

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        rows, columns = self.values.shape
        return rows, columns

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        array = self.values if dtype is None else self.values.astype(dtype, copy=False)
        return array.copy() if copy and array is self.values else array

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, column: str) -> IntArray:
        try:
            return self.values[:, self.columns.index(column)]
        except ValueError:
            raise KeyError(f"{column!r}; the columns are {', '.join(self.columns)}") from None

    def __repr__(self) -> str:
        rows, columns = self.shape
        return f"Counts({rows} rows, scope={self.scope!r}, {columns} columns: {_few(self.columns)})"


class CountsOfMany(Sequence[Counts]):
    """Counts of many graphs in one array.

    Attributes:
        values: int64 array of shape (all rows, columns); rows of a graph without counts are zero.
        starts: int64 array; the rows of graph ``g`` are ``starts[g]`` to ``starts[g + 1]``.
        columns: names of the columns.
        scope: ``"vertex"``, ``"edge"`` or ``"arc"``.
        errors: why a graph has no counts, by its place.

    >>> import gsn
    >>> many = gsn.count_many(["C1CC1", "CCO"], "cycle:3")
    >>> many.values[:, 0]
    array([1, 1, 1, 0, 0, 0])
    >>> many[1].values.shape
    (3, 1)
    """

    __slots__ = ("_edges", "columns", "errors", "scope", "starts", "values")

    def __init__(
        self,
        values: IntArray,
        starts: IntArray,
        columns: list[str],
        scope: str,
        errors: dict[int, str],
        edges: list[Edges],
    ) -> None:
        self.values = values
        self.starts = starts
        self.columns = columns
        self.scope = scope
        self.errors = errors
        self._edges = edges

    def __len__(self) -> int:
        return len(self._edges)

    @overload
    def __getitem__(self, at: int) -> Counts: ...
    @overload
    def __getitem__(self, at: slice) -> list[Counts]: ...
    def __getitem__(self, at: int | slice) -> Counts | list[Counts]:
        if isinstance(at, slice):
            return [self[g] for g in range(*at.indices(len(self)))]
        g = range(len(self))[at]
        if g in self.errors:
            raise ValueError(f"graph {g}: {self.errors[g]}")
        rows = self.values[self.starts[g] : self.starts[g + 1]]
        return Counts(rows, self.columns, self.scope, self._edges[g])

    def __iter__(self) -> Iterator[Counts]:
        return (self[g] for g in range(len(self)))

    def to_pandas(self) -> pandas.DataFrame:
        """One data frame; its first column ``graph`` is the place of the graph."""
        import pandas

        return pandas.DataFrame(self._columns())

    def to_polars(self) -> polars.DataFrame:
        """One polars data frame; its first column ``graph`` is the place of the graph."""
        import polars

        return polars.DataFrame(self._columns(), strict=False)

    def to_arrow(self) -> pyarrow.Table:
        """One Arrow table; its first column ``graph`` is the place of the graph."""
        import pyarrow

        return pyarrow.table(self._columns())

    def _columns(self) -> dict[str, Any]:
        good = [g for g in range(len(self)) if g not in self.errors]
        lengths = np.diff(self.starts)
        rows = np.repeat(np.isin(np.arange(len(self)), good), lengths)
        table: dict[str, Any] = {"graph": np.repeat(np.arange(len(self)), lengths)[rows]}
        keys = [self[g].keys() for g in good]
        for key in ("vertex",) if self.scope == "vertex" else ("source", "target"):
            parts = [part[key] for part in keys]
            if all(isinstance(part, np.ndarray) for part in parts):
                table[key] = np.concatenate(parts) if parts else np.empty(0, np.int64)
            else:
                table[key] = [name for part in parts for name in part]
        for at, name in enumerate(self.columns):
            table[name] = self.values[rows, at]
        return table

    def __repr__(self) -> str:
        rows, columns = self.values.shape
        bad = f", {len(self.errors)} with errors" if self.errors else ""
        return (
            f"CountsOfMany({len(self)} graphs{bad}, {rows} rows, scope={self.scope!r}, "
            f"{columns} columns: {_few(self.columns)})"
        )


def _few(names: list[str]) -> str:
    return ", ".join(names[:3]) + (", …" if len(names) > 3 else "")


@lru_cache(maxsize=64)
def counter(
    patterns: str,
    scope: str,
    matching: str,
    orbits: str,
    budget: int | None = None,
    seconds: float | None = None,
) -> _gsn.Counter:
    """The counter of these settings; what it works out from the patterns is kept."""
    if budget is not None and not 0 <= budget < 2**64:
        raise ValueError(f"budget is {budget}, not a number of steps")
    return _gsn.Counter(_gsn.Spec(patterns, scope, matching, orbits), budget, seconds)


def as_text(patterns: str | Iterable[str]) -> str:
    """Patterns as one text."""
    return patterns if isinstance(patterns, str) else ",".join(patterns)


def _both_ways(edges: Edges, scope: str, directed: bool) -> Edges:
    """Objects that hold every edge once get both directions where arcs are counted."""
    if scope != "arc" or directed or not edges.single:
        return edges
    index = np.concatenate([edges.index, edges.index[::-1]], axis=1)
    return Edges(index, edges.num_nodes, edges.names)


def count(
    edge_index: Any,
    num_nodes: int | None = None,
    patterns: str | Iterable[str] = "cycle:3..=6",
    *,
    scope: str = "vertex",
    matching: str = "induced",
    orbits: str = "exact",
    directed: bool = False,
    vertex_labels: Any = None,
    edge_labels: Any = None,
    budget: int | None = None,
    seconds: float | None = None,
) -> Counts:
    r"""Counts patterns at every vertex, edge or arc of one graph, exactly.

    For a pattern :math:`H` and an orbit :math:`o` of its automorphism group, the count at a vertex
    :math:`v` of :math:`G` is the number of subgraphs of :math:`G` that are isomorphic to
    :math:`H` and in which :math:`v` lies in :math:`o`:

    .. math:: x_{H,o}(v) = \#\{S \subseteq G : S \simeq H,\; v \text{ plays the role } o \text{ in } S\}

    Args:
        edge_index: the graph: an edge index of shape (2, edges) as array, list or torch tensor; a
            scipy sparse matrix; a networkx, rustworkx or igraph graph; a PyG ``Data``; an RDKit
            molecule; or a SMILES string.
        num_nodes: number of vertices; needed for isolated vertices of an edge index.
        patterns: what is counted, such as ``"cycle:3..=8"`` or ``["clique:4", "path:3"]``.
        scope: ``"vertex"`` (GSN-v), ``"edge"`` or ``"arc"`` (GSN-e, every edge in each direction).
        matching: ``"induced"`` (graphlets), ``"subgraph"`` (motifs) or ``"homomorphism"``
            (maps that keep edges).
        orbits: ``"exact"``, or ``"official"`` as in the authors' code.
        directed: whether edges have a direction; by default every column is an undirected edge,
            whether it stands there once or in both directions.
        vertex_labels: an integer a vertex, for patterns with labels.
        edge_labels: an integer a column of the edge index.
        budget: steps after which counting ends with a ``RuntimeError``.
        seconds: the same in seconds.

    Returns:
        :class:`Counts`. Rows follow the caller: vertices by number; for ``"edge"`` and ``"arc"``
        one row a column of the edge index, in its order, every copy of an edge with the counts of
        that edge and a self-loop with zeros. Objects that hold undirected edges (networkx,
        igraph, rustworkx, molecules) have one row an edge for ``"edge"``, and for ``"arc"`` all
        edges as they stand there followed by all edges turned round.

    Raises:
        ValueError: what was given makes no graph or pattern.
        TypeError: an array does not hold integers.
        OverflowError: a count is larger than 64 bits.
        RuntimeError: the budget was used up.

    >>> import gsn
    >>> gsn.count([[0, 1, 2, 2], [1, 2, 0, 3]], 4, "cycle:3").values
    array([[1],
           [1],
           [1],
           [0]])
    """
    edges = _both_ways(as_edges(edge_index, num_nodes), scope, directed)
    counts = counter(as_text(patterns), scope, matching, orbits, budget, seconds)
    values = counts.count(
        edges.index,
        edges.num_nodes,
        directed,
        None if vertex_labels is None else integers(vertex_labels, "vertex_labels", 1),
        None if edge_labels is None else integers(edge_labels, "edge_labels", 1),
    )
    return Counts(values, counts.columns, scope, edges)


@overload
def count_many(
    graphs: ArrowStream | ArrowArray,
    patterns: str | Iterable[str] = ...,
    *,
    scope: str = ...,
    matching: str = ...,
    orbits: str = ...,
    directed: bool = ...,
    budget: int | None = ...,
    seconds: float | None = ...,
    progress: bool | Callable[[float], object] = ...,
) -> CountedTable: ...
@overload
def count_many(
    graphs: Iterable[Any],
    patterns: str | Iterable[str] = ...,
    *,
    scope: str = ...,
    matching: str = ...,
    orbits: str = ...,
    directed: bool = ...,
    budget: int | None = ...,
    seconds: float | None = ...,
    errors: str = ...,
    progress: bool | Callable[[float], object] = ...,
) -> CountsOfMany: ...
def count_many(
    graphs: Any,
    patterns: str | Iterable[str] = "cycle:3..=6",
    *,
    scope: str = "vertex",
    matching: str = "induced",
    orbits: str = "exact",
    directed: bool = False,
    budget: int | None = None,
    seconds: float | None = None,
    errors: str = "raise",
    progress: bool | Callable[[float], object] = False,
) -> CountsOfMany | CountedTable:
    """Counts patterns in many graphs side by side, on all processors.

    Args:
        graphs: any iterable of what :func:`count` takes; arrays as pairs ``(edge_index, num_nodes)``
            or alone. Or a table with a graph a row, of pyarrow, polars, pandas or any other that
            hands out Arrow data.
        patterns: as in :func:`count`; likewise ``scope``, ``matching``, ``orbits``, ``directed``.
        budget: steps a graph may take; likewise ``seconds``.
        errors: ``"raise"``: the first graph that cannot be counted is an error; ``"collect"``: it
            has no counts, and the reason stands in ``errors`` of the result.
        progress: a function that is called with the share that is done, or true for a line on
            standard error.

    Returns:
        :class:`CountsOfMany`. Of a table the :class:`CountedTable` of :func:`count_table`, which has
        more settings: errors stand beside the rows, and progress is told in rows.

    >>> import gsn
    >>> gsn.count_many(["c1ccccc1", "C1CC", "C1CC1"], "cycle:3", errors="collect").errors
    {1: '`C1CC` is not a SMILES: unmatched ring closure 1 at position 4'}
    """
    if errors not in ("raise", "collect"):
        raise ValueError(f"errors must be 'raise' or 'collect', not {errors!r}")
    if isinstance(graphs, str):
        raise TypeError("a string is one molecule; give a list, or use count")
    if is_table(graphs):
        from gsn._count_table import count_table

        return count_table(
            graphs,
            patterns,
            scope=scope,
            matching=matching,
            orbits=orbits,
            directed=directed,
            budget=budget,
            seconds=seconds,
            progress=progress,
        )
    kept: list[Edges] = []
    bad: dict[int, str] = {}
    nothing = Edges(np.empty((2, 0), np.int64), 0)
    for at, graph in enumerate(graphs):
        try:
            pair = isinstance(graph, tuple) and len(graph) == 2 and np.ndim(graph[1]) == 0
            edges = as_edges(*graph) if pair else as_edges(graph, None)
            kept.append(_both_ways(edges, scope, directed))
        except (ValueError, TypeError) as error:
            if errors == "raise":
                raise type(error)(f"graph {at}: {error}") from None
            bad[at] = str(error)
            kept.append(nothing)
    counts = counter(as_text(patterns), scope, matching, orbits, budget, seconds)
    widths = [edges.index.shape[1] for edges in kept]
    starts = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
    index = np.concatenate([e.index for e in kept], axis=1) if kept else nothing.index
    orders = np.array([edges.num_nodes for edges in kept], np.int64)
    call = _line if progress is True else progress or None
    values, rows, failed = counts.count_many(index, starts, orders, directed, None, None, call)
    if errors == "raise" and failed:
        at, why = failed[0]
        raise ValueError(f"graph {at}: {why}")
    return CountsOfMany(values, rows, counts.columns, scope, bad | dict(failed), kept)


def _line(share: float) -> None:
    """A line on standard error that says how far it is."""
    import sys

    sys.stderr.write(f"\rcounting {share:4.0%}" + ("\n" if share >= 1 else ""))
    sys.stderr.flush()


def is_table(table: Any) -> bool:
    """Whether an object hands out rows of Arrow data; a single column does not."""
    arrow = hasattr(table, "__arrow_c_stream__") or hasattr(table, "__arrow_c_array__")
    return arrow and (hasattr(table, "columns") or hasattr(table, "schema"))
