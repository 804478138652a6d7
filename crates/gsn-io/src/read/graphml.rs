//! GraphML, event by event; several `<graph>` elements and folders of files are several rows.
//!
//! Vertices are numbered in the order of their `<node>` elements, whose ids are their names. Integer keys called `label`
//! (or as the options say) become labels. Entities of a DTD are never expanded and elements nest
//! at most [`DEEPEST`] levels, so a small file cannot cost more than its size.

use super::draft::{DefaultLabels, Draft, label};
use super::nothing;
use crate::error::Error;
use crate::format::Opened;
use crate::guard::guarded;
use crate::input::{Bytes, CountLines, HashOf, Input};
use crate::record::Row;
use crate::source::{ReadOptions, Rows};
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Levels of elements inside each other.
const DEEPEST: usize = 64;

/// The keys of a file that give labels.
#[derive(Default)]
struct Keys {
    vertex: Option<Key>,
    edge: Option<Key>,
    /// Keys of whole graphs, with their names.
    graph: Vec<(Key, String)>,
}

struct Key {
    id: String,
    default: Option<String>,
}

impl Keys {
    /// The labels of nodes and edges that have none of their own.
    fn defaults(&self) -> Result<DefaultLabels, String> {
        let default = |key: &Option<Key>| {
            let text = key.as_ref().and_then(|key| key.default.as_deref());
            text.map(label).transpose()
        };
        Ok(DefaultLabels { vertex: default(&self.vertex)?, edge: default(&self.edge)? })
    }
}

/// What an element's `<data>` belongs to.
#[derive(Clone, Copy, PartialEq)]
enum Owner {
    Vertex,
    Edge,
    Graph,
    Other,
}

struct GraphMlRows {
    file: Option<OpenFile>,
    waiting: VecDeque<PathBuf>,
    next: u64,
    in_folder: bool,
    keys: LabelKeys,
    /// Names of the data of whole graphs, if they are kept; grows as files declare more.
    fields: Option<Vec<String>>,
}

#[derive(Clone)]
struct LabelKeys {
    vertex: Option<String>,
    edge: Option<String>,
}

struct OpenFile {
    name: String,
    reader: quick_xml::Reader<CountLines>,
    lines: Arc<AtomicU64>,
    buffer: Vec<u8>,
    keys: Keys,
    graphs: u64,
    seen_root: bool,
    /// What the last graph as a whole had, by key.
    graph_data: Vec<(String, String)>,
}

pub(crate) fn open(input: Input, options: &ReadOptions) -> Result<Opened, Error> {
    let Input { name, bytes, hash, .. } = input;
    let keys = label_keys(options);
    let file = Some(OpenFile::new(name, bytes));
    let waiting = VecDeque::new();
    let fields = options.keep_fields.then(Vec::new);
    let rows = GraphMlRows { file, waiting, next: 0, in_folder: false, keys, fields };
    Ok((Box::new(rows), vec![hash]))
}

/// The `.graphml` files of a folder, sorted by name; nothing if there are none.
pub(crate) fn open_folder(folder: &Path, options: &ReadOptions) -> Result<Option<Opened>, Error> {
    let list = std::fs::read_dir(folder).map_err(|e| Error::io(folder.display(), e))?;
    let mut paths = Vec::new();
    for entry in list {
        let path = entry.map_err(|e| Error::io(folder.display(), e))?.path();
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        if name.ends_with(".graphml") || name.ends_with(".graphml.gz") {
            paths.push(path);
        }
    }
    if paths.is_empty() {
        return Ok(None);
    }
    paths.sort_unstable();
    let hashes = paths.iter().map(|path| HashOf::file(path)).collect();
    let keys = label_keys(options);
    let waiting = paths.into();
    let fields = options.keep_fields.then(Vec::new);
    let rows = GraphMlRows { file: None, waiting, next: 0, in_folder: true, keys, fields };
    Ok(Some((Box::new(rows), hashes)))
}

fn label_keys(options: &ReadOptions) -> LabelKeys {
    LabelKeys { vertex: options.vertex_label_key.clone(), edge: options.edge_label_key.clone() }
}

impl Rows for GraphMlRows {
    fn fill(&mut self, rows: &mut VecDeque<Row>) -> Result<bool, Error> {
        let file = match &mut self.file {
            Some(file) => file,
            None => match self.waiting.pop_front() {
                None => return Ok(false),
                Some(path) => {
                    let input = Input::open(&path)?;
                    self.file.insert(OpenFile::new(input.name, input.bytes))
                }
            },
        };
        match file.next_graph(self.next, &self.keys)? {
            Some(mut row) => {
                if let (true, Row::Graph(record)) = (self.in_folder, &mut row)
                    && record.name.is_none()
                {
                    let stem = Path::new(&file.name).file_stem().map(|s| s.to_string_lossy());
                    record.name = stem.map(|stem| stem.into_owned());
                }
                if let (Some(fields), Row::Graph(record)) = (&mut self.fields, &mut row) {
                    record.fields = file.own_fields(fields);
                }
                rows.push_back(row);
                self.next += 1;
                Ok(true)
            }
            None if file.graphs == 0 => Err(nothing(&file.name, "<graph> element")),
            None => {
                self.file = None;
                Ok(!self.waiting.is_empty())
            }
        }
    }

    fn fields(&self) -> &[String] {
        self.fields.as_deref().unwrap_or_default()
    }
}

impl OpenFile {
    fn new(name: String, bytes: Bytes) -> Self {
        let (counting, lines) = CountLines::new(bytes);
        let reader = quick_xml::Reader::from_reader(counting);
        let (buffer, keys) = (Vec::new(), Keys::default());
        let graph_data = Vec::new();
        Self { name, reader, lines, buffer, keys, graphs: 0, seen_root: false, graph_data }
    }

    /// What the last graph has in each field; keys that are new to `fields` join it.
    fn own_fields(&self, fields: &mut Vec<String>) -> Vec<String> {
        for (_, name) in &self.keys.graph {
            if !fields.contains(name) {
                fields.push(name.clone());
            }
        }
        let value = |field: &String| {
            let (key, _) = self.keys.graph.iter().find(|(_, name)| name == field)?;
            let data = self.graph_data.iter().find(|(id, _)| *id == key.id);
            data.map(|(_, text)| text.clone()).or_else(|| key.default.clone())
        };
        fields.iter().map(|field| value(field).unwrap_or_default()).collect()
    }

    fn line(&self) -> u64 {
        self.lines.load(Relaxed) + 1
    }

    fn error(&self, reason: impl Into<String>) -> Error {
        Error::line(&self.name, self.line(), reason)
    }

    fn next_event(&mut self) -> Result<Event<'static>, Error> {
        self.buffer.clear();
        let read = || self.reader.read_event_into(&mut self.buffer).map(Event::into_owned);
        match guarded(read) {
            Err(e) => Err(self.error(format!("not well-formed XML: {e}"))),
            Ok(Ok(event)) => Ok(event),
            Ok(Err(quick_xml::Error::Io(e))) => {
                Err(crate::input::unpack_error(&self.name, io::Error::new(e.kind(), e.to_string())))
            }
            Ok(Err(e)) => Err(self.error(format!("not well-formed XML: {e}"))),
        }
    }

    fn attribute(&self, tag: &BytesStart<'_>, name: &str) -> Result<Option<String>, String> {
        let read = || {
            let found = tag.try_get_attribute(name).map_err(|e| e.to_string())?;
            let value = found.map(|a| a.normalized_value(XmlVersion::Explicit1_0)).transpose();
            value.map(|v| v.map(|v| v.into_owned())).map_err(|e| format!("attribute `{name}`: {e}"))
        };
        guarded(read).unwrap_or_else(|e| Err(format!("attribute `{name}`: {e}")))
    }

    /// Reads to the end of the next `<graph>`.
    fn next_graph(&mut self, row: u64, names: &LabelKeys) -> Result<Option<Row>, Error> {
        let mut depth = 0usize;
        loop {
            let event = self.next_event()?;
            let (tag, closed) = match event {
                Event::Eof => return self.at_end(depth).map(|()| None),
                Event::End(_) => {
                    depth = depth.saturating_sub(1);
                    continue;
                }
                Event::Start(tag) => (tag, false),
                Event::Empty(tag) => (tag, true),
                _ => continue,
            };
            let local = tag.local_name();
            if !self.seen_root && local.as_ref() != "graphml" {
                return Err(self.error(format!("<{}> is not <graphml>", local.as_ref())));
            }
            self.seen_root = true;
            match local.as_ref() {
                "graph" => {
                    self.graphs += 1;
                    return self.graph(row, &tag, closed).map(Some);
                }
                "key" => self.key(&tag, closed, names)?,
                _ if !closed => {
                    depth += 1;
                    if depth > DEEPEST {
                        return Err(self.error("elements are nested too deeply"));
                    }
                }
                _ => {}
            }
        }
    }

    fn at_end(&self, depth: usize) -> Result<(), Error> {
        if !self.seen_root {
            return Err(self.error("there is no <graphml> element"));
        }
        // The root's own start may have been seen by an earlier call.
        if depth > 1 {
            return Err(self.error("the file ends inside an element"));
        }
        Ok(())
    }

    /// Reads `<key>` and its default.
    fn key(&mut self, tag: &BytesStart<'_>, closed: bool, names: &LabelKeys) -> Result<(), Error> {
        let get = |name| self.attribute(tag, name).map_err(|reason| self.error(reason));
        let (id, name, of, kind) = (get("id")?, get("attr.name")?, get("for")?, get("attr.type")?);
        let default = if closed { None } else { Some(self.text_of("key", "default")?) };
        let default = default.filter(|text| !text.is_empty());
        let Some(id) = id else { return Err(self.error("a <key> without an id")) };
        let name = name.unwrap_or_else(|| id.clone());
        let integer = matches!(kind.as_deref(), Some("int" | "long"));
        let chosen = |wanted: &Option<String>| match wanted {
            Some(wanted) => *wanted == name,
            None => integer && name == "label",
        };
        let of = of.as_deref().unwrap_or("all");
        if matches!(of, "node" | "all") && chosen(&names.vertex) {
            self.keys.vertex = Some(Key { id: id.clone(), default: default.clone() });
        }
        if matches!(of, "edge" | "all") && chosen(&names.edge) {
            self.keys.edge = Some(Key { id: id.clone(), default: default.clone() });
        }
        if of == "graph" {
            self.keys.graph.push((Key { id, default }, name));
        }
        Ok(())
    }

    /// The text inside `inner` (or directly inside) up to the end of `outer`.
    fn text_of(&mut self, outer: &str, inner: &str) -> Result<String, Error> {
        let mut text = String::new();
        let mut depth = 0usize;
        let mut taking = outer == inner;
        loop {
            match self.next_event()? {
                Event::Eof => return Err(self.error(format!("the file ends inside <{outer}>"))),
                Event::Start(tag) => {
                    depth += 1;
                    taking |= tag.local_name().as_ref() == inner;
                    if depth > DEEPEST {
                        return Err(self.error("elements are nested too deeply"));
                    }
                }
                Event::End(_) if depth == 0 => return Ok(text.trim().to_owned()),
                Event::End(_) => depth -= 1,
                Event::Text(part) if taking => text.push_str(&part),
                Event::CData(part) if taking => text.push_str(&part),
                Event::GeneralRef(part) if taking => match part.resolve_char_ref() {
                    Ok(Some(c)) => text.push(c),
                    _ => text.push('\u{fffd}'),
                },
                _ => {}
            }
        }
    }

    fn graph(&mut self, row: u64, tag: &BytesStart<'_>, closed: bool) -> Result<Row, Error> {
        let mut draft = Draft::at(self.line());
        match (self.attribute(tag, "id"), self.attribute(tag, "edgedefault")) {
            (Ok(id), Ok(default)) => {
                draft.name = id;
                draft.directed = default.as_deref() == Some("directed");
            }
            (Err(reason), _) | (_, Err(reason)) => draft.bad = Some((draft.line, reason)),
        }
        self.graph_data.clear();
        if !closed {
            self.body(&mut draft)?;
        }
        let defaults = self.keys.defaults().unwrap_or_else(|reason| {
            draft.note(draft.line, Err(reason));
            DefaultLabels::default()
        });
        Ok(draft.finish(row, defaults))
    }

    /// Takes the data of an element: labels by the keys that give them, and what graphs have.
    fn data(
        &mut self,
        draft: &mut Draft,
        owner: Owner,
        key: Option<String>,
        text: &str,
    ) -> Result<(), String> {
        let chosen = match owner {
            Owner::Vertex => &self.keys.vertex,
            Owner::Edge => &self.keys.edge,
            Owner::Graph => {
                self.graph_data.extend(key.map(|key| (key, text.to_owned())));
                return Ok(());
            }
            Owner::Other => return Ok(()),
        };
        if chosen.as_ref().is_some_and(|chosen| key.as_deref() == Some(&chosen.id)) {
            match owner {
                Owner::Vertex => draft.label_vertex(label(text)?),
                _ => draft.label_edge(label(text)?),
            }
        }
        Ok(())
    }

    /// Reads nodes and edges up to `</graph>`.
    fn body(&mut self, draft: &mut Draft) -> Result<(), Error> {
        let mut open: Vec<Owner> = Vec::new();
        loop {
            let event = self.next_event()?;
            let (tag, closed) = match event {
                Event::Eof => return Err(self.error("the file ends inside <graph>")),
                Event::End(_) => match open.pop() {
                    Some(_) => continue,
                    None => return Ok(()),
                },
                Event::Start(tag) => (tag, false),
                Event::Empty(tag) => (tag, true),
                _ => continue,
            };
            let line = self.line();
            let owner = match tag.local_name().as_ref() {
                "node" => {
                    let added = self.attribute(&tag, "id").and_then(|id| draft.node(id));
                    draft.note(line, added);
                    Owner::Vertex
                }
                "edge" => {
                    let get = |name| self.attribute(&tag, name);
                    let added = get("source").and_then(|source| {
                        let directed = get("directed")?.map(|text| text == "true");
                        draft.edge(source, get("target")?, directed)
                    });
                    draft.note(line, added);
                    Owner::Edge
                }
                "data" if !closed => {
                    let key = self.attribute(&tag, "key");
                    let text = self.text_of("data", "data")?;
                    let owner = open.last().copied().unwrap_or(Owner::Graph);
                    let set = key.and_then(|key| self.data(draft, owner, key, &text));
                    draft.note(line, set);
                    continue;
                }
                "graph" => {
                    draft.note(line, Err("graphs inside graphs are not understood".into()));
                    Owner::Other
                }
                "hyperedge" => {
                    draft.note(line, Err("hyperedges are not understood".into()));
                    Owner::Other
                }
                _ => Owner::Other,
            };
            if !closed {
                open.push(owner);
                if open.len() > DEEPEST {
                    return Err(self.error("elements are nested too deeply"));
                }
            }
        }
    }
}
