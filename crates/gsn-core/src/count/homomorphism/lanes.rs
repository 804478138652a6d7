//! The loop over all vertices of a small graph, for all of them at once.
//!
//! A row of the loop is a square here: a line for every vertex y, and on it a lane for every vertex
//! x that the loop stands at. A step adds whole lines, which the processor does several lanes at a
//! time, where one vertex after the other would spend its time on bookkeeping.

use super::host::Host;
use super::machine::Around;
use super::number::Number;
use super::program::{Factor, Step, Target};

/// Vertices of the largest graph that is worked on like this.
pub(super) const MOST: usize = 64;
/// Lanes come in groups of so many; those beyond the last vertex are zero.
const GROUP: usize = 8;

/// Memory for the lanes of all rows and numbers.
#[derive(Debug)]
pub(super) struct Lanes<T> {
    squares: Vec<Vec<T>>,
    scalars: Vec<Vec<T>>,
    line: Vec<T>,
    width: usize,
}

impl<T> Default for Lanes<T> {
    fn default() -> Self {
        Self { squares: Vec::new(), scalars: Vec::new(), line: Vec::new(), width: 0 }
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
        self.width = host.order().next_multiple_of(GROUP);
        self.squares.resize_with(self.squares.len().max(pass.slots), Vec::new);
        self.scalars.resize_with(self.scalars.len().max(pass.scalars), Vec::new);
        self.line.clear();
        self.line.resize(self.width, T::default());
        for &step in steps {
            self.step(around, &pass.bodies[0].steps[step as usize], gathered);
        }
        steps.len() as u64 * (host.arc_count() + host.order()) as u64
    }

    fn step(&mut self, around: Around<'_, T>, step: &Step, gathered: &mut [Vec<T>]) {
        let Around { host, values, .. } = around;
        let (n, width) = (host.order(), self.width);
        match step {
            Step::Edge { to, along, weight, .. } => {
                let square = &mut self.squares[*to];
                square.clear();
                square.resize(n * width, T::default());
                for x in 0..n {
                    for arc in host.arcs_of(x as u32) {
                        let y = host.targets[arc] as usize;
                        let by = along.map_or(T::ONE, |along| values.at(along, arc));
                        let by = weight.map_or(by, |weight| by.times(values.at(weight, y)));
                        square[y * width + x] = by;
                    }
                }
            }
            Step::Walk { to, of, along } => {
                let mut square = self.taken(*to, n);
                let of = &self.squares[*of];
                for (y, line) in square.chunks_exact_mut(width).enumerate() {
                    add_around(around, of, width, along.back, y as u32, line);
                }
                self.squares[*to] = square;
            }
            Step::Join { to, rows, steps, weight } => {
                let mut square = self.taken(*to, n);
                let first = rows.first().map(|&row| &self.squares[row][..]).unwrap_or(&[]);
                square[..first.len()].copy_from_slice(first);
                for &row in rows.iter().skip(1) {
                    multiply(&mut square, &self.squares[row]);
                }
                for (of, along) in steps {
                    for (y, line) in square.chunks_exact_mut(width).enumerate() {
                        self.line.fill(T::default());
                        let of = &self.squares[*of];
                        add_around(around, of, width, along.back, y as u32, &mut self.line);
                        multiply(line, &self.line);
                    }
                }
                if let Some(weight) = *weight {
                    for (y, line) in square.chunks_exact_mut(width).enumerate() {
                        let by = values.at(weight, y);
                        line.iter_mut().for_each(|value| *value = value.times(by));
                    }
                }
                self.squares[*to] = square;
            }
            Step::Sum { to, row } => {
                let mut sums = self.taken_scalar(*to);
                for line in self.squares[*row].chunks_exact(width) {
                    add(&mut sums, line);
                }
                self.scalars[*to] = sums;
            }
            Step::Dot { to, rows: [one, other] } => {
                let mut sums = self.taken_scalar(*to);
                let (one, other) = (&self.squares[*one], &self.squares[*other]);
                for (one, other) in one.chunks_exact(width).zip(other.chunks_exact(width)) {
                    add_product(&mut sums, one, other);
                }
                self.scalars[*to] = sums;
            }
            Step::Across { to, rows: [one, other], along } => {
                let mut sums = self.taken_scalar(*to);
                let (one, other) = (&self.squares[*one], &self.squares[*other]);
                for (y, one) in one.chunks_exact(width).enumerate() {
                    self.line.fill(T::default());
                    add_around(around, other, width, along.forward, y as u32, &mut self.line);
                    add_product(&mut sums, one, &self.line);
                }
                self.scalars[*to] = sums;
            }
            Step::Add { to, factors, weights, at } => {
                self.line.fill(T::default());
                self.line[..n].fill(T::ONE);
                for &factor in factors {
                    multiply(&mut self.line, &self.scalars[factor]);
                }
                for &(_, weight) in weights {
                    for (x, value) in self.line[..n].iter_mut().enumerate() {
                        *value = value.times(values.at(weight, x));
                    }
                }
                self.gather(around, *at, &mut gathered[*to]);
            }
            // Only loops inside read what can be reached.
            Step::Reach { .. } => {}
        }
    }

    /// The memory of a row, all zero.
    fn taken(&mut self, slot: usize, n: usize) -> Vec<T> {
        let mut square = std::mem::take(&mut self.squares[slot]);
        square.clear();
        square.resize(n * self.width, T::default());
        square
    }

    /// The memory of a number, all zero.
    fn taken_scalar(&mut self, slot: usize) -> Vec<T> {
        let mut sums = std::mem::take(&mut self.scalars[slot]);
        sums.clear();
        sums.resize(self.width, T::default());
        sums
    }

    /// Adds the numbers of the line, one for every vertex of the loop, at a place.
    fn gather(&self, around: Around<'_, T>, at: Target, gathered: &mut [T]) {
        let Around { host, values, .. } = around;
        let (n, width) = (host.order(), self.width);
        match at {
            Target::Vertex(_) => {
                // One number a vertex, and no lanes beyond.
                for (cell, &value) in gathered.iter_mut().zip(&self.line) {
                    *cell = cell.plus(value);
                }
            }
            Target::Row(row) => {
                for (cell, line) in gathered.iter_mut().zip(self.squares[row].chunks_exact(width)) {
                    *cell = cell.plus(sum_of_products([line, &self.line]));
                }
            }
            Target::ArcsFrom(_, row) => {
                let square = &self.squares[row];
                for x in 0..n {
                    for arc in host.arcs_of(x as u32) {
                        let value = square[host.targets[arc] as usize * width + x];
                        gathered[arc] = gathered[arc].plus(value.times(self.line[x]));
                    }
                }
            }
            Target::Arcs([one, other], along) => {
                for y in 0..n {
                    let one = &self.squares[one][y * width..][..width];
                    for arc in host.arcs_of(y as u32) {
                        let z = host.targets[arc] as usize;
                        let other = &self.squares[other][z * width..][..width];
                        let sum = sum_of_products([one, other, &self.line]);
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

/// Adds the lines of a vertex's neighbours, times a function of the arcs to them.
#[inline]
fn add_around<T: Number>(
    around: Around<'_, T>,
    of: &[T],
    width: usize,
    along: Factor,
    y: u32,
    to: &mut [T],
) {
    let host: &Host = around.host;
    for arc in host.arcs_of(y) {
        let line = &of[host.targets[arc] as usize * width..][..width];
        match along {
            None => add(to, line),
            Some(along) => {
                let by = around.values.at(along, arc);
                each_lane(to, line, |sum, value| *sum = sum.plus(value.times(by)));
            }
        }
    }
}

/// Does something to every lane of a line and that of another: group by group, so that the processor
/// takes several at a time and none is left over.
#[inline]
fn each_lane<T: Copy>(to: &mut [T], line: &[T], change: impl Fn(&mut T, T)) {
    for (to, line) in to.chunks_exact_mut(GROUP).zip(line.chunks_exact(GROUP)) {
        for lane in 0..GROUP {
            change(&mut to[lane], line[lane]);
        }
    }
}

#[inline]
fn add<T: Number>(to: &mut [T], line: &[T]) {
    each_lane(to, line, |sum, value| *sum = sum.plus(value));
}

#[inline]
fn multiply<T: Number>(to: &mut [T], by: &[T]) {
    each_lane(to, by, |value, by| *value = value.times(by));
}

#[inline]
fn add_product<T: Number>(to: &mut [T], one: &[T], other: &[T]) {
    let groups = to.chunks_exact_mut(GROUP).zip(one.chunks_exact(GROUP));
    for ((to, one), other) in groups.zip(other.chunks_exact(GROUP)) {
        for lane in 0..GROUP {
            to[lane] = to[lane].plus(one[lane].times(other[lane]));
        }
    }
}

/// Σ over the lanes of the products of some lines. Every lane of a group has a sum of its own first:
/// the processor adds several of those at a time, whatever the numbers are.
#[inline]
fn sum_of_products<T: Number, const LINES: usize>(lines: [&[T]; LINES]) -> T {
    let mut sums = [T::default(); GROUP];
    for at in (0..lines[0].len()).step_by(GROUP) {
        let mut products = [T::ONE; GROUP];
        for line in lines {
            multiply(&mut products, &line[at..at + GROUP]);
        }
        add(&mut sums, &products);
    }
    sums.into_iter().fold(T::default(), T::plus)
}
