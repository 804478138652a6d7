//! Trains what is left of a search.

use super::{FILE, Rung, Space, Trial, TuneRequest, Tuned, rungs, space, table};
use crate::error::{Error, Result};
use crate::experiment::{Base, Observer, Options, RunResults};
use crate::recipe::Recipe;
use crate::run::{peek_unit, put, read_json, unit_names};
use crate::train::{Metric, Row};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The file in a trial's folder with the epochs that all its units have.
const REACHED: &str = "reached.txt";
/// Draws of a trial until one fits the recipe, at most.
const DRAWS: u64 = 100;

/// Receives the progress of a search.
pub trait TuneObserver {
    /// Sentences about the data and what was chosen, before the first trial.
    fn begins(&self, rungs: &[Rung], reasons: &[String]) {
        let _ = (rungs, reasons);
    }

    /// A trial is trained on to the end of a rung.
    fn trial(&self, trial: &Trial, rung: &Rung) {
        let _ = (trial, rung);
    }

    /// The winner is judged.
    fn judges(&self, trial: &Trial) {
        let _ = trial;
    }

    /// Receives the progress of the next training.
    fn observer(&self) -> Box<dyn Observer + '_>;
}

/// Ignores everything.
impl TuneObserver for () {
    fn observer(&self) -> Box<dyn Observer + '_> {
        Box::new(())
    }
}

/// Searches, in the folder `options.out`; a search that is there goes on if `options.resume` says so.
/// `trials/NNN` is the run of each trial; `table.csv`, `plot.svg` and `best.toml`, the recipe that
/// stands first, are written after every trial, `results.json` and `model.gsn` at the end. After
/// `deadline` no further training is begun, except for the first of a session.
///
/// # Errors
/// [`Error::Stopped`] if that was asked for; what was trained is kept. Whatever is wrong with the
/// data, the settings or the disk; a trial that cannot be trained is no error.
pub fn tune(
    request: &TuneRequest,
    options: &Options,
    deadline: Option<Instant>,
    observer: &dyn TuneObserver,
) -> Result<Tuned> {
    let mut base = Base::open(request.source(), request.reading.clone(), request.given.clone())?;
    let settings: Vec<&str> = request.settings.iter().map(String::as_str).collect();
    let recipe = base.recipe(&settings)?;
    space::check(&recipe)?;
    let experiment = base.experiment(recipe.clone())?;
    let shape = experiment.user_data.as_ref().map(|data| data.report.shape);
    let set = |key: &str| {
        let is = |setting: &&str| setting.split_once('=').is_some_and(|(k, _)| k.trim() == key);
        settings.iter().any(is)
    };
    let space = match &request.space {
        Some(space) => match space.keys().find(|key| set(key)) {
            Some(key) => {
                let what = format!("{key} is in the space and is set as well; give one of them");
                return Err(Error::Recipe(what));
            }
            None => space.clone(),
        },
        // What was decided is not varied.
        None => Space::around(&recipe, shape.as_ref()).without(set),
    };
    let training = recipe.training()?;
    let ladder = rungs(request.trials, training.epochs, request.keep);
    open_folder(request, options)?;
    observer.begins(&ladder, &experiment.reasons);
    drop(experiment);
    let mut trials = Vec::new();
    for number in 0..request.trials.max(1) {
        let (settings, _) = draw(request, &base, &space, number)?;
        trials.push(Trial { number, settings, values: Vec::new(), failed: None });
    }
    let mut search = Search {
        request,
        options,
        base,
        keys: space.keys().map(str::to_owned).collect(),
        ladder,
        metric: training.metric,
        trials,
        observer,
    };
    let in_time = search.climb(deadline)?;
    let mut tuned = Tuned {
        metric: search.metric,
        epochs: search.ladder.iter().map(|rung| rung.epochs).collect(),
        trials: search.trials.clone(),
        results: None,
    };
    if in_time {
        let best = tuned.best().cloned().ok_or_else(|| {
            let first = tuned.trials.iter().find_map(|trial| trial.failed.clone());
            let first = first.map(|why| format!("; the first: {why}")).unwrap_or_default();
            Error::Training(format!("no trial could be trained{first}"))
        })?;
        observer.judges(&best);
        tuned.results = Some(search.judge(&best)?);
        let text = serde_json::to_string_pretty(&tuned)
            .map_err(|e| Error::file(options.out.join("results.json"), e))?;
        put(&options.out.join("results.json"), (text + "\n").as_bytes())?;
    }
    Ok(tuned)
}

/// Makes the folder of a new search, or makes sure that the one there is this one.
fn open_folder(request: &TuneRequest, options: &Options) -> Result<()> {
    let folder = &options.out;
    // What a search that was killed before it began has left does not make a folder taken.
    gsn_io::atomic::sweep(folder);
    let there: Option<TuneRequest> = read_json(&folder.join(FILE))?;
    match there {
        Some(there) if options.resume && there == *request => Ok(()),
        Some(_) if options.resume => {
            Err(Error::file(folder, "holds a search that was asked for something else"))
        }
        Some(_) => {
            let what = format!(
                "holds a search already; go on with `gsn tune --resume {}` or choose another \
                 folder with --out",
                folder.display()
            );
            Err(Error::file(folder, what))
        }
        None if folder.read_dir().is_ok_and(|mut entries| entries.next().is_some()) => {
            Err(Error::file(folder, "is not empty; choose another folder with --out"))
        }
        None => {
            let text = serde_json::to_string_pretty(request).map_err(|e| Error::file(folder, e))?;
            put(&folder.join(FILE), (text + "\n").as_bytes())
        }
    }
}

/// The settings of a trial and its recipe: the first draw that fits.
fn draw(
    request: &TuneRequest,
    base: &Base,
    space: &Space,
    number: usize,
) -> Result<(Vec<String>, Recipe)> {
    let mut refused = None;
    for attempt in 0..DRAWS {
        let drawn = match number {
            0 => Vec::new(),
            n => space.draw(gsn_core::random::derive(request.seed, attempt), n as u64),
        };
        match recipe(request, base, &drawn) {
            Ok(recipe) => return Ok((drawn, recipe)),
            Err(error) => refused = Some(error),
        }
    }
    let why = refused.map(|error| error.to_string()).unwrap_or_default();
    Err(Error::Recipe(format!("no draw from the space fits the recipe; the last: {why}")))
}

/// The recipe of a trial.
fn recipe(request: &TuneRequest, base: &Base, drawn: &[String]) -> Result<Recipe> {
    let settings: Vec<&str> = request.settings.iter().chain(drawn).map(String::as_str).collect();
    let mut recipe = base.recipe(&settings)?;
    // The published number belongs to the recipe without changes.
    recipe.published = None;
    Ok(recipe)
}

/// A search under way.
struct Search<'a> {
    request: &'a TuneRequest,
    options: &'a Options,
    base: Base,
    keys: Vec<String>,
    ladder: Vec<Rung>,
    metric: Metric,
    trials: Vec<Trial>,
    observer: &'a dyn TuneObserver,
}

impl Search<'_> {
    /// Trains all rungs; false if the time was up before. A session trains at least once, so that a
    /// search that goes on gets on.
    fn climb(&mut self, deadline: Option<Instant>) -> Result<bool> {
        let mut begun = false;
        for at in 0..self.ladder.len() {
            let rung = self.ladder[at];
            let reached = |trial: &&Trial| trial.values.len() == at && trial.failed.is_none();
            let alive: Vec<Trial> = self.trials.iter().filter(reached).cloned().collect();
            let on: Vec<usize> = table::standing(&alive, self.metric)
                .iter()
                .take(rung.trials)
                .map(|trial| trial.number)
                .collect();
            for number in on {
                if !self.is_trained(number, rung)? {
                    if begun && deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                        return Ok(false);
                    }
                    begun = true;
                }
                self.train(number, rung)?;
                self.report()?;
            }
        }
        Ok(true)
    }

    fn folder(&self, number: usize) -> PathBuf {
        self.options.out.join("trials").join(format!("{number:03}"))
    }

    /// How this session trains in a trial's folder.
    fn run_options(&self, number: usize) -> Options {
        let out = self.folder(number);
        let resume = out.join("recipe.toml").is_file();
        Options { resume, out, ..self.options.clone() }
    }

    /// Trains a trial on to the end of a rung and notes its value.
    fn train(&mut self, number: usize, rung: Rung) -> Result<()> {
        let folder = self.folder(number);
        let note = folder.join("failed.txt");
        if !self.is_trained(number, rung)? && !note.is_file() {
            self.observer.trial(&self.trials[number], &rung);
            let recipe = recipe(self.request, &self.base, &self.trials[number].settings)?;
            let options = self.run_options(number).with_until(rung.epochs);
            let experiment = self.base.experiment(recipe)?;
            match experiment.run(&options, &*self.observer.observer()) {
                // Noted last: a search that is killed before trains on, which changes nothing.
                Ok(_) | Err(Error::Paused) => {
                    put(&folder.join(REACHED), rung.epochs.to_string().as_bytes())?;
                }
                // What its settings do is the trial's own affair; anything else ends the search.
                Err(error @ (Error::Training(_) | Error::Recipe(_) | Error::Network(_))) => {
                    put(&note, error.to_string().as_bytes())?;
                }
                Err(error) => return Err(error),
            }
        }
        let trial = &mut self.trials[number];
        if note.is_file() {
            let why = std::fs::read_to_string(&note).map_err(|e| Error::file(&note, e))?;
            trial.failed = Some(why);
            return Ok(());
        }
        let curves = curves(&folder)?;
        trial.values.push(value(self.metric, &curves, rung.epochs).ok_or_else(|| {
            let what = "a search chooses by validation, but nothing is measured there; give the \
                        data a validation part, and the protocol choose = \"best-validation\"";
            Error::file(&folder, what)
        })?);
        Ok(())
    }

    /// Whether all units of a trial have reached a rung.
    fn is_trained(&self, number: usize, rung: Rung) -> Result<bool> {
        let folder = self.folder(number);
        if !folder.join("recipe.toml").is_file() {
            return Ok(folder.join("failed.txt").is_file());
        }
        let there = Recipe::of_run(&folder)?;
        let wanted = recipe(self.request, &self.base, &self.trials[number].settings)?;
        if there != wanted {
            let what = "was trained with other settings; search in another folder with --out";
            return Err(Error::file(folder, what));
        }
        let reached = std::fs::read_to_string(folder.join(REACHED)).ok();
        let reached: Option<u64> = reached.and_then(|text| text.trim().parse().ok());
        Ok(reached.is_some_and(|epochs| epochs >= rung.epochs))
    }

    /// Writes the table, the plot and the recipe that stands first.
    fn report(&self) -> Result<()> {
        let Self { trials, keys, ladder, metric, .. } = self;
        let out = &self.options.out;
        put(&out.join("table.csv"), table::csv(trials, keys, ladder, *metric).as_bytes())?;
        let title = format!("search over {}", self.request.what);
        let plot = table::plot(&title, trials, ladder, *metric);
        put(&out.join("plot.svg"), plot.as_bytes())?;
        let first = table::standing(trials, *metric).into_iter().next();
        if let Some(best) = first.filter(|trial| !trial.values.is_empty()) {
            let recipe = recipe(self.request, &self.base, &best.settings)?;
            put(&out.join("best.toml"), recipe.to_toml().as_bytes())?;
        }
        Ok(())
    }

    /// Trains the winner to its end, if it is not there, and judges it.
    fn judge(&mut self, best: &Trial) -> Result<Box<crate::experiment::Results>> {
        let recipe = recipe(self.request, &self.base, &best.settings)?;
        let options = self.run_options(best.number);
        let experiment = self.base.experiment(recipe)?;
        let results = match experiment.run(&options, &*self.observer.observer())? {
            RunResults::Trained(results) => results,
            RunResults::Compared(_) => {
                return Err(Error::Recipe("the recipe trains nothing".into()));
            }
        };
        let model = options.out.join("model.gsn");
        let bytes = std::fs::read(&model).map_err(|e| Error::file(&model, e))?;
        put(&self.options.out.join("model.gsn"), &bytes)?;
        Ok(results)
    }
}

/// The epochs of every unit of a run, and whether it is done.
fn curves(run: &Path) -> Result<Vec<(Vec<Row>, bool)>> {
    let mut curves = Vec::new();
    for name in unit_names(run) {
        curves.extend(peek_unit(run, &name)?);
    }
    Ok(curves)
}

/// The best validation metric up to an epoch, mean over units; nothing if a unit has none.
fn value(metric: Metric, curves: &[(Vec<Row>, bool)], epochs: u64) -> Option<f64> {
    let best = |(rows, _): &(Vec<Row>, bool)| {
        rows.iter()
            .filter(|row| row.epoch <= epochs)
            .filter_map(|row| row.validation)
            .reduce(|a, b| if metric.better(b, a) { b } else { a })
    };
    let values: Option<Vec<f64>> = curves.iter().map(best).collect();
    let values = values.filter(|values| !values.is_empty())?;
    Some(values.iter().sum::<f64>() / values.len() as f64)
}
