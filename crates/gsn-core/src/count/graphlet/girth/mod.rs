//! Graphs without triangles and squares, such as most molecules; `girth` in plans.
//!
//! Their connected subgraphs of at most five vertices are trees and pentagons. Trees are counted
//! by products of degrees and sums over neighbours (see [`sums`]): where no walk of up to four
//! edges can close, every walk that does not turn back is a path. An induced path of five
//! vertices is one that closes no pentagon; in all other trees both matchings agree. Nothing is
//! listed: O(m), and the pentagons.
//!
//! A molecule holds few of the patterns of a large collection, so a count by this kernel alone
//! writes the finished tables, with only the columns that can differ from zero.

mod roles;
mod sums;
#[cfg(test)]
mod tests;

use super::columns;
use crate::count::budget::{Meter, Stop};
use crate::count::cells::{Cells, PatternColumns, WantedTables};
use crate::count::kernel::{Kernel, Piece, Use, WriteTable};
use crate::count::packed::{MAX_COLUMNS, PackedTable};
use crate::count::{MATCHINGS, Matching, Scope};
use crate::graph::Graph;
use crate::pattern::Pattern;
use sums::LocalSums;

/// Counts patterns of at most 5 vertices, undirected and without labels.
#[derive(Clone, Debug)]
pub(in crate::count) struct GirthKernel {
    vertex: RoleColumns,
    arc: RoleColumns,
    /// Whether anything that is counted depends on pentagons.
    pentagons: bool,
}

/// Which role each column counts, by increasing column; the others are zero.
#[derive(Clone, Debug, Default)]
struct RoleColumns(Vec<(u32, u8)>);

impl RoleColumns {
    fn add(&mut self, column: usize, role: usize) {
        let pair = (column as u32, role as u8);
        if let Err(at) = self.0.binary_search(&pair) {
            self.0.insert(at, pair);
        }
    }

    #[inline]
    fn add_to<C: Cells>(&self, table: &mut C, row: usize, counts: &roles::RoleCounts) {
        for &(column, role) in &self.0 {
            table.add(row, column as usize, counts[role as usize % counts.len()]);
        }
    }
}

/// The roles in the order of the columns that hold them.
struct Row {
    roles: [u8; MAX_COLUMNS],
    width: usize,
    present: u128,
}

impl Row {
    /// Of tables of at most [`MAX_COLUMNS`] columns.
    fn of(columns: &RoleColumns) -> Self {
        let mut row = Self { roles: [0; MAX_COLUMNS], width: columns.0.len(), present: 0 };
        for (slot, &(column, role)) in row.roles.iter_mut().zip(&columns.0) {
            *slot = role;
            row.present |= 1 << column;
        }
        row
    }

    /// A table whose rows are made of these.
    #[inline]
    fn table(&self, rows: impl Iterator<Item = roles::RoleCounts>, count: usize) -> PackedTable {
        let roles = &self.roles[..self.width];
        let mut values = Vec::with_capacity(count * self.width);
        for counts in rows {
            values.extend(roles.iter().map(|&role| counts[role as usize % counts.len()]));
        }
        PackedTable { present: self.present, values }
    }
}

impl GirthKernel {
    /// The table of all vertices, or of both arcs of every edge.
    fn table(
        &self,
        graph: &Graph,
        sums: &LocalSums,
        scope: Scope,
        matching: Matching,
    ) -> PackedTable {
        let induced = matching == Matching::Induced;
        match scope {
            Scope::Vertex => {
                let rows = (0..graph.order()).map(|v| sums.vertex(v, induced));
                Row::of(&self.vertex).table(rows, graph.order())
            }
            Scope::Edge | Scope::Arc => {
                let rows = sums.arcs(graph).map(|(u, v, edge)| sums.arc(u, v, edge, induced));
                Row::of(&self.arc).table(rows, graph.arc_count())
            }
        }
    }
}

impl Kernel for GirthKernel {
    const NAME: &'static str = "girth";
    const REASON: &'static str = "no triangles and squares here: trees by degrees, and pentagons";
    const USE: Use = Use::AllSmallWhereSuited;
    const WRITE_TABLE: Option<WriteTable<Self>> = Some(Self::table);

    type Prepared = LocalSums;
    type Scratch = ();

    fn accepts(pattern: &Pattern) -> bool {
        columns::accepts(pattern, 5)
    }

    fn new(patterns: &[PatternColumns], wanted: WantedTables) -> Self {
        let (mut vertex, mut arc) = (RoleColumns::default(), RoleColumns::default());
        let mut pentagons = false;
        for own in patterns {
            let pattern = &own.pattern;
            let role = |a: usize| roles::of_vertex(pattern, a);
            for a in 0..pattern.order() {
                let Some(role) = role(a) else { continue };
                vertex.add(own.vertex(a), role);
                let is_path = (roles::vertex::P5_END..=roles::vertex::P5_MIDDLE).contains(&role);
                pentagons |= role == roles::vertex::C5 || is_path && wanted.induced();
            }
            for (a, b) in pattern.arcs() {
                if let (Some(from), Some(to)) = (role(a), role(b)) {
                    arc.add(own.arc(a, b), roles::of_arc(from, to));
                }
            }
        }
        Self { vertex, arc, pentagons }
    }

    fn suits(&self, graph: &Graph, sums: &mut LocalSums) -> bool {
        sums.suit(graph)
    }

    fn prepare(
        &self,
        graph: &Graph,
        sums: &mut LocalSums,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        sums.add_up(graph, self.pentagons);
        meter.steps((graph.order() + graph.arc_count()) as u64)
    }

    fn memory(&self, graph: &Graph, _threads: usize) -> u64 {
        LocalSums::memory(graph)
    }

    fn run<C: Cells>(&self, piece: Piece<'_, '_, Self, C>) -> Result<(), Stop> {
        let Piece { graph, prepared: sums, roots, out, .. } = piece;
        for matching in MATCHINGS {
            let induced = matching == Matching::Induced;
            if let Some(table) = out.vertex(matching) {
                for v in roots.clone() {
                    self.vertex.add_to(table, v, &sums.vertex(v, induced));
                }
            }
            let Some(table) = out.arc(matching) else { continue };
            for u in roots.clone() {
                for arc in graph.arcs_of(u as u32) {
                    let (v, edge) = (graph.arc_target(arc) as usize, graph.edge_id(arc));
                    if u < v {
                        self.arc.add_to(table, edge, &sums.arc(u, v, edge, induced));
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
