use super::*;
use crate::count::testing::*;
use crate::count::{MATCHINGS, Matching};
use proptest::prelude::*;

type Paths = Tested<PathKernel>;

fn path(k: usize) -> Pattern {
    let edges: Vec<_> = (1..k).map(|a| (a - 1, a)).collect();
    Pattern::new(format!("path:{k}"), k, &edges).unwrap()
}

#[test]
fn accepts_paths_only() {
    assert!(PathKernel::accepts(&path(2)) && PathKernel::accepts(&path(64)));
    assert!(PathKernel::accepts(&shuffled(&path(7), 5)));
    let triangle = Pattern::new("triangle", 3, &[(0, 1), (1, 2), (0, 2)]).unwrap();
    let star = Pattern::new("star", 4, &[(0, 1), (0, 2), (0, 3)]).unwrap();
    let directed = Pattern::directed("p", 3, &[(0, 1), (1, 2)]).unwrap();
    let labelled = path(3).with_edge_label(0, 1, 7).unwrap();
    assert!(![triangle, star, directed, labelled].iter().any(PathKernel::accepts));
}

#[test]
fn graphs_without_vertices_or_edges() {
    for graph in [Graph::from_edges(0, []).unwrap(), Graph::from_edges(5, []).unwrap()] {
        Paths::new(&[path(2), path(3), path(5)]).check_all(&graph);
    }
}

/// K_n has n! / (n − k)! / 2 paths of k vertices; in a long path there is one from each position.
#[test]
fn closed_forms() {
    let graph = complete(9);
    for k in 2..=8u64 {
        let values = Paths::new(&[path(k as usize)]).values(&graph).unwrap();
        let total: u64 = (9 - k + 1..=9).product::<u64>() / 2;
        let sum = |t: usize| values[t].as_ref().unwrap().iter().sum::<u64>();
        assert_eq!(sum(table(Matching::Subgraph, false)), total * k);
        assert_eq!(sum(table(Matching::Subgraph, true)), total * (k - 1));
        assert_eq!(sum(table(Matching::Induced, false)), if k == 2 { 72 } else { 0 });
    }
    for n in [64u32, 80] {
        let line = Graph::from_edges(n as usize, (1..n).map(|v| (v - 1, v))).unwrap();
        let values = Paths::new(&[path(64)]).values(&line).unwrap();
        for matching in MATCHINGS {
            let sum = values[table(matching, false)].as_ref().unwrap().iter().sum::<u64>();
            assert_eq!(sum, 64 * u64::from(n - 63));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn agrees_with_the_oracle(
        graph in graphs(0..9),
        sizes in proptest::sample::subsequence(vec![2, 3, 4, 5, 6, 7], 1..=6),
        seed: u64,
    ) {
        let mut patterns: Vec<_> = sizes.iter().map(|&k| path(k)).collect();
        patterns.extend(sizes.iter().map(|&k| shuffled(&path(k), seed)));
        Paths::new(&patterns).check_all(&graph);
    }

    #[test]
    fn small_and_large_searches_agree(graph in graphs(7..10)) {
        Paths::new(&[2, 3, 4, 5, 6, 7].map(path)).check_widened(&graph);
    }
}

proptest! {
    // The oracle is slow on these.
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn agrees_with_the_oracle_beyond_a_word(graph in wide_graphs(), longest in 2..6usize) {
        let patterns: Vec<_> = (2..=longest).map(path).collect();
        Paths::new(&patterns).check_all(&graph);
    }
}
