//! Numbers of maps as expressions: functions of a vertex or of an arc, and loops over vertices.
//!
//! A *function* gives every vertex, or every arc, of the graph a number: how many maps of some
//! rooted pattern send its root there. Leaves become sums over neighbours, ears of a triangle sums
//! over triangles. What is left of a pattern then is counted by a *loop* over the images x of one
//! of its vertices, inside which every other vertex is a *row*: a number for every vertex y that
//! can be reached from x. Loops nest where one vertex does not cut all cycles.
//!
//! Equal expressions are one: whatever several patterns, roots or quotients have in common is
//! worked out once a graph. Expressions do not depend on the graph.

use std::collections::HashMap;
use std::hash::Hash;

/// A function of a vertex or an arc.
pub(super) type Function = u32;
/// A row of numbers inside a loop.
pub(super) type Row = u32;
/// A number inside a loop.
pub(super) type Scalar = u32;
/// A loop over vertices.
pub(super) type Loop = u32;

/// 1 at every vertex.
pub(super) const ONE: Function = 0;
/// 1 at every arc.
pub(super) const ONE_ARC: Function = 1;
/// The loop over all vertices.
pub(super) const TOP: Loop = 0;

/// Triangles on an arc.
const PLAIN_TRIANGLES: FunctionForm =
    FunctionForm::Triangle { first: ONE_ARC, middle: ONE, second: ONE_ARC };

/// How a function follows from others. Of an arc u → v its numbers are those at (u, v).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum FunctionForm {
    OneVertex,
    OneArc,
    /// 1 where the vertex has the label.
    VertexLabel(u32),
    /// 1 where the graph has the arc u → v with the label.
    ArcLabel(u32),
    /// 1 where the graph has the arc u → v; it may have v → u alone.
    Forward,
    /// Of several functions, all of vertices or all of arcs.
    Product(Vec<Function>),
    /// Σ over the neighbours w of v: along(v, w) · of(w).
    NeighborSum {
        of: Function,
        along: Function,
    },
    /// The function of a vertex, at the first end of an arc.
    Source(Function),
    /// The function of an arc, at the arc back.
    Reverse(Function),
    /// Σ over the common neighbours z of u and v: first(u, z) · middle(z) · second(z, v).
    Triangle {
        first: Function,
        middle: Function,
        second: Function,
    },
    /// What a loop puts at a place.
    Gathered(Gathering),
}

/// How a row follows from others.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum RowForm {
    /// along(x, y) · weight(y) at the neighbours y of the loop's vertex x.
    Edge { of: Loop, along: Function, weight: Function },
    /// Σ over the neighbours z of y: of(z) · along(z, y).
    Step { of: Row, along: Function },
    /// weight(y) · the product of the rows and of the steps from others.
    Join { rows: Vec<Row>, steps: Vec<(Row, Function)>, weight: Function },
    /// 1 at the neighbours of the row's vertices.
    Reach { of: Row },
}

/// How a number follows from rows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum ScalarForm {
    /// Σ over y: row(y).
    Sum(Row),
    /// Σ over y: one(y) · other(y).
    Dot(Row, Row),
    /// Σ over arcs y → z: one(y) · along(y, z) · other(z).
    Across(Row, Function, Row),
}

/// A loop over the vertices of a row of the loop around it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct LoopForm {
    /// The loop around it and the row; all vertices when there is none.
    pub(super) domain: Option<(Loop, Row)>,
    pub(super) depth: usize,
}

/// What the innermost of some loops adds where, for every choice of their vertices.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Gathering {
    pub(super) inside: Loop,
    /// Numbers that are multiplied.
    pub(super) factors: Vec<Scalar>,
    /// Functions at the vertices of loops that are multiplied.
    pub(super) weights: Vec<(Loop, Function)>,
    pub(super) place: Place,
}

/// Where a loop adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Place {
    /// To a loop's vertex.
    Vertex(Loop),
    /// To the arc between two loops' vertices.
    Arc(Loop, Loop),
    /// To every vertex of a row, times its number there.
    Row(Row),
    /// To every arc x → y from a loop's vertex, times the row's number at y.
    ArcsFrom(Loop, Row),
    /// To every arc y → z: one(y) · along(y, z) · other(z).
    Arcs(Row, Function, Row),
}

impl Place {
    /// Whether it makes a function of arcs.
    pub(super) fn is_arc(self) -> bool {
        !matches!(self, Self::Vertex(_) | Self::Row(_))
    }
}

/// Things that are told apart by their form, numbered in the order they come.
#[derive(Clone, Debug)]
struct Distinct<F> {
    forms: Vec<F>,
    index: HashMap<F, u32>,
}

impl<F: Clone + Eq + Hash> Distinct<F> {
    fn new() -> Self {
        Self { forms: Vec::new(), index: HashMap::new() }
    }

    fn add(&mut self, form: F) -> u32 {
        if let Some(&known) = self.index.get(&form) {
            return known;
        }
        let new = self.forms.len() as u32;
        self.index.insert(form.clone(), new);
        self.forms.push(form);
        new
    }
}

/// All expressions of a kernel. Whatever an expression is made of has a smaller number.
#[derive(Clone, Debug)]
pub(super) struct Expressions {
    functions: Distinct<FunctionForm>,
    rows: Distinct<RowForm>,
    scalars: Distinct<ScalarForm>,
    loops: Distinct<LoopForm>,
    /// Whether the two arcs of an edge may differ.
    directed: bool,
}

impl Expressions {
    pub(super) fn new(directed: bool) -> Self {
        let mut new = Self {
            functions: Distinct::new(),
            rows: Distinct::new(),
            scalars: Distinct::new(),
            loops: Distinct::new(),
            directed,
        };
        new.functions.add(FunctionForm::OneVertex);
        new.functions.add(FunctionForm::OneArc);
        new.loops.add(LoopForm { domain: None, depth: 0 });
        new
    }

    pub(super) fn functions(&self) -> &[FunctionForm] {
        &self.functions.forms
    }

    pub(super) fn rows(&self) -> &[RowForm] {
        &self.rows.forms
    }

    pub(super) fn scalars(&self) -> &[ScalarForm] {
        &self.scalars.forms
    }

    pub(super) fn loops(&self) -> &[LoopForm] {
        &self.loops.forms
    }

    pub(super) fn form(&self, function: Function) -> &FunctionForm {
        &self.functions.forms[function as usize]
    }

    /// Whether a function is one of arcs.
    pub(super) fn is_arc(&self, function: Function) -> bool {
        match self.form(function) {
            FunctionForm::OneVertex
            | FunctionForm::VertexLabel(_)
            | FunctionForm::NeighborSum { .. } => false,
            FunctionForm::OneArc
            | FunctionForm::ArcLabel(_)
            | FunctionForm::Forward
            | FunctionForm::Source(_)
            | FunctionForm::Reverse(_)
            | FunctionForm::Triangle { .. } => true,
            FunctionForm::Product(factors) => self.is_arc(factors[0]),
            FunctionForm::Gathered(gathering) => gathering.place.is_arc(),
        }
    }

    /// Whether a function is a sum over triangles.
    pub(super) fn is_triangle(&self, function: Function) -> bool {
        matches!(self.form(function), FunctionForm::Triangle { .. })
    }

    pub(super) fn add(&mut self, form: FunctionForm) -> Function {
        self.functions.add(form)
    }

    /// The product of functions of vertices.
    pub(super) fn vertex_product(
        &mut self,
        factors: impl IntoIterator<Item = Function>,
    ) -> Function {
        self.product(ONE, factors)
    }

    /// The product of functions of arcs.
    pub(super) fn arc_product(&mut self, factors: impl IntoIterator<Item = Function>) -> Function {
        self.product(ONE_ARC, factors)
    }

    fn product(&mut self, one: Function, factors: impl IntoIterator<Item = Function>) -> Function {
        let mut all = Vec::new();
        for factor in factors {
            match self.form(factor) {
                FunctionForm::Product(inner) => all.extend_from_slice(inner),
                _ if factor == one => {}
                _ => all.push(factor),
            }
        }
        all.sort_unstable();
        match all[..] {
            [] => one,
            [only] => only,
            _ => self.add(FunctionForm::Product(all)),
        }
    }

    /// The function of an arc at the arc back.
    pub(super) fn reverse(&mut self, function: Function) -> Function {
        match self.form(function).clone() {
            FunctionForm::OneArc => function,
            FunctionForm::ArcLabel(_) if !self.directed => function,
            FunctionForm::Reverse(of) => of,
            FunctionForm::Product(factors) => {
                let reversed: Vec<_> = factors.iter().map(|&f| self.reverse(f)).collect();
                self.arc_product(reversed)
            }
            FunctionForm::Triangle { first, middle, second } => {
                let (first, second) = (self.reverse(second), self.reverse(first));
                self.add(FunctionForm::Triangle { first, middle, second })
            }
            _ => self.add(FunctionForm::Reverse(function)),
        }
    }

    /// The reverse of a function, which must have been asked for before.
    pub(super) fn reversed(&self, function: Function) -> Function {
        match self.form(function) {
            FunctionForm::OneArc => function,
            FunctionForm::ArcLabel(_) if !self.directed => function,
            FunctionForm::Reverse(of) => *of,
            FunctionForm::Product(factors) => {
                let mut reversed: Vec<_> = factors.iter().map(|&f| self.reversed(f)).collect();
                reversed.sort_unstable();
                self.known(&FunctionForm::Product(reversed))
            }
            FunctionForm::Triangle { first, middle, second } => {
                let (first, second) = (self.reversed(*second), self.reversed(*first));
                self.known(&FunctionForm::Triangle { first, middle: *middle, second })
            }
            _ => self.known(&FunctionForm::Reverse(function)),
        }
    }

    fn known(&self, form: &FunctionForm) -> Function {
        self.functions.index[form]
    }

    /// The loop of a row.
    pub(super) fn loop_of_row(&self, row: Row) -> Loop {
        let deepest = |rows: &mut dyn Iterator<Item = Row>| {
            let loops = rows.map(|row| self.loop_of_row(row));
            loops.max_by_key(|&l| self.loops.forms[l as usize].depth).unwrap_or(TOP)
        };
        match &self.rows.forms[row as usize] {
            RowForm::Edge { of, .. } => *of,
            RowForm::Step { of, .. } | RowForm::Reach { of } => self.loop_of_row(*of),
            RowForm::Join { rows, steps, .. } => {
                deepest(&mut rows.iter().copied().chain(steps.iter().map(|step| step.0)))
            }
        }
    }

    /// The loop of a number.
    pub(super) fn loop_of_scalar(&self, scalar: Scalar) -> Loop {
        let (one, other) = match self.scalars.forms[scalar as usize] {
            ScalarForm::Sum(row) => (row, row),
            ScalarForm::Dot(one, other) | ScalarForm::Across(one, _, other) => (one, other),
        };
        let (one, other) = (self.loop_of_row(one), self.loop_of_row(other));
        let depth = |l: Loop| self.loops.forms[l as usize].depth;
        if depth(one) >= depth(other) { one } else { other }
    }

    pub(super) fn row(&mut self, mut form: RowForm) -> Row {
        if let RowForm::Join { rows, steps, weight } = &mut form {
            rows.sort_unstable();
            steps.sort_unstable();
            if let ([only], [], &mut ONE) = (&rows[..], &steps[..], weight) {
                return *only;
            }
        }
        if self.is_in_triangle(&form) {
            self.add(PLAIN_TRIANGLES);
        }
        self.rows.add(form)
    }

    /// The number of triangles on an arc, if a row has no vertices where no arc is on any: it
    /// holds common neighbours of two loops' vertices that are adjacent.
    pub(super) fn triangles_of(&self, row: Row) -> Option<Function> {
        let form = &self.rows.forms[row as usize];
        self.is_in_triangle(form).then(|| self.known(&PLAIN_TRIANGLES))
    }

    fn is_in_triangle(&self, form: &RowForm) -> bool {
        let loops = self.loops_beside(form);
        loops.iter().any(|&inner| {
            let domain = self.loops.forms[inner as usize].domain;
            domain.is_some_and(|(_, row)| {
                let around = self.loops_beside(&self.rows.forms[row as usize]);
                around.iter().any(|other| loops.contains(other))
            })
        })
    }

    /// The loops whose vertices are next to every vertex of a row.
    fn loops_beside(&self, form: &RowForm) -> Vec<Loop> {
        match form {
            RowForm::Edge { of, .. } => vec![*of],
            RowForm::Join { rows, .. } => {
                let edge = |&row: &Row| match self.rows.forms[row as usize] {
                    RowForm::Edge { of, .. } => Some(of),
                    _ => None,
                };
                rows.iter().filter_map(edge).collect()
            }
            RowForm::Step { .. } | RowForm::Reach { .. } => Vec::new(),
        }
    }

    pub(super) fn scalar(&mut self, form: ScalarForm) -> Scalar {
        let form = match form {
            ScalarForm::Dot(one, other) if one > other => ScalarForm::Dot(other, one),
            ScalarForm::Across(one, along, other) if one > other => {
                ScalarForm::Across(other, self.reverse(along), one)
            }
            form => form,
        };
        self.scalars.add(form)
    }

    /// The loop over the vertices of a row.
    pub(super) fn nested(&mut self, parent: Loop, row: Row) -> Loop {
        let depth = self.loops.forms[parent as usize].depth + 1;
        self.loops.add(LoopForm { domain: Some((parent, row)), depth })
    }

    pub(super) fn gathered(&mut self, mut gathering: Gathering) -> Function {
        gathering.factors.sort_unstable();
        gathering.weights.retain(|&(_, weight)| weight != ONE);
        gathering.weights.sort_unstable();
        self.add(FunctionForm::Gathered(gathering))
    }
}
