//! Models: a validated [`ModelConfig`], its parameters, and passes over batches.

pub mod config;
mod deepsets;
mod dgn;
mod gsn;
mod ogb;
mod validate;

use crate::batch::Batch;
use crate::error::Result;
use crate::kernel::awake;
use crate::layer::Block;
use crate::layer::encoder::{Encoded, Encoder};
use crate::layer::general::Ids;
use crate::layer::mlp::{Linear, Mlp};
use crate::matrix::{Matrix, Pool};
use crate::params::{Grads, Params};
use crate::scalar::Scalar;
use crate::tape::elementwise::Activation;
use crate::tape::loss::Loss;
use crate::tape::{Tape, Trace, Var};
use config::{Head, Inputs, ModelConfig, Network, Scope};

/// A network and its parameters.
///
/// ```
/// use gsn_nn::{Adam, Batch, Features, GraphInput, Grads, Loss, Model, ModelConfig, Pool};
/// let config: ModelConfig = serde_json::from_str(r#"{
///   "inputs": { "vertex": { "data": { "categories": { "sizes": [2] } }, "encode": "one-hot" } },
///   "network": { "kind": "gsn", "form": "general", "layers": [ { "width": 8 } ] },
///   "outputs": 1
/// }"#).unwrap();
/// let mut model = Model::<f32>::new(config, 7).unwrap();
/// let graph = |tag, target| GraphInput {
///     vertices: 2,
///     arcs: vec![[0, 1], [1, 0]],
///     vertex: Some(Features::Categories { cols: 1, data: vec![tag, 1] }),
///     targets: vec![target],
///     ..GraphInput::default()
/// };
/// let batch = Batch::new(&[graph(0, 1.0), graph(1, -1.0)]).unwrap();
/// let (pool, mut grads) = (Pool::new(), Grads::new(model.params()));
/// let mut adam = Adam::new(model.params().count(), 0.01);
/// let mut losses = Vec::new();
/// for step in 0..50 {
///     losses.push(model.gradients(&batch, Loss::L1, step, &pool, &mut grads).unwrap());
///     adam.step(model.params_mut().values_mut(), grads.values());
/// }
/// assert!(losses[49] < 0.5 * losses[0]);
/// assert_eq!(model.predict(&batch, &pool).unwrap().rows(), 2);
/// ```
#[derive(Debug, Clone)]
pub struct Model<T> {
    config: ModelConfig,
    params: Params<T>,
    net: Net,
}

#[derive(Debug, Clone)]
enum Net {
    Gsn(Box<gsn::Gsn>),
    Ogb(Box<ogb::Ogb>),
    Dgn(Box<dgn::Dgn>),
    DeepSets(Box<deepsets::DeepSets>),
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
    /// If the configuration is contradictory.
    pub fn new(config: ModelConfig, seed: u64) -> Result<Self> {
        config.validate()?;
        let mut params = Params::new(seed);
        let p = &mut params;
        let (inputs, outputs) = (&config.inputs, config.outputs);
        let net = match &config.network {
            Network::Gsn(c) => Net::Gsn(Box::new(gsn::Gsn::new(p, inputs, c, outputs))),
            Network::Ogb(c) => Net::Ogb(Box::new(ogb::Ogb::new(p, inputs, c, outputs))),
            Network::Dgn(c) => Net::Dgn(Box::new(dgn::Dgn::new(p, inputs, c, outputs))),
            Network::DeepSets(c) => {
                Net::DeepSets(Box::new(deepsets::DeepSets::new(p, inputs, c, outputs)))
            }
        };
        Ok(Self { config, params, net })
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
        match &self.net {
            Net::Gsn(n) => n.check(batch),
            Net::Ogb(n) => n.check(batch),
            Net::Dgn(n) => n.check(batch),
            Net::DeepSets(n) => n.check(batch),
        }
    }

    fn forward<'a>(&'a self, tape: &mut Tape<'a, T>) -> Var {
        match &self.net {
            Net::Gsn(n) => n.forward(tape),
            Net::Ogb(n) => n.forward(tape),
            Net::Dgn(n) => n.forward(tape),
            Net::DeepSets(n) => n.forward(tape),
        }
    }

    /// One training pass: fills `grads`, moves the running statistics, returns the loss. `seed`
    /// decides dropout masks and random features; give every step another.
    ///
    /// # Errors
    /// If the batch does not fit the model or the loss.
    pub fn gradients(
        &mut self,
        batch: &Batch<T>,
        loss: Loss,
        seed: u64,
        pool: &Pool<T>,
        grads: &mut Grads<T>,
    ) -> Result<f64> {
        self.check(batch)?;
        let (value, stats) = awake(|| {
            let mut tape = Tape::new(&self.params, pool, batch, true, seed);
            let output = self.forward(&mut tape);
            let (var, value) = tape.loss(output, loss)?;
            tape.backward(var, grads);
            Ok((value, std::mem::take(&mut tape.stats)))
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
        awake(|| {
            let mut tape = Tape::new(&self.params, pool, batch, false, seed);
            let output = self.forward(&mut tape);
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
        let mut tape = Tape::new(&self.params, pool, batch, false, 0);
        tape.trace = Some(Trace::default());
        self.forward(&mut tape);
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
    /// If the batch does not fit the model or the loss.
    pub fn traced(
        &mut self,
        batch: &Batch<T>,
        loss: Loss,
        seed: u64,
        pool: &Pool<T>,
        grads: &mut Grads<T>,
    ) -> Result<Traced<T>> {
        self.check(batch)?;
        let mut tape = Tape::new(&self.params, pool, batch, true, seed);
        tape.trace = Some(Trace::default());
        let output = self.forward(&mut tape);
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

/// The encoders every network starts with.
#[derive(Debug, Clone)]
struct Reads {
    vertex: Encoder,
    random: usize,
}

impl Reads {
    fn new<T: Scalar>(p: &mut Params<T>, name: &str, inputs: &Inputs) -> Self {
        let vertex = Encoder::new(p, name, "vertex features", &inputs.vertex);
        Self { vertex, random: inputs.random }
    }

    fn width(&self) -> usize {
        self.vertex.width() + self.random
    }

    fn check<T: Scalar>(&self, batch: &Batch<T>) -> Result<()> {
        self.vertex.check(batch.vertex.as_ref())
    }

    /// The encoded vertex features, with fresh noise beside them if asked for.
    fn forward<'a, T: Scalar>(&'a self, tape: &mut Tape<'a, T>) -> Vec<Block<'a>> {
        let Some(table) = &tape.batch.vertex else { return Vec::new() };
        let mut x = vec![self.vertex.encode(tape, table, false).block];
        if self.random > 0 {
            let key = tape.stream();
            let n = tape.batch.vertices;
            let data =
                (0..(n * self.random) as u64).map(|i| T::from_f64(crate::rng::uniform(key, i)));
            let noise = Matrix::from_vec(n, self.random, data.collect()).unwrap_or_default();
            x.push(Block::Dense(tape.constant(noise)));
        }
        x
    }
}

/// Identifier encoder of one layer.
#[derive(Debug, Clone)]
struct IdReader {
    scope: Scope,
    encoder: Encoder,
}

impl IdReader {
    fn new<T: Scalar>(p: &mut Params<T>, layer: usize, ids: &config::Ids) -> Self {
        let encoder = Encoder::new(p, &format!("id_encoder.{layer}"), "identifiers", &ids.input);
        Self { scope: ids.scope, encoder }
    }

    fn table<'a, T>(&self, batch: &'a Batch<T>) -> Option<&'a crate::batch::Table<T>> {
        match self.scope {
            Scope::Vertex => batch.vertex_ids.as_ref(),
            Scope::Arc => batch.arc_ids.as_ref(),
        }
    }

    fn check<T: Scalar>(&self, batch: &Batch<T>) -> Result<()> {
        self.encoder.check(self.table(batch))
    }

    fn forward<'a, T: Scalar>(&'a self, tape: &mut Tape<'a, T>) -> Ids<'a> {
        let Some(table) = self.table(tape.batch) else { return Ids::None };
        match self.scope {
            Scope::Vertex => Ids::Vertex(self.encoder.encode(tape, table, false).block),
            Scope::Arc => Ids::Arc(self.encoder.encode(tape, table, true)),
        }
    }
}

/// Encodes the arc features for one layer.
fn arc_features<'a, T: Scalar>(
    encoder: &'a Option<Encoder>,
    tape: &mut Tape<'a, T>,
) -> Option<Encoded<'a>> {
    let (encoder, table) = (encoder.as_ref()?, tape.batch.arc.as_ref()?);
    Some(encoder.encode(tape, table, true))
}

/// From the readout of a graph to a prediction.
#[derive(Debug, Clone)]
enum HeadNet {
    Linear(Linear),
    Mlp(Mlp),
}

impl HeadNet {
    fn new<T: Scalar>(
        p: &mut Params<T>,
        name: &str,
        head: &Head,
        (inputs, outputs): (usize, usize),
        norm: bool,
        activation: Activation,
    ) -> Self {
        match head {
            Head::Linear => HeadNet::Linear(Linear::new(p, name, inputs, outputs)),
            Head::Mlp { hidden } => {
                HeadNet::Mlp(Mlp::new(p, name, (inputs, hidden, outputs), norm, activation))
            }
        }
    }

    fn forward<T: Scalar>(&self, tape: &mut Tape<'_, T>, g: Var) -> Var {
        tape.mark(|| "pooled".to_string(), g);
        let rows = tape.batch.graphs;
        match self {
            HeadNet::Linear(l) => l.forward(tape, rows, &[Block::Dense(g)]),
            HeadNet::Mlp(m) => m.forward(tape, rows, &[Block::Dense(g)]),
        }
    }
}
