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

mod left;
mod search;
mod squares;
mod sums;
mod triangles;

use crate::count::budget::Looks;
use crate::count::twins::TwinClasses;
use crate::graph::Graph;
use std::borrow::Cow;

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
    /// What is left of an undirected graph, if that is much less. `look` is called every few thousand
    /// steps and may stop the work.
    pub(super) fn of<E>(
        graph: &Graph,
        look: impl Fn() -> Result<(), E>,
    ) -> Result<Option<Self>, E> {
        let mut names: Vec<u32> = (0..graph.order() as u32).collect();
        let mut rest = Cow::Borrowed(graph);
        let mut classes = TwinClasses::default();
        classes.find(&rest, &look)?;
        let mut looks = Looks::new(&look);
        let mut looked = 0;
        for _ in 0..ROUNDS {
            looked += (rest.order() + rest.arc_count()) as u64;
            let mut rows = Rows::of(&classes, &rest, &mut looks)?;
            rows.take_simplicial(&mut looks)?;
            looked += rows.looked;
            if rows.left.iter().all(|&left| left) {
                break;
            }
            let stays: Vec<bool> =
                classes.class_of.iter().map(|&c| rows.left[c as usize]).collect();
            drop(rows);
            let smaller = left::without(&rest, &stays, &mut looks)?;
            let mut stays = stays.into_iter();
            names.retain(|_| stays.next().unwrap_or(false));
            rest = Cow::Owned(smaller);
            classes.find(&rest, &look)?;
        }
        let core = Self::of_classes(&classes, &rest, &names, looked, &mut looks)?;
        let left = core.graph.edge_count() as f64;
        Ok((left <= MOST_LEFT * graph.edge_count() as f64).then_some(core))
    }

    fn of_classes<E, L: Fn() -> Result<(), E>>(
        classes: &TwinClasses,
        rest: &Graph,
        names: &[u32],
        looked: u64,
        looks: &mut Looks<L>,
    ) -> Result<Self, E> {
        let (graph, order) = left::of_classes(classes, rest, looks)?;
        let mut core = Self {
            ends: Vec::with_capacity(graph.edge_count()),
            members: Vec::with_capacity(names.len()),
            starts: vec![0],
            open: Vec::with_capacity(order.len()),
            looked,
            graph,
        };
        for c in 0..core.len() as u32 {
            looks.after(1 + core.graph.degree(c))?;
            let later = core.graph.neighbors(c).iter().filter(|&&d| d > c);
            core.ends.extend(later.map(|&d| (c, d)));
        }
        for c in order {
            looks.after(classes.members(c).len())?;
            let members = classes.members(c);
            core.members.extend(members.iter().map(|&v| names[v as usize]));
            core.starts.push(core.members.len());
            core.open.push(members.len() > 1 && !classes.closed[c]);
        }
        Ok(core)
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
    fn of<E, L: Fn() -> Result<(), E>>(
        classes: &TwinClasses,
        graph: &Graph,
        looks: &mut Looks<L>,
    ) -> Result<Self, E> {
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
            looks.after(1 + graph.degree(classes.first[class]))?;
            // Classes are numbered by their first vertices, so these come in order.
            rows.targets.extend(classes.neighbors(graph, class).map(|other| other as u32));
            rows.closed.push(classes.closed[class] || classes.sizes[class] == 1);
            rows.degrees.push((rows.targets.len() - rows.starts[class]) as u32);
            rows.starts.push(rows.targets.len());
        }
        Ok(rows)
    }

    fn row(&self, class: u32) -> &[u32] {
        &self.targets[self.starts[class as usize]..self.starts[class as usize + 1]]
    }

    fn are_adjacent(&self, a: u32, b: u32) -> bool {
        let (a, b) = if self.row(a).len() <= self.row(b).len() { (a, b) } else { (b, a) };
        self.row(a).binary_search(&b).is_ok()
    }

    /// Takes out classes of simplicial vertices until there is none.
    fn take_simplicial<E, L: Fn() -> Result<(), E>>(
        &mut self,
        looks: &mut Looks<L>,
    ) -> Result<(), E> {
        let mut open: Vec<u32> = (0..self.left.len() as u32).collect();
        let mut is_open = vec![false; self.left.len()];
        while !open.is_empty() {
            // One of them without the others is simplicial all the same.
            let mut gone = Vec::new();
            for class in std::mem::take(&mut open) {
                is_open[class as usize] = false;
                let before = self.looked;
                if self.left[class as usize] && self.is_simplicial(class) {
                    gone.push(class);
                }
                // A pair takes a search in a row.
                looks.after(1 + 8 * (self.looked - before) as usize)?;
            }
            gone.iter().for_each(|&class| self.left[class as usize] = false);
            for class in gone {
                looks.after(self.row(class).len())?;
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
        Ok(())
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
