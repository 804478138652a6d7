//! Squares with two vertices of one class, which are not adjacent: twins a, a′ and any two common
//! neighbours that are not adjacent either.
//!
//! The two neighbours are of different classes or of one such class themselves. O(Σ d) over the d
//! neighbours of the neighbours of a class.

use super::search::Search;
use crate::count::budget::Stop;

impl Search<'_, '_> {
    /// The squares with two vertices of this class.
    pub(super) fn squares(&mut self, class: u32) -> Result<(), Stop> {
        let core = self.core;
        let Some(length) = self.lengths.place(4).filter(|_| core.open[class as usize]) else {
            return Ok(());
        };
        let around = core.graph.neighbors(class);
        let scratch = &mut *self.scratch;
        scratch.is_next.resize(scratch.is_next.len().max(core.len()), false);
        around.iter().for_each(|&a| scratch.is_next[a as usize] = true);
        let all: u128 = around.iter().map(|&a| core.size(a)).sum();
        let size = core.size(class);
        let two = size * (size - 1) / 2;
        let mut ends = 0;
        for arc in core.graph.arcs_of(class) {
            let a = core.graph.arc_target(arc);
            let edge = core.graph.edge_id(arc) as u32;
            self.meter.steps(1 + core.graph.degree(a) as u64)?;
            let next = core.graph.neighbors(a).iter();
            let next = next.filter(|&&b| self.scratch.is_next[b as usize]);
            let adjacent: u128 = next.map(|&b| core.size(b)).sum();
            // Members of other classes that are not adjacent to one of class a, and of its own.
            let own = core.size(a);
            let far = all - own - adjacent;
            ends += own * far;
            let twins = if core.open[a as usize] { own - 1 } else { 0 };
            let at_a = own.checked_mul(two).and_then(|x| x.checked_mul(far + twins));
            let at_a = at_a.ok_or(Stop::Overflow)?;
            if at_a > 0 {
                self.add(a, length, at_a)?;
            }
            // Edges between two such classes are met from both sides.
            let twins = if a > class { twins } else { 0 };
            let at_edge = (2 * two).checked_mul(own).and_then(|x| x.checked_mul(far + twins));
            let at_edge = at_edge.ok_or(Stop::Overflow)?;
            if at_edge > 0 {
                self.add_edge(edge, length, at_edge)?;
            }
        }
        let at_class = two.checked_mul(ends).ok_or(Stop::Overflow)?;
        if at_class > 0 {
            self.add(class, length, at_class)?;
        }
        around.iter().for_each(|&a| self.scratch.is_next[a as usize] = false);
        Ok(())
    }
}
