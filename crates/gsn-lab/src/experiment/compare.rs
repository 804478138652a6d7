//! A recipe that trains nothing: which pairs of graphs random weights tell apart.

use super::Run;
use crate::error::Result;
use crate::protocol::Separation;
use serde::{Deserialize, Serialize};

/// What a comparison reports; its `results.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// Name of the recipe.
    pub recipe: String,
    /// Name of the dataset.
    pub dataset: String,
    /// Pairs, and how many of them each network failed on.
    #[serde(flatten)]
    pub separation: Separation,
    /// Share of pairs that are not told apart, mean over networks.
    pub share: f64,
    /// The number the recipe aims for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<serde_json::Value>,
}

impl Run<'_> {
    /// Compares all pairs of the dataset and keeps the answer in the run's folder.
    pub(super) fn compare(&self) -> Result<Compared> {
        let folder = self.open()?;
        let separation = Separation::of(self.recipe, self.data)?;
        let compared = Compared {
            recipe: self.recipe.name.clone(),
            dataset: self.data.dataset.name.clone(),
            share: separation.share(),
            separation,
            published: self.published(),
        };
        folder.put_json("results.json", &compared)?;
        Ok(compared)
    }
}
