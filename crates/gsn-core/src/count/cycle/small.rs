//! Cycles through one root in a block of at most 64 vertices, one word a row.

use super::finish;
use crate::count::budget::{Meter, Stop};
use crate::count::cells::Cells;
use crate::count::tally::Tally;
use crate::count::uniform::UniformColumns;
use crate::graph::small::{BitGraph, above, below};
use crate::pattern::{MAX_ORDER, bits};

pub(super) struct Search<'a, 'b, 'm, C> {
    pub(super) graph: BitGraph<'a>,
    pub(super) vertices: &'a [u32],
    pub(super) tally: &'b mut Tally<'a, UniformColumns, C>,
    pub(super) meter: &'b mut Meter<'m>,
    /// Neighbours of the root that are left.
    ends: u64,
    /// `within[t]`: what is left at distance at most t from the root, t up to `reach`.
    within: [u64; MAX_ORDER / 2 + 1],
    reach: usize,
}

/// Where a walk r, x₁, …, x_d stands.
#[derive(Clone, Copy)]
struct Node {
    /// x_{d−1}
    before: usize,
    /// x_d
    at: usize,
    depth: usize,
    /// Vertices after the root that are not on the walk.
    free: u64,
    /// Those that are adjacent to none of x₁, …, x_{d−1}.
    clean: u64,
    /// Whether r, x₁, …, x_d has no chord.
    chordless: bool,
}

impl<'a, 'b, 'm, C: Cells> Search<'a, 'b, 'm, C> {
    pub(super) fn new(
        graph: BitGraph<'a>,
        vertices: &'a [u32],
        tally: &'b mut Tally<'a, UniformColumns, C>,
        meter: &'b mut Meter<'m>,
    ) -> Self {
        Self { graph, vertices, tally, meter, ends: 0, within: [0; MAX_ORDER / 2 + 1], reach: 0 }
    }

    /// All cycles whose first vertex is `root`.
    pub(super) fn root(&mut self, root: usize) -> Result<(), Stop> {
        let free = above(root);
        self.ends = self.graph.row(root) & free;
        self.meter.steps(1)?;
        if self.ends.count_ones() < 2 {
            return Ok(());
        }
        // A vertex of a cycle of length k is at most k / 2 away.
        self.reach = 1;
        self.within[1] = self.ends;
        let mut frontier = self.ends;
        while frontier != 0 && self.reach < self.tally.longest / 2 {
            let near = self.within[self.reach];
            let next = bits(frontier).fold(0, |set, v| set | self.graph.row(v)) & free & !near;
            self.reach += 1;
            self.within[self.reach] = near | next;
            frontier = next;
        }
        for x in bits(self.ends) {
            let free = free & !(1 << x);
            let node = Node { before: root, at: x, depth: 1, free, clean: free, chordless: true };
            self.visit(node)?;
        }
        finish(self.tally, self.vertices[root] as usize);
        Ok(())
    }

    fn visit(&mut self, node: Node) -> Result<(), Stop> {
        let Node { before, at, depth, free, clean, chordless } = node;
        self.meter.steps(1)?;
        let credits = self.tally.credits(depth);
        if credits {
            self.tally.open(depth);
        }
        let row = self.graph.row(at);
        let ends = row & self.ends;
        let length = depth + 2;
        // Cycles with this vertex in the middle are credited to it from one side only.
        let side = if 2 * depth == length { below(before) } else { !0 };
        self.close(length, ends & free & side, ends & clean & side, chordless)?;
        let mut middle = self.tally.middle(depth);
        self.close(length, ends & free & !side, ends & clean & !side, chordless)?;
        if depth == 1 && self.tally.longest >= 3 {
            self.triangles(at, ends & free);
        }
        if length < self.tally.longest {
            let room = self.tally.longest - length + 1;
            let next = row & free & self.within[room.min(self.reach)];
            let clean_next = if chordless { row & clean & !self.ends } else { 0 };
            let next = if self.tally.subgraph { next } else { next & clean_next };
            let last = length + 1 == self.tally.longest && !self.tally.credits(depth + 1);
            for (side, next) in [(0, next & below(before)), (1, next & above(before))] {
                if side == 1 && depth > 2 {
                    middle = self.tally.middle(depth);
                }
                if last {
                    self.last(node, next, clean_next)?;
                    continue;
                }
                let clean = clean & !row;
                let child = Node { before: at, depth: depth + 1, clean, ..node };
                for y in bits(next) {
                    let chordless = clean_next >> y & 1 == 1;
                    self.visit(Node { at: y, free: free & !(1 << y), chordless, ..child })?;
                }
            }
        }
        if credits {
            let edge = self.graph.edge(before, at);
            self.tally.credit(depth, self.vertices[at] as usize, edge, before < at, middle);
        }
        Ok(())
    }

    #[inline]
    fn close(&mut self, k: usize, all: u64, clean: u64, chordless: bool) -> Result<(), Stop> {
        let clean = chordless.then_some(clean.count_ones().into());
        self.tally.close(k, clean, all.count_ones().into())
    }

    /// The children of `node` when all they do is close the longest cycles.
    fn last(&mut self, node: Node, next: u64, clean_next: u64) -> Result<(), Stop> {
        let ends = self.ends & node.free;
        let clean = ends & node.clean & !self.graph.row(node.at);
        let (mut all, mut induced) = (0, 0);
        for y in bits(next) {
            let row = self.graph.row(y);
            all += u64::from((row & ends).count_ones());
            if clean_next >> y & 1 == 1 {
                induced += u64::from((row & clean).count_ones());
            }
        }
        self.meter.steps(u64::from(next.count_ones()))?;
        self.tally.close(self.tally.longest, Some(induced), all)
    }

    /// The far edges of the triangles on the root and `x`: in the middle, and too near the end to
    /// be nodes of their own.
    fn triangles(&mut self, x: usize, ends: u64) {
        for y in bits(ends & above(x)) {
            self.tally.single_edge(3, self.graph.edge(x, y));
        }
    }
}
