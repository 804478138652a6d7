//! Where the tests of this crate find what they compare with.
//!
//! Graphs that are small and free to pass on are carried by the program or lie in `tests/data` of
//! the repository, and tests over them always run. The others are looked for in the folder that the variable `GSN_DATA` names.
//! A test over those carries
//!
//! ```text
//! #[cfg_attr(not(data = "tud"), ignore = "needs tud in GSN_DATA")]
//! ```
//!
//! and so is ignored only where the folder is missing; whatever is wrong inside a folder that is
//! there fails the test.

use std::path::{Path, PathBuf};

/// The folder of benchmark data that `GSN_DATA` names.
///
/// # Panics
/// If the variable is not set: a test that asks has been compiled with it set.
pub fn benchmarks() -> PathBuf {
    std::env::var_os("GSN_DATA").map(PathBuf::from).expect("GSN_DATA was set when this was built")
}

/// The folder `tests/data` of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data")
}

/// The folder of the data that the program carries.
pub fn carried() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../gsn-lab/data")
}

#[cfg(doctest)]
include!(concat!(env!("OUT_DIR"), "/pages.rs"));
