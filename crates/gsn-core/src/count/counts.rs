//! A table of counts that knows its columns.

use super::Scope;
use super::packed::{PackedTable, first, members};
use crate::graph::Graph;
use crate::orbit::Orbits;
use std::sync::{Arc, OnceLock};

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

/// The columns of patterns, given by their names and orbits.
pub(crate) fn columns<'a>(
    patterns: impl Iterator<Item = (&'a str, &'a Orbits)>,
    scope: Scope,
) -> Arc<[Column]> {
    let of = |(pattern, (name, orbits)): (usize, (&str, &Orbits))| {
        let (letter, count) = match scope {
            Scope::Vertex => ('v', orbits.vertex_count()),
            Scope::Edge => ('e', orbits.edge_count()),
            Scope::Arc => ('a', orbits.arc_count()),
        };
        let name = |orbit| format!("{name}/{letter}{orbit}");
        (0..count).map(|orbit| Column { name: name(orbit), pattern, orbit }).collect::<Vec<_>>()
    };
    patterns.enumerate().flat_map(of).collect()
}

/// The columns, shared twice over: by all counts of a counter, and by those of one thread.
/// Threads that count small graphs would otherwise fight for one reference count.
pub(super) type Header = Arc<Arc<[Column]>>;

/// Counts of one graph: a row for every vertex, edge or arc, a column for every pattern and orbit.
///
/// Small graphs hold few of the patterns of a large collection, so columns that are zero
/// throughout need not take up memory. [`Counts::column`] reads what there is;
/// [`Counts::values`] and [`Counts::row`] write the whole table out when first called.
#[derive(Clone, Debug)]
pub struct Counts {
    scope: Scope,
    columns: Header,
    rows: usize,
    body: Body,
}

#[derive(Clone, Debug)]
enum Body {
    Whole(Vec<u64>),
    Packed(PackedTable, OnceLock<Vec<u64>>),
}

impl Counts {
    /// Counts with all of their columns.
    pub(super) fn whole(scope: Scope, columns: Header, rows: usize, values: Vec<u64>) -> Self {
        Self { scope, columns, rows, body: Body::Whole(values) }
    }

    /// Counts with some of their columns.
    pub(super) fn packed(scope: Scope, columns: Header, rows: usize, packed: PackedTable) -> Self {
        let body = if packed.present == first(columns.len()) {
            Body::Whole(packed.values)
        } else {
            Body::Packed(packed, OnceLock::new())
        };
        Self { scope, columns, rows, body }
    }

    /// A table of numbers that were counted before, row after row, under the columns of
    /// [`Counter::columns`](super::Counter::columns); `None` unless there is one for every cell.
    pub fn from_parts(
        scope: Scope,
        columns: Arc<[Column]>,
        rows: usize,
        values: Vec<u64>,
    ) -> Option<Self> {
        let fits = rows.checked_mul(columns.len()) == Some(values.len());
        fits.then(|| Self::whole(scope, Arc::new(columns), rows, values))
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

    /// Counts of edges with a row for every arc of their graph, that of its edge; other counts as
    /// they are.
    ///
    /// ```
    /// use gsn_core::{CountSpec, Counter, Graph, Scope};
    /// let triangle = Graph::from_edges(3, [(0, 1), (1, 2), (2, 0)])?;
    /// let spec = CountSpec::new("cycle:3".parse()?).with_scope(Scope::Edge);
    /// let counts = Counter::new(&spec).count(&triangle)?;
    /// assert_eq!((counts.rows(), counts.on_arcs(&triangle).values()), (3, &[1; 6][..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn on_arcs(self, graph: &Graph) -> Self {
        if self.scope != Scope::Edge {
            return self;
        }
        let rows = graph.arc_count();
        let of_arc = |arc| self.row(graph.edge_id(arc));
        let values = (0..rows).flat_map(of_arc).copied().collect();
        Self::whole(Scope::Arc, self.columns.clone(), rows, values)
    }

    /// One row.
    pub fn row(&self, row: usize) -> &[u64] {
        &self.values()[row * self.columns.len()..][..self.columns.len()]
    }

    /// One column, row by row.
    pub fn column(&self, column: usize) -> impl ExactSizeIterator<Item = u64> + '_ {
        assert!(column < self.columns.len(), "column {column} of {}", self.columns.len());
        let (values, width, position) = match &self.body {
            Body::Whole(values) => (values, self.columns.len(), Some(column)),
            Body::Packed(packed, _) => (&packed.values, packed.width(), packed.position(column)),
        };
        (0..self.rows).map(move |row| position.map_or(0, |at| values[row * width + at]))
    }

    /// The columns that may hold something, in increasing order, and their numbers row after row;
    /// all other columns are zero. Writes nothing out.
    ///
    /// ```
    /// use gsn_core::{CountSpec, Counter, Graph};
    /// let square = Graph::from_edges(4, [(0, 1), (1, 2), (2, 3), (3, 0)])?;
    /// let counts = Counter::new(&CountSpec::new("cycle:3..=5".parse()?)).count(&square)?;
    /// let (columns, numbers) = counts.filled();
    /// let sum: u64 = numbers.iter().sum();
    /// assert!(columns.contains(&1) && numbers.len() == 4 * columns.len() && sum == 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn filled(&self) -> (Vec<usize>, &[u64]) {
        match &self.body {
            Body::Whole(values) => ((0..self.columns.len()).collect(), values),
            Body::Packed(packed, _) => (members(packed.present).collect(), &packed.values),
        }
    }

    /// All numbers, row after row.
    pub fn values(&self) -> &[u64] {
        match &self.body {
            Body::Whole(values) => values,
            Body::Packed(packed, whole) => {
                whole.get_or_init(|| packed.spread(self.rows, self.columns.len()))
            }
        }
    }
}

impl PartialEq for Counts {
    fn eq(&self, other: &Self) -> bool {
        (self.scope, self.rows) == (other.scope, other.rows)
            && self.columns == other.columns
            && (0..self.columns.len()).all(|column| self.column(column).eq(other.column(column)))
    }
}

impl Eq for Counts {}
