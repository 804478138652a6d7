//! What networks with random weights make of graphs, and which graphs they put close together.
//!
//! "Closer than ε" is no equivalence, so pairs are looked at, but few of them: graphs are sorted
//! along one direction, and only pairs within ε along it can be closer than ε.

use super::Pairing;
use crate::error::{Error, Result};
use gsn_core::wl::group;
use gsn_nn::{Batch, GraphInput, Matrix, Pool, Scalar};
use rayon::prelude::*;

/// Graphs in one pass.
const BATCH: usize = 64;

/// A vector for every graph, in order.
pub(crate) struct Points<T> {
    width: usize,
    data: Vec<T>,
}

impl<T: Scalar> Points<T> {
    /// What `run` makes of the graphs, batch by batch.
    pub(crate) fn of(
        inputs: &[GraphInput],
        run: impl Fn(&Batch<T>, &Pool<T>) -> gsn_nn::Result<Matrix<T>>,
    ) -> Result<Self> {
        let pool = Pool::new();
        let mut all = Self { width: 1, data: Vec::new() };
        for some in inputs.chunks(BATCH) {
            let rows = run(&Batch::new(some)?, &pool)?;
            if rows.rows() != some.len() {
                return Err(Error::Separate("the network has no embedding".to_owned()));
            }
            all.width = rows.cols().max(1);
            all.data.extend_from_slice(rows.data());
        }
        Ok(all)
    }

    fn row(&self, at: u32) -> &[T] {
        &self.data[at as usize * self.width..][..self.width]
    }

    /// Whether two graphs are closer than `limit`; stops as soon as they are too far.
    fn close(&self, i: u32, j: u32, limit: f64) -> bool {
        let mut sum = 0.0;
        for (a, b) in self.row(i).chunks(64).zip(self.row(j).chunks(64)) {
            let mut part = T::from_f64(0.0);
            for (&a, &b) in a.iter().zip(b) {
                part += (a - b) * (a - b);
            }
            sum += part.to_f64();
            if sum >= limit * limit {
                return false;
            }
        }
        sum < limit * limit
    }

    /// All pairs closer than `limit`, in no order.
    pub(crate) fn close_pairs(&self, limit: f64) -> impl ParallelIterator<Item = (u32, u32)> {
        let count = self.data.len() / self.width;
        // Rows that are equal to the last bit are compared once.
        let bits = |at: usize| {
            let mut bytes = Vec::with_capacity(self.width * size_of::<T>());
            self.row(at as u32).iter().for_each(|value| value.write_le(&mut bytes));
            bytes
        };
        let mut members: Vec<Vec<u32>> = Vec::new();
        for (at, class) in group((0..count).map(bits)).into_iter().enumerate() {
            if class as usize == members.len() {
                members.push(Vec::new());
            }
            members[class as usize].push(at as u32);
        }
        // A unit vector with all entries equal: distances along it are never larger than real ones.
        let scale = 1.0 / (self.width as f64).sqrt();
        let along = |at: u32| self.row(at).iter().map(|v| v.to_f64()).sum::<f64>() * scale;
        let mut order: Vec<(f64, usize)> =
            members.iter().enumerate().map(|(class, of)| (along(of[0]), class)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        (0..order.len()).into_par_iter().flat_map_iter(move |at| {
            let (here, class) = order[at];
            let mine = &members[class];
            let mut found: Vec<(u32, u32)> = Vec::new();
            // A row is not even close to itself where it holds a NaN or the limit is 0.
            if self.close(mine[0], mine[0], limit) {
                found.extend(
                    (0..mine.len()).flat_map(|i| mine[i + 1..].iter().map(move |&j| (mine[i], j))),
                );
            }
            for &(there, other) in &order[at + 1..] {
                if there - here >= limit {
                    break;
                }
                let theirs = &members[other];
                if self.close(mine[0], theirs[0], limit) {
                    let both = mine.iter().flat_map(|&i| theirs.iter().map(move |&j| (i, j)));
                    found.extend(both.map(|(i, j)| (i.min(j), i.max(j))));
                }
            }
            found
        })
    }

    /// The pairs of a pairing that are closer than `limit`, sorted.
    pub(super) fn failures(&self, limit: f64, pairing: Pairing) -> Vec<(u32, u32)> {
        if pairing == Pairing::Consecutive {
            let pairs = (0..(self.data.len() / self.width / 2) as u32).map(|p| (2 * p, 2 * p + 1));
            return pairs.filter(|&(i, j)| self.close(i, j, limit)).collect();
        }
        let mut pairs: Vec<(u32, u32)> = self.close_pairs(limit).collect();
        pairs.par_sort_unstable();
        pairs
    }
}
