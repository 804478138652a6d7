//! The feature tables of a batch: the graphs' tables under each other, in the order of the batch.
//!
//! Tables of categories on arcs also know their different rows, so that what depends on the row
//! alone is computed once per different row.

use std::collections::HashMap;

use super::input::permuted;
use super::{Features, GraphInput};
use crate::error::{Error, Result};
use crate::matrix::Matrix;
use crate::scalar::Scalar;

/// Category indices of a batch.
#[derive(Debug, Clone)]
pub(crate) struct Categories {
    pub(crate) cols: usize,
    pub(crate) index: Vec<u32>,
    /// Largest index in each column, to compare with vocabularies once instead of per row.
    pub(crate) max: Vec<Option<u32>>,
    /// The different rows, for tables on arcs.
    pub(crate) distinct: Distinct,
}

/// The different rows of a table and which of them each row is: products with one-hot rows are
/// computed once per different row.
#[derive(Debug, Clone, Default)]
pub(crate) struct Distinct {
    pub(crate) of_row: Vec<u32>,
    pub(crate) rows: Vec<u32>,
    pub(crate) count: usize,
}

/// A feature table of a batch.
#[derive(Debug, Clone)]
pub(crate) enum FeatureTable<T> {
    Categories(Categories),
    Values(Matrix<T>),
}

/// One table of all graphs, rows reordered by `order` if given.
pub(super) fn collect<T: Scalar>(
    graphs: &[&GraphInput],
    get: fn(&GraphInput) -> &Option<Features>,
    what: &str,
    on_arcs: bool,
    order: Option<&[u32]>,
) -> Result<Option<FeatureTable<T>>> {
    let Some(first) = graphs.first().and_then(|g| get(g).as_ref()) else {
        return match graphs.iter().position(|g| get(g).is_some()) {
            Some(graph) => {
                Err(Error::Graph { graph, what: format!("has {what}, graph 0 has none") })
            }
            None => Ok(None),
        };
    };
    let (kind, cols, _) = first.shape();
    let (mut index, mut values) = (Vec::new(), Vec::new());
    for (graph, g) in graphs.iter().enumerate() {
        let fail = |what: String| Error::Graph { graph, what };
        let Some(f) = get(g) else {
            return Err(fail(format!("no {what}, but graph 0 has them")));
        };
        let rows = if on_arcs { g.arcs.len() } else { g.vertices };
        let (k, c, len) = f.shape();
        if k != kind || c != cols {
            return Err(fail(format!(
                "{what} of {c} columns, graph 0 has {cols} (or another kind)"
            )));
        }
        if len != rows * cols {
            return Err(fail(format!("{what}: {len} numbers for {rows} rows of {cols}")));
        }
        match f {
            Features::Categories { data, .. } => index.extend_from_slice(data),
            Features::Values { data, .. } => values.extend(data.iter().map(|&x| T::from_f64(x))),
        }
    }
    fn permute<X: Copy>(data: Vec<X>, cols: usize, order: Option<&[u32]>) -> Vec<X> {
        match order {
            Some(order) => permuted(&data, cols, order),
            None => data,
        }
    }
    if !kind {
        let data = permute(values, cols, order);
        let rows = data.len().checked_div(cols).unwrap_or(0);
        return Ok(Matrix::from_vec(rows, cols, data).map(FeatureTable::Values));
    }
    let index = permute(index, cols, order);
    let max = largest(&index, cols);
    let distinct = if on_arcs { distinct(&index, &max) } else { Distinct::default() };
    Ok(Some(FeatureTable::Categories(Categories { cols, index, max, distinct })))
}

/// The largest number of each column; `None` of no rows.
fn largest(index: &[u32], cols: usize) -> Vec<Option<u32>> {
    let Some((first, rest)) = index.split_at_checked(cols) else { return vec![None; cols] };
    let mut max = first.to_vec();
    for row in rest.chunks_exact(cols.max(1)) {
        max.iter_mut().zip(row).for_each(|(max, &i)| *max = i.max(*max));
    }
    max.into_iter().map(Some).collect()
}

/// Finds the different rows, numbered as they first appear.
///
/// Column by column: what the rows before this column are called, and what stands in it, name a
/// pair; pairs are numbered anew, by a table where there are few and by hashing where there might
/// be many.
fn distinct(index: &[u32], max: &[Option<u32>]) -> Distinct {
    let cols = max.len();
    let rows = index.len().checked_div(cols).unwrap_or(0);
    let mut out = Distinct { of_row: vec![0; rows], ..Distinct::default() };
    if rows == 0 {
        return out;
    }
    out.count = 1;
    // The row where each number appeared first.
    let mut firsts: Vec<usize> = vec![0];
    for (c, &max) in max.iter().enumerate() {
        let radix = max.unwrap_or(0) as usize + 1;
        firsts.clear();
        let mut number = |row: usize, slot: &mut u32| {
            if *slot == u32::MAX {
                *slot = firsts.len() as u32;
                firsts.push(row);
            }
            *slot
        };
        let column = index[c..].iter().step_by(cols);
        let pairs = out.of_row.iter_mut().zip(column).enumerate();
        match out.count.checked_mul(radix) {
            Some(space) if space <= (8 * rows).max(1 << 16) => {
                let mut slots = vec![u32::MAX; space];
                for (row, (of, &i)) in pairs {
                    *of = number(row, &mut slots[*of as usize * radix + i as usize]);
                }
            }
            _ => {
                let mut slots: HashMap<(u32, u32), u32> = HashMap::new();
                for (row, (of, &i)) in pairs {
                    *of = number(row, slots.entry((*of, i)).or_insert(u32::MAX));
                }
            }
        }
        out.count = firsts.len();
    }
    for &row in &firsts {
        out.rows.extend_from_slice(&index[row * cols..(row + 1) * cols]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_rows_are_numbered_as_they_appear() {
        let number = |i: u64, below: u64| (gsn_core::random::uniform(7, i) * below as f64) as u32;
        for (rows, cols, below) in [(0, 2, 3), (50, 1, 5), (400, 3, 3), (300, 2, 1 << 30)] {
            let index: Vec<u32> = (0..rows * cols).map(|i| number(i / 2, below)).collect();
            let cols = cols as usize;
            let found = distinct(&index, &largest(&index, cols));
            let mut seen: Vec<&[u32]> = Vec::new();
            for (row, &of) in index.chunks_exact(cols).zip(&found.of_row) {
                let at = seen.iter().position(|&s| s == row).unwrap_or(seen.len());
                if at == seen.len() {
                    seen.push(row);
                }
                assert_eq!(of as usize, at);
            }
            assert_eq!((found.count, found.rows), (seen.len(), seen.concat()));
            assert_eq!(found.of_row.len(), rows as usize);
        }
    }
}
