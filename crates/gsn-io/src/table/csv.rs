//! Count tables as comma-separated values.

use super::columns::{CountColumns, key_columns};
use super::format::{Blocks, OpenedTable, TableWriter};
use crate::error::Error;
use crate::input::{Bytes, Input, number, unpack_error};
use crate::output::{OutFile, csv_field, decimal};
use gsn_core::Scope;
use std::path::Path;

struct CsvTable {
    file: OutFile,
    line: Vec<u8>,
}

pub(super) fn create(
    mut file: OutFile,
    _: &Path,
    scope: Scope,
    columns: &[String],
) -> Result<Box<dyn TableWriter>, Error> {
    let mut line = key_columns(scope).join(",").into_bytes();
    for name in columns {
        line.push(b',');
        csv_field(&mut line, name);
    }
    line.push(b'\n');
    file.put(&line)?;
    Ok(Box::new(CsvTable { file, line }))
}

impl TableWriter for CsvTable {
    fn write(&mut self, rows: &mut CountColumns) -> Result<(), Error> {
        for at in 0..rows.rows() {
            self.line.clear();
            decimal(&mut self.line, rows.graph[at]);
            for column in &rows.ends {
                self.line.push(b',');
                decimal(&mut self.line, u64::from(column[at]));
            }
            for column in &rows.counts {
                self.line.push(b',');
                decimal(&mut self.line, column[at]);
            }
            self.line.push(b'\n');
            self.file.put(&self.line)?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<OutFile, Error> {
        Ok(self.file)
    }
}

struct CsvBlocks {
    name: String,
    reader: csv::Reader<Bytes>,
}

pub(super) fn open(input: Input) -> Result<OpenedTable, Error> {
    let name = input.name;
    let mut reader = csv::Reader::from_reader(input.bytes);
    let header = reader.headers().map_err(|e| csv_failed(&name, e))?;
    let names = header.iter().map(str::to_owned).collect();
    Ok((names, Box::new(CsvBlocks { name, reader })))
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
    fn next(&mut self) -> Option<Result<Vec<u64>, Error>> {
        let mut out = Vec::new();
        let mut record = csv::ByteRecord::new();
        for _ in 0..1 << 10 {
            match self.reader.read_byte_record(&mut record) {
                Err(e) => return Some(Err(csv_failed(&self.name, e))),
                Ok(false) => break,
                Ok(true) => {}
            }
            let line = record.position().map_or(0, csv::Position::line);
            for field in &record {
                let Some(value) = number(field) else {
                    let shown = crate::record::excerpt(field);
                    let reason = format!("`{shown}` is not a whole number from 0");
                    return Some(Err(Error::line(&self.name, line, reason)));
                };
                out.push(value);
            }
        }
        (!out.is_empty()).then_some(Ok(out))
    }
}
