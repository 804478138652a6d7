"""The OGB form: GIN with a ReLU around every neighbour."""

from __future__ import annotations

from collections.abc import Sequence

import torch.nn.functional as F
from torch import Tensor, nn

from gsn.nn.layer.blocks import Block, as_block
from gsn.nn.layer.gin import Eps
from gsn.nn.layer.mlp import MLP
from gsn.nn.layer.scatter import scatter_sum


class OGBConv(Eps):
    r"""The layer of the OGB networks, with substructure counts added to vertices or arcs.

    .. math:: h'_v = \mathrm{MLP}((1+\varepsilon)\, s_v + \sum_{u \to v} \mathrm{ReLU}(s_u + x_{uv} + e_{uv}))

    where s = h + x for counts on vertices (GSN-v) and s = h otherwise. Everything has the width of the vertices.

    Args:
        channels: width of vertices, counts, arc features and output.
        hidden: hidden widths of the MLP. Default: one of twice the width.
        learn_eps: trains ε, which starts at 0 and stays there otherwise.
        norm: BatchNorm inside the MLP.
        activation: activation inside the MLP.

    Shapes:
        * x, vertex_counts, output: vertices × channels;
        * edge_index: 2 × arcs, sources above targets;
        * arc_counts, edge_attr: arcs × channels, in the order of ``edge_index``.

    >>> import torch
    >>> edge_index = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    >>> OGBConv(8)(torch.rand(3, 8), edge_index, edge_attr=torch.rand(4, 8)).shape
    torch.Size([3, 8])
    """

    def __init__(
        self,
        channels: int,
        hidden: Sequence[int] | None = None,
        learn_eps: bool = False,
        norm: bool = True,
        activation: str = "relu",
    ) -> None:
        super().__init__()
        self.channels = channels
        self._add_eps(learn_eps)
        self.update_fn = MLP(channels, [2 * channels] if hidden is None else hidden, channels, norm, activation)

    def reset_parameters(self) -> None:
        """Fresh weights and statistics, ε = 0."""
        nn.init.zeros_(self.eps)
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
        s = as_block(x, "x", self.channels).dense()
        if vertex_counts is not None:
            s = s + as_block(vertex_counts, "vertex_counts", self.channels).dense()
        source, target = edge_index[0], edge_index[1]
        neighbours = s.index_select(0, source)
        for what, rows in (("edge_attr", edge_attr), ("arc_counts", arc_counts)):
            if rows is not None:
                neighbours = neighbours + as_block(rows, what, self.channels).dense()
        m = (1 + self.eps) * s + scatter_sum(F.relu(neighbours), target, s.shape[0])
        out: Tensor = self.update_fn(m)
        return out

    def extra_repr(self) -> str:
        return f"{self.channels}"
