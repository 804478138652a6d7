//! Which rows are kept, and how kept columns become tables again.
//!
//! The count of an arc u → v in orbit j is that of v → u in the reversed orbit, so of an undirected
//! graph only the arcs with u < v are kept, as many as there are edges.

use super::entry::Entry;
use super::key;
use gsn_core::count::Column;
use gsn_core::{CountSpec, Counts, Graph, Scope};
use rayon::prelude::*;
use std::borrow::Borrow;
use std::sync::Arc;

/// Rows of all graphs, one after the other.
pub(super) struct Layout {
    scope: Scope,
    /// First kept row of each graph, and their number.
    starts: Vec<usize>,
    size: usize,
}

/// Where the numbers of a column come from.
#[derive(Debug, Clone, Copy)]
pub(super) enum Source {
    /// A kept column: which entry, which column, and which column the reversed arcs have.
    Kept { entry: usize, column: usize, reverse: usize },
    /// A column of the fresh counts.
    Fresh(usize),
}

/// The source of every column: kept where there is an entry of its pattern.
pub(super) fn sources(
    columns: &[Column],
    spec: &CountSpec,
    entries: &[Option<Entry>],
) -> Vec<Source> {
    let order =
        |(pattern, entry): (_, &Option<Entry>)| entry.as_ref().map(|_| key::columns(pattern, spec));
    let orders: Vec<_> = spec.patterns().iter().zip(entries).map(order).collect();
    let mut fresh = 0;
    let source = |column: &Column| {
        let Some(order) = &orders[column.pattern()] else {
            fresh += 1;
            return Source::Fresh(fresh - 1);
        };
        let kept = order.columns[column.orbit()];
        let reverse = order.reverse.get(kept).copied().unwrap_or(kept);
        Source::Kept { entry: column.pattern(), column: kept, reverse }
    };
    columns.iter().map(source).collect()
}

impl Layout {
    pub(super) fn new<G: Borrow<Graph>>(graphs: &[G], scope: Scope) -> Self {
        let mut layout = Self { scope, starts: vec![0], size: 0 };
        let mut end = 0;
        for graph in graphs {
            let graph: &Graph = graph.borrow();
            end += if layout.is_halved(graph) { graph.edge_count() } else { layout.rows(graph) };
            layout.starts.push(end);
            layout.size += graph.order() + graph.arc_count();
        }
        layout
    }

    fn rows(&self, graph: &Graph) -> usize {
        match self.scope {
            Scope::Vertex => graph.order(),
            Scope::Edge => graph.edge_count(),
            Scope::Arc => graph.arc_count(),
        }
    }

    /// Whether only the arcs with u < v are kept.
    pub(super) fn is_halved(&self, graph: &Graph) -> bool {
        self.scope == Scope::Arc && !graph.is_directed()
    }

    /// Rows that are kept of all graphs.
    pub(super) fn stored_rows(&self) -> usize {
        self.starts[self.starts.len() - 1]
    }

    /// Vertices and arcs of all graphs.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// The tables of all graphs out of what was kept and what was counted.
    pub(super) fn assemble<G: Borrow<Graph> + Sync>(
        &self,
        graphs: &[G],
        columns: &Arc<[Column]>,
        entries: &[Option<Entry>],
        sources: &[Source],
        fresh: Option<&[Counts]>,
    ) -> Vec<Counts> {
        // The column that holds the reversed arcs of each column, to turn whole rows.
        let turned: Vec<usize> = (0..sources.len()).map(|c| turn(sources, c)).collect();
        let turns = turned.iter().enumerate().any(|(c, &t)| c != t);
        let one = |(i, graph): (usize, &G)| {
            let graph: &Graph = graph.borrow();
            let width = sources.len();
            let kept = self.starts[i]..self.starts[i + 1];
            let mut values = vec![0; kept.len() * width];
            for (c, source) in sources.iter().enumerate() {
                if let Source::Kept { entry, column, .. } = *source
                    && let Some(entry) = &entries[entry]
                {
                    entry.columns[column]
                        .read(kept.clone(), |row, number| values[row * width + c] = number);
                }
            }
            if self.is_halved(graph) {
                values = double(graph, &values, width, turns.then_some(&turned));
            }
            if let Some(fresh) = fresh {
                for (c, source) in sources.iter().enumerate() {
                    if let Source::Fresh(column) = *source {
                        let numbers = fresh[i].column(column);
                        numbers.enumerate().for_each(|(row, n)| values[row * width + c] = n);
                    }
                }
            }
            Counts::from_parts(self.scope, columns.clone(), self.rows(graph), values)
                .expect("one number for every row and column")
        };
        graphs.par_iter().enumerate().with_min_len(16).map(one).collect()
    }
}

/// The column of the same entry that holds the reversed arcs of column `c`.
fn turn(sources: &[Source], c: usize) -> usize {
    let Source::Kept { entry, reverse, .. } = sources[c] else { return c };
    let is_it = |source: &Source| matches!(*source, Source::Kept { entry: e, column, .. } if e == entry && column == reverse);
    sources.iter().position(is_it).unwrap_or(c)
}

/// Rows of all arcs out of those with u < v, which follow the edges.
fn double(graph: &Graph, half: &[u64], width: usize, turned: Option<&Vec<usize>>) -> Vec<u64> {
    let mut values = Vec::with_capacity(graph.arc_count() * width);
    for (arc, (u, v)) in graph.arcs().enumerate() {
        let row = &half[graph.edge_id(arc) * width..][..width];
        match turned {
            Some(turned) if u > v => values.extend(turned.iter().map(|&c| row[c])),
            _ => values.extend_from_slice(row),
        }
    }
    values
}
