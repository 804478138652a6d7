//! Reading count tables back, graph by graph, from any format they are written in.

use super::{TableFormat, key_columns};
use crate::error::Error;
use crate::input::{Bytes, Input, number, unpack_error};
use crate::read::messages::ArrowBatches;
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, RecordBatch};
use arrow_schema::{ArrowError, DataType, Schema};
use gsn_core::Scope;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::Path;

/// The counts of one graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphCounts {
    /// Row of the input the graph was in.
    pub graph: u64,
    /// What each row is about: `[vertex, vertex]` or `[source, target]`.
    pub ends: Vec<[u32; 2]>,
    /// Row after row, one number a column.
    pub values: Vec<u64>,
}

/// A count table, read graph by graph. An `Err` is final.
///
/// ```
/// # use gsn_core::{Graph, Scope};
/// # use gsn_io::{CountSink, TableFormat};
/// # let dir = tempfile::tempdir()?;
/// # let path = dir.path().join("counts.parquet");
/// # let mut sink =
/// #     CountSink::create(&path, TableFormat::Parquet, Scope::Vertex, &["path:2/v0".into()], &[])?;
/// # sink.push(0, &Graph::from_edges(3, [(0, 1), (1, 2)])?, &[1, 2, 1])?;
/// # sink.finish(None)?;
/// let table = gsn_io::CountTable::open(&path)?;
/// assert_eq!((table.scope(), table.columns()), (Scope::Vertex, &["path:2/v0".to_string()][..]));
/// for counts in table {
///     assert_eq!(counts?.values, [1, 2, 1]);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct CountTable {
    name: String,
    scope: Scope,
    columns: Vec<String>,
    blocks: Box<dyn Blocks>,
    ready: VecDeque<GraphCounts>,
    current: Option<GraphCounts>,
    ended: bool,
}

/// Lines of a table: all keys and counts as numbers, row after row.
trait Blocks: Send {
    /// Some rows, `None` at the end.
    fn next(&mut self) -> Option<Result<Vec<u64>, Error>>;
}

impl CountTable {
    /// Opens a table; name and contents tell the format.
    ///
    /// # Errors
    /// When it cannot be read or its columns are not those of a count table.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let input = Input::open(path)?;
        let name = input.name.clone();
        let format = if input.head.starts_with(b"PAR1") {
            TableFormat::Parquet
        } else if input.head.starts_with(b"ARROW1") {
            TableFormat::Arrow
        } else if input.head.starts_with(b"PK\x03\x04") {
            TableFormat::Npz
        } else if input.head.starts_with(b"graph,") {
            TableFormat::Csv
        } else {
            return Err(Error::file(name, "is not a count table (parquet, arrow, csv or npz)"));
        };
        let (names, blocks): (Vec<String>, Box<dyn Blocks>) = match format {
            TableFormat::Parquet => {
                let file = input.into_seekable()?.0;
                let fail = |e| damaged(&name, &e);
                let builder = ParquetRecordBatchReaderBuilder::try_new_with_options(
                    file,
                    ArrowReaderOptions::new().with_skip_arrow_metadata(true),
                )
                .map_err(fail)?;
                let names = checked(&name, builder.schema())?;
                let reader = builder.with_batch_size(1 << 13).build().map_err(fail)?;
                (names, Box::new(Columnar { name: name.clone(), batches: Box::new(reader) }))
            }
            TableFormat::Arrow => {
                let reader = ArrowBatches::open(input.bytes).map_err(|e| damaged(&name, &e))?;
                let names = checked(&name, reader.schema())?;
                (names, Box::new(Columnar { name: name.clone(), batches: Box::new(reader) }))
            }
            TableFormat::Csv => {
                let mut reader = csv::Reader::from_reader(input.bytes);
                let header = reader.headers().map_err(|e| csv_failed(&name, e))?;
                let names = header.iter().map(str::to_owned).collect();
                (names, Box::new(Csv { name: name.clone(), reader }))
            }
            TableFormat::Npz => npz(&name, input.into_seekable()?.0)?,
        };
        let (scope, keys) = scope_of(&names).ok_or_else(|| Error::MissingColumn {
            path: name.clone(),
            column: "graph`, `vertex` or `source`, `target".into(),
            there: names.clone(),
        })?;
        let columns = names[keys..].to_vec();
        Ok(Self {
            name,
            scope,
            columns,
            blocks,
            ready: VecDeque::new(),
            current: None,
            ended: false,
        })
    }

    /// What the rows are. Edges and arcs are told apart by the orbits in the column names.
    pub fn scope(&self) -> Scope {
        self.scope
    }

    /// The columns after the keys.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Takes a block apart; graphs that are complete become ready.
    fn take_block(&mut self, block: &[u64]) -> Result<(), Error> {
        let keys = key_columns(self.scope).len();
        for line in block.chunks_exact(keys + self.columns.len()) {
            let end = |at: usize| {
                u32::try_from(line[at])
                    .map_err(|_| Error::file(&self.name, format!("{} is not a vertex", line[at])))
            };
            let ends = [end(1)?, end(keys - 1)?];
            match &mut self.current {
                Some(counts) if counts.graph == line[0] => {
                    counts.ends.push(ends);
                    counts.values.extend_from_slice(&line[keys..]);
                }
                Some(counts) if counts.graph > line[0] => {
                    return Err(Error::file(&self.name, "is not sorted by graph"));
                }
                current => {
                    let (graph, values) = (line[0], line[keys..].to_vec());
                    let fresh = GraphCounts { graph, ends: vec![ends], values };
                    self.ready.extend(current.replace(fresh));
                }
            }
        }
        Ok(())
    }
}

impl Iterator for CountTable {
    type Item = Result<GraphCounts, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(counts) = self.ready.pop_front() {
                return Some(Ok(counts));
            }
            if self.ended {
                return self.current.take().map(Ok);
            }
            let taken = match self.blocks.next() {
                None => {
                    self.ended = true;
                    continue;
                }
                Some(block) => block.and_then(|block| self.take_block(&block)),
            };
            if let Err(error) = taken {
                (self.ended, self.current) = (true, None);
                return Some(Err(error));
            }
        }
    }
}

/// The scope that the columns speak of, and how many of them are keys.
fn scope_of(names: &[String]) -> Option<(Scope, usize)> {
    let starts =
        |keys: &[&str]| names.len() >= keys.len() && names.iter().zip(keys).all(|(a, b)| a == b);
    if starts(key_columns(Scope::Vertex)) {
        return Some((Scope::Vertex, 2));
    }
    if !starts(key_columns(Scope::Arc)) {
        return None;
    }
    let orbit = |name: &String| name.rsplit_once('/').map(|(_, orbit)| orbit.starts_with('e'));
    let edges = names.get(3).and_then(orbit).unwrap_or(false);
    Some((if edges { Scope::Edge } else { Scope::Arc }, 3))
}

fn damaged(name: &str, error: &dyn std::fmt::Display) -> Error {
    Error::file(name, format!("is damaged or cut short ({error})"))
}

struct Columnar {
    name: String,
    batches: Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>,
}

/// The names of the columns, all of them whole numbers.
fn checked(name: &str, schema: &Schema) -> Result<Vec<String>, Error> {
    match schema.fields().iter().find(|field| !field.data_type().is_integer()) {
        None => Ok(schema.fields().iter().map(|field| field.name().clone()).collect()),
        Some(field) => Err(Error::ColumnType {
            path: name.to_owned(),
            column: field.name().clone(),
            found: field.data_type().to_string(),
            wanted: "a whole number",
        }),
    }
}

impl Blocks for Columnar {
    fn next(&mut self) -> Option<Result<Vec<u64>, Error>> {
        let batch = match self.batches.next()? {
            Ok(batch) => batch,
            Err(e) => return Some(Err(damaged(&self.name, &e))),
        };
        let width = batch.num_columns();
        let mut out = vec![0; width * batch.num_rows()];
        for (at, array) in batch.columns().iter().enumerate() {
            let Some(values) = unsigned(array) else {
                let reason = format!("column {at} has a null or negative number");
                return Some(Err(Error::file(&self.name, reason)));
            };
            for (row, value) in values.into_iter().enumerate() {
                out[row * width + at] = value;
            }
        }
        Some(Ok(out))
    }
}

/// A column of whole numbers of any width, none of them null or negative.
fn unsigned(array: &dyn Array) -> Option<Vec<u64>> {
    fn take<T: ArrowPrimitiveType>(array: &dyn Array) -> Option<Vec<u64>>
    where
        T::Native: TryInto<u64>,
    {
        array.as_primitive::<T>().iter().map(|value| value?.try_into().ok()).collect()
    }
    match array.data_type() {
        DataType::Int8 => take::<Int8Type>(array),
        DataType::Int16 => take::<Int16Type>(array),
        DataType::Int32 => take::<Int32Type>(array),
        DataType::Int64 => take::<Int64Type>(array),
        DataType::UInt8 => take::<UInt8Type>(array),
        DataType::UInt16 => take::<UInt16Type>(array),
        DataType::UInt32 => take::<UInt32Type>(array),
        DataType::UInt64 => take::<UInt64Type>(array),
        _ => None,
    }
}

struct Csv {
    name: String,
    reader: csv::Reader<Bytes>,
}

fn csv_failed(name: &str, error: csv::Error) -> Error {
    let line = error.position().map_or(1, csv::Position::line);
    let text = error.to_string();
    match error.into_kind() {
        csv::ErrorKind::Io(e) => unpack_error(name, e),
        _ => Error::line(name, line, text),
    }
}

impl Blocks for Csv {
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

/// The arrays of an archive, unpacked to unnamed files and read side by side.
struct Npz {
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

fn npz(name: &str, file: File) -> Result<(Vec<String>, Box<dyn Blocks>), Error> {
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
    Ok((names, Box::new(Npz { name: name.to_owned(), keys, counts, left, width })))
}

fn npy(archive: &mut zip::ZipArchive<File>, member: &str) -> std::io::Result<Npy> {
    let wrong = |what: &str| std::io::Error::other(format!("{member}.npy: {what}"));
    let mut unpacked = tempfile::tempfile()?;
    let mut packed = archive.by_name(&format!("{member}.npy"))?;
    std::io::copy(&mut packed, &mut unpacked)?;
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
    fn value(&mut self, bytes: usize) -> std::io::Result<u64> {
        let mut all = [0; 8];
        self.file.read_exact(&mut all[..bytes])?;
        Ok(u64::from_le_bytes(all))
    }
}

impl Npz {
    fn block(&mut self) -> std::io::Result<Vec<u64>> {
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

impl Blocks for Npz {
    fn next(&mut self) -> Option<Result<Vec<u64>, Error>> {
        (self.left > 0).then(|| self.block().map_err(|e| damaged(&self.name, &e)))
    }
}
