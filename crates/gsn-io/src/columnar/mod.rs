//! Parquet and Arrow: what graphs, count tables and predictions share.

mod count;
pub(crate) mod ipc;
pub(crate) mod parquet;
mod part;
pub(crate) mod plain;
mod predictions;
mod stream;
mod write;

pub use count::{count_record_batch, counted_fields, counted_schema};
pub use part::{count_part, graph_of_record_batch, part_fields};
pub use predictions::{predicted_fields, predictions_beside, read_record_batch};
pub use stream::CountedBatches;
pub use write::write_record_batches;

use crate::error::Error;
use crate::metered::refusal;
use crate::output::OutFile;
use ::parquet::arrow::ArrowWriter;
use ::parquet::basic::{Compression, ZstdLevel};
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, RecordBatch};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use gsn_core::memory::TooMuch;
use std::fmt;
use std::io;

/// The record batches of a file.
pub(crate) type RecordBatches = Box<dyn Iterator<Item = Result<RecordBatch, Error>> + Send>;

/// A file whose data cannot be decoded, and at which place.
pub(crate) fn damaged(name: &str, what: &str, place: &str, error: &dyn fmt::Display) -> Error {
    Error::file(name, format!("the {what} data are damaged or cut short {place} ({error})"))
}

/// Why there is no further batch: the data are damaged, or take too much memory.
pub(crate) fn failed(name: &str, what: &str, place: &str, error: &ArrowError) -> Error {
    let inner = match error {
        ArrowError::ExternalError(inner) => inner.downcast_ref::<TooMuch>(),
        ArrowError::IoError(_, io) => refusal(io),
        _ => None,
    };
    match inner {
        Some(refused) => Error::file(name, format!("{place}: {refused}")),
        None => damaged(name, what, place, error),
    }
}

/// A refusal as these readers hand it on.
pub(crate) fn refused(error: TooMuch) -> ArrowError {
    ArrowError::ExternalError(Box::new(error))
}

/// A column of integers of any width; nulls, what does not fit, and columns of other types are
/// `None`.
pub(crate) fn integers<N>(array: &dyn Array) -> Vec<Option<N>>
where
    N: TryFrom<i8> + TryFrom<i16> + TryFrom<i32> + TryFrom<i64>,
    N: TryFrom<u8> + TryFrom<u16> + TryFrom<u32> + TryFrom<u64>,
{
    fn take<T: ArrowPrimitiveType, N: TryFrom<T::Native>>(array: &dyn Array) -> Vec<Option<N>> {
        let array = array.as_primitive::<T>();
        array.iter().map(|value| value.and_then(|v| v.try_into().ok())).collect()
    }
    match array.data_type() {
        DataType::Int8 => take::<Int8Type, N>(array),
        DataType::Int16 => take::<Int16Type, N>(array),
        DataType::Int32 => take::<Int32Type, N>(array),
        DataType::Int64 => take::<Int64Type, N>(array),
        DataType::UInt8 => take::<UInt8Type, N>(array),
        DataType::UInt16 => take::<UInt16Type, N>(array),
        DataType::UInt32 => take::<UInt32Type, N>(array),
        DataType::UInt64 => take::<UInt64Type, N>(array),
        _ => (0..array.len()).map(|_| None).collect(),
    }
}

/// Whether a column holds text.
pub(crate) fn is_text(kind: &DataType) -> bool {
    matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

/// The text in a row of such a column; nothing for null.
pub(crate) fn text(array: &ArrayRef, at: usize) -> Option<&str> {
    if array.is_null(at) {
        return None;
    }
    match array.data_type() {
        DataType::Utf8 => Some(array.as_string::<i32>().value(at)),
        DataType::LargeUtf8 => Some(array.as_string::<i64>().value(at)),
        DataType::Utf8View => Some(array.as_string_view().value(at)),
        _ => None,
    }
}

/// Properties of a Parquet file that is packed with zstd.
pub(crate) fn zstd() -> WriterPropertiesBuilder {
    // Level 1 always exists; the default is the same level.
    let level = ZstdLevel::try_new(1).unwrap_or_default();
    WriterProperties::builder().set_compression(Compression::ZSTD(level))
}

/// What [`zstd`] gives for the tables of this program.
pub(crate) fn zstd_table() -> WriterPropertiesBuilder {
    zstd().set_created_by(format!("gsn {}", env!("CARGO_PKG_VERSION")))
}

/// Writes record batches of one schema; each becomes a row group or a message.
pub(crate) struct BatchWriter {
    name: String,
    schema: SchemaRef,
    to: To,
}

enum To {
    Parquet(Box<ArrowWriter<OutFile>>),
    ArrowFile(Box<FileWriter<OutFile>>),
    ArrowStream(Box<StreamWriter<OutFile>>),
}

impl BatchWriter {
    /// As Parquet.
    pub(crate) fn parquet(
        file: OutFile,
        schema: SchemaRef,
        properties: WriterProperties,
    ) -> Result<Self, Error> {
        let name = file.name.clone();
        let writer = ArrowWriter::try_new(file, schema.clone(), Some(properties));
        let to = To::Parquet(Box::new(writer.map_err(|e| write_failed(&name, &e))?));
        Ok(Self { name, schema, to })
    }

    /// As an Arrow file.
    pub(crate) fn arrow_file(file: OutFile, schema: SchemaRef) -> Result<Self, Error> {
        let name = file.name.clone();
        let writer = FileWriter::try_new(file, &schema);
        let to = To::ArrowFile(Box::new(writer.map_err(|e| write_failed(&name, &e))?));
        Ok(Self { name, schema, to })
    }

    /// As an Arrow stream.
    pub(crate) fn arrow_stream(file: OutFile, schema: SchemaRef) -> Result<Self, Error> {
        let name = file.name.clone();
        let writer = StreamWriter::try_new(file, &schema);
        let to = To::ArrowStream(Box::new(writer.map_err(|e| write_failed(&name, &e))?));
        Ok(Self { name, schema, to })
    }

    /// Writes the rows of these columns.
    pub(crate) fn write(&mut self, columns: Vec<ArrayRef>) -> Result<(), Error> {
        let batch = RecordBatch::try_new(self.schema.clone(), columns);
        let batch = batch.map_err(|e| write_failed(&self.name, &e))?;
        match &mut self.to {
            To::Parquet(writer) => writer
                .write(&batch)
                .and_then(|()| writer.flush())
                .map_err(|e| write_failed(&self.name, &e)),
            To::ArrowFile(writer) => writer.write(&batch).map_err(|e| write_failed(&self.name, &e)),
            To::ArrowStream(writer) => writer
                .write(&batch)
                .and_then(|()| writer.flush())
                .map_err(|e| write_failed(&self.name, &e)),
        }
    }

    /// Completes the data; the file is still to be finished.
    pub(crate) fn finish(self) -> Result<OutFile, Error> {
        match self.to {
            To::Parquet(writer) => writer.into_inner().map_err(|e| write_failed(&self.name, &e)),
            To::ArrowFile(writer) => writer.into_inner().map_err(|e| write_failed(&self.name, &e)),
            To::ArrowStream(writer) => {
                writer.into_inner().map_err(|e| write_failed(&self.name, &e))
            }
        }
    }
}

/// An error of a library that wrote to an [`OutFile`]; a closed pipe may hide in it.
fn write_failed(name: &str, error: &(dyn std::error::Error + 'static)) -> Error {
    if let Some(io) = error.downcast_ref::<io::Error>() {
        return Error::io(name, io::Error::new(io.kind(), io.to_string()));
    }
    match (error.downcast_ref::<ParquetError>(), error.downcast_ref::<ArrowError>()) {
        (Some(ParquetError::External(inner)), _) => write_failed(name, &**inner),
        (_, Some(ArrowError::IoError(_, io))) => write_failed(name, io),
        _ => Error::file(name, format!("cannot be written: {error}")),
    }
}
