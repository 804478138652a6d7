"""Networks of the general and the GIN form, with jumping knowledge."""

from __future__ import annotations

from dataclasses import replace

import torch.nn.functional as F
from torch import Tensor, nn

from gsn.nn.batch import GraphBatch
from gsn.nn.config import GSNConfig, GSNLayer, Head, ModelConfig
from gsn.nn.config.model import layer_reads
from gsn.nn.layer.blocks import Block, Dense, Side
from gsn.nn.layer.encoder import Encoder
from gsn.nn.layer.general import GSNConv
from gsn.nn.layer.gin import GINSubstructureConv
from gsn.nn.layer.mlp import activate
from gsn.nn.layer.norm import BatchNorm
from gsn.nn.layer.state import ArcState
from gsn.nn.model.parts import LayeredNetwork, Widths, make_head, readouts


class GSN(LayeredNetwork):
    r"""Graph Substructure Networks, GSN-v and GSN-e, in the general and the GIN form.

    .. math::
        x_{i+1} &= \mathrm{ReLU}(\mathrm{BN}(\mathrm{layer}_i(x_i))) \; [+\, x_i] \\
        \text{prediction} &= \sum_i \mathrm{dropout}(\mathrm{head}_i(\mathrm{readout}(x_i)))

    x_0 are the encoded vertex features; with ``arc_states`` layers behind the first read states of arcs
    (:class:`ArcState`) in place of their features. A layer is :class:`GSNConv` (``form="general"``) or
    :class:`GINSubstructureConv` (``form="gin"``).

    Args:
        config: inputs, a :class:`gsn.nn.config.GSNConfig` and the number of outputs.

    Shapes:
        a :class:`GraphBatch` to graphs × outputs.

    >>> import torch
    >>> from gsn.nn import GraphBatch
    >>> from gsn.nn.config import GSNConfig, GSNLayer, Ids, Input, Inputs, ModelConfig
    >>> inputs = Inputs(Input.values(2), ids=Ids("vertex", Input.categories([4], "one-hot")))
    >>> network = GSN(ModelConfig(inputs, GSNConfig(form="general", layers=[GSNLayer(8)] * 2), outputs=1))
    >>> edge_index = torch.tensor([[0, 1, 1, 2, 2, 0], [1, 0, 2, 1, 0, 2]])
    >>> triangle = GraphBatch(edge_index, x=torch.rand(3, 2), vertex_counts=torch.tensor([1, 1, 1]))
    >>> network(GraphBatch.union([triangle, triangle])).shape
    torch.Size([2, 1])
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        network = config.network
        if not isinstance(network, GSNConfig):
            raise ValueError("GSN needs a GSNConfig")
        self.network = network
        self.degree_encoder = nn.ModuleDict()
        self.conv = nn.ModuleList()
        self.batch_norms = nn.ModuleDict()
        self.lin_proj = nn.ModuleDict()
        self.arc_states = nn.ModuleList()
        widths = [self.input_node_encoder.full_width]
        for i, layer in enumerate(network.layers):
            self._add_layer(i, layer, widths[-1])
            widths.append(layer.width)
        heads = network.heads or [None] * len(network.layers) + [Head()]
        norm, act = network.mlp_norm, network.mlp_activation
        for i, head in enumerate(heads):
            if head is not None:
                pooled = widths[i] * (1 + len(network.beside))
                self.lin_proj[str(i)] = make_head(head, pooled, config.outputs, norm, act)

    def _add_layer(self, i: int, layer: GSNLayer, width: int) -> None:
        network = self.network
        widths = self._add_readers(i, *layer_reads(i, layer.ids, network.arcs(i)), layer.arc_width)
        if network.arc_states is not None:
            if i > 0:
                widths = replace(widths, edge_attr=network.arc_states)
            if i + 1 < len(network.layers):
                norm, act, old = layer.norm, network.activation, widths.edge_attr
                residual = network.residual and i > 0
                self.arc_states.append(ArcState(layer.width, old, network.arc_states, norm, act, residual))
        degree = self.config.inputs.degree
        if layer.degree != "none" and degree is not None:
            self.degree_encoder[str(i)] = Encoder(degree, "degrees")
            width = degree.width + (width if layer.degree == "append" else 0)
        self.conv.append(self._make_conv(i, layer, width, widths))
        if layer.norm:
            self.batch_norms[str(i)] = BatchNorm(layer.width)

    def _make_conv(self, i: int, layer: GSNLayer, width: int, widths: Widths) -> nn.Module:
        network, inputs = self.network, self.config.inputs
        arc = None if network.arc_states is not None and i > 0 else inputs.arc
        sizes = (width, layer.width, widths.vertex_counts, widths.arc_counts, widths.edge_attr, layer.hidden)
        if network.form == "general":
            return GSNConv(*sizes, layer.message, network.mlp_norm, network.mlp_activation)

        def centre(one_hot: bool) -> str:
            dummy = "column" if one_hot else "row"
            return dummy if network.dummy_self else "zeros"

        return GINSubstructureConv(
            *sizes,
            learn_eps=layer.learn_eps,
            counts_centre=centre(inputs.ids is not None and inputs.ids.input.encode == "one-hot"),
            edge_centre=centre(arc is not None and arc.encode == "one-hot"),
            norm=network.mlp_norm,
            activation=network.mlp_activation,
        )

    def _pass(self, batch: GraphBatch) -> tuple[Tensor, Tensor]:
        x: Block = self.input_node_encoder.read(batch)
        jumps = [self._jump(0, x, batch)]
        state: Block | None = None
        for i, conv in enumerate(self.conv):
            vertices, reads = self._with_degrees(i, x, batch), self._reads(i, batch)
            arc = reads.edge_attr if state is None else state
            h: Tensor = conv(vertices, batch.edge_index, reads.vertex_counts, reads.arc_counts, arc)
            if str(i) in self.batch_norms:
                h = self.batch_norms[str(i)](h)
            h = activate(h, self.network.activation)
            if self.network.residual and x.width == h.shape[1]:
                h = h + x.dense()
            x = Dense(h)
            if i < len(self.arc_states):
                update = self.arc_states[i]
                assert isinstance(update, ArcState)
                state = update.states(h, batch.edge_index, arc)
            jumps.append(self._jump(i + 1, x, batch))
        found = [jump for jump in jumps if jump is not None]
        prediction, _ = found[0]
        for more, _ in found[1:]:
            prediction = prediction + more
        return prediction, found[-1][1]

    def _jump(self, i: int, x: Block, batch: GraphBatch) -> tuple[Tensor, Tensor] | None:
        """dropout(head_i(readout(x_i))), if there is such a head, and what it reads."""
        if str(i) not in self.lin_proj:
            return None
        pooled = readouts(x.dense(), batch, self.network.readout, self.network.beside)
        p = self.network.dropout[i] if self.network.dropout else 0.0
        return F.dropout(self.lin_proj[str(i)](pooled), p, self.training), pooled

    def _with_degrees(self, i: int, x: Block, batch: GraphBatch) -> Block:
        """What layer i reads of the vertices: x_i, degrees in its place, or both."""
        if str(i) not in self.degree_encoder:
            return x
        degrees: Block = self.degree_encoder[str(i)](batch.degrees)
        return degrees if self.network.layers[i].degree == "replace" else Side([x, degrees])
