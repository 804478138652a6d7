//! Where kernels put their counts.
//!
//! Every kernel fills the same tables: vertex rows × vertex orbits and edge rows × arc orbits.
//! In an undirected graph the row of an edge `u < v` holds the orbits of the arc `u → v`; the
//! reverse arc follows by swapping columns once the count is done, so every occurrence adds once
//! per edge. In a directed graph an edge is an arc.
//!
//! One thread alone adds without atomics. Several threads that share one graph have tables of their
//! own, which are added up in the end, or where these are too large add to one atomically.
//! Integer sums commute, so all give the same table. A sum beyond `u64` is noticed, with its
//! column.

use super::budget::out_of_patience;
use super::{CountErrorKind, KINDS_OF_MATCHING, Matching, atomic};
use crate::memory;
use crate::orbit::{EdgeOrbits, Orbits};
use crate::pattern::Pattern;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// A pattern to count and where its columns start in the tables.
#[derive(Clone, Debug)]
pub(crate) struct PatternColumns {
    pub(crate) pattern: Pattern,
    /// Exact orbits; coarser notions are sums of these columns.
    pub(crate) orbits: Orbits,
    pub(crate) vertex_column: usize,
    pub(crate) arc_column: usize,
}

impl PatternColumns {
    /// These patterns, their columns side by side in the order given.
    pub(crate) fn of(patterns: &[Pattern]) -> Vec<Self> {
        let orbits = Orbits::of_all(patterns, EdgeOrbits::Exact);
        let (mut vertex_column, mut arc_column) = (0, 0);
        let with_orbits = |(pattern, orbits): (&Pattern, Orbits)| {
            let columns = Self { pattern: pattern.clone(), orbits, vertex_column, arc_column };
            (vertex_column, arc_column) = columns.end();
            columns
        };
        patterns.iter().zip(orbits).map(with_orbits).collect()
    }

    /// Column of pattern vertex `a` in vertex tables.
    pub(crate) fn vertex(&self, a: usize) -> usize {
        self.vertex_column + self.orbits.vertex(a)
    }

    /// Column of the pattern arc `a → b` in arc tables.
    pub(crate) fn arc(&self, a: usize, b: usize) -> usize {
        self.arc_column + self.orbits.arc(a, b)
    }

    /// The first columns behind this pattern's in vertex tables and in arc tables.
    pub(crate) fn end(&self) -> (usize, usize) {
        (self.vertex_column + self.orbits.vertex_count(), self.arc_column + self.orbits.arc_count())
    }
}

/// Which tables a count asks for; nothing is prepared for the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WantedTables {
    /// Vertex rows.
    pub(crate) vertices: bool,
    /// Edge rows with arc orbits.
    pub(crate) arcs: bool,
    /// By [`Matching`].
    pub(crate) matchings: [bool; KINDS_OF_MATCHING],
}

impl WantedTables {
    /// All tables of occurrences.
    #[cfg(test)]
    pub(crate) const ALL: Self =
        Self { vertices: true, arcs: true, matchings: [true, true, false] };

    /// How many different wishes there are.
    pub(crate) const KINDS: usize = 32;

    /// The number of this wish, below [`WantedTables::KINDS`].
    pub(crate) fn kind(self) -> usize {
        let Self { vertices, arcs, matchings: [induced, subgraph, maps] } = self;
        let all = [vertices, arcs, induced, subgraph, maps];
        all.iter().rev().fold(0, |n, &b| 2 * n + usize::from(b))
    }

    pub(crate) fn induced(self) -> bool {
        self.matchings[Matching::Induced as usize]
    }

    pub(crate) fn subgraph(self) -> bool {
        self.matchings[Matching::Subgraph as usize]
    }

    pub(crate) fn homomorphism(self) -> bool {
        self.matchings[Matching::Homomorphism as usize]
    }

    /// Whether any table of occurrences is wanted.
    pub(crate) fn occurrences(self) -> bool {
        self.induced() || self.subgraph()
    }
}

/// A table that counts are added to.
pub(crate) trait Cells: Send {
    /// Adds `value` at a row and column.
    fn add(&mut self, row: usize, column: usize, value: u64);
}

/// The tables a count asks for: one for each kind of row and matching that is wanted.
#[derive(Clone)]
pub(crate) struct Outputs<C> {
    vertex: [Option<C>; KINDS_OF_MATCHING],
    arc: [Option<C>; KINDS_OF_MATCHING],
}

impl<C: Cells> Outputs<C> {
    /// The vertex table of a matching, if wanted.
    pub(crate) fn vertex(&mut self, matching: Matching) -> Option<&mut C> {
        self.vertex[matching as usize].as_mut()
    }

    /// The arc table of a matching, if wanted; rows are edge ids (see the module's text).
    pub(crate) fn arc(&mut self, matching: Matching) -> Option<&mut C> {
        self.arc[matching as usize].as_mut()
    }

    /// The vertex tables of induced and subgraph matching, where wanted.
    pub(crate) fn vertices(&mut self) -> [Option<&mut C>; 2] {
        let [induced, subgraph, _] = self.vertex.each_mut().map(Option::as_mut);
        [induced, subgraph]
    }

    /// The arc tables of induced and subgraph matching, where wanted.
    pub(crate) fn arcs(&mut self) -> [Option<&mut C>; 2] {
        let [induced, subgraph, _] = self.arc.each_mut().map(Option::as_mut);
        [induced, subgraph]
    }

    /// The vertex and the arc table of a matching, where wanted.
    pub(crate) fn both(&mut self, matching: Matching) -> (Option<&mut C>, Option<&mut C>) {
        (self.vertex[matching as usize].as_mut(), self.arc[matching as usize].as_mut())
    }

    /// Whether any table of this matching is wanted.
    pub(crate) fn wants(&self, matching: Matching) -> bool {
        self.vertex[matching as usize].is_some() || self.arc[matching as usize].is_some()
    }

    /// Whether any vertex table is wanted.
    pub(crate) fn wants_vertices(&self) -> bool {
        self.vertex.iter().any(Option::is_some)
    }

    /// Whether any arc table is wanted.
    pub(crate) fn wants_arcs(&self) -> bool {
        self.arc.iter().any(Option::is_some)
    }
}

/// One table's memory.
#[derive(Debug)]
pub(crate) struct CountTable {
    values: Vec<u64>,
    /// Cells in use; what lies behind is zero.
    cells: usize,
    columns: usize,
    /// Smallest column whose sum went beyond `u64`.
    overflow: AtomicUsize,
    /// Columns that one thread alone has added to, as a set; told apart up to
    /// [`MAX_COLUMNS`](super::packed::MAX_COLUMNS) columns.
    touched: [u64; 2],
}

const NO_OVERFLOW: usize = usize::MAX;

impl Default for CountTable {
    fn default() -> Self {
        let overflow = AtomicUsize::new(NO_OVERFLOW);
        Self { values: Vec::new(), cells: 0, columns: 0, overflow, touched: [0; 2] }
    }
}

impl CountTable {
    /// A table of zeros.
    ///
    /// # Errors
    /// When it does not fit into memory, or nobody waits for it any more.
    pub(crate) fn zeros(rows: usize, columns: usize) -> Result<Self, CountErrorKind> {
        let cells = (rows as u64).saturating_mul(columns as u64);
        let table = || format!("a table of {rows} rows and {columns} columns");
        // Ask first, so that a table beyond all memory is an error; then let the allocator zero.
        let mut values = Vec::new();
        if cells > SMALL as u64 {
            memory::reserve(&mut values, cells, table)?;
        }
        let cells = cells as usize;
        if cells <= BLOCK {
            return Ok(Self { values: vec![0; cells], cells, columns, ..Self::default() });
        }
        // Gigabytes take the better part of a second.
        while values.len() < cells {
            if out_of_patience() {
                return Err(CountErrorKind::Cancelled);
            }
            values.resize(cells.min(values.len() + BLOCK), 0);
        }
        Ok(Self { values, cells, columns, ..Self::default() })
    }

    /// Makes a table that was cleared as large as this, for another count.
    pub(crate) fn resize(&mut self, rows: usize, columns: usize) {
        self.cells = rows * columns;
        self.columns = columns;
        if self.values.len() < self.cells {
            self.values.resize(self.cells, 0);
        }
    }

    /// Sets all numbers to zero.
    pub(crate) fn clear(&mut self) {
        self.values[..self.cells].fill(0);
        self.touched = [0; 2];
        *self.overflow.get_mut() = NO_OVERFLOW;
    }

    /// Number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.cells / self.columns.max(1)
    }

    /// Number of columns.
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// The columns that may differ from zero, of a table that one thread has filled.
    pub(crate) fn touched(&self) -> u128 {
        u128::from(self.touched[1]) << 64 | u128::from(self.touched[0])
    }

    /// The numbers, row after row.
    pub(crate) fn values(&self) -> &[u64] {
        &self.values[..self.cells]
    }

    /// A table of zeros of the same shape.
    fn alike(&self) -> Self {
        let (cells, columns) = (self.cells, self.columns);
        Self { values: vec![0; cells], cells, columns, ..Self::default() }
    }

    /// Adds the numbers of a table of the same shape.
    fn add_all(&mut self, other: &Self) {
        let columns = self.columns.max(1);
        let overflow = self.overflow.get_mut();
        *overflow = other.overflow.load(Relaxed).min(*overflow);
        for (at, (cell, &value)) in self.values.iter_mut().zip(other.values()).enumerate() {
            let (sum, over) = cell.overflowing_add(value);
            *cell = sum;
            if over {
                *overflow = (at % columns).min(*overflow);
            }
        }
    }

    /// The smallest column that overflowed, if one did.
    pub(crate) fn overflow(&self) -> Option<usize> {
        Some(self.overflow.load(Relaxed)).filter(|&column| column != NO_OVERFLOW)
    }

    /// The numbers, row after row.
    pub(crate) fn into_values(self) -> Vec<u64> {
        self.values
    }

    /// Access for one thread.
    pub(crate) fn plain(&mut self) -> PlainCells<'_> {
        let Self { values, cells, columns, overflow, touched } = self;
        let cells = &mut values[..*cells];
        PlainCells { cells, columns: *columns, overflow: overflow.get_mut(), touched }
    }

    /// Access for several threads.
    fn shared(&mut self) -> SharedCells<'_> {
        let Self { values, columns, overflow, .. } = self;
        SharedCells { cells: atomic::shared(values), columns: *columns, overflow }
    }
}

/// Cells that surely fit.
const SMALL: usize = 1 << 20;
/// Cells that are zeroed between two looks at whether anybody waits: 32 MB.
const BLOCK: usize = 1 << 22;

/// The tables of one count: vertex and arc rows of each matching.
#[derive(Debug, Default)]
pub(crate) struct CountTables {
    pub(crate) vertex: [Option<CountTable>; KINDS_OF_MATCHING],
    pub(crate) arc: [Option<CountTable>; KINDS_OF_MATCHING],
}

impl CountTables {
    /// Sets all numbers to zero; memory is kept.
    pub(crate) fn clear(&mut self) {
        self.vertex.iter_mut().chain(&mut self.arc).flatten().for_each(CountTable::clear);
    }

    /// Numbers in all tables.
    pub(crate) fn cells(&self) -> usize {
        self.vertex.iter().chain(&self.arc).flatten().map(|table| table.cells).sum()
    }

    /// Tables of zeros of the same shape.
    pub(crate) fn alike(&self) -> Self {
        let alike = |table: &Option<CountTable>| table.as_ref().map(CountTable::alike);
        Self { vertex: self.vertex.each_ref().map(alike), arc: self.arc.each_ref().map(alike) }
    }

    /// Adds the numbers of tables of the same shape.
    pub(crate) fn add_all(&mut self, other: &Self) {
        let tables = self.vertex.iter_mut().chain(&mut self.arc);
        for (table, other) in tables.zip(other.vertex.iter().chain(&other.arc)) {
            if let (Some(table), Some(other)) = (table, other) {
                table.add_all(other);
            }
        }
    }

    pub(crate) fn plain(&mut self) -> Outputs<PlainCells<'_>> {
        Outputs {
            vertex: self.vertex.each_mut().map(|t| t.as_mut().map(CountTable::plain)),
            arc: self.arc.each_mut().map(|t| t.as_mut().map(CountTable::plain)),
        }
    }

    /// Access that can be copied to every thread.
    pub(crate) fn shared(&mut self) -> Outputs<SharedCells<'_>> {
        Outputs {
            vertex: self.vertex.each_mut().map(|t| t.as_mut().map(CountTable::shared)),
            arc: self.arc.each_mut().map(|t| t.as_mut().map(CountTable::shared)),
        }
    }
}

/// A table that one thread adds to.
pub(crate) struct PlainCells<'a> {
    cells: &'a mut [u64],
    columns: usize,
    overflow: &'a mut usize,
    touched: &'a mut [u64; 2],
}

impl Cells for PlainCells<'_> {
    #[inline]
    fn add(&mut self, row: usize, column: usize, value: u64) {
        let cell = &mut self.cells[row * self.columns + column];
        let (sum, over) = cell.overflowing_add(value);
        *cell = sum;
        self.touched[column / 64 % 2] |= 1 << (column % 64);
        if over {
            *self.overflow = column.min(*self.overflow);
        }
    }
}

/// A table that several threads add to.
#[derive(Clone, Copy)]
pub(crate) struct SharedCells<'a> {
    cells: &'a [AtomicU64],
    columns: usize,
    overflow: &'a AtomicUsize,
}

impl Cells for SharedCells<'_> {
    #[inline]
    fn add(&mut self, row: usize, column: usize, value: u64) {
        if value == 0 {
            return;
        }
        let before = self.cells[row * self.columns + column].fetch_add(value, Relaxed);
        if before.checked_add(value).is_none() {
            self.overflow.fetch_min(column, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_threads_are_added_up_and_overflow_is_noticed() {
        let tables = |rows: [[u64; 2]; 2]| {
            let mut table = CountTable { columns: 2, cells: 4, ..CountTable::default() };
            table.values = rows.concat();
            CountTables { vertex: [Some(table), None, None], arc: [None, None, None] }
        };
        let mut sum = tables([[1, 2], [3, 4]]);
        sum.add_all(&tables([[10, 20], [30, 40]]));
        sum.add_all(&sum.alike());
        let table = |tables: &CountTables| {
            let table = tables.vertex[0].as_ref().unwrap();
            (table.values().to_vec(), table.overflow())
        };
        assert_eq!(table(&sum), (vec![11, 22, 33, 44], None));
        assert_eq!(sum.cells(), 4);
        let mut over = sum.alike();
        over.add_all(&tables([[u64::MAX, 0], [0, u64::MAX]]));
        assert_eq!(table(&over).1, None);
        over.add_all(&tables([[0, 0], [0, 1]]));
        assert_eq!(table(&over).1, Some(1));
        // What a thread has noticed is not forgotten.
        let mut seen = tables([[0, 0], [0, 0]]);
        seen.plain().vertex(Matching::Induced).unwrap().add(0, 1, u64::MAX);
        seen.plain().vertex(Matching::Induced).unwrap().add(0, 1, 1);
        sum.add_all(&seen);
        assert_eq!(table(&sum).1, Some(1));
    }
}
