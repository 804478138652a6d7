//! One machine word a row: adjacency of graphs of at most 64 vertices as bits.
//!
//! Neighbour sets, intersections and sizes become single instructions. The edge behind a pair
//! costs one `popcount`: rows are sorted, so the rank of a neighbour among the set bits is its
//! position in the list of arcs.

use super::Graph;

/// Most vertices a one-word row can hold.
pub(crate) const WORD: usize = u64::BITS as usize;

/// The set `{0, …, v − 1}`, for `v < 64`.
#[inline]
pub(crate) fn below(v: usize) -> u64 {
    (1u64 << v) - 1
}

/// The set `{v + 1, …, 63}`, for `v < 64`.
#[inline]
pub(crate) fn above(v: usize) -> u64 {
    !1u64 << v
}

/// The set `{0, …, n − 1}`, for `n ≤ 64`.
#[inline]
pub(crate) fn first(n: usize) -> u64 {
    if n >= WORD { !0 } else { below(n) }
}

/// Adjacency bits, always 64 rows so that masked indices need no bounds check.
pub(crate) type Rows = [u64; WORD];

/// Fills the rows of `graph`, which has at most 64 vertices; further rows are left as they are.
#[inline]
pub(crate) fn fill(graph: &Graph, rows: &mut Rows) {
    let mut rest = &graph.out.targets[..];
    for (row, ends) in rows.iter_mut().zip(graph.out.offsets.windows(2)) {
        let (around, after) = rest.split_at((ends[1] - ends[0]) as usize);
        *row = around.iter().fold(0, |row, &w| row | 1 << (w % WORD as u32));
        rest = after;
    }
}

/// Bit rows beside the sorted arc lists they came from.
#[derive(Clone, Copy)]
pub(crate) struct BitGraph<'a> {
    pub(crate) rows: &'a Rows,
    /// First arc of every vertex.
    starts: &'a [u32],
    /// Edge id of every arc.
    edges: &'a [u32],
}

impl<'a> BitGraph<'a> {
    /// Rows with their own arc lists: the arcs of `v` start at `starts[v]` and are in the order
    /// of the bits of its row.
    pub(crate) fn new(rows: &'a Rows, starts: &'a [u32], edges: &'a [u32]) -> Self {
        Self { rows, starts, edges }
    }

    /// The rows of an undirected graph, as [`fill`] made them.
    pub(crate) fn of(graph: &'a Graph, rows: &'a Rows) -> Self {
        Self { rows, starts: &graph.out.offsets, edges: graph.edge_ids() }
    }

    /// Neighbours of `v`.
    #[inline]
    pub(crate) fn row(&self, v: usize) -> u64 {
        self.rows[v % WORD]
    }

    /// Edge between `v` and its neighbour `w`.
    #[inline]
    pub(crate) fn edge(&self, v: usize, w: usize) -> usize {
        let rank = (self.row(v) & below(w)).count_ones();
        self.edges[(self.starts[v] + rank) as usize] as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_found_by_rank() {
        let edges = [(0, 1), (0, 63), (1, 2), (2, 63), (5, 40), (40, 63)];
        let graph = Graph::from_edges(64, edges).unwrap();
        let mut rows = [0; WORD];
        fill(&graph, &mut rows);
        let bits = BitGraph::of(&graph, &rows);
        for (id, (u, v)) in graph.edges().enumerate() {
            assert_eq!(bits.edge(u as usize, v as usize), id);
            assert_eq!(bits.edge(v as usize, u as usize), id);
            assert_eq!(bits.row(u as usize) >> v & 1, 1);
        }
        assert_eq!(rows.iter().map(|row| row.count_ones()).sum::<u32>(), 12);
    }

    #[test]
    fn intervals() {
        assert_eq!((below(0), below(3), above(63), above(61)), (0, 7, 0, 3 << 62));
        assert_eq!((first(0), first(3), first(64)), (0, 7, !0));
    }
}
