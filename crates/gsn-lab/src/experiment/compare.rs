//! A recipe that trains nothing: which pairs of graphs random weights tell apart.

use super::{Observer, Options, open};
use crate::dataset::Dataset;
use crate::error::Result;
use crate::protocol::{Separation, separate};
use crate::recipe::Recipe;
use serde::Serialize;

/// What a comparison reports; its `results.json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<serde_json::Value>,
}

/// Compares all pairs of a dataset by the recipe's network and keeps the answer in a run folder.
///
/// # Errors
/// If the recipe has another protocol, its network cannot read the dataset, or the folder cannot
/// be written.
pub fn compare(
    recipe: &Recipe,
    dataset: Dataset,
    options: &Options,
    observer: &dyn Observer,
) -> Result<Compared> {
    let folder = open(&recipe.to_toml(), &dataset, options, observer)?;
    let name = dataset.name.clone();
    let separation = separate(recipe, dataset)?;
    let compared = Compared {
        recipe: recipe.name.clone(),
        dataset: name,
        share: separation.share(),
        separation,
        published: recipe.published.as_ref().and_then(|p| serde_json::to_value(p).ok()),
    };
    folder.put_json("results.json", &compared)?;
    Ok(compared)
}
