//! [`ModelConfig`]: everything that defines a network, serialisable and validated.
//!
//! The config *is* the documentation of defaults. Reading rejects unknown settings;
//! [`ModelConfig::validate`] rejects contradictory ones.

use serde::{Deserialize, Serialize};

pub use crate::layer::dgn::Scaler;
pub use crate::layer::encoder::{Data, Encoding, Input};
pub use crate::tape::direction::Aggregator;
pub use crate::tape::elementwise::Activation;
pub use crate::tape::segment::Readout;

/// Where structural identifiers live.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// On vertices: GSN-v.
    Vertex,
    /// On arcs: GSN-e.
    Arc,
}

/// Structural identifiers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ids {
    /// On vertices or on arcs.
    pub scope: Scope,
    /// The table and its encoding.
    pub input: Input,
}

/// What the network reads from a batch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inputs {
    /// Vertex features.
    pub vertex: Input,
    /// Arc features.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arc: Option<Input>,
    /// Structural identifiers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ids: Option<Ids>,
    /// Degrees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub degree: Option<Input>,
    /// Width of fresh uniform noise beside the vertex features at every pass (MPNN-r); 0: none.
    #[serde(default)]
    pub random: usize,
}

/// A model.
///
/// ```
/// use gsn_nn::ModelConfig;
/// let text = r#"{
///   "inputs": { "vertex": { "data": { "categories": { "sizes": [28] } }, "encode": "one-hot" } },
///   "network": { "kind": "gsn", "form": "gin", "layers": [ { "width": 16 }, { "width": 16 } ] },
///   "outputs": 1
/// }"#;
/// let config: ModelConfig = serde_json::from_str(text).unwrap();
/// config.validate().unwrap();
/// assert!(serde_json::from_str::<ModelConfig>(&text.replace("form", "from")).is_err());
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

/// The networks of SPEC §3.
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

/// Message form of a [`GsnConfig`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// Message MLP and update MLP.
    General,
    /// One MLP over sums.
    Gin,
}

/// What degrees do in a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DegreeUse {
    /// Nothing.
    #[default]
    None,
    /// They replace the vertex features.
    Replace,
    /// They stand beside the vertex features.
    Append,
}

/// A head: from the readout of a graph to a prediction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Head {
    /// One Linear.
    Linear,
    /// An MLP.
    Mlp {
        /// Hidden widths.
        hidden: Vec<usize>,
    },
}

/// The general and the GIN form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GsnConfig {
    /// Message form.
    pub form: Form,
    /// Layers, first to last.
    pub layers: Vec<GsnLayer>,
    /// GIN form: does the centre get a dummy for features on arcs (one more column of a one-hot
    /// block, a trained vector otherwise)? If not, zeros.
    #[serde(default = "yes")]
    pub dummy_self: bool,
    /// From vertices to graphs.
    #[serde(default = "sum")]
    pub readout: Readout,
    /// Jumping knowledge: head of the encoded input, then of every layer. Empty: a Linear head on
    /// the last layer.
    #[serde(default)]
    pub heads: Vec<Option<Head>>,
    /// Dropout on the output of each head; empty: none.
    #[serde(default)]
    pub dropout: Vec<f64>,
    /// Adds a layer's input to its output where the widths agree.
    #[serde(default)]
    pub residual: bool,
    /// BatchNorm inside the MLPs.
    #[serde(default = "yes")]
    pub mlp_norm: bool,
    /// Activation inside the MLPs.
    #[serde(default)]
    pub mlp_activation: Activation,
    /// Activation behind each layer.
    #[serde(default)]
    pub activation: Activation,
}

/// One layer of a [`GsnConfig`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GsnLayer {
    /// Output width.
    pub width: usize,
    /// Hidden widths of its MLPs; by default one of the output width.
    #[serde(default)]
    pub hidden: Option<Vec<usize>>,
    /// General form: width of the messages; by default the output width.
    #[serde(default)]
    pub message: Option<usize>,
    /// BatchNorm behind the layer.
    #[serde(default = "yes")]
    pub norm: bool,
    /// Reads the structural identifiers. By default the first layer does and the others do not.
    #[serde(default)]
    pub ids: Option<bool>,
    /// Reads the arc features. By default every layer does.
    #[serde(default)]
    pub arcs: Option<bool>,
    /// Width of the encoded arc features in this layer, where their encoding has one.
    #[serde(default)]
    pub arc_width: Option<usize>,
    /// What degrees do here.
    #[serde(default)]
    pub degree: DegreeUse,
    /// GIN form: trains ε.
    #[serde(default)]
    pub learn_eps: bool,
}

impl GsnLayer {
    /// A layer of this width, everything else by default.
    pub fn new(width: usize) -> Self {
        Self {
            width,
            hidden: None,
            message: None,
            norm: true,
            ids: None,
            arcs: None,
            arc_width: None,
            degree: DegreeUse::None,
            learn_eps: false,
        }
    }
}

/// The OGB form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OgbConfig {
    /// Layers, first to last; all of the width of the encoded vertex features.
    pub layers: Vec<OgbLayerConfig>,
    /// The virtual node.
    #[serde(default)]
    pub virtual_node: Option<VirtualNode>,
    /// Adds each layer's input to its output.
    #[serde(default)]
    pub residual: bool,
    /// From vertices to graphs.
    #[serde(default = "mean")]
    pub readout: Readout,
    /// Which of the encoded input and the layers' outputs are summed before the readout; empty:
    /// the last only.
    #[serde(default)]
    pub jumping: Vec<bool>,
    /// From graphs to predictions.
    #[serde(default = "linear")]
    pub head: Head,
    /// BatchNorm inside the MLPs.
    #[serde(default = "yes")]
    pub mlp_norm: bool,
    /// Activation inside the MLPs.
    #[serde(default)]
    pub mlp_activation: Activation,
    /// Activation behind each layer but the last.
    #[serde(default)]
    pub activation: Activation,
}

/// One layer of an [`OgbConfig`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OgbLayerConfig {
    /// Hidden widths of the MLP.
    pub hidden: Vec<usize>,
    /// BatchNorm behind the layer.
    #[serde(default = "yes")]
    pub norm: bool,
    /// Reads the structural identifiers. By default the first layer does and the others do not.
    #[serde(default)]
    pub ids: Option<bool>,
    /// Reads the arc features. By default every layer does.
    #[serde(default)]
    pub arcs: Option<bool>,
    /// Trains ε.
    #[serde(default)]
    pub learn_eps: bool,
    /// Dropout behind the layer.
    #[serde(default)]
    pub dropout: f64,
}

impl OgbLayerConfig {
    /// A layer with these hidden widths, everything else by default.
    pub fn new(hidden: Vec<usize>) -> Self {
        Self { hidden, norm: true, ids: None, arcs: None, learn_eps: false, dropout: 0.0 }
    }
}

/// The virtual node: one vector per graph beside its vertices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VirtualNode {
    /// Hidden widths of its MLP after each layer but the last.
    pub hidden: Vec<usize>,
    /// How it reads the vertices.
    #[serde(default = "sum")]
    pub readout: Readout,
    /// Starts from a trained vector (zero at first) rather than zeros.
    #[serde(default = "yes")]
    pub learn_start: bool,
}

/// The DGN form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DgnConfig {
    /// Output width of every layer.
    pub layers: Vec<usize>,
    /// Aggregators; `dir{d}-…` read column d of the identifiers as vector field.
    pub aggregators: Vec<Aggregator>,
    /// Degree scalers; all aggregators are repeated for each.
    #[serde(default = "identity")]
    pub scalers: Vec<Scaler>,
    /// Mean of ln(degree + 1) over the training set, for the scalers.
    #[serde(default = "one")]
    pub avg_log_degree: f64,
    /// Adds a layer's input to its output where the widths agree.
    #[serde(default = "yes")]
    pub residual: bool,
    /// BatchNorm in every layer.
    #[serde(default = "yes")]
    pub norm: bool,
    /// Divides by the root of the graph's size before BatchNorm.
    #[serde(default)]
    pub graph_norm: bool,
    /// Linears per layer.
    #[serde(default = "one_layer")]
    pub depth: usize,
    /// From vertices to graphs.
    #[serde(default = "mean")]
    pub readout: Readout,
    /// Dropout behind every layer.
    #[serde(default)]
    pub dropout: f64,
    /// Dropout behind the vertex encoder.
    #[serde(default)]
    pub input_dropout: f64,
}

/// DeepSets over arcs: ρ(Σ_{u→v} φ([h_u, h_v, x…, e_uv])).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeepSetsConfig {
    /// Hidden widths of φ.
    pub hidden: Vec<usize>,
    /// Output width of φ.
    pub width: usize,
    /// BatchNorm behind φ.
    #[serde(default = "yes")]
    pub norm: bool,
    /// From arcs to graphs.
    #[serde(default = "sum")]
    pub readout: Readout,
    /// ρ
    #[serde(default = "linear")]
    pub head: Head,
    /// Dropout on the prediction.
    #[serde(default)]
    pub dropout: f64,
    /// BatchNorm inside the MLPs.
    #[serde(default = "yes")]
    pub mlp_norm: bool,
    /// Activation inside the MLPs.
    #[serde(default)]
    pub mlp_activation: Activation,
    /// Activation behind φ.
    #[serde(default)]
    pub activation: Activation,
}

fn yes() -> bool {
    true
}
fn one() -> f64 {
    1.0
}
fn one_layer() -> usize {
    1
}
fn sum() -> Readout {
    Readout::Sum
}
fn mean() -> Readout {
    Readout::Mean
}
fn linear() -> Head {
    Head::Linear
}
fn identity() -> Vec<Scaler> {
    vec![Scaler::Identity]
}
