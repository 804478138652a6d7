//! From the short `[network]` table to a full [`ModelConfig`], once the data is known.
//!
//! Where a default is not written in the recipe it is the authors': counts in the first layer,
//! hidden widths like the layers', message width like the layers'.

use super::Pipeline;
use crate::error::{Error, Result};
use crate::recipe::network::{
    DgnAggregator, EdgeFeatures, FeatureEncoding, Head, Jumping, Kind, Where,
};
use crate::recipe::{self, DegreeUse, Network, Recipe};
use gsn_core::{CountEncoder, Encoding, Scope};
use gsn_nn::ModelConfig;
use gsn_nn::config::{
    self, Aggregator, Data, DeepSetsConfig, DgnConfig, Form, GsnConfig, GsnLayer, Ids, Input,
    Inputs, OgbConfig, OgbLayerConfig, Scaler, VirtualNode,
};

impl Pipeline {
    /// The network of `recipe` for graphs of this pipeline, predicting `outputs` numbers. The recipe must be the one the
    /// pipeline was fitted with.
    ///
    /// # Errors
    /// If the network cannot read what the pipeline gives.
    pub fn model_config(&self, recipe: &Recipe, outputs: usize) -> Result<ModelConfig> {
        let n = &recipe.network;
        let ids = self.counts.as_ref().map(|step| Ids {
            scope: match step.spec.spec().scope() {
                Scope::Vertex => config::Scope::Vertex,
                Scope::Edge | Scope::Arc => config::Scope::Arc,
            },
            input: counted(&step.encoder, n.width),
        });
        let directions = ids.as_ref().map_or(0, |ids| ids.input.width());
        let arc = self.arc.as_ref().map(|table| feature("arc", table.data(), n.arc_encoding, n));
        let degree = self.degrees.as_ref().map(|encoder| counted(encoder, n.width));
        // DeepSets has no layer to replace the features in; they are replaced before it.
        let (vertex, degree) = match degree {
            Some(degree) if self.degrees_are_features => (degree, None),
            degree => (feature("vertex", self.vertex.data(), n.vertex_encoding, n)?, degree),
        };
        let inputs = Inputs {
            vertex,
            arc: arc.transpose()?,
            ids,
            degree,
            random: if n.random_features { n.width } else { 0 },
        };
        let layers = n.layers.unwrap_or(1);
        let network = match n.kind {
            Kind::Gsn | Kind::Mpnn => {
                config::Network::Gsn(gsn(n, recipe.degrees.as_ref(), layers, Form::General))
            }
            Kind::Gin => config::Network::Gsn(gsn(n, recipe.degrees.as_ref(), layers, Form::Gin)),
            Kind::Ogb => config::Network::Ogb(ogb(n, layers)),
            Kind::Dgn => {
                let degree = self.average_log_degree;
                config::Network::Dgn(dgn(n, layers, directions, degree))
            }
            Kind::Deepsets => config::Network::DeepSets(DeepSetsConfig {
                hidden: vec![hidden(n)],
                width: n.width,
                norm: n.norm,
                readout: n.readout,
                head: head(n),
                dropout: n.dropout,
                mlp_norm: true,
                mlp_activation: Default::default(),
                activation: Default::default(),
            }),
        };
        let config = ModelConfig { inputs, network, outputs };
        config.validate()?;
        Ok(config)
    }
}

fn hidden(n: &Network) -> usize {
    n.hidden.unwrap_or(n.width)
}

fn head(n: &Network) -> config::Head {
    match n.head.unwrap_or_default() {
        Head::Linear => config::Head::Linear,
        Head::Mlp => config::Head::Mlp { hidden: vec![hidden(n)] },
    }
}

/// Whether layer `i` reads the counts, and the features of arcs. `None` where there are none.
fn reads(n: &Network, i: usize) -> (Option<bool>, Option<bool>) {
    let ids = n.inject.map(|inject| i == 0 || inject == Where::All);
    let arcs = match n.edge_features {
        EdgeFeatures::None => None,
        EdgeFeatures::First => Some(i == 0),
        EdgeFeatures::All => Some(true),
    };
    (ids, arcs)
}

fn gsn(n: &Network, degrees: Option<&recipe::Degrees>, layers: usize, form: Form) -> GsnConfig {
    let degree = |i: usize| match degrees {
        Some(d) if i == 0 || d.inject == Where::All => match d.usage {
            DegreeUse::Replace => config::DegreeUse::Replace,
            DegreeUse::Append => config::DegreeUse::Append,
        },
        _ => config::DegreeUse::None,
    };
    let layer = |i: usize| {
        let (ids, arcs) = reads(n, i);
        GsnLayer {
            hidden: Some(vec![hidden(n)]),
            norm: n.norm,
            ids,
            arcs,
            degree: degree(i),
            learn_eps: n.learn_eps,
            ..GsnLayer::new(n.width)
        }
    };
    let predicts = |i: usize| i == layers || n.jumping == Some(Jumping::All);
    GsnConfig {
        form,
        layers: (0..layers).map(layer).collect(),
        dummy_self: true,
        readout: n.readout,
        heads: (0..=layers).map(|i| predicts(i).then(|| head(n))).collect(),
        dropout: if n.dropout > 0.0 { vec![n.dropout; layers + 1] } else { vec![] },
        residual: n.residual.unwrap_or(false),
        mlp_norm: true,
        mlp_activation: Default::default(),
        activation: Default::default(),
    }
}

fn ogb(n: &Network, layers: usize) -> OgbConfig {
    let layer = |i: usize| {
        let (ids, arcs) = reads(n, i);
        OgbLayerConfig {
            norm: n.norm,
            ids,
            arcs,
            learn_eps: n.learn_eps,
            dropout: n.dropout,
            ..OgbLayerConfig::new(vec![hidden(n)])
        }
    };
    let virtual_node =
        VirtualNode { hidden: vec![hidden(n)], readout: config::Readout::Sum, learn_start: true };
    OgbConfig {
        layers: (0..layers).map(layer).collect(),
        virtual_node: n.virtual_node.then_some(virtual_node),
        residual: n.residual.unwrap_or(false),
        readout: n.readout,
        jumping: if n.jumping == Some(Jumping::All) { vec![true; layers + 1] } else { vec![] },
        head: head(n),
        mlp_norm: true,
        mlp_activation: Default::default(),
        activation: Default::default(),
    }
}

fn dgn(n: &Network, layers: usize, directions: usize, average_log_degree: f64) -> DgnConfig {
    let plain = [Aggregator::Mean, Aggregator::Max, Aggregator::Min].map(DgnAggregator::One);
    let usual = || plain.iter().cloned().chain([DgnAggregator::Each("av".into())]).collect();
    let aggregators: Vec<DgnAggregator> = n.aggregators.clone().unwrap_or_else(usual);
    DgnConfig {
        layers: vec![n.width; layers],
        aggregators: aggregators.iter().flat_map(|a| a.expand(directions)).collect(),
        scalers: n.scalers.clone().unwrap_or_else(|| vec![Scaler::Identity]),
        avg_log_degree: average_log_degree,
        residual: n.residual.unwrap_or(true),
        norm: n.norm,
        graph_norm: false,
        depth: 1,
        readout: n.readout,
        dropout: n.dropout,
        input_dropout: 0.0,
    }
}

/// Counts or degrees as a network reads them.
fn counted(encoder: &CountEncoder, width: usize) -> Input {
    let data = match encoder.sizes() {
        Some(sizes) => Data::Categories { sizes },
        None => Data::Values { width: encoder.columns().len() },
    };
    let encode = match encoder.encoding() {
        Encoding::OneHot | Encoding::OneHotMax | Encoding::Bins { .. } => config::Encoding::OneHot,
        Encoding::Embedding { width: own } => {
            config::Encoding::Embedding { width: own.unwrap_or(width) }
        }
        // Already numbers to be read as they are.
        Encoding::Raw | Encoding::Log1p | Encoding::Standardise => config::Encoding::None,
    };
    Input { data, encode }
}

/// Features of vertices or arcs as a network reads them.
fn feature(what: &str, data: Data, wanted: Option<FeatureEncoding>, n: &Network) -> Result<Input> {
    let categories = matches!(data, Data::Categories { .. });
    // These two have one width throughout.
    let one_width = matches!(n.kind, Kind::Ogb | Kind::Dgn);
    let encode = match wanted {
        Some(encoding) => encoding,
        None if categories && one_width => FeatureEncoding::Embedding,
        None if categories => FeatureEncoding::OneHot,
        None if one_width => FeatureEncoding::Linear,
        None => FeatureEncoding::Raw,
    };
    let needs = matches!(encode, FeatureEncoding::OneHot | FeatureEncoding::Embedding);
    if needs && !categories {
        return Err(Error::Recipe(format!(
            "network.{what}-encoding: the {what} features are numbers, not categories; use `raw` \
             or `linear`"
        )));
    }
    let width = n.width;
    let encode = match encode {
        FeatureEncoding::OneHot => config::Encoding::OneHot,
        FeatureEncoding::Embedding => config::Encoding::Embedding { width },
        FeatureEncoding::Linear => config::Encoding::Linear { width },
        FeatureEncoding::Raw => config::Encoding::None,
    };
    Ok(Input { data, encode })
}
