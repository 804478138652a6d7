//! Counts beside the rows of Arrow tables.

use crate::background::stoppable;
use crate::count::PyCounter;
use crate::error;
use gsn_io::{ReadOptions, count_record_batch};
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatch;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The rows of a record batch with their counts behind them.
#[pyfunction]
#[pyo3(signature = (counter, batch, smiles = None, directed = false))]
pub(crate) fn count_batch(
    py: Python<'_>,
    counter: &PyCounter,
    batch: PyRecordBatch,
    smiles: Option<String>,
    directed: bool,
) -> PyResult<PyRecordBatch> {
    let switch = Arc::new(AtomicBool::new(false));
    let counter = counter.counter.clone().cancel_when(switch.clone());
    let options = ReadOptions { smiles_column: smiles, directed, ..ReadOptions::default() };
    let batch = batch.into_inner();
    let counted = stoppable(py, &switch, || count_record_batch(&counter, &batch, &options))?;
    Ok(PyRecordBatch::new(counted.map_err(error::value)?))
}
