//! The loop over all vertices of a small graph, for several of them at once.
//!
//! The loop stands at a group of vertices x, and a row of it is a column of lines here: one for every
//! vertex y, with a lane for every x. A step adds whole lines, which the processor does several lanes
//! at a time and in registers, where one vertex after the other would spend its time on bookkeeping.

use super::host::Host;
use super::machine::Around;
use super::number::Number;
use super::program::{Factor, Step, Target};
use std::array::from_fn;
use std::ops::Range;

/// Vertices of the largest graph that is worked on like this.
pub(super) const MOST: usize = 64;
/// The number of lanes is a multiple of this; those beyond the last vertex are zero.
const PART: usize = 8;

/// Memory for the lanes of all rows and numbers.
#[derive(Debug)]
pub(super) struct Lanes<T> {
    rows: Vec<Vec<T>>,
    scalars: Vec<Vec<T>>,
}

impl<T> Default for Lanes<T> {
    fn default() -> Self {
        Self { rows: Vec::new(), scalars: Vec::new() }
    }
}

impl<T: Number> Lanes<T> {
    /// Runs these steps of the loop over all vertices; what they gather is added to `gathered`.
    /// Says how many numbers it read.
    pub(super) fn run(
        &mut self,
        around: Around<'_, T>,
        steps: &[u32],
        gathered: &mut [Vec<T>],
    ) -> u64 {
        let Around { host, pass, .. } = around;
        self.rows.resize_with(self.rows.len().max(pass.slots), Vec::new);
        self.scalars.resize_with(self.scalars.len().max(pass.scalars), Vec::new);
        // Loops over the lanes of a line have a known length.
        match host.order().div_ceil(PART) {
            1 => self.run_wide::<8>(around, steps, gathered),
            2 => self.run_wide::<16>(around, steps, gathered),
            3 => self.run_wide::<24>(around, steps, gathered),
            _ => self.run_wide::<32>(around, steps, gathered),
        }
        steps.len() as u64 * (host.arc_count() + host.order()) as u64
    }

    /// The same in lines of `W` lanes.
    fn run_wide<const W: usize>(
        &mut self,
        around: Around<'_, T>,
        steps: &[u32],
        gathered: &mut [Vec<T>],
    ) {
        let n = around.host.order();
        for start in (0..n).step_by(W) {
            let group = start..n.min(start + W);
            for &step in steps {
                let step = &around.pass.bodies[0].steps[step as usize];
                self.step::<W>(around, &group, step, gathered);
            }
        }
    }

    fn step<const W: usize>(
        &mut self,
        around: Around<'_, T>,
        group: &Range<usize>,
        step: &Step,
        gathered: &mut [Vec<T>],
    ) {
        let Around { host, values, .. } = around;
        match step {
            Step::Edge { to, along, weight, .. } => {
                self.write::<W>(*to, host.order(), |_, row| {
                    row.fill([T::default(); W]);
                    for (lane, x) in group.clone().enumerate() {
                        for arc in host.arcs_of(x as u32) {
                            let y = host.targets[arc] as usize;
                            let by = along.map_or(T::ONE, |along| values.at(along, arc));
                            let by = weight.map_or(by, |weight| by.times(values.at(weight, y)));
                            row[y][lane] = by;
                        }
                    }
                });
            }
            Step::Walk { to, of, along } => self.write::<W>(*to, host.order(), |all, row| {
                let of = all.row(*of);
                for (y, line) in row.iter_mut().enumerate() {
                    *line = sum_around(around, of, along.back, y);
                }
            }),
            Step::Join { to, rows, steps, weight } => {
                self.write::<W>(*to, host.order(), |all, row| {
                    let Some((&first, rest)) = rows.split_first() else {
                        return row.fill([T::default(); W]);
                    };
                    row.copy_from_slice(all.row(first));
                    for &by in rest {
                        let lines = row.iter_mut().zip(all.row(by));
                        lines.for_each(|(line, by)| *line = product(line, by));
                    }
                    for (of, along) in steps {
                        let of = all.row(*of);
                        for (y, line) in row.iter_mut().enumerate() {
                            *line = product(line, &sum_around(around, of, along.back, y));
                        }
                    }
                    if let Some(weight) = *weight {
                        for (y, line) in row.iter_mut().enumerate() {
                            *line = product(line, &[values.at(weight, y); W]);
                        }
                    }
                });
            }
            Step::Sum { to, row } => {
                let lines = self.row::<W>(*row).iter();
                let sums = lines.fold([T::default(); W], |sum, line| plus(&sum, line));
                self.put(*to, sums);
            }
            Step::Dot { to, rows: [one, other] } => {
                let lines = self.row::<W>(*one).iter().zip(self.row(*other));
                let add = |sum, (one, other)| plus(&sum, &product(one, other));
                let sums = lines.fold([T::default(); W], add);
                self.put(*to, sums);
            }
            Step::Across { to, rows: [one, other], along } => {
                let (one, other) = (self.row::<W>(*one), self.row(*other));
                let lines = one.iter().enumerate();
                let sums = lines.fold([T::default(); W], |sum, (y, one)| {
                    plus(&sum, &product(one, &sum_around(around, other, along.forward, y)))
                });
                self.put(*to, sums);
            }
            Step::Add { to, factors, weights, at } => {
                let mut line =
                    from_fn(|lane| if lane < group.len() { T::ONE } else { T::default() });
                for &factor in factors {
                    let by = &self.scalars[factor];
                    line.iter_mut().zip(by).for_each(|(value, &by)| *value = value.times(by));
                }
                for &(_, weight) in weights {
                    for (value, x) in line.iter_mut().zip(group.clone()) {
                        *value = value.times(values.at(weight, x));
                    }
                }
                self.gather::<W>(around, group, &line, *at, &mut gathered[*to]);
            }
            // Only loops inside read what can be reached.
            Step::Reach { .. } => {}
        }
    }

    /// The lines of a row.
    #[inline]
    fn row<const W: usize>(&self, slot: usize) -> &[[T; W]] {
        self.rows[slot].as_chunks().0
    }

    /// Writes a row of so many lines, beside all others.
    #[inline]
    fn write<const W: usize>(
        &mut self,
        slot: usize,
        lines: usize,
        write: impl FnOnce(&Self, &mut [[T; W]]),
    ) {
        let mut row = std::mem::take(&mut self.rows[slot]);
        row.resize(lines * W, T::default());
        write(self, row.as_chunks_mut().0);
        self.rows[slot] = row;
    }

    fn put<const W: usize>(&mut self, slot: usize, sums: [T; W]) {
        self.scalars[slot].clear();
        self.scalars[slot].extend_from_slice(&sums);
    }

    /// Adds the numbers of a line, one for every vertex of the loop, at a place.
    fn gather<const W: usize>(
        &self,
        around: Around<'_, T>,
        group: &Range<usize>,
        line: &[T; W],
        at: Target,
        gathered: &mut [T],
    ) {
        let Around { host, values, .. } = around;
        match at {
            Target::Vertex(_) => {
                for (cell, &value) in gathered[group.clone()].iter_mut().zip(line) {
                    *cell = cell.plus(value);
                }
            }
            Target::Row(row) => {
                for (cell, numbers) in gathered.iter_mut().zip(self.row(row)) {
                    *cell = cell.plus(sum(&product(numbers, line)));
                }
            }
            Target::ArcsFrom(_, row) => {
                let row = self.row::<W>(row);
                for (lane, x) in group.clone().enumerate() {
                    for arc in host.arcs_of(x as u32) {
                        let value = row[host.targets[arc] as usize][lane];
                        gathered[arc] = gathered[arc].plus(value.times(line[lane]));
                    }
                }
            }
            Target::Arcs([one, other], along) => {
                let other = self.row(other);
                for (y, one) in self.row(one).iter().enumerate() {
                    let one = product(one, line);
                    for arc in host.arcs_of(y as u32) {
                        let sum = sum(&product(&one, &other[host.targets[arc] as usize]));
                        let by = along.map_or(T::ONE, |along| values.at(along, arc));
                        gathered[arc] = gathered[arc].plus(sum.times(by));
                    }
                }
            }
            // Needs a second loop.
            Target::Arc(..) => {}
        }
    }
}

/// The sum of the lines of a vertex's neighbours, times a function of the arcs to them.
#[inline]
fn sum_around<T: Number, const W: usize>(
    around: Around<'_, T>,
    of: &[[T; W]],
    along: Factor,
    y: usize,
) -> [T; W] {
    let host: &Host = around.host;
    let arcs = host.arcs_of(y as u32);
    let lines = host.targets[arcs.clone()].iter().map(|&z| &of[z as usize]);
    match along {
        None => lines.fold([T::default(); W], |sum, line| plus(&sum, line)),
        Some(along) => lines.zip(arcs).fold([T::default(); W], |sum, (line, arc)| {
            plus(&sum, &product(line, &[around.values.at(along, arc); W]))
        }),
    }
}

#[inline]
fn plus<T: Number, const W: usize>(one: &[T; W], other: &[T; W]) -> [T; W] {
    from_fn(|lane| one[lane].plus(other[lane]))
}

#[inline]
fn product<T: Number, const W: usize>(one: &[T; W], other: &[T; W]) -> [T; W] {
    from_fn(|lane| one[lane].times(other[lane]))
}

/// The sum of all lanes, by halves: the processor adds several at a time.
#[inline]
fn sum<T: Number, const W: usize>(line: &[T; W]) -> T {
    let parts = line.as_chunks::<PART>().0.iter();
    let part = parts.fold([T::default(); PART], |sum, part| plus(&sum, part));
    let half: [T; PART / 2] = from_fn(|lane| part[lane].plus(part[lane + PART / 2]));
    half[0].plus(half[2]).plus(half[1].plus(half[3]))
}
