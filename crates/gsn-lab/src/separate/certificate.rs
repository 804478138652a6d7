//! Certificates: the smallest pattern whose counts tell two graphs apart, and both multisets.

use super::counts::{sizes, up_to};
use super::{Options, Pairing};
use crate::error::{Error, Result};
use gsn_core::wl::{Names, Start, refine};
use gsn_core::{CountSpec, Counter, Counts, Graph, PatternSet, Scope};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Rows of counts and how many vertices or arcs have them, by row.
pub type Multiset = Vec<(Vec<u64>, u64)>;

/// Why two graphs differ, or that the patterns do not tell.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Certificate {
    /// The first graph.
    pub left: usize,
    /// The second graph.
    pub right: usize,
    /// The smallest pattern that tells them apart; none if no pattern does.
    pub pattern: Option<String>,
    /// Number of its vertices.
    pub order: usize,
    /// `vertex` or `arc`.
    pub scope: Option<&'static str>,
    /// `induced` or `subgraph`.
    pub matching: Option<&'static str>,
    /// `counts` when the multisets differ, `counts+1-wl` when only refinement from them does.
    pub by: Option<&'static str>,
    /// Rows of the first graph.
    pub left_rows: Multiset,
    /// Rows of the second graph.
    pub right_rows: Multiset,
    /// One place where they differ, if counts alone tell them apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub witness: Option<Witness>,
}

/// A vertex, edge or arc with a row that one graph has more often than the other.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Witness {
    /// The graph it is in.
    pub graph: usize,
    /// The vertex, or the two ends.
    pub ends: Vec<u32>,
    /// Its row of counts.
    pub row: Vec<u64>,
}

impl Certificate {
    fn none(left: usize, right: usize) -> Self {
        Self {
            left,
            right,
            pattern: None,
            order: 0,
            scope: None,
            matching: None,
            by: None,
            left_rows: Vec::new(),
            right_rows: Vec::new(),
            witness: None,
        }
    }
}

/// The smallest pattern (by vertices, then edges, then place in the collection) whose counts
/// differ between two graphs; where no counts alone do, the smallest size up to which counts and
/// 1-WL together do.
///
/// # Errors
/// When a pattern does not fit a graph or counting fails.
///
/// ```
/// use gsn_core::{generate, PatternSet};
/// use gsn_lab::separate::{Options, certificate};
/// let options = Options::new("cycle:3..=4, clique:4".parse::<PatternSet>()?);
/// let graphs = [generate::rook(4, 4)?, generate::shrikhande()];
/// let found = certificate(&graphs, 0, 1, &options)?;
/// assert_eq!(found.pattern.as_deref(), Some("cycle:4"));
/// // Every vertex of the rook's graph lies on 9 induced squares, of the other on 3.
/// assert_eq!((found.left_rows, found.right_rows), (vec![(vec![9], 16)], vec![(vec![3], 16)]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn certificate(
    graphs: &[Graph],
    left: usize,
    right: usize,
    options: &Options,
) -> Result<Certificate> {
    let start = |graph| if options.labels { Start::labels(graph) } else { Start::default() };
    if let Some(&missing) = [left, right].iter().find(|&&at| at >= graphs.len()) {
        let what = format!(
            "there is no graph {missing}; they are numbered from 0 to {}",
            graphs.len() - 1
        );
        return Err(Error::Separate(what));
    }
    let pair = [&graphs[left], &graphs[right]];
    of_pair(pair, pair.map(start), (left, right), &Ladder::new(options)?)
}

/// Certificates of the pairs that are asked for.
pub(super) fn some(
    graphs: &[Graph],
    starts: &[Start<'_>],
    options: &Options,
    together: &[u32],
) -> Result<Vec<Certificate>> {
    if options.patterns.is_empty() {
        return Ok(Vec::new());
    }
    let ladder = Ladder::new(options)?;
    let wanted: Vec<(usize, usize)> = match options.pairing {
        Pairing::Consecutive if options.certificates > 0 => {
            (0..graphs.len() / 2).map(|pair| (2 * pair, 2 * pair + 1)).collect()
        }
        _ => {
            let pairs = (1..graphs.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
            pairs.filter(|&(i, j)| together[i] != together[j]).take(options.certificates).collect()
        }
    };
    wanted
        .into_par_iter()
        .map(|(i, j)| of_pair([&graphs[i], &graphs[j]], [starts[i], starts[j]], (i, j), &ladder))
        .collect()
}

/// The patterns by size, ready to be counted.
struct Ladder {
    specs: Vec<CountSpec>,
    /// Counter of the patterns of exactly one size, and of all up to it.
    rungs: Vec<(Counter, Counter)>,
}

impl Ladder {
    fn new(options: &Options) -> Result<Self> {
        let mut rungs = Vec::new();
        for size in sizes(&options.patterns) {
            let mut new: Vec<_> =
                options.patterns.iter().filter(|p| p.order() == size).cloned().collect();
            new.sort_by_key(|pattern| pattern.size());
            let new = PatternSet::from_patterns(new).map_err(|e| Error::Separate(e.to_string()))?;
            let all = up_to(&options.patterns, size)?;
            let counter = |patterns| Counter::new(&CountSpec::new(patterns));
            rungs.push((counter(new), counter(all)));
        }
        Ok(Self { specs: options.specs(), rungs })
    }
}

/// The first place of the first row that one of two graphs has more often; `of` are the columns
/// of the pattern.
fn witness(
    pair: [&Graph; 2],
    places: [usize; 2],
    counts: &[Counts; 2],
    of: &[usize],
    rows: &[Multiset; 2],
) -> Option<Witness> {
    let times = |side: usize, row: &[u64]| {
        rows[side].iter().find(|(other, _)| other == row).map_or(0, |(_, times)| *times)
    };
    let more = |side: usize| {
        rows[side].iter().find(|(row, times_here)| *times_here > times(1 - side, row))
    };
    let (side, (row, _)) = [0, 1].into_iter().find_map(|side| Some((side, more(side)?)))?;
    let is_it = |at: &usize| {
        let here = counts[side].row(*at);
        of.iter().zip(row).all(|(&column, &value)| here[column] == value)
    };
    let at = (0..counts[side].rows()).find(is_it)?;
    let graph = pair[side];
    let both = |(u, v): (u32, u32)| vec![u, v];
    let ends = match counts[side].scope() {
        Scope::Vertex => vec![at as u32],
        Scope::Edge => both(graph.edges().nth(at)?),
        Scope::Arc => both(graph.arcs().nth(at)?),
    };
    Some(Witness { graph: places[side], ends, row: row.clone() })
}

fn of_pair(
    pair: [&Graph; 2],
    starts: [Start<'_>; 2],
    (left, right): (usize, usize),
    ladder: &Ladder,
) -> Result<Certificate> {
    let set = |counter: &Counter, spec: &CountSpec| {
        counter.clone().with_view(spec.scope(), spec.matching(), spec.orbits())
    };
    let none = Certificate::none(left, right);
    for (exactly, all) in &ladder.rungs {
        let mut found: Option<(usize, usize, Certificate)> = None;
        for (at, spec) in ladder.specs.iter().enumerate() {
            let counter = set(exactly, spec);
            let counts = [counter.count(pair[0])?, counter.count(pair[1])?];
            let columns = counter.columns();
            for (p, pattern) in counter.spec().patterns().iter().enumerate() {
                let of: Vec<usize> =
                    (0..columns.len()).filter(|&c| columns[c].pattern() == p).collect();
                let rows = [0, 1].map(|i| {
                    let mut rows = BTreeMap::<Vec<u64>, u64>::new();
                    for row in 0..counts[i].rows() {
                        let row = counts[i].row(row);
                        *rows.entry(of.iter().map(|&c| row[c]).collect()).or_default() += 1;
                    }
                    rows.into_iter().collect::<Multiset>()
                });
                if rows[0] != rows[1] {
                    if found.as_ref().is_none_or(|(best, by, _)| (p, at) < (*best, *by)) {
                        let witness = witness(pair, [left, right], &counts, &of, &rows);
                        let [left_rows, right_rows] = rows;
                        let certificate = Certificate {
                            pattern: Some(pattern.name().to_owned()),
                            order: pattern.order(),
                            scope: Some(spec.scope().name()),
                            matching: Some(spec.matching().name()),
                            by: Some("counts"),
                            left_rows,
                            right_rows,
                            witness,
                            ..none.clone()
                        };
                        found = Some((p, at, certificate));
                    }
                    break;
                }
            }
        }
        if let Some((_, _, certificate)) = found {
            return Ok(certificate);
        }
        for spec in &ladder.specs {
            let counter = set(all, spec);
            let mut names = Names::default();
            let mut rows = Vec::new();
            for i in 0..2 {
                let labels = match spec.scope() {
                    Scope::Vertex => starts[i].vertex,
                    _ => starts[i].arc,
                };
                let counts = counter.count(pair[i])?.on_arcs(pair[i]);
                rows.push(names.of_labelled_counts(&counts, labels));
            }
            let coloured = [0, 1].map(|i| match spec.scope() {
                Scope::Vertex => Start { vertex: Some(&rows[i]), arc: starts[i].arc },
                _ => Start { vertex: starts[i].vertex, arc: Some(&rows[i]) },
            });
            let graphs = pair.map(Clone::clone);
            let colours = refine(&graphs, &coloured).map_err(|e| Error::Separate(e.to_string()))?;
            let classes = colours.classes();
            if classes[0] != classes[1] {
                let last = exactly.spec().patterns().iter().last();
                return Ok(Certificate {
                    pattern: last.map(|p| format!("all up to {} vertices", p.order())),
                    order: last.map_or(0, |p| p.order()),
                    scope: Some(spec.scope().name()),
                    matching: Some(spec.matching().name()),
                    by: Some("counts+1-wl"),
                    ..none
                });
            }
        }
    }
    Ok(none)
}
