//! Columns of patterns with one vertex orbit and one arc orbit: cycles and cliques.
//!
//! Such a pattern has one vertex column and one arc column, so the patterns of a kernel are told
//! apart by their number of vertices alone; patterns of the same size get the same numbers.

use super::cells::{Cells, Outputs, PatternColumns};
use super::tally::WalkColumns;
use super::{MATCHINGS, Matching};
use crate::pattern::MAX_ORDER;
use std::ops::Range;

/// Where the counts of each size go.
#[derive(Clone, Debug)]
pub(super) struct UniformColumns {
    /// Vertex and arc columns, by size.
    columns: Vec<(usize, usize)>,
    /// The columns of size k are `ends[k - 1]..ends[k]`.
    ends: Box<[usize; MAX_ORDER + 1]>,
    sizes: Vec<usize>,
}

impl UniformColumns {
    /// The columns of these patterns.
    pub(super) fn new(patterns: &[PatternColumns]) -> Self {
        let mut columns = Vec::with_capacity(patterns.len());
        let mut ends = Box::new([0; MAX_ORDER + 1]);
        let mut sizes = Vec::new();
        for size in 1..=MAX_ORDER {
            for own in patterns.iter().filter(|own| own.pattern.order() == size) {
                let (a, b) = own.pattern.edges().next().expect("patterns have edges");
                columns.push((own.vertex(a), own.arc(a, b)));
            }
            if columns.len() > ends[size - 1] {
                sizes.push(size);
            }
            ends[size] = columns.len();
        }
        Self { columns, ends, sizes }
    }

    /// The sizes that are wanted, in increasing order.
    pub(super) fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// The largest wanted size; 0 when there is no pattern.
    pub(super) fn largest(&self) -> usize {
        self.sizes.last().copied().unwrap_or(0)
    }

    /// Whether this size is wanted.
    #[inline]
    pub(super) fn wants(&self, size: usize) -> bool {
        (1..=MAX_ORDER).contains(&size) && !self.range(size).is_empty()
    }

    #[inline]
    fn range(&self, size: usize) -> Range<usize> {
        self.ends[size - 1]..self.ends[size]
    }

    /// Credits each of these vertices with one occurrence of this size.
    #[inline]
    pub(super) fn each_vertex<C: Cells>(
        &self,
        out: &mut Outputs<C>,
        matching: Matching,
        size: usize,
        vertices: &[u32],
    ) {
        if let Some(cells) = out.vertex(matching) {
            for &(column, _) in &self.columns[self.range(size)] {
                vertices.iter().for_each(|&v| cells.add(v as usize, column, 1));
            }
        }
    }

    /// Credits each of these edges with one occurrence of this size.
    #[inline]
    pub(super) fn each_edge<C: Cells>(
        &self,
        out: &mut Outputs<C>,
        matching: Matching,
        size: usize,
        edges: &[u32],
    ) {
        if let Some(cells) = out.arc(matching) {
            for &(_, column) in &self.columns[self.range(size)] {
                edges.iter().for_each(|&edge| cells.add(edge as usize, column, 1));
            }
        }
    }

    /// Credits a vertex with occurrences of every size, in the order of [`UniformColumns::sizes`].
    #[inline]
    pub(super) fn vertex_all<C: Cells>(&self, out: &mut Outputs<C>, v: usize, counts: &[u64]) {
        for matching in MATCHINGS {
            if let Some(cells) = out.vertex(matching) {
                self.each(counts, |(column, _), count| cells.add(v, column, count));
            }
        }
    }

    /// Credits an edge with occurrences of every size.
    #[inline]
    pub(super) fn edge_all<C: Cells>(&self, out: &mut Outputs<C>, edge: usize, counts: &[u64]) {
        for matching in MATCHINGS {
            if let Some(cells) = out.arc(matching) {
                self.each(counts, |(_, column), count| cells.add(edge, column, count));
            }
        }
    }

    #[inline]
    fn each(&self, counts: &[u64], mut add: impl FnMut((usize, usize), u64)) {
        if self.columns.len() == self.sizes.len() {
            for (&column, &count) in self.columns.iter().zip(counts) {
                add(column, count);
            }
        } else {
            for (&size, &count) in self.sizes.iter().zip(counts) {
                self.columns[self.range(size)].iter().for_each(|&column| add(column, count));
            }
        }
    }
}

/// The columns of cycles.
impl WalkColumns for UniformColumns {
    const OPEN: usize = 0;

    fn longest(&self) -> usize {
        self.largest()
    }

    #[inline]
    fn add_vertex<C: Cells>(&self, to: &mut C, k: usize, _: usize, v: usize, count: u64) {
        for &(column, _) in &self.columns[self.range(k)] {
            to.add(v, column, count);
        }
    }

    #[inline]
    fn add_edge<C: Cells>(
        &self,
        to: &mut C,
        k: usize,
        _: usize,
        (edge, _): (usize, bool),
        count: u64,
    ) {
        for &(_, column) in &self.columns[self.range(k)] {
            to.add(edge, column, count);
        }
    }
}
