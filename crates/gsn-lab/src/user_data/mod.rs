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
//! | `split` | random, stratified, by scaffold, by column |
//! | `scaffold` | Murcko scaffolds and their canonical form |
//! | `defaults` | patterns, network and width chosen from the data |

pub mod defaults;
mod request;
pub mod scaffold;
pub mod split;
pub mod task;

use crate::dataset::{Dataset, Fold, Sample, Splits, Task};
use crate::error::{Error, Result};
use crate::pipeline::Reader;
use gsn_io::{Featurisation, Format, GraphRecord, GraphSource, ReadOptions, Rejected, Row};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use split::{Shares, Split};
use std::path::Path;
use task::Column;

pub use request::{Request, UserData};

/// How to read the user's data.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Options {
    /// Format, when name and contents do not tell.
    pub format: Option<Format>,
    /// Edges have a direction.
    pub directed: bool,
    /// Column with the SMILES; by default the one called `smiles`.
    pub smiles: Option<String>,
    /// Features of molecules.
    pub featurise: Featurisation,
    /// Target columns; by default the class of the format (TU, GIN, `label`), or the only column.
    pub targets: Vec<String>,
    /// The task, if the values should not decide.
    pub task: Option<task::Kind>,
    /// How to cut; by default stratified for classes and random for numbers.
    pub split: Option<Split>,
    /// Shares of the parts.
    pub shares: Shares,
    /// Decides random cuts.
    pub seed: u64,
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
}

/// What the graphs look like, for choosing defaults.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shape {
    /// Graphs that can be used.
    pub graphs: usize,
    /// They are molecules.
    pub molecules: bool,
    /// Mean number of vertices.
    pub vertices: f64,
    /// Mean number of edges.
    pub edges: f64,
    /// Share of connected triples that are triangles.
    pub clustering: f64,
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
/// let options = Options { targets: vec!["rings".into()], ..Options::default() };
/// let (dataset, report) = load(&path, &options)?;
/// assert_eq!((dataset.samples.len(), report.rejected.len()), (30, 1));
/// assert_eq!(report.task, "yes or no, since `rings` holds nothing but yes and no");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn load(path: impl AsRef<Path>, options: &Options) -> Result<(Dataset, Report)> {
    let path = path.as_ref();
    let table = Table::read(path, options)?;
    let name = name_of(path);
    let columns = table.targets(&name, options)?;
    let decision =
        task::decide(&columns, options.task).map_err(|error| Error::data(&name, error))?;
    let mut warnings = table.notes.clone();
    warnings.extend(decision.warnings);
    let parts = table.split_column(&name, options)?;

    let mut rejected = table.rejected;
    let mut kept: Vec<(GraphRecord, Vec<f64>)> = Vec::new();
    let mut given = Vec::new();
    for (at, (record, targets)) in table.records.into_iter().zip(decision.rows).enumerate() {
        let part = parts.as_ref().map(|texts| split::part(&texts[at])).transpose();
        match (targets, part) {
            (Ok(targets), Ok(part)) => {
                given.extend(part);
                kept.push((record, targets));
            }
            (Err(reason), _) | (_, Err(reason)) => rejected.push(Rejected {
                row: record.row,
                line: None,
                input: record.name.unwrap_or_default(),
                reason,
            }),
        }
    }
    rejected.sort_by_key(|bad| bad.row);
    if kept.is_empty() {
        let first = rejected.first().map(|bad| format!("; the first: {}", bad.reason));
        let what =
            format!("none of its {} rows can be used{}", table.rows, first.unwrap_or_default());
        return Err(Error::data(name, what));
    }

    let (records, targets): (Vec<GraphRecord>, Vec<Vec<f64>>) = kept.into_iter().unzip();
    let shape = Shape::of(table.molecules, &records);
    let (split, fold) = cut(options, &decision.task, &targets, &records, &given, table.molecules)
        .map_err(|error| Error::data(&name, error))?;
    let trained = fold.train.iter().map(|&i| &records[i as usize].graph);
    let molecules = table.molecules.then_some(options.featurise);
    let reader = Reader::fit(options.directed, molecules, trained);
    let samples = records
        .into_iter()
        .zip(targets)
        .map(|(record, targets)| reader.sample(record, targets).map(|(sample, _)| sample))
        .collect::<Result<Vec<Sample>, String>>()
        .map_err(|what| Error::data(&name, what))?;
    let (vertex, arc) = reader.data();
    let split = format!(
        "{split}: {} to learn from, {} to choose by, {} to judge by",
        fold.train.len(),
        fold.validation.len(),
        fold.test.len()
    );
    let dataset = Dataset {
        samples,
        target_names: columns.into_iter().map(|column| column.name).collect(),
        task: decision.task,
        vertex,
        arc,
        splits: Splits::Fixed(fold),
        licence: format!("own data: {name}"),
        name,
    };
    let report = Report {
        format: table.format,
        rows: table.rows,
        rejected,
        task: decision.reason,
        split,
        warnings,
        reader,
        shape,
    };
    Ok((dataset, report))
}

/// What the user calls the data: the name of the file.
fn name_of(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| path.display().to_string())
}

/// Chooses a cut and makes it; the first text says which.
fn cut(
    options: &Options,
    task: &Task,
    targets: &[Vec<f64>],
    records: &[GraphRecord],
    given: &[split::Part],
    molecules: bool,
) -> Result<(String, Fold)> {
    let (shares, seed) = (options.shares, options.seed);
    let chosen = options.split.clone().unwrap_or(match task {
        Task::Regression(_) => Split::Random,
        _ => Split::Stratified,
    });
    let name = match &chosen {
        Split::Random | Split::Stratified => format!("{chosen} split, seed {seed}"),
        _ => format!("{chosen} split"),
    };
    let fold = match chosen {
        Split::Random => split::random_split(targets.len(), shares, seed)?,
        Split::Stratified => split::stratified_split(&split::strata(task, targets), shares, seed)?,
        Split::Scaffold if !molecules => {
            return Err(Error::Recipe("a scaffold split needs molecules (SMILES)".into()));
        }
        Split::Scaffold => {
            let keys: Vec<String> =
                records.par_iter().map(|record| scaffold::key(&record.graph)).collect();
            split::group_split(&keys, shares)?
        }
        Split::Column(_) => split::given_split(given)?,
    };
    Ok((name, fold))
}

/// All rows of an input in memory.
struct Table {
    format: Format,
    molecules: bool,
    fields: Vec<String>,
    records: Vec<GraphRecord>,
    rejected: Vec<Rejected>,
    rows: u64,
    notes: Vec<String>,
}

impl Table {
    fn read(path: &Path, options: &Options) -> Result<Self> {
        let read = ReadOptions {
            format: options.format,
            directed: options.directed,
            smiles_column: options.smiles.clone(),
            keep_fields: true,
            featurise: Some(options.featurise),
            ..ReadOptions::default()
        };
        let mut source = GraphSource::open(path, &read)?;
        let (mut records, mut rejected) = (Vec::new(), Vec::new());
        for row in source.by_ref() {
            match row? {
                Row::Graph(record) if record.graph.order() == 0 => rejected.push(Rejected {
                    row: record.row,
                    line: None,
                    input: record.name.unwrap_or_default(),
                    reason: "the graph has no vertex".into(),
                }),
                Row::Graph(record) => records.push(record),
                Row::Rejected(bad) => rejected.push(bad),
            }
        }
        let rows = (records.len() + rejected.len()) as u64;
        let format = source.format();
        let molecules = source.is_molecules();
        let (fields, notes) = (source.fields().to_vec(), source.notes());
        Ok(Self { format, molecules, fields, records, rejected, rows, notes })
    }

    fn texts(&self, at: usize) -> Vec<String> {
        let text = |record: &GraphRecord| record.fields.get(at).cloned().unwrap_or_default();
        self.records.iter().map(text).collect()
    }

    fn column(&self, name: &str) -> Option<Column> {
        let at = self
            .fields
            .iter()
            .position(|field| field == name)
            .or_else(|| self.fields.iter().position(|field| field.eq_ignore_ascii_case(name)));
        if let Some(at) = at {
            return Some(Column { name: self.fields[at].clone(), texts: self.texts(at) });
        }
        // The class that TU, GIN and columnar files have a place of their own for.
        if name == "label" && self.records.iter().any(|record| record.label.is_some()) {
            let text = |record: &GraphRecord| record.label.map(|l| l.to_string());
            let texts = self.records.iter().map(|r| text(r).unwrap_or_default()).collect();
            return Some(Column { name: "label".into(), texts });
        }
        // `attribute` or `attribute:3` of TU folders.
        let at = match name.strip_prefix("attribute") {
            Some("") => 0,
            Some(rest) => rest.strip_prefix(':')?.parse().ok()?,
            None => return None,
        };
        if self.records.iter().all(|record| record.targets.len() <= at) {
            return None;
        }
        let text = |record: &GraphRecord| record.targets.get(at).map(f64::to_string);
        let texts = self.records.iter().map(|r| text(r).unwrap_or_default()).collect();
        Some(Column { name: name.to_owned(), texts })
    }

    /// Names that [`Table::column`] finds.
    fn names(&self) -> Vec<String> {
        let mut names = self.fields.clone();
        if self.records.iter().any(|record| record.label.is_some()) {
            names.push("label".into());
        }
        let attributes = self.records.iter().map(|r| r.targets.len()).max().unwrap_or(0);
        match attributes {
            0 => {}
            1 => names.push("attribute".into()),
            many => names.extend((0..many).map(|at| format!("attribute:{at}"))),
        }
        names
    }

    fn missing(&self, name: &str, what: &str) -> Error {
        let there = self.names();
        let there = match there.len() {
            0 => "it has none".to_owned(),
            n => {
                let more = if n > 30 { ", …" } else { "" };
                format!("there are {}{more}", there[..n.min(30)].join(", "))
            }
        };
        Error::data(name, format!("{what}; {there}"))
    }

    /// The target columns: those asked for, or the only one that there can be.
    fn targets(&self, name: &str, options: &Options) -> Result<Vec<Column>> {
        if self.records.is_empty() {
            let first = self.rejected.first().map(|bad| format!("; the first: {}", bad.reason));
            let what =
                format!("none of its {} rows is a graph{}", self.rows, first.unwrap_or_default());
            return Err(Error::data(name, what));
        }
        let find = |column: &str| {
            let what = format!("there is no column `{column}` to predict");
            self.column(column).ok_or_else(|| self.missing(name, &what))
        };
        if !options.targets.is_empty() {
            return options.targets.iter().map(|column| find(column)).collect();
        }
        let used = match &options.split {
            Some(Split::Column(column)) => Some(column.as_str()),
            _ => None,
        };
        let mut names = self.names();
        names.retain(|name| Some(name.as_str()) != used);
        // A class says what a TU or GIN set is for.
        if self.fields.is_empty() && names.iter().any(|name| name == "label") {
            return Ok(vec![find("label")?]);
        }
        match &names[..] {
            [only] => Ok(vec![find(only)?]),
            _ => Err(self.missing(name, "name what to predict with --target")),
        }
    }

    fn split_column(&self, name: &str, options: &Options) -> Result<Option<Vec<String>>> {
        let Some(Split::Column(column)) = &options.split else { return Ok(None) };
        let what = format!("there is no column `{column}` to split by");
        let found = self.column(column).ok_or_else(|| self.missing(name, &what))?;
        Ok(Some(found.texts))
    }
}

impl Shape {
    fn of(molecules: bool, records: &[GraphRecord]) -> Self {
        // A sample is enough to tell a molecule from a social network.
        const SAMPLE: usize = 500;
        let step = records.len().div_ceil(SAMPLE).max(1);
        let sample: Vec<&GraphRecord> = records.iter().step_by(step).collect();
        let mean = |of: fn(&GraphRecord) -> usize| {
            sample.iter().map(|record| of(record)).sum::<usize>() as f64
                / sample.len().max(1) as f64
        };
        let (mut triangles, mut triples) = (0u64, 0u64);
        for record in &sample {
            let graph = &record.graph;
            for v in 0..graph.order() as u32 {
                let around = graph.neighbors(v);
                let d = around.len() as u64;
                triples += d * d.saturating_sub(1) / 2;
                // Hubs of a few hundred neighbours decide enough.
                for (at, &u) in around.iter().take(200).enumerate() {
                    let rest = &around[at + 1..around.len().min(200)];
                    triangles += rest.iter().filter(|&&w| graph.has_arc(u, w)).count() as u64;
                }
            }
        }
        Self {
            graphs: records.len(),
            molecules,
            vertices: mean(|record| record.graph.order()),
            edges: mean(|record| record.graph.edge_count()),
            clustering: if triples == 0 { 0.0 } else { triangles as f64 / triples as f64 },
        }
    }
}
