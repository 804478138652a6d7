//! Expressions in the order in which a graph works them out.
//!
//! Stage by stage: first the functions that need no loop, then all loops that need only these, in
//! one pass over the vertices, then the functions that need what the pass has gathered, and so on.
//! Hardly any pattern has a third stage. `compile.rs` makes the passes.

use super::compile::Compiler;
use super::expression::{
    Expressions, Function, FunctionForm, Gathering, Loop, ONE, ONE_ARC, Place, Row, RowForm,
    Scalar, ScalarForm,
};
use super::lifetimes::Lifetimes;
use crate::graph::Graph;
use crate::threads;
use std::collections::BTreeSet;

/// Memory for the functions and rows of one graph from which on nothing is tried.
const MOST_GIGABYTES: u64 = 8;

/// All stages, and what they need.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) expressions: Expressions,
    pub(super) stages: Vec<Stage>,
    /// Whether anything reads numbers at the arcs back.
    pub(super) needs_reverse: bool,
    /// How long functions are kept.
    pub(super) lifetimes: Lifetimes,
}

/// Functions, then a pass over the vertices.
#[derive(Clone, Debug, Default)]
pub(super) struct Stage {
    pub(super) functions: Vec<Function>,
    pub(super) pass: Option<Pass>,
}

/// Loops that run together.
#[derive(Clone, Debug, Default)]
pub(super) struct Pass {
    /// The loop over all vertices first, others behind the loop around them.
    pub(super) bodies: Vec<Body>,
    pub(super) slots: usize,
    pub(super) scalars: usize,
    /// The functions that are gathered, in the order of [`Step::Add`].
    pub(super) gathered: Vec<Function>,
    /// What every step reads, in the order of bodies and steps; what it reads comes before it.
    pub(super) reads: Vec<Reads>,
}

/// What a step reads: it does nothing where any of this is zero.
#[derive(Clone, Debug, Default)]
pub(super) struct Reads {
    pub(super) functions: Vec<Function>,
    /// Steps, by their position in [`Pass::reads`].
    pub(super) steps: Vec<u32>,
    pub(super) is_add: bool,
}

/// One loop.
#[derive(Clone, Debug, Default)]
pub(super) struct Body {
    /// Slot of the row whose vertices it runs over; all vertices when there is none.
    pub(super) domain: Option<usize>,
    pub(super) steps: Vec<Step>,
    pub(super) inner: Vec<usize>,
}

/// A function that may be 1 everywhere.
pub(super) type Factor = Option<Function>;

/// What a loop does for each of its vertices.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Edge { to: usize, body: usize, along: Factor, weight: Factor },
    Walk { to: usize, of: usize, along: Along },
    Join { to: usize, rows: Vec<usize>, steps: Vec<(usize, Along)>, weight: Factor },
    Reach { to: usize, of: usize },
    Sum { to: usize, row: usize },
    Dot { to: usize, rows: [usize; 2] },
    Across { to: usize, rows: [usize; 2], along: Along },
    Add { to: usize, factors: Vec<usize>, weights: Vec<(usize, Function)>, at: Target },
}

/// A function of arcs and its reverse.
#[derive(Clone, Copy, Debug)]
pub(super) struct Along {
    pub(super) forward: Factor,
    pub(super) back: Factor,
}

/// [`Place`] with bodies and slots.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target {
    Vertex(usize),
    Arc(usize, usize),
    Row(usize),
    ArcsFrom(usize, usize),
    Arcs([usize; 2], Factor),
}

impl Program {
    /// What it takes to work out these functions.
    pub(super) fn new(mut expressions: Expressions, wanted: &[Function]) -> Self {
        add_reverses(&mut expressions);
        let stage_of = stages(&expressions);
        let needed = needed(&expressions, wanted);
        let last = needed.iter().map(|&f| stage_of[f as usize]).max().unwrap_or(0);
        let mut stages = vec![Stage::default(); last + 1];
        let mut gathered: Vec<Vec<(Function, &Gathering)>> = vec![Vec::new(); last + 1];
        let mut needs_reverse = false;
        for &function in needed.iter().filter(|&&f| f != ONE && f != ONE_ARC) {
            let stage = stage_of[function as usize];
            match expressions.form(function) {
                FunctionForm::Gathered(gathering) => {
                    needs_reverse |= matches!(gathering.place, Place::Arc(..));
                    gathered[stage - 1].push((function, gathering));
                    continue;
                }
                FunctionForm::Reverse(_) | FunctionForm::Triangle { .. } => needs_reverse = true,
                _ => {}
            }
            stages[stage].functions.push(function);
        }
        for (stage, gathered) in stages.iter_mut().zip(gathered) {
            if !gathered.is_empty() {
                stage.pass = Some(Compiler::new(&expressions).pass(&gathered));
            }
        }
        let lifetimes = Lifetimes::new(&expressions, &stages, wanted);
        Self { expressions, stages, needs_reverse, lifetimes }
    }
}

impl Program {
    /// Gigabytes that it takes in a graph, if these are more than it may take.
    pub(super) fn excessive_memory(&self, graph: &Graph) -> Option<u64> {
        let gigabytes = self.bytes(graph, threads::number()) >> 30;
        (gigabytes >= MOST_GIGABYTES).then_some(gigabytes)
    }

    /// Bytes of what is kept at one time in a graph, in numbers of 64 bits, by so many threads.
    pub(super) fn bytes(&self, graph: &Graph, threads: usize) -> u64 {
        let (vertices, arcs) = (graph.order() as u64, graph.arc_count() as u64);
        // In a directed graph the arcs of the other direction are there as well.
        let arcs = if graph.is_directed() { 2 * arcs } else { arcs };
        let (of_vertices, of_arcs) = self.lifetimes.kept;
        let slots = self.stages.iter().flat_map(|stage| &stage.pass).map(|pass| pass.slots).max();
        // A row has a number for every vertex and a list of those where it is not zero.
        let rows = threads as u64 * slots.unwrap_or(0) as u64 * vertices * 12;
        let graph = 4 * (2 * vertices + if self.needs_reverse { 2 } else { 1 } * arcs);
        graph + rows + 8 * (of_vertices as u64 * vertices + of_arcs as u64 * arcs)
    }

    /// The rows and numbers that a pass works out.
    pub(super) fn rows_and_scalars(&self, pass: &Pass) -> (BTreeSet<Row>, BTreeSet<Scalar>) {
        let mut closure = Closure::default();
        for &function in &pass.gathered {
            if let FunctionForm::Gathered(gathering) = self.expressions.form(function) {
                closure.add(&self.expressions, gathering);
            }
        }
        (closure.rows, closure.scalars)
    }
}

/// Makes sure that the reverse of every function is there that rows read along arcs.
fn add_reverses(expressions: &mut Expressions) {
    let mut read = BTreeSet::new();
    for row in expressions.rows() {
        match row {
            RowForm::Step { along, .. } => {
                read.insert(*along);
            }
            RowForm::Join { steps, .. } => read.extend(steps.iter().map(|step| step.1)),
            _ => {}
        }
    }
    for scalar in expressions.scalars() {
        if let ScalarForm::Across(_, along, _) = scalar {
            read.insert(*along);
        }
    }
    for along in read {
        expressions.reverse(along);
    }
}

/// The functions that one is made of, those in its loops included.
pub(super) fn parts(expressions: &Expressions, function: Function) -> BTreeSet<Function> {
    let mut found = BTreeSet::new();
    match expressions.form(function) {
        FunctionForm::Product(factors) => found.extend(factors.iter().copied()),
        FunctionForm::NeighborSum { of, along } => found.extend([*of, *along]),
        FunctionForm::Source(of) | FunctionForm::Reverse(of) => {
            found.insert(*of);
        }
        FunctionForm::Triangle { first, middle, second } => {
            found.extend([*first, *middle, *second]);
        }
        FunctionForm::Gathered(gathering) => {
            let closure = Closure::of(expressions, gathering);
            for &row in &closure.rows {
                found.extend(expressions.triangles_of(row));
                match &expressions.rows()[row as usize] {
                    RowForm::Edge { along, weight, .. } => found.extend([*along, *weight]),
                    RowForm::Step { along, .. } => {
                        found.extend([*along, expressions.reversed(*along)]);
                    }
                    RowForm::Join { steps, weight, .. } => {
                        found.insert(*weight);
                        for step in steps {
                            found.extend([step.1, expressions.reversed(step.1)]);
                        }
                    }
                    RowForm::Reach { .. } => {}
                }
            }
            for &scalar in &closure.scalars {
                if let ScalarForm::Across(_, along, _) = expressions.scalars()[scalar as usize] {
                    found.extend([along, expressions.reversed(along)]);
                }
            }
            if let Place::Arcs(_, along, _) = gathering.place {
                found.insert(along);
            }
            found.extend(gathering.weights.iter().map(|weight| weight.1));
        }
        _ => {}
    }
    found
}

/// Everything in the loops that a gathering needs.
#[derive(Default)]
pub(super) struct Closure {
    pub(super) rows: BTreeSet<Row>,
    pub(super) scalars: BTreeSet<Scalar>,
    pub(super) loops: BTreeSet<Loop>,
}

impl Closure {
    fn of(expressions: &Expressions, gathering: &Gathering) -> Self {
        let mut found = Self::default();
        found.add(expressions, gathering);
        found
    }

    pub(super) fn add(&mut self, all: &Expressions, gathering: &Gathering) {
        let mut inside = gathering.inside;
        self.loops.insert(inside);
        while let Some((around, row)) = all.loops()[inside as usize].domain {
            self.row(all, row);
            self.loops.insert(around);
            inside = around;
        }
        for &scalar in &gathering.factors {
            self.scalars.insert(scalar);
            match all.scalars()[scalar as usize] {
                ScalarForm::Sum(row) => self.row(all, row),
                ScalarForm::Dot(one, other) | ScalarForm::Across(one, _, other) => {
                    self.row(all, one);
                    self.row(all, other);
                }
            }
        }
        match gathering.place {
            Place::Row(row) | Place::ArcsFrom(_, row) => self.row(all, row),
            Place::Arcs(one, _, other) => {
                self.row(all, one);
                self.row(all, other);
            }
            Place::Vertex(_) | Place::Arc(..) => {}
        }
    }

    fn row(&mut self, all: &Expressions, row: Row) {
        if self.rows.insert(row) {
            read_rows(&all.rows()[row as usize]).into_iter().for_each(|row| self.row(all, row));
        }
    }
}

/// The rows that one is made of.
pub(super) fn read_rows(form: &RowForm) -> Vec<Row> {
    match form {
        RowForm::Edge { .. } => Vec::new(),
        RowForm::Step { of, .. } | RowForm::Reach { of } => vec![*of],
        RowForm::Join { rows, steps, .. } => {
            rows.iter().copied().chain(steps.iter().map(|step| step.0)).collect()
        }
    }
}

/// The stage of every function: one behind the last of those that its loops read.
fn stages(expressions: &Expressions) -> Vec<usize> {
    let count = expressions.functions().len();
    let mut stage = vec![usize::MAX; count];
    // Reverses of what loops read may come behind the loops.
    fn find(expressions: &Expressions, function: Function, stage: &mut [usize]) -> usize {
        if stage[function as usize] != usize::MAX {
            return stage[function as usize];
        }
        let parts = parts(expressions, function);
        let before = parts.into_iter().map(|part| find(expressions, part, stage)).max();
        let loops = matches!(expressions.form(function), FunctionForm::Gathered(_));
        stage[function as usize] = before.unwrap_or(0) + usize::from(loops);
        stage[function as usize]
    }
    for function in 0..count {
        find(expressions, function as Function, &mut stage);
    }
    stage
}

/// The wanted functions and all that they are made of, in order.
fn needed(expressions: &Expressions, wanted: &[Function]) -> BTreeSet<Function> {
    let mut needed = BTreeSet::new();
    let mut open: Vec<Function> = wanted.to_vec();
    while let Some(function) = open.pop() {
        if needed.insert(function) {
            open.extend(parts(expressions, function));
        }
    }
    needed
}
