//! From trained units to the numbers a protocol reports: `results.json`.

use super::plan::{Plan, Role};
use super::{PartMetrics, Protocol, Statistics};
use crate::error::{Error, Result};
use crate::train::{Metric, PartPredictions, Row, Score};
use serde::{Deserialize, Serialize};

/// The result of a trained unit.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Its epochs.
    pub curve: Vec<Row>,
    /// The epoch its model is of.
    pub epoch: u64,
    /// That model on the training (if asked for), validation and test part.
    pub scores: [Option<Score>; 3],
    /// What it says about the rows of all parts but the training part.
    pub predictions: Vec<PartPredictions>,
    /// Every metric of that model on every part.
    pub metrics: Vec<PartMetrics>,
}

/// One unit in the results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// Its name.
    pub unit: String,
    /// Its seed.
    pub seed: u64,
    /// Its fold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fold: Option<u64>,
    /// The reported epoch.
    pub epoch: u64,
    /// Epochs trained.
    pub epochs: u64,
    /// The metric on the test part at the reported epoch.
    pub value: f64,
    /// The metric on the validation part at that epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validation: Option<f64>,
    /// The metric on the training part at that epoch, where the settings ask for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub train: Option<f64>,
}

/// A reported number and the units behind it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The protocol.
    pub protocol: String,
    /// The metric.
    pub metric: Metric,
    /// Mean, spread and interval of the test metric.
    #[serde(flatten)]
    pub test: Statistics,
    /// The same of the validation metric, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validation: Option<Statistics>,
    /// The same of the training metric, where the settings ask for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub train: Option<Statistics>,
    /// The units.
    pub runs: Vec<Run>,
}

impl Protocol {
    /// The protocol's report, and the paper's beside it where it has its own units.
    ///
    /// # Errors
    /// If the metric is not defined on a unit's test part.
    pub fn report(
        &self,
        metric: Metric,
        units: &[(&Plan, Outcome)],
    ) -> Result<(Report, Option<Report>)> {
        let of = |role: Role| units.iter().filter(move |(plan, _)| plan.role == role);
        let main: Vec<_> = of(Role::Main).collect();
        let paper: Vec<_> = of(Role::Paper).collect();
        let main = match self {
            Protocol::TudPaper => best_mean_epoch(metric, &main)?,
            _ => chosen_epochs(self.name(), metric, &main)?,
        };
        let paper = match paper.is_empty() {
            true => None,
            false => Some(best_mean_epoch(metric, &paper)?),
        };
        Ok((main, paper))
    }
}

type Units<'a> = [&'a (&'a Plan, Outcome)];

/// Every unit at the epoch its model is of.
fn chosen_epochs(protocol: &str, metric: Metric, units: &Units<'_>) -> Result<Report> {
    let runs = units.iter().map(|(plan, outcome)| {
        let [train, validation, test] = outcome.scores.map(|s| s.and_then(|s| s.metric));
        run(plan, outcome, outcome.epoch, metric, (train, validation, test))
    });
    report(protocol, metric, runs.collect::<Result<_>>()?)
}

/// All units at the one epoch that is best on average over their test parts.
fn best_mean_epoch(metric: Metric, units: &Units<'_>) -> Result<Report> {
    let epochs = units.iter().map(|(_, o)| o.curve.len()).min().unwrap_or(0);
    let mut best: Option<(usize, f64)> = None;
    for e in 0..epochs {
        let sum: Option<f64> = units.iter().map(|(_, o)| o.curve[e].test).sum();
        if let Some(sum) = sum
            && best.is_none_or(|(_, b)| metric.better(sum, b))
        {
            best = Some((e, sum));
        }
    }
    let e = best.map_or(epochs.saturating_sub(1), |(e, _)| e);
    let runs = units.iter().map(|(plan, outcome)| {
        let row = outcome.curve.get(e).cloned().unwrap_or_default();
        run(plan, outcome, e as u64 + 1, metric, (row.train, None, row.test))
    });
    report(Protocol::TudPaper.name(), metric, runs.collect::<Result<_>>()?)
}

fn run(
    plan: &Plan,
    outcome: &Outcome,
    epoch: u64,
    metric: Metric,
    (train, validation, test): (Option<f64>, Option<f64>, Option<f64>),
) -> Result<Run> {
    let value = test.ok_or_else(|| {
        let (unit, metric) = (&plan.name, metric.name());
        let why = "does it hold graphs of one class only? Try --split stratified, or fewer folds";
        Error::Training(format!("{unit}: {metric} is not defined on the test part; {why}"))
    })?;
    Ok(Run {
        unit: plan.name.clone(),
        seed: plan.seed,
        fold: plan.fold_index,
        epoch,
        epochs: outcome.curve.len() as u64,
        value,
        validation,
        train,
    })
}

fn report(protocol: &str, metric: Metric, runs: Vec<Run>) -> Result<Report> {
    let of = |get: fn(&Run) -> Option<f64>| {
        let values: Option<Vec<f64>> = runs.iter().map(get).collect();
        values.and_then(|values| Statistics::of(&values))
    };
    let test = of(|run| Some(run.value));
    Ok(Report {
        protocol: protocol.to_string(),
        metric,
        test: test.ok_or_else(|| Error::Training("no unit was trained".into()))?,
        validation: of(|run| run.validation),
        train: of(|run| run.train),
        runs,
    })
}
