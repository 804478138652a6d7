//! A cache of count columns on disk, addressed by content.
//!
//! One entry holds all columns of one pattern over all graphs of a set. Its address is a sha256 of
//! the graphs, the canonical form of the pattern, matching, scope, notion of edge orbits, and the
//! version of the engine ([`key`]); so a longer list of patterns counts only the new ones, and a
//! pattern written in another way finds the same entry. Entries are written whole and renamed into
//! place, never changed: any number of processes may share a folder. A damaged entry fails its
//! checksum and is counted again ([`entry`]). Numbers are packed by the thousand ([`pack`]).
//!
//! Where counting is cheaper than reading, the cache stays out of the way: a few graphs are counted
//! first and the whole is estimated from them. A cache that cannot be written costs time, never
//! a result.

mod entry;
mod folder;
mod key;
mod layout;
mod pack;

pub use folder::{Cache, Stored};

use crate::error::Result;
use entry::Entry;
use gsn_core::count::Column;
use gsn_core::{Counter, Counts, EdgeOrbits, Graph, Matching, Pattern, PatternSet, Scope};
use layout::Layout;
use rayon::prelude::*;
use std::borrow::Borrow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// What is called as counting goes on: the share that is done, 0 to 1.
pub type Progress = Arc<dyn Fn(f64) + Send + Sync>;

/// What to count.
#[derive(Clone)]
pub struct Request<'a> {
    /// The patterns.
    pub patterns: &'a PatternSet,
    /// What the rows are.
    pub scope: Scope,
    /// Which subgraphs are occurrences.
    pub matching: Matching,
    /// Which notion of edge and arc orbits the columns follow.
    pub edge_orbits: EdgeOrbits,
    /// A switch that stops counting.
    pub cancel: Option<Arc<AtomicBool>>,
    /// Told how far counting is.
    pub progress: Option<Progress>,
}

impl<'a> Request<'a> {
    /// These patterns; vertex scope, induced matching and exact orbits unless told otherwise.
    pub fn new(patterns: &'a PatternSet) -> Self {
        Self {
            patterns,
            scope: Scope::default(),
            matching: Matching::default(),
            edge_orbits: EdgeOrbits::default(),
            cancel: None,
            progress: None,
        }
    }

    fn counter(&self, patterns: &PatternSet) -> Counter {
        let mut counter = Counter::new(patterns)
            .scope(self.scope)
            .matching(self.matching)
            .edge_orbits(self.edge_orbits);
        if let Some(switch) = &self.cancel {
            counter = counter.cancel_when(switch.clone());
        }
        if let Some(call) = self.progress.clone() {
            counter = counter.on_progress(move |share| call(share));
        }
        counter
    }
}

/// What the cache did.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Report {
    /// Patterns that were found.
    pub found: usize,
    /// Patterns that were counted.
    pub counted: usize,
    /// Entries that were damaged, and counted again.
    pub damaged: Vec<String>,
    /// Whether counting was cheaper than the cache, so that it was not asked.
    pub stayed_away: bool,
    /// Why nothing could be kept, if so.
    pub not_kept: Option<String>,
}

/// The counts of `graphs`, from the cache where it has them.
///
/// ```
/// use gsn_core::Graph;
/// use gsn_lab::cache::{Cache, Request, counts_of};
///
/// let folder = tempfile::tempdir()?;
/// let graphs = [Graph::from_edges(3, [(0, 1), (1, 2), (0, 2)])?];
/// let patterns = "cycle:3".parse()?;
/// let (counts, report) = counts_of(&graphs, &Request::new(&patterns), &Cache::always(folder.path()))?;
/// assert_eq!(counts[0].values(), [1, 1, 1]);
/// assert_eq!((report.found, report.counted), (0, 1));
/// let (again, report) = counts_of(&graphs, &Request::new(&patterns), &Cache::always(folder.path()))?;
/// assert_eq!((again, report.found), (counts, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When a graph cannot be counted. Trouble with the cache is in the [`Report`], not an error.
pub fn counts_of<G: Borrow<Graph> + Sync>(
    graphs: &[G],
    request: &Request,
    cache: &Cache,
) -> Result<(Vec<Counts>, Report)> {
    let mut report = Report::default();
    let counter = request.counter(request.patterns);
    let columns = counter.columns();
    if cache.is_off() || graphs.is_empty() || !cache.is_worth(|| estimate(graphs, request)) {
        report.counted = request.patterns.len();
        report.stayed_away = !cache.is_off();
        return Ok((counter.count_many(graphs)?, report));
    }
    let layout = Layout::new(graphs, request.scope);
    let keys = key::of_patterns(graphs, request);
    let mut entries: Vec<Option<Entry>> = Vec::with_capacity(keys.len());
    for key in &keys {
        let found = cache.read(key, layout.stored_rows()).unwrap_or_else(|damage| {
            report.damaged.push(damage);
            None
        });
        entries.push(found);
    }
    let missing: Vec<usize> = (0..entries.len()).filter(|&i| entries[i].is_none()).collect();
    report.found = entries.len() - missing.len();
    report.counted = missing.len();

    let fresh = if missing.is_empty() {
        None
    } else {
        let patterns: Vec<Pattern> =
            missing.iter().map(|&i| request.patterns.patterns()[i].clone()).collect();
        // The same names as in the whole set, so there is nothing to refuse.
        let patterns = PatternSet::from_patterns(patterns).unwrap_or_default();
        let start = Instant::now();
        let counts = request.counter(&patterns).count_many(graphs)?;
        let spent = start.elapsed();
        if cache.is_worth(|| Estimate { count: spent, ..estimate_reading(&layout, &counts) }) {
            for (place, &i) in missing.iter().enumerate() {
                let kept = Entry::pack(graphs, &layout, &counts, place, &keys[i]);
                if let Err(why) = cache.write(&keys[i], &kept) {
                    report.not_kept.get_or_insert(why);
                }
            }
        }
        Some(counts)
    };
    if report.found == 0 {
        return Ok((fresh.unwrap_or_default(), report));
    }
    let sources = layout::sources(&columns, &keys, &missing);
    let counts = layout.assemble(graphs, &columns, &entries, &sources, fresh.as_deref());
    Ok((counts, report))
}

/// How long counting and reading would take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Estimate {
    pub(crate) count: Duration,
    pub(crate) read: Duration,
}

/// Work on this many numbers, vertices and arcs takes about a second of one thread when they are
/// hashed, read and spread out.
const READ_PER_SECOND: f64 = 3e8;
/// Opening and checking one entry.
const READ_ENTRY: f64 = 1e-4;

fn reading_time(patterns: usize, cells: f64, size: f64) -> Duration {
    let threads = rayon::current_num_threads().min(4) as f64;
    Duration::from_secs_f64(
        READ_ENTRY * patterns as f64 + (cells + size) / READ_PER_SECOND / threads,
    )
}

fn estimate_reading(layout: &Layout, counts: &[Counts]) -> Estimate {
    let cells: usize = counts.iter().map(|c| c.rows() * c.columns().len()).sum();
    let patterns = counts.first().and_then(|c| c.columns().last());
    let patterns = patterns.map_or(0, |column: &Column| column.pattern() + 1);
    let read = reading_time(patterns, cells as f64, layout.size() as f64);
    Estimate { count: Duration::ZERO, read }
}

/// Counts in a few graphs for a few milliseconds and concludes from their sizes.
fn estimate<G: Borrow<Graph> + Sync>(graphs: &[G], request: &Request) -> Estimate {
    const ENOUGH: Duration = Duration::from_millis(2);
    let quiet = Request { progress: None, ..request.clone() };
    let counter = quiet.counter(request.patterns);
    let size = |graph: &Graph| (graph.order() + graph.arc_count()) as f64;
    let all: f64 = graphs.par_iter().map(|graph| size(graph.borrow())).sum();
    let columns = counter.columns().len() as f64;
    let (mut counted, mut rows) = (0.0, 0.0);
    let start = Instant::now();
    // A walk over the graphs that soon has seen every part of the set.
    let step = (graphs.len() as f64 * 0.618_034) as usize | 1;
    for i in 0..graphs.len().min(64) {
        let graph: &Graph = graphs[i * step % graphs.len()].borrow();
        if let Ok(counts) = counter.count(graph) {
            counted += size(graph);
            rows += counts.rows() as f64;
        }
        if start.elapsed() >= ENOUGH {
            break;
        }
    }
    let threads = rayon::current_num_threads() as f64;
    let share = if counted > 0.0 { all / counted } else { f64::from(u32::MAX) };
    let count = start.elapsed().as_secs_f64() * share / threads;
    let read = reading_time(request.patterns.len(), rows * share * columns, all);
    Estimate { count: Duration::from_secs_f64(count.min(1e9)), read }
}

#[cfg(test)]
mod tests;
