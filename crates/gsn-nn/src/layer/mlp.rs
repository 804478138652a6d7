//! MLP(x) = W₂ ReLU(BN(W₁ x + b₁)) + b₂, or deeper: every Linear but the last is followed by
//! BatchNorm and an activation. Over vertices, graphs or arcs.
//!
//! The first Linear reads a list of blocks, so `[h_v, h_u, x_v, x_u, e_uv]` in a layer is written
//! as in the paper and never concatenated. Over arcs it is split into products per vertex and per
//! arc category; with two Linears and ReLU the rest of the message is the fused operation.
//!
//! # Shapes
//! rows × (sum of the blocks' widths) to rows × output width.

use super::encoder::Encoded;
use super::{Affine, Block, DeferredLinear};
use crate::params::{Init, NormIds, ParamId, Params};
use crate::scalar::Scalar;
use crate::tape::affine::Fold;
use crate::tape::elementwise::Activation;
use crate::tape::message::ArcTerms;
use crate::tape::norm::ScaleShift;
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
            let norm = after.norm.map(|n| ScaleShift::running(tape.params, n.ids));
            let fold = norm.as_ref().map(ScaleShift::fold);
            return tape.affine_then(rows, op, fold, after.activation);
        }
        let y = tape.affine(rows, op);
        tape.mark(&self.name, y);
        after.forward(tape, y)
    }

    /// Σ over the arcs into each vertex of (W y + b) = W Σy + degree·b, left to the Linear that
    /// reads it where that is cheaper. An evaluation never asks how many rows there are: a graph's
    /// prediction must not depend on the others of its batch.
    fn after_sum<'a, T: Scalar>(&self, tape: &mut Tape<'a, T>, sum: Var) -> Block<'a> {
        let linear = DeferredLinear { s: sum, weight: self.weight, bias: self.bias };
        if !tape.trains() || tape.batch.vertices >= self.weight.rows {
            return Block::Deferred(linear);
        }
        Block::Dense(tape.affine(tape.batch.vertices, linear.now(tape.batch)))
    }
}

/// A BatchNorm and its name.
#[derive(Debug, Clone)]
pub(crate) struct Norm {
    name: String,
    ids: NormIds,
}

impl Norm {
    /// Over `width` columns; parameters `{name}.*`.
    pub(crate) fn new<T: Scalar>(p: &mut Params<T>, name: &str, width: usize) -> Self {
        Self { name: name.to_string(), ids: p.add_norm(name, width) }
    }
}

/// What follows a Linear: BatchNorm, then the activation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct After<'n> {
    /// A trace calls the value in front of it so.
    pub(crate) of: Option<&'n str>,
    pub(crate) norm: Option<&'n Norm>,
    pub(crate) activation: Activation,
}

impl After<'_> {
    fn nothing() -> Self {
        Self { of: None, norm: None, activation: Activation::Identity }
    }

    /// activation(BN(x)), in one pass where the activation is ReLU.
    pub(crate) fn forward<T: Scalar>(&self, tape: &mut Tape<'_, T>, x: Var) -> Var {
        if let Some(of) = self.of {
            tape.mark(of, x);
        }
        let Some(norm) = self.norm else { return tape.activate(x, self.activation) };
        let fused = self.activation == Activation::Relu && tape.trace.is_none();
        let y = tape.norm(x, norm.ids, fused);
        tape.mark(&norm.name, y);
        if fused { y } else { tape.activate(y, self.activation) }
    }
}

/// One block of the input of an MLP over arcs u→v.
#[derive(Debug, Clone)]
pub(crate) enum ArcBlock<'a> {
    /// A row of the target v.
    Target(Block<'a>),
    /// A row of the source u.
    Source(Block<'a>),
    /// A row of the arc.
    Arc(Encoded<'a>),
}

/// See the module documentation.
#[derive(Debug, Clone)]
pub(crate) struct Mlp {
    linears: Vec<Linear>,
    norms: Vec<Option<Norm>>,
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
            .map(|(i, &w)| norm.then(|| Norm::new(p, &format!("{name}.bn.{i}"), w)))
            .collect();
        Self { linears, norms, activation }
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
        let y = self.after(0, after).forward(tape, y);
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
        self.linears[i].forward_then(tape, rows, blocks, &self.after(i, last))
    }

    /// What follows Linear number `i`: its BatchNorm and activation, or what follows the MLP.
    fn after<'n>(&'n self, i: usize, last: &After<'n>) -> After<'n> {
        match self.norms.get(i) {
            Some(norm) => After { of: None, norm: norm.as_ref(), activation: self.activation },
            None => *last,
        }
    }

    /// Σ_{u→v} MLP([inputs]): a row per vertex, to be read by one Linear.
    pub(crate) fn sum_over_neighbours<'a, T: Scalar>(
        &self,
        tape: &mut Tape<'a, T>,
        inputs: &[ArcBlock<'a>],
    ) -> Block<'a> {
        let width = self.linears[0].weight.rows;
        let fused = self.linears.len() == 2 && self.activation == Activation::Relu;
        match self.norms.first() {
            // A trace wants the values per arc that the fused operation never makes.
            Some(Some(norm)) if fused && tape.trace.is_none() => {
                let sum = if tape.evaluates() {
                    let norm = ScaleShift::running(tape.params, norm.ids);
                    let terms = self.split_first(tape, inputs, Some(&norm));
                    tape.relu_sum(&terms, width)
                } else {
                    let terms = self.split_first(tape, inputs, None);
                    tape.message(terms, width, norm.ids)
                };
                self.linears[1].after_sum(tape, sum)
            }
            _ => {
                let terms = self.split_first(tape, inputs, None);
                let z = tape.arc_gather(terms, width);
                tape.mark(&self.linears[0].name, z);
                let y = self.rest(tape, z);
                Block::Dense(tape.arc_sum(y))
            }
        }
    }

    /// MLP([inputs]): a row per arc.
    pub(crate) fn over_arcs<'a, T: Scalar>(
        &self,
        tape: &mut Tape<'a, T>,
        inputs: &[ArcBlock<'a>],
    ) -> Var {
        let terms = self.split_first(tape, inputs, None);
        let z = tape.arc_gather(terms, self.linears[0].weight.rows);
        tape.mark(&self.linears[0].name, z);
        self.rest(tape, z)
    }

    /// W·[inputs] + b as terms per target, per source, per arc category and per arc; with `norm`, in
    /// an evaluation, scale·(W·[inputs] + b) + shift.
    fn split_first<'a, T: Scalar>(
        &self,
        tape: &mut Tape<'a, T>,
        inputs: &[ArcBlock<'a>],
        norm: Option<&ScaleShift<T>>,
    ) -> ArcTerms<'a> {
        let first = &self.linears[0];
        let (mut target, mut source, mut dense, mut tables) = (vec![], vec![], vec![], vec![]);
        let mut at = 0;
        for input in inputs {
            let block = match input {
                ArcBlock::Target(b) => {
                    target.push((at, b.clone()));
                    b
                }
                ArcBlock::Source(b) => {
                    source.push((at, b.clone()));
                    b
                }
                ArcBlock::Arc(e) => {
                    match e.of_arc {
                        Some(of_arc) => tables.push((at, e, of_arc)),
                        None => dense.push((at, e.block.clone())),
                    }
                    &e.block
                }
            };
            at += block.width(tape);
        }
        let product = |tape: &mut Tape<'a, T>, rows, blocks, bias: Option<ParamId>| {
            // The term with the bias brings the shift.
            let shift = norm.filter(|_| bias.is_some()).map(|n| n.shift.as_slice());
            let fold = norm.map(|n| Fold { scale: &n.scale, shift });
            let op = Affine { weight: first.weight, bias, bias_scale: None, blocks };
            tape.affine_then(rows, op, fold, Activation::Identity)
        };
        let (n, arcs) = (tape.batch.vertices, tape.batch.arcs());
        let target = product(tape, n, target, Some(first.bias));
        let source = (!source.is_empty()).then(|| product(tape, n, source, None));
        let tables = tables
            .into_iter()
            .map(|(at, e, of_arc)| {
                (product(tape, e.rows, vec![(at, e.block.clone())], None), of_arc)
            })
            .collect();
        let arc = (!dense.is_empty()).then(|| product(tape, arcs, dense, None));
        ArcTerms { target: Some(target), source, tables, arc }
    }
}
