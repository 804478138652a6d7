//! Values per arc, for networks that cannot fuse: the first Linear of an MLP over arcs, put
//! together from its terms, and the sum of arc values per target.
//! Cost: arcs·width.

use super::message::{ArcReader, ArcTerms, spread_arc_grad, sum_per_target};
use super::{Back, Op, Tape, Var};
use crate::kernel::for_rows;
use crate::matrix::Matrix;
use crate::scalar::Scalar;

/// z_uv = target_v + source_u + Σ tables[uv] + arc_uv.
pub(crate) struct ArcGather<'a> {
    terms: ArcTerms<'a>,
}

impl<'a, T: Scalar> Tape<'a, T> {
    /// A row of `width` numbers per arc; see [`ArcTerms`].
    pub(crate) fn arc_gather(&mut self, terms: ArcTerms<'a>, width: usize) -> Var {
        let batch = self.batch;
        let mut out = self.pool.take(batch.arcs(), width);
        let reader = ArcReader::new(&terms, batch, |v| self.value(v));
        for_rows(
            &mut out,
            #[inline(always)]
            |a, row| reader.read(batch.target[a] as usize, a, row),
        );
        let needs = terms.vars().any(|v| self.needs(v));
        self.push(out, needs, Op::ArcGather(ArcGather { terms }))
    }

    /// Σ over the arcs into each vertex.
    pub(crate) fn arc_sum(&mut self, x: Var) -> Var {
        let mut out = self.pool.take(self.batch.vertices, self.cols(x));
        sum_per_target(self.batch, &mut out, self.value(x));
        let needs = self.needs(x);
        self.push(out, needs, Op::ArcSum(x))
    }
}

impl ArcGather<'_> {
    pub(crate) fn backward<T: Scalar>(self, dz: Matrix<T>, cx: &mut Back<'_, '_, T>) {
        spread_arc_grad(&self.terms, dz, None, cx);
    }
}

/// Every arc gets the gradient of its target.
pub(crate) fn sum_backward<T: Scalar>(x: Var, dy: Matrix<T>, cx: &mut Back<'_, '_, T>) {
    let batch = cx.batch;
    let mut dx = cx.pool.take(batch.arcs(), dy.cols());
    for_rows(
        &mut dx,
        #[inline(always)]
        |a, row| row.copy_from_slice(dy.row(batch.target[a] as usize)),
    );
    cx.pool.give(dy);
    cx.add(x, dx);
}
