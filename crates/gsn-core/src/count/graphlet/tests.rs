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
        if wanted { Table::zeros(rows, columns, rows) } else { None }
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
    let step = small::Step::new(tasks.to_vec());
    check(graph, tasks, |out, meter| run(graph, &step, out, meter));
}

fn check_five(graph: &Graph, tasks: &[Task]) {
    let step = five::Step::new(tasks.to_vec());
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
