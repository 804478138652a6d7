//! From functions to the columns of the tables.

use super::engine::Memory;
use super::expression::Function;
use super::number::whole;
use super::sums::Sum;
use crate::count::Matching;
use crate::count::budget::Stop;
use crate::count::cells::{Cells, Outputs};
use crate::graph::Graph;
use std::ops::Range;

/// A column as a sum of functions.
#[derive(Clone, Debug)]
pub(super) struct ColumnSum {
    pub(super) matching: Matching,
    pub(super) column: usize,
    pub(super) sum: Sum,
    /// What the sum is multiplied by and then divided by, without rest.
    pub(super) times: i128,
    pub(super) divisor: i128,
    /// Whether an arc's number is that of the functions at the arc back.
    pub(super) backward: bool,
}

/// The columns of vertices and of arcs.
#[derive(Clone, Debug, Default)]
pub(super) struct Columns {
    pub(super) vertex: Vec<ColumnSum>,
    pub(super) arc: Vec<ColumnSum>,
}

impl Columns {
    /// The functions that are needed.
    pub(super) fn functions(&self) -> Vec<Function> {
        let all = self.vertex.iter().chain(&self.arc);
        all.flat_map(|column| column.sum.iter().map(|term| term.1)).collect()
    }

    /// Terms of all sums at a vertex.
    pub(super) fn vertex_terms(&self) -> usize {
        self.vertex.iter().map(|column| column.sum.len()).sum()
    }

    /// Terms of all sums at an arc.
    pub(super) fn arc_terms(&self) -> usize {
        self.arc.iter().map(|column| column.sum.len()).sum()
    }

    /// Adds the counts of some vertices, and of the edges from there to larger ones.
    pub(super) fn add<C: Cells>(
        &self,
        memory: &Memory,
        graph: &Graph,
        vertices: Range<usize>,
        out: &mut Outputs<C>,
    ) -> Result<(), Stop> {
        for column in &self.vertex {
            if let Some(cells) = out.vertex(column.matching) {
                let Some(values) = column.values(memory) else { continue };
                if let Some(tiny) = values.tiny() {
                    for v in vertices.clone().filter(|&v| tiny[v] > 0.0) {
                        cells.add(v, column.column, whole(tiny[v]));
                    }
                    continue;
                }
                if let Some(short) = values.short() {
                    for v in vertices.clone().filter(|&v| short[v] > 0) {
                        cells.add(v, column.column, short[v].into());
                    }
                    continue;
                }
                for v in vertices.clone() {
                    let value = values.at(v)?;
                    if value > 0 {
                        cells.add(v, column.column, value);
                    }
                }
            }
        }
        for column in &self.arc {
            if let Some(cells) = out.arc(column.matching) {
                let Some(values) = column.values(memory) else { continue };
                for v in vertices.clone().map(|v| v as u32) {
                    for arc in graph.arcs_of(v) {
                        if !graph.is_directed() && graph.arc_target(arc) < v {
                            continue;
                        }
                        let at = memory.host.position(arc);
                        let back = column.backward;
                        let at = if back { memory.host.reverse[at] as usize } else { at };
                        let value = values.at(at)?;
                        if value > 0 {
                            cells.add(graph.edge_id(arc), column.column, value);
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

impl ColumnSum {
    /// The numbers of the column in a graph; none where all of them are zero.
    fn values<'a>(&self, memory: &'a Memory) -> Option<ColumnValues<'a>> {
        let mut live = self.sum.iter().filter(|term| !memory.is_zero(term.1));
        let first = live.next()?;
        let terms = match live.next() {
            None if i128::from(first.0) * self.times == self.divisor => Terms::One(first.1),
            _ => Terms::Several(
                self.sum.iter().copied().filter(|term| !memory.is_zero(term.1)).collect(),
            ),
        };
        Some(ColumnValues { memory, terms, times: self.times, divisor: self.divisor })
    }
}

/// A column in a graph.
struct ColumnValues<'a> {
    memory: &'a Memory,
    terms: Terms,
    times: i128,
    divisor: i128,
}

/// The terms of a sum that are not zero throughout.
enum Terms {
    /// A function itself.
    One(Function),
    Several(Sum),
}

impl ColumnValues<'_> {
    /// All counts, where they are one function in 32 bits.
    fn short(&self) -> Option<&[u32]> {
        match self.terms {
            Terms::One(function) => self.memory.short(function),
            Terms::Several(_) => None,
        }
    }

    /// The same in 24 bits.
    fn tiny(&self) -> Option<&[f32]> {
        match self.terms {
            Terms::One(function) => self.memory.tiny(function),
            Terms::Several(_) => None,
        }
    }

    /// The count at a vertex or an arc.
    #[inline]
    fn at(&self, at: usize) -> Result<u64, Stop> {
        let sum = match &self.terms {
            Terms::One(function) => {
                let value = self.memory.at(*function, at).ok_or(Stop::Overflow)?;
                return u64::try_from(value).map_err(|_| Stop::Overflow);
            }
            Terms::Several(sum) => sum,
        };
        let mut total = 0i128;
        for &(times, function) in sum {
            let value = self.memory.at(function, at).and_then(|value| i128::try_from(value).ok());
            let term = value.and_then(|value| value.checked_mul(i128::from(times)));
            let sum = term.and_then(|term| total.checked_add(term));
            total = sum.ok_or(Stop::Overflow)?;
        }
        let product = total.checked_mul(self.times).ok_or(Stop::Overflow)?;
        debug_assert_eq!(product % self.divisor, 0);
        // Most numbers are small, and dividing large ones is slow.
        let quotient = match (i64::try_from(product), i64::try_from(self.divisor)) {
            (Ok(product), Ok(divisor)) => i128::from(product / divisor),
            _ => product / self.divisor,
        };
        u64::try_from(quotient).map_err(|_| Stop::Overflow)
    }
}
