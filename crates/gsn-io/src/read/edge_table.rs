//! Tables of edges: a header, a column for each end, and for several graphs a column that says
//! which one an edge belongs to.
//!
//! An empty target makes the source a vertex without an edge. The rows of a graph stand together.
//! Vertices are numbered as in edge lists, and keep their names.

use super::{nothing, table::find_column};
use crate::error::Error;
use crate::names::NameTable;
use crate::record::{GraphRecord, Parts, Rejected, Row};
use crate::source::ReadOptions;
use gsn_core::memory;
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

/// Usual titles of the two ends of an edge.
const TITLES: [(&str, &str); 12] = [
    ("source", "target"),
    ("src", "dst"),
    ("from", "to"),
    ("u", "v"),
    ("source_id", "target_id"),
    ("from_id", "to_id"),
    ("fromnodeid", "tonodeid"),
    ("node1", "node2"),
    ("node_1", "node_2"),
    ("id_1", "id_2"),
    ("start", "end"),
    ("head", "tail"),
];

/// Usual titles of the column that says which graph an edge belongs to.
const GRAPHS: [&str; 3] = ["graph", "graph_id", "network"];

/// Whether two words are usual titles of the ends of an edge.
pub(crate) fn are_titles(first: &[u8], second: &[u8]) -> bool {
    TITLES.iter().any(|(source, target)| {
        first.eq_ignore_ascii_case(source.as_bytes())
            && second.eq_ignore_ascii_case(target.as_bytes())
    })
}

/// Which columns hold the edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EdgeColumns {
    pub(super) source: usize,
    pub(super) target: usize,
    pub(super) graph: Option<usize>,
}

impl EdgeColumns {
    /// The columns as asked for, or by their usual titles; nothing if there are none of either.
    pub(super) fn find(
        name: &str,
        columns: &[String],
        options: &ReadOptions,
    ) -> Result<Option<Self>, Error> {
        let named = |asked: &Option<String>| {
            let at = asked.as_deref().map(|asked| {
                find_column(columns, asked).ok_or_else(|| Error::MissingColumn {
                    path: name.to_owned(),
                    column: asked.to_owned(),
                    there: columns.to_vec(),
                })
            });
            at.transpose()
        };
        let (source, target) = (named(&options.source_column)?, named(&options.target_column)?);
        let usual = TITLES.iter().find_map(|(source, target)| {
            Some((find_column(columns, source)?, find_column(columns, target)?))
        });
        let graph = match named(&options.graph_column)? {
            None => GRAPHS.iter().find_map(|title| find_column(columns, title)),
            graph => graph,
        };
        let ends = match (source, target, usual) {
            (Some(source), Some(target), _) => Some((source, target)),
            (Some(_), None, _) => {
                return Err(wanted(name, "--source-column", "--target-column"));
            }
            (None, Some(_), _) => {
                return Err(wanted(name, "--target-column", "--source-column"));
            }
            (None, None, usual) => usual,
        };
        let Some((source, target)) = ends else { return Ok(None) };
        if source == target || graph.is_some_and(|graph| graph == source || graph == target) {
            let reason = "source, target and graph must be different columns".into();
            return Err(Error::Option { path: name.to_owned(), reason });
        }
        Ok(Some(Self { source, target, graph }))
    }
}

fn wanted(name: &str, given: &str, missing: &str) -> Error {
    Error::Option { path: name.to_owned(), reason: format!("{given} needs {missing} as well") }
}

/// Edges that become graphs, one after the other.
pub(super) struct EdgeRows {
    name: String,
    directed: bool,
    /// The graph in the making and its name.
    current: Option<Draft>,
    /// Hashes of the names of graphs that are complete.
    done: HashSet<u64>,
    hasher: RandomState,
    next: u64,
}

#[derive(Default)]
struct Draft {
    name: Option<String>,
    line: Option<u64>,
    vertices: NameTable,
    arcs: Vec<(u32, u32)>,
    /// The first thing wrong with it, and where.
    bad: Option<(Option<u64>, String, String)>,
}

impl EdgeRows {
    pub(super) fn new(name: &str, directed: bool) -> Self {
        Self {
            name: name.to_owned(),
            directed,
            current: None,
            done: HashSet::new(),
            hasher: RandomState::new(),
            next: 0,
        }
    }

    /// Takes one row of the table; a graph that is complete by it comes back.
    pub(super) fn push(
        &mut self,
        line: Option<u64>,
        graph: Option<&str>,
        source: &str,
        target: &str,
    ) -> Result<Option<Row>, Error> {
        let mut complete = None;
        if self.current.as_ref().is_some_and(|draft| draft.name.as_deref() != graph) {
            complete = self.finish_graph();
        }
        if self.current.is_none() {
            let hash = self.hasher.hash_one(graph);
            if !self.done.insert(hash) {
                let graph = graph.unwrap_or_default();
                let reason = format!(
                    "the edges of graph `{graph}` do not stand together; sort the table by graph"
                );
                return Err(match line {
                    Some(line) => Error::line(&self.name, line, reason),
                    None => Error::file(&self.name, reason),
                });
            }
            let name = graph.map(str::to_owned);
            self.current = Some(Draft { name, line, ..Draft::default() });
        }
        if let Some(draft) = &mut self.current
            && draft.bad.is_none()
            && let Err(reason) = draft.edge(source, target)
        {
            draft.bad = Some((line, format!("{source},{target}"), reason));
        }
        Ok(complete)
    }

    /// The last graph, at the end of the table.
    pub(super) fn finish(&mut self) -> Result<Option<Row>, Error> {
        let last = self.finish_graph();
        if last.is_none() && self.next == 0 {
            return Err(nothing(&self.name, "edge"));
        }
        Ok(last)
    }

    fn finish_graph(&mut self) -> Option<Row> {
        let draft = self.current.take()?;
        let row = self.next;
        self.next += 1;
        Some(draft.finish(row, self.directed))
    }
}

impl Draft {
    fn edge(&mut self, source: &str, target: &str) -> Result<(), String> {
        if source.is_empty() {
            return Err("an edge has no source".into());
        }
        let (source, _) = self.vertices.vertex(source)?;
        if !target.is_empty() {
            let (target, _) = self.vertices.vertex(target)?;
            memory::grow(&mut self.arcs, 1, || "the list of its edges".into())
                .map_err(|e| e.to_string())?;
            self.arcs.push((source, target));
        }
        Ok(())
    }

    fn finish(self, row: u64, directed: bool) -> Row {
        let (line, name) = (self.line, self.name.clone());
        match self.build(row, directed) {
            Ok(record) => Row::Graph(record),
            Err((at, input, reason)) => {
                let input = if input.is_empty() { name.unwrap_or_default() } else { input };
                Row::Rejected(Rejected::new(row, at.or(line), input.as_bytes(), reason))
            }
        }
    }

    fn build(
        mut self,
        row: u64,
        directed: bool,
    ) -> Result<GraphRecord, (Option<u64>, String, String)> {
        if let Some(bad) = self.bad.take() {
            return Err(bad);
        }
        let fail = |reason: String| (None, String::new(), reason);
        let order = self.vertices.len();
        let (names, places) = self.vertices.into_sorted().map_err(fail)?;
        if let Some(places) = places {
            for (u, v) in &mut self.arcs {
                (*u, *v) = (places[*u as usize], places[*v as usize]);
            }
        }
        let parts = Parts { order, arcs: self.arcs, directed, ..Parts::default() };
        let (graph, dropped) = parts.build().map_err(|e| fail(e.to_string()))?;
        let mut record = GraphRecord::with_dropped(row, graph, dropped);
        // A column that only counts the graphs does not name them.
        record.name = self.name.filter(|name| *name != row.to_string());
        record.vertex_names = names;
        Ok(record)
    }
}
