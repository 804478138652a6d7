//! Kernels for all connected patterns of a few vertices at once; see the README in this folder.
//!
//! [`small`] lists connected vertex sets and looks them up (at most 6 vertices); [`five`] counts
//! maps by formulas over a few arc tables (at most 5 vertices) and lists next to nothing; [`girth`] does so in no
//! time where there are no triangles and squares.

mod columns;
pub(super) mod five;
pub(super) mod girth;
mod maps;
pub(super) mod small;
mod tables;
#[cfg(test)]
mod tests;

pub(super) use columns::Wants;
