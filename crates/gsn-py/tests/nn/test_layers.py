"""Layers against their formulas written out arc by arc, and against torch's own modules."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from gsn.nn import MLP, BatchNorm, DGNConv, GINSubstructureConv, GSNConv, OGBConv
from gsn.nn.layer.aggregators import Aggregator
from gsn.nn.layer.scatter import readout

torch.manual_seed(0)
EDGES = torch.tensor([[0, 1, 1, 2, 2, 0, 3], [1, 0, 2, 1, 0, 2, 0]])
N, ARCS = 5, 7  # vertex 4 is isolated


def rows(count: int, width: int, seed: int) -> Tensor:
    return torch.randn(count, width, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def plain(mlp: MLP, x: Tensor) -> Tensor:
    """An MLP, module by module."""
    for i, linear in enumerate(mlp.fc):
        x = linear(x)
        if i + 1 < len(mlp.fc):
            x = torch.relu(mlp.bn[i](x) if mlp.bn is not None else x)
    return x


def sums(messages: Tensor) -> Tensor:
    """Σ over the arcs into each vertex."""
    out = [messages[EDGES[1] == v].sum(0) for v in range(N)]
    return torch.stack(out)


@pytest.mark.parametrize("hidden", [None, [], [3, 4]])
@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("scope", ["vertex", "arc"])
def test_general(hidden: list[int] | None, training: bool, scope: str) -> None:
    widths = {"vertex_counts": 3} if scope == "vertex" else {"arc_counts": 3}
    conv = GSNConv(4, 6, **widths, edge_dim=2, hidden=hidden, message=5).double().train(training)
    h, x, e = rows(N, 4, 1), rows(N if scope == "vertex" else ARCS, 3, 2), rows(ARCS, 2, 3)
    source, target = EDGES
    counts = [x[target], x[source]] if scope == "vertex" else [x]
    m = sums(plain(conv.msg_fn, torch.cat([h[target], h[source], *counts, e], dim=1)))
    want = plain(conv.update_fn, torch.cat([h, m], dim=1))
    got = conv(h, EDGES, **{next(iter(widths)): x}, edge_attr=e)
    torch.testing.assert_close(got, want)


@pytest.mark.parametrize("centre", ["column", "row", "zeros"])
@pytest.mark.parametrize("scope", ["vertex", "arc"])
def test_gin(centre: str, scope: str) -> None:
    widths = {"vertex_counts": 3} if scope == "vertex" else {"arc_counts": 3}
    conv = GINSubstructureConv(
        4, 6, **widths, edge_dim=2, learn_eps=True, counts_centre=centre, edge_centre=centre
    ).double()
    torch.nn.init.constant_(conv.eps, 0.3)
    h, x, e = rows(N, 4, 1), rows(N if scope == "vertex" else ARCS, 3, 2), rows(ARCS, 2, 3)

    def on_arcs(block: Tensor, row: Tensor | None) -> tuple[Tensor, Tensor]:
        """What a neighbour has and what the centre has."""
        if centre == "column":
            neighbour = torch.cat([torch.zeros(ARCS, 1), block], dim=1)
            return neighbour, torch.eye(1, neighbour.shape[1], dtype=block.dtype).expand(N, -1)
        own = torch.zeros(1, block.shape[1]) if row is None else row
        return block, own.expand(N, -1)

    id_row, edge_row = (
        None if module is None else module.weight
        for module in (conv.central_node_id_encoder, conv.central_node_edge_encoder)
    )
    counts = (x[EDGES[0]], x) if scope == "vertex" else on_arcs(x, id_row)
    features = on_arcs(e, edge_row)
    neighbours = torch.cat([h[EDGES[0]], counts[0], features[0]], dim=1)
    own = torch.cat([h, counts[1], features[1]], dim=1)
    want = plain(conv.update_fn, 1.3 * own + sums(neighbours))
    torch.testing.assert_close(conv(h, EDGES, **{next(iter(widths)): x}, edge_attr=e), want)


@pytest.mark.parametrize("scope", ["vertex", "arc"])
def test_ogb(scope: str) -> None:
    conv = OGBConv(4, learn_eps=True).double()
    torch.nn.init.constant_(conv.eps, -0.2)
    h, x, e = rows(N, 4, 1), rows(N if scope == "vertex" else ARCS, 4, 2), rows(ARCS, 4, 3)
    s = h + x if scope == "vertex" else h
    on_arcs = e if scope == "vertex" else e + x
    want = plain(conv.update_fn, 0.8 * s + sums(torch.relu(s[EDGES[0]] + on_arcs)))
    torch.testing.assert_close(conv(h, EDGES, **{f"{scope}_counts": x}, edge_attr=e), want)


def by_hand(word: str, h: Tensor, field: Tensor, v: int) -> Tensor:
    """One aggregator of one vertex, as its documentation says."""
    into = EDGES[1] == v
    u = h[EDGES[0][into]]
    if len(u) == 0:
        return torch.zeros_like(h[0])
    if word in ("mean", "sum"):
        return getattr(u, word)(0)
    if word in ("max", "min"):
        return getattr(u, f"a{word}")(0)
    if word in ("var", "std"):
        var = u.var(0, unbiased=False)
        return var if word == "var" else (var + 1e-8).sqrt()
    f = field[into, int(word[3])].unsqueeze(1)
    total = f.abs().sum() + 1e-8
    rest = word[5:]
    if rest == "av":
        return (f.abs() / total * u).sum(0)
    if rest in ("dx", "dx-no-abs"):
        y = (f / total * (u - h[v])).sum(0)
        return y.abs() if rest == "dx" else y
    if rest == "dx-balanced":
        front, back = f.clamp(min=0), (-f).clamp(min=0)
        w = (front / (front.sum() + 1e-8) + back / (back.sum() + 1e-8)) / 2
        return (w * (u - h[v])).sum(0).abs()
    sharpness = -float(rest[4:]) if rest.startswith("neg-") else float(rest)
    return (torch.softmax(sharpness * f.abs(), 0) * u).sum(0)


WORDS = [
    "mean",
    "sum",
    "max",
    "min",
    "var",
    "std",
    "dir0-av",
    "dir1-dx",
    "dir0-dx-no-abs",
    "dir1-dx-balanced",
    "dir0-0.5",
    "dir1-neg-2",
]


@pytest.mark.parametrize("word", WORDS)
def test_aggregators(word: str) -> None:
    h, field = rows(N, 3, 1), rows(ARCS, 2, 2)
    got = Aggregator.parse(word)(h, EDGES[0], EDGES[1], field)
    torch.testing.assert_close(got, torch.stack([by_hand(word, h, field, v) for v in range(N)]))


@pytest.mark.parametrize("word", ["median", "dir-av", "dir0-", "dir0-neg-", "dir0-0", "dir0-nan", "dir0--1", "dirx-av"])
def test_unknown_aggregators_are_named(word: str) -> None:
    with pytest.raises(ValueError, match="unknown aggregator"):
        Aggregator.parse(word)


def test_dgn_with_scalers() -> None:
    scalers = ["identity", "amplification", "attenuation"]
    conv = DGNConv(3, 3, ["mean", "dir0-av"], scalers, 1.5, depth=2, norm=False, graph_norm=True).double()
    h, field = rows(N, 3, 1), rows(ARCS, 1, 2)
    a = torch.stack([torch.cat([by_hand(w, h, field, v) for w in ("mean", "dir0-av")]) for v in range(N)])
    degree = torch.tensor([float((EDGES[1] == v).sum()) for v in range(N)], dtype=torch.float64).unsqueeze(1)
    log = (degree + 1).log()
    y = torch.cat([a, log / 1.5 * a, torch.where(degree > 0, 1.5 / log, 0) * a], dim=1)
    linears = [layer["linear"] for layer in conv.posttrans.fully_connected]
    batch = torch.tensor([0, 0, 0, 0, 1])
    size = torch.tensor([4.0, 4.0, 4.0, 4.0, 1.0], dtype=torch.float64).unsqueeze(1)
    want = h + torch.relu(linears[1](torch.relu(linears[0](y))) / size.sqrt())
    torch.testing.assert_close(conv(h, EDGES, field, batch), want)


def test_extremes_give_their_gradient_to_the_first_that_holds_them() -> None:
    h = torch.tensor([[2.0], [2.0], [1.0]], requires_grad=True)
    readout(h, torch.tensor([0, 0, 0]), 1, "max").sum().backward()
    assert h.grad is not None and h.grad.flatten().tolist() == [1.0, 0.0, 0.0]


def test_not_a_number_is_not_hidden() -> None:
    h = torch.tensor([[1.0], [float("nan")]])
    for how in ("sum", "mean", "max"):
        assert readout(h, torch.tensor([0, 0]), 1, how).isnan().all()


def test_batch_norm_is_that_of_torch_from_two_rows_on() -> None:
    ours, theirs = BatchNorm(3).double(), torch.nn.BatchNorm1d(3).double()
    for seed in range(3):
        x = rows(4, 3, seed)
        torch.testing.assert_close(ours(x), theirs(x))
    for (name, a), (_, b) in zip(ours.state_dict().items(), theirs.state_dict().items(), strict=True):
        torch.testing.assert_close(a, b, msg=name)
    x = rows(4, 3, 9)
    torch.testing.assert_close(ours.eval()(x), theirs.eval()(x))


@pytest.mark.parametrize("count", [0, 1])
def test_batch_norm_of_fewer_rows_is_its_bias_and_moves_nothing(count: int) -> None:
    norm = BatchNorm(2)
    torch.nn.init.constant_(norm.bias, 0.7)
    before = {name: value.clone() for name, value in norm.state_dict().items()}
    x = torch.randn(count, 2, requires_grad=True)
    y = norm(x)
    assert y.tolist() == [pytest.approx([0.7, 0.7])] * count
    y.sum().backward()
    assert x.grad is not None and not x.grad.any() and norm.weight.grad is not None and not norm.weight.grad.any()
    assert norm.bias.grad is not None and norm.bias.grad.tolist() == [count, count]
    assert all(torch.equal(before[name], value) for name, value in norm.state_dict().items())


def test_wrong_widths_are_refused_by_name() -> None:
    conv = GSNConv(4, 6, vertex_counts=3)
    with pytest.raises(ValueError, match="x has 5 columns, but the layer was made for 4"):
        conv(torch.rand(N, 5), EDGES, torch.rand(N, 3))
    with pytest.raises(ValueError, match="vertex_counts is missing"):
        conv(torch.rand(N, 4), EDGES)
    with pytest.raises(ValueError, match="arc_counts has 2 columns, but the layer was made for 0"):
        conv(torch.rand(N, 4), EDGES, torch.rand(N, 3), torch.rand(ARCS, 2))
    with pytest.raises(ValueError, match="real numbers"):
        conv(torch.zeros(N, 4, dtype=torch.int64), EDGES, torch.rand(N, 3))
    with pytest.raises(ValueError, match="counts_centre: `middle`"):
        GINSubstructureConv(4, 6, arc_counts=2, counts_centre="middle")
    with pytest.raises(ValueError, match="direction 0"):
        DGNConv(4, 4, ["dir0-av"])(torch.rand(N, 4), EDGES)
