//! [`ModelConfig`]: everything that defines a network, serialisable and validated.
//!
//! A configuration starts from what has no default (`new`) and changes the rest by `with_…`; every
//! field says its default. Reading one rejects unknown settings; [`ModelConfig::validate`] rejects
//! contradictory ones, each with a sentence that says what to change.

mod deepsets;
mod dgn;
mod gsn;
mod input;
mod ogb;

use serde::{Deserialize, Serialize};

pub use crate::layer::Form;
pub use crate::layer::dgn::Scaler;
pub use crate::tape::aggregator::Aggregator;
pub use crate::tape::elementwise::Activation;
pub use crate::tape::segment::Readout;
pub use deepsets::DeepSetsConfig;
pub use dgn::DgnConfig;
pub use gsn::{DegreeUse, GsnConfig, GsnLayer};
pub use input::{Data, Input, InputEncoding};
pub use ogb::{OgbConfig, OgbLayerConfig, VirtualNode};

use crate::error::{Error, Result};

pub(crate) use gsn_core::setters;

/// Where structural identifiers live.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IdScope {
    /// On vertices: GSN-v.
    Vertex,
    /// On arcs: GSN-e.
    Arc,
}

/// Structural identifiers: the counts of each vertex or arc, encoded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ids {
    /// On vertices or on arcs.
    pub scope: IdScope,
    /// The table and its encoding.
    pub input: Input,
}

impl Ids {
    /// Identifiers of this scope.
    pub fn new(scope: IdScope, input: Input) -> Self {
        Self { scope, input }
    }
}

/// What the network reads from a batch.
///
/// ```
/// use gsn_nn::config::{InputEncoding, Ids, Input, Inputs, IdScope};
/// let counts = Input::categories([5, 3]).with_encode(InputEncoding::OneHot);
/// let inputs = Inputs::new(Input::values(1)).with_ids(Ids::new(IdScope::Vertex, counts));
/// assert!(inputs.arc.is_none() && inputs.degree.is_none() && inputs.random == 0);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inputs {
    /// Vertex features.
    pub vertex: Input,
    /// Arc features. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arc: Option<Input>,
    /// Structural identifiers. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ids: Option<Ids>,
    /// Degrees. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub degree: Option<Input>,
    /// Numbers of every vertex that stand beside its encoded features; the OGB form adds them, after
    /// a Linear. Default: 0, none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub numbers: usize,
    /// Width of fresh uniform noise beside the vertex features at every pass (MPNN-r). Default: 0,
    /// none.
    #[serde(default)]
    pub random: usize,
    /// Numbers of a graph as a whole that heads read beside the readout. Default: 0, none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub graph: usize,
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}

impl Inputs {
    /// Vertex features and nothing else.
    pub fn new(vertex: Input) -> Self {
        Self { vertex, arc: None, ids: None, degree: None, numbers: 0, random: 0, graph: 0 }
    }

    setters! {
        with_arc(arc: impl Into<Option<Input>>),
        with_ids(ids: impl Into<Option<Ids>>),
        with_degree(degree: impl Into<Option<Input>>),
        with_numbers(numbers: usize),
        with_random(random: usize),
        with_graph(graph: usize),
    }

    fn validate(&self) -> Result<()> {
        self.vertex.validate("vertex features")?;
        self.arc.iter().try_for_each(|i| i.validate("arc features"))?;
        self.ids.iter().try_for_each(|i| i.input.validate("identifiers"))?;
        self.degree.iter().try_for_each(|i| i.validate("degrees"))?;
        if [self.numbers, self.random, self.graph].iter().any(|&width| width > MAX_WIDTH) {
            return wrong("random features or numbers of a vertex or a graph are too wide");
        }
        Ok(())
    }

    /// Is what the layers read there, and is what is there read? `reads` holds the settings `ids`
    /// and `arcs` of every layer.
    fn check_layers(
        &self,
        reads: impl Iterator<Item = (Option<bool>, Option<bool>)>,
    ) -> Result<()> {
        let (mut ids, mut arcs) = (false, false);
        for (i, (reads_ids, reads_arcs)) in reads.enumerate() {
            required(i, "identifiers", reads_ids == Some(true), self.ids.is_some())?;
            required(i, "arc features", reads_arcs == Some(true), self.arc.is_some())?;
            let reads = layer_reads(i, reads_ids, reads_arcs);
            (ids, arcs) = (ids || reads.ids, arcs || reads.arcs);
        }
        unused("identifiers", "network", self.ids.is_some() && !ids)?;
        unused("arc features", "network", self.arc.is_some() && !arcs)
    }
}

/// What one layer reads beside the vertices.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LayerReads {
    pub(crate) ids: bool,
    pub(crate) arcs: bool,
}

/// By default the first layer reads the identifiers, and every layer the arc features.
fn layer_reads(layer: usize, ids: Option<bool>, arcs: Option<bool>) -> LayerReads {
    LayerReads { ids: ids.unwrap_or(layer == 0), arcs: arcs.unwrap_or(true) }
}

/// A model: what it reads, what it computes, how many numbers it predicts.
///
/// ```
/// use gsn_nn::ModelConfig;
/// use gsn_nn::config::{InputEncoding, Form, GsnConfig, GsnLayer, Input, Inputs};
/// let atoms = Input::categories([28]).with_encode(InputEncoding::OneHot);
/// let network = GsnConfig::new(Form::Gin, vec![GsnLayer::new(16); 2]).with_residual(true);
/// let config = ModelConfig::new(Inputs::new(atoms), network, 1);
/// config.validate().unwrap();
/// assert!(ModelConfig { outputs: 0, ..config }.validate().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelConfig {
    /// What it reads.
    pub inputs: Inputs,
    /// What it computes.
    pub network: Network,
    /// Numbers predicted per graph.
    pub outputs: usize,
}

impl ModelConfig {
    /// A model; nothing in it has a default.
    pub fn new(inputs: Inputs, network: impl Into<Network>, outputs: usize) -> Self {
        Self { inputs, network: network.into(), outputs }
    }

    /// Checks every setting against the others.
    ///
    /// # Errors
    /// Names the first contradiction.
    pub fn validate(&self) -> Result<()> {
        widths("outputs", &[self.outputs])?;
        self.inputs.validate()?;
        match &self.network {
            Network::Gsn(c) => c.validate(&self.inputs),
            Network::Ogb(c) => c.validate(&self.inputs),
            Network::Dgn(c) => c.validate(&self.inputs),
            Network::DeepSets(c) => c.validate(&self.inputs),
        }?;
        let pieces = self.pieces();
        if pieces > MAX_PIECES {
            return wrong(format!("{pieces} layers and columns are more than {MAX_PIECES}"));
        }
        Ok(())
    }

    /// How much there is to build apart from the numbers: the Linears and the columns that every
    /// layer reads.
    pub(crate) fn pieces(&self) -> usize {
        let Inputs { vertex, arc, ids, degree, .. } = &self.inputs;
        let read = [arc.as_ref(), ids.as_ref().map(|ids| &ids.input), degree.as_ref()];
        let columns = |input: &Input| match &input.data {
            Data::Categories { sizes } => sizes.len(),
            Data::Values { .. } => 1,
        };
        let read: usize = read.into_iter().flatten().map(columns).sum();
        let (layers, deep) = match &self.network {
            Network::Gsn(c) => (c.layers.len(), 1),
            Network::Ogb(c) => (c.layers.len(), 1),
            Network::Dgn(c) => (c.layers.len(), c.depth),
            Network::DeepSets(_) => (1, 1),
        };
        layers.saturating_mul(deep.saturating_add(read)).saturating_add(columns(vertex))
    }
}

/// What a model computes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Network {
    /// General and GIN form with jumping knowledge.
    Gsn(GsnConfig),
    /// OGB form, with or without virtual node.
    Ogb(OgbConfig),
    /// DGN form.
    Dgn(DgnConfig),
    /// DeepSets over arcs.
    DeepSets(DeepSetsConfig),
}

macro_rules! network_from {
    ($($variant:ident($config:ident)),*) => {$(
        impl From<$config> for Network {
            fn from(config: $config) -> Self {
                Self::$variant(config)
            }
        }
    )*};
}
network_from!(Gsn(GsnConfig), Ogb(OgbConfig), Dgn(DgnConfig), DeepSets(DeepSetsConfig));

/// A head: from the readout of a graph to a prediction.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Head {
    /// One Linear.
    #[default]
    Linear,
    /// An MLP.
    Mlp {
        /// Hidden widths.
        hidden: Vec<usize>,
    },
}

/// Largest width taken seriously; guards against sizes that overflow when multiplied.
const MAX_WIDTH: usize = 1 << 20;

/// Most layers and columns of a network together; see [`ModelConfig::pieces`].
const MAX_PIECES: usize = 1 << 22;

/// An [`Error::Config`].
fn wrong<T>(what: impl Into<String>) -> Result<T> {
    Err(Error::Config(what.into()))
}

fn widths(what: &str, all: &[usize]) -> Result<()> {
    match all.iter().find(|&&w| w == 0 || w > MAX_WIDTH) {
        Some(w) => wrong(format!("{what}: width {w} is not within 1..={MAX_WIDTH}")),
        None => Ok(()),
    }
}

fn some_layers<L>(layers: &[L]) -> Result<()> {
    if layers.is_empty() { wrong("a network needs at least one layer") } else { Ok(()) }
}

fn probability(what: &str, p: f64) -> Result<()> {
    match (0.0..1.0).contains(&p) {
        true => Ok(()),
        false => wrong(format!("{what}: dropout {p} is not within 0 <= p < 1")),
    }
}

fn head(what: &str, head: &Head) -> Result<()> {
    match head {
        Head::Linear => Ok(()),
        Head::Mlp { hidden } => widths(what, hidden),
    }
}

/// A list with an entry for the input and one per layer, or an empty one.
fn length(what: &str, got: usize, layers: usize) -> Result<()> {
    if got == 0 || got == layers + 1 {
        return Ok(());
    }
    wrong(format!("{what}: {got} entries, but there are {} (input and layers)", layers + 1))
}

fn required(layer: usize, what: &str, reads: bool, there: bool) -> Result<()> {
    if reads && !there {
        return wrong(format!("layer {layer} reads {what}, but there are none in inputs"));
    }
    Ok(())
}

fn unused(what: &str, network: &str, is: bool) -> Result<()> {
    if is {
        return wrong(format!("{what} are given, but the {network} does not read them"));
    }
    Ok(())
}

fn yes() -> bool {
    true
}
fn sum() -> Readout {
    Readout::Sum
}
fn mean() -> Readout {
    Readout::Mean
}
