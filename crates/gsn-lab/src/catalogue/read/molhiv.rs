//! ogbg-molhiv: nine columns a vertex, three an arc, one question, OGB's scaffold split.
//!
//! The file holds the number of graphs, then for each `n m label`, n lines of atom features and m
//! lines `u v` with bond features. Graphs carry atomic numbers and kinds of bonds as labels.

use super::{Numbers, Raw, arc_rows, broken, fixed, indices};
use crate::catalogue::place::Files;
use crate::dataset::{Dataset, Sample, Task};
use crate::error::Result;
use gsn_core::GraphBuilder;
use gsn_nn::Features;
use gsn_nn::config::Data;

/// Vocabulary of each column of OGB's atoms.
const ATOM: [usize; 9] = [119, 5, 12, 12, 10, 6, 6, 2, 2];
/// Vocabulary of each column of OGB's bonds.
const BOND: [usize; 3] = [5, 6, 2];

pub(super) fn read(files: &Files) -> Result<Raw> {
    let name = "molhiv_graphs.txt.gz";
    let bytes = files.bytes(name)?;
    let mut numbers = Numbers::new(files, name, &bytes);
    let graphs = numbers.whole()?;
    let mut samples = Vec::with_capacity(files.entry.statistics.graphs as usize);
    for row in 0..graphs {
        samples.push(sample(&mut numbers, u64::from(row))?);
    }
    if !numbers.is_at_end() {
        return Err(broken(files, name, "something follows the graphs promised"));
    }
    let part = |part: &str| indices(files, &format!("{part}_idx-0.txt"), samples.len());
    let splits = fixed(part("train")?, part("val")?, part("test")?);
    Ok(Raw::of(Dataset {
        name: files.entry.name.clone(),
        samples,
        task: Task::Binary(1),
        target_names: vec!["HIV_active".into()],
        vertex: Some(Data::Categories { sizes: ATOM.to_vec() }),
        arc: Some(Data::Categories { sizes: BOND.to_vec() }),
        splits,
        licence: files.entry.licence(),
    }))
}

fn sample(numbers: &mut Numbers, row: u64) -> Result<Sample> {
    let (order, edges, target) = (numbers.whole()?, numbers.whole()?, numbers.below(2)?);
    let mut atoms = Vec::new();
    for _ in 0..order {
        for size in ATOM {
            atoms.push(numbers.below(size)?);
        }
    }
    let order = atoms.len() / ATOM.len();
    let mut builder = GraphBuilder::undirected(order);
    // OGB counts elements from 0 and keeps its last number for what is none.
    let element = |row: &[u32]| if row[0] as usize + 1 == ATOM[0] { 0 } else { row[0] + 1 };
    builder.vertex_labels(atoms.chunks_exact(ATOM.len()).map(element).collect());
    let (mut ends, mut bonds) = (Vec::new(), Vec::new());
    for _ in 0..edges {
        let (u, v) = (numbers.below(order)?, numbers.below(order)?);
        ends.push((u, v));
        for size in BOND {
            bonds.push(numbers.below(size)?);
        }
        // Single, double, triple, aromatic; what OGB calls misc are dative bonds.
        let kind = [1, 2, 3, 4, 6][bonds[bonds.len() - BOND.len()] as usize];
        builder.labelled_edge(u, v, kind);
    }
    let graph = builder.build().map_err(|e| numbers.error(e))?;
    let arc =
        arc_rows(&graph, &ends, &bonds, BOND.len()).ok_or_else(|| numbers.error("a self-loop"))?;
    let vertex = Features::Categories { cols: ATOM.len(), data: atoms };
    let targets = vec![f64::from(target)];
    Ok(Sample { row, graph, vertex: Some(vertex), arc: Some(arc), targets })
}
