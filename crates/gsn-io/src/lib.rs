//! Graphs from files, count tables to files.
//!
//! [`count`], [`convert`] and [`verify`] go from file to file as a stream: each takes a request,
//! tells a [`Monitor`] how far it is, and gives a summary or a typed error. Outputs are complete or
//! absent, and memory is bounded whatever the number of rows.
//!
//! ```
//! use gsn_core::CountSpec;
//! use gsn_io::{ConvertRequest, CountRequest, VerifyRequest, convert, count, verify};
//!
//! let dir = tempfile::tempdir()?;
//! let (input, table) = (dir.path().join("rings.g6"), dir.path().join("rings.csv"));
//! std::fs::write(&input, "Bw\nnonsense\nEhEG\n")?; // a triangle, a bad row, a hexagon
//!
//! let rings = CountSpec::new("cycle:3..=6".parse()?);
//! let summary = count(&CountRequest::new(&input, &table, rings))?;
//! assert_eq!((summary.table.graphs, summary.table.rows), (2, 9));
//! assert_eq!(summary.table.rejected.count, 1); // listed in rings.rejected.csv
//! assert!(verify(&VerifyRequest::new(&table))?.differences.is_empty());
//! convert(&ConvertRequest::new(&input, dir.path().join("rings.graphml")))?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Below them, [`GraphSource`] streams graphs out of graph6, sparse6, edge lists, TU folders,
//! GIN/DGCNN text, GraphML, GML, node-link JSON, Matrix Market, DIMACS, CSV/TSV with molecules or
//! edges, `.smi`, SDF, Parquet and Arrow IPC, packed with gzip or not; what the file calls the
//! vertices goes along as [`VertexNames`]. A row that is not a graph is a [`Rejected`] with its line and reason, and
//! reading goes on; a broken file is an [`Error`] that names file and line. [`GraphSink`] writes
//! graphs. [`CountSink`] writes count tables as Parquet, Arrow IPC, CSV or npz, with a [`Sidecar`];
//! [`CountTable`] reads them. In memory, [`count_batch`] gives the counts of many graphs as
//! [`CountColumns`]: slices, or an Arrow record batch.
//!
//! | feature | brings | default |
//! |---|---|---|
//! | `columnar` | Parquet and Arrow: graphs, tables, record batches | on |
//! | `chemistry` | molecules from SMILES | on |
//!
//! What a feature would bring is an [`Error::Feature`] without it.

pub mod atomic;
#[cfg(feature = "columnar")]
mod columnar;
mod delimiter;
mod error;
mod format;
pub mod guard;
mod input;
mod metered;
mod molecule;
mod monitor;
mod names;
mod output;
mod patterns;
pub mod pipeline;
mod read;
mod record;
mod source;
mod table;
#[cfg(test)]
mod toy;
mod verb;
mod write;

#[cfg(feature = "columnar")]
pub use arrow_array::RecordBatch;
#[cfg(feature = "columnar")]
pub use columnar::{
    CountedBatches, count_part, count_record_batch, counted_fields, counted_schema,
    graph_of_record_batch, part_fields, predicted_fields, predictions_beside, read_record_batch,
    write_record_batches,
};
pub use delimiter::Delimiter;
pub use error::Error;
pub use format::{Format, UnknownFormat};
pub use molecule::{
    BadMolfile, Chematic, DrawnAtom, DrawnBond, DrawnMolecule, Featurisation, MoleculeFeatures,
    MoleculeReader, UnknownFeaturisation,
};
pub use monitor::{Event, Monitor};
pub use names::{NameKind, VertexName, VertexNames, VertexNaming};
pub use output::{TableDigest, csv_field, shortest};
pub use patterns::{PatternFiles, PatternMolecules};
pub use record::{Batch, GraphRecord, Rejected, Row, plausible_order};
pub use source::{
    Batches, FileDigest, GraphSource, InputDigest, ListColumns, ReadOptions, VertexIds,
};
pub use table::{
    BudgetInfo, CountBatch, CountColumns, CountSink, CountTable, GraphCounts, InputInfo,
    PatternInfo, Prediction, PredictionColumns, PredictionKind, PredictionSink, RejectedFile,
    RejectedRows, Sidecar, TableFormat, TableInfo, TableSummary, VertexColumn, count_batch,
    rejected_path, sidecar_path,
};
pub use verb::{
    ConvertRequest, ConvertSummary, CountRequest, CountSummary, Difference, ListRequest,
    ListSummary, VerifyError, VerifyReport, VerifyRequest, convert, count, list, verify,
};
pub use write::{GraphSink, Lost};
