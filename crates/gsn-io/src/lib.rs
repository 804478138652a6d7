//! Graphs from files, count tables to files.
//!
//! [`GraphSource`] streams graphs out of graph6, sparse6, edge lists, TU folders, GIN/DGCNN text,
//! GraphML, CSV/TSV with a SMILES column, `.smi`, Parquet and Arrow IPC, packed with gzip or not.
//! A row that is not a graph is a [`Rejected`] with its line and reason, and reading goes on; a
//! broken file is an [`Error`] that names file and line. [`GraphSink`] writes graphs back.
//! [`CountSink`] writes count tables as Parquet, Arrow IPC, CSV or npz, with a [`Sidecar`];
//! [`CountTable`] reads them. Outputs are complete or absent, and memory is bounded whatever the
//! number of rows.
//!
//! ```
//! use gsn_core::{CountSpec, Counter};
//! use gsn_io::{CountSink, GraphSource, InputInfo, ReadOptions, Sidecar, TableFormat};
//!
//! let dir = tempfile::tempdir()?;
//! let (input, output) = (dir.path().join("rings.smi"), dir.path().join("rings.parquet"));
//! std::fs::write(&input, "C1CC1 cyclopropane\nC1CC\nc1ccccc1 benzene\n")?;
//!
//! let spec = CountSpec::new("cycle:3..=6".parse()?);
//! let counter = Counter::new(&spec);
//! let columns: Vec<String> = counter.columns().iter().map(|c| c.name().to_owned()).collect();
//! let (format, inputs) = (TableFormat::Parquet, [input.clone()]);
//! let mut sink = CountSink::create(&output, format, spec.scope(), &columns, &inputs)?;
//!
//! let mut batches = GraphSource::open(&input, &ReadOptions::default())?.read_batches(1024);
//! let mut rows = 0;
//! for batch in batches.by_ref() {
//!     let batch = batch?;
//!     rows += (batch.records.len() + batch.rejected.len()) as u64;
//!     for record in &batch.records {
//!         sink.push(record.row, &record.graph, counter.count(&record.graph)?.values())?;
//!     }
//!     for rejected in &batch.rejected {
//!         sink.reject(rejected)?; // goes to rings.rejected.csv
//!     }
//! }
//! let mut sidecar = Sidecar::new(&spec);
//! sidecar.input = Some(InputInfo::of_batches(&batches, rows)?);
//! let summary = sink.finish(Some(sidecar))?;
//! assert_eq!((summary.graphs, summary.rows, summary.rejected), (2, 9, 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod atomic;
mod error;
mod format;
mod input;
mod molecule;
mod output;
mod patterns;
mod read;
mod record;
mod source;
mod table;
mod write;

pub use error::Error;
pub use format::{Format, UnknownName};
pub use molecule::{
    Chematic, Featurisation, MoleculeFeatures, MoleculeReader, UnknownFeaturisation,
};
pub use patterns::PatternFiles;
pub use record::{Batch, GraphRecord, Rejected, Row};
pub use source::{Batches, FileDigest, GraphSource, InputDigest, ReadOptions, VertexIds};
pub use table::{
    BudgetInfo, CountSink, CountTable, GraphCounts, InputInfo, PatternInfo, Prediction,
    PredictionKind, PredictionSink, RejectedFile, Sidecar, TableFormat, TableInfo, TableSummary,
    UnknownTableFormat, rejected_path, sidecar_path,
};
pub use write::{GraphSink, Lost};
