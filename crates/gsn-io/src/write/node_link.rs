//! Node-link JSON as networkx reads it: one object a graph and a line.

use super::{Lost, Writer, create, labelled_edges};
use crate::atomic::Group;
use crate::error::Error;
use crate::names::VertexName;
use crate::output::OutFile;
use crate::record::GraphRecord;
use serde::Serialize;
use std::path::Path;

struct NodeLink(OutFile);

#[derive(Serialize)]
struct Document<'a> {
    directed: bool,
    multigraph: bool,
    graph: Attributes<'a>,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
}

#[derive(Serialize)]
struct Attributes<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
}

#[derive(Serialize)]
struct Node {
    id: VertexName,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<u32>,
}

#[derive(Serialize)]
struct Edge {
    source: VertexName,
    target: VertexName,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<u32>,
}

pub(crate) fn writer(path: &Path) -> Result<Box<dyn Writer>, Error> {
    Ok(Box::new(NodeLink(create(path)?)))
}

impl Writer for NodeLink {
    fn push(&mut self, _: u64, record: &GraphRecord) -> Result<Lost, Error> {
        let graph = &record.graph;
        let labels = graph.vertex_labels();
        let id = |v: u32| match &record.vertex_names {
            Some(names) => names.get(v),
            None => VertexName::Integer(i64::from(v)),
        };
        let node = |v: u32| Node { id: id(v), label: labels.map(|labels| labels[v as usize]) };
        let edge = |(u, v, label)| Edge { source: id(u), target: id(v), label };
        let document = Document {
            directed: graph.is_directed(),
            multigraph: false,
            graph: Attributes { name: record.name.as_deref() },
            nodes: (0..graph.order() as u32).map(node).collect(),
            edges: labelled_edges(record).map(edge).collect(),
        };
        let mut text =
            serde_json::to_vec(&document).map_err(|e| Error::file(&self.0.name, e.to_string()))?;
        text.push(b'\n');
        self.0.put(&text)?;
        Ok(Lost::beside_the_graph(record))
    }

    fn finish(self: Box<Self>, group: &mut Group) -> Result<(), Error> {
        self.0.finish(group)
    }
}
