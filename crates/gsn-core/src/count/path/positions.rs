//! The columns of the positions on paths.

use crate::count::cells::{Cells, PatternColumns};
use crate::count::tally::WalkColumns;
use crate::pattern::{MAX_ORDER, Pattern, bits};

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

    /// Whether patterns of `k` vertices are wanted.
    pub(super) fn wants(&self, k: usize) -> bool {
        self.of[k].1 > 0
    }

    #[inline]
    fn at(&self, k: usize, position: usize) -> &[Position] {
        let (start, paths) = self.of[k];
        &self.columns[start + position * paths..start + (position + 1) * paths]
    }
}

impl WalkColumns for Positions {
    const OPEN: usize = 1;

    fn longest(&self) -> usize {
        self.longest
    }

    #[inline]
    fn add_vertex<C: Cells>(&self, to: &mut C, k: usize, position: usize, v: usize, count: u64) {
        for columns in self.at(k, position) {
            to.add(v, columns.vertex, count);
        }
    }

    #[inline]
    fn add_edge<C: Cells>(
        &self,
        to: &mut C,
        k: usize,
        position: usize,
        (edge, up): (usize, bool),
        count: u64,
    ) {
        for columns in self.at(k, position) {
            to.add(edge, if up { columns.up } else { columns.down }, count);
        }
    }
}
