use super::*;
use crate::count::budget::Budget;
use crate::count::testing::*;
use proptest::prelude::*;

type Cliques = Tested<CliqueKernel>;

fn clique(k: usize) -> Pattern {
    let edges: Vec<_> = (0..k).flat_map(|a| (0..a).map(move |b| (b, a))).collect();
    Pattern::new(format!("clique:{k}"), k, &edges).unwrap()
}

#[test]
fn accepts_cliques_only() {
    assert!(CliqueKernel::accepts(&clique(2)) && CliqueKernel::accepts(&clique(64)));
    let path = Pattern::new("path", 3, &[(0, 1), (1, 2)]).unwrap();
    let directed = Pattern::directed("c", 2, &[(0, 1)]).unwrap();
    assert!(
        ![path, directed, clique(4).with_vertex_label(0, 1).unwrap()]
            .iter()
            .any(CliqueKernel::accepts)
    );
}

#[test]
fn graphs_without_vertices_or_edges() {
    for n in [0, 5, 70] {
        let graph = Graph::from_edges(n, []).unwrap();
        Cliques::new(&[clique(2), clique(3), clique(5)]).check_all(&graph);
    }
}

/// In K_n a vertex is in C(n − 1, k − 1) cliques and an edge in C(n − 2, k − 2).
#[test]
fn complete_graphs() {
    for (n, sizes) in [(60u32, vec![2, 3, 29, 30, 31, 60]), (66, vec![2, 5, 62]), (130, vec![3, 5])]
    {
        let graph = complete(n);
        let patterns: Vec<_> = sizes.iter().map(|&k| clique(k)).collect();
        let values = Cliques::new(&patterns).values(&graph).unwrap();
        let n = u64::from(n);
        for (i, &k) in sizes.iter().enumerate() {
            for (table, count) in
                [(0, choose(n - 1, k as u64 - 1)), (2, choose(n - 2, k as u64 - 2))]
            {
                for m in 0..2 {
                    let column = column(&values, table + m, sizes.len(), i);
                    assert!(column.iter().all(|&c| c == count), "{n} {k}");
                }
            }
        }
    }
}

/// C(69, 34) > 2⁶⁴ > C(66, 33): the first is refused, whatever else is counted.
#[test]
fn too_many_cliques_are_refused() {
    let mut many = Cliques::new(&[clique(3), clique(35)]);
    assert_eq!(many.values(&complete(70)), Err(Stop::Overflow));
    let fits = Cliques::new(&[clique(34)]).values(&complete(67)).unwrap();
    assert_eq!(fits[0].as_ref().unwrap()[0], choose(66, 33));
}

/// Complete multipartite graphs have cliques of one vertex a part and many leaves; these take
/// rows of several words.
#[test]
fn many_parts() {
    let (parts, of) = (30u32, 3u32);
    let n = parts * of;
    let edges =
        (0..n).flat_map(|u| (0..u).filter(move |v| u % parts != v % parts).map(move |v| (u, v)));
    let graph = Graph::from_edges(n as usize, edges).unwrap();
    let sizes = [2usize, 3, 4];
    let patterns = sizes.map(clique);
    let values = Cliques::new(&patterns).values(&graph).unwrap();
    for (i, k) in sizes.into_iter().enumerate() {
        let (k, parts, of) = (k as u64, u64::from(parts), u64::from(of));
        let per_vertex = choose(parts - 1, k - 1) * of.pow(k as u32 - 1);
        let per_edge = choose(parts - 2, k - 2) * of.pow(k as u32 - 2);
        assert!(column(&values, 0, 3, i).iter().all(|&c| c == per_vertex));
        assert!(column(&values, 3, 3, i).iter().all(|&c| c == per_edge));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn agrees_with_the_oracle(
        graph in graphs(0..10),
        sizes in proptest::sample::subsequence(vec![2, 3, 4, 5, 6, 7], 1..=6),
        seed: u64,
    ) {
        let mut patterns: Vec<_> = sizes.iter().map(|&k| clique(k)).collect();
        patterns.push(shuffled(&patterns[0], seed)); // the same shape twice
        Cliques::new(&patterns).check_all(&graph);
    }

    #[test]
    fn small_and_large_searches_agree(graph in graphs(20..40)) {
        Cliques::new(&[3, 4, 5, 6].map(clique)).check_widened(&graph);
    }

    /// Rows of several words: joining two graphs completely gives cliques of all splits.
    #[test]
    fn joined_graphs(a in graphs(40..50), b in graphs(40..50)) {
        let totals = |graph: &Graph| -> Vec<u64> {
            let patterns: Vec<_> = (2..=4).map(clique).collect();
            let values = Cliques::new(&patterns).values(graph).unwrap();
            let sums = (2..=4u64).map(|k| column(&values, 0, 3, k as usize - 2).iter().sum::<u64>() / k);
            [1, graph.order() as u64].into_iter().chain(sums).collect()
        };
        let n = a.order() as u32;
        let across = (0..n).flat_map(|u| (0..b.order() as u32).map(move |v| (u, n + v)));
        let edges = a.edges().chain(b.edges().map(|(u, v)| (n + u, n + v))).chain(across);
        let joined = Graph::from_edges(a.order() + b.order(), edges).unwrap();
        let (a, b, joined) = (totals(&a), totals(&b), totals(&joined));
        for k in 0..=4 {
            prop_assert_eq!(joined[k], (0..=k).map(|i| a[i] * b[k - i]).sum::<u64>());
        }
    }
}

proptest! {
    // The oracle and the search are slow on these.
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Few pairs are missing, so that vertices alone are counted through them.
    #[test]
    fn near_cliques(seed: u64, missing in 0.0..0.3f64, largest in 3..7usize, wide: bool) {
        let n = if wide { 80 } else { 66 };
        let mut random = crate::random::Random::new(seed);
        let pairs = (0..n).flat_map(|u| (0..u).map(move |v| (u, v)));
        let graph = Graph::from_edges(n as usize, pairs.filter(|_| random.unit() >= missing));
        let graph = graph.unwrap();
        let patterns: Vec<_> = [2, 3, largest].into_iter().map(clique).collect();
        let mut cliques = Cliques::new(&patterns[usize::from(largest == 3)..]);
        let free = Budget::unlimited();
        let (searched, _) = cliques.fill(&graph, [true; 4], &[], free).unwrap();
        let (counted, _) = cliques.fill(&graph, [true, true, false, false], &[0.4], free).unwrap();
        prop_assert_eq!(&counted[..2], &searched[..2]);
    }

    #[test]
    fn agrees_with_the_oracle_beyond_a_word(graph in wide_graphs(), largest in 2..6usize) {
        let patterns: Vec<_> = (2..=largest).map(clique).collect();
        Cliques::new(&patterns).check_all(&graph);
    }
}
