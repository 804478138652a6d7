"""DeepSets over arcs, the control without message passing."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor

from gsn.nn.batch import GraphBatch
from gsn.nn.config import DeepSetsConfig, ModelConfig
from gsn.nn.layer.mlp import MLP, ArcTerm, activate
from gsn.nn.layer.norm import BatchNorm
from gsn.nn.layer.scatter import readout
from gsn.nn.model.parts import LayeredNetwork, make_head


class DeepSets(LayeredNetwork):
    r"""DeepSets over the arcs of a graph.

    .. math:: \text{prediction} = \mathrm{dropout}(\rho(\mathrm{readout}_{u \to v}
        \mathrm{ReLU}(\mathrm{BN}(\mathrm{MLP}([h_u, h_v, x, e_{uv}])))))

    x is [x_u, x_v] for counts on vertices and x_uv for counts on arcs. A graph without arcs reads as zeros. The first
    Linear of the MLP is applied per vertex.

    Args:
        config: inputs, a :class:`gsn.nn.config.DeepSetsConfig` and the number of outputs.

    Shapes:
        a :class:`GraphBatch` to graphs × outputs.

    >>> import torch
    >>> from gsn.nn import GraphBatch
    >>> from gsn.nn.config import DeepSetsConfig, Input, Inputs, ModelConfig
    >>> network = DeepSets(ModelConfig(Inputs(Input.values(2)), DeepSetsConfig(hidden=[8], width=8), outputs=1))
    >>> network(GraphBatch(torch.tensor([[0, 1], [1, 0]]), x=torch.rand(2, 2))).shape
    torch.Size([1, 1])
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        network = config.network
        if not isinstance(network, DeepSetsConfig):
            raise ValueError("DeepSets needs a DeepSetsConfig")
        self.network = network
        widths = self._add_readers(0, ids=True, arcs=True)
        on_vertices = self.input_node_encoder.full_width + widths.vertex_counts
        inputs = 2 * on_vertices + widths.arc_counts + widths.edge_attr
        norm, act = network.mlp_norm, network.mlp_activation
        self.conv = MLP(inputs, network.hidden, network.width, norm, act)
        self.batch_norms = BatchNorm(network.width) if network.norm else None
        self.lin_proj = make_head(network.head, network.width, config.outputs, norm, act)

    def _pass(self, batch: GraphBatch) -> tuple[Tensor, Tensor]:
        h, reads = self.input_node_encoder.read(batch), self._reads(0, batch)
        source, target = batch.edge_index[0], batch.edge_index[1]
        terms: list[ArcTerm] = [(h, source), (h, target)]
        if reads.vertex_counts is not None:
            terms += [(reads.vertex_counts, source), (reads.vertex_counts, target)]
        terms += [(block, None) for block in (reads.arc_counts, reads.edge_attr) if block is not None]
        y = self.conv.over_arcs(terms)
        if self.batch_norms is not None:
            y = self.batch_norms(y)
        y = activate(y, self.network.activation)
        pooled = readout(y, batch.arc_batch, batch.num_graphs, self.network.readout)
        return F.dropout(self.lin_proj(pooled), self.network.dropout, self.training), pooled
