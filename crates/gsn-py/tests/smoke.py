"""The package in an environment that has nothing else: `python smoke.py`, run where it was installed by pip."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import distribution, distributions
from pathlib import Path

import gsn

installed = {found.metadata["Name"].lower() for found in distributions()}
assert installed - {"pip", "setuptools", "wheel"} == {"graphgsn", "numpy"}, installed
assert distribution("graphgsn").version == gsn.__version__

counts = gsn.count("c1ccccc1C", patterns="cycle:6")
assert counts["cycle:6/v0"].tolist() == [1, 1, 1, 1, 1, 1, 0]
assert gsn.count_many(["C1CC1", "CCO"], "cycle:3", scope="arc").values.sum() == 6
codes = gsn.CountEncoder().fit_transform(counts)
assert codes.shape == counts.shape

loaded = [line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if ".so" in line]
assert not any("torch" in name for name in loaded), loaded

program = Path(sys.executable).with_name("gsn")
shown = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
assert shown.startswith("gsn ") and gsn.__version__ in shown, shown
table = subprocess.run([program, "patterns", "cycle:3..=5"], capture_output=True, text=True, check=True).stdout
assert "cycle:5" in table, table
