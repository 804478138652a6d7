//! The `.gsn` model file: everything that a prediction needs, in one file.
//!
//! Weights, configuration, fitted pipeline (patterns, encoders, target scale), how inputs are
//! read, the metrics of the training and the licence of the data. It is a safetensors file with a
//! [`Card`] in its metadata; [`FORMAT`] is its version. It holds one network or several
//! [`Member`]s, each with the pipeline it was fitted with. A file is opened or refused with a
//! reason: another kind of file, a later format, cut short, damaged by a single bit.
//!
//! A file may come from anyone. It names no path, and reading it opens no other file; every size
//! in it is compared with its tensors before anything is allocated.

mod container;

pub use container::FORMAT;

use crate::conformal::{Calibration, Coverage};
use crate::dataset::{Dataset, Task};
use crate::error::{Error, Result};
use crate::pipeline::{Pipeline, Reader};
use crate::recipe::Recipe;
use crate::train::Metric;
use gsn_nn::{Loss, Model};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// What a model file says about its model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Card {
    /// Name of the recipe.
    pub name: String,
    /// The resolved recipe, as TOML, without a path.
    pub recipe: String,
    /// Name of the data it was trained on.
    pub data: String,
    /// Licence and source of the data.
    pub licence: String,
    /// What it predicts.
    pub task: Task,
    /// Names of the targets.
    pub targets: Vec<String>,
    /// How inputs are read; nothing if they cannot be read from files.
    pub reader: Option<Reader>,
    /// What was measured in training.
    pub metrics: Vec<Recorded>,
    /// Errors on rows kept apart, for intervals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<Calibration>,
    /// How often such intervals held on rows that were used for nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
    /// Fitted on all rows, this many, after the epoch was chosen. Metrics, calibration and coverage
    /// are then those of the models it was chosen by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_rows: Option<u64>,
}

/// One network and the pipeline it was fitted with.
#[derive(Debug, Clone)]
pub struct Member {
    /// Which unit of the run it is: `seed-0`, `repeat-1-fold-3`.
    pub unit: String,
    /// The network.
    pub model: Model<f32>,
    /// From a graph to what the network reads, and back.
    pub pipeline: Pipeline,
}

/// What a card says about one of several members.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    unit: String,
    pipeline: Pipeline,
}

/// A number that training measured with this model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Recorded {
    /// On which part.
    pub part: Part,
    /// What.
    pub metric: Metric,
    /// Which loss the network was trained with; it tells logits of classes from yes and no.
    pub loss: Loss,
    /// The number, over all graphs of the part at once.
    pub value: f64,
    /// Graphs of the part.
    pub graphs: u64,
}

/// A part of the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// Learned from.
    Train,
    /// Chosen by.
    Validation,
    /// Kept apart, to learn from its errors how wide intervals must be.
    Calibration,
    /// Judged by.
    Test,
}

impl Part {
    /// Its name, as in tables.
    pub fn name(self) -> &'static str {
        match self {
            Part::Train => "train",
            Part::Validation => "validation",
            Part::Calibration => "calibration",
            Part::Test => "test",
        }
    }
}

/// A model with all that a prediction needs.
///
/// ```no_run
/// let file = gsn_lab::model_file::ModelFile::open("runs/zinc/model.gsn")?;
/// println!("{} was trained on {} ({})", file.card.name, file.card.data, file.card.licence);
/// # Ok::<(), gsn_lab::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct ModelFile {
    /// The first member, in most files the only one.
    pub first: Member,
    /// All others.
    pub others: Vec<Member>,
    /// What is known about them.
    pub card: Card,
}

/// The key of the only pipeline in a card, and of the members where there are several.
const PIPELINE: &str = "pipeline";
const MEMBERS: &str = "members";

impl ModelFile {
    /// A file with these members; nothing if there are none.
    pub fn new(members: impl IntoIterator<Item = Member>, card: Card) -> Option<Self> {
        let mut members = members.into_iter();
        Some(Self { first: members.next()?, others: members.collect(), card })
    }

    /// All members, in the order of the run.
    pub fn members(&self) -> impl ExactSizeIterator<Item = &Member> + Clone {
        let count = 1 + self.others.len();
        (0..count).map(|at| at.checked_sub(1).map_or(&self.first, |at| &self.others[at]))
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// If a number in it cannot be written.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let fail = |what: String| Error::file("a model file in memory", what);
        let value = |e: serde_json::Error| fail(e.to_string());
        let mut card = serde_json::to_value(&self.card).map_err(value)?;
        let more = self.card.calibration.is_some() || self.card.final_rows.is_some();
        let mut format = if more { FORMAT } else { 1 };
        if self.others.is_empty() {
            card[PIPELINE] = serde_json::to_value(&self.first.pipeline).map_err(value)?;
        } else {
            let entry = |member: &Member| Entry {
                unit: member.unit.clone(),
                pipeline: member.pipeline.clone(),
            };
            let entries: Vec<Entry> = self.members().map(entry).collect();
            card[MEMBERS] = serde_json::to_value(entries).map_err(value)?;
            format = FORMAT;
        }
        let weights: Vec<Vec<u8>> =
            self.members().map(|member| member.model.to_bytes()).collect::<Result<_, _>>()?;
        container::pack(&weights, &card, format).map_err(fail)
    }

    /// Reads the bytes of a file; errors say what is wrong, without a path.
    ///
    /// # Errors
    /// If it is another kind of file, of a later format, cut short or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let mut card = container::unpack(bytes)?;
        let strange =
            |e: serde_json::Error| format!("has a card that this program does not understand: {e}");
        let mut take = |key: &str| card.as_object_mut().and_then(|card| card.remove(key));
        let (pipeline, entries) = (take(PIPELINE), take(MEMBERS));
        let (entries, weights) = match (pipeline, entries) {
            (Some(pipeline), None) => {
                let pipeline = serde_json::from_value(pipeline).map_err(strange)?;
                (vec![Entry { unit: String::new(), pipeline }], vec![bytes.to_vec()])
            }
            (None, Some(entries)) => {
                let entries: Vec<Entry> = serde_json::from_value(entries).map_err(strange)?;
                let weights = container::members(bytes, entries.len())?;
                (entries, weights)
            }
            _ => return Err("is damaged: it says nothing about its pipeline".into()),
        };
        let card: Card = serde_json::from_value(card).map_err(strange)?;
        let wanted = card.task.outputs();
        let mut members: Vec<Member> = Vec::with_capacity(entries.len());
        for (Entry { unit, pipeline }, weights) in entries.into_iter().zip(weights) {
            let model = Model::from_bytes(&weights).map_err(|e| e.to_string())?;
            let said = model.config().outputs;
            if said != wanted {
                return Err(format!("predicts {said} numbers, but its task has {wanted}"));
            }
            if members.first().is_some_and(|m| m.pipeline.count_spec() != pipeline.count_spec()) {
                return Err("has members that count different patterns".into());
            }
            members.push(Member { unit, model, pipeline });
        }
        Self::new(members, card).ok_or_else(|| "has no members".into())
    }

    /// Opens a model file.
    ///
    /// # Errors
    /// If it cannot be read, or is refused; see [`ModelFile::from_bytes`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let bytes =
            std::fs::read(path).map_err(|e| Error::file(path, format!("cannot be read: {e}")))?;
        Self::from_bytes(&bytes).map_err(|what| Error::file(path, what))
    }

    /// Writes the file; it is complete or absent.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let fail = |e: std::io::Error| Error::file(path, format!("cannot be written: {e}"));
        gsn_io::atomic::replace(path, &self.to_bytes()?).map_err(fail)
    }

    /// Refuses intervals where the model can give none.
    ///
    /// # Errors
    /// A sentence that begins behind the name of the file.
    pub fn check_calibrated(&self) -> Result<(), String> {
        match self.card.calibration {
            Some(_) => Ok(()),
            None => Err("has no errors on rows kept apart, so it gives no intervals; train with \
                         --folds, or with more validation rows"
                .into()),
        }
    }

    /// What was recorded for a part.
    pub fn recorded(&self, part: Part) -> Option<&Recorded> {
        self.card.metrics.iter().find(|recorded| recorded.part == part)
    }
}

impl Card {
    /// A card without metrics.
    pub fn new(recipe: &Recipe, dataset: &Dataset, reader: Option<Reader>) -> Self {
        Self {
            name: recipe.name.clone(),
            recipe: recipe.clone().without_paths().to_toml(),
            data: dataset.name.clone(),
            licence: dataset.licence.clone(),
            task: dataset.task.clone(),
            targets: dataset.target_names.clone(),
            reader,
            metrics: Vec::new(),
            calibration: None,
            coverage: None,
            final_rows: None,
        }
    }
}

#[cfg(test)]
mod tests;
