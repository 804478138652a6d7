"""The DGN form: aggregators side by side, some of them weighted by counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gsn.nn.layer.aggregators import Aggregator
from gsn.nn.layer.norm import BatchNorm
from gsn.nn.layer.scatter import scatter_count


class DGNConv(nn.Module):
    r"""A layer of directional graph networks, whose directions are substructure counts.

    .. math::
        y_v &= [s_1(D_v)\,A_v, s_2(D_v)\,A_v, \ldots] \\
        h'_v &= \mathrm{dropout}(h_v + \mathrm{ReLU}(\mathrm{BN}(W y_v + b)))

    A_v are all aggregators of the neighbours side by side (see :class:`gsn.nn.layer.aggregators.Aggregator`), s_k the
    scalers by in-degree D: ``"identity"`` 1, ``"amplification"`` ln(D+1)/avg, ``"attenuation"`` avg/ln(D+1). With
    ``depth`` above 1, W y + b is a stack of Linears with ReLU between. The sum with h_v is left out where the widths
    differ.

    Args:
        in_channels: width of the vertices h.
        out_channels: width of h'.
        aggregators: names, such as ``["mean", "max", "dir0-av"]``.
        scalers: names; all aggregators are repeated for each.
        avg_log_degree: mean of ln(degree + 1) over the training set.
        residual: adds h.
        norm: BatchNorm.
        graph_norm: divides by the root of the graph's size before BatchNorm.
        depth: number of Linears.
        dropout: probability behind the layer.

    Shapes:
        * x: vertices × in_channels;
        * edge_index: 2 × arcs, sources above targets;
        * field: arcs × directions, in the order of ``edge_index``;
        * batch: vertices, the graph of each, and num_graphs, their number; only read with ``graph_norm``;
        * output: vertices × out_channels.

    >>> import torch
    >>> edge_index = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    >>> conv = DGNConv(8, 8, ["mean", "max", "dir0-av"])
    >>> conv(torch.rand(3, 8), edge_index, field=torch.rand(4, 1)).shape
    torch.Size([3, 8])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        aggregators: Sequence[str],
        scalers: Sequence[str] = ("identity",),
        avg_log_degree: float = 1.0,
        residual: bool = True,
        norm: bool = True,
        graph_norm: bool = False,
        depth: int = 1,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.aggregators = [Aggregator.parse(word) for word in aggregators]
        self.scalers = list(scalers)
        self.avg_log_degree = avg_log_degree
        self.residual = residual and in_channels == out_channels
        self.graph_norm = graph_norm
        self.dropout = dropout
        wide = in_channels * len(self.aggregators) * len(self.scalers)
        self.posttrans = _Linears([wide, *[out_channels] * depth])
        self.batchnorm_h = BatchNorm(out_channels) if norm else None

    def reset_parameters(self) -> None:
        """Fresh weights and statistics."""
        self.posttrans.reset_parameters()
        if self.batchnorm_h is not None:
            self.batchnorm_h.reset_parameters()

    def forward(
        self,
        x: Tensor,
        edge_index: Tensor,
        field: Tensor | None = None,
        batch: Tensor | None = None,
        num_graphs: int | None = None,
    ) -> Tensor:
        """h' of every vertex."""
        source, target = edge_index[0], edge_index[1]
        a = torch.cat([aggregate(x, source, target, field) for aggregate in self.aggregators], dim=1)
        y = self.posttrans(self._scaled(a, target))
        if self.graph_norm:
            y = y * _inverse_root_size(batch, num_graphs, y)
        if self.batchnorm_h is not None:
            y = self.batchnorm_h(y)
        y = F.relu(y)
        if self.residual:
            y = x + y
        return F.dropout(y, self.dropout, self.training)

    def _scaled(self, a: Tensor, target: Tensor) -> Tensor:
        """The aggregators once for every scaler."""
        if self.scalers == ["identity"]:
            return a
        log = torch.log1p(scatter_count(target, a.shape[0], a.dtype))
        factors = {
            "identity": torch.ones_like(log),
            "amplification": log / self.avg_log_degree,
            # Without neighbours all aggregators are zero, whatever the factor.
            "attenuation": torch.where(log > 0, self.avg_log_degree / log, 0),
        }
        return torch.cat([factors[scaler] * a for scaler in self.scalers], dim=1)


class _Linears(nn.Module):
    """Linears with ReLU between, started from Xavier's bounds divided by the number of inputs and zero bias, as
    published; the BatchNorm behind them takes up the scale."""

    def __init__(self, widths: Sequence[int]) -> None:
        super().__init__()
        pairs = pairwise(widths)
        self.fully_connected = nn.ModuleList(
            nn.ModuleDict({"linear": nn.Linear(inputs, outputs)}) for inputs, outputs in pairs
        )
        self.reset_parameters()

    def reset_parameters(self) -> None:
        for linear in self._linears():
            inputs, outputs = linear.in_features, linear.out_features
            bound = math.sqrt(6 / (inputs + outputs)) / inputs
            nn.init.uniform_(linear.weight, -bound, bound)
            nn.init.zeros_(linear.bias)

    def forward(self, y: Tensor) -> Tensor:
        for k, linear in enumerate(self._linears()):
            y = linear(F.relu(y) if k > 0 else y)
        return y

    def _linears(self) -> list[nn.Linear]:
        found = [layer["linear"] for layer in self.fully_connected if isinstance(layer, nn.ModuleDict)]
        return [linear for linear in found if isinstance(linear, nn.Linear)]


def _inverse_root_size(batch: Tensor | None, graphs: int | None, like: Tensor) -> Tensor:
    """1/√(vertices of the graph) of every vertex; without ``batch`` there is one graph."""
    if batch is None:
        return like.new_tensor(max(like.shape[0], 1) ** -0.5)
    if graphs is None:
        graphs = int(batch.max()) + 1 if batch.numel() else 0
    return scatter_count(batch, graphs, like.dtype).clamp(min=1).rsqrt().index_select(0, batch)
