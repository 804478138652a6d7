use super::*;
use crate::count::budget::Budget;
use crate::count::families::*;
use crate::count::testing::{check, graphs, tasks};
use proptest::prelude::*;

define_run!();

fn clique(k: usize) -> Pattern {
    let edges: Vec<_> = (0..k).flat_map(|a| (0..a).map(move |b| (b, a))).collect();
    Pattern::new(format!("clique:{k}"), k, &edges).unwrap()
}

fn step(patterns: &[Pattern]) -> Step {
    assert!(patterns.iter().all(Step::accepts));
    Step::new(tasks(patterns))
}

fn check_all(graph: &Graph, patterns: &[Pattern]) {
    let step = step(patterns);
    let mut memory = Default::default();
    check(graph, step.tasks(), |out, meter| run(&step, graph, 0.5, &mut memory, out, meter));
    check_choices(graph, step.tasks(), |cut, out, meter| {
        run(&step, graph, cut, &mut memory, out, meter)
    });
    assert!(step.estimate(graph) >= 0.0);
}

fn values(step: &Step, graph: &Graph) -> Result<Values, Stop> {
    let mut memory = Default::default();
    fill(graph, step.tasks(), [true; 4], Budget::unlimited(), |out, meter| {
        run(step, graph, 0.5, &mut memory, out, meter)
    })
    .map(|(values, _)| values)
}

fn choose(n: u64, k: u64) -> u64 {
    let product = (0..k).fold(1u128, |c, i| c * u128::from(n - i) / u128::from(i + 1));
    product.try_into().unwrap()
}

#[test]
fn accepts_cliques_only() {
    assert!(Step::accepts(&clique(2)) && Step::accepts(&clique(64)));
    let path = Pattern::new("path", 3, &[(0, 1), (1, 2)]).unwrap();
    let directed = Pattern::directed("c", 2, &[(0, 1)]).unwrap();
    assert!(
        ![path, directed, clique(4).with_vertex_label(0, 1).unwrap()].iter().any(Step::accepts)
    );
}

#[test]
fn graphs_without_vertices_or_edges() {
    for n in [0, 5, 70] {
        check_all(&Graph::from_edges(n, []).unwrap(), &[clique(2), clique(3), clique(5)]);
    }
}

/// In K_n a vertex is in C(n − 1, k − 1) cliques and an edge in C(n − 2, k − 2).
#[test]
fn complete_graphs() {
    for (n, sizes) in [(60u32, vec![2, 3, 29, 30, 31, 60]), (66, vec![2, 5, 62]), (130, vec![3, 5])]
    {
        let graph = complete(n);
        let patterns: Vec<_> = sizes.iter().map(|&k| clique(k)).collect();
        let values = values(&step(&patterns), &graph).unwrap();
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
    assert_eq!(values(&step(&[clique(3), clique(35)]), &complete(70)), Err(Stop::Overflow));
    let fits = values(&step(&[clique(34)]), &complete(67)).unwrap();
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
    let values = values(&step(&patterns), &graph).unwrap();
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
        check_all(&graph, &patterns);
    }

    /// Isolated vertices make the graph too large for a word; a new vertex joined to all makes
    /// every clique larger by one.
    #[test]
    fn small_and_large_searches_agree(graph in graphs(20..40)) {
        let patterns: Vec<_> = (3..=6).map(clique).collect();
        let step = step(&patterns);
        let wide = Graph::from_edges(70, graph.edges()).unwrap();
        let (small, large) = (values(&step, &graph).unwrap(), values(&step, &wide).unwrap());
        for (small, large) in small.iter().zip(&large) {
            let small = small.as_ref().unwrap();
            prop_assert_eq!(&small[..], &large.as_ref().unwrap()[..small.len()]);
        }
    }

    /// Rows of several words: joining two graphs completely gives cliques of all splits.
    #[test]
    fn joined_graphs(a in graphs(40..50), b in graphs(40..50)) {
        let totals = |graph: &Graph| -> Vec<u64> {
            let patterns: Vec<_> = (2..=4).map(clique).collect();
            let values = values(&step(&patterns), graph).unwrap();
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
    // The oracle is slow on these.
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn agrees_with_the_oracle_beyond_a_word(graph in wide_graphs(), largest in 2..6usize) {
        let patterns: Vec<_> = (2..=largest).map(clique).collect();
        check_all(&graph, &patterns);
    }
}
