//! Count tables as Parquet, Arrow IPC and record batches.

use super::columns::{CountColumns, HeldRows, scope_of};
use super::format::{Block, Blocks, OpenedTable, TableWriter};
use super::keys::{Keys, VertexColumn, key_columns};
use crate::columnar::ipc::ArrowBatches;
use crate::columnar::parquet::ParquetFile;
use crate::columnar::{BatchWriter, RecordBatches, integers, is_text, text, zstd_table};
use crate::error::Error;
use crate::input::Input;
use crate::names::NameKind;
use crate::output::OutFile;
use arrow_array::{
    Array, ArrayRef, Int64Array, RecordBatch, RecordBatchOptions, StringArray, UInt32Array,
    UInt64Array,
};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use gsn_core::Scope;
use parquet::basic::Encoding;
use parquet::file::properties::EnabledStatistics;
use parquet::schema::types::ColumnPath;
use std::path::Path;
use std::sync::Arc;

fn schema((scope, names): (Scope, NameKind), columns: &[String]) -> SchemaRef {
    let vertex = match names {
        NameKind::None => DataType::UInt32,
        NameKind::Integers => DataType::Int64,
        NameKind::Strings => DataType::Utf8,
    };
    let keys = key_columns(scope).iter().enumerate().map(|(at, name)| {
        Field::new(*name, if at == 0 { DataType::UInt64 } else { vertex.clone() }, false)
    });
    let counts = columns.iter().map(|name| Field::new(name, DataType::UInt64, false));
    Arc::new(Schema::new(keys.chain(counts).collect::<Vec<_>>()))
}

fn arrays(keys: &mut Keys, counts: Vec<Vec<u64>>) -> Vec<ArrayRef> {
    let graph = std::mem::take(&mut keys.graph);
    let mut arrays: Vec<ArrayRef> = vec![Arc::new(UInt64Array::from(graph))];
    for column in &mut keys.ends {
        // What is left behind is of the same kind, for the rows to come.
        let empty = VertexColumn::new(column.kind());
        arrays.push(match std::mem::replace(column, empty) {
            VertexColumn::Index(places) => Arc::new(UInt32Array::from(places)),
            VertexColumn::Integers(numbers) => Arc::new(Int64Array::from(numbers)),
            VertexColumn::Text(texts) => Arc::new(StringArray::from(texts)),
        });
    }
    for column in counts {
        arrays.push(Arc::new(UInt64Array::from(column)));
    }
    arrays
}

impl CountColumns {
    /// The Arrow schema of these columns, which is that of the tables that are written.
    pub fn schema(&self) -> SchemaRef {
        schema((self.scope(), self.name_kind()), self.names())
    }

    /// The rows as an Arrow record batch; nothing is copied.
    pub fn into_record_batch(mut self) -> RecordBatch {
        let (schema, rows) = (self.schema(), self.rows());
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let arrays = arrays(&mut self.keys, self.counts);
        RecordBatch::try_new_with_options(schema, arrays, &options)
            .expect("the columns are of the types of the schema and equally long")
    }
}

pub(super) fn parquet(
    file: OutFile,
    _: &Path,
    keys: (Scope, NameKind),
    columns: &[String],
) -> Result<Box<dyn TableWriter>, Error> {
    // Counts repeat, so dictionaries with runs are small; the keys grow by small steps.
    let mut properties = zstd_table().set_statistics_enabled(EnabledStatistics::Chunk);
    for (at, key) in key_columns(keys.0).iter().enumerate() {
        if at > 0 && keys.1 == NameKind::Strings {
            continue;
        }
        let path = ColumnPath::new(vec![(*key).to_owned()]);
        properties = properties
            .set_column_dictionary_enabled(path.clone(), false)
            .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED);
    }
    Ok(Box::new(BatchWriter::parquet(file, schema(keys, columns), properties.build())?))
}

pub(super) fn arrow(
    file: OutFile,
    _: &Path,
    keys: (Scope, NameKind),
    columns: &[String],
) -> Result<Box<dyn TableWriter>, Error> {
    Ok(Box::new(BatchWriter::arrow_file(file, schema(keys, columns))?))
}

impl TableWriter for BatchWriter {
    fn write(&mut self, rows: &mut HeldRows) -> Result<(), Error> {
        let counts = rows.columns();
        BatchWriter::write(self, arrays(&mut rows.keys, counts))
    }

    fn finish(self: Box<Self>) -> Result<OutFile, Error> {
        BatchWriter::finish(*self)
    }
}

pub(super) fn open_parquet(input: Input) -> Result<OpenedTable, Error> {
    let name = input.name.clone();
    let file = ParquetFile::open(&name, input.into_seekable()?.0)?;
    let names = checked(&name, file.schema())?;
    let reader = file.batches((0..names.len()).collect(), 1 << 13)?;
    let keys = scope_of(&names).map_or(1, |(_, keys)| keys);
    Ok((names, Box::new(Columnar { name, keys, batches: Box::new(reader) })))
}

pub(super) fn open_arrow(input: Input) -> Result<OpenedTable, Error> {
    let name = input.name;
    let reader = ArrowBatches::open(&name, input.bytes)?;
    let names = checked(&name, reader.schema())?;
    let keys = scope_of(&names).map_or(1, |(_, keys)| keys);
    Ok((names, Box::new(Columnar { name, keys, batches: Box::new(reader) })))
}

/// The names of the columns, all of them whole numbers, or texts where they name vertices.
fn checked(name: &str, schema: &Schema) -> Result<Vec<String>, Error> {
    let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
    let ends = 1..scope_of(&names).map_or(1, |(_, keys)| keys);
    let wrong = |(at, field): &(usize, &Arc<Field>)| {
        let kind = field.data_type();
        !(kind.is_integer() || ends.contains(at) && is_text(kind))
    };
    match schema.fields().iter().enumerate().find(wrong).map(|(_, field)| field) {
        None => Ok(names),
        Some(field) => Err(Error::ColumnType {
            path: name.to_owned(),
            column: field.name().clone(),
            found: field.data_type().to_string(),
            wanted: "a whole number",
        }),
    }
}

struct Columnar {
    name: String,
    /// Number of key columns.
    keys: usize,
    batches: RecordBatches,
}

impl Blocks for Columnar {
    fn next(&mut self) -> Option<Result<Block, Error>> {
        Some(self.batches.next()?.and_then(|batch| self.block(&batch)))
    }
}

impl Columnar {
    fn block(&self, batch: &RecordBatch) -> Result<Block, Error> {
        let null = |at: usize| {
            Error::file(&self.name, format!("column {at} has a null or negative number"))
        };
        let numbers = |at: usize| -> Result<Vec<u64>, Error> {
            let all: Option<_> = integers::<u64>(batch.column(at)).into_iter().collect();
            all.ok_or_else(|| null(at))
        };
        let mut block = Block::new(self.keys);
        block.graph = numbers(0)?;
        for at in 1..self.keys {
            let array = batch.column(at);
            let column = if is_text(array.data_type()) {
                let texts = (0..array.len()).map(|row| text(array, row).map(str::to_owned));
                VertexColumn::Text(texts.collect::<Option<_>>().ok_or_else(|| null(at))?)
            } else if *array.data_type() == DataType::Int64 {
                let all: Option<_> = integers::<i64>(array).into_iter().collect();
                VertexColumn::Integers(all.ok_or_else(|| null(at))?)
            } else {
                let all: Option<_> = integers::<u32>(array).into_iter().collect();
                VertexColumn::Index(all.ok_or_else(|| null(at))?)
            };
            block.ends[at - 1] = column;
        }
        let width = batch.num_columns() - self.keys;
        block.values = vec![0; width * batch.num_rows()];
        for at in 0..width {
            for (row, value) in numbers(self.keys + at)?.into_iter().enumerate() {
                block.values[row * width + at] = value;
            }
        }
        Ok(block)
    }
}
