//! Counts beside the rows of Arrow tables.

use crate::background::{inline, stoppable};
use crate::count::PyCounter;
use crate::error;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use gsn_core::Counter;
use gsn_io::{CountedBatches, ListColumns, ReadOptions, count_record_batch, counted_schema};
use pyo3::prelude::*;
use pyo3_arrow::input::AnyRecordBatch;
use pyo3_arrow::{PyRecordBatch, PyRecordBatchReader, PySchema};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Counts the graphs of tables in which they stand in these columns.
#[pyclass(name = "TableCounter", module = "gsn._gsn", frozen)]
pub(crate) struct PyTableCounter {
    counter: Counter,
    options: ReadOptions,
}

#[pymethods]
impl PyTableCounter {
    #[new]
    #[expect(clippy::too_many_arguments, reason = "names of columns as Python passes them")]
    #[pyo3(signature = (
        counter, smiles = None, directed = false, num_nodes = "num_nodes", src = "src", dst = "dst",
        node_labels = "node_labels", edge_labels = "edge_labels"
    ))]
    fn new(
        counter: &PyCounter,
        smiles: Option<String>,
        directed: bool,
        num_nodes: &str,
        src: &str,
        dst: &str,
        node_labels: &str,
        edge_labels: &str,
    ) -> Self {
        let list_columns = ListColumns {
            num_nodes: num_nodes.into(),
            src: src.into(),
            dst: dst.into(),
            node_labels: node_labels.into(),
            edge_labels: edge_labels.into(),
        };
        let options =
            ReadOptions { smiles_column: smiles, directed, list_columns, ..ReadOptions::default() };
        Self { counter: counter.counter.clone(), options }
    }

    /// The schema of counted tables of this schema.
    fn schema(&self, schema: PySchema) -> PyResult<PySchema> {
        counted_schema(&self.counter, &schema.into_inner(), &self.options)
            .map(PySchema::new)
            .map_err(error::value)
    }

    /// The rows of a table with their counts behind them, counted as they are asked for, and the
    /// names of all columns; `progress` is called with the number of rows that are counted.
    #[pyo3(signature = (table, progress = None))]
    fn stream(
        &self,
        table: AnyRecordBatch,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(PyRecordBatchReader, Vec<String>)> {
        let switch = Arc::new(AtomicBool::new(false));
        let counter = self.counter.clone().cancel_when(switch.clone());
        let batches = CountedBatches::new(counter, table.into_reader()?, self.options.clone())
            .map_err(error::value)?;
        let names = batches.schema().fields().iter().map(|field| field.name().clone()).collect();
        let stream = Stream { batches, switch, progress, rows: 0 };
        Ok((PyRecordBatchReader::new(Box::new(stream)), names))
    }
}

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

/// Counted batches; whoever asks for one may be stopped by Ctrl-C.
struct Stream {
    batches: CountedBatches,
    switch: Arc<AtomicBool>,
    progress: Option<Py<PyAny>>,
    rows: usize,
}

impl Stream {
    fn advance(&mut self, py: Python<'_>) -> PyResult<Option<Result<RecordBatch, ArrowError>>> {
        let next = stoppable(py, &self.switch, || self.batches.next()).inspect_err(|_| {
            // The reader on the other side has errors of its own; this keeps Ctrl-C what it is.
            let _ = py.import("_thread").and_then(|thread| thread.call_method0("interrupt_main"));
        })?;
        if let (Some(Ok(batch)), Some(call)) = (&next, &self.progress) {
            self.rows += batch.num_rows();
            call.call1(py, (self.rows,))?;
        }
        Ok(next)
    }
}

impl Iterator for Stream {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        Python::attach(|py| self.advance(py))
            .unwrap_or_else(|error| Some(Err(ArrowError::ExternalError(Box::new(error)))))
    }
}

impl RecordBatchReader for Stream {
    fn schema(&self) -> SchemaRef {
        self.batches.schema()
    }
}
