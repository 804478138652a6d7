//! Edge lists: `u v` a line, separated by blanks, tabs or commas; `#` and `%` start comments.
//!
//! One graph a file. A header `# name nodes N edges M` keeps the numbers and the isolated
//! vertices below N; else the numbers that occur are compacted in increasing order, as SNAP's
//! files need it. Reading costs O(m log n) time and 16 bytes an edge.

use super::{TextHead, nothing, numbers};
use crate::error::Error;
use crate::format::Opened;
use crate::input::{Input, Lines, number, words};
use crate::record::{GraphRecord, Parts, Row, plausible_order};
use crate::source::{ReadOptions, Rows, VertexIds};
use std::collections::VecDeque;

/// Isolated vertices that a header may claim for free: 64 MB of row offsets.
const FREE_VERTICES: u64 = 1 << 24;

struct EdgeListRows {
    lines: Lines,
    directed: bool,
    ids: VertexIds,
    extra_columns: Option<u64>,
    ended: bool,
}

/// A comment, or several numbers.
pub(crate) fn looks_like(head: &TextHead) -> bool {
    head.first.starts_with(b"#") || numbers(head.first).is_some_and(|n| n >= 2)
}

pub(crate) fn open(input: Input, options: &ReadOptions) -> Result<Opened, Error> {
    let (lines, hash) = input.lines();
    let (directed, ids) = (options.directed, options.ids);
    let rows = EdgeListRows { lines, directed, ids, extra_columns: None, ended: false };
    Ok((Box::new(rows), vec![hash]))
}

impl Rows for EdgeListRows {
    fn fill(&mut self, rows: &mut VecDeque<Row>) -> Result<bool, Error> {
        if !std::mem::replace(&mut self.ended, true) {
            rows.push_back(Row::Graph(self.read()?));
        }
        Ok(false)
    }

    fn notes(&self) -> Vec<String> {
        let note = self.extra_columns.map(|line| {
            format!(
                "{}: only the first two columns are read (line {line} has more)",
                self.lines.name
            )
        });
        note.into_iter().collect()
    }
}

/// What a header line promises.
struct Header {
    line: u64,
    name: Option<String>,
    nodes: u64,
    edges: u64,
}

/// `# [name] nodes N edges M`; SNAP's own `# Nodes: N Edges: M` says nothing about numbering.
fn header(comment: &[u8], line: u64) -> Option<Result<Header, &'static str>> {
    let words: Vec<&[u8]> = words(comment).collect();
    let [before @ .., b"nodes", nodes, b"edges", edges] = &words[..] else { return None };
    let (Some(nodes), Some(edges)) = (number(nodes), number(edges)) else {
        return Some(Err("the header's numbers of nodes and edges must be whole, not negative"));
    };
    let name = (!before.is_empty()).then(|| String::from_utf8_lossy(&before.join(&b' ')).into());
    Some(Ok(Header { line, name, nodes, edges }))
}

impl EdgeListRows {
    fn read(&mut self) -> Result<GraphRecord, Error> {
        let mut head: Option<Header> = None;
        let mut pairs: Vec<(u64, u64)> = Vec::new();
        let mut line = Vec::new();
        let mut limit = u64::MAX;
        while self.lines.read(&mut line)? {
            let text = line.trim_ascii();
            if let Some(comment) = text.strip_prefix(b"#").or_else(|| text.strip_prefix(b"%")) {
                if head.is_none()
                    && pairs.is_empty()
                    && let Some(found) = header(comment, self.lines.number)
                {
                    let found = found.map_err(|reason| self.lines.error(reason))?;
                    if self.ids != VertexIds::Compact {
                        limit = found.nodes;
                    }
                    head = Some(found);
                }
                continue;
            }
            if text.is_empty() {
                continue;
            }
            let mut tokens = text
                .split(|b| b.is_ascii_whitespace() || matches!(b, b',' | b';'))
                .filter(|token| !token.is_empty());
            let mut end = || tokens.next().and_then(number);
            let (Some(u), Some(v)) = (end(), end()) else {
                let shown = crate::record::excerpt(text);
                return Err(self.lines.error(format!(
                    "`{shown}` is not an edge; two vertex numbers of at least 0 are expected"
                )));
            };
            if u.max(v) >= limit {
                let worst = u.max(v);
                return Err(self.lines.error(format!(
                    "vertex {worst} is not below the {limit} nodes that the header promises"
                )));
            }
            if tokens.next().is_some() && self.extra_columns.is_none() {
                self.extra_columns = Some(self.lines.number);
            }
            pairs.push((u, v));
        }
        if pairs.is_empty() && head.is_none() {
            return Err(nothing(&self.lines.name, "edge"));
        }
        self.assemble(head, pairs)
    }

    fn assemble(&self, head: Option<Header>, pairs: Vec<(u64, u64)>) -> Result<GraphRecord, Error> {
        let name = &self.lines.name;
        let keep = match self.ids {
            VertexIds::Auto => head.is_some(),
            VertexIds::Compact => false,
            VertexIds::Keep => true,
        };
        let lines = pairs.len();
        let (order, arcs): (u64, Vec<(u32, u32)>) = if keep {
            let largest = pairs.iter().map(|&(u, v)| u.max(v) + 1).max().unwrap_or(0);
            let order = head.as_ref().map_or(largest, |h| h.nodes);
            if order >= u64::from(u32::MAX) {
                let reason = format!("{order} vertices are too many; compact the numbers");
                return Err(Error::file(name, reason));
            }
            (order, pairs.iter().map(|&(u, v)| (u as u32, v as u32)).collect())
        } else {
            let mut ids: Vec<u64> = pairs.iter().flat_map(|&(u, v)| [u, v]).collect();
            ids.sort_unstable();
            ids.dedup();
            if ids.len() >= u32::MAX as usize {
                return Err(Error::file(name, format!("{} vertices are too many", ids.len())));
            }
            let rank = |id: u64| ids.partition_point(|&other| other < id) as u32;
            (ids.len() as u64, pairs.iter().map(|&(u, v)| (rank(u), rank(v))).collect())
        };
        drop(pairs);
        let order = plausible_order(order, arcs.len(), FREE_VERTICES)
            .map_err(|reason| Error::file(name, reason))?;
        let parts = Parts { order, arcs, directed: self.directed, ..Parts::default() };
        let (graph, dropped) = parts.build().map_err(|e| Error::file(name, e.to_string()))?;
        if let Some(head) = &head
            && head.edges != lines as u64
            && head.edges != graph.edge_count() as u64
        {
            let reason = format!(
                "the header promises {} edges, but {lines} follow; the file may be cut short",
                head.edges
            );
            return Err(Error::line(name, head.line, reason));
        }
        let mut record = GraphRecord::with_dropped(0, graph, dropped);
        record.name = head.and_then(|head| head.name);
        Ok(record)
    }
}
