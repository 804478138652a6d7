//! The folder of a run, read without a lock: a run that is under way or was killed is reported as
//! far as it came.
//!
//! | file | what |
//! |---|---|
//! | `predictions` | the predictions for the test part |
//! | `asked` | what was asked: data, counts, network, training, protocol in words |
//! | `results` | the reported numbers, their intervals, and what stands beside them |
//! | `curves` | how it learned |
//! | `quality` | parity, ROC and precision-recall curves, calibration |
//! | `worst` | the worst predictions, drawn |
//! | `moved` | what moved them |
//! | `data` | what the graphs and targets are like |
//! | `patterns` | what is counted, drawn, and how often it is found |
//! | `cost` | time, memory, parameters, machine; the recipe and how to repeat it |

mod asked;
mod cost;
pub(crate) mod curves;
mod data;
mod moved;
pub(crate) mod patterns;
pub(crate) mod predictions;
mod quality;
pub(crate) mod results;
mod worst;

pub(crate) use cost::{duration, word};

use crate::html::{Html, Section, paragraph, remark, warning};
use crate::words::plural;
use gsn_lab::baseline::constant;
use gsn_lab::chart::clipped;
use gsn_lab::experiment::{Compared, Results, TrainRequest, TrainSource};
use gsn_lab::info::{RunInfo, UnitInfo};
use gsn_lab::recipe::Recipe;
use gsn_lab::run::Versions;
use gsn_lab::train::Row;
use gsn_lab::user_data::UserData;
use gsn_lab::{Dataset, Error, Fold, Result, Splits};
use predictions::Predictions;
use serde::Deserialize;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

/// What a run has reported.
#[derive(Clone, Debug)]
pub(crate) enum Reported {
    /// Networks were trained and judged.
    Trained(Box<Results>),
    /// Pairs were compared by random weights.
    Compared(Compared),
    /// Nothing yet.
    Nothing,
}

/// Whether a run is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Finished,
    Running,
    Stopped,
}

/// A line of `sessions.jsonl`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Session {
    pub(crate) seconds: f64,
    pub(crate) jobs: u64,
    pub(crate) threads: u64,
    #[serde(default)]
    pub(crate) peak_memory: Option<u64>,
    #[serde(default)]
    pub(crate) end: String,
}

/// A line of `metrics.jsonl`.
#[derive(Deserialize)]
struct MetricsLine {
    unit: String,
    #[serde(flatten)]
    row: Row,
}

/// The graphs of a run.
pub(crate) struct Data {
    pub(crate) dataset: Dataset,
    /// What was found in the user's own file.
    pub(crate) user: Option<UserData>,
}

/// A run.
pub(crate) struct RunFolder {
    pub(crate) path: PathBuf,
    pub(crate) recipe: Recipe,
    pub(crate) versions: Option<Versions>,
    pub(crate) state: State,
    pub(crate) reported: Reported,
    /// Units that were begun, in a run that is not finished.
    pub(crate) units: Vec<UnitInfo>,
    /// Epochs of every unit.
    pub(crate) curves: Vec<(String, Vec<Row>)>,
    pub(crate) sessions: Vec<Session>,
    pub(crate) predictions: Option<Predictions>,
    /// The graphs, or why they are not here.
    pub(crate) data: Result<Data, String>,
    /// What could not be read, in sentences.
    pub(crate) notes: Vec<String>,
}

impl RunFolder {
    /// Reads a run.
    ///
    /// # Errors
    /// If it is none, or a file of it is damaged.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let info = RunInfo::of(path)?;
        let recipe = Recipe::of_run(path)?;
        let file = path.join("results.json");
        let damaged = |e: serde_json::Error| Error::file(&file, format!("is damaged: {e}"));
        let reported = match info.results {
            None => Reported::Nothing,
            Some(value) if value.get("failed").is_some() => {
                Reported::Compared(serde_json::from_value(value).map_err(damaged)?)
            }
            Some(value) => {
                Reported::Trained(Box::new(serde_json::from_value(value).map_err(damaged)?))
            }
        };
        let mut notes = Vec::new();
        let curves = read_curves(path, &mut notes)?;
        let sessions = lines(&path.join("sessions.jsonl"), &mut notes)?;
        let predictions = Predictions::of_run(path, &recipe, &reported)?;
        let versions = std::fs::read(path.join("versions.json")).ok();
        let versions: Option<Versions> =
            versions.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let state = match reported {
            Reported::Nothing if is_locked(path) => State::Running,
            Reported::Nothing => State::Stopped,
            _ => State::Finished,
        };
        let data = load(path, &recipe, versions.as_ref());
        let mut reported = reported;
        if let (Reported::Trained(results), Ok(data)) = (&mut reported, &data) {
            add_constant(results, &recipe, &data.dataset);
        }
        Ok(Self {
            path: path.to_owned(),
            recipe,
            versions,
            state,
            reported,
            units: info.units,
            curves,
            sessions,
            predictions,
            data,
            notes,
        })
    }

    /// `mutag-gsn-e on MUTAG`
    pub(crate) fn title(&self) -> String {
        let data = self.versions.as_ref().map_or(&self.recipe.data.set, |v| &v.data.name);
        format!("{} on {}", clipped(&self.recipe.name, 120), clipped(data, 120))
    }

    /// What it reported, if it trained.
    pub(crate) fn results(&self) -> Option<&Results> {
        match &self.reported {
            Reported::Trained(results) => Some(results),
            _ => None,
        }
    }

    /// Seconds of training, over all sessions.
    pub(crate) fn seconds(&self) -> Option<f64> {
        let all = self.sessions.iter().map(|session| session.seconds);
        all.reduce(|a, b| a + b)
    }

    /// A sentence about the state, if the run is not finished.
    pub(crate) fn unfinished(&self) -> Option<String> {
        let path = self.path.display();
        let done = self.units.iter().filter(|unit| unit.done).count();
        let epochs: usize = self.curves.iter().map(|(_, rows)| rows.len()).sum();
        let how_far = match (self.units.len(), epochs) {
            (0, 0) => "nothing was saved yet".to_owned(),
            (0, n) => {
                let noted = plural(n, "epoch was noted", "epochs were noted");
                format!("{noted}, but no network is saved to go on from")
            }
            (n, _) => format!("{done} of {n} units that were begun are trained to their end"),
        };
        match self.state {
            State::Finished => None,
            State::Running => Some(format!(
                "This run is still under way: {how_far}. The report holds what is there now; make it \
                 again later."
            )),
            State::Stopped => {
                let why = self.sessions.last().map(|session| session.end.as_str());
                let why = match why {
                    Some("" | "done" | "stopped") | None => String::new(),
                    Some(why) => format!(" It ended with: {why}."),
                };
                Some(format!(
                    "This run is not finished: {how_far}. The report holds what is there.{why} Go on \
                     with `gsn train --resume {path}`."
                ))
            }
        }
    }

    /// What stands at the top: the state and the numbers that matter most.
    pub(crate) fn opening(&self) -> Html {
        let mut opening = Html::new();
        if !self.recipe.about.is_empty() {
            opening.push(paragraph(self.recipe.about.as_str()));
        }
        let warnings = self.unfinished().into_iter().chain(self.notes.iter().cloned());
        warnings.for_each(|text| opening.push(warning(text)));
        opening.push(results::cards(self));
        match self.data.as_ref().ok().and_then(|data| data.user.as_ref()) {
            Some(user) if !user.report.warnings.is_empty() => {
                let warnings = plural(user.report.warnings.len(), "warning", "warnings");
                opening.and(remark(format!("{warnings} about the data: see the section Data.")))
            }
            _ => opening,
        }
    }

    /// The sections of its report.
    pub(crate) fn sections(&self) -> Vec<Section> {
        vec![
            Section::new("What was asked", asked::section(self)),
            Section::new("Results", results::section(self)),
            Section::new("How it learned", curves::section(self)),
            Section::new("Predictions", quality::section(self)),
            Section::new("The worst predictions", worst::section(self)),
            Section::new("What moved them", moved::section(self)),
            Section::new("Data", data::section(self)),
            Section::new("Patterns", patterns::section(self)),
            Section::new("Cost", cost::section(self)),
            Section::new("Repeat it", cost::repeat(self)),
        ]
    }
}

/// Puts the mean or the majority beside the results of a benchmark, which are kept without baselines.
fn add_constant(results: &mut Results, recipe: &Recipe, dataset: &Dataset) {
    let folds: Vec<&Fold> = match &dataset.splits {
        Splits::None => return,
        Splits::Fixed(fold) => vec![fold],
        Splits::Folds(folds) => folds.iter().collect(),
    };
    let Some(training) = recipe.training.as_ref().filter(|_| results.baselines.is_empty()) else {
        return;
    };
    // A metric that does not fit the task would have ended the training.
    results.baselines.extend(constant(dataset, &folds, (training.loss, training.metric)));
}

/// Whether another process works on the run.
fn is_locked(path: &Path) -> bool {
    let Ok(file) = File::open(path.join(".lock")) else { return false };
    matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
}

/// The epochs of every unit, in the order of the file.
fn read_curves(path: &Path, notes: &mut Vec<String>) -> Result<Vec<(String, Vec<Row>)>> {
    let mut curves: Vec<(String, Vec<Row>)> = Vec::new();
    for MetricsLine { unit, row } in lines(&path.join("metrics.jsonl"), notes)? {
        match curves.iter_mut().rev().find(|(name, _)| *name == unit) {
            Some((_, rows)) => rows.push(row),
            None => curves.push((unit, vec![row])),
        }
    }
    Ok(curves)
}

/// The lines of a log; none if it is not there. A last line that is cut short is being written, or
/// was when the run was killed.
fn lines<T: serde::de::DeserializeOwned>(path: &Path, notes: &mut Vec<String>) -> Result<Vec<T>> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(Error::file(path, format!("cannot be read: {e}"))),
    };
    let count = text.lines().count();
    let mut all = Vec::with_capacity(count);
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty()) {
        match serde_json::from_str(line) {
            Ok(one) => all.push(one),
            Err(_) if at + 1 == count && !text.ends_with('\n') => {
                let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
                notes.push(format!(
                    "The last line of {} is cut short and left out.",
                    name.unwrap_or_default()
                ));
            }
            Err(e) => return Err(Error::file(path, format!("is damaged at line {}: {e}", at + 1))),
        }
    }
    Ok(all)
}

/// The graphs of a run, if they are still those it was started with.
fn load(path: &Path, recipe: &Recipe, versions: Option<&Versions>) -> Result<Data, String> {
    let request = TrainRequest::new(TrainSource::Run(path.to_owned()));
    let experiment = request.experiment().map_err(|e| e.to_string())?;
    let dataset = recipe.data.select(experiment.dataset);
    if versions.is_some_and(|v| v.data != Versions::new(&dataset).data) {
        return Err("they have changed since the run was started".into());
    }
    Ok(Data { dataset, user: experiment.user_data })
}
