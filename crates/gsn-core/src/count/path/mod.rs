//! Paths of any set of lengths, both matchings, vertices and arcs, in one depth-first pass.
//!
//! From every vertex all paths are walked; each is met from both of its ends, so only the first
//! half of a walk needs credit (see `seats`), and the last vertex is counted, not listed. A chord
//! on the way only rules out induced paths, so one pass gives both counts.
//!
//! At most one step for every path of k − 1 vertices, twice; in graphs of more than 64 vertices
//! one for every neighbour looked at.

mod large;
mod seats;
mod small;
#[cfg(test)]
mod tests;

use super::budget::{Meter, Stop};
use super::cells::{Cells, Outputs, Task};
use super::kernel::Kernel;
use super::probe::{Random, sum_over_roots};
use crate::graph::Graph;
use crate::graph::small::{self as bit, BitGraph, Rows, WORD};
use crate::pattern::Pattern;
use seats::{Seats, Tally};
use std::ops::Range;

/// Paths to count, of any lengths.
#[derive(Clone, Debug)]
pub(super) struct Step {
    tasks: Vec<Task>,
    seats: Seats,
}

/// Bit rows of a small graph.
#[derive(Debug)]
pub(super) struct Prepared {
    rows: Rows,
}

impl Default for Prepared {
    fn default() -> Self {
        Self { rows: [0; WORD] }
    }
}

/// Memory of one thread.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    saved: seats::Saved,
    marks: large::Marks,
}

impl Step {
    /// Whether the pattern is a path.
    pub(super) fn accepts(pattern: &Pattern) -> bool {
        // Connected, one edge less than vertices, no branching.
        !pattern.is_directed()
            && !pattern.is_labelled()
            && pattern.size() + 1 == pattern.order()
            && (0..pattern.order()).all(|a| pattern.degree(a) <= 2)
    }

    /// A step for paths.
    pub(super) fn new(tasks: Vec<Task>) -> Self {
        let seats = Seats::new(&tasks);
        Self { tasks, seats }
    }

    /// Steps if walks of this length that do not turn back were paths: an excellent guess while
    /// they are too short to run into themselves.
    fn walks(&self, graph: &Graph) -> f64 {
        let n = graph.order() as u32;
        let look = |v: u32| if n as usize <= WORD { 1.0 } else { 1.0 + graph.degree(v) as f64 };
        // ways[v]: walks of some number of edges that end at v.
        let mut ways = vec![1.0f64; n as usize];
        let mut next = ways.clone();
        let mut steps: f64 = (0..n).map(look).sum();
        for edges in 1..=self.seats.longest() - 2 {
            for v in 0..n {
                let around = graph.neighbors(v).iter();
                next[v as usize] = around
                    .map(|&u| {
                        let degree = graph.degree(u) as f64;
                        let onward = if edges == 1 { 1.0 } else { (degree - 1.0) / degree };
                        ways[u as usize] * onward
                    })
                    .sum();
            }
            std::mem::swap(&mut ways, &mut next);
            let last = edges + 2 == self.seats.longest();
            steps +=
                (0..n).map(|v| ways[v as usize] * if last { 1.0 } else { look(v) }).sum::<f64>();
        }
        steps
    }

    /// Steps by random walks.
    fn probes(&self, graph: &Graph) -> f64 {
        let mut order: Vec<u32> = (0..graph.order() as u32).collect();
        order.sort_unstable_by_key(|&v| (std::cmp::Reverse(graph.degree(v)), v));
        let (mut walk, mut next) = (Vec::new(), Vec::new());
        sum_over_roots(order.len(), &mut Random::default(), |root, random| {
            let mut sum = 0.0;
            for _ in 0..PROBES {
                let mut weight = 1.0;
                walk.clear();
                walk.push(order[root]);
                while walk.len() < self.seats.longest() - 1 {
                    next.clear();
                    let around = graph.neighbors(walk[walk.len() - 1]);
                    next.extend(around.iter().copied().filter(|y| !walk.contains(y)));
                    if next.is_empty() {
                        break;
                    }
                    weight *= next.len() as f64;
                    let y = next[random.below(next.len())];
                    walk.push(y);
                    let look = if graph.order() <= WORD { 0 } else { graph.degree(y) };
                    sum += weight * (1 + look) as f64;
                }
            }
            1.0 + sum / PROBES as f64
        })
    }
}

impl Kernel for Step {
    type Prepared = Prepared;
    type Scratch = Scratch;

    /// The patterns counted.
    fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// Makes bit rows for a small graph.
    fn prepare(
        &self,
        graph: &Graph,
        prepared: &mut Prepared,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        if graph.order() <= WORD {
            bit::fill(graph, &mut prepared.rows);
            meter.steps(graph.arc_count() as u64)?;
        }
        Ok(())
    }

    /// Number of roots: every vertex is one.
    fn roots(&self, graph: &Graph, _: &Prepared) -> usize {
        graph.order()
    }

    /// Counts the paths that start at these roots.
    fn run<C: Cells>(
        &self,
        graph: &Graph,
        prepared: &Prepared,
        roots: Range<usize>,
        scratch: &mut Scratch,
        out: &mut Outputs<C>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        let mut tally = Tally::new(&self.seats, out, &mut scratch.saved);
        if graph.order() <= WORD {
            let graph = BitGraph::of(graph, &prepared.rows);
            let mut search = small::Search { graph, tally: &mut tally, meter };
            for root in roots {
                search.root(root)?;
            }
        } else {
            let state = &mut scratch.marks;
            let mut search = large::Search { graph, tally: &mut tally, meter, state };
            for root in roots {
                search.root(root as u32)?;
            }
        }
        Ok(())
    }

    /// Predicted number of steps.
    fn estimate(&self, graph: &Graph) -> f64 {
        let reading = (graph.order() + graph.arc_count()) as f64;
        match self.seats.longest() {
            0..=2 => reading,
            longest if longest <= WALKS_UP_TO => reading + self.walks(graph),
            _ => reading + self.probes(graph),
        }
    }
}

/// Number of vertices up to which walks stand for paths in estimates.
const WALKS_UP_TO: usize = 8;
/// Random walks from each root probed.
const PROBES: usize = 8;
