//! Paths from one end in a graph of at most 64 vertices, one word a row.

use super::positions::Positions;
use crate::count::budget::{Meter, Stop};
use crate::count::cells::Cells;
use crate::count::tally::Tally;
use crate::graph::small::{BitGraph, above, below};
use crate::pattern::bits;

pub(super) struct Search<'a, 'b, 'm, C> {
    pub(super) graph: BitGraph<'a>,
    pub(super) tally: &'b mut Tally<'a, Positions, C>,
    pub(super) meter: &'b mut Meter<'m>,
}

/// Where a walk x₀, …, x_d stands.
#[derive(Clone, Copy)]
struct Node {
    /// x_{d−1}
    before: usize,
    /// x_d
    at: usize,
    depth: usize,
    /// Vertices that are not on the walk.
    free: u64,
    /// Those that are adjacent to none of x₀, …, x_{d−1}.
    clean: u64,
    /// Whether x₀, …, x_d has no chord.
    chordless: bool,
}

impl<C: Cells> Search<'_, '_, '_, C> {
    /// All paths with the end `root`.
    pub(super) fn root(&mut self, root: usize) -> Result<(), Stop> {
        self.tally.clear();
        if self.tally.columns.wants(2) {
            for y in bits(self.graph.row(root) & above(root)) {
                self.tally.single_edge(2, self.graph.edge(root, y));
            }
        }
        let free = !(1 << root);
        let (depth, chordless) = (0, true);
        self.visit(Node { before: root, at: root, depth, free, clean: free, chordless })
    }

    fn visit(&mut self, node: Node) -> Result<(), Stop> {
        let Node { before, at, depth, free, clean, chordless } = node;
        self.meter.steps(1)?;
        let credits = self.tally.credits(depth);
        if credits {
            self.tally.open(depth);
        }
        let row = self.graph.row(at);
        let next = row & free;
        let clean_next = if chordless { row & clean } else { 0 };
        // The middle of a path of three vertices is credited from one side only.
        let side = if depth == 1 { below(before) } else { !0 };
        self.close(depth + 2, next & side, clean_next & side)?;
        let mut middle = self.tally.middle(depth);
        self.close(depth + 2, next & !side, clean_next & !side)?;
        if depth + 2 < self.tally.longest {
            let next = if self.tally.subgraph { next } else { clean_next };
            let last = depth + 3 == self.tally.longest && !self.tally.credits(depth + 1);
            let child = Node { before: at, depth: depth + 1, clean: clean & !row, ..node };
            for (side, next) in [(0, next & below(before)), (1, next & above(before))] {
                if side == 1 && depth > 1 {
                    middle = self.tally.middle(depth);
                }
                if last {
                    self.last(child, next, clean_next)?;
                    continue;
                }
                for y in bits(next) {
                    let chordless = clean_next >> y & 1 == 1;
                    self.visit(Node { at: y, free: free & !(1 << y), chordless, ..child })?;
                }
            }
        }
        if credits {
            let edge = if depth > 0 { self.graph.edge(before, at) } else { 0 };
            self.tally.credit(depth, at, edge, before < at, middle);
        }
        Ok(())
    }

    #[inline]
    fn close(&mut self, k: usize, all: u64, clean: u64) -> Result<(), Stop> {
        self.tally.close(k, Some(clean.count_ones().into()), all.count_ones().into())
    }

    /// Children when all they do is end the longest paths.
    fn last(&mut self, child: Node, next: u64, clean_next: u64) -> Result<(), Stop> {
        let (mut all, mut induced) = (0, 0);
        for y in bits(next) {
            let row = self.graph.row(y);
            all += u64::from((row & child.free).count_ones());
            if clean_next >> y & 1 == 1 {
                induced += u64::from((row & child.clean).count_ones());
            }
        }
        self.meter.steps(u64::from(next.count_ones()))?;
        self.tally.close(self.tally.longest, Some(induced), all)
    }
}
