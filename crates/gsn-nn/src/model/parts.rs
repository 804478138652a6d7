//! What the networks have in common: encoders of what they read, and heads.

use crate::batch::{Batch, FeatureTable};
use crate::config::{self, Head, IdScope, Input, InputEncoding, Inputs, LayerReads, Readout};
use crate::error::Result;
use crate::layer::encoder::{Encoded, Encoder, dense};
use crate::layer::mlp::{Linear, Mlp};
use crate::layer::{Block, Ids};
use crate::matrix::Matrix;
use crate::params::Params;
use crate::scalar::Scalar;
use crate::tape::elementwise::Activation;
use crate::tape::{Tape, Var};

/// Reads the vertex features, which every network starts with.
#[derive(Debug)]
pub(super) struct VertexReader {
    encoder: Encoder,
    numbers: Option<Encoder>,
    /// Are the numbers brought to the width of the features and added, rather than put beside them?
    adds: bool,
    random: usize,
}

impl VertexReader {
    pub(super) fn new<T: Scalar>(p: &mut Params<T>, name: &str, inputs: &Inputs) -> Self {
        let encoder = Encoder::new(p, name, "vertex features", &inputs.vertex);
        let numbers = numbers_of(p, name, inputs, InputEncoding::None);
        Self { encoder, numbers, adds: false, random: inputs.random }
    }

    /// The same for a network that adds what it reads: a Linear, `{name}.numbers.encoder`, brings
    /// the numbers to the width of the features.
    pub(super) fn adding<T: Scalar>(p: &mut Params<T>, name: &str, inputs: &Inputs) -> Self {
        let encoder = Encoder::new(p, name, "vertex features", &inputs.vertex);
        let to_width = InputEncoding::Linear { width: encoder.width() };
        let numbers = numbers_of(p, name, inputs, to_width);
        Self { encoder, numbers, adds: true, random: inputs.random }
    }

    pub(super) fn width(&self) -> usize {
        let beside = self.numbers.as_ref().filter(|_| !self.adds).map_or(0, Encoder::width);
        self.encoder.width() + beside + self.random
    }

    pub(super) fn check<T: Scalar>(&self, batch: &Batch<T>) -> Result<()> {
        self.encoder.check(batch.vertex.as_ref())?;
        self.numbers.iter().try_for_each(|numbers| numbers.check(batch.numbers.as_ref()))
    }

    /// The encoded vertex features, with numbers of the vertices and fresh noise if asked for.
    pub(super) fn forward<'a, T: Scalar>(&'a self, tape: &mut Tape<'a, T>) -> Vec<Block<'a>> {
        let Some(table) = &tape.batch.vertex else { return Vec::new() };
        let mut x = vec![self.encoder.encode(tape, table, false).block];
        if let (Some(encoder), Some(table)) = (&self.numbers, &tape.batch.numbers) {
            let numbers = encoder.encode(tape, table, false).block;
            match self.adds {
                true => {
                    let both = [&x[0], &numbers].map(|block| dense(tape, block));
                    x = vec![Block::Dense(tape.add(both[0], both[1]))];
                }
                false => x.push(numbers),
            }
        }
        if self.random > 0 {
            let key = tape.stream();
            let n = tape.batch.vertices;
            let data = (0..(n * self.random) as u64)
                .map(|i| T::from_f64(gsn_core::random::uniform(key, i)));
            let noise = Matrix::from_vec(n, self.random, data.collect()).unwrap_or_default();
            x.push(Block::Dense(tape.constant(noise)));
        }
        x
    }
}

/// The encoder of the numbers of the vertices, if there are any.
fn numbers_of<T: Scalar>(
    p: &mut Params<T>,
    name: &str,
    inputs: &Inputs,
    encode: InputEncoding,
) -> Option<Encoder> {
    let input = Input::values(inputs.numbers).with_encode(encode);
    let name = format!("{name}.numbers");
    (inputs.numbers > 0).then(|| Encoder::new(p, &name, "numbers of vertices", &input))
}

/// Reads the structural identifiers.
#[derive(Debug)]
pub(super) struct IdReader {
    pub(super) scope: IdScope,
    encoder: Encoder,
}

impl IdReader {
    pub(super) fn new<T: Scalar>(p: &mut Params<T>, name: &str, ids: &config::Ids) -> Self {
        Self { scope: ids.scope, encoder: Encoder::new(p, name, "identifiers", &ids.input) }
    }

    fn table<'a, T>(&self, batch: &'a Batch<T>) -> Option<&'a FeatureTable<T>> {
        match self.scope {
            IdScope::Vertex => batch.vertex_ids.as_ref(),
            IdScope::Arc => batch.arc_ids.as_ref(),
        }
    }

    pub(super) fn check<T: Scalar>(&self, batch: &Batch<T>) -> Result<()> {
        self.encoder.check(self.table(batch))
    }

    pub(super) fn encode<'a, T: Scalar>(&'a self, tape: &mut Tape<'a, T>) -> Option<Encoded<'a>> {
        let table = self.table(tape.batch)?;
        if tape.between.is_some() {
            return self.encode_between(tape, table);
        }
        Some(self.encoder.encode(tape, table, self.scope == IdScope::Arc))
    }

    /// (1 − t)·e(start) + t·e(end), a row per vertex or arc, as a value to differentiate by.
    fn encode_between<'a, T: Scalar>(
        &'a self,
        tape: &mut Tape<'a, T>,
        end: &'a FeatureTable<T>,
    ) -> Option<Encoded<'a>> {
        let start = self.table(tape.between.as_ref()?.start)?;
        let [mut from, to] = [start, end].map(|table| {
            let encoded = self.encoder.encode(tape, table, false);
            let var = dense(tape, &encoded.block);
            tape.value(var).clone()
        });
        let (rows, cols) = (from.rows(), from.cols().max(1));
        let (batch, between) = (tape.batch, tape.between.as_ref()?);
        for (r, row) in from.data_mut().chunks_exact_mut(cols).enumerate() {
            let vertex = match self.scope {
                IdScope::Vertex => r,
                IdScope::Arc => batch.target[r] as usize,
            };
            let t = T::from_f64(between.at[batch.graph_of[vertex] as usize]);
            for (x, &y) in row.iter_mut().zip(to.row(r)) {
                *x = *x + t * (y - *x);
            }
        }
        let mixed = tape.leaf(from);
        tape.between.as_mut()?.read.push((mixed, &self.encoder));
        Some(Encoded { block: Block::Dense(mixed), rows, of_arc: None })
    }
}

/// Reads what a layer reads beside the vertices.
#[derive(Debug)]
pub(super) struct LayerReader {
    ids: Option<IdReader>,
    arc: Option<Encoder>,
}

impl LayerReader {
    /// Parameters `id_encoder.{layer}.*`, `edge_encoder.{layer}.*`; `arc_width` as in
    /// [`config::GsnLayer::arc_width`].
    pub(super) fn new<T: Scalar>(
        p: &mut Params<T>,
        layer: usize,
        inputs: &Inputs,
        reads: LayerReads,
        arc_width: Option<usize>,
    ) -> Self {
        let ids = inputs.ids.as_ref().filter(|_| reads.ids);
        let ids = ids.map(|ids| IdReader::new(p, &format!("id_encoder.{layer}"), ids));
        let arc = inputs.arc.as_ref().filter(|_| reads.arcs).map(|input: &Input| {
            let name = format!("edge_encoder.{layer}");
            Encoder::new(p, &name, "arc features", &input.with_width(arc_width))
        });
        Self { ids, arc }
    }

    /// Width of the identifiers of this scope; 0 if there are none.
    pub(super) fn ids_width(&self, scope: IdScope) -> usize {
        self.ids.as_ref().filter(|i| i.scope == scope).map_or(0, |i| i.encoder.width())
    }

    /// Width of the arc features; 0 if there are none.
    pub(super) fn arc_width(&self) -> usize {
        self.arc.as_ref().map_or(0, Encoder::width)
    }

    /// Are the identifiers one-hot, and the arc features?
    pub(super) fn one_hot(&self) -> (bool, bool) {
        let ids = self.ids.as_ref().is_some_and(|i| i.encoder.is_one_hot());
        (ids, self.arc.as_ref().is_some_and(Encoder::is_one_hot))
    }

    pub(super) fn check<T: Scalar>(&self, batch: &Batch<T>) -> Result<()> {
        self.ids.iter().try_for_each(|i| i.check(batch))?;
        self.arc.iter().try_for_each(|e| e.check(batch.arc.as_ref()))
    }

    pub(super) fn forward<'a, T: Scalar>(
        &'a self,
        tape: &mut Tape<'a, T>,
    ) -> (Ids<'a>, Option<Encoded<'a>>) {
        let ids = self.ids.as_ref().and_then(|r| Some((r.scope, r.encode(tape)?)));
        let ids = match ids {
            None => Ids::None,
            Some((IdScope::Vertex, x)) => Ids::Vertex(x.block),
            Some((IdScope::Arc, x)) => Ids::Arc(x),
        };
        let table = tape.batch.arc.as_ref();
        let arc = self.arc.as_ref().zip(table).map(|(e, table)| e.encode(tape, table, true));
        (ids, arc)
    }
}

/// What a head reads: the readouts of a graph, and the numbers of the graph as a whole beside them.
pub(super) fn head_input<'a, T: Scalar>(
    tape: &mut Tape<'a, T>,
    readouts: &[Var],
) -> Vec<Block<'a>> {
    let numbers = tape.batch.graph_numbers.clone().map(|x| Block::Dense(tape.constant(x)));
    readouts.iter().map(|&readout| Block::Dense(readout)).chain(numbers).collect()
}

/// From vertices to graphs, in one way or in several side by side.
#[derive(Debug)]
pub(super) struct Readouts(Vec<Readout>);

impl Readouts {
    pub(super) fn new(readout: Readout, beside: &[Readout]) -> Self {
        Self(std::iter::once(readout).chain(beside.iter().copied()).collect())
    }

    /// Width of all of them together, of vertices of this width.
    pub(super) fn width(&self, vertices: usize) -> usize {
        self.0.len() * vertices
    }

    pub(super) fn forward<T: Scalar>(&self, tape: &mut Tape<'_, T>, x: Var) -> Vec<Var> {
        self.0.iter().map(|&how| tape.segment(x, &tape.batch.vertex_offsets, how)).collect()
    }
}

/// From the readout of a graph to a prediction.
#[derive(Debug)]
pub(super) enum HeadNet {
    Linear(Linear),
    Mlp(Mlp),
}

impl HeadNet {
    /// A head that reads `inputs` numbers, those of [`head_input`] together.
    pub(super) fn new<T: Scalar>(
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

    pub(super) fn forward<T: Scalar>(&self, tape: &mut Tape<'_, T>, readouts: &[Var]) -> Var {
        readouts.iter().for_each(|&g| tape.mark("pooled", g));
        let rows = tape.batch.graphs;
        let blocks = head_input(tape, readouts);
        match self {
            HeadNet::Linear(l) => l.forward(tape, rows, &blocks),
            HeadNet::Mlp(m) => m.forward(tape, rows, &blocks),
        }
    }
}
