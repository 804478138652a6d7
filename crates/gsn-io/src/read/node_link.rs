//! Node-link JSON as networkx and D3 write it: `nodes` with an `id`, and `links` or `edges` with
//! `source` and `target`. An array of such objects, or one after the other (JSON lines), are
//! several rows.
//!
//! Nodes without ids are called by their `name`, and edges then name their places. Whole numbers
//! under the key `label` (or as the options say) are labels.

use super::draft::{DefaultLabels, Draft, label};
use super::{TextHead, nothing};
use crate::error::Error;
use crate::format::Opened;
use crate::input::{CountLines, Input, unpack_error};
use crate::record::Row;
use crate::source::{ReadOptions, Rows};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::VecDeque;
use std::io::BufRead;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

struct NodeLinkRows {
    name: String,
    bytes: CountLines,
    lines: Arc<AtomicU64>,
    keys: Keys,
    /// Whether the graphs are in an array that is still open.
    in_array: bool,
    next: u64,
}

/// The keys that give labels.
struct Keys {
    vertex: String,
    edge: String,
}

/// An object, or an array of objects.
pub(crate) fn looks_like(head: &TextHead) -> bool {
    let rest = head.first.strip_prefix(b"[").map(<[u8]>::trim_ascii_start);
    let second = head.second.unwrap_or_default();
    match rest {
        None => head.first.starts_with(b"{"),
        Some(b"") => second.starts_with(b"{"),
        Some(rest) => rest.starts_with(b"{"),
    }
}

pub(crate) fn open(input: Input, options: &ReadOptions) -> Result<Opened, Error> {
    let Input { name, bytes, hash, .. } = input;
    let (bytes, lines) = CountLines::new(bytes);
    let key = |asked: &Option<String>| asked.clone().unwrap_or_else(|| "label".into());
    let keys = Keys { vertex: key(&options.vertex_label_key), edge: key(&options.edge_label_key) };
    let rows = NodeLinkRows { name, bytes, lines, keys, in_array: false, next: 0 };
    Ok((Box::new(rows), vec![hash]))
}

impl Rows for NodeLinkRows {
    fn fill(&mut self, rows: &mut VecDeque<Row>) -> Result<bool, Error> {
        loop {
            let held = self.bytes.fill_buf().map_err(|e| unpack_error(&self.name, e))?;
            let first = held.first().copied();
            match first {
                None if self.in_array => return Err(self.error("the file ends inside an array")),
                None if self.next == 0 => return Err(nothing(&self.name, "graph")),
                None => return Ok(false),
                Some(b'[') if self.next == 0 && !self.in_array => self.in_array = true,
                Some(b']') if self.in_array => self.in_array = false,
                Some(b',') if self.in_array => {}
                Some(byte) if byte.is_ascii_whitespace() => {}
                Some(b'{') => {
                    let row = self.graph()?;
                    rows.push_back(row);
                    return Ok(true);
                }
                Some(_) => return Err(self.error("an object `{…}` is expected here")),
            }
            self.bytes.consume(1);
        }
    }
}

impl NodeLinkRows {
    fn line(&self) -> u64 {
        self.lines.load(Relaxed) + 1
    }

    fn error(&self, reason: impl Into<String>) -> Error {
        Error::line(&self.name, self.line(), reason)
    }

    /// Reads one object to its end.
    fn graph(&mut self) -> Result<Row, Error> {
        let line = self.line();
        let mut reader = serde_json::Deserializer::from_reader(&mut self.bytes);
        let object = Map::<String, Value>::deserialize(&mut reader).map_err(|e| {
            if e.is_io() {
                let kind = e.io_error_kind().unwrap_or(std::io::ErrorKind::Other);
                return unpack_error(&self.name, std::io::Error::new(kind, e.to_string()));
            }
            let text = e.to_string();
            let reason = text.rsplit_once(" at line").map_or(&*text, |(reason, _)| reason);
            let at = line + (e.line() as u64).saturating_sub(1);
            Error::line(&self.name, at, format!("not well-formed JSON: {reason}"))
        })?;
        let mut draft = Draft::at(line);
        let filled = fill(&mut draft, &object, &self.keys);
        draft.note(line, filled);
        let row = self.next;
        self.next += 1;
        Ok(draft.finish(row, DefaultLabels::default()))
    }
}

/// Puts an object into a graph.
fn fill(draft: &mut Draft, object: &Map<String, Value>, keys: &Keys) -> Result<(), String> {
    draft.directed = object.get("directed").and_then(Value::as_bool).unwrap_or(false);
    let name = object.get("graph").and_then(|graph| graph.get("name")).or(object.get("name"));
    draft.name = name.and_then(Value::as_str).map(str::to_owned);
    let list = |key: &str| object.get(key).map(|list| list.as_array());
    let nodes = match list("nodes") {
        Some(Some(nodes)) => nodes,
        Some(None) => return Err("`nodes` is not an array".into()),
        None => return Err("there is no array `nodes`; node-link JSON is read".into()),
    };
    let edges = match list("links").or_else(|| list("edges")) {
        Some(Some(edges)) => edges,
        Some(None) => return Err("`links` or `edges` is not an array".into()),
        None => return Err("there is no array `links` or `edges`".into()),
    };
    let without_ids = nodes.iter().all(|node| node.get("id").is_none());
    for (place, node) in nodes.iter().enumerate() {
        let id = if without_ids { Some(place.to_string()) } else { id(node.get("id"))? };
        draft.node(id)?;
        if let Some(name) = node.get("name").and_then(Value::as_str).filter(|_| without_ids) {
            draft.title_vertex(name.to_owned());
        }
        if let Some(number) = whole(node.get(&keys.vertex)) {
            draft.label_vertex(label(&number)?);
        }
    }
    for edge in edges {
        let (source, target) = (id(edge.get("source"))?, id(edge.get("target"))?);
        draft.edge(source, target, None)?;
        if let Some(number) = whole(edge.get(&keys.edge)) {
            draft.label_edge(label(&number)?);
        }
    }
    Ok(())
}

/// A whole number as it is written.
fn whole(value: Option<&Value>) -> Option<String> {
    value.filter(|value| value.is_i64() || value.is_u64()).map(Value::to_string)
}

fn id(value: Option<&Value>) -> Result<Option<String>, String> {
    match value {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(Value::Number(number)) => Ok(Some(number.to_string())),
        Some(_) => Err("the id of a node must be a text or a number".into()),
    }
}
