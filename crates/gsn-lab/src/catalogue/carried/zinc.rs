//! The files of ZINC-12k, rebuilt from SMILES.
//!
//! Every molecule is stored as a SMILES in Kekulé form whose atoms are in the order of the graph,
//! so that the featuriser gives the very graphs of the set, vertex by vertex and bond by bond.

use crate::error::{Error, Result};
use gsn_io::{Chematic, Featurisation, MoleculeReader};
use rayon::prelude::*;

/// The graphs of a part: their number, then three lines each, `n m y`, the n atom types, and
/// `u v bond` for every bond.
pub(super) fn part(part: &str) -> Result<Vec<u8>> {
    let table = super::file("zinc12k/zinc12k.csv")?.unwrap_or_default();
    let table = String::from_utf8_lossy(&table);
    let of_part = |line: &&str| line.split(',').next() == Some(part);
    let lines: Vec<&str> = table.lines().filter(of_part).collect();
    let graphs: Vec<String> = lines.par_iter().map(|line| graph(line)).collect::<Result<_>>()?;
    Ok(format!("{}\n{}", graphs.len(), graphs.concat()).into_bytes())
}

/// The graph of a line `part,smiles,y`.
fn graph(line: &str) -> Result<String> {
    let fail = |what: &str| Error::data("ZINC-12k", format!("the carried line `{line}`: {what}"));
    let [_, smiles, y] = line.split(',').collect::<Vec<_>>()[..] else {
        return Err(fail("has not three columns"));
    };
    let (graph, features) =
        Chematic.featurise(smiles, Featurisation::Zinc).map_err(|e| fail(&e))?;
    let atoms: Vec<String> = features.vertex.iter().map(u32::to_string).collect();
    let bond = |(u, v)| Some(format!("{u} {v} {}", features.arc[graph.arc_id(u, v)?]));
    let bonds: Vec<String> = graph.edges().filter_map(bond).collect();
    let (n, m) = (atoms.len(), bonds.len());
    Ok(format!("{n} {m} {y}\n{}\n{}\n", atoms.join(" "), bonds.join(" ")))
}
