//! One micro-benchmark for every kernel, on generated inputs: no data, no network, under a minute.
//!
//! `cargo bench -p gsn-bench --bench kernels`; criterion compares with the run before. What a
//! kernel is asked for is what it is best at; which one was chosen is part of the name.
#![allow(missing_docs, reason = "made by a macro")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gsn_bench::generate;
use gsn_core::Matching::{Induced, Subgraph};
use gsn_core::Scope::{Arc, Vertex};
use gsn_core::{CountSpec, Counter, Graph};
use std::hint::black_box;
use std::time::Duration;

/// Work on small graphs, on a dense graph, and on a sparse large one.
fn kernels(criterion: &mut Criterion) {
    let molecules = generate::molecules(200, 24, 1).expect("molecules");
    let dense = vec![generate::power_law(60, 12, 0.8, 2).expect("a dense graph")];
    let large = vec![generate::power_law(2_000, 5, 0.5, 3).expect("a large graph")];
    let labelled: Vec<Graph> = molecules.iter().map(with_labels).collect();

    let mut group = criterion.benchmark_group("count");
    group.sample_size(10).warm_up_time(Duration::from_millis(300));
    group.measurement_time(Duration::from_millis(1500));
    for (input, graphs, patterns) in [
        ("molecules", &molecules, "cycle:3..=8"),
        ("molecules", &molecules, "path:2..=6"),
        ("molecules", &molecules, "star:2..=4"),
        ("molecules", &molecules, "all:3..=5"),
        ("molecules", &molecules, "tree:6"),
        ("molecules", &labelled, "edges:0@0-1@1,1-2@0,2-3@1,3-4@0,4-5@1"),
        ("dense", &dense, "clique:3..=6"),
        ("dense", &dense, "cycle:3..=5"),
        ("large", &large, "clique:3..=5"),
        ("large", &large, "cycle:3..=5"),
        ("large", &large, "path:4"),
        ("large", &large, "all:4"),
        ("large", &large, "all:5"),
    ] {
        let counter = Counter::new(&CountSpec::new(patterns.parse().expect("patterns")));
        let views = [(Vertex, Induced), (Arc, Induced), (Vertex, Subgraph), (Arc, Subgraph)];
        let plan = counter.plan(&graphs[0]).expect("a plan");
        let kernels: Vec<&str> = plan.steps.iter().map(|step| step.kernel).collect();
        let kernel = kernels.first().copied().unwrap_or("none");
        group.throughput(Throughput::Elements(graphs.len() as u64));
        // One thread: small graphs one by one, as a thread of a larger job would see them.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
        group.bench_function(format!("{kernel}/{input}/{patterns}"), |bencher| {
            pool.install(|| {
                bencher.iter(|| black_box(counter.count_views_each(black_box(graphs), &views)));
            });
        });
    }
    group.finish();
}

/// The same graph with two labels in turn.
fn with_labels(graph: &Graph) -> Graph {
    let mut builder = gsn_core::GraphBuilder::undirected(graph.order());
    for (u, v) in graph.edges() {
        builder.edge(u, v);
    }
    builder.vertex_labels((0..graph.order() as u32).map(|v| v % 2).collect());
    builder.build().expect("the same graph")
}

criterion_group!(benches, kernels);
criterion_main!(benches);
