//! How long the numbers of a function are kept, and how much memory that takes.
//!
//! A function has a number for every vertex or every arc. In a graph of millions of arcs a hundred
//! of them are gigabytes, so there they are given back as soon as nothing reads them any more; the
//! most that is kept at one time is known before anything is worked out.

use super::expression::{Expressions, Function, ONE, ONE_ARC};
use super::program::{Stage, parts};
use std::collections::BTreeMap;

/// A place in the order of work: a stage, and a function of it or, behind all of them, its pass.
type Moment = (usize, usize);

/// When functions are read for the last time.
#[derive(Clone, Debug, Default)]
pub(super) struct Lifetimes {
    /// The functions that nothing reads behind a moment.
    ended: BTreeMap<Moment, Vec<Function>>,
    /// The most that is kept at one time: functions of vertices and of arcs.
    pub(super) kept: (usize, usize),
}

impl Lifetimes {
    /// Those of the functions of these stages, of which the wanted ones last to the end.
    pub(super) fn new(all: &Expressions, stages: &[Stage], wanted: &[Function]) -> Self {
        let mut last: BTreeMap<Function, Moment> = BTreeMap::new();
        let mut made: Vec<(Moment, Vec<Function>)> = Vec::new();
        for (at, stage) in stages.iter().enumerate() {
            for (position, &function) in stage.functions.iter().enumerate() {
                made.push(((at, position), vec![function]));
            }
            if let Some(pass) = &stage.pass {
                made.push(((at, stage.functions.len()), pass.gathered.clone()));
            }
        }
        for (moment, functions) in &made {
            for &function in functions {
                last.insert(function, *moment);
                for part in parts(all, function) {
                    last.insert(part, *moment);
                }
            }
        }
        let mut ended: BTreeMap<Moment, Vec<Function>> = BTreeMap::new();
        for (function, moment) in last {
            if function != ONE && function != ONE_ARC && !wanted.contains(&function) {
                ended.entry(moment).or_default().push(function);
            }
        }
        let mut new = Self { ended, kept: (0, 0) };
        new.kept = new.most(all, &made);
        new
    }

    /// Walks through the work and sees what is kept. Sums over triangles are made together and may
    /// be there earlier than their place says, so all of a stage count from its start.
    fn most(&self, all: &Expressions, made: &[(Moment, Vec<Function>)]) -> (usize, usize) {
        let (mut now, mut most) = ((0usize, 0usize), (0, 0));
        let (mut early, mut stage) = (Vec::new(), usize::MAX);
        for (moment, functions) in made {
            if moment.0 != stage {
                stage = moment.0;
                let here = made.iter().filter(|one| one.0.0 == stage).flat_map(|one| &one.1);
                early = here.copied().filter(|&f| all.is_triangle(f)).collect();
                now.1 += early.len();
            }
            for &function in functions.iter().filter(|function| !early.contains(function)) {
                if all.is_arc(function) { now.1 += 1 } else { now.0 += 1 }
            }
            most = (most.0.max(now.0), most.1.max(now.1));
            for &function in self.ended(moment.0, moment.1) {
                if all.is_arc(function) { now.1 -= 1 } else { now.0 -= 1 }
            }
        }
        most
    }

    /// The functions that nothing reads behind a function of a stage, or behind its pass.
    pub(super) fn ended(&self, stage: usize, position: usize) -> &[Function] {
        self.ended.get(&(stage, position)).map_or(&[], Vec::as_slice)
    }
}
