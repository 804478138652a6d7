//! Statistics of the BatchNorms over the training part, for evaluation (`training.batch-norm`).
//!
//! The batches are fixed: neither the epoch nor its order changes them. Files are often sorted by
//! class, so a batch takes every k-th graph of the part; batches are as large as an evaluation's,
//! so a small part is one batch and has exactly its own statistics. Cost: a forward pass over the
//! part, about a third of an epoch.

use super::batches::Batches;
use super::{BatchNorm, Graphs, RandomKeys, Settings};
use crate::error::Result;
use gsn_core::random::derive;
use gsn_nn::{Model, Pool};
use std::borrow::Cow;

/// How models are made ready for evaluation.
pub struct Statistics<'a> {
    /// The training part; nothing where running statistics are used.
    batches: Option<Batches<'a>>,
    seed: u64,
}

impl<'a> Statistics<'a> {
    /// As the settings say, over the training part `train`.
    ///
    /// # Errors
    /// If the graphs do not fit together.
    pub fn new(
        graphs: Graphs<'a>,
        train: &[u32],
        settings: &Settings,
        keys: RandomKeys,
    ) -> Result<Self> {
        let batches = match settings.batch_norm {
            BatchNorm::Running => None,
            BatchNorm::ReEstimated => Some(Batches::new(graphs.inputs, spread(train))?),
        };
        Ok(Self { batches, seed: keys.evaluation() })
    }

    /// The model as it is evaluated and stored; the one given goes on as it is.
    ///
    /// # Errors
    /// If the graphs do not fit the model.
    pub fn ready<'m>(
        &self,
        model: Cow<'m, Model<f32>>,
        pool: &Pool<f32>,
    ) -> Result<Cow<'m, Model<f32>>> {
        let Some(batches) = self.batches.as_ref().filter(|_| model.has_statistics()) else {
            return Ok(model);
        };
        let seen = batches.map(|b, batch| {
            Ok(model.batch_statistics(batch, pool, derive(self.seed, b as u64))?)
        })?;
        Ok(Cow::Owned(model.with_statistics(&seen)))
    }
}

/// Distance of neighbours of a batch in the training part, at most.
const STRIDE: usize = 64;

/// The items in an order in which neighbours lie far apart: every k-th, then every k-th from the
/// second on, and so forth.
fn spread(items: &[u32]) -> Vec<u32> {
    let k = items.len().div_ceil(256).clamp(1, STRIDE);
    (0..k).flat_map(|first| items.iter().skip(first).step_by(k).copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_order_holds_every_item_once() {
        for n in [0u32, 1, 255, 256, 257, 1000, 40_000] {
            let items: Vec<u32> = (5..5 + n).collect();
            let mut order = spread(&items);
            if n == 1000 {
                assert_eq!(order[..3], [5, 9, 13]);
            }
            order.sort_unstable();
            assert_eq!(order, items);
        }
    }
}
