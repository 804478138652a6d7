//! Parameters and buffers of a model, each with the name a PyTorch user expects.
//!
//! All parameters lie in one vector, so an optimiser is one pass; a [`ParamId`] is a place in it.

use crate::error::{Error, Result};
use crate::scalar::Scalar;
use crate::tape::norm::Stats;
use gsn_core::random;

/// Place and shape of a parameter. One-dimensional ones have one row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ParamId {
    pub(crate) index: usize,
    pub(crate) offset: usize,
    pub(crate) rows: usize,
    pub(crate) cols: usize,
}

/// A parameter's or buffer's name and shape.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Name, such as `conv.0.update_fn.fc.0.weight`.
    pub name: String,
    /// Shape as PyTorch would print it.
    pub shape: Vec<usize>,
    pub(crate) offset: usize,
    pub(crate) len: usize,
}

/// How a parameter starts.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Init {
    Constant(f64),
    /// Uniform in (−bound, bound).
    Uniform(f64),
}

/// The places of one BatchNorm.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NormIds {
    pub(crate) gamma: ParamId,
    pub(crate) beta: ParamId,
    /// Offsets of running mean and variance among the buffers, and index of the counter.
    pub(crate) mean: usize,
    pub(crate) var: usize,
    pub(crate) counter: usize,
}

/// Parameters, buffers (running statistics, fixed ε) and counters of a model.
#[derive(Debug, Clone)]
pub struct Params<T> {
    pub(crate) entries: Vec<Entry>,
    pub(crate) values: Vec<T>,
    pub(crate) buffer_entries: Vec<Entry>,
    pub(crate) buffers: Vec<T>,
    pub(crate) counters: Vec<(String, i64)>,
    seed: u64,
    /// Names and shapes alone, without a number.
    outline: bool,
}

impl<T: Scalar> Params<T> {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            entries: Vec::new(),
            values: Vec::new(),
            buffer_entries: Vec::new(),
            buffers: Vec::new(),
            counters: Vec::new(),
            seed,
            outline: false,
        }
    }

    /// Collects names and shapes and allocates no number, whatever the shapes are.
    pub(crate) fn outline() -> Self {
        Self { outline: true, ..Self::new(0) }
    }

    /// Numbers of all parameters and buffers, there or to be.
    pub(crate) fn numbers(&self) -> usize {
        end(&self.entries).saturating_add(end(&self.buffer_entries))
    }

    /// Adds a parameter.
    pub(crate) fn add(&mut self, name: String, shape: &[usize], init: Init) -> ParamId {
        let len = shape.iter().fold(1usize, |len, &side| len.saturating_mul(side));
        let (index, offset) = (self.entries.len(), end(&self.entries));
        if !self.outline {
            let key = random::derive(self.seed, index as u64);
            self.values.extend((0..len as u64).map(|i| {
                T::from_f64(match init {
                    Init::Constant(c) => c,
                    Init::Uniform(bound) => bound * (2.0 * random::uniform(key, i) - 1.0),
                })
            }));
        }
        self.entries.push(Entry { name, shape: shape.to_vec(), offset, len });
        let cols = shape.last().copied().unwrap_or(1);
        let rows = if shape.len() > 1 { shape[0] } else { 1 };
        ParamId { index, offset, rows, cols }
    }

    /// Adds a buffer and returns its offset.
    pub(crate) fn add_buffer(&mut self, name: String, len: usize, value: f64) -> usize {
        let offset = end(&self.buffer_entries);
        if !self.outline {
            self.buffers.resize(offset + len, T::from_f64(value));
        }
        self.buffer_entries.push(Entry { name, shape: vec![len], offset, len });
        offset
    }

    /// Adds a BatchNorm over `width` columns: γ = 1, β = 0, running mean 0 and variance 1.
    pub(crate) fn add_norm(&mut self, name: &str, width: usize) -> NormIds {
        let gamma = self.add(format!("{name}.weight"), &[width], Init::Constant(1.0));
        let beta = self.add(format!("{name}.bias"), &[width], Init::Constant(0.0));
        let mean = self.add_buffer(format!("{name}.running_mean"), width, 0.0);
        let var = self.add_buffer(format!("{name}.running_var"), width, 1.0);
        self.counters.push((format!("{name}.num_batches_tracked"), 0));
        NormIds { gamma, beta, mean, var, counter: self.counters.len() - 1 }
    }

    /// The numbers of a parameter.
    #[inline(always)]
    pub(crate) fn get(&self, id: ParamId) -> &[T] {
        &self.values[id.offset..id.offset + id.rows * id.cols]
    }

    /// Number of trained numbers.
    pub fn count(&self) -> usize {
        self.values.len()
    }

    /// Names and shapes of the parameters, in order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Names and shapes of the buffers (running statistics, fixed ε), in order.
    pub fn buffer_entries(&self) -> &[Entry] {
        &self.buffer_entries
    }

    /// The batch counters of the BatchNorms.
    pub fn counters(&self) -> &[(String, i64)] {
        &self.counters
    }

    /// All parameters in one slice.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// All parameters in one slice, to be changed (by an optimiser).
    pub fn values_mut(&mut self) -> &mut [T] {
        &mut self.values
    }

    /// Numbers of the parameter or buffer called `name`.
    pub fn by_name(&self, name: &str) -> Option<&[T]> {
        let find = |entries: &[Entry]| {
            entries.iter().find(|e| e.name == name).map(|e| e.offset..e.offset + e.len)
        };
        match find(&self.entries) {
            Some(range) => Some(&self.values[range]),
            None => find(&self.buffer_entries).map(|range| &self.buffers[range]),
        }
    }

    /// Overwrites the parameter or buffer called `name`; false if there is none of that length.
    #[must_use]
    pub fn set(&mut self, name: &str, to: &[T]) -> bool {
        for (entries, values) in
            [(&self.entries, &mut self.values), (&self.buffer_entries, &mut self.buffers)]
        {
            if let Some(e) = entries.iter().find(|e| e.name == name && e.len == to.len()) {
                values[e.offset..e.offset + e.len].copy_from_slice(to);
                return true;
            }
        }
        false
    }

    /// Moves running statistics towards those a training pass saw (momentum 0.1, unbiased
    /// variance). A pass over fewer than two rows says nothing about variance and is left out.
    pub(crate) fn apply(&mut self, stats: &[Stats]) {
        for s in stats.iter().filter(|s| s.count > 1) {
            let unbiased = s.count as f64 / (s.count as f64 - 1.0);
            for i in 0..s.mean.len() {
                let m = &mut self.buffers[s.ids.mean + i];
                *m = T::from_f64(0.9) * *m + T::from_f64(0.1) * T::from_f64(s.mean[i]);
                let v = &mut self.buffers[s.ids.var + i];
                *v = T::from_f64(0.9) * *v + T::from_f64(0.1) * T::from_f64(s.var[i] * unbiased);
            }
            self.counters[s.ids.counter].1 += 1;
        }
    }
}

/// Where the next of these begins.
fn end(entries: &[Entry]) -> usize {
    entries.last().map_or(0, |last| last.offset.saturating_add(last.len))
}

/// Gradients of all parameters, in the order of [`Params`].
#[derive(Debug, Clone)]
pub struct Grads<T> {
    pub(crate) values: Vec<T>,
    touched: Vec<bool>,
}

impl<T: Scalar> Grads<T> {
    /// Room for the gradients of `params`.
    pub fn new(params: &Params<T>) -> Self {
        Self { values: vec![T::ZERO; params.count()], touched: vec![false; params.entries.len()] }
    }

    /// All gradients in one slice.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// All gradients in one slice, to be changed (by clipping).
    pub fn values_mut(&mut self) -> &mut [T] {
        &mut self.values
    }

    /// Refuses gradients of another model.
    pub(crate) fn check(&self, params: &Params<T>) -> Result<()> {
        Error::length("gradients", self.values.len(), (params.count(), "parameters"))?;
        Error::length("gradients", self.touched.len(), (params.entries.len(), "tensors"))
    }

    pub(crate) fn start(&mut self) {
        self.touched.fill(false);
    }

    /// Where to add the gradient of `id`; zero at the first request of a pass.
    pub(crate) fn slot(&mut self, id: ParamId) -> &mut [T] {
        let slot = &mut self.values[id.offset..id.offset + id.rows * id.cols];
        if !std::mem::replace(&mut self.touched[id.index], true) {
            slot.fill(T::ZERO);
        }
        slot
    }

    /// Where to put all of the gradient of `id`: the numbers, and whether to add to them.
    pub(crate) fn slot_to_fill(&mut self, id: ParamId) -> (&mut [T], bool) {
        let add = std::mem::replace(&mut self.touched[id.index], true);
        (&mut self.values[id.offset..id.offset + id.rows * id.cols], add)
    }

    /// Parameters the pass did not reach have gradient zero.
    pub(crate) fn finish(&mut self, params: &Params<T>) {
        for (e, _) in params.entries.iter().zip(&self.touched).filter(|(_, t)| !**t) {
            self.values[e.offset..e.offset + e.len].fill(T::ZERO);
        }
    }
}
