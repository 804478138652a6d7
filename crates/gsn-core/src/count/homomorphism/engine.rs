//! Works out the functions of a program in a graph, in numbers as wide as they need to be.

use super::bounds;
use super::expression::{Expressions, Function, ONE, ONE_ARC};
use super::functions::{LARGE, Values};
use super::host::Host;
use super::lanes::{self, Lanes};
use super::machine::{Around, Machine, length};
use super::number::{NARROW, Number, SHORT, TINY};
use super::program::{Pass, Program};
use crate::count::budget::{Meter, Stop};
use crate::count::hand_out::hand_out;
use crate::graph::Graph;
use crate::threads;

/// What is known of a graph, in the order of the program.
#[derive(Debug, Default)]
pub(in crate::count) struct Memory {
    pub(super) host: Host,
    tiny: Work<f32>,
    short: Work<u32>,
    narrow: Work<u64>,
    wide: Work<u128>,
    width: Width,
    /// Which numbers do for graphs of so many vertices and such a degree, both rounded up.
    known: Vec<(usize, usize, Width)>,
}

/// How wide numbers are.
#[derive(Clone, Copy, Debug, Default)]
enum Width {
    /// 24 bits, proven to suffice, in a graph that is small enough for lanes.
    Tiny,
    /// 32 bits, proven to suffice.
    Short,
    /// 64 bits, proven to suffice.
    Narrow,
    /// 128 bits.
    #[default]
    Wide,
}

#[derive(Debug)]
struct Work<T> {
    values: Values<T>,
    machine: Machine<T>,
    lanes: Lanes<T>,
}

impl<T> Default for Work<T> {
    fn default() -> Self {
        Self { values: Values::default(), machine: Machine::default(), lanes: Lanes::default() }
    }
}

#[cfg(any(test, feature = "testing"))]
thread_local! {
    /// Whether numbers have more bits than a graph needs.
    pub(in crate::count) static ALWAYS_WIDE: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Vertices that one thread takes at a time, and arcs from which on several threads are worth it.
const PIECE: usize = 16;
const PARALLEL_ARCS: usize = 20_000;

impl Memory {
    /// Works out the program in a graph.
    pub(super) fn fill(
        &mut self,
        program: &Program,
        graph: &Graph,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        self.host.fill(graph, program.needs_reverse);
        meter.steps(self.host.arc_count() as u64)?;
        self.width = self.find_width(program);
        match self.width {
            Width::Tiny => self.tiny.fill(program, graph, &self.host, meter),
            Width::Short => self.short.fill(program, graph, &self.host, meter),
            Width::Narrow => self.narrow.fill(program, graph, &self.host, meter),
            Width::Wide => self.wide.fill(program, graph, &self.host, meter),
        }
    }

    fn find_width(&mut self, program: &Program) -> Width {
        #[cfg(any(test, feature = "testing"))]
        if ALWAYS_WIDE.get() {
            return Width::Wide;
        }
        let vertices = self.host.order().next_power_of_two();
        let degree = rounded_up(self.host.max_degree);
        let mut known = self.known.iter();
        if let Some(found) = known.find(|known| (known.0, known.1) == (vertices, degree)) {
            return found.2;
        }
        let width = match bounds::largest(program, vertices, degree) {
            ..TINY if vertices <= lanes::MOST => Width::Tiny,
            ..SHORT => Width::Short,
            ..NARROW => Width::Narrow,
            _ => Width::Wide,
        };
        self.known.push((vertices, degree, width));
        width
    }

    /// The value of a function at a vertex or an arc of the host; none if it is too large to tell.
    #[inline]
    pub(super) fn at(&self, function: Function, at: usize) -> Option<u128> {
        match self.width {
            Width::Tiny => self.tiny.values.at(function, at).exact(),
            Width::Short => self.short.values.at(function, at).exact(),
            Width::Narrow => self.narrow.values.at(function, at).exact(),
            Width::Wide => self.wide.values.at(function, at).exact(),
        }
    }

    /// The values of a function that is not 1 everywhere, where 32 bits suffice.
    pub(super) fn short(&self, function: Function) -> Option<&[u32]> {
        let known = matches!(self.width, Width::Short) && function != ONE && function != ONE_ARC;
        known.then(|| self.short.values.get(function))
    }

    /// The same where 24 bits suffice.
    pub(super) fn tiny(&self, function: Function) -> Option<&[f32]> {
        let known = matches!(self.width, Width::Tiny) && function != ONE && function != ONE_ARC;
        known.then(|| self.tiny.values.get(function))
    }

    /// Whether a function is zero everywhere.
    pub(super) fn is_zero(&self, function: Function) -> bool {
        match self.width {
            Width::Tiny => self.tiny.values.is_zero(function),
            Width::Short => self.short.values.is_zero(function),
            Width::Narrow => self.narrow.values.is_zero(function),
            Width::Wide => self.wide.values.is_zero(function),
        }
    }
}

/// A number that is not smaller and has three binary digits before its zeros.
fn rounded_up(number: usize) -> usize {
    let zeros = (usize::BITS - number.leading_zeros()).saturating_sub(3);
    number.div_ceil(1 << zeros) << zeros
}

impl<T: Number> Work<T> {
    fn fill(
        &mut self,
        program: &Program,
        graph: &Graph,
        host: &Host,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        let all = &program.expressions;
        self.values.reset(all.functions().len());
        for (at, stage) in program.stages.iter().enumerate() {
            self.values.work_out(program, at, graph, host, meter)?;
            if let Some(pass) = &stage.pass {
                self.pass(pass, all, host, meter)?;
                if host.arc_count() >= LARGE {
                    self.values.forget(program.lifetimes.ended(at, stage.functions.len()));
                }
            }
        }
        Ok(())
    }

    fn pass(
        &mut self,
        pass: &Pass,
        all: &Expressions,
        host: &Host,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        let lengths = || pass.gathered.iter().map(|&function| length(host, all.is_arc(function)));
        let around = Around { host, values: &self.values, pass };
        let n = host.order();
        self.machine.start(around, lengths());
        let lanes = (1..=lanes::MOST).contains(&n).then(|| self.machine.only_top()).flatten();
        if let Some((steps, gathered)) = lanes {
            meter.steps(self.lanes.run(around, steps, gathered))?;
        } else if host.arc_count() < PARALLEL_ARCS || threads::number() == 1 {
            (0..n as u32).try_for_each(|v| self.machine.run(around, v, meter))?;
        } else {
            let meter = &*meter;
            let start = || {
                let mut machine = Machine::<T>::default();
                machine.start(around, lengths());
                machine
            };
            let machines = hand_out(n.div_ceil(PIECE), start, |machine, piece| {
                let mut meter = meter.fork();
                for v in piece * PIECE..((piece + 1) * PIECE).min(n) {
                    machine.run(around, v as u32, &mut meter)?;
                }
                meter.close()
            })?;
            for machine in machines {
                for (sum, part) in self.machine.gathered.iter_mut().zip(&machine.gathered) {
                    for (sum, &part) in sum.iter_mut().zip(part) {
                        *sum = sum.plus(part);
                    }
                }
            }
        }
        for (&function, gathered) in pass.gathered.iter().zip(&mut self.machine.gathered) {
            let mut values = self.values.take(function, 0);
            std::mem::swap(&mut values, gathered);
            self.values.put(function, values);
        }
        Ok(())
    }
}
