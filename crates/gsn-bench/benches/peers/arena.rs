//! One row of the comparison: compare totals, take turns, print the ratio.

use anyhow::{Context, Result, bail, ensure};
use gsn_bench::clock::{self, Duel};
use gsn_bench::data;
use gsn_bench::peer::{self, Peer};
use gsn_bench::table::Table;
use gsn_bench::work_dir;
use gsn_core::{CountSpec, Counter, EdgeOrbits, Graph, Matching, Orbits, PatternSet, Scope};
use serde_json::json;
use std::hint::black_box;
use std::time::Duration;

/// CPU time of one sample of ours: far above the resolution of the clock.
const SAMPLE: Duration = Duration::from_millis(60);
/// CPU time of a row that a profiler looks at.
const LONG_SAMPLE: Duration = Duration::from_secs(2);
/// Graphs counted before their results are dropped.
const BATCH: usize = 100;
/// Seconds that the peer may use for all turns of a row, roughly.
const PATIENCE: f64 = 15.0;

/// The peers, and the rows so far.
pub(crate) struct Arena {
    pypi: Result<Peer>,
    system: Result<Peer>,
    words: Vec<String>,
    /// Run our side alone, for a profiler.
    alone: bool,
    pool: rayon::ThreadPool,
    table: Table,
    skipped: Vec<String>,
}

/// What is compared.
pub(crate) struct Bout<'a> {
    /// Selects rows from the command line.
    pub(crate) id: &'a str,
    /// What is counted, as the table shows it.
    pub(crate) work: &'a str,
    /// The peer, as the table shows it.
    pub(crate) against: &'a str,
    /// The ratio that is promised.
    pub(crate) floor: Option<f64>,
    /// What we count in.
    pub(crate) graphs: &'a [Graph],
    /// What the peer counts in, when it is too slow for everything; its time is scaled.
    pub(crate) sample: Option<Vec<Graph>>,
    /// What is counted.
    pub(crate) patterns: &'a str,
    /// What we count.
    pub(crate) views: &'a [(Scope, Matching)],
    /// How the peer does it: a key of `peer.py`.
    pub(crate) library: &'a str,
    /// What the peer counts; one of our views.
    pub(crate) matching: Matching,
    /// Seconds the peer may take for one pass: it stops at the graph where they are over, and we
    /// count in the same graphs.
    pub(crate) limit: f64,
}

impl Arena {
    pub(crate) fn new(words: Vec<String>, alone: bool) -> Result<Self> {
        let there = |start: fn() -> Result<Peer>| if alone { bail!("not asked") } else { start() };
        let pypi = there(Peer::from_pypi);
        let system = there(Peer::from_system).and_then(|mut peer| {
            peer.version("graph_tool")?;
            Ok(peer)
        });
        Ok(Self {
            pypi,
            system,
            words,
            alone,
            pool: rayon::ThreadPoolBuilder::new().num_threads(1).build()?,
            table: head(),
            skipped: Vec::new(),
        })
    }

    /// Whether the command line asks for this row.
    pub(crate) fn wants(&self, id: &str) -> bool {
        self.words.is_empty() || self.words.iter().any(|word| id.contains(word.as_str()))
    }

    /// Runs one row; an error skips it and is printed.
    pub(crate) fn run(&mut self, bout: &Bout<'_>) {
        if !self.wants(bout.id) {
            return;
        }
        if self.alone {
            return self.time_alone(bout);
        }
        match self.compare(bout) {
            Ok(row) => self.push(row),
            Err(error) => self.skip(bout.id, &error),
        }
    }

    /// Prints why a row is missing.
    pub(crate) fn skip(&mut self, id: &str, error: &anyhow::Error) {
        println!("{id}: skipped, {error:#}");
        self.skipped.push(format!("{id}: {error:#}"));
    }

    pub(crate) fn skipped(&self) -> &[String] {
        &self.skipped
    }

    pub(crate) fn pypi(&mut self) -> Result<&mut Peer> {
        self.pypi.as_mut().map_err(|error| anyhow::anyhow!("no Python peers: {error:#}"))
    }

    fn push(&mut self, row: [String; 7]) {
        println!("{}", row.join("  |  "));
        self.table.row(row);
    }

    /// Adds a row that was measured elsewhere.
    pub(crate) fn add(&mut self, work: &str, against: &str, floor: Option<f64>, duel: &Duel) {
        self.push(row(work, against, floor, duel));
    }

    pub(crate) fn take_table(&mut self) -> Table {
        std::mem::replace(&mut self.table, head())
    }

    /// Our side of a row and nothing else.
    fn time_alone(&self, bout: &Bout<'_>) {
        let Ok(patterns) = bout.patterns.parse::<PatternSet>() else { return };
        let counter = Counter::new(&CountSpec::new(patterns));
        let seconds = ours_in(&self.pool, &counter, bout.graphs, bout.views, LONG_SAMPLE);
        println!("{}: {} a pass over {}", bout.id, clock::show(seconds), bout.graphs.len());
    }

    fn compare(&mut self, bout: &Bout<'_>) -> Result<[String; 7]> {
        let patterns: PatternSet = bout.patterns.parse()?;
        let counter = Counter::new(&CountSpec::new(patterns.clone()));
        let theirs = bout.sample.as_deref().unwrap_or(bout.graphs);
        let input = work_dir().join(format!("inputs/{}.txt", bout.id));
        data::write(theirs, &input)?;
        let request = |command: &str, graphs: usize| {
            json!({
                "command": command,
                "input": input,
                "library": bout.library,
                "patterns": patterns.iter().map(peer::describe).collect::<Vec<_>>(),
                "induced": bout.matching == Matching::Induced,
                "graphs": graphs,
                "limit": bout.limit,
            })
        };
        let peer =
            if bout.library.starts_with("graph-tool") { &mut self.system } else { &mut self.pypi };
        let peer = peer.as_mut().map_err(|error| anyhow::anyhow!("peer not there: {error:#}"))?;
        let answer = peer.ask(&request("check", theirs.len()))?;
        let done = answer["graphs"].as_u64().context("no number of graphs")? as usize;
        let found: Vec<u64> = serde_json::from_value(answer["totals"].clone())?;
        let maps = answer["maps"].as_bool().context("no kind of totals")?;
        let ours = self.pool.install(|| totals(&counter, &theirs[..done], bout))?;
        agree(&patterns, &ours, &found, maps)?;

        let graphs = if bout.sample.is_some() { bout.graphs } else { &bout.graphs[..done] };
        let scale = graphs.len() as f64 / done as f64;
        let mut duel = Duel::default();
        let mut spent = 0.0;
        while duel.ours.len() < 3 || (spent < PATIENCE && duel.ours.len() < 9) {
            duel.ours.push(ours_in(&self.pool, &counter, graphs, bout.views, SAMPLE));
            let answer = peer.ask(&request("time", done))?;
            let seconds = answer["seconds"].as_f64().context("no time")?;
            spent += seconds;
            duel.theirs.push(seconds * scale);
        }
        let against = if done < graphs.len() {
            format!("{} (on {done}, scaled)", bout.against)
        } else if done < theirs.len() {
            format!("{} (both on {done})", bout.against)
        } else {
            bout.against.to_owned()
        };
        Ok(row(bout.work, &against, bout.floor, &duel))
    }

    /// Versions of everything, as text.
    pub(crate) fn versions(&mut self) -> String {
        let mut all = Vec::new();
        if let Ok(peer) = &mut self.pypi {
            for module in ["networkx", "igraph", "rustworkx", "orbitsi", "ogb", "rdkit"] {
                if let Ok(version) = peer.version(module) {
                    all.push(format!("{module} {version}"));
                }
            }
        }
        if let Ok(peer) = &mut self.system
            && let Ok(version) = peer.version("graph_tool")
        {
            all.push(format!("graph-tool {version}"));
        }
        if all.is_empty() { "no peers".to_owned() } else { all.join(", ") }
    }
}

/// CPU seconds of one pass of ours. Results are dropped as they come, as those of the peer are.
fn ours_in(
    pool: &rayon::ThreadPool,
    counter: &Counter,
    graphs: &[Graph],
    views: &[(Scope, Matching)],
    at_least: Duration,
) -> f64 {
    let pass = || {
        for some in graphs.chunks(BATCH) {
            black_box(counter.count_views_each(some, views));
        }
    };
    pool.install(|| clock::cpu_seconds(at_least, pass))
}

fn head() -> Table {
    Table::new(["work", "against", "ours", "peer", "ratio", "floor", "met"])
}

fn row(work: &str, against: &str, floor: Option<f64>, duel: &Duel) -> [String; 7] {
    let (middle, least, most) = duel.ratio();
    let ratio = if middle < 10.0 {
        format!("{middle:.1}× ({least:.1}–{most:.1})")
    } else {
        format!("{middle:.0}× ({least:.0}–{most:.0})")
    };
    [
        work.to_owned(),
        against.to_owned(),
        clock::show(clock::median(&duel.ours)),
        clock::show(clock::median(&duel.theirs)),
        ratio,
        floor.map_or("context".to_owned(), |floor| format!("{floor}×")),
        floor.map_or(String::new(), |floor| if middle >= floor { "yes" } else { "**no**" }.into()),
    ]
}

/// Occurrences of every pattern by the vertex counts, compared with those by arcs or edges.
fn totals(counter: &Counter, graphs: &[Graph], bout: &Bout<'_>) -> Result<Vec<u64>> {
    let patterns = counter.spec().patterns();
    let mut by_scope: Vec<(Scope, Vec<u64>)> = Vec::new();
    let views: Vec<_> =
        bout.views.iter().copied().filter(|&(_, matching)| matching == bout.matching).collect();
    for &(scope, _) in &views {
        by_scope.push((scope, vec![0; patterns.len()]));
    }
    for counts in counter.count_views_each(graphs, &views) {
        for (counts, (_, totals)) in counts?.iter().zip(&mut by_scope) {
            for (at, column) in counts.columns().iter().enumerate() {
                totals[column.pattern()] += counts.column(at).sum::<u64>();
            }
        }
    }
    let mut agreed: Option<Vec<u64>> = None;
    for (scope, mut totals) in by_scope {
        for (total, pattern) in totals.iter_mut().zip(patterns) {
            // Every occurrence was counted once for each of its vertices, edges or arcs.
            let times = match scope {
                Scope::Vertex => pattern.order(),
                Scope::Arc if !pattern.is_directed() => 2 * pattern.size(),
                Scope::Edge | Scope::Arc => pattern.size(),
            } as u64;
            ensure!(*total % times == 0, "{}: our own counts do not add up", pattern.name());
            *total /= times;
        }
        match &agreed {
            Some(before) => ensure!(*before == totals, "vertex and arc counts differ in total"),
            None => agreed = Some(totals),
        }
    }
    agreed.context("no view in common with the peer")
}

/// Compares totals pattern by pattern; a peer that lists maps finds every occurrence |Aut| times.
fn agree(patterns: &PatternSet, ours: &[u64], theirs: &[u64], maps: bool) -> Result<()> {
    ensure!(ours.len() == theirs.len(), "the peer counted other patterns");
    for ((pattern, &ours), &theirs) in patterns.iter().zip(ours).zip(theirs) {
        let group = if maps {
            let orbits = Orbits::of(pattern, EdgeOrbits::Exact);
            orbits.group_order().to_u128().context("a huge group")?
        } else {
            1
        };
        if u128::from(ours) * group != u128::from(theirs) {
            bail!("totals differ for {}: {ours} × {group} here, {theirs} there", pattern.name());
        }
    }
    ensure!(ours.iter().any(|&total| total > 0), "nothing was found");
    Ok(())
}
