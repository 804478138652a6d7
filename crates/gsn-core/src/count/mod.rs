//! Exact counts of pattern occurrences, by the role that vertices, edges and arcs play in them.
//!
//! See the README in this folder for how the pieces fit.

mod atomic;
mod binomial;
mod budget;
mod cells;
mod clique;
mod cost;
mod counter;
mod counts;
mod coverage;
mod cycle;
#[cfg(any(test, feature = "testing"))]
#[cfg_attr(not(test), doc(hidden))]
pub mod differential;
mod error;
mod gather;
mod gauge;
mod graphlet;
mod hand_out;
mod homomorphism;
mod independent;
mod kernel;
mod layout;
mod list;
mod matcher;
mod members;
pub mod oracle;
mod packed;
mod part;
mod path;
mod pivot;
mod plan;
mod planned;
mod prepared;
mod probe;
mod replace;
mod star;
mod tally;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod toy;
mod twins;
mod uniform;

pub use budget::Budget;
pub use counter::Counter;
pub(crate) use counts::columns;
pub use counts::{Column, Counts};
pub use coverage::Coverage;
pub use error::{CountError, CountErrorKind};
pub use list::Occurrences;
pub use part::Part;
pub use plan::{Plan, PlanStep};

use serde::{Deserialize, Serialize};

/// What the rows of a count are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// One row a vertex, vertex orbits (GSN-v).
    #[default]
    Vertex,
    /// One row an edge `source < target`, edge orbits.
    Edge,
    /// One row an arc, arc orbits (GSN-e).
    Arc,
}

/// Which subgraphs of G are occurrences of H, or that maps are counted instead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Matching {
    /// Graphlets: all edges of G between the vertices belong to the occurrence.
    #[default]
    Induced = 0,
    /// Motifs: G may have more edges between the vertices.
    Subgraph = 1,
    /// Maps of H into G that keep edges, and may send several vertices to one: how many of them
    /// send a given vertex or arc of an orbit to this vertex or arc.
    Homomorphism = 2,
}

/// How many matchings there are.
pub(crate) const KINDS_OF_MATCHING: usize = 3;

/// The matchings that count occurrences, in the order of the tables.
pub(crate) const MATCHINGS: [Matching; 2] = [Matching::Induced, Matching::Subgraph];
