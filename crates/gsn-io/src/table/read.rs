//! Reading count tables back, graph by graph, from any format they are written in.

use super::columns::key_columns;
use super::format::{Blocks, TableFormat};
use crate::error::Error;
use crate::input::Input;
use gsn_core::Scope;
use std::collections::VecDeque;
use std::path::Path;

/// The counts of one graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphCounts {
    /// Row of the input the graph was in.
    pub graph: u64,
    /// What each row is about: `[vertex, vertex]` or `[source, target]`.
    pub ends: Vec<[u32; 2]>,
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
    fn take_block(&mut self, block: &[u64]) -> Result<(), Error> {
        let keys = key_columns(self.scope).len();
        for line in block.chunks_exact(keys + self.columns.len()) {
            let end = |at: usize| {
                u32::try_from(line[at])
                    .map_err(|_| Error::file(&self.name, format!("{} is not a vertex", line[at])))
            };
            let ends = [end(1)?, end(keys - 1)?];
            match &mut self.current {
                Some(counts) if counts.graph == line[0] => {
                    counts.ends.push(ends);
                    counts.values.extend_from_slice(&line[keys..]);
                }
                Some(counts) if counts.graph > line[0] => {
                    return Err(Error::file(&self.name, "is not sorted by graph"));
                }
                current => {
                    let (graph, values) = (line[0], line[keys..].to_vec());
                    let fresh = GraphCounts { graph, ends: vec![ends], values };
                    self.ready.extend(current.replace(fresh));
                }
            }
        }
        Ok(())
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

/// The scope that the columns speak of, and how many of them are keys.
fn scope_of(names: &[String]) -> Option<(Scope, usize)> {
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
