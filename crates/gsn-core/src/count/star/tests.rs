use super::*;
use crate::count::MATCHINGS;
use crate::count::budget::Budget;
use crate::count::families::*;
use crate::count::testing::{check, graphs, tasks};
use proptest::prelude::*;

define_run!();

fn star(leaves: usize) -> Pattern {
    let edges: Vec<_> = (1..=leaves).map(|a| (0, a)).collect();
    Pattern::new(format!("star:{leaves}"), leaves + 1, &edges).unwrap()
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

#[test]
fn accepts_stars_only() {
    assert!(Step::accepts(&star(1)) && Step::accepts(&star(2)) && Step::accepts(&star(63)));
    assert!(Step::accepts(&shuffled(&star(7), 5)));
    let path = Pattern::new("path", 4, &[(0, 1), (1, 2), (2, 3)]).unwrap();
    let triangle = Pattern::new("triangle", 3, &[(0, 1), (1, 2), (0, 2)]).unwrap();
    let directed = Pattern::directed("s", 3, &[(0, 1), (0, 2)]).unwrap();
    let labelled = star(3).with_vertex_label(0, 1).unwrap();
    assert!(![path, triangle, directed, labelled].iter().any(Step::accepts));
}

#[test]
fn graphs_without_vertices_or_edges() {
    for n in [0, 5, 70] {
        check_all(&Graph::from_edges(n, []).unwrap(), &[star(1), star(2), star(4)]);
    }
}

/// A hub of degree d has C(d, l) stars of l leaves, induced or not; a triangle on two spokes
/// takes C(d − 2, l − 2) of the induced ones away.
#[test]
fn hubs() {
    let choose = |n: u64, k: u64| (0..k).fold(1u64, |c, i| c * (n - i) / (i + 1));
    for d in [50u64, 500] {
        let spokes: Vec<_> = (1..=d as u32).map(|v| (0, v)).collect();
        let patterns = [star(3), star(5)];
        let plain = Graph::from_edges(d as usize + 1, spokes.iter().copied()).unwrap();
        let chord = spokes.iter().copied().chain([(7, 9)]);
        let chord = Graph::from_edges(d as usize + 1, chord).unwrap();
        for (graph, triangle) in [(plain, 0), (chord, 1)] {
            let values = values(&step(&patterns), &graph).unwrap();
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
    assert_eq!(values(&step(&[star(2), star(50)]), &hub), Err(Stop::Overflow));
    let hub = Graph::from_edges(66, (1..=65).map(|v| (0, v))).unwrap();
    let all_but_two = values(&step(&[star(63)]), &hub).unwrap();
    for matching in MATCHINGS {
        assert_eq!(all_but_two[table(matching, false)].as_ref().unwrap()[0], 65 * 64 / 2);
    }
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
        check_all(&graph, &patterns);
    }

    /// Isolated vertices make the graph too large for a word and change nothing else.
    #[test]
    fn small_and_large_searches_agree(graph in graphs(20..40)) {
        let step = step(&[star(1), star(2), star(3), star(4), star(6)]);
        let wide = Graph::from_edges(70, graph.edges()).unwrap();
        let (small, large) = (values(&step, &graph).unwrap(), values(&step, &wide).unwrap());
        for (small, large) in small.iter().zip(&large) {
            let small = small.as_ref().unwrap();
            prop_assert_eq!(&small[..], &large.as_ref().unwrap()[..small.len()]);
        }
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
        check_all(&hub, &[star(2), star(3)]);
    }
}

proptest! {
    // The oracle is slow on these.
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn agrees_with_the_oracle_beyond_a_word(graph in wide_graphs(), most in 1..5usize) {
        let patterns: Vec<_> = (1..=most).map(star).collect();
        check_all(&graph, &patterns);
    }
}
