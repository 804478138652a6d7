//! A cache of count columns on disk, addressed by content.
//!
//! One entry holds all columns of one pattern over all graphs of a set. Its address is a sha256 of
//! the graphs, the canonical form of the pattern, matching, scope, notion of edge orbits, and the
//! version of the engine (`key`); so a longer list of patterns counts only the new ones, and a
//! pattern written in another way finds the same entry. Entries are written whole and renamed into
//! place, never changed: any number of processes may share a folder. A damaged entry fails its
//! checksum and is counted again (`entry`). Numbers are packed by the thousand (`pack`).
//!
//! Where counting is cheaper than reading, the cache is not used: counting is timed, and counts that
//! take little time are not kept, so that the only cost is computing the address. A cache that cannot
//! be written costs time, never a result.

mod entry;
mod folder;
mod key;
mod layout;
mod pack;

pub use folder::{Cache, Stored};

use crate::error::Result;
use entry::Entry;
use gsn_core::{CountSpec, Counter, Counts, Graph, PatternSet};
use layout::Layout;
use rayon::prelude::*;
use std::borrow::Borrow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// What is called as counting goes on: the share that is done, 0 to 1.
pub type Progress = Arc<dyn Fn(f64) + Send + Sync>;

/// What to count, how to stop it, and who is notified.
#[derive(Clone)]
pub struct Request<'a> {
    /// What is counted.
    pub spec: &'a CountSpec,
    /// A switch that stops counting.
    pub cancel: Option<Arc<AtomicBool>>,
    /// Called with the share that is counted.
    pub progress: Option<Progress>,
}

impl<'a> Request<'a> {
    /// These counts, without a switch and without progress.
    pub fn new(spec: &'a CountSpec) -> Self {
        Self { spec, cancel: None, progress: None }
    }

    fn counter(&self, spec: &CountSpec) -> Counter {
        let mut counter = Counter::new(spec);
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
    /// Whether what was counted took so little that it was not kept.
    pub stayed_away: bool,
    /// Why nothing could be kept, if so.
    pub not_kept: Option<String>,
}

/// The counts of `graphs`, from the cache where it has them.
///
/// ```
/// use gsn_core::{CountSpec, Graph};
/// use gsn_lab::cache::{Cache, Request, counts_of};
///
/// let folder = tempfile::tempdir()?;
/// let graphs = [Graph::from_edges(3, [(0, 1), (1, 2), (0, 2)])?];
/// let spec = CountSpec::new("cycle:3".parse()?);
/// let cache = Cache::always(folder.path());
/// let (counts, report) = counts_of(&graphs, &Request::new(&spec), &cache)?;
/// assert_eq!(counts[0].values(), [1, 1, 1]);
/// assert_eq!((report.found, report.counted), (0, 1));
/// let (again, report) = counts_of(&graphs, &Request::new(&spec), &cache)?;
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
    let patterns = request.spec.patterns().patterns();
    if cache.is_off() || graphs.is_empty() {
        report.counted = patterns.len();
        return Ok((request.counter(request.spec).count_many(graphs)?, report));
    }
    let layout = Layout::new(graphs, request.spec.scope());
    let keys = key::of_patterns(graphs, request.spec);
    let read: Vec<_> = keys.par_iter().map(|key| cache.read(key, layout.stored_rows())).collect();
    let mut entries: Vec<Option<Entry>> = Vec::with_capacity(keys.len());
    for found in read {
        entries.push(found.unwrap_or_else(|damage| {
            report.damaged.push(damage);
            None
        }));
    }
    let missing: Vec<usize> = (0..entries.len()).filter(|&i| entries[i].is_none()).collect();
    report.found = entries.len() - missing.len();
    report.counted = missing.len();

    let mut fresh = None;
    if !missing.is_empty() {
        let new = missing.iter().map(|&i| patterns[i].clone()).collect();
        // Names that are different in the whole are different in a part.
        let new = PatternSet::from_patterns(new).expect("patterns of one set");
        let start = Instant::now();
        let counts =
            request.counter(&request.spec.clone().with_patterns(new)).count_many(graphs)?;
        if cache.is_worth(start.elapsed(), reading_time(&layout, &counts)) {
            for (place, &i) in missing.iter().enumerate() {
                let order = key::columns(&patterns[i], request.spec);
                let entry = Entry::pack(graphs, &layout, &counts, place, &order);
                if let Err(why) = cache.write(&keys[i], &entry) {
                    report.not_kept.get_or_insert(why);
                }
            }
        } else {
            report.stayed_away = true;
        }
        if report.found == 0 {
            return Ok((counts, report));
        }
        fresh = Some(counts);
    }
    let columns = request.counter(request.spec).columns();
    let sources = layout::sources(&columns, request.spec, &entries);
    let counts = layout.assemble(graphs, &columns, &entries, &sources, fresh.as_deref());
    Ok((counts, report))
}

/// Numbers, vertices and arcs that one thread hashes, reads and spreads out in a second.
const READ_PER_SECOND: f64 = 1e8;
/// Seconds to open and check one entry.
const READ_ENTRY: f64 = 1e-4;

/// How long it would take to read these counts instead.
fn reading_time(layout: &Layout, counts: &[Counts]) -> Duration {
    let cells: usize = counts.iter().map(|c| c.rows() * c.columns().len()).sum();
    let last = counts.first().and_then(|counts| counts.columns().last());
    let entries = last.map_or(0, |column| column.pattern() + 1) as f64;
    let threads = rayon::current_num_threads().min(4) as f64;
    let work = (cells + layout.size()) as f64 / READ_PER_SECOND / threads;
    Duration::from_secs_f64(READ_ENTRY * entries + work)
}

#[cfg(test)]
mod tests;
