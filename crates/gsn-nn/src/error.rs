//! The one error type of the crate: every message says what did not fit and where.

/// What can go wrong when batches, configurations, checkpoints or lengths do not fit.
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
    #[error("the checkpoint {0}")]
    Checkpoint(String),
    /// It does not fit into the memory that the process may have.
    #[error(transparent)]
    Memory(#[from] gsn_core::memory::TooMuch),
    /// Numbers that belong together are not equally many.
    #[error("{what}: {got} numbers, but there are {wanted} {of}")]
    Length {
        /// What has the wrong length.
        what: &'static str,
        /// Its length.
        got: usize,
        /// The length it should have.
        wanted: usize,
        /// What there are so many of.
        of: &'static str,
    },
    /// A loss or metric was given targets that do not fit the predictions.
    #[error("{what}: predictions are {}x{}, targets {}x{}", .prediction.0, .prediction.1, .target.0, .target.1)]
    Shape {
        /// The loss or metric.
        what: String,
        /// Rows and columns of the predictions.
        prediction: (usize, usize),
        /// Rows and columns of the targets.
        target: (usize, usize),
    },
    /// A target names a class the predictions do not have.
    #[error("class {class} is not one of the {classes} classes 0..{classes}")]
    Class {
        /// The target.
        class: f64,
        /// How many classes the predictions have.
        classes: usize,
    },
}

impl Error {
    /// Refuses a length that differs.
    pub(crate) fn length(
        what: &'static str,
        got: usize,
        (wanted, of): (usize, &'static str),
    ) -> Result<()> {
        if got == wanted { Ok(()) } else { Err(Self::Length { what, got, wanted, of }) }
    }
}

/// Result with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Shorthand for an [`Error::Batch`].
pub(crate) fn batch(what: impl Into<String>) -> Error {
    Error::Batch(what.into())
}
