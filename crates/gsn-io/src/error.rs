//! What can go wrong with a whole file. Single bad rows are [`Rejected`](crate::Rejected) instead.

use crate::record::Rejected;
use gsn_core::count::CountErrorKind;
use std::io;
use std::path::Path;

/// A file could not be read or written. Every message names the file and says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused, or compressed data is damaged.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: String,
        /// What the system says. Part of the message, so it is not named as its source again.
        error: io::Error,
    },
    /// The file is broken at a line, so that what follows cannot be told apart.
    #[error("{path}, line {line}: {reason}")]
    Line {
        /// The file.
        path: String,
        /// The line, from 1.
        line: u64,
        /// What is wrong, and what was expected.
        reason: String,
    },
    /// The file as a whole is not what it should be.
    #[error("{path}: {reason}")]
    File {
        /// The file.
        path: String,
        /// What is wrong, and what was expected.
        reason: String,
    },
    /// A table lacks a column that is needed.
    #[error("{path} has no column `{column}`; its columns are {}", listed(.there))]
    MissingColumn {
        /// The file.
        path: String,
        /// The column looked for.
        column: String,
        /// The columns there are.
        there: Vec<String>,
    },
    /// No column tells what a table holds.
    #[error(
        "{path} has no column `smiles` and no columns `source` and `target`; its columns are {}; name \
         the one with molecules by --smiles, or the ends of edges by --source-column and \
         --target-column",
        listed(.there)
    )]
    UnknownColumns {
        /// The file.
        path: String,
        /// The columns there are.
        there: Vec<String>,
    },
    /// A column has a type that cannot be used.
    #[error("{path}: column `{column}` holds {found}, but {wanted} is needed")]
    ColumnType {
        /// The file.
        path: String,
        /// The column.
        column: String,
        /// Its type.
        found: String,
        /// What would do.
        wanted: &'static str,
    },
    /// Neither the name nor the first bytes say what the file holds.
    #[error(
        "{path}: unknown format; name it with --format: {}",
        crate::Format::NAMES.join(", ")
    )]
    UnknownFormat {
        /// The file.
        path: String,
    },
    /// The output would overwrite something that is being read.
    #[error("{path} is the input as well; choose another output")]
    OutputIsInput {
        /// The file.
        path: String,
    },
    /// A table beside the sidecar of another one.
    #[error(
        "{path} is not the table that {sidecar} was written with: one of the two was changed, or a count \
         was killed between them; count again"
    )]
    OtherTable {
        /// The table.
        path: String,
        /// The sidecar beside it.
        sidecar: String,
    },
    /// An option that means nothing for this input or output.
    #[error("{path}: {reason}")]
    Option {
        /// The file.
        path: String,
        /// What does not fit.
        reason: String,
    },
    /// This build cannot read or write such data.
    #[error("{path}: this build of gsn lacks `{feature}`; build it with that feature of gsn-io")]
    Feature {
        /// The file.
        path: String,
        /// The cargo feature of gsn-io that is off.
        feature: &'static str,
    },
    /// The patterns do not fit the graphs of an input.
    #[error("{kind}{}", remedy(.kind))]
    Count {
        /// What does not fit.
        kind: CountErrorKind,
    },
    /// Not one row of an input is a graph.
    #[error("{path} holds no graph that can be written")]
    NoGraph {
        /// The input.
        path: String,
        /// The first rejected rows.
        rejected: Vec<Rejected>,
    },
    /// The [`Monitor`](crate::Monitor)'s switch was turned on.
    #[error("cancelled; nothing was written")]
    Cancelled,
    /// The reading thread has ended before the input did.
    #[error("the input could not be read to its end")]
    NotReadToItsEnd,
    /// The reader of the output closed it, which is not a failure.
    #[error("the reader of the output has gone")]
    ClosedPipe,
}

/// The option that may help when patterns do not fit the graphs.
fn remedy(kind: &CountErrorKind) -> &'static str {
    match kind {
        CountErrorKind::Direction { directed: true, .. } => {
            " (--directed, where the file does not say it itself)"
        }
        CountErrorKind::NoLabels { what: "vertex", .. } => {
            " (--vertex-label names them in graphml, gml and node-link)"
        }
        CountErrorKind::NoLabels { .. } => {
            " (--edge-label names them in graphml, gml and node-link)"
        }
        _ => "",
    }
}

fn listed(columns: &[String]) -> String {
    if columns.is_empty() {
        return "none".into();
    }
    let shown: Vec<_> = columns.iter().take(30).map(|name| format!("`{name}`")).collect();
    let more = if columns.len() > 30 { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}

impl Error {
    /// Whether the reader of the output closed it (`gsn … | head`), so that work can stop quietly.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, Error::ClosedPipe)
    }

    pub(crate) fn io(path: impl ToString, error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Error::ClosedPipe;
        }
        Error::Io { path: path.to_string(), error }
    }

    pub(crate) fn columnar(path: impl ToString) -> Self {
        Error::Feature { path: path.to_string(), feature: "columnar" }
    }

    pub(crate) fn line(path: impl ToString, line: u64, reason: impl Into<String>) -> Self {
        Error::Line { path: path.to_string(), line, reason: reason.into() }
    }

    pub(crate) fn file(path: impl ToString, reason: impl Into<String>) -> Self {
        Error::File { path: path.to_string(), reason: reason.into() }
    }
}

/// How a path is shown; `-` is standard input or output.
pub(crate) fn shown(path: &Path, standard: &str) -> String {
    if path.as_os_str() == "-" { standard.into() } else { path.display().to_string() }
}
