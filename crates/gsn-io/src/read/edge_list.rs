//! Edge lists: `u v` a line, separated by blanks, tabs, commas or semicolons; `#` and `%` start
//! comments.
//!
//! One graph a file. A header `# name nodes N edges M` keeps the numbers and the isolated
//! vertices below N; else vertices are those that occur, numbers in increasing order, names in
//! the order of the file, and the graph keeps what they are called. SNAP's `# Nodes: N Edges: M`
//! is compared with what follows. Numbers are parsed and renumbered side by side; beside the graph
//! they cost 8 bytes an edge (16 where they need more than 32 bits).

use super::pairs::{BadLine, Pairs, Reading};
use super::renumber::compacted;
use super::single::{OneGraph, Single};
use super::{TextHead, nothing, numbers};
use crate::error::Error;
use crate::format::Opened;
use crate::input::{Input, Lines, number, words};
use crate::names::{NameTable, VertexNames, VertexNaming};
use crate::record::{FREE_VERTICES, GraphRecord, Parts, excerpt, plausible_order};
use crate::source::{ReadOptions, VertexIds};

struct EdgeListRows {
    lines: Lines,
    directed: bool,
    ids: VertexIds,
    naming: VertexNaming,
    delimiter: Option<u8>,
    extra_columns: Option<u64>,
    notes: Vec<String>,
}

/// A comment, or several numbers.
pub(crate) fn looks_like(head: &TextHead) -> bool {
    head.first.starts_with(b"#") || numbers(head.first).is_some_and(|n| n >= 2)
}

pub(crate) fn open(input: Input, options: &ReadOptions) -> Result<Opened, Error> {
    let (lines, hash) = input.lines();
    let rows = EdgeListRows {
        lines,
        directed: options.directed,
        ids: options.ids,
        naming: options.vertex_names,
        delimiter: options.delimiter.map(|delimiter| delimiter.byte()),
        extra_columns: None,
        notes: Vec::new(),
    };
    Ok((Box::new(Single::new(rows)), vec![hash]))
}

impl OneGraph for EdgeListRows {
    fn read(&mut self) -> Result<GraphRecord, Error> {
        let mut head: Option<Header> = None;
        let mut snap: Option<(u64, u64)> = None;
        let mut named = self.naming == VertexNaming::Text;
        let mut ends = Ends::Numbers(Pairs::default());
        let mut line = Vec::new();
        let mut limit = u64::MAX;
        let mut titles = false;
        while self.lines.read(&mut line)? {
            let text = line.trim_ascii();
            if let Some(comment) = text.strip_prefix(b"#").or_else(|| text.strip_prefix(b"%")) {
                if ends.len() > 0 {
                    continue;
                }
                if head.is_none()
                    && let Some(found) = header(comment, self.lines.number)
                {
                    let found = found.map_err(|reason| self.lines.error(reason))?;
                    if self.ids != VertexIds::Compact {
                        limit = found.nodes;
                    }
                    head = Some(found);
                }
                snap = snap.or_else(|| snap_header(comment));
                named |= comment.trim_ascii() == NAMED.as_bytes();
                continue;
            }
            if text.is_empty() {
                continue;
            }
            let reading = Reading {
                delimiter: self.delimiter,
                limit,
                extra_known: self.extra_columns.is_some(),
            };
            let mut tokens = reading.tokens(text);
            let (Some(first), Some(second)) = (tokens.next(), tokens.next()) else {
                return Err(not_an_edge(&self.lines, text));
            };
            if tokens.next().is_some() && self.extra_columns.is_none() {
                self.extra_columns = Some(self.lines.number);
            }
            if ends.len() == 0 && head.is_none() && matches!(ends, Ends::Numbers(_)) {
                if !titles && super::edge_table::are_titles(first, second) {
                    titles = true;
                    self.notes.push(format!(
                        "{}: line {} names the columns and is no edge",
                        self.lines.name, self.lines.number
                    ));
                    continue;
                }
                if named || self.are_names(first, second) {
                    ends = Ends::Names(NameTable::default(), Vec::new());
                }
            }
            match &mut ends {
                Ends::Numbers(pairs) => {
                    let (Some(u), Some(v)) = (number(first), number(second)) else {
                        return Err(not_an_edge(&self.lines, text));
                    };
                    if u.max(v) >= limit {
                        return Err(beyond(&self.lines, u.max(v), limit));
                    }
                    pairs.push((u, v));
                    // What follows the first edge is of its kind.
                    let reading = Reading { extra_known: self.extra_columns.is_some(), ..reading };
                    let extra = reading.rest(&mut self.lines, pairs, |lines, line| match line {
                        BadLine::NotAnEdge(text) => not_an_edge(lines, &text),
                        BadLine::Beyond(worst) => beyond(lines, worst, limit),
                    })?;
                    self.extra_columns = self.extra_columns.or(extra);
                    break;
                }
                Ends::Names(table, pairs) => {
                    let mut vertex = |token: &[u8]| {
                        let name = std::str::from_utf8(token)
                            .map_err(|_| "the name of a vertex is not UTF-8 text".to_owned())?;
                        Ok(table.vertex(name)?.0)
                    };
                    let pair = vertex(first).and_then(|u| Ok((u, vertex(second)?)));
                    pairs.push(pair.map_err(|reason: String| self.lines.error(reason))?);
                }
            }
        }
        if ends.len() == 0 && head.is_none() {
            return Err(nothing(&self.lines.name, "edge"));
        }
        let lines = ends.len();
        let record = self.assemble(head, ends)?;
        if let Some((nodes, edges)) = snap {
            self.compare(&record, lines, nodes, edges);
        }
        Ok(record)
    }

    fn notes(&self) -> Vec<String> {
        let extra = self.extra_columns.map(|line| {
            format!(
                "{}: only the first two columns are read (line {line} has more)",
                self.lines.name
            )
        });
        self.notes.iter().cloned().chain(extra).collect()
    }
}

/// What a header line promises.
struct Header {
    line: u64,
    name: Option<String>,
    nodes: u64,
    edges: u64,
}

/// `# [name] nodes N edges M`, which also says that vertices are the numbers below N.
fn header(comment: &[u8], line: u64) -> Option<Result<Header, &'static str>> {
    let words: Vec<&[u8]> = words(comment).collect();
    let [before @ .., b"nodes", nodes, b"edges", edges] = &words[..] else { return None };
    let (Some(nodes), Some(edges)) = (number(nodes), number(edges)) else {
        return Some(Err("the header's numbers of nodes and edges must be whole, not negative"));
    };
    let name = (!before.is_empty()).then(|| String::from_utf8_lossy(&before.join(&b' ')).into());
    Some(Ok(Header { line, name, nodes, edges }))
}

/// SNAP's `# Nodes: N Edges: M`: how many vertices and edges there are, not what they are called.
fn snap_header(comment: &[u8]) -> Option<(u64, u64)> {
    let words: Vec<&[u8]> = words(comment).collect();
    match &words[..] {
        [b"Nodes:", nodes, b"Edges:", edges] => Some((number(nodes)?, number(edges)?)),
        _ => None,
    }
}

/// The comment by which our own writer says that vertices have names.
pub(crate) const NAMED: &str = "vertex names are text";

/// What the lines hold.
enum Ends {
    Numbers(Pairs),
    Names(NameTable, Vec<(u32, u32)>),
}

impl Ends {
    fn len(&self) -> usize {
        match self {
            Ends::Numbers(pairs) => pairs.len(),
            Ends::Names(_, pairs) => pairs.len(),
        }
    }
}

fn not_an_edge(lines: &Lines, text: &[u8]) -> Error {
    let shown = excerpt(text);
    lines.error(format!(
        "`{shown}` is not an edge; two vertex numbers of at least 0 are expected (or two names, \
         with --vertex-names text)"
    ))
}

fn beyond(lines: &Lines, worst: u64, limit: u64) -> Error {
    lines.error(format!("vertex {worst} is not below the {limit} nodes that the header promises"))
}

impl EdgeListRows {
    /// Whether the first edge joins names rather than numbers.
    fn are_names(&self, first: &[u8], second: &[u8]) -> bool {
        let is_name = |token: &[u8]| {
            std::str::from_utf8(token).is_ok_and(|text| text.parse::<f64>().is_err())
        };
        self.ids == VertexIds::Auto
            && self.naming != VertexNaming::Integers
            && (is_name(first) || is_name(second))
    }

    /// Says where SNAP's header is wrong; it may count loops and repeated edges or not.
    fn compare(&mut self, record: &GraphRecord, lines: usize, nodes: u64, edges: u64) {
        let (order, size) = (record.graph.order() as u64, record.graph.edge_count() as u64);
        if nodes != order {
            self.notes.push(format!(
                "{}: the header speaks of {nodes} vertices, the edges have {order}",
                self.lines.name
            ));
        }
        if edges != lines as u64 && edges != size {
            self.notes.push(format!(
                "{}: the header speaks of {edges} edges, {lines} follow; the file may be cut short",
                self.lines.name
            ));
        }
    }

    fn assemble(&self, head: Option<Header>, ends: Ends) -> Result<GraphRecord, Error> {
        let name = &self.lines.name;
        let fail = |reason: String| Error::file(name, reason);
        let lines = ends.len();
        let (order, arcs, names) = match ends {
            Ends::Numbers(pairs) => self.number(head.as_ref(), pairs)?,
            Ends::Names(table, mut pairs) => {
                let order = table.len() as u64;
                let (names, places) = table.into_sorted().map_err(fail)?;
                if let Some(places) = places {
                    for (u, v) in &mut pairs {
                        (*u, *v) = (places[*u as usize], places[*v as usize]);
                    }
                }
                (order, pairs, names)
            }
        };
        let order = plausible_order(order, arcs.len(), FREE_VERTICES).map_err(fail)?;
        let parts = Parts { order, arcs, directed: self.directed, ..Parts::default() };
        let (graph, dropped) = parts.build().map_err(|e| fail(e.to_string()))?;
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
        record.vertex_names = names;
        Ok(record)
    }

    /// The number of vertices, the edges between them, and what the vertices are called.
    #[allow(clippy::type_complexity)] // three things that belong together nowhere else
    fn number(
        &self,
        head: Option<&Header>,
        pairs: Pairs,
    ) -> Result<(u64, Vec<(u32, u32)>, Option<VertexNames>), Error> {
        let keep = match self.ids {
            VertexIds::Auto => head.is_some(),
            VertexIds::Compact => false,
            VertexIds::Keep => true,
        };
        if !keep {
            return compacted(pairs).map_err(|reason| Error::file(&self.lines.name, reason));
        }
        let order = head.map_or_else(|| pairs.end(), |h| h.nodes);
        match pairs {
            Pairs::Narrow(arcs) if order < u64::from(u32::MAX) => Ok((order, arcs, None)),
            _ => {
                let reason = format!("{order} vertices are too many; compact the numbers");
                Err(Error::file(&self.lines.name, reason))
            }
        }
    }
}
