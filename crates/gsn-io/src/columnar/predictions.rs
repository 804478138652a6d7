//! Predictions beside the rows of a record batch, and the graphs in these rows.

use crate::error::Error;
use crate::read::columnar::batch_of;
use crate::record::Batch;
use crate::source::ReadOptions;
use crate::table::{Prediction, PredictionKind, prediction_arrays, prediction_fields};
use arrow_array::RecordBatch;
use arrow_schema::{Field, Schema};
use std::sync::Arc;

const NAME: &str = "the record batch";

/// The graphs of a record batch, with what else stands in their rows, and whether they are molecules.
///
/// # Errors
/// If a column is missing or of another type.
pub fn read_record_batch(
    batch: &RecordBatch,
    options: &ReadOptions,
) -> Result<(Batch, bool), Error> {
    batch_of(batch.clone(), options)
}

/// The fields that [`predictions_beside`] puts behind those of its input: the columns, and `error`.
pub fn predicted_fields(columns: &[(String, PredictionKind)]) -> Vec<Field> {
    prediction_fields(columns)
}

/// The rows of a batch with predictions behind them, or with the reason why there are none.
///
/// # Errors
/// If a column has a name that the predictions need, or their number is not that of the rows.
pub fn predictions_beside(
    batch: &RecordBatch,
    columns: &[(String, PredictionKind)],
    rows: Vec<Result<Vec<Prediction>, String>>,
) -> Result<RecordBatch, Error> {
    let added = prediction_fields(columns);
    if let Some(field) = added.iter().find(|f| batch.schema().column_with_name(f.name()).is_some())
    {
        let reason = format!("has a column `{}` already; rename it", field.name());
        return Err(Error::file(NAME, reason));
    }
    let mut cells: Vec<Vec<Prediction>> = vec![Vec::new(); columns.len()];
    let mut errors = Vec::with_capacity(rows.len());
    for row in rows {
        let (row, error) = match row {
            Ok(row) => (row, None),
            Err(reason) => (vec![Prediction::Missing; columns.len()], Some(reason)),
        };
        cells.iter_mut().zip(row).for_each(|(column, cell)| column.push(cell));
        errors.push(error);
    }
    let mut fields: Vec<Field> = batch.schema().fields().iter().map(|f| (**f).clone()).collect();
    fields.extend(added);
    let mut arrays = batch.columns().to_vec();
    arrays.extend(prediction_arrays(&cells, columns, &errors));
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)
        .map_err(|error| Error::file(NAME, error.to_string()))
}
