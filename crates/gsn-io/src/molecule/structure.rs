//! A molecule as it is drawn: elements, charges and hydrogens of atoms, orders of bonds in one Kekulé form, and the sides
//! of double bonds. Atoms have the order, and so the numbers, that they have in the graph that is counted.

/// An atom and what is written at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnAtom {
    /// `C`, `Cl`, `*`.
    pub symbol: String,
    /// Atomic number; 0 for `*`.
    pub element: u32,
    /// Mass number, if one is given.
    pub isotope: Option<u16>,
    /// Formal charge.
    pub charge: i8,
    /// Hydrogens that are no atoms of their own.
    pub hydrogens: u8,
}

/// A bond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawnBond {
    /// The numbers of its atoms.
    pub ends: (usize, usize),
    /// 1 to 4, and 1 for a dative bond; of an aromatic bond in one Kekulé form.
    pub order: u8,
    /// Whether it is aromatic as it is written.
    pub aromatic: bool,
}

/// A molecule as it is drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DrawnMolecule {
    /// The atoms.
    pub atoms: Vec<DrawnAtom>,
    /// The bonds.
    pub bonds: Vec<DrawnBond>,
    /// Atoms a-b=c-d around double bonds, and whether a and d lie on the same side; only what is written.
    pub sides: Vec<([usize; 4], bool)>,
}

#[cfg(feature = "chemistry")]
pub(super) fn structure(molecule: &chematic_core::Molecule) -> Result<DrawnMolecule, String> {
    use super::shape::{is_hydrogen, is_implied};
    use chematic_core::{AtomIdx, BondOrder, implicit_hcount_with, kekulize};
    const GONE: usize = usize::MAX;
    // A ring that has no Kekulé form is drawn with plain lines.
    let kekule = kekulize(molecule).unwrap_or_default();
    let order = |bond| kekule.get(&bond).copied().unwrap_or(molecule.bond(bond).order);
    let stays = |at: AtomIdx| {
        let atom = molecule.atom(at);
        !is_hydrogen(atom) || !is_implied(molecule, at, atom)
    };
    let mut names = Vec::with_capacity(molecule.atom_count());
    let mut out = DrawnMolecule::default();
    for (at, atom) in molecule.atoms() {
        if !stays(at) {
            names.push(GONE);
            continue;
        }
        names.push(out.atoms.len());
        let written = molecule.neighbor_slice(at).iter().filter(|(end, _)| !stays(*end)).count();
        // Aromatic atoms without a Kekulé form keep the rule for aromatic ones.
        let flag = atom.aromatic && kekule.is_empty();
        let implied = implicit_hcount_with(molecule, at, flag, order);
        let element = if atom.wildcard { 0 } else { atom.element.atomic_number() };
        out.atoms.push(DrawnAtom {
            symbol: if atom.wildcard { "*".into() } else { atom.element.symbol().into() },
            element: u32::from(element),
            isotope: atom.isotope,
            charge: atom.charge,
            hydrogens: implied.saturating_add(written as u8),
        });
    }
    if out.atoms.is_empty() {
        return Err("there is no atom".into());
    }
    let name = |at: AtomIdx| names[at.0 as usize];
    for (at, bond) in molecule.bonds() {
        let ends = (name(bond.atom1), name(bond.atom2));
        if ends.0 == GONE || ends.1 == GONE {
            continue;
        }
        if ends.0 == ends.1 {
            return Err(format!("atom {} is bonded to itself", ends.0));
        }
        let drawn = match order(at) {
            BondOrder::Double => 2,
            BondOrder::Triple => 3,
            BondOrder::Quadruple => 4,
            _ => 1,
        };
        let aromatic = bond.order == BondOrder::Aromatic;
        out.bonds.push(DrawnBond { ends, order: drawn, aromatic });
    }
    if let Some((facts, _)) = chematic_core::ez_markers::read_ez_facts(molecule) {
        for fact in facts {
            let [left, right] = fact.ends;
            let far = |end: chematic_core::ez_markers::EzFactEnd| {
                molecule.bond(end.reference).other(end.atom).map_or(GONE, name)
            };
            let atoms = [far(left), name(left.atom), name(right.atom), far(right)];
            if !atoms.contains(&GONE) {
                out.sides.push((atoms, left.up == right.up));
            }
        }
    }
    Ok(out)
}

#[cfg(all(test, feature = "chemistry"))]
mod tests {
    use crate::molecule::{Chematic, Featurisation, MoleculeReader};

    #[test]
    fn hydrogens_charges_and_orders_are_what_a_chemist_writes() {
        let hydrogens = |smiles: &str| -> Vec<u8> {
            let drawn = Chematic.drawn(smiles).unwrap();
            drawn.atoms.iter().map(|atom| atom.hydrogens).collect()
        };
        assert_eq!(hydrogens("CCO"), [3, 2, 1]);
        assert_eq!(hydrogens("c1cc[nH]c1"), [1, 1, 1, 1, 1]);
        assert_eq!(hydrogens("c1ccncc1"), [1, 1, 1, 0, 1, 1]);
        assert_eq!(hydrogens("[H]N([H])C"), [2, 3]);
        assert_eq!(hydrogens("C[NH3+]"), [3, 3]);
        let nitro = Chematic.drawn("C[N+](=O)[O-]").unwrap();
        let charges: Vec<i8> = nitro.atoms.iter().map(|atom| atom.charge).collect();
        assert_eq!(charges, [0, 1, 0, -1]);
        let benzene = Chematic.drawn("c1ccccc1").unwrap();
        assert_eq!(benzene.bonds.iter().filter(|bond| bond.order == 2).count(), 3);
        assert!(benzene.bonds.iter().all(|bond| bond.aromatic));
    }

    #[test]
    fn sides_of_double_bonds_are_what_is_written() {
        let sides = |smiles: &str| Chematic.drawn(smiles).unwrap().sides;
        assert_eq!(sides("F/C=C/F"), [([0, 1, 2, 3], false)]);
        assert_eq!(sides("F/C=C\\F"), [([0, 1, 2, 3], true)]);
        assert_eq!(sides("C(/F)=C/F"), [([1, 0, 2, 3], true)]);
        assert!(sides("FC=CF").is_empty());
    }

    #[test]
    fn atoms_are_those_of_the_graph_that_is_counted() {
        for smiles in ["[H]OC([2H])C", "CC(=O)Oc1ccccc1C(=O)O", "[Na+].[Cl-]", "[H][H]", "*C#N"] {
            let drawn = Chematic.drawn(smiles).unwrap();
            let elements: Vec<u32> = drawn.atoms.iter().map(|atom| atom.element).collect();
            assert_eq!(elements, Chematic.read(smiles).unwrap().atoms);
            if let Ok((graph, _)) = Chematic.featurise(smiles, Featurisation::Default) {
                assert_eq!(graph.vertex_labels().unwrap(), elements);
            }
        }
        assert!(Chematic.drawn("C1CC").is_err());
    }
}
