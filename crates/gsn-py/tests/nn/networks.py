"""One small network of every kind and setting that matters, and random graphs for it to read."""

from __future__ import annotations

import torch

from gsn.nn import GraphBatch
from gsn.nn.config import (
    DeepSetsConfig,
    DGNConfig,
    GSNConfig,
    GSNLayer,
    Head,
    Ids,
    Input,
    Inputs,
    ModelConfig,
    OGBConfig,
    OGBLayer,
    VirtualNode,
)

ONE_HOT = Input.categories([4, 3], "one-hot")
EMBEDDED = Input.categories([4, 3], "embedding", 6)
CONCAT = Input.categories([4, 3], "embedding-concat", 3)
NUMBERS = Input.values(2)


def configs() -> dict[str, ModelConfig]:
    """Networks by a name that says what is special about them."""
    mlp = Head([5])
    gsn_layers = [GSNLayer(7), GSNLayer(6, hidden=[5, 4])]
    every = {"jk": [Head(), None, mlp]}
    aggregators = ["mean", "sum", "max", "min", "var", "std", "dir0-av", "dir1-dx", "dir0-dx-no-abs"]
    directions = [*aggregators, "dir1-dx-balanced", "dir0-0.5", "dir1-neg-2"]
    found = {
        "general, GSN-v, one-hot": (
            Inputs(ONE_HOT, ONE_HOT, Ids("vertex", ONE_HOT)),
            GSNConfig(form="general", layers=gsn_layers, heads=every["jk"]),
        ),
        "general, GSN-e, embedded": (
            Inputs(EMBEDDED, CONCAT, Ids("arc", EMBEDDED)),
            GSNConfig(form="general", layers=[GSNLayer(7, message=3), GSNLayer(7, hidden=[])], residual=True),
        ),
        "general, numbers, degrees": (
            Inputs(NUMBERS, NUMBERS, Ids("arc", NUMBERS), Input.categories([6], "one-hot")),
            GSNConfig(form="general", layers=[GSNLayer(5, degree="replace", norm=False)], activation="tanh"),
        ),
        "gin, GSN-v, one-hot": (
            Inputs(ONE_HOT, ONE_HOT, Ids("vertex", ONE_HOT)),
            GSNConfig(form="gin", layers=[GSNLayer(7, learn_eps=True), GSNLayer(7)], readout="mean"),
        ),
        "gin, GSN-e, rows at the centre": (
            Inputs(CONCAT, NUMBERS, Ids("arc", EMBEDDED), Input.categories([6], "embedding", 4)),
            GSNConfig(form="gin", layers=[GSNLayer(7, degree="append"), GSNLayer(6, ids=True)], readout="max"),
        ),
        "general, states of arcs, numbers": (
            Inputs(ONE_HOT, ONE_HOT, Ids("arc", ONE_HOT), numbers=3),
            GSNConfig(layers=[GSNLayer(6)] * 3, residual=True, arc_states=4, beside=["max", "mean"]),
        ),
        "gin, states of arcs without features": (
            Inputs(ONE_HOT),
            GSNConfig(form="gin", layers=[GSNLayer(6), GSNLayer(5, norm=False)], arc_states=4),
        ),
        "gin, nothing at the centre": (
            Inputs(ONE_HOT, ONE_HOT, Ids("arc", ONE_HOT)),
            GSNConfig(form="gin", layers=[GSNLayer(7)], dummy_self=False, mlp_norm=False, mlp_activation="elu"),
        ),
        "ogb, virtual node": (
            Inputs(EMBEDDED, EMBEDDED, Ids("arc", EMBEDDED)),
            OGBConfig(
                layers=[OGBLayer([8], learn_eps=True), OGBLayer([8]), OGBLayer([8])], virtual_node=VirtualNode([5])
            ),
        ),
        "ogb, residual and jumping": (
            Inputs(EMBEDDED, Input.values(2, "linear", 6), Ids("vertex", EMBEDDED)),
            OGBConfig(
                layers=[OGBLayer([8])] * 2,
                virtual_node=VirtualNode([8], "mean", learn_start=False),
                residual=True,
                jumping=[True, False, True],
                head=mlp,
            ),
        ),
        "ogb, numbers": (
            Inputs(EMBEDDED, ids=Ids("vertex", EMBEDDED), numbers=2),
            OGBConfig(layers=[OGBLayer([8])] * 2, beside=["sum"]),
        ),
        "dgn, arcs": (
            Inputs(Input.values(2, "linear", 6), ids=Ids("arc", NUMBERS)),
            DGNConfig([6, 5], directions, ["identity", "amplification", "attenuation"], 1.1, depth=2, graph_norm=True),
        ),
        "dgn, vertices": (
            Inputs(
                Input.values(2, "log1p"), ids=Ids("vertex", Input(None, 2, "standardise", None, (0.5, 0.1), (2.0, 0.0)))
            ),
            DGNConfig([2, 2], ["mean", "dir0-av", "dir1-dx"]),
        ),
        "deep sets, vertices": (
            Inputs(ONE_HOT, ids=Ids("vertex", ONE_HOT)),
            DeepSetsConfig(hidden=[6], width=5, readout="mean", head=mlp),
        ),
        "deep sets, arcs": (
            Inputs(ONE_HOT, Input.categories([4, 3]), Ids("arc", Input.values(2, "zero", 3))),
            DeepSetsConfig(hidden=[6], width=5, norm=False),
        ),
    }
    return {name: ModelConfig(inputs, network, outputs=2) for name, (inputs, network) in found.items()}


def table(wanted: Input | None, rows: int, generator: torch.Generator) -> torch.Tensor | None:
    """A random table as the network wants it."""
    if wanted is None:
        return None
    if wanted.sizes is None:
        return torch.randn(rows, wanted.columns, generator=generator, dtype=torch.float64)
    columns = [torch.randint(0, size, (rows,), generator=generator) for size in wanted.sizes]
    return torch.stack(columns, dim=1)


def graph(config: ModelConfig, seed: int, vertices: int = 7, density: float = 0.5) -> GraphBatch:
    """A random undirected graph; vertex 0 is isolated."""
    generator = torch.Generator().manual_seed(seed)
    pairs = torch.combinations(torch.arange(1, vertices)) if vertices > 2 else torch.empty(0, 2, dtype=torch.int64)
    pairs = pairs[torch.rand(pairs.shape[0], generator=generator) < density]
    edge_index = torch.cat([pairs, pairs.flip(1)]).t()
    arcs = edge_index.shape[1]
    inputs = config.inputs
    return GraphBatch(
        edge_index,
        table(inputs.vertex, vertices, generator),
        table(inputs.arc, arcs, generator),
        table(inputs.ids_of("vertex"), vertices, generator),
        table(inputs.ids_of("arc"), arcs, generator),
        table(inputs.degree, vertices, generator),
        num_vertices=vertices,
        numbers=table(Input.values(inputs.numbers) if inputs.numbers else None, vertices, generator),
    )


def graphs(config: ModelConfig) -> list[GraphBatch]:
    """Graphs of several sizes, one of them a single vertex without arcs."""
    return [graph(config, 1), graph(config, 2, 1), graph(config, 3, 5), graph(config, 4, 9)]
