//! Tables without the columns that are zero throughout.
//!
//! A small graph holds few of the patterns of a large collection: of the 113 arc columns of
//! `all:3..=5` a molecule needs about twenty. Writing the rest, and reading it again, would take
//! longer than counting.

/// Most columns that a packed table can tell apart.
pub(super) const MAX_COLUMNS: usize = u128::BITS as usize;

/// A table with some of its columns.
#[derive(Clone, Debug)]
pub(super) struct PackedTable {
    /// The columns that are present, as a set; all others are zero.
    pub(super) present: u128,
    /// Rows of the present columns, one after the other.
    pub(super) values: Vec<u64>,
}

impl PackedTable {
    /// Number of columns that are present.
    pub(super) fn width(&self) -> usize {
        self.present.count_ones() as usize
    }

    /// The position of a column in the rows, if it is present.
    pub(super) fn position(&self, column: usize) -> Option<usize> {
        let below = (1 << column) - 1;
        (self.present >> column & 1 == 1).then(|| (self.present & below).count_ones() as usize)
    }

    /// All of the columns.
    pub(super) fn spread(&self, rows: usize, columns: usize) -> Vec<u64> {
        let mut values = vec![0; rows * columns];
        if self.present != 0 {
            let present: Vec<usize> = members(self.present).collect();
            let from = self.values.chunks_exact(present.len());
            for (row, from) in values.chunks_exact_mut(columns).zip(from) {
                for (&column, &value) in present.iter().zip(from) {
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
pub(super) struct ColumnList {
    columns: [u8; MAX_COLUMNS],
    width: usize,
}

impl ColumnList {
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
    pub(super) fn push(&self, to: &mut Vec<u64>, from: &[u64]) {
        to.extend(self.columns().iter().map(|&column| from[column as usize]));
    }
}

/// Some columns of some rows, in increasing order.
pub(super) fn copy_columns<'a>(
    columns: u128,
    rows: impl ExactSizeIterator<Item = &'a [u64]>,
) -> Vec<u64> {
    // Molecules have cycles of one or two sizes: loops of known length for few columns.
    match columns.count_ones() {
        0 => Vec::new(),
        1 => copy_some::<1>(columns, rows),
        2 => copy_some::<2>(columns, rows),
        3 => copy_some::<3>(columns, rows),
        4 => copy_some::<4>(columns, rows),
        _ => {
            let list = ColumnList::new(members(columns));
            let mut values = Vec::with_capacity(rows.len() * list.width);
            rows.for_each(|row| list.push(&mut values, row));
            values
        }
    }
}

fn copy_some<'a, const K: usize>(
    columns: u128,
    rows: impl ExactSizeIterator<Item = &'a [u64]>,
) -> Vec<u64> {
    let mut all = members(columns);
    let columns = [(); K].map(|()| all.next().unwrap_or_default());
    rows.map(|row| columns.map(|column| row[column])).collect::<Vec<[u64; K]>>().into_flattened()
}
