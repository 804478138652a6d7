//! Sums by row and internal column, with a set of the columns each row has touched.
//!
//! Most rows touch few columns, so reading a row out costs what was put in, not its width.

use super::super::super::Matching;
use super::super::super::cells::{Cells, Outputs};
use super::lookup::{Lookups, OutputColumns};

/// Which rows a slab is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Vertex,
    Arc,
}

/// A matrix of sums that is mostly zero; all zero between two counts.
#[derive(Debug, Default)]
pub(super) struct Slab {
    sums: Vec<u32>,
    touched: Vec<u64>,
    /// Sums a row.
    pub(super) stride: usize,
    /// Words of `touched` a row.
    words: usize,
}

impl Slab {
    /// Makes room for `rows` rows of `columns` columns; nothing must have been left inside.
    pub(super) fn resize(&mut self, rows: usize, columns: usize) {
        self.stride = columns.next_multiple_of(64).max(64);
        self.words = self.stride / 64;
        if self.sums.len() < rows * self.stride {
            self.sums.resize(rows * self.stride, 0);
            self.touched.resize(rows * self.words, 0);
        }
    }

    /// Adds one at a row given by its first cell, `row * stride`.
    #[inline]
    pub(super) fn add(&mut self, first: usize, column: u16) {
        let at = first + column as usize;
        self.sums[at] += 1;
        self.touched[at / 64] |= 1 << (at % 64);
    }

    /// Moves the sums of slab row `row` to row `to` of the wanted tables.
    pub(super) fn flush<C: Cells>(
        &mut self,
        row: usize,
        to: usize,
        kind: Kind,
        lookups: &Lookups,
        out: &mut Outputs<C>,
    ) {
        let columns_of = match kind {
            Kind::Vertex => &lookups.vertex,
            Kind::Arc => &lookups.arc,
        };
        for word in row * self.words..(row + 1) * self.words {
            let set = std::mem::take(&mut self.touched[word]);
            if set == 0 {
                continue;
            }
            let base = (word - row * self.words) * 64;
            let sums = &mut self.sums[word * 64..word * 64 + 64];
            let (induced, subgraph) = (Matching::Induced, Matching::Subgraph);
            match kind {
                Kind::Vertex => {
                    send_induced(set, base, sums, columns_of, to, out.vertex(induced));
                    send_subgraph(set, base, sums, columns_of, to, out.vertex(subgraph));
                }
                Kind::Arc => {
                    send_induced(set, base, sums, columns_of, to, out.arc(induced));
                    send_subgraph(set, base, sums, columns_of, to, out.arc(subgraph));
                }
            }
            clear(set, sums);
        }
    }

    /// Forgets everything in a row.
    pub(super) fn forget(&mut self, row: usize) {
        for word in row * self.words..(row + 1) * self.words {
            let set = std::mem::take(&mut self.touched[word]);
            clear(set, &mut self.sums[word * 64..word * 64 + 64]);
        }
    }
}

fn clear(mut set: u64, sums: &mut [u32]) {
    while set != 0 {
        sums[set.trailing_zeros() as usize] = 0;
        set &= set - 1;
    }
}

fn send_induced<C: Cells>(
    mut set: u64,
    base: usize,
    sums: &[u32],
    columns_of: &OutputColumns,
    row: usize,
    table: Option<&mut C>,
) {
    let Some(table) = table else { return };
    while set != 0 {
        let bit = set.trailing_zeros() as usize;
        set &= set - 1;
        for &column in columns_of.induced(base + bit) {
            table.add(row, column as usize, u64::from(sums[bit]));
        }
    }
}

fn send_subgraph<C: Cells>(
    mut set: u64,
    base: usize,
    sums: &[u32],
    columns_of: &OutputColumns,
    row: usize,
    table: Option<&mut C>,
) {
    let Some(table) = table else { return };
    while set != 0 {
        let bit = set.trailing_zeros() as usize;
        set &= set - 1;
        for &(column, multiplicity) in columns_of.subgraph(base + bit) {
            // Two 32-bit factors: the product fits.
            table.add(row, column as usize, u64::from(sums[bit]) * u64::from(multiplicity));
        }
    }
}
