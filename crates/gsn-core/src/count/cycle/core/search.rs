//! Cycles of four or more classes without chords, each found once.
//!
//! A cycle starts at its first class, the root, and is walked in the direction of the smaller of its
//! two neighbours there. The walk goes on only to classes that no earlier one is next to, and that
//! are near enough to the root to be back in time; a neighbour of the root closes it. One step a
//! class looked at. A class on the walk is credited once, with all cycles found since it came.

use super::Core;
use super::sums::Sums;
use super::triangles::triangles;
use crate::count::budget::{Meter, Stop};
use crate::count::cells::{Cells, Outputs};
use crate::count::uniform::UniformColumns;
use crate::graph::Graph;
use crate::graph::oriented::OrientedGraph;
use std::ops::Range;

/// What the search knows of a class; all zeros between roots.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    /// 1 + distance from the root; 0 when out of reach.
    distance: u8,
    /// Whether it is on the walk.
    used: bool,
    /// How many classes of the walk, the root apart, are adjacent.
    touched: u8,
    /// The edge to the root, if it is a neighbour.
    spoke: u32,
}

/// Memory of one thread.
#[derive(Debug, Default)]
pub(in crate::count::cycle) struct Scratch {
    marks: Vec<Mark>,
    /// Classes in reach of the root.
    reached: Vec<u32>,
    /// Cycles of the root so far, by length, and those when each class of the walk came.
    totals: Vec<u128>,
    saved: Vec<u128>,
    pub(super) classes: Sums,
    pub(super) edges: Sums,
    /// Numbers of triangles by vertex, and the vertices that are next to the one at work.
    pub(super) triangles: Vec<u32>,
    pub(super) is_next: Vec<bool>,
    /// A search was broken off and left something behind.
    stale: bool,
}

/// Which cycles are counted.
pub(super) struct Lengths {
    /// Lengths of at least four, in increasing order.
    pub(super) wanted: Vec<usize>,
    /// Place of every length among them.
    place: Vec<Option<usize>>,
}

impl Lengths {
    pub(super) fn of(columns: &UniformColumns) -> Self {
        let wanted: Vec<usize> = columns.sizes().iter().copied().filter(|&k| k > 3).collect();
        let place = (0..=columns.largest()).map(|k| wanted.iter().position(|&w| w == k));
        Self { place: place.collect(), wanted }
    }

    pub(super) fn place(&self, length: usize) -> Option<usize> {
        self.place.get(length).copied().flatten()
    }

    fn longest(&self) -> usize {
        self.wanted.last().copied().unwrap_or(0)
    }
}

/// What a count needs besides the classes.
pub(in crate::count::cycle) struct Task<'a> {
    pub(in crate::count::cycle) graph: &'a Graph,
    pub(in crate::count::cycle) oriented: &'a OrientedGraph,
    pub(in crate::count::cycle) columns: &'a UniformColumns,
}

impl Core {
    /// Pieces of work: one for each class and, where triangles are wanted, one for each vertex.
    pub(in crate::count::cycle) fn roots(&self, task: &Task<'_>) -> usize {
        self.len() + if task.columns.wants(3) { task.graph.order() } else { 0 }
    }

    /// About how much work a root is.
    pub(in crate::count::cycle) fn weight(&self, task: &Task<'_>, root: usize) -> f64 {
        let degree = match root.checked_sub(self.len()) {
            None => self.graph.degree(root as u32),
            Some(rank) => task.oriented.later(rank as u32),
        };
        1.0 + (degree * degree) as f64
    }

    /// Counts the cycles of some roots.
    pub(in crate::count::cycle) fn run<C: Cells>(
        &self,
        task: &Task<'_>,
        roots: Range<usize>,
        scratch: &mut Scratch,
        out: &mut Outputs<C>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        if std::mem::replace(&mut scratch.stale, true) {
            *scratch = Scratch { stale: true, ..Scratch::default() };
        }
        let lengths = Lengths::of(task.columns);
        let last = roots.end.min(self.len());
        let classes = roots.start.min(last)..last;
        if !classes.is_empty() {
            scratch.start(self, &lengths, out.wants_arcs());
            let arcs = out.wants_arcs();
            let mut search =
                Search { core: self, lengths: &lengths, scratch, meter, arcs, root: 0, first: 0 };
            for class in classes {
                search.root(class as u32)?;
                search.squares(class as u32)?;
            }
            let (wanted, columns) = (&lengths.wanted, task.columns);
            self.give_vertices(&mut scratch.classes, columns, wanted, out)?;
            self.give_edges(task.graph, &mut scratch.edges, columns, wanted, out)?;
        }
        for root in roots.start.max(self.len())..roots.end {
            triangles(task, root - self.len(), scratch, out, meter)?;
        }
        scratch.stale = false;
        Ok(())
    }
}

impl Scratch {
    fn start(&mut self, core: &Core, lengths: &Lengths, arcs: bool) {
        if self.marks.len() < core.len() {
            self.marks.resize(core.len(), Mark::default());
        }
        self.totals.clear();
        self.totals.resize(lengths.wanted.len(), 0);
        self.classes.start(core.len(), lengths.wanted.len());
        self.edges.start(if arcs { core.graph.edge_count() } else { 0 }, lengths.wanted.len());
    }
}

/// A search at work.
pub(super) struct Search<'a, 'm> {
    pub(super) core: &'a Core,
    pub(super) lengths: &'a Lengths,
    pub(super) scratch: &'a mut Scratch,
    pub(super) meter: &'a mut Meter<'m>,
    /// Whether edges are credited.
    arcs: bool,
    root: u32,
    /// The class that the walk goes to first.
    first: u32,
}

/// The end of a walk.
#[derive(Clone, Copy)]
struct Node {
    at: u32,
    /// The edge that led there.
    edge: u32,
    /// Number of edges of the walk.
    depth: usize,
    /// The product of the sizes of all classes on the walk, the root included.
    weight: u128,
}

impl Search<'_, '_> {
    /// The arcs of a class that lead to classes behind the root.
    fn tail(&self, class: u32) -> Range<usize> {
        let arcs = self.core.graph.arcs_of(class);
        let skip = self.core.graph.neighbors(class).partition_point(|&other| other <= self.root);
        arcs.start + skip..arcs.end
    }

    fn edge(&self, arc: usize) -> u32 {
        self.core.graph.edge_id(arc) as u32
    }

    /// Credits a class.
    pub(super) fn add(&mut self, class: u32, length: usize, value: u128) -> Result<(), Stop> {
        self.scratch.classes.add(class as usize, length, value)
    }

    /// Credits an edge between classes, where that is wanted.
    pub(super) fn add_edge(&mut self, edge: u32, length: usize, value: u128) -> Result<(), Stop> {
        if self.arcs { self.scratch.edges.add(edge as usize, length, value) } else { Ok(()) }
    }

    /// All cycles whose first class is `root`.
    fn root(&mut self, root: u32) -> Result<(), Stop> {
        self.root = root;
        self.meter.steps(1)?;
        let starts = self.tail(root);
        if starts.len() < 2 || self.lengths.wanted.is_empty() {
            return Ok(());
        }
        self.measure()?;
        let size = self.core.size(root);
        for arc in starts {
            let at = self.core.graph.arc_target(arc);
            let weight = size.checked_mul(self.core.size(at)).ok_or(Stop::Overflow)?;
            self.first = at;
            self.visit(Node { at, edge: self.edge(arc), depth: 1, weight })?;
        }
        for class in self.scratch.reached.drain(..) {
            self.scratch.marks[class as usize] = Mark::default();
        }
        for length in 0..self.lengths.wanted.len() {
            let total = std::mem::take(&mut self.scratch.totals[length]);
            if total > 0 {
                self.add(root, length, total)?;
            }
        }
        Ok(())
    }

    /// Distances from the root among the classes behind it, as far as half the longest cycle.
    fn measure(&mut self) -> Result<(), Stop> {
        for arc in self.tail(self.root) {
            let class = self.core.graph.arc_target(arc);
            let spoke = self.edge(arc);
            self.scratch.marks[class as usize] = Mark { distance: 2, spoke, ..Mark::default() };
            self.scratch.reached.push(class);
        }
        let mut next = 0;
        while let Some(&class) = self.scratch.reached.get(next) {
            let distance = self.scratch.marks[class as usize].distance;
            if usize::from(distance) > self.lengths.longest() / 2 {
                break;
            }
            let tail = self.tail(class);
            self.meter.steps(1 + tail.len() as u64)?;
            for arc in tail {
                let other = self.core.graph.arc_target(arc);
                let mark = &mut self.scratch.marks[other as usize];
                if mark.distance == 0 {
                    mark.distance = distance + 1;
                    self.scratch.reached.push(other);
                }
            }
            next += 1;
        }
        Ok(())
    }

    fn visit(&mut self, node: Node) -> Result<(), Stop> {
        let Node { at, edge, depth, weight } = node;
        let (core, longest) = (self.core, self.lengths.longest());
        let tail = self.tail(at);
        self.meter.steps(1 + tail.len() as u64)?;
        let before = self.scratch.saved.len();
        self.scratch.saved.extend_from_slice(&self.scratch.totals);
        self.scratch.marks[at as usize].used = true;
        // Only closing is left to do at the end of the longest walks, and that needs no marks.
        let last = depth + 2 >= longest;
        let by_this = u8::from(!last);
        for arc in tail.clone().filter(|_| !last) {
            self.scratch.marks[core.graph.arc_target(arc) as usize].touched += 1;
        }
        for arc in tail.clone() {
            let y = core.graph.arc_target(arc);
            let mark = self.scratch.marks[y as usize];
            if mark.used || mark.touched > by_this {
                continue;
            }
            let closes = mark.distance == 2;
            let far = usize::from(mark.distance).wrapping_sub(1);
            let goes_on = !closes && depth + 3 <= longest && far < longest - depth;
            // Of the two directions of a cycle the one with the smaller class first is taken.
            let found = closes && depth > 1 && y > self.first;
            if !goes_on && !found {
                continue;
            }
            let weight = weight.checked_mul(core.size(y)).ok_or(Stop::Overflow)?;
            let edge = self.edge(arc);
            if goes_on {
                self.visit(Node { at: y, edge, depth: depth + 1, weight })?;
            } else if let Some(length) = self.lengths.place(depth + 2) {
                let total = &mut self.scratch.totals[length];
                *total = total.checked_add(weight).ok_or(Stop::Overflow)?;
                self.add(y, length, weight)?;
                self.add_edge(edge, length, weight)?;
                self.add_edge(mark.spoke, length, weight)?;
            }
        }
        for arc in tail.filter(|_| !last) {
            self.scratch.marks[core.graph.arc_target(arc) as usize].touched -= 1;
        }
        self.scratch.marks[at as usize].used = false;
        for length in 0..self.lengths.wanted.len() {
            let since = self.scratch.totals[length] - self.scratch.saved[before + length];
            if since > 0 {
                self.add(at, length, since)?;
                self.add_edge(edge, length, since)?;
            }
        }
        self.scratch.saved.truncate(before);
        Ok(())
    }
}
