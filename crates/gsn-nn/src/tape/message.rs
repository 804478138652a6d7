//! The fused message of the general form: s_v = Σ_{u→v} ReLU(BN(z_uv)).
//!
//! z_uv = target_v + source_u + Σ tables[uv] + arc_uv is the first Linear of the message MLP, split
//! into products per vertex, per different arc category (tables) and per arc. One pass over the
//! arcs sorted by target makes z and the statistics of the BatchNorm over arcs; a second
//! normalises, cuts at zero and sums. z is the only array with a row per arc that is kept for the
//! backward, which overwrites it with dz. In an evaluation the BatchNorm is folded into the terms and
//! z is not stored at all.
//! Cost: arcs·width per pass.

use std::ops::Range;

use rayon::prelude::*;

use super::norm::{ScaleShift, Stats, sums_row};
use super::{Back, Op, Tape, Var};
use crate::batch::Batch;
use crate::kernel::{rows, split, vectorised};
use crate::matrix::{Matrix, Pool};
use crate::params::NormIds;
use crate::scalar::Scalar;

/// The terms of z_uv = target_v + source_u + Σ tables[uv] + arc_uv; any may be absent.
#[derive(Debug, Clone)]
pub(crate) struct ArcTerms<'a> {
    /// A row per target vertex.
    pub(crate) target: Option<Var>,
    /// A row per source vertex.
    pub(crate) source: Option<Var>,
    /// A row per category, and the category of each arc.
    pub(crate) tables: Vec<(Var, &'a [u32])>,
    /// A row per arc.
    pub(crate) arc: Option<Var>,
}

impl ArcTerms<'_> {
    /// The rows of the sources alone.
    pub(crate) fn of_source(source: Var) -> Self {
        Self { target: None, source: Some(source), tables: Vec::new(), arc: None }
    }

    pub(crate) fn vars(&self) -> impl Iterator<Item = Var> + '_ {
        let tables = self.tables.iter().map(|t| t.0);
        self.target.into_iter().chain(self.source).chain(tables).chain(self.arc)
    }
}

/// The terms as matrices, ready to be read arc by arc.
pub(crate) struct ArcReader<'m, T> {
    target: Option<&'m Matrix<T>>,
    source: Option<&'m Matrix<T>>,
    tables: Vec<(&'m Matrix<T>, &'m [u32])>,
    arc: Option<&'m Matrix<T>>,
    source_of: &'m [u32],
}

impl<'m, T: Scalar> ArcReader<'m, T> {
    pub(crate) fn new(
        terms: &'m ArcTerms<'_>,
        batch: &'m Batch<T>,
        get: impl Fn(Var) -> &'m Matrix<T>,
    ) -> Self {
        Self {
            target: terms.target.map(&get),
            source: terms.source.map(&get),
            tables: terms.tables.iter().map(|&(v, i)| (get(v), i)).collect(),
            arc: terms.arc.map(&get),
            source_of: &batch.source,
        }
    }

    /// z of arc `a` into vertex `v`.
    #[inline(always)]
    pub(crate) fn read(&self, v: usize, a: usize, z: &mut [T]) {
        let n = z.len();
        let mut tables = self.tables.as_slice();
        match (self.target, self.source) {
            (Some(p), Some(q)) => {
                let (p, q) = (&p.row(v)[..n], &q.row(self.source_of[a] as usize)[..n]);
                // Most networks have one table, which saves a pass over z here.
                if let Some(((table, index), others)) = tables.split_first() {
                    tables = others;
                    let t = &table.row(index[a] as usize)[..n];
                    for i in 0..n {
                        z[i] = p[i] + q[i] + t[i];
                    }
                } else {
                    for i in 0..n {
                        z[i] = p[i] + q[i];
                    }
                }
            }
            (Some(p), None) => z.copy_from_slice(p.row(v)),
            (None, Some(q)) => z.copy_from_slice(q.row(self.source_of[a] as usize)),
            (None, None) => z.fill(T::ZERO),
        }
        for (table, index) in tables {
            rows::add(z, table.row(index[a] as usize));
        }
        if let Some(r) = self.arc {
            rows::add(z, r.row(a));
        }
    }
}

/// See the module documentation.
pub(crate) struct Message<'a, T> {
    terms: ArcTerms<'a>,
    ids: NormIds,
    z: Matrix<T>,
    folded: ScaleShift<T>,
}

impl<'a, T: Scalar> Tape<'a, T> {
    /// Σ over incoming arcs of ReLU(BN(z)), a row per vertex of `width` numbers.
    pub(crate) fn message(&mut self, terms: ArcTerms<'a>, width: usize, ids: NormIds) -> Var {
        let batch = self.batch;
        let mut out = self.pool.take(batch.vertices, width);
        let mut z = self.pool.take(batch.arcs(), width);
        let moments = {
            let reader = ArcReader::new(&terms, batch, |v| self.value(v));
            let pieces = arc_pieces(batch, &mut z);
            let run = |(range, z): (&Range<usize>, &mut [T])| {
                vectorised(
                    #[inline(always)]
                    || {
                        let mut s = rows::Shifted::new(width);
                        let mut z = z.chunks_exact_mut(width.max(1));
                        for v in range.clone() {
                            for (a, z) in batch.arcs_in(v).zip(&mut z) {
                                reader.read(v, a, z);
                                s.push(z);
                            }
                        }
                        s.finish()
                    },
                )
            };
            batch.chunks.par_iter().zip(pieces).map(run).collect::<Vec<_>>()
        };
        let folded = if self.batch_statistics() {
            let (count, mean, var) = rows::join_moments(&moments, width);
            let folded = ScaleShift::new(self.params, ids, &mean, &var);
            self.stats.push(Stats { ids, count, mean, var });
            folded
        } else {
            ScaleShift::running(self.params, ids)
        };
        per_vertex(
            batch,
            &mut out,
            #[inline(always)]
            |v, s| {
                s.fill(T::ZERO);
                for a in batch.arcs_in(v) {
                    add_relu(s, z.row(a), &folded);
                }
            },
        );
        if !self.differentiates() {
            terms.vars().for_each(|v| self.release(v));
            self.pool.give(z);
            return self.constant(out);
        }
        // The terms are summed up in z; nothing reads them again.
        terms.vars().for_each(|v| self.forget(v));
        self.push(out, true, Op::Message(Message { terms, ids, z, folded }))
    }

    /// Σ over incoming arcs of ReLU(z) in an evaluation, whose BatchNorm is folded into the terms.
    pub(crate) fn relu_sum(&mut self, terms: &ArcTerms<'a>, width: usize) -> Var {
        let batch = self.batch;
        let mut out = self.pool.take(batch.vertices, width);
        let reader = ArcReader::new(terms, batch, |v| self.value(v));
        per_chunk(
            batch,
            &mut out,
            #[inline(always)]
            |range, out| {
                let mut z = vec![T::ZERO; width];
                for (v, s) in range.zip(out.chunks_exact_mut(width.max(1))) {
                    s.fill(T::ZERO);
                    for a in batch.arcs_in(v) {
                        reader.read(v, a, &mut z);
                        for (s, &z) in s.iter_mut().zip(&z) {
                            *s += if z > T::ZERO { z } else { T::ZERO };
                        }
                    }
                }
            },
        );
        terms.vars().for_each(|v| self.release(v));
        self.constant(out)
    }

    /// Keeps the shape of a value (its gradient needs it) but gives its memory back.
    fn forget(&mut self, v: Var) {
        if self.trace.is_none() {
            let (rows, cols) = (self.value(v).rows(), self.value(v).cols());
            let old = std::mem::replace(&mut self.nodes[v.0].value, Matrix::shape_only(rows, cols));
            self.pool.give(old);
        }
    }
}

/// Runs `f(vertices, their rows)` over the batch's chunks in parallel.
pub(crate) fn per_chunk<T: Scalar>(
    batch: &Batch<T>,
    out: &mut Matrix<T>,
    f: impl Fn(Range<usize>, &mut [T]) + Sync,
) {
    let cols = out.cols();
    let pieces = split(out.data_mut(), batch.chunks.iter().map(|r| r.len() * cols));
    batch.chunks.par_iter().zip(pieces).for_each(|(range, piece)| {
        vectorised(
            #[inline(always)]
            || f(range.clone(), piece),
        )
    });
}

/// Runs `f(vertex, its row)` over all vertices in parallel, chunk by chunk.
pub(crate) fn per_vertex<T: Scalar>(
    batch: &Batch<T>,
    out: &mut Matrix<T>,
    f: impl Fn(usize, &mut [T]) + Sync,
) {
    let cols = out.cols().max(1);
    per_chunk(
        batch,
        out,
        #[inline(always)]
        |range, out| {
            for (v, row) in range.zip(out.chunks_exact_mut(cols)) {
                f(v, row);
            }
        },
    );
}

/// Cuts values per arc into those of the arcs into each chunk of vertices.
fn arc_pieces<'z, T: Scalar>(batch: &Batch<T>, z: &'z mut Matrix<T>) -> Vec<&'z mut [T]> {
    let (width, at) = (z.cols(), &batch.in_offsets);
    let arcs_of = |r: &Range<usize>| (at[r.end] - at[r.start]) as usize;
    split(z.data_mut(), batch.chunks.iter().map(|r| arcs_of(r) * width))
}

/// s += ReLU(scale·z + shift)
#[inline(always)]
fn add_relu<T: Scalar>(s: &mut [T], z: &[T], f: &ScaleShift<T>) {
    let n = s.len();
    let (z, scale, shift) = (&z[..n], &f.scale[..n], &f.shift[..n]);
    for i in 0..n {
        let y = z[i] * scale[i] + shift[i];
        s[i] += if y > T::ZERO { y } else { T::ZERO };
    }
}

impl<T: Scalar> Message<'_, T> {
    pub(crate) fn recycle(self, pool: &Pool<T>) {
        pool.give(self.z);
    }

    pub(crate) fn backward(mut self, ds: Matrix<T>, cx: &mut Back<'_, '_, T>) {
        let batch = cx.batch;
        let pool = cx.pool;
        let width = ds.cols();
        let f = &self.folded;
        let (z, n_chunks) = (&self.z, batch.chunks.len());
        let sums: Vec<Vec<T>> = (0..n_chunks)
            .into_par_iter()
            .map(|c| {
                vectorised(
                    #[inline(always)]
                    || {
                        let mut both = vec![T::ZERO; 2 * width];
                        let (sum, sum_z) = both.split_at_mut(width);
                        for v in batch.chunks[c].clone() {
                            for a in batch.arcs_in(v) {
                                sums_row(sum, sum_z, ds.row(v), z.row(a), f, true);
                            }
                        }
                        both
                    },
                )
            })
            .collect();
        let both = rows::fold(sums, 2 * width);
        let [c0, c1, d_gamma, d_beta] = f.backward(batch.arcs(), &both[..width], &both[width..]);
        cx.add_param(self.ids.gamma, &d_gamma);
        cx.add_param(self.ids.beta, &d_beta);

        // z becomes dz; its sum per target is dp.
        let mut dp = pool.take(batch.vertices, width);
        let zs = arc_pieces(batch, &mut self.z);
        let dps = split(dp.data_mut(), batch.chunks.iter().map(|r| r.len() * width));
        batch.chunks.par_iter().zip(zs).zip(dps).for_each(|((range, z), dp)| {
            vectorised(
                #[inline(always)]
                || {
                    let mut z = z.chunks_exact_mut(width.max(1));
                    for (v, dp) in range.clone().zip(dp.chunks_exact_mut(width.max(1))) {
                        dp.fill(T::ZERO);
                        for (_, z) in batch.arcs_in(v).zip(&mut z) {
                            backward_arc(z, dp, ds.row(v), f, &c0, &c1);
                        }
                    }
                },
            );
        });
        pool.give(ds);
        spread_arc_grad(&self.terms, self.z, Some(dp), cx);
    }
}

/// Hands a gradient per arc to the terms of z; `dp` is its sum per target if known.
pub(crate) fn spread_arc_grad<T: Scalar>(
    terms: &ArcTerms<'_>,
    dz: Matrix<T>,
    dp: Option<Matrix<T>>,
    cx: &mut Back<'_, '_, T>,
) {
    let (batch, pool, width) = (cx.batch, cx.pool, dz.cols());
    if let Some(q) = terms.source.filter(|&q| cx.needs(q)) {
        let mut dq = pool.take(batch.vertices, width);
        per_vertex(
            batch,
            &mut dq,
            #[inline(always)]
            |u, row| {
                row.fill(T::ZERO);
                for &a in batch.arcs_out(u) {
                    rows::add(row, dz.row(a as usize));
                }
            },
        );
        cx.add(q, dq);
    }
    match (terms.target, dp) {
        (Some(p), Some(dp)) => cx.add(p, dp),
        (Some(p), None) if cx.needs(p) => {
            let mut dp = pool.take(batch.vertices, width);
            sum_per_target(batch, &mut dp, &dz);
            cx.add(p, dp);
        }
        (None, Some(dp)) => pool.give(dp),
        _ => {}
    }
    for &(table, index) in &terms.tables {
        let size = cx.value(table).rows();
        let at = |a: usize| index[a] as usize;
        let dt = rows::scatter(pool, size, width, index.len(), at, |a| dz.row(a));
        cx.add(table, dt);
    }
    match terms.arc {
        Some(r) => cx.add(r, dz),
        None => pool.give(dz),
    }
}

/// out_v = Σ rows of the arcs into v.
pub(crate) fn sum_per_target<T: Scalar>(batch: &Batch<T>, out: &mut Matrix<T>, arcs: &Matrix<T>) {
    per_vertex(
        batch,
        out,
        #[inline(always)]
        |v, row| {
            row.fill(T::ZERO);
            for a in batch.arcs_in(v) {
                rows::add(row, arcs.row(a));
            }
        },
    );
}

#[inline(always)]
fn backward_arc<T: Scalar>(
    z: &mut [T],
    dp: &mut [T],
    ds: &[T],
    f: &ScaleShift<T>,
    c0: &[T],
    c1: &[T],
) {
    let n = z.len();
    let (dp, ds, c0, c1) = (&mut dp[..n], &ds[..n], &c0[..n], &c1[..n]);
    let (scale, shift) = (&f.scale[..n], &f.shift[..n]);
    for i in 0..n {
        let (old, g) = (z[i], scale[i] * ds[i]);
        let d = if old * scale[i] + shift[i] > T::ZERO { g } else { T::ZERO };
        let dz = d + (c0[i] + c1[i] * old);
        z[i] = dz;
        dp[i] += dz;
    }
}
