//! Expressions in the order in which a graph works them out.
//!
//! Stage by stage: first the functions that need no loop, then all loops that need only these, in
//! one pass over the vertices, then the functions that need what the pass has gathered, and so on.
//! Hardly any pattern has a third stage. Rows of a pass share slots of memory once they are no
//! longer read.

use super::expression::{
    Expressions, Function, FunctionForm, Gathering, Loop, ONE, ONE_ARC, Place, Row, RowForm,
    Scalar, ScalarForm, TOP,
};
use super::lifetimes::Lifetimes;
use crate::graph::Graph;
use std::collections::{BTreeMap, BTreeSet};

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
        let gigabytes = self.bytes(graph, rayon::current_num_threads()) >> 30;
        (gigabytes >= MOST_GIGABYTES).then_some(gigabytes)
    }

    /// Bytes of what is kept at one time in a graph, in numbers of 64 bits, by so many threads.
    fn bytes(&self, graph: &Graph, threads: usize) -> u64 {
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
struct Closure {
    rows: BTreeSet<Row>,
    scalars: BTreeSet<Scalar>,
    loops: BTreeSet<Loop>,
}

impl Closure {
    fn of(expressions: &Expressions, gathering: &Gathering) -> Self {
        let mut found = Self::default();
        found.add(expressions, gathering);
        found
    }

    fn add(&mut self, all: &Expressions, gathering: &Gathering) {
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
fn read_rows(form: &RowForm) -> Vec<Row> {
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

fn factor(function: Function) -> Factor {
    (function != ONE && function != ONE_ARC).then_some(function)
}

/// Makes a pass.
struct Compiler<'a> {
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
    fn new(all: &'a Expressions) -> Self {
        Self { all, bodies: BTreeMap::new(), scalars: BTreeMap::new(), slots: BTreeMap::new() }
    }

    fn pass(mut self, gathered: &[(Function, &'a Gathering)]) -> Pass {
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
        let last_row = |rows: &[Row]| rows.iter().copied().max().unwrap_or(0);
        for &scalar in &closure.scalars {
            let ready = last_row(&scalar_rows(&all.scalars()[scalar as usize]));
            tasks[self.bodies[&all.loop_of_scalar(scalar)]].push((ready, Task::Scalar(scalar)));
        }
        for (at, (_, gathering)) in gathered.iter().enumerate() {
            tasks[self.bodies[&gathering.inside]].push((Row::MAX, Task::Add(at, gathering)));
        }
        // Stable: a number comes as soon as its rows are there.
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
