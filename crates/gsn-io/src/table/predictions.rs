//! Tables of predictions: `row`, one column a predicted number or class, and `error`.
//!
//! One line for every row of the input, in its order; a row without a prediction has empty cells
//! and says why in `error`. Memory holds one group of rows.

use super::{RejectedFile, RejectedRows, TableFormat, rejected_path};
use crate::atomic::{Disk, Group};
use crate::error::{Error, shown};
use crate::output::{OutFile, STDOUT, csv_field, decimal, refuse_input, shortest};
use crate::record::Rejected;
use std::path::{Path, PathBuf};

/// Rows that are held before they are written.
const GROUP_ROWS: usize = 1 << 16;

/// How messages call a table in memory.
const TABLE: &str = "the table of predictions";

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PredictionKind {
    /// Real numbers.
    Number,
    /// Names of classes, and other words.
    Text,
}

/// One predicted value.
#[derive(Clone, Debug, PartialEq)]
pub enum Prediction {
    /// A number; text tables give as many digits as 32 bits hold.
    Number(f64),
    /// The name of a class.
    Text(String),
    /// Nothing, in a column of any kind.
    Missing,
}

impl Prediction {
    fn fits(&self, kind: PredictionKind) -> bool {
        match self {
            Prediction::Number(_) => kind == PredictionKind::Number,
            Prediction::Text(_) => kind == PredictionKind::Text,
            Prediction::Missing => true,
        }
    }
}

/// Predictions in memory, column by column; a row a line of the input.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictionColumns {
    /// Names of the predicted columns and what they hold.
    pub columns: Vec<(String, PredictionKind)>,
    /// Rows of the input.
    pub rows: Vec<u64>,
    /// The values of every column, one a row.
    pub cells: Vec<Vec<Prediction>>,
    /// Why a row has no prediction.
    pub errors: Vec<Option<String>>,
}

impl PredictionColumns {
    /// No rows yet.
    pub fn new(columns: &[(String, PredictionKind)]) -> Self {
        let cells = vec![Vec::new(); columns.len()];
        Self { columns: columns.to_vec(), rows: Vec::new(), cells, errors: Vec::new() }
    }

    /// Adds a row with these values, one a column, and why predictions among them are missing.
    ///
    /// # Errors
    /// When the values do not fit the columns.
    pub fn push(
        &mut self,
        row: u64,
        values: &[Prediction],
        error: Option<&str>,
    ) -> Result<(), Error> {
        let mut kinds = self.columns.iter().map(|(_, kind)| *kind);
        if values.len() != self.columns.len()
            || !values.iter().all(|value| kinds.next().is_some_and(|kind| value.fits(kind)))
        {
            let reason = format!("the predictions of row {row} do not fit the columns");
            return Err(Error::file(TABLE, reason));
        }
        self.rows.push(row);
        for (column, value) in self.cells.iter_mut().zip(values) {
            column.push(value.clone());
        }
        self.errors.push(error.map(str::to_owned));
        Ok(())
    }

    fn clear(&mut self) {
        self.rows.clear();
        self.cells.iter_mut().for_each(Vec::clear);
        self.errors.clear();
    }
}

/// Writes predictions; the file appears with [`PredictionSink::finish`], or not at all.
///
/// ```
/// use gsn_io::{Prediction, PredictionKind, PredictionSink, TableFormat};
///
/// let dir = tempfile::tempdir()?;
/// let path = dir.path().join("out.csv");
/// let columns = [("logP".to_owned(), PredictionKind::Number)];
/// let mut sink = PredictionSink::create(&path, TableFormat::Csv, &columns, &[])?;
/// sink.push(0, Ok(&[Prediction::Number(1.25)]))?;
/// sink.push(1, Err("unmatched ring closure 1 at position 4"))?;
/// sink.finish()?;
/// assert_eq!(
///     std::fs::read_to_string(&path)?,
///     "row,logP,error\n0,1.25,\n1,,unmatched ring closure 1 at position 4\n"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PredictionSink {
    table: Writer,
    held: PredictionColumns,
    rejected: RejectedFile,
}

enum Writer {
    Csv(OutFile, Vec<u8>),
    #[cfg(feature = "columnar")]
    Columnar(crate::columnar::BatchWriter),
}

impl PredictionSink {
    /// What the ending of an output says; CSV on standard output.
    ///
    /// # Errors
    /// When the ending does not tell, or tells a format that has no texts.
    pub fn format_of(path: &Path) -> Result<TableFormat, Error> {
        match TableFormat::of_output(path) {
            Ok(format) if format != TableFormat::Npz => Ok(format),
            _ => {
                let reason = "the ending says which table to write; use .csv, .csv.gz, .parquet \
                              or .arrow";
                Err(Error::Option { path: shown(path, STDOUT), reason: reason.into() })
            }
        }
    }

    /// Starts a table at `path` (`-` is standard output), which must not be one of `inputs`.
    ///
    /// # Errors
    /// When the file cannot be written, would overwrite an input, or the format has no texts.
    pub fn create(
        path: impl AsRef<Path>,
        format: TableFormat,
        columns: &[(String, PredictionKind)],
        inputs: &[PathBuf],
    ) -> Result<Self, Error> {
        let path = path.as_ref();
        refuse_input(path, inputs)?;
        let list = (path.as_os_str() != "-").then(|| rejected_path(path));
        list.iter().try_for_each(|list| refuse_input(list, inputs))?;
        let name = shown(path, STDOUT);
        let file = OutFile::create(path, &Disk::default())?;
        let table = match format {
            TableFormat::Csv => {
                let mut head = b"row,".to_vec();
                for (column, _) in columns {
                    csv_field(&mut head, column);
                    head.push(b',');
                }
                head.extend_from_slice(b"error\n");
                let mut file = file;
                file.put(&head)?;
                Writer::Csv(file, head)
            }
            #[cfg(feature = "columnar")]
            TableFormat::Parquet => arrow::parquet(file, columns).map(Writer::Columnar)?,
            #[cfg(feature = "columnar")]
            TableFormat::Arrow => arrow::file(file, columns).map(Writer::Columnar)?,
            #[cfg(not(feature = "columnar"))]
            TableFormat::Parquet | TableFormat::Arrow => return Err(Error::columnar(&name)),
            TableFormat::Npz => {
                let reason = "npz holds numbers only; predictions are csv, parquet or arrow";
                return Err(Error::Option { path: name, reason: reason.into() });
            }
        };
        Ok(Self { table, held: PredictionColumns::new(columns), rejected: RejectedFile::new(list) })
    }

    /// Adds the predictions of a row, one a column, or why there are none.
    ///
    /// # Errors
    /// When writing fails, the reader of a pipe closed it, or the values do not fit the columns.
    pub fn push(&mut self, row: u64, values: Result<&[Prediction], &str>) -> Result<(), Error> {
        match values {
            Ok(values) => self.push_with(row, values, None),
            Err(reason) => {
                let blank = vec![Prediction::Missing; self.held.columns.len()];
                self.push_with(row, &blank, Some(reason))
            }
        }
    }

    /// Adds a row with these values, one a column, and why predictions among them are missing.
    ///
    /// # Errors
    /// As [`PredictionSink::push`].
    pub fn push_with(
        &mut self,
        row: u64,
        values: &[Prediction],
        error: Option<&str>,
    ) -> Result<(), Error> {
        self.held.push(row, values, error)?;
        if self.held.rows.len() == GROUP_ROWS { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), Error> {
        let held = &self.held;
        match &mut self.table {
            Writer::Csv(file, line) => {
                for at in 0..held.rows.len() {
                    line.clear();
                    decimal(line, held.rows[at]);
                    for column in &held.cells {
                        line.push(b',');
                        match &column[at] {
                            Prediction::Missing => {}
                            Prediction::Number(x) => line.extend(shortest(*x).bytes()),
                            Prediction::Text(text) => csv_field(line, text),
                        }
                    }
                    line.push(b',');
                    csv_field(line, held.errors[at].as_deref().unwrap_or_default());
                    line.push(b'\n');
                    file.put(line)?;
                }
            }
            #[cfg(feature = "columnar")]
            Writer::Columnar(writer) => writer.write(arrow::arrays(held))?,
        }
        self.held.clear();
        Ok(())
    }

    /// Lists a row without a prediction in `<stem>.rejected.csv`; with standard output nothing is
    /// listed.
    ///
    /// # Errors
    /// When writing fails.
    pub fn reject(&mut self, rejected: &Rejected) -> Result<(), Error> {
        self.rejected.push(rejected)
    }

    /// Completes the table and puts it in its place together with its list of rejected rows.
    ///
    /// # Errors
    /// When writing fails; then nothing has changed.
    pub fn finish(mut self) -> Result<RejectedRows, Error> {
        if !self.held.rows.is_empty() {
            self.flush()?;
        }
        let file = match self.table {
            Writer::Csv(file, _) => file,
            #[cfg(feature = "columnar")]
            Writer::Columnar(writer) => writer.finish()?,
        };
        let mut group = Group::default();
        let rejected = self.rejected.finish_in(&mut group)?;
        file.finish(&mut group)?;
        group.commit()?;
        Ok(rejected)
    }
}

/// Predictions as Parquet and Arrow.
#[cfg(feature = "columnar")]
pub(crate) mod arrow {
    use super::{Prediction, PredictionColumns, PredictionKind};
    use crate::columnar::{BatchWriter, zstd_table};
    use crate::error::Error;
    use crate::output::OutFile;
    use arrow_array::{ArrayRef, Float64Array, StringArray, UInt64Array};
    use arrow_schema::{DataType, Field, Schema, SchemaRef};
    use std::sync::Arc;

    type Columns = [(String, PredictionKind)];

    pub(super) fn parquet(file: OutFile, columns: &Columns) -> Result<BatchWriter, Error> {
        BatchWriter::parquet(file, schema(columns), zstd_table().build())
    }

    pub(super) fn file(file: OutFile, columns: &Columns) -> Result<BatchWriter, Error> {
        BatchWriter::arrow_file(file, schema(columns))
    }

    pub(super) fn schema(columns: &Columns) -> SchemaRef {
        let mut fields = vec![Field::new("row", DataType::UInt64, false)];
        fields.extend(prediction_fields(columns));
        Arc::new(Schema::new(fields))
    }

    /// The fields of the predictions, and `error`.
    pub(crate) fn prediction_fields(columns: &Columns) -> Vec<Field> {
        let field = |(name, kind): &(String, PredictionKind)| match kind {
            PredictionKind::Number => Field::new(name, DataType::Float64, true),
            PredictionKind::Text => Field::new(name, DataType::Utf8, true),
        };
        let error = Field::new("error", DataType::Utf8, true);
        columns.iter().map(field).chain([error]).collect()
    }

    pub(super) fn arrays(held: &PredictionColumns) -> Vec<ArrayRef> {
        let rows: ArrayRef = Arc::new(UInt64Array::from(held.rows.clone()));
        let cells = prediction_arrays(&held.cells, &held.columns, &held.errors);
        [rows].into_iter().chain(cells).collect()
    }

    /// The columns of the predictions, and `error`.
    pub(crate) fn prediction_arrays(
        cells: &[Vec<Prediction>],
        columns: &Columns,
        errors: &[Option<String>],
    ) -> Vec<ArrayRef> {
        let mut arrays: Vec<ArrayRef> = Vec::with_capacity(columns.len() + 1);
        for (column, (_, kind)) in cells.iter().zip(columns) {
            arrays.push(match kind {
                PredictionKind::Number => {
                    Arc::new(Float64Array::from_iter(column.iter().map(|cell| match cell {
                        Prediction::Number(x) => Some(*x),
                        _ => None,
                    })))
                }
                PredictionKind::Text => {
                    Arc::new(StringArray::from_iter(column.iter().map(|cell| match cell {
                        Prediction::Text(text) => Some(text),
                        _ => None,
                    })))
                }
            });
        }
        arrays.push(Arc::new(errors.iter().cloned().collect::<StringArray>()));
        arrays
    }
}
