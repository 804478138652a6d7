"""GSN-v on ZINC with PyTorch Geometric, from the data to the test error.

1. The molecules: PyG's own ``ZINC`` (``--root``), or the SMILES of ZINC-12k in the repository with PyG's features.
2. ``AddSubstructureCounts``: cycles of 3 to 8 vertices around every atom, all graphs at once.
3. ``CountEncoder``: a category for every number that occurs among the training graphs.
4. ``gsn.nn``: four layers of the general form with bonds, a sum over the atoms, an MLP.
5. Training by the mean absolute error, the rate halved when the validation error stands still.

These are the settings of the recipe ``zinc-gsn-ef-100k``, which the command ``gsn train`` runs without Python.

    pip install 'graphgsn[pyg,chem]' pandas
    python zinc_pyg.py --root data/ZINC
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch
from torch_geometric.data import Data
from torch_geometric.datasets import ZINC
from torch_geometric.loader import DataLoader

import gsn
from gsn.nn import Network
from gsn.nn.config import GSNConfig, GSNLayer, Head, Ids, Input, Inputs, ModelConfig
from gsn.transforms import AddSubstructureCounts

#: ZINC-12k as it lies in the repository.
SMILES = Path(__file__).parents[2] / "gsn-lab/data/zinc12k/zinc12k.csv.gz"

Parts = dict[str, list[Data]]


def load(root: Path | None) -> Parts:
    """The three parts of ZINC-12k."""
    if root is not None:
        return {name: list(ZINC(str(root), subset=True, split=name)) for name in ("train", "val", "test")}
    import pandas as pd
    from torch_geometric.utils import from_smiles

    parts: Parts = {"train": [], "val": [], "test": []}
    for row in pd.read_csv(SMILES).itertuples():
        data = from_smiles(row.smiles)
        data.y = torch.tensor([row.y], dtype=torch.float32)
        parts[row.split].append(data)
    return parts


def add_counts(parts: Parts, patterns: str) -> list[int]:
    """Adds encoded counts to all graphs; gives the number of categories of every column."""
    add = AddSubstructureCounts(patterns, matching="subgraph")
    for part in parts.values():
        add.add_to(part)
    encoder = gsn.CountEncoder("one-hot").fit(torch.cat([data.substructure_counts for data in parts["train"]]))
    for part in parts.values():
        for data in part:
            data.substructure_counts = torch.from_numpy(encoder.transform(data.substructure_counts))
    return encoder.sizes_ or []


def one_hot(parts: Parts, name: str) -> Input:
    """A table of categories, with as many as occur."""
    tables = [data[name] for part in parts.values() for data in part]
    largest = torch.cat([table.view(len(table), -1) for table in tables]).amax(dim=0)
    return Input.categories([int(most) + 1 for most in largest], "one-hot")


def network(parts: Parts, categories: list[int], width: int) -> Network:
    ids = Ids("vertex", Input.categories(categories, "one-hot"))
    inputs = Inputs(one_hot(parts, "x"), one_hot(parts, "edge_attr"), ids)
    layers = [GSNLayer(width)] * 4
    heads = [None] * len(layers) + [Head([width])]
    return Network.from_config(ModelConfig(inputs, GSNConfig(form="general", layers=layers, heads=heads), outputs=1))


def error(model: Network, loader: DataLoader, device: str) -> float:
    """The mean absolute error."""
    model.eval()
    with torch.no_grad():
        wrong = [(model(batch).flatten() - batch.y).abs() for batch in (b.to(device) for b in loader)]
    return float(torch.cat(wrong).mean())


def train(model: Network, parts: Parts, epochs: int, device: str) -> float:
    """Trains, and gives the error on the test part."""
    loaders = {name: DataLoader(part, 128, shuffle=name == "train") for name, part in parts.items()}
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-3)
    schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimiser, factor=0.5, patience=5, min_lr=1e-5)
    for epoch in range(epochs):
        model.train()
        for batch in loaders["train"]:
            batch = batch.to(device)
            optimiser.zero_grad()
            loss = (model(batch).flatten() - batch.y).abs().mean()
            loss.backward()
            optimiser.step()
        validation = error(model, loaders["val"], device)
        schedule.step(validation)
        print(f"epoch {epoch + 1}: loss {loss:.4f}, validation MAE {validation:.4f}")
    return error(model, loaders["test"], device)


def main() -> None:
    parser = argparse.ArgumentParser(description="GSN-v on ZINC with PyTorch Geometric.")
    parser.add_argument("--root", type=Path, help="folder of PyG's ZINC, downloaded if it is empty")
    parser.add_argument("--patterns", default="cycle:3..=8")
    parser.add_argument("--epochs", type=int, default=1000)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="300 graphs a part, three epochs, narrow")
    settings = parser.parse_args()
    torch.manual_seed(settings.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"

    parts = load(settings.root)
    if settings.quick:
        settings.epochs, settings.width = 3, 16
        parts = {name: part[:300] for name, part in parts.items()}
    categories = add_counts(parts, settings.patterns)
    model = network(parts, categories, settings.width).to(device)
    print(f"{sum(p.numel() for p in model.parameters())} parameters")
    print(f"test MAE {train(model, parts, settings.epochs, device):.4f}")


if __name__ == "__main__":
    main()
