//! Python values and graphs as Arrow tables, which training and prediction read.

use crate::error;
use crate::graphs::starts;
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, LargeListArray, RecordBatch,
    RecordBatchOptions, StringArray,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field, Schema};
use gsn_lab::user_data::Request;
use numpy::ndarray::ArrayView1;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString};
use pyo3_arrow::PyTable;
use pyo3_arrow::input::AnyRecordBatch;
use std::path::PathBuf;
use std::sync::Arc;

/// A column: its name and its values.
type Column<'py> = (String, Vec<Bound<'py, PyAny>>);

/// What the values of a column have in common.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Kind {
    Nothing,
    Truth,
    Integer,
    Number,
    Text,
}

fn kind(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Kind> {
    Ok(match value {
        value if value.is_none() => Kind::Nothing,
        value if value.is_instance_of::<PyBool>() => Kind::Truth,
        value if value.is_instance_of::<PyInt>() => match value.extract::<i64>() {
            Ok(_) => Kind::Integer,
            Err(_) => Kind::Number,
        },
        value if value.is_instance_of::<PyFloat>() => Kind::Number,
        value if value.is_instance_of::<PyString>() => Kind::Text,
        other => {
            let class = other.get_type().name()?;
            let what = format!("column `{name}` holds a {class}; give numbers or texts");
            return Err(PyTypeError::new_err(what));
        }
    })
}

/// A column as an array. Truths beside numbers are numbers, anything beside texts is text.
fn array((name, values): &Column<'_>) -> PyResult<ArrayRef> {
    let mut all = Kind::Nothing;
    for value in values {
        let kind = kind(name, value)?;
        all = if kind > all { kind } else { all };
    }
    let some = |value: &Bound<'_, PyAny>| !value.is_none();
    Ok(match all {
        Kind::Truth => {
            let truth = |v| if some(v) { v.extract().map(Some) } else { Ok(None) };
            Arc::new(values.iter().map(truth).collect::<PyResult<BooleanArray>>()?)
        }
        Kind::Integer => {
            let integer = |v| if some(v) { v.extract::<i64>().map(Some) } else { Ok(None) };
            Arc::new(values.iter().map(integer).collect::<PyResult<Int64Array>>()?)
        }
        Kind::Number => {
            let number = |v| if some(v) { v.extract::<f64>().map(Some) } else { Ok(None) };
            Arc::new(values.iter().map(number).collect::<PyResult<Float64Array>>()?)
        }
        Kind::Nothing | Kind::Text => {
            let text = |v: &Bound<'_, PyAny>| match some(v) {
                true => v.str()?.extract::<String>().map(Some),
                false => Ok(None),
            };
            Arc::new(values.iter().map(text).collect::<PyResult<StringArray>>()?)
        }
    })
}

fn table(rows: usize, columns: Vec<(String, ArrayRef)>) -> PyResult<PyTable> {
    for (name, column) in &columns {
        if column.len() != rows {
            let what = format!("column `{name}` has {} values, not {rows}", column.len());
            return Err(error::value(what));
        }
    }
    let field =
        |(name, column): &(String, ArrayRef)| Field::new(name, column.data_type().clone(), true);
    let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    let columns = columns.into_iter().map(|(_, column)| column).collect();
    let batch = RecordBatch::try_new_with_options(schema.clone(), columns, &options);
    PyTable::try_new(vec![batch.map_err(error::value)?], schema)
}

/// Columns of Python values as a table.
#[pyfunction]
pub(crate) fn column_table(columns: Vec<Column<'_>>) -> PyResult<PyTable> {
    let rows = columns.first().map_or(0, |(_, values)| values.len());
    let arrays = columns.iter().map(|column| Ok((column.0.clone(), array(column)?)));
    table(rows, arrays.collect::<PyResult<_>>()?)
}

/// Graphs as a table: `num_nodes`, `src`, `dst`, the labels that are given, and further columns.
/// Columns `edge_starts[g]..edge_starts[g + 1]` of the edge index are those of graph `g`.
#[pyfunction]
pub(crate) fn graph_table(
    edge_index: PyReadonlyArray2<'_, i64>,
    edge_starts: PyReadonlyArray1<'_, i64>,
    num_nodes: PyReadonlyArray1<'_, i64>,
    node_labels: Option<PyReadonlyArray1<'_, i64>>,
    edge_labels: Option<PyReadonlyArray1<'_, i64>>,
    columns: Vec<Column<'_>>,
) -> PyResult<PyTable> {
    let (ends, orders) = (edge_index.as_array(), num_nodes.as_array());
    let edges = starts(edge_starts.as_array().iter().copied(), orders.len(), ends.ncols())?;
    let mut vertices = vec![0usize];
    for &order in &orders {
        let order = usize::try_from(order)
            .map_err(|_| error::value(format!("num_nodes is {order}, a negative number")))?;
        let before = vertices.last().copied().unwrap_or(0);
        let all = before.checked_add(order);
        vertices.push(all.ok_or_else(|| error::value("the graphs have too many vertices"))?);
    }
    let mut all: Vec<(String, ArrayRef)> = vec![
        ("num_nodes".into(), Arc::new(Int64Array::from_iter_values(orders.iter().copied()))),
        ("src".into(), lists(ends.row(0), &edges)?),
        ("dst".into(), lists(ends.row(1), &edges)?),
    ];
    if let Some(labels) = node_labels {
        all.push(("node_labels".into(), lists(labels.as_array(), &vertices)?));
    }
    if let Some(labels) = edge_labels {
        all.push(("edge_labels".into(), lists(labels.as_array(), &edges)?));
    }
    for column in &columns {
        all.push((column.0.clone(), array(column)?));
    }
    table(orders.len(), all)
}

/// A list of integers a graph.
fn lists(values: ArrayView1<'_, i64>, starts: &[usize]) -> PyResult<ArrayRef> {
    let item = Arc::new(Field::new("item", DataType::Int64, false));
    let lengths = starts.windows(2).map(|pair| pair[1] - pair[0]);
    let values = Arc::new(Int64Array::from_iter_values(values.iter().copied()));
    let lists = LargeListArray::try_new(item, OffsetBuffer::from_lengths(lengths), values, None);
    Ok(Arc::new(lists.map_err(error::value)?))
}

/// Puts the rows of a table into the folder of a run that is yet to begin; gives the file.
#[pyfunction]
pub(crate) fn keep_rows(py: Python<'_>, rows: AnyRecordBatch, run: PathBuf) -> PyResult<PathBuf> {
    let (batches, schema) = rows.into_table()?.into_inner();
    let write = |path: &std::path::Path| gsn_io::write_record_batches(path, &schema, batches);
    py.detach(|| Request::keep_rows(&run, write)).map_err(|e| error::lab(&e))
}
