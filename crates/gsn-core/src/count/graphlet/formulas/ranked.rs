//! The graph with ranks by degree for vertices, so that hubs come last.

use crate::count::budget::Stop;
use crate::graph::Graph;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Neighbour lists by rank. An arc is known by its place in `targets`.
#[derive(Debug, Default)]
pub(super) struct RankedGraph {
    offsets: Vec<u32>,
    /// Ranks of neighbours, increasing.
    pub(super) targets: Vec<u32>,
    /// Vertex of each rank.
    pub(super) vertices: Vec<u32>,
}

impl RankedGraph {
    /// Ranks the vertices of `graph`; `put` hears of the place that each of its arcs is given, and
    /// `look` of every vertex and its arcs, which may stop the work.
    /// Rows are read one behind the other and sorted by rank each, which beats sorting all of them
    /// at once by counting: that is all over memory for every arc.
    pub(super) fn new(
        graph: &Graph,
        mut put: impl FnMut(usize, usize),
        mut look: impl FnMut(u64) -> Result<(), Stop>,
    ) -> Result<Self, Stop> {
        let n = graph.order();
        let vertices = graph.by_degree();
        let mut rank = vec![0; n];
        let mut offsets = Vec::with_capacity(n + 1);
        offsets.push(0);
        for (r, &v) in vertices.iter().enumerate() {
            rank[v as usize] = r as u32;
            offsets.push(offsets[r] + graph.degree(v) as u32);
        }
        let mut targets = vec![0; graph.arc_count()];
        let mut row: Vec<u64> = Vec::new();
        for v in 0..n as u32 {
            let arcs = graph.arcs_of(v);
            look(1 + arcs.len() as u64)?;
            let ranks = graph.neighbors(v).iter().map(|&w| u64::from(rank[w as usize]) << 32);
            row.clear();
            row.extend(ranks.zip(0..).map(|(rank, at)| rank | at));
            row.sort_unstable();
            let first = offsets[rank[v as usize] as usize] as usize;
            for (place, &entry) in (first..).zip(&row) {
                targets[place] = (entry >> 32) as u32;
                put(place, arcs.start + (entry & 0xffff_ffff) as usize);
            }
        }
        Ok(Self { offsets, targets, vertices })
    }

    /// Number of vertices.
    pub(super) fn order(&self) -> usize {
        self.vertices.len()
    }

    /// Places of the arcs that leave `r`.
    #[inline]
    pub(super) fn arcs(&self, r: u32) -> Range<usize> {
        self.offsets[r as usize] as usize..self.offsets[r as usize + 1] as usize
    }

    /// Arcs from `r` to ranks below `root`.
    #[inline]
    pub(super) fn below(&self, r: u32, root: u32) -> Range<usize> {
        let arcs = self.arcs(r);
        let reached = self.targets[arcs.clone()].partition_point(|&target| target < root);
        arcs.start..arcs.start + reached
    }

    /// Reads one entry of every row that is looked at soon, at these places: the rows are all over
    /// memory, and in this way many of them are called for at a time.
    #[inline]
    pub(super) fn touch(&self, places: impl Iterator<Item = u32>) {
        let touched = places
            .fold(0, |sum, place| sum ^ self.targets.get(place as usize).copied().unwrap_or(0));
        std::hint::black_box(touched);
    }

    /// [`RankedGraph::touch`] for whole rows.
    #[inline]
    pub(super) fn touch_rows(&self, ranks: &[u32]) {
        self.touch(ranks.iter().map(|&r| self.offsets[r as usize]));
    }

    /// Number of neighbours.
    #[inline]
    pub(super) fn degree(&self, r: u32) -> u32 {
        self.offsets[r as usize + 1] - self.offsets[r as usize]
    }
}

/// Where the neighbours below one root after the other end, in every list. Roots come in increasing
/// or in decreasing order, so all of them together cost a look at every arc and no search.
#[derive(Debug, Default)]
pub(super) struct Below {
    /// The root.
    at: u32,
    /// The first place of every list that is not below it.
    ends: Vec<u32>,
}

impl Below {
    /// Bytes for the vertices of a graph.
    pub(super) fn memory(order: usize) -> usize {
        4 * order
    }

    /// Goes on to this root.
    pub(super) fn go_to(&mut self, root: u32, ranked: &RankedGraph) {
        if self.ends.is_empty() {
            self.ends.extend_from_slice(&ranked.offsets[..ranked.order()]);
        }
        while self.at < root {
            for &w in &ranked.targets[ranked.arcs(self.at)] {
                self.ends[w as usize] += 1;
            }
            self.at += 1;
        }
        while self.at > root {
            self.at -= 1;
            for &w in &ranked.targets[ranked.arcs(self.at)] {
                self.ends[w as usize] -= 1;
            }
        }
    }

    /// Arcs from `r` to ranks below the root.
    #[inline]
    pub(super) fn arcs(&self, r: u32, ranked: &RankedGraph) -> Range<usize> {
        ranked.offsets[r as usize] as usize..self.ends[r as usize] as usize
    }
}

/// Adds, while other threads may or none does; wraps.
#[inline]
pub(super) fn add<const SHARED: bool>(cell: &AtomicU64, value: u64) {
    if SHARED {
        cell.fetch_add(value, Relaxed);
    } else {
        cell.store(cell.load(Relaxed).wrapping_add(value), Relaxed);
    }
}

/// The same in 32 bits.
#[inline]
pub(super) fn add_narrow<const SHARED: bool>(cell: &AtomicU32, value: u32) {
    if SHARED {
        cell.fetch_add(value, Relaxed);
    } else {
        cell.store(cell.load(Relaxed).wrapping_add(value), Relaxed);
    }
}
