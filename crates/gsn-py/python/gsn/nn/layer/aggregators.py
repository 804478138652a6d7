"""How a vertex of a DGN layer sums up its neighbours: plain aggregators, and averages weighted by a vector field F on
the arcs. Vertices without incoming arcs get zeros."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from gsn.nn.layer.scatter import scatter_count, scatter_extreme, scatter_sum

_EPS = 1e-8
_PLAIN = ("mean", "sum", "max", "min", "var", "std")
_DIRECTIONAL = re.compile(r"dir(\d+)-(?:(av|dx|dx-no-abs|dx-balanced)|(neg-)?([0-9.eE+-]+))")


@dataclass(frozen=True)
class Aggregator:
    """One aggregator of a DGN layer, by its name.

    ===================  =========================================================================
    ``mean`` ``sum``     average or sum of the neighbours
    ``max`` ``min``      largest or smallest entry per channel
    ``var`` ``std``      variance per channel, cut at 0; √(variance + 10⁻⁸)
    ``dir{d}-av``        Σ w h_u with w = \\|F\\| / (Σ\\|F\\| + 10⁻⁸), F being column d of the field
    ``dir{d}-dx``        \\|Σ w h_u − (Σ w) h_v\\| with w = F / (Σ\\|F\\| + 10⁻⁸)
    ``dir{d}-dx-no-abs`` the same without the outer bars
    ``dir{d}-dx-balanced`` w from the positive and the negative part of F, half each
    ``dir{d}-a``         w = softmax(a·\\|F\\|) over the neighbours; ``dir{d}-neg-a`` with −a
    ===================  =========================================================================

    >>> Aggregator.parse("dir2-av")
    Aggregator(kind='av', direction=2, sharpness=0.0)
    """

    kind: str
    direction: int | None = None
    sharpness: float = 0.0

    @classmethod
    def parse(cls, word: str) -> Aggregator:
        """The aggregator of this name."""
        if word in _PLAIN:
            return cls(word)
        found = _DIRECTIONAL.fullmatch(word)
        if found is not None and found[2]:
            return cls(found[2], int(found[1]))
        try:
            sharpness = float(found[4]) if found is not None else math.nan
        except ValueError:
            sharpness = math.nan
        if found is None or not (math.isfinite(sharpness) and sharpness > 0):
            raise ValueError(f"unknown aggregator `{word}`")
        return cls("softmax", int(found[1]), -sharpness if found[3] else sharpness)

    def __call__(self, h: Tensor, source: Tensor, target: Tensor, field: Tensor | None) -> Tensor:
        """One row per vertex from the rows of its neighbours: vertices × width."""
        size = h.shape[0]
        neighbours = h.index_select(0, source)
        if self.kind == "sum":
            return scatter_sum(neighbours, target, size)
        if self.kind in ("max", "min"):
            return scatter_extreme(neighbours, target, size, self.kind == "max")
        if self.kind in ("mean", "var", "std"):
            return self._moment(neighbours, target, size)
        if field is None or self.direction is None or self.direction >= field.shape[1]:
            raise ValueError(f"direction {self.direction} is not in the vector field")
        weights = self._weights(field[:, self.direction : self.direction + 1], target, size)
        y = scatter_sum(weights * neighbours, target, size)
        if self.kind.startswith("dx"):
            y = y - scatter_sum(weights, target, size) * h
        return y.abs() if self.kind in ("dx", "dx-balanced") else y

    def _moment(self, neighbours: Tensor, target: Tensor, size: int) -> Tensor:
        arcs = scatter_count(target, size, neighbours.dtype)
        some = arcs.clamp(min=1)
        mean = scatter_sum(neighbours, target, size) / some
        if self.kind == "mean":
            return mean
        var = F.relu(scatter_sum(neighbours * neighbours, target, size) / some - mean * mean)
        return var if self.kind == "var" else torch.where(arcs > 0, (var + _EPS).sqrt(), 0)

    def _weights(self, f: Tensor, target: Tensor, size: int) -> Tensor:
        """w of every arc: arcs × 1."""

        def share(part: Tensor, of: Tensor) -> Tensor:
            return part / (scatter_sum(of, target, size) + _EPS).index_select(0, target)

        if self.kind == "av":
            return share(f.abs(), f.abs())
        if self.kind in ("dx", "dx-no-abs"):
            return share(f, f.abs())
        if self.kind == "dx-balanced":
            front, back = F.relu(f), F.relu(-f)
            return (share(front, front) + share(back, back)) / 2
        score = self.sharpness * f.abs()
        top = scatter_extreme(score, target, size, largest=True).index_select(0, target)
        power = (score - top).exp()
        return power / scatter_sum(power, target, size).index_select(0, target)
