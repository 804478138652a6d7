//! What we read from SMILES beside what RDKit reads, atom by atom and bond by bond: the whole grammar, and
//! molecules of ZINC and HIV. It always runs, since the crate that parses is young and other versions of
//! it are other parsers.

use gsn_io::{Chematic, Featurisation, MoleculeReader};
use std::collections::BTreeMap;
use std::io::Read;

/// See `tests/golden/molecules/README.md`.
const TABLE: &[u8] = include_bytes!("../../../../tests/golden/molecules/conformance.tsv.gz");

/// Where we differ, and why: charges by repeated signs are in the grammar, though RDKit refuses three of them; and
/// one bond of a metal complex is conjugated to the crate that parses, and not to RDKit.
const KNOWN: [&str; 2] = [
    "[Fe+++]: accepted",
    "COc1cccc2c1[OH+][Cu-4]13([S+]=C(Nc4ccccc4)[N-][N+]1=C2)[n+]1ccccc1-c1cccc[n+]13: \
     conjugated of (10, 11): 1 for 0",
];

/// Cells of rows, separated by blanks, of numbers, separated by points.
fn rows(cell: &str) -> Vec<Vec<u32>> {
    cell.split_whitespace()
        .map(|row| row.split('.').map(|number| number.parse().unwrap()).collect())
        .collect()
}

/// What is read otherwise than by RDKit, if anything.
fn difference(smiles: &str, atoms: &str, bonds: &str) -> Option<String> {
    let how = Featurisation::Ogb;
    let read = Chematic.featurise(smiles, how);
    let (graph, features) = match read {
        Err(_) if atoms == "refused" => return None,
        Err(why) => return Some(format!("refused: {why}")),
        Ok(_) if atoms == "refused" => return Some("accepted".into()),
        Ok(read) => read,
    };
    let (atoms, bonds) = (rows(atoms), rows(bonds));
    if (graph.order(), graph.edge_count()) != (atoms.len(), bonds.len()) {
        return Some(format!("{} atoms and {} bonds", graph.order(), graph.edge_count()));
    }
    let names = how.vertex_names();
    for (v, (ours, theirs)) in features.vertex.chunks(names.len()).zip(&atoms).enumerate() {
        if let Some(at) = (0..names.len()).find(|&at| ours[at] != theirs[at]) {
            return Some(format!("{} of atom {v}: {} for {}", names[at], ours[at], theirs[at]));
        }
    }
    let names = how.arc_names();
    let arcs: BTreeMap<(u32, u32), &[u32]> =
        graph.arcs().zip(features.arc.chunks(names.len())).collect();
    for bond in &bonds {
        for ends in [(bond[0], bond[1]), (bond[1], bond[0])] {
            let Some(ours) = arcs.get(&ends) else { return Some(format!("no bond {ends:?}")) };
            if let Some(at) = (0..names.len()).find(|&at| ours[at] != bond[2 + at]) {
                return Some(format!(
                    "{} of {ends:?}: {} for {}",
                    names[at],
                    ours[at],
                    bond[2 + at]
                ));
            }
        }
    }
    None
}

#[test]
fn smiles_are_read_as_rdkit_reads_them() {
    let mut table = String::new();
    flate2::read::GzDecoder::new(TABLE).read_to_string(&mut table).unwrap();
    let wrong: Vec<String> = table
        .lines()
        .filter_map(|line| {
            let cells: Vec<&str> = line.split('\t').collect();
            let [smiles, atoms, bonds] = cells[..] else { panic!("three cells: {line}") };
            difference(smiles, atoms, bonds).map(|what| format!("{smiles}: {what}"))
        })
        .collect();
    assert!(table.lines().count() > 390);
    assert_eq!(wrong, KNOWN);
}
