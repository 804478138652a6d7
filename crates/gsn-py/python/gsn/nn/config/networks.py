"""The settings of the four kinds of networks. Every field says its default; lists may be given as lists or tuples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from gsn.nn.config import fields
from gsn.nn.config.fields import Fields
from gsn.nn.layer.aggregators import Aggregator

_widths = fields.list_of(fields.whole)
#: Fields that are written only where they differ from their default, as the program does.
_IF_GIVEN = {"if_given": True}


@dataclass(frozen=True)
class Head:
    """From the readout of a graph to a prediction: one Linear, or an MLP with hidden widths.

    >>> Head().to_dict(), Head([64]).to_dict()
    ('linear', {'mlp': {'hidden': [64]}})
    """

    hidden: Sequence[int] | None = None

    def __post_init__(self) -> None:
        fields.check_widths("head", self.hidden or ())

    @classmethod
    def from_dict(cls, value: Any, what: str = "head") -> Head:
        if value == "linear":
            return cls()
        outer = Fields(value, what)
        own = Fields(outer.take("mlp", lambda v, _: v), f"{what}.mlp")
        outer.end()
        head = cls(own.take("hidden", _widths))
        own.end()
        return head

    def to_dict(self) -> Any:
        return "linear" if self.hidden is None else {"mlp": {"hidden": list(self.hidden)}}


@dataclass(frozen=True)
class GSNLayer:
    """One layer of the general or the GIN form.

    * ``width``: output width;
    * ``hidden``: hidden widths of its MLPs; default: one of the output width;
    * ``message``: width of the messages (general form); default: the output width;
    * ``norm``: BatchNorm behind the layer;
    * ``ids``: reads the identifiers; default: the first layer does, the others do not;
    * ``arcs``: reads the arc features; default: every layer does;
    * ``arc_width``: width of the encoded arc features in this layer, where their encoding has one;
    * ``degree``: degrees ``"replace"`` the vertex features, ``"append"`` to them, or do nothing (``"none"``);
    * ``learn_eps``: trains ε (GIN form).
    """

    width: int
    hidden: Sequence[int] | None = None
    message: int | None = None
    norm: bool = True
    ids: bool | None = None
    arcs: bool | None = None
    arc_width: int | None = None
    degree: str = "none"
    learn_eps: bool = False

    def __post_init__(self) -> None:
        chosen = [w for w in (self.message, self.arc_width) if w is not None]
        fields.check_widths("a layer", [self.width, *(self.hidden or ()), *chosen])
        fields.check_word("degree", self.degree, ("none", "replace", "append"))

    @classmethod
    def from_dict(cls, value: Any, what: str = "layer") -> GSNLayer:
        own = Fields(value, what)
        layer = cls(
            own.take("width", fields.whole),
            own.maybe("hidden", _widths),
            own.maybe("message", fields.whole),
            own.take("norm", fields.flag, True),
            own.maybe("ids", fields.flag),
            own.maybe("arcs", fields.flag),
            own.maybe("arc_width", fields.whole),
            own.take("degree", fields.text, "none"),
            own.take("learn_eps", fields.flag, False),
        )
        own.end()
        return layer


@dataclass(frozen=True)
class _Activations:
    """What the networks with MLPs have in common."""

    mlp_norm: bool = True
    mlp_activation: str = "relu"
    activation: str = "relu"

    def __post_init__(self) -> None:
        fields.check_word("mlp_activation", self.mlp_activation, fields.ACTIVATIONS)
        fields.check_word("activation", self.activation, fields.ACTIVATIONS)


@dataclass(frozen=True)
class GSNConfig(_Activations):
    """The general and the GIN form with jumping knowledge.

    * ``form``: ``"general"`` or ``"gin"``;
    * ``layers``: first to last;
    * ``dummy_self``: GIN form: the centre gets a dummy for features on arcs;
    * ``readout``: ``"sum"``, ``"mean"`` or ``"max"`` over the vertices of a graph;
    * ``beside``: further readouts that the heads read beside it; default: none;
    * ``heads``: of the encoded input, then of every layer; default: a Linear on the last layer;
    * ``dropout``: on the output of each head; default: none;
    * ``residual``: adds a layer's input to its output where the widths agree;
    * ``arc_states``: width of states of the arcs, made anew behind every layer but the last; layers behind the first
      read them in place of the arc features; default: none.
    """

    form: str = "general"
    layers: Sequence[GSNLayer] = ()
    dummy_self: bool = True
    readout: str = "sum"
    heads: Sequence[Head | None] = ()
    dropout: Sequence[float] = ()
    residual: bool = False
    beside: Sequence[str] = field(default=(), metadata=_IF_GIVEN)
    arc_states: int | None = field(default=None, metadata=_IF_GIVEN)

    kind: ClassVar[str] = "gsn"

    def __post_init__(self) -> None:
        super().__post_init__()
        fields.check_word("form", self.form, ("general", "gin"))
        _check_readouts(self.readout, self.beside)
        _some(self.layers, "layers")
        for i, layer in enumerate(self.layers):
            if self.form == "general" and layer.learn_eps:
                raise ValueError(f"layer {i}: learn_eps belongs to the gin form")
            if self.form == "gin" and layer.message is not None:
                raise ValueError(f"layer {i}: the gin form has no message width")
        _length("heads", len(self.heads), len(self.layers))
        _length("dropout", len(self.dropout), len(self.layers))
        if self.heads and all(head is None for head in self.heads):
            raise ValueError("heads: at least one must be there")
        for p in self.dropout:
            fields.check_probability("heads", p)
        if self.arc_states is not None:
            fields.check_widths("arc_states", [self.arc_states])
            if len(self.layers) == 1:
                raise ValueError("arc_states: there is no second layer to read them")
            for i, layer in enumerate(self.layers):
                if i > 0 and layer.arcs:
                    raise ValueError(f"layer {i} reads the states of arcs, not their features")

    def arcs(self, i: int) -> bool | None:
        """The setting ``arcs`` of layer ``i``; states stand in place of features behind the first."""
        return False if self.arc_states is not None and i > 0 else self.layers[i].arcs

    @classmethod
    def read(cls, own: Fields) -> GSNConfig:
        return cls(
            **_activations(own),
            form=own.take("form", fields.text),
            layers=own.take("layers", fields.list_of(GSNLayer.from_dict)),
            dummy_self=own.take("dummy_self", fields.flag, True),
            readout=own.take("readout", fields.text, "sum"),
            heads=own.take("heads", fields.list_of(fields.optional(Head.from_dict)), ()),
            dropout=own.take("dropout", fields.list_of(fields.number), ()),
            residual=own.take("residual", fields.flag, False),
            beside=own.take("beside", fields.list_of(fields.text), ()),
            arc_states=own.maybe("arc_states", fields.whole),
        )


@dataclass(frozen=True)
class OGBLayer:
    """One layer of the OGB form: hidden widths of its MLP, BatchNorm behind it, what it reads, ε, dropout behind it."""

    hidden: Sequence[int]
    norm: bool = True
    ids: bool | None = None
    arcs: bool | None = None
    learn_eps: bool = False
    dropout: float = 0.0

    def __post_init__(self) -> None:
        fields.check_widths("a layer", self.hidden)
        fields.check_probability("a layer", self.dropout)

    @classmethod
    def from_dict(cls, value: Any, what: str = "layer") -> OGBLayer:
        own = Fields(value, what)
        layer = cls(
            own.take("hidden", _widths),
            own.take("norm", fields.flag, True),
            own.maybe("ids", fields.flag),
            own.maybe("arcs", fields.flag),
            own.take("learn_eps", fields.flag, False),
            own.take("dropout", fields.number, 0.0),
        )
        own.end()
        return layer


@dataclass(frozen=True)
class VirtualNode:
    """One vector per graph beside its vertices: hidden widths of its MLPs, how it reads the vertices, whether its start
    is trained (zero at first)."""

    hidden: Sequence[int]
    readout: str = "sum"
    learn_start: bool = True

    def __post_init__(self) -> None:
        fields.check_widths("virtual node", self.hidden)
        fields.check_word("virtual node: readout", self.readout, fields.READOUTS)

    @classmethod
    def from_dict(cls, value: Any, what: str = "virtual_node") -> VirtualNode:
        own = Fields(value, what)
        node = cls(
            own.take("hidden", _widths),
            own.take("readout", fields.text, "sum"),
            own.take("learn_start", fields.flag, True),
        )
        own.end()
        return node


@dataclass(frozen=True)
class OGBConfig(_Activations):
    """The OGB form. All layers have the width of the encoded vertex features, and so have identifiers and arc features.

    * ``layers``: first to last;
    * ``virtual_node``: default: none;
    * ``residual``: adds each layer's input to its output;
    * ``readout``: over the vertices of a graph;
    * ``beside``: further readouts that the head reads beside it; default: none;
    * ``jumping``: which of the encoded input and the layers' outputs are summed; default: the last only;
    * ``head``: from graphs to predictions.
    """

    layers: Sequence[OGBLayer] = ()
    virtual_node: VirtualNode | None = None
    residual: bool = False
    readout: str = "mean"
    jumping: Sequence[bool] = ()
    head: Head = Head()
    beside: Sequence[str] = field(default=(), metadata=_IF_GIVEN)

    kind: ClassVar[str] = "ogb"

    def __post_init__(self) -> None:
        super().__post_init__()
        _some(self.layers, "layers")
        _check_readouts(self.readout, self.beside)
        _length("jumping", len(self.jumping), len(self.layers))
        if self.jumping and not any(self.jumping):
            raise ValueError("jumping: at least one must be true")

    @classmethod
    def read(cls, own: Fields) -> OGBConfig:
        return cls(
            **_activations(own),
            layers=own.take("layers", fields.list_of(OGBLayer.from_dict)),
            virtual_node=own.maybe("virtual_node", VirtualNode.from_dict),
            residual=own.take("residual", fields.flag, False),
            readout=own.take("readout", fields.text, "mean"),
            jumping=own.take("jumping", fields.list_of(fields.flag), ()),
            head=own.take("head", Head.from_dict, Head()),
            beside=own.take("beside", fields.list_of(fields.text), ()),
        )


@dataclass(frozen=True)
class DGNConfig:
    """The DGN form.

    * ``layers``: output width of every layer;
    * ``aggregators``: ``"mean"``, ``"max"``, ``"dir0-av"``, …; ``dir{d}`` reads column d of the identifiers;
    * ``scalers``: ``"identity"``, ``"amplification"``, ``"attenuation"``; all aggregators are repeated for each;
    * ``avg_log_degree``: mean of ln(degree + 1) over the training set, for the scalers;
    * ``residual``: adds a layer's input to its output where the widths agree;
    * ``norm``: BatchNorm in every layer;
    * ``graph_norm``: divides by the root of the graph's size before BatchNorm;
    * ``depth``: Linears per layer;
    * ``readout``: over the vertices of a graph;
    * ``dropout``, ``input_dropout``: behind every layer, behind the vertex encoder.
    """

    layers: Sequence[int]
    aggregators: Sequence[str]
    scalers: Sequence[str] = ("identity",)
    avg_log_degree: float = 1.0
    residual: bool = True
    norm: bool = True
    graph_norm: bool = False
    depth: int = 1
    readout: str = "mean"
    dropout: float = 0.0
    input_dropout: float = 0.0

    kind: ClassVar[str] = "dgn"

    def __post_init__(self) -> None:
        if not (self.layers and self.aggregators and self.scalers):
            raise ValueError("the dgn form needs layers, aggregators and scalers")
        fields.check_widths("layers", self.layers)
        fields.check_widths("depth", [self.depth])
        fields.check_word("readout", self.readout, fields.READOUTS)
        for scaler in self.scalers:
            fields.check_word("scalers", scaler, ("identity", "amplification", "attenuation"))
        if not self.avg_log_degree > 0:
            raise ValueError("avg_log_degree must be positive")
        fields.check_probability("dropout", self.dropout)
        fields.check_probability("input_dropout", self.input_dropout)
        for word in self.aggregators:
            Aggregator.parse(word)

    @property
    def directions(self) -> int:
        """How many columns of the field the aggregators read at least."""
        used = [Aggregator.parse(word).direction for word in self.aggregators]
        return max((d + 1 for d in used if d is not None), default=0)

    @classmethod
    def read(cls, own: Fields) -> DGNConfig:
        return cls(
            own.take("layers", _widths),
            own.take("aggregators", fields.list_of(fields.text)),
            own.take("scalers", fields.list_of(fields.text), ("identity",)),
            own.take("avg_log_degree", fields.number, 1.0),
            own.take("residual", fields.flag, True),
            own.take("norm", fields.flag, True),
            own.take("graph_norm", fields.flag, False),
            own.take("depth", fields.whole, 1),
            own.take("readout", fields.text, "mean"),
            own.take("dropout", fields.number, 0.0),
            own.take("input_dropout", fields.number, 0.0),
        )


@dataclass(frozen=True)
class DeepSetsConfig(_Activations):
    """DeepSets over arcs: hidden widths and output width of φ, BatchNorm behind it, the readout over arcs, ρ, and the
    dropout on the prediction."""

    hidden: Sequence[int] = ()
    width: int = 0
    norm: bool = True
    readout: str = "sum"
    head: Head = Head()
    dropout: float = 0.0

    kind: ClassVar[str] = "deep-sets"

    def __post_init__(self) -> None:
        super().__post_init__()
        fields.check_widths("hidden", self.hidden)
        fields.check_widths("width", [self.width])
        fields.check_word("readout", self.readout, fields.READOUTS)
        fields.check_probability("dropout", self.dropout)

    @classmethod
    def read(cls, own: Fields) -> DeepSetsConfig:
        return cls(
            **_activations(own),
            hidden=own.take("hidden", _widths),
            width=own.take("width", fields.whole),
            norm=own.take("norm", fields.flag, True),
            readout=own.take("readout", fields.text, "sum"),
            head=own.take("head", Head.from_dict, Head()),
            dropout=own.take("dropout", fields.number, 0.0),
        )


NetworkConfig = GSNConfig | OGBConfig | DGNConfig | DeepSetsConfig

READERS: dict[str, Callable[[Fields], NetworkConfig]] = {
    config.kind: config.read for config in (GSNConfig, OGBConfig, DGNConfig, DeepSetsConfig)
}


def _activations(own: Fields) -> dict[str, Any]:
    return {
        "mlp_norm": own.take("mlp_norm", fields.flag, True),
        "mlp_activation": own.take("mlp_activation", fields.text, "relu"),
        "activation": own.take("activation", fields.text, "relu"),
    }


def _check_readouts(readout: str, beside: Sequence[str]) -> None:
    for word in (readout, *beside):
        fields.check_word("readout", word, fields.READOUTS)


def _some(layers: Sequence[Any], what: str) -> None:
    if not layers:
        raise ValueError(f"{what}: a network needs at least one layer")


def _length(what: str, got: int, layers: int) -> None:
    """A list with an entry for the input and one per layer, or an empty one."""
    if got not in (0, layers + 1):
        raise ValueError(f"{what}: {got} entries, but there are {layers + 1} (input and layers)")
