//! Operations on single numbers and rows: activations, sums, fixed row factors, dropout,
//! putting columns side by side. Cost: one pass.

use serde::{Deserialize, Serialize};

use super::{Back, Op, Tape, Var};
use crate::kernel::{for_chunks, for_rows, rows};
use crate::matrix::Matrix;
use crate::scalar::Scalar;
use gsn_core::random;

/// Activation functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Activation {
    /// max(0, x)
    #[default]
    Relu,
    /// x for x > 0, else eˣ − 1
    Elu,
    /// tanh x
    Tanh,
    /// x
    Identity,
}

impl Activation {
    #[inline(always)]
    fn apply<T: Scalar>(self, x: T) -> T {
        match self {
            Activation::Relu if x < T::ZERO => T::ZERO,
            Activation::Elu if x < T::ZERO => x.exp_m1(),
            Activation::Tanh => x.tanh(),
            _ => x,
        }
    }

    /// f of every number, in place. ReLU has a loop of its own: beside the calls of the others it
    /// would be a branch for every number.
    #[inline(always)]
    pub(crate) fn apply_all<T: Scalar>(self, row: &mut [T]) {
        match self {
            Activation::Identity => {}
            Activation::Relu => row.iter_mut().for_each(|x| {
                // Adding zero changes at most the sign of a zero, but keeps the compiler from storing only where it
                // must, through a mask, which takes some processors twenty times as long.
                *x = Activation::Relu.apply(*x + T::ZERO);
            }),
            _ => row.iter_mut().for_each(|x| *x = self.apply(*x)),
        }
    }

    /// Derivative, from the value y of the function.
    #[inline(always)]
    fn slope<T: Scalar>(self, y: T) -> T {
        match self {
            Activation::Relu if y > T::ZERO => T::ONE,
            Activation::Relu => T::ZERO,
            Activation::Elu if y < T::ZERO => y + T::ONE,
            Activation::Tanh => T::ONE - y * y,
            Activation::Elu | Activation::Identity => T::ONE,
        }
    }
}

/// y = f(x)
pub(crate) struct Activate {
    x: Var,
    f: Activation,
}

/// y_r = factor_r · x_r
pub(crate) struct ScaleRows<T> {
    x: Var,
    /// One factor per row for each copy of the columns.
    factors: Vec<Vec<T>>,
}

/// y = mask·x/(1 − p)
pub(crate) struct Dropout<T> {
    x: Var,
    key: u64,
    drop_below: u32,
    scale: T,
}

impl<'a, T: Scalar> Tape<'a, T> {
    /// f of every number.
    pub(crate) fn activate(&mut self, x: Var, f: Activation) -> Var {
        if f == Activation::Identity {
            return x;
        }
        let from = self.value(x);
        let cols = from.cols().max(1);
        let mut out = self.pool.take(from.rows(), from.cols());
        for_chunks(
            &mut out,
            #[inline(always)]
            |first, out| {
                let both = out.iter_mut().zip(&from.data()[first * cols..]);
                match f {
                    Activation::Relu => both.for_each(|(y, &x)| *y = Activation::Relu.apply(x)),
                    f => both.for_each(|(y, &x)| *y = f.apply(x)),
                }
            },
        );
        let needs = self.needs(x);
        self.push(out, needs, Op::Activate(Activate { x, f }))
    }

    /// a + b, equal shapes.
    pub(crate) fn add(&mut self, a: Var, b: Var) -> Var {
        let (x, y) = (self.value(a), self.value(b));
        let mut out = self.pool.take(x.rows(), x.cols());
        let cols = x.cols().max(1);
        for_chunks(
            &mut out,
            #[inline(always)]
            |first, out| {
                let from = x.data()[first * cols..].iter().zip(&y.data()[first * cols..]);
                out.iter_mut().zip(from).for_each(|(z, (&x, &y))| *z = x + y);
            },
        );
        let needs = self.needs(a) || self.needs(b);
        self.push(out, needs, Op::Add(a, b))
    }

    /// Copies of x side by side, row r of copy s multiplied by `factors[s][r]`.
    pub(crate) fn scale_rows(&mut self, x: Var, factors: Vec<Vec<T>>) -> Var {
        let from = self.value(x);
        let (cols, copies) = (from.cols(), factors.len());
        let mut out = self.pool.take(from.rows(), cols * copies);
        for_rows(
            &mut out,
            #[inline(always)]
            |r, row| {
                for (part, f) in row.chunks_exact_mut(cols.max(1)).zip(&factors) {
                    let f = f[r];
                    part.iter_mut().zip(from.row(r)).for_each(|(y, &x)| *y = f * x);
                }
            },
        );
        let needs = self.needs(x);
        self.push(out, needs, Op::ScaleRows(ScaleRows { x, factors }))
    }

    /// Zeroes numbers with probability p and scales the rest, while training.
    pub(crate) fn dropout(&mut self, x: Var, p: f64) -> Var {
        if !self.trains() || p <= 0.0 {
            return x;
        }
        let key = self.stream();
        let op = Dropout {
            x,
            key,
            drop_below: (p * 4_294_967_296.0) as u32,
            scale: T::from_f64(1.0 / (1.0 - p)),
        };
        let from = self.value(x);
        let mut out = self.pool.take(from.rows(), from.cols());
        op.mask(&mut out, Some(from));
        let needs = self.needs(x);
        self.push(out, needs, Op::Dropout(op))
    }

    /// Columns of all parts side by side.
    pub(crate) fn concat(&mut self, parts: &[Var]) -> Var {
        if let &[only] = parts {
            return only;
        }
        let n = parts.first().map_or(0, |&p| self.value(p).rows());
        let cols: usize = parts.iter().map(|&p| self.cols(p)).sum();
        let mut out = self.pool.take(n, cols);
        let values: Vec<&Matrix<T>> = parts.iter().map(|&p| self.value(p)).collect();
        for (r, row) in out.data_mut().chunks_exact_mut(cols.max(1)).enumerate() {
            let mut at = 0;
            for v in &values {
                row[at..at + v.cols()].copy_from_slice(v.row(r));
                at += v.cols();
            }
        }
        let needs = parts.iter().any(|&p| self.needs(p));
        self.push(out, needs, Op::Concat(parts.to_vec()))
    }
}

impl Activate {
    pub(crate) fn backward<T: Scalar>(self, me: Var, mut dy: Matrix<T>, cx: &mut Back<'_, '_, T>) {
        let y = cx.value(me);
        let cols = y.cols().max(1);
        for_chunks(
            &mut dy,
            #[inline(always)]
            |first, dy| {
                let both = dy.iter_mut().zip(&y.data()[first * cols..]);
                match self.f {
                    Activation::Relu => both.for_each(|(d, &y)| *d *= Activation::Relu.slope(y)),
                    f => both.for_each(|(d, &y)| *d *= f.slope(y)),
                }
            },
        );
        cx.add(self.x, dy);
    }
}

impl<T: Scalar> ScaleRows<T> {
    pub(crate) fn backward(self, dy: Matrix<T>, cx: &mut Back<'_, '_, T>) {
        let cols = cx.value(self.x).cols();
        let mut dx = cx.pool.take_zeroed(dy.rows(), cols);
        for_rows(
            &mut dx,
            #[inline(always)]
            |r, row| {
                for (part, f) in dy.row(r).chunks_exact(cols).zip(&self.factors) {
                    rows::add_scaled(row, f[r], part);
                }
            },
        );
        cx.pool.give(dy);
        cx.add(self.x, dx);
    }
}

impl<T: Scalar> Dropout<T> {
    /// Masks `from` into `m`, or m itself. The mask depends on the key and the place in the matrix
    /// only.
    fn mask(&self, m: &mut Matrix<T>, from: Option<&Matrix<T>>) {
        let cols = m.cols().max(1);
        // Copies, so that the choice below is a mask and not a branch around a load.
        let (scale, drop_below, key) = (self.scale, self.drop_below, self.key);
        for_chunks(
            m,
            #[inline(always)]
            move |first, part| {
                if let Some(from) = from {
                    part.copy_from_slice(&from.data()[first * cols..][..part.len()]);
                }
                let key = random::derive(key, first as u64);
                // Sixteen at a time, without branches: the compiler makes vectors of them.
                let (pieces, rest) = part.as_chunks_mut::<16>();
                let done = 16 * pieces.len() as u32;
                for (at, piece) in (0u32..).step_by(16).zip(pieces) {
                    let mut bits = [0u32; 16];
                    for (i, b) in (0u32..).zip(&mut bits) {
                        *b = random::bits32(key, at.wrapping_add(i));
                    }
                    for (x, &b) in piece.iter_mut().zip(&bits) {
                        let kept = *x * scale;
                        *x = if b >= drop_below { kept } else { T::ZERO };
                    }
                }
                for (i, x) in (done..).zip(rest) {
                    let kept = *x * scale;
                    *x = if random::bits32(key, i) >= drop_below { kept } else { T::ZERO };
                }
            },
        );
    }

    pub(crate) fn backward(self, mut dy: Matrix<T>, cx: &mut Back<'_, '_, T>) {
        self.mask(&mut dy, None);
        cx.add(self.x, dy);
    }
}

/// Cuts the gradient into the parts' columns.
pub(crate) fn concat_backward<T: Scalar>(parts: &[Var], dy: Matrix<T>, cx: &mut Back<'_, '_, T>) {
    let mut at = 0;
    for &p in parts {
        let cols = cx.value(p).cols();
        if cx.needs(p) {
            let mut dx = cx.pool.take(dy.rows(), cols);
            for (r, row) in dx.data_mut().chunks_exact_mut(cols.max(1)).enumerate() {
                row.copy_from_slice(&dy.row(r)[at..at + cols]);
            }
            cx.add(p, dx);
        }
        at += cols;
    }
    cx.pool.give(dy);
}
