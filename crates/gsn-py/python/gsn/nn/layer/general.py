"""The general form: messages by an MLP over both ends of an arc (equations 3 and 4 of the paper)."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor, nn

from gsn.nn.layer.blocks import Block, Dense, Side, as_block, maybe_block
from gsn.nn.layer.mlp import MLP, ArcTerm


class GSNConv(nn.Module):
    r"""The layer of Graph Substructure Networks, GSN-v and GSN-e.

    .. math::
        m_v &= \sum_{u \to v} \mathrm{MLP}([h_v, h_u, x_v, x_u, e_{uv}]) \quad\text{(GSN-v)} \\
        m_v &= \sum_{u \to v} \mathrm{MLP}([h_v, h_u, x_{uv}, e_{uv}]) \quad\text{(GSN-e)} \\
        h'_v &= \mathrm{MLP}([h_v, m_v])

    h are the vertices, x the encoded counts of vertices (GSN-v) or arcs (GSN-e), e features of arcs. Without counts
    it is an ordinary message-passing layer. The first Linear of the messages is applied per vertex, before rows are
    gathered, the last one behind the sum, so the costly products do not grow with the number of arcs.

    Args:
        in_channels: width of the vertices h.
        out_channels: width of h'.
        vertex_counts: width of the encoded counts on vertices; 0 for none.
        arc_counts: width of the encoded counts on arcs; 0 for none.
        edge_dim: width of the arc features; 0 for none.
        hidden: hidden widths of both MLPs. Default: one of width ``out_channels``.
        message: width of the messages. Default: ``out_channels``.
        norm: BatchNorm inside the MLPs.
        activation: activation inside the MLPs.

    Shapes:
        * x: vertices × in_channels;
        * edge_index: 2 × arcs, sources above targets;
        * vertex_counts: vertices × vertex_counts;
        * arc_counts: arcs × arc_counts, edge_attr: arcs × edge_dim, both in the order of ``edge_index``;
        * output: vertices × out_channels. There is no BatchNorm or activation behind it.

    >>> import torch
    >>> edge_index = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    >>> conv = GSNConv(4, 16, vertex_counts=3)
    >>> conv(torch.rand(3, 4), edge_index, vertex_counts=torch.rand(3, 3)).shape
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
        message: int | None = None,
        norm: bool = True,
        activation: str = "relu",
    ) -> None:
        super().__init__()
        self.in_channels, self.out_channels = in_channels, out_channels
        self.vertex_counts, self.arc_counts, self.edge_dim = vertex_counts, arc_counts, edge_dim
        hidden = [out_channels] if hidden is None else hidden
        message = out_channels if message is None else message
        inputs = 2 * (in_channels + vertex_counts) + arc_counts + edge_dim
        self.msg_fn = MLP(inputs, hidden, message, norm, activation)
        self.update_fn = MLP(in_channels + message, hidden, out_channels, norm, activation)

    def reset_parameters(self) -> None:
        """Fresh weights and statistics."""
        self.msg_fn.reset_parameters()
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
        source, target = edge_index[0], edge_index[1]
        terms: list[ArcTerm] = [(h, target), (h, source)]
        if on_vertices is not None:
            terms += [(on_vertices, target), (on_vertices, source)]
        for rows, what, width in (
            (arc_counts, "arc_counts", self.arc_counts),
            (edge_attr, "edge_attr", self.edge_dim),
        ):
            block = maybe_block(rows, what, width)
            if block is not None:
                terms.append((block, None))
        m = self.msg_fn.sum_over_arcs(terms, target, len(h))
        out: Tensor = self.update_fn(Side([h, Dense(m)]))
        return out

    def extra_repr(self) -> str:
        counts = f"vertex_counts={self.vertex_counts}, arc_counts={self.arc_counts}, edge_dim={self.edge_dim}"
        return f"{self.in_channels}, {self.out_channels}, {counts}"
