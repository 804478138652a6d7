//! Encoders on the model's side: how a table of categories or numbers becomes input of a Linear.
//!
//! One-hot rows stay symbolic (a look-up later). Tables on arcs are encoded once per different
//! row, see [`Encoded::of_arc`].

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::mlp::Linear;
use super::{Affine, Block, OneHot};
use crate::batch::{Categories, Table};
use crate::error::{Result, batch, config};
use crate::matrix::Matrix;
use crate::params::{Init, ParamId, Params};
use crate::scalar::Scalar;
use crate::tape::Tape;

/// What a table of the batch holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Data {
    /// Category indices; column c has `sizes[c]` categories.
    Categories {
        /// Vocabulary size of every column.
        sizes: Vec<usize>,
    },
    /// Real numbers.
    Values {
        /// Number of columns.
        width: usize,
    },
}

/// How it is encoded.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Encoding {
    /// As it is (categories as numbers).
    #[default]
    None,
    /// One-hot blocks of the columns side by side.
    OneHot,
    /// A trained row per category, of this width, summed over the columns.
    Embedding {
        /// Width of a row.
        width: usize,
    },
    /// The same, side by side instead of summed.
    EmbeddingConcat {
        /// Width of a row of each column.
        width: usize,
    },
    /// A Linear with bias over the columns as numbers.
    Linear {
        /// Output width.
        width: usize,
    },
    /// ln(1 + x); numbers below 0 count as 0.
    Log1p,
    /// (x − mean)/std per column; a std of 0 counts as 1.
    Standardise {
        /// Mean of every column.
        mean: Vec<f64>,
        /// Standard deviation of every column.
        std: Vec<f64>,
    },
    /// Zeros, to leave a feature out without changing shapes.
    Zero {
        /// Width.
        width: usize,
    },
}

/// A table and its encoding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// What the batch holds.
    pub data: Data,
    /// What the network reads.
    #[serde(default)]
    pub encode: Encoding,
}

impl Input {
    pub(crate) fn cols(&self) -> usize {
        match &self.data {
            Data::Categories { sizes } => sizes.len(),
            Data::Values { width } => *width,
        }
    }

    /// Width after encoding.
    pub fn width(&self) -> usize {
        match (&self.encode, &self.data) {
            (Encoding::OneHot, Data::Categories { sizes }) => sizes.iter().sum(),
            (Encoding::EmbeddingConcat { width }, _) => width * self.cols(),
            (
                Encoding::Embedding { width }
                | Encoding::Linear { width }
                | Encoding::Zero { width },
                _,
            ) => *width,
            _ => self.cols(),
        }
    }

    /// The same input with another width, where the encoding has one to choose.
    pub(crate) fn with_width(&self, to: Option<usize>) -> Self {
        let mut new = self.clone();
        if let (
            Some(to),
            Encoding::Embedding { width }
            | Encoding::EmbeddingConcat { width }
            | Encoding::Linear { width }
            | Encoding::Zero { width },
        ) = (to, &mut new.encode)
        {
            *width = to;
        }
        new
    }

    pub(crate) fn validate(&self, what: &str) -> Result<()> {
        let categories = matches!(self.data, Data::Categories { .. });
        if let Data::Categories { sizes } = &self.data
            && (sizes.contains(&0) || sizes.iter().any(|&s| s > u32::MAX as usize / 2))
        {
            return Err(config(format!("{what}: vocabulary sizes {sizes:?}")));
        }
        let needs_categories = matches!(
            self.encode,
            Encoding::OneHot | Encoding::Embedding { .. } | Encoding::EmbeddingConcat { .. }
        );
        if needs_categories && !categories {
            return Err(config(format!("{what}: {:?} needs categories, not numbers", self.encode)));
        }
        if let Encoding::Standardise { mean, std } = &self.encode {
            let bad = |x: &f64| !x.is_finite();
            if mean.len() != self.cols() || std.len() != self.cols() {
                let (m, s, c) = (mean.len(), std.len(), self.cols());
                return Err(config(format!(
                    "{what}: {m} means and {s} deviations for {c} columns"
                )));
            }
            if mean.iter().any(bad) || std.iter().any(|s| bad(s) || *s < 0.0) {
                return Err(config(format!(
                    "{what}: means and deviations must be finite, std >= 0"
                )));
            }
        }
        if self.width() == 0 {
            return Err(config(format!("{what}: width 0")));
        }
        Ok(())
    }
}

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
            Encoding::OneHot => {
                let starts = sizes.iter().scan(0u32, |at, &s| {
                    *at += s as u32;
                    Some(*at - s as u32)
                });
                Kind::OneHot { starts: starts.collect() }
            }
            Encoding::Embedding { width } | Encoding::EmbeddingConcat { width } => {
                let table = |(c, &size): (usize, &usize)| {
                    let bound = (6.0 / (size + width) as f64).sqrt();
                    let name = format!("{name}.encoder.encoder.{c}.weight");
                    p.add(name, &[size, *width], Init::Uniform(bound))
                };
                let concat = matches!(input.encode, Encoding::EmbeddingConcat { .. });
                Kind::Embed { tables: sizes.iter().enumerate().map(table).collect(), concat }
            }
            Encoding::Linear { width } => {
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
    pub(crate) fn check<T: Scalar>(&self, table: Option<&Table<T>>) -> Result<()> {
        let what = self.what;
        match (table, &self.input.data) {
            (None, _) => Err(batch(format!("{what} are missing"))),
            (Some(Table::Categories(c)), Data::Categories { sizes }) if c.cols == sizes.len() => {
                for (i, (m, &s)) in c.max.iter().zip(sizes).enumerate() {
                    if let Some(m) = m.filter(|&m| m as usize >= s) {
                        return Err(batch(format!(
                            "{what}, column {i}: category {m}, but the vocabulary has {s}"
                        )));
                    }
                }
                Ok(())
            }
            (Some(Table::Values(m)), Data::Values { width }) if m.cols() == *width => Ok(()),
            (Some(t), wanted) => {
                let (kind, cols) = match t {
                    Table::Categories(c) => ("categories", c.cols),
                    Table::Values(m) => ("values", m.cols()),
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
        table: &'a Table<T>,
        on_arcs: bool,
    ) -> Encoded<'a> {
        let (index, of_arc) = match table {
            Table::Categories(c) if on_arcs => {
                (Some(&c.distinct.rows), Some(c.distinct.of_row.as_slice()))
            }
            Table::Categories(Categories { index, .. }) => (Some(index), None),
            Table::Values(_) => (None, None),
        };
        let cols = self.input.cols().max(1);
        let rows = match (index, table) {
            (Some(index), _) => index.len() / cols,
            (None, Table::Values(m)) => m.rows(),
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

    /// The table as numbers, transformed if the encoding says so.
    fn numbers<T: Scalar>(
        &self,
        table: &Table<T>,
        index: Option<&Vec<u32>>,
        rows: usize,
    ) -> Matrix<T> {
        let cols = self.input.cols();
        let cell = |at: usize| match (index, table) {
            (Some(index), _) => index[at] as f64,
            (None, Table::Values(m)) => m.data()[at].to_f64(),
            _ => 0.0,
        };
        let f = |at: usize| match &self.input.encode {
            Encoding::Log1p => cell(at).max(0.0).ln_1p(),
            Encoding::Standardise { mean, std } => {
                let s = std[at % cols];
                (cell(at) - mean[at % cols]) / if s > 0.0 { s } else { 1.0 }
            }
            _ => cell(at),
        };
        if let Encoding::Zero { width } = self.input.encode {
            return Matrix::zeros(rows, width);
        }
        let data = (0..rows * cols).map(|at| T::from_f64(f(at))).collect();
        Matrix::from_vec(rows, cols, data).unwrap_or_default()
    }
}

/// A block as a matrix; one-hot rows are written out.
pub(crate) fn dense<T: Scalar>(tape: &mut Tape<'_, T>, block: &Block<'_>) -> crate::tape::Var {
    match block {
        Block::Dense(v) => *v,
        Block::Inner(i) => {
            let op = Affine {
                weight: i.weight,
                bias: Some(i.bias),
                bias_scale: Some(&tape.batch.in_degree),
                blocks: vec![(0, Block::Dense(i.s))],
            };
            tape.affine(tape.batch.vertices, op)
        }
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
