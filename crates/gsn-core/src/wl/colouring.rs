//! 1-WL over many graphs at once.
//!
//! Every graph is refined by itself and in parallel, O(m log n); its connected parts are then
//! looked up in one dictionary of quotients, which gives their colours names that mean the same
//! in every graph: exactly the stable colours of the disjoint union of all graphs.

use super::names::group;
use super::partition::{Refiner, StableParts};
use super::{Start, WlError, small, starts_of};
use crate::graph::Graph;
use rayon::prelude::*;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Stable colours of the vertices of many graphs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Colouring {
    offsets: Vec<usize>,
    colours: Vec<u32>,
    count: u32,
    /// The connected parts of every graph, by name: that of their first colour, and how many
    /// vertices all parts of this name have.
    parts: Vec<(u32, u32)>,
    part_offsets: Vec<usize>,
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
        // Parts that share a colour share all of them, in one proportion: the name and the size of
        // a part say how many vertices have each of its colours.
        group(self.part_offsets.windows(2).map(|ends| &self.parts[ends[0]..ends[1]]))
    }
}

/// Refines the start colours of all graphs until no class splits: 1-WL.
///
/// The new colour of a vertex is its old one with the multiset of its neighbours' colours, each
/// with the colours of the arcs to and from it; in a directed graph both directions are seen. With
/// vertex counts as start colours this is the exact upper bound of GSN-v, with arc counts that of
/// GSN-e.
///
/// # Arguments
/// * `graphs`: any number of them;
/// * `starts`: the start colours of every graph in the same order, or nothing at all.
///
/// # Returns
/// Colours that mean the same in all graphs: 1-WL tells two of them apart exactly when their
/// [histograms](Colouring::histogram) differ.
///
/// # Errors
/// When start colours do not fit their graphs.
///
/// # Complexity
/// O(m log n) a graph, in parallel over graphs.
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
    const CHUNK: usize = 256;
    let chunks: Vec<StableParts> = graphs
        .par_chunks(CHUNK)
        .zip(starts.par_chunks(CHUNK))
        .map_init(Refiner::default, |refiner, (graphs, starts)| {
            let vertices = graphs.iter().map(Graph::order).sum();
            let mut found = StableParts::with_room(graphs.len(), vertices);
            for (graph, &start) in graphs.iter().zip(starts) {
                if start.arc.is_some() || !small::run(graph, start.vertex, &mut found) {
                    refiner.run(graph, start, &mut found);
                }
            }
            found
        })
        .collect();
    let mut offsets = Vec::with_capacity(graphs.len() + 1);
    offsets.push(0);
    for graph in graphs {
        offsets.push(offsets[offsets.len() - 1] + graph.order());
    }
    let mut colours = Vec::with_capacity(offsets[graphs.len()]);
    let mut parts: Vec<(u32, u32)> = Vec::with_capacity(graphs.len());
    let mut part_offsets = Vec::with_capacity(graphs.len() + 1);
    part_offsets.push(0);
    let mut names: HashMap<&[u32], u32, BuildHasherDefault<Mix>> =
        HashMap::with_capacity_and_hasher(graphs.len(), BuildHasherDefault::default());
    let mut count = 0;
    let mut shifts: Vec<(u32, u32)> = Vec::new();
    for found in &chunks {
        let (mut part, mut key, mut vertex) = (0, 0, 0);
        for &of_graph in &found.of_graph {
            let first = parts.len();
            let order = offsets[part_offsets.len()] - offsets[part_offsets.len() - 1];
            let cells = &found.cell[vertex..vertex + order];
            // Cells are numbered through the parts of a graph: what must be added for a name.
            let mut before = 0;
            shifts.clear();
            for part in &found.parts[part..part + of_graph as usize] {
                let name = *names.entry(&found.keys[key..part.end]).or_insert_with(|| {
                    let name = count;
                    count += part.cells;
                    name
                });
                parts.push((name, part.size));
                shifts.push((before, name));
                before += part.cells;
                key = part.end;
            }
            part += of_graph as usize;
            match shifts[..] {
                [(_, name)] => colours.extend(cells.iter().map(|&cell| name + cell)),
                _ => colours.extend(cells.iter().map(|&cell| {
                    let at = shifts.partition_point(|&(before, _)| before <= cell) - 1;
                    shifts[at].1 + cell - shifts[at].0
                })),
            }
            vertex += order;
            merge(&mut parts, first);
            part_offsets.push(parts.len());
        }
    }
    Ok(Colouring { offsets, colours, count, parts, part_offsets })
}

/// Sorts the parts from `first` on, and puts those of one name together.
fn merge(parts: &mut Vec<(u32, u32)>, first: usize) {
    if parts.len() - first < 2 {
        return;
    }
    parts[first..].sort_unstable();
    let mut end = first;
    for at in first + 1..parts.len() {
        if parts[at].0 == parts[end].0 {
            parts[end].1 += parts[at].1;
        } else {
            end += 1;
            parts[end] = parts[at];
        }
    }
    parts.truncate(end + 1);
}

/// A quick hash of words; keys are compared in full, so collisions cost time but no correctness.
#[derive(Default)]
struct Mix(u64);

impl Hasher for Mix {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.write_u64(u64::from_le_bytes(*word));
        }
        for &byte in rest {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 29
    }
}
