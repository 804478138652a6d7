"""Compares the processor time of two builds of gsn on the same work and prints a table.

    GSN_DATA=... python3 benches/before_after.py OLD NEW

Both builds take turns, five times each; the least of the five counts. One thread.
"""

import gzip
import os
import resource
import shutil
import subprocess
import sys
import tempfile

DATA = os.environ["GSN_DATA"]
COUNT = "count {} -o table.parquet -q --threads 1"
WORK = {
    "ZINC, cycle:3..=8 by arc": COUNT.format("zinc.g6 -p cycle:3..=8 --scope arc"),
    "ZINC, all:3..=5 by vertex": COUNT.format("zinc.g6 -p all:3..=5"),
    "HIV, SMILES to Parquet, cycle:3..=8": COUNT.format("hiv.csv -p cycle:3..=8"),
    "IMDB-B, clique:3..=5": COUNT.format(f"{DATA}/tud/IMDBBINARY/IMDBBINARY.txt -p clique:3..=5"),
    "ca-GrQc, all:5": COUNT.format(f"{DATA}/graphs/ca-GrQc.txt.gz -p all:5"),
    "PROTEINS, all:3..=5 by arc": COUNT.format(f"{DATA}/tud/PROTEINS/PROTEINS.txt -p all:3..=5 --scope arc"),
    "ZINC training, one epoch, one seed":
        "train zinc-gsn-ef-100k --set training.epochs=1 --seeds 1 -o run -q --threads 1",
    "MUTAG training, 10 epochs, ten folds":
        "train mutag-gsn-e --set training.epochs=10 -o run -q --threads 1",
}


def unpack(name, target):
    with gzip.open(os.path.join(DATA, name), "rb") as source, open(target, "wb") as out:
        shutil.copyfileobj(source, out)


def processor_seconds(binary, arguments):
    for left in ["run", "cache"]:
        shutil.rmtree(left, ignore_errors=True)
    environment = dict(os.environ, GSN_CACHE=os.path.abspath("cache"))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([binary, *arguments.split()], env=environment, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        sys.exit(f"{binary} {arguments}: {done.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    old, new = (os.path.abspath(binary) for binary in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        unpack("zinc12k/zinc12k_smiles.csv.gz", "zinc.csv")
        unpack("ogbg-molhiv/HIV.csv.gz", "hiv.csv")
        subprocess.run([old, "convert", "zinc.csv", "zinc.g6", "-q"], check=True)
        print("| work | before, s | after, s | ratio |\n|---|---|---|---|")
        for name, arguments in WORK.items():
            times = [(processor_seconds(old, arguments), processor_seconds(new, arguments)) for _ in range(5)]
            before, after = (min(column) for column in zip(*times))
            print(f"| {name} | {before:.3f} | {after:.3f} | {after / before:.2f} |", flush=True)


if __name__ == "__main__":
    main()
