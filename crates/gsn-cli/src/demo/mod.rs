//! The three acts of `gsn demo` and their data.

mod mutag;
mod rings;

pub(crate) mod learn;
pub(crate) mod molecules;
pub(crate) mod pair;
