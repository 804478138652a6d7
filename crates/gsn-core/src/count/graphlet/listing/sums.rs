//! Sums by row and internal column, with a set of the columns each row has touched.
//!
//! Most rows touch few columns, so reading a row out costs what was put in, not its width.

use super::lookup::OutputColumns;
use crate::count::cells::Cells;
use crate::pattern::bits;

/// A matrix of sums that is mostly zero; all zero between two counts.
#[derive(Debug, Default)]
pub(super) struct SparseSums {
    sums: Vec<u32>,
    touched: Vec<u64>,
    /// Sums a row.
    pub(super) stride: usize,
    /// Words of `touched` a row.
    words: usize,
}

impl SparseSums {
    /// Makes room for `rows` rows of `columns` columns; nothing must have been left inside.
    pub(super) fn resize(&mut self, rows: usize, columns: usize) {
        self.stride = columns.next_multiple_of(64).max(64);
        self.words = self.stride / 64;
        if self.sums.len() < rows * self.stride {
            self.sums.resize(rows * self.stride, 0);
            self.touched.resize(rows * self.words, 0);
        }
    }

    /// Adds at a row given by its first cell, `row * stride`.
    #[inline]
    pub(super) fn add(&mut self, first: usize, column: u16, count: u32) {
        let at = first + column as usize;
        self.sums[at] += count;
        self.touched[at / 64] |= 1 << (at % 64);
    }

    /// Moves the sums of slab row `row` to row `to` of the wanted tables.
    pub(super) fn flush<C: Cells>(
        &mut self,
        row: usize,
        to: usize,
        columns: &OutputColumns,
        [induced, subgraph]: &mut [Option<&mut C>; 2],
    ) {
        for word in row * self.words..(row + 1) * self.words {
            let set = std::mem::take(&mut self.touched[word]);
            if set == 0 {
                continue;
            }
            let base = (word - row * self.words) * 64;
            let sums = &mut self.sums[word * 64..word * 64 + 64];
            if let Some(table) = induced {
                for bit in bits(set) {
                    for &column in columns.induced(base + bit) {
                        table.add(to, column as usize, u64::from(sums[bit]));
                    }
                }
            }
            if let Some(table) = subgraph {
                for bit in bits(set) {
                    for &(column, multiplicity) in columns.subgraph(base + bit) {
                        // Two 32-bit factors: the product fits.
                        let product = u64::from(sums[bit]) * u64::from(multiplicity);
                        table.add(to, column as usize, product);
                    }
                }
            }
            bits(set).for_each(|bit| sums[bit] = 0);
        }
    }

    /// Sets a row to zero.
    pub(super) fn forget(&mut self, row: usize) {
        for word in row * self.words..(row + 1) * self.words {
            let set = std::mem::take(&mut self.touched[word]);
            bits(set).for_each(|bit| self.sums[word * 64 + bit] = 0);
        }
    }
}
