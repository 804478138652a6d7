//! Counts beside the rows of Arrow tables.

use crate::background::{inline, stoppable};
use crate::count::PyCounter;
use crate::error;
use gsn_io::{ReadOptions, count_record_batch};
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatch;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The rows of a record batch with their counts behind them; by this thread `alone`, as inside a
/// worker of an engine that runs one for every processor.
#[pyfunction]
#[pyo3(signature = (counter, batch, smiles = None, directed = false, alone = false))]
pub(crate) fn count_batch(
    py: Python<'_>,
    counter: &PyCounter,
    batch: PyRecordBatch,
    smiles: Option<String>,
    directed: bool,
    alone: bool,
) -> PyResult<PyRecordBatch> {
    let switch = Arc::new(AtomicBool::new(false));
    let counter = counter.counter.clone().cancel_when(switch.clone());
    let options = ReadOptions { smiles_column: smiles, directed, ..ReadOptions::default() };
    let batch = batch.into_inner();
    let count = || count_record_batch(&counter, &batch, &options);
    let counted = if alone { inline(py, count)? } else { stoppable(py, &switch, count)? };
    Ok(PyRecordBatch::new(counted.map_err(error::value)?))
}
