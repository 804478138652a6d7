//! How much each cell of the identifiers moves a prediction on the way from one encoding to another.
//!
//! Let e(x) be the encoded identifiers of a batch, as its layers read them, and F what is asked of the network as a function of
//! them. At the point (1 − t)·e(x₀) + t·e(x) of the straight line from x₀ to x, the cell of row r and column c has the share
//!
//! ⟨∂F/∂e_r, e_c(x_rc) − e_c(x₀_rc)⟩,
//!
//! summed over the layers that read identifiers; e_c is what column c adds to the encoding. Every encoding is linear in
//! the numbers or in the one-hot vectors of its columns, so the shares of all cells sum to dF/dt, and their
//! integral over t to F(x) − F(x₀): integrated gradients, with one-hot vectors as points between the categories.
//! Cost: a forward and a backward pass.

use super::Model;
use crate::batch::{Batch, FeatureTable};
use crate::config::{IdScope, Network};
use crate::error::{Error, Result};
use crate::kernel::with_spinning_threads;
use crate::matrix::{Matrix, Pool};
use crate::params::Grads;
use crate::scalar::Scalar;
use crate::tape::{Between, Pass, Tape};
use gsn_core::memory;

/// Predictions at some points between two encodings, and the shares of the cells there.
#[derive(Debug, Clone)]
pub struct IdentifierShares<T> {
    /// What the network says, a row per graph.
    pub output: Matrix<T>,
    /// The share of every cell: a row per vertex or arc, in the order they were handed in.
    pub shares: Vec<f64>,
    /// Cells of a row.
    pub columns: usize,
}

impl<T: Scalar> Model<T> {
    /// Predictions and shares where graph g is `at[g]` of the way from its identifiers in `start` (0) to those in `end`
    /// (1), in evaluation mode. The batches differ in nothing but identifiers. `asked` gets the predictions and gives the gradient of
    /// what is asked with respect to them; a row of zeros asks for nothing.
    ///
    /// # Errors
    /// If the batches do not fit the model or each other, the network reads no identifiers, reads them as a vector field (DGN), which
    /// is not differentiated, or reads random numbers.
    pub fn identifier_shares(
        &self,
        (start, end): (&Batch<T>, &Batch<T>),
        at: &[f64],
        asked: impl FnOnce(&Matrix<T>) -> Matrix<T> + Send,
        pool: &Pool<T>,
    ) -> Result<IdentifierShares<T>> {
        self.can_share()?;
        self.check(start)?;
        self.check(end)?;
        if start.source != end.source || start.target != end.target || start.given != end.given {
            return Err(crate::error::batch("start and end are not the same graphs"));
        }
        Error::length("places on the line", at.len(), (end.graphs, "graphs"))?;
        let Some(ids) = &self.config.inputs.ids else {
            return Err(crate::error::batch("the network reads no identifiers"));
        };
        let (columns, on_arcs) = (ids.input.cols(), ids.scope == IdScope::Arc);
        fn table<T>(batch: &Batch<T>, scope: IdScope) -> Option<&FeatureTable<T>> {
            match scope {
                IdScope::Vertex => batch.vertex_ids.as_ref(),
                IdScope::Arc => batch.arc_ids.as_ref(),
            }
        }
        let mut grads = Grads::new(&self.params);
        with_spinning_threads(|| {
            let mut tape = Tape::new(&self.params, pool, end, Pass::Differentiate, 0);
            tape.between = Some(Between { start, at: at.to_vec(), read: Vec::new() });
            let prediction = self.net.forward(&mut tape);
            let output = tape.value(prediction).clone();
            let wanted = asked(&output);
            if (wanted.rows(), wanted.cols()) != (output.rows(), output.cols()) {
                return Err(Error::Shape {
                    what: "what is asked of the predictions".into(),
                    prediction: (output.rows(), output.cols()),
                    target: (wanted.rows(), wanted.cols()),
                });
            }
            tape.backward_from(prediction, wanted, &mut grads);
            let rows = if on_arcs { end.arcs() } else { end.vertices };
            let mut sum = vec![0.0; rows * columns];
            let read = tape.between.take().map(|between| between.read).unwrap_or_default();
            for (var, encoder) in read {
                let (Some(gradient), Some(from), Some(to)) =
                    (tape.grad(var), table(start, ids.scope), table(end, ids.scope))
                else {
                    continue;
                };
                let shares = encoder.shares(&self.params, (from, to), gradient);
                sum.iter_mut().zip(shares).for_each(|(sum, share)| *sum += share);
            }
            let mut shares = sum;
            if on_arcs {
                let sorted = std::mem::replace(&mut shares, vec![0.0; rows * columns]);
                for (row, &to) in sorted.chunks_exact(columns.max(1)).zip(&end.given) {
                    shares[to as usize * columns..][..columns].copy_from_slice(row);
                }
            }
            Ok(IdentifierShares { output, shares, columns })
        })
    }

    /// Whether [`Model::identifier_shares`] can be asked for.
    ///
    /// # Errors
    /// Says what is in the way.
    pub fn can_share(&self) -> Result<()> {
        let refuse = |what: &str| Err(Error::Config(what.into()));
        let inputs = &self.config.inputs;
        match &self.config.network {
            _ if inputs.ids.is_none() => refuse("the network reads no identifiers"),
            _ if inputs.random > 0 => refuse("the network reads fresh random numbers"),
            Network::Dgn(_) => refuse(
                "the dgn form reads identifiers as a vector field, which is not differentiated",
            ),
            _ => Ok(()),
        }
    }

    /// The same model in double precision.
    ///
    /// # Errors
    /// If it takes more memory than the process may have.
    pub fn in_double(&self) -> Result<Model<f64>> {
        let numbers = self.params.numbers() as u64;
        memory::ask_for::<f64>(numbers, || format!("a network of {numbers} numbers"))?;
        let mut model = Model::<f64>::filled(self.config.clone(), 0);
        let params = &mut model.params;
        let copy = |to: &mut [f64], from: &[T]| {
            to.iter_mut().zip(from).for_each(|(to, from)| *to = from.to_f64());
        };
        copy(&mut params.values, &self.params.values);
        copy(&mut params.buffers, &self.params.buffers);
        params.counters.clone_from(&self.params.counters);
        Ok(model)
    }
}
