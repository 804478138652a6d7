//! The catalogue of benchmarks: where each comes from, what its files hash to, what is in it, and
//! how it becomes a [`Dataset`] or a [`GraphSet`].
//!
//! A set is looked for in the folder `GSN_DATA` names, then in the user's data folder, then in what
//! the program carries ([`Store`]). Its files are hashed while they are read, and its [`Statistics`] are compared with
//! the catalogue: a set that differs is refused, by the name of the number that does.
//!
//! A set of another library can be brought into a data folder ([`import`]); its own hashes and
//! statistics then stand beside it and are checked in place of the catalogue's.
//!
//! ```
//! let zinc = gsn_lab::catalogue::load("ZINC-12k")?;
//! assert_eq!(zinc.samples.len(), 12_000);
//! let pairs = gsn_lab::catalogue::graphs("BREC")?.pairs;
//! assert_eq!(pairs.len(), 400);
//! # Ok::<(), gsn_lab::Error>(())
//! ```

mod carried;
mod entry;
mod imported;
mod read;
pub(crate) mod store;

pub use carried::file as carried_file;
pub use entry::{
    Archive, Entry, FileEntry, Kind, Source, Statistics, Unpacked, entries, find, source,
};
pub use imported::{Imported, ImportedFile, import};
pub use read::{GraphSet, Pair};
pub(crate) use store::hex;
pub use store::{Location, Store, data_folder, overlooked, user_folder};

use crate::dataset::Dataset;
use crate::error::Result;

/// The set `name`, from wherever it is found.
///
/// # Errors
/// When there is no such set, it is not on this machine, or it is not what the catalogue says.
pub fn load(name: &str) -> Result<Dataset> {
    Store::from_env()?.load(name)
}

/// The graphs of the set `name`, with their classes and pairs but without features.
///
/// # Errors
/// As [`load`].
pub fn graphs(name: &str) -> Result<GraphSet> {
    Store::from_env()?.graphs(name)
}
