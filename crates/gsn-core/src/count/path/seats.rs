//! Columns of the places on a path, and who gets credit for the paths the search finds.
//!
//! Every path x₀, x₁, …, x_{k−1} is walked from both ends, so place i and place k − 1 − i are met
//! alike and only the first half is credited: the vertex x_i when 2i < k − 1, the edge x_{i−1}x_i
//! when 2i < k. What lies in the middle is met twice and credited from one end only: the vertex
//! of 2i = k − 1 when x_{i−1} < x_{i+1}, the edge of 2i = k when x_{i−1} < x_i. Credit is given
//! once per search node, as the difference between the totals after and before it.

use super::super::Matching;
use super::super::budget::Stop;
use super::super::cells::{Cells, Outputs, Task};
use crate::pattern::{MAX_ORDER, Pattern, bits};
use std::cmp::Ordering::{Equal, Greater, Less};

/// Columns of one place on a path.
#[derive(Clone, Copy, Debug)]
struct Seat {
    vertex: usize,
    /// The arc from the place before, when it goes from a smaller to a larger vertex.
    up: usize,
    /// The reverse of that arc.
    down: usize,
}

/// Columns of all places of all paths of a step.
#[derive(Clone, Debug)]
pub(super) struct Seats {
    seats: Vec<Seat>,
    /// For each number of vertices: where its seats start and how many patterns have it. Seats
    /// are ordered by place, then by pattern.
    of: Vec<(usize, usize)>,
    longest: usize,
}

/// The vertices of a path pattern from one end to the other.
fn along(pattern: &Pattern) -> Vec<usize> {
    let end = (0..pattern.order()).find(|&a| pattern.degree(a) == 1);
    let mut order = vec![end.expect("paths have ends")];
    let mut seen = 1u64 << order[0];
    while let Some(next) = bits(pattern.neighbor_set(order[order.len() - 1]) & !seen).next() {
        seen |= 1 << next;
        order.push(next);
    }
    order
}

impl Seats {
    pub(super) fn new(tasks: &[Task]) -> Self {
        let mut seats = Vec::new();
        let mut of = vec![(0, 0); MAX_ORDER + 1];
        for (k, of) in of.iter_mut().enumerate() {
            let paths: Vec<_> = tasks
                .iter()
                .filter(|task| task.pattern.order() == k)
                .map(|task| (task, along(&task.pattern)))
                .collect();
            *of = (seats.len(), paths.len());
            for place in 0..=k / 2 {
                for (task, order) in &paths {
                    let at = order[place];
                    let before = order[place.checked_sub(1).unwrap_or(1)];
                    let (up, down) = (task.arc(before, at), task.arc(at, before));
                    seats.push(Seat { vertex: task.vertex(at), up, down });
                }
            }
        }
        let longest = of.iter().rposition(|&(_, paths)| paths > 0).unwrap_or(0);
        Self { seats, of, longest }
    }

    /// The largest number of vertices.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    #[inline]
    fn at(&self, k: usize, place: usize) -> &[Seat] {
        let (start, paths) = self.of[k];
        &self.seats[start + place * paths..start + (place + 1) * paths]
    }
}

/// Paths so far, by number of vertices, each twice; for each matching.
pub(super) type Totals = [[u64; MAX_ORDER + 1]; 2];

const IND: usize = Matching::Induced as usize;
const SUB: usize = Matching::Subgraph as usize;

/// Totals at the time each node of the current walk was opened.
#[derive(Debug)]
pub(super) struct Saved(Vec<Totals>);

impl Default for Saved {
    fn default() -> Self {
        Self(vec![[[0; MAX_ORDER + 1]; 2]; MAX_ORDER / 2 + 1])
    }
}

pub(super) struct Tally<'a, C> {
    seats: &'a Seats,
    pub(super) out: &'a mut Outputs<C>,
    saved: &'a mut Saved,
    totals: Totals,
    pub(super) longest: usize,
    pub(super) induced: bool,
    pub(super) subgraph: bool,
}

impl<'a, C: Cells> Tally<'a, C> {
    pub(super) fn new(seats: &'a Seats, out: &'a mut Outputs<C>, saved: &'a mut Saved) -> Self {
        let (induced, subgraph) = (out.wants(Matching::Induced), out.wants(Matching::Subgraph));
        let totals = [[0; MAX_ORDER + 1]; 2];
        Self { seats, out, saved, totals, longest: seats.longest, induced, subgraph }
    }

    /// Ends paths of `k` vertices: `clean` induced ones, `all` subgraphs.
    #[inline]
    pub(super) fn close(&mut self, k: usize, clean: u64, all: u64) -> Result<(), Stop> {
        // A walk from a root can end at most once per step times the largest degree: the sums
        // stay below 2⁶⁴ in any search that ends, and are checked all the same.
        let [induced, subgraph] = &mut self.totals;
        induced[k] = induced[k].checked_add(clean).ok_or(Stop::Overflow)?;
        subgraph[k] = subgraph[k].checked_add(all).ok_or(Stop::Overflow)?;
        Ok(())
    }

    /// Whether a node of this depth gives credit.
    #[inline]
    pub(super) fn credits(&self, depth: usize) -> bool {
        2 * depth <= self.longest
    }

    /// Numbers of vertices that a node of this depth gives credit for.
    #[inline]
    fn orders(&self, depth: usize) -> std::ops::RangeInclusive<usize> {
        (2 * depth).max(depth + 2)..=self.longest
    }

    /// Remembers the totals before the node at `depth`.
    #[inline]
    pub(super) fn open(&mut self, depth: usize) {
        let orders = self.orders(depth);
        for m in [IND, SUB] {
            self.saved.0[depth][m][orders.clone()].copy_from_slice(&self.totals[m][orders.clone()]);
        }
    }

    /// The totals of paths that have depth `depth` in their middle, between the children below
    /// and the children above the node before.
    #[inline]
    pub(super) fn middle(&self, depth: usize) -> [u64; 2] {
        let k = (2 * depth + 1).min(MAX_ORDER);
        [self.totals[IND][k], self.totals[SUB][k]]
    }

    /// Credits the vertex at `depth` and the edge that led to it, `up` when that edge goes from a
    /// smaller to a larger vertex; `middle` are the totals at that time.
    #[inline]
    pub(super) fn credit(
        &mut self,
        depth: usize,
        vertex: usize,
        edge: usize,
        up: bool,
        middle: [u64; 2],
    ) {
        for matching in [Matching::Induced, Matching::Subgraph] {
            let m = matching as usize;
            if !(if m == IND { self.induced } else { self.subgraph }) {
                continue;
            }
            for k in self.orders(depth) {
                let total = self.totals[m][k];
                let count = total - self.saved.0[depth][m][k];
                if count == 0 {
                    continue;
                }
                let seats = self.seats.at(k, depth);
                let of_vertex = match k.cmp(&(2 * depth + 1)) {
                    Greater => count,
                    Equal => total - middle[m],
                    Less => 0,
                };
                if of_vertex > 0
                    && let Some(cells) = self.out.vertex(matching)
                {
                    for seat in seats {
                        cells.add(vertex, seat.vertex, of_vertex);
                    }
                }
                if depth > 0
                    && (k > 2 * depth || up)
                    && let Some(cells) = self.out.arc(matching)
                {
                    for seat in seats {
                        cells.add(edge, if up { seat.up } else { seat.down }, count);
                    }
                }
            }
        }
    }

    /// Credits an edge that is a path of two vertices by itself.
    #[inline]
    pub(super) fn single_edge(&mut self, edge: usize) {
        for matching in [Matching::Induced, Matching::Subgraph] {
            if let Some(cells) = self.out.arc(matching) {
                for seat in self.seats.at(2, 1) {
                    cells.add(edge, seat.up, 1);
                }
            }
        }
    }

    /// Whether paths of two vertices are wanted.
    pub(super) fn wants_edges(&self) -> bool {
        self.seats.of[2].1 > 0
    }

    /// Forgets the totals of the last root.
    pub(super) fn clear(&mut self) {
        for totals in &mut self.totals {
            totals[..=self.longest].fill(0);
        }
    }
}
