//! The candidates, their counts, and what each is worth by itself.

use super::Options;
use super::signal::{Signal, Targets};
use crate::dataset::Sample;
use crate::disambiguation::{Rows, disambiguation, score};
use crate::error::{Error, Result};
use gsn_core::{Counter, Graph, Pattern, PatternSet};
use rayon::prelude::*;
use std::collections::HashSet;

/// One pattern and what it is worth by itself.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Candidate {
    /// Its name.
    pub pattern: String,
    /// Its vertices.
    pub order: usize,
    /// Share of the graphs it occurs in.
    pub found: f64,
    /// δ with its counts beside the input features.
    pub delta: f64,
    /// What its number of occurrences says about the label.
    pub signal: Signal,
    /// Predicted steps of counting it in a graph, on average.
    pub cost: f64,
}

/// δ of a whole family.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct FamilyDelta {
    /// `cycle`, `path` or `tree`.
    pub family: String,
    /// Most vertices; the family starts at 3.
    pub k: usize,
    /// δ of input features and all of its counts.
    pub delta: f64,
}

/// Everything that is known about the candidates on the chosen graphs.
pub(super) struct CandidateTable {
    pub(super) patterns: Vec<Pattern>,
    /// Occurrences in every graph, pattern by pattern.
    pub(super) totals: Vec<Vec<f64>>,
    /// Vertices sorted by the counts of every pattern, graph by graph.
    pub(super) rows: Vec<Vec<Rows>>,
    /// Vertices sorted by input features.
    pub(super) bare: Vec<Rows>,
    pub(super) cost: Vec<f64>,
}

impl CandidateTable {
    pub(super) fn delta_without(&self) -> f64 {
        score(&self.bare)
    }
}

/// The families that are tried: cycles, paths, stars and cliques, and everything up to 5 vertices.
fn usual(max_size: usize) -> Result<PatternSet> {
    let small = max_size.min(5);
    let leaves = max_size - 1;
    let text = format!(
        "cycle:3..={max_size}, path:3..={max_size}, star:3..={leaves}, clique:3..={max_size}, \
         all:3..={small}"
    );
    // A star of three leaves has four vertices.
    let text = if leaves < 3 { text.replace("star:3..=2, ", "") } else { text };
    text.parse().map_err(|e: gsn_core::pattern::PatternSyntaxError| Error::Separate(e.to_string()))
}

/// Counts the candidates, each pattern once whatever its names.
pub(super) fn table(
    samples: &[&Sample],
    options: &Options,
    notes: &mut Vec<String>,
) -> Result<CandidateTable> {
    let set = match options.spec.patterns() {
        none if none.is_empty() => usual(options.max_size)?,
        set => set.clone(),
    };
    let mut seen = HashSet::new();
    let mut patterns: Vec<Pattern> = set
        .iter()
        .filter(|p| p.order() <= options.max_size && seen.insert(p.canonical_code()))
        .cloned()
        .collect();
    if patterns.is_empty() {
        return Err(Error::Separate("there are no candidates".to_owned()));
    }
    let graphs: Vec<Graph> = samples.iter().map(|sample| sample.graph.clone()).collect();
    let bare: Vec<Rows> =
        samples.par_iter().map(|s| Rows::new(&s.graph, s.vertex.as_ref())).collect();
    let plain: Vec<Rows> = graphs.par_iter().map(|g| Rows::new(g, None)).collect();
    let (mut totals, mut rows) = (Vec::new(), Vec::new());
    // A few patterns at a time: their tables are not kept.
    for some in patterns.chunks(8) {
        let set =
            PatternSet::from_patterns(some.to_vec()).map_err(|e| Error::Separate(e.to_string()))?;
        let counter = Counter::new(&options.spec.clone().with_patterns(set));
        let columns = counter.columns();
        let counts = counter.count_many(&graphs)?;
        for (p, pattern) in some.iter().enumerate() {
            let of: Vec<usize> =
                (0..columns.len()).filter(|&c| columns[c].pattern() == p).collect();
            let total = |counts: &gsn_core::Counts| {
                let sum: f64 =
                    of.iter().map(|&c| counts.column(c).map(|x| x as f64).sum::<f64>()).sum();
                sum / pattern.order() as f64
            };
            totals.push(counts.par_iter().map(total).collect::<Vec<f64>>());
            rows.push(
                plain
                    .par_iter()
                    .zip(&counts)
                    .map(|(rows, counts)| rows.with(counts, &of))
                    .collect::<Vec<_>>(),
            );
        }
    }
    let occurs: Vec<bool> = totals.iter().map(|t| t.iter().any(|&x| x > 0.0)).collect();
    let absent: Vec<&str> =
        patterns.iter().zip(&occurs).filter(|(_, o)| !**o).map(|(p, _)| p.name()).collect();
    if !absent.is_empty() {
        notes.push(format!("never found: {}", absent.join(", ")));
    }
    if absent.len() == patterns.len() {
        return Err(Error::Separate("none of the candidates occurs in the training graphs".into()));
    }
    let mut keep = occurs.iter().copied();
    patterns.retain(|_| keep.next().unwrap_or(false));
    let mut keep = occurs.iter().copied();
    totals.retain(|_| keep.next().unwrap_or(false));
    let mut keep = occurs.iter().copied();
    rows.retain(|_| keep.next().unwrap_or(false));
    let cost = patterns.par_iter().map(|p| cost(p, &graphs, options)).collect();
    Ok(CandidateTable { patterns, totals, rows, bare, cost })
}

/// Mean predicted steps of counting one pattern, over a few graphs.
fn cost(pattern: &Pattern, graphs: &[Graph], options: &Options) -> f64 {
    let Ok(set) = PatternSet::from_patterns(vec![pattern.clone()]) else { return f64::INFINITY };
    let counter = Counter::new(&options.spec.clone().with_patterns(set));
    let step = graphs.len().div_ceil(50).max(1);
    let some: Vec<f64> = graphs
        .iter()
        .step_by(step)
        .filter_map(|graph| counter.plan(graph).ok())
        .map(|plan| plan.predicted_steps())
        .collect();
    some.iter().sum::<f64>() / some.len().max(1) as f64
}

/// What every candidate is worth by itself.
pub(super) fn measure(
    table: &CandidateTable,
    targets: &Targets,
    options: &Options,
) -> Vec<Candidate> {
    (0..table.patterns.len())
        .into_par_iter()
        .map(|p| {
            let joint: Vec<Rows> =
                table.bare.iter().zip(&table.rows[p]).map(|(a, b)| a.beside(b)).collect();
            let totals = &table.totals[p];
            let found = totals.iter().filter(|&&total| total > 0.0).count();
            Candidate {
                pattern: table.patterns[p].name().to_owned(),
                order: table.patterns[p].order(),
                found: found as f64 / totals.len() as f64,
                delta: score(&joint),
                signal: targets.signal(totals, &[], options.permutations, options.seed),
                cost: table.cost[p],
            }
        })
        .collect()
}

/// δ of cycles, paths and trees of 3 to k vertices, for every k.
pub(super) fn families(samples: &[&Sample], options: &Options) -> Result<Vec<FamilyDelta>> {
    let graphs: Vec<Graph> = samples.iter().map(|sample| sample.graph.clone()).collect();
    let inputs: Vec<(&Graph, Option<&gsn_nn::Features>)> =
        samples.iter().map(|s| (&s.graph, s.vertex.as_ref())).collect();
    let mut all = Vec::new();
    if graphs.iter().any(Graph::is_directed) {
        return Ok(all);
    }
    for (family, largest) in
        [("cycle", options.max_size), ("path", options.max_size), ("tree", options.trees)]
    {
        for k in 3..=largest.min(options.max_size) {
            let set: PatternSet = format!("{family}:3..={k}").parse().map_err(
                |e: gsn_core::pattern::PatternSyntaxError| Error::Separate(e.to_string()),
            )?;
            let counter = Counter::new(&options.spec.clone().with_patterns(set));
            let counts = counter.count_many(&graphs)?;
            let delta = disambiguation(&inputs, &counts);
            all.push(FamilyDelta { family: family.to_owned(), k, delta });
        }
    }
    Ok(all)
}
