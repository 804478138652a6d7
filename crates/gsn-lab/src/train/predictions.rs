//! What a trained unit, or the mean of several, predicts for every graph of a part.

use crate::error::Result;
use crate::model_file::Part;
use gsn_nn::Matrix;
use gsn_nn::metrics::{Answers, Scored};

/// How answers to questions and classes are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// As a network gives them.
    Logits,
    /// As they are averaged and written.
    Probabilities,
}

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
    /// Numbers in the unit of the data; questions and classes as `form` says.
    pub outputs: Matrix<f64>,
    /// How questions and classes are answered.
    pub form: Form,
}

impl PartPredictions {
    /// The outputs with probabilities instead of logits: what `gsn predict` writes.
    pub fn values(&self) -> Matrix<f64> {
        let mut values = self.outputs.clone();
        if self.form == Form::Probabilities {
            return values;
        }
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
        Ok(match self.form {
            Form::Logits => Scored::new(self.answers, &self.outputs, &self.targets)?,
            Form::Probabilities => {
                Scored::of_probabilities(self.answers, &self.outputs, &self.targets)?
            }
        })
    }
}
