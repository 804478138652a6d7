"""The GIN form: one MLP over sums."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gsn.nn.layer.blocks import Block, Dense, Side, added, as_block, maybe_block
from gsn.nn.layer.mlp import MLP
from gsn.nn.layer.scatter import scatter_sum

#: What stands at the centre for a feature of arcs.
CENTRES = ("column", "row", "zeros")


class Centre(nn.Module):
    """A trained row that stands at the centre for a feature of arcs: 1 × width."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(1, width))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        bound = math.sqrt(6 / (1 + self.weight.shape[1]))
        nn.init.uniform_(self.weight, -bound, bound)

    def forward(self) -> Tensor:
        return self.weight


class Eps(nn.Module):
    """Adds ``eps``, a number that is trained or stays 0, to a layer."""

    eps: Tensor

    def _add_eps(self, learn: bool) -> None:
        if learn:
            self.eps = nn.Parameter(torch.zeros(1))
        else:
            self.register_buffer("eps", torch.zeros(1))


class GINSubstructureConv(Eps):
    r"""GIN with substructure counts.

    .. math::
        h'_v &= \mathrm{MLP}((1+\varepsilon)\,[h_v, x_v, e_\text{self}] + \sum_{u \to v} [h_u, x_u, e_{uv}])
                \quad\text{(GSN-v)} \\
        h'_v &= \mathrm{MLP}((1+\varepsilon)\,[h_v, x_\text{self}, e_\text{self}] + \sum_{u \to v} [h_u, x_{uv},
        e_{uv}])
                \quad\text{(GSN-e)}

    What lives on arcs has no value at the centre; x_self and e_self stand for it, by ``counts_centre`` and
    ``edge_centre``: ``"column"`` (one more leading column, 1 at the centre and 0 at neighbours: for one-hot rows),
    ``"row"`` (a trained row) or ``"zeros"``. The first Linear of the MLP is applied per vertex, before the sum.

    Args:
        in_channels: width of the vertices h.
        out_channels: width of h'.
        vertex_counts: width of the encoded counts on vertices; 0 for none.
        arc_counts: width of the encoded counts on arcs; 0 for none.
        edge_dim: width of the arc features; 0 for none.
        hidden: hidden widths of the MLP. Default: one of width ``out_channels``.
        learn_eps: trains ε, which starts at 0 and stays there otherwise.
        counts_centre: what stands at the centre for counts on arcs.
        edge_centre: what stands at the centre for arc features.
        norm: BatchNorm inside the MLP.
        activation: activation inside the MLP.

    Shapes:
        * x: vertices × in_channels;
        * edge_index: 2 × arcs, sources above targets;
        * vertex_counts: vertices × vertex_counts;
        * arc_counts: arcs × arc_counts, edge_attr: arcs × edge_dim, both in the order of ``edge_index``;
        * output: vertices × out_channels. There is no BatchNorm or activation behind it.

    >>> import torch
    >>> edge_index = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    >>> conv = GINSubstructureConv(4, 16, arc_counts=2)
    >>> conv(torch.rand(3, 4), edge_index, arc_counts=torch.rand(4, 2)).shape
    torch.Size([3, 16])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        vertex_counts: int = 0,
        arc_counts: int = 0,
        edge_dim: int = 0,
        hidden: Sequence[int] | None = None,
        learn_eps: bool = False,
        counts_centre: str = "row",
        edge_centre: str = "row",
        norm: bool = True,
        activation: str = "relu",
    ) -> None:
        super().__init__()
        self.in_channels, self.out_channels = in_channels, out_channels
        self.vertex_counts, self.arc_counts, self.edge_dim = vertex_counts, arc_counts, edge_dim
        self.counts_centre = _centre("counts_centre", counts_centre, arc_counts)
        self.edge_centre = _centre("edge_centre", edge_centre, edge_dim)
        self._add_eps(learn_eps)
        self.central_node_id_encoder = Centre(arc_counts) if self.counts_centre == "row" else None
        self.central_node_edge_encoder = Centre(edge_dim) if self.edge_centre == "row" else None
        extra = [self.counts_centre, self.edge_centre].count("column")
        inputs = in_channels + vertex_counts + arc_counts + edge_dim + extra
        hidden = [out_channels] if hidden is None else hidden
        self.update_fn = MLP(inputs, hidden, out_channels, norm, activation)

    def reset_parameters(self) -> None:
        """Fresh weights and statistics, ε = 0."""
        nn.init.zeros_(self.eps)
        for centre in (self.central_node_id_encoder, self.central_node_edge_encoder):
            if centre is not None:
                centre.reset_parameters()
        self.update_fn.reset_parameters()

    def forward(
        self,
        x: Tensor | Block,
        edge_index: Tensor,
        vertex_counts: Tensor | Block | None = None,
        arc_counts: Tensor | Block | None = None,
        edge_attr: Tensor | Block | None = None,
    ) -> Tensor:
        """h' of every vertex."""
        h = as_block(x, "x", self.in_channels)
        on_vertices = maybe_block(vertex_counts, "vertex_counts", self.vertex_counts)
        if on_vertices is not None:
            h = Side([h, on_vertices])
        on_arcs = (
            (maybe_block(arc_counts, "arc_counts", self.arc_counts), self.counts_centre, self.central_node_id_encoder),
            (maybe_block(edge_attr, "edge_attr", self.edge_dim), self.edge_centre, self.central_node_edge_encoder),
        )
        source, target = edge_index[0], edge_index[1]
        weight = self.update_fn.first.weight
        y = h.project(weight[:, : h.width])
        at = h.width
        centre, arcs, sums = [y], [y.index_select(0, source)], []
        for block, how, row in on_arcs:
            if block is None:
                continue
            if how == "column":
                centre.append(weight[:, at])
                at += 1
            piece = weight[:, at : at + block.width]
            at += block.width
            if row is not None:
                centre.append(F.linear(row(), piece))
            if isinstance(block, Dense):
                sums.append(F.linear(scatter_sum(block.rows, target, len(h)), piece))
            else:
                arcs.append(block.project(piece))
        z = (1 + self.eps) * added(centre) + scatter_sum(added(arcs), target, len(h)) + self.update_fn.first.bias
        return self.update_fn.rest(added([z, *sums]))

    def extra_repr(self) -> str:
        counts = f"vertex_counts={self.vertex_counts}, arc_counts={self.arc_counts}, edge_dim={self.edge_dim}"
        return f"{self.in_channels}, {self.out_channels}, {counts}"


def _centre(what: str, how: str, width: int) -> str:
    if how not in CENTRES:
        raise ValueError(f"{what}: `{how}` is none of {', '.join(CENTRES)}")
    return how if width > 0 else "zeros"
