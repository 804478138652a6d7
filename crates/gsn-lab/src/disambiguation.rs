//! The disambiguation score δ: how far features tell the vertices of a graph apart.
//!
//! δ = Σ_G (number of different rows of vertex features in G) / Σ_G |V_G|, rows being the input
//! features with the counts behind them; 1 means that no two vertices of a graph look alike.
//! [`Rows`] keeps which vertices look alike rather than the rows, so that columns can be added one
//! after the other. Cost: a sort of the vertices for every addition.

use gsn_core::{Counts, Graph};
use gsn_nn::Features;
use rayon::prelude::*;

/// Which vertices of one graph look alike: vertices of one class have equal rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows {
    /// Class of every vertex, from 0 without gaps.
    class: Vec<u32>,
    classes: usize,
}

impl Rows {
    /// The vertices of a graph by their input features; without any, all look alike.
    pub fn new(graph: &Graph, features: Option<&Features>) -> Self {
        let row = |v: usize| -> Vec<u64> {
            match features {
                None => Vec::new(),
                Some(Features::Categories { cols, data }) => {
                    data[v * cols..(v + 1) * cols].iter().map(|&c| u64::from(c)).collect()
                }
                Some(Features::Values { cols, data }) => {
                    data[v * cols..(v + 1) * cols].iter().map(|x| x.to_bits()).collect()
                }
            }
        };
        Self::of((0..graph.order()).map(row).collect())
    }

    /// Classes of equal rows.
    fn of(rows: Vec<Vec<u64>>) -> Self {
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_unstable_by(|&a, &b| rows[a].cmp(&rows[b]));
        let (mut class, mut classes) = (vec![0; rows.len()], 0);
        for (at, &v) in order.iter().enumerate() {
            if at > 0 && rows[v] != rows[order[at - 1]] {
                classes += 1;
            }
            class[v] = classes as u32;
        }
        Self { class, classes: if rows.is_empty() { 0 } else { classes + 1 } }
    }

    /// The same with these columns of counts on vertices beside.
    pub fn with(&self, counts: &Counts, columns: &[usize]) -> Self {
        let row = |v: usize| {
            let counts = counts.row(v);
            let values = columns.iter().map(|&c| counts[c]);
            std::iter::once(u64::from(self.class[v])).chain(values).collect()
        };
        Self::of((0..self.class.len()).map(row).collect())
    }

    /// What both tell apart together.
    pub fn beside(&self, other: &Self) -> Self {
        let pairs = self.class.iter().zip(&other.class);
        Self::of(pairs.map(|(&a, &b)| vec![u64::from(a), u64::from(b)]).collect())
    }

    /// Vertices.
    pub fn vertices(&self) -> usize {
        self.class.len()
    }

    /// Different rows.
    pub fn different(&self) -> usize {
        self.classes
    }
}

/// δ of graphs whose rows are known; 0 if they have no vertex.
///
/// ```
/// use gsn_core::Graph;
/// use gsn_lab::disambiguation::{Rows, score};
/// use gsn_nn::Features;
/// let graph = Graph::from_edges(4, [(0, 1), (1, 2), (2, 3)])?;
/// let atoms = Features::Categories { cols: 1, data: vec![6, 6, 8, 6] };
/// assert_eq!(score(&[Rows::new(&graph, None)]), 0.25);
/// assert_eq!(score(&[Rows::new(&graph, Some(&atoms))]), 0.5);
/// # Ok::<(), gsn_core::graph::GraphError>(())
/// ```
pub fn score(rows: &[Rows]) -> f64 {
    let vertices: usize = rows.iter().map(Rows::vertices).sum();
    let different: usize = rows.iter().map(Rows::different).sum();
    if vertices == 0 { 0.0 } else { different as f64 / vertices as f64 }
}

/// δ of graphs with their features and their counts on vertices, one by one.
///
/// ```
/// use gsn_core::{CountSpec, Counter, Graph};
/// let graph = Graph::from_edges(4, [(0, 1), (1, 2), (2, 0), (2, 3)])?;
/// let counter = Counter::new(&CountSpec::new("path:2".parse()?));
/// let counts = counter.count_many(&[graph.clone()])?;
/// let delta = gsn_lab::disambiguation::disambiguation(&[(&graph, None)], &counts);
/// assert_eq!(delta, 0.75); // degrees 2, 2, 3, 1
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn disambiguation(graphs: &[(&Graph, Option<&Features>)], counts: &[Counts]) -> f64 {
    let joint = graphs.par_iter().zip(counts).map(|((graph, features), counts)| {
        let columns: Vec<usize> = (0..counts.columns().len()).collect();
        Rows::new(graph, *features).with(counts, &columns)
    });
    score(&joint.collect::<Vec<_>>())
}
