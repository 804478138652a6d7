//! Runs from beginning to end over small graphs made here: what they report, that nothing but
//! seeds decides it, and that no accident loses anything.

mod accidents;
mod evaluation;
mod repeat;
mod reports;

use gsn_core::Graph;
use gsn_lab::experiment::{Options, Prepared, Results, Sheet, Source, conduct};
use gsn_lab::protocol::{Outcome, Plan, Protocol};
use gsn_lab::train::Settings;
use gsn_lab::{Dataset, Fold, Result, Sample, Splits, Task};
use gsn_nn::config::Data;
use gsn_nn::rng::{derive, uniform};
use gsn_nn::{Features, GraphInput, Model, ModelConfig};
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
        validation: vec![],
        test: all.iter().copied().filter(|i| i % 4 == f).collect(),
    };
    Dataset {
        name: "marks".into(),
        task: Task::Classes(vec!["few".into(), "many".into()]),
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
    dataset.splits =
        Splits::Fixed(Fold { train: part(0, 40), validation: part(40, 50), test: part(50, 62) });
    dataset
}

const CLASSES: &str = r#"
batch = 8
epochs = 4
steps-per-epoch = 7
lr = 0.01
schedule = { step = { every = 2, factor = 0.5 } }
loss = "cross-entropy"
metric = "accuracy"
"#;

const NUMBERS: &str = r#"
batch = 16
epochs = 12
lr = 0.02
schedule = { plateau = { factor = 0.5, patience = 1 } }
min-lr = 1e-4
clip = 5.0
loss = "l1"
metric = "mae"
"#;

fn settings(text: &str) -> Settings {
    toml::from_str(text).unwrap()
}

/// Encodes marks as they are; numbers are learnt as (x − 20) / 5.
struct Plain<'a> {
    dataset: &'a Dataset,
    dropout: f64,
}

struct Encoded {
    inputs: Vec<GraphInput>,
    config: ModelConfig,
    scaled: bool,
}

impl Source for Plain<'_> {
    fn depends_on_fold(&self) -> bool {
        true
    }

    fn prepare(&self, _: &Fold) -> Result<Box<dyn Prepared>> {
        let outputs = self.dataset.task.outputs();
        let scaled = matches!(self.dataset.task, Task::Regression(_));
        let config = config(outputs, self.dropout);
        let inputs = self.dataset.samples.iter().map(|s| GraphInput {
            vertices: s.graph.order(),
            arcs: s.graph.arcs().map(|(u, v)| [u, v]).collect(),
            vertex: s.vertex.clone(),
            targets: s.targets.iter().map(|t| if scaled { (t - 20.0) / 5.0 } else { *t }).collect(),
            ..GraphInput::default()
        });
        Ok(Box::new(Encoded { inputs: inputs.collect(), config, scaled }))
    }
}

impl Prepared for Encoded {
    fn inputs(&self) -> &[GraphInput] {
        &self.inputs
    }

    fn config(&self) -> &ModelConfig {
        &self.config
    }

    fn restore(&self, predicted: &mut [f64]) {
        if self.scaled {
            predicted.iter_mut().for_each(|x| *x = 20.0 + 5.0 * *x);
        }
    }

    fn model_file(&self, model: &Model<f32>, _: &Plan, _: &Outcome) -> Result<Vec<u8>> {
        Ok(model.to_bytes()?)
    }
}

fn config(outputs: usize, dropout: f64) -> ModelConfig {
    let text = serde_json::json!({
        "inputs": { "vertex": {
            "data": { "categories": { "sizes": [3] } }, "encode": "one-hot"
        } },
        "network": {
            "kind": "gsn", "form": "gin", "layers": [{ "width": 8 }, { "width": 8 }],
            "heads": ["linear", "linear", "linear"], "dropout": [dropout, dropout, dropout],
        },
        "outputs": outputs,
    });
    serde_json::from_value(text).unwrap()
}

/// A whole run.
fn run(
    dataset: &Dataset,
    protocol: Protocol,
    settings: &Settings,
    seeds: &[u64],
    options: &Options,
) -> Result<Results> {
    let sheet = Sheet {
        name: "test",
        recipe: "# a test\n".into(),
        dataset,
        protocol,
        settings,
        seeds,
        published: None,
    };
    conduct(&sheet, &Plain { dataset, dropout: 0.3 }, options, &())
}

fn options(out: &Path, threads: usize, jobs: Option<usize>) -> Options {
    Options { threads: Some(threads), jobs, ..Options::new(out) }
}

/// Everything in a run folder that must be the same bit for bit.
fn essence(run: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for name in ["results.json", "metrics.jsonl", "model.gsn"] {
        files.insert(name.to_string(), std::fs::read(run.join(name)).unwrap());
    }
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
