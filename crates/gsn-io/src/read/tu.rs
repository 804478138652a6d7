//! Folders of the TU Dortmund collection.
//!
//! `DS_A.txt` lists arcs `u, v` of all graphs with vertices numbered from 1,
//! `DS_graph_indicator.txt` the graph of every vertex; `DS_node_labels.txt`,
//! `DS_edge_labels.txt`, `DS_graph_labels.txt` and `DS_graph_attributes.txt` may follow. Files
//! that are grouped by graph, as all published ones are, stream: 8 bytes a graph are held. Arcs
//! in another order are sorted in memory first.

use crate::error::Error;
use crate::format::Opened;
use crate::input::{Input, Lines, integer, number};
use crate::record::{GraphRecord, Parts, Rejected, Row, excerpt};
use crate::source::{ReadOptions, Rows};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};

/// The name that the files of a dataset in `folder` start with.
fn find(folder: &Path) -> Result<Option<String>, Error> {
    let list = std::fs::read_dir(folder).map_err(|e| Error::io(folder.display(), e))?;
    let mut stems: Vec<String> = list
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| {
            let name = name.strip_suffix(".gz").unwrap_or(&name);
            name.strip_suffix("_A.txt").map(str::to_owned)
        })
        .collect();
    stems.sort_unstable();
    if stems.len() > 1 {
        let reason = format!("holds several TU datasets ({}); keep one", stems.join(", "));
        return Err(Error::file(folder.display(), reason));
    }
    Ok(stems.pop())
}

/// The file of a dataset, packed or not, if it is there.
fn part(folder: &Path, stem: &str, what: &str) -> Option<PathBuf> {
    let plain = folder.join(format!("{stem}_{what}.txt"));
    let packed = folder.join(format!("{stem}_{what}.txt.gz"));
    [plain, packed].into_iter().find(|path| path.exists())
}

struct TuRows {
    directed: bool,
    /// `starts[g]..starts[g + 1]` are the vertices of graph g, from 0.
    starts: Vec<u64>,
    arcs: Arcs,
    node_labels: Option<Lines>,
    graph_labels: Option<Lines>,
    graph_attributes: Option<Lines>,
    next: usize,
    line: Vec<u8>,
}

/// A dataset cannot be told from one of its files.
pub(crate) fn refuse_file(input: Input, _: &ReadOptions) -> Result<Opened, Error> {
    let reason = "a TU dataset is a folder; name the folder instead of a file in it";
    Err(Error::file(input.name, reason))
}

pub(crate) fn open_folder(folder: &Path, options: &ReadOptions) -> Result<Option<Opened>, Error> {
    let Some(stem) = &find(folder)? else { return Ok(None) };
    let mut hashes = Vec::new();
    let mut lines = |what: &str| -> Result<Option<Lines>, Error> {
        let Some(path) = part(folder, stem, what) else { return Ok(None) };
        let (lines, hash) = Input::open(&path)?.lines();
        hashes.push(hash);
        Ok(Some(lines))
    };
    let missing =
        |what: &str| Error::file(folder.display(), format!("{stem}_{what}.txt is missing"));
    let indicator = lines("graph_indicator")?.ok_or_else(|| missing("graph_indicator"))?;
    let graph_labels = lines("graph_labels")?;
    let graph_attributes = lines("graph_attributes")?;
    let node_labels = lines("node_labels")?;
    let edge_labels = lines("edge_labels")?;
    let a = lines("A")?.ok_or_else(|| missing("A"))?;
    let starts = read_starts(indicator)?;
    let grouped = match part(folder, stem, "A") {
        Some(path) => is_grouped(Input::open(&path)?.lines().0, &starts)?,
        None => true,
    };
    let mut arcs = Arcs::stream(a, edge_labels);
    if !grouped {
        arcs = arcs.sorted(&starts)?;
    }
    let rows = TuRows {
        directed: options.directed,
        starts,
        arcs,
        node_labels,
        graph_labels,
        graph_attributes,
        next: 0,
        line: Vec::new(),
    };
    Ok(Some((Box::new(rows), hashes)))
}

/// Where each graph's vertices start; graphs are numbered from 1 without gaps.
fn read_starts(mut lines: Lines) -> Result<Vec<u64>, Error> {
    let mut starts = Vec::new();
    let mut line = Vec::new();
    let mut vertices = 0;
    while lines.read(&mut line)? {
        let text = line.trim_ascii();
        if text.is_empty() {
            continue;
        }
        let Some(graph) = number(text) else {
            return Err(lines.error(format!("`{}` is not the number of a graph", excerpt(text))));
        };
        let last = starts.len() as u64;
        if graph == last + 1 {
            starts.push(vertices);
        } else if graph != last || last == 0 {
            return Err(lines.error(format!(
                "graph {graph} after graph {last}; graphs must follow each other, from 1, without gaps"
            )));
        }
        vertices += 1;
    }
    if starts.is_empty() {
        return Err(super::nothing(&lines.name, "graph"));
    }
    starts.push(vertices);
    Ok(starts)
}

/// An arc with ends from 0 over the whole dataset, its line, and its label.
#[derive(Clone, Copy)]
struct Arc {
    u: u64,
    v: u64,
    line: u64,
    label: u32,
}

/// Reads the next arc; blank lines are skipped.
fn next_arc(lines: &mut Lines, line: &mut Vec<u8>) -> Result<Option<(u64, u64)>, Error> {
    while lines.read(line)? {
        let text = line.trim_ascii();
        if text.is_empty() {
            continue;
        }
        let mut ends = text
            .split(|b| *b == b',' || b.is_ascii_whitespace())
            .filter(|token| !token.is_empty())
            .map(|token| number(token).filter(|&id| id > 0));
        return match (ends.next().flatten(), ends.next().flatten(), ends.next()) {
            (Some(u), Some(v), None) => Ok(Some((u - 1, v - 1))),
            _ => {
                Err(lines
                    .error(format!("`{}` is not an arc `u, v` of vertices from 1", excerpt(text))))
            }
        };
    }
    Ok(None)
}

/// Whether the arcs come graph by graph.
fn is_grouped(mut lines: Lines, starts: &[u64]) -> Result<bool, Error> {
    let mut line = Vec::new();
    let mut graph = 0;
    while let Some((u, _)) = next_arc(&mut lines, &mut line)? {
        if u < starts[graph] {
            return Ok(false);
        }
        while graph + 2 < starts.len() && u >= starts[graph + 1] {
            graph += 1;
        }
    }
    Ok(true)
}

/// The arcs of a dataset, graph by graph.
struct Arcs {
    /// The name of the file with arcs.
    name: String,
    is_labelled: bool,
    from: ArcSource,
    /// An arc that was read, but belongs to a later graph.
    held: Option<Arc>,
}

enum ArcSource {
    Files { a: Lines, labels: Option<Lines> },
    Memory(std::vec::IntoIter<Arc>),
}

impl Arcs {
    fn stream(a: Lines, labels: Option<Lines>) -> Self {
        let (name, is_labelled) = (a.name.clone(), labels.is_some());
        Self { name, is_labelled, from: ArcSource::Files { a, labels }, held: None }
    }

    /// Reads all arcs and sorts them by graph.
    fn sorted(mut self, starts: &[u64]) -> Result<Self, Error> {
        let mut all = Vec::new();
        while let Some(arc) = self.pull()? {
            all.push(arc);
        }
        all.sort_by_key(|arc| starts.partition_point(|&start| start <= arc.u));
        Ok(Self { from: ArcSource::Memory(all.into_iter()), ..self })
    }

    fn pull(&mut self) -> Result<Option<Arc>, Error> {
        let (a, labels) = match &mut self.from {
            ArcSource::Memory(arcs) => return Ok(arcs.next()),
            ArcSource::Files { a, labels } => (a, labels),
        };
        let mut line = Vec::new();
        let Some((u, v)) = next_arc(a, &mut line)? else { return Ok(None) };
        let mut label = 0;
        if let Some(labels) = labels {
            label = next_label(labels, &mut line)?.ok_or_else(|| {
                Error::line(&labels.name, labels.number, "fewer edge labels than edges")
            })?;
        }
        Ok(Some(Arc { u, v, line: a.number, label }))
    }

    /// The next arc that starts below `end`.
    fn next_below(&mut self, end: u64) -> Result<Option<Arc>, Error> {
        let next = match self.held.take() {
            Some(arc) => Some(arc),
            None => self.pull()?,
        };
        if next.is_some_and(|arc| arc.u >= end) {
            self.held = next;
            return Ok(None);
        }
        Ok(next)
    }
}

/// The first number of the next line, as a label.
fn next_label(lines: &mut Lines, line: &mut Vec<u8>) -> Result<Option<u32>, Error> {
    if !lines.read(line)? || line.trim_ascii().is_empty() {
        return Ok(None);
    }
    // Some sets have several labels a line; the first is the one others use.
    let first = line.split(|b| *b == b',').next().unwrap_or_default().trim_ascii();
    super::label(first).map(Some).ok_or_else(|| {
        lines.error(format!("`{}` is not a label; whole numbers from 0 are", excerpt(first)))
    })
}

impl Rows for TuRows {
    fn fill(&mut self, rows: &mut VecDeque<Row>) -> Result<bool, Error> {
        if self.next + 1 == self.starts.len() {
            if let Some(arc) = self.arcs.next_below(u64::MAX)? {
                let reason = format!("vertex {} has no graph", arc.u + 1);
                return Err(Error::line(&self.arcs.name, arc.line, reason));
            }
            for lines in [&mut self.node_labels, &mut self.graph_labels, &mut self.graph_attributes]
                .into_iter()
                .flatten()
            {
                while lines.read(&mut self.line)? {
                    if !self.line.trim_ascii().is_empty() {
                        return Err(lines.error("more lines than there is use for"));
                    }
                }
            }
            return Ok(false);
        }
        rows.push_back(self.graph()?);
        self.next += 1;
        Ok(true)
    }
}

impl TuRows {
    fn graph(&mut self) -> Result<Row, Error> {
        let row = self.next as u64;
        let (start, end) = (self.starts[self.next], self.starts[self.next + 1]);
        let mut parts = Parts {
            order: (end - start) as usize,
            directed: self.directed,
            arc_labels: self.arcs.is_labelled.then(Vec::new),
            ..Parts::default()
        };
        let mut bad: Option<(u64, String)> = None;
        while let Some(arc) = self.arcs.next_below(end)? {
            if !(start..end).contains(&arc.v) || end - start >= u64::from(u32::MAX) {
                let reason =
                    format!("the arc {}, {} leaves graph {}", arc.u + 1, arc.v + 1, row + 1);
                bad.get_or_insert((arc.line, reason));
                continue;
            }
            parts.arcs.push(((arc.u - start) as u32, (arc.v - start) as u32));
            if let Some(labels) = &mut parts.arc_labels {
                labels.push(arc.label);
            }
        }
        if let Some(lines) = &mut self.node_labels {
            let mut labels = Vec::new();
            for _ in start..end {
                let label = next_label(lines, &mut self.line)?;
                let missing =
                    || Error::line(&lines.name, lines.number, "fewer labels than vertices");
                labels.push(label.ok_or_else(missing)?);
            }
            parts.vertex_labels = Some(labels);
        }
        let mut line = |lines: &mut Option<Lines>| -> Result<Option<Vec<u8>>, Error> {
            let Some(lines) = lines else { return Ok(None) };
            if !lines.read(&mut self.line)? || self.line.trim_ascii().is_empty() {
                return Err(lines.error("fewer lines than graphs"));
            }
            Ok(Some(self.line.trim_ascii().to_vec()))
        };
        let class = line(&mut self.graph_labels)?;
        let attributes = line(&mut self.graph_attributes)?;
        let reject = |line, reason| {
            let text = format!("graph {}", row + 1);
            Ok(Row::Rejected(Rejected::new(row, line, text.as_bytes(), reason)))
        };
        if let Some((line, reason)) = bad {
            return reject(Some(line), reason);
        }
        let (graph, dropped) = match parts.build_from_both_ways() {
            Ok(built) => built,
            Err(e) => return reject(None, e.to_string()),
        };
        let mut record = GraphRecord::with_dropped(row, graph, dropped);
        if let Some(text) = class {
            match integer(&text) {
                Some(label) => record.label = Some(label),
                None => {
                    return reject(None, format!("its label `{}` is no number", excerpt(&text)));
                }
            }
        }
        if let Some(text) = attributes {
            let text = String::from_utf8_lossy(&text).into_owned();
            match text.split(',').map(|t| t.trim().parse()).collect::<Result<Vec<f64>, _>>() {
                Ok(targets) => record.targets = targets,
                Err(_) => return reject(None, format!("its attributes `{text}` are no numbers")),
            }
        }
        Ok(Row::Graph(record))
    }
}
