//! SDF and MOL files: molecules as connection tables, their properties (`> <NAME>`) as columns.
//!
//! A record ends at `$$$$` or with the file. Its first line is its name. Properties that are new
//! to the file join the columns, so these are complete when the rows are.

use super::{Chunk, Molecules, RawRow, TextHead, nothing};
use crate::error::Error;
use crate::format::Opened;
use crate::input::{Input, Lines};
use crate::record::{Rejected, Row};
use crate::source::{ReadOptions, Rows};
use std::collections::{HashMap, VecDeque};

/// The line that ends a record.
const END: &[u8] = b"$$$$";

struct SdfRows {
    lines: Lines,
    line: Vec<u8>,
    chunk: Chunk,
    next: u64,
    keep_fields: bool,
    fields: Vec<String>,
    place: HashMap<String, usize>,
    molecules: Molecules,
}

/// The version of the table stands in the fourth line.
pub(crate) fn looks_like(head: &TextHead) -> bool {
    let mut lines = head.all.split(|&byte| byte == b'\n');
    let counts = lines.nth(3).unwrap_or_default().trim_ascii_end();
    counts.ends_with(b"V2000") || counts.ends_with(b"V3000")
}

pub(crate) fn open(input: Input, options: &ReadOptions) -> Result<Opened, Error> {
    let (lines, hash) = input.lines();
    let molecules = Molecules::new(options, &lines.name)?;
    let rows = SdfRows {
        lines,
        line: Vec::new(),
        chunk: Chunk::default(),
        next: 0,
        keep_fields: options.keep_fields,
        fields: Vec::new(),
        place: HashMap::new(),
        molecules,
    };
    Ok((Box::new(rows), vec![hash]))
}

impl Rows for SdfRows {
    fn fill(&mut self, rows: &mut VecDeque<Row>) -> Result<bool, Error> {
        self.chunk.clear();
        let mut more = Ok(true);
        while !self.chunk.is_full() && matches!(more, Ok(true)) {
            more = self.read_record();
        }
        let molecules = &self.molecules;
        self.chunk.parse(rows, |raw, text| row(raw, text, molecules));
        let more = more?;
        if !more && self.next == 0 {
            return Err(nothing(&self.lines.name, "molecule"));
        }
        Ok(more)
    }

    fn notes(&self) -> Vec<String> {
        let stereo = self.molecules.featurise.map(|_| {
            format!(
                "{}: stereo is not read from SDF (wedges, parities, coordinates)",
                self.lines.name
            )
        });
        stereo.into_iter().collect()
    }

    fn fields(&self) -> &[String] {
        &self.fields
    }

    fn are_molecules(&self) -> bool {
        true
    }
}

impl SdfRows {
    /// Reads to the end of a record; `false` at the end of the file.
    fn read_record(&mut self) -> Result<bool, Error> {
        let from = self.chunk.text.len();
        let first = self.lines.number + 1;
        let (mut at, mut blank, mut table, mut ended) = (0, true, true, false);
        let mut name = None;
        let mut fields = Vec::new();
        let mut property: Option<usize> = None;
        loop {
            if !self.lines.read(&mut self.line)? {
                break;
            }
            let line = &self.line;
            if line.starts_with(END) {
                ended = true;
                break;
            }
            blank &= line.trim_ascii().is_empty();
            if at == 0 {
                let title = line.trim_ascii();
                name = (!title.is_empty()).then(|| String::from_utf8_lossy(title).into_owned());
            }
            table &= at < 4 || !line.starts_with(b">");
            if table {
                self.chunk.text.extend_from_slice(line);
                self.chunk.text.push(b'\n');
                table = at < 4 || !line.starts_with(b"M  END");
            } else if line.starts_with(b">") {
                property = self.keep_fields.then(|| self.column(&mut fields)).flatten();
            } else if line.trim_ascii().is_empty() {
                property = None;
            } else if let Some(cell) = property.and_then(|at| fields.get_mut(at)) {
                let cell: &mut String = cell;
                if !cell.is_empty() {
                    cell.push('\n');
                }
                cell.push_str(String::from_utf8_lossy(&self.line).trim_end());
            }
            at += 1;
        }
        if blank && !ended {
            self.chunk.text.truncate(from);
            return Ok(false);
        }
        let (row, text) = (self.next, from..self.chunk.text.len());
        self.chunk.rows.push(RawRow { row, line: first, text, name, fields });
        self.next += 1;
        Ok(ended)
    }

    /// The column of the property whose first line was just read, with a cell for it in `fields`.
    fn column(&mut self, fields: &mut Vec<String>) -> Option<usize> {
        let header = String::from_utf8_lossy(&self.line);
        let name = header.split_once('<')?.1.rsplit_once('>')?.0.trim();
        let at = match self.place.get(name) {
            Some(&at) => at,
            None => {
                self.fields.push(name.to_owned());
                self.place.insert(name.to_owned(), self.fields.len() - 1);
                self.fields.len() - 1
            }
        };
        if fields.len() <= at {
            fields.resize(at + 1, String::new());
        }
        Some(at)
    }
}

/// One record.
fn row(raw: RawRow, text: &[u8], molecules: &Molecules) -> Row {
    match molecules.molfile(raw.row, &String::from_utf8_lossy(text)) {
        Ok(mut record) => {
            record.name = raw.name;
            record.fields = raw.fields;
            record.line = Some(raw.line);
            Row::Graph(record)
        }
        Err(bad) => {
            let line = text.split(|&byte| byte == b'\n').nth(bad.line - 1).unwrap_or_default();
            let number = raw.line + bad.line as u64 - 1;
            Row::Rejected(Rejected {
                fields: raw.fields,
                ..Rejected::new(raw.row, Some(number), line, bad.reason)
            })
        }
    }
}
