//! Times counts on one thread beside what their plans predict: the table in `src/count/cost.rs`.
//!
//! `cargo run --release -p gsn-core --example nanoseconds` takes patterns that keep every kernel
//! busy; `-- cycle:6 subgraph` takes these.

#![allow(clippy::print_stdout)]

use gsn_core::{CountSpec, Counter, Graph, Matching, generate};
use std::error::Error;
use std::time::Instant;

/// Patterns and matchings that show what a step costs.
const USUAL: [(&str, Matching); 12] = [
    ("path:5", Matching::Subgraph),
    ("path:6", Matching::Subgraph),
    ("path:7", Matching::Subgraph),
    ("edges:0-1,1-2,0-3,3-4,0-5,5-6", Matching::Subgraph),
    ("cycle:6", Matching::Subgraph),
    ("cycle:7", Matching::Subgraph),
    ("cycle:6", Matching::Induced),
    ("path:6", Matching::Induced),
    ("clique:3..=8", Matching::Subgraph),
    ("star:5", Matching::Induced),
    ("all:5", Matching::Induced),
    ("spasm:cycle:7..=8", Matching::Homomorphism),
];

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    pool.install(run)
}

fn run() -> Result<(), Box<dyn Error + Send + Sync>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let graphs = [
        ("random 1k/10k", generate::erdos_renyi(1000, 0.02, 0)?),
        ("power law 1k/10k", generate::chung_lu(1000, 2.5, 20.0, 0)?),
        ("ring of 25", Graph::from_edges(25, (0..25).map(|v| (v, (v + 1) % 25)))?),
    ];
    for (name, graph) in &graphs {
        println!("{name}");
        match &arguments[..] {
            [patterns, matching] => time(graph, patterns, matching.parse()?)?,
            _ => USUAL
                .iter()
                .try_for_each(|(patterns, matching)| time(graph, patterns, *matching))?,
        }
    }
    Ok(())
}

fn time(
    graph: &Graph,
    patterns: &str,
    matching: Matching,
) -> Result<(), Box<dyn Error + Send + Sync>> {
    let counter = Counter::new(&CountSpec::new(patterns.parse()?).with_matching(matching));
    let begun = Instant::now();
    let plan = counter.plan(graph)?;
    let planning = begun.elapsed().as_secs_f64();
    // The second of two small graphs finds its memory made.
    counter.count_many(&[graph])?;
    let begun = Instant::now();
    let rounds = if graph.order() < 100 { 1000 } else { 1 };
    counter.count_many(&vec![graph; rounds])?;
    let took = begun.elapsed().as_secs_f64() / rounds as f64;
    let kernels: Vec<&str> = plan.steps.iter().map(|step| step.kernel).collect();
    println!(
        "  {patterns} {matching}: {} took {:.3} ms ({:.3} to plan); {:.1e} steps, {:.1} ns each",
        kernels.join("+"),
        took * 1e3,
        planning * 1e3,
        plan.predicted_steps(),
        took * 1e9 / plan.predicted_steps(),
    );
    for (kernel, seconds) in plan.steps.iter().flat_map(|step| &step.instead_of) {
        println!("    instead of {kernel}, predicted {:.3} ms", seconds * 1e3);
    }
    Ok(())
}
