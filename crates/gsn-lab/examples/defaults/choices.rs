//! What is compared: the defaults as they were before the study, one change at a time, and the
//! changes that won together; then, on top of these, what brings the error on ZINC down.

use crate::Result;
use gsn_core::{Matching, Scope};
use gsn_lab::protocol::{Choose, Protocol};
use gsn_lab::recipe::network::{EdgeFeatures, Head, Kind, Readout};
use gsn_lab::recipe::{Counts, Data, Network, Recipe, Targets, UnseenCategory};
use gsn_lab::train::{Loss, Metric, Schedule, Settings, Watched};
use gsn_lab::user_data::Report;
use gsn_lab::{Dataset, Task};

/// The defaults before the study, with fewer epochs; width and layers follow the size, as today.
pub(crate) fn before(dataset: &Dataset, report: &Report, train: usize) -> Result<Recipe> {
    let regression = matches!(dataset.task, Task::Regression(_));
    let mut data = Data::new(&dataset.name);
    if regression {
        data = data.with_targets(Targets::Standardise);
    }
    if report.reader.featurised() {
        data = data.with_unseen(UnseenCategory::Unknown);
    }
    let counts =
        Counts::read("cycle:3..=8")?.with_scope(Scope::Vertex).with_matching(Matching::Subgraph);
    let readout = if regression { Readout::Sum } else { Readout::Mean };
    let (width, layers) = if train < 500 { (32, 3) } else { (64, 4) };
    let mut network =
        Network::new(Kind::Gsn, width, readout).with_layers(layers).with_head(Head::Mlp);
    if dataset.arc.is_some() {
        network = network.with_edge_features(EdgeFeatures::All);
    }
    if !regression {
        network = network.with_dropout(0.2);
    }
    let (loss, metric) = match &dataset.task {
        Task::Regression(_) => (Loss::L1, Metric::Mae),
        Task::Binary(_) => (Loss::BceWithLogits, Metric::RocAuc),
        Task::Classes(_) => (Loss::CrossEntropy, Metric::Accuracy),
    };
    let batch = if train < 200 { 16 } else { 32 };
    let plateau = Schedule::Plateau { factor: 0.5, patience: 10, watch: Watched::Loss };
    let training = Settings::new(batch, EPOCHS, 1e-3, loss, metric)
        .with_schedule(plateau)
        .with_min_lr(1e-5)
        .with_clip(5.0);
    let protocol = Protocol::FixedSplit { choose: Choose::BestValidation };
    let recipe = Recipe::new(data, protocol, network).with_counts(counts).with_training(training);
    recipe.check()?;
    Ok(recipe)
}

/// Epochs of a run at most.
pub(crate) const EPOCHS: u64 = 100;

/// A set of changes to the defaults.
pub(crate) struct Choice {
    /// Its name in the tables.
    pub(crate) name: &'static str,
    /// What is asked by it.
    pub(crate) factor: &'static str,
    change: fn(&mut Recipe) -> Result<()>,
}

impl Choice {
    /// The recipe with the changes; those that do not fit the task change nothing.
    pub(crate) fn apply(&self, recipe: &Recipe) -> Result<Recipe> {
        let mut changed = recipe.clone();
        (self.change)(&mut changed)?;
        changed.check()?;
        Ok(changed)
    }
}

fn set(recipe: &mut Recipe, settings: &[&str]) -> Result<()> {
    for setting in settings {
        recipe.set(setting)?;
    }
    Ok(())
}

fn regression(recipe: &Recipe) -> bool {
    recipe.training.as_ref().is_some_and(|t| matches!(t.loss, Loss::L1 | Loss::Mse))
}

/// What won one by one.
const TOGETHER: &[&str] = &[
    "training.batch-norm=\"re-estimated\"",
    "counts.encoding=\"log1p\"",
    "network.readout=\"sum\"",
    "training.weight-decay=1e-4",
];

fn together(recipe: &mut Recipe) -> Result<()> {
    set(recipe, TOGETHER)?;
    rare(recipe)
}

fn rare(recipe: &mut Recipe) -> Result<()> {
    match recipe.data.unseen {
        UnseenCategory::Unknown => set(recipe, &["data.unseen=\"rare\""]),
        _ => Ok(()),
    }
}

const LAST: &[&str] = &["protocol={ fixed-split = { choose = \"last\" } }"];

fn added(recipe: &mut Recipe, settings: &[&str]) -> Result<()> {
    together(recipe)?;
    set(recipe, settings)
}

/// What the changes of [`FIRST`] are compared with.
pub(crate) const BEFORE: Choice = Choice { name: "as before", factor: "", change: |_| Ok(()) };

/// The choice that won; the defaults follow it, and the changes of [`SECOND`] are compared with it.
pub(crate) const WINNER: Choice = Choice { name: "together", factor: "together", change: together };

/// Changes to the defaults as they were, in the order in which they are run.
pub(crate) const FIRST: &[Choice] = &[
    BEFORE,
    Choice {
        name: "batch-norm re-estimated",
        factor: "BatchNorm",
        change: |r| set(r, &["training.batch-norm=\"re-estimated\""]),
    },
    Choice {
        name: "counts log1p",
        factor: "counts",
        change: |r| set(r, &["counts.encoding=\"log1p\""]),
    },
    Choice {
        name: "readout mean",
        factor: "readout",
        change: |r| set(r, &["network.readout=\"mean\""]),
    },
    Choice {
        name: "readout sum",
        factor: "readout",
        change: |r| set(r, &["network.readout=\"sum\""]),
    },
    Choice { name: "rare categories unknown", factor: "unseen values", change: rare },
    Choice { name: "last epoch", factor: "early stopping", change: |r| set(r, LAST) },
    Choice {
        name: "weight decay 1e-4",
        factor: "weight decay",
        change: |r| set(r, &["training.weight-decay=1e-4"]),
    },
    Choice { name: "2 layers", factor: "depth", change: |r| set(r, &["network.layers=2"]) },
    Choice {
        name: "squared loss",
        factor: "loss",
        change: |r| if regression(r) { set(r, &["training.loss=\"mse\""]) } else { Ok(()) },
    },
    WINNER,
    Choice {
        name: "together, last epoch",
        factor: "together",
        change: |r| together(r).and_then(|()| set(r, LAST)),
    },
    Choice {
        name: "together, last epoch, 2 layers",
        factor: "together",
        change: |r| {
            together(r)?;
            set(r, LAST)?;
            set(r, &["network.layers=2"])
        },
    },
];

const COSINE: &str = "training.schedule={ cosine = { warm-up = 5, least = 1e-5 } }";

/// Changes on top of what won: each a part of the best networks on ZINC, but the first, which takes
/// back what lost by itself.
pub(crate) const SECOND: &[Choice] = &[
    WINNER,
    Choice {
        name: "no weight decay",
        factor: "weight decay",
        change: |r| added(r, &["training.weight-decay=0.0"]),
    },
    Choice { name: "rate along a cosine", factor: "schedule", change: |r| added(r, &[COSINE]) },
    Choice {
        name: "rate along a cosine from 0.002",
        factor: "schedule",
        change: |r| added(r, &[COSINE, "training.lr=2e-3"]),
    },
    Choice {
        name: "mean of the weights",
        factor: "weights",
        change: |r| added(r, &["training.average=0.99"]),
    },
    Choice {
        name: "counts in all layers",
        factor: "counts",
        change: |r| added(r, &["network.inject=\"all\""]),
    },
    Choice {
        name: "residual connections",
        factor: "layers",
        change: |r| added(r, &["network.residual=true"]),
    },
    Choice {
        name: "closed walks up to 16",
        factor: "features",
        change: |r| added(r, &["network.walks=16"]),
    },
    Choice {
        name: "mean and maximum beside the sum",
        factor: "readout",
        change: |r| added(r, &["network.beside=[\"mean\", \"max\"]"]),
    },
    Choice {
        name: "totals of the counts",
        factor: "readout",
        change: |r| added(r, &["network.count-totals=true"]),
    },
];
