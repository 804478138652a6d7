//! Predictions by a model file, as `gsn predict` gives them.

use crate::background::{inline, stoppable};
use crate::error;
use gsn_io::{GraphSource, Monitor, Prediction, PredictionKind, ReadOptions};
use gsn_lab::conformal::Level;
use gsn_lab::info::{Info, ModelInfo};
use gsn_lab::model_file::ModelFile;
use gsn_lab::predict::{Keep, PredictTable, Predictor, predict_source};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use pyo3_arrow::PyRecordBatch;
use pyo3_arrow::input::AnyRecordBatch;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A model, ready to predict.
#[pyclass(name = "Model", module = "gsn._gsn", frozen)]
pub(crate) struct PyModel {
    /// The file, for pickle.
    bytes: Vec<u8>,
    predictor: Predictor,
}

/// Where the rows are.
#[derive(FromPyObject)]
pub(crate) enum Input {
    #[pyo3(transparent)]
    Table(AnyRecordBatch),
    #[pyo3(transparent)]
    Path(PathBuf),
}

/// The columns of a table: numbers as an array with NaN in gaps, texts as a list with `None`; then the
/// rows without a prediction (row, what stands there, why), metrics by name if the rows hold
/// targets, and what is to be said about the whole.
type Said<'py> = (
    Vec<(String, Bound<'py, PyAny>)>,
    Vec<(u64, String, String)>,
    Option<(u64, Vec<(&'static str, f64)>)>,
    Vec<String>,
);

#[pymethods]
impl PyModel {
    #[new]
    fn new(bytes: &[u8]) -> PyResult<Self> {
        Self::of(bytes.to_vec(), "the model")
    }

    /// Opens a file.
    #[classmethod]
    fn open(_class: &Bound<'_, PyType>, path: PathBuf) -> PyResult<Self> {
        let bytes = std::fs::read(&path)
            .map_err(|e| error::value(format!("{}: cannot be read: {e}", path.display())))?;
        Self::of(bytes, &path.display().to_string())
    }

    /// The bytes of the file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.bytes)
    }

    fn __getnewargs__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyBytes>,) {
        (self.to_bytes(py),)
    }

    /// What `gsn info --json` says.
    fn card(&self) -> PyResult<String> {
        let info = Info::Model(Box::new(ModelInfo::from(self.predictor.file().clone())));
        serde_json::to_string(&info).map_err(error::value)
    }

    /// Names of the targets.
    #[getter]
    fn targets(&self) -> Vec<String> {
        self.predictor.file().card.targets.clone()
    }

    /// Predictions for the rows of a table or of a file.
    #[pyo3(signature = (rows, smiles, level, intervals, keep, format, delimiter))]
    #[expect(clippy::too_many_arguments, reason = "options as Python passes them")]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        rows: Input,
        smiles: Option<String>,
        level: Option<f64>,
        intervals: bool,
        keep: Vec<String>,
        format: Option<&str>,
        delimiter: Option<&str>,
    ) -> PyResult<Said<'py>> {
        let keep = match &keep[..] {
            [] => Keep::Nothing,
            [all] if all == "all" => Keep::All { first: None },
            _ => Keep::Columns(keep),
        };
        let read = ReadOptions {
            format: format.map(str::parse).transpose().map_err(error::value)?,
            delimiter: delimiter.map(str::parse).transpose().map_err(error::value)?,
            ..self.predictor.read_options(smiles)
        };
        let said = self.said(py, rows, (level, intervals), keep, read)?;
        let PredictTable { table, failed, judged, notes, .. } = said;
        let rows = table.rows.iter().map(|&row| row as i64);
        let mut columns = vec![("row".to_owned(), PyArray1::from_iter(py, rows).into_any())];
        for ((name, kind), cells) in table.columns.into_iter().zip(table.cells) {
            let column = match kind {
                PredictionKind::Number => {
                    let number = |cell: &Prediction| match cell {
                        Prediction::Number(x) => *x,
                        _ => f64::NAN,
                    };
                    PyArray1::from_iter(py, cells.iter().map(number)).into_any()
                }
                PredictionKind::Text => {
                    let text = |cell: Prediction| match cell {
                        Prediction::Text(text) => Some(text),
                        _ => None,
                    };
                    let texts: Vec<Option<String>> = cells.into_iter().map(text).collect();
                    texts.into_pyobject(py)?
                }
            };
            columns.push((name, column));
        }
        columns.push(("error".into(), table.errors.into_pyobject(py)?));
        let failed = failed.into_iter().map(|bad| (bad.row, bad.input, bad.reason)).collect();
        let judged = judged.map(|judged| {
            (judged.rows, judged.metrics.iter().map(|(metric, x)| (metric.name(), *x)).collect())
        });
        Ok((columns, failed, judged, notes))
    }

    /// Names of the columns of predictions, and whether each holds numbers.
    fn columns(&self) -> Vec<(String, bool)> {
        let number = |(name, kind)| (name, kind == PredictionKind::Number);
        self.predictor.columns().into_iter().map(number).collect()
    }

    /// Names of the columns that the model reads beside the graph.
    fn columns_read(&self) -> Vec<String> {
        self.predictor.columns_read().to_vec()
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
        let predicted = inline(py, || self.predictor.predict_record_batch(&batch, smiles))?;
        Ok(PyRecordBatch::new(predicted.map_err(error::value)?))
    }
}

impl PyModel {
    fn of(bytes: Vec<u8>, name: &str) -> PyResult<Self> {
        let file = ModelFile::from_bytes(&bytes);
        let file = file.map_err(|what| error::value(format!("{name}: {what}")))?;
        let predictor = Predictor::new(file).map_err(|e| error::lab(&e))?;
        Ok(Self { bytes, predictor })
    }

    fn said(
        &self,
        py: Python<'_>,
        rows: Input,
        (level, intervals): (Option<f64>, bool),
        keep: Keep,
        read: ReadOptions,
    ) -> PyResult<PredictTable> {
        let other: Predictor;
        let predictor = match (level, intervals) {
            (None, true) => &self.predictor,
            (level, intervals) => {
                let level = level.map(Level::try_from).transpose().map_err(error::value)?;
                let file = self.predictor.file().clone();
                if level.is_some() && intervals {
                    let refused = |what| error::value(format!("the model {what}"));
                    file.check_calibrated().map_err(refused)?;
                }
                let level = intervals.then(|| level.unwrap_or_default());
                other = Predictor::new(file).map_err(|e| error::lab(&e))?.with_level(level);
                &other
            }
        };
        let read = ReadOptions { keep_smiles: keep != Keep::Nothing, ..read };
        let rows = match rows {
            Input::Table(table) => Err(table.into_table()?.into_inner()),
            Input::Path(path) => Ok(path),
        };
        let switch = Arc::new(AtomicBool::new(false));
        let monitor = Monitor::default().with_cancel(switch.clone());
        stoppable(py, &switch, || {
            let (source, name) = match rows {
                Ok(path) => (GraphSource::open(&path, &read)?, path.display().to_string()),
                Err((batches, schema)) => {
                    let name = "the table";
                    let batches = batches.into_iter();
                    (GraphSource::from_batches(name, &schema, batches, &read)?, name.to_owned())
                }
            };
            predict_source(predictor, source, &name, &keep, &monitor)
        })?
        .map_err(|e| error::lab(&e))
    }
}
