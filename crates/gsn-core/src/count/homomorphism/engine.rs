//! Works out the functions of a program in a graph, in numbers as wide as they need to be.

use super::bounds;
use super::expression::{Expressions, Function};
use super::functions::Values;
use super::host::Host;
use super::lanes::{self, Lanes};
use super::machine::{Around, Machine, length};
use super::number::{NARROW, Number};
use super::program::{Pass, Program};
use crate::count::budget::{Meter, Stop};
use crate::graph::Graph;
use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};

/// What is known of a graph, in the order of the program.
#[derive(Debug, Default)]
pub(in crate::count) struct Memory {
    pub(super) host: Host,
    narrow: Work<u64>,
    wide: Work<u128>,
    /// Whether 64 bits suffice, in the last graph and in any with as few vertices and as small a
    /// largest degree.
    width: Option<Width>,
    is_wide: bool,
}

#[derive(Clone, Copy, Debug)]
struct Width {
    vertices: usize,
    degree: usize,
    is_wide: bool,
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
        self.is_wide = self.find_width(program);
        if self.is_wide {
            self.wide.fill(program, graph, &self.host, meter)
        } else {
            self.narrow.fill(program, graph, &self.host, meter)
        }
    }

    fn find_width(&mut self, program: &Program) -> bool {
        let (vertices, degree) = (self.host.order(), self.host.max_degree);
        if let Some(known) = self.width {
            // More vertices and larger degrees need wider numbers, never narrower ones.
            if known.is_wide && vertices >= known.vertices && degree >= known.degree {
                return true;
            }
            if !known.is_wide && vertices <= known.vertices && degree <= known.degree {
                return false;
            }
        }
        let is_wide = bounds::largest(program, vertices, degree) >= NARROW;
        self.width = Some(Width { vertices, degree, is_wide });
        is_wide
    }

    /// The value of a function at a vertex or an arc of the host; none if it is too large to tell.
    #[inline]
    pub(super) fn at(&self, function: Function, at: usize) -> Option<u128> {
        if self.is_wide {
            self.wide.values.at(function, at).exact()
        } else {
            self.narrow.values.at(function, at).exact()
        }
    }

    /// The values of a function, where they are kept in 64 bits and are not 1 throughout.
    pub(super) fn narrow(&self) -> Option<&Values<u64>> {
        (!self.is_wide).then_some(&self.narrow.values)
    }
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
        for stage in &program.stages {
            self.values.work_out(&stage.functions, all, graph, host, meter)?;
            if let Some(pass) = &stage.pass {
                self.pass(pass, all, host, meter)?;
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
        let lanes = (n <= lanes::MOST).then(|| self.machine.only_top()).flatten();
        if let Some((steps, gathered)) = lanes {
            meter.steps(self.lanes.run(around, steps, gathered))?;
        } else if host.arc_count() < PARALLEL_ARCS || rayon::current_num_threads() == 1 {
            (0..n as u32).try_for_each(|v| self.machine.run(around, v, meter))?;
        } else {
            let machines = Mutex::new(Vec::<Machine<T>>::new());
            let pool = || machines.lock().unwrap_or_else(PoisonError::into_inner);
            let meter = &*meter;
            (0..n.div_ceil(PIECE)).into_par_iter().try_for_each(|piece| {
                let taken = pool().pop();
                let mut machine = taken.unwrap_or_else(|| {
                    let mut machine = Machine::default();
                    machine.start(around, lengths());
                    machine
                });
                let mut meter = meter.fork();
                for v in piece * PIECE..((piece + 1) * PIECE).min(n) {
                    machine.run(around, v as u32, &mut meter)?;
                }
                pool().push(machine);
                meter.close()
            })?;
            for machine in machines.into_inner().unwrap_or_else(PoisonError::into_inner) {
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
