//! Linear layers: y = Σ_i W[:, block i]·x_i + b, where a block is dense or one-hot.
//!
//! W·[a, b, …] is a sum of products with column blocks of W, so the concatenation is never made,
//! and the product of a one-hot row is a look-up: row `category` of the transposed block. The bias
//! may be multiplied by a number per row: Σ_u (W y_u + b) = W Σ_u y_u + deg(v)·b. A block may
//! itself be the result of a Linear that nothing else reads: U·(W s + deg·b) = (U W)·s + deg·(U b)
//! then saves the product of W with all rows (`Block::Deferred`).
//! Cost: 2·rows·out·in for dense blocks, rows·out per one-hot column.

use std::borrow::Cow;

use rayon::prelude::*;

use super::elementwise::Activation;
use super::{Back, Op, Tape, Var};
use crate::batch::Batch;
use crate::kernel::gemm::{self, Packed, View};
use crate::kernel::micro::Plus;
use crate::kernel::{rows, vectorised};
use crate::matrix::{Matrix, Pool};
use crate::params::{ParamId, Params};
use crate::scalar::Scalar;

/// One-hot rows: `starts.len()` categories per row, the c-th counted from `starts[c]`.
#[derive(Debug, Clone)]
pub(crate) struct OneHot<'a> {
    pub(crate) index: &'a [u32],
    pub(crate) starts: Cow<'a, [u32]>,
    pub(crate) width: usize,
}

impl OneHot<'_> {
    pub(crate) fn rows(&self) -> usize {
        self.index.len() / self.starts.len().max(1)
    }

    /// Positions of the ones in row `r`.
    #[inline(always)]
    pub(crate) fn ones(&self, r: usize) -> impl Iterator<Item = usize> + Clone + '_ {
        let k = self.starts.len();
        self.index[r * k..(r + 1) * k]
            .iter()
            .zip(self.starts.iter())
            .map(|(&i, &s)| (s + i) as usize)
    }
}

/// One block of the input.
#[derive(Debug, Clone)]
pub(crate) enum Block<'a> {
    Dense(Var),
    OneHot(OneHot<'a>),
    Deferred(DeferredLinear),
}

/// W s + in-degree·b, a row per vertex, not computed by itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DeferredLinear {
    pub(crate) s: Var,
    pub(crate) weight: ParamId,
    pub(crate) bias: ParamId,
}

impl Block<'_> {
    pub(crate) fn width<T: Scalar>(&self, tape: &Tape<'_, T>) -> usize {
        match self {
            Block::Dense(v) => tape.cols(*v),
            Block::OneHot(o) => o.width,
            Block::Deferred(i) => i.weight.rows,
        }
    }
}

/// y = Σ W[:, at..]·block + scale·b, all blocks with `rows` rows.
pub(crate) struct Affine<'a, T> {
    pub(crate) weight: ParamId,
    pub(crate) bias: Option<ParamId>,
    /// Factor of the bias per row; 1 if absent.
    pub(crate) bias_scale: Option<&'a [T]>,
    /// (first column of W, block)
    pub(crate) blocks: Vec<(usize, Block<'a>)>,
}

impl<'a, T: Scalar> Tape<'a, T> {
    /// See [`Affine`].
    pub(crate) fn affine(&mut self, rows: usize, op: Affine<'a, T>) -> Var {
        self.affine_then(rows, op, None, Activation::Identity)
    }

    /// f(scale·y + shift) of the [`Affine`] y: the factors go into the weights, the shift into the
    /// bias, and ReLU into the last product. Only for evaluation: a backward would need y.
    pub(crate) fn affine_then(
        &mut self,
        rows: usize,
        op: Affine<'a, T>,
        fold: Option<Fold<'_, T>>,
        f: Activation,
    ) -> Var {
        debug_assert!(!self.batch_statistics() || (fold.is_none() && f == Activation::Identity));
        debug_assert!(fold.is_none() || op.bias_scale.is_none());
        let (o, stride) = (op.weight.rows, op.weight.cols);
        let w = self.params.get(op.weight);
        let mut out = self.pool.take(rows, o);
        let tables: Vec<(&OneHot<'a>, Matrix<T>)> = op
            .blocks
            .iter()
            .filter_map(|(at, b)| match b {
                Block::OneHot(hot) => {
                    let mut table = self.transposed(w, stride, *at, hot.width, o);
                    if let Some(fold) = &fold {
                        table.data_mut().chunks_exact_mut(o.max(1)).for_each(|row| fold.scale(row));
                    }
                    Some((hot, table))
                }
                _ => None,
            })
            .collect();
        let pool = self.pool;
        let inner: Vec<(&Matrix<T>, Packed<T>, Vec<T>)> = op
            .blocks
            .iter()
            .filter_map(|(at, b)| match b {
                Block::Deferred(i) => {
                    let product = Product::new(pool, self.params, op.weight, *at, i);
                    let k = i.weight.cols;
                    let v = View { data: product.weight.data(), rs: 1, cs: k };
                    let mut packed = Packed::new(pool, (k, o), v);
                    let mut bias = product.bias;
                    pool.give(product.weight);
                    if let Some(fold) = &fold {
                        packed.scale_columns(fold.scale);
                        fold.scale(&mut bias);
                    }
                    Some((self.value(i.s), packed, bias))
                }
                _ => None,
            })
            .collect();
        let degree = &self.batch.in_degree;
        let dense: Vec<(&Matrix<T>, Packed<T>)> = op
            .blocks
            .iter()
            .filter_map(|(at, b)| match b {
                Block::Dense(v) => {
                    let (x, wt) = (self.value(*v), View { data: &w[*at..], rs: 1, cs: stride });
                    let mut packed = Packed::new(pool, (x.cols(), o), wt);
                    if let Some(fold) = &fold {
                        packed.scale_columns(fold.scale);
                    }
                    Some((x, packed))
                }
                _ => None,
            })
            .collect();
        debug_assert!(dense.iter().all(|(x, _)| x.rows() == rows));
        let bias = op.bias.map(|b| self.params.get(b));
        let folded = fold.as_ref().and_then(|fold| fold.bias(bias));
        let bias = if fold.is_some() { folded.as_deref() } else { bias };
        let k: usize = dense.iter().map(|(x, _)| x.cols()).sum::<usize>().max(16);
        let block = gemm::block_rows(rows, o, k);
        // Rows that start alike need no pass of their own: the first product brings the bias.
        let alike = tables.is_empty() && op.bias_scale.is_none() && inner.is_empty();
        let factors = dense.iter().map(|(x, wt)| (*x, wt));
        let factors: Vec<_> = factors.chain(inner.iter().map(|(s, wt, _)| (*s, wt))).collect();
        let alike = alike && !factors.is_empty();
        let fill = |i: usize, out: &mut [T]| {
            let first = i * block;
            let mut plus = match (alike, bias) {
                (true, Some(bias)) => Plus::Row(bias),
                (true, None) => Plus::Nothing,
                (false, _) => Plus::Destination,
            };
            if !alike {
                vectorised(
                    #[inline(always)]
                    || {
                        start_rows(out, o, first, bias, op.bias_scale, &tables);
                        for (_, _, bias) in &inner {
                            for (row, &d) in out.chunks_exact_mut(o).zip(&degree[first..]) {
                                rows::add_scaled(row, d, bias);
                            }
                        }
                    },
                );
            }
            for (i, (x, wt)) in factors.iter().enumerate() {
                let (k, relu) = (x.cols(), i + 1 == factors.len() && f == Activation::Relu);
                let plus = std::mem::replace(&mut plus, Plus::Destination);
                wt.times_then(out, plus, &x.data()[first * k..][..out.len() / o * k], relu);
            }
            if factors.is_empty() || f != Activation::Relu {
                vectorised(
                    #[inline(always)]
                    || f.apply_all(out),
                );
            }
        };
        if rows <= block {
            if rows > 0 {
                fill(0, out.data_mut());
            }
        } else {
            out.data_mut().par_chunks_mut(block * o).enumerate().for_each(|(i, out)| fill(i, out));
        }
        tables.into_iter().for_each(|(_, t)| pool.give(t));
        let packed = inner.into_iter().map(|(_, p, _)| p).chain(dense.into_iter().map(|d| d.1));
        packed.for_each(|p| p.recycle(pool));
        self.push(out, true, Op::Affine(op))
    }

    /// Columns `at..at + width` of W (o×stride) as rows.
    fn transposed(&self, w: &[T], stride: usize, at: usize, width: usize, o: usize) -> Matrix<T> {
        let mut t = self.pool.take(width, o);
        for (r, row) in t.data_mut().chunks_exact_mut(o.max(1)).enumerate() {
            for (c, x) in row.iter_mut().enumerate() {
                *x = w[c * stride + at + r];
            }
        }
        t
    }
}

/// A BatchNorm with stored statistics behind an [`Affine`]: scale·y + shift per column.
pub(crate) struct Fold<'s, T> {
    pub(crate) scale: &'s [T],
    /// None if another term brings it.
    pub(crate) shift: Option<&'s [T]>,
}

impl<T: Scalar> Fold<'_, T> {
    /// Multiplies a row.
    fn scale(&self, row: &mut [T]) {
        row.iter_mut().zip(self.scale).for_each(|(x, &s)| *x *= s);
    }

    /// scale·b + shift, if there is either.
    fn bias(&self, b: Option<&[T]>) -> Option<Vec<T>> {
        let mut out = b.or(self.shift).map(<[T]>::to_vec)?;
        if b.is_some() {
            self.scale(&mut out);
            self.shift.iter().for_each(|shift| rows::add(&mut out, shift));
        }
        Some(out)
    }
}

/// U W (o×k) and U b of a [`DeferredLinear`] block that starts at column `at` of U.
struct Product<T> {
    weight: Matrix<T>,
    bias: Vec<T>,
}

impl<T: Scalar> Product<T> {
    fn new(
        pool: &Pool<T>,
        params: &Params<T>,
        outer: ParamId,
        at: usize,
        inner: &DeferredLinear,
    ) -> Self {
        let (o, m, k) = (outer.rows, inner.weight.rows, inner.weight.cols);
        let (u, w, b) = (params.get(outer), params.get(inner.weight), params.get(inner.bias));
        let mut weight = pool.take(o, k);
        let u = (&u[at..], outer.cols, false);
        let right = View { data: w, rs: k, cs: 1 };
        gemm::weight_product(pool, (o, k, m), weight.data_mut(), u, right);
        let mut bias = vec![T::ZERO; o];
        gemm::weight_product(pool, (o, 1, m), &mut bias, u, View { data: b, rs: 1, cs: 1 });
        Self { weight, bias }
    }
}

impl DeferredLinear {
    /// The operation that computes it by itself.
    pub(crate) fn now<T: Scalar>(self, batch: &Batch<T>) -> Affine<'_, T> {
        Affine {
            weight: self.weight,
            bias: Some(self.bias),
            bias_scale: Some(&batch.in_degree),
            blocks: vec![(0, Block::Dense(self.s))],
        }
    }

    /// With V = U W, g = U b, dV = dyᵀ s and t = Σ deg·dy: ds = dy V, dU = dV Wᵀ + t bᵀ,
    /// dW = Uᵀ dV, db = Uᵀ t.
    fn backward<T: Scalar>(
        self,
        outer: ParamId,
        at: usize,
        dy: &Matrix<T>,
        cx: &mut Back<'_, '_, T>,
    ) {
        let (params, pool, batch) = (cx.params, cx.pool, cx.batch);
        let (o, m, k) = (outer.rows, self.weight.rows, self.weight.cols);
        let (u, w, b) = (&params.get(outer)[at..], params.get(self.weight), params.get(self.bias));
        let mut dv = pool.take(o, k);
        let s = &cx.nodes[self.s.0].value;
        gemm::weight_gradient(pool, (dv.data_mut(), k), false, (dy.data(), o), (s.data(), k));
        let t = rows::column_sums(dy.data(), o, Some(&batch.in_degree));
        let mut du = pool.take(o, m);
        let wt = View { data: w, rs: 1, cs: k };
        gemm::weight_product(pool, (o, m, k), du.data_mut(), (dv.data(), k, false), wt);
        let slot = &mut cx.grads.slot(outer)[at..];
        for (r, &t) in t.iter().enumerate() {
            let row = &mut slot[r * outer.cols..r * outer.cols + m];
            rows::add(row, du.row(r));
            rows::add_scaled(row, t, b);
        }
        let mut dw = pool.take(m, k);
        let right = View { data: dv.data(), rs: k, cs: 1 };
        let ut = (u, outer.cols, true);
        gemm::weight_product(pool, (m, k, o), dw.data_mut(), ut, right);
        cx.add_param(self.weight, dw.data());
        let mut db = vec![T::ZERO; m];
        gemm::weight_product(pool, (m, 1, o), &mut db, ut, View { data: &t, rs: 1, cs: 1 });
        cx.add_param(self.bias, &db);
        let product = Product::new(pool, params, outer, at, &self);
        let (mut ds, add) = cx.open(self.s);
        let v = (product.weight.data(), k);
        gemm::input_gradient(pool, (ds.data_mut(), k), add, (dy.data(), o), v);
        cx.close(self.s, ds);
        [dv, du, dw, product.weight].into_iter().for_each(|m| pool.give(m));
    }
}

/// Bias and look-ups: everything but the dense products.
#[inline(always)]
fn start_rows<T: Scalar>(
    out: &mut [T],
    o: usize,
    first: usize,
    bias: Option<&[T]>,
    scale: Option<&[T]>,
    tables: &[(&OneHot<'_>, Matrix<T>)],
) {
    for (i, row) in out.chunks_exact_mut(o).enumerate() {
        match (bias, scale) {
            (Some(b), Some(s)) => row.iter_mut().zip(b).for_each(|(y, &b)| *y = s[first + i] * b),
            (Some(b), None) => row.copy_from_slice(b),
            (None, _) => row.fill(T::ZERO),
        }
        for (hot, table) in tables {
            rows::add_rows(row, hot.ones(first + i).map(|one| table.row(one)));
        }
    }
}

impl<T: Scalar> Affine<'_, T> {
    pub(crate) fn backward(self, dy: Matrix<T>, cx: &mut Back<'_, '_, T>) {
        let (o, stride) = (self.weight.rows, self.weight.cols);
        let (params, pool) = (cx.params, cx.pool);
        let w = params.get(self.weight);
        if let Some(b) = self.bias {
            cx.add_param(b, &rows::column_sums(dy.data(), o, self.bias_scale));
        }
        for (at, block) in &self.blocks {
            match block {
                Block::Dense(v) => {
                    let k = cx.value(*v).cols();
                    if cx.needs(*v) {
                        let (mut dx, add) = cx.open(*v);
                        let w = (&w[*at..], stride);
                        gemm::input_gradient(pool, (dx.data_mut(), k), add, (dy.data(), o), w);
                        cx.close(*v, dx);
                    }
                    let x = &cx.nodes[v.0].value;
                    let (dy, x) = ((dy.data(), o), (x.data(), k));
                    if k == stride {
                        let (dw, add) = cx.grads.slot_to_fill(self.weight);
                        gemm::weight_gradient(pool, (dw, stride), add, dy, x);
                    } else {
                        let dw = &mut cx.grads.slot(self.weight)[*at..];
                        gemm::weight_gradient(pool, (dw, stride), true, dy, x);
                    }
                }
                Block::Deferred(inner) => inner.backward(self.weight, *at, &dy, cx),
                Block::OneHot(hot) => {
                    let k = hot.starts.len().max(1);
                    let at_of = |i: usize| (hot.starts[i % k] + hot.index[i]) as usize;
                    let table = rows::scatter(pool, hot.width, o, hot.index.len(), at_of, |i| {
                        dy.row(i / k)
                    });
                    let dw = cx.param(self.weight);
                    for (r, row) in table.data().chunks_exact(o.max(1)).enumerate() {
                        for (c, &g) in row.iter().enumerate() {
                            dw[c * stride + at + r] += g;
                        }
                    }
                    pool.give(table);
                }
            }
        }
        pool.give(dy);
    }
}
