//! The protocol `separation` (SPEC §4): networks with random weights in evaluation mode, in f64,
//! and the pairs of graphs whose outputs are closer than a threshold.
//!
//! Cost: one pass over the graphs a seed, and all pairs; a pair is given up at the first number
//! that is far enough apart, which is mostly the first of all.

use super::Protocol;
use crate::dataset::{Dataset, Task};
use crate::error::{Error, Result};
use crate::pipeline::Pipeline;
use crate::recipe::Recipe;
use gsn_core::{Counter, Graph};
use gsn_nn::{Batch, Model, Pool};
use serde::Serialize;

/// Graphs in one pass.
const BATCH: usize = 64;

/// How many pairs were not told apart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Separation {
    /// Pairs of graphs.
    pub pairs: u64,
    /// Pairs not told apart, by the network of each seed.
    pub failed: Vec<u64>,
}

impl Separation {
    /// Share of pairs that are not told apart, mean over seeds; 0 where there are none.
    pub fn share(&self) -> f64 {
        let all = self.pairs as f64 * self.failed.len() as f64;
        if all > 0.0 { self.failed.iter().sum::<u64>() as f64 / all } else { 0.0 }
    }
}

/// Compares all pairs of a dataset by the recipe's network.
///
/// # Errors
/// If the recipe has another protocol, or its network cannot read the dataset.
pub fn separate(recipe: &Recipe, dataset: Dataset) -> Result<Separation> {
    let Protocol::Separation { threshold } = recipe.protocol else {
        let (name, protocol) = (&recipe.name, recipe.protocol.name());
        return Err(Error::Recipe(format!("{name}: the protocol `{protocol}` compares no pairs")));
    };
    let dataset = recipe.data.select(dataset);
    let counts = match &recipe.counts {
        None => Vec::new(),
        Some(counts) => {
            let graphs: Vec<&Graph> = dataset.samples.iter().map(|s| &s.graph).collect();
            Counter::new(counts.spec()).count_many(&graphs)?
        }
    };
    let all: Vec<u32> = (0..dataset.samples.len() as u32).collect();
    let pipeline = Pipeline::fit(recipe, &dataset, &counts, &all)?;
    // What the graphs are labelled with does not matter here.
    let config = pipeline.model_config(recipe, &Task::Regression(recipe.network.width))?;
    let encode = |(i, sample)| pipeline.encode(sample, counts.get(i));
    let inputs = dataset.samples.iter().enumerate().map(encode).collect::<Result<Vec<_>>>()?;
    let mut failed = Vec::with_capacity(recipe.seeds.0.len());
    for &seed in &recipe.seeds.0 {
        let model = Model::<f64>::new(config.clone(), seed)?;
        let pool = Pool::new();
        let mut outputs: Vec<Vec<f64>> = Vec::with_capacity(inputs.len());
        for part in inputs.chunks(BATCH) {
            let predicted = model.predict(&Batch::new(part)?, &pool)?;
            outputs.extend(predicted.data().chunks(predicted.cols().max(1)).map(<[f64]>::to_vec));
        }
        let near = |a: &[f64], b: &[f64]| {
            let mut sum = 0.0;
            a.iter().zip(b).all(|(x, y)| {
                sum += (x - y) * (x - y);
                sum < threshold * threshold
            })
        };
        let later = |i: usize| outputs[i + 1..].iter().filter(|b| near(&outputs[i], b)).count();
        failed.push((0..outputs.len()).map(|i| later(i) as u64).sum());
    }
    let n = inputs.len() as u64;
    Ok(Separation { pairs: n * n.saturating_sub(1) / 2, failed })
}
