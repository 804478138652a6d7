//! Models: a validated [`ModelConfig`], its parameters, and passes over batches.

mod deepsets;
mod dgn;
mod gsn;
mod ogb;
mod parts;
mod shares;
mod statistics;

pub use shares::IdentifierShares;
pub use statistics::BatchStatistics;

use std::fmt::Debug;
use std::sync::Arc;

use crate::batch::Batch;
use crate::config::{ModelConfig, Network};
use crate::error::Result;
use crate::kernel::with_spinning_threads;
use crate::matrix::{Matrix, Pool};
use crate::params::{Grads, Params};
use crate::scalar::Scalar;
use crate::tape::loss::Loss;
use crate::tape::{Pass, Tape, Trace, Var};
use gsn_core::memory;

/// A network and its parameters.
///
/// ```
/// use gsn_nn::config::{InputEncoding, Form, GsnConfig, GsnLayer, Input, Inputs};
/// use gsn_nn::{Adam, Batch, Features, GraphInput, Grads, Loss, Model, ModelConfig, Pool};
/// let tags = Input::categories([2]).with_encode(InputEncoding::OneHot);
/// let network = GsnConfig::new(Form::General, vec![GsnLayer::new(8)]);
/// let mut model = Model::<f32>::new(ModelConfig::new(Inputs::new(tags), network, 1), 7)?;
/// let graph = |tag, target| GraphInput {
///     vertices: 2,
///     arcs: vec![[0, 1], [1, 0]],
///     vertex: Some(Features::Categories { cols: 1, data: vec![tag, 1] }),
///     targets: vec![target],
///     ..GraphInput::default()
/// };
/// let batch = Batch::new(&[graph(0, 1.0), graph(1, -1.0)])?;
/// let (pool, mut grads) = (Pool::new(), Grads::new(model.params()));
/// let mut adam = Adam::new(model.params().count(), 0.01);
/// let mut losses = Vec::new();
/// for step in 0..50 {
///     losses.push(model.gradients(&batch, Loss::L1, step, &pool, &mut grads)?);
///     adam.step(model.params_mut().values_mut(), grads.values())?;
/// }
/// assert!(losses[49] < 0.5 * losses[0]);
/// assert_eq!(model.predict(&batch, &pool)?.rows(), 2);
/// # Ok::<(), gsn_nn::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Model<T: Scalar> {
    config: ModelConfig,
    params: Params<T>,
    net: Arc<dyn Net<T>>,
}

/// A network: the places of its parameters and the order of its layers.
trait Net<T: Scalar>: Debug + Send + Sync {
    /// Does the batch hold what the network reads?
    fn check(&self, batch: &Batch<T>) -> Result<()>;

    /// Predictions, a row per graph, of a batch that passed the check.
    fn forward<'a>(&'a self, tape: &mut Tape<'a, T>) -> Var;
}

/// The network of a valid configuration, its parameters behind those of `p`.
fn network<T: Scalar>(p: &mut Params<T>, config: &ModelConfig) -> Arc<dyn Net<T>> {
    let (inputs, outputs) = (&config.inputs, config.outputs);
    match &config.network {
        Network::Gsn(c) => Arc::new(gsn::Gsn::new(p, inputs, c, outputs)),
        Network::Ogb(c) => Arc::new(ogb::Ogb::new(p, inputs, c, outputs)),
        Network::Dgn(c) => Arc::new(dgn::Dgn::new(p, inputs, c, outputs)),
        Network::DeepSets(c) => Arc::new(deepsets::DeepSets::new(p, inputs, c, outputs)),
    }
}

/// Names and shapes of a configuration's parameters, before there is a number of them.
pub(crate) fn outline<T: Scalar>(config: &ModelConfig) -> Result<Params<T>> {
    config.validate()?;
    let mut params = Params::outline();
    network(&mut params, config);
    Ok(params)
}

impl ModelConfig {
    /// How many numbers a network of this configuration learns; allocates none of them.
    ///
    /// # Errors
    /// If the configuration is contradictory.
    pub fn parameters(&self) -> Result<usize> {
        let outline = outline::<f32>(self)?;
        Ok(outline.entries().iter().fold(0, |sum, entry| sum.saturating_add(entry.len)))
    }
}

/// Names and values of a traced training pass, and gradients of the named values.
#[derive(Debug, Clone)]
pub struct Traced<T> {
    /// (name, value, ∂loss/∂value if the loss depends on it); rows on arcs in the batch's order.
    pub values: Vec<(String, Matrix<T>, Option<Matrix<T>>)>,
    /// The loss.
    pub loss: f64,
    /// The prediction.
    pub output: Matrix<T>,
}

impl<T: Scalar> Model<T> {
    /// A fresh model; `seed` decides the start of every parameter.
    ///
    /// # Errors
    /// If the configuration is contradictory, or the parameters take more memory than the process
    /// may have.
    pub fn new(config: ModelConfig, seed: u64) -> Result<Self> {
        let numbers = outline::<T>(&config)?.numbers() as u64;
        memory::ask_for::<T>(numbers, || format!("a network of {numbers} numbers"))?;
        Ok(Self::filled(config, seed))
    }

    /// A model of a valid configuration whose outline was looked at.
    pub(crate) fn filled(config: ModelConfig, seed: u64) -> Self {
        let mut params = Params::new(seed);
        let net = network(&mut params, &config);
        Self { config, params, net }
    }

    /// Its configuration.
    pub fn config(&self) -> &ModelConfig {
        &self.config
    }

    /// Its parameters.
    pub fn params(&self) -> &Params<T> {
        &self.params
    }

    /// Its parameters, to be changed.
    pub fn params_mut(&mut self) -> &mut Params<T> {
        &mut self.params
    }

    /// Does the batch hold what the model reads?
    ///
    /// # Errors
    /// Names the first table that does not fit.
    pub fn check(&self, batch: &Batch<T>) -> Result<()> {
        let (there, read) =
            (batch.graph_numbers.as_ref().map_or(0, Matrix::cols), self.config.inputs.graph);
        if there != read {
            let what = format!("a graph has {there} numbers of its own, but {read} are read");
            return Err(crate::error::batch(what));
        }
        self.net.check(batch)
    }

    /// One training pass: fills `grads`, moves the running statistics, returns the loss. `seed`
    /// decides dropout masks and random features; give every step another.
    ///
    /// # Errors
    /// If the batch does not fit the model or the loss, or the gradients are another model's.
    pub fn gradients(
        &mut self,
        batch: &Batch<T>,
        loss: Loss,
        seed: u64,
        pool: &Pool<T>,
        grads: &mut Grads<T>,
    ) -> Result<f64> {
        self.check(batch)?;
        grads.check(&self.params)?;
        let (value, stats) = with_spinning_threads(|| {
            let mut tape = Tape::new(&self.params, pool, batch, Pass::Train, seed);
            let output = self.net.forward(&mut tape);
            let (var, value) = tape.loss(output, loss)?;
            tape.backward(var, grads);
            Ok::<_, crate::Error>((value, std::mem::take(&mut tape.stats)))
        })?;
        self.params.apply(&stats);
        Ok(value)
    }

    /// Predictions in evaluation mode, a row per graph.
    ///
    /// # Errors
    /// If the batch does not fit the model.
    pub fn predict(&self, batch: &Batch<T>, pool: &Pool<T>) -> Result<Matrix<T>> {
        self.predict_with_seed(batch, pool, 0)
    }

    /// [`Model::predict`] with a seed for random features (MPNN-r).
    ///
    /// # Errors
    /// If the batch does not fit the model.
    pub fn predict_with_seed(
        &self,
        batch: &Batch<T>,
        pool: &Pool<T>,
        seed: u64,
    ) -> Result<Matrix<T>> {
        self.check(batch)?;
        with_spinning_threads(|| {
            let mut tape = Tape::new(&self.params, pool, batch, Pass::Evaluate, seed);
            let output = self.net.forward(&mut tape);
            let y = tape.value(output);
            Ok(Matrix::from_vec(y.rows(), y.cols(), y.data().to_vec()).unwrap_or_default())
        })
    }

    /// Embeddings of the graphs before the last head, in evaluation mode.
    ///
    /// # Errors
    /// If the batch does not fit the model.
    pub fn embed(&self, batch: &Batch<T>, pool: &Pool<T>) -> Result<Matrix<T>> {
        self.check(batch)?;
        let mut tape = Tape::new(&self.params, pool, batch, Pass::Evaluate, 0);
        tape.trace = Some(Trace::default());
        self.net.forward(&mut tape);
        let pooled = tape
            .trace
            .as_ref()
            .and_then(|t| t.vars.iter().rev().find(|(name, _)| name == "pooled").map(|&(_, v)| v));
        Ok(pooled.map(|v| tape.value(v).clone()).unwrap_or_default())
    }

    /// A training pass like [`Model::gradients`] that computes every formula in its plain order,
    /// without fused operations, and keeps all named values: for comparison with other
    /// implementations.
    ///
    /// # Errors
    /// If the batch does not fit the model or the loss, or the gradients are another model's.
    pub fn traced(
        &mut self,
        batch: &Batch<T>,
        loss: Loss,
        seed: u64,
        pool: &Pool<T>,
        grads: &mut Grads<T>,
    ) -> Result<Traced<T>> {
        self.check(batch)?;
        grads.check(&self.params)?;
        let mut tape = Tape::new(&self.params, pool, batch, Pass::Train, seed);
        tape.trace = Some(Trace::default());
        let output = self.net.forward(&mut tape);
        let (var, value) = tape.loss(output, loss)?;
        tape.backward(var, grads);
        let vars = tape.trace.take().map(|t| t.vars).unwrap_or_default();
        let values = vars
            .into_iter()
            .map(|(name, v)| (name, tape.value(v).clone(), tape.grad(v).cloned()))
            .collect();
        let output = tape.value(output).clone();
        let stats = std::mem::take(&mut tape.stats);
        drop(tape);
        self.params.apply(&stats);
        Ok(Traced { values, loss: value, output })
    }
}
