//! Cycles through one root in a block of any size, by neighbors lists and marks.
//!
//! What is left of each row after the root is a tail of it. One record a vertex holds everything
//! the search asks about it. The last vertex of a subgraph cycle is never looked for: the number
//! of ways to close is the number of root neighbours next to x_d, known since the root was
//! prepared, less those that are on the walk.

use super::finish;
use crate::count::budget::{Meter, Stop};
use crate::count::cells::Cells;
use crate::count::tally::Tally;
use crate::count::uniform::UniformColumns;
use crate::graph::blocks::Mesh;

/// What the search knows of a vertex; all zeros between roots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Mark {
    /// 1 + distance from the root; 0 when out of reach.
    distance: u8,
    /// Whether it is on the walk.
    used: bool,
    /// How many of x₁, … of a chordless walk are adjacent.
    touched: u8,
    /// How many vertices of the walk that are neighbours of the root are adjacent.
    spent: u8,
    /// How many neighbours of the root are adjacent.
    ends: u32,
}

/// Memory of the search.
#[derive(Debug, Default)]
pub(super) struct Marks {
    marks: Vec<Mark>,
    /// Vertices in reach of the root.
    reached: Vec<u32>,
    /// A search was broken off and left marks behind.
    stale: bool,
}

impl Marks {
    fn ready(&mut self, order: usize) {
        if self.stale {
            self.marks.clear();
            self.reached.clear();
        }
        if self.marks.len() < order {
            self.marks.resize(order, Mark::default());
        }
        self.stale = true;
    }
}

pub(super) struct Search<'a, 'b, 'm, C> {
    block: Mesh<'a>,
    targets: &'a [u32],
    tally: &'b mut Tally<'a, UniformColumns, C>,
    meter: &'b mut Meter<'m>,
    state: &'b mut Marks,
    root: u32,
}

/// Where a walk r, x₁, …, x_d stands.
#[derive(Clone, Copy)]
struct Node {
    before: u32,
    at: u32,
    depth: usize,
    /// The edge between them.
    edge: u32,
    /// Whether r, x₁, …, x_d has no chord.
    chordless: bool,
}

impl<'a, 'b, 'm, C: Cells> Search<'a, 'b, 'm, C> {
    pub(super) fn new(
        block: Mesh<'a>,
        targets: &'a [u32],
        tally: &'b mut Tally<'a, UniformColumns, C>,
        meter: &'b mut Meter<'m>,
        state: &'b mut Marks,
    ) -> Self {
        Self { block, targets, tally, meter, state, root: 0 }
    }

    /// The arcs of `v` that lead to vertices after the root.
    #[inline]
    fn tail(&self, v: u32) -> std::ops::Range<usize> {
        let arcs = self.block.arcs(v as usize);
        let skip = self.targets[arcs.clone()].partition_point(|&w| w <= self.root);
        arcs.start + skip..arcs.end
    }

    /// All cycles whose first vertex is `root`.
    pub(super) fn root(&mut self, root: u32) -> Result<(), Stop> {
        self.state.ready(self.block.order());
        self.root = root;
        let starts = self.tail(root);
        self.meter.steps(1)?;
        if starts.len() >= 2 {
            self.measure()?;
            for arc in starts {
                let at = self.targets[arc];
                let edge = self.block.edges[arc];
                self.visit(Node { before: root, at, depth: 1, edge, chordless: true })?;
            }
            for v in self.state.reached.drain(..) {
                self.state.marks[v as usize] = Mark::default();
            }
            finish(self.tally, self.block.vertices[root as usize] as usize);
        }
        self.state.stale = false;
        Ok(())
    }

    /// Distances from the root among what is left, as far as half the longest cycle, and the
    /// number of root neighbours next to each vertex.
    fn measure(&mut self) -> Result<(), Stop> {
        let targets = self.targets;
        for &v in &targets[self.tail(self.root)] {
            self.state.marks[v as usize].distance = 2;
            self.state.reached.push(v);
        }
        let ends = self.state.reached.len();
        let (mut next, mut scanned) = (0, 0);
        while let Some(&v) = self.state.reached.get(next) {
            let distance = self.state.marks[v as usize].distance;
            if usize::from(distance) > self.tally.longest / 2 {
                break;
            }
            let tail = self.tail(v);
            scanned += 1 + tail.len() as u64;
            for &w in &targets[tail] {
                let mark = &mut self.state.marks[w as usize];
                mark.ends += u32::from(next < ends);
                if mark.distance == 0 {
                    mark.distance = distance + 1;
                    self.state.reached.push(w);
                }
            }
            next += 1;
        }
        self.meter.steps(scanned)
    }

    fn visit(&mut self, node: Node) -> Result<(), Stop> {
        let Node { before, at, depth, edge, chordless } = node;
        let (block, targets) = (self.block, self.targets);
        let length = depth + 2;
        let longest = self.tally.longest;
        let credits = self.tally.credits(depth);
        let list_induced = chordless && self.tally.induced;
        // Closing the longest cycles takes one number, unless their last vertex has to be seen:
        // for chords, for the far edge of a triangle, for the side of a middle vertex.
        if length == longest && depth > 2 && !list_induced {
            return self.count_ends(node, credits);
        }
        if credits {
            self.tally.open(depth);
        }
        let tail = self.tail(at);
        self.meter.steps(1 + tail.len() as u64)?;
        let is_end = self.state.marks[at as usize].distance == 2;
        self.state.marks[at as usize].used = true;

        let (mut low, mut high) = ([0u64; 2], [0u64; 2]);
        for arc in tail.clone() {
            let y = targets[arc];
            let mark = &mut self.state.marks[y as usize];
            if mark.distance == 2 && !mark.used {
                let side = if y < before { &mut low } else { &mut high };
                side[0] += u64::from(mark.touched == 0);
                side[1] += 1;
                if depth == 1 && y > at {
                    self.tally.single_edge(3, block.edges[arc] as usize);
                }
            }
            mark.touched += u8::from(chordless);
            mark.spent += u8::from(is_end);
        }
        self.tally.close(length, chordless.then_some(low[0]), low[1])?;
        let mut middle = self.tally.middle(depth);
        self.tally.close(length, chordless.then_some(high[0]), high[1])?;

        if length < longest {
            let mut crossed = depth <= 2;
            for arc in tail.clone() {
                let y = targets[arc];
                if !crossed && y > before {
                    middle = self.tally.middle(depth);
                    crossed = true;
                }
                let mark = self.state.marks[y as usize];
                let far = usize::from(mark.distance).wrapping_sub(1);
                if mark.used || far > longest - depth - 1 {
                    continue;
                }
                let chordless = chordless && mark.touched == 1 && mark.distance != 2;
                if chordless || self.tally.subgraph {
                    let edge = block.edges[arc];
                    self.visit(Node { before: at, at: y, depth: depth + 1, edge, chordless })?;
                }
            }
            if !crossed {
                middle = self.tally.middle(depth);
            }
        }
        for &y in &targets[tail] {
            let mark = &mut self.state.marks[y as usize];
            mark.touched -= u8::from(chordless);
            mark.spent -= u8::from(is_end);
        }
        self.state.marks[at as usize].used = false;
        if credits {
            let vertex = block.vertices[at as usize] as usize;
            self.tally.credit(depth, vertex, edge as usize, before < at, middle);
        }
        Ok(())
    }

    /// Closes the longest subgraph cycles from a node without looking at its neighbours.
    #[inline]
    fn count_ends(&mut self, node: Node, credits: bool) -> Result<(), Stop> {
        self.meter.steps(1)?;
        if credits {
            self.tally.open(node.depth);
        }
        let mark = self.state.marks[node.at as usize];
        let count = u64::from(mark.ends) - u64::from(mark.spent);
        self.tally.close(node.depth + 2, None, count)?;
        if credits {
            let vertex = self.block.vertices[node.at as usize] as usize;
            let up = node.before < node.at;
            let middle = self.tally.middle(node.depth);
            self.tally.credit(node.depth, vertex, node.edge as usize, up, middle);
        }
        Ok(())
    }
}
