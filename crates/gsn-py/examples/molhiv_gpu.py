"""GSN-e with a virtual node on ogbg-molhiv, for a GPU with mixed precision; runs on a CPU as well.

The network of the recipe ``molhiv-gsn``: five layers of the OGB form, 300 wide, a virtual node, and the cycles of 3 to
6 vertices at every bond as embeddings. On a GPU the passes run in half precision (``torch.autocast``, with a scaler
for the gradients), batches are pinned and copied while the last one is computed. The weights of the best epoch on
the validation part are tested.

    pip install 'graphgsn[pyg,chem]' ogb pandas
    python molhiv_gpu.py --root data/ogb                      # OGB's own files, downloaded if they are not there
    python molhiv_gpu.py --csv mine.csv --target HIV_active   # a table with SMILES, split at random
"""

from __future__ import annotations

import argparse
import copy
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader

import gsn
from gsn.nn import GraphBatch, Network
from gsn.nn.config import Ids, Input, Inputs, ModelConfig, OGBConfig, OGBLayer, VirtualNode
from gsn.transforms import AddSubstructureCounts

Parts = dict[str, list[Data]]


def from_ogb(root: Path) -> Parts:
    """ogbg-molhiv with its scaffold split."""
    from ogb.graphproppred import PygGraphPropPredDataset

    dataset = PygGraphPropPredDataset("ogbg-molhiv", str(root))
    return {name: [dataset[int(i)] for i in places] for name, places in dataset.get_idx_split().items()}


def from_csv(path: Path, smiles: str, target: str, limit: int | None, seed: int) -> Parts:
    """The molecules of a table with PyG's features, which are like OGB's; 80, 10 and 10 per cent of them."""
    import pandas as pd
    from torch_geometric.utils import from_smiles

    table = pd.read_csv(path).sample(frac=1, random_state=seed).head(limit)
    graphs = []
    for molecule, y in zip(table[smiles], table[target], strict=True):
        data = from_smiles(molecule)
        data.y = torch.tensor([[float(y)]])
        graphs.append(data)
    tenth = len(graphs) // 10
    return {"train": graphs[2 * tenth :], "valid": graphs[tenth : 2 * tenth], "test": graphs[:tenth]}


def add_counts(parts: Parts, patterns: str) -> list[int]:
    """Adds encoded counts to the arcs of all graphs; gives the number of categories of every column."""
    add = AddSubstructureCounts(patterns, scope="arc", orbits="official")
    for part in parts.values():
        add.add_to(part)
    name = add.attribute
    encoder = gsn.CountEncoder("embedding").fit(torch.cat([data[name] for data in parts["train"]]))
    for part in parts.values():
        for data in part:
            data[name] = torch.from_numpy(encoder.transform(data[name]))
    return encoder.sizes_ or []


def embedded(parts: Parts, name: str, width: int) -> Input:
    """A table of categories, with as many as occur."""
    largest = torch.cat([data[name] for part in parts.values() for data in part]).amax(dim=0)
    return Input.categories([int(most) + 1 for most in largest], "embedding", width)


def make_network(parts: Parts, categories: list[int], width: int, layers: int, dropout: float) -> Network:
    ids = Ids("arc", Input.categories(categories, "embedding", width))
    inputs = Inputs(embedded(parts, "x", width), embedded(parts, "edge_attr", width), ids)
    layer = OGBLayer([2 * width], ids=True, learn_eps=True, dropout=dropout)
    config = OGBConfig(layers=[layer] * layers, virtual_node=VirtualNode([2 * width]))
    return Network.from_config(ModelConfig(inputs, config, outputs=1))


def batches(
    part: list[Data], size: int, device: torch.device, shuffle: bool
) -> Iterator[tuple[GraphBatch, torch.Tensor]]:
    """Batches and targets on the device, copied from pinned memory where there is a GPU."""
    gpu = device.type == "cuda"
    for batch in DataLoader(part, size, shuffle=shuffle, pin_memory=gpu, num_workers=4 if gpu else 0):
        # Checked before it is copied: looking at numbers on a GPU waits for all it was given to do.
        graph = GraphBatch.from_data(batch)
        yield graph.to(device, non_blocking=True), batch.y.float().to(device, non_blocking=True)


def roc_auc(scores: np.ndarray, labels: np.ndarray) -> float:
    """The share of pairs of a positive and a negative that are in the right order; ties count half."""
    order = np.argsort(scores, kind="stable")
    _, group, sizes = np.unique(scores[order], return_inverse=True, return_counts=True)
    ends = np.cumsum(sizes)
    ranks = (ends - (sizes - 1) / 2)[group]
    positive = labels[order] > 0
    yes, no = int(positive.sum()), int((~positive).sum())
    return float((ranks[positive].sum() - yes * (yes + 1) / 2) / (yes * no)) if yes and no else float("nan")


@torch.no_grad()
def test(network: Network, part: list[Data], settings: argparse.Namespace, device: torch.device) -> float:
    network.eval()
    scores, labels = [], []
    for graph, y in batches(part, 512, device, shuffle=False):
        with torch.autocast(device.type, enabled=settings.amp):
            scores.append(network(graph).float().cpu())
        labels.append(y.cpu())
    return roc_auc(torch.cat(scores).numpy().ravel(), torch.cat(labels).numpy().ravel())


def train(network: Network, parts: Parts, settings: argparse.Namespace, device: torch.device) -> float:
    """Trains, and gives the ROC-AUC on the test part at the epoch that is best on the validation part."""
    optimiser = torch.optim.Adam(network.parameters(), lr=1e-3)
    scaler = torch.amp.GradScaler(device.type, enabled=settings.amp and device.type == "cuda")
    best, kept = -1.0, copy.deepcopy(network.state_dict())
    for epoch in range(settings.epochs):
        network.train()
        total = torch.zeros((), device=device)
        for graph, y in batches(parts["train"], settings.batch, device, shuffle=True):
            optimiser.zero_grad(set_to_none=True)
            with torch.autocast(device.type, enabled=settings.amp):
                logits = network(graph)
            loss = F.binary_cross_entropy_with_logits(logits.float(), y)
            scaler.scale(loss).backward()
            scaler.step(optimiser)
            scaler.update()
            total += loss.detach() * len(y)
        validation = test(network, parts["valid"], settings, device)
        print(f"epoch {epoch + 1}: loss {total / len(parts['train']):.4f}, validation ROC-AUC {validation:.4f}")
        if validation > best:
            best, kept = validation, copy.deepcopy(network.state_dict())
    network.load_state_dict(kept)
    return test(network, parts["test"], settings, device)


def main() -> None:
    parser = argparse.ArgumentParser(description="GSN-e with a virtual node on ogbg-molhiv.")
    parser.add_argument("--root", type=Path, default=Path("data/ogb"), help="folder of OGB's files")
    parser.add_argument("--csv", type=Path, help="a table of molecules instead")
    parser.add_argument("--smiles", default="smiles", help="its column with SMILES")
    parser.add_argument("--target", default="HIV_active", help="its column with 0 and 1")
    parser.add_argument("--limit", type=int, help="no more than so many of its rows")
    parser.add_argument("--patterns", default="cycle:3..=6")
    parser.add_argument("--epochs", type=int, default=100)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--width", type=int, default=300)
    parser.add_argument("--layers", type=int, default=5)
    parser.add_argument("--dropout", type=float, default=0.5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--amp", action=argparse.BooleanOptionalAction, help="half precision; by default on a GPU")
    parser.add_argument("--quick", action="store_true", help="two epochs, two narrow layers")
    settings = parser.parse_args()
    if settings.quick:
        settings.epochs, settings.width, settings.layers = 2, 16, 2
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if settings.amp is None:
        settings.amp = device.type == "cuda"
    torch.manual_seed(settings.seed)

    if settings.csv is None:
        parts = from_ogb(settings.root)
    else:
        parts = from_csv(settings.csv, settings.smiles, settings.target, settings.limit, settings.seed)
    categories = add_counts(parts, settings.patterns)
    network = make_network(parts, categories, settings.width, settings.layers, settings.dropout).to(device)
    print(f"{sum(p.numel() for p in network.parameters())} parameters, on {device}, half precision: {settings.amp}")
    print(f"test ROC-AUC {train(network, parts, settings, device):.4f}")


if __name__ == "__main__":
    main()
