//! What a run predicts for its test part: every row once, by the mean of all units where there is
//! one, else by the first unit that judged it.
//!
//! Cost: one pass over `predictions.csv`; rows of other parts and units are skipped.

use super::Reported;
use gsn_lab::experiment::JudgedRows;
use gsn_lab::model_file::Part;
use gsn_lab::protocol::UnitMetrics;
use gsn_lab::recipe::Recipe;
use gsn_lab::train::{Form, PartPredictions};
use gsn_lab::{Error, Result};
use gsn_nn::Matrix;
use gsn_nn::metrics::Answers;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

const FILE: &str = "predictions.csv";

/// The prediction for one row.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    /// Row of the input.
    pub(crate) row: u64,
    /// What names it; often empty.
    pub(crate) id: String,
    /// Its SMILES; often empty.
    pub(crate) smiles: String,
    /// The targets, NaN where one is missing or a bound; of classes the number of the class.
    pub(crate) truth: Vec<f64>,
    /// Numbers, or probabilities of yes or of every class.
    pub(crate) said: Vec<f64>,
}

/// The predictions for a test part.
#[derive(Clone, Debug)]
pub(crate) struct Predictions {
    /// What is predicted.
    pub(crate) answers: Answers,
    /// Names of the targets.
    pub(crate) targets: Vec<String>,
    /// Names of the classes.
    pub(crate) classes: Vec<String>,
    /// Which units said it, in words.
    pub(crate) by: String,
    /// The rows.
    pub(crate) rows: Vec<Said>,
}

/// Where things stand in a line.
struct Columns {
    part: usize,
    smiles: Option<usize>,
    /// Of every target: its place, and of its numbers.
    targets: Vec<(usize, std::ops::Range<usize>)>,
}

impl Predictions {
    /// The predictions in a run's folder; of a run that is not finished, those of the units that are.
    ///
    /// # Errors
    /// If a table is damaged.
    pub(crate) fn of_run(run: &Path, recipe: &Recipe, reported: &Reported) -> Result<Option<Self>> {
        let Some(training) = &recipe.training else { return Ok(None) };
        let answers = training.loss.answers();
        let smiles = recipe.reading.as_ref().and_then(|reading| reading.smiles.as_deref());
        let smiles = smiles.unwrap_or("smiles");
        if let Reported::Trained(results) = reported
            && run.join(FILE).is_file()
        {
            let ensemble = results.metrics.iter().any(|unit| unit.unit == UnitMetrics::ENSEMBLE);
            let units: Vec<&str> = match ensemble {
                true => vec![UnitMetrics::ENSEMBLE],
                false => results.report.runs.iter().map(|run| run.unit.as_str()).collect(),
            };
            let all = Self::read(&[run.join(FILE)], &units, answers, smiles)?;
            let out_of_fold =
                results.ensemble.as_ref().map(|e| e.rows) == Some(JudgedRows::OutOfFold);
            return Ok(all.map(|all| match out_of_fold {
                true => Self { by: "the fold that has not seen them".to_owned(), ..all },
                false => all,
            }));
        }
        let folders = run.join("units").read_dir().into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = folders.map(|unit| unit.path().join(FILE)).collect();
        files.retain(|file| file.is_file());
        files.sort();
        Self::read(&files, &[], answers, smiles)
    }

    /// Reads tables, the rows of these units or of all.
    fn read(
        files: &[PathBuf],
        units: &[&str],
        answers: Answers,
        smiles: &str,
    ) -> Result<Option<Self>> {
        let mut all: Option<Self> = None;
        let mut seen: HashSet<u64> = HashSet::new();
        let mut by: Vec<String> = Vec::new();
        for file in files {
            let damaged = |what: String| Error::file(file, format!("is damaged: {what}"));
            let reader = csv::ReaderBuilder::new().flexible(false).from_path(file);
            let mut reader = reader.map_err(|e| damaged(e.to_string()))?;
            let head = reader.headers().map_err(|e| damaged(e.to_string()))?.clone();
            let (columns, targets, classes) = columns(&head, answers, smiles).map_err(damaged)?;
            let into = all.get_or_insert_with(|| Self {
                answers,
                targets,
                classes,
                by: String::new(),
                rows: Vec::new(),
            });
            for record in reader.records() {
                let record = record.map_err(|e| damaged(e.to_string()))?;
                let unit = &record[0];
                if &record[columns.part] != Part::Test.name()
                    || !(units.is_empty() || units.contains(&unit))
                {
                    continue;
                }
                let said = into.row(&columns, &record).map_err(|what| {
                    let line = record.position().map_or(0, |at| at.line());
                    damaged(format!("line {line}: {what}"))
                })?;
                if seen.insert(said.row) {
                    into.rows.push(said);
                    if by.last().is_none_or(|last| last != unit) && !by.iter().any(|b| b == unit) {
                        by.push(unit.to_owned());
                    }
                }
            }
        }
        Ok(all.filter(|all| !all.rows.is_empty()).map(|all| Self {
            by: match &by[..] {
                [one] if one == UnitMetrics::ENSEMBLE => "the mean of all units".to_owned(),
                [one] => format!("unit {one}"),
                many => format!("{} units, each for its own test part", many.len()),
            },
            ..all
        }))
    }

    fn row(&self, columns: &Columns, record: &csv::StringRecord) -> Result<Said, String> {
        let number = |text: &str| match text {
            "" => Ok(f64::NAN),
            bound if bound.starts_with(['<', '>']) => Ok(f64::NAN),
            text => text.parse::<f64>().map_err(|_| format!("`{text}` is no number")),
        };
        let row = record[1].parse().map_err(|_| format!("`{}` is no row", &record[1]))?;
        let (mut truth, mut said) = (Vec::new(), Vec::new());
        for (target, numbers) in &columns.targets {
            let text = &record[*target];
            truth.push(match self.answers {
                Answers::Classes => {
                    let class = self.classes.iter().position(|name| name == text);
                    class.map_or(f64::NAN, |class| class as f64)
                }
                _ => number(text)?,
            });
            for at in numbers.clone() {
                said.push(number(&record[at])?);
            }
        }
        let cell = |at: Option<usize>| at.map(|at| record[at].to_owned()).unwrap_or_default();
        Ok(Said { row, id: cell(Some(2)), smiles: cell(columns.smiles), truth, said })
    }

    /// All rows, ready for every metric.
    pub(crate) fn part(&self) -> PartPredictions {
        let rows = self.rows.len();
        let matrix = |of: &dyn Fn(&Said) -> &Vec<f64>| {
            let data: Vec<f64> = self.rows.iter().flat_map(|said| of(said).clone()).collect();
            Matrix::from_vec(rows, data.len() / rows.max(1), data).unwrap_or_default()
        };
        PartPredictions {
            part: Part::Test,
            items: (0..rows as u32).collect(),
            answers: self.answers,
            targets: matrix(&|said| &said.truth),
            outputs: matrix(&|said| &said.said),
            form: Form::Probabilities,
        }
    }

    /// How wrong a row is: the largest error of a number in units of its target's spread, or one
    /// minus the probability of what is true. Nothing if no target is known.
    pub(crate) fn error(&self, said: &Said, spreads: &[f64]) -> Option<f64> {
        let errors = said.truth.iter().enumerate().filter(|(_, truth)| !truth.is_nan());
        let errors = errors.map(|(at, &truth)| match self.answers {
            Answers::Numbers => (said.said[at] - truth).abs() / spreads[at],
            Answers::Questions => {
                if truth > 0.5 {
                    1.0 - said.said[at]
                } else {
                    said.said[at]
                }
            }
            Answers::Classes => 1.0 - said.said.get(truth as usize).copied().unwrap_or(0.0),
        });
        errors.reduce(f64::max)
    }

    /// The spread of every target over the rows; 1 where there is none.
    pub(crate) fn spreads(&self) -> Vec<f64> {
        (0..self.targets.len())
            .map(|at| {
                let known: Vec<f64> =
                    self.rows.iter().map(|s| s.truth[at]).filter(|t| !t.is_nan()).collect();
                let n = known.len().max(1) as f64;
                let mean = known.iter().sum::<f64>() / n;
                let spread = (known.iter().map(|t| (t - mean).powi(2)).sum::<f64>() / n).sqrt();
                if spread > 0.0 { spread } else { 1.0 }
            })
            .collect()
    }
}

/// What the head of a table says: `unit, row, id, …, part`, then every target with its prediction,
/// and of classes the probability of each.
fn columns(
    head: &csv::StringRecord,
    answers: Answers,
    smiles: &str,
) -> Result<(Columns, Vec<String>, Vec<String>), String> {
    let names: Vec<&str> = head.iter().collect();
    if names.len() < 5 || names[..3] != ["unit", "row", "id"] {
        return Err("its columns are not those of predictions".into());
    }
    let part = names.iter().position(|name| *name == "part");
    let part = part.ok_or("there is no column `part`")?;
    let smiles = names[..part].iter().position(|name| name.eq_ignore_ascii_case(smiles));
    let (mut targets, mut called, mut classes) = (Vec::new(), Vec::new(), Vec::new());
    let mut at = part + 1;
    while at < names.len() {
        let target = names[at];
        if names.get(at + 1) != Some(&format!("{target}_predicted").as_str()) {
            return Err(format!("there is no prediction of `{target}` behind it"));
        }
        let of_class = |name: &'_ &'_ str| -> Option<String> {
            Some(name.strip_prefix(target)?.strip_prefix('=')?.to_owned())
        };
        let there: Vec<String> = names[at + 2..].iter().map_while(of_class).collect();
        let numbers = match answers {
            Answers::Classes => at + 2..at + 2 + there.len(),
            _ => at + 1..at + 2,
        };
        let next = if answers == Answers::Classes { numbers.end } else { at + 2 };
        if answers == Answers::Classes {
            classes = there;
        }
        targets.push((at, numbers));
        called.push(target.to_owned());
        at = next;
    }
    if targets.is_empty() {
        return Err("it predicts nothing".into());
    }
    Ok((Columns { part, smiles, targets }, called, classes))
}
