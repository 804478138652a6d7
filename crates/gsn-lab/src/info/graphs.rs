//! What a file of graphs holds. Cost: one pass over it.

use crate::error::Result;
use gsn_io::{GraphSource, NameKind, ReadOptions, Row};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Graphs of a file or folder.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct GraphsInfo {
    /// The format.
    pub format: String,
    /// Graphs that can be read.
    pub graphs: u64,
    /// Rows that are no graphs.
    pub rejected: u64,
    /// Why the first of them is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_rejected: Option<String>,
    /// Vertices of a graph.
    pub vertices: Range,
    /// Edges of a graph; arcs where they have a direction.
    pub edges: Range,
    /// Whether edges have a direction.
    pub directed: bool,
    /// Whether the graphs are molecules.
    pub molecules: bool,
    /// Different labels of vertices.
    pub vertex_labels: usize,
    /// Different labels of edges.
    pub edge_labels: usize,
    /// What vertices are called by, if not by their place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vertex_names: Option<NameKind>,
    /// Graphs of each class, where the format has classes.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub classes: BTreeMap<i64, u64>,
    /// Names of the other columns.
    pub columns: Vec<String>,
    /// Loops and repeated edges that are left out.
    pub dropped: u64,
    /// What the reader has to say.
    pub notes: Vec<String>,
}

/// The least, the largest and the sum of some numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Range {
    /// The least.
    pub least: u64,
    /// The largest.
    pub most: u64,
    /// The sum.
    pub all: u64,
}

impl Range {
    fn add(&mut self, n: usize, first: bool) {
        let n = n as u64;
        self.least = if first { n } else { self.least.min(n) };
        self.most = self.most.max(n);
        self.all += n;
    }
}

impl GraphsInfo {
    /// Reads an input to its end.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn of(path: &Path, options: &ReadOptions) -> Result<Self> {
        let options = ReadOptions { keep_fields: true, ..options.clone() };
        let mut source = GraphSource::open(path, &options)?;
        let mut info = Self::default();
        let (mut vertex, mut edge) = (BTreeSet::<u32>::new(), BTreeSet::<u32>::new());
        for row in source.by_ref() {
            let record = match row? {
                Row::Graph(record) => record,
                Row::Rejected(bad) => {
                    info.rejected += 1;
                    let place = bad.line.map_or(String::new(), |line| format!(" (line {line})"));
                    let why = format!("row {}{place}: {}", bad.row, bad.reason);
                    info.first_rejected.get_or_insert(why);
                    continue;
                }
            };
            let (graph, first) = (&record.graph, info.graphs == 0);
            info.graphs += 1;
            info.directed |= graph.is_directed();
            info.vertices.add(graph.order(), first);
            info.edges.add(graph.edge_count(), first);
            vertex.extend(graph.vertex_labels().unwrap_or_default());
            edge.extend(graph.arc_labels().unwrap_or_default());
            info.dropped += (record.dropped.self_loops + record.dropped.duplicates) as u64;
            if let Some(label) = record.label {
                *info.classes.entry(label).or_default() += 1;
            }
            info.vertex_names = info.vertex_names.or(record.vertex_names.map(|names| names.kind()));
        }
        (info.vertex_labels, info.edge_labels) = (vertex.len(), edge.len());
        info.format = source.format().to_string();
        info.molecules = source.is_molecules();
        info.columns = source.fields().to_vec();
        info.notes = source.notes();
        Ok(info)
    }
}
