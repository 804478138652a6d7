//! Graphs from files, count tables to files.

pub mod error;
mod format;
mod input;
mod molecule;
mod output;
mod read;
mod record;
mod source;
mod table;

pub use error::Error;
pub use format::{Format, UnknownName};
pub use molecule::{Chematic, MoleculeReader};
pub use record::{Batch, GraphRecord, Rejected, Row};
pub use source::{Batches, FileDigest, GraphSource, InputDigest, ReadOptions, VertexIds};
pub use table::{
    BudgetInfo, CountSink, CountTable, GraphCounts, InputInfo, PatternInfo, Sidecar, TableFormat,
    TableInfo, TableSummary, UnknownTableFormat, rejected_path, sidecar_path,
};
