//! Count tables as NumPy archives.
//!
//! An archive holds array after array, a table comes row after row: each array is packed as it comes,
//! into an unnamed file in the folder of the target, and all are put together at the end. `np.load`
//! needs no pickle for them.

use super::archive::{Archive, CountPacker, Packer};
use super::columns::HeldRows;
use super::format::{Block, Blocks, OpenedTable, TableWriter, damaged};
use super::keys::{VertexColumn, key_columns};
use crate::error::Error;
use crate::guard::guarded;
use crate::input::Input;
use crate::names::NameKind;
use crate::output::{OutFile, unnamed_beside};
use gsn_core::Scope;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;

struct NpzTable {
    file: OutFile,
    columns: Vec<String>,
    keys: &'static [&'static str],
    graph: Packer,
    ends: Vec<Ends>,
    counts: CountPacker,
    rows: u64,
    bytes: Vec<u8>,
}

/// A column of ends.
enum Ends {
    /// Numbers, and their kind in NumPy.
    Numbers(Packer, &'static str),
    /// Texts wait with their lengths, since all take the room of the longest; its letters.
    Texts { waiting: BufWriter<File>, letters: usize, packer: Packer },
}

pub(super) fn create(
    file: OutFile,
    path: &Path,
    (scope, names): (Scope, NameKind),
    columns: &[String],
) -> Result<Box<dyn TableWriter>, Error> {
    let packer = || unnamed_beside(path).map(Packer::new);
    let ends = |_| {
        Ok(match names {
            NameKind::None => Ends::Numbers(packer()?, "<u4"),
            NameKind::Integers => Ends::Numbers(packer()?, "<i8"),
            NameKind::Strings => {
                let waiting = BufWriter::new(unnamed_beside(path)?);
                Ends::Texts { waiting, letters: 1, packer: packer()? }
            }
        })
    };
    let keys = key_columns(scope);
    Ok(Box::new(NpzTable {
        file,
        columns: columns.to_vec(),
        keys,
        graph: packer()?,
        ends: (1..keys.len()).map(ends).collect::<Result<_, Error>>()?,
        counts: CountPacker::of_counts(unnamed_beside(path)?),
        rows: 0,
        bytes: Vec::new(),
    }))
}

impl TableWriter for NpzTable {
    fn write(&mut self, rows: &mut HeldRows) -> Result<(), Error> {
        self.rows += rows.rows() as u64;
        self.pack(rows).map_err(|e| Error::io(&self.file.name, e))
    }

    fn finish(self: Box<Self>) -> Result<OutFile, Error> {
        let name = self.file.name.clone();
        self.put_together().map_err(|e| Error::io(name, e))
    }
}

/// Numbers that are turned into bytes together.
const TOGETHER: usize = 1 << 12;

/// Packs numbers as bytes, the lowest first.
fn pack_numbers<T: Copy, const BYTES: usize>(
    packer: &mut Packer,
    bytes: &mut Vec<u8>,
    numbers: &[T],
    to_bytes: impl Fn(T) -> [u8; BYTES],
) -> io::Result<()> {
    each_bytes(bytes, numbers, to_bytes, |_, bytes| packer.write_all(bytes))
}

/// Some numbers after the other, and the same as bytes, the lowest first.
fn each_bytes<T: Copy, const BYTES: usize>(
    bytes: &mut Vec<u8>,
    numbers: &[T],
    to_bytes: impl Fn(T) -> [u8; BYTES],
    mut take: impl FnMut(&[T], &[u8]) -> io::Result<()>,
) -> io::Result<()> {
    for some in numbers.chunks(TOGETHER) {
        bytes.resize(BYTES * some.len(), 0);
        for (to, &number) in bytes.chunks_exact_mut(BYTES).zip(some) {
            to.copy_from_slice(&to_bytes(number));
        }
        take(some, bytes)?;
    }
    Ok(())
}

impl NpzTable {
    fn pack(&mut self, rows: &HeldRows) -> io::Result<()> {
        let Self { graph, ends, counts, bytes, .. } = self;
        pack_numbers(graph, bytes, &rows.keys.graph, u64::to_le_bytes)?;
        for (ends, column) in ends.iter_mut().zip(&rows.keys.ends) {
            match (ends, column) {
                (Ends::Numbers(packer, _), VertexColumn::Index(places)) => {
                    pack_numbers(packer, bytes, places, u32::to_le_bytes)?;
                }
                (Ends::Numbers(packer, _), VertexColumn::Integers(numbers)) => {
                    pack_numbers(packer, bytes, numbers, i64::to_le_bytes)?;
                }
                (Ends::Texts { waiting, letters, .. }, VertexColumn::Text(texts)) => {
                    for text in texts {
                        *letters = text.chars().count().max(*letters);
                        waiting.write_all(&(text.len() as u32).to_le_bytes())?;
                        waiting.write_all(text.as_bytes())?;
                    }
                }
                _ => return Err(io::Error::other("the names of vertices have changed their kind")),
            }
        }
        each_bytes(bytes, &rows.values, u64::to_le_bytes, |some, bytes| {
            counts.write_counts(some, bytes)
        })
    }

    fn put_together(self) -> io::Result<OutFile> {
        let mut archive = Archive::new(self.file);
        let (rows, width) = (self.rows, self.columns.len());
        let list = format!("({rows},)");
        archive.add("graph.npy", &header("<u8", &list), self.graph)?;
        for (key, ends) in self.keys[1..].iter().zip(self.ends) {
            let name = format!("{key}.npy");
            match ends {
                Ends::Numbers(packer, kind) => archive.add(&name, &header(kind, &list), packer)?,
                Ends::Texts { waiting, letters, mut packer } => {
                    let mut waiting = waiting.into_inner().map_err(|e| e.into_error())?;
                    waiting.rewind()?;
                    let mut waiting = BufReader::with_capacity(1 << 16, waiting);
                    let mut text = Vec::new();
                    for _ in 0..rows {
                        let mut length = [0; 4];
                        waiting.read_exact(&mut length)?;
                        text.resize(u32::from_le_bytes(length) as usize, 0);
                        waiting.read_exact(&mut text)?;
                        let text = String::from_utf8_lossy(&text);
                        packer.write_all(&letter_codes(&text, letters))?;
                    }
                    archive.add(&name, &header(&format!("<U{letters}"), &list), packer)?;
                }
            }
        }
        let shape = format!("({rows}, {width})");
        archive.add("counts.npy", &header("<u8", &shape), self.counts)?;
        let longest =
            self.columns.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(1);
        let mut names = header(&format!("<U{longest}"), &format!("({width},)"));
        self.columns.iter().for_each(|name| names.extend(letter_codes(name, longest)));
        archive.add_bytes("columns.npy", &names)?;
        archive.finish()
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
