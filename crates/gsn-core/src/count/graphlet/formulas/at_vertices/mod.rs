//! Patterns of five vertices where only vertices are counted: sums over all v of the bases of u → v,
//! without the bases themselves.
//!
//! Summed over v, a base that walks from u to a vertex y and back through v is a sum over y alone,
//! and one that looks at a triangle from its side is the same number for all three corners. So
//! every pair of vertices two steps apart is met once, from the end of higher degree ([`walks`]);
//! every edge between neighbours of a vertex once, from its lower end ([`inside`]); and what an
//! edge knows is handed to its ends and to the corners opposite to it. [`values`] says which sum is
//! which base.
//!
//! Cost: half the wedges twice, half of those of ego networks, Σ d(v) · (higher neighbours of v).
//! Beside the graph 48 bytes an edge and 300 a vertex, and the common neighbours of the ends of
//! every edge; where those are too many, [`super::root`] does the work.

mod inside;
mod values;
mod walks;

use super::cycles::Cycles;
use super::ranked::{Below, RankedGraph, add, add_narrow};
use crate::count::budget::{Meter, Stop};
use crate::count::hand_out::hand_out;
use crate::graph::Graph;
use inside::EgoScratch;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use values::Sum;
pub(super) use values::VertexNeeds;
use walks::WalkScratch;

/// Common neighbours that are kept at the most: 64 MB; few in tests, so that both ways are taken.
const MAX_COMMON: usize = if cfg!(test) { 1 << 12 } else { 1 << 24 };

/// Roots that one thread takes at a time: few, since the highest see most.
const PIECE: u32 = 4;

/// Sums of one vertex over its arcs, by [`Sum`].
type Sums = [AtomicU64; Sum::NUMBER];

/// Tables of one graph, by rank.
#[derive(Debug, Default)]
pub(super) struct VertexTables {
    pub(super) ranked: RankedGraph,
    /// First arc to a higher rank, by rank.
    up: Vec<u32>,
    /// The number of the edge of an arc, by place: the arcs to lower ranks, in order.
    edges: Vec<u32>,
    /// t by place.
    triangles: Vec<u32>,
    /// Common neighbours of the ends of every edge, increasing, from `common_start` of the edge on.
    common: Vec<u32>,
    common_start: Vec<u32>,
    /// Walks of length 3 between the ends of an arc, by place, where they are asked for.
    walks: Vec<AtomicU32>,
    /// Q in both directions, and adjacent ordered pairs of common neighbours, by edge.
    near: Vec<AtomicU32>,
    cliques: Vec<AtomicU32>,
    sums: Vec<Sums>,
    /// Sums over neighbours, by rank.
    around: Vec<Around>,
    cycles: Cycles,
}

/// Sums over the neighbours x of a vertex.
#[derive(Clone, Copy, Debug, Default)]
struct Around {
    /// Σ d(x).
    degrees: u64,
    /// Σ t.
    triangles: u64,
    /// Σ d(x)², Σ t d(x), Σ t².
    squares: [u64; 3],
    /// Σ over x of Σ d and of Σ t around x.
    beyond: [u64; 2],
}

/// Memory of one thread.
#[derive(Debug, Default)]
struct Scratch {
    below: Below,
    walks: WalkScratch,
    ego: EgoScratch,
}

impl VertexTables {
    /// Whether sums at a vertex surely fit 63 bits, and numbers at an edge 31. A map of a pattern
    /// with an edge beside the root takes that edge to one of the arcs, and each of the two vertices
    /// left to a neighbour of one before it. Only the star around the root has no such edge; its
    /// maps are wide where they are many ([`VertexNeeds::wide_values`]).
    pub(super) fn fits(graph: &Graph) -> bool {
        let most = graph.max_degree() as u128;
        most * most * (graph.arc_count() as u128) < 1 << 63 && graph.arc_count() < 1 << 31
    }

    /// Bytes that tables and threads take in a graph.
    pub(super) fn memory(needs: &VertexNeeds, graph: &Graph, threads: usize) -> u64 {
        let (n, m) = (graph.order(), graph.edge_count());
        let tables = 48 * m + (size_of::<Sums>() + size_of::<Around>() + 16) * n;
        let shorter = graph.edges().map(|(u, v)| graph.degree(u).min(graph.degree(v)));
        let common = 4 * MAX_COMMON.min(shorter.sum::<usize>());
        let scratch = Below::memory(n) + walks::WalkScratch::memory(n) + 8 * n;
        let cycles = if needs.cycles { Cycles::memory(graph, false, threads) } else { 0 };
        (tables + common + threads * scratch) as u64 + cycles
    }

    /// Fills the tables; `false` if there are too many triangles to keep.
    pub(super) fn fill(
        &mut self,
        needs: &VertexNeeds,
        graph: &Graph,
        parallel: bool,
        meter: &mut Meter<'_>,
    ) -> Result<bool, Stop> {
        self.rank(graph, meter)?;
        if !self.list_common(meter)? {
            *self = Self::default();
            return Ok(false);
        }
        let (n, m) = (graph.order(), graph.edge_count());
        self.sums.clear();
        self.sums.resize_with(n, || [const { AtomicU64::new(0) }; Sum::NUMBER]);
        for (table, length) in
            [(&mut self.walks, 2 * m), (&mut self.near, m), (&mut self.cliques, m)]
        {
            table.clear();
            table.resize_with(length, AtomicU32::default);
        }
        if needs.cycles {
            self.cycles.fill_by_rank(&self.ranked, parallel, meter)?;
        }
        if needs.walks || needs.ego {
            self.all_roots(needs, parallel, meter)?;
        }
        self.hand_out_edges(meter)?;
        self.look_around();
        Ok(true)
    }

    fn rank(&mut self, graph: &Graph, meter: &mut Meter<'_>) -> Result<(), Stop> {
        self.ranked = RankedGraph::new(graph, |_, _| (), |steps| meter.steps(steps))?;
        let ranked = &self.ranked;
        let n = ranked.order() as u32;
        self.up.clear();
        self.up.extend((0..n).map(|r| ranked.below(r, r).end as u32));
        // Arcs from a rank to higher ones are in the order of those, which come one by one.
        let mut next = self.up.clone();
        self.edges.clear();
        self.edges.resize(ranked.targets.len(), 0);
        let mut number = 0;
        for r in 0..n {
            for place in ranked.arcs(r).start..self.up[r as usize] as usize {
                let back = &mut next[ranked.targets[place] as usize];
                self.edges[place] = number;
                self.edges[*back as usize] = number;
                *back += 1;
                number += 1;
            }
        }
        Ok(())
    }

    /// Arcs to higher ranks.
    #[inline]
    fn above(&self, r: u32) -> Range<usize> {
        self.up[r as usize] as usize..self.ranked.arcs(r).end
    }

    /// Common neighbours of the ends of an edge.
    #[inline]
    fn common(&self, edge: usize) -> &[u32] {
        &self.common[self.common_start[edge] as usize..self.common_start[edge + 1] as usize]
    }

    /// Common neighbours of the ends of every edge: the list of the lower end is gone through.
    fn list_common(&mut self, meter: &mut Meter<'_>) -> Result<bool, Stop> {
        let ranked = &self.ranked;
        let mut mark = vec![u32::MAX; ranked.order()];
        let (mut end, common) = (0, &mut self.common);
        self.common_start.clear();
        self.common_start.push(0);
        for u in 0..ranked.order() as u32 {
            for &x in &ranked.targets[ranked.arcs(u)] {
                mark[x as usize] = u;
            }
            for &v in &ranked.targets[ranked.arcs(u).start..self.up[u as usize] as usize] {
                let row = &ranked.targets[ranked.arcs(v)];
                meter.steps(row.len() as u64)?;
                if end + row.len() > common.len() {
                    common.resize(2 * (end + row.len()), 0);
                }
                for &x in row {
                    common[end] = x;
                    end += usize::from(mark[x as usize] == u);
                }
                self.common_start.push(end as u32);
            }
            if end > MAX_COMMON {
                return Ok(false);
            }
        }
        let starts = &self.common_start;
        let length = |&edge: &u32| starts[edge as usize + 1] - starts[edge as usize];
        self.triangles.clear();
        self.triangles.extend(self.edges.iter().map(length));
        Ok(true)
    }

    /// Looks at what is around and inside the neighbourhood of every rank.
    fn all_roots(
        &self,
        needs: &VertexNeeds,
        parallel: bool,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        let roots = self.ranked.order() as u32;
        let first = if needs.walks { self.credit_leaves() } else { 0 };
        if !parallel {
            let mut scratch = Scratch::default();
            return (first..roots)
                .try_for_each(|u| self.root::<false>(needs, u, &mut scratch, meter));
        }
        let meter = &*meter;
        // High ranks cost most and go first.
        let pieces = (roots - first).div_ceil(PIECE);
        let memories = hand_out(pieces as usize, Scratch::default, |scratch, piece| {
            let end = roots - piece as u32 * PIECE;
            let mut meter = meter.fork();
            for u in (end.saturating_sub(PIECE).max(first)..end).rev() {
                self.root::<true>(needs, u, scratch, &mut meter)?;
            }
            meter.close()
        });
        memories.map(drop)
    }

    /// Adds what walks from vertices with one neighbour amount to, which have the lowest ranks: any
    /// two at the same vertex are two steps apart, by one walk and without a triangle. Returns the
    /// first rank that is not among them.
    fn credit_leaves(&self) -> u32 {
        let ranked = &self.ranked;
        let order = ranked.order() as u32;
        let lonely = |r: &u32| ranked.degree(*r) < 2;
        let first = (0..order).take_while(lonely).count() as u32;
        for x in 0..order {
            let arcs = ranked.arcs(x);
            let leaves = ranked.targets[arcs.clone()].partition_point(|&leaf| leaf < first);
            let number = leaves as u64;
            for place in arcs.start..arcs.start + leaves {
                let leaf = ranked.targets[place];
                self.add::<false>(leaf, Sum::EndDegrees, number);
                self.add::<false>(leaf, Sum::EndCubes, number);
                add_narrow::<false>(&self.walks[place], leaves as u32);
            }
            self.add::<false>(x, Sum::MiddleWalks, number * number);
        }
        first
    }

    fn root<const SHARED: bool>(
        &self,
        needs: &VertexNeeds,
        u: u32,
        scratch: &mut Scratch,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        let Scratch { below, walks, ego } = scratch;
        meter.steps(1)?;
        if needs.walks {
            below.go_to(u, &self.ranked);
            walks.walk(self, u, below, meter)?;
        }
        if needs.ego {
            ego.look::<SHARED>(self, needs, u, walks, meter)?;
        }
        if needs.walks {
            walks.credit::<SHARED>(self, needs, u, ego.size(needs), below, meter)?;
        }
        Ok(())
    }

    /// Adds to a sum of a rank.
    #[inline]
    fn add<const SHARED: bool>(&self, r: u32, sum: Sum, value: u64) {
        add::<SHARED>(&self.sums[r as usize][sum as usize], value);
    }

    /// What is known of every edge goes to its ends, and to the corners opposite to it.
    fn hand_out_edges(&self, meter: &mut Meter<'_>) -> Result<(), Stop> {
        let ranked = &self.ranked;
        for u in 0..ranked.order() as u32 {
            for place in ranked.arcs(u).start..self.up[u as usize] as usize {
                let (v, edge) = (ranked.targets[place], self.edges[place] as usize);
                let corners = self.common(edge);
                meter.steps(corners.len() as u64 + 1)?;
                let degrees: u64 = corners.iter().map(|&x| u64::from(ranked.degree(x))).sum();
                let t = corners.len() as u64;
                let [walks, near, cliques] =
                    [&self.walks[place], &self.near[edge], &self.cliques[edge]]
                        .map(|cell| u64::from(cell.load(Relaxed)));
                for (own, other) in [(u, v), (v, u)] {
                    let d = u64::from(ranked.degree(other));
                    for (sum, value) in [
                        (Sum::Degrees, degrees * d),
                        (Sum::DegreesTriangles, degrees * t),
                        (Sum::Walks, walks),
                        (Sum::WalksDegree, walks * d),
                        (Sum::WalksTriangles, walks * t),
                        (Sum::Cliques, cliques),
                        (Sum::CliquesDegree, cliques * d),
                        (Sum::CliquesTriangles, cliques * t),
                    ] {
                        self.add::<false>(own, sum, value);
                    }
                }
                for &x in corners {
                    self.add::<false>(x, Sum::OppositeDegrees, 2 * degrees);
                    self.add::<false>(x, Sum::OppositeTriangles, 2 * t * t);
                    self.add::<false>(x, Sum::OppositeWalks, 2 * walks);
                    self.add::<false>(x, Sum::OppositeNear, near);
                    self.add::<false>(x, Sum::OppositeCliques, 2 * cliques);
                }
            }
        }
        Ok(())
    }

    fn look_around(&mut self) {
        let ranked = &self.ranked;
        let sums = |r: u32| {
            let mut around = Around::default();
            for place in ranked.arcs(r) {
                let d = u64::from(ranked.degree(ranked.targets[place]));
                let t = u64::from(self.triangles[place]);
                around.degrees += d;
                around.triangles += t;
                around.squares[0] += d * d;
                around.squares[1] += t * d;
                around.squares[2] += t * t;
            }
            around
        };
        self.around.clear();
        self.around.extend((0..ranked.order() as u32).map(sums));
        for r in 0..ranked.order() as u32 {
            let mut beyond = [0; 2];
            for &x in &ranked.targets[ranked.arcs(r)] {
                beyond[0] += self.around[x as usize].degrees;
                beyond[1] += self.around[x as usize].triangles;
            }
            self.around[r as usize].beyond = beyond;
        }
    }
}
