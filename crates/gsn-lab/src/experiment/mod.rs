//! An experiment from beginning to end: units planned, trained side by side, judged, reported.
//!
//! [`run`] does so for a recipe, [`conduct`] for anything that can hand out encoded graphs
//! ([`Source`]). Everything is
//! kept in a run folder ([`crate::run`]); a run killed at any moment goes on from there and ends
//! with the same results, weights and curves, bit for bit.
//!
//! | file | what |
//! |---|---|
//! | `recipe` | a recipe and a dataset as an experiment |
//! | `compare` | a recipe that compares pairs and trains nothing |
//! | `units` | trains the units and keeps them in the folder |
//! | `jobs` | how many side by side |
//! | `observer` | what a run tells whoever looks on |

mod compare;
mod jobs;
mod observer;
mod recipe;
mod units;

pub use compare::{Compared, compare};
pub use jobs::Jobs;
pub use observer::{Event, Observer, Planned};
pub use recipe::{recipe_of, run, settings_of};

use crate::cache::Cache;
use crate::dataset::{Dataset, Fold};
use crate::error::{Error, Result};
use crate::protocol::{Outcome, Plan, Protocol, Report};
use crate::run::{Disk, Folder, Versions};
use crate::train::Settings;
use gsn_nn::{GraphInput, Model, ModelConfig};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use units::Crew;

/// How a run is done; nothing here changes its results.
#[derive(Clone)]
pub struct Options {
    /// The run's folder.
    pub out: PathBuf,
    /// Go on with the run that is there.
    pub resume: bool,
    /// Units side by side; measured if not given.
    pub jobs: Option<usize>,
    /// Threads of all units together; those of the current rayon pool if not given.
    pub threads: Option<usize>,
    /// Time between two checkpoints of a unit; it is saved when it ends, in any case.
    pub checkpoint_every: Duration,
    /// Further files for a new run's folder, by name: what whoever resumes it needs to know.
    pub files: Vec<(String, Vec<u8>)>,
    /// Where counts are kept.
    pub cache: Cache,
    /// Turned on, the run saves and stops.
    pub stop: Arc<AtomicBool>,
    /// Who writes.
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
            files: Vec::new(),
            cache: Cache::from_env(),
            stop: Arc::new(AtomicBool::new(false)),
            disk: Disk::default(),
        }
    }
}

/// What is done.
#[derive(Clone)]
pub struct Sheet<'a> {
    /// Name of the recipe.
    pub name: &'a str,
    /// The recipe as text, for the run's folder.
    pub recipe: String,
    /// The graphs, with their cuts as the recipe wants them.
    pub dataset: &'a Dataset,
    /// How results are come by.
    pub protocol: Protocol,
    /// How networks are trained.
    pub settings: &'a Settings,
    /// Seeds.
    pub seeds: &'a [u64],
    /// The number the recipe aims for, for `results.json`.
    pub published: Option<serde_json::Value>,
}

/// Hands out encoded graphs.
pub trait Source: Sync {
    /// Do the encoded graphs depend on the training part?
    fn depends_on_fold(&self) -> bool;
    /// All graphs of the dataset, encoded as fitted on the fold's training part.
    ///
    /// # Errors
    /// If they cannot be encoded.
    fn prepare(&self, fold: &Fold) -> Result<Box<dyn Prepared>>;
}

/// Encoded graphs and the network for them.
pub trait Prepared: Send + Sync {
    /// The graphs, in the dataset's order.
    fn inputs(&self) -> &[GraphInput];
    /// The network.
    fn config(&self) -> &ModelConfig;
    /// Takes one graph's predicted numbers back to the unit of the data.
    fn restore(&self, predicted: &mut [f64]);
    /// A `.gsn` file of a trained model.
    ///
    /// # Errors
    /// If it cannot be laid out.
    fn model_file(&self, model: &Model<f32>, plan: &Plan, outcome: &Outcome) -> Result<Vec<u8>>;
}

/// What a run reports; `results.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// Name of the recipe.
    pub recipe: String,
    /// Name of the dataset.
    pub dataset: String,
    /// Trained numbers of the network.
    pub parameters: usize,
    /// The protocol's numbers.
    #[serde(flatten)]
    pub report: Report,
    /// The paper's protocol beside a fair one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<Report>,
    /// The number the recipe aims for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<serde_json::Value>,
}

/// Does what the sheet says.
///
/// # Errors
/// [`Error::Stopped`] if that was asked for; the state is saved then. Otherwise whatever went
/// wrong, with everything before it saved.
pub fn conduct(
    sheet: &Sheet<'_>,
    source: &dyn Source,
    options: &Options,
    observer: &dyn Observer,
) -> Result<Results> {
    sheet.settings.check()?;
    let dataset = sheet.dataset;
    let plans = sheet.protocol.plan(dataset, &dataset.splits, sheet.settings, sheet.seeds)?;
    let folder = open(&sheet.recipe, dataset, options, observer)?;
    let first = plans.first().ok_or_else(|| Error::Training("there is nothing to train".into()))?;
    observer.event(Event::Phase("encoding the graphs"));
    let same = plans.iter().all(|plan| plan.fold.train == first.fold.train);
    let shared = source.prepare(&first.fold)?;
    let parameters = Model::<f32>::new(shared.config().clone(), 0)?.params().count();
    let mut crew = Crew {
        source,
        dataset,
        settings: sheet.settings,
        plans: &plans,
        folder: &folder,
        options,
        observer,
        shared: Some(Arc::from(shared)),
    };
    // What was finished before; of a new run, nothing.
    let mut saved = Vec::with_capacity(plans.len());
    for plan in &plans {
        saved.push(folder.peek(&plan.name)?.unwrap_or_default());
    }
    let open = saved.iter().filter(|(_, done)| !done).count();
    let (jobs, steps) = plan_jobs(&crew, open, options, observer)?;
    folder.write_metrics(
        plans.iter().zip(&saved).map(|(plan, (rows, _))| (plan.name.as_str(), rows.as_slice())),
    )?;
    if source.depends_on_fold() && !same {
        crew.shared = None;
    }
    let names: Vec<String> = plans.iter().map(|plan| plan.name.clone()).collect();
    observer.event(Event::Planned(Planned {
        units: &names,
        epochs: sheet.settings.epochs,
        steps,
        parameters,
        jobs: jobs.jobs,
        threads: jobs.threads,
    }));
    let begin = Instant::now();
    let outcomes = crew.run(jobs);
    let line = serde_json::json!({
        "ended": SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_secs()),
        "seconds": begin.elapsed().as_secs_f64(),
        "jobs": jobs.jobs,
        "threads": jobs.threads,
        "resumed_at": saved.iter().map(|(rows, _)| rows.len()).sum::<usize>(),
        "epochs": outcomes.as_ref().ok().map(|o| o.iter().map(|o| o.curve.len()).sum::<usize>()),
        "end": match &outcomes { Ok(_) => "done".to_string(), Err(e) => e.to_string() },
    });
    // What ended the run matters more than a log of it.
    let logged = folder.log("sessions.jsonl", &line);
    let outcomes = outcomes?;
    logged?;
    folder.write_metrics(
        plans.iter().zip(&outcomes).map(|(plan, o)| (plan.name.as_str(), o.curve.as_slice())),
    )?;
    let units: Vec<(&Plan, Outcome)> = plans.iter().zip(outcomes).collect();
    let (report, beside) = sheet.protocol.report(sheet.settings.metric, &units)?;
    put_model(&folder, sheet.settings, &report)?;
    let results = Results {
        recipe: sheet.name.to_string(),
        dataset: dataset.name.clone(),
        parameters,
        report,
        beside,
        published: sheet.published.clone(),
    };
    folder.put_json("results.json", &results)?;
    Ok(results)
}

/// The run's folder, new or taken up.
fn open(
    recipe: &str,
    dataset: &Dataset,
    options: &Options,
    observer: &dyn Observer,
) -> Result<Folder> {
    let versions = Versions::new(dataset);
    if !options.resume {
        let folder = Folder::create(&options.out, options.disk.clone())?;
        folder.put_json("versions.json", &versions)?;
        for (name, bytes) in &options.files {
            folder.put(name, bytes)?;
        }
        // Last: a folder with a recipe is a run that can go on.
        folder.put("recipe.toml", recipe.as_bytes())?;
        return Ok(folder);
    }
    let folder = Folder::open(&options.out, options.disk.clone())?;
    let path = folder.root().join("versions.json");
    let before = std::fs::read(&path).map_err(|e| Error::file(&path, e))?;
    let before: Versions = serde_json::from_slice(&before).map_err(|e| Error::file(&path, e))?;
    if before.data != versions.data {
        let what = "the data are not those the run was started with; start a new run";
        return Err(Error::data(&dataset.name, what));
    }
    if before != versions {
        observer.event(Event::Note(
            "the run was started with another program or on another machine, so the last digits \
             may differ from a run that was never interrupted",
        ));
    }
    Ok(folder)
}

/// Units side by side and steps of an epoch.
fn plan_jobs(
    crew: &Crew<'_>,
    units: usize,
    options: &Options,
    observer: &dyn Observer,
) -> Result<(Jobs, u64)> {
    let threads = options.threads.unwrap_or_else(rayon::current_num_threads).max(1);
    let first = &crew.plans[0];
    let prepared = crew.prepared(first)?;
    crew.with_unit(first, &*prepared, |unit| {
        let jobs = match options.jobs {
            Some(jobs) => Jobs::share(jobs, threads, units),
            None => {
                if units > 1 && threads > 1 {
                    observer.event(Event::Phase("measuring some steps"));
                }
                Jobs::measure(unit, units, threads)?
            }
        };
        Ok((jobs, unit.steps()))
    })
}

/// The model of the unit that is best on validation, of the first where nothing was validated.
fn put_model(folder: &Folder, settings: &Settings, report: &Report) -> Result<()> {
    let value = |run: &crate::protocol::Run| run.validation.unwrap_or(f64::NAN);
    let best = report
        .runs
        .iter()
        .reduce(|a, b| if settings.metric.better(value(b), value(a)) { b } else { a });
    let Some(best) = best else { return Ok(()) };
    let path = folder.unit(&best.unit).join("model.gsn");
    let bytes = std::fs::read(&path).map_err(|e| Error::file(&path, e))?;
    folder.put("model.gsn", &bytes)
}
