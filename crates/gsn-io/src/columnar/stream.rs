//! Counts beside the rows of a stream of record batches, one batch after the other.

use super::count::{count_record_batch, counted_schema};
use crate::error::Error;
use crate::source::ReadOptions;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use gsn_core::Counter;

/// Rows that are counted at a time, so that a table in one piece neither doubles in memory nor
/// hides how far it is.
const ROWS: usize = 8192;

/// The batches of a reader with their counts, each counted when it is asked for.
///
/// Larger batches come out in pieces of 8192 rows; nothing of the input is copied. The schema is
/// [`counted_schema`] of the reader's.
///
/// ```
/// use arrow_array::{RecordBatch, RecordBatchIterator, StringArray};
/// use gsn_core::{CountSpec, Counter};
/// use gsn_io::{CountedBatches, ReadOptions};
/// use std::sync::Arc;
///
/// let smiles = StringArray::from(vec!["C1CC1C", "CCO"]);
/// let batch = RecordBatch::try_from_iter([("smiles", Arc::new(smiles) as _)])?;
/// let schema = batch.schema();
/// let reader = RecordBatchIterator::new([Ok(batch)], schema);
/// let counter = Counter::new(&CountSpec::new("cycle:3".parse()?));
/// let mut counted = CountedBatches::new(counter, Box::new(reader), ReadOptions::default())?;
/// assert_eq!(counted.next().unwrap()?.num_columns(), 3);
/// assert!(counted.next().is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct CountedBatches {
    counter: Counter,
    reader: Box<dyn RecordBatchReader + Send>,
    options: ReadOptions,
    schema: SchemaRef,
    /// What is left of a batch.
    held: Option<RecordBatch>,
    ended: bool,
}

impl CountedBatches {
    /// Looks at the reader's schema, at no batch.
    ///
    /// # Errors
    /// As [`count_record_batch`].
    pub fn new(
        counter: Counter,
        reader: Box<dyn RecordBatchReader + Send>,
        options: ReadOptions,
    ) -> Result<Self, Error> {
        let schema = counted_schema(&counter, &reader.schema(), &options)?;
        Ok(Self { counter, reader, options, schema, held: None, ended: false })
    }

    /// The next rows to count.
    fn rows(&mut self) -> Option<Result<RecordBatch, ArrowError>> {
        let batch = match self.held.take() {
            Some(batch) => batch,
            None => match self.reader.next()? {
                Ok(batch) => batch,
                Err(error) => return Some(Err(error)),
            },
        };
        if batch.num_rows() > ROWS {
            self.held = Some(batch.slice(ROWS, batch.num_rows() - ROWS));
        }
        Some(Ok(batch.slice(0, batch.num_rows().min(ROWS))))
    }
}

impl Iterator for CountedBatches {
    type Item = Result<RecordBatch, ArrowError>;

    /// The next batch; nothing follows an error.
    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let counted = self.rows().map(|rows| {
            count_record_batch(&self.counter, &rows?, &self.options)
                .map_err(|error| ArrowError::ExternalError(Box::new(error)))
        });
        self.ended = !matches!(counted, Some(Ok(_)));
        counted
    }
}

impl RecordBatchReader for CountedBatches {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
