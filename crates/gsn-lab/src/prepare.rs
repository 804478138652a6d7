//! From a recipe and a dataset to what a network reads: select, count, fit, encode.
//!
//! Training, comparing random weights and the demo all take this way; a prediction takes its last
//! step with the pipeline of its model. Selecting and counting happen once for a run, fitting and
//! encoding once for a training part.

use crate::cache::{Cache, Request, counts_of};
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::pipeline::Pipeline;
use crate::protocol::Protocol;
use crate::recipe::Recipe;
use crate::train::ClassWeights;
use gsn_core::{Counts, Graph};
use gsn_nn::{GraphInput, ModelConfig};
use rayon::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The graphs that a recipe uses, and their counts.
#[derive(Debug, Clone)]
pub struct CountedDataset {
    /// The graphs, without those that the recipe leaves out.
    pub dataset: Dataset,
    /// Counts of every graph; empty if the recipe counts nothing.
    pub counts: Vec<Counts>,
    /// Why counts could not be kept in the cache, if so.
    pub not_kept: Option<String>,
}

/// Graphs as a network reads them, and the network for them.
#[derive(Debug, Clone)]
pub struct EncodedDataset {
    /// The graphs, in the dataset's order.
    pub inputs: Vec<GraphInput>,
    /// From a graph with its counts to such an input, and back from a prediction.
    pub pipeline: Pipeline,
    /// The network.
    pub config: ModelConfig,
}

impl CountedDataset {
    /// Selects the graphs of a recipe and counts in them, or takes the counts from the cache.
    /// `stop` ends counting when it is turned on.
    ///
    /// ```
    /// use gsn_lab::{cache::Cache, catalogue, prepare::CountedDataset, recipe::Recipe};
    /// # fn main() -> Result<(), gsn_lab::Error> {
    /// # if false {
    /// let recipe = Recipe::find("mutag-gsn-e")?;
    /// let data = catalogue::load(&recipe.data.set)?;
    /// let counted = CountedDataset::new(&recipe, data, &Cache::off(), None)?;
    /// let encoded = counted.encode(&recipe, &[0, 1, 2])?;
    /// assert_eq!(encoded.inputs.len(), 188);
    /// # }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Stopped`] if that was asked for, or when a graph cannot be counted.
    pub fn new(
        recipe: &Recipe,
        dataset: Dataset,
        cache: &Cache,
        stop: Option<&Arc<AtomicBool>>,
    ) -> Result<Self> {
        let dataset = recipe.data.select(dataset);
        let Some(counts) = &recipe.counts else {
            return Ok(Self { dataset, counts: Vec::new(), not_kept: None });
        };
        let graphs: Vec<&Graph> = dataset.samples.iter().map(|sample| &sample.graph).collect();
        let request = Request { cancel: stop.cloned(), ..Request::new(counts.spec()) };
        let counted = counts_of(&graphs, &request, cache);
        if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Err(Error::Stopped);
        }
        let (counts, report) = counted?;
        Ok(Self { dataset, counts, not_kept: report.not_kept })
    }

    /// All graphs as read by a network whose pipeline is fitted on the training part `train`.
    ///
    /// # Errors
    /// If the recipe asks for features that the dataset does not have, or its network cannot read
    /// what the pipeline gives.
    pub fn encode(&self, recipe: &Recipe, train: &[u32]) -> Result<EncodedDataset> {
        let Self { dataset, counts, .. } = self;
        let pipeline = Pipeline::fit(recipe, dataset, counts, train)?;
        let outputs = match recipe.protocol {
            // What the graphs are labelled with does not matter there.
            Protocol::Separation { .. } => recipe.network.width,
            _ => dataset.task.outputs(),
        };
        let config = pipeline.model_config(recipe, outputs)?;
        let samples = dataset.samples.par_iter().enumerate();
        let inputs = samples.map(|(i, sample)| pipeline.encode(sample, counts.get(i)));
        let mut inputs: Vec<GraphInput> = inputs.collect::<Result<_>>()?;
        let weights = recipe.training.as_ref().and_then(|training| training.class_weights.as_ref());
        if let Some(weights) = weights {
            let fitted = weights.fit(dataset, train)?;
            for (input, sample) in inputs.iter_mut().zip(&dataset.samples) {
                input.weights = ClassWeights::of_targets(&fitted, &sample.targets);
            }
        }
        Ok(EncodedDataset { inputs, pipeline, config })
    }
}
