//! Embeddings: rows of trained tables, summed over the columns or side by side.
//! Cost: rows·columns·width each way.

use super::{Back, Op, Tape, Var};
use crate::kernel::{for_rows, rows};
use crate::matrix::Matrix;
use crate::params::ParamId;
use crate::scalar::Scalar;

/// y_r = Σ_c table_c[index[r, c]], or the same rows concatenated.
pub(crate) struct Embed<'a> {
    index: &'a [u32],
    tables: Vec<ParamId>,
    concat: bool,
}

impl<'a, T: Scalar> Tape<'a, T> {
    /// See [`Embed`]; `index` holds one category per table in every row.
    pub(crate) fn embed(&mut self, index: &'a [u32], tables: &[ParamId], concat: bool) -> Var {
        let k = tables.len();
        let d = tables.first().map_or(0, |t| t.cols);
        let cols = if concat { k * d } else { d };
        let n = index.len() / k.max(1);
        let mut out = self.pool.take_zeroed(n, cols);
        let params = self.params;
        for_rows(
            &mut out,
            #[inline(always)]
            |r, row| {
                for (c, &t) in tables.iter().enumerate() {
                    let at = index[r * k + c] as usize * d;
                    let from = &params.get(t)[at..at + d];
                    let to = if concat { &mut row[c * d..(c + 1) * d] } else { &mut *row };
                    rows::add(to, from);
                }
            },
        );
        self.push(out, true, Op::Embed(Embed { index, tables: tables.to_vec(), concat }))
    }
}

impl Embed<'_> {
    pub(crate) fn backward<T: Scalar>(self, dy: Matrix<T>, cx: &mut Back<'_, '_, T>) {
        let k = self.tables.len();
        for (c, &t) in self.tables.iter().enumerate() {
            let at = |r: usize| self.index[r * k + c] as usize;
            let cut = if self.concat { c * t.cols..(c + 1) * t.cols } else { 0..t.cols };
            let row = |r: usize| &dy.row(r)[cut.clone()];
            let g = rows::scatter(cx.pool, t.rows, t.cols, dy.rows(), at, row);
            cx.add_param(t, g.data());
            cx.pool.give(g);
        }
        cx.pool.give(dy);
    }
}
