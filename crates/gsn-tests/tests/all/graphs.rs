//! The graphs we generate against the published lists; canonical forms of strongly regular graphs.

use super::lines;
use gsn_core::{Pattern, PatternSet};
use gsn_tests::{benchmarks, carried, repository};
use std::collections::{BTreeSet, HashSet};
use std::path::Path;

fn read(file: &Path) -> Vec<Pattern> {
    lines(file).map(|line| Pattern::from_graph6(&line).unwrap()).collect()
}

/// Fails unless the file lists the connected graphs of `k` vertices.
fn lists_all(file: &Path, k: usize) {
    let codes = |patterns: &[Pattern]| -> BTreeSet<String> {
        patterns.iter().map(Pattern::canonical_code).collect()
    };
    let ours: PatternSet = format!("all:{k}").parse().unwrap();
    assert_eq!(codes(&read(file)), codes(ours.patterns()), "{}", file.display());
}

#[test]
fn the_same_graphs_as_the_published_lists() {
    for k in 2..=7 {
        lists_all(&repository().join(format!("all_simple_graphs/graph{k}c.g6")), k);
    }
}

#[test]
#[cfg_attr(not(data = "graph8c"), ignore = "needs graph8c in GSN_DATA")]
fn the_same_graphs_of_eight_vertices_as_the_published_list() {
    lists_all(&benchmarks().join("graph8c/graph8c.g6"), 8);
}

#[test]
fn strongly_regular_graphs_differ() {
    for name in ["sr16622", "sr251256", "sr261034", "sr281264", "sr291467", "sr361446", "sr401224"]
    {
        let graphs = read(&carried().join(format!("sr/{name}.g6")));
        let codes: HashSet<_> = graphs.iter().map(Pattern::canonical_code).collect();
        assert_eq!(codes.len(), graphs.len(), "{name}");
        // Numbered differently it is the same graph.
        let n = graphs[0].order();
        let moved = |v: usize| (v * 11 + 3) % n;
        let edges: Vec<_> = graphs[0].edges().map(|(a, b)| (moved(a), moved(b))).collect();
        let other = Pattern::new("renumbered", n, &edges).unwrap();
        assert_ne!(other.edge_list(), graphs[0].edge_list());
        assert!(other.is_isomorphic(&graphs[0]), "{name}");
    }
}
