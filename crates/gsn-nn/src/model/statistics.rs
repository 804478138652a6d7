//! Statistics of the BatchNorms over a whole part, in place of running ones.
//!
//! Running statistics follow the last few batches of an epoch, and the weights moved between those
//! batches. Here the weights stand still: every batch of a part passes once, each BatchNorm
//! normalises it by its own statistics as in training (without dropout), and what all batches saw
//! is pooled: with rows n_b, mean m_b and variance v_b of a batch
//!
//! mean = Σ n_b·m_b / Σ n_b,  var = Σ n_b·(v_b + (m_b − mean)²) / Σ n_b.
//!
//! A part that is one batch is then evaluated exactly as it was trained on (but for dropout).
//!
//! The sums are exact, so the order of the batches and the number of threads change nothing.
//! Cost: the forward half of a training step for every batch.

use super::Model;
use crate::batch::Batch;
use crate::error::Result;
use crate::kernel::exact::ExactSum;
use crate::kernel::with_spinning_threads;
use crate::matrix::Pool;
use crate::scalar::Scalar;
use crate::tape::norm::Stats;
use crate::tape::{Pass, Tape};
use std::collections::BTreeMap;

/// What every BatchNorm of a model saw in one batch.
pub struct BatchStatistics(Vec<Stats>);

impl<T: Scalar> Model<T> {
    /// What every BatchNorm sees when `batch` passes; nothing of the model changes. `seed` decides
    /// random features.
    ///
    /// # Errors
    /// If the batch does not fit the model.
    pub fn batch_statistics(
        &self,
        batch: &Batch<T>,
        pool: &Pool<T>,
        seed: u64,
    ) -> Result<BatchStatistics> {
        self.check(batch)?;
        with_spinning_threads(|| {
            let mut tape = Tape::new(&self.params, pool, batch, Pass::Measure, seed);
            self.net.forward(&mut tape);
            Ok(BatchStatistics(std::mem::take(&mut tape.stats)))
        })
    }

    /// Does it normalise by statistics at all?
    pub fn has_statistics(&self) -> bool {
        !self.params.counters().is_empty()
    }

    /// This model with the statistics of the batches together instead of its own. A BatchNorm
    /// that saw fewer than two rows keeps its own.
    pub fn with_statistics(&self, batches: &[BatchStatistics]) -> Self {
        let mut model = self.clone();
        // The offset of the means tells the BatchNorms apart.
        let mut norms: BTreeMap<usize, Vec<&Stats>> = BTreeMap::new();
        for stats in batches.iter().flat_map(|batch| &batch.0) {
            norms.entry(stats.ids.mean).or_default().push(stats);
        }
        for seen in norms.into_values() {
            let rows: usize = seen.iter().map(|s| s.count).sum();
            let Some(Stats { ids, mean, .. }) = seen.first().filter(|_| rows > 1) else { continue };
            for i in 0..mean.len() {
                let pooled = |of: &dyn Fn(&Stats) -> f64| {
                    let mut sum = ExactSum::default();
                    seen.iter().for_each(|s| sum.add(s.count as f64 * of(s)));
                    sum.value()
                };
                let mean = pooled(&|s| s.mean[i]) / rows as f64;
                let square = pooled(&|s| s.var[i] + (s.mean[i] - mean) * (s.mean[i] - mean));
                model.params.buffers[ids.mean + i] = T::from_f64(mean);
                model.params.buffers[ids.var + i] = T::from_f64(square / rows as f64);
            }
        }
        model
    }
}
