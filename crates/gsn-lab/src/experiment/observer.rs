//! What a run reports while it goes on.

use crate::protocol::Outcome;
use crate::train::{Metric, Row};

/// Something that happened in a run. Units are named by their place among the planned ones.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// What is being done before training starts.
    Phase(&'a str),
    /// Something a person should know.
    Note(&'a str),
    /// Training starts.
    Planned(Planned<'a>),
    /// A unit is taken up, `epoch` epochs of it are done already.
    Started {
        /// Which.
        unit: usize,
        /// Finished epochs.
        epoch: u64,
    },
    /// A step is done.
    Step {
        /// Of which unit.
        unit: usize,
        /// Steps of this unit so far, over all epochs.
        steps: u64,
    },
    /// An epoch is done.
    Epoch {
        /// Of which unit.
        unit: usize,
        /// What was measured.
        row: &'a Row,
        /// The best epoch by validation and its metric, where it is measured.
        best: Option<(u64, f64)>,
    },
    /// A unit is done.
    Done {
        /// Which.
        unit: usize,
        /// Its result.
        outcome: &'a Outcome,
    },
}

/// What will be trained.
#[derive(Debug)]
pub struct Planned<'a> {
    /// Names of the units.
    pub units: &'a [String],
    /// What is measured.
    pub metric: Metric,
    /// Epochs of each at most.
    pub epochs: u64,
    /// Steps of an epoch (of the first unit; others may differ by one).
    pub steps: u64,
    /// Trained numbers of the network.
    pub parameters: usize,
    /// Units side by side.
    pub jobs: usize,
    /// Threads of each.
    pub threads: usize,
}

/// Receives events. Events come from several threads; steps come often.
pub trait Observer: Sync {
    /// Something happened.
    fn event(&self, event: Event<'_>);
}

/// Ignores all events.
impl Observer for () {
    fn event(&self, _: Event<'_>) {}
}
