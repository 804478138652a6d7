//! Cliques of all sizes at once, none of them listed (Jain and Seshadhri's Pivoter).
//!
//! In a set P the cliques either avoid all non-neighbours of a pivot v, and then v may be added
//! or left out freely, or have a first non-neighbour, which is held. A branch that ends with h held
//! and p pivots stands for C(p, k − h) cliques of k vertices. Shares are binomials, too: a held
//! vertex is in all of them, a pivot in C(p − 1, k − h − 1), two pivots in C(p − 2, k − h − 2).
//! They are summed over the whole subtree and credited once, when the vertex leaves the stack.
//!
//! Vertices adjacent to all of P are pivots without a branch, so a clique is one leaf. The search
//! goes down one level for each held vertex only, and no more than the largest size wanted; with
//! one vertex missing, every vertex of P completes a clique.

mod space;

pub(super) use space::{CliqueGraph, DenseGraph, SparseComplement, WordGraph, full};

use super::binomial::binomial;
use super::budget::{Meter, Stop};
use crate::graph::Graph;
use crate::graph::oriented::{EdgeNumbers, OrientedGraph};
use crate::graph::small::{Rows, WORD, fill};
use crate::random::Random;

/// A graph as the search reads it: bit rows if it has at most 64 vertices, else forward arcs.
#[derive(Debug)]
pub(super) struct PivotGraph {
    pub(super) rows: Rows,
    pub(super) oriented: OrientedGraph,
}

impl Default for PivotGraph {
    fn default() -> Self {
        Self { rows: [0; WORD], oriented: OrientedGraph::default() }
    }
}

impl PivotGraph {
    pub(super) fn load(
        &mut self,
        graph: &Graph,
        numbers: EdgeNumbers,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        if graph.order() <= WORD {
            fill(graph, &mut self.rows);
        } else {
            self.oriented.orient(graph, numbers, || meter.look())?;
        }
        meter.steps((graph.order() + graph.arc_count()) as u64)
    }
}

/// Takes the counts of one search.
pub(super) trait Sink {
    /// Whether pairs are to be credited.
    fn pairs(&self) -> bool;
    /// Vertex `v` is in `counts[i]` cliques of the i-th wanted size.
    fn vertex(&mut self, v: usize, counts: &[u64]);
    /// The vertices `v` and `w` are.
    fn pair(&mut self, v: usize, w: usize, counts: &[u64]);
}

/// A vertex on the stack.
#[derive(Clone, Copy, Debug)]
struct Taken {
    name: usize,
    held: bool,
}

/// Memory of the search.
#[derive(Debug, Default)]
pub(super) struct Memory {
    stack: Vec<Taken>,
    /// Sums over the leaves so far of cliques, of those with one given pivot, and with two: three
    /// rows of one number a wanted size.
    totals: Vec<u64>,
    /// The totals when each vertex on the stack was taken.
    saved: Vec<u64>,
    /// One clique of the largest size.
    one: Vec<u64>,
}

pub(super) struct Pivoter<'a, 'm, S> {
    /// Sizes wanted, in increasing order.
    pub(super) sizes: &'a [usize],
    pub(super) memory: &'a mut Memory,
    pub(super) sink: S,
    pub(super) meter: &'a mut Meter<'m>,
    held: usize,
    pivots: usize,
}

impl<'a, 'm, S: Sink> Pivoter<'a, 'm, S> {
    pub(super) fn new(
        sizes: &'a [usize],
        memory: &'a mut Memory,
        sink: S,
        meter: &'a mut Meter<'m>,
    ) -> Self {
        memory.stack.clear();
        memory.saved.clear();
        memory.totals.clear();
        memory.totals.resize(3 * sizes.len(), 0);
        memory.one.clear();
        memory.one.resize(sizes.len() - 1, 0);
        memory.one.push(1);
        Self { sizes, memory, sink, meter, held: 0, pivots: 0 }
    }

    /// Counts the cliques inside `set`.
    pub(super) fn count<P: CliqueGraph>(&mut self, space: &P, set: P::Set) -> Result<(), Stop> {
        self.node(space, set)
    }

    /// Counts the cliques made of `name` and vertices of `set`, all of which are adjacent to it.
    pub(super) fn count_with<P: CliqueGraph>(
        &mut self,
        name: usize,
        space: &P,
        set: P::Set,
    ) -> Result<(), Stop> {
        self.push(name, true);
        self.node(space, set)?;
        self.pop();
        Ok(())
    }

    /// The number of cliques of the wanted size number `size` so far.
    pub(super) fn total(&self, size: usize) -> u64 {
        self.memory.totals[size]
    }

    fn node<P: CliqueGraph>(&mut self, space: &P, mut set: P::Set) -> Result<(), Stop> {
        let largest = self.sizes[self.sizes.len() - 1];
        // Not where one level is left at the most, as at most nodes: that would be all of the work.
        if self.held + 2 < largest
            && let Some((word, set)) = space.narrow(&set)
        {
            return self.node(&word, set);
        }
        let bottom = self.memory.stack.len();
        loop {
            let count = space.len(&set);
            self.meter.steps(1 + count as u64)?;
            if self.held + self.pivots + count < self.sizes[0] {
                break;
            }
            if self.held + 1 >= largest || count == 0 {
                self.leaf()?;
                if self.held + 1 == largest {
                    self.any_one(space, &set)?;
                }
                break;
            }
            let Some(pivot) = self.take_universal(space, &mut set, count) else { continue };
            let non_neighbors = space.non_neighbors(pivot, &set);
            for w in space.members(&non_neighbors) {
                space.remove(w, &mut set);
                self.push(space.name(w), true);
                self.node(space, space.meet(w, &set))?;
                self.pop();
            }
            self.push(space.name(pivot), false);
            set = space.meet(pivot, &set);
        }
        while self.memory.stack.len() > bottom {
            self.pop();
        }
        Ok(())
    }

    /// Makes pivots of the vertices that are adjacent to all others and takes them out; of the
    /// rest the one with most neighbours, if there is a rest.
    #[inline]
    fn take_universal<P: CliqueGraph>(
        &mut self,
        space: &P,
        set: &mut P::Set,
        count: usize,
    ) -> Option<usize> {
        let (mut best, mut pivot) = (0, None);
        let whole = set.clone();
        for v in space.members(&whole) {
            let degree = space.degree(v, &whole, count);
            if degree + 1 == count {
                self.push(space.name(v), false);
                space.remove(v, set);
            } else if pivot.is_none() || degree > best {
                (best, pivot) = (degree, Some(v));
            }
        }
        pivot
    }

    fn push(&mut self, name: usize, held: bool) {
        self.memory.stack.push(Taken { name, held });
        self.memory.saved.extend_from_slice(&self.memory.totals);
        if held {
            self.held += 1;
        } else {
            self.pivots += 1;
        }
    }

    /// Takes the last vertex off the stack and credits what was found since it came.
    fn pop(&mut self) {
        let Memory { stack, totals, saved, .. } = &mut *self.memory;
        let Some(Taken { name, held }) = stack.pop() else { return };
        let sizes = self.sizes.len();
        let before = saved.len() - 3 * sizes;
        let since = &mut saved[before..];
        for (then, now) in since.iter_mut().zip(&*totals) {
            *then = now - *then;
        }
        if since[..sizes].iter().any(|&count| count > 0) {
            let mut rows = since.chunks_exact(sizes).skip(usize::from(!held));
            let with_held = rows.next().unwrap_or_default();
            self.sink.vertex(name, with_held);
            if self.sink.pairs() {
                let with_pivot = rows.next().unwrap_or_default();
                for other in stack.iter() {
                    let counts = if other.held { with_held } else { with_pivot };
                    self.sink.pair(name, other.name, counts);
                }
            }
        }
        saved.truncate(before);
        if held {
            self.held -= 1;
        } else {
            self.pivots -= 1;
        }
    }

    /// The cliques made of all held vertices and any pivots.
    fn leaf(&mut self) -> Result<(), Stop> {
        let sizes = self.sizes.len();
        for (size, &k) in self.sizes.iter().enumerate() {
            for row in 0..3 {
                // Cliques that contain `row` given pivots.
                if self.held + row > k || row > self.pivots {
                    break;
                }
                let count = binomial(self.pivots - row, k - self.held - row);
                let total = &mut self.memory.totals[row * sizes + size];
                *total = count.and_then(|c| total.checked_add(c)).ok_or(Stop::Overflow)?;
            }
        }
        Ok(())
    }

    /// The largest cliques made of all held vertices and one of `set`.
    fn any_one<P: CliqueGraph>(&mut self, space: &P, set: &P::Set) -> Result<(), Stop> {
        let Memory { stack, totals, one, .. } = &mut *self.memory;
        let total = &mut totals[self.sizes.len() - 1];
        *total = total.checked_add(space.len(set) as u64).ok_or(Stop::Overflow)?;
        for v in space.members(set) {
            let name = space.name(v);
            self.sink.vertex(name, one);
            if self.sink.pairs() {
                for other in stack.iter().filter(|other| other.held) {
                    self.sink.pair(name, other.name, one);
                }
            }
        }
        Ok(())
    }
}

/// Levels below a branch that its size is guessed by.
const LEVELS: usize = 3;

/// Estimated steps below a node with `held` vertices held, by one random walk.
pub(super) fn probe<P: CliqueGraph>(
    space: &P,
    mut set: P::Set,
    mut held: usize,
    largest: usize,
    random: &mut Random,
) -> f64 {
    let (mut weight, mut steps) = (1.0, 0.0);
    loop {
        let count = space.len(&set);
        steps += weight * (1 + count) as f64;
        if held + 1 >= largest || count == 0 {
            return steps;
        }
        let whole = set.clone();
        let (mut best, mut pivot) = (0, None);
        for v in space.members(&whole) {
            let degree = space.degree(v, &whole, count);
            if degree + 1 == count {
                space.remove(v, &mut set);
            } else if pivot.is_none() || degree > best {
                (best, pivot) = (degree, Some(v));
            }
        }
        let Some(pivot) = pivot else { continue };
        let non_neighbors: Vec<usize> = space.members(&space.non_neighbors(pivot, &set)).collect();
        // Branches differ by orders of magnitude: those with many vertices left are taken more often.
        let levels = (largest - held).min(LEVELS) as i32;
        let (mut left, mut count) = (set.clone(), space.len(&set));
        let mut guesses: Vec<f64> = Vec::with_capacity(non_neighbors.len() + 1);
        for &w in &non_neighbors {
            guesses.push((1.0 + space.degree(w, &left, count) as f64).powi(levels - 1));
            space.remove(w, &mut left);
            count -= 1;
        }
        guesses.push((1.0 + space.degree(pivot, &left, count) as f64).powi(levels));
        let all: f64 = guesses.iter().sum();
        let mut rest = random.unit() * all;
        let choice = guesses.iter().position(|guess| {
            rest -= guess;
            rest < 0.0
        });
        let choice = choice.unwrap_or(non_neighbors.len());
        weight *= all / guesses[choice];
        for &w in &non_neighbors[..choice] {
            space.remove(w, &mut set);
        }
        match non_neighbors.get(choice) {
            Some(&w) => {
                held += 1;
                space.remove(w, &mut set);
                set = space.meet(w, &set);
            }
            None => set = space.meet(pivot, &set),
        }
    }
}
