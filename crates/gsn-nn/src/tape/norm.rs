//! BatchNorm over rows, with an optional ReLU behind it.
//!
//! Training: y = γ·(x − mean)/√(var + 1e-5) + β with the batch's mean and biased variance.
//! Evaluation: the same with running statistics, or those of a whole part (`model/statistics.rs`). Fewer than two rows have no variance: they
//! become β (where PyTorch refuses). Backward, with x̂ the normalised input and m rows:
//! dx = γ/σ·(dy − Σdy/m − x̂·Σ(dy·x̂)/m). Cost: two passes each way.

use super::affine::Fold;
use super::{Back, Op, Tape, Var};
use crate::kernel::{chunk_rows, for_rows, map_chunks, rows};
use crate::matrix::Matrix;
use crate::params::{NormIds, Params};
use crate::scalar::Scalar;

/// PyTorch's guard against division by zero.
pub(crate) const EPS: f64 = 1e-5;

/// What a training pass saw at one BatchNorm; moves the running statistics afterwards.
pub(crate) struct Stats {
    pub(crate) ids: NormIds,
    pub(crate) count: usize,
    pub(crate) mean: Vec<f64>,
    /// Biased.
    pub(crate) var: Vec<f64>,
}

/// y = scale·x + shift per column, and what its backward needs.
#[derive(Debug, Clone)]
pub(crate) struct ScaleShift<T> {
    pub(crate) scale: Vec<T>,
    pub(crate) shift: Vec<T>,
    pub(crate) mean: Vec<T>,
    pub(crate) inv_std: Vec<T>,
    /// Stored statistics, which do not change with x.
    stored: bool,
}

impl<T: Scalar> ScaleShift<T> {
    /// From mean and biased variance of each column.
    pub(crate) fn new(params: &Params<T>, ids: NormIds, mean: &[f64], var: &[f64]) -> Self {
        let (gamma, beta) = (params.get(ids.gamma), params.get(ids.beta));
        let inv: Vec<f64> = var.iter().map(|v| 1.0 / (v + EPS).sqrt()).collect();
        let scale: Vec<f64> = inv.iter().zip(gamma).map(|(i, g)| i * g.to_f64()).collect();
        let shift = (0..inv.len()).map(|i| T::from_f64(beta[i].to_f64() - mean[i] * scale[i]));
        Self {
            shift: shift.collect(),
            scale: scale.iter().map(|&s| T::from_f64(s)).collect(),
            mean: mean.iter().map(|&m| T::from_f64(m)).collect(),
            inv_std: inv.iter().map(|&i| T::from_f64(i)).collect(),
            stored: false,
        }
    }

    /// With running statistics.
    pub(crate) fn running(params: &Params<T>, ids: NormIds) -> Self {
        let get = |at: usize| -> Vec<f64> {
            params.buffers[at..at + ids.gamma.cols].iter().map(|x| x.to_f64()).collect()
        };
        Self { stored: true, ..Self::new(params, ids, &get(ids.mean), &get(ids.var)) }
    }

    /// To be folded into the Linear in front.
    pub(crate) fn fold(&self) -> Fold<'_, T> {
        Fold { scale: &self.scale, shift: Some(&self.shift) }
    }

    /// Coefficients of the backward from Σdy and Σdy·(x − mean) over `count` rows:
    /// dx = scale·dy + c0 + c1·x, dγ, dβ. Of stored statistics c0 = c1 = 0.
    pub(crate) fn backward(&self, count: usize, sum: &[T], sum_x: &[T]) -> [Vec<T>; 4] {
        let m = count.max(1) as f64;
        let n = self.scale.len();
        let mut out = [(); 4].map(|()| vec![T::ZERO; n]);
        for i in 0..n {
            let (scale, inv) = (self.scale[i].to_f64(), self.inv_std[i].to_f64());
            let (s, sx) = (sum[i].to_f64(), sum_x[i].to_f64());
            let c1 = -scale * inv * inv * sx / m;
            if !self.stored {
                out[0][i] = T::from_f64(-scale * s / m - c1 * self.mean[i].to_f64());
                out[1][i] = T::from_f64(c1);
            }
            out[2][i] = T::from_f64(sx * inv);
            out[3][i] = T::from_f64(s);
        }
        out
    }
}

/// See the module documentation.
pub(crate) struct Norm<T> {
    x: Var,
    ids: NormIds,
    relu: bool,
    folded: ScaleShift<T>,
}

impl<'a, T: Scalar> Tape<'a, T> {
    /// BatchNorm of the rows of `x`, then ReLU if asked.
    pub(crate) fn norm(&mut self, x: Var, ids: NormIds, relu: bool) -> Var {
        let value = self.value(x);
        let cols = value.cols();
        let folded = if self.batch_statistics() {
            let (count, mean, var) = rows::moments(value.data(), cols);
            let folded = ScaleShift::new(self.params, ids, &mean, &var);
            self.stats.push(Stats { ids, count, mean, var });
            folded
        } else {
            ScaleShift::running(self.params, ids)
        };
        let value = self.value(x);
        let mut out = self.pool.take(value.rows(), cols);
        for_rows(
            &mut out,
            #[inline(always)]
            |r, y| forward_row(y, value.row(r), &folded, relu),
        );
        self.push(out, true, Op::Norm(Norm { x, ids, relu, folded }))
    }
}

#[inline(always)]
fn forward_row<T: Scalar>(y: &mut [T], x: &[T], f: &ScaleShift<T>, relu: bool) {
    let n = y.len();
    let (x, scale, shift) = (&x[..n], &f.scale[..n], &f.shift[..n]);
    for i in 0..n {
        let z = x[i] * scale[i] + shift[i];
        y[i] = if relu & (z < T::ZERO) { T::ZERO } else { z };
    }
}

impl<T: Scalar> Norm<T> {
    pub(crate) fn backward(self, mut dy: Matrix<T>, cx: &mut Back<'_, '_, T>) {
        let x = cx.value(self.x);
        let cols = x.cols();
        let (f, relu) = (&self.folded, self.relu);
        let parts = map_chunks(
            x.rows(),
            chunk_rows(cols),
            #[inline(always)]
            |range| {
                let mut both = vec![T::ZERO; 2 * cols];
                let (sum, sum_x) = both.split_at_mut(cols);
                for r in range {
                    sums_row(sum, sum_x, dy.row(r), x.row(r), f, relu);
                }
                both
            },
        );
        let both = rows::fold(parts, 2 * cols);
        let [c0, c1, d_gamma, d_beta] = f.backward(x.rows(), &both[..cols], &both[cols..]);
        for_rows(
            &mut dy,
            #[inline(always)]
            |r, dy| backward_row(dy, x.row(r), f, relu, &c0, &c1),
        );
        cx.add_param(self.ids.gamma, &d_gamma);
        cx.add_param(self.ids.beta, &d_beta);
        cx.add(self.x, dy);
    }
}

/// Adds a row's dy and dy·(x − mean) to the sums, dy being 0 where a ReLU cut.
#[inline(always)]
pub(super) fn sums_row<T: Scalar>(
    sum: &mut [T],
    sum_x: &mut [T],
    dy: &[T],
    x: &[T],
    f: &ScaleShift<T>,
    relu: bool,
) {
    let n = sum.len();
    let (sum_x, dy, x) = (&mut sum_x[..n], &dy[..n], &x[..n]);
    let (scale, shift, mean) = (&f.scale[..n], &f.shift[..n], &f.mean[..n]);
    for i in 0..n {
        // Loads before the choice and no short cut in it: a mask, not a branch.
        let (x, g) = (x[i], dy[i]);
        let d = if !relu | (x * scale[i] + shift[i] > T::ZERO) { g } else { T::ZERO };
        sum[i] += d;
        sum_x[i] += d * (x - mean[i]);
    }
}

#[inline(always)]
fn backward_row<T: Scalar>(
    dy: &mut [T],
    x: &[T],
    f: &ScaleShift<T>,
    relu: bool,
    c0: &[T],
    c1: &[T],
) {
    let n = dy.len();
    let (x, c0, c1) = (&x[..n], &c0[..n], &c1[..n]);
    let (scale, shift) = (&f.scale[..n], &f.shift[..n]);
    for i in 0..n {
        let (x, g) = (x[i], scale[i] * dy[i]);
        let d = if !relu | (x * scale[i] + shift[i] > T::ZERO) { g } else { T::ZERO };
        dy[i] = d + (c0[i] + c1[i] * x);
    }
}
