//! The `[network]` table: a few words that stand for a whole [`gsn_nn::ModelConfig`]; the
//! [`crate::pipeline`] writes it out once it knows the data.

use gsn_core::setters;
pub use gsn_nn::config::Readout;
use gsn_nn::config::{Aggregator, Form, Scaler};
use serde::{Deserialize, Serialize};

/// The `[network]` table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Network {
    /// Which network.
    pub kind: Kind,
    /// Message passing layers, required but in `deepsets`, which has none. Kinds: `gsn`, `mpnn`,
    /// `gin`, `ogb`, `dgn`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layers: Option<usize>,
    /// Width of every layer.
    pub width: usize,
    /// Hidden width of the MLPs; the width if not given. Kinds: `gsn`, `mpnn`, `gin`, `ogb`,
    /// `deepsets`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden: Option<usize>,
    /// How the vertices of a graph are summed up.
    pub readout: Readout,
    /// Further readouts that the head reads beside it; none if not given. Kinds: `gsn`, `mpnn`,
    /// `gin`, `ogb`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<Readout>,
    /// The head also reads ln(1 + total) of every column of counts, the total being over all rows
    /// of a graph; not by default.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub count_totals: bool,
    /// Which layers predict: the last one if not given. Kinds: `gsn`, `mpnn`, `gin`, `ogb`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jumping: Option<Jumping>,
    /// What predicts from a readout: one Linear if not given. Kinds: `gsn`, `mpnn`, `gin`, `ogb`,
    /// `deepsets`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<Head>,
    /// Dropout, 0 if not given: on predictions (`gsn`, `mpnn`, `gin`, `deepsets`), behind every
    /// layer (`ogb`, `dgn`).
    #[serde(default)]
    pub dropout: f64,
    /// Which layers read the counts: the first one if not given. Kinds: `gsn`, `mpnn`, `gin`,
    /// `ogb`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inject: Option<Where>,
    /// Which layers read the features of the arcs; none if not given. Kinds: `gsn`, `mpnn`, `gin`,
    /// `ogb`, `deepsets`.
    #[serde(default)]
    pub edge_features: EdgeFeatures,
    /// A virtual node, not there by default. Kinds: `ogb`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub virtual_node: bool,
    /// BatchNorm behind every layer, there by default; the MLPs keep theirs in any case.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub norm: bool,
    /// Adds a layer's input to its output; only `dgn` does unless told otherwise. Kinds: `gsn`,
    /// `mpnn`, `gin`, `ogb`, `dgn`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub residual: Option<bool>,
    /// Width of a state of every arc, made anew behind every layer but the last from the vertices at
    /// its ends and the state before it, at first the features of the arc. Layers behind the first
    /// read the states in place of the features. None if not given. Kinds: `gsn`, `mpnn`, `gin`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edge_states: Option<usize>,
    /// Trains ε; it stays 0 by default. Kinds: `gin`, `ogb`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub learn_eps: bool,
    /// Steps of closed random walks: the chances that a walk of 1, 2, … steps is back where it
    /// started stand beside the features of the vertices (`ogb` adds them, after a Linear). None if
    /// not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub walks: Option<usize>,
    /// Fresh uniform noise beside the features of the vertices at every pass, as wide as the
    /// network (MPNN-r). Kinds: `gsn`, `mpnn`, `gin`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub random_features: bool,
    /// How features of vertices are encoded; if not given, categories become one-hot (`ogb`,
    /// `dgn`: an embedding) and numbers stay as they are (`ogb`, `dgn`: a Linear).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vertex_encoding: Option<FeatureEncoding>,
    /// How features of arcs are encoded; as those of vertices if not given. Kinds: `gsn`, `mpnn`,
    /// `gin`, `ogb`, `deepsets`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arc_encoding: Option<FeatureEncoding>,
    /// Aggregators: `mean`, `max`, `min` and, with counts, `dir-av` if not given. `dir-av` and the
    /// like stand for one per column of counts. Kinds: `dgn`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aggregators: Option<Vec<DgnAggregator>>,
    /// Scalers by degree; `identity` alone if not given. Kinds: `dgn`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scalers: Option<Vec<Scaler>>,
}

impl Network {
    /// A network without layers of its own, features of arcs or counts; see the fields for what
    /// is left out.
    ///
    /// ```
    /// use gsn_lab::recipe::Network;
    /// use gsn_lab::recipe::network::{Head, Kind, Readout};
    /// let network =
    ///     Network::new(Kind::Gsn, 64, Readout::Sum).with_layers(4).with_head(Head::Mlp);
    /// assert!(network.norm && network.dropout == 0.0);
    /// ```
    pub fn new(kind: Kind, width: usize, readout: Readout) -> Self {
        Self {
            kind,
            layers: None,
            width,
            hidden: None,
            readout,
            beside: Vec::new(),
            count_totals: false,
            jumping: None,
            head: None,
            dropout: 0.0,
            inject: None,
            edge_features: EdgeFeatures::None,
            virtual_node: false,
            norm: true,
            residual: None,
            edge_states: None,
            learn_eps: false,
            walks: None,
            random_features: false,
            vertex_encoding: None,
            arc_encoding: None,
            aggregators: None,
            scalers: None,
        }
    }

    setters! {
        with_layers(layers: usize),
        with_hidden(hidden: usize),
        with_beside(beside: Vec<Readout>),
        with_count_totals(count_totals: bool),
        with_jumping(jumping: Jumping),
        with_head(head: Head),
        with_dropout(dropout: f64),
        with_inject(inject: Where),
        with_edge_features(edge_features: EdgeFeatures),
        with_virtual_node(virtual_node: bool),
        with_norm(norm: bool),
        with_residual(residual: bool),
        with_edge_states(edge_states: usize),
        with_learn_eps(learn_eps: bool),
        with_walks(walks: usize),
        with_random_features(random_features: bool),
        with_vertex_encoding(vertex_encoding: FeatureEncoding),
        with_arc_encoding(arc_encoding: FeatureEncoding),
        with_aggregators(aggregators: Vec<DgnAggregator>),
        with_scalers(scalers: Vec<Scaler>)
    }
}

/// The networks of the paper and its baselines; `docs/src/mathematics.md` has their formulas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The general form: an MLP per message, an MLP per update.
    Gsn,
    /// The general form without counts.
    Mpnn,
    /// The GIN form: one MLP over sums.
    Gin,
    /// The OGB form: embeddings added, dropout between layers, virtual node.
    Ogb,
    /// The directional form.
    Dgn,
    /// An MLP per arc and a sum: the control without message passing.
    Deepsets,
}

impl Kind {
    /// Every kind there is.
    pub const ALL: &[Kind] =
        &[Kind::Gsn, Kind::Mpnn, Kind::Gin, Kind::Ogb, Kind::Dgn, Kind::Deepsets];

    /// How it is built.
    pub(crate) fn architecture(self) -> Architecture {
        match self {
            Kind::Gsn | Kind::Mpnn => Architecture::Layers(Form::General),
            Kind::Gin => Architecture::Layers(Form::Gin),
            Kind::Ogb => Architecture::Ogb,
            Kind::Dgn => Architecture::Dgn,
            Kind::Deepsets => Architecture::DeepSets,
        }
    }

    /// Does it have this key of the table?
    pub(super) fn has(self, key: &str) -> bool {
        let layers = matches!(self.architecture(), Architecture::Layers(_));
        match key {
            "layers" | "residual" => self != Kind::Deepsets,
            "hidden" | "head" | "edge-features" | "arc-encoding" => self != Kind::Dgn,
            "jumping" | "inject" | "beside" => layers || self == Kind::Ogb,
            "random-features" | "edge-states" => layers,
            "learn-eps" => matches!(self, Kind::Gin | Kind::Ogb),
            "virtual-node" => self == Kind::Ogb,
            "aggregators" | "scalers" => self == Kind::Dgn,
            _ => true,
        }
    }

    /// Its word in a recipe.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Gsn => "gsn",
            Kind::Mpnn => "mpnn",
            Kind::Gin => "gin",
            Kind::Ogb => "ogb",
            Kind::Dgn => "dgn",
            Kind::Deepsets => "deepsets",
        }
    }
}

/// How a network is built in `gsn-nn`.
pub(crate) enum Architecture {
    /// Layers of one form with jumping knowledge.
    Layers(Form),
    Ogb,
    Dgn,
    DeepSets,
}

/// Which layers predict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Jumping {
    /// The last one.
    #[default]
    Last,
    /// The encoded input and all layers, summed.
    All,
}

/// What predicts from a readout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Head {
    /// One Linear.
    #[default]
    Linear,
    /// An MLP of the hidden width.
    Mlp,
}

/// Which layers read something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Where {
    /// The first (the authors' default).
    #[default]
    First,
    /// All.
    All,
}

/// Which layers read the features of the arcs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EdgeFeatures {
    /// None; the features are left aside.
    #[default]
    None,
    /// The first.
    First,
    /// All.
    All,
}

/// How features of vertices and arcs are encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FeatureEncoding {
    /// One-hot categories.
    OneHot,
    /// A trained row per category, as wide as the network, summed over columns.
    Embedding,
    /// A Linear to the width of the network.
    Linear,
    /// Numbers as they are.
    Raw,
}

/// An aggregator of the `dgn` form: a plain one, one of a numbered direction, or one for every
/// direction there is (`dir-av`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum DgnAggregator {
    /// As it is.
    One(Aggregator),
    /// What follows `dir{d}-`, for each direction.
    Each(String),
}

impl DgnAggregator {
    /// Written out for this many directions.
    pub(crate) fn expand(&self, directions: usize) -> Vec<Aggregator> {
        match self {
            DgnAggregator::One(one) => vec![*one],
            DgnAggregator::Each(rest) => {
                (0..directions).filter_map(|d| format!("dir{d}-{rest}").parse().ok()).collect()
            }
        }
    }
}

impl TryFrom<String> for DgnAggregator {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match text.strip_prefix("dir-") {
            Some(rest) => match format!("dir0-{rest}").parse::<Aggregator>() {
                Ok(_) => Ok(DgnAggregator::Each(rest.to_owned())),
                Err(_) => Err(unknown(&text)),
            },
            None => text.parse().map(DgnAggregator::One).map_err(|_| unknown(&text)),
        }
    }
}

fn unknown(text: &str) -> String {
    format!(
        "unknown aggregator `{text}`, expected one of `mean`, `sum`, `max`, `min`, `var`, `std`, \
         `dir-av`, `dir-dx`, `dir-dx-no-abs`, `dir-dx-balanced`, `dir-0.1`, `dir-neg-0.1`"
    )
}

impl From<DgnAggregator> for String {
    fn from(aggregator: DgnAggregator) -> Self {
        match aggregator {
            DgnAggregator::One(one) => one.to_string(),
            DgnAggregator::Each(rest) => format!("dir-{rest}"),
        }
    }
}

fn yes() -> bool {
    true
}
fn is_true(yes: &bool) -> bool {
    *yes
}
