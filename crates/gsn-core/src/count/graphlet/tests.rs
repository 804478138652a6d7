//! Both kernels against the oracle, all patterns, any numbering, any cut of the roots.

use super::super::cells::{Outputs, Plain, Task};
use super::super::kernel::Kernel;
use super::super::testing::{check, graphs, tasks};
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

fn check_small(graph: &Graph, tasks: &[Task]) {
    let step = small::Step::new(tasks.to_vec());
    check(graph, tasks, |out: &mut Outputs<Plain<'_>>, meter| {
        step.prepare(graph, &mut (), meter)?;
        let mut scratch = small::Scratch::default();
        for roots in cut(step.roots(graph, &())) {
            step.run(graph, &(), roots, &mut scratch, out, meter)?;
        }
        Ok(())
    });
}

fn check_five(graph: &Graph, tasks: &[Task], wants: Wants) {
    let step = five::Step::wanting(tasks.to_vec(), wants);
    check(graph, tasks, |out: &mut Outputs<Plain<'_>>, meter| {
        let mut prepared = five::Prepared::default();
        step.prepare(graph, &mut prepared, meter)?;
        let mut scratch = five::Scratch::default();
        for roots in cut(step.roots(graph, &prepared)) {
            step.run(graph, &prepared, roots, &mut scratch, out, meter)?;
        }
        Ok(())
    });
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
        check_five(&graph, &tasks(&all_to(5)), Wants::ALL);
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
