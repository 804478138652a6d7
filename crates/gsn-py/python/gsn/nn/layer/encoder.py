"""From a table of a batch to input of a Linear."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from gsn.nn.config.inputs import Input
from gsn.nn.layer.blocks import Block, Dense, OneHot, Trained


class Encoder(nn.Module):
    """An :class:`Input` with its parameters: one-hot rows stay symbolic, the rest becomes a table of numbers.

    Shapes:
        rows × columns (categories or numbers) to a block of rows × ``input.width``.

    >>> encoder = Encoder(Input.categories([3, 2], "one-hot"), "vertex features")
    >>> encoder(torch.tensor([[2, 0]])).dense().tolist()
    [[0.0, 0.0, 1.0, 1.0, 0.0]]
    """

    starts: Tensor
    sizes: Tensor
    dtype_of: Tensor

    def __init__(self, table: Input, what: str) -> None:
        super().__init__()
        self.input, self.what = table, what
        self.width = table.width
        self.encoder: nn.Module | None = None
        # Buffers that are not stored follow the module to its device and number type.
        self.register_buffer("dtype_of", torch.empty(0), persistent=False)
        if table.sizes is not None and table.encode in ("one-hot", "embedding", "embedding-concat"):
            starts = torch.tensor([0, *table.sizes[:-1]]).cumsum(0)
            self.register_buffer("starts", starts, persistent=False)
            self.register_buffer("sizes", torch.tensor(table.sizes), persistent=False)
            if table.encode != "one-hot":
                self.encoder = _Tables(table.sizes, table.to or 0)
        elif table.encode == "linear":
            self.encoder = nn.Linear(table.columns, table.width)

    def reset_parameters(self) -> None:
        if isinstance(self.encoder, nn.Linear | _Tables):
            self.encoder.reset_parameters()

    def forward(self, table: Tensor | None) -> Block:
        table = self._checked(table)
        if self.input.encode == "one-hot":
            return OneHot(self._index(table), self.width, self.dtype_of.dtype)
        if isinstance(self.encoder, _Tables):
            concat = self.input.encode == "embedding-concat"
            return Trained(self._index(table), self.encoder.tables(), concat)
        rows = table.to(self.dtype_of.dtype)
        if self.input.encode == "linear" and self.encoder is not None:
            rows = self.encoder(rows)
        elif self.input.encode == "log1p":
            rows = rows.clamp(min=0).log1p()
        elif self.input.encode == "standardise":
            deviation = [s if s > 0 else 1.0 for s in self.input.std]
            rows = (rows - rows.new_tensor(self.input.mean)) / rows.new_tensor(deviation)
        elif self.input.encode == "zero":
            rows = rows.new_zeros(rows.shape[0], self.width)
        return Dense(rows)

    def _index(self, table: Tensor) -> Tensor:
        """Which row of the stacked vocabularies each cell is. A category that is not there becomes a row that is not
        there either, so that the look-up refuses it on every device."""
        there = (table >= 0) & (table < self.sizes)
        return torch.where(there, table + self.starts, sum(self.input.sizes or ()))

    def _checked(self, table: Tensor | None) -> Tensor:
        """The table, if it is the one described. Values are looked at on the processor only: elsewhere that would stop
        the queue of the device."""
        if table is None:
            raise ValueError(f"{self.what} are missing")
        if table.dim() == 1:
            table = table.unsqueeze(1)
        categories = self.input.sizes is not None
        columns = table.shape[1] if table.dim() == 2 else -1
        if columns != self.input.columns:
            raise ValueError(f"{self.what} have the shape {list(table.shape)}; {self.input.columns} columns are needed")
        if categories and (table.is_floating_point() or table.is_complex()):
            raise ValueError(
                f"{self.what} are {table.dtype}; the network reads categories, so whole numbers are needed"
            )
        if self.input.sizes is not None and table.device.type == "cpu" and table.shape[0] > 0:
            lowest, highest = table.amin(0).tolist(), table.amax(0).tolist()
            for c, size in enumerate(self.input.sizes):
                if lowest[c] < 0 or highest[c] >= size:
                    bad = lowest[c] if lowest[c] < 0 else highest[c]
                    raise ValueError(f"{self.what}, column {c}: category {bad}, but the vocabulary has {size}")
        return table.to(torch.int64) if categories else table


class _Tables(nn.Module):
    """A table of trained rows for every column of categories."""

    def __init__(self, sizes: tuple[int, ...], width: int) -> None:
        super().__init__()
        self.encoder = nn.ModuleList(nn.Embedding(size, width) for size in sizes)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        for table in self.tables():
            bound = math.sqrt(6 / sum(table.shape))
            nn.init.uniform_(table, -bound, bound)

    def tables(self) -> list[Tensor]:
        return [table.weight for table in self.encoder if isinstance(table, nn.Embedding)]
