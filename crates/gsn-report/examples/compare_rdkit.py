"""Counts what is wrong in drawings of molecules, ours beside RDKit's.

    cargo run --release -p gsn-report --example contact_sheet -- HIV.csv.gz sheet.svg HIV.tsv
    python crates/gsn-report/examples/compare_rdkit.py HIV.tsv … [--write]

Each file is what the example contact_sheet writes: a SMILES and the places of its atoms on every line. `--write` puts the table with
the commit into docs/src/drawing.md. Molecules that RDKit refuses are left out. Both sides are
measured by the same lines below, with the mean bond taken as 1: bonds that cross, pairs of atoms that are not bonded and
nearer than 0.45, atoms nearer than 0.2 to a bond of others, and bonds that are more than a tenth too long or short.
"""

import math
import subprocess
import sys
from pathlib import Path

from rdkit import Chem, RDLogger, rdBase
from rdkit.Chem import AllChem, rdDepictor

TOO_NEAR, ON_EDGE = 0.45, 0.2
BEGIN, END = "<!-- compare-rdkit -->", "<!-- /compare-rdkit -->"
RDLogger.DisableLog("rdApp.*")


def flaws(places, bonds):
    """Crossings, overlaps, covered bonds, uneven bonds."""
    mean = sum(math.dist(places[a], places[b]) for a, b in bonds) / len(bonds)
    places = [(x / mean, y / mean) for x, y in places]
    side = lambda p, q, r: (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
    crossings = covered = 0
    for i, (a, b) in enumerate(bonds):
        p, q = places[a], places[b]
        for c, d in bonds[:i]:
            r, s = places[c], places[d]
            if {a, b} & {c, d}:
                continue
            crossings += side(p, q, r) * side(p, q, s) < 0 and side(r, s, p) * side(r, s, q) < 0
        for v, r in enumerate(places):
            if v in (a, b) or min(math.dist(r, p), math.dist(r, q)) < TOO_NEAR:
                continue
            square = math.dist(p, q) ** 2
            t = ((r[0] - p[0]) * (q[0] - p[0]) + (r[1] - p[1]) * (q[1] - p[1])) / square
            foot = (p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1]))
            covered += 0 < t < 1 and math.dist(r, foot) < ON_EDGE
    overlaps = sum(
        math.dist(p, q) < TOO_NEAR for i, p in enumerate(places) for q in places[:i]
    )
    uneven = sum(abs(math.dist(places[a], places[b]) - 1) > 0.1 for a, b in bonds)
    return crossings, overlaps, covered, uneven


def rdkit_places(molecule, coordgen):
    rdDepictor.SetPreferCoordGen(coordgen)
    AllChem.Compute2DCoords(molecule)
    conformer = molecule.GetConformer()
    points = (conformer.GetAtomPosition(v) for v in range(molecule.GetNumAtoms()))
    return [(point.x, point.y) for point in points]


def measure(path):
    """The flaws of every molecule of a file, by layout."""
    rows = {"gsn": [], "RDKit": [], "RDKit, CoordGen": []}
    for line in open(path):
        smiles, places = line.rstrip("\n").split("\t")
        molecule = Chem.MolFromSmiles(smiles)
        ours = [tuple(map(float, place.split(","))) for place in places.split(" ")]
        if molecule is None or len(ours) != molecule.GetNumAtoms() or molecule.GetNumBonds() == 0:
            continue
        bonds = [(b.GetBeginAtomIdx(), b.GetEndAtomIdx()) for b in molecule.GetBonds()]
        rows["gsn"].append(flaws(ours, bonds))
        rows["RDKit"].append(flaws(rdkit_places(molecule, False), bonds))
        rows["RDKit, CoordGen"].append(flaws(rdkit_places(molecule, True), bonds))
    return rows


def table(paths):
    yield "| molecules | layout | drawn | flawless | crossings | overlaps | covered bonds | uneven bonds |"
    yield "|---|---|---|---|---|---|---|---|"
    for path in paths:
        for name, found in measure(path).items():
            clean = sum(row[:3] == (0, 0, 0) for row in found)
            sums = " | ".join(str(sum(column)) for column in zip(*found))
            yield f"| {Path(path).stem} | {name} | {len(found)} | {clean} | {sums} |"


def main():
    write = "--write" in sys.argv
    lines = list(table([path for path in sys.argv[1:] if path != "--write"]))
    print("\n".join(lines))
    if write:
        page = Path(__file__).parents[3] / "docs/src/drawing.md"
        commit = subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True
        ).stdout.strip()
        above, _, rest = page.read_text().partition(BEGIN)
        _, _, below = rest.partition(END)
        note = f"Commit {commit}, RDKit {rdBase.rdkitVersion}."
        page.write_text("\n".join([above + BEGIN, "", *lines, "", note, "", END + below]))


if __name__ == "__main__":
    main()
