"""A model: what it reads, what it computes, how many numbers it predicts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from gsn.nn.config import fields as settings
from gsn.nn.config.fields import Fields
from gsn.nn.config.inputs import Inputs
from gsn.nn.config.networks import READERS, DGNConfig, GSNConfig, Head, NetworkConfig, OGBConfig


@dataclass(frozen=True)
class ModelConfig:
    """Inputs, network and number of outputs, checked against each other.

    >>> from gsn.nn.config import GSNConfig, GSNLayer, Input, Inputs
    >>> inputs = Inputs(Input.categories([28], "one-hot"))
    >>> config = ModelConfig(inputs, GSNConfig(form="gin", layers=[GSNLayer(16)] * 2), outputs=1)
    >>> ModelConfig.from_dict(config.to_dict()).to_dict() == config.to_dict()
    True
    """

    inputs: Inputs
    network: NetworkConfig
    outputs: int

    def __post_init__(self) -> None:
        settings.check_widths("outputs", [self.outputs])
        network, inputs = self.network, self.inputs
        if isinstance(network, GSNConfig):
            _check_layers(inputs, [(layer.ids, network.arcs(i)) for i, layer in enumerate(network.layers)])
            uses = any(layer.degree != "none" for layer in network.layers)
            if uses and inputs.degree is None:
                raise ValueError("a layer reads degrees, but there are none in inputs")
            _unused("degrees", "network", inputs.degree is not None and not uses)
            return
        _unused("degrees", f"{network.kind} network", inputs.degree is not None)
        if isinstance(network, OGBConfig):
            _check_layers(inputs, [(layer.ids, layer.arcs) for layer in network.layers])
            _check_ogb_widths(inputs)
        elif isinstance(network, DGNConfig):
            _check_directions(inputs, network)

    @classmethod
    def from_dict(cls, value: Any) -> ModelConfig:
        """From what JSON gives, as it stands in a ``.gsn`` file."""
        own = Fields(value, "configuration")
        inputs = own.take("inputs", Inputs.from_dict)
        network = own.take("network", _read_network)
        outputs = own.take("outputs", settings.whole)
        own.end()
        return cls(inputs, network, outputs)

    @classmethod
    def from_json(cls, text: str) -> ModelConfig:
        """From a JSON text."""
        return cls.from_dict(json.loads(text))

    def to_dict(self) -> dict[str, Any]:
        """What JSON is written from; the program reads it."""
        network = {"kind": self.network.kind, **_plain(self.network)}
        return {"inputs": self.inputs.to_dict(), "network": network, "outputs": self.outputs}


def layer_reads(layer: int, ids: bool | None, arcs: bool | None) -> tuple[bool, bool]:
    """Whether a layer reads identifiers and arc features: by default the first the former, every one the latter."""
    return (layer == 0 if ids is None else ids), (True if arcs is None else arcs)


def _read_network(value: Any, what: str) -> NetworkConfig:
    own = Fields(value, what)
    kind = own.take("kind", settings.text)
    settings.check_word(f"{what}.kind", kind, READERS)
    network = READERS[kind](own)
    own.end()
    return network


def _plain(value: Any) -> Any:
    """Dataclasses and tuples as mappings and lists."""
    if isinstance(value, Head):
        return value.to_dict()
    if is_dataclass(value) and not isinstance(value, type):
        there = {field: getattr(value, field.name) for field in fields(value)}
        # An empty list may have been given where the default is an empty tuple.
        written = {f.name: v for f, v in there.items() if v or not f.metadata.get("if_given")}
        return {name: _plain(item) for name, item in written.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def _check_layers(inputs: Inputs, reads: Sequence[tuple[bool | None, bool | None]]) -> None:
    """Is what the layers read there, and is what is there read?"""
    for i, (ids, arcs) in enumerate(reads):
        for what, wanted, there in (("identifiers", ids, inputs.ids), ("arc features", arcs, inputs.arc)):
            if wanted and there is None:
                raise ValueError(f"layer {i} reads {what}, but there are none in inputs")
    used = [layer_reads(i, ids, arcs) for i, (ids, arcs) in enumerate(reads)]
    _unused("identifiers", "network", inputs.ids is not None and not any(ids for ids, _ in used))
    _unused("arc features", "network", inputs.arc is not None and not any(arcs for _, arcs in used))


def _check_ogb_widths(inputs: Inputs) -> None:
    width = inputs.vertex.width + inputs.random
    ids = inputs.ids.input if inputs.ids else None
    for what, table in (("arc features", inputs.arc), ("identifiers", ids)):
        if table is not None and table.width != width:
            raise ValueError(f"{what} are {table.width} wide and are added to vertices of width {width}")


def _check_directions(inputs: Inputs, network: DGNConfig) -> None:
    _unused("arc features", "dgn form", inputs.arc is not None)
    table = inputs.ids.input if inputs.ids else None
    if table is not None and table.encode not in ("none", "log1p", "standardise", "zero"):
        raise ValueError("the dgn form reads identifiers as numbers: encode them as none, log1p or standardise")
    there = table.width if table else 0
    if network.directions > there:
        raise ValueError(f"an aggregator reads direction {network.directions - 1}, but there are {there}")
    _unused("identifiers", "list of aggregators", there > 0 and network.directions == 0)


def _unused(what: str, network: str, unused: bool) -> None:
    if unused:
        raise ValueError(f"{what} are given, but the {network} does not read them")
