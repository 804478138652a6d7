"""Networks of the DGN form."""

from __future__ import annotations

from itertools import pairwise

import torch.nn.functional as F
from torch import Tensor, nn

from gsn.nn.batch import GraphBatch
from gsn.nn.config import DGNConfig, ModelConfig
from gsn.nn.layer.blocks import Block
from gsn.nn.layer.dgn import DGNConv
from gsn.nn.layer.encoder import Encoder
from gsn.nn.layer.scatter import readout
from gsn.nn.model.network import Network
from gsn.nn.model.parts import VertexEncoder


class DGN(Network):
    r"""A directional graph network whose vector fields are substructure counts.

    .. math::
        h_0 &= \mathrm{dropout}(\text{encoded features}), \quad h_{i+1} = \mathrm{layer}_i(h_i) \\
        \text{prediction} &= W_3\,\mathrm{ReLU}(W_2\,\mathrm{ReLU}(W_1\,\mathrm{readout}(h_L)))

    A layer is :class:`DGNConv`; the widths of the head halve twice. The field on an arc u → v is F_uv = x_uv for
    counts on arcs and x_u − x_v for counts on vertices.

    Args:
        config: inputs, a :class:`gsn.nn.config.DGNConfig` and the number of outputs.

    Shapes:
        a :class:`GraphBatch` to graphs × outputs.

    >>> import torch
    >>> from gsn.nn import GraphBatch
    >>> from gsn.nn.config import DGNConfig, Ids, Input, Inputs, ModelConfig
    >>> inputs = Inputs(Input.categories([9], "embedding", 8), ids=Ids("arc", Input.values(1)))
    >>> network = DGN(ModelConfig(inputs, DGNConfig([8, 8], ["mean", "max", "dir0-av"]), outputs=1))
    >>> edge_index = torch.tensor([[0, 1], [1, 0]])
    >>> network.eval()(GraphBatch(edge_index, x=torch.tensor([0, 8]), arc_counts=torch.tensor([1.0, 1.0]))).shape
    torch.Size([1, 1])
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        network = config.network
        if not isinstance(network, DGNConfig):
            raise ValueError("DGN needs a DGNConfig")
        self.network = network
        self.embedding_h = VertexEncoder(config.inputs)
        ids = config.inputs.ids
        self.vector_field = None if ids is None else Encoder(ids.input, "the counts")
        widths = [self.embedding_h.full_width, *network.layers]
        self.layers = nn.ModuleList(
            DGNConv(
                inputs,
                outputs,
                network.aggregators,
                network.scalers,
                network.avg_log_degree,
                network.residual,
                network.norm,
                network.graph_norm,
                network.depth,
                network.dropout,
            )
            for inputs, outputs in pairwise(widths)
        )
        self.MLP_layer = _Head(widths[-1], config.outputs)

    def _pass(self, batch: GraphBatch) -> tuple[Tensor, Tensor]:
        field = self._field(batch)
        h = F.dropout(self.embedding_h.read(batch).dense(), self.network.input_dropout, self.training)
        for layer in self.layers:
            h = layer(h, batch.edge_index, field, batch.batch, batch.num_graphs)
        pooled = readout(h, batch.batch, batch.num_graphs, self.network.readout)
        return self.MLP_layer(pooled), pooled

    def _field(self, batch: GraphBatch) -> Tensor | None:
        """The vector field: arcs × directions."""
        if self.vector_field is None:
            return None
        on_vertices = self.config.inputs.ids_of("vertex") is not None
        block: Block = self.vector_field(batch.vertex_counts if on_vertices else batch.arc_counts)
        rows = block.dense()
        if not on_vertices:
            return rows
        return rows.index_select(0, batch.edge_index[0]) - rows.index_select(0, batch.edge_index[1])


class _Head(nn.Module):
    """Three Linears whose widths halve, with ReLU between."""

    def __init__(self, width: int, outputs: int) -> None:
        super().__init__()
        widths = [width, max(width // 2, 1), max(width // 4, 1), outputs]
        self.FC_layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(widths))

    def forward(self, y: Tensor) -> Tensor:
        for k, linear in enumerate(self.FC_layers):
            y = linear(F.relu(y) if k > 0 else y)
        return y
