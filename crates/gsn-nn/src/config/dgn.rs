//! The directional form (DGN): aggregators side by side, some of them weighted by counts.

use serde::{Deserialize, Serialize};

use super::*;

/// The DGN form.
///
/// ```
/// use gsn_nn::config::{Aggregator, DgnConfig, Readout};
/// let network = DgnConfig::new(vec![70; 4], vec![Aggregator::Mean, Aggregator::Average(0)]);
/// assert!(network.residual && network.norm && network.readout == Readout::Mean);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DgnConfig {
    /// Output width of every layer.
    pub layers: Vec<usize>,
    /// Aggregators; `dir{d}-…` read column d of the identifiers as vector field.
    pub aggregators: Vec<Aggregator>,
    /// Degree scalers; all aggregators are repeated for each. Default: the identity.
    #[serde(default = "identity")]
    pub scalers: Vec<Scaler>,
    /// Mean of ln(degree + 1) over the training set, for the scalers. Default: 1.
    #[serde(default = "one")]
    pub avg_log_degree: f64,
    /// Adds a layer's input to its output where the widths agree. Default: yes.
    #[serde(default = "yes")]
    pub residual: bool,
    /// BatchNorm in every layer. Default: yes.
    #[serde(default = "yes")]
    pub norm: bool,
    /// Divides by the root of the graph's size before BatchNorm. Default: no.
    #[serde(default)]
    pub graph_norm: bool,
    /// Linears per layer. Default: 1.
    #[serde(default = "one_linear")]
    pub depth: usize,
    /// From vertices to graphs. Default: mean.
    #[serde(default = "mean")]
    pub readout: Readout,
    /// Dropout behind every layer. Default: 0.
    #[serde(default)]
    pub dropout: f64,
    /// Dropout behind the vertex encoder. Default: 0.
    #[serde(default)]
    pub input_dropout: f64,
}

impl DgnConfig {
    /// Layers of these widths with these aggregators, everything else by default.
    pub fn new(layers: Vec<usize>, aggregators: Vec<Aggregator>) -> Self {
        Self {
            layers,
            aggregators,
            scalers: identity(),
            avg_log_degree: one(),
            residual: true,
            norm: true,
            graph_norm: false,
            depth: one_linear(),
            readout: Readout::Mean,
            dropout: 0.0,
            input_dropout: 0.0,
        }
    }

    setters! {
        with_scalers(scalers: Vec<Scaler>),
        with_avg_log_degree(avg_log_degree: f64),
        with_residual(residual: bool),
        with_norm(norm: bool),
        with_graph_norm(graph_norm: bool),
        with_depth(depth: usize),
        with_readout(readout: Readout),
        with_dropout(dropout: f64),
        with_input_dropout(input_dropout: f64),
    }

    pub(super) fn validate(&self, inputs: &Inputs) -> Result<()> {
        if self.layers.is_empty() || self.aggregators.is_empty() || self.scalers.is_empty() {
            return wrong("the dgn form needs layers, aggregators and scalers");
        }
        widths("layers", &self.layers)?;
        widths("aggregators", &[self.aggregators.len().saturating_mul(self.scalers.len())])?;
        widths("depth", &[self.depth])?;
        unused("arc features", "dgn form", inputs.arc.is_some())?;
        unused("degrees", "dgn form", inputs.degree.is_some())?;
        let as_numbers = |e: &InputEncoding| {
            matches!(
                e,
                InputEncoding::None
                    | InputEncoding::Log1p
                    | InputEncoding::Standardise { .. }
                    | InputEncoding::Zero { .. }
            )
        };
        if inputs.ids.as_ref().is_some_and(|i| !as_numbers(&i.input.encode)) {
            return wrong(
                "the dgn form reads identifiers as numbers: encode them as none, log1p or standardise",
            );
        }
        let directions = inputs.ids.as_ref().map_or(0, |i| i.input.width());
        let used = self.aggregators.iter().filter_map(|a| a.direction()).max().map_or(0, |d| d + 1);
        if used > directions {
            return wrong(format!(
                "an aggregator reads direction {}, but there are {directions}",
                used - 1
            ));
        }
        unused("identifiers", "list of aggregators", directions > 0 && used == 0)?;
        if !(self.avg_log_degree.is_finite() && self.avg_log_degree > 0.0) {
            return wrong("avg_log_degree must be positive");
        }
        probability("dropout", self.dropout)?;
        probability("input_dropout", self.input_dropout)
    }
}

fn identity() -> Vec<Scaler> {
    vec![Scaler::Identity]
}
fn one() -> f64 {
    1.0
}
fn one_linear() -> usize {
    1
}
