//! Counts column by column, as they stand in a table: for slices, Arrow and the writers.

use super::keys::{Keys, VertexColumn, key_columns};
use crate::error::Error;
use crate::names::{NameKind, VertexNames};
use gsn_core::count::CountError;
use gsn_core::{Counter, Counts, Graph, Scope};
use std::borrow::Borrow;
use std::ops::Range;
use std::sync::Arc;

/// What the rows of a graph are about: `[vertex, vertex]` or `[source, target]`.
pub(crate) fn row_ends(scope: Scope, graph: &Graph) -> Vec<[u32; 2]> {
    let mut ends = Vec::new();
    put_row_ends(scope, graph, &mut ends);
    ends
}

/// [`row_ends`] in place of what is in `ends`.
fn put_row_ends(scope: Scope, graph: &Graph, ends: &mut Vec<[u32; 2]>) {
    ends.clear();
    match scope {
        Scope::Vertex => ends.extend((0..graph.order() as u32).map(|v| [v, v])),
        Scope::Edge => ends.extend(graph.edges().map(|(u, v)| [u, v])),
        Scope::Arc => ends.extend(graph.arcs().map(|(u, v)| [u, v])),
    }
}

/// Refuses counts that are not those of a graph with so many rows.
fn check_length(
    name: &str,
    row: u64,
    (rows, columns): (usize, usize),
    values: &[u64],
) -> Result<(), Error> {
    if values.len() == rows * columns {
        return Ok(());
    }
    let found = values.len();
    let reason = format!("graph {row} has {found} counts instead of {rows} × {columns}");
    Err(Error::file(name, reason))
}

/// Rows on their way to a writer, one after the other as they come.
#[derive(Debug)]
pub(super) struct HeldRows {
    pub(super) names: Arc<[String]>,
    pub(super) keys: Keys,
    /// The counts, row after row.
    pub(super) values: Vec<u64>,
    /// What the rows of the graph that came last are about.
    ends: Vec<[u32; 2]>,
}

impl HeldRows {
    /// No rows yet, of a table whose columns after the keys are called `names`.
    pub(super) fn new(scope: Scope, names: impl Into<Arc<[String]>>) -> Self {
        let (values, ends) = (Vec::new(), Vec::new());
        Self { names: names.into(), keys: Keys::new(scope), values, ends }
    }

    /// Number of rows.
    pub(super) fn rows(&self) -> usize {
        self.keys.graph.len()
    }

    /// Makes ready for the rows of a graph; how many there are.
    pub(super) fn start(
        &mut self,
        name: &str,
        row: u64,
        graph: &Graph,
        names: Option<&VertexNames>,
        values: &[u64],
    ) -> Result<usize, Error> {
        put_row_ends(self.keys.scope, graph, &mut self.ends);
        check_length(name, row, (self.ends.len(), self.names.len()), values)?;
        self.keys.make_room(name, row, names)?;
        Ok(self.ends.len())
    }

    /// Adds some of the rows of the graph that was started; `values` are all of its counts.
    pub(super) fn push(
        &mut self,
        row: u64,
        rows: Range<usize>,
        names: Option<&VertexNames>,
        values: &[u64],
    ) {
        let width = self.names.len();
        self.values.extend_from_slice(&values[rows.start * width..rows.end * width]);
        self.keys.extend(row, &self.ends[rows], names);
    }

    pub(super) fn clear(&mut self) {
        self.keys.clear();
        self.values.clear();
    }

    /// The counts column by column.
    #[cfg(feature = "columnar")]
    pub(super) fn columns(&self) -> Vec<Vec<u64>> {
        /// Rows that are read together, so that they stay in the cache.
        const ROWS: usize = 256;
        let width = self.names.len();
        let mut columns = vec![Vec::with_capacity(self.rows()); width];
        for some in self.values.chunks(ROWS * width.max(1)) {
            for (at, column) in columns.iter_mut().enumerate() {
                column.extend(some.iter().skip(at).step_by(width));
            }
        }
        columns
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
    names: Arc<[String]>,
    pub(super) keys: Keys,
    pub(super) counts: Vec<Vec<u64>>,
}

impl CountColumns {
    /// No rows yet, of a table whose columns after the keys are called `names`.
    pub fn new(scope: Scope, names: impl Into<Arc<[String]>>) -> Self {
        let names = names.into();
        let counts = vec![Vec::new(); names.len()];
        Self { names, keys: Keys::new(scope), counts }
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
        let ends = row_ends(self.keys.scope, graph);
        check_length("the counts", row, (ends.len(), self.names.len()), values)?;
        self.keys.make_room("the counts", row, names)?;
        self.keys.extend(row, &ends, names);
        for (at, column) in self.counts.iter_mut().enumerate() {
            column.extend(values.iter().skip(at).step_by(self.names.len()));
        }
        Ok(())
    }

    /// What the key columns hold.
    pub fn name_kind(&self) -> NameKind {
        self.keys.kind()
    }

    /// What the rows are.
    pub fn scope(&self) -> Scope {
        self.keys.scope
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.keys.graph.len()
    }

    /// Names of the columns after the keys.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The column `graph`: the row of the input that each row belongs to.
    pub fn graph(&self) -> &[u64] {
        &self.keys.graph
    }

    /// The column `vertex`, or `source` and `target`.
    pub fn keys(&self) -> impl Iterator<Item = (&'static str, &VertexColumn)> {
        key_columns(self.keys.scope)[1..].iter().copied().zip(&self.keys.ends)
    }

    /// The counts of column `column`, row by row.
    ///
    /// # Panics
    /// If there is no such column.
    pub fn column(&self, column: usize) -> &[u64] {
        &self.counts[column]
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
                let pushed = columns.push(row, graph.borrow(), counts.values());
                pushed.expect("counts are those of their graph");
            }
            Err(error) => errors.push(error),
        }
    }
    CountBatch { columns, errors }
}
