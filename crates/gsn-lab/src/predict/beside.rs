//! What the rows of an input bring beside their graphs: columns that go into the table, and targets
//! that predictions are judged by.

use super::Predictor;
use crate::dataset::Task;
use crate::error::{Error, Result};
use crate::user_data::task::Cell;
use gsn_io::{Batch, Prediction, PredictionKind};
use gsn_nn::Matrix;
use gsn_nn::metrics::{Metric, Scored};

/// Columns of the input that stand in the table, in front of the predictions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Keep {
    /// None.
    #[default]
    Nothing,
    /// These; `name` is the name of a molecule or graph where no column is called that.
    Columns(Vec<String>),
    /// All, and names where the first rows have any.
    All {
        /// The one that stands first.
        first: Option<String>,
    },
}

/// How good the predictions are where the input holds the targets.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// Rows with at least one target.
    pub rows: u64,
    /// The targets that were found.
    pub targets: Vec<String>,
    /// All metrics that are defined.
    pub metrics: Vec<(Metric, f64)>,
}

/// The place of a column by its name, or else by its name in another case.
pub(super) fn place(fields: &[String], name: &str) -> Option<usize> {
    fields
        .iter()
        .position(|field| field == name)
        .or_else(|| fields.iter().position(|field| field.eq_ignore_ascii_case(name)))
}

fn there(fields: &[String]) -> String {
    match fields {
        [] => "the input has none".to_owned(),
        fields => format!("there are {}", fields.join(", ")),
    }
}

/// Refuses an input without the columns that the model reads.
pub(crate) fn check_columns(predictor: &Predictor, fields: &[String], input: &str) -> Result<()> {
    let missing: Vec<String> = predictor
        .columns_read()
        .iter()
        .filter(|name| place(fields, name).is_none())
        .map(|name| format!("`{name}`"))
        .collect();
    match missing.is_empty() {
        true => Ok(()),
        false => {
            let (missing, there) = (missing.join(", "), there(fields));
            let what = format!("the model also reads columns, and {missing} is missing; {there}");
            Err(Error::data(input, what))
        }
    }
}

/// The columns that are kept.
pub(super) struct Kept {
    /// Names in the input.
    names: Vec<String>,
}

/// The names of molecules and graphs.
const NAME: &str = "name";

impl Kept {
    /// Which columns are kept, by the first rows of an input.
    pub(super) fn find(keep: &Keep, first: Option<&Batch>, input: &str) -> Result<Self> {
        let fields: &[String] = first.map_or(&[], |batch| &batch.fields);
        let named = first.is_some_and(|batch| batch.records.iter().any(|r| r.name.is_some()));
        let names = match keep {
            Keep::Nothing => Vec::new(),
            Keep::All { first } => {
                let extra = named && place(fields, NAME).is_none();
                let mut names: Vec<String> = first.iter().cloned().collect();
                names.extend(extra.then(|| NAME.to_owned()));
                names.extend(fields.iter().filter(|name| Some(*name) != first.as_ref()).cloned());
                names
            }
            Keep::Columns(wanted) => wanted.clone(),
        };
        let missing = |name: &&String| place(fields, name).is_none() && !(named && **name == NAME);
        match names.iter().find(missing) {
            Some(name) if first.is_some() => {
                let what = format!("there is no column `{name}` to keep; {}", there(fields));
                Err(Error::data(input, what))
            }
            _ => Ok(Self { names }),
        }
    }

    /// The columns of the table, the predicted ones behind. What is called like a predicted one gets
    /// `input_` before its name.
    pub(super) fn columns(
        &self,
        predicted: Vec<(String, PredictionKind)>,
    ) -> Vec<(String, PredictionKind)> {
        let taken = |name: &str| {
            name == "row" || name == "error" || predicted.iter().any(|(other, _)| other == name)
        };
        let title = |name: &String| match taken(name) {
            true => format!("input_{name}"),
            false => name.clone(),
        };
        let kept = self.names.iter().map(|name| (title(name), PredictionKind::Text));
        kept.chain(predicted.iter().cloned()).collect()
    }

    /// The kept cells of every row, rejected ones included, in the order of the rows.
    pub(super) fn cells(&self, batch: &Batch) -> Vec<(u64, Vec<Prediction>)> {
        if self.names.is_empty() {
            let all = batch.records.iter().map(|r| r.row);
            let mut rows: Vec<u64> = all.chain(batch.rejected.iter().map(|r| r.row)).collect();
            rows.sort_unstable();
            return rows.into_iter().map(|row| (row, Vec::new())).collect();
        }
        let places: Vec<Option<usize>> =
            self.names.iter().map(|name| place(&batch.fields, name)).collect();
        let cells = |fields: &[String], name: Option<&String>| -> Vec<Prediction> {
            let cell = |at: &Option<usize>| match at {
                Some(at) => fields.get(*at),
                None => name,
            };
            let text = |text: Option<&String>| match text {
                Some(text) if !text.is_empty() => Prediction::Text(text.clone()),
                _ => Prediction::Missing,
            };
            places.iter().map(|at| text(cell(at))).collect()
        };
        let good = batch.records.iter().map(|r| (r.row, cells(&r.fields, r.name.as_ref())));
        let bad = batch.rejected.iter().map(|r| (r.row, cells(&r.fields, None)));
        let mut all: Vec<_> = good.chain(bad).collect();
        all.sort_by_key(|(row, _)| *row);
        all
    }
}

/// Collects predictions and targets.
#[derive(Default)]
pub(super) struct Judge {
    found: Vec<String>,
    rows: u64,
    outputs: Vec<f64>,
    targets: Vec<f64>,
}

impl Judge {
    /// The targets of a batch's rows, by row; nothing if it has none of them.
    pub(super) fn targets(&mut self, predictor: &Predictor, batch: &Batch) -> Vec<(u64, Vec<f64>)> {
        let card = &predictor.file().card;
        let places: Vec<Option<usize>> =
            card.targets.iter().map(|name| place(&batch.fields, name)).collect();
        let classes = |at: usize| {
            places[at].is_none()
                && card.targets[at] == "label"
                && batch.records.iter().any(|record| record.label.is_some())
        };
        let found: Vec<bool> =
            (0..places.len()).map(|at| places[at].is_some() || classes(at)).collect();
        if !found.contains(&true) {
            return Vec::new();
        }
        for (name, _) in card.targets.iter().zip(&found).filter(|(_, found)| **found) {
            if !self.found.contains(name) {
                self.found.push(name.clone());
            }
        }
        let row = |record: &gsn_io::GraphRecord| {
            let target = |at: usize| {
                let cell = match places[at] {
                    Some(place) => record.fields.get(place).cloned().map(Cell::Text),
                    None => record.label.filter(|_| found[at]).map(|x| Cell::Number(x as f64)),
                };
                cell.and_then(|cell| known(&card.task, &cell)).unwrap_or(f64::NAN)
            };
            (record.row, (0..places.len()).map(target).collect())
        };
        batch.records.iter().map(row).collect()
    }

    /// Takes the prediction of a row beside its targets.
    pub(super) fn take(&mut self, said: &[f64], targets: &[f64]) {
        if targets.iter().any(|target| !target.is_nan()) {
            self.rows += 1;
            self.outputs.extend(said);
            self.targets.extend(targets);
        }
    }

    /// The metrics, if there was a target at all.
    pub(super) fn finish(self, task: &Task) -> Result<Option<Judgement>> {
        let Self { found, rows, outputs, targets } = self;
        let table = |data: Vec<f64>, cols: usize| Matrix::from_vec(rows as usize, cols, data);
        let (outputs, targets) = (table(outputs, task.outputs()), table(targets, task.targets()));
        let (Some(outputs), Some(targets), true) = (outputs, targets, rows > 0) else {
            return Ok(None);
        };
        let scored = Scored::of_probabilities(task.answers(), &outputs, &targets)?;
        let metrics = Metric::of_answers(task.answers());
        let metrics = metrics.filter_map(|metric| Some((metric, scored.metric(metric)?))).collect();
        Ok(Some(Judgement { rows, targets: found, metrics }))
    }
}

/// The number of a target; nothing where it is not known, only a bound, or of another task.
fn known(task: &Task, cell: &Cell) -> Option<f64> {
    match task {
        Task::Regression(_) => cell.number(),
        Task::Binary(_) => cell.truth().or(cell.number()).filter(|&x| x == 0.0 || x == 1.0),
        Task::Classes(names) => {
            let name = cell.class_name();
            names.iter().position(|class| *class == name).map(|at| at as f64)
        }
    }
}
