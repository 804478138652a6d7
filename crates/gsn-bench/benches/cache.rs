//! What a warm cache costs: loading a set with its counts against loading its graphs alone.
//!
//! `cargo bench -p gsn-bench --bench cache` counts once into a fresh folder, then times both sides
//! in turns by wall-clock time, and prints the ratio of their medians; words behind `--` choose
//! sets, `--publish` puts the table into `benches/README.md`. The floor is 1.2. The last rows are
//! sets whose counts are cheap: there the cache is not used, and both sides count.
#![allow(clippy::print_stdout, reason = "a benchmark is a program that prints")]

use anyhow::Result;
use gsn_bench::clock::wall_seconds;
use gsn_bench::publish;
use gsn_bench::table::Table;
use gsn_core::{CountSpec, Graph, Scope};
use gsn_lab::cache::{Cache, Report, Request, counts_of};
use gsn_lab::{Dataset, catalogue};

const ROWS: [(&str, &str, Scope); 6] = [
    ("PROTEINS", "path:3..=7", Scope::Vertex),
    ("PROTEINS", "path:3..=7", Scope::Arc),
    ("COLLAB", "clique:3..=5", Scope::Vertex),
    ("COLLAB", "clique:3..=5", Scope::Arc),
    ("ZINC-12k", "cycle:3..=8", Scope::Vertex),
    ("MUTAG", "cycle:3..=12", Scope::Arc),
];
const TURNS: usize = 7;

fn main() -> Result<()> {
    let Some(mut words) = gsn_bench::arguments() else { return Ok(()) };
    let published = gsn_bench::flag(&mut words, "--publish");
    let mut table = Table::new([
        "set",
        "patterns",
        "scope",
        "graphs (ms)",
        "with counts (ms)",
        "ratio",
        "counting (ms)",
        "cache",
    ]);
    for (set, patterns, scope) in ROWS {
        if !words.is_empty() && !words.iter().any(|word| set.contains(word.as_str())) {
            continue;
        }
        match measure(set, patterns, scope) {
            Ok(row) => table.row(row),
            Err(error) => println!("skipped {set}: {error}"),
        }
    }
    let text = format!("{}. Medians of wall-clock time.\n\n{table}", publish::made_at()?);
    publish::result("cache", &text, published)
}

fn measure(set: &str, patterns: &str, scope: Scope) -> Result<Vec<String>> {
    let folder = Scratch::new()?;
    let cache = Cache::at(&folder.0);
    let spec = CountSpec::new(patterns.parse()?).with_scope(scope);
    let request = Request::new(&spec);
    let counts = |set: &Dataset, cache: &Cache| {
        let graphs: Vec<&Graph> = set.samples.iter().map(|sample| &sample.graph).collect();
        counts_of(&graphs, &request, cache)
    };
    let first = catalogue::load(set)?;
    let counting = wall_seconds(|| counts(&first, &Cache::off()));
    counts(&first, &cache)?;
    drop(first);
    let (mut alone, mut with) = (Vec::new(), Vec::new());
    let mut report = Report::default();
    for _ in 0..TURNS {
        alone.push(wall_seconds(|| catalogue::load(set)));
        with.push(wall_seconds(|| -> gsn_lab::Result<_> {
            let set = catalogue::load(set)?;
            let (counts, told) = counts(&set, &cache)?;
            report = told;
            Ok((set, counts))
        }));
    }
    let (alone, with) = (median(alone), median(with));
    let cache =
        if report.stayed_away { "stayed away".into() } else { format!("found {}", report.found) };
    let ms = |seconds: f64| format!("{:.1}", 1e3 * seconds);
    Ok(vec![
        set.into(),
        patterns.into(),
        format!("{scope:?}").to_lowercase(),
        ms(alone),
        ms(with),
        format!("{:.2}", with / alone),
        ms(counting),
        cache,
    ])
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// A folder that is removed at the end.
struct Scratch(std::path::PathBuf);

impl Scratch {
    fn new() -> Result<Self> {
        let path = std::env::temp_dir().join(format!("gsn-cache-bench-{}", std::process::id()));
        std::fs::create_dir_all(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
