"""Sessions of Spark and Ray, started once for all tests of this folder, and what they are given to work on."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from inputs import large_edges


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A cluster of two workers, each a process of its own."""
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java 17 or later, which is not here: apt-get install openjdk-17-jre-headless")
    pyspark = pytest.importorskip("pyspark")
    from pyspark.sql import SparkSession

    os.environ["SPARK_HOME"] = os.path.dirname(pyspark.__file__)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    folder = tmp_path_factory.mktemp("spark")
    os.environ["SPARK_WORKER_DIR"] = str(folder / "work")
    os.environ["SPARK_LOG_DIR"] = str(folder / "logs")
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("gsn tests")
    settings = {
        "spark.ui.enabled": "false",
        "spark.task.maxFailures": "4",
        "spark.executor.memory": "512m",
        "spark.driver.memory": "512m",
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "16",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.local.dir": str(folder / "local"),
        "spark.executorEnv.PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="session")
def local_ray(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Ray on this machine, with two workers."""
    ray = pytest.importorskip("ray")
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False, object_store_memory=2**28)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield ray
    ray.shutdown()


@pytest.fixture(scope="session")
def large_graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same graph as an Arrow file."""
    import pyarrow as pa

    index, order = large_edges()
    lists = pa.large_list(pa.int64())
    row = {"num_nodes": [order], "src": [index[0].tolist()], "dst": [index[1].tolist()]}
    table = pa.table(row, schema=pa.schema([("num_nodes", pa.int64()), ("src", lists), ("dst", lists)]))
    path = tmp_path_factory.mktemp("graph") / "graph.arrow"
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)
    return path


def program(*arguments: Any) -> None:
    """Runs ``gsn`` of this environment; 1 tells of rows that were rejected."""
    command = [sys.executable, "-m", "gsn", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode in (0, 1), done.stderr


@pytest.fixture(scope="session")
def molecules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A CSV file of small molecules with a number to predict: atoms in rings."""
    chains = ["C" * k for k in range(1, 9)]
    rings = [f"C1{'C' * k}C1" for k in range(1, 9)]
    texts = [chain + ring for chain in ["", *chains[:3]] for ring in [*rings, "O", "N(C)C"]]
    path = tmp_path_factory.mktemp("molecules") / "molecules.csv"
    lines = [f"{text},{0 if '1' not in text else text.index('1', text.index('1') + 1)}" for text in texts]
    path.write_text("\n".join(["smiles,y", *lines]) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def model(molecules: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that the program trained."""
    folder = tmp_path_factory.mktemp("model") / "run"
    program("train", molecules, "--target", "y", "--out", folder, "--set", "training.epochs=2", "-q")
    return folder / "model.gsn"


@pytest.fixture(scope="session")
def predicted(model: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the program predicts, by SMILES; some of it is no molecule."""
    import pyarrow.parquet

    texts = ["C1CC1C", "CCCO", "C1CCCCC1", "xyz", "CN", "C[Si]C"]
    folder = tmp_path_factory.mktemp("predicted")
    (folder / "in.csv").write_text("\n".join(["smiles", *texts]) + "\n", encoding="utf-8")
    program("predict", model, folder / "in.csv", "-o", folder / "out.parquet", "-q")
    rows = pyarrow.parquet.read_table(folder / "out.parquet").drop(["row"]).to_pylist()
    return dict(zip(texts, rows, strict=True))
