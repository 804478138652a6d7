//! The two acts of `gsn demo` and their data.

mod mutag;
mod refine;

pub(crate) mod molecules;
pub(crate) mod pair;
