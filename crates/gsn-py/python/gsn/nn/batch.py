"""Several graphs as one: what a network reads in one pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import torch
from torch import Tensor

#: The tables of a batch, in the order of its fields.
TABLES = ("x", "edge_attr", "vertex_counts", "arc_counts", "degrees", "numbers")


@dataclass(frozen=True)
class GraphBatch:
    """The disjoint union of some graphs, as tensors.

    ================  =====================  =====================================================================
    ``edge_index``    2 × arcs, whole        sources above targets; an undirected edge is there as both its arcs
    ``x``             vertices × columns     features of the vertices
    ``edge_attr``     arcs × columns         features of the arcs, in the order of ``edge_index``
    ``vertex_counts`` vertices × columns     encoded counts of the vertices (GSN-v)
    ``arc_counts``    arcs × columns         encoded counts of the arcs (GSN-e), in the order of ``edge_index``
    ``degrees``       vertices × columns     encoded degrees
    ``numbers``       vertices × columns     numbers beside the features, such as chances of closed walks
    ``batch``         vertices, whole        the graph of each vertex
    ``num_vertices``  a number               how many vertices there are, isolated ones too
    ``num_graphs``    a number               how many graphs there are, empty ones too
    ================  =====================  =====================================================================

    A table of whole numbers holds categories, one of real numbers holds values; one column may be given without its
    second dimension. What a network does not read may stay ``None``. :meth:`from_data` makes a batch from PyG's
    objects.

    >>> path = GraphBatch(edge_index=torch.tensor([[0, 1], [1, 0]]), x=torch.tensor([[0], [1]]))
    >>> two = GraphBatch.union([path, path])
    >>> two.edge_index.tolist(), two.batch.tolist(), two.num_graphs
    ([[0, 1, 2, 3], [1, 0, 3, 2]], [0, 0, 1, 1], 2)
    """

    edge_index: Tensor
    x: Tensor | None = None
    edge_attr: Tensor | None = None
    vertex_counts: Tensor | None = None
    arc_counts: Tensor | None = None
    degrees: Tensor | None = None
    batch: Tensor = None  # type: ignore[assignment]  # filled in when the object is made
    num_vertices: int = -1
    num_graphs: int = -1
    numbers: Tensor | None = None

    def __post_init__(self) -> None:
        edges = self.edge_index
        if edges.dim() != 2 or edges.shape[0] != 2 or edges.is_floating_point():
            raise ValueError(f"edge_index: 2 × arcs whole numbers are needed, not {list(edges.shape)} of {edges.dtype}")
        if edges.dtype != torch.int64:
            self._set("edge_index", edges.to(torch.int64))
        self._set("num_vertices", self._count_vertices())
        if self.batch is None:
            self._set("batch", torch.zeros(self.num_vertices, dtype=torch.int64, device=edges.device))
            self._set("num_graphs", max(self.num_graphs, 1))
        if self.num_graphs < 0:
            self._set("num_graphs", int(self.batch.max()) + 1 if self.batch.numel() else 0)
        self._check()

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _count_vertices(self) -> int:
        if self.num_vertices >= 0:
            return self.num_vertices
        for table in (self.batch, self.x, self.vertex_counts, self.degrees):
            if table is not None:
                return table.shape[0]
        raise ValueError("the number of vertices is not known: give x, batch or num_vertices")

    def _check(self) -> None:
        """Refuses tables of another length and, where looking costs nothing, numbers that are out of range."""
        arcs = self.edge_index.shape[1]
        rows = {"x": self.num_vertices, "vertex_counts": self.num_vertices, "degrees": self.num_vertices}
        rows |= {"numbers": self.num_vertices, "batch": self.num_vertices, "edge_attr": arcs, "arc_counts": arcs}
        for name, wanted in rows.items():
            table = getattr(self, name)
            if table is not None and (table.dim() not in (1, 2) or table.shape[0] != wanted):
                kind = "arcs" if name in ("edge_attr", "arc_counts") else "vertices"
                raise ValueError(f"{name} has the shape {list(table.shape)}, but there are {wanted} {kind}")
        if self.edge_index.device.type != "cpu":
            return
        for name, numbers, size in (
            ("edge_index", self.edge_index, self.num_vertices),
            ("batch", self.batch, self.num_graphs),
        ):
            low, high = (int(numbers.min()), int(numbers.max())) if numbers.numel() else (0, -1)
            if low < 0 or high >= size:
                raise ValueError(f"{name} holds numbers from {low} to {high}, but they must lie within 0..{size}")

    @classmethod
    def from_data(
        cls,
        data: Any,
        x: str = "x",
        edge_attr: str = "edge_attr",
        vertex_counts: str = "substructure_counts",
        arc_counts: str = "edge_substructure_counts",
        degrees: str = "degrees",
        numbers: str = "random_walk_pe",
    ) -> GraphBatch:
        """From a ``Data`` or ``Batch`` of PyTorch Geometric.

        The arguments are the names of its attributes; one that is absent stays ``None``. Counts have the names that
        ``gsn.transforms.AddSubstructureCounts`` gives them, numbers that of PyG's ``AddRandomWalkPE``. Where the
        network reads categories they must be encoded (``gsn.CountEncoder``), since a category is a place in the
        vocabulary and not the count itself.

        >>> from torch_geometric.data import Batch, Data
        >>> edge_index, counts = torch.tensor([[0, 1], [1, 0]]), torch.tensor([[4], [4]])
        >>> data = Data(x=torch.rand(2, 3), edge_index=edge_index, edge_substructure_counts=counts)
        >>> GraphBatch.from_data(Batch.from_data_list([data, data])).arc_counts.flatten().tolist()
        [4, 4, 4, 4]
        """
        names = dict(zip(TABLES, (x, edge_attr, vertex_counts, arc_counts, degrees, numbers), strict=True))
        found: dict[str, Any] = {field: getattr(data, name, None) for field, name in names.items()}
        found["batch"] = getattr(data, "batch", None)
        if getattr(data, "num_graphs", None) is not None:
            found["num_graphs"] = int(data.num_graphs)
        # PyG guesses the number of vertices where the tables have names that it does not know.
        if all(found[field] is None for field in ("batch", "x", "vertex_counts", "degrees")):
            found["num_vertices"] = int(data.num_nodes or 0)
        return cls(data.edge_index, **found)

    @classmethod
    def union(cls, batches: Sequence[GraphBatch]) -> GraphBatch:
        """Several batches as one. All must have the same tables."""
        if not batches:
            raise ValueError("there are no graphs to put together")

        def joined(name: str) -> Tensor | None:
            tables = [getattr(b, name) for b in batches]
            if all(table is None for table in tables):
                return None
            if any(table is None for table in tables):
                raise ValueError(f"some graphs have {name} and some do not")
            return torch.cat(tables)

        edges, graphs, vertex, graph = [], [], 0, 0
        for b in batches:
            edges.append(b.edge_index + vertex)
            graphs.append(b.batch + graph)
            vertex, graph = vertex + b.num_vertices, graph + b.num_graphs
        found: dict[str, Any] = {name: joined(name) for name in TABLES}
        found |= {"batch": torch.cat(graphs), "num_vertices": vertex, "num_graphs": graph}
        return cls(torch.cat(edges, dim=1), **found)

    def map(self, change: Callable[[Tensor], Tensor]) -> GraphBatch:
        """The same batch with every tensor changed."""
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        changed: dict[str, Any] = {name: change(t) for name, t in found.items() if isinstance(t, Tensor)}
        return replace(self, **changed)

    def to(self, device: torch.device | str, non_blocking: bool = False) -> GraphBatch:
        """The batch on another device."""
        return self.map(lambda table: table.to(device, non_blocking=non_blocking))

    def pin_memory(self) -> GraphBatch:
        """The batch in pinned memory, which a ``DataLoader`` asks for."""
        return self.map(lambda table: table.pin_memory())

    @property
    def arc_batch(self) -> Tensor:
        """The graph of each arc."""
        return self.batch.index_select(0, self.edge_index[0])
