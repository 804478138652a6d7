"""The example that trains with several processes: two are as good as one, and a checkpoint goes on."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[2] / "examples" / "train_ddp.py"


def options(data: Path, to: Path, epochs: int = 2, batch: int = 4) -> list[Any]:
    small = ["--width", 8, "--layers", 2, "--double", "--patterns", "cycle:3..=6"]
    return [data, "--to", to, "--epochs", epochs, "--batch", batch, *small]


def run(command: Sequence[Any]) -> None:
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(list(map(str, command)), env=environment, capture_output=True, text=True, timeout=180)
    assert done.returncode == 0, done.stderr


def torchrun(processes: int, arguments: list[Any]) -> None:
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", processes]
    run([*launcher, SCRIPT, *arguments])


def weights(to: Path) -> dict[str, Any]:
    import torch

    state: dict[str, Any] = torch.load(to / "checkpoint.pt", weights_only=True)["network"]
    return state


@pytest.fixture(scope="module")
def two(molecules: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two processes."""
    to = tmp_path_factory.mktemp("ddp") / "two"
    torchrun(2, options(molecules, to))
    return to


def test_two_processes_are_one_with_twice_the_batch(two: Path, molecules: Path, tmp_path: Path) -> None:
    import torch

    run([sys.executable, SCRIPT, *options(molecules, tmp_path / "one", batch=8)])
    one, both = weights(tmp_path / "one"), weights(two)
    assert one.keys() == both.keys()
    for name, value in one.items():
        torch.testing.assert_close(both[name], value, rtol=1e-9, atol=1e-9)


def test_a_checkpoint_goes_on(two: Path, molecules: Path, tmp_path: Path) -> None:
    torchrun(2, options(molecules, tmp_path / "run", epochs=1))
    before = weights(tmp_path / "run")
    torchrun(2, [*options(molecules, tmp_path / "run"), "--resume"])
    found, wanted = weights(tmp_path / "run"), weights(two)
    assert all((found[name] == wanted[name]).all() for name in wanted)
    assert any((found[name] != before[name]).any() for name in wanted)
