//! Large graphs: how long they take, and how much memory beyond graph and result.
//! Every count runs in a process of its own, whose memory the system accounts for.

use crate::arena::Arena;
use anyhow::{Context, Result, bail, ensure};
use gsn_bench::table::Table;
use gsn_bench::{clock, data, generate, memory};
use gsn_core::Matching::Induced;
use gsn_core::Scope::{Arc, Vertex};
use gsn_core::{CountSpec, Counter, Graph, Matching, Scope};
use serde_json::{Value, json};
use std::process::Command;

/// Megabytes a thread may use beyond graph and result on a graph of a million edges.
const FLOOR: f64 = 64.0;

/// What is counted where: id, graph, patterns, scopes.
const WORK: [(&str, &str, &str, &[Scope]); 8] = [
    ("large-5k-vertex", "5k", "all:5", &[Vertex]),
    ("large-5k-arc", "5k", "all:5", &[Arc]),
    ("large-wiki-vertex", "wiki-Vote", "all:5", &[Vertex]),
    ("large-wiki-arc", "wiki-Vote", "all:5", &[Arc]),
    ("large-million-cliques", "million", "clique:3..=6", &[Vertex, Arc]),
    ("large-million-four", "million", "all:3..=4", &[Vertex, Arc]),
    ("large-million-cycles", "million", "cycle:3..=5", &[Vertex, Arc]),
    ("large-million-five", "million", "all:5", &[Vertex]),
];

fn graph(name: &str) -> Result<Graph> {
    match name {
        "5k" => generate::power_law(5_005, 10, 0.5, 1),
        "million" => generate::power_law(200_005, 5, 0.5, 1),
        _ => data::single(name),
    }
}

fn title(name: &str) -> &str {
    match name {
        "5k" => "5,005 vertices, 50,000 edges, power law with clustering",
        "million" => "200,005 vertices, 1,000,000 edges, power law with clustering",
        name => name,
    }
}

/// The table of all large counts.
pub(crate) fn run(arena: &Arena) -> Result<Table> {
    let mut table = Table::new([
        "graph",
        "patterns",
        "scope",
        "threads",
        "CPU time",
        "wall",
        "graph",
        "result",
        "beyond, a thread",
    ]);
    let mut vertex_seconds = None;
    for (id, name, patterns, scopes) in WORK {
        if !arena.wants(id) {
            continue;
        }
        for threads in [1, 2] {
            if threads == 2 && name != "million" {
                continue;
            }
            let answers =
                ask(id, threads, false).and_then(|time| Ok((time, ask(id, threads, true)?)));
            let (time, memory) = match answers {
                Ok(answers) => answers,
                Err(error) => {
                    println!("{id}: skipped, {error:#}");
                    continue;
                }
            };
            let number = |answer: &Value, key: &str| answer[key].as_f64().unwrap_or(f64::NAN);
            let beyond = number(&memory, "beyond") / threads as f64;
            let verdict = match name {
                "million" if beyond <= FLOOR => " ≤ 64 MB",
                "million" => " **> 64 MB**",
                _ => "",
            };
            let scope = scopes.iter().map(|scope| format!("{scope:?}").to_lowercase());
            let scope = scope.collect::<Vec<_>>().join(" and ");
            table.row([
                title(name).to_owned(),
                patterns.to_owned(),
                scope,
                threads.to_string(),
                clock::show(number(&time, "cpu")),
                clock::show(number(&time, "wall")),
                format!("{:.0} MB", number(&memory, "graph")),
                format!("{:.0} MB", number(&memory, "result")),
                format!("{beyond:.1} MB{verdict}"),
            ]);
            if id == "large-5k-vertex" {
                vertex_seconds = Some(number(&time, "cpu"));
            }
            if let ("large-5k-arc", Some(vertex)) = (id, vertex_seconds) {
                println!(
                    "arc orbits take {:.2} times as long (goal 3)",
                    number(&time, "cpu") / vertex
                );
            }
        }
    }
    println!("{table}");
    Ok(table)
}

/// Runs one count in a process of its own: once for its time, and once for its memory, where the
/// allocator gives everything back at once and is slow for it.
fn ask(id: &str, threads: usize, lean: bool) -> Result<Value> {
    let output = Command::new(std::env::current_exe()?)
        .args(["--bench", "--memory", id, &threads.to_string()])
        .envs(memory::RETURN_FREED.into_iter().filter(|_| lean))
        .stderr(std::process::Stdio::inherit())
        .output()?;
    ensure!(output.status.success(), "the count failed");
    serde_json::from_slice(&output.stdout).context("no answer")
}

/// The process that counts: builds the graph, resets the high-water mark, counts, and prints.
pub(crate) fn child(id: &str, threads: usize) -> Result<()> {
    let Some((_, name, patterns, scopes)) = WORK.into_iter().find(|work| work.0 == id) else {
        bail!("no large count is called {id}");
    };
    let graph = graph(name)?;
    let graph_size = megabytes(4 * (graph.order() + 1) + 8 * graph.arc_count());
    let counter = Counter::new(&CountSpec::new(patterns.parse()?));
    let views: Vec<(Scope, Matching)> = scopes.iter().map(|&scope| (scope, Induced)).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    // A tiny count first: tables that depend on the patterns alone are made once and kept.
    let tiny = Graph::from_edges(3, [(0, 1), (1, 2)])?;
    pool.install(|| counter.count_views(&tiny, &views))?;

    memory::reset()?;
    let (before, _) = memory::held()?;
    let begin = clock::cpu();
    let mut counts = Ok(Vec::new());
    let wall = clock::wall_seconds(|| {
        counts = pool.install(|| counter.count_views(&graph, &views));
    });
    let cpu = (clock::cpu() - begin).as_secs_f64();
    let (_, most) = memory::held()?;
    let result: usize = counts?.iter().map(|counts| counts.values().len() * 8).sum();
    let answer = json!({
        "cpu": cpu,
        "wall": wall,
        "graph": graph_size,
        "program": before - graph_size,
        "result": megabytes(result),
        "beyond": most - before - megabytes(result),
    });
    println!("{answer}");
    Ok(())
}

fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
