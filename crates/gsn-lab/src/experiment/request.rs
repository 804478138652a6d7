//! From names of recipes, files and runs to an experiment: what `gsn train` does.

use super::{Base, Experiment, Observer, Options, RunResults};
use crate::catalogue;
use crate::error::{Error, Result};
use crate::recipe::Recipe;
use crate::user_data::{self, UserData};
use gsn_core::setters;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// What is trained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrainSource {
    /// A recipe of the library by its name, or a file by its path.
    Recipe(String),
    /// The user's own data, a file or folder, with a recipe chosen from them.
    Data(PathBuf),
    /// A run that was started before, by its folder.
    Run(PathBuf),
}

impl TrainSource {
    /// A file or folder that is there and no `.toml` is data; anything else is a recipe.
    pub fn named(name: &str) -> Self {
        let path = Path::new(name);
        match path.exists() && !name.ends_with(".toml") {
            true => Self::Data(path.to_owned()),
            false => Self::Recipe(name.to_owned()),
        }
    }
}

/// What to train and how.
///
/// ```no_run
/// use gsn_lab::experiment::{TrainRequest, TrainSource, train};
/// let request = TrainRequest::new(TrainSource::named("mutag-gsn-e"))
///     .with_settings(vec!["training.epochs=50".into()])
///     .with_out("runs/short".into());
/// let trained = train(&request, &())?;
/// println!("kept in {}", trained.out.display());
/// # Ok::<(), gsn_lab::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct TrainRequest {
    /// What is trained.
    pub source: TrainSource,
    /// `key=value` over the recipe; none by default, and none for a run that goes on.
    pub settings: Vec<String>,
    /// How the user's own data are read.
    pub user_data: user_data::Options,
    /// Names of the options of `user_data` that stand over what a recipe says, and that are refused
    /// for a benchmark; none by default.
    pub given: Vec<String>,
    /// The run's folder; by default `runs/NAME`, or the first of `runs/NAME-2`, … that is free.
    pub out: Option<PathBuf>,
    /// Units side by side; measured if not given.
    pub jobs: Option<usize>,
    /// Time between two checkpoints of a unit, 30 seconds by default.
    pub checkpoint_every: Duration,
    /// Turned on, the run saves and stops.
    pub stop: Arc<AtomicBool>,
}

/// A finished run.
#[derive(Debug, Clone)]
pub struct Trained {
    /// What was done.
    pub recipe: Recipe,
    /// The results.
    pub results: RunResults,
    /// Where it is kept.
    pub out: PathBuf,
}

impl TrainRequest {
    /// This with everything as by default.
    pub fn new(source: TrainSource) -> Self {
        Self {
            source,
            settings: Vec::new(),
            user_data: user_data::Options::default(),
            given: Vec::new(),
            out: None,
            jobs: None,
            checkpoint_every: Duration::from_secs(30),
            stop: Arc::new(AtomicBool::new(false)),
        }
    }

    setters! {
        with_settings(settings: Vec<String>),
        with_user_data(user_data: user_data::Options),
        with_given(given: Vec<String>),
        with_out(out: PathBuf),
        with_jobs(jobs: usize),
        with_checkpoint_every(checkpoint_every: Duration),
        with_stop(stop: Arc<AtomicBool>)
    }

    /// Finds the recipe and reads the data.
    ///
    /// # Errors
    /// If there is no such recipe, file or run, a setting does not fit, or the data cannot be read.
    pub fn experiment(&self) -> Result<Experiment> {
        if let TrainSource::Run(run) = &self.source {
            return of_run(run);
        }
        let mut base = self.base()?;
        let recipe = self.recipe_of(&base)?;
        base.experiment(recipe)
    }

    /// The recipe with all settings, without reading more data than choosing it takes.
    ///
    /// # Errors
    /// As [`TrainRequest::experiment`].
    pub fn recipe(&self) -> Result<Recipe> {
        self.recipe_of(&self.base()?)
    }

    fn base(&self) -> Result<Base> {
        let base = Base::open(self.source.clone(), self.user_data.clone(), self.given.clone())?;
        Ok(base.with_members())
    }

    fn recipe_of(&self, base: &Base) -> Result<Recipe> {
        let settings: Vec<&str> = self.settings.iter().map(String::as_str).collect();
        base.recipe(&settings)
    }

    /// How the run of a recipe of this name is done.
    pub fn options(&self, name: &str) -> Options {
        let (out, resume) = match (&self.source, &self.out) {
            (TrainSource::Run(run), _) => (run.clone(), true),
            (_, Some(out)) => (out.clone(), false),
            (_, None) => (free_folder(name), false),
        };
        Options {
            resume,
            jobs: self.jobs,
            checkpoint_every: self.checkpoint_every,
            stop: self.stop.clone(),
            ..Options::new(out)
        }
    }
}

/// The experiment of a run that was started before.
fn of_run(run: &Path) -> Result<Experiment> {
    let recipe = Recipe::of_run(run)?;
    match user_data::Request::of_run(run)? {
        Some(request) => {
            let (dataset, data) = UserData::load(request)?;
            Ok(Experiment { user_data: Some(data), ..Experiment::new(recipe, dataset) })
        }
        None => {
            let dataset = catalogue::load(&recipe.data.set)?;
            Ok(Experiment::new(recipe, dataset))
        }
    }
}

/// `runs/NAME`, or the first of `runs/NAME-2`, … that does not exist.
pub(crate) fn free_folder(name: &str) -> PathBuf {
    let runs = Path::new("runs");
    let mut path = runs.join(name);
    for n in 2.. {
        if !path.exists() {
            break;
        }
        path = runs.join(format!("{name}-{n}"));
    }
    path
}

/// Trains what the request names, from the data to the results.
///
/// # Errors
/// As [`TrainRequest::experiment`] and [`Experiment::run`].
pub fn train(request: &TrainRequest, observer: &dyn Observer) -> Result<Trained> {
    let experiment = request.experiment()?;
    let recipe = experiment.recipe.clone();
    let options = request.options(&recipe.name);
    let results = experiment.run(&options, observer)?;
    Ok(Trained { recipe, results, out: options.out })
}

impl Recipe {
    /// The recipe of a run that was started before.
    ///
    /// # Errors
    /// If there is no run, or its recipe cannot be read.
    pub fn of_run(run: &Path) -> Result<Self> {
        let path = run.join("recipe.toml");
        let text = std::fs::read_to_string(&path).map_err(|e| match e.kind() {
            std::io::ErrorKind::NotFound => Error::file(run, "holds no run (no recipe.toml)"),
            _ => Error::file(&path, format!("cannot be read: {e}")),
        })?;
        Self::parse(&text, &path.display().to_string())
    }
}
