//! The disambiguation score δ (SPEC §1): how well features tell the vertices of a graph apart.
//!
//! δ = Σ_G (number of different rows of vertex features in G) / Σ_G |V_G|, rows being the input
//! features with the counts behind them. 1 means that no two vertices of a graph look alike.
//! Cost: a sort of the rows of every graph.

use crate::dataset::Sample;
use crate::error::{Error, Result};
use gsn_core::{Counts, Scope};
use gsn_nn::Features;
use rayon::prelude::*;

/// δ of graphs with their features and, if given, their counts on vertices, one by one.
///
/// ```
/// use gsn_core::{Counter, Graph, PatternSet};
/// use gsn_lab::{Sample, disambiguation::score};
///
/// let graph = Graph::from_edges(4, [(0, 1), (1, 2), (2, 0), (2, 3)])?;
/// let counts = Counter::new(&"path:2".parse::<PatternSet>()?).count(&graph)?;
/// let sample = Sample { row: 0, graph, vertex: None, arc: None, targets: vec![] };
/// // Without features all vertices are alike; degrees tell three kinds apart.
/// assert_eq!(score([&sample], None)?, 0.25);
/// assert_eq!(score([&sample], Some(&[&counts]))?, 0.75);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the counts are not on vertices, or not those of the graphs.
pub fn score<'a>(
    samples: impl IntoIterator<Item = &'a Sample>,
    counts: Option<&[&Counts]>,
) -> Result<f64> {
    let samples: Vec<&Sample> = samples.into_iter().collect();
    if let Some(counts) = counts {
        let fits = |(sample, counts): (&&Sample, &&Counts)| {
            counts.scope() == Scope::Vertex && counts.rows() == sample.graph.order()
        };
        if counts.len() != samples.len() || !samples.iter().zip(counts).all(fits) {
            let what = "the score of disambiguation needs counts on the vertices of its graphs";
            return Err(Error::Recipe(what.into()));
        }
    }
    let distinct = |at: usize| {
        let sample = samples[at];
        let rows = (0..sample.graph.order()).map(|v| {
            let mut row: Vec<u64> = Vec::new();
            match &sample.vertex {
                None => {}
                Some(Features::Categories { cols, data }) => {
                    row.extend(data[v * cols..(v + 1) * cols].iter().map(|&c| u64::from(c)));
                }
                Some(Features::Values { cols, data }) => {
                    row.extend(data[v * cols..(v + 1) * cols].iter().map(|x| x.to_bits()));
                }
            }
            if let Some(counts) = counts {
                row.extend_from_slice(counts[at].row(v));
            }
            row
        });
        let mut rows: Vec<Vec<u64>> = rows.collect();
        rows.sort_unstable();
        rows.dedup();
        rows.len() as u64
    };
    let different: u64 = (0..samples.len()).into_par_iter().map(distinct).sum();
    let vertices: usize = samples.iter().map(|sample| sample.graph.order()).sum();
    Ok(if vertices == 0 { 0.0 } else { different as f64 / vertices as f64 })
}
