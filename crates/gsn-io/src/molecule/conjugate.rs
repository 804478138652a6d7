//! Which bonds are conjugated, by the rule of the RDKit releases that made OGB's files.
//!
//! Aromatic bonds are. At an atom that can take part and has two or three substituents (hydrogens
//! count), a multiple bond and any other bond to an atom that can take part, too, are. Later
//! releases also ask that the atom at the far end of the multiple bond can take part, which takes
//! the bonds of ylides, thiones and the like away; and an atom without a conjugated bond is sp3
//! where it was sp2.

use super::perceive::{AROMATIC_BOND, CHARGE, HYDROGENS, Perceived, RADICALS};
use gsn_core::Graph;

// Columns of OGB's atoms and bonds, and some of their categories.
const DEGREE: usize = 2;
const HYBRIDISATION: usize = 6;
const SP2: i64 = 1;
const SP3: i64 = 2;
const CONJUGATED: usize = 2;

/// Normal valence and outer electrons of elements that can be unsaturated.
fn shell(element: u32) -> Option<(i64, i64)> {
    Some(match element {
        4 | 12 | 20 | 38 | 56 | 88 => (2, 2),
        5 | 13 | 31 | 49 => (3, 3),
        6 | 14 | 32 => (4, 4),
        50 | 82 => (2, 4),
        7 | 15 | 33 | 51 | 83 => (3, 5),
        8 | 16 | 34 | 52 | 84 => (2, 6),
        _ => return None,
    })
}

/// Twice the order of a bond; what is neither single, double, triple nor aromatic counts nothing.
fn twice(kind: i64) -> i64 {
    match kind {
        0..=2 => 2 * (kind + 1),
        AROMATIC_BOND => 3,
        _ => 0,
    }
}

/// Marks what the earlier rule marks; nothing is taken away.
pub(super) fn conjugate(molecule: &mut Perceived, graph: &Graph) {
    let mut bond_of = vec![0; graph.edge_count()];
    for (bond, &(u, v)) in molecule.bonds.iter().enumerate() {
        if let Some(arc) = graph.arc_id(u, v) {
            bond_of[graph.edge_id(arc)] = bond;
        }
    }
    let n = graph.order() as u32;
    let takes_part: Vec<bool> = (0..n).map(|v| takes_part(molecule, graph, &bond_of, v)).collect();
    let substituents = |atom: &[i64; 9]| atom[DEGREE];
    for v in 0..n {
        let is_centre =
            takes_part[v as usize] && (2..=3).contains(&substituents(&molecule.atoms[v as usize]));
        if !is_centre {
            continue;
        }
        for one in graph.arcs_of(v) {
            let first = bond_of[graph.edge_id(one)];
            if twice(molecule.kinds[first][0]) < 3 {
                continue;
            }
            for other in graph.arcs_of(v).filter(|&other| other != one) {
                let w = graph.arc_target(other) as usize;
                if takes_part[w] && substituents(&molecule.atoms[w]) <= 3 {
                    molecule.kinds[first][CONJUGATED] = 1;
                    molecule.kinds[bond_of[graph.edge_id(other)]][CONJUGATED] = 1;
                }
            }
        }
    }
    for (bond, &(u, v)) in molecule.bonds.iter().enumerate() {
        if molecule.kinds[bond][CONJUGATED] == 1 {
            for atom in [u, v] {
                let atom = &mut molecule.atoms[atom as usize];
                if atom[HYBRIDISATION] == SP3 && atom[DEGREE] <= 3 {
                    atom[HYBRIDISATION] = SP2;
                }
            }
        }
    }
}

/// Whether an atom can take part in a conjugated system: not hypervalent, no heavy atom of the
/// nitrogen or oxygen group unless terminal, and with electrons to give.
fn takes_part(molecule: &Perceived, graph: &Graph, bond_of: &[usize], v: u32) -> bool {
    let atom = &molecule.atoms[v as usize];
    let element = molecule.element(v as usize);
    let Some((valence, outer)) = shell(element) else { return false };
    let charge = atom[CHARGE] - 5;
    let orders =
        || graph.arcs_of(v).map(|arc| twice(molecule.kinds[bond_of[graph.edge_id(arc)]][0]));
    let is_aromatic = orders().any(|order| order == 3);
    let total = orders().sum::<i64>() + 2 * atom[HYDROGENS];
    // Aromatic bonds of order 1.5 may add up to three halves too much.
    if charge == 0 && total > 2 * valence + if is_aromatic { 3 } else { 1 } {
        return false;
    }
    if element > 10 && (outer == 5 || outer == 6 && atom[DEGREE] >= 2) {
        return false;
    }
    let counted = atom[DEGREE] - orders().filter(|&order| order == 0).count() as i64;
    let lone = (outer - valence - charge).max(0);
    counted <= 3 && valence - counted + lone - atom[RADICALS] > 0
}
