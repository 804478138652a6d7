//! The `.gsn` model file: everything that a prediction needs, in one file.
//!
//! Weights, configuration, fitted pipeline (patterns, encoders, target scale), how inputs are
//! read, the metrics of the training and the licence of the data. It is a safetensors file with a
//! [`Card`] in its metadata; [`FORMAT`] is its version. A file is opened or refused with a reason:
//! another kind of file, a later format, cut short, damaged by a single bit.

mod container;

pub use container::FORMAT;

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
    /// The resolved recipe, as TOML.
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
    /// From a graph to what the network reads, and back.
    pub pipeline: Pipeline,
    /// What was measured in training.
    pub metrics: Vec<Recorded>,
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
    /// Judged by.
    Test,
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
    /// The network.
    pub model: Model<f32>,
    /// What is known about it.
    pub card: Card,
}

impl ModelFile {
    /// The bytes of the file.
    ///
    /// # Errors
    /// If a number in it cannot be written.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        Self::bytes_of(&self.model, &self.card)
    }

    /// The bytes of a file with this model and card.
    ///
    /// # Errors
    /// If a number in it cannot be written.
    pub fn bytes_of(model: &Model<f32>, card: &Card) -> Result<Vec<u8>> {
        let fail = |what: String| Error::file("a model file in memory", what);
        let card = serde_json::to_value(card).map_err(|e| fail(e.to_string()))?;
        container::pack(&model.to_bytes()?, &card).map_err(fail)
    }

    /// Reads the bytes of a file; errors say what is wrong, without a path.
    ///
    /// # Errors
    /// If it is another kind of file, of a later format, cut short or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let card = container::unpack(bytes)?;
        let card: Card = serde_json::from_value(card)
            .map_err(|e| format!("has a card that this program does not understand: {e}"))?;
        let model = Model::from_bytes(bytes).map_err(|e| e.to_string())?;
        let (said, wanted) = (model.config().outputs, card.task.outputs());
        if said != wanted {
            return Err(format!("predicts {said} numbers, but its task has {wanted}"));
        }
        Ok(Self { model, card })
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

    /// What was recorded for a part.
    pub fn recorded(&self, part: Part) -> Option<&Recorded> {
        self.card.metrics.iter().find(|recorded| recorded.part == part)
    }
}

impl Card {
    /// A card without metrics.
    pub fn new(
        recipe: &Recipe,
        dataset: &Dataset,
        reader: Option<Reader>,
        pipeline: Pipeline,
    ) -> Self {
        Self {
            name: recipe.name.clone(),
            recipe: recipe.to_toml(),
            data: dataset.name.clone(),
            licence: dataset.licence.clone(),
            task: dataset.task.clone(),
            targets: dataset.target_names.clone(),
            reader,
            pipeline,
            metrics: Vec::new(),
        }
    }
}
