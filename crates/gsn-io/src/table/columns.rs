//! Counts column by column, as they stand in a table: for slices, Arrow and the writers.

use super::keys::VertexColumn;
use crate::error::Error;
use crate::names::{NameKind, VertexNames};
use gsn_core::count::CountError;
use gsn_core::{Counter, Counts, Graph, Scope};
use std::borrow::Borrow;
use std::sync::Arc;

/// The names of the columns before the counts.
pub(crate) fn key_columns(scope: Scope) -> &'static [&'static str] {
    match scope {
        Scope::Vertex => &["graph", "vertex"],
        Scope::Edge | Scope::Arc => &["graph", "source", "target"],
    }
}

/// What the rows of a graph are about: `[vertex, vertex]` or `[source, target]`.
pub(crate) fn row_ends(scope: Scope, graph: &Graph) -> Vec<[u32; 2]> {
    match scope {
        Scope::Vertex => (0..graph.order() as u32).map(|v| [v, v]).collect(),
        Scope::Edge => graph.edges().map(|(u, v)| [u, v]).collect(),
        Scope::Arc => graph.arcs().map(|(u, v)| [u, v]).collect(),
    }
}

/// The scope that the columns of a table speak of, and how many of them are keys.
pub(super) fn scope_of(names: &[String]) -> Option<(Scope, usize)> {
    let starts =
        |keys: &[&str]| names.len() >= keys.len() && names.iter().zip(keys).all(|(a, b)| a == b);
    if starts(key_columns(Scope::Vertex)) {
        return Some((Scope::Vertex, 2));
    }
    if !starts(key_columns(Scope::Arc)) {
        return None;
    }
    let orbit = |name: &String| name.rsplit_once('/').map(|(_, orbit)| orbit.starts_with('e'));
    let edges = names.get(3).and_then(orbit).unwrap_or(false);
    Some((if edges { Scope::Edge } else { Scope::Arc }, 3))
}

/// Some rows of a count table, column by column: `graph`, then `vertex` or `source` and `target`,
/// then one column a pattern and orbit.
///
/// ```
/// use gsn_core::{CountSpec, Counter, Graph};
/// use gsn_io::{CountColumns, VertexColumn};
///
/// let path = Graph::from_edges(3, [(0, 1), (1, 2)])?;
/// let counts = Counter::new(&CountSpec::new("path:2".parse()?)).count(&path)?;
/// let columns = CountColumns::of(7, &path, &counts)?;
/// assert_eq!(columns.graph(), [7, 7, 7]);
/// let vertex = VertexColumn::Index(vec![0, 1, 2]);
/// assert_eq!(columns.keys().collect::<Vec<_>>(), [("vertex", &vertex)]);
/// assert_eq!((columns.names(), columns.column(0)), (&["path:2/v0".into()][..], &[1, 2, 1][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountColumns {
    scope: Scope,
    names: Arc<[String]>,
    pub(super) graph: Vec<u64>,
    /// `vertex`, or `source` and `target`.
    pub(super) ends: Vec<VertexColumn>,
    pub(super) counts: Vec<Vec<u64>>,
    /// Whether the kind of the ends can no longer change.
    fixed: bool,
}

impl CountColumns {
    /// No rows yet, of a table whose columns after the keys are called `names`.
    pub fn new(scope: Scope, names: impl Into<Arc<[String]>>) -> Self {
        let names = names.into();
        let ends = vec![VertexColumn::default(); key_columns(scope).len() - 1];
        let counts = vec![Vec::new(); names.len()];
        Self { scope, names, graph: Vec::new(), ends, counts, fixed: false }
    }

    /// The counts of one graph, which is row `row` of its input.
    ///
    /// # Errors
    /// When the counts are not those of this graph.
    pub fn of(row: u64, graph: &Graph, counts: &Counts) -> Result<Self, Error> {
        let names: Vec<String> = counts.columns().iter().map(|c| c.name().to_owned()).collect();
        let mut columns = Self::new(counts.scope(), names);
        columns.push(row, graph, counts.values())?;
        Ok(columns)
    }

    /// Adds the counts of a graph: one line of `values` for every vertex, [`Graph::edges`] or
    /// [`Graph::arcs`], one number for every column.
    ///
    /// # Errors
    /// When there are not so many values.
    pub fn push(&mut self, row: u64, graph: &Graph, values: &[u64]) -> Result<(), Error> {
        self.push_named(row, graph, None, values)
    }

    /// [`CountColumns::push`] for a graph whose vertices have names; the key columns hold them.
    ///
    /// # Errors
    /// When there are not so many values.
    pub fn push_named(
        &mut self,
        row: u64,
        graph: &Graph,
        names: Option<&VertexNames>,
        values: &[u64],
    ) -> Result<(), Error> {
        let ends = self.checked_ends("the counts", row, graph, values)?;
        self.make_room("the counts", row, names)?;
        for (at, ends) in ends.into_iter().enumerate() {
            self.push_row(row, ends, names, &values[at * self.names.len()..]);
        }
        Ok(())
    }

    /// Makes the key columns such that they hold the names of the graph in `row`.
    pub(super) fn make_room(
        &mut self,
        name: &str,
        row: u64,
        names: Option<&VertexNames>,
    ) -> Result<(), Error> {
        let Some(names) = names else { return Ok(()) };
        if self.ends.iter().all(|column| column.holds(Some(names))) && self.fixed {
            return Ok(());
        }
        if self.fixed {
            let (had, say) = match (self.ends[0].kind(), names.kind()) {
                (NameKind::None, NameKind::Integers) => ("small numbers", "integers"),
                _ => ("numbers", "text"),
            };
            let reason = format!(
                "the vertices of graph {row} have names that do not fit a column of {had}, as the \
                 graphs before had; use --vertex-names {say}"
            );
            return Err(Error::file(name, reason));
        }
        self.ends.iter_mut().for_each(|column| column.widen(names.kind()));
        Ok(())
    }

    /// What the key columns hold.
    pub fn name_kind(&self) -> NameKind {
        self.ends[0].kind()
    }

    /// From now on the key columns hold what they hold now.
    pub(super) fn fix_names(&mut self) {
        self.fixed = true;
    }

    /// The ends of a graph's rows, if `values` has a number for every cell.
    pub(super) fn checked_ends(
        &self,
        name: &str,
        row: u64,
        graph: &Graph,
        values: &[u64],
    ) -> Result<Vec<[u32; 2]>, Error> {
        let ends = row_ends(self.scope, graph);
        let (rows, columns) = (ends.len(), self.names.len());
        if values.len() != rows * columns {
            let found = values.len();
            let reason = format!("graph {row} has {found} counts instead of {rows} × {columns}");
            return Err(Error::file(name, reason));
        }
        Ok(ends)
    }

    /// Adds one row; `values` starts with its counts.
    pub(super) fn push_row(
        &mut self,
        row: u64,
        ends: [u32; 2],
        names: Option<&VertexNames>,
        values: &[u64],
    ) {
        self.graph.push(row);
        for (column, end) in self.ends.iter_mut().zip(ends) {
            column.push(end, names);
        }
        for (column, &value) in self.counts.iter_mut().zip(values) {
            column.push(value);
        }
    }

    /// What the rows are.
    pub fn scope(&self) -> Scope {
        self.scope
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.graph.len()
    }

    /// Names of the columns after the keys.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The column `graph`: the row of the input that each row belongs to.
    pub fn graph(&self) -> &[u64] {
        &self.graph
    }

    /// The column `vertex`, or `source` and `target`.
    pub fn keys(&self) -> impl Iterator<Item = (&'static str, &VertexColumn)> {
        key_columns(self.scope)[1..].iter().copied().zip(&self.ends)
    }

    /// The counts of column `column`, row by row.
    ///
    /// # Panics
    /// If there is no such column.
    pub fn column(&self, column: usize) -> &[u64] {
        &self.counts[column]
    }

    pub(super) fn clear(&mut self) {
        self.graph.clear();
        self.ends.iter_mut().for_each(VertexColumn::clear);
        self.counts.iter_mut().for_each(Vec::clear);
    }
}

/// The counts of several graphs, and the graphs that could not be counted.
#[derive(Clone, Debug, PartialEq)]
pub struct CountBatch {
    /// The counts; `graph` is the place among the graphs given, from 0.
    pub columns: CountColumns,
    /// Why the others have none; [`CountError::graph`] says which.
    pub errors: Vec<CountError>,
}

/// Counts in many graphs, side by side, and puts everything into one batch.
///
/// ```
/// use gsn_core::{CountSpec, Counter, Graph};
/// use gsn_io::count_batch;
///
/// let counter = Counter::new(&CountSpec::new("cycle:3".parse()?));
/// let triangle = Graph::from_edges(3, [(0, 1), (1, 2), (0, 2)])?;
/// let edge = Graph::from_edges(2, [(0, 1)])?;
/// let batch = count_batch(&counter, &[triangle, edge]);
/// assert!(batch.errors.is_empty());
/// assert_eq!(batch.columns.graph(), [0, 0, 0, 1, 1]);
/// assert_eq!(batch.columns.column(0), [1, 1, 1, 0, 0]);
/// # #[cfg(feature = "columnar")] {
/// let arrow = batch.columns.into_record_batch(); // graph, vertex, cycle:3/v0
/// assert_eq!((arrow.num_rows(), arrow.num_columns()), (5, 3));
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn count_batch<G: Borrow<Graph> + Sync>(counter: &Counter, graphs: &[G]) -> CountBatch {
    let names: Vec<String> = counter.columns().iter().map(|c| c.name().to_owned()).collect();
    let mut columns = CountColumns::new(counter.spec().scope(), names);
    let mut errors = Vec::new();
    for ((row, graph), counts) in (0..).zip(graphs).zip(counter.count_each(graphs)) {
        match counts {
            Ok(counts) => {
                let ends = row_ends(columns.scope, graph.borrow());
                for (at, ends) in ends.into_iter().enumerate() {
                    columns.push_row(row, ends, None, counts.row(at));
                }
            }
            Err(error) => errors.push(error),
        }
    }
    CountBatch { columns, errors }
}
