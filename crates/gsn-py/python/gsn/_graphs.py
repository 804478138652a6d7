"""From the graph objects of other libraries to an edge index.

Nothing is imported here but numpy: an object is recognised by what it can do, so a library that
is not installed costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from gsn import _gsn

IntArray = npt.NDArray[np.int64]
INT64 = np.dtype(np.int64)

#: Columns of an edge index that a graph can hold: its arcs have numbers of 32 bits.
MOST_COLUMNS = 2**31


@dataclass(slots=True)
class Edges:
    """A graph as arrays.

    ``index`` has shape (2, edges), ``names`` are what the caller calls the vertices (``None``:
    their numbers). ``single`` tells that every undirected edge stands there once because the
    object holds edges, not columns of an array; scope ``"arc"`` then gets both directions.
    """

    index: IntArray
    num_nodes: int
    names: list[Any] | None = None
    single: bool = False


def integers(values: Any, what: str, ndim: int) -> IntArray:
    """``values`` as a 64-bit integer array, or an error that says what is wrong with it."""
    try:
        if hasattr(values, "detach"):  # a torch tensor
            plain = values.is_cpu and not values.requires_grad
            values = values.numpy() if plain else values.detach().cpu().numpy()
            if values.dtype is INT64 and values.ndim == ndim:  # as PyG has it: nothing more to look at
                return cast(IntArray, values)
        array = np.asarray(values)
    except (ValueError, TypeError, RuntimeError) as error:
        raise ValueError(f"{what} is not a regular array: {error}") from None
    if np.ma.is_masked(values):
        raise ValueError(f"{what} has masked entries; leave them out")
    if array.size == 0 and array.dtype.kind == "f":
        array = array.astype(np.int64)
    if array.dtype.kind not in "iu":
        objects = "ragged lists, objects or numbers beyond 64 bits"
        kind = objects if array.dtype == object else str(array.dtype)
        raise TypeError(f"{what} must hold integers, not {kind}")
    if array.ndim != ndim:
        raise ValueError(f"{what} must have {ndim} dimensions, not shape {array.shape}")
    if array.dtype == np.uint64 and array.size and int(array.max()) > np.iinfo(np.int64).max:
        raise ValueError(f"{what} holds numbers beyond 64 bits")
    array = array.astype(np.int64, copy=False)
    return array if array.flags.aligned else array.copy()


def edge_index(values: Any) -> IntArray:
    """An edge index of shape (2, edges)."""
    index = integers(values, "edge_index", 2)
    rows, columns = index.shape
    if rows != 2:
        if index.size == 0:
            return np.empty((2, 0), np.int64)
        hint = "; transpose it" if columns == 2 else ""
        raise ValueError(f"edge_index must have shape (2, edges), not {index.shape}{hint}")
    if columns > MOST_COLUMNS:
        raise ValueError(f"edge_index has {columns} columns, more than a graph holds")
    return index


def as_edges(graph: Any, num_nodes: int | None) -> Edges:
    """Any graph object as arrays; ``num_nodes`` is needed where the object does not know."""
    if isinstance(graph, Edges):
        return graph
    if isinstance(graph, str):
        index, order = _gsn.molecule(graph)
        return Edges(index, order, single=True)
    for known, convert in (
        ("edge_index", _pyg),
        ("GetAtoms", _rdkit),
        ("get_edgelist", _igraph),
        ("edge_list", _rustworkx),
        ("tocoo", _scipy),
        ("adj", _networkx),
    ):
        if hasattr(graph, known) and not isinstance(graph, np.ndarray):
            return convert(graph, num_nodes)
    index = edge_index(graph)
    if num_nodes is None:
        num_nodes = int(index.max()) + 1 if index.size else 0
    return Edges(index, _order(num_nodes))


def _order(num_nodes: Any) -> int:
    try:
        order = int(num_nodes)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        raise TypeError(f"num_nodes must be an integer, not {num_nodes!r}") from None
    if order != num_nodes:
        raise TypeError(f"num_nodes must be an integer, not {num_nodes!r}")
    if order < 0:
        raise ValueError(f"num_nodes is {order}, a negative number")
    if order > np.iinfo(np.int64).max:
        raise ValueError(f"num_nodes is {order}, a number beyond 64 bits")
    return order


def _pairs(pairs: Any) -> IntArray:
    """A sequence of (u, v) as an edge index."""
    array = np.array(list(pairs), dtype=np.int64)
    return np.ascontiguousarray(array.reshape(-1, 2).T)


def _rdkit(molecule: Any, num_nodes: int | None) -> Edges:
    bonds = ((b.GetBeginAtomIdx(), b.GetEndAtomIdx()) for b in molecule.GetBonds())
    return Edges(_pairs(bonds), molecule.GetNumAtoms(), single=True)


def _igraph(graph: Any, num_nodes: int | None) -> Edges:
    names = list(graph.vs["name"]) if "name" in graph.vs.attributes() else None
    return Edges(_pairs(graph.get_edgelist()), graph.vcount(), names, not graph.is_directed())


def _rustworkx(graph: Any, num_nodes: int | None) -> Edges:
    numbers = list(graph.node_indices())
    place = {number: at for at, number in enumerate(numbers)}
    pairs = ((place[u], place[v]) for u, v in graph.edge_list())
    names = numbers if numbers != list(range(len(numbers))) else None
    directed = type(graph).__name__ == "PyDiGraph"
    return Edges(_pairs(pairs), len(numbers), names, not directed)


def _networkx(graph: Any, num_nodes: int | None) -> Edges:
    names = list(graph.nodes)
    place = {name: at for at, name in enumerate(names)}
    pairs = ((place[u], place[v]) for u, v in graph.edges())
    plain = names == list(range(len(names)))
    return Edges(_pairs(pairs), len(names), None if plain else names, not graph.is_directed())


def _scipy(matrix: Any, num_nodes: int | None) -> Edges:
    coo = matrix.tocoo()
    rows, columns = coo.shape
    if rows != columns:
        raise ValueError(f"an adjacency matrix must be square, not {rows} by {columns}")
    kept = np.asarray(coo.data) != 0
    index = np.stack([np.asarray(coo.row)[kept], np.asarray(coo.col)[kept]])
    return Edges(index.astype(np.int64), rows)


def stored_order(data: Any) -> int:
    """The number of vertices of a PyG ``Data``: the rows of ``x`` where it is there, since PyG's own answer is slow."""
    x = getattr(data, "x", None)
    order: int | None = data.num_nodes if x is None else x.shape[0]
    if order is None:
        index = edge_index(data.edge_index)
        return int(index.max()) + 1 if index.size else 0
    return order


def _pyg(data: Any, num_nodes: int | None) -> Edges:
    index = edge_index(data.edge_index)
    return Edges(index, _order(stored_order(data) if num_nodes is None else num_nodes))
