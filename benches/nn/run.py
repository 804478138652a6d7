#!/usr/bin/env python3
"""Our training step beside PyTorch's, on the same batches: `python3 benches/nn/run.py [--write]`.

Sets up a virtual environment with torch and torch_geometric (outside the repository, under the
target folder), builds the Rust side, writes batches and starting weights, checks that all sides
compute the same losses and gradients, then times them in turns with two threads each and prints
ratios, GFLOP/s and the share of the machine's measured GEMM peak. `--write` puts the tables into
`README.md` beside this file.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
WORK = TARGET / "nn-bench"
ENV = Path(os.environ.get("GSN_BENCH_VENV", TARGET / "nn-bench-venv"))
PYTHON = ENV / "bin" / "python"
SIDE = HERE / "torch_side.py"

# PyTorch's forms, from the usual to the strongest.
FORMS = ("plain", "rewrite", "by-hand", "strongest")
NAMES = {"zinc64": "ZINC width 64", "zinc128": "ZINC width 128", "collab": "COLLAB-like GIN",
         "molhiv": "molhiv GIN + virtual node"}

# Least ratios to PyTorch's forms, of a step and of an inference.
FLOORS = {
    "step": {("zinc64", "plain"): 4.0, ("zinc64", "rewrite"): 2.5, ("zinc128", "plain"): 2.5, ("zinc128", "rewrite"): 1.8,
             ("collab", "plain"): 4.0, ("molhiv", "plain"): 1.5},
    "infer": {("zinc64", "plain"): 3.0, ("zinc128", "plain"): 3.0, ("collab", "plain"): 3.0, ("molhiv", "plain"): 3.0},
}
for form in ("by-hand", "strongest"):
    FLOORS["step"] |= {("zinc64", form): 3.0, ("zinc128", form): 2.0, ("molhiv", form): 1.5}
    FLOORS["infer"] |= {("zinc64", form): 2.0, ("zinc128", form): 2.0}
EPOCH_FLOOR = 5.0
MEMORY_MB = 120

# PyTorch allocates every tensor anew. With glibc's defaults large ones go back to the system at
# once and every step pays for their pages again; kept, they cost PyTorch a quarter less of a step.
MALLOC = {"MALLOC_TRIM_THRESHOLD_": str(4 << 30), "MALLOC_MMAP_THRESHOLD_": str(4 << 30),
          "MALLOC_TOP_PAD_": str(256 << 20)}


def set_up():
    """Creates the virtual environment once."""
    if not PYTHON.exists():
        print(f"creating {ENV} with torch and torch_geometric ...", flush=True)
        venv.create(ENV, with_pip=True)
        subprocess.run([PYTHON, "-m", "pip", "install", "-q", "torch", "torch_geometric"], check=True)


def build():
    """Builds the Rust benchmark and returns its path."""
    out = subprocess.run(
        ["cargo", "bench", "-p", "gsn-nn", "--bench", "step", "--no-run", "--message-format=json"],
        cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    for line in out.splitlines():
        message = json.loads(line)
        if message.get("executable") and message["target"]["name"] == "step":
            return message["executable"]
    raise SystemExit("cargo did not build the benchmark")


def ask(command, **variables):
    """Runs a command and reads the JSON of its last line."""
    text = subprocess.run([str(c) for c in command], check=True, stdout=subprocess.PIPE, text=True,
                          env=dict(os.environ, PYTHONWARNINGS="ignore", **variables)).stdout
    return json.loads(text.strip().splitlines()[-1])


def ask_torch(*words):
    """The same for PyTorch's side."""
    return ask([PYTHON, SIDE, *words], **MALLOC)


def compare_gradients(name, ours, theirs):
    """Gradients of the first step, parameter by parameter: norm, and sum with weights 1 to 7. A ReLU
    input within f32's round-off of zero may fall to either side, so single entries differ; in f64 the
    golden tests compare all. A difference of the gradient moves the weighted sum by about the root of
    the weights' mean square, 4.5, times its norm."""
    scale = max(norm for norm, _ in theirs.values())
    for key, (norm, total) in theirs.items():
        least = 0.05 * norm + 1e-4 * scale
        for a, b, bound in ((ours[key][0], norm, least), (ours[key][1], total, 4.5 * least)):
            if abs(a - b) > bound:
                raise SystemExit(f"{name}: gradient of {key} differs: {ours[key]} {theirs[key]}")


def compare(ours, name, threads):
    """Losses and gradients of all sides, without dropout: its masks are random on either side."""
    mine = ask([ours, WORK / name, 4, threads, 0])
    for form in FORMS:
        theirs = ask_torch("run", WORK, name, 4, threads, 0, form)
        compare_gradients(f"{name}, {form}", mine["gradients"], theirs["gradients"])
        pairs = list(zip(mine["losses"], theirs["losses"]))
        off = [abs(a - b) / max(abs(b), 1e-6) for a, b in pairs]
        # Adam's first steps are the signs of the gradient: where that is round-off around zero,
        # f32 runs part ways slowly. The first loss has no such excuse.
        if any(o > limit for o, limit in zip(off, (1e-5, 5e-3, 3e-2, 1e-1))):
            raise SystemExit(f"{name}: losses differ from {form}: {pairs}")
        # Inference with the statistics of those steps; its input parted ways as the losses did.
        if abs(mine["predicted"] - theirs["predicted"]) > 0.1 * abs(theirs["predicted"]) + 0.05:
            raise SystemExit(f"{name}: predictions differ from {form}: {mine['predicted']} {theirs['predicted']}")
        print(f"{name}: losses of {form} off by " + ", ".join(f"{o:.0e}" for o in off), flush=True)


def middle(runs, key, of=statistics.median):
    """The median of the best round, or another measure of it; the first steps of a round (warm-up) are left out. A round in
    which something disturbed a side, PyTorch's spinning threads above all, says nothing about that side."""
    return min(of(r[key][3:]) for r in runs)


def measure(ours, name, facts, args):
    """All sides of one workload in turns: {side: its runs}."""
    runs = {side: [] for side in ("ours", *FORMS)}
    for _ in range(args.rounds):
        runs["ours"].append(ask([ours, WORK / name, args.steps, args.threads, facts["dropout"]]))
        for form in FORMS:
            runs[form].append(ask_torch("run", WORK, name, args.steps, args.threads, facts["dropout"], form))
    return runs


def ratios(name, kind, times, products, failed):
    """"4.19 (4), 3.18 (2.5), 2.9 (3)": PyTorch's times over ours, and floors, those missed in bold. `products` is the
    least time of the products alone, which bounds what can be reached."""
    out = []
    for form in FORMS:
        ratio, least = times[form] / times["ours"], FLOORS[kind].get((name, form))
        text = f"{ratio:.2f}" if least is None else f"{ratio:.2f} ({least:g})"
        if least is not None and ratio < least:
            failed.append(f"{name}: {kind} {ratio:.2f} x {form} is under the floor of {least:g} "
                          f"(products alone: {times[form] / products:.2f})")
            text = f"**{text}**"
        out.append(text)
    return out


def tables(results, peak, failed):
    """The tables of the page: steps and inferences."""
    lines = {"step": [], "infer": []}
    for name, (facts, runs) in results.items():
        for kind in ("step", "infer"):
            times, best, cpu = ({side: middle(r, key, of) for side, r in runs.items()} for key, of in (
                (f"{kind}_ms", statistics.median), (f"{kind}_ms", min), (f"{kind}_cpu_ms", statistics.median)))
            flop = facts["gflop"] / (1 if kind == "step" else 3)
            rate, products = flop / best["ours"] * 1e3, flop / peak * 1e3
            row = [NAMES[name], *(f"{times[side]:.1f} ms" for side in ("ours", *FORMS)),
                   *ratios(name, kind, times, products, failed),
                   " ".join(f"{best[form] / best['ours']:.2f}" for form in FORMS),
                   " ".join(f"{cpu[form] / cpu['ours']:.2f}" for form in FORMS),
                   " ".join(f"{times[form] / products:.2f}" for form in FORMS),
                   f"{rate:.0f}", f"{100 * rate / peak:.0f} %"]
            if kind == "step":
                memory = max(r["peak_mb"] for r in runs["ours"])
                row.append(f"{memory:.0f} MB")
                if name.startswith("zinc") and memory > MEMORY_MB:
                    failed.append(f"{name}: peak memory {memory:.0f} MB is over {MEMORY_MB} MB")
            lines[kind].append(row)
    head = ["ours", *FORMS, *(f"× {form}" for form in FORMS), "fastest: × each", "processor time: × each",
            "products alone: × each", "GFLOP/s", "of torch's"]
    return "\n\n".join(
        "\n".join("| " + " | ".join(row) + " |" for row in ([first, *head, *more], ["---"] * (1 + len(head) + len(more)), *lines[kind]))
        for kind, first, more in (("step", "a training step", ["our memory"]), ("infer", "an inference", [])))


def compare_epochs(ours, args, failed):
    """Whole epochs of ZINC at width 64, ours against plain; the first epoch of each warms up."""
    count = max(args.epochs, 2)
    mine = ask([ours, WORK / "epoch", count, args.threads, 0, "epoch"])
    plain = ask_torch("epoch", WORK, "-", count, args.threads, "0")
    # The same batches in the same order: equal at first, alike after an epoch of f32 round-off.
    if abs(mine["first"] - plain["first"]) > 1e-5 * plain["first"]:
        raise SystemExit(f"epoch: first losses differ: {mine['first']} {plain['first']}")
    for a, b in zip(mine["losses"][0], plain["losses"][0]):
        if abs(a - b) > 0.05 * b:
            raise SystemExit(f"epoch: losses differ: {mine['losses']} {plain['losses']}")
    best = {key: [statistics.median(side[key][1:]) for side in (mine, plain)] for key in ("epoch_ms", "epoch_cpu_ms")}
    (a, b), (c, d) = best["epoch_ms"], best["epoch_cpu_ms"]
    if b / a < EPOCH_FLOOR:
        failed.append(f"epoch: {b / a:.2f} x plain is under the floor of {EPOCH_FLOOR:g}")
    return (f"An epoch of ZINC at width 64: ours {a / 1e3:.2f} s, plain {b / 1e3:.2f} s, × {b / a:.2f} (floor {EPOCH_FLOOR:g}); "
            f"processor time {c / 1e3:.2f} s and {d / 1e3:.2f} s, × {d / c:.2f}; our memory {mine['peak_mb']:.0f} MB.")


def processor():
    """Name and count of the processors, where the system says."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return f"{os.cpu_count()} processors"
    field = lambda key: next((l.split(":", 1)[1].strip() for l in lines if l.startswith(key)), "")
    units = [u for u in ("avx2", "avx512f", "amx_tile") if u in field("flags").split()]
    return (f"{field('model name')} (family {field('cpu family')}, model {field('model')}; {', '.join(units) or 'no AVX2'}), "
            f"{os.cpu_count()} processors")


def write(text):
    """Puts the text between the markers of the page, first of the processors it was measured on; those of other processors stay."""
    page, begin, end = HERE / "README.md", "<!-- measured: begin -->", "<!-- measured: end -->"
    before, rest = page.read_text().split(begin)
    old, after = rest.split(end)
    others = [section.strip() for section in old.split("### ")[1:] if section.splitlines()[0] != processor()]
    sections = "\n\n".join(f"### {section}" for section in [f"{processor()}\n\n{text}", *others])
    page.write_text(f"{before}{begin}\n\n{sections}\n\n{end}{after}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", help="workloads to run: zinc64 zinc128 collab molhiv epoch")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--steps", type=int, default=15)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="the tables into README.md; needs all workloads")
    args = parser.parse_args()
    if args.write and args.only:
        parser.error("--write needs all workloads")
    set_up()
    ours = build()
    made = ask_torch("make", WORK, "-", "0", args.threads, "0")
    gflops, results, failed = made["gflops"], {}, []
    for name, facts in made["workloads"].items():
        if not args.only or name in args.only:
            compare(ours, name, args.threads)
            results[name] = facts, measure(ours, name, facts, args)
    state = ["git", "describe", "--always", "--abbrev=10", "--exclude=*", "--dirty=+"]
    commit = subprocess.run(state, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    text = [f"Commit `{commit}`; torch {made['torch']}, torch_geometric {made['geometric']}; {args.threads} threads each, "
            f"f32. Torch's product of 1024³: {gflops['mkl']:.0f} GFLOP/s with MKL, {gflops['one_dnn']:.0f} with oneDNN."]
    if results:
        text.append(tables(results, max(gflops.values()), failed))
    if not args.only or "epoch" in args.only:
        text.append(compare_epochs(ours, args, failed))
    if results:
        batch = ", ".join(f"{NAMES[n]} {middle(r['ours'], 'batch_ms'):.2f} ms" for n, (_, r) in results.items())
        text.append(f"Putting a batch together, ours: {batch}.")
    text.append("Under their floors: " + "; ".join(failed) + "." if failed else "Every floor is met.")
    print("\n" + "\n\n".join([processor(), *text]))
    if args.write:
        write("\n\n".join(text))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
