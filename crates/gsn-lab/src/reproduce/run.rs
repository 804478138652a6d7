//! Runs the rows of the tables, one after the other; finished ones are kept and not run again.

use super::kept::thinned;
use super::{Kept, Row, Scores, Table, Work, re_estimated};
use crate::error::{Error, Result};
use crate::experiment::{Base, Options, Results, RunResults, TrainSource};
use crate::protocol::Statistics;
use crate::recipe::{Recipe, Seeds};
use crate::run::{peek_unit, processor_seconds, processor_seconds_since, unit_names};
use crate::sweep::{Sweep, SweepObserver, recipe_disambiguation, sweep};
use crate::train::Schedule;
use crate::user_data;
use std::path::{Path, PathBuf};

/// Epochs of a curve that are kept.
const POINTS: usize = 60;
/// What a quick look at a row leaves of its recipe, beside its first seed.
const QUICK: (&str, u64) = ("training.epochs", 3);

/// Which rows are run, and where things are kept.
#[derive(Clone)]
pub struct ReproduceRequest {
    /// Names of tables or rows; all if there are none.
    pub names: Vec<String>,
    /// Seeds of the rows that are repeated with seeds; all of a row's if there are none. Other rows
    /// are run as a whole.
    pub seeds: Vec<u64>,
    /// A few epochs of one seed a row, to see that it runs; nothing is kept.
    pub quick: bool,
    /// The folder of kept results.
    pub results: PathBuf,
    /// The program and its commit.
    pub program: String,
    /// The bits of its numeric core; see [`core`](super::core()).
    pub core: String,
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
    /// What came of it, or of its seeds.
    pub kept: Vec<Kept>,
}

/// Receives the progress of rows.
pub trait ReproduceObserver: SweepObserver {
    /// A row is begun, or all that is asked for was kept before, with the same recipe and core.
    fn row(&self, at: usize, rows: usize, row: &Row, finished: bool) {
        let _ = (at, rows, row, finished);
    }

    /// Something of a row was kept.
    ///
    /// # Errors
    /// Ends the work.
    fn kept(&self, row: &Row) -> Result<()> {
        let _ = row;
        Ok(())
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

    /// What is asked for of a row: seeds, or the row as a whole.
    fn parts(&self, row: &Row) -> Result<Vec<Option<u64>>> {
        let mut seeds = row.seeds()?;
        if seeds.is_empty() {
            return Ok(vec![None]);
        }
        seeds.retain(|seed| self.seeds.is_empty() || self.seeds.contains(seed));
        seeds.truncate(if self.quick { 1 } else { usize::MAX });
        Ok(seeds.into_iter().map(Some).collect())
    }
}

/// Runs or takes up what is asked for and not kept yet.
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
    let core = request.core.as_str();
    let mut done = Vec::with_capacity(rows.len());
    for (at, (table, row)) in rows.iter().enumerate() {
        let sha256 = row.sha256()?;
        let (mut kept, mut missing) = (Vec::new(), Vec::new());
        for part in request.parts(row)? {
            let before = match request.quick {
                true => None,
                false => Kept::read(&request.results, &row.id, part)?
                    .filter(|kept| kept.is_current(core, &sha256)),
            };
            match before {
                Some(before) => kept.push(before),
                None => missing.push(part),
            }
        }
        observer.row(at, rows.len(), row, missing.is_empty());
        if !missing.is_empty() {
            let seeds = missing.into_iter().flatten().collect();
            let rest = Rest { request, row, core, sha256: &sha256, seeds };
            let new = rest.run(observer)?;
            if !request.quick {
                new.iter().try_for_each(|kept| kept.write(&request.results, &row.id))?;
                for kept in &new {
                    if let Some((paper, kept)) = kept.papers(row, tables)? {
                        kept.write(&request.results, &paper.id)?;
                    }
                }
                observer.kept(row)?;
            }
            kept.extend(new);
            kept.sort_by_key(|kept| kept.seed);
        }
        done.push(Reproduced { table: table.clone(), row: row.clone(), kept });
    }
    Ok(done)
}

/// What is left to do of a row.
struct Rest<'a> {
    request: &'a ReproduceRequest,
    row: &'a Row,
    core: &'a str,
    sha256: &'a str,
    /// Seeds, where the row has any.
    seeds: Vec<u64>,
}

impl Rest<'_> {
    fn run(&self, observer: &dyn ReproduceObserver) -> Result<Vec<Kept>> {
        let out = self.request.options.out.join(self.folder());
        if let Some(plan) = self.row.sweep()? {
            return Ok(vec![self.sweep(plan, &out, observer)?]);
        }
        if let Work::Scores(scores) = &self.row.work {
            return Ok(vec![self.scores(scores)?]);
        }
        let recipe =
            self.row.recipe()?.ok_or_else(|| Error::Recipe("a row runs nothing".into()))?;
        self.recipe(recipe, &out, observer)
    }

    /// A run of another recipe, core or choice of seeds is another run: it has a folder of its own.
    fn folder(&self) -> String {
        let quick = if self.request.quick { "quick-" } else { "" };
        let mut name = format!("{quick}{}-{}-{}", self.row.id, self.core, &self.sha256[..8]);
        self.seeds.iter().for_each(|seed| name += &format!("-{seed}"));
        name
    }

    fn kept(&self, seed: Option<u64>, processor_seconds: Option<f64>) -> Kept {
        Kept {
            command: self.row.command(),
            program: self.request.program.clone(),
            core: self.core.to_owned(),
            recipe_sha256: self.sha256.to_owned(),
            seed,
            processor_seconds,
            results: None,
            re_estimated: None,
            curve: Vec::new(),
            compared: None,
            sweep: None,
            scores: Vec::new(),
        }
    }

    fn sweep(&self, mut plan: Sweep, out: &Path, observer: &dyn ReproduceObserver) -> Result<Kept> {
        if self.request.quick {
            plan.set.insert(QUICK.0.to_owned(), (QUICK.1 as i64).into());
        }
        let options = Options { out: out.to_owned(), ..self.request.options.clone() };
        let table = sweep(&plan, &options, observer)?;
        let cells = out.join("cells").read_dir().into_iter().flatten().flatten();
        let took = cells.map(|cell| seconds(&cell.path())).sum();
        Ok(Kept { sweep: Some(table), ..self.kept(None, took) })
    }

    fn scores(&self, scores: &Scores) -> Result<Kept> {
        let begun = processor_seconds();
        let source = TrainSource::Recipe(scores.recipe.clone());
        let mut base = Base::open(source, user_data::Options::default(), Vec::new())?;
        let score = |k| {
            let recipe = scores.recipe_up_to(k)?;
            let dataset = base.experiment(recipe.clone())?.dataset;
            recipe_disambiguation(&recipe, dataset)
        };
        let sizes = scores.sizes().take(if self.request.quick { 1 } else { usize::MAX });
        let found = sizes.map(score).collect::<Result<Vec<f64>>>()?;
        Ok(Kept { scores: found, ..self.kept(None, processor_seconds_since(begun)) })
    }

    fn recipe(
        &self,
        mut recipe: Recipe,
        out: &Path,
        observer: &dyn ReproduceObserver,
    ) -> Result<Vec<Kept>> {
        if !self.seeds.is_empty() {
            recipe.seeds = Seeds(self.seeds.clone());
        }
        if let Some(training) = recipe.training.as_mut().filter(|_| self.request.quick) {
            training.epochs = training.epochs.min(QUICK.1);
            // The way up of a cosine may be longer than that.
            if matches!(training.schedule, Schedule::Cosine { .. }) {
                training.schedule = Schedule::None;
            }
        }
        let source = TrainSource::Recipe(recipe.name.clone());
        let mut base = Base::open(source, user_data::Options::default(), Vec::new())?;
        let resume = out.join("recipe.toml").is_file();
        let options = Options { out: out.to_owned(), resume, ..self.request.options.clone() };
        let experiment = base.experiment(recipe)?;
        let begun = processor_seconds();
        let results = match experiment.run(&options, &*observer.observer())? {
            // Comparisons are done in one go, and note no sessions.
            RunResults::Compared(compared) => {
                return Ok(vec![Kept {
                    compared: Some(compared),
                    ..self.kept(None, processor_seconds_since(begun))
                }]);
            }
            RunResults::Trained(results) => *results,
        };
        if self.seeds.is_empty() {
            let curve = curve(out, unit_names(out).first())?;
            // The units of a fair protocol are half of those that were trained.
            let share = if results.beside.is_some() { 0.5 } else { 1.0 };
            let took = seconds(out).map(|all| share * all);
            let results = Some(Results { metrics: Vec::new(), ..results });
            return Ok(vec![Kept { results, curve, ..self.kept(None, took) }]);
        }
        let re_estimated = re_estimated(out, &options.cache)?.unwrap_or_default();
        let share = seconds(out).map(|all| all / self.seeds.len() as f64);
        let of_seed = |&seed: &u64| {
            let results = of_seed(&results, seed);
            let unit = results.report.runs.first().map(|run| &run.unit);
            Ok(Kept {
                curve: curve(out, unit)?,
                re_estimated: re_estimated.iter().find(|(s, _)| *s == seed).map(|(_, x)| *x),
                results: Some(results),
                ..self.kept(Some(seed), share)
            })
        };
        self.seeds.iter().map(of_seed).collect()
    }
}

/// The results of one seed. Every metric with its bootstrap interval is in the run; the page has
/// one.
fn of_seed(all: &Results, seed: u64) -> Results {
    let mut one = Results { metrics: Vec::new(), ..all.clone() };
    let report = &mut one.report;
    report.runs.retain(|run| run.seed == seed);
    let of = |values: Vec<f64>| Statistics::of(&values);
    if let Some(test) = of(report.runs.iter().map(|run| run.value).collect()) {
        report.test = test;
    }
    report.validation = of(report.runs.iter().filter_map(|run| run.validation).collect());
    report.train = of(report.runs.iter().filter_map(|run| run.train).collect());
    one
}

/// Some epochs of a unit of a run.
fn curve(run: &Path, unit: Option<&String>) -> Result<Vec<crate::train::Row>> {
    let Some(unit) = unit else { return Ok(Vec::new()) };
    let curve = peek_unit(run, unit)?.map(|(curve, _)| curve).unwrap_or_default();
    Ok(thinned(&curve, POINTS))
}

/// Seconds of processor time of all sessions of a run, if every session noted them.
fn seconds(run: &Path) -> Option<f64> {
    let text = std::fs::read_to_string(run.join("sessions.jsonl")).ok()?;
    let of_line = |line: &str| {
        serde_json::from_str::<serde_json::Value>(line).ok()?["processor_seconds"].as_f64()
    };
    text.lines().map(of_line).sum()
}

#[cfg(test)]
mod tests {
    use super::super::{core, page};
    use super::*;
    use crate::cache::Cache;
    use crate::experiment::Observer;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Counts the rows that were run.
    #[derive(Default)]
    struct Seen(AtomicUsize);

    impl SweepObserver for Seen {
        fn observer(&self) -> Box<dyn Observer + '_> {
            Box::new(())
        }
    }

    impl ReproduceObserver for Seen {
        fn kept(&self, _row: &Row) -> Result<()> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Ok(())
        }
    }

    fn table(rows: Vec<Row>) -> Table {
        let about = String::new();
        Table { name: "t".into(), title: "T".into(), about, against: None, rows }
    }

    fn tables() -> [Table; 1] {
        let settings = ["training.epochs=2", "network.width=8", "data.fraction=0.02"];
        let row = Row {
            id: "small".into(),
            label: "A small one".into(),
            work: Work::Recipe("zinc-gsn-ef-100k".into()),
            settings: settings.map(String::from).into(),
            seeds: Some(2),
            minutes: 1.0,
            note: String::new(),
        };
        [table(vec![row])]
    }

    fn request(folder: &Path, seeds: &[u64]) -> ReproduceRequest {
        let options = Options { cache: Cache::off(), ..Options::new(folder.join("runs")) };
        ReproduceRequest {
            names: vec!["small".into()],
            seeds: seeds.to_vec(),
            quick: false,
            results: folder.join("results"),
            program: "this".into(),
            core: core().unwrap(),
            options,
        }
    }

    fn values(done: &[Reproduced]) -> Vec<(Option<u64>, u64, u64)> {
        let bits = |kept: &Kept| {
            let value = kept.results.as_ref().unwrap().report.test.mean;
            (kept.seed, value.to_bits(), kept.re_estimated.unwrap().to_bits())
        };
        done[0].kept.iter().map(bits).collect()
    }

    #[test]
    fn seeds_can_be_run_one_at_a_time_and_are_not_run_again() {
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (tables, seen) = (tables(), Seen::default());
        let core = core().unwrap();
        let run = |folder: &Path, seeds: &[u64]| {
            reproduce(&request(folder, seeds), &tables, &seen).unwrap()
        };
        run(folder.path(), &[1]);
        let results = folder.path().join("results");
        let half = page(&tables, &results, &core).unwrap();
        assert!(half.contains("| 1 of 2 |") && !half.contains("stale**"), "{half}");
        let first = std::fs::read(results.join("small.seed-1.json")).unwrap();
        let one_by_one = values(&run(folder.path(), &[]));
        assert_eq!(std::fs::read(results.join("small.seed-1.json")).unwrap(), first);
        assert_eq!(seen.0.load(Ordering::Relaxed), 2);
        run(folder.path(), &[]);
        assert_eq!(seen.0.load(Ordering::Relaxed), 2);
        assert_eq!(one_by_one, values(&run(other.path(), &[])));
        // Another core, or another recipe, and the page says so.
        let stale = page(&tables, &results, "another").unwrap();
        assert!(stale.contains("A small one **stale**") && stale.contains("| 2 |"), "{stale}");
        let mut changed = tables.clone();
        changed[0].rows[0].settings.push("training.lr=0.5".into());
        assert!(page(&changed, &results, &core).unwrap().contains("**stale**"));
    }

    #[test]
    fn a_fair_run_gives_the_row_of_the_papers_protocol_too() {
        let row = |id: &str, protocol: &str| Row {
            id: id.into(),
            label: id.into(),
            work: Work::Recipe("mutag-gin".into()),
            settings: [protocol, "training.epochs=2", "training.steps-per-epoch=2"]
                .map(String::from)
                .into(),
            seeds: None,
            minutes: 1.0,
            note: String::new(),
        };
        let rows =
            vec![row("fair", "protocol=\"tud-fair\""), row("paper", "protocol=\"tud-paper\"")];
        let tables = [table(rows)];
        let run = |folder: &Path, name: &str| {
            let request = ReproduceRequest { names: vec![name.into()], ..request(folder, &[]) };
            reproduce(&request, &tables, &()).unwrap();
            Kept::read(&request.results, "paper", None).unwrap().unwrap()
        };
        let (beside, alone) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (beside, alone) = (run(beside.path(), "fair"), run(alone.path(), "paper"));
        assert_eq!(beside.results, alone.results);
        assert_eq!(beside.command, alone.command);
        assert!(beside.is_current(&alone.core, &alone.recipe_sha256));
    }

    #[test]
    fn a_quick_look_keeps_nothing_and_wrong_names_are_said() {
        let folder = tempfile::tempdir().unwrap();
        let mut quick = request(folder.path(), &[]);
        quick.quick = true;
        let done = reproduce(&quick, &tables(), &()).unwrap();
        assert_eq!(done[0].kept.len(), 1);
        assert!(!quick.results.exists());
        quick.names = vec!["smal".into()];
        assert!(reproduce(&quick, &tables(), &()).unwrap_err().to_string().contains("`smal`"));
    }
}
