//! [`CountEncoder`]: fitted once, applied to any graph.
//!
//! Cost: fitting is one pass over the counts; encoding a value is an array access where the
//! values seen have no gaps below it, a binary search elsewhere.

use super::fit::{Category, Fitted};
use super::histogram::Histogram;
use super::{EncodeError, Encoding, Unseen};
use crate::count::Counts;
use serde::{Deserialize, Serialize};
use std::borrow::Borrow;

/// A fitted encoder of count columns.
///
/// ```
/// use gsn_core::encode::Codes;
/// use gsn_core::{CountEncoder, CountSpec, Counter, Encoding, Graph, Unseen};
///
/// let counter = Counter::new(&CountSpec::new("cycle:3, path:3".parse()?));
/// let triangle = counter.count(&Graph::from_edges(3, [(0, 1), (1, 2), (2, 0)])?)?;
/// let path = counter.count(&Graph::from_edges(3, [(0, 1), (1, 2)])?)?;
///
/// // Fitted on both, then applied to a graph that was not there.
/// let encoder = CountEncoder::fit(&[triangle, path], Encoding::OneHot, Unseen::Unknown)?;
/// // Three columns (`path:3` has two orbits): values 0 and 1 each, and a category for others.
/// assert_eq!(encoder.sizes(), Some(vec![3, 3, 3]));
/// let star = counter.count(&Graph::from_edges(4, [(0, 1), (0, 2), (0, 3)])?)?;
/// let encoded = encoder.encode(star.values())?;
/// let Codes::Categories(codes) = encoded.codes else { unreachable!() };
/// assert_eq!(star.row(0), [0, 0, 3]);
/// assert_eq!(codes[..3], [0, 0, 2]); // the centre of three paths: never seen
/// assert_eq!(star.row(1), [0, 2, 0]);
/// assert_eq!(encoded.unseen, 4); // the centre once, and every leaf as the end of two paths
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored")]
pub struct CountEncoder {
    encoding: Encoding,
    unseen: Unseen,
    columns: Vec<String>,
    fitted: Vec<Fitted>,
}

/// A [`CountEncoder`] as it is stored, before it is checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    encoding: Encoding,
    unseen: Unseen,
    columns: Vec<String>,
    fitted: Vec<Fitted>,
}

impl TryFrom<Stored> for CountEncoder {
    type Error = EncodeError;

    fn try_from(stored: Stored) -> Result<Self, EncodeError> {
        let Stored { encoding, unseen, columns, fitted } = stored;
        if columns.len() != fitted.len() {
            let (names, there) = (columns.len(), fitted.len());
            return Err(EncodeError::Damaged(format!("{names} names of {there} columns")));
        }
        let none = |f: &Fitted| f.is_categories() && f.size() == 0 && unseen != Unseen::Unknown;
        if let Some(at) = fitted.iter().position(|f| !f.fits(encoding) || none(f)) {
            let column = &columns[at];
            return Err(EncodeError::Damaged(format!("column `{column}` is no `{encoding}`")));
        }
        Ok(Self { encoding, unseen, columns, fitted })
    }
}

/// Encoded rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Encoded {
    /// One code a cell, row after row.
    pub codes: Codes,
    /// Cells whose value was not there at fitting time.
    pub unseen: u64,
}

/// Codes of cells.
#[derive(Clone, Debug, PartialEq)]
pub enum Codes {
    /// Category indices, each below its column's size.
    Categories(Vec<u32>),
    /// Numbers.
    Values(Vec<f64>),
}

impl CountEncoder {
    /// Learns the values of every column from the counts of some graphs, in any order.
    ///
    /// # Arguments
    /// * `counts`: of at least one graph, all by one [`CountSpec`](crate::CountSpec);
    /// * `encoding`: how a column is encoded;
    /// * `unseen`: where values go that are not in `counts`.
    ///
    /// # Errors
    /// When there are no counts or they have different columns, when there are no rows to learn
    /// from and no category for unseen values either, or when `one-hot-max` meets a very large
    /// value.
    ///
    /// # Complexity
    /// One pass over the counts; memory for the distinct values of every column.
    pub fn fit<C: Borrow<Counts>>(
        counts: &[C],
        encoding: Encoding,
        unseen: Unseen,
    ) -> Result<Self, EncodeError> {
        let first: &Counts = counts.first().ok_or(EncodeError::NoCounts)?.borrow();
        let same = |counts: &Counts| {
            let columns = (first.columns(), counts.columns());
            counts.scope() == first.scope()
                && (std::ptr::eq(columns.0, columns.1) || columns.0 == columns.1)
        };
        if let Some(graph) = counts.iter().position(|counts| !same(counts.borrow())) {
            return Err(EncodeError::Columns { graph });
        }
        let names = first.columns().iter().map(|column| column.name());
        let tables = counts.iter().map(|counts| counts.borrow().values());
        Self::fit_tables(names, tables, encoding, unseen)
    }

    /// [`CountEncoder::fit`] for numbers that are not counts of patterns, such as degrees:
    /// `columns` are their names, `tables` whole rows of them.
    ///
    /// # Errors
    /// As [`CountEncoder::fit`], and when a table is not made of whole rows.
    pub fn fit_tables<'a>(
        columns: impl IntoIterator<Item = impl Into<String>>,
        tables: impl IntoIterator<Item = &'a [u64]>,
        encoding: Encoding,
        unseen: Unseen,
    ) -> Result<Self, EncodeError> {
        let columns: Vec<String> = columns.into_iter().map(Into::into).collect();
        let mut histograms = vec![Histogram::new(); columns.len()];
        for table in tables {
            whole(columns.len(), table.len())?;
            for row in table.chunks_exact(columns.len().max(1)) {
                for (histogram, &value) in histograms.iter_mut().zip(row) {
                    histogram.add(value);
                }
            }
        }
        let fit = |(name, h): (&String, &Histogram)| Fitted::new(encoding, unseen, name, h);
        let fitted = columns.iter().zip(&histograms).map(fit).collect::<Result<_, _>>()?;
        Ok(Self { encoding, unseen, columns, fitted })
    }

    /// How columns are encoded.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Where unseen values go.
    pub fn unseen(&self) -> Unseen {
        self.unseen
    }

    /// Names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Categories of every column, the one for unseen values included; `None` if the codes are
    /// numbers.
    pub fn sizes(&self) -> Option<Vec<usize>> {
        let numbers =
            matches!(self.encoding, Encoding::Raw | Encoding::Log1p | Encoding::Standardise);
        let size = |f: &Fitted| f.size() + usize::from(self.has_slot(f));
        (!numbers).then(|| self.fitted.iter().map(size).collect())
    }

    /// Whether a column has a category for unseen values.
    fn has_slot(&self, fitted: &Fitted) -> bool {
        self.unseen == Unseen::Unknown && fitted.is_closed()
    }

    /// Encodes whole rows, and tells how many of their values are unseen.
    ///
    /// # Errors
    /// When the numbers are not whole rows; under [`Unseen::Error`] at the first unseen value.
    pub fn encode(&self, values: &[u64]) -> Result<Encoded, EncodeError> {
        whole(self.columns.len(), values.len())?;
        let columns = self.columns.len().max(1);
        if self.sizes().is_none() {
            let number = |(at, &value): (usize, &u64)| self.fitted[at % columns].number(value);
            let codes = Codes::Values(values.iter().enumerate().map(number).collect());
            return Ok(Encoded { codes, unseen: 0 });
        }
        let mut codes = Vec::with_capacity(values.len());
        let mut unseen = 0;
        for row in values.chunks_exact(columns) {
            for (at, (&value, fitted)) in row.iter().zip(&self.fitted).enumerate() {
                let code = match (fitted.category(value), self.unseen) {
                    (Category::Seen(code), _) => code,
                    (Category::Unseen { .. }, Unseen::Error) => {
                        let column = self.columns[at].clone();
                        return Err(EncodeError::Unseen { column, value });
                    }
                    (Category::Unseen { nearest }, how) => {
                        unseen += 1;
                        if how == Unseen::Nearest { nearest } else { fitted.size() }
                    }
                };
                codes.push(code as u32);
            }
        }
        Ok(Encoded { codes: Codes::Categories(codes), unseen })
    }
}

fn whole(columns: usize, length: usize) -> Result<(), EncodeError> {
    // Without columns there are no numbers either.
    let rest = if columns == 0 { length } else { length % columns };
    if rest == 0 { Ok(()) } else { Err(EncodeError::Shape { columns, length }) }
}
