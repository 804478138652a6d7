//! A pattern that is being taken apart: what is left of it, with the functions that stand for what
//! was folded into its vertices and arcs.

use super::expression::{Expressions, Function, FunctionForm, ONE, ONE_ARC};
use crate::pattern::{Pattern, bits};

/// Where a pattern is rooted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Root {
    Vertex(usize),
    Arc(usize, usize),
}

impl Root {
    /// The vertices of the root.
    pub(super) fn set(self) -> u64 {
        match self {
            Self::Vertex(r) => 1 << r,
            Self::Arc(r, s) => 1 << r | 1 << s,
        }
    }
}

/// What is left of a pattern.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    /// The vertices that are left.
    pub(super) alive: u64,
    /// Neighbours of each vertex, in either direction.
    rows: Vec<u64>,
    /// Function of each vertex.
    weights: Vec<Function>,
    /// Function of the arc a → b at `a * order + b`.
    arcs: Vec<Function>,
}

impl Shape {
    /// The whole pattern.
    pub(super) fn of(pattern: &Pattern, expressions: &mut Expressions) -> Self {
        let n = pattern.order();
        let label = |v: usize, expressions: &mut Expressions| match pattern.vertex_label(v) {
            None => ONE,
            Some(label) => expressions.add(FunctionForm::VertexLabel(label)),
        };
        let mut shape = Self {
            alive: u64::MAX >> (64 - n),
            rows: (0..n).map(|v| pattern.neighbor_set(v)).collect(),
            weights: (0..n).map(|v| label(v, expressions)).collect(),
            arcs: vec![ONE_ARC; n * n],
        };
        for (a, b) in pattern.arcs().filter(|&(a, b)| pattern.is_directed() || a < b) {
            let function = match pattern.arc_label(a, b) {
                Some(label) => expressions.add(FunctionForm::ArcLabel(label)),
                None if pattern.is_directed() => expressions.add(FunctionForm::Forward),
                None => continue,
            };
            shape.multiply_arc(a, b, function, expressions);
        }
        shape
    }

    /// An undirected pattern without labels.
    pub(super) fn plain(rows: &[u64]) -> Self {
        let n = rows.len();
        Self {
            alive: u64::MAX >> (64 - n),
            rows: rows.to_vec(),
            weights: vec![ONE; n],
            arcs: vec![ONE_ARC; n * n],
        }
    }

    pub(super) fn order(&self) -> usize {
        self.rows.len()
    }

    /// Neighbours of `v` that are left.
    pub(super) fn around(&self, v: usize) -> u64 {
        self.rows[v] & self.alive
    }

    pub(super) fn weight(&self, v: usize) -> Function {
        self.weights[v]
    }

    pub(super) fn arc(&self, a: usize, b: usize) -> Function {
        self.arcs[a * self.order() + b]
    }

    pub(super) fn multiply_weight(&mut self, v: usize, by: Function, all: &mut Expressions) {
        self.weights[v] = all.vertex_product([self.weights[v], by]);
    }

    /// Multiplies the function of the arc a → b, and that of the arc back accordingly.
    pub(super) fn multiply_arc(&mut self, a: usize, b: usize, by: Function, all: &mut Expressions) {
        let n = self.order();
        let forward = all.arc_product([self.arcs[a * n + b], by]);
        self.arcs[a * n + b] = forward;
        self.arcs[b * n + a] = all.reverse(forward);
    }

    /// The part on these vertices, with nothing folded into the root and its arc.
    pub(super) fn part(&self, vertices: u64, root: Root) -> Self {
        let mut part = self.clone();
        part.alive = vertices;
        let n = part.order();
        for v in bits(root.set()) {
            part.weights[v] = ONE;
        }
        if let Root::Arc(a, b) = root {
            part.arcs[a * n + b] = ONE_ARC;
            part.arcs[b * n + a] = ONE_ARC;
        }
        part
    }

    /// The connected parts of some vertices.
    pub(super) fn components(&self, mut vertices: u64) -> Vec<u64> {
        let mut found = Vec::new();
        while vertices != 0 {
            let mut reached = vertices & vertices.wrapping_neg();
            loop {
                let wider = bits(reached).fold(reached, |set, v| set | self.rows[v]) & vertices;
                if wider == reached {
                    break;
                }
                reached = wider;
            }
            found.push(reached);
            vertices &= !reached;
        }
        found
    }

    /// Whether no cycle is left on these vertices.
    pub(super) fn is_forest(&self, vertices: u64) -> bool {
        let ends: u32 = bits(vertices).map(|v| (self.rows[v] & vertices).count_ones()).sum();
        ends as usize / 2 + self.components(vertices).len() == vertices.count_ones() as usize
    }
}
