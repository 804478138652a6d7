//! What was asked of a run, in words.

use super::{Data, RunFolder, word};
use crate::html::{Html, code, paragraph, tag};
use crate::words::grouped;
use gsn_lab::protocol::{Choose, Protocol};
use gsn_lab::recipe::{Published, Recipe};
use gsn_lab::train::{Optimiser, Schedule, Settings};
use gsn_lab::{Dataset, Task};

/// Data, counts, network, training and protocol.
pub(super) fn section(run: &RunFolder) -> Html {
    let recipe = &run.recipe;
    let mut facts = tag("dl");
    let mut fact = |name: &str, said: Html| {
        let one = Html::from(tag("dt").with(name)).and(tag("dd").with(said));
        facts = std::mem::replace(&mut facts, tag("dl")).with(one);
    };
    fact("data", data(run));
    if let Ok(Data { dataset, .. }) = &run.data {
        fact("asked for", targets(dataset).into());
    }
    fact("counts", counts(recipe));
    fact("network", network(recipe).into());
    if let Some(training) = &recipe.training {
        fact("training", self::training(training).into());
    }
    fact("protocol", format!("{}, in words below", recipe.protocol.name()).into());
    if let Some(published) = &recipe.published {
        let Published { mean, std, printed, .. } = published;
        let std = std.map(|std| format!(" ± {std}")).unwrap_or_default();
        fact("published", format!("{mean}{std} ({printed})").into());
    }
    Html::from(facts).and(paragraph(protocol(&recipe.protocol, &recipe.seeds.0)))
}

fn data(run: &RunFolder) -> Html {
    let name = run.versions.as_ref().map_or(&run.recipe.data.set, |v| &v.data.name);
    let mut said = code(name.as_str());
    if let Some(versions) = &run.versions {
        said.push(format!(", {} graphs", grouped(versions.data.graphs as u64)));
    }
    if run.recipe.data.fraction < 1.0 {
        said.push(format!(", {} of the training part", run.recipe.data.fraction));
    }
    said
}

/// What is to be predicted.
fn targets(dataset: &Dataset) -> String {
    const NAMED: usize = 6;
    let names = &dataset.target_names;
    let mut named = names.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > NAMED {
        named += &format!(" and {} more", names.len() - NAMED);
    }
    match &dataset.task {
        Task::Regression(_) => format!("{named}, a number"),
        Task::Binary(_) => format!("{named}, yes or no"),
        Task::Classes(classes) => format!("{named}, one of {} classes", classes.len()),
    }
}

fn counts(recipe: &Recipe) -> Html {
    let Some(counts) = &recipe.counts else {
        return "none: the network sees the graphs alone".into();
    };
    let spec = counts.spec();
    code(counts.patterns()).and(format!(
        ", counted by {} as {}",
        word(spec.scope()),
        match spec.matching() {
            gsn_core::Matching::Induced => "induced subgraphs (graphlets)",
            gsn_core::Matching::Subgraph => "subgraphs (motifs)",
            gsn_core::Matching::Homomorphism => "maps that keep edges (homomorphisms)",
        }
    ))
}

fn network(recipe: &Recipe) -> String {
    let network = &recipe.network;
    let layers = network.layers.map(|n| format!("{n} layers of ")).unwrap_or_default();
    format!("{}, {layers}width {}", network.kind.name(), network.width)
}

fn training(training: &Settings) -> String {
    let optimiser = match training.optimiser {
        Optimiser::Adam => "Adam".to_owned(),
        Optimiser::AdamW => "AdamW".to_owned(),
        Optimiser::Sgd { momentum } => format!("SGD with momentum {momentum}"),
    };
    let schedule = match training.schedule {
        Schedule::None => "the learning rate stays".to_owned(),
        Schedule::Step { every, factor } => {
            format!("times {factor} every {every} epochs")
        }
        Schedule::Cosine { warm_up: 0, .. } => "half a cosine down".to_owned(),
        Schedule::Cosine { warm_up, .. } => {
            format!("{warm_up} epochs up and half a cosine down")
        }
        Schedule::Plateau { factor, patience, .. } => {
            format!("times {factor} where {patience} epochs bring nothing")
        }
    };
    format!(
        "{} epochs at most, batches of {}, {optimiser} at {}, {schedule}; loss {}, judged by {}",
        training.epochs,
        training.batch,
        training.lr,
        word(training.loss),
        training.metric.name()
    )
}

/// What is trained on which part, and which epoch is reported.
pub(super) fn protocol(protocol: &Protocol, seeds: &[u64]) -> String {
    let times = match seeds.len() {
        1 => String::new(),
        n => format!(" All of it is done {n} times, with different seeds."),
    };
    let what = match *protocol {
        Protocol::TudPaper => {
            "Protocol of the paper for the TU sets: every fold is trained on all graphs but its test \
             part, and the one epoch with the best mean over the test parts is reported. It chooses \
             on the test parts, so its numbers are too optimistic; they are comparable with other \
             numbers of this protocol only."
                .to_owned()
        }
        Protocol::TudFair => {
            "Fair protocol for the TU sets: every fold holds a ninth of its training graphs out, and \
             its test part is judged at the epoch that is best on those. The protocol of the paper, \
             which chooses on the test parts, is reported beside it."
                .to_owned()
        }
        Protocol::FixedSplit { choose: Choose::Last } => {
            "The data come with one cut into training, validation and test part. The network of the \
             last epoch is judged once on the test part."
                .to_owned()
        }
        Protocol::FixedSplit { choose: Choose::BestValidation } => {
            "One cut into training, validation and test part. The epoch that is best on the \
             validation part is judged once on the test part, which nothing was chosen by."
                .to_owned()
        }
        Protocol::CrossValidation { folds, repeats } => {
            let cuts = match repeats {
                1 => String::new(),
                n => format!(", {n} times with different cuts"),
            };
            format!(
                "Cross validation: the rows are cut into {folds} folds{cuts}. Every unit chooses its \
                 epoch by a validation part of its own and is judged on the fold it has not seen."
            )
        }
        Protocol::Separation { threshold } => {
            let networks = match seeds.len() {
                1 => "one network with random weights looks".to_owned(),
                n => format!("{n} networks with random weights look"),
            };
            return format!(
                "Nothing is trained: {networks} at every pair of graphs. A pair whose outputs are \
                 closer than {threshold} is not told apart."
            );
        }
    };
    what + &times
}
