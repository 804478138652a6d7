//! From the short `[network]` table to a full [`ModelConfig`], once the data is known.
//!
//! Where a default is not written in the recipe it is the authors': counts in the first layer,
//! hidden widths like the layers', message width like the layers'.

use super::Pipeline;
use crate::error::{Error, Result};
use crate::recipe::network::{
    Architecture, DgnAggregator, EdgeFeatures, FeatureEncoding, Head, Jumping, Kind, Where,
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
        let ids = self.counts.as_ref().map(|step| {
            let scope = match step.spec.spec().scope() {
                Scope::Vertex => config::IdScope::Vertex,
                Scope::Edge | Scope::Arc => config::IdScope::Arc,
            };
            Ids::new(scope, counted(&step.encoder, n.width))
        });
        let directions = ids.as_ref().map_or(0, |ids| ids.input.width());
        let arc = self.arc.as_ref().map(|table| feature("arc", table.data(), n.arc_encoding, n));
        let degree = self.degrees.as_ref().map(|encoder| counted(encoder, n.width));
        // DeepSets has no layer to replace the features in; they are replaced before it.
        let (vertex, degree) = match degree {
            Some(degree) if self.degrees_are_features => (degree, None),
            degree => (feature("vertex", self.vertex.data(), n.vertex_encoding, n)?, degree),
        };
        let inputs = Inputs::new(vertex)
            .with_arc(arc.transpose()?)
            .with_ids(ids)
            .with_degree(degree)
            .with_numbers(self.walks.unwrap_or(0))
            .with_random(if n.random_features { n.width } else { 0 })
            .with_graph(self.graph_numbers());
        let layers = n.layers.unwrap_or(1);
        let network: config::Network = match n.kind.architecture() {
            Architecture::Layers(form) => gsn(n, recipe.degrees.as_ref(), layers, form).into(),
            Architecture::Ogb => ogb(n, layers).into(),
            Architecture::Dgn => dgn(n, layers, directions, self.average_log_degree).into(),
            Architecture::DeepSets => DeepSetsConfig::new(vec![hidden(n)], n.width)
                .with_norm(n.norm)
                .with_readout(n.readout)
                .with_head(head(n))
                .with_dropout(n.dropout)
                .into(),
        };
        let config = ModelConfig::new(inputs, network, outputs);
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
        GsnLayer::new(n.width)
            .with_hidden(vec![hidden(n)])
            .with_norm(n.norm)
            .with_ids(ids)
            .with_arcs(arcs)
            .with_degree(degree(i))
            .with_learn_eps(n.learn_eps)
    };
    let predicts = |i: usize| i == layers || n.jumping == Some(Jumping::All);
    GsnConfig::new(form, (0..layers).map(layer).collect())
        .with_readout(n.readout)
        .with_beside(n.beside.clone())
        .with_heads((0..=layers).map(|i| predicts(i).then(|| head(n))).collect())
        .with_dropout(if n.dropout > 0.0 { vec![n.dropout; layers + 1] } else { vec![] })
        .with_residual(n.residual.unwrap_or(false))
        .with_arc_states(n.edge_states)
}

fn ogb(n: &Network, layers: usize) -> OgbConfig {
    let layer = |i: usize| {
        let (ids, arcs) = reads(n, i);
        OgbLayerConfig::new(vec![hidden(n)])
            .with_norm(n.norm)
            .with_ids(ids)
            .with_arcs(arcs)
            .with_learn_eps(n.learn_eps)
            .with_dropout(n.dropout)
    };
    let all = n.jumping == Some(Jumping::All);
    OgbConfig::new((0..layers).map(layer).collect())
        .with_virtual_node(n.virtual_node.then(|| VirtualNode::new(vec![hidden(n)])))
        .with_residual(n.residual.unwrap_or(false))
        .with_readout(n.readout)
        .with_beside(n.beside.clone())
        .with_jumping(if all { vec![true; layers + 1] } else { vec![] })
        .with_head(head(n))
}

fn dgn(n: &Network, layers: usize, directions: usize, average_log_degree: f64) -> DgnConfig {
    let plain = [Aggregator::Mean, Aggregator::Max, Aggregator::Min].map(DgnAggregator::One);
    let usual = || plain.iter().cloned().chain([DgnAggregator::Each("av".into())]).collect();
    let aggregators: Vec<DgnAggregator> = n.aggregators.clone().unwrap_or_else(usual);
    let aggregators = aggregators.iter().flat_map(|a| a.expand(directions)).collect();
    DgnConfig::new(vec![n.width; layers], aggregators)
        .with_scalers(n.scalers.clone().unwrap_or_else(|| vec![Scaler::Identity]))
        .with_avg_log_degree(average_log_degree)
        .with_residual(n.residual.unwrap_or(true))
        .with_norm(n.norm)
        .with_readout(n.readout)
        .with_dropout(n.dropout)
}

/// Counts or degrees as a network reads them.
fn counted(encoder: &CountEncoder, width: usize) -> Input {
    let data = match encoder.sizes() {
        Some(sizes) => Data::Categories { sizes },
        None => Data::Values { width: encoder.columns().len() },
    };
    let encode = match encoder.encoding() {
        Encoding::OneHot | Encoding::OneHotMax | Encoding::Bins { .. } => {
            config::InputEncoding::OneHot
        }
        Encoding::Embedding { width: own } => {
            config::InputEncoding::Embedding { width: own.unwrap_or(width) }
        }
        // Already numbers to be read as they are.
        Encoding::Raw | Encoding::Log1p | Encoding::Standardise => config::InputEncoding::None,
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
        FeatureEncoding::OneHot => config::InputEncoding::OneHot,
        FeatureEncoding::Embedding => config::InputEncoding::Embedding { width },
        FeatureEncoding::Linear => config::InputEncoding::Linear { width },
        FeatureEncoding::Raw => config::InputEncoding::None,
    };
    Ok(Input { data, encode })
}
