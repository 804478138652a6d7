//! Runs from beginning to end over small graphs made here: what they report, that nothing but
//! seeds decides it, and that no accident loses anything.

mod accidents;
mod evaluation;
mod repeat;
mod reports;

use gsn_core::Graph;
use gsn_core::random::{derive, uniform};
use gsn_lab::experiment::{Experiment, Observer, Options, Results, RunResults};
use gsn_lab::protocol::Protocol;
use gsn_lab::recipe::network::{Jumping, Kind, Readout};
use gsn_lab::recipe::{self, Network, Recipe, Seeds, Targets};
use gsn_lab::train::{Loss, Metric, Schedule, Settings, Watched};
use gsn_lab::{Dataset, Fold, Result, Sample, Splits, Task};
use gsn_nn::Features;
use gsn_nn::config::Data;
use std::collections::BTreeMap;
use std::path::Path;

/// A random graph of `n` vertices, in which some are marked.
fn sample(row: u64) -> Sample {
    let n = 4 + (derive(1, row) % 9) as u32;
    let mut edges: Vec<[u32; 2]> = (1..n).map(|v| [derive(row, v.into()) as u32 % v, v]).collect();
    let more = derive(2, row) % 4;
    edges.extend((0..more).map(|i| {
        let u = derive(row + 77, i) as u32 % n;
        let v = (u + 2) % n;
        [u.min(v), u.max(v)]
    }));
    edges.sort_unstable();
    edges.dedup();
    let graph = Graph::from_edges(n as usize, edges.iter().map(|&[u, v]| (u, v))).unwrap();
    let marks: Vec<u32> = (0..n).map(|v| (derive(row + 5, v.into()) % 3) as u32).collect();
    let marked = marks.iter().filter(|&&m| m == 1).count();
    Sample {
        columns: Vec::new(),
        censoring: Vec::new(),
        row,
        vertex: Some(Features::Categories { cols: 1, data: marks }),
        arc: None,
        targets: vec![f64::from(u8::from(2 * marked > n as usize))],
        graph,
    }
}

/// Graphs with two classes and four folds.
fn classes() -> Dataset {
    let samples: Vec<Sample> = (0..62).map(sample).collect();
    let all: Vec<u32> = (0..samples.len() as u32).collect();
    let fold = |f: u32| Fold {
        train: all.iter().copied().filter(|i| i % 4 != f).collect(),
        test: all.iter().copied().filter(|i| i % 4 == f).collect(),
        ..Fold::default()
    };
    Dataset {
        name: "marks".into(),
        task: Task::Classes(vec!["few".into(), "many".into()]),
        columns: Vec::new(),
        target_names: vec!["class".into()],
        vertex: Some(Data::Categories { sizes: vec![3] }),
        arc: None,
        splits: Splits::Folds((0..4).map(fold).collect()),
        licence: "made here".into(),
        samples,
    }
}

/// Graphs with a number each, cut once.
fn numbers() -> Dataset {
    let mut dataset = classes();
    for (i, sample) in dataset.samples.iter_mut().enumerate() {
        sample.targets = vec![10.0 + 3.0 * sample.graph.edge_count() as f64 + uniform(9, i as u64)];
    }
    dataset.task = Task::Regression(1);
    let part = |from: u32, to: u32| (from..to).collect();
    dataset.splits = Splits::Fixed(Fold {
        train: part(0, 40),
        validation: part(40, 50),
        test: part(50, 62),
        ..Fold::default()
    });
    dataset
}

/// Two passes of seven steps at full rate, two at half.
fn classes_settings() -> Settings {
    Settings::new(8, 4, 0.01, Loss::CrossEntropy, Metric::Accuracy)
        .with_steps_per_epoch(7)
        .with_schedule(Schedule::Step { every: 2, factor: 0.5 })
}

fn numbers_settings() -> Settings {
    Settings::new(16, 12, 0.02, Loss::L1, Metric::Mae)
        .with_schedule(Schedule::Plateau { factor: 0.5, patience: 1, watch: Watched::Loss })
        .with_min_lr(1e-4)
        .with_clip(5.0)
}

/// A small network over marks, with dropout; numbers are standardised.
fn recipe(dataset: &Dataset, protocol: Protocol, settings: &Settings, seeds: &[u64]) -> Recipe {
    let regression = matches!(dataset.task, Task::Regression(_));
    let targets = if regression { Targets::Standardise } else { Targets::Raw };
    let network = Network::new(Kind::Gin, 8, Readout::Sum)
        .with_layers(2)
        .with_jumping(Jumping::All)
        .with_dropout(0.3);
    Recipe::new(recipe::Data::new("marks").with_targets(targets), protocol, network)
        .with_name("test".into())
        .with_seeds(Seeds(seeds.to_vec()))
        .with_training(settings.clone())
}

/// A whole run.
fn run(
    dataset: &Dataset,
    protocol: Protocol,
    settings: &Settings,
    seeds: &[u64],
    options: &Options,
) -> Result<Results> {
    run_recipe(recipe(dataset, protocol, settings, seeds), dataset, options, &())
}

fn run_recipe(
    recipe: Recipe,
    dataset: &Dataset,
    options: &Options,
    observer: &dyn Observer,
) -> Result<Results> {
    match Experiment::new(recipe, dataset.clone()).run(options, observer)? {
        RunResults::Trained(results) => Ok(*results),
        RunResults::Compared(_) => panic!("nothing was trained"),
    }
}

fn options(out: &Path, threads: usize, jobs: Option<usize>) -> Options {
    Options { threads: Some(threads), jobs, ..Options::new(out) }
}

/// Everything in a run folder that must be the same bit for bit.
fn essence(run: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for name in [
        "results.json",
        "metrics.jsonl",
        "model.gsn",
        "split.csv",
        "predictions.csv",
        "learning-curve.svg",
    ] {
        files.insert(name.to_string(), std::fs::read(run.join(name)).unwrap());
    }
    let picture = ["parity.svg", "roc.svg"].map(|name| run.join(name));
    let picture = picture.iter().find(|path| path.exists()).unwrap();
    files.insert("picture".into(), std::fs::read(picture).unwrap());
    for unit in std::fs::read_dir(run.join("units")).unwrap() {
        let unit = unit.unwrap().path();
        for name in ["last.ckpt", "model.gsn", "best.safetensors"] {
            let path = unit.join(name);
            if path.exists() {
                let key = format!("{}/{name}", unit.file_name().unwrap().display());
                files.insert(key, std::fs::read(&path).unwrap());
            }
        }
    }
    files
}

/// Compares two run folders, by the names of files that differ.
fn assert_same(a: &Path, b: &Path) {
    let (a, b) = (essence(a), essence(b));
    assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>());
    let differ: Vec<_> =
        a.iter().filter(|(name, bytes)| b[*name] != **bytes).map(|x| x.0).collect();
    assert!(differ.is_empty(), "{differ:?} differ");
}
