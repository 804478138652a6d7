//! Kernels for all connected patterns of a few vertices at once; see the README in this folder.
//!
//! [`listing`] lists connected vertex sets and looks them up (at most 6 vertices); [`formulas`]
//! counts maps by formulas over a few arc tables (at most 5 vertices) and lists next to nothing;
//! [`girth`] needs only degrees where there are no triangles and squares.

mod columns;
mod conversion;
mod formulas;
mod girth;
mod graphlets;
mod listing;
#[cfg(test)]
mod tests;

pub(super) use formulas::{FormulaKernel, TwinKernel};
pub(super) use girth::GirthKernel;
pub(super) use listing::ListingKernel;
