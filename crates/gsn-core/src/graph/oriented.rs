//! A graph whose vertices are known by their rank in an order in which each has few later
//! neighbours, and the arcs to those.
//!
//! In a degeneracy order the next vertex is always one of smallest degree among those left, so none
//! has more later neighbours than the degeneracy, which is never above √(2m). To find it one looks
//! all over memory. In a large graph the order of degrees comes first, which costs next to
//! nothing and has at most √(2m) later neighbours as well; it stays if these are few.
//!
//! Each edge is kept once, at its earlier end. Rows lie in order of rank, and late ranks, which are
//! most looked at, lie together. O(n + m) time; 8 bytes an edge while it is made, 4 bytes an
//! edge and 12 a vertex then, reused from graph to graph.

use super::Graph;
use rayon::prelude::*;
use std::ops::Range;

/// Arcs from which on a graph is large; few in tests, so that both orders are met.
const LARGE: usize = if cfg!(test) { 64 } else { 1 << 20 };
/// Later neighbours of the earlier end of an edge, on average, up to which the order of degrees
/// does.
const FEW: u64 = if cfg!(test) { 3 } else { 64 };
/// Vertices whose arcs are turned at a time.
const PIECE: usize = if cfg!(test) { 7 } else { 1 << 12 };

/// A graph whose edges point forward in an order of its vertices.
#[derive(Debug, Default)]
pub(crate) struct OrientedGraph {
    /// Vertex of every rank.
    pub(crate) vertices: Vec<u32>,
    /// Rank of every vertex.
    pub(crate) rank: Vec<u32>,
    starts: Vec<u32>,
    targets: Vec<u32>,
    edges: Vec<u32>,
    pieces: Vec<Later>,
    bucket: Vec<u32>,
    degree: Vec<u32>,
}

/// Whether the edges behind arcs are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EdgeNumbers {
    Keep,
    Leave,
}

impl OrientedGraph {
    /// Later neighbours of a rank, as ranks.
    #[inline]
    pub(crate) fn neighbors(&self, r: u32) -> &[u32] {
        &self.targets[self.range(r)]
    }

    /// Edges to them, if they are kept.
    #[inline]
    pub(crate) fn edges(&self, r: u32) -> &[u32] {
        &self.edges[self.range(r)]
    }

    /// Number of later neighbours.
    #[inline]
    pub(crate) fn later(&self, r: u32) -> usize {
        self.range(r).len()
    }

    /// The first of the later neighbours of a rank, or of the next one that has any. Reading it
    /// brings the row near, and many can be on their way at a time.
    #[inline]
    pub(crate) fn touch(&self, r: u32) -> u32 {
        self.targets.get(self.starts[r as usize] as usize).copied().unwrap_or(0)
    }

    #[inline]
    fn range(&self, r: u32) -> Range<usize> {
        self.starts[r as usize] as usize..self.starts[r as usize + 1] as usize
    }

    /// Orients an undirected graph, in place of the last one. `look` is called every few thousand
    /// vertices or arcs, from any thread, and may stop the work; then nothing of it is of use.
    pub(crate) fn orient<E: Send>(
        &mut self,
        graph: &Graph,
        numbers: EdgeNumbers,
        look: impl Fn() -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        let look = &look;
        if numbers == EdgeNumbers::Keep {
            graph.find_edge_ids(look)?;
        }
        self.start(graph);
        let large = graph.arc_count() >= LARGE;
        if !large {
            self.peel(graph, look)?;
        }
        self.find_later(graph, numbers, look)?;
        if large && !self.has_few_later() {
            self.peel(graph, look)?;
            self.find_later(graph, numbers, look)?;
        }
        self.place(numbers, look)?;
        if large {
            self.pieces = Vec::new();
        }
        Ok(())
    }

    /// Bytes that a graph takes while it is oriented.
    pub(crate) fn memory(graph: &Graph, numbers: EdgeNumbers) -> u64 {
        let arrays = if numbers == EdgeNumbers::Keep { 2 } else { 1 };
        20 * graph.order() as u64 + 8 * arrays * graph.edge_count() as u64
    }

    /// The order of degrees, to begin with.
    fn start(&mut self, graph: &Graph) {
        sort_by_degree(graph, &mut self.vertices, &mut self.bucket);
        self.degree.clear();
        self.degree.extend((0..graph.order() as u32).map(|v| graph.degree(v) as u32));
        self.rank.clear();
        self.rank.resize(graph.order(), 0);
        for (rank, &v) in self.vertices.iter().enumerate() {
            self.rank[v as usize] = rank as u32;
        }
    }

    /// From the order of degrees to a degeneracy order: a vertex that loses a neighbour changes
    /// places with the first of its bucket (Batagelj and Zaveršnik).
    fn peel<E>(
        &mut self,
        graph: &Graph,
        look: &(impl Fn() -> Result<(), E> + Sync),
    ) -> Result<(), E> {
        for i in 0..graph.order() {
            if i % PIECE == PIECE - 1 {
                look()?;
            }
            let v = self.vertices[i];
            for &w in graph.neighbors(v) {
                let degree = self.degree[w as usize];
                if degree <= self.degree[v as usize] {
                    continue;
                }
                // Everything before i is done, so the bucket starts after it.
                let first = self.bucket[degree as usize].max(i as u32 + 1);
                let (at, other) = (self.rank[w as usize], self.vertices[first as usize]);
                self.vertices.swap(at as usize, first as usize);
                self.rank[w as usize] = first;
                self.rank[other as usize] = at;
                self.bucket[degree as usize] = first + 1;
                self.degree[w as usize] -= 1;
            }
        }
        Ok(())
    }

    /// The ranks of the later neighbours of all vertices, by vertex.
    fn find_later<E: Send>(
        &mut self,
        graph: &Graph,
        numbers: EdgeNumbers,
        look: &(impl Fn() -> Result<(), E> + Sync),
    ) -> Result<(), E> {
        let n = graph.order();
        let (rank, pieces) = (&self.rank[..], n.div_ceil(PIECE));
        self.pieces.resize_with(pieces, Later::default);
        let fill = |(at, piece): (usize, &mut Later)| {
            piece.fill(graph, rank, at * PIECE..n.min((at + 1) * PIECE), numbers);
            if at > 0 { look() } else { Ok(()) }
        };
        if graph.arc_count() >= LARGE {
            self.pieces.par_iter_mut().enumerate().try_for_each(fill)
        } else {
            self.pieces.iter_mut().enumerate().try_for_each(fill)
        }
    }

    /// Whether the earlier ends of edges have few later neighbours, on average.
    fn has_few_later(&self) -> bool {
        let squares = |piece: &Later| -> (u64, u64) {
            let lengths = (0..piece.ends.len()).map(|at| piece.range(at).len() as u64);
            lengths.fold((0, 0), |(sum, squares), p| (sum + p, squares + p * p))
        };
        let all = self.pieces.iter().map(squares);
        let (edges, squares) = all.fold((0, 0), |(a, b), (c, d)| (a + c, b + d));
        squares <= FEW * edges
    }

    /// Puts the rows in order of rank.
    fn place<E: Send>(
        &mut self,
        numbers: EdgeNumbers,
        look: &(impl Fn() -> Result<(), E> + Sync),
    ) -> Result<(), E> {
        let Self { vertices, starts, targets, edges, pieces, .. } = self;
        let piece = |v: u32| (&pieces[v as usize / PIECE], v as usize % PIECE);
        starts.clear();
        starts.push(0);
        let mut end = 0;
        starts.extend(vertices.iter().map(|&v| {
            let (piece, at) = piece(v);
            end += piece.range(at).len() as u32;
            end
        }));
        let gather = |to: &mut Vec<u32>, from: fn(&Later) -> &[u32]| {
            to.clear();
            to.resize(end as usize, 0);
            let mut rest = &mut to[..];
            let mut parts = Vec::with_capacity(vertices.len().div_ceil(PIECE));
            for (at, some) in vertices.chunks(PIECE).enumerate() {
                let length = starts[at * PIECE + some.len()] - starts[at * PIECE];
                let (own, behind) = rest.split_at_mut(length as usize);
                rest = behind;
                parts.push((own, some));
            }
            let copy = |(mut to, some): (&mut [u32], &[u32])| {
                for &v in some {
                    let (piece, at) = piece(v);
                    let row = &from(piece)[piece.range(at)];
                    let (own, behind) = to.split_at_mut(row.len());
                    own.copy_from_slice(row);
                    to = behind;
                }
                if some.len() == PIECE { look() } else { Ok(()) }
            };
            if end as usize >= LARGE {
                parts.into_par_iter().try_for_each(copy)
            } else {
                parts.into_iter().try_for_each(copy)
            }
        };
        gather(targets, |piece| &piece.ranks)?;
        match numbers {
            EdgeNumbers::Keep => gather(edges, |piece| &piece.edges)?,
            EdgeNumbers::Leave => edges.clear(),
        }
        Ok(())
    }
}

/// Puts the vertices in increasing order of degree, those of equal degree in that of their
/// numbers; `bucket` says where each degree starts.
pub(super) fn sort_by_degree(graph: &Graph, vertices: &mut Vec<u32>, bucket: &mut Vec<u32>) {
    bucket.clear();
    bucket.resize(graph.max_degree() + 2, 0);
    for v in 0..graph.order() as u32 {
        bucket[graph.degree(v) + 1] += 1;
    }
    for degree in 1..bucket.len() {
        bucket[degree] += bucket[degree - 1];
    }
    vertices.clear();
    vertices.resize(graph.order(), 0);
    for v in 0..graph.order() as u32 {
        let at = &mut bucket[graph.degree(v)];
        vertices[*at as usize] = v;
        *at += 1;
    }
    // Each entry has become the start of the next bucket.
    bucket.rotate_right(1);
    bucket[0] = 0;
}

/// The later neighbours of some vertices.
#[derive(Debug, Default)]
struct Later {
    ranks: Vec<u32>,
    edges: Vec<u32>,
    /// Where the row of each vertex ends.
    ends: Vec<u32>,
}

impl Later {
    fn range(&self, at: usize) -> Range<usize> {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        start as usize..self.ends[at] as usize
    }

    fn fill(&mut self, graph: &Graph, rank: &[u32], of: Range<usize>, numbers: EdgeNumbers) {
        let of = of.start as u32..of.end as u32;
        // Every arc is put behind those that stay, and stays itself if it leads to a later rank.
        let arcs: usize = of.clone().map(|v| graph.degree(v)).sum();
        let mut ranks = vec![0; arcs + 1];
        let mut edges = vec![0; if numbers == EdgeNumbers::Keep { arcs + 1 } else { 0 }];
        self.ends.clear();
        let mut end = 0;
        for v in of {
            let own = rank[v as usize];
            match numbers {
                EdgeNumbers::Leave => {
                    for &w in graph.neighbors(v) {
                        ranks[end] = rank[w as usize];
                        end += usize::from(rank[w as usize] > own);
                    }
                }
                EdgeNumbers::Keep => {
                    for (&w, arc) in graph.neighbors(v).iter().zip(graph.arcs_of(v)) {
                        ranks[end] = rank[w as usize];
                        edges[end] = graph.edge_id(arc) as u32;
                        end += usize::from(rank[w as usize] > own);
                    }
                }
            }
            self.ends.push(end as u32);
        }
        self.ranks.clear();
        self.ranks.extend_from_slice(&ranks[..end]);
        self.edges.clear();
        self.edges.extend(edges.iter().take(end));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    proptest::proptest! {
        /// Every edge is there once, from its earlier end; in a small graph no vertex has more later
        /// neighbours than the degeneracy, in any graph at most √(2m).
        #[test]
        fn later_neighbours_are_few(
            edges in proptest::collection::vec((0..20u32, 0..20u32), 0..120)
        ) {
            let graph = Graph::from_edges(20, edges).unwrap();
            let mut oriented = OrientedGraph::default();
            let never = || Ok::<(), ()>(());
            oriented.orient(&graph, EdgeNumbers::Keep, never).unwrap();
            let mut left: Vec<u32> = (0..20).collect();
            let mut degeneracy = 0;
            while !left.is_empty() {
                let inside = |v: u32| graph.neighbors(v).iter().filter(|w| left.contains(w)).count();
                let next = *left.iter().min_by_key(|&&v| inside(v)).unwrap();
                degeneracy = degeneracy.max(inside(next));
                left.retain(|&v| v != next);
            }
            let most = if graph.arc_count() < LARGE {
                degeneracy
            } else {
                graph.arc_count().isqrt()
            };
            for (r, &v) in oriented.vertices.iter().enumerate() {
                proptest::prop_assert_eq!(oriented.rank[v as usize], r as u32);
                proptest::prop_assert!(oriented.later(r as u32) <= most);
            }
            let kept: usize = (0..20).map(|r| oriented.later(r)).sum();
            proptest::prop_assert_eq!(kept, graph.edge_count());
            let all: Vec<_> = graph.edges().collect();
            for r in 0..20 {
                for (&s, &edge) in oriented.neighbors(r).iter().zip(oriented.edges(r)) {
                    proptest::prop_assert!(r < s);
                    let [v, w] = [r, s].map(|rank| oriented.vertices[rank as usize]);
                    proptest::prop_assert_eq!(all[edge as usize], (v.min(w), v.max(w)));
                }
            }
            let targets = oriented.targets.clone();
            oriented.orient(&graph, EdgeNumbers::Leave, never).unwrap();
            proptest::prop_assert_eq!(&oriented.targets, &targets);
            // Stopped at any look, it begins anew.
            let looks = AtomicUsize::new(0);
            let count = || {
                looks.fetch_add(1, Relaxed);
                never()
            };
            oriented.orient(&graph, EdgeNumbers::Keep, count).unwrap();
            for last in 0..looks.into_inner() {
                let left = AtomicUsize::new(last);
                let look = || left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).map(drop);
                proptest::prop_assert!(oriented.orient(&graph, EdgeNumbers::Keep, look).is_err());
                oriented.orient(&graph, EdgeNumbers::Leave, never).unwrap();
                proptest::prop_assert_eq!(&oriented.targets, &targets);
            }
        }
    }
}
