//! What the units of a run say together: the score of their mean prediction, intervals and how
//! often they hold, and the one model file with all of them.
//!
//! Units of one split are members for every row. Of a cross validation the members of a row are
//! the units that were not trained on it, so that the whole table is judged out of fold.
//!
//! Intervals come from the rows kept apart, or from all rows out of fold. How often they hold is
//! counted on rows that had no part in them: the test part, or each fold with the errors of the
//! other folds.

use crate::conformal::{Calibration, Count, Coverage, Judged, Level, Source};
use crate::dataset::{Dataset, Task};
use crate::ensemble::Said;
use crate::error::{Error, Result};
use crate::model_file::{Card, Member, ModelFile, Part, Recorded};
use crate::protocol::{Outcome, Plan, Protocol, Role};
use crate::run::Folder;
use crate::train::{Form, Metric, PartPredictions, Settings};
use gsn_nn::Matrix;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// How good the mean prediction of several units is; all its metrics are among those of the units,
/// as `ensemble`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ensemble {
    /// Members that predict a row: all units, or those that were not trained on it.
    pub members: usize,
    /// Which rows are judged.
    pub rows: JudgedRows,
    /// How many.
    pub count: u64,
    /// The run's metric.
    pub metric: Metric,
    /// Its value.
    pub value: f64,
    /// On the validation part, of units of one split.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validation: Option<f64>,
}

/// Which rows a mean prediction is judged on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JudgedRows {
    /// The test part.
    Test,
    /// Every row, by the members that were not trained on it.
    OutOfFold,
}

/// Rows with what their members say.
struct Rows<'a> {
    dataset: &'a Dataset,
    rows: Vec<Row<'a>>,
}

/// A graph by its place in the dataset, its targets as metrics look at them, and what its members
/// say.
type Row<'a> = (u32, Cow<'a, [f64]>, Said);

impl<'a> Rows<'a> {
    /// The rows of a part, each predicted by all units that have it in this part.
    fn of(dataset: &'a Dataset, part: Part, units: &Units<'_>) -> Self {
        let mut said: BTreeMap<u32, Vec<Vec<f64>>> = BTreeMap::new();
        let predictions = units.iter().flat_map(|(_, outcome)| &outcome.predictions);
        for prediction in predictions.filter(|prediction| prediction.part == part) {
            let values = prediction.values();
            for (at, &i) in prediction.items.iter().enumerate() {
                said.entry(i).or_default().push(values.row(at).to_vec());
            }
        }
        let rows = said.into_iter().filter_map(|(i, all)| {
            let sample = dataset.samples.get(i as usize)?;
            Some((i, sample.exact_targets(), Said::mean_of(&all)?))
        });
        Self { dataset, rows: rows.collect() }
    }

    fn judged(&self) -> Vec<Judged<'_>> {
        self.rows.iter().map(|(_, targets, said)| (&targets[..], said)).collect()
    }

    /// The mean predictions, as if one unit had made them.
    fn predictions(&self, part: Part) -> PartPredictions {
        let matrix = |cols: usize, data: Vec<f64>| {
            Matrix::from_vec(self.rows.len(), cols, data).unwrap_or_default()
        };
        let task = &self.dataset.task;
        let said = self.rows.iter().flat_map(|(.., said)| said.numbers.clone()).collect();
        let truth = self.rows.iter().flat_map(|(_, targets, _)| targets.to_vec()).collect();
        PartPredictions {
            part,
            items: self.rows.iter().map(|(i, ..)| *i).collect(),
            answers: task.answers(),
            targets: matrix(task.targets(), truth),
            outputs: matrix(task.outputs(), said),
            form: Form::Probabilities,
        }
    }
}

/// Units with their results.
type Units<'a> = [&'a (&'a Plan, Outcome)];

/// What the units of a run on the user's own data give together.
#[derive(Default)]
pub(super) struct Together {
    pub(super) ensemble: Option<Ensemble>,
    calibration: Option<Calibration>,
    pub(super) coverage: Option<Coverage>,
    metrics: Vec<Recorded>,
    /// What the members say together of the rows none of them (of folds: not all of them) was
    /// trained on; empty for one unit.
    pub(super) predictions: Vec<PartPredictions>,
}

impl Together {
    /// Averages, calibrates and judges.
    pub(super) fn new(
        dataset: &Dataset,
        protocol: &Protocol,
        settings: &Settings,
        units: &[(&Plan, Outcome)],
    ) -> Result<Self> {
        let main: Vec<_> = units.iter().filter(|(plan, _)| plan.role == Role::Main).collect();
        let folds = matches!(protocol, Protocol::CrossValidation { .. });
        let test = Rows::of(dataset, Part::Test, &main);
        let validation = Rows::of(dataset, Part::Validation, &main);
        let apart = Rows::of(dataset, Part::Calibration, &main);
        let (calibration, coverage) = match *protocol {
            Protocol::CrossValidation { repeats, .. } => out_of_fold(dataset, repeats, &main),
            _ => kept_apart(dataset, &apart, &validation, &test),
        };
        let (ensemble, metrics, predictions) = (None, Vec::new(), Vec::new());
        let mut together = Self { ensemble, calibration, coverage, metrics, predictions };
        if main.len() > 1 {
            let parts: &[(Part, &Rows<'_>)] = match folds {
                // A row chosen by in one fold is judged by in another.
                true => &[(Part::Test, &test)],
                false => &[
                    (Part::Validation, &validation),
                    (Part::Calibration, &apart),
                    (Part::Test, &test),
                ],
            };
            let there = parts.iter().filter(|(_, rows)| !rows.rows.is_empty());
            together.predictions = there.map(|(part, rows)| rows.predictions(*part)).collect();
            let scored = test.predictions(Part::Test).scored()?;
            let metric = settings.metric;
            let of = |rows: &Rows<'_>| -> Result<Option<f64>> {
                let said = rows.predictions(Part::Validation);
                Ok(if rows.rows.is_empty() { None } else { said.scored()?.metric(metric) })
            };
            let value = scored.metric(metric).ok_or_else(|| {
                let name = metric.name();
                Error::Training(format!("{name} is not defined on the test rows"))
            })?;
            let validation_value = if folds { None } else { of(&validation)? };
            let recorded = |part, value, rows: &Rows<'_>| Recorded {
                part,
                metric,
                loss: settings.loss,
                value,
                graphs: rows.rows.len() as u64,
            };
            together.metrics.extend(
                validation_value.map(|value| recorded(Part::Validation, value, &validation)),
            );
            together.metrics.push(recorded(Part::Test, value, &test));
            together.ensemble = Some(Ensemble {
                members: match protocol {
                    Protocol::CrossValidation { folds, .. } => {
                        main.len() / (*folds).max(1) as usize
                    }
                    _ => main.len(),
                },
                rows: if folds { JudgedRows::OutOfFold } else { JudgedRows::Test },
                count: test.rows.len() as u64,
                metric,
                value,
                validation: validation_value,
            });
        }
        Ok(together)
    }

    /// The model file of these units, all of them as members.
    pub(super) fn file(&self, folder: &Folder, units: &[String]) -> Result<ModelFile> {
        let mut members: Vec<Member> = Vec::with_capacity(units.len());
        let mut card: Option<Card> = None;
        for unit in units {
            let file = ModelFile::open(folder.unit(unit).join("model.gsn"))?;
            members.push(Member { unit: unit.clone(), ..file.first });
            card.get_or_insert(file.card);
        }
        let nothing = || Error::Training("there is nothing to keep".into());
        let mut card = card.ok_or_else(nothing)?;
        card.calibration = self.calibration.clone();
        card.coverage = self.coverage.clone();
        if !self.metrics.is_empty() {
            card.metrics = self.metrics.clone();
        }
        ModelFile::new(members, card).ok_or_else(nothing)
    }
}

type Calibrated = (Option<Calibration>, Option<Coverage>);

/// Intervals by the rows kept apart; how often they hold on the test part.
fn kept_apart(
    dataset: &Dataset,
    apart: &Rows<'_>,
    chosen: &Rows<'_>,
    test: &Rows<'_>,
) -> Calibrated {
    if apart.rows.is_empty() {
        return (None, None);
    }
    let (task, rows) = (&dataset.task, apart.judged());
    let calibration = Calibration::new(task, Source::KeptApart, &rows, &chosen.judged());
    let mut count = Count::new(task, Level::default());
    count.add(&calibration, &test.judged());
    let coverage = count.finish(&calibration, &dataset.target_names);
    (Some(calibration), Some(coverage))
}

/// Intervals by all rows out of fold; how often the errors of the other folds bound those of each
/// fold.
fn out_of_fold(dataset: &Dataset, repeats: u32, units: &Units<'_>) -> Calibrated {
    let task: &Task = &dataset.task;
    // The units of a fold differ by their seed; a new row has other members, so that spreads do
    // not compare.
    let mut folds: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (at, (plan, _)) in units.iter().enumerate() {
        folds.entry(plan.fold_index.unwrap_or(0)).or_default().push(at);
    }
    let folds: Vec<(Vec<usize>, Rows<'_>)> = folds
        .into_values()
        .map(|members| {
            let units: Vec<_> = members.iter().map(|&at| units[at]).collect();
            let mut rows = Rows::of(dataset, Part::Test, &units);
            rows.rows.iter_mut().for_each(|(.., said)| said.spread = None);
            (members, rows)
        })
        .collect();
    let judged = folds.iter().map(|(members, rows)| (members.clone(), rows.judged()));
    let calibration = Calibration::out_of_fold(task, repeats as usize, judged.collect());
    let mut count = Count::new(task, Level::default());
    let cut = folds.len() / repeats.max(1) as usize;
    // One cut is enough: it has every row once.
    for at in 0..cut {
        let others = folds[..cut].iter().enumerate().filter(|(other, _)| *other != at);
        let errors: Vec<Judged<'_>> = others.flat_map(|(_, (_, rows))| rows.judged()).collect();
        let known = Calibration::new(task, Source::OutOfFold, &errors, &[]);
        count.add(&known, &folds[at].1.judged());
    }
    let coverage = count.finish(&calibration, &dataset.target_names);
    (Some(calibration), Some(coverage))
}
