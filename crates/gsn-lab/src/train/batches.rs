//! Graphs that pass again and again in the same batches.
//!
//! The batches never change, so they are put together once and kept where memory allows; they are
//! as large as the caches like.

use crate::error::Result;
use gsn_nn::{Batch, GraphInput};
use rayon::prelude::*;
use std::ops::Range;

/// Vertices and arcs a batch holds together, about.
const BATCH: usize = 24 * 1024;
/// Graphs of a batch at most.
const GRAPHS: usize = 512;
/// Vertices and arcs of a part whose batches are kept: some hundred megabytes.
const KEEP: usize = 4 << 20;

/// Graphs in batches.
pub(super) struct Batches<'a> {
    inputs: &'a [GraphInput],
    items: Vec<u32>,
    ranges: Vec<Range<usize>>,
    kept: Vec<Batch<f32>>,
}

impl<'a> Batches<'a> {
    /// The graphs `items` of `inputs`, in this order.
    ///
    /// # Errors
    /// If the graphs do not fit together.
    pub(super) fn new(inputs: &'a [GraphInput], items: Vec<u32>) -> Result<Self> {
        let size = |i: u32| inputs[i as usize].vertices + inputs[i as usize].arcs.len();
        let (mut ranges, mut first, mut work, mut all) = (Vec::new(), 0, 0, 0);
        for (at, &i) in items.iter().enumerate() {
            work += size(i);
            all += size(i);
            if work >= BATCH || at + 1 - first == GRAPHS || at + 1 == items.len() {
                ranges.push(first..at + 1);
                (first, work) = (at + 1, 0);
            }
        }
        let mut batches = Self { inputs, items, ranges, kept: Vec::new() };
        if all <= KEEP {
            let made = batches.ranges.par_iter().map(|range| batches.make(range.clone()));
            batches.kept = made.collect::<Result<_>>()?;
        }
        Ok(batches)
    }

    /// How many graphs there are.
    pub(super) fn graphs(&self) -> usize {
        self.items.len()
    }

    /// Are there none?
    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    fn make(&self, range: Range<usize>) -> Result<Batch<f32>> {
        let pick = |&i: &u32| &self.inputs[i as usize];
        let graphs: Vec<&GraphInput> = self.items[range].iter().map(pick).collect();
        Ok(Batch::new(&graphs)?)
    }

    /// `f(number, batch)` of all batches, in parallel; the answers are in order.
    ///
    /// # Errors
    /// The first that `f` meets.
    pub(super) fn map<R: Send>(
        &self,
        f: impl Fn(usize, &Batch<f32>) -> Result<R> + Sync,
    ) -> Result<Vec<R>> {
        let one = |(b, range): (usize, &Range<usize>)| match self.kept.get(b) {
            Some(batch) => f(b, batch),
            None => f(b, &self.make(range.clone())?),
        };
        self.ranges.par_iter().enumerate().map(one).collect()
    }
}
