//! A graph in the making: nodes with ids, edges and labels as they come, checked as a whole at the
//! end. GraphML, GML and node-link JSON use it.

use crate::names::{NameTable, VertexNames};
use crate::record::{GraphRecord, Parts, Rejected, Row};
use gsn_core::Graph;
use gsn_core::graph::Dropped;
use std::collections::HashSet;

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
    /// Names of the vertices where they are other than the ids.
    titles: Vec<Option<String>>,
    /// The first thing wrong with it, and where.
    pub(super) bad: Option<(u64, String)>,
}

/// Labels of what has none of its own.
#[derive(Clone, Copy, Default)]
pub(super) struct DefaultLabels {
    pub(super) vertex: Option<u32>,
    pub(super) edge: Option<u32>,
}

/// A graph, what was left out of it, and what its vertices are called.
type Built = (Graph, Dropped, Option<VertexNames>);

impl Draft {
    /// An empty graph that starts at `line`.
    pub(super) fn at(line: u64) -> Self {
        Self { line, ..Self::default() }
    }

    pub(super) fn note(&mut self, line: u64, result: Result<(), String>) {
        if let (None, Err(reason)) = (&self.bad, result) {
            self.bad = Some((line, reason));
        }
    }

    pub(super) fn node(&mut self, id: Option<String>) -> Result<(), String> {
        let id = id.ok_or("a node without an id")?;
        self.vertex_labels.push(None);
        match self.ids.vertex(&id)? {
            (_, true) => Ok(()),
            (_, false) => Err(format!("two nodes have the same id `{id}`")),
        }
    }

    pub(super) fn edge(
        &mut self,
        source: Option<String>,
        target: Option<String>,
        directed: Option<bool>,
    ) -> Result<(), String> {
        let source = source.ok_or("an edge without a source")?;
        let target = target.ok_or("an edge without a target")?;
        if directed.is_some_and(|directed| directed != self.directed) {
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

    /// Labels the last node.
    pub(super) fn label_vertex(&mut self, label: u32) {
        if let Some(slot) = self.vertex_labels.last_mut() {
            *slot = Some(label);
        }
    }

    /// Labels the last edge.
    pub(super) fn label_edge(&mut self, label: u32) {
        if let Some(slot) = self.arc_labels.last_mut() {
            *slot = Some(label);
        }
    }

    /// Names the last node otherwise than by its id.
    pub(super) fn title_vertex(&mut self, title: String) {
        self.titles.resize(self.vertex_labels.len().saturating_sub(1), None);
        self.titles.push(Some(title));
    }

    pub(super) fn finish(mut self, row: u64, defaults: DefaultLabels) -> Row {
        let built = self.build(defaults);
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

    fn build(&mut self, defaults: DefaultLabels) -> Result<Built, (u64, String)> {
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
        let vertex_labels = labels(&self.vertex_labels, defaults.vertex, "node").map_err(fail)?;
        let arc_labels = labels(&self.arc_labels, defaults.edge, "edge").map_err(fail)?;
        let parts = Parts {
            order: self.ids.len(),
            arcs: std::mem::take(&mut self.arcs),
            arc_labels,
            vertex_labels,
            directed: self.directed,
        };
        let ids = std::mem::take(&mut self.ids);
        let titles: Option<Vec<String>> = std::mem::take(&mut self.titles).into_iter().collect();
        let titles = titles.filter(|titles| {
            let different: HashSet<&String> = titles.iter().collect();
            titles.len() == ids.len() && different.len() == titles.len()
        });
        let names = match titles {
            Some(titles) => VertexNames::from_texts(titles),
            None => ids.into_names(),
        };
        let names = names.map_err(fail)?;
        let (graph, dropped) = parts.build().map_err(|e| fail(e.to_string()))?;
        Ok((graph, dropped, names))
    }
}

/// A label in a text.
pub(super) fn label(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| format!("the label `{text}` is not a whole number from 0"))
}

/// All labels or none; what has none of its own takes the default.
fn labels(
    given: &[Option<u32>],
    default: Option<u32>,
    what: &str,
) -> Result<Option<Vec<u32>>, String> {
    if given.is_empty() || (default.is_none() && given.iter().all(Option::is_none)) {
        return Ok(None);
    }
    let all: Option<Vec<u32>> = given.iter().map(|label| label.or(default)).collect();
    all.map(Some).ok_or_else(|| format!("some {what}s have a label and some have none"))
}
