//! 4-cycles from their highest vertex u: two walks u – x – w to the same w, all below u.

use super::super::ranked::{add, add_narrow};
use super::{FourTables, SQUARES};
use crate::count::budget::{Meter, Stop};

/// Rows that are called for at a time.
const TOGETHER: usize = 16;

/// Memory of one thread.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// Walks of length 2 from the root.
    walks: Vec<u32>,
    /// Where they lead.
    reached: Vec<u32>,
}

impl FourTables {
    /// Adds the 4-cycles whose highest vertex is `u` to their vertices or edges.
    pub(super) fn count_squares<const SHARED: bool>(
        &self,
        u: u32,
        scratch: &mut Scratch,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        let members = self.ranked.below(u, u);
        if members.len() < 2 {
            return meter.steps(1);
        }
        let Scratch { walks, reached } = scratch;
        if walks.len() < self.ranked.order() {
            walks.resize(self.ranked.order(), 0);
        }
        let result = self.walk(u, walks, reached, meter);
        if result.is_ok() {
            if self.sums[SQUARES].is_empty() {
                self.credit_edges::<SHARED>(u, walks);
            } else {
                self.credit_vertices::<SHARED>(u, walks, reached);
            }
        }
        for w in reached.drain(..) {
            walks[w as usize] = 0;
        }
        result
    }

    fn walk(
        &self,
        u: u32,
        walks: &mut [u32],
        reached: &mut Vec<u32>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        let targets = &self.ranked.targets;
        for some in targets[self.ranked.below(u, u)].chunks(TOGETHER) {
            self.ranked.touch_rows(some);
            for &x in some {
                let mut steps = 1;
                for &w in targets[self.ranked.arcs(x)].iter().take_while(|&&w| w < u) {
                    let walks = &mut walks[w as usize];
                    if *walks == 0 {
                        reached.push(w);
                    }
                    *walks += 1;
                    steps += 2;
                }
                meter.steps(steps)?;
            }
        }
        Ok(())
    }

    fn credit_vertices<const SHARED: bool>(&self, u: u32, walks: &[u32], reached: &[u32]) {
        let mut all = 0;
        for &w in reached {
            let walks = u64::from(walks[w as usize]);
            if walks > 1 {
                all += walks * (walks - 1) / 2;
                add::<SHARED>(&self.sums[SQUARES][w as usize], walks * (walks - 1) / 2);
            }
        }
        if all == 0 {
            return;
        }
        add::<SHARED>(&self.sums[SQUARES][u as usize], all);
        let targets = &self.ranked.targets;
        for some in targets[self.ranked.below(u, u)].chunks(TOGETHER) {
            self.ranked.touch_rows(some);
            for &x in some {
                let row = targets[self.ranked.arcs(x)].iter().take_while(|&&w| w < u);
                let through: u64 = row.map(|&w| u64::from(walks[w as usize] - 1)).sum();
                add::<SHARED>(&self.sums[SQUARES][x as usize], through);
            }
        }
    }

    fn credit_edges<const SHARED: bool>(&self, u: u32, walks: &[u32]) {
        let targets = &self.ranked.targets;
        for at in self.ranked.below(u, u) {
            let x = targets[at];
            let mut through = 0;
            for place in self.ranked.below(x, u) {
                let others = walks[targets[place] as usize] - 1;
                if others > 0 {
                    through += others;
                    let numbers = &self.numbers[self.edge_number(x, place)];
                    add_narrow::<SHARED>(&numbers.squares, others);
                }
            }
            if through > 0 {
                let numbers = &self.numbers[self.edge_number(u, at)];
                add_narrow::<SHARED>(&numbers.squares, through);
            }
        }
    }
}
