//! Readout: one row per graph from the rows of its vertices (or arcs), and the way back for the
//! virtual node: a graph's row added to all its vertices. Cost: one pass.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Back, Op, Tape, Var};
use crate::kernel::{for_rows, rows, split, vectorised};
use crate::matrix::Matrix;
use crate::scalar::Scalar;

/// How the rows of a graph become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Readout {
    /// Σ of all rows.
    Sum,
    /// Σ of all rows divided by their number (isolated vertices count).
    Mean,
    /// Largest entry of each column.
    Max,
}

/// One row per graph.
pub(crate) struct Segment<'a> {
    x: Var,
    offsets: &'a [u32],
    how: Readout,
    /// Row that held the maximum, for every entry of the result.
    winners: Vec<u32>,
}

/// y_v = x_v + g_{graph of v}
pub(crate) struct Spread {
    x: Var,
    g: Var,
}

impl<'a, T: Scalar> Tape<'a, T> {
    /// Readout over rows `offsets[g]..offsets[g + 1]` for every graph g; no rows give zeros.
    pub(crate) fn segment(&mut self, x: Var, offsets: &'a [u32], how: Readout) -> Var {
        let from = self.value(x);
        let cols = from.cols();
        let graphs = offsets.len() - 1;
        let mut out = self.pool.take_zeroed(graphs, cols);
        let mut winners = vec![0u32; if how == Readout::Max { graphs * cols } else { 0 }];
        per_graph(
            &mut out,
            #[inline(always)]
            |g, row| {
                let range = offsets[g] as usize..offsets[g + 1] as usize;
                match how {
                    Readout::Sum | Readout::Mean => {
                        range.clone().for_each(|r| rows::add(row, from.row(r)));
                        if how == Readout::Mean && !range.is_empty() {
                            let n = T::from_f64(range.len() as f64);
                            row.iter_mut().for_each(|y| *y = *y / n);
                        }
                    }
                    Readout::Max => {
                        for r in range.clone() {
                            for (y, &x) in row.iter_mut().zip(from.row(r)) {
                                *y = if r == range.start || x > *y { x } else { *y };
                            }
                        }
                    }
                }
            },
        );
        for (at, w) in winners.iter_mut().enumerate() {
            let (g, c) = (at / cols, at % cols);
            let best = out.row(g)[c];
            let mut range = offsets[g]..offsets[g + 1];
            *w = range.find(|&r| from.row(r as usize)[c] == best).unwrap_or(u32::MAX);
        }
        let needs = self.needs(x);
        self.push(out, needs, Op::Segment(Segment { x, offsets, how, winners }))
    }

    /// Adds the row of each graph to its vertices.
    pub(crate) fn spread(&mut self, x: Var, g: Var) -> Var {
        let batch = self.batch;
        let (from, graph_rows) = (self.value(x), self.value(g));
        let mut out = self.pool.take(from.rows(), from.cols());
        for_rows(
            &mut out,
            #[inline(always)]
            |v, row| {
                let g = graph_rows.row(batch.graph_of[v] as usize);
                let both = from.row(v).iter().zip(g);
                row.iter_mut().zip(both).for_each(|(y, (&x, &g))| *y = x + g);
            },
        );
        let needs = self.needs(x) || self.needs(g);
        self.push(out, needs, Op::Spread(Spread { x, g }))
    }
}

/// Runs `f(graph, its row)` over all graphs in parallel, eight to a task.
fn per_graph<T: Scalar>(m: &mut Matrix<T>, f: impl Fn(usize, &mut [T]) + Sync) {
    let cols = m.cols().max(1);
    m.data_mut().par_chunks_mut(8 * cols).enumerate().for_each(|(i, rows)| {
        vectorised(
            #[inline(always)]
            || {
                for (j, row) in rows.chunks_exact_mut(cols).enumerate() {
                    f(8 * i + j, row);
                }
            },
        )
    });
}

impl Segment<'_> {
    pub(crate) fn backward<T: Scalar>(self, dy: Matrix<T>, cx: &mut Back<'_, '_, T>) {
        let n = *self.offsets.last().unwrap_or(&0) as usize;
        let cols = dy.cols();
        let mut dx = cx.pool.take_zeroed(n, cols);
        let lens = self.offsets.windows(2).map(|w| (w[1] - w[0]) as usize * cols);
        let pieces = split(dx.data_mut(), lens);
        for (g, piece) in pieces.into_iter().enumerate() {
            let dy = dy.row(g);
            let first = self.offsets[g] as usize;
            match self.how {
                Readout::Sum => {
                    piece.chunks_exact_mut(cols).for_each(|row| row.copy_from_slice(dy))
                }
                Readout::Mean => {
                    let share = T::ONE / T::from_f64((piece.len() / cols.max(1)).max(1) as f64);
                    piece.chunks_exact_mut(cols).for_each(|row| rows::add_scaled(row, share, dy));
                }
                Readout::Max => {
                    for (c, &d) in dy.iter().enumerate() {
                        // Without rows, or with NaN among them, there is no winner.
                        let winner = (self.winners[g * cols + c] as usize).checked_sub(first);
                        if let Some(x) = winner.and_then(|r| piece.get_mut(r * cols + c)) {
                            *x += d;
                        }
                    }
                }
            }
        }
        cx.pool.give(dy);
        cx.add(self.x, dx);
    }
}

impl Spread {
    pub(crate) fn backward<T: Scalar>(self, dy: Matrix<T>, cx: &mut Back<'_, '_, T>) {
        let batch = cx.batch;
        let mut dg = cx.pool.take_zeroed(batch.graphs, dy.cols());
        per_graph(
            &mut dg,
            #[inline(always)]
            |g, row| {
                let range = batch.vertex_offsets[g]..batch.vertex_offsets[g + 1];
                range.for_each(|v| rows::add(row, dy.row(v as usize)));
            },
        );
        cx.add(self.g, dg);
        cx.add(self.x, dy);
    }
}
