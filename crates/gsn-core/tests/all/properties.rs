//! The mathematics of the counts, on random graphs: what must hold for every pattern.

use crate::common::graphs;
use gsn_core::count::{CountErrorKind, oracle};
use gsn_core::{
    Budget, CountSpec, Counter, Counts, EdgeOrbits, Graph, Matching, Orbits, Pattern, PatternSet,
    Scope,
};
use proptest::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Patterns for every kernel: families, all small graphs, and some that only the matcher knows.
const PATTERNS: &str = "path:2, cycle:3..=7, path:3..=6, clique:3..=6, star:2..=5, all:4, all:5, \
                        edges:0-1,1-2,2-0,2-3,3-4,4-5, edges:0-1,1-2,2-3,3-4,4-5,5-0,0-3, g6:EhNG";

fn patterns() -> PatternSet {
    PATTERNS.parse().unwrap()
}

fn spec(patterns: &str) -> CountSpec {
    CountSpec::new(patterns.parse().unwrap())
}

fn views() -> [(Scope, Matching); 6] {
    [
        (Scope::Vertex, Matching::Induced),
        (Scope::Edge, Matching::Induced),
        (Scope::Arc, Matching::Induced),
        (Scope::Vertex, Matching::Subgraph),
        (Scope::Edge, Matching::Subgraph),
        (Scope::Arc, Matching::Subgraph),
    ]
}

/// Occurrences of every pattern, from the sums of its vertex columns.
fn occurrences(counts: &Counts, patterns: &PatternSet) -> Vec<u64> {
    let mut found: HashMap<usize, u64> = HashMap::new();
    for (j, column) in counts.columns().iter().enumerate() {
        let pattern = &patterns.patterns()[column.pattern()];
        let orbits = Orbits::of(pattern, EdgeOrbits::Exact);
        let size = orbits.vertex_orbits()[column.orbit()].len() as u64;
        let sum: u64 = counts.column(j).sum();
        assert_eq!(sum % size, 0, "{}: Σ is |orbit| · occurrences", column.name());
        let before = found.insert(column.pattern(), sum / size);
        assert!(before.is_none_or(|b| b == sum / size), "{}: orbits agree", column.name());
    }
    (0..patterns.len()).map(|p| found[&p]).collect()
}

fn threads(n: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Every kernel, through the planner, against all injective maps.
    #[test]
    fn counts_are_those_of_the_oracle(graph in graphs(0..9)) {
        let patterns = patterns();
        let counter = Counter::new(&CountSpec::new(patterns.clone()));
        for matching in [Matching::Induced, Matching::Subgraph] {
            let counts = counter
                .count_views(&graph, &[(Scope::Vertex, matching), (Scope::Arc, matching)])
                .unwrap();
            for (p, pattern) in patterns.iter().enumerate() {
                let found = oracle::maps(pattern, &graph, matching);
                let group = oracle::automorphism_count(pattern);
                let orbits = Orbits::of(pattern, EdgeOrbits::Exact);
                for (j, column) in counts[0].columns().iter().enumerate() {
                    if column.pattern() != p { continue }
                    for v in 0..graph.order() {
                        let maps: u64 = (0..pattern.order())
                            .filter(|&a| orbits.vertex(a) == column.orbit())
                            .filter_map(|a| found.vertex.get(&(v as u32, a)))
                            .sum();
                        prop_assert_eq!(counts[0].row(v)[j], maps / group, "{}", column.name());
                    }
                }
                for (j, column) in counts[1].columns().iter().enumerate() {
                    if column.pattern() != p { continue }
                    for (row, (u, v)) in graph.arcs().enumerate() {
                        let maps: u64 = pattern
                            .arcs()
                            .filter(|&(a, b)| orbits.arc(a, b) == column.orbit())
                            .filter_map(|ab| found.arc.get(&((u, v), ab)))
                            .sum();
                        prop_assert_eq!(counts[1].row(row)[j], maps / group, "{}", column.name());
                    }
                }
            }
        }
    }

    /// Σ_v x_i(v) = |orbit i| · occurrences, in every scope.
    #[test]
    fn sums_are_orbit_sizes_times_occurrences(graph in graphs(0..14)) {
        let patterns = patterns();
        let counter = Counter::new(&CountSpec::new(patterns.clone()));
        for matching in [Matching::Induced, Matching::Subgraph] {
            let scopes = [Scope::Vertex, Scope::Edge, Scope::Arc];
            let counts = counter.count_views(&graph, &scopes.map(|s| (s, matching))).unwrap();
            let occurrences = occurrences(&counts[0], &patterns);
            for (view, scope) in scopes.into_iter().enumerate().skip(1) {
                for (j, column) in counts[view].columns().iter().enumerate() {
                    let pattern = &patterns.patterns()[column.pattern()];
                    let orbits = Orbits::of(pattern, EdgeOrbits::Exact);
                    let size = match scope {
                        Scope::Edge => orbits.edge_orbits()[column.orbit()].len(),
                        _ => orbits.arc_orbits()[column.orbit()].len(),
                    };
                    let sum: u64 = counts[view].column(j).sum();
                    let want = size as u64 * occurrences[column.pattern()];
                    prop_assert_eq!(sum, want, "{}", column.name());
                }
            }
        }
    }

    /// Theorem 3.3: vertex features follow from arc features; and the reverse arc of orbit j has
    /// the count of the reversed orbit.
    #[test]
    fn arcs_know_their_vertices_and_their_reverse(graph in graphs(0..14)) {
        let patterns = patterns();
        let counter = Counter::new(&CountSpec::new(patterns.clone()));
        for matching in [Matching::Induced, Matching::Subgraph] {
            let counts = counter
                .count_views(&graph, &[(Scope::Vertex, matching), (Scope::Arc, matching)])
                .unwrap();
            let column_of = |view: usize, p: usize, orbit: usize| {
                let columns = counts[view].columns();
                columns.iter().position(|c| c.pattern() == p && c.orbit() == orbit).unwrap()
            };
            for (p, pattern) in patterns.iter().enumerate() {
                let orbits = Orbits::of(pattern, EdgeOrbits::Exact);
                for (i, members) in orbits.vertex_orbits().iter().enumerate() {
                    let degree = pattern.degree(members[0]) as u64;
                    let leaving: Vec<usize> = orbits
                        .arc_orbits()
                        .iter()
                        .enumerate()
                        .filter(|(_, arcs)| members.contains(&arcs[0].0))
                        .map(|(j, _)| column_of(1, p, j))
                        .collect();
                    for v in 0..graph.order() as u32 {
                        let over_arcs: u64 = graph
                            .arcs_of(v)
                            .map(|arc| leaving.iter().map(|&j| counts[1].row(arc)[j]).sum::<u64>())
                            .sum();
                        let vertex = counts[0].row(v as usize)[column_of(0, p, i)];
                        prop_assert_eq!(over_arcs, degree * vertex, "{} orbit {}", pattern.name(), i);
                    }
                }
                for j in 0..orbits.arc_count() {
                    let back = column_of(1, p, orbits.reverse(j).unwrap());
                    for (arc, (u, v)) in graph.arcs().enumerate() {
                        let reverse = graph.arc_id(v, u).unwrap();
                        let here = counts[1].row(arc)[column_of(1, p, j)];
                        prop_assert_eq!(here, counts[1].row(reverse)[back]);
                    }
                }
            }
        }
    }

    /// Renaming the vertices renames the rows.
    #[test]
    fn renaming_renames_the_rows(
        (graph, names) in graphs(1..14).prop_flat_map(|graph| {
            let names: Vec<u32> = (0..graph.order() as u32).collect();
            (Just(graph), Just(names).prop_shuffle())
        })
    ) {
        let counter = Counter::new(&CountSpec::new(patterns()));
        let renamed = graph.relabelled(&names).unwrap();
        let name = |v: u32| names[v as usize];
        for (before, after) in counter
            .count_views(&graph, &views())
            .unwrap()
            .iter()
            .zip(counter.count_views(&renamed, &views()).unwrap())
        {
            match before.scope() {
                Scope::Vertex => for v in 0..graph.order() as u32 {
                    prop_assert_eq!(before.row(v as usize), after.row(name(v) as usize));
                },
                Scope::Arc => for (arc, (u, v)) in graph.arcs().enumerate() {
                    let there = renamed.arc_id(name(u), name(v)).unwrap();
                    prop_assert_eq!(before.row(arc), after.row(there));
                },
                Scope::Edge => for (edge, (u, v)) in graph.edges().enumerate() {
                    let there = renamed.edge_id(renamed.arc_id(name(u), name(v)).unwrap());
                    prop_assert_eq!(before.row(edge), after.row(there));
                },
            }
        }
    }

    /// Subgraph occurrences are the induced ones of all larger graphs on the same vertices, times
    /// the copies inside.
    #[test]
    fn subgraph_counts_follow_from_induced_ones(graph in graphs(0..12), k in 3usize..=5) {
        let patterns: PatternSet = format!("all:{k}").parse().unwrap();
        let counter = Counter::new(&CountSpec::new(patterns.clone()));
        let both = [(Scope::Vertex, Matching::Induced), (Scope::Vertex, Matching::Subgraph)];
        let counts = counter.count_views(&graph, &both).unwrap();
        let induced = occurrences(&counts[0], &patterns);
        let subgraph = occurrences(&counts[1], &patterns);
        for (h, pattern) in patterns.iter().enumerate() {
            let group = oracle::automorphism_count(pattern);
            let want: u64 = patterns
                .iter()
                .zip(&induced)
                .map(|(larger, &count)| {
                    let larger = Graph::from_edges(
                        k,
                        larger.edges().map(|(a, b)| (a as u32, b as u32)),
                    ).unwrap();
                    count * oracle::maps(pattern, &larger, Matching::Subgraph).maps / group
                })
                .sum();
            prop_assert_eq!(subgraph[h], want, "{}", pattern.name());
        }
    }

    /// Cliques have no chords to miss.
    #[test]
    fn cliques_are_the_same_in_both_matchings(graph in graphs(0..20)) {
        let counter = Counter::new(&spec("clique:3..=8"));
        let counts = counter.count_views(&graph, &views()).unwrap();
        for scope in 0..3 {
            prop_assert_eq!(&counts[scope], &counts[scope + 3]);
        }
    }

    /// Several graphs, several threads, one by one: always the same numbers.
    #[test]
    fn threads_do_not_change_anything(graphs in proptest::collection::vec(graphs(0..12), 0..12)) {
        let counter = Counter::new(&CountSpec::new(patterns()).with_scope(Scope::Arc));
        let alone: Vec<Counts> = graphs.iter().map(|g| counter.count(g).unwrap()).collect();
        for n in [1, 2, 3] {
            let together = threads(n).install(|| counter.count_many(&graphs).unwrap());
            prop_assert_eq!(&alone, &together, "{} threads", n);
        }
    }
}

/// A graph large enough to be cut into pieces: a ring of cliques with random chords.
fn large_graph() -> Graph {
    let n = 3000u32;
    let mut state = 7u64;
    let mut edges: Vec<(u32, u32)> =
        (0..n).flat_map(|v| (1..=3).map(move |step| (v, (v + step) % n))).collect();
    for _ in 0..6000 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let (u, v) = ((state >> 33) as u32 % n, (state >> 13) as u32 % n);
        edges.push((u, v));
    }
    Graph::from_edges(n as usize, edges).unwrap()
}

#[test]
fn one_large_graph_is_the_same_on_any_number_of_threads() {
    let graph = large_graph();
    let set = "cycle:3..=6, path:4, clique:3..=5, star:3, all:4, edges:0-1,1-2,2-0,2-3,3-4,4-5";
    let patterns: PatternSet = set.parse().unwrap();
    let counter = Counter::new(&CountSpec::new(patterns.clone()));
    let count = |n| threads(n).install(|| counter.count_views(&graph, &views()).unwrap());
    let one = count(1);
    assert_eq!(one, count(2));
    assert_eq!(one, count(5));
    let budget = |n| {
        let counter = counter.clone().budget(Budget::steps(100_000));
        threads(n).install(|| counter.count(&graph).unwrap_err().kind)
    };
    assert_eq!(budget(1), budget(2));
}

#[test]
fn the_official_notion_is_a_sum_of_exact_columns() {
    // The prism: its two kinds of edges are one for the authors' code.
    let graph = Graph::from_edges(
        8,
        (0..8u32).flat_map(|v| (0..v).map(move |u| (u, v))).filter(|&(u, v)| (u + v) % 5 != 0),
    )
    .unwrap();
    for scope in [Scope::Edge, Scope::Arc] {
        let exact = spec("g6:EtTg").with_scope(scope).with_matching(Matching::Subgraph);
        let official = exact.clone().with_orbits(EdgeOrbits::Official);
        let (exact, official) = (Counter::new(&exact), Counter::new(&official));
        let (exact, official) = (exact.count(&graph).unwrap(), official.count(&graph).unwrap());
        assert_eq!(official.columns().len(), 1);
        assert_eq!(exact.columns().len(), 2);
        assert!(exact.column(0).sum::<u64>() > 0);
        for row in 0..exact.rows() {
            assert_eq!(exact.row(row).iter().sum::<u64>(), official.row(row)[0]);
        }
    }
}

fn complete(n: u32) -> Graph {
    Graph::from_edges(n as usize, (0..n).flat_map(|v| (0..v).map(move |u| (u, v)))).unwrap()
}

#[test]
fn a_budget_is_an_error_that_names_graph_and_pattern() {
    let graphs = [complete(3), complete(16)];
    let counter = Counter::new(&spec("cycle:12")).budget(Budget::steps(1000));
    // Induced: the search is cut at the first chord, so it is cheap.
    assert!(counter.count_many(&graphs).is_ok());
    let counter = counter.with_view(Scope::Vertex, Matching::Subgraph, EdgeOrbits::Exact);
    let error = counter.count_many(&graphs).unwrap_err();
    assert_eq!(error.graph, Some(1));
    assert!(
        matches!(&error.kind, CountErrorKind::Steps { patterns, limit: 1000 } if patterns == "cycle:12")
    );
    let each = counter.count_each(&graphs);
    assert!(each[0].is_ok() && each[1].is_err());
    let no_time = counter.clone().budget(Budget::time(std::time::Duration::ZERO));
    let error = no_time.count(&graphs[1]).unwrap_err();
    assert!(matches!(error.kind, CountErrorKind::Time { .. }), "{error}");
}

#[test]
fn a_cancelled_count_stops() {
    let switch = Arc::new(AtomicBool::new(true));
    let counter =
        Counter::new(&spec("cycle:14").with_matching(Matching::Subgraph)).cancel_when(switch);
    let error = counter.count(&complete(20)).unwrap_err();
    assert_eq!(error.kind, CountErrorKind::Cancelled);
}

#[test]
fn an_overflow_is_an_error_that_names_the_pattern() {
    // A star with 200 leaves: C(200, 60) stars with 60 leaves.
    let star = Graph::from_edges(201, (1..=200).map(|leaf| (0, leaf))).unwrap();
    for matching in [Matching::Induced, Matching::Subgraph] {
        let counter = Counter::new(&spec("star:60").with_matching(matching));
        let counter = counter.budget(Budget::steps(10_000_000));
        let error = counter.count(&star).unwrap_err();
        match matching {
            Matching::Subgraph | Matching::Homomorphism => {
                let want = CountErrorKind::Overflow { patterns: "star:60".to_owned() };
                assert_eq!(error.kind, want);
            }
            // Listing independent leaves may run out of steps before it runs out of bits.
            Matching::Induced => assert!(matches!(
                error.kind,
                CountErrorKind::Overflow { .. }
                    | CountErrorKind::Steps { .. }
                    | CountErrorKind::Hopeless { .. }
            )),
        }
    }
    let clique = Counter::new(&spec("clique:40"));
    assert!(matches!(
        clique.count(&complete(90)).unwrap_err().kind,
        CountErrorKind::Overflow { .. }
    ));
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let undirected = complete(4);
    let directed = Graph::from_arcs(3, [(0, 1), (1, 2)]).unwrap();
    let kind = |set: &str, scope, graph: &Graph| {
        Counter::new(&spec(set).with_scope(scope)).count(graph).unwrap_err().kind
    };
    assert!(matches!(
        kind("edges:0>1,1>2", Scope::Vertex, &undirected),
        CountErrorKind::Direction { directed: true, .. }
    ));
    assert!(matches!(
        kind("path:3", Scope::Vertex, &directed),
        CountErrorKind::Direction { directed: false, .. }
    ));
    assert_eq!(kind("edges:0>1,1>2", Scope::Edge, &directed), CountErrorKind::DirectedEdges);
    assert!(matches!(
        kind("edges:0@6-1@8", Scope::Vertex, &undirected),
        CountErrorKind::NoLabels { what: "vertex", .. }
    ));
    assert!(matches!(
        kind("edges:0-1:2", Scope::Vertex, &undirected),
        CountErrorKind::NoLabels { what: "edge", .. }
    ));
}

#[test]
fn degenerate_graphs_have_rows_of_zeros() {
    let counter = Counter::new(&CountSpec::new(patterns()));
    for n in [0, 1, 5] {
        let graph = Graph::from_edges(n, []).unwrap();
        for counts in counter.count_views(&graph, &views()).unwrap() {
            let rows = if counts.scope() == Scope::Vertex { n } else { 0 };
            assert_eq!(counts.rows(), rows);
            assert!(counts.values().iter().all(|&x| x == 0));
        }
    }
}

/// Directed and labelled patterns have no kernel but the matcher; their columns add up too.
#[test]
fn directed_and_labelled_counts() {
    let graph = Graph::from_arcs(4, [(0, 1), (1, 2), (2, 0), (2, 3), (3, 2)]).unwrap();
    let set: PatternSet = "edges:0>1,1>2,2>0, edges:0>1,1>0, edges:0>1,0>2".parse().unwrap();
    let counter = Counter::new(&CountSpec::new(set.clone()).with_matching(Matching::Subgraph));
    let names: Vec<String> =
        counter.columns().iter().map(|column| column.name().to_owned()).collect();
    assert_eq!(names[0], "edges:0>1,1>2,2>0/v0");
    let counts = counter.count(&graph).unwrap();
    let columns: Vec<Vec<u64>> = (0..names.len()).map(|j| counts.column(j).collect()).collect();
    assert_eq!(columns[0], [1, 1, 1, 0]);
    assert_eq!(columns[1], [0, 0, 1, 1]);
    let pattern: &Pattern = &set.patterns()[2];
    assert!(pattern.is_directed());
    assert_eq!(columns[2], [0, 0, 1, 0]);
    assert_eq!(columns[3], [1, 0, 0, 1]);
}
