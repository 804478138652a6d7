//! The columns of the positions on a path, and which vertices and edges get credit for the paths
//! that the search finds.
//!
//! Every path x₀, x₁, …, x_{k−1} is walked from both ends, so position i and position k − 1 − i
//! are met alike and only the first half is credited: the vertex x_i when 2i < k − 1, the edge
//! x_{i−1}x_i when 2i < k. What lies in the middle is met twice and credited from one end only:
//! the vertex of 2i = k − 1 when x_{i−1} < x_{i+1}, the edge of 2i = k when x_{i−1} < x_i. Credit
//! is given once per search node, as the difference between the totals after and before it.

use super::super::budget::Stop;
use super::super::cells::{Cells, Outputs, PatternColumns};
use super::super::totals::{SavedTotals, Totals};
use super::super::{MATCHINGS, Matching};
use crate::pattern::{MAX_ORDER, Pattern, bits};
use std::cmp::Ordering::{Equal, Greater, Less};

/// Columns of one position on a path.
#[derive(Clone, Copy, Debug)]
struct Position {
    vertex: usize,
    /// The arc from the position before, when it goes from a smaller to a larger vertex.
    up: usize,
    /// The reverse of that arc.
    down: usize,
}

/// Columns of all positions of all paths that are counted.
#[derive(Clone, Debug)]
pub(super) struct Positions {
    /// By number of vertices, then by position, then by pattern.
    columns: Vec<Position>,
    /// For each number of vertices: where its columns start and how many patterns have it.
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

impl Positions {
    pub(super) fn new(patterns: &[PatternColumns]) -> Self {
        let mut columns = Vec::new();
        let mut of = vec![(0, 0); MAX_ORDER + 1];
        for (k, of) in of.iter_mut().enumerate() {
            let paths: Vec<_> = patterns
                .iter()
                .filter(|path| path.pattern.order() == k)
                .map(|path| (path, along(&path.pattern)))
                .collect();
            *of = (columns.len(), paths.len());
            for position in 0..=k / 2 {
                for (path, order) in &paths {
                    let at = order[position];
                    let before = order[position.checked_sub(1).unwrap_or(1)];
                    let (up, down) = (path.arc(before, at), path.arc(at, before));
                    columns.push(Position { vertex: path.vertex(at), up, down });
                }
            }
        }
        let longest = of.iter().rposition(|&(_, paths)| paths > 0).unwrap_or(0);
        Self { columns, of, longest }
    }

    /// The largest number of vertices.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    #[inline]
    fn at(&self, k: usize, position: usize) -> &[Position] {
        let (start, paths) = self.of[k];
        &self.columns[start + position * paths..start + (position + 1) * paths]
    }
}

pub(super) struct Tally<'a, C> {
    positions: &'a Positions,
    pub(super) out: &'a mut Outputs<C>,
    /// Paths, each twice. A walk from a root can end at most once per step times the largest
    /// degree: the sums stay below 2⁶⁴ in any search that ends, and are checked all the same.
    totals: Totals<'a>,
    pub(super) longest: usize,
    pub(super) induced: bool,
    pub(super) subgraph: bool,
}

impl<'a, C: Cells> Tally<'a, C> {
    pub(super) fn new(
        positions: &'a Positions,
        out: &'a mut Outputs<C>,
        saved: &'a mut SavedTotals,
    ) -> Self {
        let (induced, subgraph) = (out.wants(Matching::Induced), out.wants(Matching::Subgraph));
        let (totals, longest) = (Totals::new(saved), positions.longest);
        Self { positions, out, totals, longest, induced, subgraph }
    }

    /// Ends paths of `k` vertices: `clean` induced ones, `all` subgraphs.
    #[inline]
    pub(super) fn close(&mut self, k: usize, clean: u64, all: u64) -> Result<(), Stop> {
        self.totals.add(Matching::Induced, k, clean)?;
        self.totals.add(Matching::Subgraph, k, all)
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
        self.totals.open(depth, self.orders(depth));
    }

    /// The totals of paths that have depth `depth` in their middle, between the children below
    /// and the children above the node before.
    #[inline]
    pub(super) fn middle(&self, depth: usize) -> [u64; 2] {
        self.totals.of((2 * depth + 1).min(MAX_ORDER))
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
        let wanted = [self.induced, self.subgraph];
        for matching in MATCHINGS.into_iter().filter(|&matching| wanted[matching as usize]) {
            for k in self.orders(depth) {
                let (total, count) = self.totals.since(depth, matching, k);
                if count == 0 {
                    continue;
                }
                let columns = self.positions.at(k, depth);
                let of_vertex = match k.cmp(&(2 * depth + 1)) {
                    Greater => count,
                    Equal => total - middle[matching as usize],
                    Less => 0,
                };
                if of_vertex > 0
                    && let Some(cells) = self.out.vertex(matching)
                {
                    for position in columns {
                        cells.add(vertex, position.vertex, of_vertex);
                    }
                }
                if depth > 0
                    && (k > 2 * depth || up)
                    && let Some(cells) = self.out.arc(matching)
                {
                    for position in columns {
                        cells.add(edge, if up { position.up } else { position.down }, count);
                    }
                }
            }
        }
    }

    /// Credits an edge that is a path of two vertices by itself.
    #[inline]
    pub(super) fn single_edge(&mut self, edge: usize) {
        for matching in MATCHINGS {
            if let Some(cells) = self.out.arc(matching) {
                for position in self.positions.at(2, 1) {
                    cells.add(edge, position.up, 1);
                }
            }
        }
    }

    /// Whether paths of two vertices are wanted.
    pub(super) fn wants_edges(&self) -> bool {
        self.positions.of[2].1 > 0
    }

    /// Starts the next root from zero.
    pub(super) fn clear(&mut self) {
        self.totals.clear(self.longest);
    }
}
