//! The edges among the neighbours of a vertex.

use crate::count::pivot::SparseComplement;
use crate::graph::Graph;
use crate::graph::oriented::OrientedGraph;

/// The neighbourhood of a vertex, its members numbered by their position in the neighbour list.
#[derive(Debug, Default)]
pub(super) struct Neighbourhood {
    /// Position of every graph vertex; `u32::MAX` for those that are no neighbours.
    position: Vec<u32>,
    pairs: Vec<[u32; 2]>,
    starts: Vec<u32>,
    lists: Vec<u32>,
}

impl Neighbourhood {
    /// Loads the neighbourhood of `v`; returns how many arcs were looked at. Every edge between
    /// neighbours is found once, from its earlier end.
    pub(super) fn load(&mut self, graph: &Graph, oriented: &OrientedGraph, v: u32) -> u64 {
        let around = graph.neighbors(v);
        self.position.resize(graph.order(), u32::MAX);
        for (a, &w) in around.iter().enumerate() {
            self.position[w as usize] = a as u32;
        }
        self.pairs.clear();
        self.starts.clear();
        self.starts.resize(around.len() + 1, 0);
        let mut looked = 0;
        for (a, &w) in around.iter().enumerate() {
            looked += oriented.neighbors(w).len() as u64;
            for &x in oriented.neighbors(w) {
                let b = self.position[x as usize];
                if b != u32::MAX {
                    self.pairs.push([a as u32, b]);
                    self.starts[a] += 1;
                    self.starts[b as usize] += 1;
                }
            }
        }
        for &w in around {
            self.position[w as usize] = u32::MAX;
        }
        // Ends of the lists; filling from the back turns them into starts.
        for a in 1..self.starts.len() {
            self.starts[a] += self.starts[a - 1];
        }
        self.lists.clear();
        self.lists.resize(2 * self.pairs.len(), 0);
        for &[a, b] in &self.pairs {
            for (from, to) in [(a, b), (b, a)] {
                let at = &mut self.starts[from as usize];
                *at -= 1;
                self.lists[*at as usize] = to;
            }
        }
        looked
    }

    /// The complement of the neighbourhood.
    pub(super) fn complement(&self) -> SparseComplement<'_> {
        SparseComplement { starts: &self.starts, lists: &self.lists }
    }
}
