//! The catalogue of benchmarks: where each comes from, what its files hash to, what is in it, and
//! how it becomes a [`Dataset`] or a [`GraphSet`].
//!
//! A set is looked up in `GSN_DATA`, then in `../shared/data`, then in the user's data folder
//! ([`Store`]). Its files are hashed while they are read, and its [`Statistics`] are compared with
//! the catalogue: a set that differs is refused, by the name of the number that does.
//!
//! ```no_run
//! let zinc = gsn_lab::catalogue::load("ZINC-12k")?;
//! assert_eq!(zinc.samples.len(), 12_000);
//! let pairs = gsn_lab::catalogue::graphs("BREC")?.pairs;
//! assert_eq!(pairs.len(), 400);
//! # Ok::<(), gsn_lab::Error>(())
//! ```

mod entry;
pub(crate) mod place;
mod read;

pub use entry::{Entry, FileEntry, Kind, Source, Statistics, Unpacked, entries, find, source};
pub(crate) use place::hex;
pub use place::{Store, user_folder};
pub use read::{GraphSet, Pair};

use crate::dataset::Dataset;
use crate::error::Result;

/// The set `name`, from wherever it is found.
///
/// # Errors
/// When there is no such set, it is not on this machine, or it is not what the catalogue says.
pub fn load(name: &str) -> Result<Dataset> {
    Store::from_env().load(name)
}

/// The graphs of the set `name`, with their classes and pairs but without features.
///
/// # Errors
/// As [`load`].
pub fn graphs(name: &str) -> Result<GraphSet> {
    Store::from_env().graphs(name)
}
