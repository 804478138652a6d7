"""What the networks have in common: encoders of what they read, and heads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from gsn.nn.batch import GraphBatch
from gsn.nn.config import Head, Input, Inputs, ModelConfig
from gsn.nn.layer.blocks import Block, Dense, Side
from gsn.nn.layer.encoder import Encoder
from gsn.nn.layer.mlp import MLP
from gsn.nn.layer.scatter import readout
from gsn.nn.model.network import Network


class VertexEncoder(Encoder):
    """Encodes the vertex features, which every network starts with, and puts beside them, if asked for, numbers of the
    vertices and fresh uniform noise (MPNN-r: in training and in evaluation). With ``adds`` a Linear brings the numbers
    to the width of the features, and they are added."""

    def __init__(self, inputs: Inputs, adds: bool = False) -> None:
        super().__init__(inputs.vertex, "vertex features")
        self.random = inputs.random
        self.adds = adds
        self.numbers: Encoder | None = None
        if inputs.numbers > 0:
            encode = ("linear", self.width) if adds else ("none", None)
            self.numbers = Encoder(Input.values(inputs.numbers, *encode), "numbers of vertices")
        self.full_width = self.width + (0 if adds else inputs.numbers) + inputs.random

    def read(self, batch: GraphBatch) -> Block:
        """vertices × full_width."""
        block: Block = self(batch.x)
        if self.numbers is not None:
            numbers: Block = self.numbers(batch.numbers)
            block = Dense(block.dense() + numbers.dense()) if self.adds else Side([block, numbers])
        if self.random == 0:
            return block
        noise = torch.rand(len(block), self.random, dtype=self.dtype_of.dtype, device=self.dtype_of.device)
        return Side([block, Dense(noise)])


@dataclass(frozen=True)
class Widths:
    """Widths of what a layer reads beside the vertices; 0 for what is absent."""

    vertex_counts: int
    arc_counts: int
    edge_attr: int


@dataclass(frozen=True)
class Reads:
    """What a layer reads beside the vertices in one pass."""

    vertex_counts: Block | None
    arc_counts: Block | None
    edge_attr: Block | None


class LayeredNetwork(Network):
    """A network whose layers read identifiers and arc features, each by encoders of its own: ``id_encoder.{layer}`` and
    ``edge_encoder.{layer}``."""

    def __init__(self, config: ModelConfig, adds: bool = False) -> None:
        super().__init__(config)
        self.input_node_encoder = VertexEncoder(config.inputs, adds)
        self.id_encoder = nn.ModuleDict()
        self.edge_encoder = nn.ModuleDict()

    def _add_readers(self, layer: int, ids: bool, arcs: bool, arc_width: int | None = None) -> Widths:
        inputs = self.config.inputs
        if ids and inputs.ids is not None:
            self.id_encoder[str(layer)] = Encoder(inputs.ids.input, "the counts")
        if arcs and inputs.arc is not None:
            self.edge_encoder[str(layer)] = Encoder(inputs.arc.with_width(arc_width), "arc features")

        def width(encoders: nn.ModuleDict) -> int:
            return sum(e.width for key, e in encoders.items() if key == str(layer) and isinstance(e, Encoder))

        ids_width = width(self.id_encoder)
        on_vertices = inputs.ids_of("vertex") is not None
        return Widths(ids_width if on_vertices else 0, 0 if on_vertices else ids_width, width(self.edge_encoder))

    def _reads(self, layer: int, batch: GraphBatch) -> Reads:
        key = str(layer)
        on_vertices = self.config.inputs.ids_of("vertex") is not None
        table = batch.vertex_counts if on_vertices else batch.arc_counts
        counts = self.id_encoder[key](table) if key in self.id_encoder else None
        arcs = self.edge_encoder[key](batch.edge_attr) if key in self.edge_encoder else None
        return Reads(counts if on_vertices else None, None if on_vertices else counts, arcs)


def readouts(x: Tensor, batch: GraphBatch, first: str, beside: Sequence[str]) -> Tensor:
    """The readout of every graph, and further ones beside it."""
    return torch.cat([readout(x, batch.batch, batch.num_graphs, how) for how in (first, *beside)], dim=1)


def make_head(head: Head, inputs: int, outputs: int, norm: bool, activation: str) -> nn.Module:
    """A Linear or an MLP from the readout of a graph to a prediction."""
    if head.hidden is None:
        return nn.Linear(inputs, outputs)
    return MLP(inputs, head.hidden, outputs, norm, activation)
