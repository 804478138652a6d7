//! Data sets as arrays: from the catalogue and from files, to TU folders and to data folders.

use crate::background::inline;
use crate::error;
use gsn_lab::arrays::{Arrays, ReadArrays, Rows};
use gsn_lab::catalogue::{self, Store};
use gsn_lab::{Fold, Task};
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;

/// Graphs as Python holds them: see `gsn_lab::arrays`.
#[pyclass(name = "Arrays", module = "gsn._gsn", frozen)]
pub(crate) struct PyArrays(Arrays);

/// The folder of a set, its files with their sha256, and how it differs from the catalogue's.
type Put = (PathBuf, Vec<(String, String)>, Vec<String>);

/// Whole numbers that fit 32 bits.
fn rows(table: &PyReadonlyArray2<'_, i64>, what: &str) -> PyResult<Rows> {
    let table = table.as_array();
    let number = |&value: &i64| {
        let why = || format!("{what} holds {value}, not a whole number from 0 to 2^32 - 1");
        u32::try_from(value).map_err(|_| error::value(why()))
    };
    Ok(Rows { cols: table.ncols(), data: table.iter().map(number).collect::<PyResult<_>>()? })
}

/// Numbers of a size or place.
fn sizes(values: &PyReadonlyArray1<'_, i64>, what: &str) -> PyResult<Vec<usize>> {
    let size = |&value: &i64| {
        usize::try_from(value).map_err(|_| error::value(format!("{what} holds {value}")))
    };
    values.as_array().iter().map(size).collect()
}

/// An array of whole numbers.
fn table<'py>(py: Python<'py>, rows: &Rows) -> PyResult<Bound<'py, PyAny>> {
    let shape = (rows.data.len() / rows.cols.max(1), rows.cols);
    let data = rows.data.iter().map(|&value| i64::from(value)).collect();
    let array = Array2::from_shape_vec(shape, data).map_err(error::value)?;
    Ok(array.into_pyarray(py).into_any())
}

/// Indices as Python has them.
fn indices(part: &[u32]) -> Vec<i64> {
    part.iter().map(|&at| i64::from(at)).collect()
}

#[pymethods]
impl PyArrays {
    #[new]
    #[pyo3(signature = (num_nodes, edge_index, edge_starts, x, edge_attr, y, split = None))]
    fn new(
        num_nodes: PyReadonlyArray1<'_, i64>,
        edge_index: PyReadonlyArray2<'_, i64>,
        edge_starts: PyReadonlyArray1<'_, i64>,
        x: Option<PyReadonlyArray2<'_, i64>>,
        edge_attr: Option<PyReadonlyArray2<'_, i64>>,
        y: PyReadonlyArray2<'_, f64>,
        split: Option<[Vec<u32>; 3]>,
    ) -> PyResult<Self> {
        let index = edge_index.as_array();
        if index.nrows() != 2 {
            return Err(error::value("edge_index must have two rows"));
        }
        let end = |value: i64| {
            let why = || error::value(format!("edge_index holds {value}, which is no vertex"));
            u32::try_from(value).map_err(|_| why())
        };
        let ends = index.columns().into_iter().map(|c| Ok((end(c[0])?, end(c[1])?)));
        let arrays = Arrays {
            orders: sizes(&num_nodes, "num_nodes")?,
            starts: sizes(&edge_starts, "edge_starts")?,
            ends: ends.collect::<PyResult<_>>()?,
            vertex: x.map(|x| rows(&x, "x")).transpose()?,
            arc: edge_attr.map(|x| rows(&x, "edge_attr")).transpose()?,
            targets: y.as_array().rows().into_iter().map(|row| row.to_vec()).collect(),
            folds: split
                .into_iter()
                .map(|[train, validation, test]| Fold {
                    train,
                    validation,
                    test,
                    ..Fold::default()
                })
                .collect(),
        };
        arrays.check().map_err(PyValueError::new_err)?;
        Ok(Self(arrays))
    }

    /// A set of the catalogue, from the data folder `root` or from wherever it is found; and its
    /// name, its kind of targets (`numbers`, `questions` or `classes`) and its licence.
    #[staticmethod]
    #[pyo3(signature = (name, root = None))]
    fn load(
        py: Python<'_>,
        name: &str,
        root: Option<PathBuf>,
    ) -> PyResult<(Self, String, &'static str, String)> {
        let read = || match root {
            Some(root) => Store::at(root).load(name),
            None => catalogue::load(name),
        };
        let set = inline(py, read)?.map_err(error::value)?;
        let kind = match set.task {
            Task::Regression(_) => "numbers",
            Task::Binary(_) => "questions",
            Task::Classes(_) => "classes",
        };
        Ok((Self(Arrays::of(&set)), set.name, kind, set.licence))
    }

    /// All graphs of a file or folder.
    #[staticmethod]
    fn read(
        py: Python<'_>,
        path: PathBuf,
        directed: bool,
        targets: Vec<String>,
        split: Option<String>,
    ) -> PyResult<Self> {
        let what = ReadArrays { directed, targets, split };
        inline(py, || Arrays::read(&path, &what))?.map(Self).map_err(error::value)
    }

    /// Writes a TU folder.
    fn write_tu(
        &self,
        py: Python<'_>,
        path: PathBuf,
        classes: bool,
        directed: bool,
    ) -> PyResult<()> {
        inline(py, || self.0.write_tu(&path, classes, directed))?.map_err(error::value)?;
        Ok(())
    }

    /// Writes the set `name` into a data folder; its folder, its files with their sha256, and
    /// how it differs from the set of the catalogue.
    fn import_as(&self, py: Python<'_>, root: PathBuf, name: &str, origin: &str) -> PyResult<Put> {
        let done = inline(py, || catalogue::import(&root, name, &self.0, origin))?;
        let (folder, imported) = done.map_err(error::value)?;
        let differences = imported.differences(catalogue::find(name).map_err(error::value)?);
        let files = imported.files.into_iter().map(|file| (file.name, file.sha256)).collect();
        Ok((folder, files, differences))
    }

    /// Everything as numpy arrays.
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let of = &self.0;
        let found = PyDict::new(py);
        let lengths = |values: &[usize]| values.iter().map(|&n| n as i64).collect::<Vec<_>>();
        found.set_item("num_nodes", lengths(&of.orders).into_pyarray(py))?;
        found.set_item("edge_starts", lengths(&of.starts).into_pyarray(py))?;
        let end = |(row, at): (usize, usize)| {
            let (u, v) = of.ends[at];
            i64::from(if row == 0 { u } else { v })
        };
        let index = Array2::from_shape_fn((2, of.ends.len()), end);
        found.set_item("edge_index", index.into_pyarray(py))?;
        for (name, rows) in [("x", &of.vertex), ("edge_attr", &of.arc)] {
            found.set_item(name, rows.as_ref().map(|rows| table(py, rows)).transpose()?)?;
        }
        let cols = of.targets.first().map_or(0, Vec::len);
        if of.targets.iter().any(|row| row.len() != cols) {
            return Err(error::value("the graphs have different numbers of targets"));
        }
        let y = Array2::from_shape_vec((of.targets.len(), cols), of.targets.concat());
        found.set_item("y", y.map_err(error::value)?.into_pyarray(py))?;
        let folds: Vec<_> = of
            .folds
            .iter()
            .map(|fold| (indices(&fold.train), indices(&fold.validation), indices(&fold.test)))
            .map(|(train, validation, test)| {
                (train.into_pyarray(py), validation.into_pyarray(py), test.into_pyarray(py))
            })
            .collect();
        found.set_item("folds", folds)?;
        Ok(found)
    }
}
