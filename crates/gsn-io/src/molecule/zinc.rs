//! The featurisation of ZINC-12k: the atoms of a Kekulé SMILES, read without perception.
//!
//! An atom's type is its symbol, the hydrogens written in its bracket and its charge. RDKit writes
//! a bracket for a charge, a stereo centre, an isotope, a map number, radicals, and for hydrogens
//! on a valence that is not the first of the element; without a bracket no hydrogen is written.

use super::perceive::{AROMATIC_BOND, CHARGE, CHIRALITY, HYDROGENS, Perceived, RADICALS, Rows};
use super::shape::{is_hydrogen, is_implied};
use chematic_core::{AtomIdx, BondOrder, Molecule, kekulize};

/// Atomic number, hydrogens and charge of the atom types, in the published order.
const TYPES: [(u32, i64, i64); 28] = [
    (6, 0, 0),
    (8, 0, 0),
    (7, 0, 0),
    (9, 0, 0),
    (6, 1, 0),
    (16, 0, 0),
    (17, 0, 0),
    (8, 0, -1),
    (7, 1, 1),
    (35, 0, 0),
    (7, 3, 1),
    (7, 2, 1),
    (7, 0, 1),
    (7, 0, -1),
    (16, 0, -1),
    (53, 0, 0),
    (15, 0, 0),
    (8, 1, 1),
    (7, 1, -1),
    (8, 0, 1),
    (16, 0, 1),
    (15, 1, 0),
    (15, 2, 0),
    (6, 2, -1),
    (15, 0, 1),
    (16, 1, 1),
    (6, 1, -1),
    (15, 1, 1),
];

/// Rows of the 28 atom types and 4 kinds of bonds. A type that is not among them takes the
/// nearest of the same element.
pub(super) fn rows(molecule: &Molecule, perceived: &Perceived) -> Result<Rows, String> {
    let kept = kept_atoms(molecule);
    if kept.len() != perceived.atoms.len() {
        return Err("hydrogens that are written as atoms cannot be matched".into());
    }
    let orders = bond_orders(molecule, perceived, &kept)?;
    let mut valence: Vec<i64> = perceived.atoms.iter().map(|atom| atom[HYDROGENS]).collect();
    for (&(u, v), &order) in perceived.bonds.iter().zip(&orders) {
        valence[u as usize] += i64::from(order);
        valence[v as usize] += i64::from(order);
    }
    let mut unknown = 0;
    let mut vertex = Vec::with_capacity(kept.len());
    for (at, row) in perceived.atoms.iter().enumerate() {
        let element = perceived.element(at);
        let (charge, hydrogens) = (row[CHARGE] - 5, row[HYDROGENS]);
        let atom = molecule.atom(AtomIdx(kept[at] as u32));
        let in_bracket = charge != 0
            || row[CHIRALITY] != 0
            || row[RADICALS] != 0
            || atom.isotope.is_some()
            || atom.atom_map.is_some()
            || valence[at] != first_valence(element);
        let hydrogens = if in_bracket { hydrogens } else { 0 };
        let exact = (element, hydrogens, charge);
        let kind = TYPES.iter().position(|&known| known == exact).or_else(|| {
            unknown += 1;
            let same = (0..TYPES.len()).filter(|&kind| TYPES[kind].0 == element);
            same.min_by_key(|&kind| {
                10 * (TYPES[kind].2 - charge).abs() + (TYPES[kind].1 - hydrogens).abs()
            })
        });
        let Some(kind) = kind else {
            let symbol = if element == 0 { "*" } else { atom.element.symbol() };
            return Err(format!("atom {at} ({symbol}) is none of the atom types of ZINC"));
        };
        vertex.push(kind as u32);
    }
    Ok((vertex, orders, unknown))
}

/// A molecule of a MOL file as its SMILES would have it: aromatic where it is perceived as that, so
/// that the Kekulé form does not depend on which of them the file holds.
pub(super) fn aromatic_form(molecule: &Molecule, perceived: &Perceived) -> Molecule {
    let mut out = molecule.clone();
    let kept = kept_atoms(molecule);
    if kept.len() != perceived.atoms.len() {
        return out;
    }
    let atom = |at: u32| AtomIdx(kept[at as usize] as u32);
    for (&(u, v), kind) in perceived.bonds.iter().zip(&perceived.kinds) {
        if kind[0] != AROMATIC_BOND {
            continue;
        }
        let bond = molecule.bond_between(atom(u), atom(v)).map(|(bond, _)| bond);
        if let Some(bond) = bond {
            out.set_bond_order(bond, BondOrder::Aromatic);
        }
        for at in [u, v] {
            out.set_atom_aromatic(atom(at), true);
            let written = molecule.neighbor_slice(atom(at)).iter();
            let written = written.filter(|(end, _)| is_hydrogen(molecule.atom(*end))).count();
            let hydrogens = perceived.atoms[at as usize][HYDROGENS] - written as i64;
            // Only carbon takes the hydrogens of its valence without a word.
            if perceived.element(at as usize) != 6 && hydrogens > 0 {
                out.set_hydrogen_count(atom(at), Some(hydrogens as u8));
            }
        }
    }
    out
}

/// The smallest valence RDKit takes for normal; 0 outside the organic subset, which is always in
/// brackets.
fn first_valence(element: u32) -> i64 {
    match element {
        5 | 7 | 15 => 3,
        6 => 4,
        8 | 16 => 2,
        9 | 17 | 35 | 53 => 1,
        _ => 0,
    }
}

/// The atoms that stay when hydrogens that only fill valences go.
fn kept_atoms(molecule: &Molecule) -> Vec<usize> {
    let stays = |(at, atom)| !is_hydrogen(atom) || !is_implied(molecule, at, atom);
    (0..).zip(molecule.atoms()).filter(|&(_, atom)| stays(atom)).map(|(at, _)| at).collect()
}

/// 1, 2 or 3 for every bond: its order, or in an aromatic ring that of one Kekulé form.
fn bond_orders(
    molecule: &Molecule,
    perceived: &Perceived,
    kept: &[usize],
) -> Result<Vec<u32>, String> {
    let kekule = kekulize(molecule).map_err(|e| e.to_string())?;
    let order = |(&(u, v), kind): (&(u32, u32), &[i64; 3])| {
        if kind[0] != AROMATIC_BOND {
            return match kind[0] {
                order @ 0..=2 => Ok(order as u32 + 1),
                _ => Err(format!("the bond between atoms {u} and {v} is none of ZINC's")),
            };
        }
        let (a, b) = (AtomIdx(kept[u as usize] as u32), AtomIdx(kept[v as usize] as u32));
        let bond = molecule.neighbor_slice(a).iter().find(|(neighbour, _)| *neighbour == b);
        let Some(&(_, bond)) = bond else {
            return Err(format!("the bond between atoms {u} and {v} is not in the SMILES"));
        };
        let written = kekule.get(&bond).copied().unwrap_or(molecule.bond(bond).order);
        Ok(if written == BondOrder::Double { 2 } else { 1 })
    };
    perceived.bonds.iter().zip(&perceived.kinds).map(order).collect()
}
