//! Makes the passes of a program: which loop does what in which order, and where its rows are kept.
//!
//! Rows of a pass share slots of memory once they are no longer read.

use super::expression::{
    Expressions, Function, Gathering, Loop, ONE, ONE_ARC, Place, Row, RowForm, Scalar, ScalarForm,
    TOP,
};
use super::program::{Along, Body, Closure, Factor, Pass, Reads, Step, Target, read_rows};
use std::collections::{BTreeMap, BTreeSet};

fn factor(function: Function) -> Factor {
    (function != ONE && function != ONE_ARC).then_some(function)
}

/// Makes a pass.
pub(super) struct Compiler<'a> {
    all: &'a Expressions,
    bodies: BTreeMap<Loop, usize>,
    scalars: BTreeMap<Scalar, usize>,
    slots: BTreeMap<Row, usize>,
}

/// Something that a loop does, before rows have slots.
enum Task<'a> {
    Row(Row),
    Scalar(Scalar),
    Add(usize, &'a Gathering),
}

impl<'a> Compiler<'a> {
    pub(super) fn new(all: &'a Expressions) -> Self {
        Self { all, bodies: BTreeMap::new(), scalars: BTreeMap::new(), slots: BTreeMap::new() }
    }

    pub(super) fn pass(mut self, gathered: &[(Function, &'a Gathering)]) -> Pass {
        let all = self.all;
        let mut closure = Closure::default();
        gathered.iter().for_each(|(_, gathering)| closure.add(all, gathering));
        closure.loops.insert(TOP);
        // A loop has a larger number than the one around it.
        self.bodies = closure.loops.iter().copied().zip(0..).collect();
        self.scalars = closure.scalars.iter().copied().zip(0..).collect();
        let mut tasks: Vec<Vec<(Row, Task<'a>)>> = Vec::new();
        tasks.resize_with(self.bodies.len(), Vec::new);
        for &row in &closure.rows {
            tasks[self.bodies[&all.loop_of_row(row)]].push((row, Task::Row(row)));
        }
        let last_row = |rows: Vec<Row>| rows.into_iter().max().unwrap_or(0);
        let ready = |scalar: Scalar| last_row(scalar_rows(&all.scalars()[scalar as usize]));
        for &scalar in &closure.scalars {
            let body = self.bodies[&all.loop_of_scalar(scalar)];
            tasks[body].push((ready(scalar), Task::Scalar(scalar)));
        }
        for (at, (_, gathering)) in gathered.iter().enumerate() {
            let factors = gathering.factors.iter().map(|&scalar| ready(scalar));
            let ready = factors.fold(last_row(place_rows(gathering.place)), Row::max);
            tasks[self.bodies[&gathering.inside]].push((ready, Task::Add(at, gathering)));
        }
        // Stable: numbers come as soon as their rows are there, and rows are soon read no more.
        tasks.iter_mut().for_each(|tasks| tasks.sort_by_key(|task| task.0));
        let mut inner = vec![Vec::new(); self.bodies.len()];
        for (&l, &body) in &self.bodies {
            if let Some((around, _)) = all.loops()[l as usize].domain {
                inner[self.bodies[&around]].push((l, body));
            }
        }
        let slots = self.assign_slots(&tasks, &inner);
        let mut bodies: Vec<Body> = Vec::new();
        for (at, tasks) in tasks.iter().enumerate() {
            let steps = tasks.iter().map(|task| self.step(&task.1)).collect();
            let inner = inner[at].iter().map(|inner| inner.1).collect();
            bodies.push(Body { domain: None, steps, inner });
        }
        for (&l, &body) in &self.bodies {
            let domain = all.loops()[l as usize].domain;
            bodies[body].domain = domain.map(|(_, row)| self.slots[&row]);
        }
        let reads = self.reads(&tasks);
        let gathered = gathered.iter().map(|(function, _)| *function).collect();
        Pass { bodies, slots, scalars: self.scalars.len(), gathered, reads }
    }

    /// What every step reads.
    fn reads(&self, tasks: &[Vec<(Row, Task<'a>)>]) -> Vec<Reads> {
        let all = self.all;
        let (mut row_at, mut scalar_at) = (BTreeMap::new(), BTreeMap::new());
        for (at, (_, task)) in tasks.iter().flatten().enumerate() {
            match task {
                Task::Row(row) => row_at.insert(*row, at as u32),
                Task::Scalar(scalar) => scalar_at.insert(*scalar, at as u32),
                Task::Add(..) => None,
            };
        }
        let rows = |rows: Vec<Row>| rows.into_iter().map(|row| row_at[&row]).collect::<Vec<u32>>();
        let mut found = Vec::new();
        for (&l, &body) in &self.bodies {
            let domain = all.loops()[l as usize].domain.map(|(_, row)| row_at[&row]);
            for (_, task) in &tasks[body] {
                let mut reads = Reads::default();
                match task {
                    Task::Row(row) => {
                        let form = &all.rows()[*row as usize];
                        reads.steps = rows(read_rows(form));
                        reads.functions.extend(all.triangles_of(*row));
                        match form {
                            RowForm::Edge { along, weight, .. } => {
                                reads.functions.extend([*along, *weight]);
                            }
                            RowForm::Step { along, .. } => reads.functions.push(*along),
                            RowForm::Join { steps, weight, .. } => {
                                reads.functions.push(*weight);
                                reads.functions.extend(steps.iter().map(|step| step.1));
                            }
                            RowForm::Reach { .. } => {}
                        }
                    }
                    Task::Scalar(scalar) => {
                        let form = &all.scalars()[*scalar as usize];
                        reads.steps = rows(scalar_rows(form));
                        if let ScalarForm::Across(_, along, _) = form {
                            reads.functions.push(*along);
                        }
                    }
                    Task::Add(_, gathering) => {
                        reads.is_add = true;
                        reads.steps = rows(place_rows(gathering.place));
                        reads.steps.extend(gathering.factors.iter().map(|f| scalar_at[f]));
                        reads.functions.extend(gathering.weights.iter().map(|w| w.1));
                        if let Place::Arcs(_, along, _) = gathering.place {
                            reads.functions.push(along);
                        }
                    }
                }
                reads.steps.extend(domain);
                found.push(reads);
            }
        }
        found
    }

    /// Gives every row a slot that no row has which is read later; the number of slots.
    fn assign_slots(
        &mut self,
        tasks: &[Vec<(Row, Task<'a>)>],
        inner: &[Vec<(Loop, usize)>],
    ) -> usize {
        // When each row is written, and when it is last read, in the order of the text.
        let mut timeline = Timeline::default();
        timeline.visit(self, tasks, inner, 0);
        let mut free: Vec<usize> = Vec::new();
        let mut slots = 0;
        let mut busy: Vec<(usize, usize)> = Vec::new();
        for (row, written) in timeline.written {
            busy.retain(|&(until, slot)| {
                let done = until < written;
                if done {
                    free.push(slot);
                }
                !done
            });
            let slot = free.pop().unwrap_or_else(|| {
                slots += 1;
                slots - 1
            });
            self.slots.insert(row, slot);
            busy.push((timeline.read.get(&row).copied().unwrap_or(written), slot));
        }
        slots
    }

    fn step(&self, task: &Task<'a>) -> Step {
        let all = self.all;
        let slot = |row: &Row| self.slots[row];
        let along = |function: Function| Along {
            forward: factor(function),
            back: factor(all.reversed(function)),
        };
        match task {
            Task::Row(row) => {
                let to = slot(row);
                match &all.rows()[*row as usize] {
                    RowForm::Edge { of, along, weight } => {
                        let (along, weight) = (factor(*along), factor(*weight));
                        Step::Edge { to, body: self.bodies[of], along, weight }
                    }
                    RowForm::Step { of, along: by } => {
                        Step::Walk { to, of: slot(of), along: along(*by) }
                    }
                    RowForm::Reach { of } => Step::Reach { to, of: slot(of) },
                    RowForm::Join { rows, steps, weight } => Step::Join {
                        to,
                        rows: rows.iter().map(slot).collect(),
                        steps: steps.iter().map(|(row, by)| (slot(row), along(*by))).collect(),
                        weight: factor(*weight),
                    },
                }
            }
            Task::Scalar(scalar) => {
                let to = self.scalars[scalar];
                match &all.scalars()[*scalar as usize] {
                    ScalarForm::Sum(row) => Step::Sum { to, row: slot(row) },
                    ScalarForm::Dot(one, other) => Step::Dot { to, rows: [slot(one), slot(other)] },
                    ScalarForm::Across(one, by, other) => {
                        Step::Across { to, rows: [slot(one), slot(other)], along: along(*by) }
                    }
                }
            }
            Task::Add(to, gathering) => Step::Add {
                to: *to,
                factors: gathering.factors.iter().map(|scalar| self.scalars[scalar]).collect(),
                weights: gathering.weights.iter().map(|&(l, f)| (self.bodies[&l], f)).collect(),
                at: match gathering.place {
                    Place::Vertex(l) => Target::Vertex(self.bodies[&l]),
                    Place::Arc(l, m) => Target::Arc(self.bodies[&l], self.bodies[&m]),
                    Place::Row(row) => Target::Row(slot(&row)),
                    Place::ArcsFrom(l, row) => Target::ArcsFrom(self.bodies[&l], slot(&row)),
                    Place::Arcs(one, by, other) => {
                        Target::Arcs([slot(&one), slot(&other)], factor(by))
                    }
                },
            },
        }
    }
}

fn scalar_rows(form: &ScalarForm) -> Vec<Row> {
    match *form {
        ScalarForm::Sum(row) => vec![row],
        ScalarForm::Dot(one, other) | ScalarForm::Across(one, _, other) => vec![one, other],
    }
}

/// The rows that a place reads.
fn place_rows(place: Place) -> Vec<Row> {
    match place {
        Place::Row(row) | Place::ArcsFrom(_, row) => vec![row],
        Place::Arcs(one, _, other) => vec![one, other],
        Place::Vertex(_) | Place::Arc(..) => Vec::new(),
    }
}

/// When rows are written and last read.
#[derive(Default)]
struct Timeline {
    now: usize,
    written: Vec<(Row, usize)>,
    read: BTreeMap<Row, usize>,
}

impl Timeline {
    fn visit(
        &mut self,
        compiler: &Compiler<'_>,
        tasks: &[Vec<(Row, Task<'_>)>],
        inner: &[Vec<(Loop, usize)>],
        body: usize,
    ) -> BTreeSet<Row> {
        let all = compiler.all;
        let mut touched = BTreeSet::new();
        for (_, task) in &tasks[body] {
            self.now += 1;
            let read = match task {
                Task::Row(row) => {
                    self.written.push((*row, self.now));
                    read_rows(&all.rows()[*row as usize])
                }
                Task::Scalar(scalar) => scalar_rows(&all.scalars()[*scalar as usize]),
                Task::Add(_, gathering) => place_rows(gathering.place),
            };
            for row in read {
                self.read.insert(row, self.now);
                touched.insert(row);
            }
        }
        for &(l, inner_body) in &inner[body] {
            let mut read = self.visit(compiler, tasks, inner, inner_body);
            self.now += 1;
            if let Some((_, row)) = all.loops()[l as usize].domain {
                read.insert(row);
            }
            // A loop runs many times: what it reads must last to its end.
            for &row in &read {
                self.read.insert(row, self.now);
            }
            touched.extend(read);
        }
        touched
    }
}
