//! The graph with ranks by degree for vertices, so that hubs come last.

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
    /// Ranks the vertices of `graph`; `put` hears of the place that each of its arcs is given,
    /// or of that of its reverse: both have the same edge.
    pub(super) fn new(graph: &Graph, mut put: impl FnMut(usize, usize)) -> Self {
        let n = graph.order();
        let mut vertices: Vec<u32> = (0..n as u32).collect();
        vertices.sort_by_key(|&v| graph.degree(v));
        let mut rank = vec![0; n];
        let mut offsets = Vec::with_capacity(n + 1);
        offsets.push(0);
        for (r, &v) in vertices.iter().enumerate() {
            rank[v as usize] = r as u32;
            offsets.push(offsets[r] + graph.degree(v) as u32);
        }
        let mut next: Vec<u32> = offsets[..n].to_vec();
        let mut targets = vec![0; graph.arc_count()];
        for (r, &v) in vertices.iter().enumerate() {
            for (&w, arc) in graph.neighbors(v).iter().zip(graph.arcs_of(v)) {
                let slot = &mut next[rank[w as usize] as usize];
                targets[*slot as usize] = r as u32;
                put(*slot as usize, arc);
                *slot += 1;
            }
        }
        Self { offsets, targets, vertices }
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

    /// Number of neighbours.
    #[inline]
    pub(super) fn degree(&self, r: u32) -> u32 {
        self.offsets[r as usize + 1] - self.offsets[r as usize]
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
