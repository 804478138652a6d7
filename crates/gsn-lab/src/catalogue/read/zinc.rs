//! ZINC-12k: atom types, bond types, one real target, the fixed split.
//!
//! A file holds the number of graphs, then for each `n m y`, n atom types, and m times
//! `u v bond`. Graphs carry atomic numbers and kinds of bonds as labels, like any molecule.

use super::{Numbers, Raw, arc_rows, broken, fixed, line, one_cut, one_target, within};
use crate::arrays::Arrays;
use crate::catalogue::store::Files;
use crate::dataset::{Dataset, Sample, Task};
use crate::error::Result;
use gsn_core::GraphBuilder;
use gsn_nn::Features;
use gsn_nn::config::Data;

/// Atomic number of each atom type.
const ELEMENTS: [u32; 28] = [
    6, 8, 7, 9, 6, 16, 17, 8, 7, 35, 7, 7, 7, 7, 16, 53, 15, 8, 7, 8, 16, 15, 15, 6, 15, 16, 6, 15,
];
/// Kinds of bonds: none, single, double, triple.
const BONDS: usize = 4;

pub(super) fn read(files: &Files) -> Result<Raw> {
    let mut samples = Vec::with_capacity(files.entry.statistics.graphs as usize);
    let mut parts = Vec::new();
    for part in ["train", "val", "test"] {
        let start = samples.len() as u32;
        let name = format!("zinc12k_{part}.txt.gz");
        let bytes = files.bytes(&name)?;
        let mut numbers = Numbers::new(files, &name, &bytes);
        for _ in 0..numbers.whole()? {
            samples.push(sample(&mut numbers, samples.len() as u64)?);
        }
        if !numbers.is_at_end() {
            return Err(broken(files, &name, "something follows the graphs promised"));
        }
        parts.push((start..samples.len() as u32).collect());
    }
    let [train, validation, test] = <[Vec<u32>; 3]>::try_from(parts).unwrap_or_default();
    Ok(Raw::of(Dataset {
        name: files.entry.name.clone(),
        samples,
        task: Task::Regression(1),
        columns: Vec::new(),
        target_names: vec!["logP_SA_cycle_normalized".into()],
        vertex: Some(Data::Categories { sizes: vec![ELEMENTS.len()] }),
        arc: Some(Data::Categories { sizes: vec![BONDS] }),
        splits: fixed(train, validation, test),
        licence: files.licence(),
    }))
}

/// The files of arrays that hold such a set, the parts one after the other.
pub(in crate::catalogue) fn to_texts(arrays: &Arrays) -> Result<Vec<(String, Vec<u8>)>, String> {
    let atoms = within(arrays.vertex.as_ref(), &[ELEMENTS.len()], "vertex")?;
    within(arrays.arc.as_ref(), &[BONDS], "edge")?;
    let (targets, parts) = (one_target(arrays)?, one_cut(arrays)?);
    if !parts.concat().into_iter().eq(0..arrays.orders.len() as u32) {
        return Err(
            "the graphs must be those of the training part, then validation, then test".into()
        );
    }
    let firsts = arrays.vertex_starts();
    let mut files = Vec::new();
    for (name, part) in ["train", "val", "test"].into_iter().zip(parts) {
        let mut text = format!("{}\n", part.len());
        for graph in part.iter().map(|&graph| graph as usize) {
            let edges = arrays.edges(graph)?;
            let (order, target) = (arrays.orders[graph], targets[graph]);
            text += &format!("{order} {} {target}\n", edges.len());
            text += &line(atoms.slice(firsts[graph]..firsts[graph + 1]).iter().copied());
            text += &line(edges.iter().flat_map(|&(u, v, bond)| [u, v, bond[0]]));
        }
        files.push((format!("zinc12k_{name}.txt"), text.into_bytes()));
    }
    Ok(files)
}

fn sample(numbers: &mut Numbers, row: u64) -> Result<Sample> {
    let (order, edges, target) = (numbers.whole()?, numbers.whole()?, numbers.real()?);
    let mut atoms = Vec::new();
    for _ in 0..order {
        atoms.push(numbers.below(ELEMENTS.len())?);
    }
    let mut builder = GraphBuilder::undirected(atoms.len());
    builder.vertex_labels(atoms.iter().map(|&atom| ELEMENTS[atom as usize]).collect());
    let (mut ends, mut bonds) = (Vec::new(), Vec::new());
    for _ in 0..edges {
        let (u, v) = (numbers.below(atoms.len())?, numbers.below(atoms.len())?);
        let bond = numbers.below(BONDS)?;
        builder.labelled_edge(u, v, bond);
        ends.push((u, v));
        bonds.push(bond);
    }
    let graph = builder.build().map_err(|e| numbers.error(e))?;
    let arc = arc_rows(&graph, &ends, &bonds, 1).ok_or_else(|| numbers.error("a self-loop"))?;
    let vertex = Features::Categories { cols: 1, data: atoms };
    Ok(Sample {
        row,
        graph,
        vertex: Some(vertex),
        arc: Some(arc),
        columns: Vec::new(),
        targets: vec![target],
        censoring: Vec::new(),
    })
}
