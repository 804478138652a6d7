//! A graph as one row of numbers.
//!
//! Vertices, edges, the numbers that a graph has as a whole (the mean stands for a missing one); sum and mean of every column of counts and of every number on vertices and
//! arcs; how many vertices and arcs are of each category, and their share. Categories that occur
//! in fewer than two graphs of the training part, and columns that are constant there, say nothing
//! and are left out.

use crate::dataset::Sample;
use crate::pipeline::Scale;
use crate::prepare::CountedDataset;
use gsn_core::Counts;
use gsn_nn::{Features, Matrix};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Categories of a column that are counted at most; the most frequent ones.
const CATEGORIES: usize = 64;

/// The features of all graphs; `train` decides which there are.
pub(super) fn table(data: &CountedDataset, train: &[u32]) -> Matrix<f64> {
    let samples = &data.dataset.samples;
    let learning = || train.iter().map(|&i| &samples[i as usize]);
    let vertex = kinds(learning().map(|s| s.vertex.as_ref()));
    let arc = kinds(learning().map(|s| s.arc.as_ref()));
    let beside = Scale::fit(data.dataset.columns.len(), learning().map(|s| s.columns.as_slice()));
    let row = |(i, sample): (usize, &Sample)| {
        let graph = &sample.graph;
        let mut row = vec![graph.order() as f64, graph.edge_count() as f64];
        let known = |(&x, &mean): (&f64, &f64)| if x.is_finite() { x } else { mean };
        row.extend(sample.columns.iter().zip(beside.mean()).map(known));
        if let Some(counts) = data.counts.get(i) {
            add_counts(&mut row, counts);
        }
        add_features(&mut row, sample.vertex.as_ref(), &vertex);
        add_features(&mut row, sample.arc.as_ref(), &arc);
        row
    };
    let rows: Vec<Vec<f64>> = samples.par_iter().enumerate().map(row).collect();
    let cols = rows.first().map_or(0, Vec::len);
    let varies = |c: usize| {
        let mut of = train.iter().map(|&i| rows[i as usize][c]);
        let first = of.next();
        of.any(|x| Some(x) != first)
    };
    let kept: Vec<usize> = (0..cols).filter(|&c| varies(c)).collect();
    let cells = rows.iter().flat_map(|row| kept.iter().map(|&c| row[c])).collect();
    Matrix::from_vec(rows.len(), kept.len(), cells).unwrap_or_default()
}

/// The categories of every column that occur in at least two graphs.
fn kinds<'a>(tables: impl Iterator<Item = Option<&'a Features>>) -> Vec<Vec<u32>> {
    let mut graphs: Vec<BTreeMap<u32, (u32, usize)>> = Vec::new();
    for (at, table) in tables.enumerate() {
        let Some(Features::Categories { cols, data }) = table else { continue };
        graphs.resize_with((*cols).max(graphs.len()), BTreeMap::new);
        for (cell, &value) in data.iter().enumerate() {
            let (count, last) = graphs[cell % cols].entry(value).or_insert((0, usize::MAX));
            if *last != at {
                (*count, *last) = (*count + 1, at);
            }
        }
    }
    let often = |column: BTreeMap<u32, (u32, usize)>| {
        let mut seen: Vec<(u32, u32)> =
            column.into_iter().map(|(value, (count, _))| (value, count)).collect();
        seen.retain(|&(_, count)| count > 1);
        seen.sort_by_key(|&(value, count)| (std::cmp::Reverse(count), value));
        seen.truncate(CATEGORIES);
        let mut values: Vec<u32> = seen.into_iter().map(|(value, _)| value).collect();
        values.sort_unstable();
        values
    };
    graphs.into_iter().map(often).collect()
}

fn add_counts(row: &mut Vec<f64>, counts: &Counts) {
    for column in 0..counts.columns().len() {
        let sum: f64 = counts.column(column).map(|x| x as f64).sum();
        row.extend([sum, sum / counts.rows().max(1) as f64]);
    }
}

/// Sums and means of numbers, or numbers and shares of categories.
fn add_features(row: &mut Vec<f64>, table: Option<&Features>, kinds: &[Vec<u32>]) {
    match table {
        Some(Features::Values { cols, data }) => {
            let rows = (data.len() / (*cols).max(1)).max(1) as f64;
            for c in 0..*cols {
                let sum: f64 = data.iter().skip(c).step_by(*cols).sum();
                row.extend([sum, sum / rows]);
            }
        }
        Some(Features::Categories { cols, data }) => {
            let rows = (data.len() / (*cols).max(1)).max(1) as f64;
            for (c, known) in kinds.iter().enumerate() {
                let mut numbers = vec![0u32; known.len()];
                for value in data.iter().skip(c).step_by((*cols).max(1)) {
                    if let Ok(at) = known.binary_search(value) {
                        numbers[at] += 1;
                    }
                }
                row.extend(numbers.iter().flat_map(|&n| [f64::from(n), f64::from(n) / rows]));
            }
        }
        None => row.extend(kinds.iter().flat_map(|known| vec![0.0; 2 * known.len()])),
    }
}
