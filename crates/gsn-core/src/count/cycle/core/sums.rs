//! Sums over cycles of classes, by class or by edge between classes, and what each member gets.

use super::Core;
use crate::count::Matching;
use crate::count::budget::Stop;
use crate::count::cells::{Cells, Outputs};
use crate::count::tally::WalkColumns;
use crate::count::uniform::UniformColumns;
use crate::graph::Graph;

/// Numbers by class or edge and by length; which rows have any is remembered.
#[derive(Debug, Default)]
pub(super) struct Sums {
    values: Vec<u128>,
    lengths: usize,
    is_touched: Vec<bool>,
    touched: Vec<u32>,
}

impl Sums {
    /// Makes room for so many rows, all zero if the last sums were taken out.
    pub(super) fn start(&mut self, rows: usize, lengths: usize) {
        if self.lengths != lengths {
            self.values.clear();
            self.is_touched.clear();
            self.lengths = lengths;
        }
        if self.is_touched.len() < rows {
            self.values.resize(rows * lengths, 0);
            self.is_touched.resize(rows, false);
        }
    }

    pub(super) fn add(&mut self, row: usize, length: usize, value: u128) -> Result<(), Stop> {
        let cell = &mut self.values[row * self.lengths + length];
        *cell = cell.checked_add(value).ok_or(Stop::Overflow)?;
        if !self.is_touched[row] {
            self.is_touched[row] = true;
            self.touched.push(row as u32);
        }
        Ok(())
    }

    /// Takes out all sums: for each row that is not zero its numbers by length.
    fn take(
        &mut self,
        mut give: impl FnMut(usize, &[u128]) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        for row in self.touched.drain(..) {
            let row = row as usize;
            let values = &mut self.values[row * self.lengths..][..self.lengths];
            give(row, values)?;
            values.fill(0);
            self.is_touched[row] = false;
        }
        Ok(())
    }
}

impl Core {
    /// Gives the members of every class their share of its sums.
    pub(super) fn give_vertices<C: Cells>(
        &self,
        sums: &mut Sums,
        columns: &UniformColumns,
        lengths: &[usize],
        out: &mut Outputs<C>,
    ) -> Result<(), Stop> {
        let mut cells = out.vertex(Matching::Induced);
        sums.take(|class, values| {
            let Some(cells) = &mut cells else { return Ok(()) };
            let (members, size) = (self.members(class as u32), self.size(class as u32));
            for (&length, &value) in lengths.iter().zip(values).filter(|(_, value)| **value > 0) {
                let share = share(value, size)?;
                for &v in members {
                    columns.add_vertex(*cells, length, 0, v as usize, share);
                }
            }
            Ok(())
        })
    }

    /// The same for the edges between the members of two classes.
    pub(super) fn give_edges<C: Cells>(
        &self,
        graph: &Graph,
        sums: &mut Sums,
        columns: &UniformColumns,
        lengths: &[usize],
        out: &mut Outputs<C>,
    ) -> Result<(), Stop> {
        let mut cells = out.arc(Matching::Induced);
        sums.take(|edge, values| {
            let Some(cells) = &mut cells else { return Ok(()) };
            let (one, other) = self.ends[edge];
            let size = self.size(one) * self.size(other);
            for &u in self.members(one) {
                for &v in self.members(other) {
                    let arc = graph.arc_id(u, v).expect("members of joined classes are adjacent");
                    let edge = (graph.edge_id(arc), true);
                    for (&length, &value) in lengths.iter().zip(values) {
                        if value > 0 {
                            columns.add_edge(*cells, length, 0, edge, share(value, size)?);
                        }
                    }
                }
            }
            Ok(())
        })
    }
}

/// What each of so many gets of a sum.
fn share(sum: u128, size: u128) -> Result<u64, Stop> {
    debug_assert_eq!(sum % size, 0);
    u64::try_from(sum / size).map_err(|_| Stop::Overflow)
}
