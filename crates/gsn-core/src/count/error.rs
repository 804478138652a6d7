//! Why a count could not be made.

use crate::memory::TooMuch;
use std::time::Duration;

/// A count that could not be made, and in which graph.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}{kind}", graph.map(|g| format!("graph {g}: ")).unwrap_or_default())]
pub struct CountError {
    /// 0-based position of the graph among those given, when there were several.
    pub graph: Option<usize>,
    /// What happened.
    pub kind: CountErrorKind,
}

/// What can stop a count.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CountErrorKind {
    /// The step limit was reached.
    #[error(
        "counting {patterns} takes more than the budget of {limit} steps; raise the budget or use smaller patterns"
    )]
    Steps {
        /// Names of the patterns being counted together.
        patterns: String,
        /// The limit.
        limit: u64,
    },
    /// The time limit was reached.
    #[error(
        "counting {patterns} takes longer than the budget of {:.3} seconds; raise the budget or use smaller patterns",
        limit.as_secs_f64()
    )]
    Time {
        /// Names of the patterns being counted together.
        patterns: String,
        /// The limit.
        limit: Duration,
    },
    /// The predicted work is so far beyond the limit that counting was not begun.
    #[error(
        "counting {patterns} would take about {predicted:.0e} steps, {share:.0} % of all the work, far beyond the budget of {limit}; raise the budget or use smaller patterns"
    )]
    Hopeless {
        /// Names of the patterns that cost most.
        patterns: String,
        /// Predicted steps.
        predicted: f64,
        /// Their share of the predicted work, in percent.
        share: f64,
        /// The limit.
        limit: u64,
    },
    /// A count does not fit 64 bits.
    #[error("a count of {patterns} is larger than {max}, the largest that fits 64 bits", max = u64::MAX)]
    Overflow {
        /// Name of the pattern, or of those being counted together.
        patterns: String,
    },
    /// The count was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// Directed and undirected do not mix.
    #[error(
        "pattern {pattern} is {} but the graph is {}; read the graph as {} or change the pattern",
        direction(*directed), direction(!*directed), direction(*directed)
    )]
    Direction {
        /// Name of the pattern.
        pattern: String,
        /// Whether the pattern is the directed one.
        directed: bool,
    },
    /// A pattern asks for labels the graph does not have.
    #[error("pattern {pattern} asks for {what} labels but the graph has none")]
    NoLabels {
        /// Name of the pattern.
        pattern: String,
        /// `vertex` or `edge`.
        what: &'static str,
    },
    /// Edge rows of a directed graph.
    #[error("scope `edge` needs an undirected graph; use scope `arc` for a directed one")]
    DirectedEdges,
    /// What the count works with takes too much memory.
    #[error(
        "the numbers that {patterns} takes would fill {gigabytes} GB in this graph, more than the \
         8 GB there may be; count fewer or smaller patterns at a time"
    )]
    Work {
        /// The patterns.
        patterns: String,
        /// Predicted memory, in 2³⁰ bytes.
        gigabytes: u64,
    },
    /// The result, or what the count works with, does not fit into memory.
    #[error(transparent)]
    Memory(#[from] TooMuch),
}

fn direction(directed: bool) -> &'static str {
    if directed { "directed" } else { "undirected" }
}
