//! Count tables as comma-separated values.

use super::{Rows, key_columns};
use crate::error::Error;
use crate::output::{OutFile, csv_field, decimal};
use gsn_core::Scope;

pub(super) struct CsvTable {
    file: OutFile,
    line: Vec<u8>,
}

impl CsvTable {
    pub(super) fn new(mut file: OutFile, scope: Scope, columns: &[String]) -> Result<Self, Error> {
        let mut line = key_columns(scope).join(",").into_bytes();
        for name in columns {
            line.push(b',');
            csv_field(&mut line, name);
        }
        line.push(b'\n');
        file.put(&line)?;
        Ok(Self { file, line })
    }

    pub(super) fn write(&mut self, rows: &Rows) -> Result<(), Error> {
        for at in 0..rows.len() {
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

    pub(super) fn finish(self) -> Result<OutFile, Error> {
        Ok(self.file)
    }
}
