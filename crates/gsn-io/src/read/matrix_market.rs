//! Matrix Market: an adjacency matrix, `row column [value]` a line, numbered from 1.
//!
//! An undirected edge may stand there once (`symmetric`) or twice (`general`). Entries that are
//! written but zero are no edges. One graph a file.

use super::nothing;
use super::single::{OneGraph, Single};
use crate::error::Error;
use crate::format::Opened;
use crate::input::{Input, Lines, number, words};
use crate::names::VertexNames;
use crate::record::{FREE_VERTICES, GraphRecord, Parts, excerpt, plausible_order};
use crate::source::ReadOptions;

/// How every file begins.
pub(crate) const MAGIC: &[u8] = b"%%MatrixMarket";

struct MatrixRows {
    lines: Lines,
    directed: bool,
    zeros: u64,
    notes: Vec<String>,
}

/// What the first line says.
struct Banner {
    /// Numbers behind row and column.
    values: usize,
    /// Whether an entry stands for its mirror image too.
    mirrored: bool,
}

pub(crate) fn open(input: Input, options: &ReadOptions) -> Result<Opened, Error> {
    let (lines, hash) = input.lines();
    let directed = options.directed;
    let rows = MatrixRows { lines, directed, zeros: 0, notes: Vec::new() };
    Ok((Box::new(Single::new(rows)), vec![hash]))
}

impl OneGraph for MatrixRows {
    fn read(&mut self) -> Result<GraphRecord, Error> {
        let mut line = Vec::new();
        if !self.lines.read(&mut line)? {
            return Err(nothing(&self.lines.name, "matrix"));
        }
        let banner = self.banner(&line)?;
        let mut size: Option<(u64, u64)> = None;
        let mut given = 0u64;
        let mut arcs: Vec<(u32, u32)> = Vec::new();
        while self.lines.read(&mut line)? {
            if line.starts_with(b"%") || line.trim_ascii().is_empty() {
                continue;
            }
            let Some((order, _)) = size else {
                size = Some(self.size(&line)?);
                continue;
            };
            given += 1;
            if let Some((u, v)) = self.entry(&line, order, &banner)? {
                arcs.push((u, v));
                if banner.mirrored && self.directed && u != v {
                    arcs.push((v, u));
                }
            }
        }
        let (order, entries) = size.ok_or_else(|| nothing(&self.lines.name, "size of a matrix"))?;
        if given != entries {
            let reason = format!(
                "{entries} entries are promised, but {given} follow; the file may be cut short"
            );
            return Err(Error::file(&self.lines.name, reason));
        }
        let fail = |reason: String| Error::file(&self.lines.name, reason);
        let order = plausible_order(order, arcs.len(), FREE_VERTICES).map_err(fail)?;
        let parts = Parts { order, arcs, directed: self.directed, ..Parts::default() };
        let (graph, dropped) = parts.build_from_both_ways().map_err(|e| fail(e.to_string()))?;
        if self.zeros > 0 {
            let (name, zeros) = (&self.lines.name, self.zeros);
            self.notes.push(format!("{name}: {zeros} entries are zero and no edges"));
        }
        let mut record = GraphRecord::with_dropped(0, graph, dropped);
        record.vertex_names = VertexNames::from_integers((1..=order as i64).collect());
        Ok(record)
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
}

impl MatrixRows {
    fn banner(&self, line: &[u8]) -> Result<Banner, Error> {
        let lower = line.to_ascii_lowercase();
        let tokens: Vec<&[u8]> = words(&lower).collect();
        let [b"%%matrixmarket", b"matrix", b"coordinate", field, symmetry] = &tokens[..] else {
            return Err(self.lines.error(
                "the first line must be `%%MatrixMarket matrix coordinate …`; dense arrays are not \
                 read",
            ));
        };
        let values = match *field {
            b"pattern" => 0,
            b"real" | b"integer" | b"double" => 1,
            b"complex" => 2,
            other => {
                let shown = excerpt(other);
                return Err(self.lines.error(format!("entries of kind `{shown}` are not known")));
            }
        };
        let mirrored = match *symmetry {
            b"general" => false,
            b"symmetric" | b"skew-symmetric" | b"hermitian" => true,
            other => {
                let shown = excerpt(other);
                return Err(self.lines.error(format!("the symmetry `{shown}` is not known")));
            }
        };
        Ok(Banner { values, mirrored })
    }

    /// The number of vertices and of entries.
    fn size(&self, line: &[u8]) -> Result<(u64, u64), Error> {
        let numbers: Option<Vec<u64>> = words(line).map(number).collect();
        match numbers.as_deref() {
            Some(&[rows, columns, _]) if rows != columns => Err(self.lines.error(format!(
                "a matrix of {rows} × {columns} is no adjacency matrix; it must be square"
            ))),
            Some(&[rows, _, _]) if rows >= u64::from(u32::MAX) => {
                Err(self.lines.error(format!("{rows} vertices are too many")))
            }
            Some(&[rows, _, entries]) => Ok((rows, entries)),
            _ => Err(self.lines.error("three whole numbers are expected: rows, columns, entries")),
        }
    }

    /// The arc of a line, unless its value is zero.
    fn entry(
        &mut self,
        line: &[u8],
        order: u64,
        banner: &Banner,
    ) -> Result<Option<(u32, u32)>, Error> {
        let mut tokens = words(line);
        let mut vertex = || {
            let v = tokens.next().and_then(number)?;
            (1..=order).contains(&v).then(|| v as u32 - 1)
        };
        let (Some(u), Some(v)) = (vertex(), vertex()) else {
            let shown = excerpt(line);
            return Err(self.lines.error(format!(
                "`{shown}` is no entry; row and column from 1 to {order} are expected"
            )));
        };
        let mut zero = banner.values > 0;
        for _ in 0..banner.values {
            let value = tokens.next().and_then(|token| std::str::from_utf8(token).ok());
            let Some(value) = value.and_then(|text| text.parse::<f64>().ok()) else {
                let shown = excerpt(line);
                return Err(self.lines.error(format!("`{shown}` has no value")));
            };
            zero &= value == 0.0;
        }
        self.zeros += u64::from(zero);
        Ok((!zero).then_some((u, v)))
    }
}
