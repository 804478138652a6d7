use super::*;
use crate::count::budget::Budget;
use crate::count::testing::*;
use crate::count::twins::tests::blown_up;
use proptest::prelude::*;

type Cycles = Tested<CycleKernel>;

fn cycle(k: usize) -> Pattern {
    let edges: Vec<_> = (0..k).map(|a| (a, (a + 1) % k)).collect();
    Pattern::new(format!("cycle:{k}"), k, &edges).unwrap()
}

#[test]
fn accepts_cycles_only() {
    assert!(CycleKernel::accepts(&cycle(3)) && CycleKernel::accepts(&cycle(64)));
    assert!(CycleKernel::accepts(&shuffled(&cycle(7), 5)));
    let path = Pattern::new("path", 3, &[(0, 1), (1, 2)]).unwrap();
    let diamond = Pattern::new("d", 4, &[(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]).unwrap();
    let directed = Pattern::directed("c", 3, &[(0, 1), (1, 2), (2, 0)]).unwrap();
    assert!(
        ![path, diamond, directed, cycle(4).with_vertex_label(0, 1).unwrap()]
            .iter()
            .any(CycleKernel::accepts)
    );
}

#[test]
fn graphs_without_vertices_edges_or_cycles() {
    for graph in [
        Graph::from_edges(0, []).unwrap(),
        Graph::from_edges(5, []).unwrap(),
        Graph::from_edges(5, [(0, 1), (1, 2), (1, 3)]).unwrap(),
    ] {
        Cycles::new(&[cycle(3), cycle(5)]).check_all(&graph);
    }
}

/// K_n has C(n, k) (k − 1)! / 2 cycles of length k, the same number on every vertex and every edge.
#[test]
fn complete_graphs() {
    for n in [5u32, 9, 11] {
        let graph = complete(n);
        let patterns: Vec<_> = (3..=n.min(8) as usize).map(cycle).collect();
        let values = Cycles::new(&patterns).values(&graph).unwrap();
        for (i, k) in (3..=u64::from(n.min(8))).enumerate() {
            let n = u64::from(n);
            let arrangements: u64 = (n - k + 1..=n).product();
            let total = arrangements / (2 * k);
            let [v, e] = [false, true]
                .map(|arcs| column(&values, table(Matching::Subgraph, arcs), patterns.len(), i));
            assert_eq!(v, vec![total * k / n; n as usize]);
            assert_eq!(e, vec![total * k * 2 / (n * (n - 1)); graph.edge_count()]);
            let induced = column(&values, table(Matching::Induced, false), patterns.len(), i);
            assert_eq!(induced.iter().sum::<u64>(), if k == 3 { 3 * total } else { 0 });
        }
    }
}

/// A ring of 64 and a ring of 70 with one chord: rings longer than a word, and the longest
/// pattern.
#[test]
fn long_rings() {
    let ring = Graph::from_edges(64, (0..64).map(|v| (v, (v + 1) % 64))).unwrap();
    let chord = (0..70).map(|v| (v, (v + 1) % 70)).chain([(0, 20)]);
    let chord = Graph::from_edges(70, chord).unwrap();
    for (graph, k, cycles) in [(ring, 64, 1), (chord.clone(), 21, 1), (chord, 51, 1)] {
        let values = Cycles::new(&[cycle(k)]).values(&graph).unwrap();
        for values in values {
            assert_eq!(values.unwrap().iter().sum::<u64>(), cycles * k as u64);
        }
    }
}

/// Wheels and prisms have cycles of all lengths with and without chords; a block of a hundred
/// vertices takes the way of large blocks.
#[test]
fn large_blocks_agree_with_the_oracle() {
    let prism = (0..50).flat_map(|v| [(v, (v + 1) % 50), (v + 50, (v + 1) % 50 + 50), (v, v + 50)]);
    let prism = Graph::from_edges(100, prism).unwrap();
    Cycles::new(&[cycle(4), cycle(6), cycle(8)]).check_all(&prism);
    let wheel = (0..70).flat_map(|v| [(v, (v + 1) % 70), (v, 70)]);
    let wheel = Graph::from_edges(71, wheel).unwrap();
    Cycles::new(&[cycle(3), cycle(4), cycle(5)]).check_all(&wheel);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn agrees_with_the_oracle(graph in graphs(0..9), sizes in proptest::sample::subsequence(vec![3, 4, 5, 6, 7], 1..=5), seed: u64) {
        let mut patterns: Vec<_> = sizes.iter().map(|&k| cycle(k)).collect();
        patterns.push(shuffled(&patterns[0], seed)); // the same shape twice
        Cycles::new(&patterns).check_all(&graph);
    }

    /// Both ways of searching give the same numbers and answer the same questions.
    #[test]
    fn small_and_large_searches_agree(graph in graphs(9..13)) {
        // Seventy vertices on a ring through vertex 0 and 1 make the block too large for a word
        // and add only cycles longer than those asked for.
        let patterns: Vec<_> = (3..=8).map(cycle).collect();
        let mut cycles = Cycles::new(&patterns);
        let n = graph.order() as u32;
        let ring = (0..70).map(|i| (n + i, n + i + 1));
        let around: Vec<_> = graph.edges().chain(ring).chain([(0, n), (1, n + 70)]).collect();
        let wide = Graph::from_edges(n as usize + 71, around).unwrap();
        let vertex_only = [true, true, false, false];
        let mut values = |graph: &Graph| {
            cycles.fill(graph, vertex_only, &[0.5], Budget::unlimited()).unwrap().0
        };
        let (small, large) = (values(&graph), values(&wide));
        for m in 0..2 {
            let small = small[m].as_ref().unwrap();
            prop_assert_eq!(&small[..], &large[m].as_ref().unwrap()[..small.len()]);
        }
    }
}

proptest! {
    // The oracle is slow on these.
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn agrees_with_the_oracle_beyond_a_word(graph in wide_graphs(), longest in 3..7usize) {
        let patterns: Vec<_> = (3..=longest).map(cycle).collect();
        Cycles::new(&patterns).check_all(&graph);
    }
}

const INDUCED: WantedTables =
    WantedTables { vertices: true, arcs: true, matchings: [true, false, false] };

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Twins and vertices whose neighbours are all adjacent.
    #[test]
    fn what_is_left_of_a_graph_has_all_of_its_induced_cycles(
        graph in blown_up(2..6),
        sizes in proptest::sample::subsequence(vec![3, 4, 5, 6], 1..=4),
    ) {
        let patterns: Vec<_> = sizes.iter().map(|&k| cycle(k)).collect();
        Cycles::wanting(&patterns, INDUCED).check(&graph);
    }
}

/// Neither the cut of the roots, nor a search that was broken off, nor the tables that are wanted
/// change a number.
#[test]
fn cuts_and_limits_change_nothing_in_what_is_left() {
    // A ring of eight classes of three twins each, every other class a clique, and a fan beside it.
    let twins = |c: u32| (3 * c..3 * c + 3).collect::<Vec<u32>>();
    let mut edges = Vec::new();
    for c in 0..8 {
        let next = twins((c + 1) % 8);
        for &a in &twins(c) {
            edges.extend(next.iter().map(|&b| (a, b)));
            edges.extend(twins(c).into_iter().filter(|&b| c % 2 == 0 && a < b).map(|b| (a, b)));
        }
    }
    edges.extend((24..29).map(|v| (v, v + 1)).chain((24..30).map(|v| (v, 0))));
    let graph = Graph::from_edges(30, edges).unwrap();
    let patterns = [3, 4, 8].map(cycle);
    let kernel = CycleKernel::new(&PatternColumns::of(&patterns), INDUCED);
    let core = kernel.core(&graph, || Ok::<(), ()>(())).unwrap().expect("twins are one vertex");
    assert_eq!((core.len(), core.graph().edge_count()), (8, 8));

    let mut cycles = Cycles::wanting(&patterns, INDUCED);
    let both = [true, false, true, false];
    let (whole, steps) = cycles.fill(&graph, both, &[], Budget::unlimited()).unwrap();
    let eights = column(&whole, table(Matching::Induced, false), 3, 2);
    assert_eq!(eights[..24], [3u64.pow(7); 24]);
    for cut in [0.1, 0.3, 0.9] {
        let again = cycles.fill(&graph, both, &[cut], Budget::unlimited()).unwrap();
        assert_eq!(again, (whole.clone(), steps), "cut at {cut}");
    }
    for one in [[true, false, false, false], [false, false, true, false]] {
        let (values, _) = cycles.fill(&graph, one, &[], Budget::unlimited()).unwrap();
        for (at, wanted) in one.into_iter().enumerate() {
            assert_eq!(values[at], whole[at].clone().filter(|_| wanted));
        }
    }
    assert_eq!(cycles.fill(&graph, both, &[], Budget::steps(steps / 2)), Err(Stop::Steps));
    assert_eq!(cycles.fill(&graph, both, &[], Budget::unlimited()).unwrap(), (whole, steps));
}
