//! The edges among the neighbours of a vertex.

use crate::count::pivot::{DenseGraph, SparseComplement, full};
use crate::graph::Graph;
use crate::graph::small::WORD;

/// Words of all rows at the most: 8 MB.
const MOST_WORDS: usize = 1 << 20;

/// The neighbourhood of a vertex, its members numbered by their position in the neighbour list.
#[derive(Debug, Default)]
pub(super) struct Neighbourhood {
    /// Position of every name; `u32::MAX` for those of vertices that are no neighbours.
    position: Vec<u32>,
    pairs: Vec<[u32; 2]>,
    starts: Vec<u32>,
    lists: Vec<u32>,
    /// The complement, where it was asked for.
    rows: Vec<u64>,
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

    /// Number of neighbours.
    pub(super) fn order(&self) -> usize {
        self.starts.len() - 1
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

    /// Turns the complement into rows of bits, where these are shorter than the lists.
    pub(super) fn fill_rows(&mut self) -> bool {
        let n = self.order();
        let width = n.div_ceil(WORD);
        if n * width > MOST_WORDS.min(self.lists.len()) {
            return false;
        }
        self.rows.clear();
        let all = full(n);
        for v in 0..n {
            self.rows.extend_from_slice(&all);
            let row = &mut self.rows[v * width..];
            let list = &self.lists[self.starts[v] as usize..self.starts[v + 1] as usize];
            for w in list.iter().map(|&w| w as usize).chain([v]) {
                row[w / WORD] &= !(1 << (w % WORD));
            }
        }
        true
    }

    /// The complement in rows of bits, where [`Neighbourhood::fill_rows`] has made them.
    pub(super) fn dense(&self) -> DenseGraph<'_> {
        DenseGraph { width: self.order().div_ceil(WORD), rows: &self.rows }
    }

    /// The complement of the neighbourhood.
    pub(super) fn complement(&self) -> SparseComplement<'_> {
        SparseComplement { starts: &self.starts, lists: &self.lists }
    }
}
