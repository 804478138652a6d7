//! An experiment from beginning to end: units planned, trained side by side, judged, reported.
//!
//! An [`Experiment`] is a recipe with its data; [`Experiment::run`] trains it, or compares pairs
//! where its protocol asks for that. [`train`] also finds recipe and data by name. Everything is
//! kept in a run folder ([`crate::run`]); a run killed at any moment goes on from there and ends
//! with the same results, weights and curves, bit for bit.
//!
//! | file | what |
//! |---|---|
//! | `request` | from names of recipes, files and runs to an experiment |
//! | `base` | a recipe and its data before settings, for runs, sweeps and searches |
//! | `trained` | the protocols that train |
//! | `compare` | the protocol that compares pairs and trains nothing |
//! | `units` | trains the units and keeps them in the folder |
//! | `members` | what the units say together, and the model file of all of them |
//! | `refit` | networks on all rows, after the selection |
//! | `hand_over` | what a finished run leaves: predictions, metrics, pictures |
//! | `tables` | `split.csv` and `predictions.csv` |
//! | `plots` | learning curves, predictions beside targets |
//! | `jobs` | how many side by side |
//! | `observer` | what a run reports while it goes on |

mod base;
mod compare;
mod hand_over;
mod jobs;
mod members;
mod observer;
mod plots;
mod refit;
mod request;
mod tables;
mod trained;
mod units;

pub use base::Base;
pub use compare::Compared;
pub use jobs::Jobs;
pub use members::{Ensemble, JudgedRows};
pub use observer::{Event, Observer, Planned};
pub use refit::Refit;
pub(crate) use request::free_folder;
pub use request::{TrainRequest, TrainSource, Trained, train};
pub use trained::Results;

use crate::cache::Cache;
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::pipeline::Reader;
use crate::prepare::CountedDataset;
use crate::protocol::Protocol;
use crate::recipe::Recipe;
use crate::run::{Disk, Folder, Versions, read_json};
use crate::user_data::UserData;
use gsn_core::setters;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How a run is done; nothing here changes its results.
#[derive(Clone)]
pub struct Options {
    /// The run's folder.
    pub out: PathBuf,
    /// Go on with the run that is there; by default a run is new.
    pub resume: bool,
    /// Units side by side; measured if not given.
    pub jobs: Option<usize>,
    /// Threads of all units together; those of the current rayon pool if not given.
    pub threads: Option<usize>,
    /// Time between two checkpoints of a unit, 30 seconds by default; it is saved when it ends, in
    /// any case.
    pub checkpoint_every: Duration,
    /// Epochs after which every unit is saved and set aside without being judged, so that nothing
    /// looks at the test part; trained to the end by default.
    pub until: Option<u64>,
    /// Where counts are kept; by default where the environment says ([`Cache::from_env`]).
    pub cache: Cache,
    /// Turned on, the run saves and stops.
    pub stop: Arc<AtomicBool>,
    /// Writes the files; tests make it fail.
    pub disk: Disk,
}

impl Options {
    /// A new run in `out`, saved twice a minute.
    pub fn new(out: impl Into<PathBuf>) -> Self {
        Self {
            out: out.into(),
            resume: false,
            jobs: None,
            threads: None,
            checkpoint_every: Duration::from_secs(30),
            until: None,
            cache: Cache::from_env(),
            stop: Arc::new(AtomicBool::new(false)),
            disk: Disk::default(),
        }
    }

    setters! {
        with_resume(resume: bool),
        with_jobs(jobs: usize),
        with_threads(threads: usize),
        with_checkpoint_every(checkpoint_every: Duration),
        with_until(until: u64),
        with_cache(cache: Cache),
        with_stop(stop: Arc<AtomicBool>),
        with_disk(disk: Disk)
    }
}

/// A recipe and its data.
///
/// ```no_run
/// use gsn_lab::experiment::{Experiment, Options, RunResults};
/// let recipe = gsn_lab::recipe::Recipe::find("mutag-gsn-e")?;
/// let data = gsn_lab::catalogue::load(&recipe.data.set)?;
/// let options = Options::new("runs/mutag");
/// if let RunResults::Trained(results) = Experiment::new(recipe, data).run(&options, &())? {
///     println!("{} ± {:?}", results.report.test.mean, results.report.test.std);
/// }
/// # Ok::<(), gsn_lab::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Experiment {
    /// What is done.
    pub recipe: Recipe,
    /// With which graphs.
    pub dataset: Dataset,
    /// Where they are from, if they are the user's own.
    pub user_data: Option<UserData>,
    /// A sentence for everything that was chosen from the data.
    pub reasons: Vec<String>,
}

/// What an experiment reports.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[serde(untagged)]
pub enum RunResults {
    /// Networks were trained.
    Trained(Box<Results>),
    /// Pairs were compared by random weights.
    Compared(Compared),
}

impl Experiment {
    /// An experiment with these graphs.
    pub fn new(recipe: Recipe, dataset: Dataset) -> Self {
        Self { recipe, dataset, user_data: None, reasons: Vec::new() }
    }

    /// Does what the recipe says.
    ///
    /// # Errors
    /// [`Error::Stopped`] if that was asked for, [`Error::Paused`] after the epochs of
    /// [`Options::until`]; the state is saved then. Otherwise whatever went wrong, with everything
    /// before it saved.
    pub fn run(self, options: &Options, observer: &dyn Observer) -> Result<RunResults> {
        let Self { recipe, dataset, user_data, .. } = self;
        let untrained = matches!(recipe.protocol, Protocol::Separation { .. });
        if !untrained {
            recipe.training()?.check()?;
        }
        if recipe.counts.is_some() {
            observer.event(Event::Phase("counting"));
        }
        let reader = user_data.as_ref().map(|data| data.report.reader.clone());
        let data = CountedDataset::new(&recipe, dataset, &options.cache, Some(&options.stop))?;
        if let Some(why) = &data.not_kept {
            observer.event(Event::Note(&format!("counts could not be kept: {why}")));
        }
        let run =
            Run { recipe: &recipe, data: &data, user_data: user_data.as_ref(), options, observer };
        if untrained {
            return run.compare().map(RunResults::Compared);
        }
        let results = run.train(reader.or_else(|| Reader::of(&data.dataset)))?;
        Ok(RunResults::Trained(Box::new(results)))
    }
}

/// An experiment under way.
struct Run<'a> {
    recipe: &'a Recipe,
    data: &'a CountedDataset,
    user_data: Option<&'a UserData>,
    options: &'a Options,
    observer: &'a dyn Observer,
}

impl Run<'_> {
    /// The run's folder, new or taken up.
    fn open(&self) -> Result<Folder> {
        let Self { options, data: CountedDataset { dataset, .. }, .. } = self;
        let versions = Versions::new(dataset);
        if !options.resume {
            let folder = Folder::create(&options.out, options.disk.clone())?;
            folder.put_json("versions.json", &versions)?;
            if let Some(data) = self.user_data {
                data.keep(&folder)?;
            }
            // Last: a folder with a recipe is a run that can go on.
            folder.put("recipe.toml", self.recipe.to_toml().as_bytes())?;
            return Ok(folder);
        }
        let folder = Folder::open(&options.out, options.disk.clone())?;
        let path = folder.root().join("versions.json");
        let before: Versions = read_json(&path)?.ok_or_else(|| Error::file(&path, "is missing"))?;
        if before.data != versions.data {
            let what = "the data are not those the run was started with; start a new run";
            return Err(Error::data(&dataset.name, what));
        }
        if before != versions {
            self.observer.event(Event::Note(
                "the run was started with another program or on another machine, so the last \
                 digits may differ from a run that was never interrupted",
            ));
        }
        Ok(folder)
    }

    /// The number the recipe aims for.
    fn published(&self) -> Option<serde_json::Value> {
        self.recipe.published.as_ref().and_then(|p| serde_json::to_value(p).ok())
    }
}
