//! One large graph, counted in parts.

use crate::background::inline;
use crate::count::PyCounter;
use crate::error;
use gsn_core::Graph;
use gsn_core::count::Part;
use gsn_io::{GraphSource, ReadOptions, count_part, graph_of_record_batch};
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatch;
use std::path::PathBuf;

/// A graph that is kept from count to count.
#[pyclass(name = "Graph", module = "gsn._gsn", frozen)]
pub(crate) struct PyGraph(Graph);

#[pymethods]
impl PyGraph {
    /// The graph of a record batch with one row.
    #[staticmethod]
    fn of_batch(py: Python<'_>, batch: PyRecordBatch, directed: bool) -> PyResult<Self> {
        let batch = batch.into_inner();
        let graph = inline(py, || graph_of_record_batch(&batch, directed))?;
        graph.map(Self).map_err(error::value)
    }

    /// The one graph of a file of any format.
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf, directed: bool) -> PyResult<Self> {
        let graph = inline(py, || {
            let options = ReadOptions { directed, ..ReadOptions::default() };
            let mut rows = GraphSource::open(&path, &options).map_err(|e| e.to_string())?;
            let first = rows.next().transpose().map_err(|e| e.to_string())?;
            if rows.next().is_some() {
                return Err(format!("{} holds more than one graph", path.display()));
            }
            match first.map(gsn_io::Row::into_result) {
                Some(Ok(record)) => Ok(record.graph),
                Some(Err(rejected)) => Err(format!("{}: {}", path.display(), rejected.reason)),
                None => Err(format!("{} holds no graph", path.display())),
            }
        })?;
        graph.map(Self).map_err(error::value)
    }

    /// The counts of one of several parts of the work, by this thread alone.
    fn count_part(
        &self,
        py: Python<'_>,
        counter: &PyCounter,
        index: usize,
        of: usize,
    ) -> PyResult<PyRecordBatch> {
        let part = Part::new(index, of)
            .ok_or_else(|| error::value(format!("there is no part {index} of {of}")))?;
        let counted = inline(py, || count_part(&counter.counter, &self.0, part))?;
        Ok(PyRecordBatch::new(counted.map_err(error::value)?))
    }

    /// Vertices and edges.
    #[getter]
    fn size(&self) -> (usize, usize) {
        (self.0.order(), self.0.edge_count())
    }
}
