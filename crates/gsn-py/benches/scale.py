"""How fast molecules are counted through the binary, Python, Spark and Ray, and what a billion of them cost.

    GSN_DATA=… python crates/gsn-py/benches/scale.py --write

writes `docs/src/scale.md`. Every way reads the same Parquet files of SMILES, repeated from ZINC and HIV, and writes
Parquet; what starts once (a JVM, workers) is started and has counted some rows before the clock runs. The program is
the one in `GSN_BIN`, or else the one of this environment. `--rows` and `--sizes` make it small enough to try.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import gsn
from gsn import _gsn
from gsn._counts import counter

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs/src/scale.md"
PROSE = Path(__file__).with_name("scale_page.md")
PATTERNS = "cycle:3..=8"
#: Rows of one file, so that engines have something to share.
FILE_ROWS = 250_000


@dataclass
class Measured:
    """One way, one number of rows."""

    way: str
    rows: int
    threads: int
    seconds: float
    bytes_in: float
    bytes_out: float

    @property
    def rate(self) -> float:
        """Molecules a second and core."""
        return self.rows / self.seconds / self.threads

    @property
    def core_hours(self) -> float:
        """Of a billion molecules."""
        return 1e9 / self.rate / 3600


def smiles(data: Path) -> list[str]:
    """The molecules of ZINC-12k and of HIV."""
    found = []
    with gzip.open(data / "zinc12k/zinc12k_smiles.csv.gz", "rt") as file:
        found += [row["smiles"] for row in csv.DictReader(file)]
    for path in sorted((data / "ogbg-molhiv").glob("HIV.csv*")):
        opened = gzip.open(path, "rt") if path.suffix == ".gz" else path.open()
        with opened as file:
            found += [row["smiles"] for row in csv.DictReader(file)]
    return found


def make(folder: Path, molecules: list[str], rows: int) -> Path:
    """A folder of Parquet files with so many rows."""
    where = folder / f"in-{rows}"
    where.mkdir()
    block = pa.array(molecules * (FILE_ROWS // len(molecules) + 1))
    for number, start in enumerate(range(0, rows, FILE_ROWS)):
        part = block.slice(0, min(FILE_ROWS, rows - start))
        pq.write_table(pa.table({"smiles": part}), where / f"{number:05}.parquet", row_group_size=16_384)
    return where


def size(path: Path) -> int:
    """Bytes of the Parquet files below a path."""
    files = [path] if path.is_file() else path.rglob("*.parquet")
    return sum(file.stat().st_size for file in files)


def binary(inputs: Path, out: Path, threads: int) -> None:
    """`gsn count`, one file after the other."""
    out.mkdir()
    program = os.environ.get("GSN_BIN") or str(Path(sys.executable).parent / "gsn")
    for file in sorted(inputs.glob("*.parquet")):
        options = ["-p", PATTERNS, "--threads", str(threads), "-q", "-o", str(out / file.name)]
        subprocess.run([program, "count", str(file), *options], check=True)


def table(inputs: Path, out: Path, threads: int) -> None:
    """Record batches read, counted and written by one Python process."""
    out.mkdir()
    count = counter(PATTERNS, "vertex", "induced", "exact")
    for file in sorted(inputs.glob("*.parquet")):
        writer = None
        for batch in pq.ParquetFile(file).iter_batches(16_384):
            counted = pa.record_batch(_gsn.count_batch(count, batch, "smiles", alone=threads == 1))
            writer = writer or pq.ParquetWriter(out / file.name, counted.schema)
            writer.write_batch(counted)
        if writer:
            writer.close()


def lists(inputs: Path, out: Path, threads: int) -> None:
    """`gsn.count_many` over a list of SMILES, nothing written."""
    del out, threads
    for file in sorted(inputs.glob("*.parquet")):
        gsn.count_many(pq.read_table(file).column("smiles").to_pylist(), PATTERNS, errors="collect")


@contextmanager
def spark(threads: int) -> Iterator[Callable[[Path, Path, int], None]]:
    """`gsn.spark.count` on so many local threads."""
    from pyspark.sql import SparkSession

    import gsn.spark

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master(f"local[{threads}]").config("spark.ui.enabled", "false")
    session = builder.config("spark.driver.memory", "4g").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")

    def run(inputs: Path, out: Path, _: int) -> None:
        gsn.spark.count(session.read.parquet(str(inputs)), PATTERNS).write.parquet(str(out))

    yield run
    session.stop()


@contextmanager
def ray(threads: int) -> Iterator[Callable[[Path, Path, int], None]]:
    """`gsn.ray.count` with so many local workers."""
    import ray

    import gsn.ray

    ray.init(num_cpus=threads, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False

    def run(inputs: Path, out: Path, _: int) -> None:
        gsn.ray.count(ray.data.read_parquet(str(inputs)), PATTERNS).write_parquet(str(out))

    yield run
    ray.shutdown()


@contextmanager
def plain(run: Callable[[Path, Path, int], None]) -> Iterator[Callable[[Path, Path, int], None]]:
    """A way that needs nothing to be started."""
    yield run


def measure(options: argparse.Namespace, molecules: list[str]) -> list[Measured]:
    """All ways on `rows` rows, and those that are to be linear on every size."""
    ways = {
        "binary": lambda: plain(binary),
        "python, record batches": lambda: plain(table),
        "python, count_many": lambda: plain(lists),
        "spark": lambda: spark(options.threads),
        "ray": lambda: ray(options.threads),
    }
    linear = ("binary", "spark")
    found = []
    with tempfile.TemporaryDirectory(dir=options.scratch) as name:
        folder = Path(name)
        inputs = {rows: make(folder, molecules, rows) for rows in sorted({*options.sizes, options.rows})}
        warm = make(folder, molecules, 2_000)
        for way, start in ways.items():
            if options.ways and not any(way.startswith(wanted) for wanted in options.ways):
                continue
            with start() as run:
                run(warm, folder / "warm", options.threads)
                shutil.rmtree(folder / "warm", ignore_errors=True)
                for rows, where in inputs.items():
                    if rows != options.rows and way not in linear:
                        continue
                    out = folder / "out"
                    begun = time.perf_counter()
                    run(where, out, options.threads)
                    seconds = time.perf_counter() - begun
                    bytes_out = size(out) / rows if out.exists() else 0.0
                    shutil.rmtree(out, ignore_errors=True)
                    one = Measured(way, rows, options.threads, seconds, size(where) / rows, bytes_out)
                    found.append(one)
                    print(json.dumps(asdict(one) | {"rate": round(one.rate)}), flush=True)
    return found


def in_memory(molecules: list[str]) -> tuple[float, float]:
    """Bytes a row between an engine and its workers, there and back."""
    batch = pa.record_batch({"smiles": pa.array(molecules)})
    counted = pa.record_batch(_gsn.count_batch(counter(PATTERNS, "vertex", "induced", "exact"), batch, "smiles"))
    return batch.nbytes / len(molecules), (counted.nbytes - batch.nbytes) / len(molecules)


def page(options: argparse.Namespace, found: list[Measured], wire: tuple[float, float], molecules: int) -> str:
    """The page of the book."""
    commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    main = [one for one in found if one.rows == options.rows]
    rates = {one.way: one.rate for one in main}
    lines = [
        PROSE.read_text(encoding="utf-8").strip(),
        "",
        "<!-- Written by crates/gsn-py/benches/scale.py from scale_page.md beside it; do not edit. -->",
        "",
        "## Molecules a second",
        "",
        "<!-- scale -->",
        "",
        f"{options.rows:,} molecules, repeated from the {molecules:,} of ZINC-12k and HIV, `{PATTERNS}` at every atom, "
        f"{options.threads} threads, on {machine()}, at commit {commit.stdout.strip()}. Parquet in, Parquet out; "
        "`count_many` reads a list and writes nothing. Sessions were warm; bytes are those of a row in the files.",
        "",
        "| way | seconds | molecules a second and core | beside the binary | core hours for 10⁹ | bytes in | out |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for one in main:
        beside = f"{one.rate / rates['binary']:.2f}" if "binary" in rates else ""
        out = f"{one.bytes_out:.0f}" if one.bytes_out else "–"
        lines.append(
            f"| {one.way} | {one.seconds:.1f} | {one.rate:,.0f} | {beside} | {one.core_hours:.1f} "
            f"| {one.bytes_in:.1f} | {out} |"
        )
    lines += [
        "",
        f"In memory a row is {wire[0]:.0f} bytes on its way to a worker and {wire[1]:.0f} more on its way back.",
        "",
        "## The cost grows with the rows",
        "",
        "Microseconds a molecule and core, as the number of molecules grows:",
        "",
    ]
    sizes = sorted({one.rows for one in found})
    lines += ["| way | " + " | ".join(f"{rows:,}" for rows in sizes) + " |", "|---|" + "---:|" * len(sizes)]
    for way in dict.fromkeys(one.way for one in found):
        by_rows = {one.rows: one for one in found if one.way == way}
        if len(by_rows) < len(sizes):
            continue
        cells = [f"{1e6 / by_rows[rows].rate:.2f}" for rows in sizes]
        lines.append(f"| {way} | " + " | ".join(cells) + " |")
    lines += ["", "<!-- /scale -->"]
    return "\n".join(lines) + "\n"


def machine() -> str:
    """The processor."""
    for line in Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []:
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def main() -> None:
    """Measures and, if asked to, writes the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of the first table")
    parser.add_argument("--sizes", type=int, nargs="*", default=[10_000, 100_000, 1_000_000, 10_000_000])
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--ways", nargs="*", help="only these: binary, python, spark, ray")
    parser.add_argument("--scratch", type=Path, help="folder for files; 10 million rows take gigabytes")
    parser.add_argument("--write", action="store_true", help=f"writes {PAGE.relative_to(ROOT)}")
    options = parser.parse_args()
    if "GSN_DATA" not in os.environ:
        raise SystemExit("GSN_DATA must name the folder with zinc12k and ogbg-molhiv")
    molecules = smiles(Path(os.environ["GSN_DATA"]))
    found = measure(options, molecules)
    text = page(options, found, in_memory(molecules), len(molecules))
    if options.write:
        PAGE.write_text(text, encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
