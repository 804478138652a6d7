//! Stars with any numbers of leaves, both matchings, vertices and arcs.
//!
//! Subgraph: any leaves will do, so a centre of degree d has C(d, l) stars of l leaves and each
//! neighbour is in C(d − 1, l − 1) of them. Induced: the leaves are an independent set among the
//! neighbours, that is, a clique of the complement; `pivot` counts those of all sizes in one
//! search without listing them, and neighbours without a triangle on their spoke cost nothing.
//!
//! O(n + m) for subgraphs; for induced stars also the triangles and the search.

mod neighbourhood;
#[cfg(test)]
mod tests;

use super::Matching;
use super::binomial::binomial;
use super::budget::{Meter, Stop};
use super::cells::{Cells, Outputs, PatternColumns, WantedTables};
use super::kernel::{Kernel, Piece, SmallMembers, Use, is_plain};
use super::pivot::{Memory, PivotGraph, Pivoter, Sink, WordGraph, full, probe};
use super::probe::{fixed_random, sum_over_roots};
use crate::graph::Graph;
use crate::graph::oriented::OrientedGraph;
use crate::graph::small::WORD;
use crate::pattern::{MAX_ORDER, Pattern};
use neighbourhood::Neighbourhood;
use std::ops::Range;

/// Counts stars of any numbers of leaves.
#[derive(Clone, Debug)]
pub(super) struct StarKernel {
    /// Numbers of leaves, in increasing order.
    leaves: Vec<usize>,
    /// Columns, by number of leaves.
    columns: Vec<Columns>,
    /// The columns of the i-th number of leaves.
    ranges: Vec<Range<usize>>,
}

/// Columns of one star.
#[derive(Clone, Copy, Debug)]
struct Columns {
    centre: usize,
    leaf: usize,
    /// Arc from the centre to a leaf.
    out: usize,
    /// Arc from a leaf to the centre.
    back: usize,
}

/// Memory of one thread.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    memory: Memory,
    neighbourhood: Neighbourhood,
}

/// The centre of a star: the vertex that all others are joined to.
fn centre(pattern: &Pattern) -> Option<usize> {
    (0..pattern.order()).find(|&a| pattern.degree(a) + 1 == pattern.order())
}

impl StarKernel {
    /// Credits a spoke and its leaf with stars of every number of leaves.
    #[inline]
    fn leaf<C: Cells>(
        &self,
        out: &mut Outputs<C>,
        matching: Matching,
        (centre, leaf): (usize, usize),
        edge: usize,
        counts: &[u64],
    ) {
        for ((range, &l), &count) in self.ranges.iter().zip(&self.leaves).zip(counts) {
            if count == 0 {
                continue;
            }
            for columns in &self.columns[range.clone()] {
                // An edge alone is a star around either end; it counts as the one around its
                // smaller end for the arc, and for each vertex as the one around itself.
                if l > 1
                    && let Some(cells) = out.vertex(matching)
                {
                    cells.add(leaf, columns.leaf, count);
                }
                if (l > 1 || centre < leaf)
                    && let Some(cells) = out.arc(matching)
                {
                    cells.add(edge, if centre < leaf { columns.out } else { columns.back }, count);
                }
            }
        }
    }

    /// Credits a centre.
    fn centre<C: Cells>(
        &self,
        out: &mut Outputs<C>,
        matching: Matching,
        centre: usize,
        size: usize,
        count: u64,
    ) {
        if let Some(cells) = out.vertex(matching) {
            for columns in &self.columns[self.ranges[size].clone()] {
                cells.add(centre, columns.centre, count);
            }
        }
    }

    /// Subgraph stars around `v`.
    fn subgraph<C: Cells>(&self, graph: &Graph, v: u32, out: &mut Outputs<C>) -> Result<(), Stop> {
        let degree = graph.degree(v);
        let mut counts = [0; MAX_ORDER];
        for (size, &l) in self.leaves.iter().enumerate() {
            // C(d, l) ≥ C(d − 1, l − 1): when the centre's number fits, so does the leaves'.
            let count = binomial(degree, l).ok_or(Stop::Overflow)?;
            if count == 0 {
                break;
            }
            self.centre(out, Matching::Subgraph, v as usize, size, count);
            counts[size] = binomial(degree - 1, l - 1).ok_or(Stop::Overflow)?;
        }
        for arc in graph.arcs_of(v) {
            let ends = (v as usize, graph.arc_target(arc) as usize);
            self.leaf(out, Matching::Subgraph, ends, graph.edge_id(arc), &counts);
        }
        Ok(())
    }
}

impl Kernel for StarKernel {
    const NAME: &'static str = "star";
    const REASON: &'static str = "leaves chosen from each neighbourhood";
    const USE: Use = Use::Family(SmallMembers::Keep);

    type Prepared = PivotGraph;
    type Scratch = Scratch;

    fn accepts(pattern: &Pattern) -> bool {
        is_plain(pattern) && pattern.size() + 1 == pattern.order() && centre(pattern).is_some()
    }

    fn new(patterns: &[PatternColumns], _wanted: WantedTables) -> Self {
        let (mut leaves, mut columns, mut ranges) = (Vec::new(), Vec::new(), Vec::new());
        for l in 1..MAX_ORDER {
            let from = columns.len();
            for star in patterns.iter().filter(|star| star.pattern.order() == l + 1) {
                let c = centre(&star.pattern).expect("stars have a centre");
                let a = usize::from(c == 0);
                let (centre, leaf) = (star.vertex(c), star.vertex(a));
                columns.push(Columns { centre, leaf, out: star.arc(c, a), back: star.arc(a, c) });
            }
            if columns.len() > from {
                leaves.push(l);
                ranges.push(from..columns.len());
            }
        }
        Self { leaves, columns, ranges }
    }

    fn prepare(
        &self,
        graph: &Graph,
        prepared: &mut PivotGraph,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        prepared.load(graph, meter)
    }

    fn run<C: Cells>(&self, piece: Piece<'_, '_, Self, C>) -> Result<(), Stop> {
        let Piece { graph, prepared, roots, scratch, out, meter } = piece;
        let Some(&fewest) = self.leaves.first() else { return Ok(()) };
        let (induced, subgraph) = (out.wants(Matching::Induced), out.wants(Matching::Subgraph));
        // Independent sets are cliques of the complement.
        let word = (graph.order() <= WORD).then(|| WordGraph::plain(prepared.rows.map(|row| !row)));
        for v in roots {
            let degree = graph.degree(v as u32);
            meter.steps(1 + degree as u64)?;
            if degree < fewest {
                continue;
            }
            if subgraph {
                self.subgraph(graph, v as u32, out)?;
            }
            if !induced {
                continue;
            }
            if word.is_none() {
                let looked = scratch.neighbourhood.load(graph, &prepared.oriented, v as u32);
                meter.steps(looked)?;
            }
            let sink = Spokes { kernel: self, graph, centre: v, numbered: word.is_none(), out };
            let mut pivoter = Pivoter::new(&self.leaves, &mut scratch.memory, sink, meter);
            match &word {
                Some(word) => pivoter.count(word, prepared.rows[v])?,
                None => pivoter.count(&scratch.neighbourhood.complement(), full(degree))?,
            }
            for size in 0..self.leaves.len() {
                let total = pivoter.total(size);
                if total > 0 {
                    self.centre(pivoter.sink.out, Matching::Induced, v, size, total);
                }
            }
        }
        Ok(())
    }

    fn estimate(&self, graph: &Graph) -> f64 {
        let reading = (graph.order() + graph.arc_count()) as f64;
        let (Some(&fewest), Some(&most)) = (self.leaves.first(), self.leaves.last()) else {
            return reading;
        };
        if graph.max_degree() <= 4 {
            return 4.0 * reading;
        }
        let mut oriented = OrientedGraph::default();
        oriented.orient(graph);
        let mut around = Neighbourhood::default();
        let mut order: Vec<u32> = (0..graph.order() as u32).collect();
        order.sort_unstable_by_key(|&v| (std::cmp::Reverse(graph.degree(v)), v));
        reading
            + sum_over_roots(order.len(), &mut fixed_random(), |root, random| {
                let v = order[root];
                if graph.degree(v) < fewest {
                    return 1.0;
                }
                let looked = around.load(graph, &oriented, v) as f64;
                looked + probe(&around.complement(), full(graph.degree(v)), 0, most, random)
            })
    }
}

/// Credits the leaves around a centre.
struct Spokes<'a, C> {
    kernel: &'a StarKernel,
    graph: &'a Graph,
    centre: usize,
    /// Whether leaves are numbered by their position among the centre's neighbours.
    numbered: bool,
    out: &'a mut Outputs<C>,
}

impl<C: Cells> Sink for Spokes<'_, C> {
    fn pairs(&self) -> bool {
        false
    }

    #[inline]
    fn vertex(&mut self, v: usize, counts: &[u64]) {
        let arcs = self.graph.arcs_of(self.centre as u32);
        let position = if self.numbered {
            v
        } else {
            self.graph.neighbors(self.centre as u32).partition_point(|&w| (w as usize) < v)
        };
        let arc = arcs.start + position;
        let ends = (self.centre, self.graph.arc_target(arc) as usize);
        self.kernel.leaf(self.out, Matching::Induced, ends, self.graph.edge_id(arc), counts);
    }

    fn pair(&mut self, _: usize, _: usize, _: &[u64]) {}
}
