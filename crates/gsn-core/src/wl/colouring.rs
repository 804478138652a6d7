//! 1-WL over many graphs at once.
//!
//! Every graph is refined by itself and in parallel, O(m log n); its connected parts are then
//! looked up in one dictionary of quotients, which gives their colours names that mean the same
//! in every graph: exactly the stable colours of the disjoint union of all graphs.

use super::names::group;
use super::partition::{Part, Refiner};
use super::{Start, WlError, starts_of};
use crate::graph::Graph;
use rayon::prelude::*;
use std::collections::HashMap;

/// Stable colours of the vertices of many graphs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Colouring {
    offsets: Vec<usize>,
    colours: Vec<u32>,
    count: u32,
}

impl Colouring {
    /// The colours of the vertices of one graph.
    pub fn of(&self, graph: usize) -> &[u32] {
        &self.colours[self.offsets[graph]..self.offsets[graph + 1]]
    }

    /// Number of graphs.
    pub fn graphs(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of different colours in all graphs together.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Colours of one graph and how many vertices have them, by colour.
    pub fn histogram(&self, graph: usize) -> Vec<(u32, u32)> {
        let mut sorted = self.of(graph).to_vec();
        sorted.sort_unstable();
        sorted.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u32)).collect()
    }

    /// A number for every graph: equal numbers are equal histograms.
    pub fn classes(&self) -> Vec<u32> {
        group((0..self.graphs()).map(|graph| {
            let mut sorted = self.of(graph).to_vec();
            sorted.sort_unstable();
            sorted
        }))
    }
}

/// Refines the start colours of all graphs until nothing splits any more: 1-WL.
///
/// The new colour of a vertex is its old one with the multiset of its neighbours' colours, each
/// with the colours of the arcs to and from it; in a directed graph both directions are seen.
/// `starts` has one entry a graph, or none. With vertex counts as start colours this is the exact
/// upper bound of GSN-v, with arc counts that of GSN-e.
///
/// # Complexity
/// O(m log n) a graph, in parallel over graphs.
///
/// # Errors
/// When start colours do not fit their graphs.
///
/// ```
/// use gsn_core::{Graph, wl};
/// let path = Graph::from_edges(4, [(0, 1), (1, 2), (2, 3)])?;
/// let star = Graph::from_edges(4, [(0, 1), (0, 2), (0, 3)])?;
/// let colouring = wl::refine(&[path, star], &[])?;
/// assert_eq!(colouring.of(0), [0, 1, 1, 0]);
/// assert_ne!(colouring.histogram(0), colouring.histogram(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn refine(graphs: &[Graph], starts: &[Start<'_>]) -> Result<Colouring, WlError> {
    let starts = starts_of(graphs, starts)?;
    let parts: Vec<Vec<Part>> = graphs
        .par_iter()
        .zip(&starts)
        .with_min_len(64)
        .map_init(Refiner::default, |refiner, (graph, &start)| refiner.run(graph, start))
        .collect();
    let mut offsets = Vec::with_capacity(graphs.len() + 1);
    offsets.push(0);
    for graph in graphs {
        offsets.push(offsets[offsets.len() - 1] + graph.order());
    }
    let mut colours = vec![0; offsets[graphs.len()]];
    let mut first: HashMap<&[u32], u32> = HashMap::with_capacity(parts.len());
    let mut count = 0;
    for (part, base) in parts.iter().zip(&offsets).flat_map(|(p, b)| p.iter().map(move |p| (p, b)))
    {
        let name = *first.entry(&part.key).or_insert_with(|| {
            let name = count;
            count += part.cells;
            name
        });
        for (&v, &cell) in part.vertices.iter().zip(&part.cell_of) {
            colours[base + v as usize] = name + cell;
        }
    }
    Ok(Colouring { offsets, colours, count })
}
