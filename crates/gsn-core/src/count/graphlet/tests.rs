//! Both kernels against the oracle, all patterns, any numbering, any cut of the roots.

use super::super::MATCHINGS;
use super::super::budget::{Budget, Limits, Meter, Stop};
use super::super::cells::{Outputs, Plain, Table, Tables, Task};
use super::super::kernel::Kernel;
use super::super::testing::{check, expected, graphs, tasks};
use super::tables::{Size, has_edge};
use super::{Wants, five, small};
use crate::graph::Graph;
use crate::pattern::Pattern;
use proptest::prelude::*;

/// All connected patterns of `order` vertices, numbered as in the tables or backwards.
pub(super) fn patterns(order: usize, backwards: bool) -> Vec<Pattern> {
    let name = |a: usize| if backwards { order - 1 - a } else { a };
    let mut all = Vec::new();
    for (index, class) in Size::of(order).classes.iter().enumerate() {
        let mut edges = Vec::new();
        for b in 0..order {
            edges
                .extend((0..b).filter(|&a| has_edge(class.code, a, b)).map(|a| (name(a), name(b))));
        }
        all.push(Pattern::new(format!("{order}.{index}"), order, &edges).unwrap());
    }
    all
}

fn all_to(order: usize) -> Vec<Pattern> {
    (2..=order).flat_map(|k| patterns(k, k % 2 == 0)).collect()
}

/// Cuts the roots in three.
fn cut(roots: usize) -> [std::ops::Range<usize>; 3] {
    [roots / 3..roots / 2, 0..roots / 3, roots / 2..roots]
}

/// Runs a kernel with some tables and compares with the oracle.
fn check_some<K: Kernel>(graph: &Graph, tasks: &[Task], wants: Wants, step: &K) {
    let last = tasks.last().expect("some task");
    let vertex_columns = last.vertex_column + last.orbits.vertex_count();
    let arc_columns = last.arc_column + last.orbits.arc_count();
    let table = |wanted: bool, rows: usize, columns: usize| {
        if wanted { Table::zeros(rows, columns) } else { None }
    };
    let mut tables = Tables {
        vertex: wants.matchings.map(|m| table(m && wants.vertices, graph.order(), vertex_columns)),
        arc: wants.matchings.map(|m| table(m && wants.arcs, graph.edge_count(), arc_columns)),
    };
    run(graph, step, &mut tables.plain(), &mut Limits::new(Budget::unlimited(), None).meter())
        .expect("no limit, no overflow");
    for matching in MATCHINGS {
        let vertex = tables.vertex[matching as usize].take().map(Table::into_values);
        let arc = tables.arc[matching as usize].take().map(Table::into_values);
        for task in tasks {
            let (by_vertex, by_edge) = expected(graph, task, matching);
            for (values, want, columns, first) in [
                (&vertex, by_vertex, vertex_columns, task.vertex_column),
                (&arc, by_edge, arc_columns, task.arc_column),
            ] {
                let Some(values) = values else { continue };
                for (row, want) in want.iter().enumerate() {
                    let at = row * columns + first;
                    assert_eq!(&values[at..at + want.len()], want, "{}", task.pattern.name());
                }
            }
        }
    }
}

fn run<K: Kernel>(
    graph: &Graph,
    step: &K,
    out: &mut Outputs<Plain<'_>>,
    meter: &mut Meter<'_>,
) -> Result<(), Stop> {
    let (mut prepared, mut scratch) = (K::Prepared::default(), K::Scratch::default());
    step.prepare(graph, &mut prepared, meter)?;
    for roots in cut(step.roots(graph, &prepared)) {
        step.run(graph, &prepared, roots, &mut scratch, out, meter)?;
    }
    Ok(())
}

fn check_small(graph: &Graph, tasks: &[Task]) {
    let step = small::Step::wanting(tasks.to_vec(), Wants::ALL);
    check(graph, tasks, |out, meter| run(graph, &step, out, meter));
}

fn check_five(graph: &Graph, tasks: &[Task]) {
    let step = five::Step::wanting(tasks.to_vec(), Wants::ALL);
    check(graph, tasks, |out, meter| run(graph, &step, out, meter));
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
    fn small_counts_all_to_five(graph in graphs(0..10)) {
        check_small(&graph, &tasks(&all_to(5)));
    }

    #[test]
    fn five_counts_all_to_five(graph in graphs(0..11)) {
        check_five(&graph, &tasks(&all_to(5)));
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
        let tasks = tasks(&patterns);
        let [vertices, arcs, induced, subgraph] = tables;
        let wants = Wants { vertices, arcs, matchings: [induced, subgraph] };
        let step = small::Step::wanting(tasks.clone(), wants);
        let five = five::Step::wanting(tasks.clone(), wants);
        check_some(&graph, &tasks, wants, &step);
        check_some(&graph, &tasks, wants, &five);
    }

    #[test]
    fn small_counts_in_wide_graphs(graph in graphs(0..8), path in any::<bool>()) {
        check_small(&widened(&graph, 70, path), &tasks(&all_to(5)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]

    #[test]
    fn small_counts_six(graph in graphs(0..8), wide in any::<bool>()) {
        let graph = if wide { widened(&graph, 66, false) } else { graph };
        check_small(&graph, &tasks(&patterns(6, true)));
    }
}

/// n choose k.
fn choose(n: u64, k: u64) -> u64 {
    (0..k).fold(1, |product, i| product * (n - i) / (i + 1))
}

#[test]
fn five_knows_complete_graphs() {
    // More common neighbours than fit a block of columns.
    let n = 100;
    let graph =
        Graph::from_edges(n, (0..n as u32).flat_map(|v| (0..v).map(move |u| (u, v)))).unwrap();
    let clique = patterns(5, false).pop().unwrap();
    let (vertex, arc) = totals(&graph, &tasks(&[clique]));
    assert_eq!(vertex, [choose(99, 4); 100]);
    assert_eq!(arc, vec![choose(98, 3); graph.edge_count()]);
}

/// Induced vertex and arc tables of the kernel `five`.
fn totals(graph: &Graph, tasks: &[Task]) -> (Vec<u64>, Vec<u64>) {
    let step = five::Step::wanting(tasks.to_vec(), Wants::ALL);
    let last = tasks.last().expect("some task");
    let vertex_columns = last.vertex_column + last.orbits.vertex_count();
    let arc_columns = last.arc_column + last.orbits.arc_count();
    let mut tables = Tables {
        vertex: [Table::zeros(graph.order(), vertex_columns), None],
        arc: [Table::zeros(graph.edge_count(), arc_columns), None],
    };
    run(graph, &step, &mut tables.plain(), &mut Limits::new(Budget::unlimited(), None).meter())
        .expect("no limit, no overflow");
    let [vertex, arc] = [tables.vertex, tables.arc].map(|[table, _]| table.unwrap().into_values());
    (vertex, arc)
}

#[test]
fn five_prepares_the_same_with_any_number_of_threads() {
    // A circulant graph with chords, large enough for several threads.
    let n = 4000u32;
    let edges = (0..n).flat_map(|v| [1, 2, 5, 7 + v % 3].map(|step| (v, (v + step) % n)));
    let graph = Graph::from_edges(n as usize, edges).unwrap();
    let tasks = tasks(&patterns(5, false));
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| totals(&graph, &tasks))
    };
    assert!(with(1) == with(3));
}

#[test]
fn star_counts_overflow_and_are_refused() {
    // The centre of a star with 200,000 leaves lies on C(200000, 4) > 2⁶⁴ stars of four leaves.
    let leaves = 200_000;
    let graph = Graph::from_edges(leaves + 1, (1..=leaves as u32).map(|v| (0, v))).unwrap();
    let star = Pattern::new("star", 5, &[(0, 1), (0, 2), (0, 3), (0, 4)]).unwrap();
    let wants = Wants { vertices: true, arcs: false, matchings: [false, true] };
    let step = five::Step::wanting(tasks(&[star]), wants);
    let mut tables = Tables { vertex: [None, Table::zeros(graph.order(), 2)], arc: [None, None] };
    let limits = Limits::new(Budget::unlimited(), None);
    let result = run(&graph, &step, &mut tables.plain(), &mut limits.meter());
    assert_eq!(result, Err(Stop::Overflow));
}

#[test]
fn budgets_stop_both_kernels_and_leave_clean_memory() {
    let n = 40;
    let graph =
        Graph::from_edges(n, (0..n as u32).flat_map(|v| (0..v).map(move |u| (u, v)))).unwrap();
    let tasks = tasks(&all_to(5));
    let sparse = Graph::from_edges(6, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (4, 5)]).unwrap();
    stop_then_check(&small::Step::wanting(tasks.clone(), Wants::ALL), &graph, &sparse, &tasks);
    stop_then_check(&five::Step::wanting(tasks.clone(), Wants::ALL), &graph, &sparse, &tasks);
}

fn stop_then_check<K: Kernel>(step: &K, large: &Graph, graph: &Graph, tasks: &[Task]) {
    let (mut prepared, mut scratch) = (K::Prepared::default(), K::Scratch::default());
    let last = tasks.last().expect("some task");
    let columns = last.vertex_column + last.orbits.vertex_count();
    let mut tables =
        Tables { vertex: [Table::zeros(large.order(), columns), None], arc: [None, None] };
    let limits = Limits::new(Budget::steps(20_000), None);
    let mut meter = limits.meter();
    let mut go = || {
        step.prepare(large, &mut prepared, &mut meter)?;
        let roots = 0..step.roots(large, &prepared);
        step.run(large, &prepared, roots, &mut scratch, &mut tables.plain(), &mut meter)
    };
    assert_eq!(go(), Err(Stop::Steps));
    check(graph, tasks, |out, meter| {
        step.prepare(graph, &mut prepared, meter)?;
        let roots = 0..step.roots(graph, &prepared);
        step.run(graph, &prepared, roots, &mut scratch, out, meter)
    });
}
