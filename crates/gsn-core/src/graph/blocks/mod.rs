//! Biconnected blocks: where the cycles of a graph live.
//!
//! No cycle crosses a cut vertex, so cycles are searched block by block. Vertices outside the
//! 2-core are peeled off first; a depth-first search (Hopcroft and Tarjan) then cuts the core
//! into blocks, bridges are dropped, and every block gets vertices of its own, numbered by
//! decreasing degree. A block with as many edges as vertices is a single ring and is kept as a
//! list; one with an edge more is a theta, three paths between two vertices (as most fused rings
//! of molecules are), kept as such in graphs of at most 64 vertices. O(n + m) time and memory; all
//! memory is reused from graph to graph.

mod list;
#[cfg(test)]
mod tests;
mod word;

use super::Graph;
use super::small::WORD;
use crate::pattern::bits;
use std::ops::Range;

/// The blocks of a graph that hold cycles.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    /// The kind of each block, and where its part of the lists below ends.
    blocks: Vec<(Kind, Ends)>,
    vertices: Vec<u32>,
    starts: Vec<u32>,
    edges: Vec<u32>,
    rows: Vec<u64>,
    targets: Vec<u32>,
    scratch: list::Scratch,
    word: Option<Box<word::Search>>,
}

/// How a block is kept.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Ring,
    Theta,
    Mesh,
}

/// Lengths of the lists of [`Blocks`].
#[derive(Clone, Copy, Debug, Default)]
struct Ends {
    vertices: usize,
    starts: usize,
    edges: usize,
    rows: usize,
    targets: usize,
}

/// A block, by what its cycles look like.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Block<'a> {
    /// One cycle, its vertices and edges in any order.
    Ring {
        /// Graph vertices.
        vertices: &'a [u32],
        /// Graph edges.
        edges: &'a [u32],
    },
    /// Three paths between two vertices, in graphs of at most 64 vertices.
    Theta(Theta<'a>),
    /// Any other block.
    Mesh(Mesh<'a>),
}

/// Three paths between two vertices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Theta<'a> {
    /// The two vertices.
    pub(crate) ends: &'a [u32],
    pub(crate) paths: [Path<'a>; 3],
}

/// One path of a [`Theta`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Path<'a> {
    /// Graph edges, from the first end to the second.
    pub(crate) edges: &'a [u32],
    /// Graph vertices between the ends.
    pub(crate) between: &'a [u32],
}

/// A block with vertices `0..order`, by decreasing degree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mesh<'a> {
    /// Graph vertex behind each vertex.
    pub(crate) vertices: &'a [u32],
    /// The arcs of `v` are `starts[v]..starts[v + 1]`.
    pub(crate) starts: &'a [u32],
    /// Graph edge of every arc.
    pub(crate) edges: &'a [u32],
    pub(crate) neighbors: Neighbors<'a>,
}

/// Which vertices of a mesh are joined.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Neighbors<'a> {
    /// Bit rows, when there are at most 64 vertices.
    Rows(&'a [u64]),
    /// Where every arc leads, in increasing order for each vertex, when there are more.
    Lists(&'a [u32]),
}

impl Block<'_> {
    /// Number of vertices.
    pub(crate) fn order(&self) -> usize {
        match self {
            Self::Ring { vertices, .. } => vertices.len(),
            Self::Theta(theta) => 2 + theta.paths.iter().map(|p| p.between.len()).sum::<usize>(),
            Self::Mesh(mesh) => mesh.order(),
        }
    }

    /// How many edges are kept: all of them once, those of a mesh once for each arc.
    pub(crate) fn kept_edges(&self) -> usize {
        match self {
            Self::Ring { edges, .. } => edges.len(),
            Self::Theta(theta) => theta.paths.iter().map(|path| path.edges.len()).sum(),
            Self::Mesh(mesh) => mesh.edges.len(),
        }
    }
}

impl Mesh<'_> {
    /// Number of vertices.
    pub(crate) fn order(&self) -> usize {
        self.vertices.len()
    }

    /// Arcs that leave `v`.
    pub(crate) fn arcs(&self, v: usize) -> Range<usize> {
        self.starts[v] as usize..self.starts[v + 1] as usize
    }

    /// Degree of `v` inside the block.
    pub(crate) fn degree(&self, v: usize) -> usize {
        self.arcs(v).len()
    }

    /// Neighbours of `v` inside the block, in increasing order.
    pub(crate) fn neighbors(&self, v: usize) -> impl Iterator<Item = u32> + '_ {
        let (row, list) = match self.neighbors {
            Neighbors::Rows(rows) => (rows[v], &[][..]),
            Neighbors::Lists(targets) => (0, &targets[self.arcs(v)]),
        };
        bits(row).map(|w| w as u32).chain(list.iter().copied())
    }

    /// Whether two vertices are joined.
    pub(crate) fn is_edge(&self, v: u32, w: u32) -> bool {
        match self.neighbors {
            Neighbors::Rows(rows) => rows[v as usize] >> w & 1 == 1,
            Neighbors::Lists(targets) => targets[self.arcs(v as usize)].binary_search(&w).is_ok(),
        }
    }
}

impl Blocks {
    /// Bytes that the blocks of a graph take at most while they are found.
    pub(crate) fn memory(graph: &Graph) -> u64 {
        // With the edge behind every arc.
        (40 * graph.order() + 36 * graph.edge_count()) as u64
    }

    /// Number of blocks.
    pub(crate) fn len(&self) -> usize {
        self.blocks.len()
    }

    /// A block.
    pub(crate) fn get(&self, block: usize) -> Block<'_> {
        let start = block.checked_sub(1).map_or(Ends::default(), |before| self.blocks[before].1);
        let (kind, end) = self.blocks[block];
        let vertices = &self.vertices[start.vertices..end.vertices];
        let starts = &self.starts[start.starts..end.starts];
        let edges = &self.edges[start.edges..end.edges];
        match kind {
            Kind::Ring => Block::Ring { vertices, edges },
            Kind::Theta => {
                let (ends, between) = vertices.split_at(2);
                let paths = [0, 1, 2].map(|i| {
                    let (from, to) = (starts[i] as usize, starts[i + 1] as usize);
                    Path { edges: &edges[from..to], between: &between[from - i..to - 1 - i] }
                });
                Block::Theta(Theta { ends, paths })
            }
            Kind::Mesh => {
                let neighbors = if vertices.len() <= WORD {
                    Neighbors::Rows(&self.rows[start.rows..end.rows])
                } else {
                    Neighbors::Lists(&self.targets[start.targets..end.targets])
                };
                Block::Mesh(Mesh { vertices, starts, edges, neighbors })
            }
        }
    }

    /// All blocks.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Block<'_>> {
        (0..self.len()).map(|block| self.get(block))
    }

    fn ends(&self) -> Ends {
        Ends {
            vertices: self.vertices.len(),
            starts: self.starts.len(),
            edges: self.edges.len(),
            rows: self.rows.len(),
            targets: self.targets.len(),
        }
    }

    /// Ends the block that was added to the lists.
    fn finish(&mut self, kind: Kind) {
        self.blocks.push((kind, self.ends()));
    }

    /// Finds the blocks of an undirected graph, in place of those of the last one. `look` is called
    /// every few thousand arcs and may stop the work; then nothing of it is of use.
    pub(crate) fn find<E>(
        &mut self,
        graph: &Graph,
        look: impl Fn() -> Result<(), E>,
    ) -> Result<(), E> {
        self.blocks.clear();
        self.vertices.clear();
        self.starts.clear();
        self.targets.clear();
        self.edges.clear();
        self.rows.clear();
        if graph.order() <= WORD {
            self.find_in_words(graph);
            Ok(())
        } else {
            let found = self.find_in_lists(graph, &look);
            if found.is_err() {
                *self = Self::default();
            }
            found
        }
    }
}
