//! From the files of a set to a [`Dataset`] or a [`GraphSet`], with everything checked.

mod gin;
mod molhiv;
mod numbers;
mod plain;
mod zinc;

pub(super) use molhiv::to_text as molhiv_text;
pub(super) use plain::SKIPS;
pub(super) use zinc::to_texts as zinc_texts;

use super::entry::{Kind, Statistics};
use super::store::{Files, Location};
use crate::arrays::{Arrays, Rows};
use crate::dataset::{Dataset, Fold, Sample, Splits, Task};
use crate::error::{Error, Result};
use gsn_core::Graph;
use gsn_nn::Features;
use gsn_nn::config::Data;
use numbers::Numbers;

/// Graphs to be told apart.
#[derive(Debug, Clone)]
pub struct GraphSet {
    /// Name of the set.
    pub name: String,
    /// The graphs.
    pub graphs: Vec<Graph>,
    /// The class of each, if there are classes.
    pub classes: Option<Vec<u32>>,
    /// Which two graphs are to be compared, if the set says so.
    pub pairs: Vec<Pair>,
    /// Names of the categories of pairs.
    pub categories: Vec<String>,
    /// Licence and source.
    pub licence: String,
}

/// Two graphs of a [`GraphSet`] that are to be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    /// Index of one graph.
    pub first: usize,
    /// Index of the other.
    pub second: usize,
    /// Index into [`GraphSet::categories`].
    pub category: usize,
}

/// What readers hand over: a dataset, and what only its statistics need.
struct Raw {
    dataset: Dataset,
    self_loops: u64,
    pairs: Vec<Pair>,
    categories: Vec<String>,
}

impl Raw {
    fn of(dataset: Dataset) -> Self {
        Self { dataset, self_loops: 0, pairs: Vec::new(), categories: Vec::new() }
    }
}

fn unchecked(files: &Files) -> Result<Raw> {
    match files.entry.kind {
        Kind::Tud => gin::tud(files),
        Kind::Pairs => gin::pairs(files),
        Kind::Zinc => zinc::read(files),
        Kind::Molhiv => match &files.location {
            Location::Archive(path) => molhiv::archive(files, path),
            _ => molhiv::text(files),
        },
        Kind::Graphs => plain::graphs(files),
        Kind::Brec => plain::brec(files),
        Kind::Csl => plain::csl(files),
    }
}

/// The numbers that a set has, compared with nothing.
pub(super) fn found(files: &Files) -> Result<Statistics> {
    Ok(statistics(&unchecked(files)?))
}

fn raw(files: &Files) -> Result<Raw> {
    let raw = unchecked(files)?;
    files.entry.statistics.check(&files.entry.name, &statistics(&raw))?;
    Ok(raw)
}

pub(super) fn dataset(files: &Files) -> Result<Dataset> {
    Ok(raw(files)?.dataset)
}

pub(super) fn graph_set(files: &Files) -> Result<GraphSet> {
    let Raw { dataset, pairs, categories, .. } = raw(files)?;
    let has_classes = !files.entry.statistics.classes.is_empty();
    let classes = has_classes
        .then(|| dataset.samples.iter().map(|sample| sample.targets[0] as u32).collect());
    let graphs = dataset.samples.into_iter().map(|sample| sample.graph).collect();
    let Dataset { name, licence, .. } = dataset;
    Ok(GraphSet { name, graphs, classes, pairs, categories, licence })
}

/// The numbers of a set, in the terms of the catalogue.
fn statistics(raw: &Raw) -> Statistics {
    let set = &raw.dataset;
    let sizes = |data: &Option<Data>| match data {
        Some(Data::Categories { sizes }) => sizes.iter().map(|&n| n as u64).collect(),
        _ => Vec::new(),
    };
    let sum = |of: fn(&Graph) -> usize| set.samples.iter().map(|s| of(&s.graph) as u64).sum();
    let mut found = Statistics {
        graphs: set.samples.len() as u64,
        vertices: sum(Graph::order),
        edges: sum(Graph::edge_count),
        self_loops: raw.self_loops,
        vertex_categories: sizes(&set.vertex),
        arc_categories: sizes(&set.arc),
        ..Statistics::default()
    };
    match &set.task {
        // A set without classes makes every graph its own.
        Task::Classes(names) if names.len() < set.samples.len() => {
            found.classes = vec![0; names.len()];
            for sample in &set.samples {
                found.classes[sample.targets[0] as usize] += 1;
            }
        }
        Task::Binary(_) => {
            let yes = set.samples.iter().filter(|sample| sample.targets[0] == 1.0).count();
            found.positives = Some(yes as u64);
        }
        _ => (),
    }
    match &set.splits {
        Splits::None => (),
        Splits::Fixed(fold) => {
            let parts = [&fold.train, &fold.validation, &fold.test];
            found.split = parts.map(|part| part.len() as u64).to_vec();
        }
        Splits::Folds(folds) => found.folds = Some(folds.len() as u64),
    }
    if !raw.pairs.is_empty() {
        found.pairs = vec![0; raw.categories.len()];
        raw.pairs.iter().for_each(|pair| found.pairs[pair.category] += 1);
    }
    found
}

/// A set of plain graphs: one constant category on every vertex, every graph its own class.
fn plain_dataset(files: &Files, graphs: Vec<Graph>) -> Dataset {
    let names = (0..graphs.len()).map(|class| class.to_string()).collect();
    let sample = |(row, graph): (usize, Graph)| {
        let vertex = Some(Features::Categories { cols: 1, data: vec![0; graph.order()] });
        Sample {
            row: row as u64,
            graph,
            vertex,
            arc: None,
            columns: Vec::new(),
            targets: vec![row as f64],
            censoring: Vec::new(),
        }
    };
    Dataset {
        name: files.entry.name.clone(),
        samples: graphs.into_iter().enumerate().map(sample).collect(),
        task: Task::Classes(names),
        columns: Vec::new(),
        target_names: vec!["class".into()],
        vertex: Some(Data::Categories { sizes: vec![1] }),
        arc: None,
        splits: Splits::None,
        licence: files.licence(),
    }
}

/// The indices in the file `name`, one a line or separated by commas.
fn indices(files: &Files, name: &str, graphs: usize) -> Result<Vec<u32>> {
    Numbers::new(files, name, &files.bytes(name)?).rest_below(graphs)
}

/// Rows of arc features in the order of [`Graph::arcs`], from one row for each listed edge.
fn arc_rows(graph: &Graph, edges: &[(u32, u32)], rows: &[u32], cols: usize) -> Option<Features> {
    let mut data = vec![0; graph.arc_count() * cols];
    for (&(u, v), row) in edges.iter().zip(rows.chunks_exact(cols)) {
        for arc in [graph.arc_id(u, v)?, graph.arc_id(v, u)?] {
            data[arc * cols..][..cols].copy_from_slice(row);
        }
    }
    Some(Features::Categories { cols, data })
}

/// A fixed split, each part a list of indices.
fn fixed(train: Vec<u32>, validation: Vec<u32>, test: Vec<u32>) -> Splits {
    Splits::Fixed(Fold { train, validation, test, ..Fold::default() })
}

/// The features of graphs as whole numbers below `sizes`, one column each.
fn within<'a>(rows: Option<&'a Rows>, sizes: &[usize], what: &str) -> Result<&'a Rows, String> {
    let wanted = match sizes {
        [_] => "one column".to_owned(),
        _ => format!("{} columns", sizes.len()),
    };
    let rows = rows.filter(|rows| rows.cols == sizes.len());
    let rows = rows.ok_or_else(|| format!("its {what} features must have {wanted}"))?;
    for row in rows.data.chunks_exact(rows.cols) {
        if let Some((&value, size)) = row.iter().zip(sizes).find(|(v, size)| **v as usize >= **size)
        {
            return Err(format!("its {what} features hold {value}, which is not below {size}"));
        }
    }
    Ok(rows)
}

/// The one target of every graph.
fn one_target(arrays: &Arrays) -> Result<Vec<f64>, String> {
    let one = |targets: &Vec<f64>| match targets[..] {
        [target] if target.is_finite() => Ok(target),
        _ => Err("every graph must have one target".to_owned()),
    };
    arrays.targets.iter().map(one).collect()
}

/// The one cut, in parts that make up the whole.
fn one_cut(arrays: &Arrays) -> Result<[&[u32]; 3], String> {
    match &arrays.folds[..] {
        [fold] => Ok([&fold.train, &fold.validation, &fold.test]),
        _ => Err("its graphs must be cut into training, validation and test part".to_owned()),
    }
}

/// Numbers in one line.
fn line(numbers: impl Iterator<Item = u32>) -> String {
    numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(" ") + "\n"
}

/// An error about a file of the set.
fn broken(files: &Files, name: &str, what: impl std::fmt::Display) -> Error {
    Error::data(&files.entry.name, format!("{name}: {what}"))
}
