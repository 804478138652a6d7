//! The edges among the neighbours of a vertex.

use crate::count::pivot::SparseComplement;
use crate::graph::Graph;

/// The neighbourhood of a vertex, its members numbered by their position in the neighbour list.
#[derive(Debug, Default)]
pub(super) struct Neighbourhood {
    /// Position of every name; `u32::MAX` for those of vertices that are no neighbours.
    position: Vec<u32>,
    pairs: Vec<[u32; 2]>,
    starts: Vec<u32>,
    lists: Vec<u32>,
}

impl Neighbourhood {
    /// Loads the neighbourhood of `v`; returns how many arcs were looked at. Vertices have other
    /// names in the rows: `name` says which, and `row` gives the neighbours of a name at one end of
    /// each edge at least; an edge counts where `once` says so.
    pub(super) fn load<'a>(
        &mut self,
        graph: &Graph,
        v: u32,
        name: impl Fn(u32) -> u32,
        row: impl Fn(u32) -> &'a [u32],
        once: impl Fn(u32, u32) -> bool,
    ) -> u64 {
        let around = graph.neighbors(v);
        self.position.resize(graph.order(), u32::MAX);
        for (a, &w) in around.iter().enumerate() {
            self.position[name(w) as usize] = a as u32;
        }
        self.pairs.clear();
        self.starts.clear();
        self.starts.resize(around.len() + 1, 0);
        let mut looked = 0;
        for (a, &w) in around.iter().enumerate() {
            let w = name(w);
            let row = row(w);
            looked += row.len() as u64;
            for &x in row {
                let b = self.position[x as usize];
                if b != u32::MAX && once(w, x) {
                    self.pairs.push([a as u32, b]);
                    self.starts[a] += 1;
                    self.starts[b as usize] += 1;
                }
            }
        }
        for &w in around {
            self.position[name(w) as usize] = u32::MAX;
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

    /// Number of edges between neighbours.
    pub(super) fn size(&self) -> usize {
        self.pairs.len()
    }

    /// The neighbourhood as a graph of its own.
    pub(super) fn graph(&self) -> Option<Graph> {
        let pairs = self.pairs.iter().map(|&[a, b]| (a, b));
        Graph::from_edges(self.starts.len() - 1, pairs).ok()
    }

    /// The complement of the neighbourhood.
    pub(super) fn complement(&self) -> SparseComplement<'_> {
        SparseComplement { starts: &self.starts, lists: &self.lists }
    }
}
