"""What must hold for every network: renaming, batching, gradients, devices, copies, plain formulas."""

from __future__ import annotations

import copy
import io
import pickle

import pytest
import torch
from networks import configs, graph, graphs
from torch import Tensor

from gsn.nn import GraphBatch, Network

CONFIGS = configs()
every_network = pytest.mark.parametrize("name", CONFIGS)
CLOSE = {"rtol": 1e-10, "atol": 1e-10}


def network_of(name: str, seed: int = 0) -> Network:
    """A network in double precision whose running statistics are not the fresh ones."""
    torch.manual_seed(seed)
    network = Network.from_config(CONFIGS[name]).double()
    for key, buffer in network.named_buffers():
        if key.endswith("running_mean"):
            buffer.uniform_(-0.5, 0.5)
        elif key.endswith("running_var"):
            buffer.uniform_(0.5, 1.5)
    for key, parameter in network.named_parameters():
        if key.endswith("eps") or "vn_encoder" in key:
            torch.nn.init.uniform_(parameter, -0.5, 0.5)
    return network


def permuted(batch: GraphBatch, seed: int) -> GraphBatch:
    """The same graphs with vertices and arcs under other names."""
    generator = torch.Generator().manual_seed(seed)
    vertices = torch.randperm(batch.num_vertices, generator=generator)
    arcs = torch.randperm(batch.edge_index.shape[1], generator=generator)
    new_name = torch.empty_like(vertices)
    new_name[vertices] = torch.arange(batch.num_vertices)

    def at(table: Tensor | None, order: Tensor) -> Tensor | None:
        return None if table is None else table[order]

    return GraphBatch(
        new_name[batch.edge_index][:, arcs],
        at(batch.x, vertices),
        at(batch.edge_attr, arcs),
        at(batch.vertex_counts, vertices),
        at(batch.arc_counts, arcs),
        at(batch.degrees, vertices),
        batch.batch[vertices],
        batch.num_vertices,
        batch.num_graphs,
        at(batch.numbers, vertices),
    )


@every_network
@pytest.mark.parametrize("training", [False, True])
def test_renaming_vertices_and_arcs_leaves_predictions(name: str, training: bool) -> None:
    network = network_of(name).train(training)
    batch = GraphBatch.union(graphs(CONFIGS[name]))
    for seed in range(3):
        torch.testing.assert_close(network(permuted(batch, seed)), network(batch), **CLOSE)


@every_network
def test_renaming_vertices_renames_their_states(name: str) -> None:
    network = network_of(name).eval()
    states: list[Tensor] = []
    layers = [m for key, m in network.named_modules() if key.startswith(("conv.", "layers.")) and key.count(".") == 1]
    for layer in layers:
        layer.register_forward_hook(lambda _m, _i, out: states.append(out))
    batch = graph(CONFIGS[name], 5)
    network(batch)
    before, states[:] = list(states), []
    order = torch.randperm(batch.num_vertices, generator=torch.Generator().manual_seed(0))
    network(permuted(batch, 0))
    for a, b in zip(before, states, strict=True):
        if a.shape[0] == batch.num_vertices and type(network).__name__ != "DeepSets":
            torch.testing.assert_close(b, a[order], **CLOSE)
    assert states or type(network).__name__ == "DeepSets"


@every_network
def test_a_graph_is_predicted_alike_alone_and_in_a_batch(name: str) -> None:
    network = network_of(name).eval()
    alone = graphs(CONFIGS[name])
    together = network(GraphBatch.union(alone))
    assert together.shape == (4, 2)
    torch.testing.assert_close(torch.cat([network(g) for g in alone]), together, **CLOSE)
    embedded = network.embed(GraphBatch.union(alone))
    torch.testing.assert_close(torch.cat([network.embed(g) for g in alone]), embedded, **CLOSE)


@every_network
def test_a_graph_without_vertices_reads_as_zeros(name: str) -> None:
    network = network_of(name).eval()
    empty = graph(CONFIGS[name], 1, vertices=0)
    full = graph(CONFIGS[name], 1)
    assert network(empty).isfinite().all()
    torch.testing.assert_close(network(GraphBatch.union([full, empty]))[:1], network(full), **CLOSE)


@every_network
@pytest.mark.parametrize("training", [False, True])
def test_gradients_are_those_of_differences(name: str, training: bool) -> None:
    # The kinks of ReLU and of extremes are far from these points, and no vertex has a single neighbour, whose variance
    # would be at the kink.
    network = network_of(name, seed=4).train(training)
    batch = GraphBatch.union([graph(CONFIGS[name], seed, seed + 3, density=1.0) for seed in (1, 2, 3)])
    weights = torch.randn(3, 2, generator=torch.Generator().manual_seed(1), dtype=torch.float64)

    def loss() -> Tensor:
        return (network(batch) * weights).sum()

    loss().backward()
    generator = torch.Generator().manual_seed(2)
    worst = 0.0
    for parameter in network.parameters():
        direction = torch.randn(parameter.shape, generator=generator, dtype=torch.float64)
        assert parameter.grad is not None
        exact = float((parameter.grad * direction).sum())
        values = []
        with torch.no_grad():
            for step in (1e-6, -1e-6):
                parameter += step * direction
                values.append(float(loss()))
                parameter -= step * direction
        by_differences = (values[0] - values[1]) / 2e-6
        worst = max(worst, abs(exact - by_differences) / (1 + abs(exact)))
    assert worst < 1e-6


@every_network
def test_copies_pickles_and_state_dicts_compute_the_same(name: str) -> None:
    network = network_of(name).eval()
    batch = GraphBatch.union(graphs(CONFIGS[name]))
    want = network(batch)
    stored = io.BytesIO()
    torch.save(network.state_dict(), stored)
    stored.seek(0)
    fresh = Network.from_config(CONFIGS[name].to_dict()).double().eval()
    fresh.load_state_dict(torch.load(stored, weights_only=True))
    for other in (copy.deepcopy(network), pickle.loads(pickle.dumps(network)), fresh):
        assert torch.equal(other(batch), want)


@every_network
def test_nothing_but_parameters_and_buffers_holds_numbers(name: str) -> None:
    """On the meta device a tensor that does not follow the module would be of another device."""
    network = network_of(name).to("meta")
    batch = GraphBatch.union(graphs(CONFIGS[name])).to("meta")
    assert all(t.device.type == "meta" for t in [*network.parameters(), *network.buffers()])
    assert network(batch).shape == (4, 2)
    assert network(batch).device.type == "meta"


@every_network
def test_evaluation_leaves_no_trace(name: str) -> None:
    """No pass in evaluation changes the module, so replicas of DDP stay equal."""
    network = network_of(name).eval()
    before = {key: value.clone() for key, value in network.state_dict().items()}
    attributes = {key: set(vars(module)) for key, module in network.named_modules()}
    network(GraphBatch.union(graphs(CONFIGS[name])))
    assert all(torch.equal(before[key], value) for key, value in network.state_dict().items())
    assert attributes == {key: set(vars(module)) for key, module in network.named_modules()}


@every_network
def test_every_parameter_gets_a_gradient_even_from_one_vertex(name: str) -> None:
    """DDP waits for all of them; a batch of a single graph without arcs must not leave one out."""
    network = network_of(name).train()
    network(graph(CONFIGS[name], 2, 1)).sum().backward()
    without = [key for key, p in network.named_parameters() if p.grad is None]
    assert without == []
    assert all(p.grad is not None and p.grad.isfinite().all() for p in network.parameters())


@every_network
def test_a_configuration_comes_back(name: str) -> None:
    config = CONFIGS[name]
    again = type(config).from_dict(config.to_dict())
    assert again.to_dict() == config.to_dict()
    names = [key for key in Network.from_config(again).state_dict()]
    assert names == [key for key in Network.from_config(config).state_dict()]


@every_network
def test_fresh_weights_replace_all_old_ones(name: str) -> None:
    network = network_of(name)
    torch.nn.utils.vector_to_parameters(
        torch.full((sum(p.numel() for p in network.parameters()),), 9.0), network.parameters()
    )
    network.reset_parameters()
    assert all((p != 9.0).all() for p in network.parameters())
    assert all((b == 0).all() for key, b in network.named_buffers() if key.endswith(("running_mean", "eps")))


def test_noise_is_fresh_at_every_pass() -> None:
    config = CONFIGS["general, GSN-v, one-hot"].to_dict()
    config["inputs"]["random"] = 3
    network = Network.from_config(config).double().eval()
    batch = graph(CONFIGS["general, GSN-v, one-hot"], 1)
    assert not torch.equal(network(batch), network(batch))
    torch.manual_seed(3)
    first = network(batch)
    torch.manual_seed(3)
    assert torch.equal(network(batch), first)


def test_dropout_acts_in_training_only() -> None:
    config = CONFIGS["ogb, virtual node"].to_dict()
    for layer in config["network"]["layers"]:
        layer["dropout"] = 0.5
    network = Network.from_config(config).double()
    batch = GraphBatch.union(graphs(CONFIGS["ogb, virtual node"]))
    assert not torch.equal(network.train()(batch), network(batch))
    assert torch.equal(network.eval()(batch), network(batch))


@every_network
def test_half_precision_by_autocast_is_near(name: str) -> None:
    network = network_of(name).float().eval()
    batch = GraphBatch.union(graphs(CONFIGS[name]))
    want = network(batch)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        got = network(batch).float()
        network.train()(batch).float().square().mean().backward()
    assert got.isfinite().all() and (got - want).abs().max() < 0.1 * (1 + want.abs().max())
