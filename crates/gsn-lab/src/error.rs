//! Errors that name the place and the fix.

/// The result of anything in this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of the lab. Every message is complete: it names file, dataset, epoch or key.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A dataset is missing, damaged, or not what its catalogue entry says.
    #[error("dataset {name}: {what}")]
    Data {
        /// Its name.
        name: String,
        /// What is wrong and what to do.
        what: String,
    },
    /// One graph.
    #[error("row {row}: {what}")]
    Graph {
        /// Its row, from 0.
        row: u64,
        /// What is wrong with it.
        what: String,
    },
    /// A recipe or one of its settings.
    #[error("{0}")]
    Recipe(String),
    /// Training cannot go on.
    #[error("{0}")]
    Training(String),
    /// Telling graphs apart.
    #[error("{0}")]
    Separate(String),
    /// A file or folder of ours.
    #[error("{path}: {what}")]
    File {
        /// Where.
        path: String,
        /// What is wrong and what to do.
        what: String,
    },
    /// The epochs that were asked for are done; the state is saved and nothing is judged.
    #[error("the epochs that were asked for are done")]
    Paused,
    /// Stopped by the user; the state is saved.
    #[error("stopped")]
    Stopped,
    /// Reading graphs.
    #[error(transparent)]
    Io(#[from] gsn_io::Error),
    /// Counting.
    #[error(transparent)]
    Count(#[from] gsn_core::CountError),
    /// The network.
    #[error(transparent)]
    Network(#[from] gsn_nn::Error),
}

impl Error {
    /// About the file or folder `path`.
    pub fn file(path: impl AsRef<std::path::Path>, what: impl std::fmt::Display) -> Self {
        Error::File { path: path.as_ref().display().to_string(), what: what.to_string() }
    }

    /// About the dataset `name`.
    pub fn data(name: impl Into<String>, what: impl std::fmt::Display) -> Self {
        Error::Data { name: name.into(), what: what.to_string() }
    }
}
