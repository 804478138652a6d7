"""BatchNorm over rows, as the Rust networks have it."""

from __future__ import annotations

from torch import Tensor, nn


class BatchNorm(nn.BatchNorm1d):
    r"""BatchNorm over the rows of a table.

    .. math:: y = \gamma \cdot (x - \text{mean}) / \sqrt{\text{var} + 10^{-5}} + \beta

    Training takes mean and biased variance of the rows at hand and moves the running statistics by a tenth (with the
    unbiased variance); evaluation takes the running statistics. Fewer than two rows have no variance: they become
    β and move nothing (where ``torch.nn.BatchNorm1d`` refuses).

    Args:
        width: number of columns.

    Shapes:
        rows × width to rows × width.

    >>> import torch
    >>> BatchNorm(2)(torch.tensor([[3.0, 4.0]])).tolist()
    [[0.0, 0.0]]
    """

    def __init__(self, width: int) -> None:
        super().__init__(width, eps=1e-5, momentum=0.1)

    def forward(self, input: Tensor) -> Tensor:
        if self.training and input.shape[0] < 2:
            # Multiplying by zero keeps every parameter in the graph of the gradient, as DDP wants it.
            return input * 0 * self.weight + self.bias
        return super().forward(input)
