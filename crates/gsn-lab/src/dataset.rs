//! [`Dataset`]: graphs with features, targets and splits, ready for a network.
//!
//! Whatever the source (a benchmark of the catalogue or the user's own file), everything behind
//! it sees this one shape.

use gsn_core::Graph;
use gsn_nn::config::Data;
use gsn_nn::metrics::Answers;
use gsn_nn::{Censoring, Features};
use std::borrow::Cow;

/// What is to be predicted.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// Real numbers; how many. A NaN target is missing.
    Regression(usize),
    /// Yes or no (1 or 0), this many questions. A NaN target is missing.
    Binary(usize),
    /// One class of these; the target is its index.
    Classes(Vec<String>),
}

impl Task {
    /// Numbers a network predicts per graph.
    pub fn outputs(&self) -> usize {
        match self {
            Task::Regression(n) | Task::Binary(n) => *n,
            Task::Classes(names) => names.len(),
        }
    }

    /// What a network is asked for.
    pub fn answers(&self) -> Answers {
        match self {
            Task::Regression(_) => Answers::Numbers,
            Task::Binary(_) => Answers::Questions,
            Task::Classes(_) => Answers::Classes,
        }
    }

    /// Numbers in [`Sample::targets`].
    pub fn targets(&self) -> usize {
        match self {
            Task::Regression(n) | Task::Binary(n) => *n,
            Task::Classes(_) => 1,
        }
    }
}

/// One graph and what is known about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// Row of its file, from 0.
    pub row: u64,
    /// The graph.
    pub graph: Graph,
    /// Features of the vertices.
    pub vertex: Option<Features>,
    /// Features of the arcs, in the order of [`Graph::arcs`].
    pub arc: Option<Features>,
    /// Numbers of the graph as a whole, one for each of [`Dataset::columns`]; NaN where missing.
    pub columns: Vec<f64>,
    /// What to predict, [`Task::targets`] numbers; NaN where it is not known.
    pub targets: Vec<f64>,
    /// Which targets are bounds of the true value; empty where none is.
    pub censoring: Vec<Censoring>,
}

impl Sample {
    /// The targets that metrics look at: bounds are none.
    pub fn exact_targets(&self) -> Cow<'_, [f64]> {
        if self.censoring.is_empty() {
            return Cow::Borrowed(&self.targets);
        }
        let exact = |(&target, &side): (&f64, &Censoring)| match side {
            Censoring::None => target,
            _ => f64::NAN,
        };
        self.targets.iter().zip(&self.censoring).map(exact).collect()
    }
}

/// Indices into [`Dataset::samples`] of one fold.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Fold {
    /// To learn from.
    pub train: Vec<u32>,
    /// To choose by; may be empty.
    pub validation: Vec<u32>,
    /// Neither learned from nor chosen by: its errors tell how wide intervals must be. May be
    /// empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calibration: Vec<u32>,
    /// To judge by.
    pub test: Vec<u32>,
}

/// How a dataset is cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Splits {
    /// Not at all.
    None,
    /// One fixed cut.
    Fixed(Fold),
    /// Folds of a cross validation.
    Folds(Vec<Fold>),
}

/// Graphs with features, targets and splits.
#[derive(Debug, Clone)]
pub struct Dataset {
    /// Its name: a catalogue name such as `ZINC-12k`, or the file's.
    pub name: String,
    /// The graphs.
    pub samples: Vec<Sample>,
    /// What is to be predicted.
    pub task: Task,
    /// Names of the numbers that graphs have as wholes; usually none.
    pub columns: Vec<String>,
    /// Names of the targets, [`Task::targets`] of them.
    pub target_names: Vec<String>,
    /// What the vertex features hold, if the set has them.
    pub vertex: Option<Data>,
    /// What the arc features hold, if the set has them.
    pub arc: Option<Data>,
    /// How it is cut.
    pub splits: Splits,
    /// Licence and source, to be handed on with every model.
    pub licence: String,
}
