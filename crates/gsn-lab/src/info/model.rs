//! What a model file says about itself.

use crate::dataset::Task;
use crate::error::Result;
use crate::model_file::{ModelFile, Recorded};
use crate::recipe::Network;
use serde::Serialize;
use std::path::Path;

/// A model file.
#[derive(Debug, Clone, Serialize)]
pub struct ModelInfo {
    /// Name of the recipe.
    pub name: String,
    /// Name of the data it was trained on.
    pub data: String,
    /// Licence and source of the data.
    pub licence: String,
    /// What it predicts.
    pub task: Task,
    /// Names of the targets.
    pub targets: Vec<String>,
    /// What it reads: molecules, graphs with labels, graphs; nothing if not from files.
    pub reads: Option<String>,
    /// The patterns it counts.
    pub patterns: Vec<String>,
    /// On what.
    pub scope: Option<gsn_core::Scope>,
    /// Which occurrences.
    pub matching: Option<gsn_core::Matching>,
    /// The network.
    pub network: Option<String>,
    /// Its members.
    pub members: Vec<MemberInfo>,
    /// What was measured in training.
    pub metrics: Vec<Recorded>,
    /// Rows whose errors make the intervals.
    pub calibrated: bool,
    /// The recipe, as TOML.
    pub recipe: String,
}

/// One member of a model file.
#[derive(Debug, Clone, Serialize)]
pub struct MemberInfo {
    /// Which unit of the run it is.
    pub unit: String,
    /// Trained numbers.
    pub parameters: usize,
}

impl ModelInfo {
    /// Opens a model file.
    ///
    /// # Errors
    /// If it is refused.
    pub fn of(path: &Path) -> Result<Self> {
        ModelFile::open(path).map(Self::from)
    }
}

impl From<ModelFile> for ModelInfo {
    fn from(file: ModelFile) -> Self {
        let member = |member: &crate::model_file::Member| MemberInfo {
            unit: member.unit.clone(),
            parameters: member.model.params().count(),
        };
        let members = file.members().map(member).collect();
        let spec = file.first.pipeline.count_spec();
        let reads = file.card.reader.as_ref().map(|reader| {
            let direction = if reader.directed { "directed " } else { "" };
            match (&reader.molecules, &reader.vertex, &reader.edge) {
                (Some(features), ..) => format!("molecules, features `{features}`"),
                (None, None, None) => format!("{direction}graphs"),
                (None, ..) => format!("{direction}graphs with labels"),
            }
        });
        let network = network(&file.card.recipe).map(|network| {
            let layers = network.layers.map(|n| format!("{n} layers of ")).unwrap_or_default();
            format!("{}, {layers}width {}", network.kind.name(), network.width)
        });
        let patterns = spec
            .map(|spec| spec.patterns().iter().map(|pattern| pattern.name().to_owned()).collect());
        Self {
            patterns: patterns.unwrap_or_default(),
            scope: spec.map(|spec| spec.scope()),
            matching: spec.map(|spec| spec.matching()),
            reads,
            network,
            members,
            calibrated: file.card.calibration.is_some(),
            name: file.card.name,
            data: file.card.data,
            licence: file.card.licence,
            task: file.card.task,
            targets: file.card.targets,
            metrics: file.card.metrics,
            recipe: file.card.recipe,
        }
    }
}

/// The network of a card's recipe. Nothing else of it is read: a recipe can name files, and what
/// stands in a model file must not open any.
fn network(recipe: &str) -> Option<Network> {
    toml::from_str::<toml::Table>(recipe).ok()?.remove("network")?.try_into().ok()
}
