//! Graphs to be compared: those of a file, or of a set of the catalogue.

use crate::catalogue::{self, Pair};
use crate::error::{Error, Result};
use gsn_core::Graph;
use gsn_io::{GraphSource, ReadOptions, Rejected, Row, VertexName, VertexNames};
use std::path::Path;

/// Graphs and where they are from.
#[derive(Debug, Clone, Default)]
pub struct GraphList {
    /// The file or the set.
    pub name: String,
    /// The graphs.
    pub graphs: Vec<Graph>,
    /// What the file calls the vertices of each graph, unless it is 0, 1, 2, ….
    pub vertex_names: Vec<Option<VertexNames>>,
    /// Row of each graph.
    pub rows: Vec<u64>,
    /// Rows that are no graphs.
    pub rejected: Vec<Rejected>,
    /// Whether the set says that its graphs come in pairs.
    pub paired: bool,
}

impl GraphList {
    /// What the file calls a vertex of the graph at `graph`.
    ///
    /// # Panics
    /// If there is no such graph or vertex.
    pub fn vertex(&self, graph: usize, vertex: u32) -> VertexName {
        match &self.vertex_names[graph] {
            Some(names) => names.get(vertex),
            None => VertexName::Integer(i64::from(vertex)),
        }
    }

    /// Reads a file, or else a set of the catalogue of this name. With `pairs` every row has to be
    /// a graph.
    ///
    /// # Errors
    /// If there is no such file or set, it cannot be read or holds no graph, or a rejected row
    /// would shift the pairs behind it.
    pub fn read(path: &Path, options: &ReadOptions, pairs: bool) -> Result<Self> {
        let name = path.display().to_string();
        if !path.exists() && path.as_os_str() != "-" && catalogue::find(&name).is_ok() {
            let set = catalogue::graphs(&name)?;
            let consecutive =
                |(at, pair): (usize, &Pair)| (pair.first, pair.second) == (2 * at, 2 * at + 1);
            let paired = 2 * set.pairs.len() == set.graphs.len()
                && set.pairs.iter().enumerate().all(consecutive)
                && !set.pairs.is_empty();
            let rows = (0..set.graphs.len() as u64).collect();
            let (graphs, rejected) = (set.graphs, Vec::new());
            let vertex_names = vec![None; graphs.len()];
            return Ok(Self { name, graphs, vertex_names, rows, rejected, paired });
        }
        let mut list = Self { name, ..Self::default() };
        for row in GraphSource::open(path, options)? {
            match row? {
                Row::Graph(record) => {
                    list.graphs.push(record.graph);
                    list.vertex_names.push(record.vertex_names);
                    list.rows.push(record.row);
                }
                Row::Rejected(bad) if pairs => {
                    let line = bad.line.map(|line| format!(" (line {line})")).unwrap_or_default();
                    return Err(Error::Separate(format!(
                        "{}: row {}{line} is no graph: {}; the pairs behind it would shift",
                        list.name, bad.row, bad.reason
                    )));
                }
                Row::Rejected(bad) => list.rejected.push(bad),
            }
        }
        match list.graphs.is_empty() {
            true => Err(Error::Separate(format!("{} holds no graph", list.name))),
            false => Ok(list),
        }
    }
}
