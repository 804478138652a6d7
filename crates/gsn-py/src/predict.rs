//! Predictions beside the rows of Arrow tables.

use crate::background::inline;
use crate::error;
use gsn_io::PredictionKind;
use gsn_lab::model_file::ModelFile;
use gsn_lab::predict::Predictor;
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatch;

/// A model, ready for record batches.
#[pyclass(name = "BatchPredictor", module = "gsn._gsn", frozen)]
pub(crate) struct PyBatchPredictor(Predictor);

#[pymethods]
impl PyBatchPredictor {
    /// The model of these bytes of a `.gsn` file.
    #[new]
    fn new(py: Python<'_>, model: &[u8]) -> PyResult<Self> {
        let file = py.detach(|| ModelFile::from_bytes(model)).map_err(error::value)?;
        Ok(Self(Predictor::new(file).map_err(error::value)?))
    }

    /// Names of the columns of predictions, and whether each holds numbers.
    fn columns(&self) -> Vec<(String, bool)> {
        let number = |(name, kind)| (name, kind == PredictionKind::Number);
        self.0.columns().into_iter().map(number).collect()
    }

    /// Names of the columns that the model reads beside the graph.
    fn columns_read(&self) -> Vec<String> {
        self.0.columns_read().to_vec()
    }

    /// The rows of a record batch with their predictions behind them, by this thread alone.
    #[pyo3(signature = (batch, smiles = None))]
    fn predict_batch(
        &self,
        py: Python<'_>,
        batch: PyRecordBatch,
        smiles: Option<String>,
    ) -> PyResult<PyRecordBatch> {
        let batch = batch.into_inner();
        let predicted = inline(py, || self.0.predict_record_batch(&batch, smiles))?;
        Ok(PyRecordBatch::new(predicted.map_err(error::value)?))
    }
}
