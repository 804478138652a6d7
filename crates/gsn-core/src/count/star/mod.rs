//! Stars with any numbers of leaves, both matchings, vertices and arcs.
//!
//! Subgraph: any leaves will do, so a centre of degree d has C(d, l) stars of l leaves and each
//! neighbour is in C(d − 1, l − 1) of them. Induced: the leaves are an independent set among the
//! neighbours, that is, a clique of the complement; `pivot` counts those of all sizes in one
//! search without listing them, and neighbours without a triangle on their spoke cost nothing.
//!
//! O(n + m) for subgraphs; for induced stars also the triangles and the search.

mod around;
#[cfg(test)]
mod tests;

use super::Matching;
use super::binomial::binomial;
use super::budget::{Meter, Stop};
use super::cells::{Cells, Outputs, Task};
use super::kernel::Kernel;
use super::pivot::{Memory, Pivoter, Sink, Word, full, probe};
use super::probe::{Random, sum_over_roots};
use crate::graph::Graph;
use crate::graph::later::Later;
use crate::graph::small::{self as bit, Rows, WORD};
use crate::pattern::{MAX_ORDER, Pattern};
use around::Around;
use std::ops::Range;

/// Stars to count, of any numbers of leaves.
#[derive(Clone, Debug)]
pub(super) struct Step {
    tasks: Vec<Task>,
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

/// Complement rows of a small graph, or the forward arcs of a larger one.
#[derive(Debug)]
pub(super) struct Prepared {
    strangers: Rows,
    later: Later,
}

impl Default for Prepared {
    fn default() -> Self {
        Self { strangers: [0; WORD], later: Later::default() }
    }
}

/// Memory of one thread.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    memory: Memory,
    around: Around,
}

/// The centre of a star: the vertex that all others are joined to.
fn centre(pattern: &Pattern) -> Option<usize> {
    (0..pattern.order()).find(|&a| pattern.degree(a) + 1 == pattern.order())
}

impl Step {
    /// Whether the pattern is a star.
    pub(super) fn accepts(pattern: &Pattern) -> bool {
        !pattern.is_directed()
            && !pattern.is_labelled()
            && pattern.size() + 1 == pattern.order()
            && centre(pattern).is_some()
    }

    /// A step for stars.
    pub(super) fn new(tasks: Vec<Task>) -> Self {
        let (mut leaves, mut columns, mut ranges) = (Vec::new(), Vec::new(), Vec::new());
        for l in 1..MAX_ORDER {
            let from = columns.len();
            for task in tasks.iter().filter(|task| task.pattern.order() == l + 1) {
                let c = centre(&task.pattern).expect("stars have a centre");
                let a = usize::from(c == 0);
                let (centre, leaf) = (task.vertex(c), task.vertex(a));
                columns.push(Columns { centre, leaf, out: task.arc(c, a), back: task.arc(a, c) });
            }
            if columns.len() > from {
                leaves.push(l);
                ranges.push(from..columns.len());
            }
        }
        Self { tasks, leaves, columns, ranges }
    }

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
            bit::fill(graph, &mut prepared.strangers);
            prepared.strangers.iter_mut().for_each(|row| *row = !*row);
        } else {
            prepared.later.find(graph);
        }
        meter.steps((graph.order() + graph.arc_count()) as u64)
    }

    fn roots(&self, graph: &Graph, _: &Prepared) -> usize {
        graph.order()
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
        let Some(&fewest) = self.leaves.first() else { return Ok(()) };
        let (induced, subgraph) = (out.wants(Matching::Induced), out.wants(Matching::Subgraph));
        let word = (graph.order() <= WORD).then(|| Word::plain(prepared.strangers));
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
                meter.steps(scratch.around.load(graph, &prepared.later, v as u32))?;
            }
            let sink = Spokes { step: self, graph, centre: v, numbered: word.is_none(), out };
            let mut pivoter = Pivoter::new(&self.leaves, &mut scratch.memory, sink, meter);
            match &word {
                Some(word) => pivoter.count(word, !prepared.strangers[v])?,
                None => pivoter.count(&scratch.around.holes(), full(degree))?,
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
        let mut later = Later::default();
        later.find(graph);
        let mut around = Around::default();
        let mut order: Vec<u32> = (0..graph.order() as u32).collect();
        order.sort_unstable_by_key(|&v| (std::cmp::Reverse(graph.degree(v)), v));
        reading
            + sum_over_roots(order.len(), &mut Random::default(), |root, random| {
                let v = order[root];
                if graph.degree(v) < fewest {
                    return 1.0;
                }
                let looked = around.load(graph, &later, v) as f64;
                looked + probe(&around.holes(), full(graph.degree(v)), 0, most, random)
            })
    }
}

/// Credits the leaves around a centre.
struct Spokes<'a, C> {
    step: &'a Step,
    graph: &'a Graph,
    centre: usize,
    /// Whether leaves are called by their place among the centre's neighbours.
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
        let place = if self.numbered {
            v
        } else {
            self.graph.neighbors(self.centre as u32).partition_point(|&w| (w as usize) < v)
        };
        let arc = arcs.start + place;
        let ends = (self.centre, self.graph.arc_target(arc) as usize);
        self.step.leaf(self.out, Matching::Induced, ends, self.graph.edge_id(arc), counts);
    }

    fn pair(&mut self, _: usize, _: usize, _: &[u64]) {}
}
