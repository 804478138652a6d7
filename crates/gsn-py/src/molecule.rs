//! Molecules as graphs.

use gsn_io::{Chematic, MoleculeReader};
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The bonds of a SMILES as an edge index, each once, and the number of its atoms.
#[pyfunction]
pub(crate) fn molecule<'py>(
    py: Python<'py>,
    smiles: &str,
) -> PyResult<(Bound<'py, PyArray2<i64>>, usize)> {
    let shape = Chematic
        .read(smiles)
        .map_err(|why| PyValueError::new_err(format!("`{smiles}` is not a SMILES: {why}")))?;
    let width = shape.bonds.len();
    let end = |(row, column): (usize, usize)| {
        let (u, v) = shape.bonds[column];
        if row == 0 { u as i64 } else { v as i64 }
    };
    Ok((Array2::from_shape_fn((2, width), end).into_pyarray(py), shape.atoms.len()))
}
