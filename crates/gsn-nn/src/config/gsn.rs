//! The general and the GIN form: layers of one [`Form`] with jumping knowledge.

use serde::{Deserialize, Serialize};

use super::*;

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

/// The general and the GIN form.
///
/// ```
/// use gsn_nn::config::{Form, GsnConfig, GsnLayer, Readout};
/// // Four GIN layers with trained ε, mean over the vertices.
/// let layer = GsnLayer::new(64).with_learn_eps(true);
/// let network = GsnConfig::new(Form::Gin, vec![layer; 4]).with_readout(Readout::Mean);
/// assert!(network.mlp_norm && network.dummy_self && !network.residual);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GsnConfig {
    /// Message form.
    pub form: Form,
    /// Layers, first to last.
    pub layers: Vec<GsnLayer>,
    /// GIN form: does the centre get a dummy for features on arcs (one more column of a one-hot
    /// block, a trained vector otherwise)? If not, zeros. Default: yes.
    #[serde(default = "yes")]
    pub dummy_self: bool,
    /// From vertices to graphs. Default: sum.
    #[serde(default = "sum")]
    pub readout: Readout,
    /// Further readouts that the heads read beside it. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<Readout>,
    /// Jumping knowledge: head of the encoded input, then of every layer. Default: empty, which
    /// means a Linear head on the last layer.
    #[serde(default)]
    pub heads: Vec<Option<Head>>,
    /// Dropout on the output of each head. Default: empty, none.
    #[serde(default)]
    pub dropout: Vec<f64>,
    /// Adds a layer's input to its output where the widths agree. Default: no.
    #[serde(default)]
    pub residual: bool,
    /// Width of a state of every arc, made anew behind every layer but the last from the vertices
    /// at its ends and the state before, which for the first layer are the features of the arcs.
    /// Layers behind the first read the states in place of the features. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arc_states: Option<usize>,
    /// BatchNorm inside the MLPs. Default: yes.
    #[serde(default = "yes")]
    pub mlp_norm: bool,
    /// Activation inside the MLPs. Default: ReLU.
    #[serde(default)]
    pub mlp_activation: Activation,
    /// Activation behind each layer. Default: ReLU.
    #[serde(default)]
    pub activation: Activation,
}

/// One layer of a [`GsnConfig`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GsnLayer {
    /// Output width.
    pub width: usize,
    /// Hidden widths of its MLPs. Default: one of the output width.
    #[serde(default)]
    pub hidden: Option<Vec<usize>>,
    /// General form: width of the messages. Default: the output width.
    #[serde(default)]
    pub message: Option<usize>,
    /// BatchNorm behind the layer. Default: yes.
    #[serde(default = "yes")]
    pub norm: bool,
    /// Reads the structural identifiers. Default: the first layer does, the others do not.
    #[serde(default)]
    pub ids: Option<bool>,
    /// Reads the arc features. Default: every layer does.
    #[serde(default)]
    pub arcs: Option<bool>,
    /// Width of the encoded arc features in this layer, where their encoding has one. Default: as
    /// the inputs say.
    #[serde(default)]
    pub arc_width: Option<usize>,
    /// What degrees do here. Default: nothing.
    #[serde(default)]
    pub degree: DegreeUse,
    /// GIN form: trains ε. Default: no, it stays 0.
    #[serde(default)]
    pub learn_eps: bool,
}

impl GsnConfig {
    /// Layers of one form, everything else by default.
    pub fn new(form: Form, layers: Vec<GsnLayer>) -> Self {
        Self {
            form,
            layers,
            dummy_self: true,
            readout: Readout::Sum,
            beside: Vec::new(),
            heads: Vec::new(),
            dropout: Vec::new(),
            residual: false,
            arc_states: None,
            mlp_norm: true,
            mlp_activation: Activation::Relu,
            activation: Activation::Relu,
        }
    }

    setters! {
        with_dummy_self(dummy_self: bool),
        with_readout(readout: Readout),
        with_beside(beside: Vec<Readout>),
        with_heads(heads: Vec<Option<Head>>),
        with_dropout(dropout: Vec<f64>),
        with_residual(residual: bool),
        with_arc_states(arc_states: impl Into<Option<usize>>),
        with_mlp_norm(mlp_norm: bool),
        with_mlp_activation(mlp_activation: Activation),
        with_activation(activation: Activation),
    }

    pub(super) fn validate(&self, inputs: &Inputs) -> Result<()> {
        some_layers(&self.layers)?;
        for (i, l) in self.layers.iter().enumerate() {
            let what = format!("layer {i}");
            let hidden = l.hidden.iter().flatten();
            let all = hidden.chain(&l.message).chain(&l.arc_width).chain([&l.width]);
            widths(&what, &all.copied().collect::<Vec<_>>())?;
            required(i, "degrees", l.degree != DegreeUse::None, inputs.degree.is_some())?;
            self.form.check(l).or_else(|why| wrong(format!("{what}: {why}")))?;
        }
        if let Some(width) = self.arc_states {
            widths("arc_states", &[width])?;
            if self.layers.len() == 1 {
                return wrong("arc_states: there is no second layer to read them");
            }
            if let Some(i) = (1..self.layers.len()).find(|&i| self.layers[i].arcs == Some(true)) {
                return wrong(format!("layer {i} reads the states of arcs, not their features"));
            }
        }
        let reads = (0..self.layers.len()).map(|i| (self.layers[i].ids, self.reads_features(i)));
        inputs.check_layers(reads)?;
        let degrees = self.layers.iter().any(|l| l.degree != DegreeUse::None);
        unused("degrees", "network", inputs.degree.is_some() && !degrees)?;
        length("heads", self.heads.len(), self.layers.len())?;
        length("dropout", self.dropout.len(), self.layers.len())?;
        if !self.heads.is_empty() && self.heads.iter().all(Option::is_none) {
            return wrong("heads: at least one must be there");
        }
        self.heads.iter().flatten().try_for_each(|h| head("heads", h))?;
        self.dropout.iter().try_for_each(|&p| probability("heads", p))
    }

    /// The setting `arcs` of layer `i`; states stand in place of features behind the first.
    fn reads_features(&self, i: usize) -> Option<bool> {
        match self.arc_states {
            Some(_) if i > 0 => Some(false),
            _ => self.layers[i].arcs,
        }
    }

    /// What layer `i` reads of the tables of a batch.
    pub(crate) fn reads(&self, i: usize) -> LayerReads {
        layer_reads(i, self.layers[i].ids, self.reads_features(i))
    }
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

    setters! {
        with_hidden(hidden: impl Into<Option<Vec<usize>>>),
        with_message(message: impl Into<Option<usize>>),
        with_norm(norm: bool),
        with_ids(ids: impl Into<Option<bool>>),
        with_arcs(arcs: impl Into<Option<bool>>),
        with_arc_width(arc_width: impl Into<Option<usize>>),
        with_degree(degree: DegreeUse),
        with_learn_eps(learn_eps: bool),
    }
}
