//! MOL files (connection tables, V2000 and V3000) as molecules.
//!
//! Read are elements, bonds, charges, isotopes, radicals and fixed valences; hydrogens that are
//! not written follow from the valences as they do in RDKit. Stereo (wedges, parities,
//! coordinates) is not read; queries (atom lists, `any` bonds) are refused, since they are no
//! molecules. Cost: one pass over the text.

mod v2000;
mod v3000;

use super::BadMolfile;
use chematic_core::{Atom, AtomIdx, BondOrder, Element, Molecule, MoleculeBuilder};

/// An atom as the file has it.
struct DraftAtom {
    /// `None` for `*` and R groups.
    element: Option<Element>,
    charge: i8,
    isotope: Option<u16>,
    /// Unpaired electrons.
    electrons: u8,
    /// The sum of all bonds, hydrogens included, where the file fixes it.
    valence: Option<u8>,
}

/// A bond as the file has it: its line, its ends from 0, its kind.
struct DraftBond {
    line: usize,
    ends: [usize; 2],
    kind: u32,
}

/// What both versions are read into.
#[derive(Default)]
struct Draft {
    atoms: Vec<DraftAtom>,
    bonds: Vec<DraftBond>,
}

/// The lines of a file, by their numbers from 1.
type Line<'a> = (usize, &'a str);

pub(super) fn parse(text: &str) -> Result<Molecule, BadMolfile> {
    let mut lines = (1..).zip(text.lines()).skip(3);
    let Some(counts) = lines.next() else {
        return Err(bad(1, "ends before the line with the numbers of atoms and bonds"));
    };
    let draft = if counts.1.contains("V3000") {
        v3000::draft(&mut lines)?
    } else {
        v2000::draft(counts, &mut lines)?
    };
    draft.build()
}

fn bad(line: usize, reason: impl Into<String>) -> BadMolfile {
    BadMolfile { line, reason: reason.into() }
}

/// An element by its symbol; `None` for what stands for any atom.
fn element(line: usize, symbol: &str) -> Result<(Option<Element>, Option<u16>), BadMolfile> {
    match symbol {
        "*" | "R" | "R#" => return Ok((None, None)),
        "D" => return Ok((Element::from_symbol("H"), Some(2))),
        "T" => return Ok((Element::from_symbol("H"), Some(3))),
        "A" | "Q" | "X" | "M" | "L" | "AH" | "QH" | "XH" | "MH" => {
            return Err(bad(line, format!("`{symbol}` is a query, not an atom")));
        }
        _ => {}
    }
    match Element::from_symbol(symbol) {
        Some(element) => Ok((Some(element), None)),
        None => Err(bad(line, format!("no element is called `{symbol}`"))),
    }
}

/// The unpaired electrons of a code for radicals.
fn electrons(line: usize, code: i64) -> Result<u8, BadMolfile> {
    match code {
        0 => Ok(0),
        2 => Ok(1),
        1 | 3 => Ok(2),
        _ => Err(bad(line, format!("{code} is no code for a radical"))),
    }
}

/// A charge that an atom can have.
fn charge(line: usize, value: i64) -> Result<i8, BadMolfile> {
    match value {
        -15..=15 => Ok(value as i8),
        _ => Err(bad(line, format!("{value} is no charge of an atom"))),
    }
}

impl Draft {
    fn build(self) -> Result<Molecule, BadMolfile> {
        let mut builder = MoleculeBuilder::with_capacity(self.atoms.len(), self.bonds.len());
        let mut twice = vec![0u32; self.atoms.len()];
        let mut aromatic = vec![false; self.atoms.len()];
        for bond in &self.bonds {
            for at in bond.ends {
                let Some(sum) = twice.get_mut(at) else {
                    let n = self.atoms.len();
                    let reason = format!("a bond names atom {}, but there are {n}", at + 1);
                    return Err(bad(bond.line, reason));
                };
                *sum += if bond.kind == 4 { 3 } else { 2 * bond.kind.min(3) };
                aromatic[at] |= bond.kind == 4;
            }
        }
        for (at, draft) in self.atoms.iter().enumerate() {
            let mut atom = match draft.element {
                Some(element) => Atom::new(element),
                None => Atom::wildcard(),
            };
            (atom.charge, atom.isotope) = (draft.charge, draft.isotope);
            atom.aromatic = aromatic[at] && !atom.wildcard;
            if let Some(valence) = draft.valence {
                let bonds = twice[at].div_ceil(2).min(u32::from(u8::MAX)) as u8;
                atom.hydrogen_count = Some(valence.saturating_sub(bonds));
            }
            builder.add_atom(atom);
        }
        for &DraftBond { line, ends: [a, b], kind } in &self.bonds {
            let order = match kind {
                1 => BondOrder::Single,
                2 => BondOrder::Double,
                3 => BondOrder::Triple,
                4 => BondOrder::Aromatic,
                9 => BondOrder::Dative,
                5..=8 => {
                    return Err(bad(line, format!("bond type {kind} is a query, not a bond")));
                }
                _ => return Err(bad(line, format!("there is no bond type {kind}"))),
            };
            if a == b {
                return Err(bad(line, format!("atom {} is bonded to itself", a + 1)));
            }
            let added = builder.add_bond(AtomIdx(a as u32), AtomIdx(b as u32), order);
            added.map_err(|_| {
                bad(line, format!("atoms {} and {} are bonded twice", a + 1, b + 1))
            })?;
        }
        let mut molecule = builder.build();
        // An unpaired electron stands where a hydrogen would.
        for (at, draft) in self.atoms.iter().enumerate() {
            let atom = AtomIdx(at as u32);
            if draft.electrons > 0 && draft.element.is_some() && draft.valence.is_none() {
                let free = molecule.implicit_hydrogen_count(atom).saturating_sub(draft.electrons);
                molecule.set_hydrogen_count(atom, Some(free));
            }
        }
        Ok(molecule)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Chematic, Featurisation, MoleculeReader};

    fn reason(text: &str) -> (usize, String) {
        let bad = Chematic.read_molfile(text).unwrap_err();
        (bad.line, bad.reason)
    }

    const ETHANOL: &str = "ethanol\n\n\n  3  2  0  0  0  0            999 V2000\n    \
        0.0000    0.0000    0.0000 C   0  0\n    1.0000    0.0000    0.0000 C   0  0\n    \
        2.0000    0.0000    0.0000 O   0  0\n  1  2  1  0\n  2  3  1  0\nM  END\n";

    #[test]
    fn the_atoms_and_bonds_are_those_of_the_smiles() {
        assert_eq!(Chematic.read_molfile(ETHANOL).unwrap(), Chematic.read("CCO").unwrap());
        let features = |how| Chematic.featurise_molfile(ETHANOL, how).unwrap();
        for how in Featurisation::ALL {
            assert_eq!(features(how), Chematic.featurise("CCO", how).unwrap());
        }
    }

    #[test]
    fn charges_and_radicals_of_the_atom_block_count_unless_lines_of_their_own_follow() {
        let charged = ETHANOL.replace("O   0  0", "O   0  5");
        let how = Featurisation::Default;
        let read = |text: &str| Chematic.featurise_molfile(text, how).unwrap();
        let smiles = |text: &str| Chematic.featurise(text, how).unwrap();
        assert_eq!(read(&charged), smiles("CC[O-]"));
        let replaced = charged.replace("M  END", "M  CHG  1   1   0\nM  END");
        assert_eq!(read(&replaced), smiles("CCO"));
        let radical = ETHANOL.replace("M  END", "M  RAD  1   3   2\nM  END");
        assert_eq!(read(&radical), smiles("CC[O]"));
        let valence = ETHANOL.replace("C   0  0\n    1", "C   0  0  0  0  0  3\n    1");
        assert_eq!(read(&valence), smiles("[CH2]CO"));
        let heavy = ETHANOL.replace("M  END", "M  ISO  1   3  18\nM  END");
        assert_eq!(
            Chematic.featurise_molfile(&heavy, Featurisation::Zinc).unwrap(),
            Chematic.featurise("CC[18OH]", Featurisation::Zinc).unwrap()
        );
    }

    #[test]
    fn both_versions_say_the_same() {
        let text = "ion\n\n\n  0  0  0     0  0            999 V3000\nM  V30 BEGIN CTAB\n\
            M  V30 COUNTS 4 3 0 0 0\nM  V30 BEGIN ATOM\nM  V30 7 C 0 0 0 0\n\
            M  V30 9 C 0 0 0 -\nM  V30 0 MASS=13\nM  V30 11 O 0 0 0 0 CHG=-1\n\
            M  V30 12 O 0 0 0 0\nM  V30 END ATOM\nM  V30 BEGIN BOND\nM  V30 1 1 7 9\n\
            M  V30 2 1 9 11\nM  V30 3 2 9 12 CFG=1\nM  V30 END BOND\nM  V30 END CTAB\nM  END\n";
        for how in Featurisation::ALL {
            assert_eq!(
                Chematic.featurise_molfile(text, how).unwrap(),
                Chematic.featurise("C[13C]([O-])=O", how).unwrap()
            );
        }
    }

    #[test]
    fn what_is_no_molecule_is_refused_with_its_line() {
        assert_eq!(reason("a\n").0, 1);
        let (line, why) = reason(&ETHANOL.replace(" O ", " Xx"));
        assert_eq!((line, &*why), (7, "no element is called `Xx`"));
        let (line, why) = reason(&ETHANOL.replace("  2  3  1", "  2  4  1"));
        assert_eq!((line, &*why), (9, "a bond names atom 4, but there are 3"));
        let (line, why) = reason(&ETHANOL.replace("  2  3  1", "  2  3  8"));
        assert_eq!((line, &*why), (9, "bond type 8 is a query, not a bond"));
        assert_eq!(reason(&ETHANOL.replace("  2  3  1", "  2  1  1")).0, 9);
        assert_eq!(reason(&ETHANOL.replace("  3  2", "  9  2")).0, 8);
        assert_eq!(reason(&ETHANOL.replace(" O ", " Q ")).0, 7);
        assert_eq!(reason(&ETHANOL.replace("  3  2  0", "  x  2  0")).0, 4);
    }
}
