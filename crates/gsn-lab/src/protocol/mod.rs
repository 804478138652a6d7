//! What is trained on which part, and which epoch is reported: the `protocol` of a recipe.
//!
//! | file | what |
//! |---|---|
//! | `plan` | from a protocol and a dataset's cuts to the units that are trained |
//! | `held_out` | a validation part from a training part |
//! | `results` | from trained units to the reported numbers |
//! | `measured` | every metric of a unit, with bootstrap intervals |
//! | `separation` | which pairs of graphs random weights tell apart |
//! | `statistics` | mean, spread, interval |

mod held_out;
mod measured;
mod plan;
mod results;
mod separation;
mod statistics;

pub(crate) use held_out::hold_out;
pub use measured::{Measured, PartMetrics, TargetMetrics, UnitMetrics};
pub use plan::{Plan, Role};
pub use results::{Outcome, Report, Run};
pub use separation::Separation;
pub use statistics::Statistics;

use serde::{Deserialize, Serialize};

/// What is trained on which part, and which epoch is reported.
///
/// ```
/// use gsn_lab::protocol::{Choose, Protocol};
/// #[derive(serde::Deserialize)]
/// struct Recipe { protocol: Protocol }
/// let read = |text| toml::from_str::<Recipe>(text).unwrap().protocol;
/// assert_eq!(read("protocol = 'tud-paper'"), Protocol::TudPaper);
/// assert_eq!(
///     read("protocol = { fixed-split = { choose = 'last' } }"),
///     Protocol::FixedSplit { choose: Choose::Last }
/// );
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum Protocol {
    /// The paper's, for the TU datasets: every fold is trained on all that is not its test part;
    /// the one epoch with the best mean test metric over the folds is reported. It chooses on the
    /// test parts, so its numbers are too optimistic.
    TudPaper,
    /// A fair one beside the paper's: every fold also trains with a ninth of its training graphs
    /// held out (so as many as its test part, stratified by class), and reports the test metric
    /// at the epoch that is best on those. Trains twice as many units, as it reports both.
    TudFair,
    /// The dataset's own cut into training, validation and test part; one unit per seed.
    FixedSplit {
        /// Which epoch is reported.
        choose: Choose,
    },
    /// Cuts of the user's own data into folds; one unit for every fold, cut and seed. Each chooses
    /// its epoch by a validation part of its own and is judged on its fold.
    CrossValidation {
        /// Folds of a cut.
        folds: u32,
        /// Different cuts; 1 if not given.
        #[serde(default = "once")]
        repeats: u32,
    },
    /// No training: the share of pairs of graphs that a network with random weights does not
    /// tell apart, one network per seed.
    Separation {
        /// Distance of two graphs below which they are not told apart.
        threshold: f64,
    },
}

fn once() -> u32 {
    1
}

/// Which epoch a fixed split reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Choose {
    /// The last one (ZINC).
    Last,
    /// The one with the best metric on the validation part (molhiv).
    BestValidation,
}

impl Protocol {
    /// Its name, as in recipes and results.
    pub fn name(&self) -> &'static str {
        match self {
            Protocol::TudPaper => "tud-paper",
            Protocol::TudFair => "tud-fair",
            Protocol::FixedSplit { .. } => "fixed-split",
            Protocol::CrossValidation { .. } => "cross-validation",
            Protocol::Separation { .. } => "separation",
        }
    }
}
