"""Two builds of gsn on the same work: what became faster, and that nothing became slower.

    GSN_DATA=... python3 benches/before_after.py BEFORE [AFTER] [--only WORD] [--write]

BEFORE and AFTER are commits (AFTER is HEAD unless given); each is built once, in the target directory. Whole commands,
reading and writing included, one thread, processor time. The builds take turns, and the least of each side's times
counts; a side that takes longer than the limit is stopped, and the ratio is then a bound. Both sides must write the
same arrays. Rows are kept for each pair of commits, so that they can be measured a few at a time; `--write` puts all
of them into `benches/README.md`.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
WORK = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "before-after"
TURNS = 5
LIMIT = 150.0
#: A command that takes longer than this is not repeated, since noise is small beside it.
LONG = 8.0
#: How much slower is not slower.
NOISE = 1.03

SPIDER = "edges:0-1,1-2,0-3,3-4,0-5,5-6"


class Faster(NamedTuple):
    """Work that became faster, and how many times at least."""

    name: str
    arguments: str
    floor: float | None


FASTER = [
    Faster("path:6, random 1k/10k", "random.edges -p path:6 --matching subgraph", 50),
    Faster("path:6, power law 1k/10k", "law.edges -p path:6 --matching subgraph", 50),
    Faster("path:7, power law 1k/10k", "law.edges -p path:7 --matching subgraph", 50),
    Faster("spider of 7 vertices, random 1k/10k", f"random.edges -p {SPIDER} --matching subgraph", 50),
    Faster("cycle:6, power law 1k/10k", "law.edges -p cycle:6 --matching subgraph", 4),
    Faster("cycle:7, power law 1k/10k", "law.edges -p cycle:7 --matching subgraph", 8),
    Faster("cycle:5, wiki-Vote", "wiki.txt -p cycle:5 --matching subgraph", 7),
    Faster("all:6, random 1k/10k", "random.edges -p all:6", 10),
    Faster("all:6, random 300/1k", "small.edges -p all:6", 1),
    Faster("all:4, near-clique of 400", "near.txt -p all:4", 8),
    Faster("all:4, the five densest graphs of COLLAB", "dense.txt -p all:4", 8),
    Faster("all:4 at arcs, the same", "dense.txt -p all:4 --scope arc", None),
    Faster("star:2, power law 1M/10M (reading)", "huge.edges -p star:2 --matching subgraph", 8),
    Faster("all:3..=4, power law 1M/10M", "huge.edges -p all:3..=4", 4),
    Faster("clique:5, power law 1M/10M", "huge.edges -p clique:5", 3),
    Faster("all:3..=4, power law 100k/1M", "large.edges -p all:3..=4", None),
    Faster("all:3..=5, power law 5k/50k", "medium.edges -p all:3..=5", 2),
    Faster("star:5, musae-github", "github.txt -p star:5", None),
    Faster("clique:5, near-clique of 400", "near.txt -p clique:5", None),
]

COUNT = "count {} -o table.npz -q --threads 1"
SAME = {
    "ZINC, cycle:3..=8 by arc": COUNT.format("zinc.g6 -p cycle:3..=8 --scope arc"),
    "ZINC, all:3..=5 by vertex": COUNT.format("zinc.g6 -p all:3..=5"),
    "ZINC, all:3..=5 by arc": COUNT.format("zinc.g6 -p all:3..=5 --scope arc"),
    "HIV, SMILES, cycle:3..=8": COUNT.format("hiv.csv -p cycle:3..=8"),
    "IMDB-B, clique:3..=5": COUNT.format("imdb.txt -p clique:3..=5"),
    "PROTEINS, all:3..=5 by arc": COUNT.format("proteins.txt -p all:3..=5 --scope arc"),
    "ca-GrQc, all:5": COUNT.format("grqc.txt -p all:5"),
    "ca-GrQc, cycle:3..=6": COUNT.format("grqc.txt -p cycle:3..=6"),
    "ZINC training, one epoch, one seed":
        "train zinc-gsn-ef-100k --set training.epochs=1 --seeds 1 -o run -q --threads 1",
    "MUTAG training, 10 epochs, ten folds": "train mutag-gsn-e --set training.epochs=10 -o run -q --threads 1",
}


SPASM = "ZINC, `spasm:cycle:7..=8` by homomorphisms"
ALONE = ["2,000 molecules, processor time", "2,000 molecules, peak memory", SPASM]


class Run(NamedTuple):
    """What one command cost."""

    seconds: float
    peak: int
    finished: bool


def build(commit: str) -> Path:
    """The program of a commit."""
    binary = WORK / f"gsn-{commit}"
    if not binary.exists():
        folder = WORK / "source"
        subprocess.run(["git", "worktree", "remove", "--force", folder], cwd=ROOT, capture_output=True)
        subprocess.run(["git", "worktree", "add", "--detach", "--force", folder, commit], cwd=ROOT, check=True)
        target = WORK / "target"
        command = ["cargo", "build", "--release", "-p", "gsn-cli", "--locked", "--target-dir", target]
        subprocess.run(command, cwd=folder, check=True)
        shutil.copy(target / "release/gsn", binary)
        subprocess.run(["git", "worktree", "remove", "--force", folder], cwd=ROOT, check=True)
    return binary


def run(binary: Path, arguments: str, limit: float) -> Run:
    """Runs a command in this folder."""
    for left in ["run", "cache"]:
        shutil.rmtree(left, ignore_errors=True)
    environment = dict(os.environ, GSN_CACHE=os.path.abspath("cache"))
    with open("said.txt", "w+") as said:
        child = subprocess.Popen([binary, *arguments.split()], env=environment, stdout=said, stderr=said)
        end, usage = time.monotonic() + 2 * limit, None
        while True:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            spent = sum(times(child.pid)) if not pid else 0.0
            if pid:
                break
            if spent > limit or time.monotonic() > end:
                child.kill()
                _, status, usage = os.wait4(child.pid, 0)
                return Run(usage.ru_utime + usage.ru_stime, usage.ru_maxrss, False)
            time.sleep(0.001 if spent < 1 else 0.05)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in (0, 1):
            said.seek(0)
            sys.exit(f"{binary} {arguments}: {said.read()}")
    return Run(usage.ru_utime + usage.ru_stime, usage.ru_maxrss, True)


def times(pid: int) -> tuple[float, float]:
    """Processor seconds of a running process: its own and the system's."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    tick = os.sysconf("SC_CLK_TCK")
    return int(fields[11]) / tick, int(fields[12]) / tick


def beside(before: Path, after: Path, arguments: str, limit: float) -> tuple[Run, Run]:
    """The best of several turns of both builds, whose tables must be equal."""
    turns = []
    for _ in range(TURNS):
        pair = []
        for binary, table in ((after, "after.npz"), (before, "before.npz")):
            pair.append(run(binary, arguments, limit))
            if Path("table.npz").exists():
                os.replace("table.npz", table)
        if all(side.finished for side in pair) and "table.npz" in arguments:
            if arrays("after.npz") != arrays("before.npz"):
                sys.exit(f"the builds count differently: {arguments}")
        turns.append(pair)
        if max(side.seconds for side in pair) > LONG:
            break
    new, old = (min(side, key=lambda run: run.seconds) for side in zip(*turns, strict=True))
    return old, new


def arrays(table: str) -> dict[str, bytes]:
    """The hash of every array of a table; how they are packed does not matter."""
    found = {}
    with zipfile.ZipFile(table) as archive:
        for name in archive.namelist():
            # Piece by piece: what this process holds counts as memory of the programs that it starts.
            with archive.open(name) as array:
                found[name] = hashlib.file_digest(array, "sha256").digest()
    return found


def prepare(binary: Path) -> None:
    """All inputs; those that are generated are the same everywhere."""
    data = Path(os.environ["GSN_DATA"])

    def unpack(name: str, target: str) -> None:
        with gzip.open(data / name, "rb") as source, open(target, "wb") as out:
            shutil.copyfileobj(source, out)

    def generate(arguments: str, target: str) -> None:
        if not Path(target).exists():
            subprocess.run([binary, "generate", *arguments.split(), "-o", f"new-{target}", "-q"], check=True)
            os.rename(f"new-{target}", target)

    for name, target in {
        "zinc12k/zinc12k_smiles.csv.gz": "zinc.csv",
        "ogbg-molhiv/HIV.csv.gz": "hiv.csv",
        "graphs/wiki-Vote.txt.gz": "wiki.txt",
        "graphs/ca-GrQc.txt.gz": "grqc.txt",
        "graphs/musae-github.txt.gz": "github.txt",
        "tud/COLLAB/COLLAB.txt.gz": "collab.txt",
    }.items():
        unpack(name, target)
    for name in ("IMDBBINARY", "PROTEINS"):
        short = name.removesuffix("BINARY").lower()
        shutil.copyfile(data / f"tud/{name}/{name}.txt", f"{short}.txt")
    subprocess.run([binary, "convert", "zinc.csv", "zinc.g6", "-q"], check=True)
    with open("zinc.csv") as lines:
        Path("some.csv").write_text("".join(itertools.islice(lines, 2_001)))
    generate("erdos-renyi --order 1000 --probability 0.02", "random.edges")
    generate("erdos-renyi --order 300 --probability 0.0223", "small.edges")
    generate("chung-lu --order 1000 --mean-degree 20", "law.edges")
    generate("chung-lu --order 5000 --mean-degree 20", "medium.edges")
    power_law(100_000, 1_000_000, "large.edges")
    power_law(1_000_000, 10_000_000, "huge.edges")
    near = random.Random(1)
    pairs = itertools.combinations(range(400), 2)
    Path("near.txt").write_text("".join(f"{u} {v}\n" for u, v in pairs if near.random() < 0.95))
    densest("collab.txt", "dense.txt", 5)


def power_law(order: int, edges: int, target: str) -> None:
    """Ends drawn in proportion to weights that follow a power law; some edges are drawn twice."""
    if Path(target).exists():
        return
    draw = random.Random(order)
    weights = list(itertools.accumulate((v + 1) ** -(1 / 1.5) for v in range(order)))
    names = list(range(order))
    draw.shuffle(names)
    with open(f"new-{target}", "w") as out:
        for _ in range(edges // 100_000):
            ends = draw.choices(names, cum_weights=weights, k=200_000)
            out.writelines(f"{u} {v}\n" for u, v in zip(ends[::2], ends[1::2], strict=True) if u != v)
    os.rename(f"new-{target}", target)


def densest(source: str, target: str, number: int) -> None:
    """The graphs with most edges of a set in the GIN text form."""
    with open(source) as lines:
        graphs = []
        for _ in range(int(next(lines))):
            head = next(lines)
            body = [next(lines) for _ in range(int(head.split()[0]))]
            graphs.append((sum(int(line.split()[1]) for line in body), head + "".join(body)))
    graphs.sort(key=lambda graph: -graph[0])
    Path(target).write_text(f"{number}\n" + "".join(text for _, text in graphs[:number]))


def show(run: Run) -> str:
    text = f"{run.seconds:.3g} s" if run.seconds >= 1 else f"{run.seconds * 1e3:.3g} ms"
    return text if run.finished else f"> {text}"


def faster(before: Path, after: Path, only: str, limit: float) -> list[str]:
    lines = ["| work | before | after | ratio | floor | met |", "|---|---|---|---|---|---|"]
    for name, arguments, floor in FASTER:
        if only in name:
            old, new = beside(before, after, COUNT.format(arguments), limit)
            ratio = old.seconds / new.seconds
            bound = "" if old.finished else "> "
            asked = "" if floor is None else f"{floor:g}×"
            met = "" if floor is None else "yes" if new.finished and ratio >= floor else "**no**"
            lines.append(f"| {name} | {show(old)} | {show(new)} | {bound}{ratio:.3g}× | {asked} | {met} |")
            print(lines[-1], flush=True)
    return lines


def same(before: Path, after: Path, only: str, limit: float) -> list[str]:
    lines = [f"| work | before | after | after / before | at most {NOISE:g} |", "|---|---|---|---|---|"]
    for name, arguments in SAME.items():
        if only in name:
            old, new = beside(before, after, arguments, limit)
            ratio = new.seconds / old.seconds
            met = "yes" if ratio <= NOISE else "**no**"
            lines.append(f"| {name} | {show(old)} | {show(new)} | {ratio:.2f} | {met} |")
            print(lines[-1], flush=True)
    return lines


def alone(before: Path, after: Path, only: str, limit: float) -> list[str]:
    """What has a floor of its own."""
    lines = ["| work | before | after | floor | met |", "|---|---|---|---|---|"]

    def best(binary: Path, arguments: str, turns: int) -> Run:
        runs = [run(binary, arguments, limit) for _ in range(turns)]
        return Run(min(r.seconds for r in runs), min(r.peak for r in runs), True)

    if only in "2,000 molecules":
        some = "count some.csv -p cycle:3..=8 -o table.csv -q"
        old, new = best(before, some, 20), best(after, some, 20)
        for what, a, b, unit, floor in (
            ("processor time", old.seconds * 1e3, new.seconds * 1e3, "ms", 10),
            ("peak memory", old.peak / 1024, new.peak / 1024, "MB", 20),
        ):
            met = "yes" if b <= floor else "**no**"
            lines.append(f"| 2,000 molecules, {what} | {a:.1f} {unit} | {b:.1f} {unit} | ≤ {floor} {unit} | {met} |")
    if only in SPASM:
        new = best(after, COUNT.format("zinc.g6 -p spasm:cycle:7..=8 --matching homomorphism"), TURNS)
        rate = sum(1 for _ in open("zinc.g6")) / new.seconds
        met = "yes" if rate >= 20_000 else "**no**"
        lines.append(f"| {SPASM} | – | {rate:,.0f} molecules a second | ≥ 20,000 | {met} |")
    print("\n".join(lines), flush=True)
    return lines


def commit_of(name: str) -> str:
    command = ["git", "rev-parse", "--short", f"{name}^{{commit}}"]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after", nargs="?", default="HEAD")
    parser.add_argument("--only", default="", metavar="WORD", help="rows whose name contains it")
    parser.add_argument("--limit", type=float, default=LIMIT, metavar="SECONDS", help="after which a side is stopped")
    parser.add_argument("--write", action="store_true", help="into benches/README.md")
    asked = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    commits = [commit_of(asked.before), commit_of(asked.after)]
    before, after = map(build, commits)
    os.chdir(WORK)
    # In a process of its own: what it holds would count as memory of the programs that this one starts.
    if child := os.fork():
        if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
            sys.exit("the inputs cannot be made")
    else:
        prepare(before)
        os._exit(0)
    tables = [table(before, after, asked.only, asked.limit) for table in (faster, alone, same)]
    kept = Path(f"rows-{commits[0]}-{commits[1]}.json")
    known = json.loads(kept.read_text()) if kept.exists() else {}
    known |= {name(line): line for lines in tables for line in lines[2:]}
    kept.write_text(json.dumps(known, indent=1))
    if asked.write:
        text = f"Before: {commits[0]}; after: {commits[1]}. One thread, processor time of whole commands."
        for lines, names in zip(tables, ([row.name for row in FASTER], ALONE, SAME), strict=True):
            text += "\n\n" + "\n".join(lines[:2] + [known[row] for row in names if row in known])
        page = ROOT / "benches/README.md"
        begin, end = "<!-- before-after -->", "<!-- /before-after -->"
        head, rest = page.read_text().split(begin)
        page.write_text(f"{head}{begin}\n\n{text}\n\n{end}{rest.split(end)[1]}")


def name(line: str) -> str:
    """The name of a row."""
    return line.split("|")[1].strip()


if __name__ == "__main__":
    main()
