//! Sums over neighbours in the GIN and OGB forms:
//! out_v = (1+ε)·(x_v + self) + Σ_{u→v} f(x_u + Σ tables[uv] + arc_uv) + b, f the identity or ReLU.
//!
//! The GIN form calls it behind its first Linear: W((1+ε)a_v + Σ a_u) = (1+ε)W a_v + Σ W a_u,
//! so one-hot features of any width cost a look-up. Cost: arcs·width each way; the backward makes
//! one array with a row per arc if f is ReLU or there is a term per arc.

use super::message::{ArcReader, ArcTerms, per_chunk, per_vertex, spread_arc_grad};
use super::{Back, Op, Tape, Var};
use crate::kernel::{chunk_rows, for_rows, map_chunks, rows};
use crate::matrix::Matrix;
use crate::params::{ParamId, Params};
use crate::scalar::Scalar;

/// The ε of GIN: a buffer or a trained number.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Eps {
    /// Offset among the buffers.
    Fixed(usize),
    Learned(ParamId),
}

impl Eps {
    pub(crate) fn one_plus<T: Scalar>(self, params: &Params<T>) -> T {
        T::ONE
            + match self {
                Eps::Fixed(at) => params.buffers[at],
                Eps::Learned(id) => params.get(id)[0],
            }
    }
}

/// See the module documentation.
pub(crate) struct Aggregate<'a, T> {
    x: Var,
    eps: Eps,
    one_plus: T,
    self_row: Option<Var>,
    bias: Option<ParamId>,
    relu: bool,
    terms: ArcTerms<'a>,
}

impl<'a, T: Scalar> Tape<'a, T> {
    /// See the module documentation; `tables` and `arc` as in [`ArcTerms`].
    pub(crate) fn aggregate(
        &mut self,
        x: Var,
        (eps, self_row): (Eps, Option<Var>),
        (relu, bias): (bool, Option<ParamId>),
        tables: Vec<(Var, &'a [u32])>,
        arc: Option<Var>,
    ) -> Var {
        let batch = self.batch;
        let width = self.cols(x);
        let one_plus = eps.one_plus(self.params);
        let terms = ArcTerms { tables, arc, ..ArcTerms::of_source(x) };
        let mut out = self.pool.take(batch.vertices, width);
        let own = self.value(x);
        let dummy = self_row.map(|s| self.value(s).row(0));
        let b = bias.map(|b| self.params.get(b));
        let reader = ArcReader::new(&terms, batch, |v| self.value(v));
        let plain = terms.tables.is_empty() && terms.arc.is_none() && !relu;
        per_chunk(
            batch,
            &mut out,
            #[inline(always)]
            |range, out| {
                let mut z = vec![T::ZERO; width];
                for (v, s) in range.zip(out.chunks_exact_mut(width.max(1))) {
                    start_row(s, one_plus, own.row(v), dummy);
                    if let Some(b) = b {
                        rows::add(s, b);
                    }
                    if plain {
                        let sources = &batch.source[batch.arcs_in(v)];
                        rows::add_rows(s, sources.iter().map(|&u| own.row(u as usize)));
                        continue;
                    }
                    for a in batch.arcs_in(v) {
                        reader.read(v, a, &mut z);
                        add_cut(s, &z, relu);
                    }
                }
            },
        );
        let learned = matches!(eps, Eps::Learned(_));
        let needs =
            learned || bias.is_some() || self_row.is_some() || terms.vars().any(|v| self.needs(v));
        self.push(
            out,
            needs,
            Op::Aggregate(Aggregate { x, eps, one_plus, self_row, bias, relu, terms }),
        )
    }
}

#[inline(always)]
fn start_row<T: Scalar>(s: &mut [T], one_plus: T, x: &[T], dummy: Option<&[T]>) {
    for (s, &x) in s.iter_mut().zip(x) {
        *s = one_plus * x;
    }
    if let Some(d) = dummy {
        rows::add_scaled(s, one_plus, d);
    }
}

#[inline(always)]
fn add_cut<T: Scalar>(s: &mut [T], z: &[T], relu: bool) {
    for (s, &z) in s.iter_mut().zip(z) {
        *s += if relu & (z < T::ZERO) { T::ZERO } else { z };
    }
}

impl<T: Scalar> Aggregate<'_, T> {
    pub(crate) fn backward(mut self, d: Matrix<T>, cx: &mut Back<'_, '_, T>) {
        let (batch, pool, width) = (cx.batch, cx.pool, d.cols());
        if let Eps::Learned(id) = self.eps {
            let (x, dummy) = (cx.value(self.x), self.self_row.map(|s| cx.value(s).row(0)));
            let parts = map_chunks(
                batch.vertices,
                chunk_rows(width),
                #[inline(always)]
                |range| {
                    let mut sum = T::ZERO;
                    for v in range {
                        for i in 0..width {
                            sum += d.row(v)[i] * (x.row(v)[i] + dummy.map_or(T::ZERO, |s| s[i]));
                        }
                    }
                    vec![sum]
                },
            );
            cx.add_param(id, &rows::fold(parts, 1));
        }
        if let Some(b) = self.bias {
            cx.add_param(b, &rows::column_sums(d.data(), width, None));
        }
        if let Some(s) = self.self_row {
            let mut sum = pool.take(1, width);
            sum.data_mut().copy_from_slice(&rows::column_sums(d.data(), width, None));
            sum.data_mut().iter_mut().for_each(|x| *x *= self.one_plus);
            cx.add(s, sum);
        }
        let one_plus = self.one_plus;
        let on_arcs = !self.terms.tables.is_empty() || self.terms.arc.is_some();
        let g = (self.relu || self.terms.arc.is_some()).then(|| self.arc_gradient(&d, cx));
        if cx.needs(self.x) {
            let mut dx = pool.take(batch.vertices, width);
            per_vertex(
                batch,
                &mut dx,
                #[inline(always)]
                |u, row| {
                    start_row(row, one_plus, d.row(u), None);
                    let arcs = batch.arcs_out(u).iter().map(|&a| a as usize);
                    match &g {
                        Some(g) => rows::add_rows(row, arcs.map(|a| g.row(a))),
                        None => rows::add_rows(row, arcs.map(|a| d.row(batch.target[a] as usize))),
                    }
                },
            );
            cx.add(self.x, dx);
        }
        self.terms.source = None;
        match g {
            Some(g) if on_arcs => spread_arc_grad(&self.terms, g, None, cx),
            Some(g) => pool.give(g),
            None => {
                for &(table, index) in &self.terms.tables {
                    let size = cx.value(table).rows();
                    let at = |a: usize| index[a] as usize;
                    let row = |a: usize| d.row(batch.target[a] as usize);
                    let dt = rows::scatter(pool, size, width, index.len(), at, row);
                    cx.add(table, dt);
                }
            }
        }
        pool.give(d);
    }

    /// The gradient of what stands under the sum, a row per arc.
    fn arc_gradient(&self, d: &Matrix<T>, cx: &Back<'_, '_, T>) -> Matrix<T> {
        let batch = cx.batch;
        let mut g = cx.pool.take(batch.arcs(), d.cols());
        let reader = ArcReader::new(&self.terms, batch, |v| cx.value(v));
        for_rows(
            &mut g,
            #[inline(always)]
            |a, row| {
                let v = batch.target[a] as usize;
                if self.relu {
                    reader.read(v, a, row);
                    for (z, &d) in row.iter_mut().zip(d.row(v)) {
                        *z = if *z > T::ZERO { d } else { T::ZERO };
                    }
                } else {
                    row.copy_from_slice(d.row(v));
                }
            },
        );
        g
    }
}
