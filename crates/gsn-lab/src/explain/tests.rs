//! Explanations of networks with random weights: sums, baselines, limits, and what is refused.

use super::*;
use crate::dataset::{Dataset, Splits};
use crate::model_file::{Card, Member, ModelFile};
use crate::pipeline::{Pipeline, Reader};
use crate::recipe::Recipe;
use gsn_core::{Graph, Matching, Scope};
use gsn_nn::Model;
use std::path::Path as FilePath;

/// Edge lists of small graphs; the first three have triangles.
const GRAPHS: [&[(u32, u32)]; 5] = [
    &[(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2)],
    &[(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (1, 3), (3, 4)],
    &[(0, 1), (1, 2), (2, 0), (2, 3), (3, 4)],
    &[(0, 1), (1, 2), (2, 3), (3, 0)],
    &[(0, 1), (1, 2)],
];

fn order(edges: &[(u32, u32)]) -> usize {
    edges.iter().map(|&(u, v)| u.max(v)).max().unwrap_or(0) as usize + 1
}

/// The graphs as a data set for this task, with made-up targets.
fn dataset(task: Task) -> Dataset {
    let samples = GRAPHS.iter().enumerate().map(|(row, edges)| {
        let targets = (0..task.targets()).map(|t| ((row + t) % 2) as f64).collect();
        Sample {
            row: row as u64,
            graph: Graph::from_edges(order(edges), edges.iter().copied()).unwrap(),
            vertex: None,
            arc: None,
            columns: Vec::new(),
            targets,
            censoring: Vec::new(),
        }
    });
    let target_names = (0..task.targets()).map(|t| format!("y{t}")).collect();
    Dataset {
        name: "mine".into(),
        samples: samples.collect(),
        task,
        columns: Vec::new(),
        target_names,
        vertex: None,
        arc: None,
        splits: Splits::None,
        licence: String::new(),
    }
}

/// A model file with random weights, one member a seed.
fn model(counts: &str, network: &str, data: &str, task: Task, seeds: &[u64]) -> ModelFile {
    let text = format!(
        "protocol = {{ fixed-split = {{ choose = \"last\" }} }}\ndata = {{ set = \"mine\"{data} }}\n{counts}\n\
         network = {{ {network}, width = 6, readout = \"mean\" }}\n\
         training = {{ batch = 2, epochs = 1, lr = 0.1, loss = \"l1\", metric = \"mae\" }}\n"
    );
    let recipe = Recipe::parse(&text, "example").unwrap();
    let data = dataset(task);
    let counts: Vec<Counts> = recipe
        .counts
        .iter()
        .flat_map(|counts| {
            let counter = Counter::new(counts.spec());
            data.samples
                .iter()
                .map(move |sample| counter.count(&sample.graph).unwrap())
                .collect::<Vec<_>>()
        })
        .collect();
    let members = seeds.iter().map(|&seed| {
        // Members differ in what they were fitted on, too.
        let train: Vec<u32> = (0..GRAPHS.len() as u32 - (seed % 2) as u32).collect();
        let pipeline = Pipeline::fit(&recipe, &data, &counts, &train).unwrap();
        let config = pipeline.model_config(&recipe, data.task.outputs()).unwrap();
        let model = Model::new(config, seed).unwrap();
        Member { unit: format!("seed-{seed}"), model, pipeline }
    });
    let reader = Reader::of(&data);
    assert!(reader.is_some());
    ModelFile::new(members, Card::new(&recipe, &data, reader)).unwrap()
}

/// The graphs in a file of graph6 lines, with a line that is none among them.
fn input(folder: &FilePath) -> std::path::PathBuf {
    let mut text = String::new();
    for (at, edges) in GRAPHS.iter().enumerate() {
        let graph = Graph::from_edges(order(edges), edges.iter().copied()).unwrap();
        text += &gsn_core::graph::graph6::encode(graph.order(), |u, v| {
            graph.has_arc(u as u32, v as u32)
        })
        .unwrap();
        text += if at == 1 { "\n~~no graph\n" } else { "\n" };
    }
    let path = folder.join("graphs.g6");
    std::fs::write(&path, text).unwrap();
    path
}

fn explained(
    file: ModelFile,
    change: impl FnOnce(ExplainRequest) -> ExplainRequest,
) -> Explanation {
    let folder = tempfile::tempdir().unwrap();
    let predictor = Predictor::new(file).unwrap();
    explain(&predictor, &change(ExplainRequest::new(input(folder.path())))).unwrap()
}

fn counts(scope: &str, encoding: &str) -> String {
    format!(
        "counts = {{ patterns = \"cycle:3..=4, path:3\", scope = \"{scope}\", matching = \"induced\", \
         encoding = \"{encoding}\", fit = \"all\" }}"
    )
}

const GIN: &str = "kind = \"gin\", layers = 2, inject = \"all\"";

/// Every kind of network, scope, encoding and task.
fn models() -> Vec<(String, ModelFile)> {
    let classes = || Task::Classes(["a", "b", "c"].map(str::to_owned).into());
    let scaled = ", targets = \"standardise\", bound = 0.5";
    let mut all = Vec::new();
    for (scope, encoding, network, data, task) in [
        ("vertex", "one-hot", GIN, "", Task::Regression(1)),
        ("arc", "one-hot", GIN, "", classes()),
        ("edge", "one-hot", GIN, "", Task::Binary(2)),
        ("vertex", "embedding", "kind = \"gsn\", layers = 2", scaled, Task::Regression(2)),
        ("arc", "embedding:3", "kind = \"gsn\", layers = 1", "", classes()),
        ("edge", "log1p", "kind = \"gsn\", layers = 2", "", Task::Binary(1)),
        ("vertex", "standardise", GIN, scaled, Task::Regression(1)),
        ("vertex", "raw", GIN, "", Task::Binary(1)),
        ("edge", "embedding", "kind = \"ogb\", layers = 2", "", Task::Regression(1)),
        ("vertex", "bins:2", GIN, "", Task::Regression(1)),
        ("arc", "one-hot-max", "kind = \"deepsets\"", "", Task::Regression(1)),
    ] {
        let name = format!("{network}, {scope}, {encoding}, {task:?}");
        all.push((name, model(&counts(scope, encoding), network, data, task, &[1, 2])));
    }
    all
}

#[test]
fn gradients_sum_to_the_difference_and_occurrences_to_their_pattern() {
    for (name, file) in models() {
        let found = explained(file, |request| request);
        assert_eq!((found.graphs.len(), found.rows, found.left_out), (5, 6, 0), "{name}");
        let mut moved: f64 = 0.0;
        for graph in &found.graphs {
            let path = graph.gradients.as_ref().unwrap_or_else(|| panic!("{name}: {graph:?}"));
            let largest = (0..found.outputs.len())
                .map(|k| (graph.prediction[k] - graph.absent[k]).abs())
                .fold(1e-6, f64::max);
            moved = moved.max(largest);
            for k in 0..found.outputs.len() {
                let difference = graph.prediction[k] - graph.absent[k];
                let gradient = |effect: &Effect| effect.gradient.as_ref().unwrap()[k];
                let sum: f64 = graph.patterns.iter().map(|p| gradient(&p.effect)).sum();
                // Each of two members may be off by the tolerance of its own, larger, difference.
                let allowed = 10.0 * TOLERANCE * largest + 1e-5;
                assert!((sum - difference).abs() <= allowed, "{name}: {sum}, not {difference}");
                assert!((sum - difference - path.gap[k]).abs() < 1e-5, "{name}: gap");
                for pattern in &graph.patterns {
                    assert_eq!(pattern.occurrences.len() as u64, pattern.total, "{name}");
                    let sum: f64 = pattern.occurrences.iter().map(|o| gradient(&o.effect)).sum();
                    assert!((sum - gradient(&pattern.effect)).abs() < 1e-9, "{name}: {pattern:?}");
                }
            }
        }
        assert!(moved > 1e-4, "{name} does not read its counts: {moved}");
        assert_eq!(found.rejected.len(), 1, "{name}");
        assert_eq!((found.rejected[0].row, found.rejected[0].line), (2, Some(3)), "{name}");
    }
}

#[test]
fn removing_what_there_is_gives_the_prediction_without_patterns() {
    for (name, file) in models() {
        let found = explained(file, |request| request);
        let mut alone = 0;
        for graph in &found.graphs {
            for pattern in &graph.patterns {
                let removal = pattern.effect.removal.as_ref().unwrap();
                if graph.patterns.len() == 1 {
                    // The only pattern of the graph: without it there is none.
                    for k in 0..found.outputs.len() {
                        let difference = graph.prediction[k] - graph.absent[k];
                        assert!((removal[k] - difference).abs() < 1e-12, "{name}");
                    }
                    alone += 1;
                }
                if let [only] = &pattern.occurrences[..] {
                    assert_eq!(only.effect.removal, pattern.effect.removal, "{name}");
                }
            }
        }
        assert!(alone > 0, "{name}");
    }
}

#[test]
fn a_model_that_ignores_its_counts_has_no_effects() {
    let mut file = model(
        &counts("vertex", "embedding"),
        "kind = \"ogb\", layers = 1",
        "",
        Task::Binary(1),
        &[3],
    );
    let params = file.first.model.params_mut();
    let (mut first, mut same) = (0, 0);
    for entry in params.entries().to_vec() {
        let cells = first..first + entry.shape.iter().product::<usize>();
        first = cells.end;
        if entry.name.starts_with("id_encoder") {
            same += cells.len();
            // Every category has the same row.
            params.values_mut()[cells].fill(0.25);
        }
    }
    assert!(same > 0 && first == params.values().len());
    let found = explained(file, |request| request);
    for graph in &found.graphs {
        assert_eq!(graph.prediction, graph.absent);
        for pattern in &graph.patterns {
            for effect in std::iter::once(&pattern.effect)
                .chain(pattern.occurrences.iter().map(|o| &o.effect))
            {
                assert_eq!(effect.removal.as_deref(), Some(&[0.0][..]));
                assert!(effect.gradient.as_ref().unwrap()[0].abs() < 1e-12);
            }
        }
    }
}

#[test]
fn predictions_are_those_of_predict_and_totals_those_of_the_counts() {
    let file = model(
        &counts("edge", "one-hot"),
        GIN,
        "",
        Task::Classes(vec!["a".into(), "b".into()]),
        &[1, 2, 3],
    );
    let folder = tempfile::tempdir().unwrap();
    let path = input(folder.path());
    let predictor = Predictor::new(file.clone()).unwrap();
    let source = gsn_io::GraphSource::open(&path, &predictor.read_options(None)).unwrap();
    let rows = source.read_batches(100).next().unwrap().unwrap();
    let answers = predictor.predict(rows, &mut Default::default());
    let said: Vec<_> = answers.into_iter().filter_map(|answer| answer.said.ok()).collect();
    let found = explained(file, |request| request.with_limit(1));
    assert_eq!((found.members, found.scope, found.matching), (3, Scope::Edge, Matching::Induced));
    assert_eq!(found.outputs, ["y0=a", "y0=b"]);
    for (graph, said) in found.graphs.iter().zip(said) {
        assert_eq!(graph.prediction, said.numbers);
        assert!((graph.prediction.iter().sum::<f64>() - 1.0).abs() < 1e-6);
    }
    // Two triangles share a vertex; the limit keeps one, the total says two.
    let triangles = &found.graphs[0].patterns[0];
    assert_eq!((triangles.pattern, triangles.total, triangles.occurrences.len()), (0, 2, 1));
    assert_eq!(triangles.occurrences[0].vertices, [0, 1, 2]);
    assert_eq!(found.patterns, ["cycle:3", "cycle:4", "path:3"]);
    let few = |request: ExplainRequest| request.with_graphs(2).with_limit(0);
    let file = model(&counts("vertex", "one-hot"), GIN, "", Task::Regression(1), &[1]);
    let few = explained(file, few);
    assert_eq!((few.graphs.len(), few.left_out, few.rows, few.rejected.len()), (2, 3, 6, 1));
    assert!(
        few.graphs
            .iter()
            .flat_map(|g| &g.patterns)
            .all(|p| p.occurrences.is_empty() && p.total > 0)
    );
}

#[test]
fn the_value_survives_json_and_its_graph_comes_back() {
    let found =
        explained(model(&counts("vertex", "raw"), GIN, "", Task::Regression(1), &[1]), |r| r);
    let text = serde_json::to_string(&found).unwrap();
    let again: Explanation = serde_json::from_str(&text).unwrap();
    assert_eq!(again, found);
    for (graph, edges) in again.graphs.iter().zip(GRAPHS) {
        let wanted = Graph::from_edges(order(edges), edges.iter().copied()).unwrap();
        assert_eq!(graph.graph.graph().unwrap(), wanted);
    }
}

#[test]
fn what_cannot_be_explained_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = input(folder.path());
    let refused = |file: ModelFile| {
        explain(&Predictor::new(file).unwrap(), &ExplainRequest::new(&path))
            .unwrap_err()
            .to_string()
    };
    let plain = model("", "kind = \"mpnn\", layers = 2", "", Task::Regression(1), &[1]);
    assert!(refused(plain).contains("counts no patterns, so there is nothing to explain"));
    let noisy = model(
        &counts("vertex", "raw"),
        "kind = \"gsn\", layers = 2, random-features = true",
        "",
        Task::Regression(1),
        &[1],
    );
    assert!(refused(noisy).contains("random numbers"));
    // The directional form has removals, and says why it has no gradients.
    let directional = model(
        &counts("vertex", "raw"),
        "kind = \"dgn\", layers = 2",
        "",
        Task::Regression(1),
        &[1],
    );
    let found = explained(directional, |request| request);
    assert!(found.graphs.iter().all(|g| g.no_gradients.as_ref().unwrap().contains("vector field")));
    let mut effects = found.graphs.iter().flat_map(|g| &g.patterns).map(|p| &p.effect);
    assert!(effects.all(|e| e.removal.is_some() && e.gradient.is_none() && e.best().is_some()));
    // So does a head that reads totals.
    let network = "kind = \"gsn\", layers = 2, count-totals = true";
    let totals = model(&counts("vertex", "raw"), network, "", Task::Regression(1), &[1]);
    let found = explained(totals, |request| request);
    assert!(found.graphs.iter().all(|g| g.no_gradients.as_ref().unwrap().contains("totals")));
    // A switch that is on stops the call.
    let switch = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let file = model(&counts("vertex", "raw"), GIN, "", Task::Regression(1), &[1]);
    let stopped = ExplainRequest::new(&path).with_monitor(Monitor::default().with_cancel(switch));
    assert!(explain(&Predictor::new(file).unwrap(), &stopped).is_err());
}
