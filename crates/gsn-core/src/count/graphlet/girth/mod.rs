//! The kernel `girth`: graphs without triangles and squares, such as most molecules.
//!
//! Their connected subgraphs of at most five vertices are trees and pentagons. Trees are counted
//! by products of degrees and sums over neighbours (see [`around`]): where no walk of up to four
//! edges can close, every walk that does not turn back is a path. An induced path of five
//! vertices is one that closes no pentagon; in all other trees both matchings agree. Nothing is
//! listed: O(m), and the pentagons.
//!
//! A molecule holds few of the patterns of a large collection, so a count by this kernel alone
//! writes its rows at once, with only the columns that can differ from zero.

mod around;
mod roles;
#[cfg(test)]
mod tests;

use super::super::Matching;
use super::super::budget::{Meter, Stop};
use super::super::cells::{Cells, Outputs, Task};
use super::super::kernel::Kernel;
use super::super::packed::{MAX_COLUMNS, Packed};
use super::columns::{self, Wants};
use crate::graph::Graph;
use crate::pattern::Pattern;
use around::Around;
use std::ops::Range;

/// The prepared kernel.
#[derive(Clone, Debug)]
pub(in crate::count) struct Step {
    tasks: Vec<Task>,
    vertex: Sinks,
    arc: Sinks,
    /// Whether anybody needs to know of pentagons.
    pentagons: bool,
}

/// Which role each column counts, by increasing column; the others are zero.
#[derive(Clone, Debug, Default)]
struct Sinks(Vec<(u32, u8)>);

impl Sinks {
    fn add(&mut self, column: usize, role: usize) {
        let sink = (column as u32, role as u8);
        if let Err(at) = self.0.binary_search(&sink) {
            self.0.insert(at, sink);
        }
    }

    #[inline]
    fn send<C: Cells>(&self, table: &mut C, row: usize, counts: &roles::Counts) {
        for &(column, role) in &self.0 {
            table.add(row, column as usize, counts[role as usize % counts.len()]);
        }
    }
}

impl Step {
    /// Undirected unlabelled patterns of at most 5 vertices.
    pub(in crate::count) fn accepts(pattern: &Pattern) -> bool {
        columns::accepts(pattern, 5)
    }

    /// A step for counts that ask for these tables only.
    pub(in crate::count) fn wanting(tasks: Vec<Task>, wants: Wants) -> Self {
        let (mut vertex, mut arc) = (Sinks::default(), Sinks::default());
        let mut pentagons = false;
        for task in &tasks {
            let pattern = &task.pattern;
            let role = |a: usize| roles::of_vertex(pattern, a);
            for a in 0..pattern.order() {
                let Some(role) = role(a) else { continue };
                vertex.add(task.vertex(a), role);
                let is_path = (roles::vertex::P5_END..=roles::vertex::P5_MIDDLE).contains(&role);
                pentagons |= role == roles::vertex::C5 || is_path && wants.induced();
            }
            for (a, b) in pattern.arcs() {
                if let (Some(from), Some(to)) = (role(a), role(b)) {
                    arc.add(task.arc(a, b), roles::of_arc(from, to));
                }
            }
        }
        Self { tasks, vertex, arc, pentagons }
    }

    /// The vertex table alone, in one go; `None` when it has too many columns for that.
    pub(in crate::count) fn vertices(
        &self,
        graph: &Graph,
        around: &Around,
        columns: usize,
        matching: Matching,
    ) -> Option<Packed> {
        let roles = Row::of(&self.vertex, columns)?;
        let mut values = Vec::with_capacity(graph.order() * roles.width);
        for v in 0..graph.order() {
            roles.push(&mut values, &around.vertex(v, matching == Matching::Induced));
        }
        Some(Packed { present: roles.present, values })
    }

    /// The table of both arcs of every edge, in one go.
    pub(in crate::count) fn arcs(
        &self,
        graph: &Graph,
        around: &Around,
        columns: usize,
        matching: Matching,
    ) -> Option<Packed> {
        let roles = Row::of(&self.arc, columns)?;
        let mut values = Vec::with_capacity(graph.arc_count() * roles.width);
        for (u, v, edge) in around.arcs(graph) {
            roles.push(&mut values, &around.arc(u, v, edge, matching == Matching::Induced));
        }
        Some(Packed { present: roles.present, values })
    }
}

/// The roles in the order of the columns that hold them.
struct Row {
    roles: [u8; MAX_COLUMNS],
    width: usize,
    present: u128,
}

impl Row {
    fn of(sinks: &Sinks, columns: usize) -> Option<Self> {
        if columns > MAX_COLUMNS {
            return None;
        }
        let mut row = Self { roles: [0; MAX_COLUMNS], width: sinks.0.len(), present: 0 };
        for (slot, &(column, role)) in row.roles.iter_mut().zip(&sinks.0) {
            *slot = role;
            row.present |= 1 << column;
        }
        Some(row)
    }

    #[inline]
    fn push(&self, values: &mut Vec<u64>, counts: &roles::Counts) {
        let roles = &self.roles[..self.width];
        values.extend(roles.iter().map(|&role| counts[role as usize % counts.len()]));
    }
}

impl Kernel for Step {
    type Prepared = Around;
    type Scratch = ();

    fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    fn prepare(
        &self,
        graph: &Graph,
        prepared: &mut Around,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        prepared.look(graph, self.pentagons);
        meter.steps((graph.order() + graph.arc_count()) as u64)
    }

    fn roots(&self, graph: &Graph, _prepared: &Around) -> usize {
        graph.order()
    }

    fn run<C: Cells>(
        &self,
        graph: &Graph,
        around: &Around,
        roots: Range<usize>,
        _scratch: &mut (),
        out: &mut Outputs<C>,
        _meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        for matching in [Matching::Induced, Matching::Subgraph] {
            let induced = matching == Matching::Induced;
            if let Some(table) = out.vertex(matching) {
                for v in roots.clone() {
                    self.vertex.send(table, v, &around.vertex(v, induced));
                }
            }
            let Some(table) = out.arc(matching) else { continue };
            for u in roots.clone() {
                for arc in graph.arcs_of(u as u32) {
                    let (v, edge) = (graph.arc_target(arc) as usize, graph.edge_id(arc));
                    if u < v {
                        self.arc.send(table, edge, &around.arc(u, v, edge, induced));
                    }
                }
            }
        }
        Ok(())
    }

    /// A few reads for every arc.
    fn estimate(&self, graph: &Graph) -> f64 {
        (graph.order() + graph.arc_count()) as f64
    }
}
