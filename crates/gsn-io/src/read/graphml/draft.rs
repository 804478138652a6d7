//! A graph in the making: nodes, edges and labels as they come, checked as a whole at the end.

use crate::names::{NameTable, VertexNames};
use crate::record::{GraphRecord, Parts, Rejected, Row};
use gsn_core::Graph;
use gsn_core::graph::Dropped;

/// The keys of a file that give labels.
#[derive(Default)]
pub(super) struct Keys {
    pub(super) vertex: Option<Key>,
    pub(super) edge: Option<Key>,
    /// Keys of whole graphs, with their names.
    pub(super) graph: Vec<(Key, String)>,
}

pub(super) struct Key {
    pub(super) id: String,
    pub(super) default: Option<String>,
}

/// A graph in the making.
#[derive(Default)]
pub(super) struct Draft {
    pub(super) name: Option<String>,
    pub(super) directed: bool,
    pub(super) line: u64,
    ids: NameTable,
    arcs: Vec<(u32, u32)>,
    /// Edges that came before their nodes, with their place among the arcs.
    early: Vec<(usize, String, String)>,
    vertex_labels: Vec<Option<u32>>,
    arc_labels: Vec<Option<u32>>,
    /// What the graph as a whole has, by key.
    pub(super) graph_data: Vec<(String, String)>,
    /// The first thing wrong with it, and where.
    pub(super) bad: Option<(u64, String)>,
}

/// A graph, what was left out of it, and what its vertices are called.
type Built = (Graph, Dropped, Option<VertexNames>);

/// What an element's `<data>` belongs to.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Owner {
    Vertex,
    Edge,
    Graph,
    Other,
}

impl Draft {
    /// An empty graph whose element starts at `line`.
    pub(super) fn at(line: u64) -> Self {
        Self { line, ..Self::default() }
    }

    pub(super) fn note(&mut self, line: u64, result: Result<(), String>) {
        if let (None, Err(reason)) = (&self.bad, result) {
            self.bad = Some((line, reason));
        }
    }

    pub(super) fn node(&mut self, id: Option<String>) -> Result<(), String> {
        let id = id.ok_or("a <node> without an id")?;
        self.vertex_labels.push(None);
        match self.ids.vertex(&id)? {
            (_, true) => Ok(()),
            (_, false) => Err("two nodes have the same id".into()),
        }
    }

    pub(super) fn edge(
        &mut self,
        source: Option<String>,
        target: Option<String>,
        directed: Option<String>,
    ) -> Result<(), String> {
        let source = source.ok_or("an <edge> without a source")?;
        let target = target.ok_or("an <edge> without a target")?;
        if directed.is_some_and(|text| (text == "true") != self.directed) {
            return Err("directed and undirected edges are mixed".into());
        }
        self.arc_labels.push(None);
        match (self.ids.find(&source), self.ids.find(&target)) {
            (Some(u), Some(v)) => self.arcs.push((u, v)),
            _ => {
                self.early.push((self.arcs.len(), source, target));
                self.arcs.push((0, 0));
            }
        }
        Ok(())
    }

    pub(super) fn data(
        &mut self,
        owner: Owner,
        key: Option<String>,
        text: &str,
        keys: &Keys,
    ) -> Result<(), String> {
        let (chosen, slot) = match owner {
            Owner::Vertex => (&keys.vertex, self.vertex_labels.last_mut()),
            Owner::Edge => (&keys.edge, self.arc_labels.last_mut()),
            Owner::Graph => {
                self.graph_data.extend(key.map(|key| (key, text.to_owned())));
                return Ok(());
            }
            Owner::Other => return Ok(()),
        };
        let (Some(chosen), Some(slot)) = (chosen, slot) else { return Ok(()) };
        if key.as_deref() == Some(&chosen.id) {
            *slot = Some(label(text)?);
        }
        Ok(())
    }

    pub(super) fn finish(mut self, row: u64, keys: &Keys) -> Row {
        let built = self.build(keys);
        match built {
            Ok((graph, dropped, names)) => {
                let mut record = GraphRecord::with_dropped(row, graph, dropped);
                record.name = self.name;
                record.vertex_names = names;
                Row::Graph(record)
            }
            Err((line, reason)) => {
                let text = self.name.map_or("<graph>".into(), |id| format!("<graph id=\"{id}\">"));
                Row::Rejected(Rejected::new(row, Some(line), text.as_bytes(), reason))
            }
        }
    }

    fn build(&mut self, keys: &Keys) -> Result<Built, (u64, String)> {
        if let Some(bad) = self.bad.take() {
            return Err(bad);
        }
        let fail = |reason: String| (self.line, reason);
        for (at, source, target) in &self.early {
            let find = |id: &String| {
                let found = self.ids.find(id);
                found.ok_or_else(|| fail(format!("an edge names `{id}`, which is no node")))
            };
            self.arcs[*at] = (find(source)?, find(target)?);
        }
        let vertex_labels = labels(&self.vertex_labels, &keys.vertex, "node").map_err(fail)?;
        let arc_labels = labels(&self.arc_labels, &keys.edge, "edge").map_err(fail)?;
        let parts = Parts {
            order: self.ids.len(),
            arcs: std::mem::take(&mut self.arcs),
            arc_labels,
            vertex_labels,
            directed: self.directed,
        };
        let names = std::mem::take(&mut self.ids).into_names().map_err(fail)?;
        let (graph, dropped) = parts.build().map_err(|e| fail(e.to_string()))?;
        Ok((graph, dropped, names))
    }
}

fn label(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| format!("the label `{text}` is not a whole number from 0"))
}

/// All labels or none; what has none of its own takes the key's default.
fn labels(
    given: &[Option<u32>],
    key: &Option<Key>,
    what: &str,
) -> Result<Option<Vec<u32>>, String> {
    let Some(key) = key else { return Ok(None) };
    let default = key.default.as_deref().map(label).transpose()?;
    if given.is_empty() || (default.is_none() && given.iter().all(Option::is_none)) {
        return Ok(None);
    }
    let all: Option<Vec<u32>> = given.iter().map(|label| label.or(default)).collect();
    all.map(Some).ok_or_else(|| format!("some {what}s have a label and some have none"))
}
