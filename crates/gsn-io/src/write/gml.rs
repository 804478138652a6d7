//! GML: one `graph [ … ]` a graph. Names that are numbers are the ids of the nodes, texts their
//! `label`, or their `name` where `label` is taken by a number.

use super::{Lost, Writer, create, labelled_edges};
use crate::atomic::Group;
use crate::error::Error;
use crate::names::VertexNames;
use crate::output::OutFile;
use crate::record::GraphRecord;
use std::fmt::Write;
use std::path::Path;

struct Gml(OutFile);

pub(crate) fn writer(path: &Path) -> Result<Box<dyn Writer>, Error> {
    Ok(Box::new(Gml(create(path)?)))
}

impl Writer for Gml {
    fn push(&mut self, _: u64, record: &GraphRecord) -> Result<Lost, Error> {
        let graph = &record.graph;
        let mut text = String::from("graph [\n");
        // Writing to a string does not fail.
        if let Some(name) = &record.name {
            let _ = writeln!(text, "  name \"{}\"", escaped(name));
        }
        if graph.is_directed() {
            text.push_str("  directed 1\n");
        }
        let labels = graph.vertex_labels();
        let title = if labels.is_some() { "name" } else { "label" };
        let id = |v: u32| match &record.vertex_names {
            Some(VertexNames::Integers(numbers)) => numbers[v as usize],
            _ => i64::from(v),
        };
        for v in 0..graph.order() as u32 {
            let _ = write!(text, "  node [ id {}", id(v));
            if let Some(labels) = labels {
                let _ = write!(text, " label {}", labels[v as usize]);
            }
            if let Some(VertexNames::Text(texts)) = &record.vertex_names {
                let _ = write!(text, " {title} \"{}\"", escaped(&texts[v as usize]));
            }
            text.push_str(" ]\n");
        }
        for (u, v, label) in labelled_edges(record) {
            let _ = write!(text, "  edge [ source {} target {}", id(u), id(v));
            if let Some(label) = label {
                let _ = write!(text, " label {label}");
            }
            text.push_str(" ]\n");
        }
        text.push_str("]\n");
        self.0.put(text.as_bytes())?;
        Ok(Lost::beside_the_graph(record))
    }

    fn finish(self: Box<Self>, group: &mut Group) -> Result<(), Error> {
        self.0.finish(group)
    }
}

/// Text between quotation marks; GML is ASCII.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("&quot;"),
            '&' => out.push_str("&amp;"),
            ' '..='~' => out.push(letter),
            other => {
                let _ = write!(out, "&#{};", u32::from(other));
            }
        }
    }
    out
}
