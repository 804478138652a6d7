//! CSV and TSV with a SMILES column, quoted as RFC 4180 has it.

use super::{Chunk, Molecules, RawRow, TextHead, molecule_row};
use crate::error::Error;
use crate::format::Opened;
use crate::input::{Bytes, Input, unpack_error};
use crate::record::Row;
use crate::source::{ReadOptions, Rows};
use csv::ByteRecord;
use std::collections::VecDeque;
use std::io::{self, BufRead, Read};

struct TableRows {
    name: String,
    reader: csv::Reader<NewlineOnly>,
    record: ByteRecord,
    column: usize,
    /// Number of columns, and their names without the SMILES when fields are kept.
    width: usize,
    fields: Vec<String>,
    keep_fields: bool,
    chunk: Chunk,
    next: u64,
    molecules: Molecules,
    ragged: Option<u64>,
}

/// A header with a column `smiles`.
pub(crate) fn looks_like(head: &TextHead, delimiter: u8) -> bool {
    let mut names = head.first.split(|&b| b == delimiter);
    names.any(|name| name.trim_ascii().eq_ignore_ascii_case(b"smiles"))
}

pub(crate) fn open(input: Input, options: &ReadOptions, delimiter: u8) -> Result<Opened, Error> {
    let Input { name, bytes, hash, .. } = input;
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .flexible(true)
        .from_reader(NewlineOnly(bytes));
    let header = reader.byte_headers().map_err(|e| csv_error(&name, e))?;
    let columns: Vec<String> =
        header.iter().map(|h| String::from_utf8_lossy(h.trim_ascii()).into_owned()).collect();
    let wanted = options.smiles_column.as_deref();
    let column = find_column(&columns, wanted).ok_or_else(|| Error::MissingColumn {
        path: name.clone(),
        column: wanted.unwrap_or("smiles").to_owned(),
        there: columns.clone(),
    })?;
    let width = columns.len();
    let mut fields = columns;
    fields.remove(column);
    let molecules = Molecules::new(options, &name)?;
    let rows = TableRows {
        name,
        reader,
        record: ByteRecord::new(),
        column,
        width,
        fields: if options.keep_fields { fields } else { Vec::new() },
        keep_fields: options.keep_fields,
        chunk: Chunk::default(),
        next: 0,
        molecules,
        ragged: None,
    };
    Ok((Box::new(rows), vec![hash]))
}

/// Turns CR LF into LF on the way: the reader stops a record at the CR and counts the line only
/// at the LF, so that it would name every line after a CR LF one too low.
struct NewlineOnly(Bytes);

impl Read for NewlineOnly {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        loop {
            let ready = self.0.fill_buf()?;
            let plain = ready.iter().position(|&byte| byte == b'\r').unwrap_or(ready.len());
            if plain > 0 || ready.is_empty() {
                let taken = plain.min(out.len());
                out[..taken].copy_from_slice(&ready[..taken]);
                self.0.consume(taken);
                return Ok(taken);
            }
            self.0.consume(1);
            if self.0.fill_buf()?.first() != Some(&b'\n') {
                out[0] = b'\r';
                return Ok(1);
            }
        }
    }
}

/// The column called exactly so, or else so in another case; `smiles` when none is asked for.
pub(super) fn find_column(columns: &[String], wanted: Option<&str>) -> Option<usize> {
    let wanted = wanted.unwrap_or("smiles");
    columns
        .iter()
        .position(|name| name == wanted)
        .or_else(|| columns.iter().position(|name| name.eq_ignore_ascii_case(wanted)))
}

fn csv_error(name: &str, error: csv::Error) -> Error {
    let line = error.position().map(csv::Position::line);
    match (error.into_kind(), line) {
        (csv::ErrorKind::Io(e), _) => unpack_error(name, e),
        (kind, Some(line)) => Error::line(name, line, format!("{kind:?}")),
        (kind, None) => Error::file(name, format!("{kind:?}")),
    }
}

impl Rows for TableRows {
    fn fill(&mut self, rows: &mut VecDeque<Row>) -> Result<bool, Error> {
        let more = self.read_chunk();
        let molecules = &self.molecules;
        self.chunk.parse(rows, |raw, text| molecule_row(raw, text, molecules));
        more
    }

    fn notes(&self) -> Vec<String> {
        let ragged = self.ragged.map(|line| {
            format!(
                "{}: some rows do not have the {} columns of the header (first at line {line}); \
                 a quotation mark may be missing",
                self.name, self.width
            )
        });
        ragged.into_iter().chain(self.molecules.notes(&self.name)).collect()
    }

    fn fields(&self) -> &[String] {
        &self.fields
    }

    fn are_molecules(&self) -> bool {
        true
    }
}

impl TableRows {
    fn read_chunk(&mut self) -> Result<bool, Error> {
        self.chunk.clear();
        while !self.chunk.is_full() {
            let more = self.reader.read_byte_record(&mut self.record);
            if !more.map_err(|e| csv_error(&self.name, e))? {
                return Ok(false);
            }
            let line = self.record.position().map_or(0, csv::Position::line);
            if self.record.len() != self.width && self.ragged.is_none() {
                self.ragged = Some(line);
            }
            let from = self.chunk.text.len();
            // A row too short for the column is a row with an empty SMILES: rejected, not lost.
            self.chunk.text.extend_from_slice(self.record.get(self.column).unwrap_or_default());
            let mut fields = Vec::new();
            if self.keep_fields {
                fields = (0..self.width)
                    .filter(|&at| at != self.column)
                    .map(|at| {
                        String::from_utf8_lossy(self.record.get(at).unwrap_or_default()).into()
                    })
                    .collect();
            }
            let text = from..self.chunk.text.len();
            self.chunk.rows.push(RawRow { row: self.next, line, text, name: None, fields });
            self.next += 1;
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_numbers_do_not_depend_on_line_ends() {
        for text in ["a\nb\nc\nd\n", "a\r\nb\r\nc\r\nd\r\n", "a\r\nb\nc\r\nd"] {
            // A buffer of one byte cuts every CR LF in two.
            for capacity in [1, 64] {
                let bytes = io::BufReader::with_capacity(capacity, text.as_bytes());
                let mut reader = csv::Reader::from_reader(NewlineOnly(Box::new(bytes)));
                let lines: Vec<u64> =
                    reader.byte_records().map(|r| r.unwrap().position().unwrap().line()).collect();
                assert_eq!(lines, [2, 3, 4], "{text:?}");
            }
        }
        let mut alone = String::new();
        NewlineOnly(Box::new(&b"a\rb\r\r\nc\r"[..])).read_to_string(&mut alone).unwrap();
        assert_eq!(alone, "a\rb\r\nc\r");
    }
}
