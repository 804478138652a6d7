//! The graph as the expressions read it: neighbours in either direction, arcs with their reverse.

use crate::graph::Graph;
use std::ops::Range;

/// A graph with arcs in both directions between any two vertices that are joined.
#[derive(Debug, Default)]
pub(super) struct Host {
    pub(super) offsets: Vec<u32>,
    pub(super) targets: Vec<u32>,
    /// The arc back of every arc, where it is needed.
    pub(super) reverse: Vec<u32>,
    pub(super) max_degree: usize,
    /// Position here of every arc of a directed graph; in an undirected one they are the same.
    positions: Vec<u32>,
    /// Next free position of every vertex, while arcs are sorted.
    next: Vec<u32>,
}

impl Host {
    /// Reads a graph, in place of the last one.
    pub(super) fn fill(&mut self, graph: &Graph, reverse: bool) {
        let n = graph.order();
        self.offsets.clear();
        self.targets.clear();
        self.positions.clear();
        self.offsets.reserve_exact(n + 1);
        self.offsets.push(0);
        self.max_degree = 0;
        if !graph.is_directed() {
            self.targets.reserve_exact(graph.arc_count());
        }
        for v in 0..n as u32 {
            let from = self.targets.len();
            if graph.is_directed() {
                merge(graph.neighbors(v), graph.in_neighbors(v), &mut self.targets);
                let mut at = from;
                for &w in graph.neighbors(v) {
                    while self.targets[at] != w {
                        at += 1;
                    }
                    self.positions.push(at as u32);
                }
            } else {
                self.targets.extend_from_slice(graph.neighbors(v));
            }
            self.max_degree = self.max_degree.max(self.targets.len() - from);
            self.offsets.push(self.targets.len() as u32);
        }
        self.reverse.clear();
        if reverse {
            self.reverse.reserve_exact(self.targets.len());
            // Sources come in increasing order, as the arcs of every target do.
            self.next.clear();
            self.next.extend_from_slice(&self.offsets[..n]);
            for &v in &self.targets {
                self.reverse.push(self.next[v as usize]);
                self.next[v as usize] += 1;
            }
        }
    }

    pub(super) fn order(&self) -> usize {
        self.offsets.len() - 1
    }

    pub(super) fn arc_count(&self) -> usize {
        self.targets.len()
    }

    #[inline]
    pub(super) fn arcs_of(&self, v: u32) -> Range<usize> {
        self.offsets[v as usize] as usize..self.offsets[v as usize + 1] as usize
    }

    #[inline]
    pub(super) fn neighbors(&self, v: u32) -> &[u32] {
        &self.targets[self.arcs_of(v)]
    }

    #[inline]
    pub(super) fn degree(&self, v: u32) -> u32 {
        self.offsets[v as usize + 1] - self.offsets[v as usize]
    }

    /// The arc u → v, if they are joined.
    pub(super) fn arc(&self, u: u32, v: u32) -> Option<usize> {
        let arcs = self.arcs_of(u);
        let start = arcs.start;
        self.targets[arcs].binary_search(&v).ok().map(|at| start + at)
    }

    /// The position here of an arc of the graph.
    pub(super) fn position(&self, arc: usize) -> usize {
        if self.positions.is_empty() { arc } else { self.positions[arc] as usize }
    }
}

/// The members of two sorted lists, once each.
fn merge(one: &[u32], other: &[u32], to: &mut Vec<u32>) {
    let (mut i, mut j) = (0, 0);
    while i < one.len() || j < other.len() {
        let next = match (one.get(i), other.get(j)) {
            (Some(&a), Some(&b)) => a.min(b),
            (Some(&a), None) => a,
            (_, b) => b.copied().unwrap_or_default(),
        };
        to.push(next);
        i += usize::from(one.get(i) == Some(&next));
        j += usize::from(other.get(j) == Some(&next));
    }
}
