//! Tables of edges: `graph`, `source` and `target`, a row an edge; a vertex without edges is a row
//! without a target.

use super::{Lost, Writer, create, unfit};
use crate::atomic::Group;
use crate::error::Error;
use crate::output::{OutFile, decimal};
use crate::record::GraphRecord;
use std::path::Path;

struct EdgeTable {
    out: OutFile,
    delimiter: u8,
}

pub(crate) fn csv(path: &Path) -> Result<Box<dyn Writer>, Error> {
    writer(path, b',')
}

pub(crate) fn tsv(path: &Path) -> Result<Box<dyn Writer>, Error> {
    writer(path, b'\t')
}

fn writer(path: &Path, delimiter: u8) -> Result<Box<dyn Writer>, Error> {
    let mut out = create(path)?;
    let titles = ["graph", "source", "target"].map(str::as_bytes);
    out.put(&titles.join(&delimiter))?;
    out.put(b"\n")?;
    Ok(Box::new(EdgeTable { out, delimiter }))
}

impl Writer for EdgeTable {
    fn push(&mut self, index: u64, record: &GraphRecord) -> Result<Lost, Error> {
        let graph = &record.graph;
        if graph.order() == 0 {
            let reason = "has no vertices, and a table of edges no place for it; use parquet";
            return Err(unfit(&self.out.name, record, reason));
        }
        let texts = texts(record);
        let mut line = Vec::new();
        let mut put = |u: u32, v: Option<u32>| {
            line.clear();
            decimal(&mut line, index);
            for end in [Some(u), v] {
                line.push(self.delimiter);
                match (end, &texts) {
                    (Some(v), Some(texts)) => quoted(&mut line, &texts[v as usize], self.delimiter),
                    (Some(v), None) => decimal(&mut line, u64::from(v)),
                    (None, _) => {}
                }
            }
            line.push(b'\n');
            self.out.put(&line)
        };
        for v in 0..graph.order() as u32 {
            if graph.neighbors(v).is_empty() && graph.in_neighbors(v).is_empty() {
                put(v, None)?;
            }
        }
        for (u, v) in graph.edges() {
            put(u, Some(v))?;
        }
        let all = Lost::all_of(record);
        Ok(Lost { vertex_names: all.vertex_names && texts.is_none(), ..all })
    }

    fn finish(self: Box<Self>, group: &mut Group) -> Result<(), Error> {
        self.out.finish(group)
    }
}

/// The names of the vertices, if a table can hold all of them: not empty, no blanks at the ends.
fn texts(record: &GraphRecord) -> Option<Vec<String>> {
    let texts = record.vertex_names.as_ref()?.texts();
    let bad = |text: &String| text.is_empty() || text.trim() != text;
    (!texts.iter().any(bad)).then_some(texts)
}

/// A field, in quotation marks where it must be.
fn quoted(line: &mut Vec<u8>, text: &str, delimiter: u8) {
    let special = |b: u8| b == delimiter || matches!(b, b'"' | b'\n' | b'\r');
    if text.bytes().any(special) {
        line.push(b'"');
        line.extend_from_slice(text.replace('"', "\"\"").as_bytes());
        line.push(b'"');
    } else {
        line.extend_from_slice(text.as_bytes());
    }
}
