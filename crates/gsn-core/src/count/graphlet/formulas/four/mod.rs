//! What patterns of at most four vertices ask of every edge and vertex, in a few tables.
//!
//! Vertices are ranked by degree. Each triangle is met once, from its lowest vertex, among whose
//! higher neighbours 4-cliques are triangles in rows of bits ([`triangles`]); each 4-cycle once,
//! from its highest vertex ([`squares`]). Two-step neighbourhoods of hubs are never looked at.
//!
//! A base of four vertices comes without further factors, so vertex counts need its sum over the
//! arcs of a vertex alone; only arc counts keep a number for every edge.
//!
//! O(Σ min(d(u), d(v))) over the edges uv, and a word of bits for every 64 higher neighbours and
//! triangle. Beside the graph 16 bytes an edge and 64 a vertex, for arc counts 44 an edge. Every
//! number by edge is at most the number of arcs, so 32 bits hold it.

mod squares;
mod triangles;

use super::prepared::PARALLEL_ARCS;
use super::ranked::RankedGraph;
use super::rooted::{BASES, U, UV, V, edge};
use super::work::{CLIQUES4, WALKS3};
use crate::count::budget::{Meter, Stop};
use crate::count::hand_out::hand_out;
use crate::count::members::Members;
use crate::graph::Graph;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Roots that one thread takes at a time: few, since the highest see most.
const PIECE: u32 = 16;

/// Bases of four vertices that are summed over the arcs of every vertex.
pub(super) const FOUR: [usize; 5] = [edge(UV, 0), edge(UV, U), edge(UV, V), CLIQUES4, WALKS3];
const DEGREES: usize = 0;
const NEAR: usize = 1;
const FAR: usize = 2;
const CLIQUES: usize = 3;
const SQUARES: usize = 4;

/// Which tables are needed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FourNeeds {
    triangles: bool,
    /// By base of [`FOUR`].
    bases: [bool; FOUR.len()],
    /// Whether bases are kept by edge rather than summed by vertex.
    pub(super) by_edge: bool,
    /// The edge of the graph behind every arc.
    edges: bool,
}

impl FourNeeds {
    /// For these bases of arcs and of vertices, of patterns that have at most four vertices.
    pub(super) fn new(arcs: &[bool; BASES], vertices: &[bool; BASES], triangles: bool) -> Self {
        let bases = FOUR.map(|base| arcs[base] || vertices[base]);
        Self {
            triangles: triangles || bases[..SQUARES].iter().any(|&needed| needed),
            bases,
            by_edge: FOUR.iter().any(|&base| arcs[base]),
            edges: arcs.iter().any(|&used| used),
        }
    }

    fn near(&self) -> bool {
        self.bases[NEAR] || self.bases[FAR]
    }

    /// How often the shorter list of every edge is gone through, about.
    pub(super) fn passes(&self) -> f64 {
        let inside = self.near() || self.bases[CLIQUES];
        let times = [(self.triangles, 0.5), (inside, 0.5), (self.bases[SQUARES], 2.0)];
        times.iter().filter(|(needed, _)| *needed).map(|(_, times)| times).sum()
    }
}

/// Numbers of one edge; the arc from the lower to the higher rank comes first where there are two.
#[derive(Debug, Default)]
struct EdgeNumbers {
    degrees: AtomicU32,
    near: [AtomicU32; 2],
    /// Ordered pairs of adjacent common neighbours.
    cliques: AtomicU32,
    squares: AtomicU32,
}

/// What is known of an arc u → v: triangles, and bases where they are kept by edge.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ArcNumbers {
    pub(super) target: u32,
    pub(super) triangles: u32,
    pub(super) degrees: u32,
    /// Σ_T t(u, x) and Σ_T t(v, x).
    pub(super) near: [u32; 2],
    pub(super) cliques: u32,
    /// Walks of length 3.
    pub(super) walks: u64,
}

/// Tables of one graph.
#[derive(Debug, Default)]
pub(in crate::count) struct FourTables {
    pub(super) ranked: RankedGraph,
    /// First arc to a higher rank, by rank.
    up: Vec<u32>,
    /// Arcs to higher ranks from lower ranks than this: the number of the edge of `up`.
    up_base: Vec<u32>,
    /// Edge numbers of the arcs to lower ranks, in order.
    down: Vec<u32>,
    /// Edge of the graph behind every arc, if needed.
    edges: Vec<u32>,
    /// t by edge, if needed.
    triangles: Vec<AtomicU32>,
    /// Bases by edge, if needed.
    numbers: Vec<EdgeNumbers>,
    /// Bases of [`FOUR`] by rank, summed over its arcs, if not kept by edge; of 4-cycles their
    /// number.
    sums: [Vec<AtomicU64>; FOUR.len()],
    /// Σ d(x) over the neighbours x of each rank.
    degrees: Vec<u32>,
    /// Σ t(u, x) over the neighbours x of each rank u.
    triangles_at: Vec<AtomicU32>,
}

/// Memory of one thread.
#[derive(Debug, Default)]
struct Scratch {
    triangles: triangles::Scratch,
    squares: squares::Scratch,
}

impl FourTables {
    /// Bytes that tables and threads take in a graph.
    pub(super) fn memory(needs: FourNeeds, graph: &Graph, threads: usize) -> u64 {
        let (n, m) = (graph.order(), graph.edge_count());
        let ranked = 24 * n + 12 * m + if needs.edges { 8 * m } else { 0 };
        let triangles = if needs.triangles { 4 * m + 4 * n } else { 0 };
        let bases = needs.bases.iter().filter(|&&needed| needed).count();
        let bases = if needs.by_edge { size_of::<EdgeNumbers>() * m } else { 8 * bases * n };
        let scratch = Members::memory(n) as usize + 8 * n;
        (ranked + triangles + bases + threads * scratch) as u64
    }

    pub(super) fn fill(
        &mut self,
        needs: FourNeeds,
        graph: &Graph,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        self.rank(needs, graph, meter)?;
        let parallel = graph.arc_count() >= PARALLEL_ARCS && crate::threads::number() > 1;
        let mut scratch = Scratch::default();
        let scratch = &mut scratch;
        if needs.triangles {
            self.pass(parallel, scratch, meter, |shared, u, scratch, meter| {
                let memory = &mut scratch.triangles;
                if shared {
                    self.count_triangles::<true>(needs, u, memory, meter)
                } else {
                    self.count_triangles::<false>(needs, u, memory, meter)
                }
            })?;
        }
        if needs.near() || needs.bases[CLIQUES] {
            self.pass(parallel, scratch, meter, |shared, u, scratch, meter| {
                let memory = &mut scratch.triangles;
                if shared {
                    self.look_inside::<true>(needs, u, memory, meter)
                } else {
                    self.look_inside::<false>(needs, u, memory, meter)
                }
            })?;
        }
        if needs.bases[SQUARES] {
            self.pass(parallel, scratch, meter, |shared, u, scratch, meter| {
                let memory = &mut scratch.squares;
                if shared {
                    self.count_squares::<true>(u, memory, meter)
                } else {
                    self.count_squares::<false>(u, memory, meter)
                }
            })?;
        }
        meter.steps((graph.order() + graph.arc_count()) as u64)?;
        let ranked = &self.ranked;
        let degrees = |r: u32| {
            let row = &ranked.targets[ranked.arcs(r)];
            row.iter().map(|&x| ranked.degree(x)).sum::<u32>()
        };
        let n = graph.order() as u32;
        self.degrees = (0..n).into_par_iter().with_min_len(1 << 12).map(degrees).collect();
        Ok(())
    }

    fn rank(&mut self, needs: FourNeeds, graph: &Graph, meter: &mut Meter<'_>) -> Result<(), Stop> {
        let mut edges = vec![0; if needs.edges { graph.arc_count() } else { 0 }];
        let put = |place: usize, arc: usize| {
            if needs.edges {
                edges[place] = graph.edge_id(arc) as u32;
            }
        };
        self.ranked = RankedGraph::new(graph, put, |steps| meter.steps(steps))?;
        self.edges = edges;
        let (n, m) = (graph.order(), graph.edge_count());
        self.up.clear();
        self.up_base.clear();
        self.up_base.push(0);
        for r in 0..n as u32 {
            let (below, all) = (self.ranked.below(r, r), self.ranked.arcs(r));
            self.up.push(below.end as u32);
            self.up_base.push(self.up_base[r as usize] + (all.end - below.end) as u32);
        }
        // Arcs into a rank come from lower ranks in increasing order, which is that of its own
        // arcs back.
        let mut next: Vec<u32> =
            (0..n).map(|r| self.ranked.arcs(r as u32).start as u32 - self.up_base[r]).collect();
        self.down.clear();
        self.down.resize(m, 0);
        for r in 0..n as u32 {
            let higher = self.above(r);
            for (number, &w) in (self.up_base[r as usize]..).zip(&self.ranked.targets[higher]) {
                let at = &mut next[w as usize];
                self.down[*at as usize] = number;
                *at += 1;
            }
        }
        let len = |needed: bool, len: usize| if needed { len } else { 0 };
        self.triangles.clear();
        self.triangles.resize_with(len(needs.triangles, m), AtomicU32::default);
        self.triangles_at.clear();
        self.triangles_at.resize_with(len(needs.triangles, n), AtomicU32::default);
        self.numbers.clear();
        self.numbers.resize_with(len(needs.by_edge, m), EdgeNumbers::default);
        for (sums, needed) in self.sums.iter_mut().zip(needs.bases) {
            sums.clear();
            sums.resize_with(len(needed && !needs.by_edge, n), AtomicU64::default);
        }
        Ok(())
    }

    /// Runs over all ranks, the highest first, with several threads if asked to.
    fn pass(
        &self,
        parallel: bool,
        scratch: &mut Scratch,
        meter: &mut Meter<'_>,
        root: impl Fn(bool, u32, &mut Scratch, &mut Meter<'_>) -> Result<(), Stop> + Sync,
    ) -> Result<(), Stop> {
        let roots = self.ranked.order() as u32;
        if !parallel {
            return (0..roots).rev().try_for_each(|u| root(false, u, scratch, meter));
        }
        let meter = &*meter;
        let pieces = roots.div_ceil(PIECE);
        let memories = hand_out(pieces as usize, Scratch::default, |scratch, piece| {
            let first = (pieces - 1 - piece as u32) * PIECE;
            let mut meter = meter.fork();
            for u in (first..roots.min(first + PIECE)).rev() {
                root(true, u, scratch, &mut meter)?;
            }
            meter.close()
        });
        memories.map(drop)
    }

    /// Arcs to higher ranks.
    #[inline]
    fn above(&self, r: u32) -> Range<usize> {
        self.up[r as usize] as usize..self.ranked.arcs(r).end
    }

    /// The number of the edge of an arc of `r`.
    #[inline]
    fn edge_number(&self, r: u32, place: usize) -> usize {
        let (up, base) = (self.up[r as usize] as usize, self.up_base[r as usize] as usize);
        if place >= up { base + place - up } else { self.down[place - base] as usize }
    }

    /// A base of [`FOUR`] summed over the arcs of this rank, where they are not kept by edge.
    pub(super) fn sum(&self, base: usize, r: u32) -> u64 {
        let sum = self.sums[base][r as usize].load(Relaxed);
        if base != SQUARES {
            return sum;
        }
        // Walks of length 3 to a neighbour go round a square, or turn back at either end.
        let degree = u64::from(self.ranked.degree(r));
        2 * sum + degree * degree + u64::from(self.degrees[r as usize]) - degree
    }

    /// Σ d(x) and Σ t(u, x) over the neighbours of this rank.
    #[inline]
    pub(super) fn around(&self, r: u32) -> [u32; 2] {
        let triangles = self.triangles_at.get(r as usize).map_or(0, |sum| sum.load(Relaxed));
        [self.degrees[r as usize], triangles]
    }

    /// Edge of the graph behind an arc.
    #[inline]
    pub(super) fn graph_edge(&self, place: usize) -> usize {
        self.edges[place] as usize
    }

    /// What is known of the arcs of this rank, in the order of [`RankedGraph::arcs`].
    #[inline]
    pub(super) fn arcs(&self, r: u32) -> impl Iterator<Item = ArcNumbers> + '_ {
        let own = self.ranked.degree(r);
        let up = self.up[r as usize] as usize;
        let get = |cell: &AtomicU32| cell.load(Relaxed);
        self.ranked.arcs(r).map(move |place| {
            let target = self.ranked.targets[place];
            let mut arc = ArcNumbers { target, ..ArcNumbers::default() };
            if self.triangles.is_empty() && self.numbers.is_empty() {
                return arc;
            }
            let number = self.edge_number(r, place);
            arc.triangles = self.triangles.get(number).map_or(0, get);
            if let Some(numbers) = self.numbers.get(number) {
                let [first, second] = [0, 1].map(|i| get(&numbers.near[i]));
                let turning = u64::from(own) + u64::from(self.ranked.degree(target)) - 1;
                arc.degrees = get(&numbers.degrees);
                arc.near = if place >= up { [first, second] } else { [second, first] };
                arc.cliques = get(&numbers.cliques);
                arc.walks = u64::from(get(&numbers.squares)) + turning;
            }
            arc
        })
    }
}
