//! Which patterns are worth counting in a dataset.
//!
//! Every candidate is looked at from four sides, on the training split only:
//! - **δ**: how far its counts, beside the input features, tell the vertices of a graph apart;
//! - **signal**: the share of the label's variance that its number of occurrences explains (r² for
//!   numbers, η² for classes, the statistic of the F-test), beside the 99th percentile of the same
//!   share for permuted labels, so that noise ranks as noise;
//! - **redundancy**: the share of its own variance that patterns picked before explain;
//! - **cost**: predicted steps of counting it.
//!
//! Then a set is picked greedily by [`Pick::score`] = signal gained + ½ · share of the remaining
//! ambiguity resolved − 0.01 · log₁₀(cost / cheapest), until nothing gains enough. Where there are
//! labels, noise is never picked.

mod candidates;
mod pick;
mod signal;
#[cfg(test)]
mod tests;

pub use candidates::{Candidate, FamilyDelta};
pub use pick::Pick;
pub use signal::{Signal, Targets};

use crate::chart::{Bar, bars};
use crate::dataset::{Dataset, Sample, Splits};
use crate::error::{Error, Result};
use gsn_core::setters;
use gsn_core::{CountSpec, PatternSet};

/// What to look at.
#[derive(Debug, Clone)]
pub struct Options {
    /// Most vertices of a candidate.
    pub max_size: usize,
    /// The candidates and which of their occurrences count, on vertices. Without patterns the
    /// usual families are tried.
    pub spec: CountSpec,
    /// Most patterns to pick; 8 by default.
    pub picks: usize,
    /// Permutations of the labels for the baseline; 200 by default.
    pub permutations: usize,
    /// Decides the permutations and the sample; 0 by default.
    pub seed: u64,
    /// Most training graphs to look at, a random sample of them; 20,000 by default.
    pub graphs: usize,
    /// Largest trees in the table of δ by family; 6 vertices by default.
    pub trees: usize,
}

impl Options {
    /// The usual families up to this many vertices.
    pub fn new(max_size: usize) -> Self {
        Self {
            max_size,
            spec: CountSpec::new(PatternSet::default()),
            picks: 8,
            permutations: 200,
            seed: 0,
            graphs: 20_000,
            trees: 6,
        }
    }

    setters! {
        with_spec(spec: CountSpec),
        with_picks(picks: usize),
        with_permutations(permutations: usize),
        with_seed(seed: u64),
        with_graphs(graphs: usize),
        with_trees(trees: usize)
    }
}

/// What was found.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Suggestion {
    /// The dataset.
    pub data: String,
    /// Training graphs that were looked at, and how many there are.
    pub graphs: (usize, usize),
    /// Which part of the data it was.
    pub part: String,
    /// δ of the input features alone.
    pub delta_without: f64,
    /// δ of input features and whole families of 3 to k vertices.
    pub families: Vec<FamilyDelta>,
    /// The candidates, by signal above the baseline, then by δ.
    pub candidates: Vec<Candidate>,
    /// The patterns that were picked, in order.
    pub picks: Vec<Pick>,
    /// The picked patterns, ready for `--patterns`.
    pub patterns: String,
    /// δ with all picked patterns.
    pub delta_with: f64,
    /// What else there is to say.
    pub notes: Vec<String>,
}

impl Suggestion {
    /// Signal and δ of the first thirty candidates as bars, the picked ones in another colour; SVG.
    pub fn chart(&self) -> String {
        let rows: Vec<Bar> = self
            .candidates
            .iter()
            .take(30)
            .map(|row| Bar {
                name: row.pattern.clone(),
                values: vec![row.signal.share, row.delta],
                mark: row.signal.baseline,
                chosen: self.picks.iter().any(|pick| pick.pattern == row.pattern),
            })
            .collect();
        bars(&["signal (mark: chance)", "δ"], &rows)
    }
}

/// Ranks patterns for a dataset and picks a set.
///
/// # Errors
/// When the dataset has no training graphs, or a candidate does not fit its graphs.
///
/// ```
/// use gsn_core::Graph;
/// use gsn_lab::{Dataset, Sample, Splits, Task, suggest};
/// // Rings of 5 to 8 vertices with a tail; the target is 1 where the ring has six.
/// let graph = |k: u32| {
///     let ring = (0..k).map(move |v| (v, (v + 1) % k));
///     Graph::from_edges(k as usize + 1, ring.chain([(0, k)])).unwrap()
/// };
/// let samples = (0..40u32).map(|i| Sample {
///     columns: Vec::new(),
///     censoring: Vec::new(),
///     row: u64::from(i),
///     graph: graph(5 + i % 4),
///     vertex: None,
///     arc: None,
///     targets: vec![f64::from(u8::from(5 + i % 4 == 6))],
/// });
/// let dataset = Dataset {
///     name: "rings".into(),
///     samples: samples.collect(),
///     task: Task::Regression(1),
///     columns: Vec::new(),
///     target_names: vec!["six".into()],
///     vertex: None,
///     arc: None,
///     splits: Splits::None,
///     licence: String::new(),
/// };
/// let found = suggest::suggest(&dataset, &suggest::Options::new(6))?;
/// assert_eq!(found.candidates[0].pattern, "cycle:6");
/// assert_eq!(found.picks[0].pattern, "cycle:6");
/// # Ok::<(), gsn_lab::Error>(())
/// ```
pub fn suggest(dataset: &Dataset, options: &Options) -> Result<Suggestion> {
    if options.max_size < 3 {
        return Err(Error::Separate("patterns have at least 3 vertices here".to_owned()));
    }
    let (part, train) = training(dataset);
    if train.is_empty() {
        return Err(Error::data(&dataset.name, "there are no training graphs"));
    }
    let all = train.len();
    let samples = sample(train, options);
    let mut notes = Vec::new();
    if samples.len() < all {
        notes.push(format!("a random sample of {} of {all} training graphs", samples.len()));
    }
    let targets = Targets::new(&dataset.task, &samples);
    if targets.is_empty() {
        notes.push("there is no label that varies; ranked by δ alone".to_owned());
    }
    let table = candidates::table(&samples, options, &mut notes)?;
    let mut candidates = candidates::measure(&table, &targets, options);
    let picks = pick::greedy(&table, &targets, &candidates, options);
    candidates.sort_by(|a, b| {
        b.signal.above().total_cmp(&a.signal.above()).then(b.delta.total_cmp(&a.delta))
    });
    let chosen: Vec<_> = picks.iter().map(|pick| table.patterns[pick.index].clone()).collect();
    let chosen = PatternSet::from_patterns(chosen).map_err(|e| Error::Separate(e.to_string()))?;
    Ok(Suggestion {
        data: dataset.name.clone(),
        graphs: (samples.len(), all),
        part,
        delta_without: table.delta_without(),
        families: candidates::families(&samples, options)?,
        delta_with: picks.last().map_or(table.delta_without(), |pick| pick.delta),
        candidates,
        picks,
        patterns: chosen.to_string(),
        notes,
    })
}

/// The training part: of the only cut, of the first fold, or everything.
fn training(dataset: &Dataset) -> (String, Vec<&Sample>) {
    let of = |indices: &[u32]| -> Vec<&Sample> {
        indices.iter().filter_map(|&at| dataset.samples.get(at as usize)).collect()
    };
    match &dataset.splits {
        Splits::Fixed(fold) => ("training split".to_owned(), of(&fold.train)),
        Splits::Folds(folds) => match folds.first() {
            Some(fold) => ("training part of the first fold".to_owned(), of(&fold.train)),
            None => ("all graphs".to_owned(), dataset.samples.iter().collect()),
        },
        Splits::None => {
            ("all graphs (there is no split)".to_owned(), dataset.samples.iter().collect())
        }
    }
}

fn sample<'a>(train: Vec<&'a Sample>, options: &Options) -> Vec<&'a Sample> {
    if train.len() <= options.graphs {
        return train;
    }
    let mut random = gsn_core::random::Random::new(options.seed);
    let mut chosen = random.permutation(train.len());
    chosen.truncate(options.graphs);
    chosen.sort_unstable();
    chosen.into_iter().map(|at| train[at as usize]).collect()
}
