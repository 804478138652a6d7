//! Biconnected blocks: where the cycles of a graph live.
//!
//! No cycle crosses a cut vertex, so cycles are searched block by block. Vertices outside the
//! 2-core are peeled off first; a depth-first search (Hopcroft and Tarjan) then cuts the core
//! into blocks, bridges are dropped, and every block gets vertices of its own, numbered by
//! decreasing degree. A block with as many edges as vertices is a single ring and is kept as a
//! list; one with an edge more is three paths between two vertices (as most fused rings of
//! molecules are), kept as such in graphs of at most 64 vertices. O(n + m) time and memory; all memory is reused from graph to graph.

mod word;

use super::Graph;
use super::small::{Rows, WORD, below};
use crate::pattern::bits;
use std::ops::Range;

/// The blocks of a graph that hold cycles.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    blocks: Vec<Block>,
    /// Graph vertices of the blocks, one block after the other.
    vertices: Vec<u32>,
    /// First arc of each block vertex, parallel to `vertices`, with one end mark a block.
    starts: Vec<u32>,
    targets: Vec<u32>,
    edges: Vec<u32>,
    rows: Vec<u64>,
    work: Work,
    word: Option<Box<word::Search>>,
}

/// One block's places in the lists of [`Blocks`].
#[derive(Clone, Copy, Debug)]
struct Block {
    vertex: usize,
    order: usize,
    start: usize,
    edge: usize,
    edge_end: usize,
    row: usize,
    target: usize,
}

/// A block with vertices `0..order`, by decreasing degree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    /// Graph vertex behind each vertex.
    pub(crate) vertices: &'a [u32],
    /// The arcs of `v` are `starts[v]..starts[v + 1]`; empty in a ring. Of three paths, where the
    /// edges of each begin.
    pub(crate) starts: &'a [u32],
    /// Where arcs lead, in increasing order for each vertex, when there are more than 64 vertices
    /// and it is no ring.
    pub(crate) targets: &'a [u32],
    /// Graph edge of every arc; in a ring and on three paths, of every edge once.
    pub(crate) edges: &'a [u32],
    /// Bit rows, when there are at most 64 vertices and it is no ring.
    pub(crate) rows: &'a [u64],
}

impl View<'_> {
    /// Number of vertices.
    pub(crate) fn order(&self) -> usize {
        self.vertices.len()
    }

    /// Whether the block is one cycle.
    pub(crate) fn is_ring(&self) -> bool {
        self.starts.is_empty()
    }

    /// The block as three paths between two vertices, if it is kept as that: the edges of each,
    /// and the vertices between; the first two vertices of the block are the ends.
    pub(crate) fn paths(&self) -> Option<[(&[u32], &[u32]); 3]> {
        let is_paths = self.edges.len() == self.order() + 1;
        is_paths.then(|| {
            [0, 1, 2].map(|i| {
                let (from, to) = (self.starts[i] as usize, self.starts[i + 1] as usize);
                (&self.edges[from..to], &self.vertices[2 + from - i..1 + to - i])
            })
        })
    }

    /// Arcs that leave `v`.
    pub(crate) fn arcs(&self, v: usize) -> Range<usize> {
        self.starts[v] as usize..self.starts[v + 1] as usize
    }

    /// Degree of `v` inside the block.
    pub(crate) fn degree(&self, v: usize) -> usize {
        self.arcs(v).len()
    }

    /// Neighbours of `v` inside the block, in increasing order, whatever the block's size.
    pub(crate) fn neighbors(&self, v: usize) -> impl Iterator<Item = u32> + '_ {
        let row = self.rows.get(v).copied().unwrap_or(0);
        let list = self.targets.get(self.arcs(v)).unwrap_or(&[]);
        bits(row).map(|w| w as u32).chain(list.iter().copied())
    }

    /// Whether two vertices of a mesh are joined.
    pub(crate) fn is_edge(&self, v: u32, w: u32) -> bool {
        match self.rows.get(v as usize) {
            Some(row) => row >> w & 1 == 1,
            None => self.targets[self.arcs(v as usize)].binary_search(&w).is_ok(),
        }
    }

    /// Copies the bit rows to where masked indices need no bounds check.
    pub(crate) fn copy_rows(&self, to: &mut Rows) {
        to[..self.rows.len()].copy_from_slice(self.rows);
    }
}

/// Memory of the search.
#[derive(Debug, Default)]
struct Work {
    /// Degree inside what is left while peeling; 0 for what was peeled.
    degree: Vec<u32>,
    /// When the search entered a vertex, from 1; 0 before.
    entered: Vec<u32>,
    low: Vec<u32>,
    /// Next arc to look at.
    cursor: Vec<u32>,
    path: Vec<u32>,
    /// Edges not yet in a block: both ends and the edge id.
    pending: Vec<[u32; 3]>,
    /// Number of a vertex in the block being built.
    local: Vec<u32>,
    count: Vec<u32>,
    order: Vec<u32>,
    spare: Vec<[u32; 2]>,
}

impl Blocks {
    /// Number of blocks.
    pub(crate) fn len(&self) -> usize {
        self.blocks.len()
    }

    /// A block.
    pub(crate) fn get(&self, block: usize) -> View<'_> {
        let b = self.blocks[block];
        let edges = b.edge_end - b.edge;
        let ring = edges == b.order;
        let starts = match edges - b.order {
            0 => &[][..],
            1 => &self.starts[b.start..b.start + 4],
            _ => &self.starts[b.start..b.start + b.order + 1],
        };
        View {
            vertices: &self.vertices[b.vertex..b.vertex + b.order],
            starts,
            targets: if ring || b.order <= WORD {
                &[]
            } else {
                &self.targets[b.target..][..b.edge_end - b.edge]
            },
            edges: &self.edges[b.edge..b.edge_end],
            rows: if edges <= b.order + 1 || b.order > WORD {
                &[]
            } else {
                &self.rows[b.row..b.row + b.order]
            },
        }
    }

    /// Finds the blocks of an undirected graph, forgetting those of the last one.
    pub(crate) fn find(&mut self, graph: &Graph) {
        self.blocks.clear();
        self.vertices.clear();
        self.starts.clear();
        self.targets.clear();
        self.edges.clear();
        self.rows.clear();
        if graph.order() <= WORD {
            self.find_in_words(graph);
        } else {
            self.find_in_lists(graph);
        }
    }

    fn find_in_lists(&mut self, graph: &Graph) {
        let n = graph.order();
        let work = &mut self.work;
        work.peel(graph);
        work.entered.clear();
        work.entered.resize(n, 0);
        work.low.resize(n, 0);
        work.cursor.resize(n, 0);
        if work.local.len() < n {
            work.local.resize(n, u32::MAX);
        }
        let mut clock = 0;
        for root in 0..n as u32 {
            if self.work.degree[root as usize] > 0 && self.work.entered[root as usize] == 0 {
                self.search(graph, root, &mut clock);
            }
        }
    }

    /// Cuts the component of `root` into blocks.
    fn search(&mut self, graph: &Graph, root: u32, clock: &mut u32) {
        self.work.enter(graph, root, clock);
        while let Some(&v) = self.work.path.last() {
            let work = &mut self.work;
            let at = v as usize;
            let arc = work.cursor[at] as usize;
            if arc < graph.arcs_of(v).end {
                work.cursor[at] += 1;
                let w = graph.arc_target(arc);
                let seen = work.entered[w as usize];
                if seen == 0 {
                    if work.degree[w as usize] > 0 {
                        work.pending.push([v, w, graph.edge_id(arc) as u32]);
                        work.enter(graph, w, clock);
                    }
                } else if seen < work.entered[at]
                    && work.path.len().checked_sub(2).map(|i| work.path[i]) != Some(w)
                {
                    work.pending.push([v, w, graph.edge_id(arc) as u32]);
                    work.low[at] = work.low[at].min(seen);
                }
                continue;
            }
            work.path.pop();
            let Some(&parent) = work.path.last() else { break };
            let low = work.low[at];
            let up = &mut work.low[parent as usize];
            *up = low.min(*up);
            if low >= work.entered[parent as usize] {
                // The edges since parent → v are one block.
                let from = work
                    .pending
                    .iter()
                    .rposition(|&[a, b, _]| a == parent && b == v)
                    .expect("the edge to v was pushed when v was entered");
                self.emit(from);
            }
        }
    }

    /// Turns the pending edges from `from` on into a block.
    fn emit(&mut self, from: usize) {
        let work = &mut self.work;
        let size = work.pending.len() - from;
        if size == 1 {
            work.pending.pop(); // a bridge
            return;
        }
        let block = Block {
            vertex: self.vertices.len(),
            order: 0,
            start: self.starts.len(),
            edge: self.edges.len(),
            edge_end: 0,
            row: self.rows.len(),
            target: self.targets.len(),
        };
        work.count.clear();
        for &[a, b, _] in &work.pending[from..] {
            for v in [a, b] {
                let local = &mut work.local[v as usize];
                if *local == u32::MAX {
                    *local = work.count.len() as u32;
                    self.vertices.push(v);
                    work.count.push(0);
                }
                work.count[*local as usize] += 1;
            }
        }
        let order = work.count.len();
        if size == order {
            self.edges.extend(work.pending.drain(from..).map(|[_, _, edge]| edge));
            for &v in &self.vertices[block.vertex..] {
                work.local[v as usize] = u32::MAX;
            }
            self.blocks.push(Block { order, edge_end: self.edges.len(), ..block });
            return;
        }

        // Renumber by decreasing degree; equal degrees by vertex, so that the numbering does not
        // depend on the way the search went.
        work.order.clear();
        work.order.extend_from_slice(&self.vertices[block.vertex..]);
        let (local, count) = (&mut work.local, &work.count);
        let degree = |v: u32, local: &[u32]| count[local[v as usize] as usize];
        work.order.sort_unstable_by_key(|&v| (std::cmp::Reverse(degree(v, local)), v));
        self.vertices.truncate(block.vertex);
        let mut start = 0;
        for &v in &work.order {
            self.vertices.push(v);
            self.starts.push(start);
            start += degree(v, local);
        }
        self.starts.push(start);
        for (number, &v) in work.order.iter().enumerate() {
            local[v as usize] = number as u32;
        }

        self.edges.resize(block.edge + 2 * size, 0);
        let starts = &self.starts[block.start..];
        let arcs = &mut self.edges[block.edge..];
        let pending = &work.pending[from..];
        if order <= WORD {
            // The bits of a row sort its arcs: the place of an arc is its target's rank.
            self.rows.resize(block.row + order, 0);
            let rows = &mut self.rows[block.row..];
            for &[a, b, _] in pending {
                let (a, b) = (local[a as usize], local[b as usize]);
                rows[a as usize] |= 1 << b;
                rows[b as usize] |= 1 << a;
            }
            for &[a, b, edge] in pending {
                let (a, b) = (local[a as usize] as usize, local[b as usize] as usize);
                for (source, target) in [(a, b), (b, a)] {
                    let rank = (rows[source] & below(target)).count_ones();
                    arcs[(starts[source] + rank) as usize] = edge;
                }
            }
        } else {
            // Sort arcs by (source, target) in two bucket passes: by target, then stably by source.
            self.targets.resize(block.target + 2 * size, 0);
            let targets = &mut self.targets[block.target..];
            let cursor = &mut work.count;
            cursor.copy_from_slice(&starts[..order]);
            work.spare.clear();
            work.spare.resize(2 * size, [0; 2]);
            for &[a, b, edge] in pending {
                let (a, b) = (local[a as usize], local[b as usize]);
                for (source, target) in [(a, b), (b, a)] {
                    let at = &mut cursor[target as usize];
                    work.spare[*at as usize] = [source, edge];
                    *at += 1;
                }
            }
            cursor.copy_from_slice(&starts[..order]);
            for target in 0..order {
                let into = starts[target] as usize..starts[target + 1] as usize;
                for &[source, edge] in &work.spare[into] {
                    let at = &mut cursor[source as usize];
                    targets[*at as usize] = target as u32;
                    arcs[*at as usize] = edge;
                    *at += 1;
                }
            }
        }
        for &v in &work.order {
            local[v as usize] = u32::MAX;
        }
        work.pending.truncate(from);
        self.blocks.push(Block { order, edge_end: self.edges.len(), ..block });
    }
}

impl Work {
    /// Takes vertices of degree 0 and 1 off until none is left.
    fn peel(&mut self, graph: &Graph) {
        self.degree.clear();
        self.degree.extend((0..graph.order() as u32).map(|v| graph.degree(v) as u32));
        for v in 0..graph.order() as u32 {
            // Follow the chain that hangs on a leaf: what it uncovers may lie behind us.
            let mut leaf = v;
            while self.degree[leaf as usize] == 1 {
                self.degree[leaf as usize] = 0;
                for &next in graph.neighbors(leaf) {
                    if self.degree[next as usize] > 0 {
                        self.degree[next as usize] -= 1;
                        leaf = next;
                        break;
                    }
                }
            }
        }
    }

    fn enter(&mut self, graph: &Graph, v: u32, clock: &mut u32) {
        *clock += 1;
        let at = v as usize;
        self.entered[at] = *clock;
        self.low[at] = *clock;
        self.cursor[at] = graph.arcs_of(v).start as u32;
        self.path.push(v);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(order: usize, edges: &[(u32, u32)]) -> (Graph, Blocks) {
        let graph = Graph::from_edges(order, edges.iter().copied()).unwrap();
        let mut blocks = Blocks::default();
        blocks.find(&graph);
        (graph, blocks)
    }

    /// Two triangles on a bridge, one of them sharing vertex 2 with a diamond, and a tail.
    #[test]
    fn cut_vertices_part_blocks_and_bridges_vanish() {
        let (graph, blocks) = blocks(
            12,
            &[
                (0, 1),
                (1, 2),
                (0, 2),
                (2, 3),
                (3, 4),
                (4, 5),
                (5, 2),
                (3, 5),
                (0, 6),
                (6, 7),
                (7, 8),
                (8, 6),
                (8, 9),
                (9, 10),
            ],
        );
        let mut found: Vec<(Vec<u32>, bool)> = (0..blocks.len())
            .map(|b| {
                let mut vertices = blocks.get(b).vertices.to_vec();
                vertices.sort_unstable();
                (vertices, blocks.get(b).is_ring())
            })
            .collect();
        found.sort();
        assert_eq!(
            found,
            [(vec![0, 1, 2], true), (vec![2, 3, 4, 5], false), (vec![6, 7, 8], true)]
        );
        let diamond = (0..blocks.len()).map(|b| blocks.get(b)).find(|b| !b.is_ring()).unwrap();
        assert_eq!(diamond.vertices, [3, 5, 2, 4]);
        let edge = |a, b| graph.edge_id(graph.arc_id(a, b).unwrap()) as u32;
        let paths = diamond.paths().unwrap();
        assert_eq!(paths[0], (&[edge(3, 2), edge(2, 5)][..], &[2][..]));
        assert_eq!(paths[1], (&[edge(3, 4), edge(4, 5)][..], &[4][..]));
        assert_eq!(paths[2], (&[edge(3, 5)][..], &[][..]));
    }

    /// Three squares around a vertex: a block with more than two independent cycles.
    #[test]
    fn meshes_have_rows_and_sorted_arcs() {
        let (graph, blocks) = blocks(
            8,
            &[(7, 0), (7, 2), (7, 4), (0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0), (6, 7)],
        );
        assert_eq!(blocks.len(), 1);
        let mesh = blocks.get(0);
        assert!(mesh.paths().is_none());
        assert_eq!(mesh.vertices, [0, 2, 4, 7, 1, 3, 5]);
        for v in 0..mesh.order() {
            let row = bits(mesh.rows[v]);
            for (arc, w) in mesh.arcs(v).zip(row) {
                let (a, b) = (mesh.vertices[v], mesh.vertices[w]);
                let edge = graph.edge_id(graph.arc_id(a, b).unwrap());
                assert_eq!(edge, mesh.edges[arc] as usize);
            }
            assert_eq!(mesh.arcs(v).len(), mesh.rows[v].count_ones() as usize);
        }
    }

    #[test]
    fn trees_have_no_blocks_and_memory_is_reused() {
        let (_, mut blocks) = blocks(5, &[(0, 1), (1, 2), (1, 3)]);
        assert_eq!(blocks.len(), 0);
        let ring = Graph::from_edges(100, (0..100).map(|v| (v, (v + 1) % 100))).unwrap();
        blocks.find(&ring);
        assert_eq!(blocks.len(), 1);
        assert!(blocks.get(0).is_ring());
        assert_eq!((blocks.get(0).order(), blocks.get(0).edges.len()), (100, 100));
        blocks.find(&Graph::from_edges(0, []).unwrap());
        assert_eq!(blocks.len(), 0);
    }

    proptest::proptest! {
        /// Both searches find the same blocks, numbered alike inside.
        #[test]
        fn words_and_lists_agree(
            n in 1..64u32, edges in proptest::collection::vec((0..64u32, 0..64u32), 0..90)
        ) {
            let edges = edges.into_iter().map(|(u, v)| (u % n, v % n));
            let graph = Graph::from_edges(n as usize, edges).unwrap();
            let found = |find: fn(&mut Blocks, &Graph)| {
                let mut blocks = Blocks::default();
                find(&mut blocks, &graph);
                let mut found: Vec<_> = (0..blocks.len())
                    .map(|b| {
                        let View { vertices, starts, edges, rows, .. } = blocks.get(b);
                        let mut lists = [vertices, edges].map(<[u32]>::to_vec);
                        // Rings are sets, and only one of the searches tells three paths.
                        let few = [vertices.len(), vertices.len() + 1, 2 * vertices.len() + 2];
                        if !few.contains(&edges.len()) {
                            return (lists, starts.to_vec(), rows.to_vec());
                        }
                        lists.iter_mut().for_each(|list| list.sort_unstable());
                        lists[1].dedup();
                        (lists, vec![], vec![])
                    })
                    .collect();
                found.sort();
                found
            };
            proptest::prop_assert_eq!(found(Blocks::find_in_words), found(Blocks::find_in_lists));
        }

        /// Every edge of a cycle is in exactly one block: those and only those edges whose
        /// removal keeps their ends connected.
        #[test]
        fn blocks_hold_the_edges_that_are_no_bridges(
            edges in proptest::collection::vec((0..14u32, 0..14u32), 0..30)
        ) {
            let graph = Graph::from_edges(14, edges).unwrap();
            let mut blocks = Blocks::default();
            blocks.find(&graph);
            let mut seen = vec![0; graph.edge_count()];
            for b in 0..blocks.len() {
                let block = blocks.get(b);
                let once = if block.is_ring() || block.paths().is_some() { 2 } else { 1 };
                for &edge in block.edges {
                    seen[edge as usize] += once;
                }
            }
            let edges: Vec<_> = graph.edges().collect();
            for (edge, &(u, v)) in edges.iter().enumerate() {
                let mut reached = vec![false; graph.order()];
                let mut stack = vec![u];
                while let Some(x) = stack.pop() {
                    if !std::mem::replace(&mut reached[x as usize], true) {
                        stack.extend(graph.neighbors(x).iter().filter(|&&y| (x, y) != (u, v)));
                    }
                }
                let expected = if reached[v as usize] { 2 } else { 0 };
                proptest::prop_assert_eq!(seen[edge], expected);
            }
        }
    }
}
