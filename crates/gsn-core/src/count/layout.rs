//! What was asked for, worked out once for all graphs: tables, columns, and how they follow from
//! the tables that the kernels fill.

use super::budget::Limits;
use super::cells::{CountTable, CountTables, PatternColumns, WantedTables};
use super::counts::{Column, Counts, Header, columns};
use super::error::CountErrorKind;
use super::gather::{Gather, NotGathered};
use super::packed::MAX_COLUMNS;
use super::planned::OWN_CELLS;
use super::{Matching, Scope};
use crate::graph::Graph;
use crate::orbit::{EdgeOrbits, Orbits};
use std::sync::Arc;

/// The columns of a scope, and how they follow from those the kernels fill.
pub(super) struct ColumnLayout {
    pub(super) columns: Arc<[Column]>,
    gather: Gather,
    /// Columns of arc tables whose orbit is its own reverse.
    turned: Vec<usize>,
}

impl ColumnLayout {
    pub(super) fn new(patterns: &[PatternColumns], scope: Scope, notion: EdgeOrbits) -> Self {
        let of = |columns: &PatternColumns| match notion {
            EdgeOrbits::Exact => columns.orbits.clone(),
            EdgeOrbits::Official => Orbits::of(&columns.pattern, EdgeOrbits::Official),
        };
        let orbits: Vec<Orbits> = patterns.iter().map(of).collect();
        let names = patterns.iter().map(|columns| columns.pattern.name());
        let columns = columns(names.zip(&orbits), scope);
        let turned = patterns.iter().flat_map(|own| {
            let orbits = 0..own.orbits.arc_count();
            let turned = orbits.filter(|&orbit| own.orbits.reverse(orbit) == Some(orbit));
            turned.map(|orbit| own.arc_column + orbit)
        });
        let gather = Gather::new(patterns, &orbits, scope);
        Self { columns, gather, turned: turned.collect() }
    }
}

/// One table that was asked for.
pub(super) struct View {
    pub(super) scope: Scope,
    pub(super) matching: Matching,
    pub(super) layout: Arc<ColumnLayout>,
}

impl View {
    /// Rows of the table that was asked for.
    pub(super) fn rows(&self, graph: &Graph) -> usize {
        match self.scope {
            Scope::Vertex => graph.order(),
            Scope::Edge => graph.edge_count(),
            Scope::Arc => graph.arc_count(),
        }
    }

    /// The table that the kernels fill for this one.
    fn source<'a>(&self, tables: &'a mut CountTables) -> &'a mut Option<CountTable> {
        match self.scope {
            Scope::Vertex => &mut tables.vertex[self.matching as usize],
            Scope::Edge | Scope::Arc => &mut tables.arc[self.matching as usize],
        }
    }

    /// Whether another view is made from the same table.
    fn shares_source(&self, other: &Self) -> bool {
        self.matching == other.matching
            && (self.scope == Scope::Vertex) == (other.scope == Scope::Vertex)
    }

    /// Whether maps are counted on edges. A map may send an edge of the pattern to an edge of the
    /// graph in two ways; arc columns count one of them.
    fn counts_both_ways(&self) -> bool {
        self.matching == Matching::Homomorphism && self.scope == Scope::Edge
    }

    /// Adds the other way to columns whose orbit is its own reverse; the error is such a column.
    fn add_other_way(&self, values: &mut [u64], columns: usize) -> Result<(), usize> {
        for row in values.chunks_exact_mut(columns.max(1)) {
            for &column in &self.layout.turned {
                row[column] = row[column].checked_mul(2).ok_or(column)?;
            }
        }
        Ok(())
    }

    /// The pattern whose column has overflowed.
    fn pattern_of(&self, column: usize) -> usize {
        self.layout.columns[column].pattern
    }
}

/// All tables that were asked for.
pub(super) struct Layout {
    pub(super) views: Vec<View>,
    /// The tables that the kernels fill for them.
    pub(super) wanted: WantedTables,
    /// Columns of vertex tables and of arc tables.
    columns: (usize, usize),
    /// First arc column of every pattern.
    arc_columns: Vec<usize>,
}

impl Layout {
    /// These views of some patterns, from tables of so many vertex and arc columns.
    pub(super) fn new(
        views: Vec<View>,
        patterns: &[PatternColumns],
        columns: (usize, usize),
    ) -> Self {
        let any = |test: &dyn Fn(&View) -> bool| views.iter().any(test);
        let wanted = WantedTables {
            vertices: any(&|view| view.scope == Scope::Vertex),
            arcs: any(&|view| view.scope != Scope::Vertex),
            matchings: [Matching::Induced, Matching::Subgraph, Matching::Homomorphism]
                .map(|matching| any(&|view| view.matching == matching)),
        };
        let arc_columns = patterns.iter().map(|own| own.arc_column).collect();
        Self { views, wanted, columns, arc_columns }
    }

    /// The pattern that a column of arc tables belongs to.
    fn pattern_of_arc_column(&self, column: usize) -> usize {
        self.arc_columns.partition_point(|&first| first <= column) - 1
    }

    /// Whether a kernel may write the tables itself: every column is an exact orbit, and columns
    /// that are zero throughout can be left out.
    pub(super) fn is_plain(&self) -> bool {
        let plain =
            |view: &View| view.layout.gather.is_plain() && view.layout.columns.len() <= MAX_COLUMNS;
        self.views.iter().all(plain)
    }

    /// Whether tables are so small that they are kept from graph to graph, and their columns so
    /// few that those without counts can be left out.
    pub(super) fn is_small(&self, graph: &Graph) -> bool {
        const CELLS: usize = 1 << 15;
        let (vertex, arc) = self.columns;
        !self.views.iter().any(View::counts_both_ways)
            && vertex.max(arc) <= MAX_COLUMNS
            && vertex * graph.order() <= CELLS
            && arc * graph.edge_count() <= CELLS
    }

    /// Makes tables that are all zero large enough for a small graph: one row a vertex or an edge.
    pub(super) fn resize(&self, graph: &Graph, tables: &mut CountTables) {
        for view in &self.views {
            let (rows, columns) = match view.scope {
                Scope::Vertex => (graph.order(), self.columns.0),
                Scope::Edge | Scope::Arc => (graph.edge_count(), self.columns.1),
            };
            view.source(tables).get_or_insert_default().resize(rows, columns);
        }
    }

    /// Bytes of the tables, those of so many threads included, and of the edge behind every arc
    /// where they need it.
    pub(super) fn memory(&self, graph: &Graph, threads: usize) -> u64 {
        let cells = |view: &View| {
            let columns = if view.scope == Scope::Vertex { self.columns.0 } else { self.columns.1 };
            let gathered =
                if view.layout.gather.is_plain() { 0 } else { view.layout.columns.len() };
            (view.rows(graph) as u64, columns as u64, gathered as u64)
        };
        let views = || self.views.iter().map(cells);
        let filled: u64 = views().map(|(rows, columns, _)| rows * columns).sum();
        let gathered: u64 = views().map(|(rows, _, columns)| rows * columns).sum();
        let times = if threads > 1 && filled <= OWN_CELLS as u64 { 1 + threads as u64 } else { 1 };
        let edge_ids = if self.wanted.arcs { 4 * graph.arc_count() as u64 } else { 0 };
        8 * (times * filled + gathered) + edge_ids
    }

    /// Tables of zeros for a large graph.
    pub(super) fn tables(&self, graph: &Graph) -> Result<CountTables, CountErrorKind> {
        let mut tables = CountTables::default();
        for view in &self.views {
            // Arc rows are gathered in place: see `gather`.
            let rows = view.rows(graph);
            let columns = if view.scope == Scope::Vertex { self.columns.0 } else { self.columns.1 };
            let source = view.source(&mut tables);
            if source.as_ref().is_none_or(|table| table.rows() < rows) {
                *source = Some(CountTable::zeros(rows, columns)?);
            }
        }
        Ok(tables)
    }

    /// Turns the tables of a small graph into the views; the error is a pattern whose sums are too
    /// large.
    pub(super) fn pack(
        &self,
        graph: &Graph,
        tables: &mut CountTables,
        headers: &[Header],
    ) -> Result<Vec<Counts>, usize> {
        let pack = |(view, header): (&View, &Header)| {
            let table = view.source(tables).as_ref().expect("every view has its table");
            let packed = view.layout.gather.pack(graph, table);
            let packed = packed.map_err(|column| view.pattern_of(column))?;
            Ok(Counts::packed(view.scope, header.clone(), view.rows(graph), packed))
        };
        self.views.iter().zip(headers).map(pack).collect()
    }

    /// Turns the tables of a large graph into the views; the column of an error is the pattern
    /// whose sums are too large.
    pub(super) fn gather(
        &self,
        graph: &Graph,
        mut tables: CountTables,
        headers: &[Header],
        limits: &Limits<'_>,
    ) -> Result<Vec<Counts>, NotGathered> {
        let meter = limits.meter();
        let gather = |(i, (view, header)): (usize, (&View, &Header))| {
            let source = view.source(&mut tables);
            let values = if self.views[i + 1..].iter().any(|later| view.shares_source(later)) {
                source.as_ref().map(|table| table.values().to_vec())
            } else {
                source.take().map(CountTable::into_values)
            };
            let mut values = values.expect("every view has its table");
            if view.counts_both_ways() {
                let doubled = view.add_other_way(&mut values, self.columns.1);
                let of = |column| NotGathered::TooLarge(self.pattern_of_arc_column(column));
                doubled.map_err(of)?;
            }
            let values = view.layout.gather.apply(graph, values, || meter.look());
            let values = values.map_err(|failed| match failed {
                NotGathered::TooLarge(column) => NotGathered::TooLarge(view.pattern_of(column)),
                stopped => stopped,
            })?;
            Ok(Counts::whole(view.scope, header.clone(), view.rows(graph), values))
        };
        self.views.iter().zip(headers).enumerate().map(gather).collect()
    }
}
