"""From the tables, lists and graphs of other libraries to rows that training and prediction read.

Rows are handed to the compiled part as any object that speaks Arrow's C interface, so that pandas, polars, pyarrow and
others come without a copy; lists of SMILES, of numbers and of graphs become such a table there.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gsn import _gsn
from gsn._graphs import Edges, IntArray, as_edges, integers


def is_path(data: Any) -> bool:
    """Whether this names a file or folder that is there."""
    return isinstance(data, os.PathLike) or (isinstance(data, str) and os.path.exists(data))


def is_table(data: Any) -> bool:
    """Whether this is a table: columns by name, or something that speaks Arrow and knows its columns."""
    if isinstance(data, Mapping):
        return True
    arrow = hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__")
    return arrow and (hasattr(data, "columns") or hasattr(data, "schema"))


def values(column: Any) -> list[Any]:
    """The values of a list, an array, a Series or an Arrow array, as Python has them."""
    for convert in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, convert):
            column = getattr(column, convert)()
            break
    return list(column)


def of_table(data: Any) -> Any:
    """A table as an object that speaks Arrow."""
    if isinstance(data, Mapping):
        return _gsn.column_table([(str(name), values(column)) for name, column in data.items()])
    if hasattr(data, "reset_index") and hasattr(data, "columns"):  # pandas
        data = data.reset_index(drop=True)
        try:
            import pyarrow  # noqa: F401
        except ImportError:
            columns = ((str(name), data[name]) for name in data.columns)
            return _gsn.column_table([(name, _gaps(values(column))) for name, column in columns])
    return data


def _gaps(column: list[Any]) -> list[Any]:
    """Not-a-number among texts is how pandas writes a gap."""
    return [None if isinstance(value, float) and value != value else value for value in column]


def of_list(items: Iterable[Any], columns: Mapping[str, Sequence[Any]]) -> Any:
    """SMILES or graphs, and further columns beside them, as a table."""
    rows = values(items)
    more = [(name, values(column)) for name, column in columns.items()]
    if all(row is None or isinstance(row, str) for row in rows):
        return _gsn.column_table([("smiles", rows), *more])
    arrays = Arrays(rows)
    index, starts, orders, _, nodes, edges = arrays.given()
    return _gsn.graph_table(index, starts, orders, nodes, edges, more)


class Arrays:
    """Many graphs in one array: edges, labels and names. Strictly taken, features that are no labels are an error;
    otherwise they are left out."""

    def __init__(self, graphs: Iterable[Any], strict: bool = True) -> None:
        self.edges: list[Edges] = []
        nodes: list[IntArray | None] = []
        edges: list[IntArray | None] = []
        for at, graph in enumerate(graphs):
            try:
                pair = isinstance(graph, tuple) and len(graph) == 2 and np.ndim(graph[1]) == 0
                one = as_edges(*graph) if pair else as_edges(graph, None)
                nodes.append(_labels(graph, "x", strict))
                edges.append(_labels(graph, "edge_attr", strict))
            except (ValueError, TypeError) as error:
                raise type(error)(f"graph {at}: {error}") from None
            self.edges.append(one)
        self.node_labels = _joined(nodes, "vertices")
        self.edge_labels = _joined(edges, "edges")

    def given(self, directed: bool = False) -> _gsn._Graphs:
        """All as arrays: edge index, starts, numbers of vertices, direction, labels."""
        widths = [edges.index.shape[1] for edges in self.edges]
        starts = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
        index = np.concatenate([np.empty((2, 0), np.int64), *(e.index for e in self.edges)], axis=1)
        orders = np.array([edges.num_nodes for edges in self.edges], np.int64)
        return index, starts, orders, directed, self.node_labels, self.edge_labels


def _labels(graph: Any, attribute: str, strict: bool) -> IntArray | None:
    """Labels of vertices or edges: ``x`` and ``edge_attr`` of PyG's data, if they are one integer each or mark one
    category each; ``label`` of networkx's vertices and edges."""
    if hasattr(graph, "edge_index"):
        table = getattr(graph, attribute, None)
        if table is None:
            return None
        array = np.asarray(table.detach().cpu() if hasattr(table, "detach") else table)
        if array.ndim == 1:
            array = array[:, None]
        if array.ndim == 2 and array.shape[1] > 1 and _one_hot(array):
            array = array.argmax(axis=1)[:, None]
        if array.ndim != 2 or array.shape[1] != 1 or array.dtype.kind not in "iub":
            if not strict or array.size == 0:
                return None
            what = f"{attribute} has shape {tuple(array.shape)} and holds {array.dtype}"
            raise ValueError(f"{what}; labels are one integer each, or one category each that is marked by 1")
        return integers(array[:, 0].astype(np.int64), attribute, 1)
    if hasattr(graph, "adj") and hasattr(graph, "nodes"):
        items = graph.nodes(data="label") if attribute == "x" else graph.edges(data="label")
        found = [item[-1] for item in items]
        if found and all(isinstance(label, (int, np.integer)) for label in found):
            return np.array(found, np.int64)
    return None


def _one_hot(array: Any) -> bool:
    return bool(np.isin(array, (0, 1)).all() and (array.sum(axis=1) == 1).all())


def _joined(parts: list[IntArray | None], what: str) -> IntArray | None:
    there = [part for part in parts if part is not None]
    if not there:
        return None
    if len(there) < len(parts):
        at = next(at for at, part in enumerate(parts) if part is None)
        raise ValueError(f"some graphs have labels of {what}, but graph {at} has none")
    return np.concatenate(there)
