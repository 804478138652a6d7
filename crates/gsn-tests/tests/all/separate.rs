//! Known truths about the published collections: which graphs refinement and counts tell apart.

use super::store;
use gsn_core::generate;
use gsn_core::random::Random;
use gsn_core::wl::{Fwl, Start, refine};
use gsn_core::{Graph, Matching, Pattern, PatternSet};
use gsn_lab::catalogue::{GraphSet, Store};
use gsn_lab::separate::{Options, Pairing, Report, separate};

const REGULAR: [&str; 9] = [
    "sr16622", "sr251256", "sr261034", "sr281264", "sr291467", "sr351668", "sr351899", "sr361446",
    "sr401224",
];

fn set(name: &str) -> GraphSet {
    Store::carried().graphs(name).unwrap()
}

/// All connected graphs of eight vertices.
fn eight() -> Vec<Graph> {
    let all: PatternSet = "all:8".parse().unwrap();
    let edges = |p: &Pattern| p.edges().map(|(a, b)| (a as u32, b as u32)).collect::<Vec<_>>();
    all.iter().map(|pattern| Graph::from_edges(8, edges(pattern)).unwrap()).collect()
}

fn failures(report: &Report, test: &str, view: Option<(&str, &str)>) -> u64 {
    let found = report.tests.iter().find(|outcome| {
        outcome.test == test
            && outcome.scope == view.map(|(scope, _)| scope)
            && outcome.matching == view.map(|(_, matching)| matching)
    });
    found.and_then(|outcome| outcome.failures).unwrap_or_else(|| panic!("{test} was not run"))
}

#[test]
fn refinement_separates_no_strongly_regular_pair() {
    for name in REGULAR {
        let set = set(name);
        assert!(refine(&set.graphs, &[]).unwrap().classes().iter().all(|&class| class == 0));
        let some = &set.graphs[..set.graphs.len().min(300)];
        let classes = Fwl::new(2).unwrap().classes(some, &[]).unwrap();
        assert!(classes.iter().all(|&class| class == 0), "{name}");
    }
}

#[test]
fn arcs_and_short_induced_cycles_or_paths_separate_the_papers_seven() {
    for name in &REGULAR[..7] {
        let set = set(name);
        for family in ["cycle:3..=6", "path:3..=6"] {
            let options = Options {
                matchings: vec![Matching::Induced],
                fwl: 1,
                seeds: 0,
                isomorphism: false,
                certificates: 0,
                ..Options::new(family.parse().unwrap())
            };
            let report = separate(&set.graphs, &options).unwrap();
            assert_eq!(failures(&report, "1-wl", None), report.pairs);
            let arc = failures(&report, "counts+1-wl", Some(("arc", "induced")));
            assert_eq!(arc, 0, "{name} {family}");
            assert!(arc <= failures(&report, "counts+1-wl", Some(("vertex", "induced"))));
        }
    }
}

#[test]
fn skip_links_fall_into_their_ten_classes() {
    let mut random = Random::new(41);
    let graphs: Vec<Graph> = [2, 3, 4, 5, 6, 9, 11, 12, 13, 16]
        .iter()
        .flat_map(|&skip| vec![generate::csl(41, skip).unwrap(); 15])
        .map(|graph| graph.relabelled(&random.permutation(41)).unwrap())
        .collect();
    assert_eq!(refine(&graphs, &[]).unwrap().classes(), vec![0; 150]);
    let two = Fwl::new(2).unwrap().classes(&graphs, &[]).unwrap();
    for i in 0..150 {
        for j in 0..i {
            assert_eq!(two[i] == two[j], i / 15 == j / 15);
        }
    }
    // Graphs of one class are copies, and are named as such.
    let options = Options { seeds: 0, fwl: 2, ..Options::new(PatternSet::default()) };
    let report = separate(&graphs, &options).unwrap();
    assert_eq!(report.isomorphic, Some(10 * 15 * 14 / 2));
    assert_eq!((failures(&report, "1-wl", None), failures(&report, "2-fwl", None)), (10_125, 0));
}

#[test]
#[cfg_attr(not(all(data = "exp", data = "cexp")), ignore = "needs exp and cexp in GSN_DATA")]
fn two_fwl_separates_all_of_exp() {
    for (name, one, two) in [("EXP", 600, 0), ("CEXP", 300, 0)] {
        let set = store().graphs(name).unwrap();
        let options = Options {
            pairing: Pairing::Consecutive,
            seeds: 0,
            fwl: 2,
            ..Options::new(PatternSet::default())
        };
        let report = separate(&set.graphs, &options).unwrap();
        assert_eq!(report.pairs, 600);
        assert_eq!(failures(&report, "1-wl", None), one, "{name}");
        assert_eq!(failures(&report, "2-fwl", None), two, "{name}");
    }
}

#[test]
fn two_fwl_separates_270_pairs_of_brec() {
    let set = set("BREC");
    let expected = [60, 50, 0, 100, 60, 0, 0];
    assert_eq!(set.categories.len(), expected.len());
    for (at, told) in expected.into_iter().enumerate() {
        let graphs: Vec<Graph> = set
            .pairs
            .iter()
            .filter(|pair| pair.category == at)
            .flat_map(|pair| [set.graphs[pair.first].clone(), set.graphs[pair.second].clone()])
            .collect();
        let options = Options {
            pairing: Pairing::Consecutive,
            seeds: 0,
            fwl: 2,
            fwl_work: u64::MAX,
            isomorphism: false,
            ..Options::new(PatternSet::default())
        };
        let report = separate(&graphs, &options).unwrap();
        assert_eq!(failures(&report, "1-wl", None), report.pairs);
        let name = &set.categories[at];
        assert_eq!(report.pairs - failures(&report, "2-fwl", None), told, "{name}");
    }
}

#[test]
fn counts_never_separate_copies() {
    let mut random = Random::new(8);
    let graphs: Vec<Graph> = eight()
        .iter()
        .step_by(3)
        .flat_map(|graph| {
            let copy = graph.relabelled(&random.permutation(8)).unwrap();
            [graph.clone(), copy]
        })
        .collect();
    assert!(graphs.len() > 7000);
    let options = Options {
        pairing: Pairing::Consecutive,
        seeds: 1,
        fwl: 2,
        certificates: 0,
        ..Options::new("all:3..=4, cycle:5..=6, star:4".parse().unwrap())
    };
    let report = separate(&graphs, &options).unwrap();
    assert_eq!(report.isomorphic, Some(report.pairs));
    assert_eq!(report.unseparated, 0);
    assert!(report.undecided.is_empty());
}

#[test]
fn arcs_separate_what_vertices_separate() {
    // Theorem 3.3, pair by pair: equal after refinement from arc counts means equal after
    // refinement from vertex counts.
    let graphs: Vec<Graph> = eight().into_iter().step_by(5).collect();
    for patterns in ["cycle:3..=5", "path:4", "star:3", "all:4"] {
        let set: PatternSet = patterns.parse().unwrap();
        for matching in [Matching::Induced, Matching::Subgraph] {
            let spec = gsn_core::CountSpec::new(set.clone()).with_matching(matching);
            let classes = |scope: gsn_core::Scope| {
                let mut names = gsn_core::wl::Names::default();
                let counts = gsn_core::Counter::new(&spec.clone().with_scope(scope));
                let counts = counts.count_many(&graphs).unwrap();
                let rows: Vec<Vec<u32>> = counts.iter().map(|c| names.of_counts(c)).collect();
                let starts: Vec<Start<'_>> = rows
                    .iter()
                    .map(|rows| match scope {
                        gsn_core::Scope::Vertex => Start { vertex: Some(rows), arc: None },
                        _ => Start { vertex: None, arc: Some(rows) },
                    })
                    .collect();
                refine(&graphs, &starts).unwrap().classes()
            };
            let (vertex, arc) = (classes(gsn_core::Scope::Vertex), classes(gsn_core::Scope::Arc));
            let mut of_arc = std::collections::HashMap::new();
            for (v, a) in vertex.iter().zip(&arc) {
                assert_eq!(of_arc.entry(a).or_insert(v), &v, "{patterns} {matching:?}");
            }
        }
    }
}
