//! The user's own data: from a file and the name of a column to a [`Dataset`].
//!
//! [`load`] reads CSV or TSV with SMILES, TU folders, GraphML folders, Parquet and Arrow (lists
//! or SMILES), finds the task in the target columns, cuts the rows, and says in a [`Report`] what
//! it decided and why. Rows that cannot be used are collected, the rest trains. Graphs are held
//! in memory, as training needs them all.
//!
//! | file | what |
//! |---|---|
//! | `task` | regression, yes or no, or classes |
//! | `censored` | targets that are bounds |
//! | `duplicates` | graphs that are in several parts |
//! | `split` | random, stratified, by scaffold, by column |
//! | `folds` | folds of a cross validation, rows kept apart for intervals |
//! | `scaffold` | Murcko scaffolds and their canonical form |
//! | `rows` | all rows of an input and their columns |
//! | `columns` | what a row says beside its graph, for the tables of a run |
//! | `shape` | what the graphs look like |
//! | `defaults` | patterns, network and width chosen from the data |
//! | `reasons` | why, in sentences that follow the settings |
//! | `overrides` | options put over those of a recipe |

pub mod censored;
mod columns;
pub mod defaults;
mod duplicates;
pub mod folds;
mod overrides;
mod reasons;
mod request;
mod rows;
pub mod scaffold;
mod shape;
pub mod split;
pub mod task;

use crate::dataset::{Dataset, Fold, Sample, Splits, Task};
use crate::error::{Error, Result};
use crate::pipeline::Reader;
use censored::Censored;
use folds::{Alike, Folds};
use gsn_core::random::derive;
use gsn_core::setters;
use gsn_io::{Delimiter, Featurisation, Format, GraphRecord, Rejected};
use gsn_nn::Censoring;
use rayon::prelude::*;
use rows::Rows;
use serde::{Deserialize, Serialize};
use split::{Shares, Split};
use std::path::Path;

pub use columns::InputColumns;
pub use reasons::Reason;
pub use request::{Request, UserData};
pub use shape::{Family, Shape};

/// How to read the user's data.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Options {
    /// Format, when name and contents do not tell.
    pub format: Option<Format>,
    /// What separates the columns of a text table; by default its first line tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<Delimiter>,
    /// Edges have a direction; not by default.
    pub directed: bool,
    /// Column with the SMILES; by default the one called `smiles`.
    pub smiles: Option<String>,
    /// Features of molecules; `default` by default.
    pub featurise: Featurisation,
    /// Column that names the rows; by default one called `id`, `name` or the like, or the name the
    /// format has for a graph.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Target columns; by default the class of the format (TU, GIN, `label`), or the only column.
    pub targets: Vec<String>,
    /// The task, if the values should not decide.
    pub task: Option<task::Kind>,
    /// How to cut; by default stratified for classes and random for numbers.
    pub split: Option<Split>,
    /// Shares of the parts; 80, 10 and 10 % by default.
    pub shares: Shares,
    /// Decides random cuts; 0 by default.
    pub seed: u64,
    /// Cut into folds instead of once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folds: Option<Folds>,
    /// Keep half of a validation part of at least 40 rows apart, for intervals; not by default,
    /// and not needed with folds.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub intervals: bool,
    /// What becomes of targets such as `<0.5`; by default they are learned from.
    pub censored: Censored,
    /// Columns of numbers that the network reads beside the graph; none by default.
    pub with_columns: Vec<String>,
}

impl Options {
    setters! {
        with_format(format: Format),
        with_delimiter(delimiter: Delimiter),
        with_directed(directed: bool),
        with_smiles(smiles: String),
        with_featurise(featurise: Featurisation),
        with_id(id: String),
        with_targets(targets: Vec<String>),
        with_task(task: task::Kind),
        with_split(split: Split),
        with_shares(shares: Shares),
        with_seed(seed: u64),
        with_folds(folds: Folds),
        with_intervals(intervals: bool),
        with_censored(censored: Censored),
        with_with_columns(with_columns: Vec<String>)
    }
}

/// What [`load`] found and decided.
#[derive(Debug, Clone)]
pub struct Report {
    /// Format of the input.
    pub format: Format,
    /// Rows of the input.
    pub rows: u64,
    /// Rows that could not be used, in the order of the input.
    pub rejected: Vec<Rejected>,
    /// The task and why it is that one.
    pub task: String,
    /// How the rows were cut.
    pub split: String,
    /// Imbalance, constant targets, gaps, what the reader had to say.
    pub warnings: Vec<String>,
    /// How further rows are to be read.
    pub reader: Reader,
    /// Shape of the graphs.
    pub shape: Shape,
    /// The folds it was cut into, if it was.
    pub folds: Option<Folds>,
    /// What the rows say beside graph and targets.
    pub columns: InputColumns,
}

/// Reads the user's data.
///
/// # Errors
/// When the input cannot be read, a column is missing, the targets make no sense, or too few rows
/// are left.
///
/// ```
/// use gsn_lab::user_data::{Options, load};
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("rings.csv");
/// let mut text = String::from("smiles,rings\n");
/// for i in 0..30 {
///     text += if i % 2 == 0 { "C1CCCCC1,1\n" } else { "CCCCCC,0\n" };
/// }
/// std::fs::write(&path, text + "C1CC,1\n")?;
/// let options = Options::default().with_targets(vec!["rings".into()]);
/// let (dataset, report) = load(&path, &options)?;
/// assert_eq!((dataset.samples.len(), report.rejected.len()), (30, 1));
/// assert_eq!(report.task, "yes or no, since `rings` holds nothing but yes and no");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn load(path: impl AsRef<Path>, options: &Options) -> Result<(Dataset, Report)> {
    let path = path.as_ref();
    let rows = Rows::read(path, options)?;
    let name = name_of(path);
    let columns = rows.targets(&name, options)?;
    let (decision, censoring) = decide(&columns, options).map_err(|e| Error::data(&name, e))?;
    let extra = rows.extra(&name, options)?;
    let mut warnings = rows.notes.clone();
    warnings.extend(decision.warnings);
    let parts = rows.split_column(&name, options)?;
    let input = rows.input_columns(&name, options, &columns)?;

    let mut rejected = rows.rejected;
    let mut kept: Vec<(GraphRecord, Vec<f64>)> = Vec::new();
    let mut beside: Vec<(Vec<f64>, Vec<Censoring>)> = Vec::new();
    let mut given = Vec::new();
    for (at, (record, targets)) in rows.records.into_iter().zip(decision.rows).enumerate() {
        let part = parts.as_ref().map(|cells| split::part(&cells[at].to_string())).transpose();
        let numbers: Result<Vec<f64>, String> =
            extra.iter().map(|column| number(column, at)).collect();
        match (targets, part, numbers) {
            (Ok(targets), Ok(part), Ok(numbers)) => {
                given.extend(part);
                beside.push((numbers, censoring.get(at).cloned().unwrap_or_default()));
                kept.push((record, targets));
            }
            (Err(reason), ..) | (_, Err(reason), _) | (.., Err(reason)) => {
                rejected.push(record.rejected(reason));
            }
        }
    }
    rejected.sort_by_key(|bad| bad.row);
    if kept.is_empty() {
        let first = rejected.first().map(|bad| format!("; the first: {}", bad.reason));
        let what =
            format!("none of its {} rows can be used{}", rows.count, first.unwrap_or_default());
        return Err(Error::data(name, what));
    }

    let (records, targets): (Vec<GraphRecord>, Vec<Vec<f64>>) = kept.into_iter().unzip();
    let shape = Shape::of(rows.molecules, &records);
    let (split, mut splits) =
        cut(options, &decision.task, &targets, &records, &given, rows.molecules)
            .map_err(|error| Error::data(&name, error))?;
    if let Splits::Fixed(fold) = &mut splits {
        if fold.validation.is_empty() {
            warnings.push(hold_out(fold, &decision.task, &targets, options.seed));
        }
        if options.intervals {
            let strata = split::strata(&decision.task, &targets);
            let classes = !matches!(decision.task, Task::Regression(_));
            folds::keep_apart(fold, options.seed, classes.then_some(&strata));
        }
    }
    let first = match &splits {
        Splits::Fixed(fold) => Some((fold, "")),
        Splits::Folds(folds) => folds.first().map(|fold| (fold, "in the first fold ")),
        Splits::None => None,
    };
    if let Some((fold, place)) = first {
        let told = duplicates::across_parts(&records, fold, rows.molecules);
        warnings.extend(told.map(|what| format!("{place}{what}")));
    }
    // With folds every row is learned from by some member.
    let learned: Vec<u32> = match &splits {
        Splits::Fixed(fold) => fold.train.clone(),
        _ => (0..records.len() as u32).collect(),
    };
    let trained = learned.iter().map(|&i| &records[i as usize].graph);
    let molecules = rows.molecules.then_some(options.featurise);
    let reader = Reader::fit(options.directed, molecules, trained);
    let samples = records
        .into_iter()
        .zip(targets)
        .zip(beside)
        .map(|((record, targets), (columns, censoring))| {
            let (sample, _) = reader.sample(record, targets)?;
            Ok(Sample { columns, censoring, ..sample })
        })
        .collect::<Result<Vec<Sample>, String>>()
        .map_err(|what| Error::data(&name, what))?;
    let (vertex, arc) = reader.data();
    let split = format!("{split}: {}", sizes(&splits));
    let dataset = Dataset {
        samples,
        columns: extra.iter().map(|column| column.name.clone()).collect(),
        target_names: columns.into_iter().map(|column| column.name).collect(),
        task: decision.task,
        vertex,
        arc,
        splits,
        licence: format!("own data: {name}"),
        name,
    };
    let report = Report {
        format: rows.format,
        rows: rows.count,
        rejected,
        task: decision.reason,
        split,
        warnings,
        reader,
        shape,
        folds: options.folds,
        columns: input,
    };
    Ok((dataset, report))
}

/// The task, and for every row which of its targets are bounds.
fn decide(
    columns: &[task::Column],
    options: &Options,
) -> Result<(task::Decision, Vec<Vec<Censoring>>)> {
    if let Some(numbers) = censored::read(columns, options.task, options.censored)? {
        let mut decision = task::decide(&numbers.columns, options.task)?;
        if matches!(decision.task, Task::Regression(_)) {
            decision.warnings.extend(numbers.notes);
            return Ok((decision, numbers.censoring));
        }
    }
    Ok((task::decide(columns, options.task)?, Vec::new()))
}

/// The number of a row in a column; NaN in a gap.
fn number(column: &task::Column, at: usize) -> Result<f64, String> {
    match &column.cells[at] {
        cell if cell.is_gap() => Ok(f64::NAN),
        cell => cell
            .number()
            .ok_or_else(|| format!("`{cell}` in column `{}` is no number", column.name)),
    }
}

/// A file or folder as [`load`] reads it, or, if there is none and no target is named, a set of the
/// catalogue.
///
/// # Errors
/// As [`load`]; or if there is no such set.
pub fn find(name: &str, options: &Options) -> Result<(Dataset, Option<Report>)> {
    if !Path::new(name).exists() && options.targets.is_empty() {
        return Ok((crate::catalogue::load(name)?, None));
    }
    load(name, options).map(|(dataset, report)| (dataset, Some(report)))
}

/// What the user calls the data: the name of the file.
fn name_of(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| path.display().to_string())
}

/// A tenth of the rows to learn from is to be chosen by where there are none: otherwise nothing
/// but the test part could tell when to stop. Returns what is to be said about it.
fn hold_out(fold: &mut Fold, task: &Task, targets: &[Vec<f64>], seed: u64) -> String {
    let strata = split::strata(task, targets);
    let class = |i: u32| match task {
        Task::Regression(_) => 0,
        _ => strata[i as usize] as u64,
    };
    *fold = crate::protocol::hold_out(fold, 10, derive(HOLD_OUT, seed), class);
    let remedy = "name some with --shares 80/10/10, or as `validation` in the split column";
    match fold.validation.len() {
        0 => format!(
            "there are no rows to choose by and too few to hold some out: training follows a \
             fixed schedule and the last epoch is taken; {remedy}"
        ),
        n => format!(
            "there are no rows to choose by, so {n} of those to learn from are held out for it \
             (a tenth, seed {seed}); {remedy}"
        ),
    }
}

/// Tells the order of rows that are held out from that of the cut.
const HOLD_OUT: u64 = 0x686f_6c64;

/// Rows of the parts, of the first of several folds.
fn sizes(splits: &Splits) -> String {
    let (fold, about) = match splits {
        Splits::None => return String::new(),
        Splits::Fixed(fold) => (Some(fold), ""),
        Splits::Folds(folds) => (folds.first(), "about "),
    };
    let Some(Fold { train, validation, calibration, test }) = fold else { return String::new() };
    let apart = match calibration.len() {
        0 => String::new(),
        n => format!("{n} kept apart for intervals, "),
    };
    let (train, validation, test) = (train.len(), validation.len(), test.len());
    format!("{about}{train} to learn from, {validation} to choose by, {apart}{test} to judge by")
}

/// Chooses a cut and makes it; the first text says which.
fn cut(
    options: &Options,
    task: &Task,
    targets: &[Vec<f64>],
    records: &[GraphRecord],
    given: &[split::Part],
    molecules: bool,
) -> Result<(String, Splits)> {
    let (shares, seed) = (options.shares, options.seed);
    let chosen = options.split.clone().unwrap_or(match task {
        Task::Regression(_) => Split::Random,
        _ => Split::Stratified,
    });
    let name = match &chosen {
        Split::Random | Split::Stratified => format!("{chosen} split, seed {seed}"),
        _ => format!("{chosen} split"),
    };
    let scaffolds = || -> Result<Vec<String>> {
        match molecules {
            true => Ok(records.par_iter().map(|record| scaffold::key(&record.graph)).collect()),
            false => Err(Error::Recipe("a scaffold split needs molecules (SMILES)".into())),
        }
    };
    if let Some(folds) = options.folds {
        let (strata, keys);
        let alike = match chosen {
            Split::Random => Alike::No,
            Split::Stratified => {
                strata = split::strata(task, targets);
                Alike::Strata(&strata)
            }
            Split::Scaffold => {
                keys = scaffolds()?;
                Alike::Groups(&keys)
            }
            Split::Column(_) => {
                let what = "a column says which part a row belongs to, so there is nothing to cut \
                            into folds; use --split random, stratified or scaffold";
                return Err(Error::Recipe(what.into()));
            }
        };
        let cut = folds.cut(targets.len(), alike, shares, seed)?;
        let times =
            if folds.repeats > 1 { format!(", {} times", folds.repeats) } else { "".into() };
        let name = format!("{} {chosen} folds{times}, seed {seed}", folds.folds);
        return Ok((name, Splits::Folds(cut)));
    }
    let fold = match chosen {
        Split::Random => split::random_split(targets.len(), shares, seed)?,
        Split::Stratified => split::stratified_split(&split::strata(task, targets), shares, seed)?,
        Split::Scaffold => split::group_split(&scaffolds()?, shares)?,
        Split::Column(_) => split::given_split(given)?,
    };
    Ok((name, Splits::Fixed(fold)))
}
