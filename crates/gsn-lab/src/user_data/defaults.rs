//! Patterns, network, width and training chosen from the data, as a [`Recipe`] to be printed,
//! saved and changed.
//!
//! Molecules get the rings of the paper's ZINC experiments, dense networks the cliques of its
//! social ones, anything else small cycles; the more graphs, the wider the network and the fewer
//! passes over them. What the data do not decide was chosen by validation over seven tasks, by the
//! example `defaults`; `docs/src/defaults.md` has the tables.

use super::folds::Folds;
use super::{Family, Reason, Report};
use crate::dataset::{Dataset, Splits, Task};
use crate::error::Result;
use crate::protocol::{Choose, Protocol};
use crate::recipe::network::{EdgeFeatures, Head, Jumping, Kind};
use crate::recipe::{
    Counts, Data, DegreeUse, Degrees, Network, Recipe, Seeds, Targets, UnseenCategory,
};
use crate::train::{BatchNorm, Metric, Schedule, Settings, Watched};
use gsn_core::{Encoding, Matching, Scope};
use gsn_nn::{Loss, config::Readout};

/// Predictions are kept to the range of the targets and this share of it on both sides. No bound
/// cost anything on the tasks of the study, and this one leaves room for what is new.
const BOUND: f64 = 0.25;

/// A recipe for the user's own data, and a reason for every choice.
///
/// # Errors
/// Never for data that [`load`](super::load) gave.
pub fn recipe(dataset: &Dataset, report: &Report) -> Result<(Recipe, Vec<Reason>)> {
    let shape = &report.shape;
    let family = shape.family();
    let train = match &dataset.splits {
        Splits::Fixed(fold) => fold.train.len(),
        Splits::Folds(folds) => folds.first().map_or(0, |fold| fold.train.len()),
        Splits::None => dataset.samples.len(),
    };
    let validated = match &dataset.splits {
        Splits::Fixed(fold) => !fold.validation.is_empty(),
        Splits::Folds(folds) => folds.iter().all(|fold| !fold.validation.is_empty()),
        Splits::None => false,
    };
    let regression = matches!(dataset.task, Task::Regression(_));
    let mut reasons = Vec::new();

    let mut data = Data::new(&dataset.name);
    if regression {
        data = data.with_targets(Targets::Standardise).with_bound(BOUND);
    }
    if report.reader.featurised() {
        data = data.with_unseen(UnseenCategory::Rare);
    }

    let (patterns, scope, why) = match family {
        Family::Molecules => {
            ("cycle:3..=8", Scope::Vertex, "rings up to 8, since the graphs are molecules")
        }
        Family::Dense => {
            ("clique:3..=5", Scope::Edge, "cliques up to 5, since the graphs are dense")
        }
        Family::Other => {
            ("cycle:3..=6", Scope::Vertex, "cycles up to 6, since the graphs are sparse")
        }
    };
    reasons.push(Reason::new(
        &["counts.patterns", "counts.scope", "counts.matching"],
        said::patterns,
        why,
    ));
    let mut counts = Counts::read(patterns)?.with_scope(scope).with_matching(Matching::Subgraph);
    // Numbers say that six rings are more than five, also where six never occurred.
    counts = counts.with_encoding(Encoding::Log1p);

    let width = match train {
        0..500 => 32,
        500..100_000 => 64,
        _ => 128,
    };
    let layers = if train < 500 { 3 } else { 4 };
    let (kind, head) = match family {
        Family::Dense => (Kind::Gin, Head::Linear),
        _ => (Kind::Gsn, Head::Mlp),
    };
    let mut network = Network::new(kind, width, Readout::Sum).with_layers(layers).with_head(head);
    if dataset.arc.is_some() {
        network = network.with_edge_features(EdgeFeatures::All);
    }
    if family == Family::Dense {
        network = network.with_jumping(Jumping::All);
    }
    if train < 2000 && !regression {
        network = network.with_dropout(0.2);
    }

    let batch = match train {
        0..200 => 16,
        200..2000 => 32,
        2000..50_000 => 128,
        _ => 256,
    };
    // About as many steps whatever the size: small sets are passed over more often.
    let steps = train.div_ceil(batch).max(1);
    let epochs = (12_000 / steps).clamp(30, 200);
    let (loss, metric) = match &dataset.task {
        Task::Regression(_) => (Loss::L1, Metric::Mae),
        Task::Binary(_) => (Loss::BceWithLogits, Metric::RocAuc),
        Task::Classes(_) => (Loss::CrossEntropy, Metric::Accuracy),
    };
    let patience = if steps < 50 { 10 } else { 5 };
    let training = Settings::new(batch, epochs as u64, 1e-3, loss, metric)
        .with_batch_norm(BatchNorm::ReEstimated)
        .with_weight_decay(1e-4)
        .with_clip(5.0);
    let training = match validated {
        true => training
            .with_schedule(Schedule::Plateau { factor: 0.5, patience, watch: Watched::Loss })
            .with_min_lr(1e-5),
        // Nothing can be watched but the rows to judge by.
        false => {
            training.with_schedule(Schedule::Step { every: epochs.div_ceil(4) as u64, factor: 0.5 })
        }
    };

    let choose = if validated { Choose::BestValidation } else { Choose::Last };
    let protocol = match report.folds {
        Some(Folds { folds, repeats }) => Protocol::CrossValidation { folds, repeats },
        None => Protocol::FixedSplit { choose },
    };
    let mut recipe = Recipe::new(data, protocol, network)
        .with_name("own".into())
        .with_about("Chosen from the data.".into())
        .with_counts(counts)
        .with_training(training);
    if dataset.vertex.is_none() && family != Family::Molecules {
        let degrees = Degrees::new(DegreeUse::Replace).with_encoding(Encoding::Log1p);
        recipe = recipe.with_degrees(degrees);
        reasons.push(Reason::new(&["degrees"], said::degrees, "the vertices have none"));
    }
    let keys = &["network.kind", "network.layers", "network.width"];
    reasons.push(Reason::new(keys, said::network, format!("{train} graphs to learn from")));
    let keys = &["training.epochs", "training.batch", "training.metric"];
    reasons.push(Reason::new(keys, said::training, ""));
    recipe.check()?;
    Ok((recipe, reasons))
}

/// Training graphs up to which several members are trained by default.
const FEW: usize = 5000;

/// Lets a recipe of [`recipe`] train three members, where one split is trained and the graphs are so
/// few that this takes little time: their mean is much less of a gamble than any one of them.
pub fn members(dataset: &Dataset, recipe: &mut Recipe, reasons: &mut Vec<Reason>) {
    if matches!(&dataset.splits, Splits::Fixed(fold) if fold.train.len() < FEW) {
        recipe.seeds = Seeds(vec![0, 1, 2]);
        reasons.push(Reason::new(&["seeds"], said::members, "their mean predicts"));
    }
}

/// The choices of a recipe in words.
mod said {
    use crate::recipe::Recipe;

    pub(super) fn members(recipe: &Recipe) -> String {
        match recipe.seeds.0.len() {
            1 => "one network".into(),
            n => format!("{n} networks with different seeds"),
        }
    }

    pub(super) fn patterns(recipe: &Recipe) -> String {
        match &recipe.counts {
            Some(counts) => format!("patterns {}", counts.patterns()),
            None => "no patterns".into(),
        }
    }

    pub(super) fn degrees(recipe: &Recipe) -> String {
        let with = if recipe.degrees.is_some() { "" } else { "no " };
        format!("{with}degrees as features")
    }

    pub(super) fn network(recipe: &Recipe) -> String {
        let network = &recipe.network;
        let layers = network.layers.map(|n| format!("{n} layers of ")).unwrap_or_default();
        format!("network {}, {layers}width {}", network.kind.name(), network.width)
    }

    pub(super) fn training(recipe: &Recipe) -> String {
        match &recipe.training {
            Some(training) => format!(
                "{} epochs at most, batches of {}; judged by {}",
                training.epochs,
                training.batch,
                training.metric.name()
            ),
            None => "no training".into(),
        }
    }
}
