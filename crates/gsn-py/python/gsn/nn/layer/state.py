"""States of arcs, made anew behind a layer."""

from __future__ import annotations

from torch import Tensor

from gsn.nn.layer.blocks import Block, Dense
from gsn.nn.layer.mlp import MLP, ArcTerm, activate
from gsn.nn.layer.norm import BatchNorm


class ArcState(MLP):
    r"""A state of every arc from the vertices at its ends and the state before.

    .. math:: s'_{uv} = \mathrm{ReLU}(\mathrm{BN}(W [h_v, h_u, s_{uv}] + b)) \; [+\, s_{uv}]

    Args:
        vertices: width of the vertices h.
        before: width of the state before; 0 for none.
        width: width of the state.
        norm: BatchNorm in front of the activation.
        activation: as in :class:`MLP`.
        residual: adds the state before, which must be as wide.

    Shapes:
        * h: vertices × vertices, before: arcs × before, output: arcs × width.

    >>> import torch
    >>> edge_index = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    >>> ArcState(4, 0, 3).states(torch.rand(3, 4), edge_index, None).width
    3
    """

    def __init__(
        self,
        vertices: int,
        before: int,
        width: int,
        norm: bool = True,
        activation: str = "relu",
        residual: bool = False,
    ) -> None:
        super().__init__(2 * vertices + before, [], width, norm=False, activation=activation)
        self.norm = BatchNorm(width) if norm else None
        self.residual = residual

    def reset_parameters(self) -> None:
        """Fresh weights and statistics."""
        super().reset_parameters()
        if self.norm is not None:
            self.norm.reset_parameters()

    def states(self, h: Tensor, edge_index: Tensor, before: Block | None) -> Block:
        """The states behind the layer whose vertices are ``h``."""
        vertices = Dense(h)
        terms: list[ArcTerm] = [(vertices, edge_index[1]), (vertices, edge_index[0])]
        if before is not None:
            terms.append((before, None))
        state = self.over_arcs(terms)
        if self.norm is not None:
            state = self.norm(state)
        state = activate(state, self.activation)
        if self.residual and before is not None:
            state = state + before.dense()
        return Dense(state)
