//! How much the number of occurrences says about the label, and how much it would by chance.

use crate::dataset::{Sample, Task};
use gsn_core::random::Random;
use rayon::prelude::*;

/// Labels as numbers, centred: one column for every number or question, one for every class.
#[derive(Debug, Clone)]
pub struct Targets {
    columns: Vec<Column>,
}

/// One target: the graphs that have it, and its centred values.
#[derive(Debug, Clone)]
struct Column {
    graphs: Vec<u32>,
    /// Indicators of all classes, or the one number; each centred over `graphs`.
    values: Vec<Vec<f64>>,
}

/// Share of the label's variance that a feature explains.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize)]
pub struct Signal {
    /// r² or η², of the target that is explained best.
    pub share: f64,
    /// The statistic of the F-test for it.
    pub f: f64,
    /// 99th percentile of the share for permuted labels.
    pub baseline: f64,
}

impl Signal {
    /// The share, or 0 where permuted labels do as well.
    pub fn above(&self) -> f64 {
        if self.share > self.baseline { self.share } else { 0.0 }
    }
}

impl Targets {
    /// The targets of a task; those that do not vary are left out.
    pub fn new(task: &Task, samples: &[&Sample]) -> Self {
        let mut columns = Vec::new();
        for at in 0..task.targets() {
            let known: Vec<(u32, f64)> = samples
                .iter()
                .enumerate()
                .filter_map(|(g, sample)| Some((g as u32, *sample.targets.get(at)?)))
                .filter(|(_, y)| y.is_finite())
                .collect();
            let numbers = |f: &dyn Fn(f64) -> f64| -> Vec<f64> {
                centred(known.iter().map(|&(_, y)| f(y)).collect())
            };
            let values: Vec<Vec<f64>> = match task {
                Task::Classes(names) => {
                    let one = |class: usize| numbers(&|y| f64::from(u8::from(y == class as f64)));
                    (0..names.len()).map(one).collect()
                }
                _ => vec![numbers(&|y| y)],
            };
            let values: Vec<Vec<f64>> =
                values.into_iter().filter(|values| norm(values) > 1e-12).collect();
            if !values.is_empty() {
                columns.push(Column { graphs: known.iter().map(|&(g, _)| g).collect(), values });
            }
        }
        Self { columns }
    }

    /// Whether no target varies.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// The signal of a feature, one number a graph, after the features of `given` are taken out of
    /// both sides; `permutations` of the labels make the baseline.
    pub fn signal(
        &self,
        feature: &[f64],
        given: &[Vec<f64>],
        permutations: usize,
        seed: u64,
    ) -> Signal {
        let mut best = Signal::default();
        for column in &self.columns {
            let pick = |x: &[f64]| -> Vec<f64> {
                centred(column.graphs.iter().map(|&g| x[g as usize]).collect())
            };
            let basis = orthonormal(given.iter().map(|x| pick(x)).collect());
            let whole = pick(feature);
            let x = without(whole.clone(), &basis);
            let scale = norm(&x);
            // A feature that the others determine says nothing new.
            if scale <= 1e-9 * norm(&whole).max(1e-300) || scale == 0.0 {
                continue;
            }
            let n = x.len() as f64;
            let values: Vec<Vec<f64>> =
                column.values.iter().map(|y| without(y.clone(), &basis)).collect();
            let total: f64 = column.values.iter().map(|y| dot(y, y)).sum();
            let share_of = |x: &[f64]| share(x, &values, total);
            let share = share_of(&x);
            let mut by_chance: Vec<f64> = (0..permutations)
                .into_par_iter()
                .map(|at| {
                    let mut random = Random::new(seed ^ (at as u64 + 1).wrapping_mul(0x9e37_79b9));
                    let mut mixed = x.clone();
                    random.shuffle(&mut mixed);
                    share_of(&mixed)
                })
                .collect();
            by_chance.sort_by(f64::total_cmp);
            let at = (by_chance.len() * 99).div_ceil(100).saturating_sub(1);
            let baseline = by_chance.get(at).copied().unwrap_or(0.0);
            let left = (n - 2.0 - given.len() as f64).max(1.0);
            let signal = Signal { share, f: share / (1.0 - share).max(1e-12) * left, baseline };
            if signal.share - signal.baseline > best.share - best.baseline || best.f == 0.0 {
                best = signal;
            }
        }
        best
    }
}

/// Share of the targets' variance along `x`: r² of one number; for classes the η² of a linear
/// score, the mean over the indicators weighted by their variance.
fn share(x: &[f64], targets: &[Vec<f64>], total: f64) -> f64 {
    let square = dot(x, x);
    if square == 0.0 || total == 0.0 {
        return 0.0;
    }
    let explained: f64 = targets.iter().map(|y| dot(x, y).powi(2) / square).sum();
    (explained / total).clamp(0.0, 1.0)
}

/// Share of the variance of `feature` that the features of `given` explain.
pub(super) fn redundancy(feature: &[f64], given: &[Vec<f64>]) -> f64 {
    let x = centred(feature.to_vec());
    let all = dot(&x, &x);
    if all == 0.0 {
        return 1.0;
    }
    let left = without(x, &orthonormal(given.iter().map(|x| centred(x.clone())).collect()));
    (1.0 - dot(&left, &left) / all).clamp(0.0, 1.0)
}

fn centred(mut x: Vec<f64>) -> Vec<f64> {
    let mean = x.iter().sum::<f64>() / x.len().max(1) as f64;
    x.iter_mut().for_each(|v| *v -= mean);
    x
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

/// An orthonormal basis of what these span (Gram and Schmidt, twice for safety).
fn orthonormal(columns: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for column in columns {
        let before = norm(&column);
        let left = without(without(column, &basis), &basis);
        let length = norm(&left);
        if length > 1e-9 * before && length > 0.0 {
            basis.push(left.iter().map(|v| v / length).collect());
        }
    }
    basis
}

fn without(mut x: Vec<f64>, basis: &[Vec<f64>]) -> Vec<f64> {
    for b in basis {
        let along = dot(&x, b);
        x.iter_mut().zip(b).for_each(|(x, b)| *x -= along * b);
    }
    x
}
