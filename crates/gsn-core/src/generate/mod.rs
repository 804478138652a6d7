//! Graphs that tests of separation and of counting need: named families and seeded random ones.
//!
//! | function | family |
//! |---|---|
//! | [`cfi`] | Cai, Fürer and Immerman's pairs over any base graph |
//! | [`circulant`], [`csl`] | circulants; a cycle with skip links |
//! | [`rook`], [`shrikhande`], [`paley`] | strongly regular graphs |
//! | [`random_regular`], [`erdos_renyi`], [`chung_lu`], [`random_tree`] | random graphs, the same for the same seed everywhere |
//!
//! ```
//! use gsn_core::generate;
//! // The rook's graph and the Shrikhande graph are the CFI pair over K4.
//! let k4 = gsn_core::Graph::from_edges(4, (0..4).flat_map(|u| (0..u).map(move |v| (u, v))))?;
//! let pair = [generate::cfi(&k4, false)?, generate::cfi(&k4, true)?];
//! let known = [generate::rook(4, 4)?, generate::shrikhande()];
//! let all: Vec<_> = pair.into_iter().chain(known).collect();
//! assert_eq!(gsn_core::wl::isomorphism_classes(&all)?.class, [0, 1, 0, 1]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cfi;
mod random;
mod regular;
#[cfg(test)]
mod tests;

pub use cfi::cfi;
pub use random::{chung_lu, erdos_renyi, random_regular, random_tree};
pub use regular::{circulant, csl, paley, rook, shrikhande};

use crate::graph::GraphError;

/// Why a graph could not be generated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GenerateError {
    /// Numbers that do not go together.
    #[error("{0}")]
    Parameters(String),
    /// More vertices or arcs than a graph may have.
    #[error(transparent)]
    Graph(#[from] GraphError),
}

fn refuse<T>(what: impl Into<String>) -> Result<T, GenerateError> {
    Err(GenerateError::Parameters(what.into()))
}
