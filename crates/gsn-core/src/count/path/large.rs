//! Paths from one end in a graph of any size, by adjacency lists and marks.
//!
//! The ways to end a subgraph path at x_d are its degree less its neighbours on the walk, which
//! the marks hold; only induced paths need a look at the neighbours of the last vertex but one.

use super::positions::Positions;
use crate::count::budget::{Meter, Stop};
use crate::count::cells::Cells;
use crate::count::tally::Tally;
use crate::graph::Graph;

/// What the search knows of a vertex; all zeros between roots.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    used: bool,
    /// Vertices of the walk that are adjacent.
    touched: u8,
}

/// Memory of the search.
#[derive(Debug, Default)]
pub(super) struct Marks {
    marks: Vec<Mark>,
    /// A search was broken off and left marks behind.
    stale: bool,
}

pub(super) struct Search<'a, 'b, 'm, C> {
    pub(super) graph: &'a Graph,
    pub(super) tally: &'b mut Tally<'a, Positions, C>,
    pub(super) meter: &'b mut Meter<'m>,
    pub(super) state: &'b mut Marks,
}

/// Where a walk x₀, …, x_d stands.
#[derive(Clone, Copy)]
struct Node {
    before: u32,
    at: u32,
    depth: usize,
    /// The arc between them.
    arc: usize,
    /// Whether x₀, …, x_d has no chord.
    chordless: bool,
}

impl<C: Cells> Search<'_, '_, '_, C> {
    /// All paths with the end `root`.
    pub(super) fn root(&mut self, root: u32) -> Result<(), Stop> {
        if self.state.stale {
            self.state.marks.clear();
        }
        if self.state.marks.len() < self.graph.order() {
            self.state.marks.resize(self.graph.order(), Mark::default());
        }
        self.state.stale = true;
        self.tally.clear();
        if self.tally.columns.wants(2) {
            for arc in self.graph.arcs_of(root) {
                if root < self.graph.arc_target(arc) {
                    self.tally.single_edge(2, self.graph.edge_id(arc));
                }
            }
        }
        self.visit(Node { before: root, at: root, depth: 0, arc: 0, chordless: true })?;
        self.state.stale = false;
        Ok(())
    }

    fn visit(&mut self, node: Node) -> Result<(), Stop> {
        let Node { before, at, depth, chordless, .. } = node;
        let graph = self.graph;
        let longest = self.tally.longest;
        let credits = self.tally.credits(depth);
        if credits {
            self.tally.open(depth);
        }
        let ends_here = depth + 2 == longest;
        let mut middle = self.tally.middle(depth);
        if ends_here && depth != 1 && !(chordless && self.tally.induced) {
            self.meter.steps(1)?;
            let touched = u64::from(self.state.marks[at as usize].touched);
            self.tally.close(longest, None, graph.degree(at) as u64 - touched)?;
        } else {
            let arcs = graph.arcs_of(at);
            self.meter.steps(1 + arcs.len() as u64)?;
            self.state.marks[at as usize].used = true;
            let (mut low, mut high) = ([0u64; 2], [0u64; 2]);
            for &y in graph.neighbors(at) {
                let mark = &mut self.state.marks[y as usize];
                let side = if y < before { &mut low } else { &mut high };
                side[0] += u64::from(chordless && !mark.used && mark.touched == 0);
                side[1] += u64::from(!mark.used);
                mark.touched += 1;
            }
            self.tally.close(depth + 2, Some(low[0]), low[1])?;
            middle = self.tally.middle(depth);
            self.tally.close(depth + 2, Some(high[0]), high[1])?;
            if !ends_here {
                let mut crossed = depth <= 1;
                for arc in arcs {
                    let y = graph.arc_target(arc);
                    if !crossed && y > before {
                        middle = self.tally.middle(depth);
                        crossed = true;
                    }
                    let mark = self.state.marks[y as usize];
                    let chordless = chordless && mark.touched == 1;
                    if !mark.used && (chordless || self.tally.subgraph) {
                        self.visit(Node { before: at, at: y, depth: depth + 1, arc, chordless })?;
                    }
                }
                if !crossed {
                    middle = self.tally.middle(depth);
                }
            }
            for &y in graph.neighbors(at) {
                self.state.marks[y as usize].touched -= 1;
            }
            self.state.marks[at as usize].used = false;
        }
        if credits {
            let edge = if depth > 0 { graph.edge_id(node.arc) } else { 0 };
            self.tally.credit(depth, at as usize, edge, before < at, middle);
        }
        Ok(())
    }
}
