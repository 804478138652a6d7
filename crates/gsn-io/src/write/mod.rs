//! Writing graphs, for conversion between formats.
//!
//! What a format cannot hold is not an error but a [`Lost`], so that the user can be told; a graph
//! that the format cannot hold at all is.

#[cfg(feature = "columnar")]
pub(crate) mod columnar;
pub(crate) mod dimacs;
pub(crate) mod edge_table;
pub(crate) mod gin;
pub(crate) mod gml;
pub(crate) mod graphml;
pub(crate) mod matrix_market;
pub(crate) mod node_link;
pub(crate) mod text;
pub(crate) mod tu;

use crate::atomic::{Disk, Group};
use crate::error::{Error, shown};
use crate::format::Format;
use crate::names::VertexNames;
use crate::output::{OutFile, STDOUT, refuse_input};
use crate::record::GraphRecord;
use std::fmt;
use std::ops::BitOrAssign;
use std::path::{Path, PathBuf};

/// What the output cannot hold.
///
/// ```
/// use gsn_io::Lost;
/// let lost = Lost { vertex_labels: true, names: true, ..Lost::default() };
/// assert_eq!(lost.to_string(), "vertex labels, names");
/// assert!(!lost.is_nothing());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// Labels of vertices.
    pub vertex_labels: bool,
    /// Labels of edges.
    pub edge_labels: bool,
    /// That edges have a direction: the arcs are there, but the file must be read as directed.
    pub direction: bool,
    /// Names of vertices.
    pub vertex_names: bool,
    /// Names of graphs.
    pub names: bool,
    /// Classes of graphs.
    pub classes: bool,
    /// Numbers to be predicted.
    pub targets: bool,
    /// Other columns of the input.
    pub fields: bool,
}

impl Lost {
    /// Whether everything is kept.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// Everything that a record has beyond the bare edges.
    pub(crate) fn all_of(record: &GraphRecord) -> Self {
        Self {
            vertex_labels: record.graph.vertex_labels().is_some(),
            edge_labels: record.graph.arc_labels().is_some(),
            direction: record.graph.is_directed(),
            vertex_names: record.vertex_names.is_some(),
            names: record.name.is_some(),
            classes: record.label.is_some(),
            targets: !record.targets.is_empty(),
            fields: !record.fields.is_empty(),
        }
    }

    /// What a format loses that keeps graphs with names, labels and directions, but nothing beside.
    pub(crate) fn beside_the_graph(record: &GraphRecord) -> Self {
        let Self { classes, targets, fields, .. } = Self::all_of(record);
        Self { classes, targets, fields, ..Self::default() }
    }
}

impl BitOrAssign for Lost {
    fn bitor_assign(&mut self, other: Self) {
        self.vertex_labels |= other.vertex_labels;
        self.edge_labels |= other.edge_labels;
        self.direction |= other.direction;
        self.vertex_names |= other.vertex_names;
        self.names |= other.names;
        self.classes |= other.classes;
        self.targets |= other.targets;
        self.fields |= other.fields;
    }
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            (self.vertex_labels, "vertex labels"),
            (self.edge_labels, "edge labels"),
            (self.direction, "the mark that edges are directed"),
            (self.vertex_names, "names of vertices"),
            (self.names, "names"),
            (self.classes, "classes"),
            (self.targets, "targets"),
            (self.fields, "other columns"),
            (self.is_nothing(), "nothing"),
        ];
        let lost: Vec<&str> = parts.iter().filter(|part| part.0).map(|part| part.1).collect();
        f.write_str(&lost.join(", "))
    }
}

/// What a writer of one format does.
pub(crate) trait Writer: Send {
    /// Writes a graph, the `index`th from 0, and says what is lost.
    fn push(&mut self, index: u64, record: &GraphRecord) -> Result<Lost, Error>;

    /// Completes the output and adds its files to `group`.
    fn finish(self: Box<Self>, group: &mut Group) -> Result<(), Error>;
}

/// Writes graphs; the output appears with [`GraphSink::finish`], or not at all.
///
/// ```
/// use gsn_core::Graph;
/// use gsn_io::{Format, GraphRecord, GraphSink};
///
/// let dir = tempfile::tempdir()?;
/// let path = dir.path().join("path.g6");
/// let mut sink = GraphSink::create(&path, Format::Graph6, &[])?;
/// sink.push(&GraphRecord::new(0, Graph::from_edges(3, [(0, 1), (1, 2)])?))?;
/// assert!(sink.finish()?.is_nothing());
/// assert_eq!(std::fs::read_to_string(&path)?, "Bg\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct GraphSink {
    writer: Box<dyn Writer>,
    written: u64,
    lost: Lost,
}

impl GraphSink {
    /// Starts an output at `path` (`-` is standard output; a folder for [`Format::Tu`]), which
    /// may not be one of `inputs`.
    ///
    /// # Errors
    /// When it cannot be written, would overwrite an input, or the format is not for writing.
    pub fn create(
        path: impl AsRef<Path>,
        format: Format,
        inputs: &[PathBuf],
    ) -> Result<Self, Error> {
        let path = path.as_ref();
        refuse_input(path, inputs)?;
        let create = format.writer().ok_or_else(|| {
            let reason = format!("{format} holds SMILES, which graphs do not give back");
            Error::Option { path: shown(path, STDOUT), reason }
        })?;
        let writer = create(path)?;
        Ok(Self { writer, written: 0, lost: Lost::default() })
    }

    /// Writes a graph and says what of it the format cannot hold.
    ///
    /// # Errors
    /// When writing fails or the format cannot hold the graph at all.
    pub fn push(&mut self, record: &GraphRecord) -> Result<Lost, Error> {
        let lost = self.writer.push(self.written, record)?;
        self.written += 1;
        self.lost |= lost;
        Ok(lost)
    }

    /// Graphs written so far.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Completes the output, puts it in its place, and says what was lost in all.
    ///
    /// # Errors
    /// When writing fails; then there is no output.
    pub fn finish(self) -> Result<Lost, Error> {
        let mut group = Group::default();
        let lost = self.finish_in(&mut group)?;
        group.commit()?;
        Ok(lost)
    }

    /// Completes the output as a part of `group`.
    pub(crate) fn finish_in(self, group: &mut Group) -> Result<Lost, Error> {
        self.writer.finish(group)?;
        Ok(self.lost)
    }
}

/// Starts the one file of a format.
pub(crate) fn create(path: &Path) -> Result<OutFile, Error> {
    OutFile::create(path, &Disk::default())
}

/// The graph of a row does not fit into a format.
fn unfit(name: &str, record: &GraphRecord, reason: &str) -> Error {
    Error::Option { path: name.to_owned(), reason: format!("graph {}: {reason}", record.row) }
}

/// Refuses a second graph in a file that holds one.
fn only_one(what: &str, index: u64, name: &str, record: &GraphRecord) -> Result<(), Error> {
    if index == 0 {
        return Ok(());
    }
    let reason = format!("{what} holds one graph only; use graph6, gin or parquet for many");
    Err(unfit(name, record, &reason))
}

/// Whether the vertices are called 1, 2, 3, ….
fn counted_from_one(record: &GraphRecord) -> bool {
    match &record.vertex_names {
        Some(VertexNames::Integers(numbers)) => {
            numbers.iter().zip(1..).all(|(&number, place)| number == place)
        }
        _ => false,
    }
}

/// Edges with their labels, in the order of [`gsn_core::Graph::edges`].
fn labelled_edges(record: &GraphRecord) -> impl Iterator<Item = (u32, u32, Option<u32>)> + '_ {
    let graph = &record.graph;
    let labels = graph.arc_labels();
    graph
        .arcs()
        .enumerate()
        .filter(move |&(_, (u, v))| graph.is_directed() || u < v)
        .map(move |(arc, (u, v))| (u, v, labels.map(|labels| labels[arc])))
}
