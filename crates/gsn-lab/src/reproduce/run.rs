//! Runs the rows of the tables, one after the other; finished ones are kept and not run again.

use super::kept::{recipe_sha256, sha256, thinned};
use super::{Kept, Row, Table, Work, core, re_estimated};
use crate::error::{Error, Result};
use crate::experiment::{Base, Observer, Options, RunResults, TrainSource};
use crate::recipe::Recipe;
use crate::run::{peek_unit, unit_names};
use crate::sweep::{Sweep, SweepObserver, sweep};
use crate::user_data;
use std::path::{Path, PathBuf};

/// Epochs of a curve that are kept.
const POINTS: usize = 60;
/// What a quick look at a row leaves of its recipe.
const QUICK: [&str; 2] = ["training.epochs=3", "seeds=1"];

/// Which rows are run, and where things are kept.
#[derive(Clone)]
pub struct ReproduceRequest {
    /// Names of tables or rows; all if there are none.
    pub names: Vec<String>,
    /// A few epochs of one seed a row, to see that it runs; nothing is kept.
    pub quick: bool,
    /// The folder of kept results.
    pub results: PathBuf,
    /// The program and its commit.
    pub program: String,
    /// How runs are done; `options.out` is the folder that holds all of them.
    pub options: Options,
}

/// A row that was run, or found finished.
#[derive(Debug, Clone)]
pub struct Reproduced {
    /// The table.
    pub table: String,
    /// The row.
    pub row: Row,
    /// What came of it.
    pub kept: Kept,
}

/// Receives the progress of rows.
pub trait ReproduceObserver: SweepObserver {
    /// A row is begun, or was finished before with the same recipe and the same core.
    fn row(&self, at: usize, rows: usize, row: &Row, finished: bool) {
        let _ = (at, rows, row, finished);
    }
}

impl ReproduceObserver for () {}

impl ReproduceRequest {
    /// The rows that are asked for, in the order of the tables.
    ///
    /// # Errors
    /// If a name is neither a table's nor a row's.
    pub fn rows(&self, tables: &[Table]) -> Result<Vec<(String, Row)>> {
        for name in &self.names {
            let known = |t: &Table| t.name == *name || t.rows.iter().any(|row| row.id == *name);
            if !tables.iter().any(known) {
                let there: Vec<&str> = tables.iter().map(|t| t.name.as_str()).collect();
                return Err(Error::Recipe(format!(
                    "there is no table or row `{name}`; tables are {}",
                    there.join(", ")
                )));
            }
        }
        let all = tables.iter().flat_map(|t| t.rows.iter().map(move |row| (t, row)));
        let wanted = all.filter(|(t, row)| {
            self.names.is_empty() || self.names.contains(&t.name) || self.names.contains(&row.id)
        });
        Ok(wanted.map(|(t, row)| (t.name.clone(), row.clone())).collect())
    }
}

/// Runs or takes up what is asked for and not finished.
///
/// # Errors
/// [`Error::Stopped`] if that was asked for; the same request goes on where it was. Otherwise
/// whatever a row met first.
pub fn reproduce(
    request: &ReproduceRequest,
    tables: &[Table],
    observer: &dyn ReproduceObserver,
) -> Result<Vec<Reproduced>> {
    let rows = request.rows(tables)?;
    let core = core()?;
    let mut done = Vec::with_capacity(rows.len());
    for (at, (table, row)) in rows.iter().enumerate() {
        let work = Prepared::new(row, request.quick)?;
        let before = match request.quick {
            true => None,
            false => Kept::read(&request.results, &row.id)?
                .filter(|kept| kept.core == core && kept.recipe_sha256 == work.sha256),
        };
        observer.row(at, rows.len(), row, before.is_some());
        let kept = match before {
            Some(kept) => kept,
            None => {
                let kept = work.run(request, row, &core, observer)?;
                if !request.quick {
                    kept.write(&request.results, &row.id)?;
                }
                kept
            }
        };
        done.push(Reproduced { table: table.clone(), row: row.clone(), kept });
    }
    Ok(done)
}

/// A row's recipe or sweep, and what tells it from others.
struct Prepared {
    what: What,
    sha256: String,
}

enum What {
    Recipe(Box<Recipe>),
    Sweep(Box<Sweep>),
}

impl Prepared {
    fn new(row: &Row, quick: bool) -> Result<Self> {
        if let Work::Sweep(name) = &row.work {
            let mut plan = Sweep::find(name)?;
            let settings = row.settings.iter().map(String::as_str);
            for setting in settings.chain(QUICK.into_iter().filter(|_| quick)) {
                let (key, value) = setting.split_once('=').ok_or_else(|| {
                    Error::Recipe(format!("{}: `{setting}` is no KEY=VALUE", row.id))
                })?;
                plan.set.insert(key.to_owned(), value.trim_matches('"').into());
            }
            let cells = plan.cells()?;
            let all: String = cells.iter().map(|cell| recipe_sha256(&cell.recipe)).collect();
            return Ok(Self { what: What::Sweep(Box::new(plan)), sha256: sha256(&all) });
        }
        let mut recipe = row.recipe()?.ok_or_else(|| Error::Recipe("a row runs nothing".into()))?;
        if quick && recipe.training.is_some() {
            recipe = recipe.with_settings(&QUICK)?;
        }
        let sha256 = recipe_sha256(&recipe);
        Ok(Self { what: What::Recipe(Box::new(recipe)), sha256 })
    }

    fn run(
        self,
        request: &ReproduceRequest,
        row: &Row,
        core: &str,
        observer: &dyn ReproduceObserver,
    ) -> Result<Kept> {
        // A run of another recipe or core is another run: it has a folder of its own.
        let quick = if request.quick { "quick-" } else { "" };
        let name = format!("{quick}{}-{core}-{}", row.id, &self.sha256[..8]);
        let out = request.options.out.join(name);
        let mut kept = Kept {
            command: row.command(),
            program: request.program.clone(),
            core: core.to_owned(),
            recipe_sha256: self.sha256,
            seconds: 0.0,
            results: None,
            re_estimated: None,
            curve: Vec::new(),
            compared: None,
            sweep: None,
        };
        match self.what {
            What::Sweep(plan) => {
                let options = Options { out: out.clone(), ..request.options.clone() };
                kept.sweep = Some(sweep(&plan, &options, observer)?);
                let cells = out.join("cells").read_dir().into_iter().flatten().flatten();
                kept.seconds = cells.map(|cell| seconds(&cell.path())).sum();
            }
            What::Recipe(recipe) => {
                let source = TrainSource::Recipe(recipe.name.clone());
                let mut base = Base::open(source, user_data::Options::default(), Vec::new())?;
                let resume = out.join("recipe.toml").is_file();
                let options = Options { out: out.clone(), resume, ..request.options.clone() };
                let experiment = base.experiment(*recipe)?;
                let watched: Box<dyn Observer + '_> = observer.observer();
                match experiment.run(&options, &*watched)? {
                    RunResults::Compared(compared) => kept.compared = Some(compared),
                    RunResults::Trained(results) => {
                        let mut results = *results;
                        // Every metric with its bootstrap interval is in the run; the page has one.
                        results.metrics.clear();
                        kept.results = Some(results);
                        kept.re_estimated = re_estimated(&out, &options.cache)?;
                        kept.curve = first_curve(&out)?;
                    }
                }
                kept.seconds = seconds(&out);
            }
        }
        Ok(kept)
    }
}

/// Some epochs of a run's first unit.
fn first_curve(run: &Path) -> Result<Vec<crate::train::Row>> {
    let Some(first) = unit_names(run).into_iter().next() else { return Ok(Vec::new()) };
    let curve = peek_unit(run, &first)?.map(|(curve, _)| curve).unwrap_or_default();
    Ok(thinned(&curve, POINTS))
}

/// Seconds of all sessions of a run.
fn seconds(run: &Path) -> f64 {
    let text = std::fs::read_to_string(run.join("sessions.jsonl")).unwrap_or_default();
    let lines = text.lines().filter_map(|line| serde_json::from_str(line).ok());
    lines.filter_map(|line: serde_json::Value| line["seconds"].as_f64()).sum()
}
