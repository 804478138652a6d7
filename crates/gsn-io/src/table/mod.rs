//! Count tables: `graph`, then `vertex` or `source` and `target`, then one column a pattern and
//! orbit.
//!
//! [`CountSink`] takes the counts of one graph after the other and writes row groups of bounded
//! size, so memory does not grow with the number of rows. [`CountTable`] reads a table back.

mod columnar;
mod csv;
mod npz;
mod predictions;
mod read;
mod rejected;
mod sidecar;
mod sink;

pub use predictions::{Prediction, PredictionKind, PredictionSink};
pub use read::{CountTable, GraphCounts};
pub use rejected::{RejectedFile, rejected_path};
pub use sidecar::{BudgetInfo, InputInfo, PatternInfo, Sidecar, TableInfo, sidecar_path};
pub use sink::{CountSink, TableSummary};

use gsn_core::Scope;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// A file format for count tables.
///
/// ```
/// use gsn_io::TableFormat;
/// assert_eq!(TableFormat::from_path("counts.csv.gz".as_ref()), Some(TableFormat::Csv));
/// assert_eq!("npz".parse::<TableFormat>(), Ok(TableFormat::Npz));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TableFormat {
    /// Parquet, packed with zstd.
    Parquet,
    /// An Arrow IPC file, not packed, to be mapped into memory.
    Arrow,
    /// Comma-separated values.
    Csv,
    /// NumPy arrays `graph`, `vertex` or `source` and `target`, `counts`, `columns`.
    Npz,
}

const ALL: [TableFormat; 4] =
    [TableFormat::Parquet, TableFormat::Arrow, TableFormat::Csv, TableFormat::Npz];

impl TableFormat {
    /// The names that [`TableFormat::from_str`] understands.
    pub const NAMES: [&'static str; 4] = ["parquet", "arrow", "csv", "npz"];

    /// What the ending of a file name says; `.gz` is looked through.
    pub fn from_path(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        Some(match name.rsplit_once('.')?.1 {
            "parquet" | "pq" => TableFormat::Parquet,
            "arrow" | "feather" | "ipc" => TableFormat::Arrow,
            "csv" => TableFormat::Csv,
            "npz" => TableFormat::Npz,
            _ => return None,
        })
    }
}

impl fmt::Display for TableFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = ALL.iter().position(|format| format == self).unwrap_or(0);
        f.pad(Self::NAMES[at])
    }
}

impl FromStr for TableFormat {
    type Err = UnknownTableFormat;

    fn from_str(text: &str) -> Result<Self, UnknownTableFormat> {
        let at = Self::NAMES.iter().position(|name| name.eq_ignore_ascii_case(text));
        at.map(|at| ALL[at]).ok_or_else(|| UnknownTableFormat { name: text.to_owned() })
    }
}

/// No table format is called that.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no table format is called `{name}`; there are {}", TableFormat::NAMES.join(", "))]
pub struct UnknownTableFormat {
    /// What was asked for.
    pub name: String,
}

/// The names of the columns before the counts.
fn key_columns(scope: Scope) -> &'static [&'static str] {
    match scope {
        Scope::Vertex => &["graph", "vertex"],
        Scope::Edge | Scope::Arc => &["graph", "source", "target"],
    }
}

/// Some rows of a table, column by column.
#[derive(Clone, Debug, Default, PartialEq)]
struct Rows {
    graph: Vec<u64>,
    /// `vertex`, or `source` and `target`.
    ends: Vec<Vec<u32>>,
    counts: Vec<Vec<u64>>,
}

impl Rows {
    fn new(scope: Scope, columns: usize) -> Self {
        let ends = key_columns(scope).len() - 1;
        Self { graph: Vec::new(), ends: vec![Vec::new(); ends], counts: vec![Vec::new(); columns] }
    }

    fn len(&self) -> usize {
        self.graph.len()
    }

    fn clear(&mut self) {
        self.graph.clear();
        self.ends.iter_mut().for_each(Vec::clear);
        self.counts.iter_mut().for_each(Vec::clear);
    }
}
