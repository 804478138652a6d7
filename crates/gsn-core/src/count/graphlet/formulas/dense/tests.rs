//! The kernel against the oracle: blow-ups, cographs, threshold graphs, graphs without twins; in
//! graphs too large for it against the formulas without classes and against binomials.

use super::{NARROW, TwinKernel};
use crate::count::Matching;
use crate::count::graphlet::tests::all_to;
use crate::count::homomorphism::ALWAYS_WIDE;
use crate::count::kernel::Kernel;
use crate::count::testing::{Tested, choose, column, complete, graphs, table};
use crate::count::twins::tests::blown_up;
use crate::graph::Graph;
use crate::pattern::Pattern;
use crate::random::Random;
use crate::{CountSpec, Counter, Scope};
use proptest::prelude::*;

/// A random cograph: unions and joins of smaller ones, which are full of twins.
fn cograph(random: &mut Random, vertices: std::ops::Range<u32>, edges: &mut Vec<(u32, u32)>) {
    if vertices.len() < 2 {
        return;
    }
    let middle = vertices.start + 1 + random.below(vertices.len() - 1) as u32;
    if random.below(2) == 0 {
        for u in vertices.start..middle {
            edges.extend((middle..vertices.end).map(|v| (u, v)));
        }
    }
    cograph(random, vertices.start..middle, edges);
    cograph(random, middle..vertices.end, edges);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn any_graph(graph in graphs(0..10)) {
        Tested::<TwinKernel>::new(&all_to(5)).check(&graph);
    }

    #[test]
    fn blow_ups(graph in blown_up(1..5)) {
        Tested::<TwinKernel>::new(&all_to(5)).check(&graph);
    }

    #[test]
    fn up_to_four_vertices_any_cut_and_any_tables(graph in blown_up(1..5)) {
        Tested::<TwinKernel>::new(&all_to(4)).check_all(&graph);
    }

    #[test]
    fn cographs_and_threshold_graphs(n in 1..11u32, seed: u64) {
        let mut random = Random::new(seed);
        let mut edges = Vec::new();
        cograph(&mut random, 0..n, &mut edges);
        Tested::<TwinKernel>::new(&all_to(5)).check(&Graph::from_edges(n as usize, edges).unwrap());
        // Every vertex comes adjacent to all before it or to none.
        let joined: Vec<bool> = (0..n).map(|_| random.below(2) == 0).collect();
        let pairs = (0..n).filter(|&u| joined[u as usize]).flat_map(|u| (0..u).map(move |v| (u, v)));
        Tested::<TwinKernel>::new(&all_to(5)).check(&Graph::from_edges(n as usize, pairs).unwrap());
    }

    /// The numbers of large graphs, in small ones.
    #[test]
    fn wide_numbers(graph in blown_up(1..5)) {
        ALWAYS_WIDE.set(true);
        Tested::<TwinKernel>::new(&all_to(5)).check(&graph);
        Tested::<TwinKernel>::new(&all_to(4)).check_all(&graph);
        ALWAYS_WIDE.set(false);
    }

    /// Some of the patterns need some of the tables only.
    #[test]
    fn any_few_patterns(graph in blown_up(1..5), seed: u64) {
        let mut random = Random::new(seed);
        let all = all_to(5);
        let few: Vec<Pattern> = (0..3).map(|_| all[random.below(all.len())].clone()).collect();
        let mut distinct: Vec<Pattern> = Vec::new();
        for pattern in few {
            if distinct.iter().all(|other| other.name() != pattern.name()) {
                distinct.push(pattern);
            }
        }
        Tested::<TwinKernel>::new(&distinct).check_all(&graph);
    }
}

/// More than 64 classes, so that sets have several words.
#[test]
fn many_classes_agree_with_the_formulas() {
    let mut random = Random::new(7);
    let pairs = (0..150u32).flat_map(|u| (0..u).map(move |v| (u, v)));
    let mut edges: Vec<(u32, u32)> = pairs.filter(|_| random.below(6) == 0).collect();
    // Three closed twins and three open ones, in the last word.
    for twin in [150, 151, 152, 153] {
        let of = if twin < 152 { 140 } else { 141 };
        let around: Vec<(u32, u32)> =
            edges.iter().filter(|edge| edge.0 == of || edge.1 == of).copied().collect();
        for (u, v) in around {
            edges.push((twin, if u == of { v } else { u }));
        }
        if of == 140 {
            edges.push((twin, of));
        }
    }
    let graph = Graph::from_edges(154, edges).unwrap();
    let expected = Tested::<super::super::FormulaKernel>::new(&all_to(5)).values(&graph);
    assert_eq!(Tested::<TwinKernel>::new(&all_to(5)).values(&graph), expected);
}

#[test]
fn one_class_of_a_thousand() {
    let mut tested = Tested::<TwinKernel>::new(&all_to(5));
    let values = tested.values(&complete(1000)).unwrap();
    let (vertex, arc) = tested.widths();
    for (arcs, last, expected) in
        [(false, vertex - 1, choose(999, 4)), (true, arc - 1, choose(998, 3))]
    {
        let width = if arcs { arc } else { vertex };
        let counts = column(&values, table(Matching::Induced, arcs), width, last);
        assert!(counts.iter().all(|&count| count == expected));
    }
}

/// What a plan finds out about one graph is not taken for what holds in the next.
#[test]
fn graphs_one_after_the_other() {
    let blow_up = |classes: &[(u32, u32)]| {
        let members = |class: u32| 30 * class..30 * (class + 1);
        let pairs = classes
            .iter()
            .flat_map(|&(a, b)| members(a).flat_map(move |u| members(b).map(move |v| (u, v))));
        Graph::from_edges(120, pairs.filter(|(u, v)| u != v)).unwrap()
    };
    let graphs = [
        blow_up(&[(0, 1), (1, 2), (2, 3), (0, 0)]),
        blow_up(&[(0, 2), (2, 1), (1, 3), (3, 3)]),
        Graph::from_edges(120, (1..120).map(|v| (v - 1, v))).unwrap(),
        blow_up(&[(0, 1), (1, 2), (2, 3), (0, 0)]),
    ];
    let spec = CountSpec::new("all:3..=4".parse().unwrap());
    let counter = Counter::new(&spec);
    assert_eq!(counter.plan(&graphs[0]).unwrap().steps[0].kernel, TwinKernel::NAME);
    for graph in &graphs {
        assert_eq!(counter.count(graph).unwrap(), Counter::new(&spec).count(graph).unwrap());
    }
}

/// Hubs that are joined, with leaves of their own and leaves that two of them share: too many
/// vertices for 32 bits.
#[test]
fn hubs_agree_with_the_formulas() {
    let leaves = NARROW as u32 / 4 + 10;
    let mut edges = vec![(0, 1), (1, 2), (2, 0), (2, 3)];
    for (at, hubs) in [&[0u32][..], &[1], &[1, 2], &[0, 1, 3]].into_iter().enumerate() {
        let first = 4 + at as u32 * leaves;
        let own = first..first + leaves;
        edges.extend(own.flat_map(|leaf| hubs.iter().map(move |&hub| (hub, leaf))));
    }
    let graph = Graph::from_edges(4 + 4 * leaves as usize, edges).unwrap();
    assert!(graph.order() > NARROW);
    let mut patterns = all_to(4);
    patterns.extend(["star:4", "path:5", "cycle:5"].map(|name| {
        let set: crate::PatternSet = name.parse().unwrap();
        set.patterns()[0].clone()
    }));
    let expected = Tested::<super::super::FormulaKernel>::new(&patterns).values(&graph);
    assert_eq!(Tested::<TwinKernel>::new(&patterns).values(&graph), expected);
}

/// At an edge of a star the others of its occurrences are any of the other leaves.
#[test]
fn a_star_of_many_leaves() {
    let leaves = 100_000u32;
    let graph = Graph::from_edges(leaves as usize + 1, (1..=leaves).map(|v| (0, v))).unwrap();
    let spec = CountSpec::new("all:3..=5".parse().unwrap()).with_scope(Scope::Edge);
    let counter = Counter::new(&spec);
    assert_eq!(counter.plan(&graph).unwrap().steps[0].kernel, TwinKernel::NAME);
    let counts = counter.count(&graph).unwrap();
    for (at, column) in counts.columns().iter().enumerate() {
        let pattern = &spec.patterns().patterns()[column.pattern()];
        let (order, size) = (pattern.order(), pattern.size());
        let is_star = size == order - 1 && (0..order).any(|v| pattern.degree(v) == size);
        let others = u64::from(leaves) - 1;
        let expected = if is_star { choose(others, order as u64 - 2) } else { 0 };
        assert!(counts.column(at).all(|count| count == expected), "{}", column.name());
    }
}
