//! Parquet files, row group by row group, so that an error can name the one that is damaged and no row
//! is lost without a word.

use super::{damaged, failed, refused};
use crate::error::Error;
use crate::guard::guarded;
use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use gsn_core::memory;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use parquet::column::page::PageReader;
use parquet::errors::ParquetError;
use parquet::file::serialized_reader::SerializedPageReader;
use std::fs::File;
use std::sync::Arc;

/// Bytes of an item of a list while it is decoded: its levels and its value.
const ITEM_BYTES: u64 = 4 + 8;

/// An open file whose table of contents is read.
pub(crate) struct ParquetFile {
    name: String,
    file: File,
    contents: ArrowReaderMetadata,
}

impl ParquetFile {
    /// Reads the table of contents. The types of Parquet itself say enough; the Arrow schema beside
    /// them is one more thing that may be damaged.
    pub(crate) fn open(name: &str, file: File) -> Result<Self, Error> {
        let fail = |e: &dyn std::fmt::Display| damaged(name, "Parquet", "in its footer", e);
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let contents = guarded(|| ArrowReaderMetadata::load(&file, options))
            .map_err(|e| fail(&e))?
            .map_err(|e| fail(&e))?;
        let metadata = contents.metadata();
        let rows = metadata.row_groups().iter().try_fold(0i64, |sum, group| {
            let rows = group.num_rows();
            sum.checked_add(rows).filter(|_| rows >= 0)
        });
        if rows != Some(metadata.file_metadata().num_rows()) {
            return Err(fail(&"its numbers of rows do not fit"));
        }
        Ok(Self { name: name.to_owned(), file, contents })
    }

    /// All columns.
    pub(crate) fn schema(&self) -> &SchemaRef {
        self.contents.schema()
    }

    /// The rows of some columns, by their places in the schema, at most `rows` at a time.
    pub(crate) fn batches(
        self,
        mut columns: Vec<usize>,
        rows: usize,
    ) -> Result<ParquetBatches, Error> {
        columns.sort_unstable();
        columns.dedup();
        let schema = self.schema().project(&columns);
        let schema = schema.map_err(|e| damaged(&self.name, "Parquet", "in its footer", &e))?;
        let mask = ProjectionMask::roots(self.contents.parquet_schema(), columns);
        let schema = schema.into();
        Ok(ParquetBatches { file: self, schema, mask, rows, group: 0, left: 0, reader: None })
    }
}

/// The rows of a file in order; nothing follows an error.
pub(crate) struct ParquetBatches {
    file: ParquetFile,
    schema: SchemaRef,
    mask: ProjectionMask,
    rows: usize,
    /// Row groups that were begun, and the rows of the last of them that are still to come.
    group: usize,
    left: usize,
    reader: Option<ParquetRecordBatchReader>,
}

impl ParquetBatches {
    /// The columns that are read.
    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn next_batch(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        let groups = self.file.contents.metadata().num_row_groups();
        loop {
            if let Some(reader) = &mut self.reader {
                if let Some(batch) = reader.next().transpose()? {
                    self.left = self.left.checked_sub(batch.num_rows()).ok_or_else(more)?;
                    return Ok(Some(batch));
                }
                if self.left > 0 {
                    return Err(fewer(self.left));
                }
            }
            if self.group == groups {
                return Ok(None);
            }
            self.left = self.file.contents.metadata().row_group(self.group).num_rows() as usize;
            self.group += 1;
            self.ask_for_lists(self.group - 1)?;
            let (file, contents) = (self.file.file.try_clone()?, self.file.contents.clone());
            let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, contents)
                .with_row_groups(vec![self.group - 1])
                .with_projection(self.mask.clone())
                .with_batch_size(self.rows);
            self.reader = Some(builder.build().map_err(ArrowError::from)?);
        }
    }

    /// Asks for the memory of the lists of a row group. All its items may belong to one row, and a few
    /// bytes may stand for millions of them, so the headers of all pages are looked at first.
    fn ask_for_lists(&self, group: usize) -> Result<(), ArrowError> {
        let group = self.file.contents.metadata().row_group(group);
        let (mut items, mut bytes) = (0u64, 0u64);
        for (leaf, chunk) in group.columns().iter().enumerate() {
            let column = chunk.column_descr();
            if column.max_rep_level() == 0 || !self.mask.leaf_included(leaf) {
                continue;
            }
            let file = Arc::new(self.file.file.try_clone()?);
            let mut pages =
                SerializedPageReader::new(file, chunk, group.num_rows() as usize, None)?;
            while let Some(page) = pages.peek_next_page()? {
                let levels = page.num_levels.unwrap_or(0) as u64;
                items = items.saturating_add(levels);
                bytes = bytes.saturating_add(levels.saturating_mul(ITEM_BYTES));
                pages.skip_next_page()?;
            }
        }
        memory::ask(bytes, || format!("reading lists of {items} entries")).map_err(refused)
    }

    fn end(&mut self) {
        self.reader = None;
        (self.group, self.left) = (self.file.contents.metadata().num_row_groups(), 0);
    }
}

fn more() -> ArrowError {
    ParquetError::General("there are more rows than the footer says".into()).into()
}

fn fewer(missing: usize) -> ArrowError {
    ParquetError::General(format!("{missing} rows of it are missing")).into()
}

impl Iterator for ParquetBatches {
    type Item = Result<RecordBatch, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = guarded(|| self.next_batch());
        let groups = self.file.contents.metadata().num_row_groups();
        let place = format!("in row group {} of {groups}", self.group);
        let error = match next {
            Ok(Ok(batch)) => return batch.map(Ok),
            Ok(Err(error)) => failed(&self.file.name, "Parquet", &place, &error),
            Err(error) => damaged(&self.file.name, "Parquet", &place, &error),
        };
        self.end();
        Some(Err(error))
    }
}
