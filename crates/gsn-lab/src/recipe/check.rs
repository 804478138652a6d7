//! Keys that contradict each other, and numbers that are not possible. The first one found is
//! named by its key, so that the reader sees where it was written.

use super::network::{DgnAggregator, EdgeFeatures, FeatureEncoding, Kind, Where};
use super::{Counts, DegreeUse, Network, Recipe, Targets};
use crate::error::Error;
use crate::protocol::Protocol;
use crate::train::{Metric, Settings};
use gsn_core::{EdgeOrbits, Encoding, Scope};
use gsn_nn::metrics::Answers;

/// Steps of the longest walk; chances that differ in longer ones differ in shorter ones too.
const MOST_STEPS: usize = 64;

/// A key and what is wrong with it.
type Wrong = (String, String);

fn refuse<T>(key: &str, what: impl Into<String>) -> Result<T, Wrong> {
    Err((key.to_owned(), what.into()))
}

/// Checks a recipe as far as it can be without its data.
pub(super) fn check(recipe: &Recipe) -> Result<(), Wrong> {
    let data = &recipe.data;
    if !(data.fraction > 0.0 && data.fraction <= 1.0) {
        return refuse("data.fraction", "a share is above 0 and at most 1");
    }
    if let Some(bound) = data.bound
        && !(bound >= 0.0 && bound.is_finite())
    {
        return refuse("data.bound", format!("{bound} is no share of a range"));
    }
    if let Some(counts) = &recipe.counts {
        check_counts(counts)?;
    }
    check_network(recipe)?;
    check_training(recipe)?;
    if let Some(published) = &recipe.published {
        if !published.mean.is_finite() {
            return refuse("published.mean", "not a number");
        }
        if published.std.is_some_and(|std| !(std.is_finite() && std >= 0.0)) {
            return refuse("published.std", "a spread is a number from 0 on");
        }
    }
    Ok(())
}

fn check_counts(counts: &Counts) -> Result<(), Wrong> {
    let spec = counts.spec();
    if spec.patterns().is_empty() {
        return refuse("counts.patterns", "no patterns; leave [counts] out to count nothing");
    }
    if spec.orbits() == EdgeOrbits::Official && spec.scope() == Scope::Vertex {
        return refuse("counts.edge-orbits", "counts on vertices have no edge orbits");
    }
    Ok(())
}

fn check_network(recipe: &Recipe) -> Result<(), Wrong> {
    let n = &recipe.network;
    let kind = n.kind.name();
    use Kind::{Deepsets, Dgn, Mpnn, Ogb};
    // Keys that some networks do not have, and whether they are written.
    let keys = [
        ("layers", n.layers.is_some()),
        ("hidden", n.hidden.is_some()),
        ("jumping", n.jumping.is_some()),
        ("beside", !n.beside.is_empty()),
        ("head", n.head.is_some()),
        ("inject", n.inject.is_some()),
        ("edge-features", n.edge_features != EdgeFeatures::None),
        ("virtual-node", n.virtual_node),
        ("residual", n.residual.is_some()),
        ("edge-states", n.edge_states.is_some()),
        ("learn-eps", n.learn_eps),
        ("random-features", n.random_features),
        ("arc-encoding", n.arc_encoding.is_some()),
        ("aggregators", n.aggregators.is_some()),
        ("scalers", n.scalers.is_some()),
    ];
    for (key, written) in keys {
        if written && !n.kind.has(key) {
            let kinds = Kind::ALL.iter().filter(|k| k.has(key));
            let names: Vec<_> = kinds.map(|k| format!("`{}`", k.name())).collect();
            let what = format!("`{kind}` has no `{key}`; it belongs to {}", names.join(", "));
            return refuse(&format!("network.{key}"), what);
        }
    }
    if n.edge_states.is_some() {
        if n.layers == Some(1) {
            return refuse("network.edge-states", "there is no second layer to read them");
        }
        if n.edge_features == EdgeFeatures::All {
            let what = "layers behind the first read the states: use `first`";
            return refuse("network.edge-features", what);
        }
    }
    if n.layers.is_none() && n.kind != Deepsets {
        return refuse("network", "missing key `layers`");
    }
    for (key, number) in [
        ("layers", n.layers),
        ("width", Some(n.width)),
        ("hidden", n.hidden),
        ("edge-states", n.edge_states),
    ] {
        if number == Some(0) {
            return refuse(&format!("network.{key}"), "0 leaves no network");
        }
    }
    if !(0.0..1.0).contains(&n.dropout) {
        return refuse("network.dropout", format!("{} is not within 0 <= p < 1", n.dropout));
    }
    if n.walks.is_some_and(|steps| !(1..=MOST_STEPS).contains(&steps)) {
        return refuse("network.walks", format!("walks have 1 to {MOST_STEPS} steps"));
    }
    if n.arc_encoding.is_some() && n.edge_features == EdgeFeatures::None {
        return refuse("network.arc-encoding", "no layer reads them: `edge-features` is `none`");
    }
    match &recipe.degrees {
        Some(_) if matches!(n.kind, Ogb | Dgn) => {
            return refuse("degrees", format!("`{kind}` reads no degrees"));
        }
        Some(degrees) if n.kind == Deepsets => {
            if degrees.usage != DegreeUse::Replace {
                return refuse("degrees.use", "`deepsets` takes degrees only as `replace`");
            }
            if degrees.inject == Where::All {
                return refuse("degrees.inject", "`deepsets` has no layers");
            }
        }
        _ => {}
    }
    match &recipe.counts {
        Some(_) if n.kind == Mpnn => {
            let what = "`mpnn` is the network without counts; did you mean `gsn`?";
            refuse("network.kind", what)
        }
        Some(counts) => check_encoding(n, counts),
        None if n.inject.is_some() => refuse("network.inject", "there are no [counts] to read"),
        None if n.count_totals => refuse("network.count-totals", "there are no [counts] to add up"),
        None if directions(n) => {
            refuse("network.aggregators", "directions come from [counts], and there are none")
        }
        None => Ok(()),
    }?;
    if n.kind == Ogb {
        let adds = |e: &FeatureEncoding| {
            !matches!(e, FeatureEncoding::Embedding | FeatureEncoding::Linear)
        };
        for (key, encoding) in [("vertex", n.vertex_encoding), ("arc", n.arc_encoding)] {
            if encoding.as_ref().is_some_and(adds) {
                let what = "`ogb` adds features, so `embedding` or `linear` must bring them to \
                            one width";
                return refuse(&format!("network.{key}-encoding"), what);
            }
        }
    }
    Ok(())
}

/// Whether an aggregator reads a direction.
fn directions(network: &Network) -> bool {
    let of = |a: &DgnAggregator| match a {
        DgnAggregator::Each(_) => true,
        DgnAggregator::One(one) => one.to_string().starts_with("dir"),
    };
    network.aggregators.iter().flatten().any(of)
}

fn check_encoding(n: &Network, counts: &Counts) -> Result<(), Wrong> {
    let encoding = counts.encoding;
    let key = "counts.encoding";
    match n.kind {
        Kind::Ogb => match encoding {
            Encoding::Embedding { width } if width.is_none_or(|w| w == n.width) => Ok(()),
            _ => refuse(
                key,
                format!("`ogb` adds counts to vertices of width {}: use `embedding`", n.width),
            ),
        },
        Kind::Dgn => {
            let numbers =
                matches!(encoding, Encoding::Raw | Encoding::Log1p | Encoding::Standardise);
            if !numbers {
                return refuse(key, "`dgn` reads counts as numbers: use `raw` or `log1p`");
            }
            if n.aggregators.is_some() && !directions(n) {
                return refuse("network.aggregators", "none reads the counts; add `dir-av`");
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn check_training(recipe: &Recipe) -> Result<(), Wrong> {
    match recipe.protocol {
        Protocol::CrossValidation { folds, repeats } if folds < 2 || repeats < 1 => {
            return refuse("protocol.cross-validation", "needs at least 2 folds, once");
        }
        Protocol::FixedSplit { .. } | Protocol::CrossValidation { .. } => {}
        _ if recipe.refit => {
            let what = format!("the protocol `{}` selects no epoch", recipe.protocol.name());
            return refuse("final", what);
        }
        _ => {}
    }
    let untrained = matches!(recipe.protocol, Protocol::Separation { .. });
    let settings: &Settings = match (&recipe.training, untrained) {
        (None, true) => return Ok(()),
        (Some(_), true) => return refuse("training", "the protocol `separation` trains nothing"),
        (None, false) => return refuse("", "missing key `training`"),
        (Some(settings), false) => settings,
    };
    if let Err(Error::Recipe(text)) = settings.check() {
        let (key, what) = text.split_once(": ").unwrap_or(("training", &text));
        return refuse(key, what);
    }
    let answers = settings.loss.answers();
    let regression = answers == Answers::Numbers;
    if !settings.metric.measures(answers) {
        let fitting: Vec<_> = Metric::of_answers(answers).map(Metric::name).collect();
        let what = format!(
            "`{}` does not measure what `training.loss` learns ({}); use {}",
            settings.metric.name(),
            answers.name(),
            fitting.join(", ")
        );
        return refuse("training.metric", what);
    }
    if settings.class_weights.is_some() && regression {
        return refuse("training.class-weights", "a regression has no classes");
    }
    if recipe.data.bound.is_some() && !regression {
        return refuse("data.bound", "only predictions of a regression have bounds");
    }
    if recipe.data.targets == Targets::Standardise && !regression {
        return refuse("data.targets", "only the targets of a regression can be standardised");
    }
    Ok(())
}
