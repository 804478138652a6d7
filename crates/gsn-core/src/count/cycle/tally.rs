//! Who gets credit for the cycles that the search closes.
//!
//! The search walks every cycle r, x₁, …, x_{k−1} in both directions, so position i and position
//! k − i are met alike and only the first half is credited: the vertex x_i when 2i < k, the edge
//! x_{i−1}x_i when 2i ≤ k. What lies in the middle is met twice and credited in one of the two
//! directions only: the vertex of 2i = k when x_{i−1} < x_{i+1}, the edge of 2i − 1 = k when
//! x_{i−1} < x_i. Credit is given once per search node, as the difference between the totals
//! after and before it, not once per cycle; nodes deeper than half the longest cycle give none.

use super::super::Matching;
use super::super::budget::Stop;
use super::super::cells::{Cells, Outputs};
use super::super::uniform::Uniform;
use crate::pattern::MAX_ORDER;

/// Closed walks so far, by length, each cycle twice; for each matching.
pub(super) type Totals = [[u64; MAX_ORDER + 1]; 2];

const IND: usize = Matching::Induced as usize;
const SUB: usize = Matching::Subgraph as usize;

/// Totals at the time each node of the current path was opened.
#[derive(Debug)]
pub(super) struct Saved(Vec<Totals>);

impl Default for Saved {
    fn default() -> Self {
        Self(vec![[[0; MAX_ORDER + 1]; 2]; MAX_ORDER / 2 + 2])
    }
}

pub(super) struct Tally<'a, C> {
    pub(super) columns: &'a Uniform,
    pub(super) out: &'a mut Outputs<C>,
    saved: &'a mut Saved,
    totals: Totals,
    /// The longest wanted cycle.
    pub(super) longest: usize,
    pub(super) induced: bool,
    pub(super) subgraph: bool,
}

impl<'a, C: Cells> Tally<'a, C> {
    pub(super) fn new(columns: &'a Uniform, out: &'a mut Outputs<C>, saved: &'a mut Saved) -> Self {
        let longest = columns.largest();
        let (induced, subgraph) = (out.wants(Matching::Induced), out.wants(Matching::Subgraph));
        let totals = [[0; MAX_ORDER + 1]; 2];
        Self { columns, out, saved, totals, longest, induced, subgraph }
    }

    /// Closes `count` subgraph cycles of length `k`.
    #[inline]
    pub(super) fn close_subgraph(&mut self, k: usize, count: u64) -> Result<(), Stop> {
        // Every count below 2⁶³ fits although each cycle comes twice.
        let total = &mut self.totals[SUB][k];
        *total = total.checked_add(count).ok_or(Stop::Overflow)?;
        Ok(())
    }

    /// Closes `count` induced cycles of length `k`.
    #[inline]
    pub(super) fn close_induced(&mut self, k: usize, count: u64) -> Result<(), Stop> {
        let total = &mut self.totals[IND][k];
        *total = total.checked_add(count).ok_or(Stop::Overflow)?;
        Ok(())
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
        let lengths = self.lengths(depth);
        for m in [IND, SUB] {
            self.saved.0[depth][m][lengths.clone()]
                .copy_from_slice(&self.totals[m][lengths.clone()]);
        }
    }

    /// The totals of cycles that have depth `depth` in their middle, between the children below
    /// and the children above the node before.
    #[inline]
    pub(super) fn middle(&self, depth: usize) -> [u64; 2] {
        let k = (2 * depth).min(MAX_ORDER);
        [self.totals[IND][k], self.totals[SUB][k]]
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
        for matching in [Matching::Induced, Matching::Subgraph] {
            let m = matching as usize;
            if !(if m == IND { self.induced } else { self.subgraph }) {
                continue;
            }
            for k in self.lengths(depth) {
                let total = self.totals[m][k];
                let count = total - self.saved.0[depth][m][k];
                if count == 0 {
                    continue;
                }
                let of_vertex = match k.cmp(&(2 * depth)) {
                    std::cmp::Ordering::Greater => count,
                    std::cmp::Ordering::Equal => total - middle[m],
                    std::cmp::Ordering::Less => 0,
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

    /// Credits the root with all its cycles and starts anew.
    pub(super) fn finish(&mut self, root: u32) {
        for matching in [Matching::Induced, Matching::Subgraph] {
            for &k in self.columns.sizes() {
                let total = std::mem::take(&mut self.totals[matching as usize][k]);
                if total > 0 {
                    self.columns.vertex(self.out, matching, k, root as usize, total / 2);
                }
            }
        }
        self.totals = [[0; MAX_ORDER + 1]; 2];
    }
}
