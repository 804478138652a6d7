//! Theorem 3.3 on every golden graph: the arc counts around a vertex determine its vertex counts.

use crate::common;
use gsn_core::{CountSpec, Counter, Graph, Matching, Pattern, PatternSet, Scope};
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};

#[derive(Deserialize)]
struct Line {
    graph6: String,
    pattern: String,
    pattern_edges: Vec<(usize, usize)>,
}

#[test]
fn arc_counts_refine_vertex_counts() {
    let mut patterns: BTreeMap<String, BTreeMap<String, Pattern>> = BTreeMap::new();
    for line in common::lines(&common::golden("counts/counts.jsonl.gz")) {
        let line: Line = serde_json::from_str(&line).unwrap();
        let order = line.pattern_edges.iter().map(|&(a, b)| a.max(b) + 1).max().unwrap();
        let pattern = Pattern::new(&line.pattern, order, &line.pattern_edges).unwrap();
        patterns.entry(line.graph6).or_default().insert(line.pattern, pattern);
    }
    assert!(patterns.len() > 5);
    for (graph6, patterns) in patterns {
        let (order, edges) = gsn_core::graph::graph6::decode(graph6.as_bytes()).unwrap();
        let graph = Graph::from_edges(order, edges).unwrap();
        for pattern in patterns.into_values() {
            let name = pattern.name().to_owned();
            let counter =
                Counter::new(&CountSpec::new(PatternSet::from_patterns(vec![pattern]).unwrap()));
            for matching in [Matching::Induced, Matching::Subgraph] {
                let views = [(Scope::Vertex, matching), (Scope::Arc, matching)];
                let counts = counter.count_views(&graph, &views).unwrap();
                let mut seen = HashMap::new();
                for v in 0..order as u32 {
                    let mut around: Vec<&[u64]> =
                        graph.arcs_of(v).map(|arc| counts[1].row(arc)).collect();
                    around.sort_unstable();
                    let row = counts[0].row(v as usize);
                    assert_eq!(*seen.entry(around).or_insert(row), row, "{name} in {graph6}");
                }
            }
        }
    }
}
