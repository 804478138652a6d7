//! Which vertices and edges get credit for the cycles that the search closes.
//!
//! The search walks every cycle r, x₁, …, x_{k−1} in both directions, so position i and position
//! k − i are met alike and only the first half is credited: the vertex x_i when 2i < k, the edge
//! x_{i−1}x_i when 2i ≤ k. What lies in the middle is met twice and credited in one of the two
//! directions only: the vertex of 2i = k when x_{i−1} < x_{i+1}, the edge of 2i − 1 = k when
//! x_{i−1} < x_i. Credit is given once per search node, as the difference between the totals
//! after and before it, not once per cycle; nodes deeper than half the longest cycle give none.

use super::super::budget::Stop;
use super::super::cells::{Cells, Outputs};
use super::super::totals::{SavedTotals, Totals};
use super::super::uniform::UniformColumns;
use super::super::{MATCHINGS, Matching};
use crate::pattern::MAX_ORDER;
use std::cmp::Ordering::{Equal, Greater, Less};

pub(super) struct Tally<'a, C> {
    pub(super) columns: &'a UniformColumns,
    pub(super) out: &'a mut Outputs<C>,
    /// Closed walks, each cycle twice; every count below 2⁶³ fits all the same.
    totals: Totals<'a>,
    /// The longest wanted cycle.
    pub(super) longest: usize,
    pub(super) induced: bool,
    pub(super) subgraph: bool,
}

impl<'a, C: Cells> Tally<'a, C> {
    pub(super) fn new(
        columns: &'a UniformColumns,
        out: &'a mut Outputs<C>,
        saved: &'a mut SavedTotals,
    ) -> Self {
        let longest = columns.largest();
        let (induced, subgraph) = (out.wants(Matching::Induced), out.wants(Matching::Subgraph));
        Self { columns, out, totals: Totals::new(saved), longest, induced, subgraph }
    }

    /// Closes `all` subgraph cycles of length `k`, and `clean` induced ones, as far as wanted.
    #[inline]
    pub(super) fn close(&mut self, k: usize, clean: Option<u64>, all: u64) -> Result<(), Stop> {
        if self.subgraph {
            self.totals.add(Matching::Subgraph, k, all)?;
        }
        match clean {
            Some(clean) if self.induced => self.totals.add(Matching::Induced, k, clean),
            _ => Ok(()),
        }
    }

    /// Whether a node of this depth gives credit.
    #[inline]
    pub(super) fn credits(&self, depth: usize) -> bool {
        2 * depth <= self.longest + 1
    }

    /// Lengths that a node of this depth gives credit for.
    #[inline]
    fn lengths(&self, depth: usize) -> std::ops::RangeInclusive<usize> {
        (2 * depth - 1).max(depth + 2)..=self.longest
    }

    /// Remembers the totals before the node at `depth`.
    #[inline]
    pub(super) fn open(&mut self, depth: usize) {
        self.totals.open(depth, self.lengths(depth));
    }

    /// The totals of cycles that have depth `depth` in their middle, between the children below
    /// and the children above the node before.
    #[inline]
    pub(super) fn middle(&self, depth: usize) -> [u64; 2] {
        self.totals.of((2 * depth).min(MAX_ORDER))
    }

    /// Credits the vertex at `depth` and the edge that led to it, `up` when that edge goes from a
    /// smaller to a larger vertex; `middle` are the totals at that time.
    #[inline]
    pub(super) fn credit(
        &mut self,
        depth: usize,
        vertex: u32,
        edge: usize,
        up: bool,
        middle: [u64; 2],
    ) {
        let wanted = [self.induced, self.subgraph];
        for matching in MATCHINGS.into_iter().filter(|&matching| wanted[matching as usize]) {
            for k in self.lengths(depth) {
                let (total, count) = self.totals.since(depth, matching, k);
                if count == 0 {
                    continue;
                }
                let of_vertex = match k.cmp(&(2 * depth)) {
                    Greater => count,
                    Equal => total - middle[matching as usize],
                    Less => 0,
                };
                self.columns.vertex(self.out, matching, k, vertex as usize, of_vertex);
                if k >= 2 * depth || up {
                    self.columns.edge(self.out, matching, k, edge, count);
                }
            }
        }
    }

    /// Credits the edge of a triangle that the root is not on.
    #[inline]
    pub(super) fn far_edge(&mut self, edge: usize) {
        self.columns.edge(self.out, Matching::Induced, 3, edge, 1);
        self.columns.edge(self.out, Matching::Subgraph, 3, edge, 1);
    }

    /// Credits the root with all its cycles and starts again from zero.
    pub(super) fn finish(&mut self, root: u32) {
        for &k in self.columns.sizes() {
            for (matching, total) in MATCHINGS.into_iter().zip(self.totals.of(k)) {
                if total > 0 {
                    self.columns.vertex(self.out, matching, k, root as usize, total / 2);
                }
            }
        }
        self.totals.clear(MAX_ORDER);
    }
}
