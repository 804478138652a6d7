//! Sets of plain graphs in graph6: the strongly regular families, BREC, CSL, graph8c.

use super::{Numbers, Pair, Raw, broken, indices, plain_dataset};
use crate::catalogue::store::{Files, Opened};
use crate::dataset::{Fold, Splits, Task};
use crate::error::Result;
use gsn_core::Graph;
use gsn_io::{Format, GraphSource, ReadOptions};

/// Skip lengths of the classes of CSL.
pub(in crate::catalogue) const SKIPS: [usize; 10] = [2, 3, 4, 5, 6, 9, 11, 12, 13, 16];

fn graph6(files: &Files) -> Result<Vec<Graph>> {
    let Opened { name, sha256, bytes } = files.main()?;
    let options = ReadOptions { format: Some(Format::Graph6), ..ReadOptions::default() };
    let mut source = GraphSource::from_reader(&name, bytes, &options)?;
    let mut graphs = Vec::new();
    for row in source.by_ref() {
        let record = row?
            .into_result()
            .map_err(|bad| broken(files, &name, format!("graph {}: {}", bad.row, bad.reason)))?;
        graphs.push(record.graph);
    }
    files.compare(&name, sha256, &source.digest()?.sha256)?;
    Ok(graphs)
}

/// A set of graphs without classes, pairs or splits.
pub(super) fn graphs(files: &Files) -> Result<Raw> {
    Ok(Raw::of(plain_dataset(files, graph6(files)?)))
}

/// BREC: graphs 2i and 2i + 1 are a pair; `categories.tsv` gives ranges of pairs.
pub(super) fn brec(files: &Files) -> Result<Raw> {
    let mut raw = graphs(files)?;
    let name = "categories.tsv";
    let bytes = files.bytes(name)?;
    let text = String::from_utf8_lossy(&bytes);
    for line in text.lines().skip(1).filter(|line| !line.trim().is_empty()) {
        let parts: Vec<&str> = line.split('\t').map(str::trim).collect();
        let bounds = match parts[..] {
            [_, first, end] => first.parse::<usize>().ok().zip(end.parse::<usize>().ok()),
            _ => None,
        };
        let Some((first, end)) = bounds.filter(|b| 2 * b.1 <= raw.dataset.samples.len()) else {
            return Err(broken(files, name, format!("`{line}` is no category")));
        };
        let category = raw.categories.len();
        raw.categories.push(parts[0].replace('_', " "));
        raw.pairs.extend((first..end).map(|i| Pair { first: 2 * i, second: 2 * i + 1, category }));
    }
    Ok(raw)
}

/// CSL: ten classes, five folds with a validation part.
pub(super) fn csl(files: &Files) -> Result<Raw> {
    let mut raw = graphs(files)?;
    let set = &mut raw.dataset;
    let name = "csl_labels.txt";
    let bytes = files.bytes(name)?;
    let mut numbers = Numbers::new(files, name, &bytes);
    for sample in &mut set.samples {
        sample.targets = vec![f64::from(numbers.below(SKIPS.len())?)];
    }
    set.task = Task::Classes(SKIPS.iter().map(|skip| format!("C41(1,{skip})")).collect());
    let part = |part: &str| indices(files, &format!("CSL_{part}.index"), set.samples.len());
    let cut = |all: Vec<u32>| -> Vec<Vec<u32>> {
        all.chunks(all.len().div_ceil(5).max(1)).map(<[u32]>::to_vec).collect()
    };
    let (train, validation, test) = (cut(part("train")?), cut(part("val")?), cut(part("test")?));
    let folds = train.into_iter().zip(validation).zip(test);
    let fold = |((train, validation), test)| Fold { train, validation, test, ..Fold::default() };
    set.splits = Splits::Folds(folds.map(fold).collect());
    Ok(raw)
}
