//! Count tables as NumPy archives.
//!
//! An archive holds array after array, a table comes row after row: the arrays are first spooled
//! to unnamed files in the folder of the target, then packed one by one. `np.load` needs no
//! pickle for them.

use super::columns::{CountColumns, key_columns};
use super::format::{Blocks, OpenedTable, TableWriter, damaged};
use crate::error::Error;
use crate::input::Input;
use crate::output::{OutFile, unnamed_beside};
use gsn_core::Scope;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

struct NpzTable {
    file: OutFile,
    scope: Scope,
    columns: Vec<String>,
    /// `graph`, the ends, and the counts row after row.
    spools: Vec<BufWriter<File>>,
    rows: u64,
}

pub(super) fn create(
    file: OutFile,
    path: &Path,
    scope: Scope,
    columns: &[String],
) -> Result<Box<dyn TableWriter>, Error> {
    let spools = (0..=key_columns(scope).len())
        .map(|_| unnamed_beside(path).map(BufWriter::new))
        .collect::<Result<_, _>>()?;
    Ok(Box::new(NpzTable { file, scope, columns: columns.to_vec(), spools, rows: 0 }))
}

impl TableWriter for NpzTable {
    fn write(&mut self, rows: &mut CountColumns) -> Result<(), Error> {
        self.rows += rows.rows() as u64;
        self.spool(rows).map_err(|e| Error::io(&self.file.name, e))
    }

    fn finish(self: Box<Self>) -> Result<OutFile, Error> {
        let name = self.file.name.clone();
        self.pack().map_err(|e| Error::io(name, e))
    }
}

impl NpzTable {
    fn spool(&mut self, rows: &CountColumns) -> io::Result<()> {
        for value in &rows.graph {
            self.spools[0].write_all(&value.to_le_bytes())?;
        }
        for (spool, column) in self.spools[1..].iter_mut().zip(&rows.ends) {
            for value in column {
                spool.write_all(&value.to_le_bytes())?;
            }
        }
        if let Some(spool) = self.spools.last_mut() {
            for at in 0..rows.rows() {
                for column in &rows.counts {
                    spool.write_all(&column[at].to_le_bytes())?;
                }
            }
        }
        Ok(())
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

/// The arrays of an archive, unpacked to unnamed files and read side by side.
struct NpzBlocks {
    name: String,
    keys: Vec<Npy>,
    counts: Npy,
    left: u64,
    width: usize,
}

struct Npy {
    file: BufReader<File>,
    kind: String,
    shape: Vec<u64>,
}

pub(super) fn open(input: Input) -> Result<OpenedTable, Error> {
    let name = &input.name.clone();
    let file = input.into_seekable()?.0;
    let mut archive = zip::ZipArchive::new(file).map_err(|e| damaged(name, &e))?;
    let mut array = |member: &str| npy(&mut archive, member).map_err(|e| damaged(name, &e));
    let graph = array("graph")?;
    let (mut names, mut keys) = (vec!["graph".to_owned()], vec![graph]);
    for key in ["vertex", "source", "target"] {
        if let Ok(ends) = array(key) {
            keys.push(ends);
            names.push(key.to_owned());
        }
    }
    let counts = array("counts")?;
    let mut columns = array("columns")?;
    let left = keys[0].shape.first().copied().unwrap_or(0);
    let width = columns.shape.first().copied().unwrap_or(0) as usize;
    let fits = counts.kind == "<u8"
        && counts.shape == [left, width as u64]
        && keys.iter().all(|key| key.shape == [left]);
    if !fits {
        return Err(damaged(name, &"the arrays do not fit each other"));
    }
    let letters = columns.kind.strip_prefix("<U").and_then(|n| n.parse::<usize>().ok());
    let letters = letters.ok_or_else(|| damaged(name, &"`columns` is not text"))?;
    for _ in 0..width {
        let mut column = String::new();
        for _ in 0..letters {
            let code = columns.value(4).map_err(|e| damaged(name, &e))? as u32;
            column.extend(char::from_u32(code).filter(|&c| c != '\0'));
        }
        names.push(column);
    }
    Ok((names, Box::new(NpzBlocks { name: name.to_owned(), keys, counts, left, width })))
}

fn npy(archive: &mut zip::ZipArchive<File>, member: &str) -> io::Result<Npy> {
    let wrong = |what: &str| io::Error::other(format!("{member}.npy: {what}"));
    let mut unpacked = tempfile::tempfile()?;
    let mut packed = archive.by_name(&format!("{member}.npy"))?;
    io::copy(&mut packed, &mut unpacked)?;
    unpacked.rewind()?;
    let mut file = BufReader::new(unpacked);
    let mut start = [0; 10];
    file.read_exact(&mut start)?;
    if !start.starts_with(b"\x93NUMPY\x01") {
        return Err(wrong("not an array in version 1 of the format"));
    }
    let mut header = vec![0; usize::from(u16::from_le_bytes([start[8], start[9]]))];
    file.read_exact(&mut header)?;
    let header = String::from_utf8_lossy(&header).into_owned();
    let after = |key: &str| header.split_once(key).map(|(_, rest)| rest);
    let kind = after("'descr': '").and_then(|rest| rest.split('\'').next());
    let shape = after("'shape': (").and_then(|rest| rest.split(')').next());
    let (Some(kind), Some(shape)) = (kind, shape) else { return Err(wrong("no type or shape")) };
    if header.contains("'fortran_order': True") {
        return Err(wrong("column-major"));
    }
    let shape: Option<Vec<u64>> = shape
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(|part| part.parse().ok())
        .collect();
    let shape = shape.ok_or_else(|| wrong("a shape that is no shape"))?;
    Ok(Npy { file, kind: kind.to_owned(), shape })
}

impl Npy {
    /// The next little-endian number of `bytes` bytes.
    fn value(&mut self, bytes: usize) -> io::Result<u64> {
        let mut all = [0; 8];
        self.file.read_exact(&mut all[..bytes])?;
        Ok(u64::from_le_bytes(all))
    }
}

impl NpzBlocks {
    fn block(&mut self) -> io::Result<Vec<u64>> {
        let rows = self.left.min(1 << 12);
        self.left -= rows;
        let mut out = Vec::new();
        for _ in 0..rows {
            for key in &mut self.keys {
                let bytes = if key.kind == "<u8" { 8 } else { 4 };
                out.push(key.value(bytes)?);
            }
            for _ in 0..self.width {
                out.push(self.counts.value(8)?);
            }
        }
        Ok(out)
    }
}

impl Blocks for NpzBlocks {
    fn next(&mut self) -> Option<Result<Vec<u64>, Error>> {
        (self.left > 0).then(|| self.block().map_err(|e| damaged(&self.name, &e)))
    }
}
