//! The search on graphs of any size, over sorted neighbour lists.
//!
//! Every vertex near the set carries a word of the members it is joined to, so a candidate's
//! code bits are one read. Sums live in slots that rows are given when first touched; when the
//! slots run out, everything is moved to the tables and all slots are free again, so memory stays
//! bounded whatever the graph.

use super::super::graphlets::{self, pairs};
use super::STEPS;
use super::lookup::{Lookup, Lookups, OutputColumns, VERTEX_STRIDE};
use super::sums::SparseSums;
use crate::count::budget::{Meter, Stop};
use crate::count::cells::{Cells, Outputs};
use crate::graph::Graph;
use crate::pattern::bits;
use std::ops::Range;

/// Cells of each slab: 8 MB; few in tests, so that they run out.
const MAX_CELLS: usize = if cfg!(test) { 1 << 12 } else { 1 << 21 };

/// Sets between two flushes at the most, so that 32-bit sums cannot overflow.
const MAX_SETS: u64 = 1 << 31;

const NO_SLOT: u32 = u32::MAX;

/// Memory of one thread, reused from graph to graph.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// Members each vertex is joined to, as bits of their positions.
    joined: Vec<u8>,
    /// Edge id of the edge from the member at position `i` to vertex `w` at `i * order + w`.
    edges: Vec<u32>,
    /// Candidates of all levels, one after the other.
    candidates: Vec<u32>,
    vertex: Slots,
    arc: Slots,
}

/// SparseSums rows handed out to the rows of a table as they are touched.
#[derive(Debug, Default)]
struct Slots {
    slab: SparseSums,
    slot: Vec<u32>,
    /// Table row of each slot in use.
    owners: Vec<u32>,
    rows: usize,
    capacity: usize,
}

impl Slots {
    fn resize(&mut self, rows: usize, columns: usize) {
        // Nothing is in use between two counts, so only growth costs anything.
        self.rows = rows;
        if self.slot.len() < rows {
            self.slot.resize(rows, NO_SLOT);
        }
        let stride = columns.next_multiple_of(64).max(64);
        // A set has at most 15 edges, and all of them need slots at once.
        self.capacity = (MAX_CELLS / stride).max(64).min(rows.max(1));
        self.slab.resize(self.capacity, columns);
    }

    /// Whether the next set may find no room.
    fn is_full(&self) -> bool {
        self.capacity < self.rows && self.owners.len() + pairs(graphlets::MAX_ORDER) > self.capacity
    }

    #[inline]
    fn add(&mut self, row: usize, column: u16, count: u32) {
        let mut slot = self.slot[row];
        if slot == NO_SLOT {
            slot = self.owners.len() as u32;
            self.slot[row] = slot;
            self.owners.push(row as u32);
        }
        self.slab.add(slot as usize * self.slab.stride, column, count);
    }

    fn flush<C: Cells>(&mut self, columns: &OutputColumns, mut tables: [Option<&mut C>; 2]) {
        for (slot, &row) in self.owners.iter().enumerate() {
            self.slab.flush(slot, row as usize, columns, &mut tables);
            self.slot[row as usize] = NO_SLOT;
        }
        self.owners.clear();
    }

    fn forget(&mut self) {
        for (slot, &row) in self.owners.iter().enumerate() {
            self.slab.forget(slot);
            self.slot[row as usize] = NO_SLOT;
        }
        self.owners.clear();
    }
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
    let n = graph.order();
    let vertices = lookups.wants.vertices && out.wants_vertices();
    let arcs = lookups.wants.arcs && out.wants_arcs();
    if memory.joined.len() < n {
        memory.joined.resize(n, 0);
    }
    if vertices {
        memory.vertex.resize(n, lookups.vertex.columns());
    }
    if arcs {
        memory.arc.resize(graph.edge_count(), lookups.arc.columns());
        memory.edges.resize(n * (graphlets::MAX_ORDER - 1), 0);
    }
    let mut search =
        Search { lookups, graph, memory, out, meter, root: 0, sets: 0, members: [0; _] };
    let result = match (vertices, arcs) {
        (true, true) => search.roots::<true, true>(roots),
        (true, false) => search.roots::<true, false>(roots),
        (false, true) => search.roots::<false, true>(roots),
        (false, false) => Ok(()),
    };
    match result {
        Ok(()) => search.flush(),
        Err(_) => {
            memory.vertex.forget();
            memory.arc.forget();
        }
    }
    result
}

struct Search<'a, 'm, C> {
    lookups: &'a Lookups,
    graph: &'a Graph,
    memory: &'a mut Memory,
    out: &'a mut Outputs<C>,
    meter: &'a mut Meter<'m>,
    root: u32,
    sets: u64,
    members: [u32; graphlets::MAX_ORDER],
}

impl<C: Cells> Search<'_, '_, C> {
    fn roots<const V: bool, const A: bool>(&mut self, roots: Range<usize>) -> Result<(), Stop> {
        for root in roots {
            self.meter.steps(STEPS)?;
            self.root = root as u32;
            // The root is joined to itself so that it is never taken for a candidate.
            self.memory.joined[root] = 1;
            self.memory.candidates.clear();
            let result = self.enter::<V, A>(0, self.root, 0, 0..0);
            self.memory.joined[root] = 0;
            result?;
        }
        Ok(())
    }

    /// Takes `v` into the set at position `size`, whose code with `v` is `code`, and goes on with
    /// the candidates left over plus the neighbours of `v` that no other member has.
    fn enter<const V: bool, const A: bool>(
        &mut self,
        size: usize,
        v: u32,
        code: usize,
        left: Range<usize>,
    ) -> Result<(), Stop> {
        self.members[size] = v;
        let memory = &mut *self.memory;
        let start = memory.candidates.len();
        memory.candidates.extend_from_within(left);
        for arc in self.graph.arcs_of(v) {
            let w = self.graph.arc_target(arc);
            if w <= self.root {
                continue;
            }
            let joined = &mut memory.joined[w as usize];
            if *joined == 0 {
                memory.candidates.push(w);
            }
            *joined |= 1 << size;
            if A {
                memory.edges[size * self.graph.order() + w as usize] =
                    self.graph.edge_id(arc) as u32;
            }
        }
        let end = memory.candidates.len();
        let result = self.extend::<V, A>(size + 1, code, start..end);
        let memory = &mut *self.memory;
        memory.candidates.truncate(start);
        for &w in self.graph.neighbors(v) {
            if w > self.root {
                memory.joined[w as usize] &= !(1 << size);
            }
        }
        result
    }

    /// Adds each candidate in turn to the set of `size` members with this code.
    fn extend<const V: bool, const A: bool>(
        &mut self,
        size: usize,
        code: usize,
        candidates: Range<usize>,
    ) -> Result<(), Stop> {
        self.meter.steps(STEPS * candidates.len() as u64)?;
        let lookups = self.lookups;
        let lookup = lookups.by_order[size + 1].as_ref();
        if V && !A && size + 1 == lookups.largest {
            if let Some(lookup) = lookup {
                self.finish(size, code, candidates, lookup);
            }
            return Ok(());
        }
        for at in candidates.clone() {
            let v = self.memory.candidates[at];
            let joined = self.memory.joined[v as usize] as usize;
            let code = code | joined << pairs(size);
            self.members[size] = v;
            if let Some(lookup) = lookup
                && lookup.used[code]
            {
                self.add::<V, A>(size + 1, code, lookup);
            }
            if size + 1 < lookups.largest {
                self.enter::<V, A>(size, v, code, at + 1..candidates.end)?;
            }
        }
        Ok(())
    }

    /// Adds the sets that the last vertex completes, where only vertices are counted. Candidates
    /// that are joined to the same members make the same code, so members are credited once for all
    /// of them.
    fn finish(&mut self, size: usize, code: usize, candidates: Range<usize>, lookup: &Lookup) {
        let mut numbers = [0u32; 1 << (graphlets::MAX_ORDER - 1)];
        let mut met = 0u32;
        self.sets += candidates.len() as u64;
        if self.sets >= MAX_SETS {
            self.flush();
        }
        for at in candidates {
            let v = self.memory.candidates[at] as usize;
            let joined = self.memory.joined[v] as usize % numbers.len();
            numbers[joined] += 1;
            met |= 1 << joined;
            let code = code | joined << pairs(size);
            if lookup.used[code] {
                if self.memory.vertex.is_full() {
                    self.flush();
                }
                self.memory.vertex.add(v, lookup.vertex[code * VERTEX_STRIDE + size], 1);
            }
        }
        for joined in bits(met.into()) {
            let code = code | joined << pairs(size);
            if !lookup.used[code] {
                continue;
            }
            if self.memory.vertex.is_full() {
                self.flush();
            }
            let columns = &lookup.vertex[code * VERTEX_STRIDE..][..VERTEX_STRIDE];
            for (&member, &column) in self.members[..size].iter().zip(columns) {
                self.memory.vertex.add(member as usize, column, numbers[joined]);
            }
        }
    }

    fn add<const V: bool, const A: bool>(&mut self, size: usize, code: usize, lookup: &Lookup) {
        self.sets += 1;
        if V {
            if self.memory.vertex.is_full() || self.sets == MAX_SETS {
                self.flush();
            }
            let columns = &lookup.vertex[code * VERTEX_STRIDE..][..VERTEX_STRIDE];
            for (&member, &column) in self.members[..size].iter().zip(columns) {
                self.memory.vertex.add(member as usize, column, 1);
            }
        }
        if A {
            if self.memory.arc.is_full() || self.sets == MAX_SETS {
                self.flush();
            }
            let columns = &lookup.arc[code * lookup.arc_stride..][..lookup.arc_stride];
            for j in 1..size {
                let v = self.members[j] as usize;
                let mut joined = code >> pairs(j) & ((1 << j) - 1);
                while joined != 0 {
                    let i = joined.trailing_zeros() as usize;
                    joined &= joined - 1;
                    let edge = self.memory.edges[i * self.graph.order() + v] as usize;
                    let reversed = usize::from(self.members[i] as usize > v);
                    self.memory.arc.add(edge, columns[2 * (pairs(j) + i) + reversed], 1);
                }
            }
        }
    }

    fn flush(&mut self) {
        self.sets = 0;
        self.memory.vertex.flush(&self.lookups.vertex, self.out.vertices());
        self.memory.arc.flush(&self.lookups.arc, self.out.arcs());
    }
}
