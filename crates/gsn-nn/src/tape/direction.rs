//! Directional aggregation (DGN form): mean, max, min, sum, var, std of the neighbours, and
//! averages weighted by a vector field F on the arcs: F_uv = x_uv for counts on arcs, x_u − x_v for
//! counts on vertices.
//!
//! Every directional aggregator is Σ_u w_uv h_u − c_v h_v with weights that depend on F alone (given
//! at [`Aggregator`]), sometimes with |·| around it. Vertices without incoming arcs get zeros.
//! Cost: arcs·width per aggregator each way.

use std::sync::Arc;

use rayon::prelude::*;

use super::aggregator::Aggregator;
use super::message::per_vertex;
use super::{Back, Op, Tape, Var};
use crate::batch::Batch;
use crate::kernel::{for_rows, rows, split, vectorised};
use crate::matrix::Matrix;
use crate::scalar::Scalar;

const EPS: f64 = 1e-8;

/// Aggregators side by side, and what each makes of the arcs of a batch; layers share it.
#[derive(Debug)]
pub(crate) struct Directions<T> {
    kinds: Vec<Aggregator>,
    /// w per arc and aggregator.
    weights: Matrix<T>,
    /// c per vertex and aggregator.
    own: Matrix<T>,
}

/// See the module documentation.
pub(crate) struct Direction<T> {
    x: Var,
    directions: Arc<Directions<T>>,
    /// The aggregators before |·| and √·, if there is one whose gradient needs that.
    raw: Option<Matrix<T>>,
    /// Which arc held an extreme, a row per vertex with all aggregators that are extremes.
    winners: Vec<u32>,
    /// The means of neighbours, without columns where no aggregator is a spread.
    means: Matrix<T>,
}

impl<'a, T: Scalar> Tape<'a, T> {
    /// All aggregators side by side.
    pub(crate) fn direction(&mut self, x: Var, directions: &Arc<Directions<T>>) -> Var {
        let batch = self.batch;
        let h = self.value(x);
        let (d, kinds) = (h.cols(), &directions.kinds);
        let wide = d * kinds.len();
        let extremes = d * kinds.iter().filter(|kind| kind.is_extreme()).count();
        let spread = if kinds.iter().any(|kind| kind.is_spread()) { d } else { 0 };
        let mut out = self.pool.take(batch.vertices, wide);
        let mut winners = vec![0; batch.vertices * extremes];
        let mut means = self.pool.take(batch.vertices, spread);
        let lens = |cols: usize| batch.chunks.iter().map(move |r| r.len() * cols);
        let pieces = split(out.data_mut(), lens(wide))
            .into_par_iter()
            .zip(split(&mut winners, lens(extremes)))
            .zip(split(means.data_mut(), lens(spread)));
        batch.chunks.par_iter().zip(pieces).for_each(|(range, ((out, won), mean))| {
            vectorised(
                #[inline(always)]
                || {
                    for (i, v) in range.clone().enumerate() {
                        let out = &mut out[i * wide..(i + 1) * wide];
                        let won = &mut won[i * extremes..(i + 1) * extremes];
                        let mean = &mut mean[i * spread..(i + 1) * spread];
                        directions.aggregate(batch, h, v, out, won, mean);
                    }
                },
            )
        });
        let bent = kinds.iter().any(|kind| kind.is_absolute() || kind.is_spread());
        let raw = bent.then(|| self.pool.take_copy(&out));
        if bent {
            for_rows(
                &mut out,
                #[inline(always)]
                |v, row| {
                    let there = !batch.arcs_in(v).is_empty();
                    for (kind, y) in kinds.iter().zip(row.chunks_exact_mut(d.max(1))) {
                        if kind.is_absolute() {
                            y.iter_mut().for_each(|y| *y = y.abs());
                        } else if *kind == Aggregator::Std && there {
                            y.iter_mut().for_each(|y| *y = (*y + T::from_f64(EPS)).sqrt());
                        }
                    }
                },
            );
        }
        let needs = self.needs(x);
        let directions = Arc::clone(directions);
        self.push(out, needs, Op::Direction(Direction { x, directions, raw, winners, means }))
    }
}

impl<T: Scalar> Directions<T> {
    /// Weights of arcs and of the vertex itself, for the aggregators that are weighted sums; `field` has a row per arc.
    pub(crate) fn new(batch: &Batch<T>, kinds: &[Aggregator], field: Option<&Matrix<T>>) -> Self {
        let j = kinds.len();
        let mut weights = Matrix::zeros(batch.arcs(), j);
        let mut own = Matrix::zeros(batch.vertices, j);
        for v in 0..batch.vertices {
            let arcs = batch.arcs_in(v);
            for (k, &kind) in kinds.iter().enumerate() {
                let f = |a: usize| match (field, kind.direction()) {
                    (Some(f), Some(d)) => f.row(a)[d].to_f64(),
                    _ => 0.0,
                };
                let sum = |g: &dyn Fn(f64) -> f64| arcs.clone().map(|a| g(f(a))).sum::<f64>();
                let weight: Box<dyn Fn(f64) -> f64> = match kind {
                    Aggregator::Sum => Box::new(|_| 1.0),
                    Aggregator::Mean => {
                        let n = arcs.len() as f64;
                        Box::new(move |_| 1.0 / n)
                    }
                    Aggregator::Average(_) => {
                        let total = sum(&f64::abs) + EPS;
                        Box::new(move |x| x.abs() / total)
                    }
                    Aggregator::Derivative(_) | Aggregator::SignedDerivative(_) => {
                        let total = sum(&f64::abs) + EPS;
                        Box::new(move |x| x / total)
                    }
                    Aggregator::BalancedDerivative(_) => {
                        let front = sum(&|x| x.max(0.0)) + EPS;
                        let back = sum(&|x| (-x).max(0.0)) + EPS;
                        Box::new(move |x| (x.max(0.0) / front + (-x).max(0.0) / back) / 2.0)
                    }
                    Aggregator::Softmax(_, alpha) => {
                        let top = arcs
                            .clone()
                            .map(|a| alpha * f(a).abs())
                            .fold(f64::NEG_INFINITY, f64::max);
                        let total = sum(&|x| (alpha * x.abs() - top).exp());
                        Box::new(move |x| (alpha * x.abs() - top).exp() / total)
                    }
                    _ => continue,
                };
                let mut self_weight = 0.0;
                for a in arcs.clone() {
                    let w = weight(f(a));
                    self_weight += w;
                    weights.data_mut()[a * j + k] = T::from_f64(w);
                }
                let own_weight = if kind.is_derivative() { self_weight } else { 0.0 };
                own.data_mut()[v * j + k] = T::from_f64(own_weight);
            }
        }
        Self { kinds: kinds.to_vec(), weights, own }
    }

    /// All aggregators of vertex `v`, the arcs that hold its extremes, and the mean of its neighbours.
    #[inline(always)]
    fn aggregate(
        &self,
        batch: &Batch<T>,
        h: &Matrix<T>,
        v: usize,
        out: &mut [T],
        won: &mut [u32],
        mean: &mut [T],
    ) {
        out.fill(T::ZERO);
        mean.fill(T::ZERO);
        let arcs = batch.arcs_in(v);
        if arcs.is_empty() {
            return;
        }
        let d = h.cols().max(1);
        let inv = T::ONE / T::from_f64(arcs.len() as f64);
        let neighbours = arcs.map(
            #[inline(always)]
            |a| (a, h.row(batch.source[a] as usize)),
        );
        if !mean.is_empty() {
            for (_, hu) in neighbours.clone() {
                rows::add_scaled(mean, inv, hu);
            }
        }
        let mut won = won.chunks_exact_mut(d);
        for ((k, kind), out) in self.kinds.iter().enumerate().zip(out.chunks_exact_mut(d)) {
            let neighbours = neighbours.clone();
            match kind {
                Aggregator::Max => extreme(out, won.next(), neighbours, |x, most| x > most),
                Aggregator::Min => extreme(out, won.next(), neighbours, |x, least| x < least),
                Aggregator::Var | Aggregator::Std => {
                    for (_, hu) in neighbours {
                        out.iter_mut().zip(hu).for_each(|(s, &x)| *s += inv * x * x);
                    }
                    for (s, &mean) in out.iter_mut().zip(&*mean) {
                        let var = *s - mean * mean;
                        *s = if var > T::ZERO { var } else { T::ZERO };
                    }
                    continue;
                }
                _ => {
                    for (a, hu) in neighbours {
                        rows::add_scaled(out, self.weights.row(a)[k], hu);
                    }
                }
            }
            rows::add_scaled(out, -self.own.row(v)[k], h.row(v));
        }
    }
}

/// The best entry of every column, the first of equals, and the arc it came by.
#[inline(always)]
fn extreme<'h, T: Scalar>(
    best: &mut [T],
    won: Option<&mut [u32]>,
    mut neighbours: impl Iterator<Item = (usize, &'h [T])>,
    better: impl Fn(T, T) -> bool,
) {
    let (Some(won), Some((first, row))) = (won, neighbours.next()) else { return };
    best.copy_from_slice(row);
    won.fill(first as u32);
    let n = best.len();
    let (best, won) = (&mut best[..n], &mut won[..n]);
    for (a, row) in neighbours {
        let row = &row[..n];
        for i in 0..n {
            let wins = better(row[i], best[i]);
            best[i] = if wins { row[i] } else { best[i] };
            won[i] = if wins { a as u32 } else { won[i] };
        }
    }
}

impl<T: Scalar> Direction<T> {
    pub(crate) fn backward(self, mut dy: Matrix<T>, cx: &mut Back<'_, '_, T>) {
        let batch = cx.batch;
        let h = cx.value(self.x);
        let Directions { kinds, weights, own } = &*self.directions;
        let d = h.cols();
        let two = T::ONE + T::ONE;
        if let Some(raw) = &self.raw {
            for_rows(
                &mut dy,
                #[inline(always)]
                |v, row| {
                    let pairs =
                        row.chunks_exact_mut(d.max(1)).zip(raw.row(v).chunks_exact(d.max(1)));
                    for (kind, (g, raw)) in kinds.iter().zip(pairs) {
                        unbend(*kind, g, raw);
                    }
                },
            );
        }
        let extremes = kinds.iter().filter(|kind| kind.is_extreme()).count();
        let mut dx = cx.pool.take(batch.vertices, d);
        per_vertex(
            batch,
            &mut dx,
            #[inline(always)]
            |u, row| {
                let n = row.len();
                row.fill(T::ZERO);
                for k in 0..kinds.len() {
                    rows::add_scaled(row, -own.row(u)[k], &dy.row(u)[k * n..(k + 1) * n]);
                }
                for &a in batch.arcs_out(u) {
                    let (arc, v) = (a as usize, batch.target[a as usize] as usize);
                    let mut won = self.winners[v * extremes * n..].chunks_exact(n.max(1));
                    for (k, &kind) in kinds.iter().enumerate() {
                        let e = &dy.row(v)[k * n..(k + 1) * n];
                        match kind {
                            Aggregator::Max | Aggregator::Min => {
                                let Some(won) = won.next() else { continue };
                                for i in 0..n {
                                    let sum = row[i] + e[i];
                                    row[i] = if won[i] == a { sum } else { row[i] };
                                }
                            }
                            Aggregator::Var | Aggregator::Std => {
                                let c = two / batch.in_degree[v];
                                let (hu, mean) = (&h.row(u)[..n], &self.means.row(v)[..n]);
                                (0..n).for_each(|i| row[i] += e[i] * c * (hu[i] - mean[i]));
                            }
                            _ => rows::add_scaled(row, weights.row(arc)[k], e),
                        }
                    }
                }
            },
        );
        let made = [Some(dy), self.raw, Some(self.means)];
        made.into_iter().flatten().for_each(|m| cx.pool.give(m));
        cx.add(self.x, dx);
    }
}

/// Turns the gradient of an aggregator into that of what stands inside |·| and √·.
#[inline(always)]
fn unbend<T: Scalar>(kind: Aggregator, g: &mut [T], raw: &[T]) {
    let two = T::ONE + T::ONE;
    for (g, &raw) in g.iter_mut().zip(raw) {
        match kind {
            k if k.is_absolute() && raw < T::ZERO => *g = -*g,
            k if k.is_absolute() && raw == T::ZERO => *g = T::ZERO,
            Aggregator::Var | Aggregator::Std if raw <= T::ZERO => *g = T::ZERO,
            Aggregator::Std => *g = *g / (two * (raw + T::from_f64(EPS)).sqrt()),
            _ => {}
        }
    }
}
