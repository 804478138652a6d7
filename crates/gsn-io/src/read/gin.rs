//! The text format of GIN and DGCNN.
//!
//! Line 1 is the number of graphs; each graph is a line `n label` and n lines
//! `tag degree neighbour…` (numbers from 0), after which attributes may follow. Undirected edges
//! stand in the lines of both ends. A bad vertex line rejects its graph; a bad graph line ends
//! the reading, since nothing says where the next graph starts.

use super::{TextHead, numbers};
use crate::error::Error;
use crate::format::Opened;
use crate::input::{Input, Lines, integer, number, words};
use crate::record::{GraphRecord, Parts, Rejected, Row, excerpt};
use crate::source::{ReadOptions, Rows};
use std::collections::VecDeque;

struct GinRows {
    lines: Lines,
    line: Vec<u8>,
    directed: bool,
    graphs: u64,
    next: u64,
    attributes: Option<u64>,
}

/// The number of graphs, then `n label`.
pub(crate) fn looks_like(head: &TextHead) -> bool {
    numbers(head.first) == Some(1) && matches!(head.second.and_then(numbers), Some(2) | None)
}

pub(crate) fn open(input: Input, options: &ReadOptions) -> Result<Opened, Error> {
    let (mut lines, hash) = input.lines();
    let mut line = Vec::new();
    lines.read(&mut line)?;
    let Some(graphs) = number(line.trim_ascii()) else {
        let found = excerpt(&line);
        return Err(lines.error(format!("`{found}` is not the number of graphs")));
    };
    let directed = options.directed;
    let rows = GinRows { lines, line, directed, graphs, next: 0, attributes: None };
    Ok((Box::new(rows), vec![hash]))
}

impl Rows for GinRows {
    fn fill(&mut self, rows: &mut VecDeque<Row>) -> Result<bool, Error> {
        if self.next == self.graphs {
            while self.lines.read(&mut self.line)? {
                if !self.line.trim_ascii().is_empty() {
                    let reason = format!("something follows the {} graphs promised", self.graphs);
                    return Err(self.lines.error(reason));
                }
            }
            return Ok(false);
        }
        rows.push_back(self.graph()?);
        self.next += 1;
        Ok(true)
    }

    fn notes(&self) -> Vec<String> {
        let note = self.attributes.map(|line| {
            format!("{}: vertex attributes are not read (line {line} has some)", self.lines.name)
        });
        note.into_iter().collect()
    }
}

impl GinRows {
    fn graph(&mut self) -> Result<Row, Error> {
        let (row, graphs) = (self.next, self.graphs);
        if !self.lines.read(&mut self.line)? {
            let reason = format!("the file ends after {row} of the {graphs} graphs promised");
            return Err(Error::line(&self.lines.name, self.lines.number, reason));
        }
        let head_line = self.lines.number;
        let head = self.line.clone();
        let mut tokens = words(&head);
        let (order, label) = (tokens.next().and_then(number), tokens.next().and_then(integer));
        let (Some(order), Some(label), None) = (order, label, tokens.next()) else {
            let reason =
                format!("`{}` is not `vertices label`, the first line of a graph", excerpt(&head));
            return Err(self.lines.error(reason));
        };
        let mut parts = Parts { directed: self.directed, ..Parts::default() };
        let mut tags = Vec::new();
        let mut bad: Option<(u64, Vec<u8>, String)> = None;
        for v in 0..order {
            if !self.lines.read(&mut self.line)? {
                let reason =
                    format!("graph {row} promises {order} vertices, but the file ends after {v}");
                return Err(Error::line(&self.lines.name, head_line, reason));
            }
            if bad.is_some() {
                continue;
            }
            match self.vertex(v, order, &mut parts.arcs) {
                Ok(tag) => tags.push(tag),
                Err(reason) => bad = Some((self.lines.number, self.line.clone(), reason)),
            }
        }
        if let Some((line, text, reason)) = bad {
            return Ok(Row::Rejected(Rejected::new(row, Some(line), &text, reason)));
        }
        parts.order = tags.len();
        parts.vertex_labels = Some(tags);
        Ok(match parts.build_from_both_ways() {
            Err(e) => Row::Rejected(Rejected::new(row, Some(head_line), &head, e.to_string())),
            Ok((graph, dropped)) => {
                let mut record = GraphRecord::with_dropped(row, graph, dropped);
                record.label = Some(label);
                Row::Graph(record)
            }
        })
    }

    /// Reads `tag degree neighbour…` of vertex `v`.
    fn vertex(&mut self, v: u64, order: u64, arcs: &mut Vec<(u32, u32)>) -> Result<u32, String> {
        let mut tokens = words(&self.line);
        let tag = tokens.next().ok_or("a line `tag degree neighbours` is missing here")?;
        let tag = super::label(tag)
            .ok_or_else(|| format!("the tag `{}` is not a whole number from 0", excerpt(tag)))?;
        let degree = tokens.next().and_then(number).ok_or("the degree is not a whole number")?;
        for at in 0..degree {
            let token =
                tokens.next().ok_or_else(|| format!("{at} of {degree} neighbours are there"))?;
            let u = number(token).filter(|&u| u < order && u < u64::from(u32::MAX)).ok_or_else(
                || format!("the neighbour `{}` is not in 0..{order}", excerpt(token)),
            )?;
            arcs.push((v as u32, u as u32));
        }
        if tokens.next().is_some() && self.attributes.is_none() {
            self.attributes = Some(self.lines.number);
        }
        Ok(tag)
    }
}
