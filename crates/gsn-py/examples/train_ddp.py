"""Trains a GSN on molecules with any number of processes, on one machine or many.

    torchrun --nproc-per-node 2 train_ddp.py molecules.csv --target y --to run

Spark starts the same script::

    from pyspark.ml.torch.distributor import TorchDistributor
    TorchDistributor(num_processes=2, local_mode=False, use_gpu=False).run(
        "train_ddp.py", "molecules.csv", "--target", "y", "--to", "run")

Processes speak NCCL where there is CUDA and gloo elsewhere. Each takes its share of every batch and their
gradients are averaged, so two processes with batches of 32 do what one does with batches of 64, to rounding.
That holds since the network has no BatchNorm, whose statistics would be those of a share; with it, use
``torch.nn.SyncBatchNorm`` on CUDA. The first process writes a checkpoint after every epoch, complete or not at
all; ``--resume`` goes on from there with the same numbers. Needs torch and RDKit.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
from pathlib import Path

import torch
import torch.distributed as dist
from rdkit import Chem
from torch import Tensor
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler

import gsn
from gsn.nn import GraphBatch, Network
from gsn.nn.config import GSNConfig, GSNLayer, Ids, Input, Inputs, ModelConfig

Example = tuple[GraphBatch, float]


def read(path: Path, smiles: str, target: str, patterns: str) -> list[Example]:
    """Molecules as graphs: atomic numbers, and counts of patterns at every atom."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    molecules = [Chem.MolFromSmiles(row[smiles]) for row in rows]
    kept = [(m, float(row[target])) for m, row in zip(molecules, rows, strict=True) if m is not None]
    counts = gsn.count_many([molecule for molecule, _ in kept], patterns)
    examples = []
    for (molecule, value), found in zip(kept, counts, strict=True):
        ends = [(b.GetBeginAtomIdx(), b.GetEndAtomIdx()) for b in molecule.GetBonds()]
        index = torch.tensor(ends, dtype=torch.int64).reshape(-1, 2).t()
        atoms = torch.tensor([[atom.GetAtomicNum()] for atom in molecule.GetAtoms()])
        graph = GraphBatch(
            edge_index=torch.cat([index, index.flip(0)], dim=1),
            x=atoms,
            vertex_counts=torch.from_numpy(found.values).double(),
        )
        examples.append((graph, value))
    return examples


def collate(examples: list[Example]) -> tuple[GraphBatch, Tensor]:
    """Several examples as one batch."""
    graphs, targets = zip(*examples, strict=True)
    return GraphBatch.union(graphs), torch.tensor(targets, dtype=torch.float64).unsqueeze(1)


def network(counts: int, width: int, layers: int) -> Network:
    """GSN-v in the GIN form, without BatchNorm."""
    inputs = Inputs(Input.categories([119], "one-hot"), ids=Ids("vertex", Input.values(counts, "log1p")))
    stack = [GSNLayer(width, norm=False) for _ in range(layers)]
    form = GSNConfig(form="gin", layers=stack, mlp_norm=False, readout="mean")
    return Network.from_config(ModelConfig(inputs, form, outputs=1))


def save(path: Path, state: dict[str, object]) -> None:
    """A checkpoint appears under its name when it is complete."""
    half = path.with_suffix(".half")
    torch.save(state, half)
    half.replace(path)


def train(options: argparse.Namespace) -> None:
    """What every process does."""
    together = "RANK" in os.environ
    cuda = torch.cuda.is_available()
    if together:
        dist.init_process_group("nccl" if cuda else "gloo")
    rank, world = (dist.get_rank(), dist.get_world_size()) if together else (0, 1)
    device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", 0))) if cuda else torch.device("cpu")
    precision = torch.float64 if options.double else torch.float32

    examples = read(options.data, options.smiles, options.target, options.patterns)
    # Equal shares: what is left over waits for another epoch's order.
    sampler: DistributedSampler[Example] = DistributedSampler(
        examples,  # type: ignore[arg-type]
        num_replicas=world,
        rank=rank,
        seed=options.seed,
        drop_last=True,
    )
    loader = DataLoader(examples, options.batch, sampler=sampler, collate_fn=collate, drop_last=True)  # type: ignore[arg-type, var-annotated]
    if not len(loader):
        raise SystemExit(f"{len(examples)} molecules are too few for {world} batches of {options.batch}")

    torch.manual_seed(options.seed)
    vertex_counts = examples[0][0].vertex_counts
    assert vertex_counts is not None
    inner = network(vertex_counts.shape[1], options.width, options.layers).to(device, precision)
    model = DistributedDataParallel(inner, device_ids=[device.index] if cuda else None) if together else inner
    optimiser = torch.optim.Adam(inner.parameters(), options.rate)
    options.to.mkdir(parents=True, exist_ok=True)
    checkpoint, begin = options.to / "checkpoint.pt", 0
    if options.resume and checkpoint.exists():
        state = torch.load(checkpoint, map_location=device, weights_only=True)
        inner.load_state_dict(state["network"])
        optimiser.load_state_dict(state["optimiser"])
        begin = state["epoch"]

    for epoch in range(begin, options.epochs):
        sampler.set_epoch(epoch)
        sums = torch.zeros(2, dtype=torch.float64, device=device)
        for batch, targets in loader:
            table = batch.vertex_counts.to(precision)
            said = model(GraphBatch(batch.edge_index, batch.x, None, table, None, None, batch.batch).to(device))
            loss = torch.nn.functional.l1_loss(said, targets.to(device, precision))
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            sums += torch.tensor([loss.item(), 1.0], dtype=torch.float64, device=device)
        if together:
            dist.all_reduce(sums)
        if rank == 0:
            state = {"network": inner.state_dict(), "optimiser": optimiser.state_dict(), "epoch": epoch + 1}
            save(checkpoint, state)
            print(json.dumps({"epoch": epoch + 1, "mae": float(sums[0] / sums[1])}), flush=True)
        if together:
            dist.barrier()
    if together:
        dist.destroy_process_group()


def main() -> None:
    """Reads the options and trains."""
    parser = argparse.ArgumentParser(description="Trains a GSN on molecules with any number of processes.")
    parser.add_argument("data", type=Path, help="a CSV file")
    parser.add_argument("--smiles", default="smiles", help="its column of SMILES")
    parser.add_argument("--target", default="y", help="its column of numbers to predict")
    parser.add_argument("--patterns", default="cycle:3..=8", help="what is counted at every atom")
    parser.add_argument("--to", type=Path, default=Path("run"), help="folder of the checkpoint")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--batch", type=int, default=32, help="molecules of one step and process")
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--double", action="store_true", help="64-bit numbers")
    parser.add_argument("--resume", action="store_true", help="go on from the checkpoint, if there is one")
    train(parser.parse_args())


if __name__ == "__main__":
    main()
