//! Count tables as Parquet and Arrow IPC.

use super::{Rows, key_columns};
use crate::error::Error;
use crate::output::{OutFile, write_failed};
use arrow_array::{ArrayRef, RecordBatch, UInt32Array, UInt64Array};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use gsn_core::Scope;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;
use std::sync::Arc;

fn schema(scope: Scope, columns: &[String]) -> SchemaRef {
    let keys = key_columns(scope).iter().enumerate().map(|(at, name)| {
        Field::new(*name, if at == 0 { DataType::UInt64 } else { DataType::UInt32 }, false)
    });
    let counts = columns.iter().map(|name| Field::new(name, DataType::UInt64, false));
    Arc::new(Schema::new(keys.chain(counts).collect::<Vec<_>>()))
}

fn batch(schema: &SchemaRef, rows: &Rows) -> Result<RecordBatch, ArrowError> {
    let mut arrays: Vec<ArrayRef> = vec![Arc::new(UInt64Array::from(rows.graph.clone()))];
    for column in &rows.ends {
        arrays.push(Arc::new(UInt32Array::from(column.clone())));
    }
    for column in &rows.counts {
        arrays.push(Arc::new(UInt64Array::from(column.clone())));
    }
    RecordBatch::try_new(schema.clone(), arrays)
}

pub(super) struct ParquetTable {
    name: String,
    schema: SchemaRef,
    writer: ArrowWriter<OutFile>,
}

impl ParquetTable {
    pub(super) fn new(file: OutFile, scope: Scope, columns: &[String]) -> Result<Self, Error> {
        let schema = schema(scope, columns);
        // Counts repeat, so dictionaries with runs are small; the keys grow by small steps.
        let level = ZstdLevel::try_new(1).map_err(|e| write_failed(&file.name, &e))?;
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(level))
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_created_by(format!("gsn {}", env!("CARGO_PKG_VERSION")));
        for key in key_columns(scope) {
            let path = ColumnPath::new(vec![(*key).to_owned()]);
            properties = properties
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED);
        }
        let name = file.name.clone();
        let writer = ArrowWriter::try_new(file, schema.clone(), Some(properties.build()))
            .map_err(|e| write_failed(&name, &e))?;
        Ok(Self { name, schema, writer })
    }

    pub(super) fn write(&mut self, rows: &Rows) -> Result<(), Error> {
        let batch = batch(&self.schema, rows).map_err(|e| write_failed(&self.name, &e))?;
        self.writer
            .write(&batch)
            .and_then(|()| self.writer.flush())
            .map_err(|e| write_failed(&self.name, &e))
    }

    pub(super) fn finish(self) -> Result<OutFile, Error> {
        let name = self.name;
        self.writer.into_inner().map_err(|e| write_failed(&name, &e))
    }
}

pub(super) struct ArrowTable {
    name: String,
    schema: SchemaRef,
    writer: FileWriter<OutFile>,
}

impl ArrowTable {
    pub(super) fn new(file: OutFile, scope: Scope, columns: &[String]) -> Result<Self, Error> {
        let (name, schema) = (file.name.clone(), schema(scope, columns));
        let writer = FileWriter::try_new(file, &schema).map_err(|e| write_failed(&name, &e))?;
        Ok(Self { name, schema, writer })
    }

    pub(super) fn write(&mut self, rows: &Rows) -> Result<(), Error> {
        batch(&self.schema, rows)
            .and_then(|batch| self.writer.write(&batch))
            .map_err(|e| write_failed(&self.name, &e))
    }

    pub(super) fn finish(self) -> Result<OutFile, Error> {
        let name = self.name;
        self.writer.into_inner().map_err(|e| write_failed(&name, &e))
    }
}
