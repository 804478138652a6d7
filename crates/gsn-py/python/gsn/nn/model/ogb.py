"""Networks of the OGB form, with or without a virtual node."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gsn.nn.batch import GraphBatch
from gsn.nn.config import ModelConfig, OGBConfig
from gsn.nn.config.model import layer_reads
from gsn.nn.layer.blocks import Dense, added
from gsn.nn.layer.mlp import MLP, activate
from gsn.nn.layer.norm import BatchNorm
from gsn.nn.layer.ogb import OGBConv
from gsn.nn.layer.scatter import readout
from gsn.nn.model.parts import LayeredNetwork, make_head, readouts


class OGBNet(LayeredNetwork):
    r"""The network of the OGB experiments: GIN with edge features, substructure encodings and an optional virtual node.

    With one vector g per graph, and s, x, e as in :class:`OGBConv`:

    .. math::
        h_i &\leftarrow h_i + g \quad\text{(virtual node only)} \\
        h_{i+1} &= \mathrm{dropout}(\mathrm{ReLU}(\mathrm{BN}(\mathrm{layer}_i(h_i))))
            \quad\text{no ReLU behind the last layer} \\
        t &= \mathrm{MLP}(\textstyle\sum_v h_v + g), \quad g \leftarrow \mathrm{dropout}(\mathrm{ReLU}(t))

    With ``residual``, h_{i+1} also gets h_i and g becomes t + dropout(ReLU(t)). The prediction is a head on the
    readout of the last layer, or of the sum of those that ``jumping`` names.

    Args:
        config: inputs, a :class:`gsn.nn.config.OGBConfig` and the number of outputs.

    Shapes:
        a :class:`GraphBatch` to graphs × outputs.

    >>> from gsn.nn import GraphBatch
    >>> from gsn.nn.config import Input, Inputs, ModelConfig, OGBConfig, OGBLayer, VirtualNode
    >>> inputs = Inputs(Input.categories([9], "embedding", 6), arc=Input.categories([4], "embedding", 6))
    >>> network = OGBNet(ModelConfig(inputs, OGBConfig(layers=[OGBLayer([12])] * 2, virtual_node=VirtualNode([12])), 1))
    >>> edge_index = torch.tensor([[0, 1], [1, 0]])
    >>> network.eval()(GraphBatch(edge_index, x=torch.tensor([0, 8]), edge_attr=torch.tensor([3, 3]))).shape
    torch.Size([1, 1])
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config, adds=True)
        network = config.network
        if not isinstance(network, OGBConfig):
            raise ValueError("OGBNet needs an OGBConfig")
        self.network = network
        self.width = self.input_node_encoder.full_width
        norm, act = network.mlp_norm, network.mlp_activation
        self.conv = nn.ModuleList()
        self.batch_norms = nn.ModuleDict()
        for i, layer in enumerate(network.layers):
            self._add_readers(i, *layer_reads(i, layer.ids, layer.arcs))
            self.conv.append(OGBConv(self.width, layer.hidden, layer.learn_eps, norm, act))
            if layer.norm:
                self.batch_norms[str(i)] = BatchNorm(self.width)
        self.vn_encoder: _Start | None = None
        self.mlp_vn = nn.ModuleList()
        node = network.virtual_node
        if node is not None:
            self.vn_encoder = _Start(self.width) if node.learn_start else None
            for _ in network.layers[1:]:
                self.mlp_vn.append(MLP(self.width, node.hidden, self.width, norm, act))
        pooled = self.width * (1 + len(network.beside))
        self.lin_proj = make_head(network.head, pooled, config.outputs, norm, act)

    def _pass(self, batch: GraphBatch) -> tuple[Tensor, Tensor]:
        network = self.network
        h = self.input_node_encoder.read(batch).dense()
        g = self._start(h, batch)
        states = []
        for i, layer in enumerate(network.layers):
            if g is not None:
                h = h + g.index_select(0, batch.batch)
            states.append(h)
            after = self._layer(i, h, batch)
            after = F.dropout(after, layer.dropout, self.training)
            if network.residual:
                after = after + h
            if g is not None and network.virtual_node is not None and i < len(self.mlp_vn):
                pooled = readout(h, batch.batch, batch.num_graphs, network.virtual_node.readout)
                t = self.mlp_vn[i](pooled + g)
                g = F.dropout(activate(t, network.activation), layer.dropout, self.training)
                if network.residual:
                    g = t + g
            h = after
        states.append(h)
        jumping = network.jumping or [False] * len(network.layers) + [True]
        chosen = [state for state, jumps in zip(states, jumping, strict=True) if jumps]
        pooled = readouts(added(chosen), batch, network.readout, network.beside)
        return self.lin_proj(pooled), pooled

    def _layer(self, i: int, h: Tensor, batch: GraphBatch) -> Tensor:
        """ReLU(BN(layer_i(h))), no ReLU behind the last layer."""
        reads = self._reads(i, batch)
        y: Tensor = self.conv[i](Dense(h), batch.edge_index, reads.vertex_counts, reads.arc_counts, reads.edge_attr)
        if str(i) in self.batch_norms:
            y = self.batch_norms[str(i)](y)
        last = i + 1 == len(self.network.layers)
        return y if last else activate(y, self.network.activation)

    def _start(self, h: Tensor, batch: GraphBatch) -> Tensor | None:
        """The virtual node's start vector, once per graph."""
        if self.network.virtual_node is None:
            return None
        if self.vn_encoder is None:
            return h.new_zeros(batch.num_graphs, self.width)
        start: Tensor = self.vn_encoder()
        return start.expand(batch.num_graphs, -1)


class _Start(nn.Module):
    """The trained start of the virtual node, zero at first; nested as its name in a ``.gsn`` file says."""

    def __init__(self, width: int) -> None:
        super().__init__()
        row = nn.Module()
        row.weight = nn.Parameter(torch.zeros(1, width))
        rows = nn.Module()
        rows.encoder = nn.ModuleList([row])
        self.encoder = rows

    def reset_parameters(self) -> None:
        nn.init.zeros_(self.forward())

    def forward(self) -> Tensor:
        return self.get_parameter("encoder.encoder.0.weight")
