"""Counts for PyTorch Geometric.

The attributes are ``substructure_counts`` (a row a vertex) and ``edge_substructure_counts`` (a row
a column of ``edge_index``). Neither name contains ``index`` or ``batch``, so batching puts the rows
one below the other and changes nothing in them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch_geometric.data import Data, InMemoryDataset
from torch_geometric.transforms import BaseTransform

from gsn._counts import count, count_many

#: The attribute of counts at vertices.
VERTEX_ATTRIBUTE = "substructure_counts"
#: The attribute of counts at edges and arcs.
EDGE_ATTRIBUTE = "edge_substructure_counts"


class AddSubstructureCounts(BaseTransform):  # type: ignore[misc]
    r"""Adds the counts of patterns to a PyG ``Data``.

    With scope ``"vertex"`` the row of a vertex :math:`v` is :math:`x_v`, the counts of GSN-v; with
    ``"edge"`` or ``"arc"`` the row of a column :math:`(u, v)` of ``edge_index`` is
    :math:`x_{uv}`, the counts of GSN-e. Use it as ``pre_transform``; for whole datasets
    :meth:`add_to` counts all graphs at once.

    Args:
        patterns: what is counted, such as ``"cycle:3..=8"``.
        scope: ``"vertex"``, ``"edge"`` or ``"arc"``.
        matching: ``"induced"`` or ``"subgraph"``.
        orbits: ``"exact"`` or ``"official"``.
        dtype: of the tensor; ``torch.int64`` keeps counts exact.
        attribute: its name; by default one that batching leaves alone.

    Shapes:
        ``data.substructure_counts``: (vertices, columns);
        ``data.edge_substructure_counts``: (columns of edge_index, columns).

    >>> import torch
    >>> from torch_geometric.data import Data
    >>> triangle = Data(edge_index=torch.tensor([[0, 1, 2], [1, 2, 0]]), num_nodes=3)
    >>> AddSubstructureCounts("cycle:3")(triangle).substructure_counts.flatten().tolist()
    [1, 1, 1]
    """

    def __init__(
        self,
        patterns: str | Iterable[str] = "cycle:3..=6",
        scope: str = "vertex",
        matching: str = "induced",
        orbits: str = "exact",
        dtype: torch.dtype = torch.int64,
        attribute: str | None = None,
    ) -> None:
        self.patterns = patterns if isinstance(patterns, str) else ",".join(patterns)
        self.scope = scope
        self.matching = matching
        self.orbits = orbits
        self.dtype = dtype
        self.attribute = attribute or (VERTEX_ATTRIBUTE if scope == "vertex" else EDGE_ATTRIBUTE)
        if "index" in self.attribute or "batch" in self.attribute:
            raise ValueError(
                f"an attribute called {self.attribute!r} is changed by PyG's batching; leave "
                "'index' and 'batch' out of its name"
            )

    def forward(self, data: Data) -> Data:
        """Adds the counts to one graph."""
        counts = count(
            data,
            patterns=self.patterns,
            scope=self.scope,
            matching=self.matching,
            orbits=self.orbits,
        )
        data[self.attribute] = self._tensor(counts.values, data)
        return data

    def add_to(self, graphs: Iterable[Data] | InMemoryDataset) -> list[Data]:
        """Adds the counts to many graphs, counted side by side on all processors.

        Args:
            graphs: a list of ``Data`` or an in-memory dataset. The graphs of a list get the
                attribute themselves; a dataset gives copies of its graphs.

        Returns:
            The graphs, in their order.
        """
        graphs = list(graphs)
        counts = count_many(
            graphs,
            self.patterns,
            scope=self.scope,
            matching=self.matching,
            orbits=self.orbits,
        )
        rows = torch.from_numpy(counts.values).to(self.dtype)
        starts = counts.starts.tolist()
        for at, data in enumerate(graphs):
            data[self.attribute] = rows[starts[at] : starts[at + 1]].to(data.edge_index.device)
        return graphs

    def _tensor(self, values: Any, data: Data) -> torch.Tensor:
        return torch.from_numpy(values).to(device=data.edge_index.device, dtype=self.dtype)

    def __repr__(self) -> str:
        return (
            f"AddSubstructureCounts(patterns={self.patterns!r}, scope={self.scope!r}, "
            f"matching={self.matching!r}, orbits={self.orbits!r}, dtype={self.dtype}, "
            f"attribute={self.attribute!r})"
        )
