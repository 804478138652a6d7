//! What a search that walks from a root has found so far, and what it had found when each node of
//! its walk was opened: the difference is the credit of the node.

use super::budget::Stop;
use super::{MATCHINGS, Matching};
use crate::pattern::MAX_ORDER;
use std::ops::RangeInclusive;

/// Numbers by matching and by number of vertices.
type Numbers = [[u64; MAX_ORDER + 1]; 2];

/// Room for the totals of a walk; nodes beyond half the longest pattern get no credit.
#[derive(Debug)]
pub(super) struct SavedTotals(Vec<Numbers>);

impl Default for SavedTotals {
    fn default() -> Self {
        Self(vec![[[0; MAX_ORDER + 1]; 2]; MAX_ORDER / 2 + 2])
    }
}

/// Occurrences found so far, by matching and by number of vertices.
pub(super) struct Totals<'a> {
    now: Numbers,
    saved: &'a mut SavedTotals,
}

impl<'a> Totals<'a> {
    pub(super) fn new(saved: &'a mut SavedTotals) -> Self {
        Self { now: [[0; MAX_ORDER + 1]; 2], saved }
    }

    /// Adds occurrences of `k` vertices.
    #[inline]
    pub(super) fn add(&mut self, matching: Matching, k: usize, count: u64) -> Result<(), Stop> {
        let total = &mut self.now[matching as usize][k];
        *total = total.checked_add(count).ok_or(Stop::Overflow)?;
        Ok(())
    }

    /// The occurrences of `k` vertices, by matching.
    #[inline]
    pub(super) fn of(&self, k: usize) -> [u64; 2] {
        MATCHINGS.map(|matching| self.now[matching as usize][k])
    }

    /// Remembers the totals before the node at `depth`, for these numbers of vertices.
    #[inline]
    pub(super) fn open(&mut self, depth: usize, orders: RangeInclusive<usize>) {
        for (saved, now) in self.saved.0[depth].iter_mut().zip(&self.now) {
            saved[orders.clone()].copy_from_slice(&now[orders.clone()]);
        }
    }

    /// The total of `k` vertices, and how much of it came since the node at `depth` was opened.
    #[inline]
    pub(super) fn since(&self, depth: usize, matching: Matching, k: usize) -> (u64, u64) {
        let total = self.now[matching as usize][k];
        (total, total - self.saved.0[depth][matching as usize][k])
    }

    /// Starts again from zero, for up to so many vertices.
    #[inline]
    pub(super) fn clear(&mut self, largest: usize) {
        self.now.iter_mut().for_each(|now| now[..=largest].fill(0));
    }
}
