//! How often each value occurs in a column: all that any encoder is fitted from, so that a fit
//! does not depend on the order of graphs and rows. Cost: one pass; memory by distinct values.

use std::collections::BTreeMap;

/// Values below this are counted in a plain array; nearly all counts are.
const SMALL: usize = 1 << 10;

/// Multiplicities of the values of one column.
#[derive(Clone, Debug)]
pub(super) struct Histogram {
    small: Vec<u64>,
    large: BTreeMap<u64, u64>,
}

impl Histogram {
    pub(super) fn new() -> Self {
        Self { small: vec![0; SMALL], large: BTreeMap::new() }
    }

    pub(super) fn add(&mut self, value: u64) {
        match self.small.get_mut(value as usize) {
            Some(times) => *times += 1,
            None => *self.large.entry(value).or_default() += 1,
        }
    }

    /// (value, how often), by increasing value.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let small = (0..).zip(self.small.iter().copied()).filter(|&(_, times)| times > 0);
        small.chain(self.large.iter().map(|(&value, &times)| (value, times)))
    }

    /// The distinct values, increasing.
    pub(super) fn distinct(&self) -> Vec<u64> {
        self.iter().map(|(value, _)| value).collect()
    }

    /// Mean and standard deviation (of the column, not of a sample); (0, 0) of nothing.
    pub(super) fn moments(&self) -> (f64, f64) {
        let rows: u64 = self.iter().map(|(_, times)| times).sum();
        if rows == 0 {
            return (0.0, 0.0);
        }
        let over = |f: &dyn Fn(f64) -> f64| {
            self.iter().map(|(value, times)| f(value as f64) * times as f64).sum::<f64>()
                / rows as f64
        };
        let mean = over(&|x| x);
        (mean, over(&|x| (x - mean) * (x - mean)).sqrt())
    }

    /// Inclusive upper ends of all bins but the last, which is open: the smallest value that at
    /// least i/count of the rows do not exceed, for i = 1, 2, …; equal ends are merged.
    pub(super) fn quantiles(&self, count: usize) -> Vec<u64> {
        let rows: u128 = self.iter().map(|(_, times)| u128::from(times)).sum();
        let (mut ends, mut below) = (Vec::new(), 0u128);
        let mut next = 1u128;
        for (value, times) in self.iter() {
            below += u128::from(times);
            // Rows up to here make at least next/count of all.
            if below * count as u128 >= next * rows {
                ends.push(value);
                next = below * count as u128 / rows + 1;
            }
        }
        // The largest value ends the open bin.
        ends.pop();
        ends
    }
}
