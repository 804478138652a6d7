//! A random forest (Breiman 2001) of a hundred trees.
//!
//! Every tree sees a bootstrap of the rows and, at every split, some of the columns. Columns are
//! cut at quantiles once, so that a split costs one pass. What is random is a hash of tree and
//! node, so the threads change nothing. Cost: trees · depth · columns tried · rows.

use super::tree::{Sample, Tree};
use gsn_core::random::Random;
use gsn_nn::Matrix;
use rayon::prelude::*;

/// Trees.
const TREES: u64 = 100;
/// Rows of a tree's bootstrap at most.
const ROWS: usize = 5_000;
/// Thresholds of a column at most.
const BINS: usize = 64;

/// What a forest predicts; it decides how many columns a split tries and how small leaves are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Numbers: a third of the columns, leaves of at least three rows.
    Numbers,
    /// Shares of classes: the root of their number, leaves of at least one row.
    Classes,
}

/// A fitted forest.
pub(super) struct Forest {
    /// Thresholds of every column, increasing.
    cuts: Vec<Vec<f64>>,
    trees: Vec<Tree>,
}

impl Forest {
    /// Fits means of the columns of `y`, a row for each of `rows`.
    pub(super) fn fit(x: &Matrix<f64>, rows: &[u32], y: &Matrix<f64>, kind: Kind) -> Self {
        let cuts: Vec<Vec<f64>> = (0..x.cols())
            .map(|c| quantiles(rows.iter().map(|&r| x.row(r as usize)[c]).collect()))
            .collect();
        let mut coded = Vec::with_capacity(rows.len() * x.cols());
        for &r in rows {
            coded.extend(x.row(r as usize).iter().zip(&cuts).map(|(&x, cuts)| code(cuts, x)));
        }
        let p = x.cols().max(1);
        let (tried, least) = match kind {
            Kind::Numbers => (p.div_ceil(3), 3),
            Kind::Classes => ((p as f64).sqrt().ceil() as usize, 1),
        };
        let sample = Sample { coded: &coded, cols: x.cols(), y, tried, least };
        let trees = (0..TREES).into_par_iter().map(|tree| {
            let mut random = Random::new(gsn_core::random::derive(0x666f_7265_7374, tree));
            let n = rows.len();
            let drawn = (0..n.min(ROWS)).map(|_| random.below(n) as u32).collect();
            Tree::grow(&sample, drawn, random)
        });
        Self { trees: trees.collect(), cuts }
    }

    /// Means of the leaves of all trees, for every row of `x`.
    pub(super) fn predict(&self, x: &Matrix<f64>) -> Matrix<f64> {
        let rows: Vec<Vec<f64>> = (0..x.rows())
            .into_par_iter()
            .map(|r| {
                let coded: Vec<u8> =
                    x.row(r).iter().zip(&self.cuts).map(|(&x, cuts)| code(cuts, x)).collect();
                let mut sum: Vec<f64> = Vec::new();
                for tree in &self.trees {
                    let leaf = tree.leaf(&coded);
                    sum.resize(leaf.len(), 0.0);
                    sum.iter_mut().zip(leaf).for_each(|(sum, x)| *sum += x);
                }
                sum.iter().map(|sum| sum / self.trees.len() as f64).collect()
            })
            .collect();
        let cols = rows.first().map_or(0, Vec::len);
        Matrix::from_vec(x.rows(), cols, rows.concat()).unwrap_or_default()
    }
}

/// Thresholds halfway between neighbouring values: all of them, or as many quantiles.
fn quantiles(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    let (n, mut distinct) = (values.len(), values.clone());
    distinct.dedup();
    let mut cuts: Vec<f64> = match distinct.len() <= BINS {
        true => distinct.windows(2).map(|w| f64::midpoint(w[0], w[1])).collect(),
        false => (1..BINS)
            .map(|b| b * n / BINS)
            .filter(|&at| values[at - 1] < values[at])
            .map(|at| f64::midpoint(values[at - 1], values[at]))
            .collect(),
    };
    cuts.dedup();
    cuts
}

/// How many thresholds a value is above; fewer than [`BINS`].
fn code(cuts: &[f64], value: f64) -> u8 {
    cuts.partition_point(|&cut| cut < value) as u8
}
