//! Predictions beside the rows of a record batch: what engines that hand out batches (Spark, Ray)
//! call.

use super::beside::check_columns;
use super::{Predictor, Tally};
use crate::error::Result;
use gsn_io::{RecordBatch, predictions_beside, read_record_batch};

const NAME: &str = "the record batch";

impl Predictor {
    /// The rows of a batch with the columns of [`Predictor::columns`] and `error` behind them; the
    /// numbers are those of [`predict`](super::predict). Graphs are in `num_nodes`, `src` and `dst`,
    /// or in a column of SMILES, by default the one called `smiles`.
    ///
    /// # Errors
    /// If a column is missing, of another type, or has a name that the predictions need.
    pub fn predict_record_batch(
        &self,
        batch: &RecordBatch,
        smiles_column: Option<String>,
    ) -> Result<RecordBatch> {
        let read = self.read_options(smiles_column);
        let (rows, molecules) = read_record_batch(batch, &read)?;
        self.check_molecules(molecules, NAME)?;
        check_columns(self, &rows.fields, NAME)?;
        let answers = self.predict(rows, &mut Tally::default());
        let cells = answers.iter().map(|answer| self.cells(answer)).collect();
        Ok(predictions_beside(batch, &self.columns(), cells)?)
    }
}
