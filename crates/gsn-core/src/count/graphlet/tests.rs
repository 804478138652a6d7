//! Both kernels against the oracle, all patterns, any numbering, any cut of the roots.

use super::graphlets::{Graphlets, has_edge};
use super::{FormulaKernel, ListingKernel};
use crate::count::budget::{Budget, Stop};
use crate::count::cells::WantedTables;
use crate::count::kernel::Kernel;
use crate::count::testing::{Tested, choose, complete, graphs};
use crate::graph::Graph;
use crate::pattern::Pattern;
use proptest::prelude::*;

/// All connected patterns of `order` vertices, numbered as in the tables or backwards.
pub(super) fn patterns(order: usize, backwards: bool) -> Vec<Pattern> {
    let name = |a: usize| if backwards { order - 1 - a } else { a };
    let mut all = Vec::new();
    for (index, class) in Graphlets::of(order).classes.iter().enumerate() {
        let mut edges = Vec::new();
        for b in 0..order {
            edges
                .extend((0..b).filter(|&a| has_edge(class.code, a, b)).map(|a| (name(a), name(b))));
        }
        all.push(Pattern::new(format!("{order}.{index}"), order, &edges).unwrap());
    }
    all
}

pub(super) fn all_to(order: usize) -> Vec<Pattern> {
    (2..=order).flat_map(|k| patterns(k, k % 2 == 0)).collect()
}

/// The graph with its vertices spread over a longer range, the rest isolated or on a path.
fn widened(graph: &Graph, order: u32, path: bool) -> Graph {
    let n = graph.order() as u32;
    let spread = |v: u32| v * (order / n.max(1));
    let mut edges: Vec<_> = graph.edges().map(|(u, v)| (spread(u), spread(v))).collect();
    if path {
        edges.extend((1..order / 2).map(|v| (v - 1, v)));
    }
    Graph::from_edges(order as usize, edges).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn listing_counts_all_to_five(graph in graphs(0..10)) {
        Tested::<ListingKernel>::new(&all_to(5)).check(&graph);
    }

    #[test]
    fn formulas_count_all_to_five(graph in graphs(0..11)) {
        Tested::<FormulaKernel>::new(&all_to(5)).check(&graph);
    }

    #[test]
    fn formulas_count_all_to_four(graph in graphs(0..14)) {
        Tested::<FormulaKernel>::new(&all_to(4)).check_all(&graph);
    }

    /// More than 64 higher neighbours, so that rows have several words.
    #[test]
    fn formulas_count_four_in_dense_graphs(seed: u64, missing in 0.0..0.4f64) {
        let mut random = crate::random::Random::new(seed);
        let pairs = (0..72u32).flat_map(|u| (0..u).map(move |v| (u, v)));
        let graph = Graph::from_edges(72, pairs.filter(|_| random.unit() >= missing)).unwrap();
        let mut few = Tested::<FormulaKernel>::new(&all_to(4));
        let mut more = all_to(4);
        more.extend(patterns(5, false).pop());
        let mut more = Tested::<FormulaKernel>::new(&more);
        let (few_widths, widths) = (few.widths(), more.widths());
        let (found, expected) = (few.values(&graph).unwrap(), more.values(&graph).unwrap());
        for (at, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let (short, long) =
                if at < 2 { (few_widths.0, widths.0) } else { (few_widths.1, widths.1) };
            let (found, expected) = (found.as_ref().unwrap(), expected.as_ref().unwrap());
            for (found, expected) in found.chunks(short).zip(expected.chunks(long)) {
                prop_assert_eq!(found, &expected[..short]);
            }
        }
    }

    /// Four vertices alone, any patterns and tables.
    #[test]
    fn any_four_vertices_and_tables(
        graph in graphs(0..12),
        chosen in proptest::sample::subsequence((0..9).collect::<Vec<_>>(), 1..4),
        tables in any::<[bool; 4]>(),
    ) {
        let all = all_to(4);
        let patterns: Vec<_> = chosen.iter().map(|&i: &usize| all[i].clone()).collect();
        let [vertices, arcs, induced, subgraph] = tables;
        let wanted = WantedTables { vertices, arcs, matchings: [induced, subgraph, false] };
        Tested::<FormulaKernel>::wanting(&patterns, wanted).check(&graph);
    }

    /// Whatever is left out, what is wanted stays right: any patterns, any tables.
    #[test]
    fn any_patterns_and_tables(
        graph in graphs(0..10),
        chosen in proptest::sample::subsequence((0..30).collect::<Vec<_>>(), 1..4),
        tables in any::<[bool; 4]>(),
    ) {
        let all = all_to(5);
        let patterns: Vec<_> = chosen.iter().map(|&i: &usize| all[i].clone()).collect();
        let [vertices, arcs, induced, subgraph] = tables;
        let wanted = WantedTables { vertices, arcs, matchings: [induced, subgraph, false] };
        Tested::<ListingKernel>::wanting(&patterns, wanted).check(&graph);
        Tested::<FormulaKernel>::wanting(&patterns, wanted).check(&graph);
    }

    #[test]
    fn listing_counts_in_wide_graphs(graph in graphs(0..8), path in any::<bool>()) {
        Tested::<ListingKernel>::new(&all_to(5)).check(&widened(&graph, 70, path));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]

    #[test]
    fn listing_counts_six(graph in graphs(0..8), wide in any::<bool>()) {
        let graph = if wide { widened(&graph, 66, false) } else { graph };
        Tested::<ListingKernel>::new(&patterns(6, true)).check(&graph);
    }
}

#[test]
fn formulas_know_complete_graphs() {
    // More common neighbours than fit a block of columns.
    let graph = complete(100);
    let clique = patterns(5, false).pop().unwrap();
    let (vertex, arc) = totals(&graph, &[clique]);
    assert_eq!(vertex, [choose(99, 4); 100]);
    assert_eq!(arc, vec![choose(98, 3); graph.edge_count()]);
}

/// Induced vertex and arc tables by formulas.
fn totals(graph: &Graph, patterns: &[Pattern]) -> (Vec<u64>, Vec<u64>) {
    let induced = [true, false, true, false];
    let filled =
        Tested::<FormulaKernel>::new(patterns).fill(graph, induced, &[], Budget::unlimited());
    let ([vertex, _, arc, _], _) = filled.expect("no limit, no overflow");
    (vertex.unwrap(), arc.unwrap())
}

#[test]
fn formulas_prepare_the_same_with_any_number_of_threads() {
    // A circulant graph with chords, large enough for several threads.
    let n = 4000u32;
    let edges = (0..n).flat_map(|v| [1, 2, 5, 7 + v % 3].map(|step| (v, (v + step) % n)));
    let graph = Graph::from_edges(n as usize, edges).unwrap();
    for patterns in [patterns(5, false), all_to(4)] {
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| totals(&graph, &patterns))
        };
        assert!(with(1) == with(3));
    }
}

#[test]
fn star_counts_overflow_and_are_refused() {
    // The centre of a star with 200,000 leaves lies on C(200000, 4) > 2⁶⁴ stars of four leaves.
    let leaves = 200_000;
    let graph = Graph::from_edges(leaves + 1, (1..=leaves as u32).map(|v| (0, v))).unwrap();
    let star = Pattern::new("star", 5, &[(0, 1), (0, 2), (0, 3), (0, 4)]).unwrap();
    let wanted = WantedTables { vertices: true, arcs: false, matchings: [false, true, false] };
    let result = Tested::<FormulaKernel>::wanting(&[star], wanted).values(&graph);
    assert_eq!(result, Err(Stop::Overflow));
}

/// Four neighbours of a hub can be chosen in more than 2⁶³ ways; some pairs of them are joined. Any
/// four of them are one occurrence with the hub, and no five vertices are connected without it.
#[test]
fn all_patterns_around_a_hub_are_counted_or_refused() {
    let wanted = WantedTables { vertices: true, arcs: false, matchings: [true, false, false] };
    let mut tested = Tested::<FormulaKernel>::wanting(&patterns(5, false), wanted);
    let width = tested.widths().0;
    let (leaves, pairs) = (60_000u64, 30u64);
    let around = |leaves: u64| {
        let joined = (0..pairs as u32).map(|pair| (2 * pair + 1, 2 * pair + 2));
        let edges = (1..=leaves as u32).map(|leaf| (0, leaf)).chain(joined);
        Graph::from_edges(leaves as usize + 1, edges).unwrap()
    };
    let [Some(values), ..] = tested.values(&around(leaves)).unwrap() else { panic!("no table") };
    for (v, row) in values.chunks(width).enumerate() {
        let all = if v == 0 { choose(leaves, 4) } else { choose(leaves - 1, 3) };
        assert_eq!(row.iter().sum::<u64>(), all, "vertex {v}");
    }
    let apart = |j: u64| choose(pairs, j) * (1 << j) * choose(leaves - 2 * pairs, 4 - j);
    let stars: u64 = (0..=4).map(apart).sum();
    assert!(values[..width].contains(&stars) && values[..width].contains(&choose(pairs, 2)));
    assert_eq!(tested.values(&around(200_000)), Err(Stop::Overflow));
}

#[test]
fn budgets_stop_both_kernels_and_leave_clean_memory() {
    stop_then_check::<ListingKernel>();
    stop_then_check::<FormulaKernel>();
}

fn stop_then_check<K: Kernel>() {
    let mut tested = Tested::<K>::new(&all_to(5));
    let vertices = [true, false, false, false];
    let stopped = tested.fill(&complete(40), vertices, &[], Budget::steps(20_000));
    assert_eq!(stopped, Err(Stop::Steps));
    let sparse = Graph::from_edges(6, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (4, 5)]).unwrap();
    tested.check(&sparse);
}
