//! The TUD sets and EXP, CEXP: text of GIN.
//!
//! Tags of vertices and classes of graphs are numbered in the order in which they first appear in
//! the file; self-loops are left out.

use super::{Pair, Raw, broken, indices};
use crate::catalogue::store::{Files, Opened};
use crate::dataset::{Dataset, Fold, Sample, Splits, Task};
use crate::error::Result;
use gsn_io::{Format, GraphSource, ReadOptions};
use gsn_nn::Features;
use gsn_nn::config::Data;
use std::collections::HashMap;
use std::hash::Hash;

/// Numbers values in the order in which they first appear.
#[derive(Default)]
struct Numbering<T> {
    numbers: HashMap<T, u32>,
    values: Vec<T>,
}

impl<T: Copy + Eq + Hash> Numbering<T> {
    fn number(&mut self, value: T) -> u32 {
        *self.numbers.entry(value).or_insert_with(|| {
            self.values.push(value);
            self.values.len() as u32 - 1
        })
    }
}

/// A TUD set with its ten folds.
pub(super) fn tud(files: &Files) -> Result<Raw> {
    let mut raw = text(files)?;
    let graphs = raw.dataset.samples.len();
    let fold = |k: u32| {
        let part = |part: &str| indices(files, &format!("10fold_idx/{part}_idx-{k}.txt"), graphs);
        Ok(Fold { train: part("train")?, test: part("test")?, ..Fold::default() })
    };
    raw.dataset.splits = Splits::Folds((1..=10).map(fold).collect::<Result<_>>()?);
    Ok(raw)
}

/// A set whose graphs 2i and 2i + 1 are a pair.
pub(super) fn pairs(files: &Files) -> Result<Raw> {
    let mut raw = text(files)?;
    let pair = |i: usize| Pair { first: 2 * i, second: 2 * i + 1, category: 0 };
    raw.pairs = (0..raw.dataset.samples.len() / 2).map(pair).collect();
    raw.categories = vec![files.entry.name.clone()];
    Ok(raw)
}

fn text(files: &Files) -> Result<Raw> {
    let entry = files.entry;
    let Opened { name, sha256, bytes } = files.main()?;
    let options = ReadOptions { format: Some(Format::Gin), ..ReadOptions::default() };
    let mut batches = GraphSource::from_reader(&name, bytes, &options)?.read_batches(1024);
    let (mut tags, mut classes) = (Numbering::default(), Numbering::default());
    let mut samples = Vec::with_capacity(entry.statistics.graphs as usize);
    let mut self_loops = 0;
    for batch in batches.by_ref() {
        let batch = batch?;
        if let Some(bad) = batch.rejected.first() {
            return Err(broken(files, &name, format!("graph {}: {}", bad.row, bad.reason)));
        }
        for record in batch.records {
            let labels = record.graph.vertex_labels().unwrap_or_default();
            let data = labels.iter().map(|&tag| tags.number(tag)).collect();
            let class = classes.number(record.label.unwrap_or_default());
            self_loops += record.dropped.self_loops as u64;
            samples.push(Sample {
                columns: Vec::new(),
                censoring: Vec::new(),
                row: record.row,
                graph: record.graph,
                vertex: Some(Features::Categories { cols: 1, data }),
                arc: None,
                targets: vec![f64::from(class)],
            });
        }
    }
    let digest = batches.source().digest()?;
    files.compare(&name, sha256, &digest.sha256)?;
    let dataset = Dataset {
        name: entry.name.clone(),
        samples,
        task: Task::Classes(classes.values.iter().map(i64::to_string).collect()),
        columns: Vec::new(),
        target_names: vec!["class".into()],
        vertex: Some(Data::Categories { sizes: vec![tags.values.len()] }),
        arc: None,
        splits: Splits::None,
        licence: files.licence(),
    };
    Ok(Raw { self_loops, ..Raw::of(dataset) })
}
