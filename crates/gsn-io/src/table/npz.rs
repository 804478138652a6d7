//! Count tables as NumPy archives.
//!
//! An archive holds array after array, a table comes row after row: the arrays are first spooled
//! to unnamed files in the folder of the target, then packed one by one. `np.load` needs no
//! pickle for them.

use super::{Rows, key_columns};
use crate::atomic::folder;
use crate::error::Error;
use crate::output::OutFile;
use gsn_core::Scope;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Seek, Write};
use std::path::Path;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

pub(super) struct NpzTable {
    file: OutFile,
    scope: Scope,
    columns: Vec<String>,
    /// `graph`, the ends, and the counts row after row.
    spools: Vec<BufWriter<File>>,
    rows: u64,
}

impl NpzTable {
    pub(super) fn new(
        file: OutFile,
        path: &Path,
        scope: Scope,
        columns: &[String],
    ) -> Result<Self, Error> {
        // Unnamed files vanish with the process, even a killed one.
        let standard = path.as_os_str() == "-";
        let place = if standard { std::env::temp_dir() } else { folder(path).to_owned() };
        let spools = (0..=key_columns(scope).len())
            .map(|_| Ok(BufWriter::new(tempfile::tempfile_in(&place)?)))
            .collect::<io::Result<Vec<_>>>()
            .map_err(|e| Error::io(place.display(), e))?;
        Ok(Self { file, scope, columns: columns.to_vec(), spools, rows: 0 })
    }

    pub(super) fn write(&mut self, rows: &Rows) -> Result<(), Error> {
        self.rows += rows.len() as u64;
        self.spool(rows).map_err(|e| Error::io(&self.file.name, e))
    }

    fn spool(&mut self, rows: &Rows) -> io::Result<()> {
        for value in &rows.graph {
            self.spools[0].write_all(&value.to_le_bytes())?;
        }
        for (spool, column) in self.spools[1..].iter_mut().zip(&rows.ends) {
            for value in column {
                spool.write_all(&value.to_le_bytes())?;
            }
        }
        if let Some(spool) = self.spools.last_mut() {
            for at in 0..rows.len() {
                for column in &rows.counts {
                    spool.write_all(&column[at].to_le_bytes())?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<OutFile, Error> {
        let name = self.file.name.clone();
        self.pack().map_err(|e| Error::io(name, e))
    }

    fn pack(self) -> io::Result<OutFile> {
        let mut zip = ZipWriter::new_stream(self.file);
        // Sizes are not known to the writer beforehand and may pass 4 GB.
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(3))
            .large_file(true);
        let keys = key_columns(self.scope);
        let width = self.columns.len();
        for (at, spool) in self.spools.into_iter().enumerate() {
            let (array, kind, shape) = match keys.get(at) {
                Some(key) if at == 0 => (*key, "<u8", format!("({},)", self.rows)),
                Some(key) => (*key, "<u4", format!("({},)", self.rows)),
                None => ("counts", "<u8", format!("({}, {width})", self.rows)),
            };
            zip.start_file(format!("{array}.npy"), options)?;
            zip.write_all(&header(kind, &shape))?;
            let mut spool = spool.into_inner().map_err(|e| e.into_error())?;
            spool.rewind()?;
            io::copy(&mut BufReader::with_capacity(1 << 16, spool), &mut zip)?;
        }
        zip.start_file("columns.npy", options)?;
        let longest =
            self.columns.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(1);
        zip.write_all(&header(&format!("<U{longest}"), &format!("({width},)")))?;
        for name in &self.columns {
            let mut codes: Vec<u32> = name.chars().map(u32::from).collect();
            codes.resize(longest, 0);
            for code in codes {
                zip.write_all(&code.to_le_bytes())?;
            }
        }
        Ok(zip.finish()?.into_inner())
    }
}

/// The header of a `.npy` array in version 1.0 of the format, padded to 64 bytes.
fn header(kind: &str, shape: &str) -> Vec<u8> {
    let mut text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    let unpadded = 10 + text.len() + 1;
    text.extend(std::iter::repeat_n(' ', unpadded.next_multiple_of(64) - unpadded));
    text.push('\n');
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend_from_slice(&(text.len() as u16).to_le_bytes());
    out.extend_from_slice(text.as_bytes());
    out
}
