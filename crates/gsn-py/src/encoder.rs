//! Counts as categories or numbers.

use crate::error;
use gsn_core::encode::Codes;
use gsn_core::{CountEncoder, Encoding, Unseen};
use numpy::{IntoPyArray, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyType;

/// A fitted encoder.
#[pyclass(name = "Encoder", module = "gsn._gsn", frozen, eq)]
#[derive(PartialEq)]
pub(crate) struct PyEncoder(CountEncoder);

/// An int64 array as counts.
fn counts(table: &PyReadonlyArray2<'_, i64>) -> PyResult<Vec<u64>> {
    let negative = |_| error::value("counts cannot be negative");
    table.as_array().iter().map(|&count| u64::try_from(count).map_err(negative)).collect()
}

#[pymethods]
impl PyEncoder {
    /// Learns the values of every column.
    #[new]
    fn new(
        columns: Vec<String>,
        table: PyReadonlyArray2<'_, i64>,
        encoding: &str,
        unseen: &str,
    ) -> PyResult<Self> {
        let encoding: Encoding = encoding.parse().map_err(error::value)?;
        let unseen: Unseen = serde_json::from_value(unseen.into()).map_err(|_| {
            error::value(format!("unseen is `{unseen}`; write unknown, nearest or error"))
        })?;
        let values = counts(&table)?;
        CountEncoder::fit_tables(columns, [values.as_slice()], encoding, unseen)
            .map(Self)
            .map_err(error::value)
    }

    /// The codes of some rows, int64 or float64, and how many values were not seen in fitting.
    fn encode<'py>(
        &self,
        py: Python<'py>,
        table: PyReadonlyArray2<'py, i64>,
    ) -> PyResult<(Bound<'py, PyAny>, u64)> {
        let shape = table.as_array().dim();
        let columns = self.0.columns().len();
        if shape.1 != columns {
            let what = format!("the counts have {} columns, the encoder {columns}", shape.1);
            return Err(error::value(what));
        }
        let encoded = self.0.encode(&counts(&table)?).map_err(error::value)?;
        let codes = match encoded.codes {
            Codes::Categories(codes) => {
                let codes: Vec<i64> = codes.into_iter().map(i64::from).collect();
                let array = numpy::ndarray::Array2::from_shape_vec(shape, codes);
                array.map_err(error::value)?.into_pyarray(py).into_any()
            }
            Codes::Values(values) => {
                let array = numpy::ndarray::Array2::from_shape_vec(shape, values);
                array.map_err(error::value)?.into_pyarray(py).into_any()
            }
        };
        Ok((codes, encoded.unseen))
    }

    /// Categories of every column; `None` if the codes are numbers.
    fn sizes(&self) -> Option<Vec<usize>> {
        self.0.sizes()
    }

    /// Names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.0.columns().to_vec()
    }

    /// How columns are encoded.
    #[getter]
    fn encoding(&self) -> String {
        self.0.encoding().to_string()
    }

    /// Where unseen values go.
    #[getter]
    fn unseen(&self) -> &'static str {
        match self.0.unseen() {
            Unseen::Unknown => "unknown",
            Unseen::Nearest => "nearest",
            Unseen::Error => "error",
        }
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let again = slf.py().get_type::<Self>().getattr("from_json")?;
        Ok((again, (slf.get().to_json()?,)))
    }

    /// Everything as JSON.
    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(&self.0).map_err(error::value)
    }

    /// What [`Self::to_json`] gave.
    #[classmethod]
    fn from_json(_class: &Bound<'_, PyType>, text: &str) -> PyResult<Self> {
        serde_json::from_str(text).map(Self).map_err(error::value)
    }
}
