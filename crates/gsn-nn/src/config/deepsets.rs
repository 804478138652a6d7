//! DeepSets over arcs, the control without message passing.

use serde::{Deserialize, Serialize};

use super::*;

/// DeepSets over arcs: ρ(Σ_{u→v} φ([h_u, h_v, x…, e_uv])).
///
/// ```
/// use gsn_nn::config::{DeepSetsConfig, Head};
/// let network = DeepSetsConfig::new(vec![64], 64).with_head(Head::Mlp { hidden: vec![32] });
/// assert!(network.norm && network.dropout == 0.0);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeepSetsConfig {
    /// Hidden widths of φ.
    pub hidden: Vec<usize>,
    /// Output width of φ.
    pub width: usize,
    /// BatchNorm behind φ. Default: yes.
    #[serde(default = "yes")]
    pub norm: bool,
    /// From arcs to graphs. Default: sum.
    #[serde(default = "sum")]
    pub readout: Readout,
    /// ρ. Default: one Linear.
    #[serde(default)]
    pub head: Head,
    /// Dropout on the prediction. Default: 0.
    #[serde(default)]
    pub dropout: f64,
    /// BatchNorm inside the MLPs. Default: yes.
    #[serde(default = "yes")]
    pub mlp_norm: bool,
    /// Activation inside the MLPs. Default: ReLU.
    #[serde(default)]
    pub mlp_activation: Activation,
    /// Activation behind φ. Default: ReLU.
    #[serde(default)]
    pub activation: Activation,
}

impl DeepSetsConfig {
    /// φ with these hidden widths and this output width, everything else by default.
    pub fn new(hidden: Vec<usize>, width: usize) -> Self {
        Self {
            hidden,
            width,
            norm: true,
            readout: Readout::Sum,
            head: Head::Linear,
            dropout: 0.0,
            mlp_norm: true,
            mlp_activation: Activation::Relu,
            activation: Activation::Relu,
        }
    }

    setters! {
        with_norm(norm: bool),
        with_readout(readout: Readout),
        with_head(head: Head),
        with_dropout(dropout: f64),
        with_mlp_norm(mlp_norm: bool),
        with_mlp_activation(mlp_activation: Activation),
        with_activation(activation: Activation),
    }

    pub(super) fn validate(&self, inputs: &Inputs) -> Result<()> {
        widths("hidden", &self.hidden)?;
        widths("width", &[self.width])?;
        unused("degrees", "deep-sets network", inputs.degree.is_some())?;
        head("head", &self.head)?;
        probability("dropout", self.dropout)
    }
}
