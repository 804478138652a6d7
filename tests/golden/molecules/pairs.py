"""Writes pairs.sdf.gz: molecules by RDKit as MOL files in five styles, each with its SMILES.

    python pairs.py DATA NUMBER OUT.sdf.gz

DATA is the folder that `GSN_DATA` names. The SMILES has no stereo and lists its atoms in the
order of the MOL file.
"""

import csv
import gzip
import sys

from rdkit import Chem, RDLogger

RDLogger.DisableLog("rdApp.*")

BY_HAND = [
    "[13CH3]CO", "[2H]C([2H])O", "CC[O]", "[CH2]C", "C[N+](C)(C)C", "[NH4+].[Cl-]", "[Na+].[O-]C=O",
    "C[N+](=O)[O-]", "c1cc[nH]c1", "c1ccc2[nH]ccc2c1", "CS(=O)(=O)N", "[O-][n+]1ccccc1", "C[Si](C)(C)C",
    "O=P(O)(O)O", "[H][H]", "[Fe+2]", "C#[N+][O-]", "[C-]#[O+]", "CB(O)O", "*CC", "FS(F)(F)(F)(F)F",
    "[CH3+]", "[CH3-]", "c1c[se]cc1", "[Cu+2]", "N#N", "O=C=O", "[15NH2]c1ccccc1", "C[S+](C)[O-]", "C=[N+]=[N-]",
]


def smiles(data, number):
    with gzip.open(f"{data}/zinc12k/zinc12k_smiles.csv.gz", "rt") as file:
        zinc = [row["smiles"] for row in csv.DictReader(file)]
    with gzip.open(f"{data}/ogbg-molhiv/HIV.csv.gz", "rt") as file:
        hiv = [row["smiles"] for row in csv.DictReader(file)]
    half = number // 2
    return BY_HAND + zinc[:: len(zinc) // half][:half] + hiv[:: len(hiv) // half][:half]


def plain(text):
    """The SMILES without stereo, isotopes kept, and its molecule."""
    molecule = Chem.MolFromSmiles(text)
    if molecule is None:
        return None
    Chem.RemoveStereochemistry(molecule)
    text = Chem.MolToSmiles(molecule)
    return text, Chem.MolFromSmiles(text)


def block(molecule, style):
    bare_nitrogen = molecule.HasSubstructMatch(Chem.MolFromSmarts("[n;H1]"))
    if style in (2, 4) or (style == 3 and bare_nitrogen):
        molecule = Chem.AddHs(molecule)
    return Chem.MolToMolBlock(molecule, kekulize=style != 3, forceV3000=style in (1, 4))


def main():
    data, number, out = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    with gzip.GzipFile(out, "wb", mtime=0) as file:
        at = 0
        for text in smiles(data, number):
            found = plain(text)
            if found is None:
                continue
            style = at % 5
            try:
                record = block(found[1], style)
            except Chem.rdchem.KekulizeException:
                continue
            file.write(f"{record}> <smiles>\n{found[0]}\n\n> <style>\n{style}\n\n$$$$\n".encode())
            at += 1


main()
