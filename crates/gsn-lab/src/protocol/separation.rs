//! The protocol `separation`: networks with random weights in evaluation mode, in f64, and the
//! pairs of graphs whose outputs are closer than a threshold.
//!
//! Cost: one pass over the graphs a seed, and the pairs that are close along one direction.

use super::Protocol;
use crate::error::{Error, Result};
use crate::prepare::CountedDataset;
use crate::recipe::Recipe;
use crate::separate::{Pairing, Points};
use gsn_nn::Model;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// How many pairs were not told apart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Separation {
    /// Pairs of graphs.
    pub pairs: u64,
    /// Pairs not told apart, by the network of each seed.
    pub failed: Vec<u64>,
}

impl Separation {
    /// Compares all pairs of a dataset by the recipe's network.
    ///
    /// # Errors
    /// If the recipe has another protocol, or its network cannot read the dataset.
    pub fn of(recipe: &Recipe, data: &CountedDataset) -> Result<Self> {
        let Protocol::Separation { threshold } = recipe.protocol else {
            let (name, protocol) = (&recipe.name, recipe.protocol.name());
            let what = format!("{name}: the protocol `{protocol}` compares no pairs");
            return Err(Error::Recipe(what));
        };
        let graphs = data.dataset.samples.len();
        let all: Vec<u32> = (0..graphs as u32).collect();
        let encoded = data.encode(recipe, &all)?;
        let failed = |&seed: &u64| -> Result<u64> {
            let model = Model::<f64>::new(encoded.config.clone(), seed)?;
            let outputs = Points::of(&encoded.inputs, |batch, pool| model.predict(batch, pool))?;
            Ok(outputs.close_pairs(threshold).count() as u64)
        };
        let failed = recipe.seeds.0.iter().map(failed).collect::<Result<_>>()?;
        Ok(Self { pairs: Pairing::All.count(graphs), failed })
    }

    /// Share of pairs that are not told apart, mean over seeds; 0 where there are none.
    pub fn share(&self) -> f64 {
        let all = self.pairs as f64 * self.failed.len() as f64;
        if all > 0.0 { self.failed.iter().sum::<u64>() as f64 / all } else { 0.0 }
    }
}
