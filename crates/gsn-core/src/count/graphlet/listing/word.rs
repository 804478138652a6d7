//! The search on graphs of at most 64 vertices: sets and adjacency rows are machine words.

use super::super::graphlets::{self, pairs};
use super::STEPS;
use super::lookup::{Lookup, Lookups, VERTEX_STRIDE};
use super::sums::SparseSums;
use crate::count::budget::{Meter, Stop};
use crate::count::cells::{Cells, Outputs};
use crate::graph::Graph;
use std::ops::Range;

/// The largest graph this search takes.
pub(super) const MAX_ORDER: usize = 64;

/// Memory of one thread, reused from graph to graph.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// Adjacency rows.
    rows: Vec<u64>,
    /// Edge id of {v, w} at `v * 64 + w`; only read where there is an edge.
    edges: Vec<u16>,
    vertex: SparseSums,
    arc: SparseSums,
}

/// Counts with these roots and adds to `out`.
pub(super) fn run<C: Cells>(
    lookups: &Lookups,
    graph: &Graph,
    roots: Range<usize>,
    memory: &mut Memory,
    out: &mut Outputs<C>,
    meter: &mut Meter<'_>,
) -> Result<(), Stop> {
    let vertices = lookups.wants.vertices && out.wants_vertices();
    let arcs = lookups.wants.arcs && out.wants_arcs();
    load(lookups, graph, vertices, arcs, memory);
    let mut search = Search {
        lookups,
        rows: &memory.rows,
        edges: &memory.edges,
        vertex: &mut memory.vertex,
        arc: &mut memory.arc,
        meter,
        above: 0,
        members: [0; graphlets::MAX_ORDER],
        vertex_first: [0; graphlets::MAX_ORDER],
        arc_first: [0; pairs(graphlets::MAX_ORDER)],
        arc_pick: [0; pairs(graphlets::MAX_ORDER)],
    };
    let result = match (vertices, arcs) {
        (true, true) => search.roots::<true, true>(roots),
        (true, false) => search.roots::<true, false>(roots),
        (false, true) => search.roots::<false, true>(roots),
        (false, false) => Ok(()),
    };
    let (vertex_rows, arc_rows) =
        (if vertices { graph.order() } else { 0 }, if arcs { graph.edge_count() } else { 0 });
    if result.is_err() {
        (0..vertex_rows).for_each(|row| memory.vertex.forget(row));
        (0..arc_rows).for_each(|row| memory.arc.forget(row));
        return result;
    }
    let mut tables = out.vertices();
    (0..vertex_rows).for_each(|row| memory.vertex.flush(row, row, &lookups.vertex, &mut tables));
    let mut tables = out.arcs();
    (0..arc_rows).for_each(|row| memory.arc.flush(row, row, &lookups.arc, &mut tables));
    Ok(())
}

fn load(lookups: &Lookups, graph: &Graph, vertices: bool, arcs: bool, memory: &mut Memory) {
    let n = graph.order();
    memory.rows.clear();
    memory.rows.extend(
        (0..n as u32).map(|v| graph.neighbors(v).iter().fold(0, |row, &w| row | 1u64 << w)),
    );
    if vertices {
        memory.vertex.resize(n, lookups.vertex.columns());
    }
    if arcs {
        memory.arc.resize(graph.edge_count(), lookups.arc.columns());
        memory.edges.resize(MAX_ORDER * MAX_ORDER, 0);
        for v in 0..n {
            for arc in graph.arcs_of(v as u32) {
                let at = v * MAX_ORDER + graph.arc_target(arc) as usize;
                memory.edges[at] = graph.edge_id(arc) as u16;
            }
        }
    }
}

struct Search<'a, 'm> {
    lookups: &'a Lookups,
    rows: &'a [u64],
    edges: &'a [u16],
    vertex: &'a mut SparseSums,
    arc: &'a mut SparseSums,
    meter: &'a mut Meter<'m>,
    /// Vertices above the root.
    above: u64,
    members: [usize; graphlets::MAX_ORDER],
    /// First cell of each member's row.
    vertex_first: [usize; graphlets::MAX_ORDER],
    /// First cell of the row of the edge at each bit of the code.
    arc_first: [usize; pairs(graphlets::MAX_ORDER)],
    /// Twice the bit, plus one when the smaller vertex has the higher position.
    arc_pick: [u8; pairs(graphlets::MAX_ORDER)],
}

impl Search<'_, '_> {
    fn roots<const V: bool, const A: bool>(&mut self, roots: Range<usize>) -> Result<(), Stop> {
        for root in roots {
            self.meter.steps(STEPS)?;
            self.above = (!0u64 << root) & !(1 << root);
            self.members[0] = root;
            self.vertex_first[0] = root * self.vertex.stride;
            let row = self.rows[root];
            self.extend::<V, A>(1, 0, row & self.above, row | 1 << root)?;
        }
        Ok(())
    }

    /// Adds each vertex of `extension` in turn to the set of `size` members with this code;
    /// `closed` is the set and everything joined to it.
    fn extend<const V: bool, const A: bool>(
        &mut self,
        size: usize,
        code: usize,
        mut extension: u64,
        closed: u64,
    ) -> Result<(), Stop> {
        self.meter.steps(STEPS * u64::from(extension.count_ones()))?;
        let lookups = self.lookups;
        let lookup = lookups.by_order[size + 1].as_ref();
        while extension != 0 {
            let v = extension.trailing_zeros() as usize;
            extension &= extension - 1;
            let row = self.rows[v];
            let mut joined = 0;
            for (i, &member) in self.members[..size].iter().enumerate() {
                joined |= (row >> member & 1) << i;
            }
            let code = code | (joined as usize) << pairs(size);
            self.members[size] = v;
            if V {
                self.vertex_first[size] = v * self.vertex.stride;
            }
            if A {
                self.join(size, v, joined);
            }
            if let Some(lookup) = lookup
                && lookup.used[code]
            {
                self.add::<V, A>(size + 1, code, lookup);
            }
            if size + 1 < lookups.largest {
                let fresh = row & self.above & !closed;
                self.extend::<V, A>(size + 1, code, extension | fresh, closed | row)?;
            }
        }
        Ok(())
    }

    /// Notes the rows of the edges between the new vertex `v` and the members in `joined`.
    #[inline]
    fn join(&mut self, size: usize, v: usize, mut joined: u64) {
        while joined != 0 {
            let i = joined.trailing_zeros() as usize;
            joined &= joined - 1;
            let (bit, member) = (pairs(size) + i, self.members[i]);
            self.arc_first[bit] = self.edges[v * MAX_ORDER + member] as usize * self.arc.stride;
            self.arc_pick[bit] = (2 * bit) as u8 + u8::from(member > v);
        }
    }

    #[inline]
    fn add<const V: bool, const A: bool>(&mut self, size: usize, code: usize, lookup: &Lookup) {
        if V {
            let columns = &lookup.vertex[code * VERTEX_STRIDE..][..VERTEX_STRIDE];
            for (&first, &column) in self.vertex_first[..size].iter().zip(columns) {
                self.vertex.add(first, column, 1);
            }
        }
        if A {
            let columns = &lookup.arc[code * lookup.arc_stride..][..lookup.arc_stride];
            let mut edges = code;
            while edges != 0 {
                let bit = edges.trailing_zeros() as usize;
                edges &= edges - 1;
                let column = columns[self.arc_pick[bit] as usize];
                self.arc.add(self.arc_first[bit], column, 1);
            }
        }
    }
}
