//! Runs the loops of a pass: rows of numbers around the vertices that the loops stand at.
//!
//! A row is a dense array beside the list of the vertices where it is not zero, so that a loop
//! costs what lies around its vertex, not the whole graph. A step from one row to the next either
//! scatters from the vertices of the one or, where fewer vertices of the other can count, gathers.

use super::functions::Values;
use super::host::Host;
use super::number::Number;
use super::program::{Along, Body, Factor, Pass, Step, Target};
use crate::count::budget::{Meter, Stop};

/// Numbers for the vertices around a loop's vertex.
#[derive(Clone, Debug)]
struct RowValues<T> {
    values: Vec<T>,
    /// The vertices where it is not zero.
    vertices: Vec<u32>,
    /// Sum of their degrees.
    degrees: u64,
}

impl<T> Default for RowValues<T> {
    fn default() -> Self {
        Self { values: Vec::new(), vertices: Vec::new(), degrees: 0 }
    }
}

impl<T: Number> RowValues<T> {
    fn clear(&mut self) {
        if self.vertices.len() * 4 > self.values.len() {
            self.values.fill(T::default());
        } else {
            for &v in &self.vertices {
                self.values[v as usize] = T::default();
            }
        }
        self.vertices.clear();
        self.degrees = 0;
    }

    /// Sets a vertex that is zero.
    #[inline]
    fn set(&mut self, v: u32, value: T, host: &Host) {
        if !value.is_zero() {
            self.values[v as usize] = value;
            self.vertices.push(v);
            self.degrees += u64::from(host.degree(v));
        }
    }

    /// Adds a number that is not zero.
    #[inline]
    fn add(&mut self, v: u32, value: T, host: &Host) {
        let cell = &mut self.values[v as usize];
        if cell.is_zero() {
            self.vertices.push(v);
            self.degrees += u64::from(host.degree(v));
        }
        *cell = cell.plus(value);
    }

    #[inline]
    fn at(&self, v: u32) -> T {
        self.values[v as usize]
    }
}

/// Memory of one thread for the loops.
#[derive(Debug)]
pub(super) struct Machine<T> {
    rows: Vec<RowValues<T>>,
    scalars: Vec<T>,
    /// The vertex that each loop stands at.
    at: Vec<u32>,
    /// What is gathered, by the order of the pass.
    pub(super) gathered: Vec<Vec<T>>,
    /// Steps that are not reported yet.
    steps: u64,
    /// The steps of each body that can give anything but zero in this graph.
    live: Vec<Vec<u32>>,
    /// Which steps these are, while they are found.
    marks: Vec<bool>,
}

impl<T> Default for Machine<T> {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            scalars: Vec::new(),
            at: Vec::new(),
            gathered: Vec::new(),
            steps: 0,
            live: Vec::new(),
            marks: Vec::new(),
        }
    }
}

/// What the loops read.
#[derive(Clone, Copy)]
pub(super) struct Around<'a, T> {
    pub(super) host: &'a Host,
    pub(super) values: &'a Values<T>,
    pub(super) pass: &'a Pass,
}

impl<T: Number> Around<'_, T> {
    /// The values of a function; none where it is 1.
    #[inline]
    fn of(&self, factor: Factor) -> Option<&[T]> {
        factor.map(|function| self.values.get(function))
    }
}

impl<T: Number> Machine<T> {
    /// Makes room for a pass over a graph.
    pub(super) fn start(&mut self, around: Around<'_, T>, lengths: impl Iterator<Item = usize>) {
        let Around { host, pass, .. } = around;
        let n = host.order();
        if self.rows.len() < pass.slots {
            self.rows.resize_with(pass.slots, RowValues::default);
        }
        for row in &mut self.rows[..pass.slots] {
            row.clear();
            row.values.resize(n, T::default());
        }
        self.find_live(around);
        self.scalars.clear();
        self.scalars.resize(pass.scalars, T::default());
        self.at.clear();
        self.at.resize(pass.bodies.len(), 0);
        self.gathered.resize_with(pass.gathered.len(), Vec::new);
        for (gathered, length) in self.gathered.iter_mut().zip(lengths) {
            gathered.clear();
            gathered.resize(length, T::default());
        }
    }

    /// Leaves out the steps that read a function which is zero in this graph, and those that only
    /// such steps read: most graphs hold few of the patterns of a large collection.
    fn find_live(&mut self, around: Around<'_, T>) {
        let Around { values, pass, .. } = around;
        let marks = &mut self.marks;
        marks.clear();
        for reads in &pass.reads {
            let zero = reads.functions.iter().any(|&function| values.is_zero(function));
            marks.push(!zero && reads.steps.iter().all(|&step| marks[step as usize]));
        }
        // From the end: what is not read by anything that lives need not be worked out.
        let mut read = vec![false; marks.len()];
        for (at, reads) in pass.reads.iter().enumerate().rev() {
            marks[at] &= reads.is_add || read[at];
            if marks[at] {
                reads.steps.iter().for_each(|&step| read[step as usize] = true);
            }
        }
        self.live.resize_with(pass.bodies.len(), Vec::new);
        let mut at = 0;
        for (live, body) in self.live.iter_mut().zip(&pass.bodies) {
            live.clear();
            let steps = 0..body.steps.len() as u32;
            live.extend(steps.filter(|&step| marks[at + step as usize]));
            at += body.steps.len();
        }
    }

    /// Whether a loop or one inside it does anything.
    fn is_live(&self, pass: &Pass, body: usize) -> bool {
        !self.live[body].is_empty()
            || pass.bodies[body].inner.iter().any(|&inner| self.is_live(pass, inner))
    }

    /// The steps of the loop over all vertices, if no loop inside it does anything, and where what
    /// they gather belongs.
    pub(super) fn only_top(&mut self) -> Option<(&[u32], &mut [Vec<T>])> {
        let [top, inner @ ..] = &self.live[..] else { return None };
        inner.iter().all(Vec::is_empty).then_some((top, &mut self.gathered))
    }

    /// Runs the loop over all vertices for one of them.
    pub(super) fn run(
        &mut self,
        around: Around<'_, T>,
        vertex: u32,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        self.at[0] = vertex;
        self.body(around, 0, T::ONE, meter)
    }

    fn body(
        &mut self,
        around: Around<'_, T>,
        body: usize,
        scale: T,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        let Body { steps, inner, .. } = &around.pass.bodies[body];
        self.steps += 1;
        for i in 0..self.live[body].len() {
            let step = &steps[self.live[body][i] as usize];
            self.step(around, step, scale);
        }
        meter.steps(std::mem::take(&mut self.steps))?;
        for &inner in inner {
            let Some(domain) = around.pass.bodies[inner].domain else { continue };
            if !self.is_live(around.pass, inner) {
                continue;
            }
            for i in 0..self.rows[domain].vertices.len() {
                let v = self.rows[domain].vertices[i];
                self.at[inner] = v;
                let scale = scale.times(self.rows[domain].at(v));
                self.body(around, inner, scale, meter)?;
            }
        }
        Ok(())
    }

    fn step(&mut self, around: Around<'_, T>, step: &Step, scale: T) {
        match step {
            Step::Edge { to, body, along, weight } => {
                self.edge(around, *to, *body, *along, *weight)
            }
            Step::Walk { to, of, along } => {
                let (to, of) = two(&mut self.rows, *to, *of);
                self.steps += walk(around, to, of, *along);
            }
            Step::Join { to, rows, steps, weight } => {
                self.join(around, *to, rows, *weight);
                for (of, along) in steps {
                    let (to, of) = two(&mut self.rows, *to, *of);
                    self.steps += gather(around, to, of, *along);
                }
            }
            Step::Reach { to, of } => {
                let (to, of) = two(&mut self.rows, *to, *of);
                to.clear();
                self.steps += of.degrees;
                for &v in &of.vertices {
                    for &w in around.host.neighbors(v) {
                        if to.at(w).is_zero() {
                            to.set(w, T::ONE, around.host);
                        }
                    }
                }
            }
            Step::Sum { to, row } => {
                let row = &self.rows[*row];
                self.steps += row.vertices.len() as u64;
                let terms = row.vertices.iter().map(|&v| row.at(v));
                self.scalars[*to] = terms.fold(T::default(), T::plus);
            }
            Step::Dot { to, rows } => {
                let [mut one, mut other] = rows.map(|row| &self.rows[row]);
                if one.vertices.len() > other.vertices.len() {
                    std::mem::swap(&mut one, &mut other);
                }
                self.steps += one.vertices.len() as u64;
                let terms = one.vertices.iter().map(|&v| one.at(v).times(other.at(v)));
                self.scalars[*to] = terms.fold(T::default(), T::plus);
            }
            Step::Across { to, rows, along } => {
                let [one, other] = rows.map(|row| &self.rows[row]);
                self.steps += one.degrees.min(other.degrees);
                self.scalars[*to] = if one.degrees <= other.degrees {
                    across(around, one, other, along.forward)
                } else {
                    across(around, other, one, along.back)
                };
            }
            Step::Add { to, factors, weights, at } => {
                let mut value = scale;
                for &factor in factors {
                    value = value.times(self.scalars[factor]);
                }
                for &(body, weight) in weights {
                    value = value.times(around.values.at(weight, self.at[body] as usize));
                }
                if !value.is_zero() {
                    self.add(around, *to, *at, value);
                }
            }
        }
    }

    fn edge(
        &mut self,
        around: Around<'_, T>,
        to: usize,
        body: usize,
        along: Factor,
        weight: Factor,
    ) {
        let host = around.host;
        let x = self.at[body];
        let to = &mut self.rows[to];
        to.clear();
        let arcs = host.arcs_of(x);
        self.steps += arcs.len() as u64;
        match (around.of(along), around.of(weight)) {
            (None, None) => {
                for &y in host.neighbors(x) {
                    to.set(y, T::ONE, host);
                }
            }
            (along, weight) => {
                for arc in arcs {
                    let y = host.targets[arc];
                    let by = along.map_or(T::ONE, |along| along[arc]);
                    let value = weight.map_or(by, |weight| by.times(weight[y as usize]));
                    to.set(y, value, host);
                }
            }
        }
    }

    /// The product of rows and a function.
    fn join(&mut self, around: Around<'_, T>, to: usize, rows: &[usize], weight: Factor) {
        let mut target = std::mem::take(&mut self.rows[to]);
        target.clear();
        let shortest = rows.iter().min_by_key(|&&row| self.rows[row].vertices.len());
        if let Some(&shortest) = shortest {
            let shortest = &self.rows[shortest];
            let weight = around.of(weight);
            self.steps += shortest.vertices.len() as u64;
            for &v in &shortest.vertices {
                let mut value = weight.map_or(T::ONE, |weight| weight[v as usize]);
                for &row in rows {
                    value = value.times(self.rows[row].at(v));
                }
                target.set(v, value, around.host);
            }
        }
        self.rows[to] = target;
    }

    fn add(&mut self, around: Around<'_, T>, to: usize, at: Target, value: T) {
        let host = around.host;
        let gathered = &mut self.gathered[to];
        match at {
            Target::Vertex(body) => {
                let cell = &mut gathered[self.at[body] as usize];
                *cell = cell.plus(value);
            }
            Target::Arc(first, second) => {
                if let Some(arc) = host.arc(self.at[first], self.at[second]) {
                    gathered[arc] = gathered[arc].plus(value);
                }
            }
            Target::Row(row) => {
                let row = &self.rows[row];
                self.steps += row.vertices.len() as u64;
                for &v in &row.vertices {
                    let cell = &mut gathered[v as usize];
                    *cell = cell.plus(row.at(v).times(value));
                }
            }
            Target::ArcsFrom(body, row) => {
                let row = &self.rows[row];
                let arcs = host.arcs_of(self.at[body]);
                self.steps += arcs.len() as u64;
                let around = host.targets[arcs.clone()].iter();
                for (cell, &v) in gathered[arcs].iter_mut().zip(around) {
                    *cell = cell.plus(row.at(v).times(value));
                }
            }
            Target::Arcs([one, other], along) => {
                let (one, other) = (&self.rows[one], &self.rows[other]);
                let along = around.of(along);
                self.steps += one.degrees;
                for &v in &one.vertices {
                    let value = value.times(one.at(v));
                    for arc in host.arcs_of(v) {
                        let by = other.at(host.targets[arc]);
                        if !by.is_zero() {
                            let by = along.map_or(by, |along| by.times(along[arc]));
                            gathered[arc] = gathered[arc].plus(value.times(by));
                        }
                    }
                }
            }
        }
    }
}

/// One row to write and another to read.
fn two<T>(rows: &mut [RowValues<T>], to: usize, of: usize) -> (&mut RowValues<T>, &RowValues<T>) {
    let [to, of] = rows.get_disjoint_mut([to, of]).expect("a row is not made of itself");
    (to, of)
}

/// The step from one row to another; how many arcs it read.
fn walk<T: Number>(
    around: Around<'_, T>,
    to: &mut RowValues<T>,
    of: &RowValues<T>,
    along: Along,
) -> u64 {
    let host = around.host;
    to.clear();
    let arcs = host.arc_count() as u64;
    if of.degrees * 2 > arcs {
        // Most arcs are read anyway: reading at the other end needs no bookkeeping.
        let along = around.of(along.back);
        for v in 0..host.order() as u32 {
            let sum = sum_around(host, of, along, v);
            to.set(v, sum, host);
        }
        return arcs;
    }
    match around.of(along.forward) {
        None => {
            for &v in &of.vertices {
                let value = of.at(v);
                for &w in host.neighbors(v) {
                    to.add(w, value, host);
                }
            }
        }
        Some(along) => {
            for &v in &of.vertices {
                let value = of.at(v);
                for arc in host.arcs_of(v) {
                    if !along[arc].is_zero() {
                        to.add(host.targets[arc], value.times(along[arc]), host);
                    }
                }
            }
        }
    }
    of.degrees
}

/// Σ over the neighbours w of v: of(w), times the function at v → w.
#[inline]
fn sum_around<T: Number>(host: &Host, of: &RowValues<T>, along: Option<&[T]>, v: u32) -> T {
    let arcs = host.arcs_of(v);
    let around = host.targets[arcs.clone()].iter();
    match along {
        None => around.fold(T::default(), |sum, &w| sum.plus(of.at(w))),
        Some(along) => around
            .zip(&along[arcs])
            .fold(T::default(), |sum, (&w, &by)| sum.plus(of.at(w).times(by))),
    }
}

/// Multiplies a row by the step from another; how many arcs it read.
fn gather<T: Number>(
    around: Around<'_, T>,
    to: &mut RowValues<T>,
    of: &RowValues<T>,
    along: Along,
) -> u64 {
    let host = around.host;
    let read = to.degrees;
    let along = around.of(along.back);
    let mut degrees = 0;
    let RowValues { values, vertices, .. } = to;
    vertices.retain(|&v| {
        let sum = sum_around(host, of, along, v);
        let value = values[v as usize].times(sum);
        values[v as usize] = value;
        let stays = !value.is_zero();
        degrees += if stays { u64::from(host.degree(v)) } else { 0 };
        stays
    });
    to.degrees = degrees;
    read
}

/// Σ over arcs y → z: one(y) · along(y, z) · other(z).
fn across<T: Number>(
    around: Around<'_, T>,
    one: &RowValues<T>,
    other: &RowValues<T>,
    along: Factor,
) -> T {
    let along = around.of(along);
    let term = |&v: &u32| one.at(v).times(sum_around(around.host, other, along, v));
    one.vertices.iter().map(term).fold(T::default(), T::plus)
}

/// The arcs or vertices that a function is of.
pub(super) fn length(host: &Host, is_arc: bool) -> usize {
    if is_arc { host.arc_count() } else { host.order() }
}
