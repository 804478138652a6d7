//! The extension module `gsn._gsn`: a thin skin over the library functions that the program `gsn`
//! uses.
//!
//! Arrays come and go as numpy, tables as Arrow; the package in `python/gsn` turns the objects of
//! other libraries into these and back. The interpreter is free while anything is counted, Ctrl-C
//! stops it, and a panic becomes a `RuntimeError`.
//!
//! | file | what |
//! |---|---|
//! | `spec` | what is counted, its columns and pictures |
//! | `graphs` | from arrays to graphs, and which row belongs to which arc |
//! | `count` | counts of one graph or of many |
//! | `datasets` | data sets as arrays, from and to their files |
//! | `encoder` | counts as categories or numbers |
//! | `table` | counts beside the rows of Arrow tables |
//! | `part` | one large graph, counted in parts |
//! | `molecule` | molecules as graphs |
//! | `rows` | Python values and graphs as Arrow tables, for training and prediction |
//! | `train` | training, as `gsn train` |
//! | `model` | predictions, as `gsn predict`, and beside the rows of Arrow tables |
//! | `lab` | `gsn separate` and `gsn suggest` |
//! | `background` | work without the interpreter, stopped by Ctrl-C |

mod background;
mod count;
mod datasets;
mod encoder;
mod error;
mod graphs;
mod lab;
mod model;
mod molecule;
mod part;
mod rows;
mod spec;
mod table;
mod train;

/// Counts, encoders and models of gsn.
#[pyo3::pymodule(gil_used = false)]
mod _gsn {
    #[pymodule_export]
    use super::count::PyCounter;
    #[pymodule_export]
    use super::datasets::PyArrays;
    #[pymodule_export]
    use super::encoder::PyEncoder;
    #[pymodule_export]
    use super::lab::{separate, suggest};
    #[pymodule_export]
    use super::model::PyModel;
    #[pymodule_export]
    use super::molecule::molecule;
    #[pymodule_export]
    use super::part::PyGraph;
    #[pymodule_export]
    use super::rows::{column_table, graph_table, keep_rows};
    #[pymodule_export]
    use super::spec::PySpec;
    #[pymodule_export]
    use super::table::{PyTableCounter, count_batch};
    #[pymodule_export]
    use super::train::train;

    /// Runs the program `gsn` with these arguments; gives its exit code.
    #[pyo3::pyfunction]
    fn main(py: pyo3::Python<'_>, arguments: Vec<std::ffi::OsString>) -> u8 {
        py.detach(|| gsn_cli::main(arguments))
    }

    #[pymodule_init]
    fn init(module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        use pyo3::types::PyModuleMethods;
        gsn_cli::limit_memory(None);
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
