"""What ``AddSubstructureCounts`` promises, measured in one run.

10,000 molecules of ZINC as PyG ``Data``, cycles of 3 to 8 vertices, induced, at vertices and at arcs, one thread:

* one graph a call, a list of graphs, and a dataset in its storage;
* beside networkx' ``GraphMatcher`` and rustworkx' ``vf2_mapping`` on the same molecules (a sample of them), whose maps
  are counted into the same tables, and whose sums are compared with ours first;
* beside the same counts in Rust from the same edge indexes in memory (``crates/gsn-bench/examples/arrays.rs``);
* and the time that ``import gsn`` takes beyond numpy.

Times are CPU times without Python's collection of cycles; sides take turns, and a ratio is the median of the turns.
``--write`` puts the table into ``benches/README.md``. The wheel must be installed as it is released (``maturin build
--release``).

    python benches/floors.py --write
"""

from __future__ import annotations

import argparse
import copy
import gc
import gzip
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
import rustworkx as rx
import torch
from networkx.algorithms.isomorphism import GraphMatcher
from rdkit import RDLogger
from torch_geometric.data import Data, InMemoryDataset
from torch_geometric.utils import from_smiles

from gsn.transforms import AddSubstructureCounts

ROOT = Path(__file__).parents[3]
ZINC = ROOT / "crates/gsn-lab/data/zinc12k/zinc12k.csv.gz"
PATTERNS, SIZES = "cycle:3..=8", range(3, 9)
SCOPES = ("vertex", "arc")


class Stored(InMemoryDataset):
    """Graphs in one storage, as PyG's own datasets keep them."""

    def __init__(self, graphs: list[Data]) -> None:
        super().__init__(None)
        self.data, self.slices = self.collate(graphs)


class Row(NamedTuple):
    """A line of the table."""

    work: str
    against: str
    ours: float
    theirs: float
    ratio: float
    floor: float | None
    least: bool

    def met(self) -> str:
        if self.floor is None:
            return ""
        good = self.ratio >= self.floor if self.least else self.ratio <= self.floor
        return "yes" if good else "**no**"


def molecules(number: int) -> list[Data]:
    """The first molecules of the training part."""
    RDLogger.DisableLog("rdApp.*")
    with gzip.open(ZINC, "rt", encoding="utf-8") as file:
        smiles = [line.split(",")[1] for line in file if line.startswith("train,")]
    return [from_smiles(text) for text in smiles[:number]]


def seconds(work: Callable[[], Any]) -> float:
    """CPU seconds of one run; as in ``timeit``, Python's collector of cycles rests meanwhile."""
    gc.collect()
    gc.disable()
    try:
        begin = time.process_time()
        kept = work()
        passed = time.process_time() - begin
    finally:
        gc.enable()
    del kept
    return passed


def turns(number: int, ours: Callable[[], float], theirs: Callable[[], float]) -> tuple[float, float, list[float]]:
    """The medians of both sides, and theirs / ours of every turn."""
    found = [(ours(), theirs()) for _ in range(number)]
    a, b = zip(*found, strict=True)
    return statistics.median(a), statistics.median(b), [y / x for x, y in found]


# The paths through the package.


def each(add: AddSubstructureCounts, graphs: Sequence[Data]) -> float:
    return seconds(lambda: [add(data) for data in graphs])


def as_list(add: AddSubstructureCounts, graphs: Sequence[Data]) -> float:
    fresh = [copy.copy(data) for data in graphs]
    return seconds(lambda: add.add_to(fresh))


def as_dataset(add: AddSubstructureCounts, dataset: Stored) -> float:
    return seconds(lambda: add.add_to(dataset))


# The peers: every induced cycle is found 2k times, so the tables are divided by 2k.


def tallied(maps: Any, size: int, scope: str, table: np.ndarray, place: dict[tuple[int, int], int]) -> None:
    """Adds maps from graph to pattern vertices to one column."""
    for found in maps:
        if scope == "vertex":
            for vertex in found:
                table[vertex] += 1
        else:
            turned = {role: vertex for vertex, role in found.items()}
            for role in range(size):
                table[place[turned[role], turned[(role + 1) % size]]] += 1


def with_networkx(graph: nx.Graph, scope: str, place: dict[tuple[int, int], int]) -> np.ndarray:
    rows = graph.number_of_nodes() if scope == "vertex" else len(place)
    table = np.zeros((len(SIZES), rows), np.int64)
    for at, size in enumerate(SIZES):
        maps = GraphMatcher(graph, CYCLES_NX[size]).subgraph_isomorphisms_iter()
        tallied(maps, size, scope, table[at], place)
    return table


def with_rustworkx(graph: rx.PyGraph, scope: str, place: dict[tuple[int, int], int]) -> np.ndarray:
    rows = graph.num_nodes() if scope == "vertex" else len(place)
    table = np.zeros((len(SIZES), rows), np.int64)
    for at, size in enumerate(SIZES):
        maps = rx.vf2_mapping(graph, CYCLES_RX[size], subgraph=True, induced=True, id_order=False)
        tallied(maps, size, scope, table[at], place)
    return table


CYCLES_NX = {size: nx.cycle_graph(size) for size in SIZES}
CYCLES_RX = {size: rx.generators.cycle_graph(size) for size in SIZES}


def beside_peer(
    settings: argparse.Namespace, graphs: list[Data], dataset: Stored, scope: str, library: str
) -> list[Row]:
    """Our paths beside a peer, which gets a sample and its own kind of graphs, made beforehand."""
    count, floor = (with_networkx, 300.0) if library.startswith("networkx") else (with_rustworkx, 100.0)
    number = settings.networkx if library.startswith("networkx") else settings.rustworkx
    sample = graphs[:: max(len(graphs) // number, 1)][:number]
    places = [{(u, v): at for at, (u, v) in enumerate(data.edge_index.T.tolist())} for data in sample]
    made: list[Any] = []
    for data, place in zip(sample, places, strict=True):
        edges = [(u, v) for u, v in place if u < v]
        if library.startswith("networkx"):
            graph = nx.Graph(edges)
            graph.add_nodes_from(range(data.num_nodes))
        else:
            graph = rx.PyGraph(multigraph=False)
            graph.add_nodes_from(range(data.num_nodes))
            graph.add_edges_from_no_data(edges)
        made.append(graph)

    add = AddSubstructureCounts(PATTERNS, scope=scope)
    for data, graph, place in zip(sample, made, places, strict=True):
        ours, theirs = add(data)[add.attribute].numpy(), count(graph, scope, place)
        # At arcs a map and its reverse walk the same cycle in both directions: k rotations each.
        ways = [2 * size if scope == "vertex" else size for size in SIZES]
        if not (theirs == ours.T * np.array(ways)[:, None]).all():
            raise SystemExit(f"{library} and gsn count differently")

    def peer() -> float:
        total = seconds(lambda: [count(graph, scope, place) for graph, place in zip(made, places, strict=True)])
        return total / len(made) * len(graphs)

    rows = []
    for path, ours, promised in (
        ("a dataset", lambda: as_dataset(add, dataset), True),
        ("a list", lambda: as_list(add, graphs), False),
        ("one a call", lambda: each(add, graphs), False),
    ):
        a, b, ratios = turns(settings.turns if promised else 1, ours, peer)
        ratio = statistics.median(ratios)
        rows.append(Row(f"{path}, {scope}", library, a, b, ratio, floor if promised else None, True))
    return rows


class Rust:
    """The same counts in Rust, asked for one pass after the other."""

    def __init__(self, program: Path, dataset: Stored, folder: Path) -> None:
        path = folder / "graphs.bin"
        data, slices = dataset._data, dataset.slices
        orders, starts = np.diff(slices["x"].numpy()), slices["edge_index"].numpy()
        index = data.edge_index.numpy()
        np.concatenate([[len(orders), index.shape[1]], orders, starts, index[0], index[1]]).astype("<i8").tofile(path)
        self.process = subprocess.Popen(
            [program, path, PATTERNS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, scope: str) -> tuple[float, float, int]:
        """Seconds from edge indexes, seconds from graphs, and the sum of all counts."""
        assert self.process.stdin is not None and self.process.stdout is not None
        print(scope, file=self.process.stdin, flush=True)
        from_edges, from_graphs, total = self.process.stdout.readline().split()
        return float(from_edges), float(from_graphs), int(total)


def beside_rust(
    settings: argparse.Namespace, rust: Rust, graphs: list[Data], dataset: Stored, scope: str
) -> list[Row]:
    """What the package adds to the counts themselves."""
    add = AddSubstructureCounts(PATTERNS, scope=scope)
    if int(add.add_to(dataset)._data[add.attribute].sum()) != rust.ask(scope)[2]:
        raise SystemExit("Rust and Python count differently")
    rows = []
    for path, ours, floor in (
        ("one a call", lambda: each(add, graphs), 5.0),
        ("a dataset", lambda: as_dataset(add, dataset), 1.3),
        ("a list", lambda: as_list(add, graphs), None),
    ):
        for against, which in (("Rust, from edge indexes", 0), ("Rust, graphs built before", 1)):
            a, b, ratios = turns(4 * settings.turns, ours, lambda which=which: rust.ask(scope)[which])
            ratio = statistics.median(1 / r for r in ratios)
            rows.append(Row(f"{path}, {scope}", against, a, b, ratio, floor if which == 0 else None, False))
    return rows


def imports(number: int) -> Row:
    """Seconds of ``import gsn`` beyond ``import numpy``, each in a process of its own."""

    def of(code: str) -> float:
        timed = f"import time; b = time.perf_counter(); {code}; print(time.perf_counter() - b)"
        done = subprocess.run([sys.executable, "-c", timed], capture_output=True, text=True, check=True)
        return float(done.stdout)

    both = [(of("import numpy"), of("import gsn")) for _ in range(number)]
    numpy, package = (statistics.median(side) for side in zip(*both, strict=True))
    return Row("`import gsn`", "`import numpy`; the rest in ms", package, numpy, (package - numpy) * 1e3, 150.0, False)


def show(value: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value * 1e9:.3g} ns"


def table(rows: list[Row]) -> str:
    lines = ["| work | against | ours | theirs | ratio | floor | met |", "|---|---|---|---|---|---|---|"]
    for row in rows:
        unit = " ms" if row.work.startswith("`import") else "×"
        floor = "" if row.floor is None else f"{'≥' if row.least else '≤'} {row.floor:g}{unit}"
        lines.append(
            f"| {row.work} | {row.against} | {show(row.ours)} | {show(row.theirs)} | {row.ratio:.3g}{unit} | {floor} "
            f"| {row.met()} |"
        )
    return "\n".join(lines)


def machine() -> str:
    found = [line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")]
    return f"{found[0] if found else 'unknown processor'}, {os.cpu_count()} cores"


def commit() -> str:
    asked = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--exclude=*"]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()


def publish(text: str) -> None:
    """Puts the text between the marks of ``benches/README.md``."""
    path = ROOT / "benches/README.md"
    old = path.read_text(encoding="utf-8")
    begin, end = old.index("<!-- python -->") + len("<!-- python -->"), old.index("<!-- /python -->")
    path.write_text(f"{old[:begin]}\n\n{text}\n\n{old[end:]}", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description="The floors of AddSubstructureCounts in one run.")
    parser.add_argument("--graphs", type=int, default=10_000)
    parser.add_argument("--networkx", type=int, default=20, help="molecules for networkx")
    parser.add_argument("--rustworkx", type=int, default=300, help="molecules for rustworkx")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--imports", type=int, default=15)
    parser.add_argument("--rust", type=Path, help="the built example `arrays`; built by cargo if it is not named")
    parser.add_argument("--write", action="store_true", help="put the table into benches/README.md")
    settings = parser.parse_args()
    # Threads of the package are made when it first counts.
    os.environ["RAYON_NUM_THREADS"] = "1"
    torch.set_num_threads(1)
    if settings.rust is None:
        build = ["cargo", "build", "--release", "--quiet", "-p", "gsn-bench", "--example", "arrays"]
        subprocess.run(build, check=True, cwd=ROOT)
        settings.rust = ROOT / "target/release/examples/arrays"

    graphs = molecules(settings.graphs)
    dataset = Stored(graphs)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        rust = Rust(settings.rust, dataset, Path(folder))
        for scope in SCOPES:
            rows += beside_rust(settings, rust, graphs, dataset, scope)
        rust.process.stdin.close()
        rust.process.wait()
    for library in ("networkx GraphMatcher", "rustworkx vf2_mapping"):
        for scope in SCOPES:
            rows += beside_peer(settings, graphs, dataset, scope, library)
    rows.append(imports(settings.imports))
    text = (
        f"{machine()}; commit {commit()}; networkx {nx.__version__}, rustworkx {rx.__version__}, torch "
        f"{torch.__version__}. {len(graphs):,} molecules, {PATTERNS}, induced, one thread, CPU time.\n\n{table(rows)}"
    )
    print(text)
    if settings.write:
        publish(text)


if __name__ == "__main__":
    main()
