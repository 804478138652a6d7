//! Reading count tables back, graph by graph, from any format they are written in.

use super::columns::scope_of;
use super::format::{Block, Blocks, TableFormat};
use super::keys::VertexColumn;
use crate::error::Error;
use crate::input::Input;
use crate::names::VertexNames;
use gsn_core::Scope;
use std::collections::VecDeque;
use std::path::Path;

/// The counts of one graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphCounts {
    /// Row of the input the graph was in.
    pub graph: u64,
    /// What the rows are about: `vertex`, or `source` and `target`.
    pub ends: Vec<VertexColumn>,
    /// Row after row, one number a column.
    pub values: Vec<u64>,
}

/// A count table, read graph by graph. An `Err` is final.
///
/// ```
/// # use gsn_core::{Graph, Scope};
/// # use gsn_io::{CountSink, TableFormat};
/// # let dir = tempfile::tempdir()?;
/// # let path = dir.path().join("counts.parquet");
/// # let mut sink =
/// #     CountSink::create(&path, TableFormat::Parquet, Scope::Vertex, &["path:2/v0".into()], &[])?;
/// # sink.push(0, &Graph::from_edges(3, [(0, 1), (1, 2)])?, &[1, 2, 1])?;
/// # sink.finish(None)?;
/// let table = gsn_io::CountTable::open(&path)?;
/// assert_eq!((table.scope(), table.columns()), (Scope::Vertex, &["path:2/v0".to_string()][..]));
/// for counts in table {
///     assert_eq!(counts?.values, [1, 2, 1]);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct CountTable {
    name: String,
    scope: Scope,
    columns: Vec<String>,
    blocks: Box<dyn Blocks>,
    ready: VecDeque<GraphCounts>,
    current: Option<GraphCounts>,
    ended: bool,
}

impl CountTable {
    /// Opens a table; name and contents tell the format.
    ///
    /// # Errors
    /// When it cannot be read or its columns are not those of a count table.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let input = Input::open(path)?;
        let name = input.name.clone();
        let (names, blocks) = TableFormat::open(input)?;
        let (scope, keys) = scope_of(&names).ok_or_else(|| Error::MissingColumn {
            path: name.clone(),
            column: "graph`, `vertex` or `source`, `target".into(),
            there: names.clone(),
        })?;
        let columns = names[keys..].to_vec();
        Ok(Self {
            name,
            scope,
            columns,
            blocks,
            ready: VecDeque::new(),
            current: None,
            ended: false,
        })
    }

    /// What the rows are. Edges and arcs are told apart by the orbits in the column names.
    pub fn scope(&self) -> Scope {
        self.scope
    }

    /// The columns after the keys.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Takes a block apart; graphs that are complete become ready.
    fn take_block(&mut self, block: &Block) -> Result<(), Error> {
        let width = self.columns.len();
        let rows = block.graph.len();
        if block.values.len() != rows * width || block.ends.iter().any(|end| end.len() != rows) {
            return Err(Error::file(&self.name, "some rows are too short or too long"));
        }
        let mut from = 0;
        while from < rows {
            let graph = block.graph[from];
            let same = block.graph[from..].iter().take_while(|&&other| other == graph).count();
            let to = from + same;
            if self.current.as_ref().is_some_and(|counts| counts.graph > graph) {
                return Err(Error::file(&self.name, "is not sorted by graph"));
            }
            if self.current.as_ref().is_none_or(|counts| counts.graph != graph) {
                let ends = vec![VertexColumn::default(); block.ends.len()];
                let fresh = GraphCounts { graph, ends, values: Vec::new() };
                self.ready.extend(self.current.replace(fresh));
            }
            if let Some(counts) = &mut self.current {
                for (column, more) in counts.ends.iter_mut().zip(&block.ends) {
                    column.extend(more, from..to);
                }
                counts.values.extend_from_slice(&block.values[from * width..to * width]);
            }
            from = to;
        }
        Ok(())
    }
}

impl GraphCounts {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.ends.first().map_or(0, VertexColumn::len)
    }

    /// Whether the rows are about these vertices, edges or arcs of a graph with these names.
    pub(crate) fn are_about(&self, ends: &[[u32; 2]], names: Option<&VertexNames>) -> bool {
        let fits = |(side, column): (usize, &VertexColumn)| {
            column.len() == ends.len()
                && ends.iter().enumerate().all(|(row, end)| column.is(row, end[side], names))
        };
        self.ends.iter().enumerate().all(fits)
    }
}

impl Iterator for CountTable {
    type Item = Result<GraphCounts, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(counts) = self.ready.pop_front() {
                return Some(Ok(counts));
            }
            if self.ended {
                return self.current.take().map(Ok);
            }
            let taken = match self.blocks.next() {
                None => {
                    self.ended = true;
                    continue;
                }
                Some(block) => block.and_then(|block| self.take_block(&block)),
            };
            if let Err(error) = taken {
                (self.ended, self.current) = (true, None);
                return Some(Err(error));
            }
        }
    }
}
