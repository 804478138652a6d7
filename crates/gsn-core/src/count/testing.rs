//! What the kernels' tests share: run a kernel on a graph and compare with the oracle.

use super::budget::{Budget, Limits, Meter, Stop};
use super::cells::{Outputs, Plain, Table, Tables, Task};
use super::{MATCHINGS, Matching, oracle};
use crate::graph::Graph;
use crate::orbit::{EdgeOrbits, Orbits};
use crate::pattern::Pattern;
use proptest::prelude::*;

/// Tasks for these patterns, their columns side by side.
pub(crate) fn tasks(patterns: &[Pattern]) -> Vec<Task> {
    let (mut vertex_column, mut arc_column) = (0, 0);
    patterns
        .iter()
        .map(|pattern| {
            let orbits = Orbits::of(pattern, EdgeOrbits::Exact);
            let task = Task { pattern: pattern.clone(), orbits, vertex_column, arc_column };
            vertex_column += task.orbits.vertex_count();
            arc_column += task.orbits.arc_count();
            task
        })
        .collect()
}

/// Runs `kernel` with all four tables wanted and checks every cell against the oracle.
pub(crate) fn check(
    graph: &Graph,
    tasks: &[Task],
    kernel: impl FnOnce(&mut Outputs<Plain<'_>>, &mut Meter<'_>) -> Result<(), Stop>,
) {
    let last = tasks.last().expect("some task");
    let columns = (
        last.vertex_column + last.orbits.vertex_count(),
        last.arc_column + last.orbits.arc_count(),
    );
    let table = |rows, columns| Table::zeros(rows, columns);
    let mut tables = Tables {
        vertex: MATCHINGS.map(|_| table(graph.order(), columns.0)),
        arc: MATCHINGS.map(|_| table(graph.edge_count(), columns.1)),
    };
    let limits = Limits::new(Budget::unlimited(), None);
    kernel(&mut tables.plain(), &mut limits.meter()).expect("no limit, no overflow");
    for matching in MATCHINGS {
        let vertex = tables.vertex[matching as usize].take().unwrap().into_values();
        let arc = tables.arc[matching as usize].take().unwrap().into_values();
        for task in tasks {
            let (v, a) = expected(graph, task, matching);
            let name = task.pattern.name();
            for (row, want) in v.iter().enumerate() {
                let at = row * columns.0 + task.vertex_column;
                assert_eq!(&vertex[at..at + want.len()], want, "{name} {matching:?} vertex {row}");
            }
            for (row, want) in a.iter().enumerate() {
                let at = row * columns.1 + task.arc_column;
                assert_eq!(&arc[at..at + want.len()], want, "{name} {matching:?} edge {row}");
            }
        }
    }
}

/// Vertex and edge rows by the oracle; an edge row holds the orbits of its arc `u → v`, `u < v`.
pub(crate) fn expected(
    graph: &Graph,
    task: &Task,
    matching: Matching,
) -> (Vec<Vec<u64>>, Vec<Vec<u64>>) {
    let found = oracle::maps(&task.pattern, graph, matching);
    let group = oracle::automorphism_count(&task.pattern);
    let mut vertex = vec![vec![0; task.orbits.vertex_count()]; graph.order()];
    for (&(v, a), &maps) in &found.vertex {
        vertex[v as usize][task.orbits.vertex(a)] += maps;
    }
    let mut arc = vec![vec![0; task.orbits.arc_count()]; graph.edge_count()];
    for (&((u, v), (a, b)), &maps) in &found.arc {
        if graph.is_directed() || u < v {
            let edge = graph.edge_id(graph.arc_id(u, v).unwrap());
            arc[edge][task.orbits.arc(a, b)] += maps;
        }
    }
    for cell in vertex.iter_mut().chain(&mut arc).flatten() {
        assert_eq!(*cell % group, 0);
        *cell /= group;
    }
    (vertex, arc)
}

/// Random undirected graphs from empty to dense, isolated vertices included.
pub(crate) fn graphs(orders: std::ops::Range<usize>) -> impl Strategy<Value = Graph> {
    (orders, 0.0..1.0f64, any::<u64>()).prop_map(|(n, density, seed)| {
        let mut state = seed;
        let mut edges = Vec::new();
        for u in 0..n as u32 {
            for v in 0..u {
                // SplitMix64, so that a case is told by its three numbers.
                state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
                let mut z = state;
                z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
                z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
                if ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64 <= density {
                    edges.push((u, v));
                }
            }
        }
        Graph::from_edges(n, edges).unwrap()
    })
}
