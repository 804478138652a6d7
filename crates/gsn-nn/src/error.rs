//! The one error type of the crate: every message says what did not fit and where.

/// What can go wrong when batches, configurations or checkpoints do not fit.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A batch was put together from pieces that contradict each other.
    #[error("graph {graph}: {what}")]
    Graph {
        /// Index of the graph among those handed in.
        graph: usize,
        /// What is wrong with it.
        what: String,
    },
    /// A batch does not offer what the model reads.
    #[error("the batch does not fit the model: {0}")]
    Batch(String),
    /// A model configuration is contradictory.
    #[error("model configuration: {0}")]
    Config(String),
    /// A checkpoint cannot be read or does not fit its configuration.
    #[error("checkpoint {path}: {what}")]
    Checkpoint {
        /// The file.
        path: String,
        /// What is wrong with it.
        what: String,
    },
    /// An optimiser, scheduler, loss or metric was asked for the impossible.
    #[error("{0}")]
    Training(String),
}

/// Result with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Shorthand for an [`Error::Batch`].
pub(crate) fn batch(what: impl Into<String>) -> Error {
    Error::Batch(what.into())
}

/// Shorthand for an [`Error::Config`].
pub(crate) fn config(what: impl Into<String>) -> Error {
    Error::Config(what.into())
}
