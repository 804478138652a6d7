//! graph6, sparse6 and edge lists.

use super::{Lost, Writer, create, only_one, unfit};
use crate::atomic::Group;
use crate::error::Error;
use crate::names::VertexNames;
use crate::output::{OutFile, decimal};
use crate::read::edge_list::NAMED;
use crate::record::GraphRecord;
use gsn_core::Graph;
use std::path::Path;

struct Graph6(OutFile);

pub(crate) fn graph6(path: &Path) -> Result<Box<dyn Writer>, Error> {
    Ok(Box::new(Graph6(create(path)?)))
}

impl Writer for Graph6 {
    fn push(&mut self, _: u64, record: &GraphRecord) -> Result<Lost, Error> {
        let graph = undirected(&self.0, record)?;
        let line = gsn_core::graph::graph6::encode(graph.order(), |u, v| {
            graph.has_arc(u as u32, v as u32)
        })
        .map_err(|e| unfit(&self.0.name, record, &e.to_string()))?;
        put_line(&mut self.0, record, line)
    }

    fn finish(self: Box<Self>, group: &mut Group) -> Result<(), Error> {
        self.0.finish(group)
    }
}

struct Sparse6(OutFile);

pub(crate) fn sparse6(path: &Path) -> Result<Box<dyn Writer>, Error> {
    Ok(Box::new(Sparse6(create(path)?)))
}

impl Writer for Sparse6 {
    fn push(&mut self, _: u64, record: &GraphRecord) -> Result<Lost, Error> {
        let graph = undirected(&self.0, record)?;
        let line = gsn_core::graph::sparse6::encode(graph.order(), graph.edges())
            .map_err(|e| unfit(&self.0.name, record, &e.to_string()))?;
        put_line(&mut self.0, record, line)
    }

    fn finish(self: Box<Self>, group: &mut Group) -> Result<(), Error> {
        self.0.finish(group)
    }
}

fn undirected<'a>(out: &OutFile, record: &'a GraphRecord) -> Result<&'a Graph, Error> {
    if record.graph.is_directed() {
        let reason = "is directed, which graph6 and sparse6 cannot hold; use graphml or parquet";
        return Err(unfit(&out.name, record, reason));
    }
    Ok(&record.graph)
}

fn put_line(out: &mut OutFile, record: &GraphRecord, mut line: String) -> Result<Lost, Error> {
    line.push('\n');
    out.put(line.as_bytes())?;
    Ok(Lost::all_of(record))
}

struct EdgeList(OutFile);

pub(crate) fn edge_list(path: &Path) -> Result<Box<dyn Writer>, Error> {
    Ok(Box::new(EdgeList(create(path)?)))
}

impl Writer for EdgeList {
    fn push(&mut self, index: u64, record: &GraphRecord) -> Result<Lost, Error> {
        only_one("an edge list", index, &self.0.name, record)?;
        let graph = &record.graph;
        let all = Lost::all_of(record);
        let Some(names) = words(record) else {
            let name = record.name.as_deref().unwrap_or("graph");
            // Blanks would end the name, line ends the comment.
            let name: String = name
                .chars()
                .map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c })
                .collect();
            let head = format!("# {name} nodes {} edges {}\n", graph.order(), graph.edge_count());
            self.0.put(head.as_bytes())?;
            self.edges(graph, decimal_of)?;
            return Ok(Lost { names: false, ..all });
        };
        let mut head = String::new();
        if let VertexNames::Text(_) = names {
            head = format!("# {NAMED}\n");
        }
        head += &format!("# Nodes: {} Edges: {}\n", graph.order(), graph.edge_count());
        self.0.put(head.as_bytes())?;
        let texts = names.texts();
        self.edges(graph, |line, v| line.extend_from_slice(texts[v as usize].as_bytes()))?;
        Ok(Lost { vertex_names: false, ..all })
    }

    fn finish(self: Box<Self>, group: &mut Group) -> Result<(), Error> {
        self.0.finish(group)
    }
}

impl EdgeList {
    /// Writes the edges, every end by `put`.
    fn edges(&mut self, graph: &Graph, put: impl Fn(&mut Vec<u8>, u32)) -> Result<(), Error> {
        let mut line = Vec::new();
        for (u, v) in graph.edges() {
            line.clear();
            put(&mut line, u);
            line.push(b' ');
            put(&mut line, v);
            line.push(b'\n');
            self.0.put(&line)?;
        }
        Ok(())
    }
}

fn decimal_of(line: &mut Vec<u8>, vertex: u32) {
    decimal(line, u64::from(vertex));
}

/// The names of the vertices, if a list of edges can hold them: single words, and every vertex
/// has an edge.
fn words(record: &GraphRecord) -> Option<&VertexNames> {
    let names = record.vertex_names.as_ref()?;
    let graph = &record.graph;
    let isolated = |v| graph.neighbors(v).is_empty() && graph.in_neighbors(v).is_empty();
    if (0..graph.order() as u32).any(isolated) {
        return None;
    }
    let word = |text: &String| {
        let apart = |c: char| c.is_whitespace() || c.is_control() || matches!(c, ',' | ';');
        !text.is_empty() && !text.starts_with(['#', '%']) && !text.contains(apart)
    };
    match names {
        VertexNames::Integers(numbers) => numbers.iter().all(|&n| n >= 0).then_some(names),
        VertexNames::Text(texts) => texts.iter().all(word).then_some(names),
    }
}
