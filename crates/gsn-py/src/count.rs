//! Counts of one graph or of many, as numpy arrays.

use crate::background::{inline, stoppable};
use crate::error;
use crate::graphs::{Arrays, order, pieces};
use crate::spec::PySpec;
use gsn_core::count::{CountError, CountErrorKind};
use gsn_core::{Budget, Counter, Counts, Graph, Scope};
use numpy::ndarray::Array2;
use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2, ToPyArray};
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use rayon::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// Steps that are surely over before anyone presses Ctrl-C.
const SHORT: u64 = 1_000_000;

/// Arcs of a graph that is worth several threads.
const LARGE: usize = 20_000;

/// Graphs that are made, counted and written before the next ones are made, so that they stay near.
const BLOCK: usize = 1024;

/// Counts by one specification; what is worked out from the patterns is kept.
#[pyclass(name = "Counter", module = "gsn._gsn", frozen)]
pub(crate) struct PyCounter {
    pub(crate) counter: Counter,
    /// The same with a budget so small that it need not be watched; not if the caller has one.
    short: Option<Counter>,
    columns: Vec<String>,
    /// The limits as they were given.
    limits: (Option<u64>, Option<f64>),
}

/// Results of many graphs: the counts of all rows, where the rows of each graph start, and why
/// the others have none.
type Many<'py> = (Bound<'py, PyArray2<i64>>, Bound<'py, PyArray1<i64>>, Vec<(usize, String)>);

#[pymethods]
impl PyCounter {
    #[new]
    #[pyo3(signature = (spec, budget = None, seconds = None))]
    fn new(spec: &PySpec, budget: Option<u64>, seconds: Option<f64>) -> PyResult<Self> {
        let mut limit = budget.map_or_else(Budget::unlimited, Budget::steps);
        if let Some(seconds) = seconds {
            let time = Duration::try_from_secs_f64(seconds).map_err(error::value)?;
            limit = limit.with_time(time);
        }
        let counter = Counter::new(&spec.0);
        let unlimited = limit == Budget::unlimited();
        let short = unlimited.then(|| counter.clone().budget(Budget::steps(SHORT)));
        let counter = counter.budget(limit);
        let columns = counter.columns().iter().map(|column| column.name().to_owned()).collect();
        Ok(Self { counter, short, columns, limits: (budget, seconds) })
    }

    /// What is counted.
    #[getter]
    fn spec(&self) -> PySpec {
        PySpec(self.counter.spec().clone())
    }

    /// Names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.columns.clone()
    }

    /// Counts in the graph of an edge index of shape (2, edges).
    #[pyo3(signature = (edge_index, num_nodes, directed, vertex_labels, edge_labels))]
    fn count<'py>(
        &self,
        py: Python<'py>,
        edge_index: PyReadonlyArray2<'py, i64>,
        num_nodes: i64,
        directed: bool,
        vertex_labels: Option<PyReadonlyArray1<'py, i64>>,
        edge_labels: Option<PyReadonlyArray1<'py, i64>>,
    ) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let arrays = Arrays::of(&edge_index, vertex_labels.as_ref(), edge_labels.as_ref());
        let width = arrays.source.len();
        let order = order(num_nodes, width)?;
        arrays.check(order)?;
        let (graph, at_once) = inline(py, || {
            let graph = arrays.graph(order, directed, 0..width, 0)?;
            let counts = self.at_once(&graph);
            Ok((graph, counts))
        })?
        .map_err(|why: String| PyValueError::new_err(why))?;
        let counts = match at_once {
            Some(counts) => counts,
            None => {
                let switch = Arc::new(AtomicBool::new(false));
                let counter = self.counter.clone().cancel_when(switch.clone());
                stoppable(py, &switch, || counter.count(&graph))?
            }
        };
        let counts = counts.map_err(|e| error::count(&e))?;
        let rows = if counts.scope() == Scope::Vertex { order } else { width };
        let mut table = self.table(rows)?;
        let cells = table.as_slice_mut().unwrap_or_default();
        if arrays.fill(&graph, &counts, 0..width, cells) {
            return Err(PyOverflowError::new_err(TOO_LARGE));
        }
        Ok(PyArray2::from_owned_array(py, table))
    }

    /// Counts in many graphs. Columns `edge_starts[g]..edge_starts[g + 1]` of the edge index, with
    /// vertices numbered from 0 in each, are those of graph `g`.
    #[expect(clippy::too_many_arguments, reason = "arrays as Python passes them")]
    #[pyo3(signature = (edge_index, edge_starts, num_nodes, directed, vertex_labels, edge_labels, progress))]
    fn count_many<'py>(
        &self,
        py: Python<'py>,
        edge_index: PyReadonlyArray2<'py, i64>,
        edge_starts: PyReadonlyArray1<'py, i64>,
        num_nodes: PyReadonlyArray1<'py, i64>,
        directed: bool,
        vertex_labels: Option<PyReadonlyArray1<'py, i64>>,
        edge_labels: Option<PyReadonlyArray1<'py, i64>>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Many<'py>> {
        let arrays = Arrays::of(&edge_index, vertex_labels.as_ref(), edge_labels.as_ref());
        let (starts, orders) = pieces(&edge_starts, &num_nodes, arrays.source.len())?;
        let mut first = vec![0; orders.len() + 1];
        for (at, &order) in orders.iter().enumerate() {
            first[at + 1] = first[at] + order;
        }
        arrays.check(first[orders.len()])?;
        let vertex = self.counter.spec().scope() == Scope::Vertex;
        let bounds = if vertex { &first } else { &starts };
        let mut table = self.table(bounds[orders.len()])?;
        let width = self.columns.len();

        let switch = Arc::new(AtomicBool::new(false));
        let mut counter = self.counter.clone().cancel_when(switch.clone());
        let done = Arc::new(AtomicUsize::new(0));
        if let Some(call) = progress {
            let (done, all) = (done.clone(), orders.len());
            let told = std::sync::Mutex::new(0.0);
            counter = counter.on_progress(move |share| {
                // At most a hundred times, and never by two threads at once.
                let Ok(mut told) = told.try_lock() else { return };
                let before = done.load(Ordering::Relaxed);
                let share = (before as f64 + share * BLOCK.min(all - before) as f64) / all as f64;
                if share < *told + 0.01 && share < 1.0 {
                    return;
                }
                *told = share;
                // What the caller's function raises is not this count's business.
                let _ = Python::attach(|py| call.call1(py, (share,)));
            });
        }
        let none = Graph::from_edges(0, []).map_err(error::value)?;
        let errors = stoppable(py, &switch, || {
            let mut errors = Vec::new();
            let mut cells = table.as_slice_mut().unwrap_or_default();
            while done.load(Ordering::Relaxed) < orders.len() && !switch.load(Ordering::Relaxed) {
                let from = done.load(Ordering::Relaxed);
                let block = from..orders.len().min(from + BLOCK);
                let graphs: Vec<Result<Graph, String>> = block
                    .clone()
                    .into_par_iter()
                    .map(|g| arrays.graph(orders[g], directed, starts[g]..starts[g + 1], first[g]))
                    .collect();
                let sound: Vec<&Graph> =
                    graphs.iter().map(|graph| graph.as_ref().unwrap_or(&none)).collect();
                let counts = counter.count_each(&sound);
                let mut pieces = Vec::with_capacity(block.len());
                for g in block.clone() {
                    let (piece, rest) = cells.split_at_mut((bounds[g + 1] - bounds[g]) * width);
                    pieces.push(piece);
                    cells = rest;
                }
                let work = pieces.into_par_iter().zip(&graphs).zip(&counts).zip(block);
                errors.par_extend(work.filter_map(|(((piece, graph), counts), g)| {
                    let why = match (graph, counts) {
                        (Err(why), _) => why.clone(),
                        (_, Err(why)) => why.kind.to_string(),
                        (Ok(graph), Ok(counts)) => {
                            let columns = starts[g]..starts[g + 1];
                            let large = arrays.fill(graph, counts, columns, piece);
                            return large.then(|| (g, TOO_LARGE.to_owned()));
                        }
                    };
                    Some((g, why))
                }));
                done.fetch_add(graphs.len(), Ordering::Relaxed);
            }
            errors
        })?;
        let bounds: Vec<i64> = bounds.iter().map(|&b| b as i64).collect();
        Ok((PyArray2::from_owned_array(py, table), bounds.to_pyarray(py), errors))
    }

    fn __getnewargs__(&self) -> (PySpec, Option<u64>, Option<f64>) {
        (self.spec(), self.limits.0, self.limits.1)
    }

    fn __repr__(&self) -> String {
        format!("Counter({})", self.counter.spec())
    }
}

const TOO_LARGE: &str = "a count is larger than 2^63 - 1, the largest that fits an int64 array";

impl PyCounter {
    /// A table of zeros, or an error where it would not fit into memory.
    fn table(&self, rows: usize) -> PyResult<Array2<i64>> {
        let cells = rows.checked_mul(self.columns.len()).filter(|&n| n < isize::MAX as usize / 8);
        let mut zeros: Vec<i64> = Vec::new();
        let fits = cells.is_some_and(|cells| zeros.try_reserve_exact(cells).is_ok());
        if !fits {
            let columns = self.columns.len();
            let what = format!("a table of {rows} rows and {columns} columns does not fit");
            return Err(pyo3::exceptions::PyMemoryError::new_err(what));
        }
        zeros.resize(rows * self.columns.len(), 0);
        Array2::from_shape_vec((rows, self.columns.len()), zeros).map_err(error::value)
    }

    /// Counts in one graph if that is so short that nobody would stop it.
    fn at_once(&self, graph: &Graph) -> Option<Result<Counts, CountError>> {
        let short = self.short.as_ref().filter(|_| graph.arc_count() < LARGE)?;
        let counts = short.count(graph);
        let longer = |e: &CountError| {
            matches!(e.kind, CountErrorKind::Steps { .. } | CountErrorKind::Hopeless { .. })
        };
        (!counts.as_ref().is_err_and(longer)).then_some(counts)
    }
}
