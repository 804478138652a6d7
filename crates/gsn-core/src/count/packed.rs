//! Tables without the columns that are zero throughout.
//!
//! A small graph holds few of the patterns of a large collection: of the 113 arc columns of
//! `all:3..=5` a molecule needs about twenty. Writing the rest, and reading it again, would take
//! longer than counting.

/// Most columns that a packed table can tell apart.
pub(super) const MAX_COLUMNS: usize = u128::BITS as usize;

/// A table with some of its columns.
#[derive(Clone, Debug)]
pub(super) struct Packed {
    /// The columns there are, as a set; all others are zero.
    pub(super) present: u128,
    /// Rows of the present columns, one after the other.
    pub(super) values: Vec<u64>,
}

impl Packed {
    /// Columns there are.
    pub(super) fn width(&self) -> usize {
        self.present.count_ones() as usize
    }

    /// Where a column is in the rows, if it is there.
    pub(super) fn place(&self, column: usize) -> Option<usize> {
        let below = (1 << column) - 1;
        (self.present >> column & 1 == 1).then(|| (self.present & below).count_ones() as usize)
    }

    /// All of the columns.
    pub(super) fn spread(&self, rows: usize, columns: usize) -> Vec<u64> {
        let mut values = vec![0; rows * columns];
        if self.present != 0 {
            let places: Vec<usize> = members(self.present).collect();
            let from = self.values.chunks_exact(places.len());
            for (row, from) in values.chunks_exact_mut(columns).zip(from) {
                for (&column, &value) in places.iter().zip(from) {
                    row[column] = value;
                }
            }
        }
        values
    }
}

/// The set of the first columns.
pub(super) fn first(columns: usize) -> u128 {
    if columns >= MAX_COLUMNS { !0 } else { (1 << columns) - 1 }
}

/// Members of a set of columns, in increasing order.
pub(super) fn members(mut set: u128) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let lowest = set.trailing_zeros() as usize;
            set &= set - 1;
            lowest
        })
    })
}

/// Some columns in the order in which they are read.
pub(super) struct List {
    columns: [u8; MAX_COLUMNS],
    width: usize,
}

impl List {
    /// These columns; at most [`MAX_COLUMNS`].
    pub(super) fn new(columns: impl Iterator<Item = usize>) -> Self {
        let mut list = Self { columns: [0; MAX_COLUMNS], width: 0 };
        for (slot, column) in list.columns.iter_mut().zip(columns) {
            *slot = column as u8;
            list.width += 1;
        }
        list
    }

    pub(super) fn columns(&self) -> &[u8] {
        &self.columns[..self.width]
    }

    /// These columns of one row.
    #[inline]
    pub(super) fn copy(&self, to: &mut [u64], from: &[u64]) {
        for (cell, &column) in to.iter_mut().zip(&self.columns) {
            *cell = from[column as usize];
        }
    }

    /// These columns of some rows.
    pub(super) fn copy_all<'a>(
        &self,
        count: usize,
        rows: impl Iterator<Item = &'a [u64]>,
    ) -> Vec<u64> {
        let mut values = vec![0; count * self.width];
        // Molecules have cycles of one or two sizes: loops of known length for few columns.
        match *self.columns() {
            [] => {}
            [a] => copy_some(&mut values, [a], rows),
            [a, b] => copy_some(&mut values, [a, b], rows),
            [a, b, c] => copy_some(&mut values, [a, b, c], rows),
            _ => {
                for (to, from) in values.chunks_exact_mut(self.width).zip(rows) {
                    self.copy(to, from);
                }
            }
        }
        values
    }
}

#[inline]
fn copy_some<'a, const K: usize>(
    values: &mut [u64],
    columns: [u8; K],
    rows: impl Iterator<Item = &'a [u64]>,
) {
    for (to, from) in values.as_chunks_mut::<K>().0.iter_mut().zip(rows) {
        *to = columns.map(|column| from[column as usize]);
    }
}
