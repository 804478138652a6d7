"""Sums, means and extremes of rows that belong together: arcs into a vertex, vertices of a graph. Rows that nothing
belongs to are zeros. Plain torch, so they run on every device."""

from __future__ import annotations

import torch
from torch import Tensor


def scatter_sum(rows: Tensor, to: Tensor, size: int) -> Tensor:
    """out_i = Σ of the rows r with ``to[r]`` = i; ``size`` × width.

    >>> scatter_sum(torch.tensor([[1.0], [2.0], [4.0]]), torch.tensor([0, 2, 0]), 3).tolist()
    [[5.0], [0.0], [2.0]]
    """
    return rows.new_zeros(size, rows.shape[1]).index_add_(0, to, rows)


def scatter_count(to: Tensor, size: int, dtype: torch.dtype) -> Tensor:
    """How many rows go to each place, as a column: ``size`` × 1."""
    ones = torch.ones(to.shape[0], 1, dtype=dtype, device=to.device)
    return scatter_sum(ones, to, size)


def scatter_extreme(rows: Tensor, to: Tensor, size: int, largest: bool) -> Tensor:
    """The largest or smallest entry of each column. Where several rows hold it, the first of them gets the gradient.

    >>> scatter_extreme(torch.tensor([[1.0], [3.0], [2.0]]), torch.tensor([0, 0, 2]), 3, largest=True).tolist()
    [[3.0], [0.0], [2.0]]
    """
    if rows.shape[0] == 0:
        return rows.new_zeros(size, rows.shape[1])
    place = to.unsqueeze(1).expand_as(rows)
    with torch.no_grad():
        how = "amax" if largest else "amin"
        best = rows.new_zeros(size, rows.shape[1]).scatter_reduce(0, place, rows, reduce=how, include_self=False)
        holds = (rows == best.index_select(0, to)) | rows.isnan()
        nobody = rows.shape[0]
        number = torch.arange(nobody, device=rows.device).unsqueeze(1)
        claims = torch.where(holds, number, nobody)
        winner = torch.full_like(best, nobody, dtype=torch.int64).scatter_reduce(0, place, claims, reduce="amin")
    found = rows.gather(0, winner.clamp(max=nobody - 1))
    return torch.where(winner < nobody, found, 0)


def readout(rows: Tensor, to: Tensor, size: int, how: str) -> Tensor:
    """One row per graph: ``"sum"``, ``"mean"`` (isolated vertices count) or ``"max"``.

    >>> readout(torch.tensor([[1.0], [3.0]]), torch.tensor([1, 1]), 2, "mean").tolist()
    [[0.0], [2.0]]
    """
    if how == "max":
        return scatter_extreme(rows, to, size, largest=True)
    total = scatter_sum(rows, to, size)
    if how == "sum":
        return total
    return total / scatter_count(to, size, rows.dtype).clamp(min=1)
