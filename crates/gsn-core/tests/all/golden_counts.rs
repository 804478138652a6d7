//! Every line of the golden counts: vertex, edge and arc rows, both matchings.

use crate::common;
use gsn_core::{
    CountSpec, Counter, Counts, EdgeOrbits, Graph, Matching, Orbits, Pattern, PatternSet, Scope,
};
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct Line {
    graph: String,
    graph6: String,
    n: usize,
    pattern: String,
    pattern_edges: Vec<(usize, usize)>,
    induced: bool,
    aut: u64,
    occurrences: u64,
    vertex_orbits: Vec<Vec<usize>>,
    vertex_counts: Vec<Vec<u64>>,
    edge_orbits_undirected: Vec<Vec<(usize, usize)>>,
    edge_orbits_directed: Vec<Vec<(usize, usize)>>,
    edges: Vec<EdgeRow>,
}

/// u, v, edge orbits, arc orbits of u → v, arc orbits of v → u.
type EdgeRow = (u32, u32, Vec<u64>, Vec<u64>, Vec<u64>);

impl Line {
    fn graph(&self) -> Graph {
        let (order, edges) = gsn_core::graph::graph6::decode(self.graph6.as_bytes()).unwrap();
        assert_eq!(order, self.n);
        Graph::from_edges(order, edges).unwrap()
    }

    fn pattern(&self) -> Pattern {
        let order = self.pattern_edges.iter().map(|&(a, b)| a.max(b) + 1).max().unwrap();
        Pattern::new(&self.pattern, order, &self.pattern_edges).unwrap()
    }
}

fn lines() -> Vec<Line> {
    let folder = common::golden("counts");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_str().unwrap().ends_with(".jsonl.gz"))
        .filter(|path| !path.ends_with("patterns.jsonl.gz"))
        .collect();
    files.sort();
    let lines: Vec<Line> = files
        .iter()
        .flat_map(|file| common::lines(file))
        .map(|line| serde_json::from_str(&line).unwrap())
        .collect();
    assert!(!lines.is_empty());
    lines
}

#[test]
fn golden_counts() {
    let lines = lines();
    for line in &lines {
        let at = format!("{} in {}, induced {}", line.pattern, line.graph, line.induced);
        let pattern = line.pattern();
        let orbits = Orbits::of(&pattern, EdgeOrbits::Exact);
        assert_eq!(orbits.group_order().to_u128(), Some(u128::from(line.aut)), "{at}");
        assert_eq!(orbits.vertex_orbits(), line.vertex_orbits, "{at}");
        assert_eq!(orbits.edge_orbits(), line.edge_orbits_undirected, "{at}");
        assert_eq!(orbits.arc_orbits(), line.edge_orbits_directed, "{at}");

        let graph = line.graph();
        let counts = count(&graph, line.induced, vec![pattern]);
        check(line, &graph, &counts, 0, &at);
    }
}

/// All patterns of a graph in one collection must give what each gives alone.
#[test]
fn golden_counts_all_patterns_together() {
    let lines = lines();
    let mut by_graph: BTreeMap<(&str, bool), Vec<&Line>> = BTreeMap::new();
    for line in &lines {
        by_graph.entry((&line.graph, line.induced)).or_default().push(line);
    }
    for ((name, induced), lines) in by_graph {
        let graph = lines[0].graph();
        let counts = count(&graph, induced, lines.iter().map(|line| line.pattern()).collect());
        for (i, line) in lines.iter().enumerate() {
            let at = format!("{} among others in {name}", line.pattern);
            check(line, &graph, &counts, i, &at);
        }
    }
}

/// Vertex, edge and arc counts.
fn count(graph: &Graph, induced: bool, patterns: Vec<Pattern>) -> Vec<Counts> {
    let matching = if induced { Matching::Induced } else { Matching::Subgraph };
    let counter = Counter::new(&CountSpec::new(PatternSet::from_patterns(patterns).unwrap()));
    let views = [Scope::Vertex, Scope::Edge, Scope::Arc].map(|scope| (scope, matching));
    counter.count_views(graph, &views).unwrap()
}

fn check(line: &Line, graph: &Graph, counts: &[Counts], index: usize, at: &str) {
    let columns = |view: usize| -> Vec<usize> {
        let columns = counts[view].columns();
        (0..columns.len()).filter(|&j| columns[j].pattern() == index).collect()
    };
    let row = |view: usize, row: usize| -> Vec<u64> {
        columns(view).into_iter().map(|j| counts[view].row(row)[j]).collect()
    };
    for (v, want) in line.vertex_counts.iter().enumerate() {
        assert_eq!(&row(0, v), want, "{at}: vertex {v}");
    }
    assert_eq!(counts[1].rows(), line.edges.len(), "{at}");
    for (e, (u, v, edge, forward, backward)) in line.edges.iter().enumerate() {
        assert_eq!(graph.edges().nth(e), Some((*u, *v)), "{at}");
        assert_eq!(&row(1, e), edge, "{at}: edge {u}-{v}");
        assert_eq!(&row(2, graph.arc_id(*u, *v).unwrap()), forward, "{at}: arc {u}-{v}");
        assert_eq!(&row(2, graph.arc_id(*v, *u).unwrap()), backward, "{at}: arc {v}-{u}");
    }
    for (orbit, members) in line.vertex_orbits.iter().enumerate() {
        let sum: u64 = counts[0].column(columns(0)[orbit]).sum();
        assert_eq!(sum, line.occurrences * members.len() as u64, "{at}: orbit {orbit}");
    }
}
