//! Errors of the libraries as Python's exceptions.

use gsn_core::count::{CountError, CountErrorKind};
use pyo3::PyErr;
use pyo3::exceptions::{PyMemoryError, PyOverflowError, PyRuntimeError, PyValueError};
use std::any::Any;

/// What the caller can mend: a `ValueError` that says how.
pub(crate) fn value(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Why a graph has no counts. A count too large for 64 bits is an `OverflowError`, a budget that
/// was used up a `RuntimeError`, the rest a `ValueError`.
pub(crate) fn count(error: &CountError) -> PyErr {
    let text = error.to_string();
    match error.kind {
        CountErrorKind::Overflow { .. } => PyOverflowError::new_err(text),
        CountErrorKind::Steps { .. }
        | CountErrorKind::Time { .. }
        | CountErrorKind::Hopeless { .. } => PyRuntimeError::new_err(text),
        CountErrorKind::Memory { .. } => PyMemoryError::new_err(text),
        _ => PyValueError::new_err(text),
    }
}

/// Why a training, a prediction or a comparison failed: a `RuntimeError` if training cannot go on,
/// else a `ValueError`.
pub(crate) fn lab(error: &gsn_lab::Error) -> PyErr {
    match error {
        gsn_lab::Error::Training(_) => PyRuntimeError::new_err(error.to_string()),
        _ => value(error),
    }
}

/// A panic: a mistake in gsn itself.
pub(crate) fn panic(payload: &(dyn Any + Send)) -> PyErr {
    let text = payload
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| payload.downcast_ref::<&str>().copied())
        .unwrap_or("no reason given");
    PyRuntimeError::new_err(format!("gsn made a mistake, please report it: {text}"))
}
