//! Count tables as comma-separated values.

use super::columns::{HeldRows, scope_of};
use super::format::{Block, Blocks, OpenedTable, TableWriter};
use super::keys::{VertexColumn, key_columns};
use crate::error::Error;
use crate::input::{Bytes, Input, number, unpack_error};
use crate::names::NameKind;
use crate::output::{OutFile, csv_field, decimal};
use gsn_core::Scope;
use std::path::Path;

struct CsvTable {
    file: OutFile,
    lines: Vec<u8>,
}

/// Bytes that are written together.
const TOGETHER: usize = 1 << 15;

pub(super) fn create(
    mut file: OutFile,
    _: &Path,
    (scope, _): (Scope, NameKind),
    columns: &[String],
) -> Result<Box<dyn TableWriter>, Error> {
    let mut line = key_columns(scope).join(",").into_bytes();
    for name in columns {
        line.push(b',');
        csv_field(&mut line, name);
    }
    line.push(b'\n');
    file.put(&line)?;
    Ok(Box::new(CsvTable { file, lines: line }))
}

impl TableWriter for CsvTable {
    fn write(&mut self, rows: &mut HeldRows) -> Result<(), Error> {
        let (width, lines) = (rows.names.len(), &mut self.lines);
        lines.clear();
        // The number of a graph stands in front of all of its rows.
        let (mut last, mut number) = (None, Vec::new());
        for (at, &graph) in rows.keys.graph.iter().enumerate() {
            if last != Some(graph) {
                last = Some(graph);
                number.clear();
                decimal(&mut number, graph);
            }
            lines.extend_from_slice(&number);
            for column in &rows.keys.ends {
                lines.push(b',');
                match column {
                    VertexColumn::Index(places) => decimal(lines, places[at].into()),
                    VertexColumn::Integers(numbers) => {
                        lines.extend_from_slice(numbers[at].to_string().as_bytes());
                    }
                    VertexColumn::Text(texts) => csv_field(lines, &texts[at]),
                }
            }
            for &count in &rows.values[at * width..(at + 1) * width] {
                lines.push(b',');
                decimal(lines, count);
            }
            lines.push(b'\n');
            if lines.len() >= TOGETHER {
                self.file.put(lines)?;
                lines.clear();
            }
        }
        self.file.put(lines)
    }

    fn finish(self: Box<Self>) -> Result<OutFile, Error> {
        Ok(self.file)
    }
}

struct CsvBlocks {
    name: String,
    /// Number of key columns.
    keys: usize,
    reader: csv::Reader<Bytes>,
}

pub(super) fn open(input: Input) -> Result<OpenedTable, Error> {
    let name = input.name;
    let mut reader = csv::Reader::from_reader(input.bytes);
    let header = reader.headers().map_err(|e| csv_failed(&name, e))?;
    let names: Vec<String> = header.iter().map(str::to_owned).collect();
    let keys = scope_of(&names).map_or(1, |(_, keys)| keys);
    Ok((names, Box::new(CsvBlocks { name, keys, reader })))
}

fn csv_failed(name: &str, error: csv::Error) -> Error {
    let line = error.position().map_or(1, csv::Position::line);
    let text = error.to_string();
    match error.into_kind() {
        csv::ErrorKind::Io(e) => unpack_error(name, e),
        _ => Error::line(name, line, text),
    }
}

impl Blocks for CsvBlocks {
    fn next(&mut self) -> Option<Result<Block, Error>> {
        let mut block = Block::new(self.keys);
        let mut record = csv::ByteRecord::new();
        for _ in 0..1 << 10 {
            match self.reader.read_byte_record(&mut record) {
                Err(e) => return Some(Err(csv_failed(&self.name, e))),
                Ok(false) => break,
                Ok(true) => {}
            }
            let line = record.position().map_or(0, csv::Position::line);
            for (at, field) in record.iter().enumerate() {
                if (1..self.keys).contains(&at) {
                    block.ends[at - 1].push_text(&String::from_utf8_lossy(field));
                    continue;
                }
                let Some(value) = number(field) else {
                    let shown = crate::record::excerpt(field);
                    let reason = format!("`{shown}` is not a whole number from 0");
                    return Some(Err(Error::line(&self.name, line, reason)));
                };
                if at == 0 { block.graph.push(value) } else { block.values.push(value) }
            }
        }
        (!block.graph.is_empty()).then_some(Ok(block))
    }
}
