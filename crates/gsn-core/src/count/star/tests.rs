use super::*;
use crate::count::MATCHINGS;
use crate::count::testing::*;
use proptest::prelude::*;

type Stars = Tested<StarKernel>;

fn star(leaves: usize) -> Pattern {
    let edges: Vec<_> = (1..=leaves).map(|a| (0, a)).collect();
    Pattern::new(format!("star:{leaves}"), leaves + 1, &edges).unwrap()
}

#[test]
fn accepts_stars_only() {
    assert!(
        StarKernel::accepts(&star(1))
            && StarKernel::accepts(&star(2))
            && StarKernel::accepts(&star(63))
    );
    assert!(StarKernel::accepts(&shuffled(&star(7), 5)));
    let path = Pattern::new("path", 4, &[(0, 1), (1, 2), (2, 3)]).unwrap();
    let triangle = Pattern::new("triangle", 3, &[(0, 1), (1, 2), (0, 2)]).unwrap();
    let directed = Pattern::directed("s", 3, &[(0, 1), (0, 2)]).unwrap();
    let labelled = star(3).with_vertex_label(0, 1).unwrap();
    assert!(![path, triangle, directed, labelled].iter().any(StarKernel::accepts));
}

#[test]
fn graphs_without_vertices_or_edges() {
    for n in [0, 5, 70] {
        let graph = Graph::from_edges(n, []).unwrap();
        Stars::new(&[star(1), star(2), star(4)]).check_all(&graph);
    }
}

/// A hub of degree d has C(d, l) stars of l leaves, induced or not; a triangle on two spokes
/// takes C(d − 2, l − 2) of the induced ones away.
#[test]
fn hubs() {
    for d in [50u64, 500] {
        let spokes: Vec<_> = (1..=d as u32).map(|v| (0, v)).collect();
        let patterns = [star(3), star(5)];
        let plain = Graph::from_edges(d as usize + 1, spokes.iter().copied()).unwrap();
        let chord = spokes.iter().copied().chain([(7, 9)]);
        let chord = Graph::from_edges(d as usize + 1, chord).unwrap();
        for (graph, triangle) in [(plain, 0), (chord, 1)] {
            let values = Stars::new(&patterns).values(&graph).unwrap();
            for matching in MATCHINGS {
                let lost = if matching == Matching::Induced { triangle } else { 0 };
                for (i, l) in [3u64, 5].into_iter().enumerate() {
                    let centre = values[table(matching, false)].as_ref().unwrap()[2 * i];
                    assert_eq!(centre, choose(d, l) - lost * choose(d - 2, l - 2), "{d} {l}");
                }
            }
        }
    }
}

/// Leaves in numbers near the degree are few although those in between are beyond counting.
#[test]
fn overflow_is_refused_and_small_numbers_are_not() {
    let hub = Graph::from_edges(101, (1..=100).map(|v| (0, v))).unwrap();
    assert_eq!(Stars::new(&[star(2), star(50)]).values(&hub), Err(Stop::Overflow));
    let hub = Graph::from_edges(66, (1..=65).map(|v| (0, v))).unwrap();
    let all_but_two = Stars::new(&[star(63)]).values(&hub).unwrap();
    for matching in MATCHINGS {
        assert_eq!(all_but_two[table(matching, false)].as_ref().unwrap()[0], 65 * 64 / 2);
    }
}

#[test]
fn arcs_that_fit_are_counted_where_the_centre_is_too_large() {
    let hub = Graph::from_edges(101, (1..=100).map(|v| (0, v))).unwrap();
    let matchings = [true, true, false];
    let arcs = WantedTables { vertices: false, arcs: true, matchings };
    // C(100, 18) is larger than 64 bits, C(99, 17) is not.
    let counts = Stars::wanting(&[star(18)], arcs).values(&hub).unwrap();
    for matching in MATCHINGS {
        let spokes = counts[table(matching, true)].as_ref().unwrap();
        assert_eq!(spokes.iter().max(), Some(&5_519_611_944_537_877_494), "{matching:?}");
    }
    assert_eq!(Stars::new(&[star(18)]).values(&hub), Err(Stop::Overflow));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn agrees_with_the_oracle(
        graph in graphs(0..10),
        sizes in proptest::sample::subsequence(vec![1, 2, 3, 4, 5, 6], 1..=6),
        seed: u64,
    ) {
        let mut patterns: Vec<_> = sizes.iter().map(|&l| star(l)).collect();
        patterns.extend(sizes.iter().map(|&l| shuffled(&star(l), seed)));
        Stars::new(&patterns).check_all(&graph);
    }

    #[test]
    fn small_and_large_searches_agree(graph in graphs(20..40)) {
        Stars::new(&[1, 2, 3, 4, 6].map(star)).check_widened(&graph);
        Stars::new(&[1, 3, 5].map(star)).check_widened(&graph);
        Stars::new(&[2, 4].map(star)).check_widened(&graph);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]

    /// Hubs with more neighbours than a word has bits, and edges among those.
    #[test]
    fn wide_hubs(graph in wide_graphs()) {
        let n = graph.order() as u32;
        let edges = graph.edges().chain((0..n).map(|v| (v, n)));
        let hub = Graph::from_edges(n as usize + 1, edges).unwrap();
        Stars::new(&[star(2), star(3)]).check_all(&hub);
    }
}

proptest! {
    // The oracle is slow on these.
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn agrees_with_the_oracle_beyond_a_word(graph in wide_graphs(), most in 1..5usize) {
        let patterns: Vec<_> = (1..=most).map(star).collect();
        Stars::new(&patterns).check_all(&graph);
        for induced in [false, true] {
            let matchings = [induced, true, false];
            let vertices = WantedTables { vertices: true, arcs: false, matchings };
            Stars::wanting(&patterns, vertices).check(&graph);
        }
    }
}
