"""Writes conformance.tsv.gz: SMILES and what RDKit makes of them.

    python conformance.py DATA NUMBER OUT.tsv.gz

DATA is the folder that `GSN_DATA` names. Each line has three cells: the SMILES; for every atom the nine
numbers of OGB (element, chirality, degree, charge, hydrogens, radical electrons, hybridisation,
aromatic, in a ring); for every bond its ends and its three (kind, stereo, conjugated). The last two say
`refused` for a string that RDKit's parser does not accept.
"""

import csv
import gzip
import sys

from rdkit import Chem, RDLogger

RDLogger.DisableLog("rdApp.*")

# Every part of the grammar: the organic subset, brackets, isotopes, charges, hydrogens, classes of
# atoms, all bonds, branches, ring numbers, dots, stereo, aromatic elements.
BY_HAND = """
C N O P S F Cl Br I B CC C-C C=C C#N C#C CCO C(C)C C(C)(C)C CC(C)(C)C(C)(C)C C(=O)O C(C(C(C)C)C)C OC(=O)C
C1CC1 C1CCC1 C1CCCCC1 C1CC2CC1CC2 C12CC1C2 C1CCC2(CC1)CCCC2 C%10CCCC%10 C%12CCCCC%12C C0CCCC0 C1CC1C1CC1 C=1CCCCC=1 C1CCCCC=1
c1ccccc1 c1ccncc1 c1cc[nH]c1 c1ccoc1 c1ccsc1 c1c[se]cc1 c1ccc2ccccc2c1 c1ccc2[nH]ccc2c1 c1cnc[nH]1 c1ccpcc1 C1=CC=CC=C1
c1ccccc1-c1ccccc1 c1cc2ccc3cccc4ccc(c1)c2c34 O=c1cc[nH]cc1 Cn1cnc2c1c(=O)n(C)c(=O)n2C O=c1ccocc1 [O-][n+]1ccccc1 c1cc[n+](C)cc1
[H][H] [He] [CH4] [CH3] [CH2] [CH] [C] [NH4+] [NH3+]C [OH-] [OH3+] [Na+].[Cl-] [Ca+2] [Ca++] [Fe+3] [O-2] [O--] [13CH4] [2H]O[2H] [235U]
[CH3:1][OH:2] [C:7] [Cu+2].[O-]S(=O)(=O)[O-] [Si](C)(C)(C)C C[Si](C)(C)O [SeH2] [AsH3] [Pt] [Cl-].[K+] CC.CC [NH4+].[NH4+].[O-]C(=O)[O-]
C[N+](C)(C)C C[N+](=O)[O-] CN(=O)=O C[S](=O)C CS(=O)(=O)C FS(F)(F)(F)(F)F O=P(O)(O)O P(F)(F)(F)(F)F N#N [C-]#[O+] C=[N+]=[N-] [N-]=[N+]=NC
C[C@H](N)C(=O)O C[C@@H](N)C(=O)O N[C@](C)(F)Cl F/C=C/F F/C=C\\F F\\C=C\\F C/C=C/C=C/C C/C=C(\\C)Cl [C@@H]1(C)CCCO1 C1C[C@H]1C OC[C@H]1OC(O)[C@H](O)[C@@H](O)[C@@H]1O
* *C *c1ccccc1 [*] [*+] C* [CH2-]C [CH3+] [CH2]C CC[O] [O][O] O=O [O-]Cl(=O)(=O)=O Cl(=O)(=O)(=O)O I(=O)(=O)O Br[Mg]C [Mg+2] B1OC(C)(C)C(C)(C)O1
c1ccc(cc1)[N+](=O)[O-] CC(=O)Oc1ccccc1C(=O)O CN1C=NC2=C1C(=O)N(C(=O)N2C)C C1=CC=C2C(=C1)C=CN2 C1=CNC=C1 C1=COC=C1 c1ccc2c(c1)cccc2 c1nnn[nH]1 n1ccnc2ccccc12
O=C1C=CC(=O)C=C1 C1=CC=CC=CC=C1 C1=CC=C[CH-]1 [cH-]1cccc1 c1cc[cH+]cc1 C1=C[CH+]C=CC=C1 S1C=CN=C1 C1=CC2=CC=CC2=C1 c1cc2cccc2c1 O=C1NC(=O)C=C1
CC(C)CC1=CC=C(C=C1)C(C)C(=O)O CC1(C(N2C(S1)C(C2=O)NC(=O)CC3=CC=CC=C3)C(=O)O)C C(C(=O)O)N NCC(=O)NCC(=O)O CCCCCCCCCCCCCCCCCC(=O)O
[H]C([H])([H])[H] [H]O[H] [H]N([H])[H] [H+] [H-] [2H]C [H]/C=C/F [H][C@](F)(Cl)Br C[H]
[Fe+++] [O--] C%(12)CCCC%(12) C%(123)CCCC%(123)
C$C [C]$[C] C:C [Hg] C[Hg]C [Sn](C)(C)(C)C c1ccc(cc1)[B](O)O [Al](C)(C)C [Ti](Cl)(Cl)(Cl)Cl N->[Cu+2] [NH3]->[Pt](Cl)(Cl)<-[NH3]
""".split()
BROKEN = """
C1CC C( C) (C C(C ) [ [C C] [] [Zz] [C+ C== C=#C C1C1C1 C%1 C%(1 [13] [H [@] [C@@@H] c1cccc Cl1 (C)C =C) ].[ 1CC 1
""".split()

ELEMENTS = list(range(1, 119))
CHIRALITY = ["CHI_UNSPECIFIED", "CHI_TETRAHEDRAL_CW", "CHI_TETRAHEDRAL_CCW", "CHI_OTHER"]
HYBRIDISATION = ["SP", "SP2", "SP3", "SP3D", "SP3D2"]
KINDS = ["SINGLE", "DOUBLE", "TRIPLE", "AROMATIC"]
STEREO = ["STEREONONE", "STEREOZ", "STEREOE", "STEREOCIS", "STEREOTRANS", "STEREOANY"]


def place(value, among):
    """The place of a value in a list; all others share the place after the last."""
    return among.index(value) if value in among else len(among)


def atom(a):
    return [
        place(a.GetAtomicNum(), ELEMENTS),
        place(str(a.GetChiralTag()), CHIRALITY),
        place(a.GetTotalDegree(), list(range(11))),
        place(a.GetFormalCharge(), list(range(-5, 6))),
        place(a.GetTotalNumHs(), list(range(9))),
        place(a.GetNumRadicalElectrons(), list(range(5))),
        place(str(a.GetHybridization()), HYBRIDISATION),
        int(a.GetIsAromatic()),
        int(a.IsInRing()),
    ]


def bond(b):
    kind = place(str(b.GetBondType()), KINDS)
    stereo = place(str(b.GetStereo()), STEREO)
    return [b.GetBeginAtomIdx(), b.GetEndAtomIdx(), kind, stereo, int(b.GetIsConjugated())]


def line(smiles):
    molecule = Chem.MolFromSmiles(smiles)
    if molecule is None:
        refused = Chem.MolFromSmiles(smiles, sanitize=False) is None
        return f"{smiles}\trefused\trefused\n" if refused else ""
    join = lambda rows: " ".join(".".join(map(str, row)) for row in rows)
    return f"{smiles}\t{join(map(atom, molecule.GetAtoms()))}\t{join(map(bond, molecule.GetBonds()))}\n"


def some(path, number):
    with gzip.open(path, "rt") as file:
        found = [row["smiles"] for row in csv.DictReader(file)]
    return found[:: len(found) // number][:number]


def main():
    data, number, out = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    zinc = some(f"{data}/zinc12k/zinc12k_smiles.csv.gz", number // 2)
    hiv = some(f"{data}/ogbg-molhiv/HIV.csv.gz", number - number // 2)
    with gzip.GzipFile(out, "wb", mtime=0) as file:
        for smiles in BY_HAND + BROKEN + zinc + hiv:
            file.write(line(smiles).encode())


main()
