"""Every script in `examples` runs, and computes what it says."""

from __future__ import annotations

import importlib.util
import itertools
import math
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import networkx as nx
import numpy as np
import pandas as pd
import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"

#: How each script is run, and the number that it prints last.
RUNS = {
    "chemprop_atom_features.py": (["--quick"], r"with cycle:3\.\.=8: test MAE (\S+)"),
    "graphgps_features.py": (["--quick"], r"test MAE (\S+)"),
    "molhiv_gpu.py": (["--quick", "--csv", "{table}", "--target", "active"], r"test ROC-AUC (\S+)"),
    "orbit_mmd.py": (["--quick"], r"random graphs: (\S+)"),
    "zinc_pyg.py": (["--quick"], r"test MAE (\S+)"),
}

#: Scripts that are run by tests of their own.
ELSEWHERE = {"train_ddp.py"}


@pytest.fixture(scope="module")
def table(tmp_path_factory) -> Path:
    """Molecules that are active if they have a ring of three atoms."""
    rings = ["C1CC1", "C1CCC1", "C1CCCC1", "c1ccccc1"]
    molecules = ["C" * chain + ring + tail for ring in rings for chain in range(1, 9) for tail in ("", "N", "O")]
    path = tmp_path_factory.mktemp("table") / "molecules.csv"
    pd.DataFrame({"smiles": molecules, "active": [int("C1CC1" in m) for m in molecules]}).to_csv(path)
    return path


def test_every_script_is_run():
    assert {path.name for path in EXAMPLES.glob("*.py")} - ELSEWHERE == set(RUNS)


@pytest.mark.parametrize("name", sorted(RUNS))
def test_the_script_runs(name, table):
    if name.startswith("chemprop"):
        pytest.importorskip("chemprop", reason="chemprop is not installed")
    arguments, result = RUNS[name]
    done = subprocess.run(
        [sys.executable, EXAMPLES / name, *(word.format(table=table) for word in arguments)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    found = re.search(result, done.stdout)
    assert found and math.isfinite(float(found[1])), done.stdout


def test_the_page_for_users_of_pyg():
    text = (EXAMPLES.parents[2] / "docs/src/pyg.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == 4
    seen: dict[str, object] = {}
    for block in blocks:
        exec(block, seen)
    assert set(RUNS) <= set(re.findall(r"`(\w+\.py)`", text))


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def orbits_by_listing(graph: nx.Graph) -> np.ndarray:
    """Mean orbit counts; up to four vertices, an orbit is a vertex' degree and those of the whole subgraph."""
    found: dict[tuple[tuple[int, ...], int], int] = {}
    for size in (2, 3, 4):
        for chosen in itertools.combinations(graph, size):
            part = graph.subgraph(chosen)
            if nx.is_connected(part):
                degrees = tuple(sorted(d for _, d in part.degree))
                for _, degree in part.degree:
                    found[degrees, degree] = found.get((degrees, degree), 0) + 1
    names = [((1, 1), 1), ((1, 1, 2), 1), ((1, 1, 2), 2), ((2, 2, 2), 2)]
    names += [((1, 1, 2, 2), 1), ((1, 1, 2, 2), 2), ((1, 1, 1, 3), 1), ((1, 1, 1, 3), 3), ((2, 2, 2, 2), 2)]
    names += [((1, 2, 2, 3), 1), ((1, 2, 2, 3), 2), ((1, 2, 2, 3), 3), ((2, 2, 3, 3), 2), ((2, 2, 3, 3), 3)]
    names += [((3, 3, 3, 3), 3)]
    assert set(found) <= set(names)
    return np.array([found.get(name, 0) for name in names]) / graph.number_of_nodes()


@pytest.mark.parametrize("kernel", ["gaussian", "tv"])
def test_the_mmd_is_that_of_the_formula(kernel):
    script = load("orbit_mmd")
    a = [nx.gnp_random_graph(9, 0.5, seed=seed) for seed in range(5)]
    b = [nx.gnp_random_graph(8, 0.4, seed=seed) for seed in range(50, 54)]
    sigma = 5.0

    def k(x: np.ndarray, y: np.ndarray) -> float:
        distance = math.sqrt(((x - y) ** 2).sum()) if kernel == "gaussian" else np.abs(x - y).sum() / 2
        return math.exp(-(distance**2) / (2 * sigma**2))

    def mean(xs: list[np.ndarray], ys: list[np.ndarray]) -> float:
        return sum(k(x, y) for x in xs for y in ys) / (len(xs) * len(ys))

    x, y = ([orbits_by_listing(graph) for graph in graphs] for graphs in (a, b))
    expected = mean(x, x) + mean(y, y) - 2 * mean(x, y)
    assert expected > 0.01
    assert script.mmd(a, b, kernel, sigma) == pytest.approx(expected, abs=1e-12)
    assert script.mmd(a, a, kernel, sigma) == pytest.approx(0, abs=1e-12)


def test_the_orbits_are_those_of_a_listing():
    graph = nx.gnp_random_graph(10, 0.5, seed=3)
    assert sorted(load("orbit_mmd").orbit_vectors([graph])[0]) == pytest.approx(sorted(orbits_by_listing(graph)))


def test_the_area_under_the_curve_is_that_of_scikit_learn():
    from sklearn.metrics import roc_auc_score

    generator = np.random.default_rng(0)
    scores, labels = generator.integers(0, 6, 200) / 4, generator.integers(0, 2, 200)
    assert load("molhiv_gpu").roc_auc(scores, labels) == pytest.approx(roc_auc_score(labels, scores), abs=1e-12)
