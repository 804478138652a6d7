//! A table of counts that knows its columns.

use super::Scope;
use std::sync::Arc;

/// One column: a pattern and one of its orbits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    pub(crate) name: String,
    pub(crate) pattern: usize,
    pub(crate) orbit: usize,
}

impl Column {
    /// `cycle:6/v0`, `path:4/a2`, `path:4/e1`: the pattern's name, the scope's letter, the orbit.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Index of the pattern in the collection.
    pub fn pattern(&self) -> usize {
        self.pattern
    }

    /// Index of the orbit in the pattern.
    pub fn orbit(&self) -> usize {
        self.orbit
    }
}

/// Counts of one graph: a row for every vertex, edge or arc, a column for every pattern and orbit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    pub(crate) scope: Scope,
    pub(crate) columns: Arc<[Column]>,
    pub(crate) rows: usize,
    pub(crate) values: Vec<u64>,
}

impl Counts {
    /// A table of numbers that were counted before, row after row, under the columns of
    /// [`Counter::columns`](super::Counter::columns); `None` unless there is one for every cell.
    pub fn from_parts(
        scope: Scope,
        columns: Arc<[Column]>,
        rows: usize,
        values: Vec<u64>,
    ) -> Option<Self> {
        let fits = rows.checked_mul(columns.len()) == Some(values.len());
        fits.then_some(Self { scope, columns, rows, values })
    }

    /// What the rows are.
    pub fn scope(&self) -> Scope {
        self.scope
    }

    /// The columns, patterns in the order given.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Number of rows: vertices in order, [`Graph::edges`](crate::Graph::edges) or
    /// [`Graph::arcs`](crate::Graph::arcs).
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// One row.
    pub fn row(&self, row: usize) -> &[u64] {
        &self.values[row * self.columns.len()..][..self.columns.len()]
    }

    /// One column, row by row.
    pub fn column(&self, column: usize) -> impl ExactSizeIterator<Item = u64> + '_ {
        assert!(column < self.columns.len(), "column {column} of {}", self.columns.len());
        (0..self.rows).map(move |row| self.values[row * self.columns.len() + column])
    }

    /// All numbers, row after row.
    pub fn values(&self) -> &[u64] {
        &self.values
    }
}
