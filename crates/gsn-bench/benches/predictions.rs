//! What plans predict beside what the counts take, for work in which kernels differ by orders of
//! magnitude: a prediction should be within a factor of ten.
//!
//! `cargo bench -p gsn-bench --bench predictions` takes all rows, words behind `--` those whose
//! names contain one; `--publish` puts the table into `benches/README.md`. One thread, CPU time,
//! graphs in memory, vertex scope unless a row says otherwise.
#![allow(clippy::print_stdout, reason = "a benchmark is a program that prints")]

use anyhow::{Context, Result};
use gsn_bench::table::Table;
use gsn_bench::{clock, data, generate, publish};
use gsn_core::generate::{chung_lu, erdos_renyi};
use gsn_core::{Budget, CountSpec, Counter, Graph, Matching, Scope};
use std::time::Duration;

/// A count may take this long; then its time is a bound.
const LIMIT: Duration = Duration::from_secs(150);
/// How many times too much or too little a prediction may say.
const WITHIN: f64 = 10.0;

const SPIDER: &str = "edges:0-1,1-2,0-3,3-4,0-5,5-6";

/// Patterns in a graph.
struct Work {
    name: &'static str,
    graphs: fn() -> Result<Vec<Graph>>,
    patterns: &'static str,
    matching: Matching,
    scope: Scope,
}

const fn work(
    name: &'static str,
    graphs: fn() -> Result<Vec<Graph>>,
    patterns: &'static str,
    matching: Matching,
) -> Work {
    Work { name, graphs, patterns, matching, scope: Scope::Vertex }
}

use Matching::{Induced, Subgraph};

const ROWS: &[Work] = &[
    work("path:6, random 1k/10k", random, "path:6", Subgraph),
    work("path:6, power law 1k/10k", law, "path:6", Subgraph),
    work("path:7, power law 1k/10k", law, "path:7", Subgraph),
    work("spider of 7 vertices, random 1k/10k", random, SPIDER, Subgraph),
    work("cycle:6, power law 1k/10k", law, "cycle:6", Subgraph),
    work("cycle:7, power law 1k/10k", law, "cycle:7", Subgraph),
    work("cycle:5, wiki-Vote", wiki, "cycle:5", Subgraph),
    work("all:5, wiki-Vote", wiki, "all:5", Subgraph),
    work("all:6, random 1k/10k", random, "all:6", Induced),
    work("all:6, power law 1k/10k", law, "all:6", Induced),
    work("all:6, random 300/1k", small, "all:6", Induced),
    work("all:4, near-clique of 400", near, "all:4", Induced),
    work("all:4, the five densest graphs of COLLAB", densest, "all:4", Induced),
    Work { scope: Scope::Arc, ..work("all:4 at arcs, the same", densest, "all:4", Induced) },
    work("star:2, power law 1M/10M", huge, "star:2", Subgraph),
    work("all:3..=4, power law 1M/10M", huge, "all:3..=4", Induced),
    work("clique:5, power law 1M/10M", huge, "clique:5", Induced),
    work("all:3..=4, power law 100k/1M", large, "all:3..=4", Induced),
    work("all:3..=5, power law 5k/50k", medium, "all:3..=5", Induced),
    work("star:5, musae-github", github, "star:5", Induced),
    work("clique:5, near-clique of 400", near, "clique:5", Induced),
    work("induced path:7, a dense graph of COLLAB", dense, "path:7", Induced),
    work("induced star:6, the same", dense, "star:6", Induced),
];

fn random() -> Result<Vec<Graph>> {
    Ok(vec![erdos_renyi(1000, 0.02, 0)?])
}

fn small() -> Result<Vec<Graph>> {
    Ok(vec![erdos_renyi(300, 0.0223, 0)?])
}

fn near() -> Result<Vec<Graph>> {
    Ok(vec![erdos_renyi(400, 0.95, 0)?])
}

fn law() -> Result<Vec<Graph>> {
    Ok(vec![chung_lu(1000, 2.5, 20.0, 0)?])
}

fn medium() -> Result<Vec<Graph>> {
    Ok(vec![chung_lu(5000, 2.5, 20.0, 0)?])
}

fn large() -> Result<Vec<Graph>> {
    Ok(vec![generate::weighted(100_000, 1_000_000, 0)?])
}

fn huge() -> Result<Vec<Graph>> {
    Ok(vec![generate::weighted(1_000_000, 10_000_000, 0)?])
}

fn wiki() -> Result<Vec<Graph>> {
    Ok(vec![data::single("wiki-Vote")?])
}

fn github() -> Result<Vec<Graph>> {
    Ok(vec![data::single("musae-github")?])
}

/// The graphs of COLLAB, those with most edges first.
fn collab() -> Result<Vec<Graph>> {
    let mut graphs = data::unlabelled("COLLAB", usize::MAX)?;
    graphs.sort_by_key(|graph| std::cmp::Reverse(graph.edge_count()));
    Ok(graphs)
}

fn densest() -> Result<Vec<Graph>> {
    Ok(collab()?.into_iter().take(5).collect())
}

/// The one with most edges among those of at most 210 vertices that are not nearly complete.
fn dense() -> Result<Vec<Graph>> {
    let fits = |graph: &Graph| {
        let n = graph.order();
        n <= 210 && 2 * graph.edge_count() < n * n / 2
    };
    let found = collab()?.into_iter().find(fits);
    Ok(vec![found.context("COLLAB has no such graph")?])
}

fn main() -> Result<()> {
    let Some(mut words) = gsn_bench::arguments() else { return Ok(()) };
    let published = gsn_bench::flag(&mut words, "--publish");
    let asked =
        |row: &&Work| words.is_empty() || words.iter().any(|word| row.name.contains(word.as_str()));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let head = ["work", "kernels", "predicted", "measured", "predicted / measured", "within 10×"];
    let mut table = Table::new(head);
    for row in ROWS.iter().filter(asked) {
        match pool.install(|| measure(row)) {
            Ok(cells) => {
                println!("{}", cells.join(" | "));
                table.row(cells);
            }
            Err(error) => println!("{}: skipped, {error:#}", row.name),
        }
    }
    let text =
        format!("{}. One thread, CPU time of the count alone.\n\n{table}", publish::made_at()?);
    publish::result("predictions", &text, published)
}

/// A row of the table.
fn measure(row: &Work) -> Result<Vec<String>> {
    let graphs = (row.graphs)()?;
    let spec = CountSpec::new(row.patterns.parse()?);
    let counter = Counter::new(&spec.with_matching(row.matching).with_scope(row.scope));
    // What depends on the patterns alone is made while planning.
    let mut predicted = 0.0;
    let mut kernels: Vec<&str> = Vec::new();
    for graph in &graphs {
        let plan = counter.plan(graph)?;
        predicted += plan.predicted_seconds();
        kernels.extend(plan.steps.iter().map(|step| step.kernel));
    }
    kernels.sort_unstable();
    kernels.dedup();
    let counter = counter.budget(Budget::time(LIMIT));
    let begin = clock::cpu();
    let finished = graphs.iter().all(|graph| counter.count(graph).is_ok());
    let took = (clock::cpu() - begin).as_secs_f64();
    let ratio = predicted / took;
    let bound = if finished { "" } else { "> " };
    let judged = match ratio {
        _ if !finished => "not known",
        ratio if (1.0 / WITHIN..=WITHIN).contains(&ratio) => "yes",
        _ => "**no**",
    };
    Ok(vec![
        row.name.to_owned(),
        kernels.join(", "),
        clock::show(predicted),
        format!("{bound}{}", clock::show(took)),
        if finished { format!("{ratio:.2}") } else { format!("< {ratio:.2}") },
        judged.to_owned(),
    ])
}
