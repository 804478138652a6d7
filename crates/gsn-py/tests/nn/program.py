"""The program `gsn`, and what it does between a graph and its network, once more in Python: for comparison only.

`GSN_BIN` names the program.
"""

from __future__ import annotations

import bisect
import csv
import math
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import networkx as nx
import torch
from torch import Tensor

from gsn.nn import GraphBatch, Network

BIN = os.environ.get("GSN_BIN")


def run(where: Path, *arguments: str | Path) -> str:
    """Runs the program and returns what it prints."""
    assert BIN is not None
    words = [BIN, *map(str, arguments)]
    environment = {key: value for key, value in os.environ.items() if key != "GSN_DATA"} | {"GSN_CACHE": "off"}
    done = subprocess.run(words, cwd=where, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"{words}: {done.stderr}"
    return done.stdout


def rows_of(path: Path) -> list[dict[str, str]]:
    """The rows of a table."""
    with path.open(newline="") as text:
        return list(csv.DictReader(text))


@dataclass
class Graph:
    """A graph with one row of categories per vertex, and per edge (u < v)."""

    vertex: list[list[int]]
    edges: dict[tuple[int, int], list[int]]

    @property
    def arcs(self) -> list[tuple[int, int]]:
        return [arc for u, v in self.edges for arc in ((u, v), (v, u))]

    def networkx(self) -> nx.Graph:
        graph = nx.empty_graph(len(self.vertex))
        graph.add_edges_from(self.edges)
        return graph


def encoded(network: Network, graphs: list[Graph], where: Path) -> GraphBatch:
    """Graphs as the network reads them, by the pipeline on its card."""
    assert network.card is not None
    card, pipeline = network.card, network.card["pipeline"]
    counts = counted(graphs, pipeline["counts"], where)
    reader = card["reader"] or {}
    labels = (None, None) if reader.get("molecules") else (reader.get("vertex"), reader.get("edge"))
    batches = []
    for at, graph in enumerate(graphs):
        arcs = graph.arcs
        per_arc = [graph.edges[min(arc), max(arc)] for arc in arcs]
        degrees = [[degree] for _, degree in graph.networkx().degree()]
        x = features(pipeline["vertex"], labelled(labels[0], graph.vertex))
        batch: dict[str, Any] = {"num_vertices": len(graph.vertex)}
        if pipeline["degrees"] is not None:
            codes = count_codes(pipeline["degrees"], degrees)
            if pipeline["degrees-are-features"]:
                x = codes
            else:
                batch["degrees"] = codes
        if pipeline["arc"] is not None:
            batch["edge_attr"] = features(pipeline["arc"], labelled(labels[1], per_arc))
        if counts is not None:
            scope, table = pipeline["counts"]["spec"]["scope"], counts[at]
            names = {
                "vertex": range(len(graph.vertex)),
                "edge": [(min(arc), max(arc)) for arc in arcs],
                "arc": arcs,
            }[scope]
            codes = count_codes(pipeline["counts"]["encoder"], [table[name] for name in names])
            batch["vertex_counts" if scope == "vertex" else "arc_counts"] = codes
        if pipeline.get("walks") is not None:
            batch["numbers"] = closed_walks(graph, pipeline["walks"])
        edge_index = torch.tensor(arcs, dtype=torch.int64).reshape(-1, 2).t()
        batches.append(GraphBatch(edge_index, x=x, **batch))
    return GraphBatch.union(batches)


def closed_walks(graph: Graph, steps: int) -> Tensor:
    """The diagonals of the powers of D⁻¹A."""
    adjacency = torch.zeros(len(graph.vertex), len(graph.vertex), dtype=torch.float64)
    for u, v in graph.arcs:
        adjacency[u, v] = 1
    step = adjacency / adjacency.sum(1, keepdim=True).clamp(min=1)
    return torch.stack([torch.linalg.matrix_power(step, k + 1).diagonal() for k in range(steps)], dim=1)


def counted(graphs: list[Graph], step: Any, where: Path) -> list[dict[Any, list[int]]] | None:
    """Counts by the program: for every graph, rows by vertex or by ends."""
    if step is None:
        return None
    spec = step["spec"]
    lines = [nx.to_graph6_bytes(graph.networkx(), header=False) for graph in graphs]
    (where / "graphs.g6").write_bytes(b"".join(lines))
    flags = ["--scope", spec["scope"], "--matching", spec["matching"], "--orbits", spec["edge-orbits"]]
    run(where, "count", "graphs.g6", "-p", spec["patterns"], *flags, "-o", "counts.csv", "-q")
    found: list[dict[Any, list[int]]] = [{} for _ in graphs]
    for row in rows_of(where / "counts.csv"):
        numbers = [int(row[column]) for column in step["encoder"]["columns"]]
        name = int(row["vertex"]) if "vertex" in row else (int(row["source"]), int(row["target"]))
        found[int(row["graph"])][name] = numbers
    return found


def count_codes(encoder: Any, rows: list[list[int]]) -> Tensor:
    """Counts as categories or numbers."""
    columns = len(encoder["columns"])
    codes = [[count_code(encoder, c, row[c]) for c in range(columns)] for row in rows]
    whole = all(isinstance(f, dict) and next(iter(f)) in ("values", "up-to", "bins") for f in encoder["fitted"])
    return torch.tensor(codes, dtype=torch.int64 if whole else torch.float32).reshape(-1, columns)


def count_code(encoder: Any, column: int, value: int) -> float:
    fitted = encoder["fitted"][column]
    if fitted == "raw":
        return value
    if fitted == "log1p":
        return math.log1p(value)
    ((kind, known),) = fitted.items()
    if kind == "scaled":
        return (value - known[0]) / known[1]
    if kind == "bins":
        return bisect.bisect_left(known, value)
    values = list(range(known + 1)) if kind == "up-to" else known
    if value in values:
        return values.index(value)
    assert encoder["unseen"] != "error"
    if encoder["unseen"] == "unknown":
        return len(values)
    return min(range(len(values)), key=lambda i: (abs(values[i] - value), i))


def labelled(vocabulary: Any, rows: list[list[int]]) -> list[list[int]]:
    """Labels as categories."""
    if vocabulary is None:
        return rows
    known = vocabulary["known"]
    return [[known.get(str(row[0]), vocabulary["unknown"])] for row in rows]


def features(table: Any, rows: list[list[int]]) -> Tensor:
    """Categories as the network reads them: those that were not there in training share the last one."""
    if table["given"] is None:
        return torch.zeros(len(rows), 1, dtype=torch.int64)
    if table["vocabulary"] is not None:
        columns = [f["values"] for f in table["vocabulary"]["fitted"]]
        places = [{value: i for i, value in enumerate(values)} for values in columns]
        rows = [[places[c].get(value, len(columns[c])) for c, value in enumerate(row)] for row in rows]
    width = len(table["given"]["categories"]["sizes"])
    return torch.tensor(rows, dtype=torch.int64).reshape(-1, width)


def finished(network: Network, output: Tensor) -> Tensor:
    """Outputs of a network as the program reports them: targets in their unit, or probabilities."""
    assert network.card is not None
    ((kind, _),) = network.card["task"].items()
    if kind == "classes":
        return output.double().softmax(1)
    if kind == "binary":
        return output.double().sigmoid()
    pipeline, y = network.card["pipeline"], output.double()
    if pipeline["scale"] is not None:
        y = y * torch.tensor(pipeline["scale"]["deviation"]) + torch.tensor(pipeline["scale"]["mean"])
    if pipeline.get("bounds") is not None:
        y = y.clamp(torch.tensor(pipeline["bounds"]["least"]), torch.tensor(pipeline["bounds"]["most"]))
    return y
