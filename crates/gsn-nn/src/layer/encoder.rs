//! Encoders: how a table of categories or numbers becomes input of a Linear.
//!
//! One-hot rows stay symbolic (a look-up later). Tables on arcs are encoded once per different
//! row, see [`Encoded::of_arc`].

use std::borrow::Cow;

use super::mlp::Linear;
use super::{Block, OneHot};
use crate::batch::{Categories, FeatureTable};
use crate::config::{Data, Input, InputEncoding};
use crate::error::{Result, batch};
use crate::matrix::Matrix;
use crate::params::{Init, ParamId, Params};
use crate::scalar::Scalar;
use crate::tape::{Tape, Var};

/// An encoded table.
#[derive(Debug, Clone)]
pub(crate) struct Encoded<'a> {
    pub(crate) block: Block<'a>,
    pub(crate) rows: usize,
    /// If given, the block has a row per *different* row, and this says which one an arc has.
    pub(crate) of_arc: Option<&'a [u32]>,
}

#[derive(Debug, Clone)]
enum Kind {
    Plain,
    OneHot { starts: Vec<u32> },
    Embed { tables: Vec<ParamId>, concat: bool },
    Linear(Linear),
}

/// An [`Input`] with its parameters.
#[derive(Debug, Clone)]
pub(crate) struct Encoder {
    input: Input,
    what: &'static str,
    kind: Kind,
}

impl Encoder {
    /// Parameters `{name}.encoder.encoder.c` (tables) or `{name}.encoder` (Linear).
    pub(crate) fn new<T: Scalar>(
        p: &mut Params<T>,
        name: &str,
        what: &'static str,
        input: &Input,
    ) -> Self {
        let sizes: &[usize] = match &input.data {
            Data::Categories { sizes } => sizes,
            Data::Values { .. } => &[],
        };
        let kind = match &input.encode {
            InputEncoding::OneHot => {
                let starts = sizes.iter().scan(0u32, |at, &s| {
                    *at += s as u32;
                    Some(*at - s as u32)
                });
                Kind::OneHot { starts: starts.collect() }
            }
            InputEncoding::Embedding { width } | InputEncoding::EmbeddingConcat { width } => {
                let table = |(c, &size): (usize, &usize)| {
                    let bound = (6.0 / (size + width) as f64).sqrt();
                    let name = format!("{name}.encoder.encoder.{c}.weight");
                    p.add(name, &[size, *width], Init::Uniform(bound))
                };
                let concat = matches!(input.encode, InputEncoding::EmbeddingConcat { .. });
                Kind::Embed { tables: sizes.iter().enumerate().map(table).collect(), concat }
            }
            InputEncoding::Linear { width } => {
                Kind::Linear(Linear::new(p, &format!("{name}.encoder"), input.cols(), *width))
            }
            _ => Kind::Plain,
        };
        Self { input: input.clone(), what, kind }
    }

    pub(crate) fn width(&self) -> usize {
        self.input.width()
    }

    /// Does the encoder give one-hot rows?
    pub(crate) fn is_one_hot(&self) -> bool {
        matches!(self.kind, Kind::OneHot { .. })
    }

    /// Is the batch's table the one described?
    pub(crate) fn check<T: Scalar>(&self, table: Option<&FeatureTable<T>>) -> Result<()> {
        let what = self.what;
        match (table, &self.input.data) {
            (None, _) => Err(batch(format!("{what} are missing"))),
            (Some(FeatureTable::Categories(c)), Data::Categories { sizes })
                if c.cols == sizes.len() =>
            {
                for (i, (m, &s)) in c.max.iter().zip(sizes).enumerate() {
                    if let Some(m) = m.filter(|&m| m as usize >= s) {
                        return Err(batch(format!(
                            "{what}, column {i}: category {m}, but the vocabulary has {s}"
                        )));
                    }
                }
                Ok(())
            }
            (Some(FeatureTable::Values(m)), Data::Values { width }) if m.cols() == *width => Ok(()),
            (Some(t), wanted) => {
                let (kind, cols) = match t {
                    FeatureTable::Categories(c) => ("categories", c.cols),
                    FeatureTable::Values(m) => ("values", m.cols()),
                };
                Err(batch(format!(
                    "{what} are {cols} columns of {kind}, the model reads {wanted:?}"
                )))
            }
        }
    }

    /// Encodes a table that passed [`Encoder::check`]; on arcs, per different row.
    pub(crate) fn encode<'a, T: Scalar>(
        &'a self,
        tape: &mut Tape<'a, T>,
        table: &'a FeatureTable<T>,
        on_arcs: bool,
    ) -> Encoded<'a> {
        let (index, of_arc) = match table {
            FeatureTable::Categories(c) if on_arcs => {
                (Some(&c.distinct.rows), Some(c.distinct.of_row.as_slice()))
            }
            FeatureTable::Categories(Categories { index, .. }) => (Some(index), None),
            FeatureTable::Values(_) => (None, None),
        };
        let cols = self.input.cols().max(1);
        let rows = match (index, table) {
            (Some(index), _) => index.len() / cols,
            (None, FeatureTable::Values(m)) => m.rows(),
            _ => 0,
        };
        let block = match (&self.kind, index) {
            (Kind::OneHot { starts }, Some(index)) => {
                Block::OneHot(OneHot { index, starts: Cow::Borrowed(starts), width: self.width() })
            }
            (Kind::Embed { tables, concat }, Some(index)) => {
                Block::Dense(tape.embed(index, tables, *concat))
            }
            (kind, _) => {
                let x = tape.constant(self.numbers(table, index, rows));
                match kind {
                    Kind::Linear(l) => Block::Dense(l.forward(tape, rows, &[Block::Dense(x)])),
                    _ => Block::Dense(x),
                }
            }
        };
        Encoded { block, rows, of_arc }
    }

    /// What each column of `end` contributes to the change from `start` that a gradient of the encoded table sees, row after
    /// row: ⟨gradient, e_c(end) − e_c(start)⟩, where the encoding is the sum of a part e_c for every column c
    /// (and of a bias, which does not change).
    pub(crate) fn shares<T: Scalar>(
        &self,
        params: &Params<T>,
        (start, end): (&FeatureTable<T>, &FeatureTable<T>),
        gradient: &Matrix<T>,
    ) -> Vec<f64> {
        let cols = self.input.cols();
        let mut shares = vec![0.0; gradient.rows() * cols];
        let product = |a: &[T], b: &[T]| -> f64 {
            a.iter().zip(b).map(|(a, b)| a.to_f64() * b.to_f64()).sum()
        };
        if matches!(self.input.encode, InputEncoding::Zero { .. }) {
            return shares;
        }
        let of_category = |index: &[u32], at: usize| {
            let (row, c) = (gradient.row(at / cols), at % cols);
            match &self.kind {
                Kind::OneHot { starts } => row[(starts[c] + index[at]) as usize].to_f64(),
                Kind::Embed { tables, concat } => {
                    let d = tables[c].cols;
                    let from = if *concat { &row[c * d..(c + 1) * d] } else { row };
                    product(from, &params.get(tables[c])[index[at] as usize * d..][..d])
                }
                _ => 0.0,
            }
        };
        let looked_up = matches!(self.kind, Kind::OneHot { .. } | Kind::Embed { .. });
        if let (FeatureTable::Categories(from), FeatureTable::Categories(to), true) =
            (start, end, looked_up)
        {
            for (at, share) in shares.iter_mut().enumerate() {
                if from.index[at] != to.index[at] {
                    *share = of_category(&to.index, at) - of_category(&from.index, at);
                }
            }
            return shares;
        }
        let numbers = |table| self.numbers(table, index_of(table), gradient.rows());
        let (from, to) = (numbers(start), numbers(end));
        for (at, share) in shares.iter_mut().enumerate() {
            let (row, c) = (gradient.row(at / cols), at % cols);
            let slope = match &self.kind {
                Kind::Linear(linear) => {
                    let weights = params.get(linear.weight);
                    let column = weights.iter().skip(c).step_by(cols);
                    row.iter().zip(column).map(|(g, w)| g.to_f64() * w.to_f64()).sum()
                }
                _ => row[c].to_f64(),
            };
            *share = slope * (to.data()[at].to_f64() - from.data()[at].to_f64());
        }
        shares
    }

    /// The table as numbers, transformed if the encoding says so.
    fn numbers<T: Scalar>(
        &self,
        table: &FeatureTable<T>,
        index: Option<&Vec<u32>>,
        rows: usize,
    ) -> Matrix<T> {
        let cols = self.input.cols();
        let cell = |at: usize| match (index, table) {
            (Some(index), _) => index[at] as f64,
            (None, FeatureTable::Values(m)) => m.data()[at].to_f64(),
            _ => 0.0,
        };
        let f = |at: usize| match &self.input.encode {
            InputEncoding::Log1p => cell(at).max(0.0).ln_1p(),
            InputEncoding::Standardise { mean, std } => {
                let s = std[at % cols];
                (cell(at) - mean[at % cols]) / if s > 0.0 { s } else { 1.0 }
            }
            _ => cell(at),
        };
        if let InputEncoding::Zero { width } = self.input.encode {
            return Matrix::zeros(rows, width);
        }
        let data = (0..rows * cols).map(|at| T::from_f64(f(at))).collect();
        Matrix::from_vec(rows, cols, data).unwrap_or_default()
    }
}

fn index_of<T>(table: &FeatureTable<T>) -> Option<&Vec<u32>> {
    match table {
        FeatureTable::Categories(table) => Some(&table.index),
        FeatureTable::Values(_) => None,
    }
}

/// A block as a matrix; one-hot rows are written out.
pub(crate) fn dense<T: Scalar>(tape: &mut Tape<'_, T>, block: &Block<'_>) -> Var {
    match block {
        Block::Dense(v) => *v,
        Block::Deferred(linear) => tape.affine(tape.batch.vertices, linear.now(tape.batch)),
        Block::OneHot(hot) => {
            let mut m = Matrix::zeros(hot.rows(), hot.width);
            for r in 0..hot.rows() {
                for one in hot.ones(r) {
                    m.data_mut()[r * hot.width + one] += T::ONE;
                }
            }
            tape.constant(m)
        }
    }
}

/// Blocks side by side as one matrix.
pub(crate) fn dense_all<T: Scalar>(tape: &mut Tape<'_, T>, blocks: &[Block<'_>]) -> Var {
    let all: Vec<Var> = blocks.iter().map(|b| dense(tape, b)).collect();
    tape.concat(&all)
}
