"""Counts of many graphs, progress, threads, processes and Ctrl-C."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import networkx as nx
import pytest

import gsn


def graphs(number: int) -> list[nx.Graph]:
    return [nx.gnp_random_graph(5 + seed % 20, 0.3, seed=seed) for seed in range(number)]


def test_many_are_as_one_by_one():
    for scope in ("vertex", "edge", "arc"):
        many = gsn.count_many(graphs(50), "cycle:3..=5,path:3", scope=scope)
        for graph, counts in zip(graphs(50), many, strict=True):
            alone = gsn.count(graph, patterns="cycle:3..=5,path:3", scope=scope)
            assert (counts.values == alone.values).all()


def test_bad_graphs_are_collected_or_raised():
    mixed = ["CCO", "C1CC", ([[0], [5]], 2), "C1CC1"]
    many = gsn.count_many(mixed, "cycle:3", errors="collect")
    assert sorted(many.errors) == [1, 2]
    assert many[3].values.sum() == 3
    assert len(many.to_pandas()) == 6
    with pytest.raises(ValueError, match="graph 1"):
        gsn.count_many(mixed, "cycle:3")
    with pytest.raises(ValueError, match="graph 2"):
        many[2]
    assert len(gsn.count_many([], "cycle:3")) == 0


def test_progress_is_told():
    shares: list[float] = []
    gsn.count_many(graphs(200), "cycle:3..=5", progress=shares.append)
    assert shares and shares == sorted(shares) and shares[-1] == 1.0


def test_threads_of_python_count_at_the_same_time():
    expected = gsn.count(graphs(1)[0], patterns="all:4").values
    found: list[bool] = []

    def work() -> None:
        for _ in range(50):
            found.append(bool((gsn.count(graphs(1)[0], patterns="all:4").values == expected).all()))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found == [True] * 200


def _in_child(queue) -> None:
    one = gsn.count(graphs(3)[2], patterns="cycle:3..=6").values.sum()
    many = gsn.count_many(graphs(100), "cycle:3..=6").values.sum()
    large = gsn.count(nx.gnm_random_graph(2000, 12000, seed=1), patterns="cycle:3..=4").values.sum()
    queue.put((int(one), int(many), int(large)))


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_child_processes_count_as_well(method):
    context = multiprocessing.get_context(method)
    here = context.Queue()
    _in_child(here)  # The threads of this process exist before the fork.
    expected = here.get(timeout=60)
    queue = context.Queue()
    child = context.Process(target=_in_child, args=(queue,))
    child.start()
    assert queue.get(timeout=300) == expected
    child.join(60)
    assert child.exitcode == 0


def test_loaders_with_workers():
    torch = pytest.importorskip("torch", reason="torch is part of the tests")
    from torch_geometric.data import Data
    from torch_geometric.loader import DataLoader

    from gsn.transforms import AddSubstructureCounts

    class Lazy(torch.utils.data.Dataset):
        def __len__(self) -> int:
            return 20

        def __getitem__(self, at: int) -> Data:
            index = torch.tensor(list(nx.cycle_graph(3 + at % 5).edges)).T
            return AddSubstructureCounts("cycle:3..=7")(Data(edge_index=index, num_nodes=3 + at % 5))

    gsn.count_many(graphs(100), "cycle:3")
    total = sum(int(b.substructure_counts.sum()) for b in DataLoader(Lazy(), 4, num_workers=2))
    assert total == sum(3 + at % 5 for at in range(20))


def test_control_c_stops_a_long_count():
    code = (
        "import gsn, networkx as nx\n"
        "graph = nx.gnm_random_graph(3000, 200000, seed=0)\n"
        "print('ready', flush=True)\n"
        "gsn.count(graph, patterns='path:10', matching='subgraph')\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout is not None and child.stdout.readline() == "ready\n"
    time.sleep(1)
    os.kill(child.pid, signal.SIGINT)
    _, said = child.communicate(timeout=60)
    assert "KeyboardInterrupt" in said and child.returncode != 0


def test_counts_are_the_same_for_any_number_of_threads():
    code = (
        "import gsn, networkx as nx\n"
        "gs = [nx.gnp_random_graph(30, .2, seed=s) for s in range(40)]\n"
        "print(gsn.count_many(gs, 'all:4', scope='arc').values.tobytes().hex())\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "RAYON_NUM_THREADS": threads},
            capture_output=True,
            check=True,
            timeout=120,
        ).stdout
        for threads in ("1", "3")
    }
    assert len(outputs) == 1 and len(outputs.pop()) > 1000
