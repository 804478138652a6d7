//! Reverse-mode differentiation over a closed set of graph operations.
//!
//! A [`Tape`] lives for one pass of one batch. Every operation computes its value when it is called
//! and, in training, leaves what its hand-written backward needs; [`Tape::backward`] walks them in
//! reverse. Values come from the [`Pool`] and go back in the backward, or when the tape is dropped.
//! The README of this folder says which file holds which operation and what each must keep to.

pub(crate) mod affine;
pub(crate) mod aggregate;
pub(crate) mod aggregator;
pub(crate) mod arcs;
pub(crate) mod direction;
pub(crate) mod elementwise;
pub(crate) mod embed;
pub(crate) mod loss;
pub(crate) mod message;
pub(crate) mod norm;
pub(crate) mod segment;
#[cfg(test)]
mod tests;

use crate::batch::Batch;
use crate::kernel::rows;
use crate::layer::encoder::Encoder;
use crate::matrix::{Matrix, Pool};
use crate::params::{Grads, ParamId, Params};
use crate::scalar::Scalar;

/// A value on the tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Var(pub(crate) usize);

/// The closed set of operations.
pub(crate) enum Op<'a, T> {
    Affine(affine::Affine<'a, T>),
    Message(message::Message<'a, T>),
    Aggregate(aggregate::Aggregate<'a, T>),
    ArcGather(arcs::ArcGather<'a>),
    ArcSum(Var),
    Norm(norm::Norm<T>),
    Activate(elementwise::Activate),
    Embed(embed::Embed<'a>),
    Segment(segment::Segment<'a>),
    Spread(segment::Spread),
    Add(Var, Var),
    ScaleRows(elementwise::ScaleRows<T>),
    Dropout(elementwise::Dropout<T>),
    Concat(Vec<Var>),
    Direction(direction::Direction<T>),
    Loss(loss::LossOp<T>),
}

struct Node<T> {
    value: Matrix<T>,
    needs_grad: bool,
}

/// Named values of a pass, kept for comparison with other implementations.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    pub(crate) vars: Vec<(String, Var)>,
}

/// What a pass is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pass {
    /// Statistics of the batch, dropout, and a backward.
    Train,
    /// Statistics of the batch, to be kept; no dropout, no backward.
    Measure,
    /// Stored statistics; nothing is kept.
    Evaluate,
    /// Stored statistics and no dropout as in an evaluation, and a backward.
    Differentiate,
}

/// A pass over what lies between two encodings of the identifiers.
pub(crate) struct Between<'a, T> {
    /// The batch whose identifiers are at the start of the line; those of the tape's batch are at its end.
    pub(crate) start: &'a Batch<T>,
    /// How far along the line every graph is, from 0 to 1.
    pub(crate) at: Vec<f64>,
    /// The encoded identifiers that layers read, and who encoded them.
    pub(crate) read: Vec<(Var, &'a Encoder)>,
}

/// One pass of one batch through a network.
pub(crate) struct Tape<'a, T: Scalar> {
    pub(crate) params: &'a Params<T>,
    pub(crate) pool: &'a Pool<T>,
    pub(crate) batch: &'a Batch<T>,
    pass: Pass,
    seed: u64,
    streams: u64,
    nodes: Vec<Node<T>>,
    ops: Vec<Option<Op<'a, T>>>,
    pub(crate) stats: Vec<norm::Stats>,
    pub(crate) trace: Option<Trace>,
    pub(crate) between: Option<Between<'a, T>>,
    kept: Vec<Option<Matrix<T>>>,
}

impl<'a, T: Scalar> Tape<'a, T> {
    /// A tape for a pass of this kind.
    pub(crate) fn new(
        params: &'a Params<T>,
        pool: &'a Pool<T>,
        batch: &'a Batch<T>,
        pass: Pass,
        seed: u64,
    ) -> Self {
        Self {
            params,
            pool,
            batch,
            pass,
            seed,
            streams: 0,
            nodes: Vec::with_capacity(128),
            ops: Vec::with_capacity(128),
            stats: Vec::new(),
            trace: None,
            between: None,
            kept: Vec::new(),
        }
    }

    /// Is there dropout?
    pub(crate) fn trains(&self) -> bool {
        self.pass == Pass::Train
    }

    /// Is there a backward?
    pub(crate) fn differentiates(&self) -> bool {
        matches!(self.pass, Pass::Train | Pass::Differentiate)
    }

    /// Does a BatchNorm take the statistics of the batch?
    pub(crate) fn batch_statistics(&self) -> bool {
        matches!(self.pass, Pass::Train | Pass::Measure)
    }

    /// Key of the next stream of random numbers; operations draw them in program order.
    pub(crate) fn stream(&mut self) -> u64 {
        self.streams += 1;
        gsn_core::random::derive(self.seed, self.streams)
    }

    /// A value that is not differentiated.
    pub(crate) fn constant(&mut self, value: Matrix<T>) -> Var {
        self.nodes.push(Node { value, needs_grad: false });
        self.ops.push(None);
        Var(self.nodes.len() - 1)
    }

    /// A value that is differentiated and is no result of an operation.
    pub(crate) fn leaf(&mut self, value: Matrix<T>) -> Var {
        self.nodes.push(Node { value, needs_grad: true });
        self.ops.push(None);
        Var(self.nodes.len() - 1)
    }

    /// The result of an operation. Without a backward nothing is kept for a backward.
    pub(crate) fn push(&mut self, value: Matrix<T>, needs_grad: bool, op: Op<'a, T>) -> Var {
        self.nodes.push(Node { value, needs_grad });
        self.ops.push((self.differentiates() && needs_grad).then_some(op));
        Var(self.nodes.len() - 1)
    }

    pub(crate) fn value(&self, v: Var) -> &Matrix<T> {
        &self.nodes[v.0].value
    }

    pub(crate) fn needs(&self, v: Var) -> bool {
        self.nodes[v.0].needs_grad
    }

    pub(crate) fn cols(&self, v: Var) -> usize {
        self.nodes[v.0].value.cols()
    }

    /// May an operation leave out values between its steps? Not if a backward or a trace reads
    /// them.
    pub(crate) fn evaluates(&self) -> bool {
        self.pass == Pass::Evaluate && self.trace.is_none()
    }

    /// Gives back the memory of a value that nothing will read again, backward included.
    pub(crate) fn release(&mut self, v: Var) {
        if self.trace.is_none() {
            self.pool.give(std::mem::take(&mut self.nodes[v.0].value));
        }
    }

    /// Remembers a value under a name, if the pass is traced.
    pub(crate) fn mark(&mut self, name: impl std::fmt::Display, v: Var) {
        if let Some(trace) = &mut self.trace {
            trace.vars.push((name.to_string(), v));
        }
    }

    /// Gradient of a value after [`Tape::backward`] of a traced pass, and of encoded identifiers of a pass
    /// [`Between`] two encodings.
    pub(crate) fn grad(&self, v: Var) -> Option<&Matrix<T>> {
        self.kept.get(v.0).and_then(Option::as_ref)
    }

    /// Fills `grads` with ∂loss/∂parameter.
    pub(crate) fn backward(&mut self, loss: Var, grads: &mut Grads<T>) {
        let mut one = self.pool.take(1, 1);
        one.data_mut()[0] = T::ONE;
        self.backward_from(loss, one, grads);
    }

    /// The same for any value, given the gradient `one` of what is differentiated by it.
    pub(crate) fn backward_from(&mut self, loss: Var, one: Matrix<T>, grads: &mut Grads<T>) {
        grads.start();
        let mut slots: Vec<Option<Matrix<T>>> = (0..self.nodes.len()).map(|_| None).collect();
        slots[loss.0] = Some(one);
        let nodes = std::mem::take(&mut self.nodes);
        let mut cx =
            Back { nodes, slots, params: self.params, batch: self.batch, pool: self.pool, grads };
        if self.trace.is_some() {
            self.kept = (0..cx.nodes.len()).map(|_| None).collect();
        }
        for i in (0..=loss.0).rev() {
            // What is no result of an operation keeps its gradient for whoever asks.
            if let Some(op) = self.ops[i].take()
                && let Some(dy) = cx.slots[i].take()
            {
                if self.trace.is_some() {
                    self.kept[i] = Some(dy.clone());
                }
                op.backward(Var(i), dy, &mut cx);
            }
            if self.trace.is_none() {
                // Later operations are done and earlier ones do not read it.
                self.pool.give(std::mem::take(&mut cx.nodes[i].value));
            }
        }
        let Back { nodes, mut slots, grads, .. } = cx;
        self.nodes = nodes;
        if let Some(between) = &self.between {
            self.kept.resize_with(slots.len(), || None);
            between.read.iter().for_each(|(v, _)| self.kept[v.0] = slots[v.0].take());
        }
        slots.into_iter().flatten().for_each(|m| self.pool.give(m));
        grads.finish(self.params);
    }
}

impl<T: Scalar> Drop for Tape<'_, T> {
    fn drop(&mut self) {
        for node in self.nodes.drain(..) {
            self.pool.give(node.value);
        }
        for op in self.ops.drain(..).flatten() {
            op.recycle(self.pool);
        }
    }
}

/// What an operation sees while going backward.
pub(crate) struct Back<'b, 'a, T: Scalar> {
    nodes: Vec<Node<T>>,
    slots: Vec<Option<Matrix<T>>>,
    pub(crate) params: &'a Params<T>,
    pub(crate) batch: &'a Batch<T>,
    pub(crate) pool: &'a Pool<T>,
    grads: &'b mut Grads<T>,
}

impl<T: Scalar> Back<'_, '_, T> {
    pub(crate) fn value(&self, v: Var) -> &Matrix<T> {
        &self.nodes[v.0].value
    }

    pub(crate) fn needs(&self, v: Var) -> bool {
        self.nodes[v.0].needs_grad
    }

    /// Adds `g` to the gradient of `v`.
    pub(crate) fn add(&mut self, v: Var, g: Matrix<T>) {
        if !self.needs(v) {
            return self.pool.give(g);
        }
        match &mut self.slots[v.0] {
            Some(sum) => {
                rows::add_all(sum, &g);
                self.pool.give(g);
            }
            empty => *empty = Some(g),
        }
    }

    /// Takes the gradient of `v` out to add to it: (buffer, holds numbers already).
    pub(crate) fn open(&mut self, v: Var) -> (Matrix<T>, bool) {
        match self.slots[v.0].take() {
            Some(m) => (m, true),
            None => {
                let (rows, cols) = (self.nodes[v.0].value.rows(), self.nodes[v.0].value.cols());
                (self.pool.take(rows, cols), false)
            }
        }
    }

    /// Puts the gradient back after [`Back::open`].
    pub(crate) fn close(&mut self, v: Var, m: Matrix<T>) {
        self.slots[v.0] = Some(m);
    }

    /// Where to add the gradient of a parameter.
    pub(crate) fn param(&mut self, id: ParamId) -> &mut [T] {
        self.grads.slot(id)
    }

    pub(crate) fn add_param(&mut self, id: ParamId, g: &[T]) {
        rows::add(self.grads.slot(id), g);
    }
}

impl<'a, T: Scalar> Op<'a, T> {
    fn backward(self, me: Var, dy: Matrix<T>, cx: &mut Back<'_, 'a, T>) {
        match self {
            Op::Affine(op) => op.backward(dy, cx),
            Op::Message(op) => op.backward(dy, cx),
            Op::Aggregate(op) => op.backward(dy, cx),
            Op::ArcGather(op) => op.backward(dy, cx),
            Op::ArcSum(x) => arcs::sum_backward(x, dy, cx),
            Op::Norm(op) => op.backward(dy, cx),
            Op::Activate(op) => op.backward(me, dy, cx),
            Op::Embed(op) => op.backward(dy, cx),
            Op::Segment(op) => op.backward(dy, cx),
            Op::Spread(op) => op.backward(dy, cx),
            Op::Add(a, b) => {
                let copy = cx.pool.take_copy(&dy);
                cx.add(a, copy);
                cx.add(b, dy);
            }
            Op::ScaleRows(op) => op.backward(dy, cx),
            Op::Dropout(op) => op.backward(dy, cx),
            Op::Concat(parts) => elementwise::concat_backward(&parts, dy, cx),
            Op::Direction(op) => op.backward(dy, cx),
            Op::Loss(op) => op.backward(dy, cx),
        }
    }

    /// Gives saved buffers back when no backward ran.
    fn recycle(self, pool: &Pool<T>) {
        if let Op::Message(op) = self {
            op.recycle(pool);
        }
    }
}
