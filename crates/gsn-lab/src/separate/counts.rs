//! Counts alone, and counts with 1-WL.
//!
//! The patterns come in by their number of vertices: after every size, graphs that are told apart
//! already drop out, for more columns never merge what fewer tell apart. So large patterns are
//! counted in few graphs, the failures after every size come for free, and at the end the classes
//! are those of the whole collection. Rows of counts become names, equal rows and only they.

use super::pairs::{equal_pairs, open_graphs, split};
use super::{Options, Outcome};
use crate::error::{Error, Result};
use gsn_core::wl::{Names, Start, group, refine};
use gsn_core::{CountSpec, Counter, Counts, EdgeOrbits, Graph, Orbits, PatternSet, Scope};

/// Whether exact and official arc orbits differ for any of the patterns.
pub(super) fn notions_differ(patterns: &PatternSet) -> bool {
    patterns.iter().any(|pattern| {
        let count = |notion| Orbits::of(pattern, notion).arc_count();
        pattern.order() >= 6 && count(EdgeOrbits::Exact) != count(EdgeOrbits::Official)
    })
}

/// The patterns of at most `size` vertices, by vertices and edges.
pub(super) fn up_to(patterns: &PatternSet, size: usize) -> Result<PatternSet> {
    let mut small: Vec<_> = patterns.iter().filter(|p| p.order() <= size).cloned().collect();
    small.sort_by_key(|pattern| (pattern.order(), pattern.size()));
    PatternSet::from_patterns(small).map_err(|e| Error::Separate(e.to_string()))
}

/// The sizes of the patterns, in increasing order.
pub(super) fn sizes(patterns: &PatternSet) -> Vec<usize> {
    let mut sizes: Vec<usize> = patterns.iter().map(|p| p.order()).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// How far the counts by one spec have told the graphs apart.
struct Track {
    spec: CountSpec,
    /// By the multiset of rows of single patterns, smallest first: which one told them apart.
    single: Vec<u32>,
    /// By the multiset of rows of all columns.
    rows: Vec<u32>,
    /// By the stable colours started from the rows.
    refined: Vec<u32>,
    by_size: [Vec<(usize, u64)>; 2],
    smallest: Vec<(String, u64)>,
}

/// Rows of one graph, named.
struct Named {
    at: usize,
    /// Names of whole rows.
    rows: Vec<u32>,
    /// For every pattern of the current size the class of its own multiset.
    single: Vec<u32>,
}

/// Bytes of count tables held at once.
const CHUNK_BYTES: usize = 64 << 20;

pub(super) fn run(
    graphs: &[Graph],
    starts: &[Start<'_>],
    options: &Options,
    together: &mut [u32],
) -> Result<Vec<Outcome>> {
    let pairing = options.pairing;
    // Graphs of different order differ before anything is counted, also where there are no arcs.
    let by_order = group(graphs.iter().map(Graph::order));
    let fresh = || by_order.clone();
    let mut tracks: Vec<Track> = options
        .specs()
        .into_iter()
        .map(|spec| Track {
            spec,
            single: fresh(),
            rows: fresh(),
            refined: fresh(),
            by_size: Default::default(),
            smallest: Vec::new(),
        })
        .collect();
    for size in sizes(&options.patterns) {
        let counter = Counter::new(&CountSpec::new(up_to(&options.patterns, size)?));
        for track in &mut tracks {
            step(track, size, &counter, graphs, starts, options)?;
        }
    }
    let everything: Vec<usize> = (0..graphs.len()).collect();
    let mut tests = Vec::new();
    for track in tracks {
        split(together, &everything, &track.refined);
        let [by_rows, by_refined] = track.by_size;
        let mut outcome = Outcome::of_spec("counts", &track.spec);
        outcome.failures = Some(equal_pairs(&track.rows, pairing));
        outcome.by_size = by_rows;
        outcome.smallest = track.smallest;
        tests.push(outcome);
        let mut outcome = Outcome::of_spec("counts+1-wl", &track.spec);
        outcome.failures = Some(equal_pairs(&track.refined, pairing));
        outcome.by_size = by_refined;
        tests.push(outcome);
    }
    Ok(tests)
}

/// Takes the patterns of `size` vertices in.
fn step(
    track: &mut Track,
    size: usize,
    counter: &Counter,
    graphs: &[Graph],
    starts: &[Start<'_>],
    options: &Options,
) -> Result<()> {
    let pairing = options.pairing;
    // What single patterns leave contains what whole rows leave, and that what refinement leaves.
    let open = open_graphs(&track.single, pairing);
    if !open.is_empty() {
        let named = count(&track.spec, size, counter, graphs, starts, &open, options.memory)?;
        let multisets = group(named.iter().map(|graph| {
            let mut sorted = graph.rows.clone();
            sorted.sort_unstable();
            sorted
        }));
        split(&mut track.rows, &open, &multisets);
        let left = open_graphs(&track.refined, pairing);
        let (some, colours): (Vec<Graph>, Vec<&[u32]>) = named
            .iter()
            .filter(|graph| left.binary_search(&graph.at).is_ok())
            .map(|graph| (graphs[graph.at].clone(), &graph.rows[..]))
            .unzip();
        // Only graphs whose rows agree can still be alike.
        split(&mut track.refined, &open, &multisets);
        let coloured: Vec<Start<'_>> = left
            .iter()
            .zip(&colours)
            .map(|(&at, &rows)| match track.spec.scope() {
                Scope::Vertex => Start { vertex: Some(rows), arc: starts[at].arc },
                _ => Start { vertex: starts[at].vertex, arc: Some(rows) },
            })
            .collect();
        let finer = refine(&some, &coloured).map_err(|e| Error::Separate(e.to_string()))?;
        split(&mut track.refined, &left, &finer.classes());
        let new = counter.spec().patterns().iter().filter(|pattern| pattern.order() == size);
        for (at, pattern) in new.enumerate() {
            let before = equal_pairs(&track.single, pairing);
            let classes: Vec<u32> = named.iter().map(|graph| graph.single[at]).collect();
            split(&mut track.single, &open, &classes);
            let after = equal_pairs(&track.single, pairing);
            if before > after {
                track.smallest.push((pattern.name().to_owned(), before - after));
            }
        }
    }
    track.by_size[0].push((size, equal_pairs(&track.rows, pairing)));
    track.by_size[1].push((size, equal_pairs(&track.refined, pairing)));
    Ok(())
}

/// Counts in the graphs `open` and names what is found, a few graphs at a time.
fn count(
    spec: &CountSpec,
    size: usize,
    counter: &Counter,
    graphs: &[Graph],
    starts: &[Start<'_>],
    open: &[usize],
    memory: u64,
) -> Result<Vec<Named>> {
    let counter = counter.clone().with_view(spec.scope(), spec.matching(), spec.orbits());
    let patterns = counter.spec().patterns().patterns();
    let new: Vec<usize> = (0..patterns.len()).filter(|&p| patterns[p].order() == size).collect();
    let columns = counter.columns();
    let columns_of: Vec<Vec<usize>> = new
        .iter()
        .map(|&p| (0..columns.len()).filter(|&c| columns[c].pattern() == p).collect())
        .collect();
    let mut rows = Names::default();
    // A name for the multiset of a pattern's rows; patterns keep apart by their number.
    let (mut single_rows, mut multisets) = (Names::default(), Names::default());
    let mut named = Vec::with_capacity(open.len());
    let widest = open.iter().map(|&at| graphs[at].arc_count().max(1)).max().unwrap_or(1);
    let chunk = (CHUNK_BYTES / (widest * columns.len().max(1) * 8)).clamp(1, 1024);
    let mut key = Vec::new();
    for some in open.chunks(chunk) {
        let batch: Vec<Graph> = some.iter().map(|&at| graphs[at].clone()).collect();
        let counted = counter.count_each(&batch);
        for (&at, counts) in some.iter().zip(counted) {
            let counts = counts.map_err(|mut error| {
                error.graph = Some(at);
                Error::Count(error)
            })?;
            let counts = counts.on_arcs(&graphs[at]);
            let labels = match spec.scope() {
                Scope::Vertex => starts[at].vertex,
                _ => starts[at].arc,
            };
            let single = columns_of
                .iter()
                .enumerate()
                .map(|(p, columns)| {
                    multiset(p, columns, &counts, &mut single_rows, &mut multisets, &mut key)
                })
                .collect();
            named.push(Named { at, rows: rows.of_labelled_counts(&counts, labels), single });
            let held = (rows.bytes() + single_rows.bytes() + multisets.bytes()) as u64;
            if held > memory {
                return Err(Error::Separate(format!(
                    "the different rows of counts take more than the {} MB allowed; raise the limit \
                     of memory or use fewer patterns",
                    memory >> 20
                )));
            }
        }
    }
    Ok(named)
}

/// The name of the multiset of rows of pattern `p`.
fn multiset(
    p: usize,
    columns: &[usize],
    counts: &Counts,
    rows: &mut Names,
    multisets: &mut Names,
    key: &mut Vec<u64>,
) -> u32 {
    let mut names: Vec<u64> = (0..counts.rows())
        .map(|row| {
            key.clear();
            key.extend(columns.iter().map(|&c| counts.row(row)[c]));
            u64::from(rows.of_row(key))
        })
        .collect();
    names.sort_unstable();
    names.push(p as u64);
    multisets.of_row(&names)
}
