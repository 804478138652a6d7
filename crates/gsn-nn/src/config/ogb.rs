//! The OGB form, with or without a virtual node.

use serde::{Deserialize, Serialize};

use super::*;

/// The OGB form. All layers have the width of the encoded vertex features, and so have the encoded
/// identifiers and arc features, which are added to the vertices.
///
/// ```
/// use gsn_nn::config::{OgbConfig, OgbLayerConfig, Readout, VirtualNode};
/// let layer = OgbLayerConfig::new(vec![600]).with_dropout(0.5);
/// let network = OgbConfig::new(vec![layer; 5]).with_virtual_node(VirtualNode::new(vec![600]));
/// assert_eq!(network.readout, Readout::Mean);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OgbConfig {
    /// Layers, first to last.
    pub layers: Vec<OgbLayerConfig>,
    /// The virtual node. Default: none.
    #[serde(default)]
    pub virtual_node: Option<VirtualNode>,
    /// Adds each layer's input to its output. Default: no.
    #[serde(default)]
    pub residual: bool,
    /// From vertices to graphs. Default: mean.
    #[serde(default = "mean")]
    pub readout: Readout,
    /// Further readouts that the head reads beside it. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<Readout>,
    /// Which of the encoded input and the layers' outputs are summed before the readout. Default:
    /// empty, the last only.
    #[serde(default)]
    pub jumping: Vec<bool>,
    /// From graphs to predictions. Default: one Linear.
    #[serde(default)]
    pub head: Head,
    /// BatchNorm inside the MLPs. Default: yes.
    #[serde(default = "yes")]
    pub mlp_norm: bool,
    /// Activation inside the MLPs. Default: ReLU.
    #[serde(default)]
    pub mlp_activation: Activation,
    /// Activation behind each layer but the last. Default: ReLU.
    #[serde(default)]
    pub activation: Activation,
}

/// One layer of an [`OgbConfig`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OgbLayerConfig {
    /// Hidden widths of the MLP.
    pub hidden: Vec<usize>,
    /// BatchNorm behind the layer. Default: yes.
    #[serde(default = "yes")]
    pub norm: bool,
    /// Reads the structural identifiers. Default: the first layer does, the others do not.
    #[serde(default)]
    pub ids: Option<bool>,
    /// Reads the arc features. Default: every layer does.
    #[serde(default)]
    pub arcs: Option<bool>,
    /// Trains ε. Default: no, it stays 0.
    #[serde(default)]
    pub learn_eps: bool,
    /// Dropout behind the layer. Default: 0.
    #[serde(default)]
    pub dropout: f64,
}

/// The virtual node: one vector per graph beside its vertices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VirtualNode {
    /// Hidden widths of its MLP after each layer but the last.
    pub hidden: Vec<usize>,
    /// How it reads the vertices. Default: sum.
    #[serde(default = "sum")]
    pub readout: Readout,
    /// Starts from a trained vector (zero at first) rather than zeros. Default: yes.
    #[serde(default = "yes")]
    pub learn_start: bool,
}

impl OgbConfig {
    /// These layers, everything else by default.
    pub fn new(layers: Vec<OgbLayerConfig>) -> Self {
        Self {
            layers,
            virtual_node: None,
            residual: false,
            readout: Readout::Mean,
            beside: Vec::new(),
            jumping: Vec::new(),
            head: Head::Linear,
            mlp_norm: true,
            mlp_activation: Activation::Relu,
            activation: Activation::Relu,
        }
    }

    setters! {
        with_virtual_node(virtual_node: impl Into<Option<VirtualNode>>),
        with_residual(residual: bool),
        with_readout(readout: Readout),
        with_beside(beside: Vec<Readout>),
        with_jumping(jumping: Vec<bool>),
        with_head(head: Head),
        with_mlp_norm(mlp_norm: bool),
        with_mlp_activation(mlp_activation: Activation),
        with_activation(activation: Activation),
    }

    pub(super) fn validate(&self, inputs: &Inputs) -> Result<()> {
        some_layers(&self.layers)?;
        let width = inputs.vertex.width() + inputs.random;
        unused("degrees", "ogb form", inputs.degree.is_some())?;
        let ids = inputs.ids.as_ref().map(|i| &i.input);
        for (what, i) in [("arc features", inputs.arc.as_ref()), ("identifiers", ids)] {
            if let Some(w) = i.map(Input::width).filter(|&w| w != width) {
                return wrong(format!(
                    "{what} are {w} wide and are added to vertices of width {width}"
                ));
            }
        }
        for (i, l) in self.layers.iter().enumerate() {
            let what = format!("layer {i}");
            widths(&what, &l.hidden)?;
            probability(&what, l.dropout)?;
        }
        inputs.check_layers(self.layers.iter().map(|l| (l.ids, l.arcs)))?;
        if let Some(vn) = &self.virtual_node {
            widths("virtual node", &vn.hidden)?;
        }
        length("jumping", self.jumping.len(), self.layers.len())?;
        if !self.jumping.is_empty() && !self.jumping.contains(&true) {
            return wrong("jumping: at least one must be true");
        }
        head("head", &self.head)
    }
}

impl OgbLayerConfig {
    /// A layer with these hidden widths, everything else by default.
    pub fn new(hidden: Vec<usize>) -> Self {
        Self { hidden, norm: true, ids: None, arcs: None, learn_eps: false, dropout: 0.0 }
    }

    setters! {
        with_norm(norm: bool),
        with_ids(ids: impl Into<Option<bool>>),
        with_arcs(arcs: impl Into<Option<bool>>),
        with_learn_eps(learn_eps: bool),
        with_dropout(dropout: f64),
    }

    /// What it reads as layer number `i`.
    pub(crate) fn reads(&self, i: usize) -> LayerReads {
        layer_reads(i, self.ids, self.arcs)
    }
}

impl VirtualNode {
    /// With these hidden widths, everything else by default.
    pub fn new(hidden: Vec<usize>) -> Self {
        Self { hidden, readout: Readout::Sum, learn_start: true }
    }

    setters! { with_readout(readout: Readout), with_learn_start(learn_start: bool) }
}
