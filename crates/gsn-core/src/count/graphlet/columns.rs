//! From wanted patterns to columns of the graphlet tables, and what is wanted of them.
//!
//! A pattern under any numbering of its vertices is a code; the code's permutation onto the class
//! representative is an explicit isomorphism, through which the orbits of the pattern (numbered
//! by its own vertices) meet the orbits of the class.

use super::super::Matching;
use super::super::cells::Task;
use super::tables::{Class, MAX_ORDER, Size, pair};
use crate::pattern::Pattern;

/// Which tables a count asks for; what nobody wants need not be prepared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::count) struct Wants {
    /// Vertex rows.
    pub(in crate::count) vertices: bool,
    /// Edge rows with arc orbits.
    pub(in crate::count) arcs: bool,
    /// By [`Matching`].
    pub(in crate::count) matchings: [bool; 2],
}

impl Wants {
    /// All four tables.
    #[cfg(test)]
    pub(in crate::count) const ALL: Self =
        Self { vertices: true, arcs: true, matchings: [true; 2] };

    pub(super) fn induced(self) -> bool {
        self.matchings[Matching::Induced as usize]
    }

    pub(super) fn subgraph(self) -> bool {
        self.matchings[Matching::Subgraph as usize]
    }
}

/// Whether the tables know this pattern: undirected, unlabelled, at most `max` vertices.
pub(super) fn accepts(pattern: &Pattern, max: usize) -> bool {
    !pattern.is_directed() && !pattern.is_labelled() && pattern.order() <= max.min(MAX_ORDER)
}

/// Adjacency code of a pattern under its own numbering.
fn code_of(pattern: &Pattern) -> u32 {
    pattern.edges().map(|(a, b)| 1u32 << pair(a, b)).sum()
}

/// The output columns of every class column of one size: the wanted ones have at least one.
#[derive(Clone, Debug)]
pub(super) struct Targets {
    pub(super) size: &'static Size,
    /// By vertex column of the size.
    pub(super) vertex: Vec<Vec<usize>>,
    /// By arc column of the size.
    pub(super) arc: Vec<Vec<usize>>,
}

impl Targets {
    /// The targets of every size that occurs among `tasks`, in increasing order of size.
    pub(super) fn of(tasks: &[Task]) -> Vec<Self> {
        (2..=MAX_ORDER)
            .filter(|&k| tasks.iter().any(|task| task.pattern.order() == k))
            .map(|k| {
                let size = Size::of(k);
                let mut targets = Self {
                    size,
                    vertex: vec![Vec::new(); size.vertex_columns],
                    arc: vec![Vec::new(); size.arc_columns],
                };
                for task in tasks.iter().filter(|task| task.pattern.order() == k) {
                    targets.add(task);
                }
                targets
            })
            .collect()
    }

    fn add(&mut self, task: &Task) {
        let (class, p) = self.size.locate(code_of(&task.pattern)).expect("patterns are connected");
        for a in 0..self.size.order {
            let list = &mut self.vertex[class.vertex[p[a] as usize] as usize];
            if !list.contains(&task.vertex(a)) {
                list.push(task.vertex(a));
            }
        }
        for (a, b) in task.pattern.arcs() {
            let list = &mut self.arc[class.arc[p[a] as usize][p[b] as usize] as usize];
            if !list.contains(&task.arc(a, b)) {
                list.push(task.arc(a, b));
            }
        }
    }

    /// Whether a class is wanted.
    pub(super) fn wants(&self, class: &Class) -> bool {
        !self.vertex[class.vertex_base].is_empty()
    }
}
