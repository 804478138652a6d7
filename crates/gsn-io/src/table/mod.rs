//! Count tables: `graph`, then `vertex` or `source` and `target`, then one column a pattern and
//! orbit.
//!
//! [`CountSink`] takes the counts of one graph after the other and writes row groups of bounded
//! size, so memory does not grow with the number of rows. [`CountTable`] reads a table back.

mod archive;
#[cfg(feature = "columnar")]
mod columnar;
mod columns;
mod csv;
mod deflate;
mod format;
mod keys;
mod npz;
mod predictions;
mod read;
mod rejected;
mod sidecar;
mod sink;

pub(crate) use columns::row_ends;
pub use columns::{CountBatch, CountColumns, count_batch};
pub use format::TableFormat;
pub use keys::VertexColumn;
#[cfg(feature = "columnar")]
pub(crate) use predictions::arrow::{prediction_arrays, prediction_fields};
pub use predictions::{Prediction, PredictionColumns, PredictionKind, PredictionSink};
pub use read::{CountTable, GraphCounts};
pub use rejected::{RejectedFile, RejectedRows, rejected_path};
pub use sidecar::{BudgetInfo, InputInfo, PatternInfo, Sidecar, TableInfo, sidecar_path};
pub use sink::{CountSink, TableSummary};
