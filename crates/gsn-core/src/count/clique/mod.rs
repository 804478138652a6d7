//! Cliques of any set of sizes at once, vertices and arcs; induced and subgraph are the same.
//!
//! Graphs of at most 64 vertices are searched as a whole. In others every clique starts at its
//! first vertex in an order in which each has few later neighbours (`graph/oriented.rs`) and lies
//! among these, whose adjacency becomes bit rows. The search itself is `pivot`: nothing is listed. Where nearly all of
//! them are adjacent and only vertices are counted, cliques of up to six are independent sets among
//! the few pairs that are not (`independent`).
//!
//! O(n + m) to prepare; at most 3^(d/3) leaves a root for d later neighbours, in practice a few.

mod local;
#[cfg(test)]
mod tests;

use super::budget::{Meter, Stop};
use super::cells::{Cells, Outputs, PatternColumns, WantedTables};
use super::cost::nanoseconds;
use super::independent::{self, IndependentSets, MAX_SET, SetCounts};
use super::kernel::{Kernel, Piece, SmallMembers, Use, is_complete, is_plain};
use super::members::Members;
use super::pivot::{Memory, PivotGraph, Pivoter, Sink, WordGraph, full, probe};
use super::probe::{fixed_random, sum_over_roots};
use super::uniform::UniformColumns;
use crate::graph::Graph;
use crate::graph::oriented::{EdgeNumbers, OrientedGraph};
use crate::graph::small::{self as bit, BitGraph, Rows, WORD};
use crate::pattern::{Pattern, bits};
use local::LocalGraph;

/// Counts cliques of any sizes.
#[derive(Clone, Debug)]
pub(super) struct CliqueKernel {
    columns: UniformColumns,
    /// Whether edges are credited.
    numbers: EdgeNumbers,
}

/// Memory of one thread.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    memory: Memory,
    local: LocalGraph,
    sets: independent::Memory,
}

/// Pairs that are not adjacent from which on they are counted with, and the share of all pairs up
/// to which they are; few and many in tests, so that both ways are taken.
const FEWEST_MISSING: usize = if cfg!(test) { 4 } else { 256 };
const MOST_MISSING: f64 = if cfg!(test) { 0.5 } else { 0.2 };

impl Kernel for CliqueKernel {
    const NAME: &'static str = "clique";
    const REASON: &'static str = "all cliques by pivoting, shares by binomials";
    const USE: Use = Use::Family(SmallMembers::Keep);

    type Prepared = PivotGraph;
    type Scratch = Scratch;

    fn accepts(pattern: &Pattern) -> bool {
        is_plain(pattern) && is_complete(pattern)
    }

    fn new(patterns: &[PatternColumns], wanted: WantedTables) -> Self {
        let numbers = if wanted.arcs { EdgeNumbers::Keep } else { EdgeNumbers::Leave };
        Self { columns: UniformColumns::new(patterns), numbers }
    }

    fn prepare(
        &self,
        graph: &Graph,
        prepared: &mut PivotGraph,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        prepared.load(graph, self.numbers, meter)
    }

    /// One for a small graph, otherwise every vertex is one.
    fn roots(&self, graph: &Graph, _: &PivotGraph) -> usize {
        if graph.order() <= WORD { usize::from(graph.edge_count() > 0) } else { graph.order() }
    }

    /// The vertices that the root can form cliques with, two by two.
    fn weight(&self, graph: &Graph, prepared: &PivotGraph, root: usize) -> f64 {
        if graph.order() <= WORD {
            return 1.0;
        }
        let p = prepared.oriented.later(root as u32) as f64;
        1.0 + p * p
    }

    fn memory(&self, graph: &Graph, threads: usize) -> u64 {
        if graph.order() <= WORD {
            return 0;
        }
        let members = threads as u64 * Members::memory(graph.order());
        OrientedGraph::memory(graph, self.numbers) + members
    }

    fn run<C: Cells>(&self, piece: Piece<'_, '_, Self, C>) -> Result<(), Stop> {
        let Piece { graph, prepared, roots, scratch, out, meter } = piece;
        let sizes = self.columns.sizes();
        let Some(&smallest) = sizes.first() else { return Ok(()) };
        if graph.order() <= WORD {
            for _ in roots {
                let ids = Whole(BitGraph::of(graph, &prepared.rows));
                let sink = Credit { columns: &self.columns, out, ids };
                let mut pivoter = Pivoter::new(sizes, &mut scratch.memory, sink, meter);
                let word = WordGraph::plain(prepared.rows);
                pivoter.count(&word, core(graph, &prepared.rows, smallest - 1))?;
            }
            return Ok(());
        }
        let oriented = &prepared.oriented;
        for root in roots {
            let p = oriented.later(root as u32);
            meter.steps(1)?;
            if p + 1 < smallest {
                continue;
            }
            let looked = scratch.local.load(oriented, root as u32, self.numbers);
            meter.steps(looked)?;
            if !self.enough(&scratch.local) {
                continue;
            }
            if self.numbers == EdgeNumbers::Leave && self.sets(oriented, scratch, out, meter)? {
                continue;
            }
            let local = &scratch.local;
            let ids = Part { oriented, local };
            let sink = Credit { columns: &self.columns, out: &mut *out, ids };
            let mut pivoter = Pivoter::new(sizes, &mut scratch.memory, sink, meter);
            match local.word() {
                Some(word) => pivoter.count_with(p, &word, bit::first(p))?,
                None => pivoter.count_with(p, &local.dense(), full(p))?,
            }
        }
        Ok(())
    }

    fn estimate(&self, graph: &Graph) -> f64 {
        self.steps(graph, LOOK, |sets, rest| sets.nanoseconds(rest) / nanoseconds(Self::NAME))
    }

    fn predicted_steps(&self, graph: &Graph) -> f64 {
        self.steps(graph, 1.0, IndependentSets::predicted_steps)
    }
}

/// Steps of a search that take as long as one look at an arc.
const LOOK: f64 = 0.15;

impl CliqueKernel {
    /// Predicted steps, those of independent sets in a neighbourhood as they are told; a look at an
    /// arc counts as `look`. The graph is not oriented for it, since that may take longer than to
    /// count.
    fn steps(
        &self,
        graph: &Graph,
        look: f64,
        of_sets: impl Fn(&IndependentSets, &Graph) -> f64,
    ) -> f64 {
        let reading = (graph.order() + graph.arc_count()) as f64;
        let Some(&smallest) = self.columns.sizes().first() else { return reading };
        let largest = self.columns.largest();
        let mut random = fixed_random();
        if graph.order() <= WORD {
            if graph.arc_count() < 512 {
                return 2.0 * reading;
            }
            let mut rows = [0; WORD];
            bit::fill(graph, &mut rows);
            let word = WordGraph::plain(rows);
            let all = bit::first(graph.order());
            let walks = (0..PROBES).map(|_| probe(&word, all, 0, largest, &mut random));
            return reading + walks.sum::<f64>() / PROBES as f64;
        }
        let mut local = LocalGraph::default();
        // Hubs are last, and the dense part of the graph is among them.
        let order = graph.by_degree();
        let roots = sum_over_roots(graph.order(), &mut random, |root, random| {
            let v = order[order.len() - 1 - root];
            let looked = 1.0 + look * local.sample(graph, v);
            let p = local.len();
            if p + 1 < smallest || !self.enough(&local) {
                return looked;
            }
            if self.numbers == EdgeNumbers::Leave
                && let Some(rest) = self.rest(&local)
            {
                return looked + of_sets(IndependentSets::of(largest - 1), &rest);
            }
            looked
                + match local.word() {
                    Some(word) => probe(&word, bit::first(p), 1, largest, random),
                    None => probe(&local.dense(), full(p), 1, largest, random),
                }
        });
        reading + roots
    }

    /// Whether the later neighbours of a root have as many edges between them as they need for a
    /// clique of the smallest size.
    fn enough(&self, local: &LocalGraph) -> bool {
        let others = self.columns.sizes().first().map_or(0, |&smallest| smallest - 1);
        local.links() >= others * others.saturating_sub(1) / 2
    }

    /// The pairs of later neighbours that are not adjacent, where these are few enough to count
    /// with.
    fn rest(&self, local: &LocalGraph) -> Option<Graph> {
        let p = local.len();
        let missing = local.missing();
        let few = missing as f64 <= MOST_MISSING * (p * p / 2) as f64;
        let size = (2..=MAX_SET).contains(&(self.columns.largest() - 1));
        if !size || missing < FEWEST_MISSING || !few {
            return None;
        }
        Graph::from_edges(p, local.missing_pairs()).ok()
    }

    /// Cliques of the root that is loaded and its later neighbours, by the pairs of these that are
    /// not adjacent; `false` if that is not worth it.
    fn sets<C: Cells>(
        &self,
        oriented: &OrientedGraph,
        scratch: &mut Scratch,
        out: &mut Outputs<C>,
        meter: &mut Meter<'_>,
    ) -> Result<bool, Stop> {
        let Scratch { local, sets, .. } = scratch;
        let Some(rest) = self.rest(local) else { return Ok(false) };
        let largest = self.columns.largest() - 1;
        let p = rest.order();
        meter.steps((p + rest.edge_count()) as u64)?;
        let mut fits = true;
        let sizes = self.columns.sizes();
        let mut wanted = |counts: &SetCounts| -> [u64; MAX_SET] {
            std::array::from_fn(|at| match sizes.get(at) {
                Some(&size) => counts[size - 1].unwrap_or_else(|| {
                    fits = false;
                    0
                }),
                None => 0,
            })
        };
        let all = IndependentSets::of(largest).count(&rest, sets, meter, |a, counts| {
            let counts = wanted(counts);
            let vertex = oriented.vertices[local.rank(a)];
            self.columns.vertex_all(out, vertex as usize, &counts[..sizes.len()]);
        })?;
        let Some(all) = all else { return Ok(false) };
        let counts = wanted(&all);
        let root = oriented.vertices[local.rank(p)];
        self.columns.vertex_all(out, root as usize, &counts[..sizes.len()]);
        if fits { Ok(true) } else { Err(Stop::Overflow) }
    }
}

/// Random walks in a small graph.
const PROBES: usize = 64;

/// Vertices with at least `least` neighbours, as far as one look tells.
fn core(graph: &Graph, rows: &Rows, least: usize) -> u64 {
    bits(bit::first(graph.order()))
        .filter(|&v| rows[v].count_ones() as usize >= least)
        .fold(0, |set, v| set | 1 << v)
}

/// The vertices and edges of the graph behind those of a search.
trait GraphIds {
    fn vertex(&self, a: usize) -> usize;
    fn edge(&self, a: usize, b: usize) -> usize;
}

/// All of a small graph.
struct Whole<'a>(BitGraph<'a>);

impl GraphIds for Whole<'_> {
    #[inline]
    fn vertex(&self, a: usize) -> usize {
        a
    }

    #[inline]
    fn edge(&self, a: usize, b: usize) -> usize {
        self.0.edge(a, b)
    }
}

/// A root and its later neighbours.
struct Part<'a> {
    oriented: &'a OrientedGraph,
    local: &'a LocalGraph,
}

impl GraphIds for Part<'_> {
    #[inline]
    fn vertex(&self, a: usize) -> usize {
        self.oriented.vertices[self.local.rank(a)] as usize
    }

    #[inline]
    fn edge(&self, a: usize, b: usize) -> usize {
        self.local.edge(a, b)
    }
}

/// Credits vertices and edges of the graph.
struct Credit<'a, C, I> {
    columns: &'a UniformColumns,
    out: &'a mut Outputs<C>,
    ids: I,
}

impl<C: Cells, I: GraphIds> Sink for Credit<'_, C, I> {
    #[inline]
    fn pairs(&self) -> bool {
        self.out.wants_arcs()
    }

    #[inline]
    fn vertex(&mut self, v: usize, counts: &[u64]) {
        self.columns.vertex_all(self.out, self.ids.vertex(v), counts);
    }

    #[inline]
    fn pair(&mut self, v: usize, w: usize, counts: &[u64]) {
        self.columns.edge_all(self.out, self.ids.edge(v, w), counts);
    }
}
