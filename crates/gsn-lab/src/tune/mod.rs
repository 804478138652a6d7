//! A search for settings by the validation part: random draws and successive halving.
//!
//! Every trial is a run of its own, of the recipe with settings drawn from a [`Space`]; trial 0 is
//! the recipe as it is. All are trained for a few epochs, the better third goes on from where it
//! was, and so on until the last are trained to the end ([`rungs`]). Only the validation metric
//! decides; a trial that is set aside is never judged, and the test part is looked at once, for
//! the winner. Draws are a function of the seed and the trial; schedules look at the epochs that
//! are done and not at those to come, so a trial that goes on is bit for bit the run that would
//! have been trained without a break.
//!
//! | file | what |
//! |---|---|
//! | `space` | keys and values, and draws from them |
//! | `halving` | how many trials go on for how many epochs |
//! | `run` | trains what is left to train |
//! | `table` | the table and the plot |

mod halving;
mod run;
mod space;
mod table;

pub use halving::{Rung, rungs};
pub use run::{TuneObserver, tune};
pub use space::{Even, Log, Space, Values, Whole};

use crate::error::{Error, Result};
use crate::experiment::{Results, TrainSource};
use crate::run::read_json;
use crate::train::Metric;
use crate::user_data;
use gsn_core::setters;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The file in a search's folder that says what was asked for.
const FILE: &str = "tune.json";

/// What to search for.
///
/// ```no_run
/// use gsn_lab::experiment::Options;
/// use gsn_lab::tune::{TuneRequest, tune};
/// let request = TuneRequest::new("molecules.csv")?.with_trials(30);
/// let found = tune(&request, &Options::new("runs/search"), None, &())?;
/// println!("{:?}", found.best().map(|trial| &trial.settings));
/// # Ok::<(), gsn_lab::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TuneRequest {
    /// A recipe by name or path, or the user's own data.
    pub what: String,
    /// `key=value` over the recipe of every trial; none by default.
    pub settings: Vec<String>,
    /// How the user's own data are read.
    pub reading: user_data::Options,
    /// Options of `reading` that stand over what a recipe says.
    pub given: Vec<String>,
    /// What is varied; by default what is worth trying around the recipe ([`Space::around`]).
    pub space: Option<Space>,
    /// Trials at the start; 16 by default.
    pub trials: usize,
    /// One in so many goes on; 3 by default.
    pub keep: usize,
    /// Decides the draws; 0 by default.
    pub seed: u64,
}

impl TuneRequest {
    /// A search of 16 trials with everything else as by default. Files are named from the root, so
    /// that the search goes on wherever it is called from.
    ///
    /// # Errors
    /// If the file cannot be found.
    pub fn new(what: &str) -> Result<Self> {
        let path = Path::new(what);
        let what = match path.exists() {
            true => path
                .canonicalize()
                .map_err(|e| Error::file(path, format!("cannot be found: {e}")))?
                .display()
                .to_string(),
            false => what.to_owned(),
        };
        Ok(Self {
            what,
            settings: Vec::new(),
            reading: user_data::Options::default(),
            given: Vec::new(),
            space: None,
            trials: 16,
            keep: 3,
            seed: 0,
        })
    }

    setters! {
        with_settings(settings: Vec<String>),
        with_reading(reading: user_data::Options),
        with_given(given: Vec<String>),
        with_space(space: Space),
        with_trials(trials: usize),
        with_keep(keep: usize),
        with_seed(seed: u64)
    }

    /// What the search in this folder was asked for.
    ///
    /// # Errors
    /// If there is none, or it cannot be read.
    pub fn of_folder(folder: &Path) -> Result<Self> {
        let found = read_json(&folder.join(FILE))?;
        found.ok_or_else(|| Error::file(folder, format!("holds no search (no {FILE})")))
    }

    /// Where it is kept if no folder is named: `runs/NAME-tune`, or the first of `runs/NAME-tune-2`,
    /// … that is free.
    pub fn default_folder(&self) -> PathBuf {
        let stem = Path::new(&self.what).file_stem();
        let stem = stem.map_or("search".into(), |stem| stem.to_string_lossy().into_owned());
        crate::experiment::free_folder(&format!("{stem}-tune"))
    }

    fn source(&self) -> TrainSource {
        TrainSource::named(&self.what)
    }
}

/// One trial.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trial {
    /// Its number; 0 is the recipe as it is.
    pub number: usize,
    /// What was drawn.
    pub settings: Vec<String>,
    /// The validation metric at the end of every rung that it reached: of the best epoch so far,
    /// mean over the units.
    pub values: Vec<f64>,
    /// Why it could not be trained.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
}

/// How a search ended.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tuned {
    /// What decided, on the validation part.
    pub metric: Metric,
    /// All trials, in the order of their numbers.
    pub trials: Vec<Trial>,
    /// Epochs of the rungs.
    pub epochs: Vec<u64>,
    /// The winner, judged once on its test part; nothing if the time was up before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub results: Option<Box<Results>>,
}

impl Tuned {
    /// The trial that stands first.
    pub fn best(&self) -> Option<&Trial> {
        let order = table::standing(&self.trials, self.metric);
        order.into_iter().next().filter(|trial| !trial.values.is_empty())
    }
}
