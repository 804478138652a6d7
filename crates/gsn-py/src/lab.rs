//! Which graphs can be told apart, and which patterns are worth counting: `gsn separate` and `gsn
//! suggest`.

use crate::background::{abandonable, inline};
use crate::error;
use crate::graphs::{Arrays, pieces};
use gsn_cli::Call;
use gsn_core::Graph;
use gsn_lab::separate::GraphList;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::ffi::OsString;

/// Graphs as arrays: edge index, where the edges of each graph start, their numbers of vertices, whether
/// edges have a direction, labels of vertices and of edges.
type Given<'py> = (
    PyReadonlyArray2<'py, i64>,
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, i64>,
    bool,
    Option<PyReadonlyArray1<'py, i64>>,
    Option<PyReadonlyArray1<'py, i64>>,
);

fn graphs(py: Python<'_>, given: &Given<'_>) -> PyResult<GraphList> {
    let (edge_index, edge_starts, num_nodes, directed, vertex_labels, edge_labels) = given;
    let arrays = Arrays::of(edge_index, vertex_labels.as_ref(), edge_labels.as_ref());
    let (starts, orders) = pieces(edge_starts, num_nodes, arrays.source.len())?;
    arrays.check(orders.iter().sum())?;
    let all = inline(py, || {
        let mut first = 0;
        let mut graph = |(at, &order): (usize, &usize)| {
            let graph = arrays.graph(order, *directed, starts[at]..starts[at + 1], first);
            first += order;
            graph.map_err(|why| format!("graph {at}: {why}"))
        };
        orders.iter().enumerate().map(&mut graph).collect::<Result<Vec<Graph>, String>>()
    })?;
    let graphs = all.map_err(PyValueError::new_err)?;
    Ok(GraphList {
        name: "graphs".into(),
        vertex_names: vec![None; graphs.len()],
        rows: (0..graphs.len() as u64).collect(),
        graphs,
        ..GraphList::default()
    })
}

/// What `gsn separate --json` prints with these arguments, a text for each file; or for the graphs that
/// are given in their place.
#[pyfunction]
#[pyo3(signature = (arguments, given))]
pub(crate) fn separate(
    py: Python<'_>,
    arguments: Vec<OsString>,
    given: Option<Given<'_>>,
) -> PyResult<Vec<String>> {
    let call = Call::parse(std::iter::once("separate".into()).chain(arguments));
    let call = call.map_err(error::value)?;
    call.limit_memory();
    let graphs = given.map(|given| graphs(py, &given)).transpose()?;
    let found = abandonable(py, call.threads(), move || call.separate(graphs))?;
    let found = found.map_err(error::value)?;
    Ok(found.iter().map(ToString::to_string).collect())
}

/// What `gsn suggest --json` prints with these arguments, and what it says on the way.
#[pyfunction]
pub(crate) fn suggest(py: Python<'_>, arguments: Vec<OsString>) -> PyResult<(String, Vec<String>)> {
    let call = Call::parse(std::iter::once("suggest".into()).chain(arguments));
    let call = call.map_err(error::value)?;
    call.limit_memory();
    let found = abandonable(py, call.threads(), move || call.suggest())?;
    let (found, notes) = found.map_err(error::value)?;
    Ok((found.to_string(), notes))
}
