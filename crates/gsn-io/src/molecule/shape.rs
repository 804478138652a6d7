//! The atoms and bonds of a SMILES, as they are written.

use super::{notation, usual};
use chematic_core::{Atom, BondOrder, Molecule};
use gsn_core::pattern::MoleculeShape;

pub(super) fn parse(smiles: &str) -> Result<Molecule, String> {
    let smiles = smiles.trim_ascii();
    if smiles.is_empty() {
        return Err("the SMILES is empty".into());
    }
    if let Some(advice) = no_smiles(smiles) {
        return Err(advice.into());
    }
    // `parse_template` is `parse` without a valence check and without preparing for
    // descriptors, which together cost more than twice the parsing.
    chematic_smiles::parse_template(&notation::plain(smiles)?).map_err(|e| e.to_string())
}

/// The molecule of a SMILES in the usual words, which need no chematic.
pub(super) fn usual(smiles: &str) -> Option<MoleculeShape> {
    let smiles = smiles.trim_ascii();
    if no_smiles(smiles).is_some() { None } else { usual::read(smiles) }
}

/// Advice for notations that are often found where a SMILES should be.
fn no_smiles(text: &str) -> Option<&'static str> {
    if text.starts_with("InChI=") {
        return Some(
            "is an InChI, not a SMILES; convert it first, for example with Open Babel: \
             obabel -iinchi IN -osmi -O OUT.smi",
        );
    }
    let key = text.len() == 27
        && text.bytes().enumerate().all(|(at, byte)| match at {
            14 | 25 => byte == b'-',
            _ => byte.is_ascii_uppercase(),
        });
    key.then_some("is an InChIKey, from which no molecule can be read; give a SMILES")
}

pub(super) fn shape(molecule: &Molecule) -> Result<MoleculeShape, String> {
    const GONE: usize = usize::MAX;
    let mut names = Vec::with_capacity(molecule.atom_count());
    let mut out = MoleculeShape::default();
    out.atoms.reserve(molecule.atom_count());
    for (at, atom) in molecule.atoms() {
        if is_hydrogen(atom) && is_implied(molecule, at, atom) {
            names.push(GONE);
            continue;
        }
        names.push(out.atoms.len());
        let number = if atom.wildcard { 0 } else { atom.element.atomic_number() };
        out.atoms.push(u32::from(number));
    }
    if out.atoms.is_empty() {
        return Err("there is no atom".into());
    }
    out.bonds.reserve(molecule.bond_count());
    out.bond_labels.reserve(molecule.bond_count());
    for (_, bond) in molecule.bonds() {
        let (a, b) = (names[bond.atom1.0 as usize], names[bond.atom2.0 as usize]);
        if a == GONE || b == GONE {
            continue;
        }
        if a == b {
            return Err(format!("atom {a} is bonded to itself"));
        }
        let label = match bond.order {
            BondOrder::Single | BondOrder::Up | BondOrder::Down => 1,
            BondOrder::Double => 2,
            BondOrder::Triple => 3,
            BondOrder::Aromatic => 4,
            BondOrder::Quadruple => 5,
            BondOrder::Dative => 6,
            _ => return Err(format!("the bond between atoms {a} and {b} is a query, not a bond")),
        };
        out.bonds.push((a, b));
        out.bond_labels.push(label);
    }
    Ok(out)
}

pub(super) fn is_hydrogen(atom: &Atom) -> bool {
    atom.element.atomic_number() == 1 && !atom.wildcard
}

/// Whether a hydrogen says no more than the valence of its only neighbour: no isotope, charge or
/// map number, one plain bond, to another element.
pub(super) fn is_implied(molecule: &Molecule, at: chematic_core::AtomIdx, atom: &Atom) -> bool {
    let plain = atom.isotope.is_none()
        && atom.charge == 0
        && atom.atom_map.is_none()
        && atom.hydrogen_count.unwrap_or(0) == 0;
    let [(neighbour, bond)] = molecule.neighbor_slice(at) else { return false };
    let other = molecule.atom(*neighbour);
    plain
        && !other.wildcard
        && other.element.atomic_number() != 1
        && molecule.bond(*bond).order == BondOrder::Single
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::molecule::{Chematic, Featurisation, MoleculeReader};
    use proptest::prelude::*;

    fn read(smiles: &str) -> Result<MoleculeShape, String> {
        Chematic.read(smiles)
    }

    /// What is read without chematic is what chematic reads.
    fn check_usual(smiles: &str) {
        if let Some(found) = usual(smiles) {
            let expected = parse(smiles).and_then(|molecule| shape(&molecule));
            assert_eq!(Ok(&found), expected.as_ref(), "{smiles}");
        }
    }

    #[test]
    fn usual_words_are_read_without_chematic() {
        for smiles in [
            "CC(=O)Oc1ccccc1C(=O)O",
            "C[C@@H](N)C(=O)O",
            "F/C=C\\F",
            "[O-][N+](=O)c1ccc2c(c1)[nH]c1ccccc12",
            "C1CC2(C1)CCC%10CC2C%10",
            "Clc1ccc(Br)cc1C#N.O=C([O-])CI",
            "C=1CCCCC1",
            "c1ccc(-c2ccccc2)cc1",
            "C1CCCCC=1",
        ] {
            assert!(usual(smiles).is_some(), "{smiles}");
            check_usual(smiles);
        }
        for smiles in [
            "",
            "C1CC",
            "C(C",
            "C)C",
            "C()C",
            "C..C",
            ".C",
            "C.",
            "C=",
            "C(=)C",
            "C==C",
            "(C)C",
            "C(C.C)C",
            "C1C1",
            "C11",
            "C=1CC#1",
            "C=(C)C",
            "[H]C",
            "[2H]C",
            "[Na+]",
            "C@C",
            "[se]1cccc1",
            "s1cccce1",
            "C->N",
            "C$C",
            "C~C",
            "*C",
            "[C@TH1H](F)(Cl)Br",
            "[Fe++]",
            "C(1CC)C1",
            "C(.C)",
            "fC",
            "C[n",
            "é",
        ] {
            assert!(usual(smiles).is_none(), "{smiles}");
        }
    }

    #[test]
    fn labels_are_atomic_numbers_and_bond_kinds() {
        let shape = read("C/C=C/C#N").unwrap();
        assert_eq!(shape.atoms, [6, 6, 6, 6, 7]);
        assert_eq!(shape.bond_labels, [1, 2, 1, 3]);
        assert_eq!(read("c1ccccc1").unwrap().bond_labels, [4; 6]);
        assert_eq!(read("[Na+].[Cl-]").unwrap().atoms, [11, 17]);
        assert_eq!(read("*C").unwrap().atoms, [0, 6]);
    }

    #[test]
    fn hydrogens_written_as_atoms_are_left_out_unless_they_say_something() {
        assert_eq!(read("[H]C([H])([H])O").unwrap().atoms, [6, 8]);
        assert_eq!(read("[2H]C").unwrap().atoms, [1, 6]);
        assert_eq!(read("[H][H]").unwrap().atoms, [1, 1]);
        assert_eq!(read("[H+]").unwrap().atoms, [1]);
        assert_eq!(read("C[H]C").unwrap().atoms, [6, 1, 6]);
    }

    #[test]
    fn what_is_no_molecule_is_refused_with_a_reason() {
        for bad in
            ["", " ", "C1CC", "C(C", "C)C", "[Xx]", "Q", "C[", "[C", "C%1", "C=1CC#1", "C11", "C~C"]
        {
            let reason = read(bad).unwrap_err();
            assert!(!reason.is_empty(), "{bad}");
        }
        assert!(read("C[Xx]C").unwrap_err().contains("element"));
        let deep = "C(".repeat(100_000);
        assert!(read(&deep).unwrap_err().contains("deep"));
    }

    #[test]
    fn other_notations_are_refused_with_advice() {
        let inchi = read("InChI=1S/C2H6O/c1-2-3/h3H,2H2,1H3").unwrap_err();
        assert!(inchi.contains("convert it first") && inchi.contains("obabel"), "{inchi}");
        assert!(read("LFQSCWFLJHTTHZ-UHFFFAOYSA-N").unwrap_err().contains("InChIKey"));
    }

    const SEEDS: [&str; 6] = [
        "CC(=O)Oc1ccccc1C(=O)O",
        "C[C@@H](N)C(=O)O",
        "F/C=C\\F",
        "[O-][N+](=O)c1ccc2c(c1)[nH]c1ccccc12",
        "C1CC2(C1)CCC%10CC2C%10.[Na+].[Cl-]",
        "CCC1=[O+][Cu-3]2([O+]=C(CC)C1)[O+]=C(CC)CC(CC)=[O+]2",
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]
        #[test]
        fn mutated_molecules_never_panic(
            seed in 0..SEEDS.len(),
            edits in prop::collection::vec((any::<prop::sample::Index>(), 0..4u8, " ~".prop_map(|s| s.chars().next().unwrap()), any::<u8>()), 1..6),
        ) {
            let alphabet: Vec<char> = "CNOcnos[]()=#$:/\\@+-%.*0123456789HBrClFIPSe~<>".chars().collect();
            let mut text: Vec<char> = SEEDS[seed].chars().collect();
            for (at, kind, _, pick) in edits {
                let at = at.index(text.len().max(1)).min(text.len());
                let letter = alphabet[pick as usize % alphabet.len()];
                match kind {
                    0 if at < text.len() => { text.remove(at); }
                    1 if at < text.len() => text[at] = letter,
                    2 => text.truncate(at),
                    _ => text.insert(at, letter),
                }
            }
            let text: String = text.into_iter().collect();
            check_usual(&text);
            if let Ok(shape) = read(&text) {
                prop_assert!(shape.bonds.iter().all(|&(a, b)| a != b && a.max(b) < shape.atoms.len()));
                prop_assert_eq!(shape.bonds.len(), shape.bond_labels.len());
            }
            for how in Featurisation::ALL {
                if let Ok((graph, found)) = Chematic.featurise(&text, how) {
                    let (vertex, arc) = (how.vertex_sizes(), how.arc_sizes());
                    prop_assert_eq!(found.vertex.len(), graph.order() * vertex.len());
                    prop_assert_eq!(found.arc.len(), graph.arc_count() * arc.len());
                    let below = |rows: &[u32], sizes: &[usize]| {
                        rows.iter().zip(sizes.iter().cycle()).all(|(&row, &size)| (row as usize) < size)
                    };
                    prop_assert!(below(&found.vertex, vertex) && below(&found.arc, arc));
                }
            }
        }

        #[test]
        fn arbitrary_text_never_panics(text in "\\PC{0,40}") {
            let _ = read(&text);
            check_usual(&text);
            let _ = Chematic.featurise(&text, Featurisation::Zinc);
        }
    }
}
