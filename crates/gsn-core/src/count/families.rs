//! What the tests of the cycle, path, clique and star kernels share.

use super::budget::{Budget, Limits, Meter, Stop};
use super::cells::{Outputs, Plain, Table, Tables, Task};
use crate::graph::Graph;
use crate::pattern::Pattern;
use proptest::prelude::*;

/// Defines `run`: a kernel over a graph, its roots cut in two somewhere, the later ones first.
macro_rules! define_run {
    () => {
        fn run<C: crate::count::cells::Cells>(
            step: &Step,
            graph: &Graph,
            cut: f64,
            (prepared, scratch): &mut (Prepared, Scratch),
            out: &mut crate::count::cells::Outputs<C>,
            meter: &mut crate::count::budget::Meter<'_>,
        ) -> Result<(), crate::count::budget::Stop> {
            step.prepare(graph, prepared, meter)?;
            let roots = step.roots(graph, prepared);
            let cut = (cut * roots as f64) as usize;
            step.run(graph, prepared, cut..roots, scratch, out, meter)?;
            step.run(graph, prepared, 0..cut, scratch, out, meter)
        }
    };
}
pub(crate) use define_run;

/// The tables of one run: vertex rows of both matchings, then arc rows, where wanted.
pub(crate) type Values = [Option<Vec<u64>>; 4];

/// Runs a kernel with some of the four tables wanted; also says how many steps it took.
pub(crate) fn fill(
    graph: &Graph,
    tasks: &[Task],
    wanted: [bool; 4],
    budget: Budget,
    kernel: impl FnOnce(&mut Outputs<Plain<'_>>, &mut Meter<'_>) -> Result<(), Stop>,
) -> Result<(Values, u64), Stop> {
    let columns = tasks.last().map_or((0, 0), |last| {
        let (v, a) = (last.orbits.vertex_count(), last.orbits.arc_count());
        (last.vertex_column + v, last.arc_column + a)
    });
    let table = |want: bool, rows, columns| want.then(|| Table::zeros(rows, columns).unwrap());
    let mut tables = Tables {
        vertex: [0, 1].map(|m| table(wanted[m], graph.order(), columns.0)),
        arc: [0, 1].map(|m| table(wanted[2 + m], graph.edge_count(), columns.1)),
    };
    let limits = Limits::new(budget, None);
    let mut meter = limits.meter();
    kernel(&mut tables.plain(), &mut meter)?;
    meter.close()?;
    let Tables { vertex: [a, b], arc: [c, d] } = tables;
    let all = [a, b, c, d];
    if all.iter().flatten().any(|table| table.overflow().is_some()) {
        return Err(Stop::Overflow);
    }
    Ok((all.map(|table| table.map(Table::into_values)), limits.used()))
}

/// Checks that neither the cut nor the choice of tables changes a number, and that the number of
/// steps depends on neither threads nor cuts.
pub(crate) fn check_choices(
    graph: &Graph,
    tasks: &[Task],
    mut kernel: impl FnMut(f64, &mut Outputs<Plain<'_>>, &mut Meter<'_>) -> Result<(), Stop>,
) {
    let free = Budget::unlimited();
    let (whole, steps) =
        fill(graph, tasks, [true; 4], free, |out, meter| kernel(0.0, out, meter)).unwrap();
    for cut in [0.3, 0.5, 1.0] {
        let (values, used) =
            fill(graph, tasks, [true; 4], free, |out, meter| kernel(cut, out, meter)).unwrap();
        assert_eq!(values, whole, "cut at {cut}");
        assert_eq!(used, steps, "cut at {cut}");
    }
    for choice in 1..15 {
        let wanted = [0, 1, 2, 3].map(|i| choice >> i & 1 == 1);
        let (values, _) =
            fill(graph, tasks, wanted, free, |out, meter| kernel(0.0, out, meter)).unwrap();
        for (i, want) in wanted.into_iter().enumerate() {
            assert_eq!(values[i], if want { whole[i].clone() } else { None }, "table {i}");
        }
    }
    // A run that is broken off leaves nothing behind.
    if steps > 1 {
        let short = Budget::steps(steps / 2);
        let stopped = fill(graph, tasks, [true; 4], short, |out, meter| kernel(0.0, out, meter));
        assert_eq!(stopped, Err(Stop::Steps));
        let (again, used) =
            fill(graph, tasks, [true; 4], free, |out, meter| kernel(0.0, out, meter)).unwrap();
        assert_eq!((again, used), (whole, steps));
    }
}

/// The same pattern with its vertices numbered some other way.
pub(crate) fn shuffled(pattern: &Pattern, seed: u64) -> Pattern {
    let n = pattern.order();
    let mut names: Vec<usize> = (0..n).collect();
    let mut state = seed;
    for i in (1..n).rev() {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        names.swap(i, (state >> 33) as usize % (i + 1));
    }
    let edges: Vec<_> = pattern.edges().map(|(a, b)| (names[a], names[b])).collect();
    Pattern::new(format!("{}, shuffled", pattern.name()), n, &edges).unwrap()
}

/// Sparse graphs of more than 64 vertices, blocks of more than 64 vertices among them.
pub(crate) fn wide_graphs() -> impl Strategy<Value = Graph> {
    (65..90usize, 0.8..1.6f64, any::<u64>()).prop_map(|(n, mean, seed)| {
        let mut state = seed;
        let mut below = move |n: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % n
        };
        let mut edges: Vec<(u32, u32)> = Vec::new();
        for _ in 0..(n as f64 * mean) as usize {
            let (u, v) = (below(n), below(n));
            edges.push((u as u32, v as u32));
            // Close a triangle or a square now and then, so that chords occur.
            if let Some(&(a, b)) = edges.get(below(edges.len() * 2)) {
                edges.push((a, v as u32));
                if below(3) == 0 {
                    edges.push((b, v as u32));
                }
            }
        }
        Graph::from_edges(n, edges).unwrap()
    })
}

/// The complete graph.
pub(crate) fn complete(n: u32) -> Graph {
    Graph::from_edges(n as usize, (0..n).flat_map(|u| (0..u).map(move |v| (u, v)))).unwrap()
}

/// The sum of a column over all rows of a table.
pub(crate) fn column(values: &Values, table: usize, columns: usize, column: usize) -> Vec<u64> {
    values[table].as_ref().unwrap().iter().skip(column).step_by(columns).copied().collect()
}

/// Tables in the order of [`Values`].
pub(crate) fn table(matching: super::Matching, arcs: bool) -> usize {
    2 * usize::from(arcs) + matching as usize
}
