//! What is trained, before its settings are known: a recipe and where its graphs come from.
//!
//! A run trains a [`Base`] once, a sweep and a search many times with other settings. The data are
//! read once as long as they stay the same.

use super::{Experiment, TrainSource};
use crate::catalogue;
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::protocol::Protocol;
use crate::recipe::Recipe;
use crate::user_data::folds::Folds;
use crate::user_data::{self, Reason, UserData, defaults};
use std::path::{Path, PathBuf};

/// A recipe to be changed, and its data.
pub struct Base {
    source: TrainSource,
    user_data: user_data::Options,
    given: Vec<String>,
    /// What was chosen from the user's own data.
    chosen: Option<(Recipe, Vec<Reason>)>,
    data: Option<Data>,
}

/// Data that were read.
struct Data {
    set: String,
    reading: Option<user_data::Options>,
    dataset: Dataset,
    user_data: Option<UserData>,
    notes: Vec<String>,
}

impl Base {
    /// Finds a recipe, or reads the user's own data and chooses one. `given` names the options of
    /// `user_data` that stand over what a recipe says, and that are refused where they can change
    /// nothing.
    ///
    /// # Errors
    /// If there is no such recipe or file, or the data cannot be read.
    pub fn open(
        source: TrainSource,
        user_data: user_data::Options,
        given: Vec<String>,
    ) -> Result<Self> {
        let mut base = Self { source, user_data, given, chosen: None, data: None };
        if let TrainSource::Data(path) = &base.source {
            let request = user_data::Request::new(path, base.user_data.clone())?;
            let (set, reading) = (request.path.display().to_string(), request.options.clone());
            let (dataset, found) = UserData::load(request)?;
            let (mut recipe, reasons) = defaults::recipe(&dataset, &found.report)?;
            if let Some(stem) = found.request.path.file_stem() {
                recipe.name = stem.to_string_lossy().into_owned();
            }
            recipe.data.set.clone_from(&set);
            recipe.reading = Some(reading.clone());
            base.chosen = Some((recipe, reasons));
            let (reading, user_data) = (Some(reading), Some(found));
            base.data = Some(Data { set, reading, dataset, user_data, notes: Vec::new() });
        }
        Ok(base)
    }

    /// The same, the recipe chosen from the user's own data training several members where that is
    /// cheap. A search, which trains many recipes, does not.
    pub(super) fn with_members(mut self) -> Self {
        if let (Some((recipe, reasons)), Some(data)) = (&mut self.chosen, &self.data) {
            defaults::members(&data.dataset, recipe, reasons);
        }
        self
    }

    /// The recipe with these settings.
    ///
    /// # Errors
    /// If a setting does not fit; if options for the user's own data were given for a benchmark.
    pub fn recipe(&self, settings: &[&str]) -> Result<Recipe> {
        let name = match (&self.source, &self.chosen) {
            (_, Some((chosen, _))) => return chosen.with_settings(settings),
            (TrainSource::Recipe(name), _) => name,
            (TrainSource::Run(run) | TrainSource::Data(run), _) => {
                return Err(Error::file(run, "a run that was started keeps its recipe"));
            }
        };
        let mut recipe = Recipe::find_with(name, settings)?;
        if own_file(&recipe).is_some() {
            let base = recipe.reading.clone().unwrap_or_default();
            let mut reading = self.user_data.over(&base, &self.given)?;
            match (self.user_data.folds, recipe.protocol) {
                (Some(Folds { folds, repeats }), _) => {
                    recipe.protocol = Protocol::CrossValidation { folds, repeats };
                }
                (None, Protocol::CrossValidation { folds, repeats }) => {
                    reading.folds = Some(Folds { folds, repeats });
                }
                (None, _) => {}
            }
            recipe.reading = Some(reading);
        } else if let Some((first, more)) = self.given.split_first() {
            let options = more.iter().fold(format!("--{first}"), |all, one| all + ", --" + one);
            let set = &recipe.data.set;
            return Err(Error::Recipe(format!(
                "{options}: the recipe `{}` trains on {set}, a benchmark with targets, features \
                 and splits of its own. For your own data name a file in place of the recipe; to \
                 change the recipe use --set, such as --set 'seeds=[1]'",
                recipe.name
            )));
        }
        Ok(recipe)
    }

    /// A sentence for everything that was chosen from the data, as it stands in `recipe`.
    pub fn reasons(&self, recipe: &Recipe) -> Vec<String> {
        let Some((chosen, reasons)) = &self.chosen else { return Vec::new() };
        reasons.iter().map(|reason| reason.sentence(chosen, recipe)).collect()
    }

    /// A recipe of this base with its graphs.
    ///
    /// # Errors
    /// If the data cannot be read.
    pub fn experiment(&mut self, recipe: Recipe) -> Result<Experiment> {
        let reasons = self.reasons(&recipe);
        let same = |data: &Data| data.set == recipe.data.set && data.reading == recipe.reading;
        let data = match self.data.take().filter(same) {
            Some(data) => data,
            None => Data::load(&recipe)?,
        };
        let (dataset, user_data) = (data.dataset.clone(), data.user_data.clone());
        let reasons = data.notes.iter().cloned().chain(reasons).collect();
        self.data = Some(data);
        Ok(Experiment { recipe, dataset, user_data, reasons })
    }
}

impl Data {
    fn load(recipe: &Recipe) -> Result<Self> {
        let (set, reading) = (recipe.data.set.clone(), recipe.reading.clone());
        if let Some(path) = own_file(recipe) {
            let request = user_data::Request::new(&path, reading.clone().unwrap_or_default())?;
            let (dataset, found) = UserData::load(request)?;
            return Ok(Self { set, reading, dataset, user_data: Some(found), notes: Vec::new() });
        }
        if reading.is_some() && catalogue::find(&set).is_ok() {
            let what = format!("reading: `{set}` is a benchmark, which needs none");
            return Err(Error::Recipe(what));
        }
        let dataset = catalogue::load(&set)?;
        let notes = catalogue::overlooked(&set)?.into_iter().map(|note| format!("note: {note}"));
        Ok(Self { set, reading, dataset, user_data: None, notes: notes.collect() })
    }
}

/// The file or folder of the user's own that a recipe trains on; a name of the catalogue is none.
fn own_file(recipe: &Recipe) -> Option<PathBuf> {
    let path = Path::new(&recipe.data.set);
    (catalogue::find(&recipe.data.set).is_err() && path.exists()).then(|| path.to_owned())
}
