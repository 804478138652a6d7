//! Which graphs can be told apart, by which test.
//!
//! [`separate`] runs the tests over all pairs of a list of graphs, or over the pairs (0, 1),
//! (2, 3), …: 1-WL, 2-FWL and 3-FWL where feasible, counts alone, counts with 1-WL (the exact
//! bound of GSN-v and GSN-e), and networks with random weights. A test sorts the graphs into
//! classes; pairs are counted from the sizes of the classes and never compared one by one, but
//! for the networks, whose distances are no equivalence.
//!
//! | file | holds |
//! |---|---|
//! | `input.rs` | graphs of a file or of the catalogue |
//! | `pairs.rs` | classes, pairs, and how many of them are left |
//! | `refinement.rs` | 1-WL, 2-FWL, 3-FWL, each where the one before left something |
//! | `counts.rs` | counts, pattern size by pattern size, on what is left |
//! | `network.rs` | random-weight networks |
//! | `points.rs` | which graphs they put close together |
//! | `certificate.rs` | the smallest pattern that tells two graphs apart |
//! | `sweep.rs` | failures against family and k |
//!
//! ```
//! use gsn_core::{generate, PatternSet};
//! use gsn_lab::separate::{Options, separate};
//!
//! let graphs = [generate::rook(4, 4)?, generate::shrikhande()];
//! let report = separate(&graphs, &Options::new("clique:3..=4".parse::<PatternSet>()?))?;
//! let failures = |test: &str| report.tests.iter().find(|t| t.test == test).unwrap().failures;
//! assert_eq!((failures("1-wl"), failures("2-fwl"), failures("3-fwl")), (Some(1), Some(1), Some(0)));
//! assert_eq!(failures("counts"), Some(0));
//! assert_eq!(report.certificates[0].pattern.as_deref(), Some("clique:4"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod certificate;
mod counts;
mod input;
mod network;
mod pairs;
mod points;
mod refinement;
mod sweep;
#[cfg(test)]
mod tests;

pub use certificate::{Certificate, Multiset, Witness, certificate};
pub use input::GraphList;
pub use network::{EMBEDDING_LIMIT, OFFICIAL_LIMIT};
pub use pairs::{Pairing, equal_pairs, open_graphs};
pub(crate) use points::Points;
pub use sweep::{Curve, FAMILIES, Point, chart, sweep};

use crate::error::{Error, Result};
use gsn_core::setters;
use gsn_core::wl::{Start, isomorphism_classes};
use gsn_core::{CountSpec, EdgeOrbits, Graph, Matching, PatternSet, Scope};

/// What to ask.
#[derive(Debug, Clone)]
pub struct Options {
    /// The patterns that are counted; may be empty.
    pub patterns: PatternSet,
    /// Which pairs; all by default.
    pub pairing: Pairing,
    /// Whether labels of vertices and edges are start colours, as they are by default.
    pub labels: bool,
    /// The scopes that are tried, [`Scope::Vertex`] and [`Scope::Arc`] by default.
    pub scopes: Vec<Scope>,
    /// The matchings that are tried; both by default.
    pub matchings: Vec<Matching>,
    /// Whether the authors' notion of arc orbits is tried beside the exact one, where they differ;
    /// it is by default.
    pub official_orbits: bool,
    /// The largest k of k-FWL: 1, 2 or 3, 3 by default.
    pub fwl: usize,
    /// Entries that one round of k-FWL may look at in all, 10⁹ by default; beyond it the test is
    /// not run.
    pub fwl_work: u64,
    /// Seeds of the random-weight networks, 3 by default; 0 leaves them out.
    pub seeds: u64,
    /// Whether isomorphic pairs are looked for, as they are by default.
    pub isomorphism: bool,
    /// Certificates to work out, of the first separated pairs, 5 by default; in [`Pairing::Consecutive`] those of
    /// all pairs are.
    pub certificates: usize,
    /// Bytes that tables of signatures may take, 2 GiB by default.
    pub memory: u64,
}

impl Options {
    /// Everything with these patterns, over all pairs.
    pub fn new(patterns: PatternSet) -> Self {
        Self {
            patterns,
            pairing: Pairing::All,
            labels: true,
            scopes: vec![Scope::Vertex, Scope::Arc],
            matchings: vec![Matching::Induced, Matching::Subgraph],
            official_orbits: true,
            fwl: 3,
            fwl_work: 1_000_000_000,
            seeds: 3,
            isomorphism: true,
            certificates: 5,
            memory: 2 << 30,
        }
    }

    setters! {
        with_pairing(pairing: Pairing),
        with_labels(labels: bool),
        with_scopes(scopes: Vec<Scope>),
        with_matchings(matchings: Vec<Matching>),
        with_official_orbits(official_orbits: bool),
        with_fwl(fwl: usize),
        with_fwl_work(fwl_work: u64),
        with_seeds(seeds: u64),
        with_isomorphism(isomorphism: bool),
        with_certificates(certificates: usize),
        with_memory(memory: u64)
    }

    /// What is counted: every scope in every matching, by exact orbits, and by the authors' where
    /// they are asked for and differ.
    pub fn specs(&self) -> Vec<CountSpec> {
        let exact = CountSpec::new(self.patterns.clone());
        let official = self.official_orbits && counts::notions_differ(&self.patterns);
        let mut specs = Vec::new();
        for &scope in &self.scopes {
            for &matching in &self.matchings {
                let spec = exact.clone().with_scope(scope).with_matching(matching);
                specs.push(spec.clone());
                if scope != Scope::Vertex && official {
                    specs.push(spec.with_orbits(EdgeOrbits::Official));
                }
            }
        }
        specs
    }
}

/// How one test did.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Outcome {
    /// `1-wl`, `2-fwl`, `3-fwl`, `counts`, `counts+1-wl`, `network-f64` or `network-f32`.
    pub test: String,
    /// What the counts are of: `vertex` or `arc`; none for the tests without counts.
    pub scope: Option<&'static str>,
    /// `induced` or `subgraph`.
    pub matching: Option<&'static str>,
    /// `exact` or `official`.
    pub orbits: Option<&'static str>,
    /// Pairs that are not told apart and not known to be isomorphic; none if it was not run.
    pub failures: Option<u64>,
    /// Failures with the patterns of at most so many vertices.
    pub by_size: Vec<(usize, u64)>,
    /// For the counts: the smallest pattern that tells pairs apart, and how many pairs.
    pub smallest: Vec<(String, u64)>,
    /// For networks: failures of every seed by itself.
    pub by_seed: Vec<u64>,
    /// Why it was not run, or what else there is to say.
    pub note: Option<String>,
}

impl Outcome {
    fn new(test: &str) -> Self {
        Self {
            test: test.to_owned(),
            scope: None,
            matching: None,
            orbits: None,
            failures: None,
            by_size: Vec::new(),
            smallest: Vec::new(),
            by_seed: Vec::new(),
            note: None,
        }
    }

    fn of_spec(test: &str, spec: &CountSpec) -> Self {
        Self {
            scope: Some(spec.scope().name()),
            matching: Some(spec.matching().name()),
            orbits: Some(spec.orbits().name()),
            ..Self::new(test)
        }
    }

    fn left_out(test: &str, why: impl Into<String>) -> Self {
        Self { note: Some(why.into()), ..Self::new(test) }
    }
}

/// What was found.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Report {
    /// Number of graphs.
    pub graphs: usize,
    /// Number of pairs.
    pub pairs: u64,
    /// Names of the patterns.
    pub patterns: Vec<String>,
    /// How every test did.
    pub tests: Vec<Outcome>,
    /// Pairs that are isomorphic; none if it was not asked.
    pub isomorphic: Option<u64>,
    /// The first of them.
    pub isomorphic_pairs: Vec<(usize, usize)>,
    /// Pairs whose isomorphism could not be decided; they count as different.
    pub undecided: Vec<(usize, usize)>,
    /// Pairs that no test tells apart, isomorphic ones left out.
    pub unseparated: u64,
    /// The first of them.
    pub unseparated_pairs: Vec<(usize, usize)>,
    /// Certificates of separated pairs.
    pub certificates: Vec<Certificate>,
}

/// Pairs that are listed by name.
const LISTED: usize = 100;

/// Runs the tests.
///
/// # Errors
/// When the graphs cannot be paired, a pattern does not fit a graph, or counting fails.
pub fn separate(graphs: &[Graph], options: &Options) -> Result<Report> {
    let pairing = options.pairing;
    pairing.check(graphs.len())?;
    let pairs = pairing.count(graphs.len());
    let starts: Vec<Start<'_>> = graphs
        .iter()
        .map(|graph| if options.labels { Start::labels(graph) } else { Start::default() })
        .collect();
    // What is equal in all tests so far.
    let mut together = vec![0u32; graphs.len()];
    let mut tests = refinement::run(graphs, &starts, options, &mut together)?;
    if !options.patterns.is_empty() {
        tests.extend(counts::run(graphs, &starts, options, &mut together)?);
    }
    if options.seeds > 0 {
        tests.extend(network::run(graphs, options)?);
    }

    // No test may separate isomorphic graphs, so they are among what is left.
    let mut undecided = Vec::new();
    let mut same: Vec<u32> = (0..graphs.len() as u32).collect();
    let mut isomorphic = None;
    if options.isomorphism {
        let open = open_graphs(&together, pairing);
        let left: Vec<Graph> = open.iter().map(|&at| plain(&graphs[at], options.labels)).collect();
        let found = isomorphism_classes(&left).map_err(|e| Error::Separate(e.to_string()))?;
        for (i, &at) in open.iter().enumerate() {
            same[at] = graphs.len() as u32 + found.class[i];
        }
        undecided = found.undecided.iter().map(|&(i, j)| (open[i], open[j])).collect();
        undecided.retain(|&(i, j)| pairing.has(i, j));
        isomorphic = Some(equal_pairs(&same, pairing));
    }
    let known = isomorphic.unwrap_or(0);
    for test in &mut tests {
        // Isomorphic pairs never differ, so every test counted each of them.
        let less = |n: &mut u64| *n -= known.min(*n);
        test.failures.iter_mut().for_each(less);
        test.by_size.iter_mut().for_each(|(_, n)| less(n));
        test.by_seed.iter_mut().for_each(less);
    }
    let unseparated = equal_pairs(&together, pairing) - known;
    let mut unseparated_pairs =
        pairs::list(&together, pairing, LISTED + known.min(1 << 20) as usize);
    unseparated_pairs.retain(|&(i, j)| same[i] != same[j]);
    unseparated_pairs.truncate(LISTED);
    Ok(Report {
        graphs: graphs.len(),
        pairs,
        patterns: options.patterns.iter().map(|p| p.name().to_owned()).collect(),
        tests,
        isomorphic,
        isomorphic_pairs: pairs::list(&same, pairing, LISTED),
        undecided,
        unseparated,
        unseparated_pairs,
        certificates: certificate::some(graphs, &starts, options, &together)?,
    })
}

/// The graph without its labels, if they are not to be seen.
fn plain(graph: &Graph, labels: bool) -> Graph {
    if labels || (graph.vertex_labels().is_none() && graph.arc_labels().is_none()) {
        return graph.clone();
    }
    let bare = if graph.is_directed() {
        Graph::from_arcs(graph.order(), graph.arcs())
    } else {
        Graph::from_edges(graph.order(), graph.edges())
    };
    bare.unwrap_or_else(|_| graph.clone())
}
