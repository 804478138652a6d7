//! GraphML: one `<graph>` a graph, integer keys `label` on nodes and edges.

use super::{Lost, Writer, create, labelled_edges};
use crate::atomic::Group;
use crate::error::Error;
use crate::output::OutFile;
use crate::record::GraphRecord;
use quick_xml::escape::escape;
use std::fmt::Write;
use std::path::Path;

struct GraphMl {
    out: OutFile,
}

const HEAD: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="v" for="node" attr.name="label" attr.type="long"/>
  <key id="e" for="edge" attr.name="label" attr.type="long"/>
"#;

pub(crate) fn writer(path: &Path) -> Result<Box<dyn Writer>, Error> {
    let mut out = create(path)?;
    out.put(HEAD.as_bytes())?;
    Ok(Box::new(GraphMl { out }))
}

/// The names of the vertices as XML has them, if it can hold all of them.
fn ids(record: &GraphRecord) -> Option<Vec<String>> {
    let texts = record.vertex_names.as_ref()?.texts();
    // XML has no control characters, and an attribute no blanks at its ends.
    let bad = |text: &String| text.chars().any(char::is_control) || text.trim() != text;
    let bad = texts.iter().any(|text| text.is_empty() || bad(text));
    (!bad).then(|| texts.iter().map(|text| escape(text.as_str()).into_owned()).collect())
}

impl Writer for GraphMl {
    fn push(&mut self, _: u64, record: &GraphRecord) -> Result<Lost, Error> {
        let graph = &record.graph;
        let mut text = String::from("  <graph");
        // Writing to a string does not fail.
        if let Some(name) = &record.name {
            // XML has no control characters, not even escaped ones.
            let name: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            let _ = write!(text, " id=\"{}\"", escape(name.as_str()));
        }
        let kind = if graph.is_directed() { "directed" } else { "undirected" };
        let _ = writeln!(text, " edgedefault=\"{kind}\">");
        let names = ids(record);
        let id = |v: u32| names.as_ref().map_or_else(|| v.to_string(), |n| n[v as usize].clone());
        for v in 0..graph.order() {
            let id = id(v as u32);
            let _ = match graph.vertex_labels() {
                None => writeln!(text, "    <node id=\"{id}\"/>"),
                Some(labels) => writeln!(
                    text,
                    "    <node id=\"{id}\"><data key=\"v\">{}</data></node>",
                    labels[v]
                ),
            };
        }
        for (u, v, label) in labelled_edges(record) {
            let (u, v) = (id(u), id(v));
            let _ = match label {
                None => writeln!(text, "    <edge source=\"{u}\" target=\"{v}\"/>"),
                Some(label) => writeln!(
                    text,
                    "    <edge source=\"{u}\" target=\"{v}\"><data key=\"e\">{label}</data></edge>"
                ),
            };
        }
        text.push_str("  </graph>\n");
        self.out.put(text.as_bytes())?;
        let vertex_names = record.vertex_names.is_some() && names.is_none();
        Ok(Lost { vertex_names, ..Lost::beside_the_graph(record) })
    }

    fn finish(mut self: Box<Self>, group: &mut Group) -> Result<(), Error> {
        self.out.put(b"</graphml>\n")?;
        self.out.finish(group)
    }
}
