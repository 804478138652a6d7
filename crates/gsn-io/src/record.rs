//! What readers hand out: graphs, rejected rows, and batches of both.

use crate::molecule::MoleculeFeatures;
use crate::names::VertexNames;
use gsn_core::graph::{Dropped, GraphBuilder};
use gsn_core::{Graph, graph::GraphError};
use std::sync::Arc;

/// One graph of an input, and what came with it.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphRecord {
    /// Row of the input, from 0; rejected rows count.
    pub row: u64,
    /// The graph.
    pub graph: Graph,
    /// Loops and repeated edges that were left out.
    pub dropped: Dropped,
    /// What the file calls the vertices, unless it is 0, 1, 2, ….
    pub vertex_names: Option<VertexNames>,
    /// Name of the graph, where the format has one.
    pub name: Option<String>,
    /// Class of the graph (TU and GIN files).
    pub label: Option<i64>,
    /// Numbers to be predicted (`graph_attributes` of TU folders).
    pub targets: Vec<f64>,
    /// The other columns of the row, in the order of [`GraphSource::fields`](crate::GraphSource::fields);
    /// empty unless [`ReadOptions::keep_fields`](crate::ReadOptions::keep_fields) is set.
    pub fields: Vec<String>,
    /// The SMILES as it is written in the row, if [`ReadOptions::keep_fields`](crate::ReadOptions::keep_fields) is set.
    pub smiles: Option<String>,
    /// Features of a molecule, if they were asked for.
    pub features: Option<MoleculeFeatures>,
    /// Line of the input, from 1, where the format has lines.
    pub line: Option<u64>,
}

impl GraphRecord {
    /// A graph with nothing but itself.
    pub fn new(row: u64, graph: Graph) -> Self {
        Self::with_dropped(row, graph, Dropped::default())
    }

    pub(crate) fn with_dropped(row: u64, graph: Graph, dropped: Dropped) -> Self {
        Self {
            row,
            graph,
            dropped,
            vertex_names: None,
            name: None,
            label: None,
            targets: Vec::new(),
            fields: Vec::new(),
            smiles: None,
            features: None,
            line: None,
        }
    }

    /// The row as one that is left out after all.
    pub fn rejected(self, reason: impl Into<String>) -> Rejected {
        let input = self.smiles.or(self.name).unwrap_or_default();
        Rejected {
            fields: self.fields,
            ..Rejected::new(self.row, self.line, input.as_bytes(), reason)
        }
    }
}

/// A row that is not a graph. Reading goes on behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    /// Row of the input, from 0.
    pub row: u64,
    /// Line of the input, from 1, where the format has lines.
    pub line: Option<u64>,
    /// The beginning of what was found there.
    pub input: String,
    /// Why it is not a graph.
    pub reason: String,
    /// The other columns of the row, as in [`GraphRecord::fields`]; empty where they are not kept.
    pub fields: Vec<String>,
}

impl Rejected {
    pub(crate) fn new(
        row: u64,
        line: Option<u64>,
        input: &[u8],
        reason: impl Into<String>,
    ) -> Self {
        let fields = Vec::new();
        Self { row, line, input: excerpt(input), reason: reason.into(), fields }
    }
}

/// One row of an input.
#[allow(clippy::large_enum_variant)] // nearly every row is a graph; a box would cost each of them
#[derive(Clone, Debug, PartialEq)]
pub enum Row {
    /// A graph.
    Graph(GraphRecord),
    /// Not a graph.
    Rejected(Rejected),
}

impl Row {
    /// The graph, or why there is none.
    ///
    /// # Errors
    /// The rejected row.
    pub fn into_result(self) -> Result<GraphRecord, Rejected> {
        match self {
            Row::Graph(record) => Ok(record),
            Row::Rejected(rejected) => Err(rejected),
        }
    }
}

/// Some rows in a row, ready to be worked on in parallel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    /// The graphs, in the order of the input.
    pub records: Vec<GraphRecord>,
    /// The rejected rows among them, in the order of the input.
    pub rejected: Vec<Rejected>,
    /// Names of [`GraphRecord::fields`], as far as they are known at this place of the input.
    pub fields: Arc<[String]>,
}

/// The beginning of a text, printable and of bounded length.
pub(crate) fn excerpt(bytes: &[u8]) -> String {
    const LONGEST: usize = 160;
    let head = &bytes[..bytes.len().min(4 * LONGEST)];
    let text = String::from_utf8_lossy(head);
    let mut out: String =
        text.chars().take(LONGEST).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if bytes.len() > head.len() || text.chars().nth(LONGEST).is_some() {
        out.push('…');
    }
    out
}

/// Vertices a count in a file may claim for one graph without edges to show for them:
/// 64 MB of row offsets.
pub(crate) const FREE_VERTICES: u64 = 1 << 24;

/// Vertices that graphs may claim together to be held at a time, where a file holds many; a single
/// one may have more.
pub(crate) const HELD_VERTICES: u64 = 1 << 20;

/// Refuses a number of vertices that stands against no data: a claim of a few bytes must not cost
/// gigabytes. Up to `free` vertices pass, beyond that one edge for every 64.
///
/// # Errors
/// What is claimed and what is there.
pub fn plausible_order(order: u64, edges: usize, free: u64) -> Result<usize, String> {
    if order > free && order / 64 > edges as u64 {
        return Err(format!("{order} vertices are claimed, but only {edges} edges follow"));
    }
    usize::try_from(order).map_err(|_| format!("{order} vertices are too many"))
}

/// The parts of a graph as a file gives them.
#[derive(Default)]
pub(crate) struct Parts {
    pub(crate) order: usize,
    pub(crate) arcs: Vec<(u32, u32)>,
    pub(crate) arc_labels: Option<Vec<u32>>,
    pub(crate) vertex_labels: Option<Vec<u32>>,
    pub(crate) directed: bool,
}

impl Parts {
    /// Builds the graph; the same edge in both directions counts as a duplicate.
    pub(crate) fn build(mut self) -> Result<(Graph, Dropped), GraphError> {
        let mut builder = if self.directed {
            GraphBuilder::directed(self.order)
        } else {
            GraphBuilder::undirected(self.order)
        };
        match &self.arc_labels {
            None => {
                builder.edges(std::mem::take(&mut self.arcs));
            }
            Some(labels) => self.arcs.iter().zip(labels).for_each(|(&(u, v), &label)| {
                builder.labelled_edge(u, v, label);
            }),
        }
        if let Some(labels) = self.vertex_labels {
            builder.vertex_labels(labels);
        }
        builder.build_reporting()
    }

    /// Builds from a format that writes an undirected edge as two arcs: only arcs that are there
    /// twice in the same direction are duplicates.
    pub(crate) fn build_from_both_ways(mut self) -> Result<(Graph, Dropped), GraphError> {
        if self.directed {
            return self.build();
        }
        let mut sorted: Vec<(u32, u32)> =
            self.arcs.iter().copied().filter(|(u, v)| u != v).collect();
        let given = sorted.len();
        sorted.sort_unstable();
        sorted.dedup();
        let duplicates = given - sorted.len();
        if self.arc_labels.is_none() {
            let loops = self.arcs.len() - given;
            self.arcs = sorted
                .iter()
                .copied()
                .filter(|&(u, v)| u < v || sorted.binary_search(&(v, u)).is_err())
                .collect();
            let (graph, dropped) = self.build()?;
            let self_loops = dropped.self_loops + loops;
            return Ok((graph, Dropped { self_loops, duplicates }));
        }
        let (graph, dropped) = self.build()?;
        Ok((graph, Dropped { self_loops: dropped.self_loops, duplicates }))
    }
}
