//! The recipes that come with the program: one for every published number of the paper and its
//! baselines, and the best that we found beyond it.
//!
//! They are the files of `recipes/` at the root of the workspace, embedded. Those in
//! `recipes/base/` hold what several share and cannot run by themselves.

use super::Recipe;
use super::diagnostic;
use super::extends::Layer;
use crate::error::{Error, Result};
use std::path::Path;

macro_rules! embedded {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../recipes/", $name, ".toml")))),*]
    };
}

/// (name, text) of all files, sorted by name.
const FILES: &[(&str, &str)] = embedded![
    "base/collab",
    "base/imdb-b",
    "base/imdb-m",
    "base/molhiv",
    "base/molhiv-dgn",
    "base/mutag",
    "base/nci1",
    "base/proteins",
    "base/ptc",
    "base/sr",
    "base/tud",
    "base/zinc",
    "base/zinc-best",
    "base/zinc-gsn-ef",
    "collab-deepsets",
    "collab-gin",
    "collab-gsn-e",
    "collab-gsn-v",
    "imdb-b-deepsets",
    "imdb-b-gin",
    "imdb-b-gsn-e",
    "imdb-b-gsn-v",
    "imdb-m-deepsets",
    "imdb-m-gin",
    "imdb-m-gsn-e",
    "imdb-m-gsn-v",
    "molhiv-deepsets",
    "molhiv-dgn",
    "molhiv-gin-vn",
    "molhiv-gsn",
    "molhiv-gsn-dgn",
    "mutag-deepsets",
    "mutag-gin",
    "mutag-gsn-e",
    "mutag-gsn-v",
    "nci1-deepsets",
    "nci1-gin",
    "nci1-gsn-e",
    "nci1-gsn-v",
    "proteins-deepsets",
    "proteins-gin",
    "proteins-gsn-e",
    "proteins-gsn-v",
    "ptc-deepsets",
    "ptc-gin",
    "ptc-gsn-e",
    "ptc-gsn-v",
    "sr-gsn-e",
    "sr-gsn-e-paths",
    "sr-mpnn",
    "zinc-best-100k",
    "zinc-best-500k",
    "zinc-deepsets",
    "zinc-gsn",
    "zinc-gsn-ef-100k",
    "zinc-gsn-ef-385k",
    "zinc-gsn-ef-500k",
    "zinc-mpnn",
    "zinc-mpnn-ef",
    "zinc-mpnn-r",
    "zinc-mpnn-r-ef",
];

/// What the names of shared files start with.
const BASE: &str = "base/";

/// Names of the recipes, sorted.
///
/// ```
/// assert!(gsn_lab::recipe::library::names().any(|name| name == "mutag-gsn-e"));
/// ```
pub fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|file| file.0).filter(|name| !name.starts_with(BASE))
}

/// All recipes, sorted by name.
///
/// # Errors
/// Never, as a test makes sure.
pub fn all() -> Result<Vec<Recipe>> {
    names().map(Recipe::find).collect()
}

/// The recipe of this name, or else the file of this path.
pub(super) fn open(name_or_path: &str) -> Result<Layer> {
    if let Some((name, text)) = FILES.iter().find(|file| file.0 == name_or_path) {
        return Ok(Layer::of_text(name, text));
    }
    let path = Path::new(name_or_path);
    if path.is_file() || name_or_path.ends_with(".toml") {
        return Layer::of_file(path);
    }
    let folder = name_or_path.contains('/') && !name_or_path.starts_with(BASE);
    if folder || gsn_io::Format::from_path(path).is_some() {
        return Err(Error::file(path, "there is no such file or folder"));
    }
    let hint = match diagnostic::nearest(name_or_path, names()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => "`gsn recipes` lists them".to_owned(),
    };
    Err(Error::Recipe(format!("there is no recipe `{name_or_path}`; {hint}")))
}

/// Names of all files, sorted.
#[cfg(test)]
pub(super) fn files() -> Vec<&'static str> {
    FILES.iter().map(|file| file.0).collect()
}
