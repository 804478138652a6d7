//! Induced cycles in what is left of a graph without the vertices that cannot be in one, twins taken
//! together.
//!
//! A vertex whose neighbours are all adjacent (*simplicial*) is in no induced cycle of four or more
//! vertices, and without it others may become simplicial. Of a class of twins (`count/twins.rs`) an
//! induced cycle holds one vertex at most, and any of them will do; only a square may hold two, which
//! are not adjacent then. So both are done until nothing changes, and what is left is a graph of
//! classes: a cycle in it stands for as many as the product of its classes' sizes. Graphs of people
//! who work together are made of groups; an eighth of their edges is left.
//!
//! O(m) for each round of classes, and O(d² log d) for a class whose d neighbours are nearly all
//! adjacent.

mod search;
mod squares;
mod sums;
mod triangles;

use crate::count::budget::out_of_patience;
use crate::count::twins::TwinClasses;
use crate::graph::Graph;
use std::borrow::Cow;
use std::cmp::Reverse;

pub(super) use search::{Scratch, Task};

/// Rounds after which the graph is taken as it is.
const ROUNDS: usize = 8;
/// The share of the edges that may be left for the trouble to be worth it.
const MOST_LEFT: f64 = 0.75;

/// Classes of vertices that may be in induced cycles of four or more vertices.
#[derive(Debug)]
pub(super) struct Core {
    /// The classes, those with most neighbours first.
    graph: Graph,
    /// Vertices of each class; those of class c start at `starts[c]`.
    members: Vec<u32>,
    starts: Vec<usize>,
    /// Whether a class has several members, which are not adjacent.
    open: Vec<bool>,
    /// The ends of every edge between classes.
    ends: Vec<(u32, u32)>,
    /// Arcs and pairs that were looked at.
    pub(super) looked: u64,
}

impl Core {
    /// What is left of an undirected graph, if that is much less.
    pub(super) fn of(graph: &Graph) -> Option<Self> {
        let mut names: Vec<u32> = (0..graph.order() as u32).collect();
        let mut rest = Cow::Borrowed(graph);
        let mut classes = TwinClasses::default();
        classes.find(&rest);
        let mut looked = 0;
        for _ in 0..ROUNDS {
            if out_of_patience() {
                return None;
            }
            looked += (rest.order() + rest.arc_count()) as u64;
            let mut rows = Rows::of(&classes, &rest);
            rows.take_simplicial();
            looked += rows.looked;
            if rows.left.iter().all(|&left| left) {
                break;
            }
            let stays = |v: usize| rows.left[classes.class_of[v] as usize];
            let mut number = vec![u32::MAX; names.len()];
            let kept: Vec<usize> = (0..names.len()).filter(|&v| stays(v)).collect();
            kept.iter().zip(0..).for_each(|(&v, new)| number[v] = new);
            let edges = rest.edges().map(|(u, v)| (number[u as usize], number[v as usize]));
            let edges = edges.filter(|&(u, v)| u.max(v) < u32::MAX);
            let smaller = Graph::from_edges(kept.len(), edges).ok()?;
            names = kept.into_iter().map(|v| names[v]).collect();
            rest = Cow::Owned(smaller);
            classes.find(&rest);
        }
        let core = Self::of_classes(&classes, &rest, &names, looked)?;
        let left = core.graph.edge_count() as f64;
        (left <= MOST_LEFT * graph.edge_count() as f64).then_some(core)
    }

    fn of_classes(classes: &TwinClasses, rest: &Graph, names: &[u32], looked: u64) -> Option<Self> {
        let degrees: Vec<usize> =
            (0..classes.len()).map(|c| classes.neighbors(rest, c).count()).collect();
        let mut order: Vec<usize> = (0..classes.len()).collect();
        order.sort_by_key(|&c| (Reverse(degrees[c]), c));
        let mut number = vec![0; order.len()];
        order.iter().zip(0u32..).for_each(|(&c, new)| number[c] = new);
        let arcs = |c: usize| classes.neighbors(rest, c).map(move |d| (c, d));
        let edges = (0..classes.len()).flat_map(arcs).filter(|(c, d)| c < d);
        let edges = edges.map(|(c, d)| (number[c], number[d]));
        let graph = Graph::from_edges(order.len(), edges).ok()?;
        let mut core = Self {
            ends: graph.edges().collect(),
            graph,
            members: Vec::with_capacity(names.len()),
            starts: vec![0],
            open: Vec::with_capacity(order.len()),
            looked,
        };
        for c in order {
            let members = classes.members(c);
            core.members.extend(members.iter().map(|&v| names[v as usize]));
            core.starts.push(core.members.len());
            core.open.push(members.len() > 1 && !classes.closed[c]);
        }
        Some(core)
    }

    /// Number of classes.
    pub(super) fn len(&self) -> usize {
        self.graph.order()
    }

    /// The classes as a graph.
    pub(super) fn graph(&self) -> &Graph {
        &self.graph
    }

    fn members(&self, class: u32) -> &[u32] {
        &self.members[self.starts[class as usize]..self.starts[class as usize + 1]]
    }

    /// Number of members.
    fn size(&self, class: u32) -> u128 {
        (self.starts[class as usize + 1] - self.starts[class as usize]) as u128
    }
}

/// The neighbours of every class, and which classes are left.
struct Rows {
    starts: Vec<usize>,
    targets: Vec<u32>,
    /// Whether the members of a class are adjacent, or there is one only.
    closed: Vec<bool>,
    left: Vec<bool>,
    /// Neighbours that are left.
    degrees: Vec<u32>,
    around: Vec<u32>,
    looked: u64,
}

impl Rows {
    fn of(classes: &TwinClasses, graph: &Graph) -> Self {
        let mut rows = Self {
            starts: vec![0],
            targets: Vec::new(),
            closed: Vec::new(),
            left: vec![true; classes.len()],
            degrees: Vec::new(),
            around: Vec::new(),
            looked: 0,
        };
        for class in 0..classes.len() {
            // Classes are numbered by their first vertices, so these come in order.
            rows.targets.extend(classes.neighbors(graph, class).map(|other| other as u32));
            rows.closed.push(classes.closed[class] || classes.sizes[class] == 1);
            rows.degrees.push((rows.targets.len() - rows.starts[class]) as u32);
            rows.starts.push(rows.targets.len());
        }
        rows
    }

    fn row(&self, class: u32) -> &[u32] {
        &self.targets[self.starts[class as usize]..self.starts[class as usize + 1]]
    }

    fn are_adjacent(&self, a: u32, b: u32) -> bool {
        let (a, b) = if self.row(a).len() <= self.row(b).len() { (a, b) } else { (b, a) };
        self.row(a).binary_search(&b).is_ok()
    }

    /// Takes out classes of simplicial vertices until there is none.
    fn take_simplicial(&mut self) {
        let mut open: Vec<u32> = (0..self.left.len() as u32).collect();
        let mut is_open = vec![false; self.left.len()];
        while !open.is_empty() {
            // One of them without the others is simplicial all the same.
            let mut gone = std::mem::take(&mut open);
            gone.retain(|&class| {
                is_open[class as usize] = false;
                self.left[class as usize] && self.is_simplicial(class)
            });
            gone.iter().for_each(|&class| self.left[class as usize] = false);
            for class in gone {
                for at in self.starts[class as usize]..self.starts[class as usize + 1] {
                    let other = self.targets[at] as usize;
                    self.degrees[other] -= 1;
                    if self.left[other] && !is_open[other] {
                        is_open[other] = true;
                        open.push(other as u32);
                    }
                }
            }
        }
    }

    /// Whether all neighbours of a class's vertices are adjacent.
    fn is_simplicial(&mut self, class: u32) -> bool {
        let mut around = std::mem::take(&mut self.around);
        around.clear();
        around.extend(self.row(class).iter().filter(|&&other| self.left[other as usize]));
        let d = around.len();
        self.looked += 1 + d as u64;
        let can_be = |&other: &u32| {
            self.closed[other as usize] && self.degrees[other as usize] as usize >= d
        };
        let mut simplicial = around.iter().all(can_be);
        for (i, j) in pairs(d) {
            if !simplicial {
                break;
            }
            self.looked += 1;
            simplicial = self.are_adjacent(around[i], around[j]);
        }
        self.around = around;
        simplicial
    }
}

/// All pairs of numbers below n.
fn pairs(n: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n).flat_map(|i| (0..i).map(move |j| (j, i)))
}
