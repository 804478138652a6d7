"""Configurations: contradictions and unknown settings are refused with a sentence."""

from __future__ import annotations

from typing import Any

import pytest

from gsn.nn import DGN, GSN, DeepSets, OGBNet
from gsn.nn.config import DGNConfig, GSNConfig, GSNLayer, Head, Ids, Input, Inputs, ModelConfig, OGBConfig, OGBLayer

NUMBERS = Inputs(Input.values(2))
ONE = GSNConfig(form="gin", layers=[GSNLayer(4)])


def config(**changes: Any) -> dict[str, Any]:
    """A good configuration with changes in its network."""
    network = {"kind": "gsn", "form": "gin", "layers": [{"width": 4}], **changes}
    return {"inputs": {"vertex": {"data": {"values": {"width": 2}}}}, "network": network, "outputs": 1}


def test_defaults_are_those_of_the_program() -> None:
    found = ModelConfig.from_dict(config()).to_dict()["network"]
    assert found == {
        "kind": "gsn",
        "form": "gin",
        "layers": [
            {
                "width": 4,
                "hidden": None,
                "message": None,
                "norm": True,
                "ids": None,
                "arcs": None,
                "arc_width": None,
                "degree": "none",
                "learn_eps": False,
            }
        ],
        "dummy_self": True,
        "readout": "sum",
        "heads": [],
        "dropout": [],
        "residual": False,
        "mlp_norm": True,
        "mlp_activation": "relu",
        "activation": "relu",
    }


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"kind": "cnn"}, "`cnn` is none of gsn, ogb, dgn, deep-sets"),
        ({"form": "gat"}, "form: `gat`"),
        ({"layers": []}, "at least one layer"),
        ({"layers": [{"width": 0}]}, "width 0"),
        ({"layers": [{"width": "4"}]}, "whole number"),
        ({"layers": [{"width": 4, "depth": 2}]}, "unknown setting `depth`"),
        ({"layers": [{"width": 4, "message": 3}]}, "gin form has no message width"),
        ({"form": "general", "layers": [{"width": 4, "learn_eps": True}]}, "learn_eps belongs to the gin form"),
        ({"layers": [{"width": 4, "ids": True}]}, "layer 0 reads identifiers"),
        ({"layers": [{"width": 4, "arcs": True}]}, "layer 0 reads arc features"),
        ({"layers": [{"width": 4, "degree": "append"}]}, "reads degrees"),
        ({"heads": ["linear"]}, "heads: 1 entries, but there are 2"),
        ({"heads": [None, None]}, "at least one must be there"),
        ({"heads": ["bilinear", None]}, "a mapping is needed"),
        ({"dropout": [0.5, 1.0]}, "dropout 1.0"),
        ({"readout": "median"}, "readout: `median`"),
        ({"activation": "gelu"}, "activation: `gelu`"),
        ({"residual": 1}, "true or false"),
        ({"layers": {"width": 4}}, "a list is needed"),
    ],
)
def test_bad_settings_are_named(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        ModelConfig.from_dict(config(**changes))


@pytest.mark.parametrize(
    ("vertex", "reason"),
    [
        ({"data": {"values": {"width": 2}}, "encode": "one-hot"}, "needs categories"),
        ({"data": {"values": {"width": 2}}, "encode": "embedding"}, "need a width"),
        ({"data": {"values": {"width": 0}}}, "width 0"),
        ({"data": {"categories": {"sizes": [3, 0]}}}, "vocabulary sizes"),
        ({"data": {"colours": {}}}, "neither categories nor values"),
        ({"data": {}}, "one key"),
        ({"data": {"values": {"width": 1}}, "encode": {"standardise": {"mean": [], "std": []}}}, "0 means"),
        ({"data": {"values": {"width": 1}}, "encode": {"standardise": {"mean": [0], "std": [-1]}}}, "std >= 0"),
        ({"data": {"values": {"width": 1}}, "encode": {"embedding": {"width": 3}}}, "needs categories"),
        ({}, "data is missing"),
    ],
)
def test_bad_tables_are_named(vertex: dict[str, Any], reason: str) -> None:
    bad = config()
    bad["inputs"]["vertex"] = vertex
    with pytest.raises(ValueError, match=reason):
        ModelConfig.from_dict(bad)


def test_what_is_given_must_be_read() -> None:
    ids = Ids("arc", Input.values(1))
    with pytest.raises(ValueError, match="identifiers are given, but the network does not read them"):
        ModelConfig(Inputs(Input.values(2), ids=ids), GSNConfig(form="gin", layers=[GSNLayer(4, ids=False)]), 1)
    with pytest.raises(ValueError, match="degrees are given"):
        ModelConfig(Inputs(Input.values(2), degree=Input.values(1)), ONE, 1)
    with pytest.raises(ValueError, match="arc features are 3 wide and are added to vertices of width 2"):
        ModelConfig(Inputs(Input.values(2), arc=Input.values(3)), OGBConfig(layers=[OGBLayer([4])]), 1)
    with pytest.raises(ValueError, match="reads direction 1, but there are 1"):
        ModelConfig(Inputs(Input.values(2), ids=ids), DGNConfig([4], ["dir1-av"]), 1)
    with pytest.raises(ValueError, match="identifiers are given, but the list of aggregators"):
        ModelConfig(Inputs(Input.values(2), ids=ids), DGNConfig([4], ["mean"]), 1)
    with pytest.raises(ValueError, match="as numbers"):
        hot = Ids("arc", Input.categories([3], "one-hot"))
        ModelConfig(Inputs(Input.values(2), ids=hot), DGNConfig([4], ["dir0-av"]), 1)
    with pytest.raises(ValueError, match="outputs"):
        ModelConfig(NUMBERS, ONE, 0)
    with pytest.raises(ValueError, match="scope"):
        Ids("edge", Input.values(1))


def test_a_network_wants_its_own_configuration() -> None:
    model = ModelConfig(NUMBERS, ONE, 1)
    for kind in (OGBNet, DGN, DeepSets):
        with pytest.raises(ValueError, match="needs a"):
            kind(model)
    with pytest.raises(ValueError, match="GSN needs a GSNConfig"):
        GSN(ModelConfig(NUMBERS, OGBConfig(layers=[OGBLayer([4])], head=Head([2])), 1))
