//! From patterns to the columns of the graphlet tables.
//!
//! A pattern under any numbering of its vertices is a code; the code's permutation onto the class
//! representative is an explicit isomorphism, through which the orbits of the pattern (numbered
//! by its own vertices) meet the orbits of the class.

use super::graphlets::{Class, Graphlets, MAX_ORDER, pair};
use crate::count::cells::PatternColumns;
use crate::count::kernel::is_plain;
use crate::pattern::Pattern;

/// Whether the tables know this pattern: undirected, unlabelled, at most `max` vertices.
pub(super) fn accepts(pattern: &Pattern, max: usize) -> bool {
    is_plain(pattern) && pattern.order() <= max.min(MAX_ORDER)
}

/// Adjacency code of a pattern under its own numbering.
fn code_of(pattern: &Pattern) -> u32 {
    pattern.edges().map(|(a, b)| 1u32 << pair(a, b)).sum()
}

/// The output columns of every class column of one number of vertices; those of a wanted pattern
/// have at least one.
#[derive(Clone, Debug)]
pub(super) struct Targets {
    pub(super) graphlets: &'static Graphlets,
    /// By vertex column.
    pub(super) vertex: Vec<Vec<usize>>,
    /// By arc column.
    pub(super) arc: Vec<Vec<usize>>,
}

impl Targets {
    /// The targets of every number of vertices that occurs among the patterns, in increasing order.
    pub(super) fn of(patterns: &[PatternColumns]) -> Vec<Self> {
        let members = |k: usize| patterns.iter().filter(move |own| own.pattern.order() == k);
        (2..=MAX_ORDER)
            .filter(|&k| members(k).next().is_some())
            .map(|k| {
                let graphlets = Graphlets::of(k);
                let mut targets = Self {
                    graphlets,
                    vertex: vec![Vec::new(); graphlets.vertex_columns],
                    arc: vec![Vec::new(); graphlets.arc_columns],
                };
                members(k).for_each(|own| targets.add(own));
                targets
            })
            .collect()
    }

    fn add(&mut self, own: &PatternColumns) {
        let located = self.graphlets.locate(code_of(&own.pattern));
        let (class, p) = located.expect("patterns are connected");
        for a in 0..self.graphlets.order {
            let list = &mut self.vertex[class.vertex[p[a] as usize] as usize];
            if !list.contains(&own.vertex(a)) {
                list.push(own.vertex(a));
            }
        }
        for (a, b) in own.pattern.arcs() {
            let list = &mut self.arc[class.arc[p[a] as usize][p[b] as usize] as usize];
            if !list.contains(&own.arc(a, b)) {
                list.push(own.arc(a, b));
            }
        }
    }

    /// Whether a class is wanted.
    pub(super) fn wants(&self, class: &Class) -> bool {
        !self.vertex[class.vertex_base].is_empty()
    }
}
