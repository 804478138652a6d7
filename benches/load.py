"""The program under load: many graphs, large graphs, large patterns, budgets and Ctrl-C.

    python3 benches/load.py [--gsn PROGRAM] [--inputs FOLDER] [--only WORD] [--write]

Whole commands, two threads, the peak of their memory, and processor time. Rows are kept beside the inputs, with the
commit, and measured again only when `--only` names them; `--write` puts all of them into `docs/src/reliability.md`. The
program is `target/release/gsn` unless another is named. About 15 minutes, 10 GB of memory.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "benches"))
from before_after import power_law, times  # noqa: E402

#: A command that takes longer is ended, and the row says so. All cycles of ten million edges take ten minutes of two cores.
LIMIT = 900.0


class Run(NamedTuple):
    """What one command did."""

    code: int
    said: str
    seconds: float
    cpu: float
    megabytes: float


def run(program: Path, arguments: str, feed: Iterable[bytes] = (), stop_after: float | None = None) -> Run:
    """Runs a command, with `feed` on its standard input; `stop_after` seconds later comes Ctrl-C, and seconds and
    processor time are counted from there."""
    with open("said.txt", "w+") as said:
        start = time.monotonic()
        child = subprocess.Popen(
            [program, *arguments.split()], stdin=subprocess.PIPE if feed else subprocess.DEVNULL, stdout=said, stderr=said
        )
        try:
            for block in feed:
                child.stdin.write(block)
            if child.stdin:
                child.stdin.close()
        except BrokenPipeError:
            pass
        spent = 0.0
        if stop_after is not None:
            time.sleep(stop_after)
            start, spent = time.monotonic(), sum(times(child.pid))
            # Also to one that has ended: it is waited for below.
            os.kill(child.pid, signal.SIGINT)
        while True:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() - start > LIMIT:
                child.kill()
            time.sleep(0.001)
        seconds = time.monotonic() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        cpu = usage.ru_utime + usage.ru_stime - spent
        return Run(child.returncode, said.read(), seconds, cpu, usage.ru_maxrss / 1024)


def make(name: str, lines: Iterable[str]) -> None:
    """Writes an input once, complete or not at all."""
    if not Path(name).exists():
        with open(f"new-{name}", "w") as out:
            out.writelines(lines)
        os.rename(f"new-{name}", name)


def prepare() -> None:
    power_law(1_000_000, 10_000_000, "huge.edges")
    make("star.edges", (f"0 {leaf}\n" for leaf in range(1, 1_000_001)))
    make("k2000.edges", (f"{u} {v}\n" for u in range(2000) for v in range(u + 1, 2000)))
    # A ladder has every path and every cycle of 30 vertices, and few of them.
    make("ladder.edges", (f"{u} {v}\n" for i in range(500) for u, v in ((i, i + 1), (1000 + i, 1001 + i), (i, 1000 + i))))
    draw = random.Random(7)
    pairs = [(u, v) for v in range(9) for u in range(v)]

    def graph6() -> str:
        order = draw.randint(5, 9)
        inside = "".join(str(int(draw.random() < 0.35)) for u, v in pairs if v < order)
        inside += "0" * (-len(inside) % 6)
        return chr(63 + order) + "".join(chr(63 + int(inside[i : i + 6], 2)) for i in range(0, len(inside), 6)) + "\n"

    make("small.g6", (graph6() for _ in range(100_000)))


def verdict(outcome: Run) -> str:
    """In words what became of a count."""
    if outcome.code == -signal.SIGKILL:
        return f"**not done after {LIMIT:.0f} s**"
    if outcome.code == 0:
        return "counted"
    reason = next((line for line in outcome.said.splitlines() if "row " in line or line.startswith("error")), "")
    return f"refused: {reason.split(': ', 1)[-1].strip()[:110]}"


#: Memory that the largest graph must do with.
STATED = "--max-memory 4G"
COUNTS = {
    "power law, 1M vertices, 10M edges, 4 GB: triangles": f"huge.edges -p clique:3 {STATED}",
    "the same: `all:4`, all orbits of four vertices": f"huge.edges -p all:4 {STATED}",
    "the same: `cycle:3..=5`, subgraphs": f"huge.edges -p cycle:3..=5 --matching subgraph {STATED}",
    "star of 1M leaves: `star:2..=4`, induced": "star.edges -p star:2..=4",
    "star of 1M leaves: `all:4`": "star.edges -p all:4",
    "star of 1M leaves: `all:5`": "star.edges -p all:5",
    "star of 1M leaves: `all:5`, by edge": "star.edges -p all:5 --scope edge",
    "star of 1M leaves: `all:5`, by arc": "star.edges -p all:5 --scope arc",
    "star of 1M leaves: `star:8`, subgraphs": "star.edges -p star:8 --matching subgraph",
    "K_2000: `all:4`": "k2000.edges -p all:4",
    "K_2000: `all:5`": "k2000.edges -p all:5",
    "K_2000: `clique:3..=8`": "k2000.edges -p clique:3..=8",
    "1,000 patterns at once, 1,000 small graphs": "some.g6 -p all:3..=7,path:8..=10,star:7..=9",
    "`path:30`, `cycle:30`, ladder of 1,000 vertices, budget 10 s":
        "ladder.edges -p path:30,cycle:30 --budget-seconds 10",
    "`clique:30`, `star:29`, K_2000": "k2000.edges -p clique:30,star:29",
}
MANY = {"1 million small graphs from standard input": 10, "10 million of them": 100}

LONG = "huge.edges -p cycle:5 --matching subgraph"
BUDGETS = (5, 20)
STOPPED = (
    "huge.edges -p all:4",
    "huge.edges -p cycle:3..=5",
    LONG,
    "huge.edges -p clique:5 --scope edge",
    "star.edges -p all:5 --scope arc",
    "k2000.edges -p cycle:3..=7 --matching subgraph",
)
#: Seconds after which Ctrl-C comes: while the graph is read, planned for, prepared and counted.
MOMENTS = (*(0.1 + 0.15 * i for i in range(20)), 4, 6, 8)
PLANS = ("huge.edges -p all:4", "k2000.edges -p all:5", "star.edges -p star:4", "ladder.edges -p path:30")


def many(program: Path, times: int) -> list[str]:
    whole = Path("small.g6").read_bytes()
    outcome = run(program, "count - --format graph6 -p cycle:3..=6 -o table.parquet -q", [whole] * times)
    return [verdict(outcome), f"{outcome.cpu:.0f} s", f"{outcome.megabytes:.0f} MB"]


def count(program: Path, arguments: str) -> list[str]:
    outcome = run(program, f"count {arguments} -o table.parquet")
    return [verdict(outcome), f"{outcome.cpu:.1f} s", f"{outcome.megabytes:.0f} MB"]


def budget(program: Path, seconds: int) -> list[str]:
    # What the graph costs to read comes first; planning is a part of the budget.
    reading = run(program, f"count {LONG} --budget-seconds 0.001 -o table.parquet").seconds
    outcome = run(program, f"count {LONG} --budget-seconds {seconds} -o table.parquet")
    return [f"{seconds} s", f"{outcome.seconds - reading:.2f} s after reading, {verdict(outcome)}"]


def stop(program: Path, arguments: str) -> list[str]:
    waits = [run(program, f"count {arguments} -o table.parquet", stop_after=after) for after in MOMENTS]
    stopped = [wait.seconds * 1e3 for wait in waits if wait.code == 2]
    left = "" if len(stopped) == len(waits) else f"; {len(waits) - len(stopped)} times it was done before"
    found = f"{max(stopped):.0f} ms at most, {len(stopped)} times" if stopped else "never"
    return ["100 ms", found + left]


def plan(program: Path, arguments: str) -> list[str]:
    told = json.loads(run(program, f"count {arguments} --explain-plan --json").said)["plans"][0]["predicted_seconds"]
    none = run(program, f"count {arguments} --budget 1 -o table.parquet -q").cpu
    took = run(program, f"count {arguments} -o table.parquet -q --threads 1 --budget-seconds {LIMIT}").cpu - none
    return [f"{told:.3g} s", f"{took:.3g} s beside reading"]


class Row(NamedTuple):
    """A line of a table, and how its other cells are measured."""

    name: str
    measure: Callable[[Path], list[str]]


TABLES = {
    "| work | outcome | processor time | peak memory | at |\n|---|---|---|---|---|": [
        *(Row(name, partial(many, times=times)) for name, times in MANY.items()),
        *(Row(name, partial(count, arguments=arguments)) for name, arguments in COUNTS.items()),
    ],
    "| what | asked | found | at |\n|---|---|---|---|": [
        *(Row(f"budget of {s} s for `count {LONG}`", partial(budget, seconds=s)) for s in BUDGETS),
        *(Row(f"Ctrl-C in `count {words}`", partial(stop, arguments=words)) for words in STOPPED),
        *(Row(f"plan of `count {words}`", partial(plan, arguments=words)) for words in PLANS),
    ],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gsn", type=Path, default=ROOT / "target/release/gsn")
    parser.add_argument("--inputs", type=Path, default=ROOT / "target/load")
    parser.add_argument("--only", default="", metavar="WORD", help="measure the rows whose name contains it")
    parser.add_argument("--write", action="store_true", help="all rows into docs/src/reliability.md")
    asked = parser.parse_args()
    program = asked.gsn.resolve()
    asked.inputs.mkdir(parents=True, exist_ok=True)
    os.chdir(asked.inputs)
    # In a process of its own: what it holds would count as memory of the programs that this one starts.
    if child := os.fork():
        if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
            sys.exit("the inputs cannot be made")
    else:
        prepare()
        os._exit(0)
    Path("some.g6").write_bytes(b"".join(Path("small.g6").read_bytes().splitlines(keepends=True)[:1000]))
    state = ["git", "describe", "--always", "--abbrev=10", "--exclude=*", "--dirty=+"]
    commit = subprocess.run(state, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    kept = Path("rows.json")
    rows = json.loads(kept.read_text()) if kept.exists() else {}
    for row in itertools.chain.from_iterable(TABLES.values()):
        if asked.only in row.name if asked.only else row.name not in rows:
            rows[row.name] = [*row.measure(program), f"`{commit}`"]
            kept.write_text(json.dumps(rows, indent=1))
            print(line(row.name, rows), flush=True)
    if asked.write:
        tables = ("\n".join([head, *(line(row.name, rows) for row in lines)]) for head, lines in TABLES.items())
        page = ROOT / "docs/src/reliability.md"
        begin, end = "<!-- load: begin -->", "<!-- load: end -->"
        before, rest = page.read_text().split(begin)
        text = "\n\n".join(["On two cores, by the commit in the last column.", *tables])
        page.write_text(f"{before}{begin}\n\n{text}\n\n{end}{rest.split(end)[1]}")


def line(name: str, rows: dict[str, list[str]]) -> str:
    return f"| {' | '.join([name, *rows.get(name, ['not measured'])])} |"


if __name__ == "__main__":
    main()
