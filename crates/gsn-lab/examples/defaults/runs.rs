//! One run: a task cut in one way, trained by one recipe with one seed, and its predictions on the
//! rows that steered nothing. Finished runs are lines of a file, so that the study can go on.

use crate::Result;
use crate::choices::{Choice, before};
use crate::skill::{Both, value};
use crate::tasks::Task;
use gsn_lab::cache::Cache;
use gsn_lab::prepare::CountedDataset;
use gsn_lab::recipe::Recipe;
use gsn_lab::train::{Graphs, Part, Unit};
use gsn_lab::{Dataset, Fold, Splits};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// A task cut in one way, with the recipe that every choice starts from.
pub(crate) struct Cut {
    /// The task.
    pub(crate) task: &'static str,
    /// How it was cut.
    pub(crate) split: String,
    /// The seed of the cut.
    pub(crate) seed: u64,
    /// The graphs; `Fold::test` holds the rows to choose by, then those to judge by.
    pub(crate) dataset: Dataset,
    /// How many of them are to choose by.
    pub(crate) choose_by: usize,
    /// The recipe before the study.
    pub(crate) recipe: Recipe,
}

impl Cut {
    /// Every task cut in every way it may be, with these many seeds.
    pub(crate) fn all(tasks: &[Task], seeds: u64) -> Result<Vec<Self>> {
        let mut cuts = Vec::new();
        for seed in 0..seeds {
            for task in tasks {
                for split in task.splits {
                    cuts.push(Self::new(task, split, seed)?);
                }
            }
        }
        Ok(cuts)
    }

    /// Half of the validation part steers training, the other half only chooses defaults.
    pub(crate) fn new(task: &Task, split: &str, seed: u64) -> Result<Self> {
        let (mut dataset, report) = task.load(split, seed)?;
        let Splits::Fixed(fold) = &dataset.splits else { return Err("no fixed split".into()) };
        let half = |odd: usize| {
            let rows = fold.validation.iter().enumerate().filter(move |(at, _)| at % 2 == odd);
            rows.map(|(_, &i)| i).collect::<Vec<u32>>()
        };
        let (steer, choose) = (half(0), half(1));
        let fold = Fold {
            train: fold.train.clone(),
            validation: steer,
            test: [&choose[..], &fold.test].concat(),
            ..Fold::default()
        };
        let recipe = before(&dataset, &report, fold.train.len())?;
        dataset.splits = Splits::Fixed(fold);
        let (task, split) = (task.name, split.to_owned());
        Ok(Self { task, split, seed, dataset, choose_by: choose.len(), recipe })
    }

    /// The parts.
    pub(crate) fn fold(&self) -> &Fold {
        match &self.dataset.splits {
            Splits::Fixed(fold) => fold,
            _ => unreachable!("a cut has one fold"),
        }
    }
}

/// A finished run.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Done {
    key: String,
    /// The numeric core that made it, as in `docs/results`; runs of before it had a name have none.
    #[serde(default)]
    core: String,
    /// Epochs trained.
    pub(crate) epochs: u64,
    /// How long it took.
    pub(crate) seconds: f64,
    /// The metric on the rows to choose by and on those to judge by.
    pub(crate) value: Both,
    /// Predictions, a row after the other, logits for classes; kept where they are joined.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) said: Vec<f64>,
}

/// The file of finished runs.
pub(crate) struct Log {
    path: PathBuf,
    /// The numeric core of today.
    core: String,
    /// Whether runs of another core are done again.
    again: bool,
    done: BTreeMap<String, Done>,
}

impl Log {
    /// What was finished before.
    pub(crate) fn open(path: &Path, again: bool) -> Result<Self> {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        // A last line that was cut off is run again, and of two lines of one run the later counts.
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Done>(line).ok());
        let done = lines.map(|done| (done.key.clone(), done)).collect();
        Ok(Self { path: path.to_owned(), core: gsn_lab::reproduce::core()?, again, done })
    }

    /// Whether a run is one of today's core.
    pub(crate) fn is_current(&self, done: &Done) -> bool {
        done.core == self.core
    }

    /// Drops the lines that later ones replace.
    pub(crate) fn tidy(&self) -> Result<()> {
        let lines: std::result::Result<Vec<String>, _> =
            self.done.values().map(serde_json::to_string).collect();
        Ok(std::fs::write(&self.path, lines?.join("\n") + "\n")?)
    }

    /// How many there are, and how long they took together.
    pub(crate) fn total(&self) -> (usize, f64) {
        (self.done.len(), self.done.values().map(|done| done.seconds).sum())
    }

    /// The run of a choice, if it is finished.
    pub(crate) fn get(&self, cut: &Cut, choice: &Choice, weights: u64) -> Result<Option<&Done>> {
        Ok(self.done.get(&key(cut, &choice.apply(&cut.recipe)?, weights)?))
    }

    /// The run of a choice; it is done now if it was not before. Its predictions may be kept.
    pub(crate) fn run(
        &mut self,
        cut: &Cut,
        choice: &Choice,
        weights: u64,
        keep: bool,
    ) -> Result<()> {
        let recipe = choice.apply(&cut.recipe)?;
        let key = key(cut, &recipe, weights)?;
        let serves = |done: &Done| {
            (!keep || !done.said.is_empty()) && (!self.again || self.is_current(done))
        };
        if self.done.get(&key).is_some_and(serves) {
            return Ok(());
        }
        let mut done = train(cut, &recipe, weights, key, &self.core)?;
        if !keep {
            done.said.clear();
        }
        let mut file = OpenOptions::new().create(true).append(true).open(&self.path)?;
        writeln!(file, "{}", serde_json::to_string(&done)?)?;
        self.done.insert(done.key.clone(), done);
        Ok(())
    }
}

/// What decides a run: the task, the seeds, and what differs from the defaults before.
fn key(cut: &Cut, recipe: &Recipe, weights: u64) -> Result<String> {
    let (before, after) = (settings(&cut.recipe)?, settings(recipe)?);
    let gone = before.keys().filter(|key| !after.contains_key(*key)).map(|key| format!("-{key}"));
    let new = after.iter().filter(|(key, value)| before.get(*key) != Some(*value));
    let changes: Vec<String> =
        gone.chain(new.map(|(key, value)| format!("{key}={value}"))).collect();
    let Cut { task, split, seed, .. } = cut;
    Ok(format!("{task} {split} {seed} {weights} {}", changes.join(" ")))
}

/// All settings of a recipe by their keys.
fn settings(recipe: &Recipe) -> Result<BTreeMap<String, String>> {
    fn add(path: String, value: &toml::Value, out: &mut BTreeMap<String, String>) {
        match value {
            toml::Value::Table(table) => {
                for (key, value) in table {
                    let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                    add(path, value, out);
                }
            }
            plain => _ = out.insert(path, plain.to_string()),
        }
    }
    let mut out = BTreeMap::new();
    add(String::new(), &toml::Value::Table(recipe.to_toml().parse()?), &mut out);
    Ok(out)
}

fn train(cut: &Cut, recipe: &Recipe, weights: u64, key: String, core: &str) -> Result<Done> {
    let begin = Instant::now();
    let counted = CountedDataset::new(recipe, cut.dataset.clone(), &Cache::off(), None)?;
    let encoded = counted.encode(recipe, &cut.fold().train)?;
    let settings = recipe.training()?;
    let plans = recipe.protocol.plan(&cut.dataset, &cut.dataset.splits, settings, &[weights])?;
    let plan = plans.first().ok_or("nothing to train")?;
    let truth: Vec<&[f64]> = cut.dataset.samples.iter().map(|s| s.targets.as_slice()).collect();
    let restore = |row: &mut [f64]| encoded.pipeline.restore(row);
    let graphs = Graphs { inputs: &encoded.inputs, truth: &truth, restore: &restore };
    let unit = Unit {
        name: key.clone(),
        graphs,
        fold: &plan.fold,
        config: &encoded.config,
        settings,
        keys: plan.keys(),
        measures: plan.measures,
        rates: None,
    };
    let mut state = unit.start()?;
    unit.run(&mut state, &())?;
    let (_, model) = unit.chosen(&state)?;
    let mut said = Part::new(graphs, &plan.fold.test)?.predict(&model, &gsn_nn::Pool::new(), 0)?;
    let cols = said.cols().max(1);
    said.data_mut().chunks_exact_mut(cols).for_each(restore);
    let said: Vec<f64> = said.data().iter().map(|x| (x * 1e5).round() / 1e5).collect();
    Ok(Done {
        key,
        core: core.to_owned(),
        value: value(cut, &said)?,
        epochs: state.epoch,
        seconds: (begin.elapsed().as_secs_f64() * 1000.0).round() / 1000.0,
        said,
    })
}
