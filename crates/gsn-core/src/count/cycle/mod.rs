//! Cycles of any set of lengths, both matchings, vertices and arcs, in one search.
//!
//! Cycles stay inside biconnected blocks; a block that is a single ring is read off, and so are
//! the three cycles of one that is three paths between two vertices. In others
//! every cycle starts at its first vertex, blocks being numbered by decreasing degree (so that
//! hubs are met once and then gone, and only vertices of degree three or more can be first), and
//! is walked in both directions: then only the first half of a walk needs credit (see `tally`)
//! and its last vertex need not be listed. A walk is cut when it cannot be back at the root in
//! time. A chord on the way only rules out induced cycles, so one search gives both counts.
//!
//! O(n + m) to prepare; at most one step for every path of k − 1 vertices from a root.

mod large;
mod probe;
mod small;
mod tally;
#[cfg(test)]
mod tests;

use super::budget::{Meter, Stop};
use super::cells::{Cells, Outputs, Task};
use super::graphlet::Wants;
use super::kernel::Kernel;
use super::uniform::Uniform;
use super::{MATCHINGS, Matching};
use crate::graph::Graph;
use crate::graph::blocks::{Blocks, View};
use crate::graph::small::{BitGraph, Rows, WORD};
use crate::pattern::Pattern;
use std::ops::Range;

/// Cycles to count, of any lengths.
#[derive(Clone, Debug)]
pub(super) struct Step {
    tasks: Vec<Task>,
    columns: Uniform,
    /// Whether cycles with chords count, too.
    chords: bool,
}

/// The blocks of a graph and how their roots are numbered.
#[derive(Debug, Default)]
pub(super) struct Prepared {
    blocks: Blocks,
    /// Blocks that have roots.
    chosen: Vec<u32>,
    /// First root of each chosen block, and the number of roots at the end.
    first: Vec<usize>,
}

/// Memory of one thread.
#[derive(Debug)]
pub(super) struct Scratch {
    rows: Rows,
    saved: tally::Saved,
    marks: large::Marks,
}

impl Default for Scratch {
    fn default() -> Self {
        Self { rows: [0; WORD], saved: Default::default(), marks: Default::default() }
    }
}

impl Step {
    /// Whether the pattern is a cycle.
    pub(super) fn accepts(pattern: &Pattern) -> bool {
        // Patterns are connected, so degree two everywhere leaves nothing but a cycle.
        !pattern.is_directed()
            && !pattern.is_labelled()
            && (0..pattern.order()).all(|a| pattern.degree(a) == 2)
    }

    /// A step for cycles, of one matching or both.
    pub(super) fn wanting(tasks: Vec<Task>, wants: Wants) -> Self {
        let columns = Uniform::new(&tasks);
        Self { tasks, columns, chords: wants.matchings[Matching::Subgraph as usize] }
    }

    /// A step for all tables.
    #[cfg(test)]
    pub(super) fn new(tasks: Vec<Task>) -> Self {
        Self::wanting(tasks, Wants::ALL)
    }

    /// How many vertices of a block can be the first of a cycle: those of degree three and more,
    /// for without them only loose paths are left.
    fn block_roots(&self, block: View<'_>) -> usize {
        if block.is_ring() {
            return usize::from(self.columns.wants(block.order()));
        }
        if let Some(paths) = block.paths() {
            let [a, b, c] = paths.map(|(edges, _)| edges.len());
            let any = [a + b, a + c, b + c].iter().any(|&k| self.columns.wants(k));
            return usize::from(any);
        }
        match self.columns.sizes().first() {
            Some(&shortest) if shortest <= block.order() => {
                block.starts.windows(2).take_while(|w| w[1] - w[0] >= 3).count()
            }
            _ => 0,
        }
    }

    fn search<C: Cells>(
        &self,
        block: View<'_>,
        roots: Range<usize>,
        scratch: &mut Scratch,
        out: &mut Outputs<C>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        let mut tally = tally::Tally::new(&self.columns, out, &mut scratch.saved);
        if block.order() <= WORD {
            block.copy_rows(&mut scratch.rows);
            let bits = BitGraph::new(&scratch.rows, block.starts, block.edges);
            let mut search = small::Search::new(bits, block.vertices, &mut tally, meter);
            for root in roots {
                search.root(root)?;
            }
        } else {
            let mut search = large::Search::new(block, &mut tally, meter, &mut scratch.marks);
            for root in roots {
                search.root(root as u32)?;
            }
        }
        Ok(())
    }

    /// A block that is one cycle.
    fn ring<C: Cells>(&self, block: View<'_>, out: &mut Outputs<C>) {
        for matching in MATCHINGS {
            self.columns.each_vertex(out, matching, block.order(), block.vertices);
            self.columns.each_edge(out, matching, block.order(), block.edges);
        }
    }

    /// A block that is three paths between two vertices: any two of them are a cycle, and the
    /// third is a chord of it when it is an edge.
    fn paths<C: Cells>(&self, ends: &[u32], paths: [(&[u32], &[u32]); 3], out: &mut Outputs<C>) {
        for third in 0..3 {
            let two = [paths[(third + 1) % 3], paths[(third + 2) % 3]];
            let size = two[0].0.len() + two[1].0.len();
            if !self.columns.wants(size) {
                continue;
            }
            for matching in MATCHINGS {
                if matching == Matching::Induced && paths[third].0.len() == 1 {
                    continue;
                }
                self.columns.each_vertex(out, matching, size, ends);
                for (edges, between) in two {
                    self.columns.each_vertex(out, matching, size, between);
                    self.columns.each_edge(out, matching, size, edges);
                }
            }
        }
    }
}

impl Kernel for Step {
    type Prepared = Prepared;
    type Scratch = Scratch;

    /// The patterns counted.
    fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// Finds the blocks.
    fn prepare(
        &self,
        graph: &Graph,
        prepared: &mut Prepared,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        prepared.blocks.find(graph);
        prepared.chosen.clear();
        prepared.first.clear();
        let mut roots = 0;
        for block in 0..prepared.blocks.len() {
            let number = self.block_roots(prepared.blocks.get(block));
            if number > 0 {
                prepared.chosen.push(block as u32);
                prepared.first.push(roots);
                roots += number;
            }
        }
        prepared.first.push(roots);
        meter.steps((graph.order() + graph.arc_count()) as u64)
    }

    /// Number of roots.
    fn roots(&self, _: &Graph, prepared: &Prepared) -> usize {
        prepared.first.last().copied().unwrap_or(0)
    }

    /// Counts the cycles that start at these roots.
    fn run<C: Cells>(
        &self,
        _: &Graph,
        prepared: &Prepared,
        roots: Range<usize>,
        scratch: &mut Scratch,
        out: &mut Outputs<C>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        let mut at = prepared.first.partition_point(|&first| first <= roots.start).max(1) - 1;
        let mut root = roots.start;
        while root < roots.end {
            let block = prepared.blocks.get(prepared.chosen[at] as usize);
            let first = prepared.first[at];
            let last = prepared.first[at + 1].min(roots.end);
            let inside = root - first..last - first;
            if block.is_ring() {
                self.ring(block, out);
                meter.steps(block.order() as u64)?;
            } else if let Some(paths) = block.paths() {
                self.paths(&block.vertices[..2], paths, out);
                meter.steps(block.order() as u64)?;
            } else {
                self.search(block, inside, scratch, out, meter)?;
            }
            root = last;
            at += 1;
        }
        Ok(())
    }

    /// Predicted number of steps.
    fn estimate(&self, graph: &Graph) -> f64 {
        let reading = (graph.order() + graph.arc_count()) as f64;
        let excess = graph.edge_count() as f64 - graph.order() as f64;
        if excess < 4.0 {
            // Few independent cycles, so few cycles, each walked twice.
            return reading * 2.0;
        }
        let mut blocks = Blocks::default();
        blocks.find(graph);
        let longest = self.columns.largest();
        reading + probe::steps(&blocks, longest, self.chords, |b| self.block_roots(b))
    }
}
