//! Against the oracle on random graphs without triangles and squares, in all ways to the counts.

use super::super::tests::all_to;
use super::*;
use crate::count::testing::Tested;
use crate::{CountSpec, Counter, EdgeOrbits, PatternSet};
use proptest::prelude::*;

/// The graph of those edges, one after the other, that close no triangle and no square.
fn wide_meshed(order: u32, pairs: &[(u32, u32)]) -> Graph {
    let mut edges: Vec<(u32, u32)> = Vec::new();
    for &(u, v) in pairs {
        let (u, v) = (u % order, v % order);
        let graph = Graph::from_edges(order as usize, edges.iter().copied()).unwrap();
        let mut near = vec![u];
        for _ in 0..3 {
            let on: Vec<u32> = near.iter().flat_map(|&x| graph.neighbors(x)).copied().collect();
            near.extend(on);
        }
        if !near.contains(&v) {
            edges.push((u, v));
        }
    }
    Graph::from_edges(order as usize, edges).unwrap()
}

fn graphs(order: std::ops::Range<u32>) -> impl Strategy<Value = Graph> {
    let pairs = proptest::collection::vec((0..100u32, 0..100u32), 0..60);
    (order, pairs).prop_map(|(order, pairs)| wide_meshed(order, &pairs))
}

fn suits(graph: &Graph) -> bool {
    LocalSums::default().suit(graph)
}

fn check(graph: &Graph) {
    Tested::<GirthKernel>::new(&all_to(5)).check(graph);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn agrees_with_the_oracle(graph in graphs(1..16)) {
        prop_assert!(suits(&graph));
        check(&graph);
    }

    #[test]
    fn agrees_with_the_oracle_beyond_a_word(graph in graphs(65..75)) {
        prop_assert!(suits(&graph));
        check(&graph);
    }

    /// A count by this kernel alone writes its tables at once; one that reports progress, or asks
    /// for sums of orbits, goes through the tables of all kernels.
    #[test]
    fn at_once_and_by_tables(graph in graphs(1..80), official in any::<bool>()) {
        let notion = if official { EdgeOrbits::Official } else { EdgeOrbits::Exact };
        let set = PatternSet::from_patterns(all_to(5)).unwrap();
        let counter = Counter::new(&CountSpec::new(set).with_orbits(notion));
        let watched = counter.clone().on_progress(|_| ());
        prop_assert_eq!(counter.plan(&graph).unwrap().steps[0].kernel, "girth");
        let views: Vec<_> = [Scope::Vertex, Scope::Arc, Scope::Edge]
            .into_iter()
            .flat_map(|scope| [(scope, Matching::Induced), (scope, Matching::Subgraph)])
            .collect();
        let by_tables = watched.count_views(&graph, &views).unwrap();
        for (view, by_tables) in views.iter().zip(&by_tables) {
            let at_once = counter.count_views(&graph, &[*view]).unwrap();
            prop_assert_eq!(&at_once[0], by_tables);
            prop_assert_eq!(at_once[0].values(), by_tables.values());
        }
    }

    /// Whatever has a short cycle is left to others.
    #[test]
    fn short_cycles_are_seen(
        graph in graphs(4..80), square in any::<bool>(), at in any::<[u32; 4]>()
    ) {
        let n = graph.order() as u32;
        let mut ring: Vec<u32> = at.iter().map(|v| v % n).take(if square { 4 } else { 3 }).collect();
        let closed = ring.iter().copied().zip(ring.iter().copied().cycle().skip(1));
        let all: Vec<_> = graph.edges().chain(closed).collect();
        ring.sort_unstable();
        ring.dedup();
        prop_assume!(ring.len() == if square { 4 } else { 3 });
        prop_assert!(!suits(&Graph::from_edges(n as usize, all).unwrap()));
    }
}
