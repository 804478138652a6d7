"""Counts beside the encodings of GraphGPS.

Every atom of a molecule gets its features, Laplacian eigenvectors, return probabilities of a random walk, and the
number of rings of each size it lies on; four layers of PyG's ``GPSConv`` (GINE and attention) predict a number from
them. Without ``--csv`` the molecules are those of ZINC-12k.

    pip install 'graphgsn[pyg,chem]'
    python graphgps_features.py                # with counts
    python graphgps_features.py --patterns ''  # the same network without them
"""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd
import torch
from torch import Tensor, nn
from torch_geometric.data import Batch, Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GINEConv, GPSConv, global_add_pool
from torch_geometric.transforms import AddLaplacianEigenvectorPE, AddRandomWalkPE, Compose
from torch_geometric.utils import from_smiles
from torch_geometric.utils.smiles import e_map, x_map

from gsn.transforms import AddSubstructureCounts

#: ZINC-12k as it lies in the repository.
ZINC = Path(__file__).parents[2] / "gsn-lab/data/zinc12k/zinc12k.csv.gz"


class Encoder(nn.Module):
    """Features as sums of trained rows, one table a column."""

    def __init__(self, sizes: list[int], width: int) -> None:
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(size, width) for size in sizes)

    def forward(self, x: Tensor) -> Tensor:
        return sum(table(x[:, at]) for at, table in enumerate(self.tables))


class Network(nn.Module):
    """Features and encodings side by side, layers of GPSConv, the sum over all atoms."""

    def __init__(self, encodings: int, width: int, layers: int) -> None:
        super().__init__()
        self.atoms = Encoder([len(words) for words in x_map.values()], width)
        self.bonds = Encoder([len(words) for words in e_map.values()], width)
        self.encodings = nn.Sequential(nn.BatchNorm1d(encodings), nn.Linear(encodings, width))
        self.join = nn.Linear(2 * width, width)

        def local() -> GINEConv:
            return GINEConv(nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width)))

        self.layers = nn.ModuleList(GPSConv(width, local(), heads=4) for _ in range(layers))
        self.head = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1))

    def forward(self, batch: Batch) -> Tensor:
        h = self.join(torch.cat([self.atoms(batch.x), self.encodings(batch.encodings)], dim=1))
        bonds = self.bonds(batch.edge_attr)
        for layer in self.layers:
            h = layer(h, batch.edge_index, batch.batch, edge_attr=bonds)
        return self.head(global_add_pool(h, batch.batch)).flatten()


def molecules(table: pd.DataFrame, patterns: str, eigenvectors: int = 4, steps: int = 8) -> list[Data]:
    """The molecules of a table with all encodings in ``data.encodings``."""
    encode = Compose([AddLaplacianEigenvectorPE(eigenvectors, "spectral"), AddRandomWalkPE(steps, "walks")])
    graphs = [encode(from_smiles(smiles)) for smiles in table["smiles"]]
    if patterns:
        graphs = AddSubstructureCounts(patterns, dtype=torch.float32).add_to(graphs)
    for graph, y in zip(graphs, table["y"], strict=True):
        parts = [graph.spectral, graph.walks]
        if patterns:
            parts.append(torch.log1p(graph.substructure_counts))
        graph.encodings = torch.cat(parts, dim=1)
        graph.y = torch.tensor([y], dtype=torch.float32)
    return graphs


def train(settings: argparse.Namespace, parts: dict[str, list[Data]]) -> float:
    """Trains, and gives the mean absolute error on the test part."""
    torch.manual_seed(settings.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    network = Network(parts["train"][0].encodings.shape[1], settings.width, settings.layers).to(device)
    optimiser = torch.optim.AdamW(network.parameters(), lr=1e-3, weight_decay=1e-5)
    loaders = {name: DataLoader(part, 32, shuffle=name == "train") for name, part in parts.items()}
    for epoch in range(settings.epochs):
        network.train()
        for batch in loaders["train"]:
            batch = flip_signs(batch.to(device))
            optimiser.zero_grad()
            (network(batch) - batch.y).abs().mean().backward()
            optimiser.step()
        print(f"epoch {epoch + 1}: validation MAE {error(network, loaders['val'], device):.4f}")
    return error(network, loaders["test"], device)


def flip_signs(batch: Batch) -> Batch:
    """Other signs for the eigenvectors of every graph, since theirs mean nothing."""
    columns = batch.spectral.shape[1]
    signs = torch.randint(0, 2, (batch.num_graphs, columns), device=batch.x.device) * 2 - 1
    batch.encodings[:, :columns] *= signs[batch.batch]
    return batch


@torch.no_grad()
def error(network: Network, loader: DataLoader, device: str) -> float:
    network.eval()
    wrong = [(network(batch) - batch.y).abs() for batch in (b.to(device) for b in loader)]
    return float(torch.cat(wrong).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description="GPS layers on features, spectral encodings and counts.")
    parser.add_argument("--csv", type=Path, default=ZINC, help="columns split (train, val, test), smiles and y")
    parser.add_argument("--patterns", default="cycle:3..=8", help="what is counted; empty: nothing")
    parser.add_argument("--epochs", type=int, default=100)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="60 molecules a part, two epochs, narrow")
    settings = parser.parse_args()
    if settings.quick:
        settings.epochs, settings.width, settings.layers = 2, 16, 2

    table = pd.read_csv(settings.csv)
    parts = {}
    for name in ("train", "val", "test"):
        part = table[table["split"] == name]
        parts[name] = molecules(part.head(60) if settings.quick else part, settings.patterns)
    print(f"test MAE {train(settings, parts):.4f}")


if __name__ == "__main__":
    main()
