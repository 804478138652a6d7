//! What a trained unit predicts for every graph of every part.

use crate::error::Result;
use crate::model_file::Part;
use gsn_nn::Matrix;
use gsn_nn::metrics::{Answers, Scored};

/// The predictions for one part. For a network without random features they are what
/// [`crate::predict::Predictor`] says with the unit's model, bit for bit.
#[derive(Debug, Clone, PartialEq)]
pub struct PartPredictions {
    /// Which part.
    pub part: Part,
    /// Its graphs, as indices into [`crate::Dataset::samples`]; a row below for each.
    pub items: Vec<u32>,
    /// What is predicted.
    pub answers: Answers,
    /// The targets in the unit of the data; NaN where one is missing.
    pub targets: Matrix<f64>,
    /// Numbers in the unit of the data; logits of questions and classes.
    pub outputs: Matrix<f64>,
}

impl PartPredictions {
    /// The outputs with probabilities instead of logits: what `gsn predict` writes.
    pub fn values(&self) -> Matrix<f64> {
        let mut values = self.outputs.clone();
        let cols = values.cols().max(1);
        let rows = values.data_mut().chunks_exact_mut(cols);
        rows.for_each(|row| Scored::probabilities(self.answers, row));
        values
    }

    /// Ready for every metric.
    ///
    /// # Errors
    /// If there are not as many outputs as targets.
    pub fn scored(&self) -> Result<Scored> {
        Ok(Scored::new(self.answers, &self.outputs, &self.targets)?)
    }
}
