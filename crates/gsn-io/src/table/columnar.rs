//! Count tables as Parquet, Arrow IPC and record batches.

use super::columns::{CountColumns, key_columns};
use super::format::{Blocks, OpenedTable, TableWriter, damaged};
use crate::columnar::ipc::ArrowBatches;
use crate::columnar::{BatchWriter, RecordBatches, integers, parquet_reader, zstd_table};
use crate::error::Error;
use crate::input::Input;
use crate::output::OutFile;
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, UInt32Array, UInt64Array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use gsn_core::Scope;
use parquet::basic::Encoding;
use parquet::file::properties::EnabledStatistics;
use parquet::schema::types::ColumnPath;
use std::path::Path;
use std::sync::Arc;

fn schema(scope: Scope, columns: &[String]) -> SchemaRef {
    let keys = key_columns(scope).iter().enumerate().map(|(at, name)| {
        Field::new(*name, if at == 0 { DataType::UInt64 } else { DataType::UInt32 }, false)
    });
    let counts = columns.iter().map(|name| Field::new(name, DataType::UInt64, false));
    Arc::new(Schema::new(keys.chain(counts).collect::<Vec<_>>()))
}

fn arrays(columns: &mut CountColumns) -> Vec<ArrayRef> {
    use std::mem::take;
    let mut arrays: Vec<ArrayRef> = vec![Arc::new(UInt64Array::from(take(&mut columns.graph)))];
    for column in &mut columns.ends {
        arrays.push(Arc::new(UInt32Array::from(take(column))));
    }
    for column in &mut columns.counts {
        arrays.push(Arc::new(UInt64Array::from(take(column))));
    }
    arrays
}

impl CountColumns {
    /// The Arrow schema of these columns, which is that of the tables that are written.
    pub fn schema(&self) -> SchemaRef {
        schema(self.scope(), self.names())
    }

    /// The rows as an Arrow record batch; nothing is copied.
    pub fn into_record_batch(mut self) -> RecordBatch {
        let (schema, rows) = (self.schema(), self.rows());
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(schema, arrays(&mut self), &options)
            .expect("the columns are of the types of the schema and equally long")
    }
}

pub(super) fn parquet(
    file: OutFile,
    _: &Path,
    scope: Scope,
    columns: &[String],
) -> Result<Box<dyn TableWriter>, Error> {
    // Counts repeat, so dictionaries with runs are small; the keys grow by small steps.
    let mut properties = zstd_table().set_statistics_enabled(EnabledStatistics::Chunk);
    for key in key_columns(scope) {
        let path = ColumnPath::new(vec![(*key).to_owned()]);
        properties = properties
            .set_column_dictionary_enabled(path.clone(), false)
            .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED);
    }
    Ok(Box::new(BatchWriter::parquet(file, schema(scope, columns), properties.build())?))
}

pub(super) fn arrow(
    file: OutFile,
    _: &Path,
    scope: Scope,
    columns: &[String],
) -> Result<Box<dyn TableWriter>, Error> {
    Ok(Box::new(BatchWriter::arrow_file(file, schema(scope, columns))?))
}

impl TableWriter for BatchWriter {
    fn write(&mut self, rows: &mut CountColumns) -> Result<(), Error> {
        BatchWriter::write(self, arrays(rows))
    }

    fn finish(self: Box<Self>) -> Result<OutFile, Error> {
        BatchWriter::finish(*self)
    }
}

pub(super) fn open_parquet(input: Input) -> Result<OpenedTable, Error> {
    let name = input.name.clone();
    let fail = |e| damaged(&name, &e);
    let builder = parquet_reader(input.into_seekable()?.0).map_err(fail)?;
    let names = checked(&name, builder.schema())?;
    let reader = builder.with_batch_size(1 << 13).build().map_err(fail)?;
    Ok((names, Box::new(Columnar { name, batches: Box::new(reader) })))
}

pub(super) fn open_arrow(input: Input) -> Result<OpenedTable, Error> {
    let name = input.name;
    let reader = ArrowBatches::open(input.bytes).map_err(|e| damaged(&name, &e))?;
    let names = checked(&name, reader.schema())?;
    Ok((names, Box::new(Columnar { name, batches: Box::new(reader) })))
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

struct Columnar {
    name: String,
    batches: RecordBatches,
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
            for (row, value) in integers::<u64>(array).into_iter().enumerate() {
                let Some(value) = value else {
                    let reason = format!("column {at} has a null or negative number");
                    return Some(Err(Error::file(&self.name, reason)));
                };
                out[row * width + at] = value;
            }
        }
        Some(Ok(out))
    }
}
