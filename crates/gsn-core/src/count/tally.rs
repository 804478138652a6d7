//! Which vertices and edges get credit for the paths or cycles that a search walks.
//!
//! The search walks every one x₀, x₁, … of e edges in both directions, so position i and position
//! e − i are met in the same way and only the first half is credited: the vertex x_i when 2i < e,
//! the edge x_{i−1}x_i when 2i ≤ e. What lies in the middle is met twice and credited in one of
//! the two directions only: the vertex of 2i = e when x_{i−1} < x_{i+1}, the edge of 2i − 1 = e
//! when x_{i−1} < x_i. Credit is given once per search node, as the difference between the totals
//! after and before it, not once per occurrence; nodes beyond the middle of the longest pattern
//! give none.

use super::budget::Stop;
use super::cells::{Cells, Outputs};
use super::{MATCHINGS, Matching};
use crate::pattern::MAX_ORDER;
use std::cmp::Ordering::{Equal, Greater, Less};
use std::ops::RangeInclusive;

/// The columns of paths or of cycles.
pub(super) trait WalkColumns {
    /// How many vertices more than edges there are: 1 on a path, 0 on a cycle.
    const OPEN: usize;

    /// The largest number of vertices that is wanted.
    fn longest(&self) -> usize;

    /// Adds occurrences of `k` vertices that have this vertex at a position.
    fn add_vertex<C: Cells>(&self, to: &mut C, k: usize, position: usize, v: usize, count: u64);

    /// Adds occurrences of `k` vertices that have this edge in front of a position; `up` when
    /// they go along it from the smaller to the larger end.
    fn add_edge<C: Cells>(
        &self,
        to: &mut C,
        k: usize,
        position: usize,
        edge: (usize, bool),
        count: u64,
    );
}

/// Numbers by matching and by number of vertices.
type Totals = [[u64; MAX_ORDER + 1]; 2];

/// Memory for the totals at the time each node of the current walk was opened.
#[derive(Debug)]
pub(super) struct SavedTotals(Vec<Totals>);

impl Default for SavedTotals {
    fn default() -> Self {
        Self(vec![[[0; MAX_ORDER + 1]; 2]; MAX_ORDER / 2 + 2])
    }
}

/// Counts what a search finds and gives credit for it.
pub(super) struct Tally<'a, W, C> {
    pub(super) columns: &'a W,
    pub(super) out: &'a mut Outputs<C>,
    /// Occurrences of the current root, each met twice. Any count below 2⁶³ fits all the same.
    totals: Totals,
    saved: &'a mut SavedTotals,
    /// The largest number of vertices that is wanted.
    pub(super) longest: usize,
    pub(super) induced: bool,
    pub(super) subgraph: bool,
}

impl<'a, W: WalkColumns, C: Cells> Tally<'a, W, C> {
    pub(super) fn new(columns: &'a W, out: &'a mut Outputs<C>, saved: &'a mut SavedTotals) -> Self {
        let (induced, subgraph) = (out.wants(Matching::Induced), out.wants(Matching::Subgraph));
        let (totals, longest) = ([[0; MAX_ORDER + 1]; 2], columns.longest());
        Self { columns, out, totals, saved, longest, induced, subgraph }
    }

    /// Adds occurrences of `k` vertices: `all` subgraphs and `clean` induced ones, as far as
    /// wanted; no induced ones if the walk has a chord.
    #[inline]
    pub(super) fn close(&mut self, k: usize, clean: Option<u64>, all: u64) -> Result<(), Stop> {
        if self.subgraph {
            self.add(Matching::Subgraph, k, all)?;
        }
        match clean {
            Some(clean) if self.induced => self.add(Matching::Induced, k, clean),
            _ => Ok(()),
        }
    }

    #[inline]
    fn add(&mut self, matching: Matching, k: usize, count: u64) -> Result<(), Stop> {
        let total = &mut self.totals[matching as usize][k];
        *total = total.checked_add(count).ok_or(Stop::Overflow)?;
        Ok(())
    }

    /// Whether a node of this depth gives credit.
    #[inline]
    pub(super) fn credits(&self, depth: usize) -> bool {
        2 * depth + W::OPEN <= self.longest + 1
    }

    /// Numbers of vertices that a node of this depth gives credit for.
    #[inline]
    fn orders(&self, depth: usize) -> RangeInclusive<usize> {
        (2 * depth + W::OPEN - 1).max(depth + 2)..=self.longest
    }

    /// Remembers the totals before the node at `depth`.
    #[inline]
    pub(super) fn open(&mut self, depth: usize) {
        let orders = self.orders(depth);
        for (saved, totals) in self.saved.0[depth].iter_mut().zip(&self.totals) {
            saved[orders.clone()].copy_from_slice(&totals[orders.clone()]);
        }
    }

    /// The totals of occurrences that have depth `depth` in their middle, by matching.
    #[inline]
    pub(super) fn middle(&self, depth: usize) -> [u64; 2] {
        self.of((2 * depth + W::OPEN).min(MAX_ORDER))
    }

    /// The totals of `k` vertices, by matching.
    #[inline]
    pub(super) fn of(&self, k: usize) -> [u64; 2] {
        MATCHINGS.map(|matching| self.totals[matching as usize][k])
    }

    /// Credits the vertex at `depth` and the edge that led to it, `up` when that edge goes from a
    /// smaller to a larger vertex; `middle` are the totals between the children below and the
    /// children above the node before.
    #[inline]
    pub(super) fn credit(
        &mut self,
        depth: usize,
        vertex: usize,
        edge: usize,
        up: bool,
        middle: [u64; 2],
    ) {
        let wanted = [self.induced, self.subgraph];
        for matching in MATCHINGS.into_iter().filter(|&matching| wanted[matching as usize]) {
            let m = matching as usize;
            for k in self.orders(depth) {
                let total = self.totals[m][k];
                let count = total - self.saved.0[depth][m][k];
                if count == 0 {
                    continue;
                }
                let of_vertex = match k.cmp(&(2 * depth + W::OPEN)) {
                    Greater => count,
                    Equal => total - middle[m],
                    Less => 0,
                };
                if of_vertex > 0
                    && let Some(cells) = self.out.vertex(matching)
                {
                    self.columns.add_vertex(cells, k, depth, vertex, of_vertex);
                }
                if depth > 0
                    && (k >= 2 * depth + W::OPEN || up)
                    && let Some(cells) = self.out.arc(matching)
                {
                    self.columns.add_edge(cells, k, depth, (edge, up), count);
                }
            }
        }
    }

    /// Credits an edge in the middle of an occurrence of `k` vertices that is no node of its own.
    #[inline]
    pub(super) fn single_edge(&mut self, k: usize, edge: usize) {
        for matching in MATCHINGS {
            if let Some(cells) = self.out.arc(matching) {
                self.columns.add_edge(cells, k, 1, (edge, true), 1);
            }
        }
    }

    /// Starts the next root from zero.
    #[inline]
    pub(super) fn clear(&mut self) {
        self.totals.iter_mut().for_each(|totals| totals[..=self.longest].fill(0));
    }
}
