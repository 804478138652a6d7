//! Known truths, small ones; those of the published collections are in `tests/separate.rs`.

use super::*;
use gsn_core::generate;
use gsn_core::random::Random;

const EVERY_SCOPE: [Scope; 3] = [Scope::Vertex, Scope::Edge, Scope::Arc];

fn options(patterns: &str) -> Options {
    Options { seeds: 0, ..Options::new(patterns.parse().unwrap()) }
}

fn failures(report: &Report, test: &str, scope: Option<&str>, matching: Option<&str>) -> u64 {
    let found = report
        .tests
        .iter()
        .find(|t| t.test == test && t.scope == scope && t.matching == matching)
        .unwrap_or_else(|| panic!("no {test} {scope:?} {matching:?}"));
    found.failures.unwrap()
}

#[test]
fn decalin_and_bicyclopentyl() {
    let decalin =
        [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0), (5, 6), (6, 7), (7, 8), (8, 9), (9, 0)];
    let other =
        [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (0, 5), (5, 6), (6, 7), (7, 8), (8, 9), (9, 5)];
    let graphs = [decalin, other].map(|edges| Graph::from_edges(10, edges).unwrap());
    let options = Options::new("cycle:3..=6".parse().unwrap()).with_scopes(EVERY_SCOPE.to_vec());
    let report = separate(&graphs, &options).unwrap();
    assert_eq!(report.pairs, 1);
    assert_eq!(failures(&report, "1-wl", None, None), 1);
    assert_eq!(failures(&report, "2-fwl", None, None), 0);
    for scope in EVERY_SCOPE.map(Scope::name) {
        for matching in ["induced", "subgraph"] {
            for test in ["counts", "counts+1-wl", "network-f64"] {
                assert_eq!(failures(&report, test, Some(scope), Some(matching)), 0, "{test}");
            }
        }
    }
    assert_eq!(failures(&report, "network-f64", None, None), 1);
    let found = &report.certificates[0];
    assert_eq!((found.pattern.as_deref(), found.order), (Some("cycle:5"), 5));
    assert_eq!(found.left_rows, [(vec![0], 10)]);
    assert_eq!(found.right_rows, [(vec![1], 10)]);
}

#[test]
fn copies_are_never_separated_and_named() {
    let mut random = Random::new(1);
    let mut graphs = Vec::new();
    for seed in 0..20 {
        let graph = generate::erdos_renyi(9, 0.4, seed).unwrap();
        graphs.push(graph.relabelled(&random.permutation(9)).unwrap());
        graphs.push(graph);
    }
    let mut options = Options::new("all:3..=4, cycle:5".parse().unwrap());
    options.scopes = EVERY_SCOPE.to_vec();
    options.pairing = Pairing::Consecutive;
    let report = separate(&graphs, &options).unwrap();
    assert_eq!((report.pairs, report.isomorphic), (20, Some(20)));
    assert_eq!(report.isomorphic_pairs.len(), 20);
    assert!(report.tests.iter().all(|test| test.failures == Some(0)), "{:?}", report.tests);
    assert!(report.certificates.iter().all(|found| found.pattern.is_none()));
    // Over all pairs the copies are the only ones that stay together.
    options.pairing = Pairing::All;
    let report = separate(&graphs, &options).unwrap();
    assert_eq!((report.pairs, report.isomorphic, report.unseparated), (780, Some(20), 0));
}

#[test]
fn stages_do_not_change_the_answer() {
    // Classes after the last size are those of all columns at once.
    let graphs: Vec<Graph> =
        (0..40).map(|seed| generate::random_regular(10, 3, seed).unwrap()).collect();
    let report = separate(&graphs, &options("cycle:3..=6, path:4")).unwrap();
    for test in report.tests.iter().filter(|test| test.test == "counts") {
        let (scope, matching) = (test.scope.unwrap(), test.matching.unwrap());
        let spec = CountSpec::new("cycle:3..=6, path:4".parse().unwrap())
            .with_scope(scope.parse().unwrap())
            .with_matching(matching.parse().unwrap());
        let counter = gsn_core::Counter::new(&spec);
        let mut names = gsn_core::wl::Names::default();
        let rows = counter.count_many(&graphs).unwrap().into_iter().map(|counts| {
            let mut rows = names.of_counts(&counts);
            rows.sort_unstable();
            rows
        });
        let classes = gsn_core::wl::group(rows.collect::<Vec<_>>());
        let equal = equal_pairs(&classes, Pairing::All);
        assert_eq!(test.failures.unwrap() + report.isomorphic.unwrap(), equal, "{test:?}");
        // Sizes and smallest patterns account for every separated pair.
        let told: u64 = test.smallest.iter().map(|(_, pairs)| pairs).sum();
        assert!(told <= report.pairs - equal);
    }
}

#[test]
fn wrong_numbers_of_graphs_are_refused() {
    let graph = generate::rook(2, 2).unwrap();
    let mut options = options("cycle:3");
    options.pairing = Pairing::Consecutive;
    let three = vec![graph.clone(); 3];
    let error = separate(&three, &options).unwrap_err().to_string();
    assert!(error.contains("3 graphs do not come in pairs"), "{error}");
    for few in [&three[..0], &three[..1]] {
        assert!(separate(few, &options).unwrap_err().to_string().contains("make no pair"));
    }
    // Different sizes and empty graphs are fine: they differ.
    let empty = Graph::from_edges(0, []).unwrap();
    let lone = Graph::from_edges(1, []).unwrap();
    let mixed = [empty.clone(), lone.clone(), graph, empty, lone.clone(), lone];
    let report = separate(&mixed, &Options { pairing: Pairing::All, ..options }).unwrap();
    assert_eq!((report.pairs, report.isomorphic), (15, Some(4)));
    assert!(report.tests.iter().all(|test| test.failures == Some(0)), "{:?}", report.tests);
    // A directed pattern does not fit.
    let directed = Options::new("edges:0>1,1>2".parse().unwrap());
    assert!(matches!(separate(&three, &directed), Err(Error::Count(_))));
}

#[test]
fn empty_graphs_pass_through_networks() {
    let graphs = [
        Graph::from_edges(0, []).unwrap(),
        Graph::from_edges(2, []).unwrap(),
        Graph::from_edges(3, [(0, 1)]).unwrap(),
    ];
    let report = separate(&graphs, &Options::new("cycle:3".parse().unwrap())).unwrap();
    assert_eq!(failures(&report, "network-f64", Some("arc"), Some("induced")), 0);
}

#[test]
fn labels_are_start_colours_unless_left_out() {
    let labelled = |labels: [u32; 2]| {
        let mut builder = gsn_core::GraphBuilder::undirected(2);
        builder.edge(0, 1).vertex_labels(labels.to_vec());
        builder.build().unwrap()
    };
    let graphs = [labelled([0, 1]), labelled([1, 1])];
    let seen = separate(&graphs, &options("path:2")).unwrap();
    assert_eq!((failures(&seen, "1-wl", None, None), seen.isomorphic), (0, Some(0)));
    let blind = Options { labels: false, ..options("path:2") };
    let unseen = separate(&graphs, &blind).unwrap();
    assert_eq!((failures(&unseen, "1-wl", None, None), unseen.isomorphic), (0, Some(1)));
}

#[test]
fn labels_of_edges_are_seen_beside_their_counts() {
    let star = |labels: [u32; 3]| {
        let mut builder = gsn_core::GraphBuilder::undirected(4);
        labels.iter().zip(1..).for_each(|(&label, leaf)| {
            builder.labelled_edge(0, leaf, label);
        });
        builder.build().unwrap()
    };
    let graphs = [star([0, 0, 1]), star([0, 1, 1])];
    for scope in [Scope::Edge, Scope::Arc] {
        let report = separate(&graphs, &options("path:3").with_scopes(vec![scope])).unwrap();
        for test in ["counts", "counts+1-wl"] {
            assert_eq!(failures(&report, test, Some(scope.name()), Some("induced")), 0);
        }
        let blind = options("path:3").with_scopes(vec![scope]).with_labels(false);
        assert_eq!(separate(&graphs, &blind).unwrap().isomorphic, Some(1));
    }
}

#[test]
fn arcs_see_what_vertices_see() {
    let graphs: Vec<Graph> =
        (0..60).map(|seed| generate::random_regular(12, 3, seed).unwrap()).collect();
    let report = separate(&graphs, &options("cycle:3..=5")).unwrap();
    for matching in ["induced", "subgraph"] {
        let of = |scope| failures(&report, "counts+1-wl", Some(scope), Some(matching));
        assert!(of("arc") <= of("vertex"));
        assert!(of("vertex") <= failures(&report, "counts", Some("vertex"), Some(matching)));
    }
}
