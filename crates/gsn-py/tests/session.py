"""The program `gsn`, for comparison with what the package does: `GSN_BIN` names it, else the package brings it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = [os.environ["GSN_BIN"]] if os.environ.get("GSN_BIN") else [sys.executable, "-m", "gsn"]

#: Forty molecules: chains and rings with a tail.
SMILES = ["C" * n + "O" * (n % 3) for n in range(1, 21)]
SMILES += ["C1" + "C" * (n % 4 + 1) + "C1" + "C" * n for n in range(20)]
SIZES = [float(len(text)) / 7 for text in SMILES]
RINGS = ["ring" if "1" in text else "chain" for text in SMILES]


def run(where: Path, *arguments: str | Path, code: int = 0) -> str:
    """Runs the program and returns what it prints."""
    words = [*PROGRAM, *map(str, arguments)]
    done = subprocess.run(words, cwd=where, capture_output=True, text=True, timeout=600)
    assert done.returncode == code, f"{words}: {done.stderr}"
    return done.stdout


def csv_of(path: Path, **columns: list[object]) -> Path:
    """Writes a table."""
    lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
