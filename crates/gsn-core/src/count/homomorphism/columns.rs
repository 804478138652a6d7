//! From functions to the columns of the tables.

use super::engine::Memory;
use super::expression::Function;
use super::sums::Sum;
use crate::count::Matching;
use crate::count::budget::Stop;
use crate::count::cells::{Cells, Outputs};
use crate::graph::Graph;

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
        vertex: u32,
        out: &mut Outputs<C>,
    ) -> Result<(), Stop> {
        for column in &self.vertex {
            if let Some(cells) = out.vertex(column.matching) {
                let value = column.at(memory, vertex as usize)?;
                if value > 0 {
                    cells.add(vertex as usize, column.column, value);
                }
            }
        }
        if self.arc.is_empty() {
            return Ok(());
        }
        for arc in graph.arcs_of(vertex) {
            if !graph.is_directed() && graph.arc_target(arc) < vertex {
                continue;
            }
            let at = memory.host.position(arc);
            for column in &self.arc {
                if let Some(cells) = out.arc(column.matching) {
                    let at = if column.backward { memory.host.reverse[at] as usize } else { at };
                    let value = column.at(memory, at)?;
                    if value > 0 {
                        cells.add(graph.edge_id(arc), column.column, value);
                    }
                }
            }
        }
        Ok(())
    }
}

impl ColumnSum {
    /// The count at a vertex or an arc.
    fn at(&self, memory: &Memory, at: usize) -> Result<u64, Stop> {
        let mut total = 0i128;
        if let Some(values) = memory.narrow() {
            // Numbers of 64 bits times factors of 64 bits, few of them: no sum is too large.
            for &(times, function) in &self.sum {
                total += i128::from(times) * i128::from(values.at(function, at));
            }
        } else {
            for &(times, function) in &self.sum {
                let value = memory.at(function, at).and_then(|value| i128::try_from(value).ok());
                let term = value.and_then(|value| value.checked_mul(i128::from(times)));
                let sum = term.and_then(|term| total.checked_add(term));
                total = sum.ok_or(Stop::Overflow)?;
            }
        }
        let product = total.checked_mul(self.times).ok_or(Stop::Overflow)?;
        debug_assert_eq!(product % self.divisor, 0);
        u64::try_from(product / self.divisor).map_err(|_| Stop::Overflow)
    }
}
