//! Rows from memory as an Arrow file, complete or absent.

use super::{BatchWriter, plain};
use crate::atomic::{Disk, Group};
use crate::error::Error;
use crate::output::OutFile;
use arrow_array::RecordBatch;
use arrow_schema::Schema;
use std::path::Path;

/// Writes record batches of one schema as an Arrow file; dictionaries as what they stand for.
///
/// # Errors
/// When a batch has another schema, or the file cannot be written; then it is as it was.
pub fn write_record_batches(
    path: &Path,
    schema: &Schema,
    batches: impl IntoIterator<Item = RecordBatch>,
) -> Result<(), Error> {
    let file = OutFile::create(path, &Disk::default())?;
    let name = file.name.clone();
    let mut writer = BatchWriter::arrow_file(file, plain::schema(schema))?;
    for batch in batches {
        let batch = plain::batch(&batch).map_err(|e| Error::file(&name, e.to_string()))?;
        writer.write(batch.columns().to_vec())?;
    }
    let mut group = Group::default();
    writer.finish()?.finish(&mut group)?;
    group.commit()
}
