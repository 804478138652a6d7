"""Input of a Linear in blocks, so that ``[h_v, h_u, x_v, x_u, e_uv]`` is written as in the paper and never put
together.

A one-hot block stays symbolic: W·onehot(c) is column c of W, and with trained rows E it is row c of E·Wᵀ, so the
product is made once per category and looked up per vertex or arc.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor


class Block(ABC):
    """Rows of ``width`` numbers."""

    width: int

    @abstractmethod
    def __len__(self) -> int:
        """Number of rows."""

    @abstractmethod
    def dense(self) -> Tensor:
        """The rows written out: rows × width."""

    @abstractmethod
    def project(self, weight: Tensor) -> Tensor:
        """Every row times ``weight`` (out × width): rows × out."""


class Dense(Block):
    """Rows as they are."""

    def __init__(self, rows: Tensor) -> None:
        self.rows = rows
        self.width = rows.shape[1]

    def __len__(self) -> int:
        return self.rows.shape[0]

    def dense(self) -> Tensor:
        return self.rows

    def project(self, weight: Tensor) -> Tensor:
        return F.linear(self.rows, weight)


class OneHot(Block):
    """One-hot blocks of several columns side by side; ``index`` (rows × columns) says which numbers are 1."""

    def __init__(self, index: Tensor, width: int, dtype: torch.dtype) -> None:
        self.index = index
        self.width = width
        self.dtype = dtype

    def __len__(self) -> int:
        return self.index.shape[0]

    def dense(self) -> Tensor:
        rows = torch.zeros(self.index.shape[0], self.width, dtype=self.dtype, device=self.index.device)
        return rows.scatter_(1, self.index, 1.0)

    def project(self, weight: Tensor) -> Tensor:
        return F.embedding_bag(self.index, weight.t(), mode="sum")


class Trained(Block):
    """A trained row per category: summed over the columns, or side by side. ``index`` (rows × columns) runs over the
    tables one below the other."""

    def __init__(self, index: Tensor, tables: Sequence[Tensor], concat: bool) -> None:
        self.index = index
        self.tables = tables
        self.concat = concat
        self.width = sum(t.shape[1] for t in tables) if concat else tables[0].shape[1]

    def __len__(self) -> int:
        return self.index.shape[0]

    def dense(self) -> Tensor:
        table = torch.cat(list(self.tables))
        if self.concat:
            return F.embedding(self.index, table).flatten(1)
        return F.embedding_bag(self.index, table, mode="sum")

    def project(self, weight: Tensor) -> Tensor:
        parts = (
            torch.split(weight, [t.shape[1] for t in self.tables], dim=1)
            if self.concat
            else [weight] * len(self.tables)
        )
        table = torch.cat([F.linear(t, part) for t, part in zip(self.tables, parts, strict=True)])
        return F.embedding_bag(self.index, table, mode="sum")


class Side(Block):
    """Blocks side by side."""

    def __init__(self, parts: Sequence[Block]) -> None:
        self.parts = parts
        self.width = sum(part.width for part in parts)

    def __len__(self) -> int:
        return len(self.parts[0])

    def dense(self) -> Tensor:
        return torch.cat([part.dense() for part in self.parts], dim=1)

    def project(self, weight: Tensor) -> Tensor:
        pieces = torch.split(weight, [part.width for part in self.parts], dim=1)
        return added([part.project(piece) for part, piece in zip(self.parts, pieces, strict=True)])


def added(terms: Sequence[Tensor]) -> Tensor:
    """The sum of at least one term."""
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def as_block(rows: Tensor | Block, what: str, width: int) -> Block:
    """Rows of a caller as a block, if they have the width that the layer was made for.

    >>> as_block(torch.zeros(2, 3), "x", 4)
    Traceback (most recent call last):
        ...
    ValueError: x has 3 columns, but the layer was made for 4
    """
    if isinstance(rows, Tensor):
        if rows.dim() != 2 or not rows.is_floating_point():
            raise ValueError(f"{what}: a table of real numbers is needed, not {list(rows.shape)} of {rows.dtype}")
        rows = Dense(rows)
    if rows.width != width:
        raise ValueError(f"{what} has {rows.width} columns, but the layer was made for {width}")
    return rows


def maybe_block(rows: Tensor | Block | None, what: str, width: int) -> Block | None:
    """The same for rows that are there exactly if the layer was made for more than 0 columns of them."""
    if rows is None and width > 0:
        raise ValueError(f"{what} is missing: the layer was made for {width} columns of it")
    return None if rows is None else as_block(rows, what, width)
