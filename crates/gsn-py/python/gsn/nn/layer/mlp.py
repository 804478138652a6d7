"""MLP(x) = W₂ ReLU(BN(W₁ x + b₁)) + b₂, or deeper; over vertices, graphs or arcs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gsn.nn.layer.blocks import Block, Dense, added
from gsn.nn.layer.norm import BatchNorm
from gsn.nn.layer.scatter import scatter_count, scatter_sum

#: An end of an arc (its vertices, and for each arc which of them), or nothing for rows of the arcs themselves.
ArcTerm = tuple[Block, Tensor | None]


def activate(x: Tensor, name: str) -> Tensor:
    """``"relu"``, ``"elu"``, ``"tanh"`` or ``"identity"``."""
    if name == "relu":
        return F.relu(x)
    if name == "elu":
        return F.elu(x)
    return torch.tanh(x) if name == "tanh" else x


class MLP(nn.Module):
    r"""Linears; each but the last is followed by BatchNorm and an activation.

    .. math:: \mathrm{MLP}(x) = W_2\, \mathrm{ReLU}(\mathrm{BN}(W_1 x + b_1)) + b_2

    Args:
        in_channels: width of the input.
        hidden: hidden widths; may be empty.
        out_channels: width of the output.
        norm: BatchNorm between the Linears.
        activation: ``"relu"``, ``"elu"``, ``"tanh"`` or ``"identity"``.

    Shapes:
        rows × in_channels to rows × out_channels.

    >>> MLP(3, [8], 2)(torch.zeros(5, 3)).shape
    torch.Size([5, 2])
    """

    def __init__(
        self,
        in_channels: int,
        hidden: Sequence[int],
        out_channels: int,
        norm: bool = True,
        activation: str = "relu",
    ) -> None:
        super().__init__()
        widths = [in_channels, *hidden, out_channels]
        self.fc = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(widths))
        self.bn = nn.ModuleList(BatchNorm(width) for width in hidden) if norm else None
        self.activation = activation

    def reset_parameters(self) -> None:
        """Fresh weights and statistics."""
        for linear in self.fc:
            _linear(linear).reset_parameters()
        for norm in self.bn or ():
            assert isinstance(norm, BatchNorm)
            norm.reset_parameters()

    @property
    def first(self) -> nn.Linear:
        """The first Linear, for layers that apply it themselves."""
        return _linear(self.fc[0])

    def forward(self, x: Tensor | Block) -> Tensor:
        """MLP(x) of every row."""
        block = Dense(x) if isinstance(x, Tensor) else x
        return self.rest(block.project(self.first.weight) + self.first.bias)

    def rest(self, z: Tensor) -> Tensor:
        """Everything behind the first Linear."""
        if len(self.fc) == 1:
            return z
        y: Tensor = self.fc[-1](self._hidden(z))
        return y

    def over_arcs(self, terms: Sequence[ArcTerm]) -> Tensor:
        """MLP of the terms side by side, a row per arc."""
        return self.rest(self._first_over_arcs(terms))

    def sum_over_arcs(self, terms: Sequence[ArcTerm], target: Tensor, size: int) -> Tensor:
        """Σ over the arcs into each vertex of MLP([terms]).

        The last Linear is applied behind the sum: Σ (W y + b) = W Σ y + (number of arcs)·b.
        """
        z = self._first_over_arcs(terms)
        if len(self.fc) == 1:
            return scatter_sum(z, target, size)
        last = _linear(self.fc[-1])
        total = scatter_sum(self._hidden(z), target, size)
        return F.linear(total, last.weight) + scatter_count(target, size, total.dtype) * last.bias

    def _first_over_arcs(self, terms: Sequence[ArcTerm]) -> Tensor:
        """W·[terms] + b of every arc: products per vertex first, then gathered and added."""
        pieces = torch.split(self.first.weight, [block.width for block, _ in terms], dim=1)
        per_end: list[tuple[Tensor, list[Tensor]]] = []
        per_arc: list[Tensor] = []
        for (block, end), weight in zip(terms, pieces, strict=True):
            product = block.project(weight)
            if end is None:
                per_arc.append(product)
                continue
            same = next((products for other, products in per_end if other is end), None)
            if same is None:
                per_end.append((end, [product]))
            else:
                same.append(product)
        gathered = [
            (added(products) + (self.first.bias if i == 0 else 0)).index_select(0, end)
            for i, (end, products) in enumerate(per_end)
        ]
        total = added(gathered + per_arc)
        return total if per_end else total + self.first.bias

    def _hidden(self, z: Tensor) -> Tensor:
        """Everything between the first Linear and the last."""
        for i in range(len(self.fc) - 1):
            if i > 0:
                z = self.fc[i](z)
            if self.bn is not None:
                z = self.bn[i](z)
            z = activate(z, self.activation)
        return z


def _linear(module: nn.Module) -> nn.Linear:
    assert isinstance(module, nn.Linear)
    return module
