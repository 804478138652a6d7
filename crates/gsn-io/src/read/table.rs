//! Text tables with a SMILES column or with a column for each end of an edge, quoted as RFC 4180
//! has it.

use super::edge_table::{EdgeColumns, EdgeRows};
use super::{Chunk, Molecules, RawRow, TextHead, molecule_row};
use crate::delimiter::Delimiter;
use crate::error::Error;
use crate::format::Opened;
use crate::input::{Bytes, Input, unpack_error};
use crate::record::Row;
use crate::source::{ReadOptions, Rows};
use csv::ByteRecord;
use gsn_core::memory;
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
    /// The column that is not kept.
    left_out: Option<usize>,
    chunk: Chunk,
    next: u64,
    molecules: Molecules,
    ragged: Option<u64>,
    note: Option<String>,
}

/// A header with a column `smiles`, or with usual titles for the ends of an edge.
pub(crate) fn looks_like(head: &TextHead, usual: Delimiter) -> bool {
    let found = Delimiter::find(head.first, usual, is_known);
    let tabs = (found == Delimiter::Tab) == (usual == Delimiter::Tab);
    tabs && is_known(&found.split(head.first))
}

/// Whether these are the titles of a table that we read without being told more.
fn is_known(columns: &[String]) -> bool {
    let edges = || EdgeColumns::find("", columns, &ReadOptions::default());
    find_column(columns, SMILES).is_some() || edges().is_ok_and(|found| found.is_some())
}

/// The column of molecules when none is asked for.
pub(super) const SMILES: &str = "smiles";

pub(crate) fn open(input: Input, options: &ReadOptions, usual: Delimiter) -> Result<Opened, Error> {
    let Input { name, head, bytes, hash, .. } = input;
    let first = head.split(|b| matches!(b, b'\n' | b'\r')).next().unwrap_or_default();
    let asked = [&options.smiles_column, &options.source_column, &options.target_column];
    let fit = |columns: &[String]| match asked.iter().find_map(|asked| asked.as_deref()) {
        Some(column) => find_column(columns, column).is_some(),
        None => is_known(columns),
    };
    let delimiter = options.delimiter.unwrap_or_else(|| Delimiter::find(first, usual, fit));
    let other = delimiter != usual && options.delimiter.is_none();
    let note = other.then(|| format!("{name}: its columns are separated by {}", delimiter.many()));
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter.byte())
        .flexible(true)
        .from_reader(NewlineOnly(bytes));
    let header = reader.byte_headers().map_err(|e| csv_error(&name, e))?;
    let columns: Vec<String> =
        header.iter().map(|h| String::from_utf8_lossy(h.trim_ascii()).into_owned()).collect();
    let wanted = options.smiles_column.as_deref();
    let smiles = find_column(&columns, wanted.unwrap_or(SMILES));
    let asked_edges = options.source_column.is_some() || options.target_column.is_some();
    if (asked_edges || (wanted.is_none() && smiles.is_none()))
        && let Some(columns) = EdgeColumns::find(&name, &columns, options)?
    {
        let edges = EdgeRows::new(&name, options.directed);
        let record = ByteRecord::new();
        let rows = EdgeTable { name, reader, record, columns, edges, note };
        return Ok((Box::new(rows), vec![hash]));
    }
    let column = smiles.ok_or_else(|| missing(&name, wanted, &columns))?;
    if options.directed {
        let reason = "molecules are undirected".to_owned();
        return Err(Error::Option { path: name, reason });
    }
    let width = columns.len();
    let left_out = (!options.keep_smiles).then_some(column);
    let mut fields = columns;
    if let Some(column) = left_out {
        fields.remove(column);
    }
    let molecules = Molecules::new(options, &name)?;
    let rows = TableRows {
        name,
        reader,
        record: ByteRecord::new(),
        column,
        width,
        fields: if options.keep_fields { fields } else { Vec::new() },
        keep_fields: options.keep_fields,
        left_out,
        chunk: Chunk::default(),
        next: 0,
        molecules,
        ragged: None,
        note,
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

/// The column called exactly so, or else so in another case.
pub(super) fn find_column(columns: &[String], wanted: &str) -> Option<usize> {
    columns
        .iter()
        .position(|name| name == wanted)
        .or_else(|| columns.iter().position(|name| name.eq_ignore_ascii_case(wanted)))
}

/// No column tells what the table holds.
pub(super) fn missing(name: &str, wanted: Option<&str>, columns: &[String]) -> Error {
    let (path, there) = (name.to_owned(), columns.to_vec());
    match wanted {
        Some(column) => Error::MissingColumn { path, column: column.to_owned(), there },
        None => Error::UnknownColumns { path, there },
    }
}

/// A table of edges.
struct EdgeTable {
    name: String,
    reader: csv::Reader<NewlineOnly>,
    record: ByteRecord,
    columns: EdgeColumns,
    edges: EdgeRows,
    note: Option<String>,
}

impl Rows for EdgeTable {
    fn fill(&mut self, rows: &mut VecDeque<Row>) -> Result<bool, Error> {
        while rows.is_empty() {
            let more = self.reader.read_byte_record(&mut self.record);
            if !more.map_err(|e| csv_error(&self.name, e))? {
                rows.extend(self.edges.finish()?);
                return Ok(false);
            }
            let line = self.record.position().map_or(0, csv::Position::line);
            let field = |at: usize| {
                let bytes = self.record.get(at).unwrap_or_default().trim_ascii();
                std::str::from_utf8(bytes)
                    .map_err(|_| Error::line(&self.name, line, "is not UTF-8 text"))
            };
            let (source, target) = (field(self.columns.source)?, field(self.columns.target)?);
            let graph = self.columns.graph.map(field).transpose()?;
            rows.extend(self.edges.push(Some(line), graph, source, target)?);
        }
        Ok(true)
    }

    fn notes(&self) -> Vec<String> {
        self.note.iter().cloned().collect()
    }
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
        let molecules = self.molecules.notes(&self.name);
        self.note.iter().cloned().chain(ragged).chain(molecules).collect()
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
            // The text of the molecule, the fields, and what becomes of them.
            let length = self.record.as_slice().len() as u64;
            memory::ask(length.saturating_mul(3), || "this row".into())
                .map_err(|e| Error::line(&self.name, line, e.to_string()))?;
            if self.record.len() != self.width && self.ragged.is_none() {
                self.ragged = Some(line);
            }
            let from = self.chunk.text.len();
            // A row too short for the column is a row with an empty SMILES: rejected, not lost.
            self.chunk.text.extend_from_slice(self.record.get(self.column).unwrap_or_default());
            let mut fields = Vec::new();
            if self.keep_fields {
                fields = (0..self.width)
                    .filter(|&at| Some(at) != self.left_out)
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
