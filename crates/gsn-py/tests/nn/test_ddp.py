"""Two processes with DistributedDataParallel train as one process with the mean of their gradients would."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
from networks import configs, graph
from torch.nn.parallel import DistributedDataParallel

from gsn.nn import GraphBatch, Network

STEPS = 3


def make(name: str) -> Network:
    torch.manual_seed(0)
    return Network.from_config(configs()[name]).double().train()


def part(name: str, rank: int, step: int) -> GraphBatch:
    config = configs()[name]
    return GraphBatch.union([graph(config, 100 * rank + 10 * step + i) for i in range(2)])


def train(rank: int, name: str, port: int, out: str) -> None:
    """What each process does."""
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=2)
    network = make(name)
    # Running statistics stay those of each process, so that the comparison below is simple.
    parallel = DistributedDataParallel(network, broadcast_buffers=False)
    optimiser = torch.optim.SGD(parallel.parameters(), lr=0.05)
    for step in range(STEPS):
        optimiser.zero_grad()
        parallel(part(name, rank, step)).square().mean().backward()
        optimiser.step()
    torch.save(network.state_dict(), f"{out}/{rank}.pt")
    dist.destroy_process_group()


@pytest.mark.parametrize("name", ["general, GSN-v, one-hot", "ogb, virtual node"])
def test_two_processes(name: str, tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    torch.multiprocessing.spawn(train, (name, port, str(tmp_path)), nprocs=2)
    zero, one = (torch.load(tmp_path / f"{rank}.pt", weights_only=True) for rank in (0, 1))

    replicas = [make(name), make(name)]
    for step in range(STEPS):
        for rank, replica in enumerate(replicas):
            replica.zero_grad()
            replica(part(name, rank, step)).square().mean().backward()
        with torch.no_grad():
            for a, b in zip(replicas[0].parameters(), replicas[1].parameters(), strict=True):
                assert a.grad is not None and b.grad is not None
                mean = (a.grad + b.grad) / 2
                a -= 0.05 * mean
                b -= 0.05 * mean
    for key, parameter in replicas[0].named_parameters():
        assert torch.equal(zero[key], one[key]), key
        torch.testing.assert_close(zero[key], parameter.detach(), rtol=1e-12, atol=1e-12, msg=key)
