//! Count tables as NumPy archives.
//!
//! An archive holds array after array, a table comes row after row: the arrays are first spooled
//! to unnamed files in the folder of the target, then packed one by one. `np.load` needs no
//! pickle for them.

use super::columns::{CountColumns, key_columns};
use super::format::{Block, Blocks, OpenedTable, TableWriter, damaged};
use super::keys::VertexColumn;
use crate::error::Error;
use crate::guard::guarded;
use crate::input::Input;
use crate::names::NameKind;
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
    names: NameKind,
    columns: Vec<String>,
    /// `graph`, the ends, and the counts row after row.
    spools: Vec<BufWriter<File>>,
    /// Letters of the longest name in each column of ends.
    letters: Vec<usize>,
    rows: u64,
}

pub(super) fn create(
    file: OutFile,
    path: &Path,
    (scope, names): (Scope, NameKind),
    columns: &[String],
) -> Result<Box<dyn TableWriter>, Error> {
    let spools = (0..=key_columns(scope).len())
        .map(|_| unnamed_beside(path).map(BufWriter::new))
        .collect::<Result<_, _>>()?;
    let letters = vec![1; key_columns(scope).len() - 1];
    let columns = columns.to_vec();
    Ok(Box::new(NpzTable { file, scope, names, columns, spools, letters, rows: 0 }))
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
        let spools = self.spools[1..].iter_mut().zip(&mut self.letters);
        for ((spool, letters), column) in spools.zip(&rows.ends) {
            match column {
                VertexColumn::Index(places) => {
                    places.iter().try_for_each(|value| spool.write_all(&value.to_le_bytes()))?;
                }
                VertexColumn::Integers(numbers) => {
                    numbers.iter().try_for_each(|value| spool.write_all(&value.to_le_bytes()))?;
                }
                // The width of the array is that of the longest, so texts wait with their length.
                VertexColumn::Text(texts) => {
                    for text in texts {
                        *letters = text.chars().count().max(*letters);
                        spool.write_all(&(text.len() as u32).to_le_bytes())?;
                        spool.write_all(text.as_bytes())?;
                    }
                }
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
            let end = at.checked_sub(1).and_then(|end| self.letters.get(end));
            let (array, kind, shape) = match (keys.get(at), end) {
                (Some(key), None) => (*key, "<u8".to_owned(), format!("({},)", self.rows)),
                (Some(key), Some(letters)) => {
                    let kind = match self.names {
                        NameKind::None => "<u4".to_owned(),
                        NameKind::Integers => "<i8".to_owned(),
                        NameKind::Strings => format!("<U{letters}"),
                    };
                    (*key, kind, format!("({},)", self.rows))
                }
                _ => ("counts", "<u8".to_owned(), format!("({}, {width})", self.rows)),
            };
            zip.start_file(format!("{array}.npy"), options)?;
            zip.write_all(&header(&kind, &shape))?;
            let mut spool = spool.into_inner().map_err(|e| e.into_error())?;
            spool.rewind()?;
            let mut spool = BufReader::with_capacity(1 << 16, spool);
            match end.filter(|_| self.names == NameKind::Strings) {
                None => drop(io::copy(&mut spool, &mut zip)?),
                Some(&letters) => {
                    let mut text = Vec::new();
                    for _ in 0..self.rows {
                        let mut length = [0; 4];
                        spool.read_exact(&mut length)?;
                        text.resize(u32::from_le_bytes(length) as usize, 0);
                        spool.read_exact(&mut text)?;
                        zip.write_all(&letter_codes(&String::from_utf8_lossy(&text), letters))?;
                    }
                }
            }
        }
        zip.start_file("columns.npy", options)?;
        let longest =
            self.columns.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(1);
        zip.write_all(&header(&format!("<U{longest}"), &format!("({width},)")))?;
        for name in &self.columns {
            zip.write_all(&letter_codes(name, longest))?;
        }
        Ok(zip.finish()?.into_inner())
    }
}

/// A text of `letters` letters as NumPy stores it: 4 bytes each, zeros behind.
fn letter_codes(text: &str, letters: usize) -> Vec<u8> {
    let mut codes: Vec<u8> = text.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
    codes.resize(4 * letters, 0);
    codes
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
    let name = input.name.clone();
    let file = input.into_seekable()?.0;
    guarded(|| unpack(&name, file)).unwrap_or_else(|e| Err(damaged(&name, &e)))
}

/// Unpacks all arrays.
fn unpack(name: &str, file: File) -> Result<OpenedTable, Error> {
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
    let letters = columns.letters().ok_or_else(|| damaged(name, &"`columns` is not text"))?;
    for _ in 0..width {
        names.push(columns.text(letters).map_err(|e| damaged(name, &e))?);
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

    /// Letters of a text, if the array holds texts.
    fn letters(&self) -> Option<usize> {
        self.kind.strip_prefix("<U").and_then(|n| n.parse().ok())
    }

    /// The next text of so many letters.
    fn text(&mut self, letters: usize) -> io::Result<String> {
        let mut text = String::new();
        for _ in 0..letters {
            let code = self.value(4)? as u32;
            text.extend(char::from_u32(code).filter(|&c| c != '\0'));
        }
        Ok(text)
    }
}

impl NpzBlocks {
    fn block(&mut self) -> io::Result<Block> {
        let rows = self.left.min(1 << 12);
        self.left -= rows;
        let mut block = Block::new(self.keys.len());
        let Some((graph, ends)) = self.keys.split_first_mut() else { return Ok(block) };
        for _ in 0..rows {
            block.graph.push(graph.value(8)?);
            for (end, column) in ends.iter_mut().zip(&mut block.ends) {
                let name = match (end.letters(), &*end.kind) {
                    (Some(letters), _) => end.text(letters)?,
                    (None, "<i8") => end.value(8)?.cast_signed().to_string(),
                    _ => end.value(4)?.to_string(),
                };
                column.push_text(&name);
            }
            for _ in 0..self.width {
                block.values.push(self.counts.value(8)?);
            }
        }
        Ok(block)
    }
}

impl Blocks for NpzBlocks {
    fn next(&mut self) -> Option<Result<Block, Error>> {
        (self.left > 0).then(|| self.block().map_err(|e| damaged(&self.name, &e)))
    }
}
