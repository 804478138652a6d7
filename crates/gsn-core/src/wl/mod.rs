//! Colour refinement: what message passing can tell apart, without weights and thresholds.
//!
//! | function | test |
//! |---|---|
//! | [`refine`] | 1-WL from any start colours: none, labels, vertex counts (the bound of GSN-v), arc counts (the bound of GSN-e) |
//! | [`Fwl`] | 2-FWL and 3-FWL, the folklore forms, in bounded memory |
//! | [`isomorphic`], [`isomorphism_classes`] | the pairs that no invariant separates |
//! | [`treewidth`] | k-FWL tells graphs apart exactly when homomorphism counts from a graph of treewidth at most k differ |
//!
//! Colours are numbers that mean the same in every graph of a call, so two graphs are told apart
//! exactly when their histograms differ. Signatures are compared in full, not by their hashes.
//!
//! ```
//! use gsn_core::wl::{Fwl, Start, refine};
//! use gsn_core::Graph;
//!
//! let hexagon = Graph::from_edges(6, (0..6).map(|v| (v, (v + 1) % 6)))?;
//! let triangles = Graph::from_edges(6, [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)])?;
//! let graphs = [hexagon, triangles];
//! assert_eq!(refine(&graphs, &[])?.classes(), [0, 0]); // 1-WL sees one graph twice
//! assert_eq!(Fwl::new(2)?.classes(&graphs, &[])?, [0, 1]); // 2-FWL sees two
//! # let _ = Start::default();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod colouring;
mod fwl;
mod isomorphism;
mod names;
mod partition;
mod small;
#[cfg(test)]
mod tests;
mod treewidth;

pub use colouring::{Colouring, refine};
pub use fwl::Fwl;
pub use isomorphism::{Isomorphism, IsomorphismClasses, isomorphic, isomorphism_classes};
pub use names::{Names, group};
pub use treewidth::treewidth;

use crate::graph::Graph;

/// Start colours of one graph; what is `None` is the same everywhere.
///
/// Colours are numbers below `u32::MAX` that must mean the same in all graphs of a call; labels
/// do, and [`Names`] gives such numbers to rows of counts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Start<'a> {
    /// A colour for every vertex.
    pub vertex: Option<&'a [u32]>,
    /// A colour for every arc, in the order of [`Graph::arcs`].
    pub arc: Option<&'a [u32]>,
}

impl<'a> Start<'a> {
    /// The labels of the graph, as far as it has them.
    pub fn labels(graph: &'a Graph) -> Self {
        Self { vertex: graph.vertex_labels(), arc: graph.arc_labels() }
    }

    fn check(&self, at: usize, graph: &Graph) -> Result<(), WlError> {
        let wrong = |what, found, expected| WlError::Length { graph: at, what, found, expected };
        if let Some(colours) = self.vertex {
            if colours.len() != graph.order() {
                return Err(wrong("vertices", colours.len(), graph.order()));
            }
            if colours.contains(&u32::MAX) {
                return Err(WlError::Colour { graph: at });
            }
        }
        if let Some(colours) = self.arc {
            if colours.len() != graph.arc_count() {
                return Err(wrong("arcs", colours.len(), graph.arc_count()));
            }
            if colours.contains(&u32::MAX) {
                return Err(WlError::Colour { graph: at });
            }
        }
        Ok(())
    }
}

/// Start colours for every graph: none where `starts` is empty.
fn starts_of<'a>(graphs: &[Graph], starts: &[Start<'a>]) -> Result<Vec<Start<'a>>, WlError> {
    if starts.is_empty() {
        return Ok(vec![Start::default(); graphs.len()]);
    }
    if starts.len() != graphs.len() {
        return Err(WlError::Starts { starts: starts.len(), graphs: graphs.len() });
    }
    for (at, (start, graph)) in starts.iter().zip(graphs).enumerate() {
        start.check(at, graph)?;
    }
    Ok(starts.to_vec())
}

/// Why graphs could not be refined.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WlError {
    /// Not one start for every graph.
    #[error("{starts} start colourings for {graphs} graphs; give one for each, or none at all")]
    Starts {
        /// Starts given.
        starts: usize,
        /// Graphs given.
        graphs: usize,
    },
    /// A start of the wrong length.
    #[error("graph {graph}: {found} start colours for {expected} {what}")]
    Length {
        /// Which graph.
        graph: usize,
        /// `vertices` or `arcs`.
        what: &'static str,
        /// Colours given.
        found: usize,
        /// Colours needed.
        expected: usize,
    },
    /// A start colour that is reserved.
    #[error("graph {graph}: start colours must be below {max}", max = u32::MAX)]
    Colour {
        /// Which graph.
        graph: usize,
    },
    /// Only 2-FWL and 3-FWL are offered.
    #[error("{0}-FWL is not offered; use 1-WL (`refine`), 2-FWL or 3-FWL")]
    Dimension(usize),
    /// The tables would be larger than allowed.
    #[error(
        "{k}-FWL on {order} vertices needs {} MB, more than the limit of {} MB; raise the limit or leave these graphs out",
        needed.div_ceil(1 << 20), limit >> 20
    )]
    Memory {
        /// Length of the tuples.
        k: usize,
        /// Vertices of the largest graph.
        order: usize,
        /// Bytes needed, at least.
        needed: u64,
        /// The limit.
        limit: u64,
    },
    /// More vertices than the exact treewidth is computed for.
    #[error("the exact treewidth is computed for at most {1} vertices, not {0}")]
    TooLarge(usize, usize),
}
