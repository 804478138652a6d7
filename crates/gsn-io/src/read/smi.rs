//! `.smi` files: a SMILES and an optional name a line, `#` comments.

use super::{Chunk, Molecules, RawRow, molecule_row, nothing};
use crate::error::Error;
use crate::format::Opened;
use crate::input::{Input, Lines};
use crate::record::Row;
use crate::source::{ReadOptions, Rows};
use std::collections::VecDeque;

struct SmiRows {
    lines: Lines,
    chunk: Chunk,
    next: u64,
    molecules: Molecules,
    /// The SMILES, if it is kept.
    fields: Vec<String>,
}

pub(crate) fn open(input: Input, options: &ReadOptions) -> Result<Opened, Error> {
    let (lines, hash) = input.lines();
    let molecules = Molecules::new(options, &lines.name)?;
    let keep = options.keep_fields && options.keep_smiles;
    let fields = if keep { vec![super::table::SMILES.to_owned()] } else { Vec::new() };
    let chunk = Chunk::default();
    Ok((Box::new(SmiRows { lines, chunk, next: 0, molecules, fields }), vec![hash]))
}

impl Rows for SmiRows {
    fn fill(&mut self, rows: &mut VecDeque<Row>) -> Result<bool, Error> {
        let more = self.read_chunk();
        let molecules = &self.molecules;
        self.chunk.parse(rows, |raw, text| molecule_row(raw, text, molecules));
        let more = more?;
        if !more && self.next == 0 {
            return Err(nothing(&self.lines.name, "molecule"));
        }
        Ok(more)
    }

    fn notes(&self) -> Vec<String> {
        self.molecules.notes(&self.lines.name).into_iter().collect()
    }

    fn fields(&self) -> &[String] {
        &self.fields
    }

    fn are_molecules(&self) -> bool {
        true
    }
}

/// Where the name begins: behind the SMILES, and behind an extension in bars (CXSMILES).
fn end_of_smiles(line: &[u8]) -> usize {
    let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
    let blanks = line[end..].len() - line[end..].trim_ascii_start().len();
    match line[end + blanks..].strip_prefix(b"|") {
        Some(inner) => match inner.iter().position(|&byte| byte == b'|') {
            Some(close) => end + blanks + close + 2,
            None => end,
        },
        None => end,
    }
}

impl SmiRows {
    fn read_chunk(&mut self) -> Result<bool, Error> {
        self.chunk.clear();
        while !self.chunk.is_full() {
            let from = self.chunk.text.len();
            if !self.lines.append(&mut self.chunk.text)? {
                return Ok(false);
            }
            let line = &self.chunk.text[from..];
            let start = line.len() - line.trim_ascii_start().len();
            let line = &line[start..];
            // A SMILES cannot start with `#`, so such a line is a comment.
            if line.is_empty() || line.starts_with(b"#") {
                continue;
            }
            let end = end_of_smiles(line);
            let name = line[end..].trim_ascii();
            let name = (!name.is_empty()).then(|| String::from_utf8_lossy(name).into_owned());
            let fields = match self.fields.is_empty() {
                true => Vec::new(),
                false => vec![String::from_utf8_lossy(&line[..end]).into_owned()],
            };
            let text = from + start..from + start + end;
            let (row, line) = (self.next, self.lines.number);
            self.chunk.rows.push(RawRow { row, line, text, name, fields });
            self.next += 1;
        }
        Ok(true)
    }
}
