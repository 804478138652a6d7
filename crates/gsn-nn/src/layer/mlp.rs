//! MLP = Linear, BatchNorm, ReLU, Linear (SPEC §3), of any depth, over vertices, graphs or arcs.
//!
//! The first Linear reads a list of blocks, so `[h_v, h_u, x_v, x_u, e_uv]` in a layer is written
//! as in the paper and never concatenated. Over arcs it is split into products per vertex and per
//! arc category; with the standard depth the rest of the message is the fused operation.

use super::encoder::Encoded;
use super::{Affine, Block, Inner};
use crate::params::{Init, NormIds, ParamId, Params};
use crate::scalar::Scalar;
use crate::tape::elementwise::Activation;
use crate::tape::message::Parts;
use crate::tape::{Tape, Var};

/// y = W x + b
#[derive(Debug, Clone)]
pub(crate) struct Linear {
    pub(crate) name: String,
    pub(crate) weight: ParamId,
    pub(crate) bias: ParamId,
}

impl Linear {
    /// With PyTorch's start: weights and bias uniform within ±1/√inputs.
    pub(crate) fn new<T: Scalar>(
        p: &mut Params<T>,
        name: &str,
        inputs: usize,
        outputs: usize,
    ) -> Self {
        let start = Init::Uniform(1.0 / (inputs.max(1) as f64).sqrt());
        Self::starting(p, name, (inputs, outputs), start, start)
    }

    /// With another start.
    pub(crate) fn starting<T: Scalar>(
        p: &mut Params<T>,
        name: &str,
        (inputs, outputs): (usize, usize),
        weight: Init,
        bias: Init,
    ) -> Self {
        let weight = p.add(format!("{name}.weight"), &[outputs, inputs], weight);
        let bias = p.add(format!("{name}.bias"), &[outputs], bias);
        Self { name: name.to_string(), weight, bias }
    }

    /// W·[blocks] + b.
    pub(crate) fn forward<'a, T: Scalar>(
        &self,
        tape: &mut Tape<'a, T>,
        rows: usize,
        blocks: &[Block<'a>],
    ) -> Var {
        self.forward_then(tape, rows, blocks, &After::nothing())
    }

    /// The same and what follows it; without training in one pass.
    pub(crate) fn forward_then<'a, T: Scalar>(
        &self,
        tape: &mut Tape<'a, T>,
        rows: usize,
        blocks: &[Block<'a>],
        after: &After<'_>,
    ) -> Var {
        let mut at = 0;
        let blocks = blocks
            .iter()
            .map(|b| {
                at += b.width(tape);
                (at - b.width(tape), b.clone())
            })
            .collect();
        let op = Affine { weight: self.weight, bias: Some(self.bias), bias_scale: None, blocks };
        if tape.evaluates() {
            return tape.affine_then(rows, op, after.norm.map(|n| n.0), after.activation);
        }
        let y = tape.affine(rows, op);
        tape.mark(|| self.name.clone(), y);
        after.forward(tape, y)
    }

    /// Σ over the arcs into each vertex of (W y + b) = W Σy + degree·b, left to the Linear that
    /// reads it where that is cheaper. An evaluation never asks how many rows there are: a graph's
    /// prediction must not depend on the others of its batch.
    fn after_sum<'a, T: Scalar>(&self, tape: &mut Tape<'a, T>, sum: Var) -> Block<'a> {
        if !tape.training || tape.batch.vertices >= self.weight.rows {
            return Block::Inner(Inner { s: sum, weight: self.weight, bias: self.bias });
        }
        let op = Affine {
            weight: self.weight,
            bias: Some(self.bias),
            bias_scale: Some(&tape.batch.in_degree),
            blocks: vec![(0, Block::Dense(sum))],
        };
        Block::Dense(tape.affine(tape.batch.vertices, op))
    }
}

/// What follows a Linear: BatchNorm, then the activation.
#[derive(Clone, Copy)]
pub(crate) struct After<'n> {
    /// A trace calls the value in front of it so.
    pub(crate) of: Option<&'n dyn Fn() -> String>,
    /// With its name.
    pub(crate) norm: Option<(NormIds, &'n dyn Fn() -> String)>,
    pub(crate) activation: Activation,
}

impl After<'_> {
    fn nothing() -> Self {
        Self { of: None, norm: None, activation: Activation::Identity }
    }

    /// activation(BN(x))
    pub(crate) fn forward<T: Scalar>(&self, tape: &mut Tape<'_, T>, x: Var) -> Var {
        if let Some(of) = self.of {
            tape.mark(of, x);
        }
        match self.norm {
            Some((ids, name)) => norm_then(tape, name, x, ids, self.activation),
            None => tape.activate(x, self.activation),
        }
    }
}

/// One block of the input of an MLP over arcs u→v.
#[derive(Debug, Clone)]
pub(crate) enum Place<'a> {
    /// A row of the target v.
    Centre(Block<'a>),
    /// A row of the source u.
    Neighbour(Block<'a>),
    /// A row of the arc.
    Arc(Encoded<'a>),
}

/// See the module documentation.
#[derive(Debug, Clone)]
pub(crate) struct Mlp {
    name: String,
    linears: Vec<Linear>,
    norms: Vec<Option<NormIds>>,
    activation: Activation,
}

impl Mlp {
    /// Widths from input over hidden ones to output; parameters `{name}.fc.i`, `{name}.bn.i`.
    pub(crate) fn new<T: Scalar>(
        p: &mut Params<T>,
        name: &str,
        (inputs, hidden, outputs): (usize, &[usize], usize),
        norm: bool,
        activation: Activation,
    ) -> Self {
        let mut widths = vec![inputs];
        widths.extend_from_slice(hidden);
        widths.push(outputs);
        let linears = widths
            .windows(2)
            .enumerate()
            .map(|(i, w)| Linear::new(p, &format!("{name}.fc.{i}"), w[0], w[1]))
            .collect();
        let norms = hidden
            .iter()
            .enumerate()
            .map(|(i, &w)| norm.then(|| p.add_norm(&format!("{name}.bn.{i}"), w)))
            .collect();
        Self { name: name.to_string(), linears, norms, activation }
    }

    /// The first Linear, for layers that apply it themselves.
    pub(crate) fn first(&self) -> &Linear {
        &self.linears[0]
    }

    /// MLP([blocks]) for `rows` rows.
    pub(crate) fn forward<'a, T: Scalar>(
        &self,
        tape: &mut Tape<'a, T>,
        rows: usize,
        blocks: &[Block<'a>],
    ) -> Var {
        self.forward_then(tape, rows, blocks, &After::nothing())
    }

    /// The same and what follows it.
    pub(crate) fn forward_then<'a, T: Scalar>(
        &self,
        tape: &mut Tape<'a, T>,
        rows: usize,
        blocks: &[Block<'a>],
        after: &After<'_>,
    ) -> Var {
        let y = self.linear(tape, 0, (rows, blocks), after);
        self.chain(tape, y, after)
    }

    /// Everything behind the first Linear.
    pub(crate) fn rest<T: Scalar>(&self, tape: &mut Tape<'_, T>, y: Var) -> Var {
        self.rest_then(tape, y, &After::nothing())
    }

    /// The same and what follows the last Linear.
    pub(crate) fn rest_then<T: Scalar>(
        &self,
        tape: &mut Tape<'_, T>,
        y: Var,
        after: &After<'_>,
    ) -> Var {
        let name = || format!("{}.bn.0", self.name);
        let y = self.after(0, &name, after).forward(tape, y);
        self.chain(tape, y, after)
    }

    /// All Linears but the first.
    fn chain<T: Scalar>(&self, tape: &mut Tape<'_, T>, mut y: Var, after: &After<'_>) -> Var {
        let rows = tape.value(y).rows();
        for i in 1..self.linears.len() {
            y = self.linear(tape, i, (rows, &[Block::Dense(y)]), after);
        }
        y
    }

    /// Linear number `i` and what follows it.
    fn linear<'a, T: Scalar>(
        &self,
        tape: &mut Tape<'a, T>,
        i: usize,
        (rows, blocks): (usize, &[Block<'a>]),
        last: &After<'_>,
    ) -> Var {
        let name = || format!("{}.bn.{i}", self.name);
        self.linears[i].forward_then(tape, rows, blocks, &self.after(i, &name, last))
    }

    /// What follows Linear number `i`: its BatchNorm and activation, or what follows the MLP.
    fn after<'n>(&self, i: usize, name: &'n dyn Fn() -> String, last: &After<'n>) -> After<'n> {
        match self.norms.get(i) {
            Some(norm) => {
                After { of: None, norm: norm.map(|ids| (ids, name)), activation: self.activation }
            }
            None => *last,
        }
    }

    /// Σ_{u→v} MLP([places]): a row per vertex, to be read by one Linear.
    pub(crate) fn sum_over_neighbours<'a, T: Scalar>(
        &self,
        tape: &mut Tape<'a, T>,
        places: &[Place<'a>],
    ) -> Block<'a> {
        let parts = self.split_first(tape, places);
        let width = self.linears[0].weight.rows;
        let fused = self.linears.len() == 2 && self.activation == Activation::Relu;
        match self.norms.first() {
            // A trace wants the values per arc that the fused operation never makes.
            Some(&Some(ids)) if fused && tape.trace.is_none() => {
                let sum = tape.message(parts, width, ids);
                self.linears[1].after_sum(tape, sum)
            }
            _ => {
                let z = tape.arc_gather(parts, width);
                tape.mark(|| self.linears[0].name.clone(), z);
                let y = self.rest(tape, z);
                Block::Dense(tape.arc_sum(y))
            }
        }
    }

    /// MLP([places]): a row per arc.
    pub(crate) fn over_arcs<'a, T: Scalar>(
        &self,
        tape: &mut Tape<'a, T>,
        places: &[Place<'a>],
    ) -> Var {
        let parts = self.split_first(tape, places);
        let z = tape.arc_gather(parts, self.linears[0].weight.rows);
        tape.mark(|| self.linears[0].name.clone(), z);
        self.rest(tape, z)
    }

    /// W·[places] + b as parts per target, per source, per arc category and per arc.
    fn split_first<'a, T: Scalar>(
        &self,
        tape: &mut Tape<'a, T>,
        places: &[Place<'a>],
    ) -> Parts<'a> {
        let first = &self.linears[0];
        let (mut centre, mut neighbour, mut dense, mut tables) = (vec![], vec![], vec![], vec![]);
        let mut at = 0;
        for place in places {
            let width = match place {
                Place::Centre(b) => {
                    centre.push((at, b.clone()));
                    b.width(tape)
                }
                Place::Neighbour(b) => {
                    neighbour.push((at, b.clone()));
                    b.width(tape)
                }
                Place::Arc(e) => {
                    match e.of_arc {
                        Some(of_arc) => tables.push((at, e, of_arc)),
                        None => dense.push((at, e.block.clone())),
                    }
                    e.block.width(tape)
                }
            };
            at += width;
        }
        let product = |tape: &mut Tape<'a, T>, rows, blocks: Vec<(usize, Block<'a>)>, bias| {
            tape.affine(rows, Affine { weight: first.weight, bias, bias_scale: None, blocks })
        };
        let (n, arcs) = (tape.batch.vertices, tape.batch.arcs());
        let p = product(tape, n, centre, Some(first.bias));
        let q = (!neighbour.is_empty()).then(|| product(tape, n, neighbour, None));
        let tables = tables
            .into_iter()
            .map(|(at, e, of_arc)| {
                (product(tape, e.rows, vec![(at, e.block.clone())], None), of_arc)
            })
            .collect();
        let r = (!dense.is_empty()).then(|| product(tape, arcs, dense, None));
        Parts { p: Some(p), q, tables, r }
    }
}

/// BatchNorm, then the activation; one pass where it is ReLU.
pub(crate) fn norm_then<T: Scalar>(
    tape: &mut Tape<'_, T>,
    name: &dyn Fn() -> String,
    x: Var,
    ids: NormIds,
    activation: Activation,
) -> Var {
    let fused = activation == Activation::Relu && tape.trace.is_none();
    let y = tape.norm(x, ids, fused);
    tape.mark(name, y);
    if fused { y } else { tape.activate(y, activation) }
}
