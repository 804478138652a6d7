//! What the kernels' tests share: a kernel of any type, run on graphs and compared with the
//! oracle and with itself.

use super::budget::{Budget, Limits, Stop};
use super::cells::{CountTable, CountTables, PatternColumns, WantedTables};
use super::kernel::{Kernel, Piece};
use super::{MATCHINGS, Matching, oracle};
use crate::graph::Graph;
use crate::pattern::Pattern;
use crate::random::Random;
use proptest::prelude::*;

/// The tables of one run: vertex rows of both matchings, then arc rows, where wanted.
pub(crate) type Values = [Option<Vec<u64>>; 4];

/// The position of a table in [`Values`].
pub(crate) fn table(matching: Matching, arcs: bool) -> usize {
    2 * usize::from(arcs) + matching as usize
}

/// A kernel with the patterns that it counts, and its memory.
pub(crate) struct Tested<K: Kernel> {
    kernel: K,
    columns: Vec<PatternColumns>,
    tables: [bool; 4],
    prepared: K::Prepared,
    scratch: K::Scratch,
}

impl<K: Kernel> Tested<K> {
    /// Counts these patterns in all tables.
    pub(crate) fn new(patterns: &[Pattern]) -> Self {
        Self::wanting(patterns, WantedTables::ALL)
    }

    /// Counts these patterns in some tables.
    pub(crate) fn wanting(patterns: &[Pattern], wanted: WantedTables) -> Self {
        assert!(patterns.iter().all(K::accepts));
        let columns = PatternColumns::of(patterns);
        let WantedTables { vertices, arcs, matchings: [induced, subgraph, _] } = wanted;
        Self {
            kernel: K::new(&columns, wanted),
            columns,
            tables: [(induced, vertices), (subgraph, vertices), (induced, arcs), (subgraph, arcs)]
                .map(|(matching, rows)| matching && rows),
            prepared: K::Prepared::default(),
            scratch: K::Scratch::default(),
        }
    }

    /// Columns of vertex tables and of arc tables.
    pub(crate) fn widths(&self) -> (usize, usize) {
        self.columns.last().map_or((0, 0), PatternColumns::end)
    }

    /// Fills some tables; also says how many steps it took. The roots are cut at these shares of
    /// them, and the last ones run first.
    pub(crate) fn fill(
        &mut self,
        graph: &Graph,
        tables: [bool; 4],
        cuts: &[f64],
        budget: Budget,
    ) -> Result<(Values, u64), Stop> {
        let widths = self.widths();
        let table =
            |want: bool, rows, columns| want.then(|| CountTable::zeros(rows, columns).unwrap());
        let mut filled = CountTables {
            vertex: [0, 1, 2].map(|m| table(m < 2 && tables[m], graph.order(), widths.0)),
            arc: [0, 1, 2].map(|m| table(m < 2 && tables[2 + m], graph.edge_count(), widths.1)),
        };
        let limits = Limits::new(budget, None);
        let mut meter = limits.meter();
        self.kernel.prepare(graph, &mut self.prepared, &mut meter)?;
        let mut end = self.kernel.roots(graph, &self.prepared);
        let ends: Vec<usize> = cuts.iter().map(|cut| (cut * end as f64) as usize).collect();
        for &start in [0].iter().chain(&ends).rev() {
            self.kernel.run(Piece {
                graph,
                prepared: &self.prepared,
                roots: start..end,
                scratch: &mut self.scratch,
                out: &mut filled.plain(),
                meter: &mut meter,
            })?;
            end = start;
        }
        meter.close()?;
        let CountTables { vertex: [a, b, _], arc: [c, d, _] } = filled;
        let all = [a, b, c, d];
        if all.iter().flatten().any(|table| table.overflow().is_some()) {
            return Err(Stop::Overflow);
        }
        Ok((all.map(|table| table.map(CountTable::into_values)), limits.used()))
    }

    /// All tables.
    pub(crate) fn values(&mut self, graph: &Graph) -> Result<Values, Stop> {
        let filled = self.fill(graph, self.tables, &[0.5], Budget::unlimited());
        filled.map(|(values, _)| values)
    }

    /// Checks every cell against the oracle.
    pub(crate) fn check(&mut self, graph: &Graph) {
        let filled = self.fill(graph, self.tables, &[1.0 / 3.0, 0.5], Budget::unlimited());
        let (values, _) = filled.expect("no limit, no overflow");
        let widths = self.widths();
        for matching in MATCHINGS {
            for own in &self.columns {
                let (by_vertex, by_edge) = expected(graph, own, matching);
                for (arcs, rows, width, first) in [
                    (false, by_vertex, widths.0, own.vertex_column),
                    (true, by_edge, widths.1, own.arc_column),
                ] {
                    let Some(values) = &values[table(matching, arcs)] else { continue };
                    for (row, want) in rows.iter().enumerate() {
                        let found = &values[row * width + first..][..want.len()];
                        let name = own.pattern.name();
                        assert_eq!(found, want, "{name} {matching:?} arcs {arcs} row {row}");
                    }
                }
            }
        }
    }

    /// Checks against the oracle, and that neither the cut nor the choice of tables changes a
    /// number, that the number of steps depends on neither threads nor cuts, and that a run that
    /// is broken off leaves nothing behind.
    pub(crate) fn check_all(&mut self, graph: &Graph) {
        self.check(graph);
        assert!(self.kernel.estimate(graph) >= 0.0);
        let free = Budget::unlimited();
        let (whole, steps) = self.fill(graph, [true; 4], &[], free).unwrap();
        for cut in [0.3, 0.5, 1.0] {
            let (values, used) = self.fill(graph, [true; 4], &[cut], free).unwrap();
            assert_eq!(values, whole, "cut at {cut}");
            assert_eq!(used, steps, "cut at {cut}");
        }
        for choice in 1..15 {
            let wanted = [0, 1, 2, 3].map(|i| choice >> i & 1 == 1);
            let (values, _) = self.fill(graph, wanted, &[], free).unwrap();
            for (i, want) in wanted.into_iter().enumerate() {
                assert_eq!(values[i], if want { whole[i].clone() } else { None }, "table {i}");
            }
        }
        if steps > 1 {
            let stopped = self.fill(graph, [true; 4], &[], Budget::steps(steps / 2));
            assert_eq!(stopped, Err(Stop::Steps));
            let again = self.fill(graph, [true; 4], &[], free).unwrap();
            assert_eq!(again, (whole, steps));
        }
    }

    /// Checks that isolated vertices, which make a graph too large for a word, change nothing.
    pub(crate) fn check_widened(&mut self, graph: &Graph) {
        let wide = Graph::from_edges(70, graph.edges()).unwrap();
        let (small, large) = (self.values(graph).unwrap(), self.values(&wide).unwrap());
        for (small, large) in small.iter().zip(&large) {
            let small = small.as_ref().unwrap();
            assert_eq!(&small[..], &large.as_ref().unwrap()[..small.len()]);
        }
    }
}

/// One column of a table, row by row.
pub(crate) fn column(values: &Values, table: usize, columns: usize, column: usize) -> Vec<u64> {
    values[table].as_ref().unwrap().iter().skip(column).step_by(columns).copied().collect()
}

/// Vertex and edge rows by the oracle; an edge row holds the orbits of its arc `u → v`, `u < v`.
fn expected(
    graph: &Graph,
    own: &PatternColumns,
    matching: Matching,
) -> (Vec<Vec<u64>>, Vec<Vec<u64>>) {
    let found = oracle::maps(&own.pattern, graph, matching);
    let group = oracle::automorphism_count(&own.pattern);
    let mut vertex = vec![vec![0; own.orbits.vertex_count()]; graph.order()];
    for (&(v, a), &maps) in &found.vertex {
        vertex[v as usize][own.orbits.vertex(a)] += maps;
    }
    let mut arc = vec![vec![0; own.orbits.arc_count()]; graph.edge_count()];
    for (&((u, v), (a, b)), &maps) in &found.arc {
        if graph.is_directed() || u < v {
            let edge = graph.edge_id(graph.arc_id(u, v).unwrap());
            arc[edge][own.orbits.arc(a, b)] += maps;
        }
    }
    for cell in vertex.iter_mut().chain(&mut arc).flatten() {
        assert_eq!(*cell % group, 0);
        *cell /= group;
    }
    (vertex, arc)
}

/// n choose k.
pub(crate) fn choose(n: u64, k: u64) -> u64 {
    let product = (0..k).fold(1u128, |c, i| c * u128::from(n - i) / u128::from(i + 1));
    product.try_into().unwrap()
}

/// Random undirected graphs from empty to dense, isolated vertices included.
pub(crate) fn graphs(orders: std::ops::Range<usize>) -> impl Strategy<Value = Graph> {
    (orders, 0.0..1.0f64, any::<u64>()).prop_map(|(n, density, seed)| {
        let mut random = Random::new(seed);
        let pairs = (0..n as u32).flat_map(|u| (0..u).map(move |v| (u, v)));
        Graph::from_edges(n, pairs.filter(|_| random.unit() <= density)).unwrap()
    })
}

/// Sparse graphs of more than 64 vertices, blocks of more than 64 vertices among them.
pub(crate) fn wide_graphs() -> impl Strategy<Value = Graph> {
    (65..90usize, 0.8..1.6f64, any::<u64>()).prop_map(|(n, mean, seed)| {
        let mut random = Random::new(seed);
        let mut edges: Vec<(u32, u32)> = Vec::new();
        for _ in 0..(n as f64 * mean) as usize {
            let (u, v) = (random.below(n), random.below(n));
            edges.push((u as u32, v as u32));
            // Close a triangle or a square now and then, so that chords occur.
            if let Some(&(a, b)) = edges.get(random.below(edges.len() * 2)) {
                edges.push((a, v as u32));
                if random.below(3) == 0 {
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

/// The same pattern with its vertices numbered some other way.
pub(crate) fn shuffled(pattern: &Pattern, seed: u64) -> Pattern {
    let names = Random::new(seed).permutation(pattern.order());
    let edges: Vec<_> =
        pattern.edges().map(|(a, b)| (names[a] as usize, names[b] as usize)).collect();
    Pattern::new(format!("{}, shuffled", pattern.name()), pattern.order(), &edges).unwrap()
}
