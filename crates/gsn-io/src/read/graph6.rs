//! graph6 and sparse6 files: one graph a line, lines of both kinds may be mixed, headers skipped.

use super::{Chunk, RawRow, TextHead, nothing};
use crate::error::Error;
use crate::format::Opened;
use crate::input::{Input, Lines};
use crate::record::{FREE_VERTICES, GraphRecord, Parts, Rejected, Row, plausible_order};
use crate::source::{ReadOptions, Rows};
use gsn_core::graph::{graph6, sparse6};
use std::collections::VecDeque;

struct Graph6Rows {
    lines: Lines,
    chunk: Chunk,
    next: u64,
}

pub(crate) fn open(input: Input, _: &ReadOptions) -> Result<Opened, Error> {
    let (lines, hash) = input.lines();
    Ok((Box::new(Graph6Rows { lines, chunk: Chunk::default(), next: 0 }), vec![hash]))
}

/// Short SMILES such as `CC` can be graph6 as well: only a whole valid line is.
pub(crate) fn looks_like_graph6(head: &TextHead) -> bool {
    head.first.iter().all(|b| (63..=126).contains(b)) && graph6::decode(head.first).is_ok()
}

pub(crate) fn looks_like_sparse6(head: &TextHead) -> bool {
    head.first.starts_with(b":")
}

impl Rows for Graph6Rows {
    fn fill(&mut self, rows: &mut VecDeque<Row>) -> Result<bool, Error> {
        let more = self.read_chunk();
        self.chunk.parse(rows, parse);
        let more = more?;
        if !more && self.next == 0 {
            return Err(nothing(&self.lines.name, "graph"));
        }
        Ok(more)
    }
}

impl Graph6Rows {
    fn read_chunk(&mut self) -> Result<bool, Error> {
        self.chunk.clear();
        while !self.chunk.is_full() {
            let from = self.chunk.text.len();
            if !self.lines.append(&mut self.chunk.text)? {
                return Ok(false);
            }
            let mut line = self.chunk.text[from..].trim_ascii();
            // Files have a header at most once, but networkx writes one with every graph.
            for header in [graph6::HEADER, sparse6::HEADER] {
                line = line.strip_prefix(header).unwrap_or(line);
            }
            if line.is_empty() {
                continue;
            }
            let end = self.chunk.text[from..].trim_ascii_end().len() + from;
            let text = end - line.len()..end;
            let claimed = claimed_order(line);
            let (row, line) = (self.next, self.lines.number);
            self.chunk.rows.push(RawRow { row, line, text, name: None, fields: Vec::new() });
            self.chunk.claimed = self.chunk.claimed.saturating_add(claimed);
            self.next += 1;
        }
        Ok(true)
    }
}

/// The number of vertices that a line of sparse6 claims, if it is large; graph6 has a bit for every
/// pair of them.
fn claimed_order(line: &[u8]) -> u64 {
    let digits = match line {
        [b':', b'~', b'~', digits @ ..] => digits.iter().take(6),
        [b':', b'~', digits @ ..] => digits.iter().take(3),
        _ => return 0,
    };
    digits.fold(0, |order, &digit| order << 6 | u64::from(digit.saturating_sub(63) & 63))
}

fn parse(raw: RawRow, text: &[u8]) -> Row {
    let decoded = if text.starts_with(b":") || text.starts_with(b";") {
        sparse6::decode(text)
    } else {
        graph6::decode(text)
    };
    let built = decoded.map_err(|e| e.to_string()).and_then(|(order, arcs)| {
        let order = plausible_order(order as u64, arcs.len(), FREE_VERTICES)?;
        Parts { order, arcs, ..Parts::default() }.build().map_err(|e| e.to_string())
    });
    match built {
        Ok((graph, dropped)) => Row::Graph(GraphRecord::with_dropped(raw.row, graph, dropped)),
        Err(reason) => Row::Rejected(Rejected::new(raw.row, Some(raw.line), text, reason)),
    }
}
