//! Exact substructure counts: the heart of `gsn`.
//!
//! A [`Graph`] goes in, a [`CountSpec`] says which small connected subgraphs to look for and on
//! what, and a [`Counter`] returns, for every vertex, edge or arc, how often it plays each role
//! (orbit) of each pattern. Every number is exact, or there is an error.
//!
//! ```
//! use gsn_core::{CountSpec, Counter, Graph};
//!
//! // Two triangles that share the edge 1-2.
//! let graph = Graph::from_edges(4, [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)])?;
//! let counter = Counter::new(&CountSpec::new("cycle:3..=4".parse()?));
//! let counts = counter.count(&graph)?;
//! assert_eq!(counts.row(1), [2, 0]); // vertex 1: two triangles, no induced 4-cycle
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod count;
pub mod encode;
pub mod generate;
pub mod graph;
pub mod memory;
pub mod orbit;
pub mod pattern;
pub mod random;
mod setters;
mod spec;
pub mod threads;
pub mod wl;

pub use count::{Budget, CountError, Counter, Counts, Matching, Scope};
pub use encode::{CountEncoder, Encoding, Unseen};
pub use graph::{Graph, GraphBuilder};
pub use orbit::{EdgeOrbits, Orbits};
pub use pattern::{Pattern, PatternSet};
pub use spec::{CountSpec, CountSpecError};
