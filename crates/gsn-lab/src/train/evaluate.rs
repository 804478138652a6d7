//! Loss and metric over a whole part, in evaluation mode.
//!
//! In evaluation mode a graph's prediction does not depend on its neighbours in the batch. Cost:
//! one pass over the part.

use super::batches::Batches;
use super::{Metric, order::RandomKeys};
use crate::error::Result;
use gsn_core::random::derive;
use gsn_nn::metrics::Scored;
use gsn_nn::{GraphInput, Labels, Loss, Matrix, Model, Pool};

/// Encoded graphs, all of a dataset, and what is true of them.
#[derive(Clone, Copy)]
pub struct Graphs<'a> {
    /// As the network reads them, targets scaled.
    pub inputs: &'a [GraphInput],
    /// Targets in the unit of the data; NaN where one is not known or only a bound.
    pub truth: &'a [&'a [f64]],
    /// Takes one graph's predicted numbers back to the unit of the data.
    pub restore: &'a (dyn Fn(&mut [f64]) + Sync),
}

/// How good a model is on a part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Score {
    /// Mean loss over all labels of the part.
    pub loss: f64,
    /// The metric over all graphs of the part; `None` where it is not defined.
    pub metric: Option<f64>,
}

/// A part of a dataset, ready to be evaluated again and again.
pub struct Part<'a> {
    graphs: Graphs<'a>,
    batches: Batches<'a>,
    labels: Labels<f64>,
    truth: Matrix<f64>,
}

impl<'a> Part<'a> {
    /// The part `items` of `graphs`.
    ///
    /// # Errors
    /// If the graphs do not fit together.
    pub fn new(graphs: Graphs<'a>, items: &'a [u32]) -> Result<Self> {
        let rows = |f: &dyn Fn(u32) -> &'a [f64]| {
            let cols = items.first().map_or(0, |&i| f(i).len());
            let data: Vec<f64> = items.iter().flat_map(|&i| f(i)).copied().collect();
            Matrix::from_vec(items.len(), cols, data).unwrap_or_default()
        };
        let inputs: Vec<&GraphInput> = items.iter().map(|&i| &graphs.inputs[i as usize]).collect();
        Ok(Self {
            labels: Labels::new(&inputs)?,
            truth: rows(&|i| graphs.truth[i as usize]),
            graphs,
            batches: Batches::new(graphs.inputs, items.to_vec())?,
        })
    }

    /// Are there no graphs in it?
    pub fn is_empty(&self) -> bool {
        self.batches.is_empty()
    }

    /// The predictions of the model, a row a graph, not yet in the unit of the data.
    ///
    /// # Errors
    /// If the graphs do not fit the model.
    pub fn predict(&self, model: &Model<f32>, pool: &Pool<f32>, seed: u64) -> Result<Matrix<f64>> {
        let noisy = model.config().inputs.random > 0;
        let said = self.batches.map(|b, batch| {
            let seed = if noisy { derive(seed, b as u64) } else { 0 };
            let y = model.predict_with_seed(batch, pool, seed)?;
            Ok(y.data().iter().map(|&x| f64::from(x)).collect())
        });
        let said: Vec<Vec<f64>> = said?;
        let said = said.concat();
        let cols = said.len().checked_div(self.batches.graphs()).unwrap_or(0);
        Ok(Matrix::from_vec(self.batches.graphs(), cols, said).unwrap_or_default())
    }

    /// The predictions in the unit of the data; logits stay logits. Also the loss.
    ///
    /// # Errors
    /// If the graphs do not fit the model or the loss.
    pub fn outputs(
        &self,
        model: &Model<f32>,
        pool: &Pool<f32>,
        loss: Loss,
        keys: RandomKeys,
    ) -> Result<(f64, Matrix<f64>)> {
        let mut said = self.predict(model, pool, keys.evaluation())?;
        let value = loss.value_and_gradient(&said, &self.labels)?.0;
        let cols = said.cols().max(1);
        said.data_mut().chunks_exact_mut(cols).for_each(self.graphs.restore);
        Ok((value, said))
    }

    /// Loss and metric of the model.
    ///
    /// # Errors
    /// If the graphs do not fit the model or the loss.
    pub fn score(
        &self,
        model: &Model<f32>,
        pool: &Pool<f32>,
        (loss, metric): (Loss, Metric),
        keys: RandomKeys,
    ) -> Result<Score> {
        let (value, said) = self.outputs(model, pool, loss, keys)?;
        let metric = Scored::new(loss.answers(), &said, &self.truth)?.metric(metric);
        Ok(Score { loss: value, metric })
    }

    /// The targets in the unit of the data, a row a graph.
    pub fn truth(&self) -> &Matrix<f64> {
        &self.truth
    }
}
