//! Values per arc, for networks that cannot fuse: the first Linear of an MLP over arcs, put
//! together from its terms, and the sum of arc values per target.
//! Cost: arcs·width.

use super::message::{ArcReader, ArcTerms, spread_arc_grad, sum_per_target};
use super::{Back, Op, Tape, Var};
use crate::kernel::{chunk_rows, for_rows};
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
            out.data_mut(),
            width.max(1),
            chunk_rows(width),
            #[inline(always)]
            |first, out| {
                for (i, row) in out.chunks_exact_mut(width).enumerate() {
                    reader.read(batch.target[first + i] as usize, first + i, row);
                }
            },
        );
        let needs = terms.vars().any(|v| self.needs(v));
        self.push(out, needs, Op::ArcGather(ArcGather { terms }))
    }

    /// Σ over the arcs into each vertex.
    pub(crate) fn arc_sum(&mut self, x: Var) -> Var {
        let mut out = self.pool.take(self.batch.vertices, self.cols(x));
        sum_per_target(self.batch, out.data_mut(), self.value(x));
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
    let (batch, width) = (cx.batch, dy.cols());
    let mut dx = cx.pool.take(batch.arcs(), width);
    for_rows(
        dx.data_mut(),
        width.max(1),
        chunk_rows(width),
        #[inline(always)]
        |first, out| {
            for (i, row) in out.chunks_exact_mut(width).enumerate() {
                row.copy_from_slice(dy.row(batch.target[first + i] as usize));
            }
        },
    );
    cx.pool.give(dy);
    cx.add(x, dx);
}
