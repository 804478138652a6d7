//! The key columns `graph`, `vertex`, `source` and `target`: places of vertices, or their names.

use crate::error::Error;
use crate::names::{NameKind, VertexName, VertexNames};
use gsn_core::Scope;
use std::ops::Range;

/// The names of the columns before the counts.
pub(crate) fn key_columns(scope: Scope) -> &'static [&'static str] {
    match scope {
        Scope::Vertex => &["graph", "vertex"],
        Scope::Edge | Scope::Arc => &["graph", "source", "target"],
    }
}

/// The key columns of some rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Keys {
    pub(super) scope: Scope,
    pub(super) graph: Vec<u64>,
    /// `vertex`, or `source` and `target`.
    pub(super) ends: Vec<VertexColumn>,
    /// Whether the kind of the ends can no longer change.
    fixed: bool,
}

impl Keys {
    /// No rows yet.
    pub(super) fn new(scope: Scope) -> Self {
        let ends = vec![VertexColumn::default(); key_columns(scope).len() - 1];
        Self { scope, graph: Vec::new(), ends, fixed: false }
    }

    /// What the ends are called by.
    pub(super) fn kind(&self) -> NameKind {
        self.ends[0].kind()
    }

    /// From now on the columns hold what they hold now.
    pub(super) fn fix(&mut self) {
        self.fixed = true;
    }

    /// Makes the columns such that they hold the names of the graph in `row`.
    pub(super) fn make_room(
        &mut self,
        name: &str,
        row: u64,
        names: Option<&VertexNames>,
    ) -> Result<(), Error> {
        let Some(names) = names else { return Ok(()) };
        if self.ends.iter().all(|column| column.holds(Some(names))) && self.fixed {
            return Ok(());
        }
        if self.fixed {
            let (had, say) = match (self.kind(), names.kind()) {
                (NameKind::None, NameKind::Integers) => ("small numbers", "integers"),
                _ => ("numbers", "text"),
            };
            let reason = format!(
                "the vertices of graph {row} have names that do not fit a column of {had}, as the \
                 graphs before had; use --vertex-names {say}"
            );
            return Err(Error::file(name, reason));
        }
        self.ends.iter_mut().for_each(|column| column.widen(names.kind()));
        Ok(())
    }

    /// Adds rows of one graph, each about `[vertex, vertex]` or `[source, target]`.
    pub(super) fn extend(&mut self, row: u64, ends: &[[u32; 2]], names: Option<&VertexNames>) {
        self.graph.extend(std::iter::repeat_n(row, ends.len()));
        for (at, column) in self.ends.iter_mut().enumerate() {
            match (column, names) {
                (VertexColumn::Index(places), None) => {
                    places.extend(ends.iter().map(|ends| ends[at]));
                }
                (column, names) => ends.iter().for_each(|ends| column.push(ends[at], names)),
            }
        }
    }

    pub(super) fn clear(&mut self) {
        self.graph.clear();
        self.ends.iter_mut().for_each(VertexColumn::clear);
    }
}

/// A key column. It starts with places and is widened when names come that it cannot hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VertexColumn {
    /// Places of vertices in their graph, from 0.
    Index(Vec<u32>),
    /// Names that are whole numbers.
    Integers(Vec<i64>),
    /// Names that are texts.
    Text(Vec<String>),
}

impl Default for VertexColumn {
    fn default() -> Self {
        VertexColumn::Index(Vec::new())
    }
}

impl VertexColumn {
    /// An empty column of this kind.
    #[cfg(feature = "columnar")]
    pub(super) fn new(kind: NameKind) -> Self {
        let mut column = Self::default();
        column.widen(kind);
        column
    }

    /// What it holds.
    pub fn kind(&self) -> NameKind {
        match self {
            VertexColumn::Index(_) => NameKind::None,
            VertexColumn::Integers(_) => NameKind::Integers,
            VertexColumn::Text(_) => NameKind::Strings,
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            VertexColumn::Index(places) => places.len(),
            VertexColumn::Integers(numbers) => numbers.len(),
            VertexColumn::Text(texts) => texts.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The vertex of a row.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn get(&self, row: usize) -> VertexName {
        match self {
            VertexColumn::Index(places) => VertexName::Integer(i64::from(places[row])),
            VertexColumn::Integers(numbers) => VertexName::Integer(numbers[row]),
            VertexColumn::Text(texts) => VertexName::Text(texts[row].clone()),
        }
    }

    /// Whether `row` is about this vertex of a graph with these names.
    pub(crate) fn is(&self, row: usize, vertex: u32, names: Option<&VertexNames>) -> bool {
        match (self, names) {
            (VertexColumn::Index(places), None) => places[row] == vertex,
            (VertexColumn::Text(texts), Some(VertexNames::Text(names))) => {
                texts[row] == names[vertex as usize]
            }
            _ => {
                let name = names.map_or(VertexName::Integer(i64::from(vertex)), |n| n.get(vertex));
                let here = self.get(row);
                here == name || here.to_string() == name.to_string()
            }
        }
    }

    /// Makes room for names of this kind.
    pub(super) fn widen(&mut self, kind: NameKind) {
        if kind <= self.kind() {
            return;
        }
        *self = match (std::mem::take(self), kind) {
            (VertexColumn::Index(places), NameKind::Integers) => {
                VertexColumn::Integers(places.into_iter().map(i64::from).collect())
            }
            (VertexColumn::Index(places), _) => {
                VertexColumn::Text(places.iter().map(u32::to_string).collect())
            }
            (VertexColumn::Integers(numbers), _) => {
                VertexColumn::Text(numbers.iter().map(i64::to_string).collect())
            }
            (texts, _) => texts,
        };
    }

    /// Whether it can hold all of these names as it is.
    pub(super) fn holds(&self, names: Option<&VertexNames>) -> bool {
        match (self, names) {
            (_, None) | (VertexColumn::Text(_), _) => true,
            (VertexColumn::Integers(_), Some(names)) => names.kind() == NameKind::Integers,
            (VertexColumn::Index(_), Some(VertexNames::Integers(numbers))) => {
                numbers.iter().all(|&number| u32::try_from(number).is_ok())
            }
            (VertexColumn::Index(_), Some(VertexNames::Text(_))) => false,
        }
    }

    /// Adds a vertex; the column holds the names.
    pub(super) fn push(&mut self, vertex: u32, names: Option<&VertexNames>) {
        match (self, names) {
            (VertexColumn::Index(places), None) => places.push(vertex),
            (VertexColumn::Index(places), Some(VertexNames::Integers(numbers))) => {
                places.push(u32::try_from(numbers[vertex as usize]).unwrap_or(u32::MAX));
            }
            (VertexColumn::Integers(column), None) => column.push(i64::from(vertex)),
            (VertexColumn::Integers(column), Some(VertexNames::Integers(numbers))) => {
                column.push(numbers[vertex as usize]);
            }
            (VertexColumn::Text(column), Some(VertexNames::Text(texts))) => {
                column.push(texts[vertex as usize].clone());
            }
            (VertexColumn::Text(column), None) => column.push(vertex.to_string()),
            (column, Some(names)) => {
                column.widen(NameKind::Strings);
                if let VertexColumn::Text(column) = column {
                    column.push(names.get(vertex).to_string());
                }
            }
        }
    }

    /// Adds a vertex as a table writes it; the column is widened as needed.
    pub(super) fn push_text(&mut self, text: &str) {
        match self {
            VertexColumn::Text(texts) => texts.push(text.to_owned()),
            VertexColumn::Integers(numbers) => match crate::names::canonical(text) {
                Some(number) => numbers.push(number),
                None => {
                    self.widen(NameKind::Strings);
                    self.push_text(text);
                }
            },
            VertexColumn::Index(places) => match crate::names::canonical(text) {
                Some(number) => match u32::try_from(number) {
                    Ok(place) => places.push(place),
                    Err(_) => {
                        self.widen(NameKind::Integers);
                        self.push_text(text);
                    }
                },
                None => {
                    self.widen(NameKind::Strings);
                    self.push_text(text);
                }
            },
        }
    }

    /// Adds some rows of another column.
    pub(super) fn extend(&mut self, other: &VertexColumn, rows: Range<usize>) {
        self.widen(other.kind());
        for row in rows {
            match (&mut *self, other) {
                (VertexColumn::Index(to), VertexColumn::Index(from)) => to.push(from[row]),
                (VertexColumn::Integers(to), VertexColumn::Integers(from)) => to.push(from[row]),
                (VertexColumn::Text(to), VertexColumn::Text(from)) => to.push(from[row].clone()),
                (VertexColumn::Integers(to), VertexColumn::Index(from)) => {
                    to.push(i64::from(from[row]));
                }
                (to, from) => to.push_text(&from.get(row).to_string()),
            }
        }
    }

    pub(super) fn clear(&mut self) {
        match self {
            VertexColumn::Index(places) => places.clear(),
            VertexColumn::Integers(numbers) => numbers.clear(),
            VertexColumn::Text(texts) => texts.clear(),
        }
    }
}
