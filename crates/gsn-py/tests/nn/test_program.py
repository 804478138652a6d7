"""The torch networks against the program: it trains, both predict, and weights go back."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
import torch
from molecules import molecule
from program import BIN, Graph, encoded, finished, rows_of, run

import gsn.nn
from gsn.nn import GraphBatch, Network

pytestmark = pytest.mark.skipif(BIN is None, reason="GSN_BIN does not name the program gsn")


def close(got: torch.Tensor, want: torch.Tensor) -> None:
    torch.testing.assert_close(got.detach().double(), want.double(), rtol=1e-5, atol=1e-5)


# MUTAG: classes, GIN form, GSN-e, heads on every layer.


def mutag(folder: Path) -> list[Graph]:
    """The graphs of the GIN text format."""
    numbers = iter((folder / "tud/MUTAG/MUTAG.txt").read_text().split())

    def take() -> int:
        return int(next(numbers))

    graphs = []
    for _ in range(take()):
        n, _label = take(), take()
        vertex, edges = [], {}
        for v in range(n):
            vertex.append([take()])
            for u in [take() for _ in range(take())]:
                edges[min(u, v), max(u, v)] = [0]
        graphs.append(Graph(vertex, edges))
    return graphs


def test_mutag(tmp_path: Path) -> None:
    run(tmp_path, "data", "fetch", "MUTAG", "--to", tmp_path, "-q")
    run(tmp_path, "train", "mutag-gsn-e", "--set", "training.epochs=2", "--out", "run", "-q")
    run(tmp_path, "predict", "run/model.gsn", "tud/MUTAG/MUTAG.txt", "-o", "predictions.csv", "-q")
    network = gsn.nn.load(tmp_path / "run/model.gsn")
    graphs = mutag(tmp_path)
    assert len(graphs) == 188
    got = finished(network, network(encoded(network, graphs, tmp_path)))
    assert network.card is not None
    names = network.card["task"]["classes"]
    rows = rows_of(tmp_path / "predictions.csv")
    close(got, torch.tensor([[float(row[f"class={name}"]) for name in names] for row in rows]))
    assert [row["class"] for row in rows] == [names[i] for i in got.argmax(1)]


# ZINC: regression, general form, GSN-v, arc features.


def zinc(path: Path) -> list[Graph]:
    lines = path.read_text().splitlines()
    graphs = []
    for at in range(1, len(lines), 3):
        n, m = (int(word) for word in lines[at].split()[:2])
        vertex = [[int(word)] for word in lines[at + 1].split()]
        bonds = [int(word) for word in lines[at + 2].split()]
        edges = {(bonds[i], bonds[i + 1]): [bonds[i + 2]] for i in range(0, len(bonds), 3)}
        assert (len(vertex), len(edges)) == (n, m)
        graphs.append(Graph(vertex, edges))
    return graphs


def test_zinc(tmp_path: Path) -> None:
    run(tmp_path, "data", "fetch", "ZINC-12k", "--to", tmp_path, "-q")
    few = ["--set", "training.epochs=1", "--set", "seeds=1", "--set", "data.fraction=0.05"]
    run(tmp_path, "train", "zinc-gsn-ef-100k", *few, "--out", "run", "-q")
    network = gsn.nn.load(tmp_path / "run/model.gsn")
    graphs = zinc(tmp_path / "zinc12k/zinc12k_test.txt")
    rows = [row for row in rows_of(tmp_path / "run/predictions.csv") if row["part"] == "test"]
    assert len(graphs) == len(rows) == 1000
    (column,) = [name for name in rows[0] if name.endswith("_predicted")]
    got = finished(network, network(encoded(network, graphs, tmp_path)))
    close(got.flatten(), torch.tensor([float(row[column]) for row in rows]))


# Own molecules: every kind of network, scaled targets, values that training never saw.

RINGS = ["C1CC1", "C1CCC1", "C1CCCC1", "C1CCNCC1", "C1CC(=O)CC1", "CC", "CCC", "C(C)(C)C", "N", "OCC", "C=CC", "C#CC"]
TAILS = ["C", "CC", "O", "N", "CO", "C(=O)O", "C(N)C"]
NEW = ["C1CCCCC1C2CC2", "C1CC2CC1C2", "N#CC#N", "OO", "C", "C1CCCCCC1CCCC(C)(C)C"]

RECIPE = """
[protocol.fixed-split]
choose = "last"
[data]
set = '{data}'
targets = "standardise"
unseen = "unknown"
[counts]
patterns = "cycle:3..=6, path:3"
matching = "subgraph"
fit = "train"
{counts}
[network]
width = 8
{network}
[training]
batch = 16
epochs = 2
optimiser = "adam"
lr = 0.01
loss = "l1"
metric = "mae"
{rest}
"""

#: Settings of the counts, of the network, and others.
KINDS = {
    "general, vertices": (
        """scope = "vertex"\nencoding = "one-hot" """,
        """kind = "gsn"\nlayers = 2\nreadout = "sum"\nhead = "mlp"\nedge-features = "all"\ninject = "all" """,
        "",
    ),
    "general, arcs, numbers": (
        """scope = "arc"\nencoding = "standardise" """,
        """kind = "gsn"\nlayers = 2\nreadout = "max"\nresidual = true\nedge-features = "first" """,
        "",
    ),
    "general, states of arcs, walks, two readouts": (
        """scope = "vertex"\nencoding = "one-hot" """,
        """kind = "gsn"\nlayers = 3\nreadout = "sum"\nbeside = ["max"]\nresidual = true\nwalks = 5
        edge-features = "first"\nedge-states = 6 """,
        "",
    ),
    "ogb, walks": (
        """scope = "vertex"\nencoding = "embedding" """,
        """kind = "ogb"\nlayers = 2\nreadout = "sum"\nwalks = 5\nbeside = ["mean"] """,
        "",
    ),
    "gin, degrees beside the features": (
        """scope = "edge"\nencoding = "one-hot-max" """,
        """kind = "gin"\nlayers = 2\nreadout = "mean"\nlearn-eps = true\njumping = "all"\nedge-features = "all" """,
        """[degrees]\nencoding = "one-hot"\nuse = "append" """,
    ),
    "gin, embedded counts of arcs": (
        """scope = "arc"\nencoding = "embedding" """,
        """kind = "gin"\nlayers = 2\nreadout = "sum"\nvertex-encoding = "embedding"\nedge-features = "none" """,
        """[degrees]\nencoding = "embedding"\nuse = "replace" """,
    ),
    "ogb, virtual node": (
        """scope = "edge"\nencoding = "embedding" """,
        """kind = "ogb"\nlayers = 3\nreadout = "mean"\nvirtual-node = true\nedge-features = "all"\nhidden = 12 """,
        "",
    ),
    "ogb, residual": (
        """scope = "vertex"\nencoding = "embedding" """,
        """kind = "ogb"\nlayers = 2\nreadout = "sum"\nresidual = true\njumping = "all"\nhead = "mlp" """,
        "",
    ),
    "dgn, arcs": ("""scope = "edge"\nencoding = "raw" """, """kind = "dgn"\nlayers = 2\nreadout = "mean" """, ""),
    "dgn, vertices": (
        """scope = "vertex"\nencoding = "log1p" """,
        """kind = "dgn"\nlayers = 2\nreadout = "max"\naggregators = ["mean", "std", "dir-dx", "dir-av", "dir-neg-0.5"]
        scalers = ["identity", "amplification", "attenuation"]""",
        "",
    ),
    "deepsets": (
        """scope = "vertex"\nencoding = "bins:3" """,
        """kind = "deepsets"\nreadout = "sum"\nhead = "mlp"\nedge-features = "all" """,
        "",
    ),
}


@pytest.fixture(scope="module")
def molecules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table to train on and one to predict."""
    folder = tmp_path_factory.mktemp("molecules")
    smiles = [ring + tail for ring, tail in itertools.product(RINGS, TAILS)]
    target = [len(text) - 3 * text.count("1") + 0.5 * text.count("O") for text in smiles]
    lines = [f"{text},{y}" for text, y in zip(smiles, target, strict=True)]
    (folder / "train.csv").write_text("\n".join(["smiles,y", *lines]) + "\n")
    (folder / "new.csv").write_text("\n".join(["smiles", *NEW, *smiles]) + "\n")
    return folder


def train(folder: Path, kind: str) -> tuple[Network, GraphBatch]:
    """A network that the program made, and the molecules as it reads them."""
    name = f"run-{list(KINDS).index(kind)}"
    counts, network_, rest = KINDS[kind]
    recipe = RECIPE.format(data=folder / "train.csv", counts=counts, network=network_, rest=rest)
    (folder / "recipe.toml").write_text(recipe)
    run(folder, "train", "recipe.toml", "--target", "y", "--out", name, "-q")
    network = gsn.nn.load(folder / name / "model.gsn")
    graphs = [molecule(row["smiles"]) for row in rows_of(folder / "new.csv")]
    return network, encoded(network, graphs, folder)


def predicted(folder: Path, model: Path) -> torch.Tensor:
    run(folder, "predict", model, "new.csv", "-o", "predictions.csv", "-q")
    return torch.tensor([float(row["y"]) for row in rows_of(folder / "predictions.csv")])


@pytest.mark.parametrize("kind", KINDS)
def test_own_molecules_there_and_back(kind: str, molecules: Path, tmp_path: Path) -> None:
    network, batch = train(molecules, kind)
    model = molecules / f"run-{list(KINDS).index(kind)}" / "model.gsn"
    close(finished(network, network(batch)).flatten(), predicted(molecules, model))

    # Unchanged, it is the same file; trained further in torch, the program predicts what torch predicts.
    network.save(tmp_path / "same.gsn")
    assert (tmp_path / "same.gsn").read_bytes() == model.read_bytes()
    before = network(batch).detach()
    optimiser = torch.optim.Adam(network.train().parameters(), lr=0.01)
    for _ in range(3):
        optimiser.zero_grad()
        network(batch).square().mean().backward()
        optimiser.step()
    network.eval().save(tmp_path / "tuned.gsn")
    after = network(batch).detach()
    assert (after - before).abs().max() > 1e-3
    close(finished(network, after).flatten(), predicted(molecules, tmp_path / "tuned.gsn"))
    assert gsn.nn.load(tmp_path / "tuned.gsn").card == {**(network.card or {}), "metrics": []}


def test_the_mean_of_several_members(molecules: Path, tmp_path: Path) -> None:
    run(
        molecules,
        "train",
        "train.csv",
        "--target",
        "y",
        "--folds",
        "3",
        "--set",
        "training.epochs=2",
        "--out",
        "folds",
        "-q",
    )
    networks = gsn.nn.load_members(molecules / "folds/model.gsn")
    assert len(networks) == 3
    graphs = [molecule(row["smiles"]) for row in rows_of(molecules / "new.csv")]
    batches = [encoded(network, graphs, molecules) for network in networks]

    def mean() -> torch.Tensor:
        said = [finished(network, network(batch)) for network, batch in zip(networks, batches, strict=True)]
        return torch.stack(said).mean(0).flatten()

    close(mean(), predicted(molecules, molecules / "folds/model.gsn"))
    gsn.nn.save_members(tmp_path / "same.gsn", networks)
    assert (tmp_path / "same.gsn").read_bytes() == (molecules / "folds/model.gsn").read_bytes()
    with torch.no_grad():
        for network in networks:
            for parameter in network.parameters():
                parameter *= 1.05
    gsn.nn.save_members(tmp_path / "tuned.gsn", networks)
    close(mean(), predicted(molecules, tmp_path / "tuned.gsn"))
    networks[1].save(tmp_path / "one.gsn")
    close(finished(networks[1], networks[1](batches[1])).flatten(), predicted(molecules, tmp_path / "one.gsn"))
