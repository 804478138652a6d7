//! What a pipeline promises on small data: its inputs fit its network, edges hand their counts to
//! both arcs, nothing leaks, and what is stored is what was fitted.

use super::*;
use crate::dataset::Splits;
use gsn_core::{Counter, Graph};
use gsn_nn::config::Data;
use gsn_nn::{Batch, Model, Pool};

fn sample(row: u64, order: usize, edges: &[(u32, u32)], target: f64) -> Sample {
    let graph = Graph::from_edges(order, edges.iter().copied()).unwrap();
    let arcs = graph.arc_count();
    Sample {
        columns: Vec::new(),
        censoring: Vec::new(),
        row,
        vertex: Some(Features::Categories { cols: 1, data: (0..order as u32).collect() }),
        arc: Some(Features::Categories { cols: 2, data: vec![1; 2 * arcs] }),
        graph,
        targets: vec![target],
    }
}

/// A triangle with a tail, a path, a square with a chord.
fn dataset() -> Dataset {
    Dataset {
        name: "small".into(),
        samples: vec![
            sample(0, 4, &[(0, 1), (1, 2), (2, 0), (2, 3)], 1.0),
            sample(1, 3, &[(0, 1), (1, 2)], 3.0),
            sample(2, 4, &[(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)], f64::NAN),
        ],
        task: Task::Regression(1),
        columns: Vec::new(),
        target_names: vec!["y".into()],
        vertex: Some(Data::Categories { sizes: vec![5] }),
        arc: Some(Data::Categories { sizes: vec![3, 2] }),
        splits: Splits::None,
        licence: String::new(),
    }
}

fn recipe(settings: &[&str]) -> Recipe {
    let base = r#"
        protocol = { fixed-split = { choose = "last" } }
        data.set = "small"
        counts = { patterns = "cycle:3, path:3", scope = "vertex", matching = "subgraph" }
        network = { kind = "gsn", layers = 2, width = 8, readout = "sum" }
        training = { batch = 2, epochs = 1, lr = 0.1, loss = "l1", metric = "mae" }
    "#;
    let mut recipe = Recipe::parse(base, "test").unwrap();
    for setting in settings {
        recipe.set(setting).unwrap_or_else(|e| panic!("{setting}: {e}"));
    }
    recipe
}

fn counts(recipe: &Recipe, dataset: &Dataset) -> Vec<Counts> {
    let Some(spec) = &recipe.counts else { return vec![] };
    let counter = Counter::new(spec.spec());
    dataset.samples.iter().map(|s| counter.count(&s.graph).unwrap()).collect()
}

/// Fits, encodes, predicts: everything fits together.
fn runs(recipe: &Recipe, train: &[u32]) -> (Pipeline, Vec<GraphInput>, usize) {
    let data = dataset();
    let counts = counts(recipe, &data);
    let pipeline = Pipeline::fit(recipe, &data, &counts, train).unwrap();
    let inputs: Vec<_> = (0..data.samples.len())
        .map(|i| pipeline.encode(&data.samples[i], counts.get(i)).unwrap())
        .collect();
    let config = pipeline.model_config(recipe, data.task.outputs()).unwrap();
    let model = Model::<f64>::new(config, 1).unwrap();
    let batch = Batch::new(&inputs).unwrap();
    assert_eq!(model.predict(&batch, &Pool::new()).unwrap().rows(), 3);
    let text = serde_json::to_string(&pipeline).unwrap();
    assert_eq!(serde_json::from_str::<Pipeline>(&text).unwrap(), pipeline);
    let parameters = model.params().count();
    (pipeline, inputs, parameters)
}

#[test]
fn every_network_reads_what_its_pipeline_gives() {
    let all: &[&[&str]] = &[
        &[],
        &["network.edge-features=all", "network.inject=all", "network.jumping=all"],
        &["network.kind=gin", "counts.scope=arc", "network.learn-eps=true", "network.head=mlp"],
        &["network.kind=gin", "counts.scope=edge", "counts.encoding=bins:2"],
        &["network.kind=gin", "degrees={ use = \"append\", inject = \"all\" }"],
        &["degrees={ use = \"replace\", encoding = \"embedding:3\" }"],
        &["counts.encoding=standardise"],
        &["counts.encoding=log1p"],
        &["counts.encoding=one-hot-max", "network.residual=true", "network.norm=false"],
        &["counts.encoding=embedding:5", "network.random-features=true"],
        &["counts=false", "network.kind=mpnn", "network.vertex-encoding=embedding"],
        &["counts=false", "network.vertex-encoding=linear"],
        &["counts=false", "network.vertex-encoding=raw"],
        &[
            "counts.encoding=embedding",
            "network.kind=ogb",
            "network.virtual-node=true",
            "network.hidden=6",
            "network.edge-features=first",
            "network.jumping=all",
        ],
        &["counts.encoding=raw", "network.kind=dgn", "network.scalers=[\"amplification\"]"],
        &["counts.encoding=raw", "network.kind=dgn", "network.aggregators=[\"sum\", \"dir-dx\"]"],
        &["counts=false", "network.kind=dgn"],
        &["network.layers=false", "network.kind=deepsets", "network.edge-features=all"],
        &["network.layers=false", "network.kind=deepsets", "degrees.use=replace"],
        &["data.unseen=unknown", "data.targets=standardise"],
        &[
            "network.walks=4",
            "network.beside=[\"max\", \"mean\"]",
            "network.count-totals=true",
            "network.edge-states=3",
            "network.edge-features=first",
        ],
        &["network.kind=gin", "network.edge-states=5", "network.walks=1"],
        &[
            "counts.encoding=embedding",
            "network.kind=ogb",
            "network.walks=5",
            "network.beside=[\"sum\"]",
        ],
        &[
            "counts.encoding=raw",
            "network.kind=dgn",
            "network.walks=3",
            "network.count-totals=true",
        ],
        &["network.layers=false", "network.kind=deepsets", "network.walks=3"],
    ];
    for settings in all {
        // All at once, as in a file: a kind and what it needs change together.
        let base = recipe(&[]).to_toml();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.toml");
        std::fs::write(&path, base).unwrap();
        let recipe = Recipe::find_with(path.to_str().unwrap(), settings);
        runs(&recipe.unwrap_or_else(|e| panic!("{settings:?}: {e}")), &[0, 1, 2]);
    }
}

#[test]
fn walks_and_totals_are_those_of_the_graph() {
    let recipe = recipe(&["network.walks=3", "network.count-totals=true"]);
    let (_, inputs, _) = runs(&recipe, &[0, 1, 2]);
    let data = dataset();
    for ((input, sample), counts) in inputs.iter().zip(&data.samples).zip(counts(&recipe, &data)) {
        let walks = gsn_core::encode::closed_walks(&sample.graph, 3);
        assert_eq!(input.numbers, Some(Features::Values { cols: 3, data: walks }));
        let totals = (0..counts.columns().len())
            .map(|c| (counts.column(c).sum::<u64>() as f64).ln_1p())
            .collect::<Vec<_>>();
        assert_eq!(input.graph, totals);
    }
}

#[test]
fn both_arcs_of_an_edge_get_its_counts() {
    let edge = recipe(&["counts.scope=edge", "counts.encoding=raw", "counts.patterns=path:4"]);
    let (_, inputs, _) = runs(&edge, &[0, 1, 2]);
    let Some(Features::Values { cols: 2, data }) = &inputs[0].arc_ids else { panic!() };
    let at = |u: u32, v: u32| {
        let arc = inputs[0].arcs.iter().position(|&a| a == [u, v]).unwrap();
        &data[2 * arc..2 * arc + 2]
    };
    // Paths of four vertices in the triangle with a tail: 3-2-0-1 and 3-2-1-0.
    assert_eq!((at(2, 3), at(3, 2)), (&[2.0, 0.0][..], &[2.0, 0.0][..]));
    assert_eq!((at(0, 2), at(2, 0)), (&[0.0, 1.0][..], &[0.0, 1.0][..]));
    assert_eq!((at(0, 1), at(1, 0)), (&[2.0, 0.0][..], &[2.0, 0.0][..]));
    // With direction, an end's arc and its reverse are in different columns.
    let arc = recipe(&["counts.scope=arc", "counts.encoding=raw", "counts.patterns=path:4"]);
    let (_, inputs, _) = runs(&arc, &[0, 1, 2]);
    let Some(Features::Values { cols: 3, .. }) = &inputs[0].arc_ids else { panic!() };
}

#[test]
fn fitted_on_all_there_is_no_slot_for_the_unseen() {
    let sizes = |settings: &[&str], train: &[u32]| {
        let recipe = recipe(settings);
        let (pipeline, _, _) = runs(&recipe, train);
        let config = pipeline.model_config(&recipe, dataset().task.outputs()).unwrap();
        match config.inputs.ids.unwrap().input.data {
            Data::Categories { sizes } => sizes,
            Data::Values { .. } => panic!(),
        }
    };
    // Triangles around a vertex: 0, 1 or 2 over all, 0 on the path alone.
    assert_eq!(sizes(&["counts.fit=all"], &[1])[0], 3);
    assert_eq!(sizes(&["counts.fit=train"], &[1])[0], 2);
    assert_eq!(sizes(&["counts.fit=train", "counts.unseen=nearest"], &[1])[0], 1);
    assert!(!recipe(&["counts.fit=all"]).depends_on_fold());
    assert!(recipe(&["counts.fit=train"]).depends_on_fold());
}

#[test]
fn what_was_never_seen_is_tallied_or_refused() {
    let data = dataset();
    let recipe = recipe(&["data.unseen=unknown", "network.edge-features=all"]);
    let counts = counts(&recipe, &data);
    let pipeline = Pipeline::fit(&recipe, &data, &counts, &[1]).unwrap();
    let (input, unseen) = pipeline.encode_counting(&data.samples[0], Some(&counts[0])).unwrap();
    // The tail's end is the fourth vertex, of a category the path does not have.
    assert_eq!((unseen.vertex_categories, unseen.arc_categories), (1, 0));
    assert!(unseen.counts > 0 && unseen.to_string().ends_with("and 1 vertex category"));
    let Some(Features::Categories { data: codes, .. }) = input.vertex else { panic!() };
    assert_eq!(codes, [0, 1, 2, 3]);
    assert!(pipeline.encode_counting(&data.samples[1], Some(&counts[1])).unwrap().1.is_empty());

    // Without a slot, what is outside of the vocabulary is named.
    let strict = super::tests::recipe(&[]);
    let pipeline = Pipeline::fit(&strict, &data, &counts, &[1]).unwrap();
    let mut odd = data.samples[1].clone();
    odd.vertex = Some(Features::Categories { cols: 1, data: vec![0, 7, 1] });
    let error = pipeline.encode(&odd, Some(&counts[1])).unwrap_err().to_string();
    assert_eq!(
        error,
        "row 1: vertex 1: category 7 of feature 0 is not one of the 5 that the model knows"
    );
    odd.vertex = None;
    assert!(pipeline.encode(&odd, Some(&counts[1])).is_err());
    assert!(pipeline.encode(&data.samples[1], None).is_err());
    assert!(pipeline.encode(&data.samples[1], Some(&counts[0])).is_err());
    let error = Pipeline::fit(&strict, &data, &counts[..2], &[1]).unwrap_err().to_string();
    assert!(error.contains("counts of 2 graphs"), "{error}");
    assert!(Pipeline::fit(&strict, &data, &counts, &[3]).is_err());
    let bare = Dataset { arc: None, ..data };
    let error = Pipeline::fit(&recipe, &bare, &counts, &[1]).unwrap_err().to_string();
    assert!(error.contains("edge-features"), "{error}");
}

#[test]
fn targets_are_scaled_by_the_training_part_and_back() {
    let (pipeline, inputs, _) = runs(&recipe(&["data.targets=standardise"]), &[0, 1, 2]);
    let scale = pipeline.scale().unwrap();
    assert_eq!((scale.mean(), scale.deviation()), (&[2.0][..], &[1.0][..]));
    assert_eq!((inputs[0].targets[0], inputs[1].targets[0]), (-1.0, 1.0));
    assert!(inputs[2].targets[0].is_nan());
    let mut prediction = [0.5];
    pipeline.restore(&mut prediction);
    assert_eq!(prediction, [2.5]);
    // One graph alone has no spread; it is only shifted.
    let (alone, inputs, _) = runs(&recipe(&["data.targets=standardise"]), &[1]);
    assert_eq!((alone.scale().unwrap().deviation(), inputs[1].targets[0]), (&[1.0][..], 0.0));
}

#[test]
fn the_counter_of_a_stored_pipeline_counts_the_same() {
    let recipe = recipe(&["counts.scope=edge", "counts.edge-orbits=official"]);
    let (pipeline, _, _) = runs(&recipe, &[0, 1, 2]);
    let counter = Counter::new(pipeline.count_spec().unwrap());
    let data = dataset();
    let again: Vec<_> = data.samples.iter().map(|s| counter.count(&s.graph).unwrap()).collect();
    assert_eq!(again, counts(&recipe, &data));
    assert_eq!(pipeline.count_spec().unwrap().patterns().to_string(), "cycle:3,path:3");
}
