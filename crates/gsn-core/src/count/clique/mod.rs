//! Cliques of any set of sizes at once, vertices and arcs; induced and subgraph are the same.
//!
//! Graphs of at most 64 vertices are searched as a whole. In others every clique starts at its
//! first vertex in a degeneracy order and lies among that vertex's later neighbours, whose
//! adjacency becomes bit rows. The search itself is `pivot`: nothing is listed.
//!
//! O(n + m) to prepare; at most 3^(d/3) leaves a root for d later neighbours, in practice a few.

#[cfg(test)]
mod tests;

use super::budget::{Meter, Stop};
use super::cells::{Cells, Outputs, Task};
use super::kernel::Kernel;
use super::pivot::{Dense, Memory, Pivoter, Sink, Word, full, probe};
use super::probe::{Random, sum_over_roots};
use super::uniform::Uniform;
use crate::graph::Graph;
use crate::graph::later::Later;
use crate::graph::small::{self as bit, BitGraph, Rows, WORD};
use crate::pattern::{Pattern, bits};
use std::ops::Range;

/// Cliques to count, of any sizes.
#[derive(Clone, Debug)]
pub(super) struct Step {
    tasks: Vec<Task>,
    columns: Uniform,
}

/// Bit rows of a small graph, or the order of a larger one.
#[derive(Debug)]
pub(super) struct Prepared {
    rows: Rows,
    later: Later,
}

impl Default for Prepared {
    fn default() -> Self {
        Self { rows: [0; WORD], later: Later::default() }
    }
}

/// Memory of one thread.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    memory: Memory,
    local: Local,
}

impl Step {
    /// Whether the pattern is a clique.
    pub(super) fn accepts(pattern: &Pattern) -> bool {
        !pattern.is_directed()
            && !pattern.is_labelled()
            && pattern.size() == pattern.order() * (pattern.order() - 1) / 2
    }

    /// A step for cliques.
    pub(super) fn new(tasks: Vec<Task>) -> Self {
        let columns = Uniform::new(&tasks);
        Self { tasks, columns }
    }
}

impl Kernel for Step {
    type Prepared = Prepared;
    type Scratch = Scratch;

    fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    fn prepare(
        &self,
        graph: &Graph,
        prepared: &mut Prepared,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        if graph.order() <= WORD {
            bit::fill(graph, &mut prepared.rows);
        } else {
            prepared.later.find(graph);
        }
        meter.steps((graph.order() + graph.arc_count()) as u64)
    }

    /// One for a small graph, otherwise every vertex is one.
    fn roots(&self, graph: &Graph, _: &Prepared) -> usize {
        if graph.order() <= WORD { usize::from(graph.edge_count() > 0) } else { graph.order() }
    }

    fn run<C: Cells>(
        &self,
        graph: &Graph,
        prepared: &Prepared,
        roots: Range<usize>,
        scratch: &mut Scratch,
        out: &mut Outputs<C>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        let sizes = self.columns.sizes();
        let Some(&smallest) = sizes.first() else { return Ok(()) };
        if graph.order() <= WORD {
            for _ in roots {
                let bits = BitGraph::of(graph, &prepared.rows);
                let sink = Credit { columns: &self.columns, out, place: Whole(bits) };
                let mut pivoter = Pivoter::new(sizes, &mut scratch.memory, sink, meter);
                let word = Word::plain(prepared.rows);
                pivoter.count(&word, core(graph, &prepared.rows, smallest - 1))?;
            }
            return Ok(());
        }
        let later = &prepared.later;
        for root in roots {
            let v = later.order[root];
            let p = later.neighbors(v).len();
            meter.steps(1)?;
            if p + 1 < smallest {
                continue;
            }
            let looked = scratch.local.load(later, v, out.wants_arcs());
            meter.steps(looked)?;
            let local = &scratch.local;
            let sink = Credit { columns: &self.columns, out: &mut *out, place: Part(local) };
            let mut pivoter = Pivoter::new(sizes, &mut scratch.memory, sink, meter);
            match local.word() {
                Some(word) => pivoter.count_with(p, &word, bit::first(p))?,
                None => pivoter.count_with(p, &local.dense(), full(p))?,
            }
        }
        Ok(())
    }

    fn estimate(&self, graph: &Graph) -> f64 {
        let reading = (graph.order() + graph.arc_count()) as f64;
        let largest = self.columns.largest();
        let mut random = Random::default();
        if graph.order() <= WORD {
            if graph.arc_count() < 512 {
                return 2.0 * reading;
            }
            let mut rows = [0; WORD];
            bit::fill(graph, &mut rows);
            let word = Word::plain(rows);
            let all = bit::first(graph.order());
            let walks = (0..PROBES).map(|_| probe(&word, all, 0, largest, &mut random));
            return reading + walks.sum::<f64>() / PROBES as f64;
        }
        let mut later = Later::default();
        later.find(graph);
        let mut local = Local::default();
        // The dense part of the graph comes last in the order.
        reading
            + sum_over_roots(graph.order(), &mut random, |root, random| {
                let v = later.order[graph.order() - 1 - root];
                let p = later.neighbors(v).len();
                if p + 1 < self.columns.sizes()[0] {
                    return 1.0;
                }
                let looked = local.load(&later, v, false) as f64;
                looked
                    + match local.word() {
                        Some(word) => probe(&word, bit::first(p), 1, largest, random),
                        None => probe(&local.dense(), full(p), 1, largest, random),
                    }
            })
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

/// The later neighbours of a root: numbered 0..p, with the root itself as p.
#[derive(Debug, Default)]
struct Local {
    vertices: Vec<u32>,
    /// Number of every graph vertex, while loading; `u32::MAX` for those outside.
    number: Vec<u32>,
    width: usize,
    rows: Vec<u64>,
    /// Edge between two of them, where there is one, at `a * (p + 1) + b`.
    edges: Vec<u32>,
}

impl Local {
    /// Loads the later neighbours of `v`; returns how many arcs were looked at.
    fn load(&mut self, later: &Later, v: u32, arcs: bool) -> u64 {
        let p = later.neighbors(v).len();
        self.number.resize(later.order.len(), u32::MAX);
        self.vertices.clear();
        self.vertices.extend_from_slice(later.neighbors(v));
        self.vertices.push(v);
        self.width = p.div_ceil(WORD);
        self.rows.clear();
        self.rows.resize(p * self.width, 0);
        if arcs && self.edges.len() < (p + 1) * (p + 1) {
            self.edges.resize((p + 1) * (p + 1), 0);
        }
        for (a, &w) in self.vertices.iter().enumerate() {
            self.number[w as usize] = a as u32;
        }
        let mut looked = p;
        for a in 0..=p {
            let w = self.vertices[a];
            let targets = later.neighbors(w);
            looked += targets.len();
            for (&x, &edge) in targets.iter().zip(later.edges(w)) {
                let b = self.number[x as usize] as usize;
                if b > p {
                    continue;
                }
                if a < p {
                    self.rows[a * self.width + b / WORD] |= 1 << (b % WORD);
                    self.rows[b * self.width + a / WORD] |= 1 << (a % WORD);
                }
                if arcs {
                    self.edges[a * (p + 1) + b] = edge;
                    self.edges[b * (p + 1) + a] = edge;
                }
            }
        }
        for &w in &self.vertices {
            self.number[w as usize] = u32::MAX;
        }
        looked as u64
    }

    /// One word a row, if that is enough.
    fn word(&self) -> Option<Word> {
        (self.width <= 1).then(|| {
            let mut rows = [0; WORD];
            rows[..self.rows.len()].copy_from_slice(&self.rows);
            Word::plain(rows)
        })
    }

    fn dense(&self) -> Dense<'_> {
        Dense { width: self.width, rows: &self.rows }
    }
}

/// Where the vertices of a search are in the graph.
trait Place {
    fn vertex(&self, a: usize) -> usize;
    fn edge(&self, a: usize, b: usize) -> usize;
}

/// All of a small graph.
struct Whole<'a>(BitGraph<'a>);

impl Place for Whole<'_> {
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
struct Part<'a>(&'a Local);

impl Place for Part<'_> {
    #[inline]
    fn vertex(&self, a: usize) -> usize {
        self.0.vertices[a] as usize
    }

    #[inline]
    fn edge(&self, a: usize, b: usize) -> usize {
        self.0.edges[a * self.0.vertices.len() + b] as usize
    }
}

/// Credits vertices and edges of the graph.
struct Credit<'a, C, P> {
    columns: &'a Uniform,
    out: &'a mut Outputs<C>,
    place: P,
}

impl<C: Cells, P: Place> Sink for Credit<'_, C, P> {
    #[inline]
    fn pairs(&self) -> bool {
        self.out.wants_arcs()
    }

    #[inline]
    fn vertex(&mut self, v: usize, counts: &[u64]) {
        self.columns.vertex_all(self.out, self.place.vertex(v), counts);
    }

    #[inline]
    fn pair(&mut self, v: usize, w: usize, counts: &[u64]) {
        self.columns.edge_all(self.out, self.place.edge(v, w), counts);
    }
}
