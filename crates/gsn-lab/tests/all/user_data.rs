//! From a user's file to a model file and back: what training measured is what predictions give,
//! to the last digit and in any batch size.

use gsn_io::{Batch, GraphSource, Row};
use gsn_lab::experiment::{
    Event, Experiment, Observer, RunResults, TrainRequest, TrainSource, train,
};
use gsn_lab::model_file::{ModelFile, Part};
use gsn_lab::predict::{Predictor, Tally};
use gsn_lab::user_data::{self, defaults, split::Split};
use gsn_lab::{Dataset, Splits, Task};
use gsn_nn::Matrix;
use gsn_nn::metrics::Scored;
use std::path::{Path, PathBuf};

/// Molecules of growing chains, rings and hetero atoms; every ninth row is none.
fn molecules() -> Vec<(String, usize, bool)> {
    let tails = ["", "C", "CO", "CN", "C(=O)O", "CCl", "CC#N", "OC"];
    let cores = ["CCCC", "C1CCCC1", "C1CCCCC1", "c1ccccc1", "c1ccc2ccccc2c1", "C1CC1", "c1ccncc1"];
    let mut all = Vec::new();
    for (i, core) in cores.iter().enumerate() {
        for (j, tail) in tails.iter().enumerate() {
            for n in 0..3 {
                let smiles = format!("{}{core}{tail}", "C".repeat(n));
                let rings = core.matches('1').count() / 2 + core.matches('2').count() / 2;
                all.push((smiles, rings, (i + j + n) % 2 == 0));
            }
        }
    }
    all
}

fn table(folder: &Path) -> PathBuf {
    let mut text = String::from("id,smiles,size,ringed,kind,odd,part\n");
    for (i, (smiles, rings, odd)) in molecules().iter().enumerate() {
        let smiles = if i % 9 == 8 { "C1CC" } else { smiles };
        let size = smiles.chars().filter(char::is_ascii_alphabetic).count() as f64 + 0.25;
        let kind = ["none", "one", "two"][(*rings).min(2)];
        let odd = if i % 5 == 0 { String::new() } else { u8::from(*odd).to_string() };
        let part = ["train", "train", "train", "valid", "test"][i % 5];
        text += &format!("m{i},{smiles},{size},{},{kind},{odd},{part}\n", u8::from(*rings > 0));
    }
    let path = folder.join("molecules.csv");
    std::fs::write(&path, text).unwrap();
    path
}

fn options(targets: &[&str], split: Option<Split>) -> user_data::Options {
    let targets = targets.iter().map(|t| (*t).to_owned()).collect();
    user_data::Options { targets, split, ..user_data::Options::default() }
}

/// Trains a small network and gives its model file.
fn trained(folder: &Path, path: &Path, options: &user_data::Options) -> (Dataset, ModelFile) {
    trained_with(folder, path, options, &[])
}

/// The same with further settings.
fn trained_with(
    folder: &Path,
    path: &Path,
    options: &user_data::Options,
    more: &[&str],
) -> (Dataset, ModelFile) {
    let settings = ["training.epochs=3", "network.width=16", "network.layers=2", "seeds=1"];
    let request = TrainRequest::new(TrainSource::Data(path.to_owned()))
        .with_user_data(options.clone())
        .with_settings(settings.iter().chain(more).map(|s| s.to_string()).collect())
        .with_out(folder.join(format!("run-{}", options.targets.join("-"))))
        .with_jobs(1);
    let Experiment { dataset, reasons, user_data, .. } = request.experiment().unwrap();
    assert!(reasons.iter().any(|reason| reason.contains("cycle:3..=8")), "{reasons:?}");
    let trained = train(&request, &()).unwrap();
    let RunResults::Trained(results) = &trained.results else { panic!() };
    let rejected = !user_data.unwrap().report.rejected.is_empty();
    assert_eq!(trained.out.join("rejected.csv").exists(), rejected);
    let file = ModelFile::open(trained.out.join("model.gsn")).unwrap();
    assert_eq!(file.recorded(Part::Test).unwrap().value, results.report.runs[0].value);
    (dataset, file)
}

/// All rows of a file, predicted in batches of this size.
fn predicted(file: &ModelFile, path: &Path, batch: usize) -> Vec<Result<Vec<f64>, String>> {
    let predictor = Predictor::new(file.clone()).unwrap().with_batch(batch);
    let source = GraphSource::open(path, &predictor.reader().options(None, None)).unwrap();
    let (mut tally, mut all) = (Tally::default(), Vec::new());
    for rows in source.read_batches(50) {
        all.extend(predictor.predict(rows.unwrap(), &mut tally));
    }
    assert!(all.iter().enumerate().all(|(at, answer)| answer.row == at as u64));
    assert_eq!((tally.rows, tally.failed), (all.len() as u64, 18));
    all.into_iter().map(|answer| answer.said.map(|said| said.numbers)).collect()
}

#[test]
fn predictions_give_the_metric_of_the_training_to_the_last_digit() {
    let folder = tempfile::tempdir().unwrap();
    let path = table(folder.path());
    let every_option = &[
        "network.walks=6",
        "network.beside=[\"max\"]",
        "network.count-totals=true",
        "network.edge-features=first",
        "network.edge-states=4",
        "network.residual=true",
        "training.optimiser=adam-w",
        "training.weight-decay=0.01",
        "training.schedule={cosine={warm-up=1}}",
        "training.average=0.9",
    ];
    let cases = [
        (options(&["size"], None), Task::Regression(1)),
        (options(&["odd"], None), Task::Binary(1)),
        (options(&["ringed"], Some(Split::Stratified)), Task::Binary(1)),
        (options(&["kind"], Some(Split::Column("part".into()))), {
            Task::Classes(["none", "one", "two"].map(String::from).into())
        }),
        (options(&["ringed", "odd"], Some(Split::Random)), Task::Binary(2)),
    ];
    for (options, task) in cases {
        let more: &[&str] = if options.targets == ["odd"] { every_option } else { &[] };
        let (dataset, file) = trained_with(folder.path(), &path, &options, more);
        assert_eq!(dataset.task, task);
        let Splits::Fixed(fold) = &dataset.splits else { panic!() };
        let first = predicted(&file, &path, 128);
        for (part, items) in [(Part::Test, &fold.test), (Part::Validation, &fold.validation)] {
            let recorded = file.recorded(part).unwrap();
            assert_eq!(recorded.graphs, items.len() as u64);
            let (mut said, mut truth) = (Vec::new(), Vec::new());
            for &i in items {
                let sample = &dataset.samples[i as usize];
                said.extend(first[sample.row as usize].as_ref().unwrap());
                truth.extend(&sample.targets);
            }
            let matrix = |data: Vec<f64>| {
                let cols = data.len() / items.len();
                Matrix::from_vec(items.len(), cols, data).unwrap()
            };
            let answers = recorded.loss.answers();
            let scored = Scored::of_probabilities(answers, &matrix(said), &matrix(truth)).unwrap();
            let value = scored.metric(recorded.metric).unwrap();
            assert_eq!(value.to_bits(), recorded.value.to_bits(), "{task:?} {part:?}");
        }
        for batch in [1, 2, 7, 33, 1000] {
            assert_eq!(predicted(&file, &path, batch), first, "{task:?}, batches of {batch}");
        }
    }
}

#[test]
fn scaffolds_are_not_torn_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = table(folder.path());
    let (dataset, report) =
        user_data::load(&path, &options(&["size"], Some(Split::Scaffold))).unwrap();
    let Splits::Fixed(fold) = &dataset.splits else { panic!() };
    let keys = |part: &[u32]| -> std::collections::BTreeSet<String> {
        let key = |&i: &u32| user_data::scaffold::key(&dataset.samples[i as usize].graph);
        part.iter().map(key).collect()
    };
    let (train, test) = (keys(&fold.train), keys(&fold.test));
    assert!(train.is_disjoint(&test) && !train.is_empty() && !test.is_empty());
    assert!(report.split.starts_with("scaffold split"));
    assert_eq!(report.rejected.len(), 18);
    assert!(report.rejected[0].reason.contains("ring"), "{:?}", report.rejected[0]);
}

/// A model trained on carbon alone meets other elements and rings.
#[test]
fn what_training_never_saw_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chains.csv");
    let mut text = String::from("smiles,y\n");
    for n in 0..40 {
        text += &format!("{}C(C){},{}.5\n", "C".repeat(n % 7), "C".repeat(n % 5), n % 11);
    }
    std::fs::write(&path, text).unwrap();
    let (_, file) = trained(folder.path(), &path, &options(&["y"], None));
    let predictor = Predictor::new(file).unwrap();
    let others = folder.path().join("others.csv");
    std::fs::write(&others, "smiles\nCCCC\n[SeH]C1CC1\nnothing\n").unwrap();
    let read = predictor.reader().options(None, None);
    let mut batch = Batch::default();
    for row in GraphSource::open(&others, &read).unwrap() {
        match row.unwrap() {
            Row::Graph(record) => batch.records.push(record),
            Row::Rejected(bad) => batch.rejected.push(bad),
        }
    }
    let mut tally = Tally::default();
    let answers = predictor.predict(batch, &mut tally);
    assert_eq!((tally.rows, tally.failed, tally.unseen_rows), (3, 1, 1));
    assert_eq!(tally.unseen.vertex_labels.get(&34), Some(&1));
    assert!(tally.unseen.counts >= 3, "{:?}", tally.unseen);
    assert!(answers[0].said.is_ok() && answers[1].said.is_ok());
    assert!(answers[2].said.is_err());
    assert_eq!(predictor.flag(&answers[0]), "");
    let flag = predictor.flag(&answers[1]);
    assert!(flag.starts_with("never seen in training") && flag.contains("1 × Se"), "{flag}");
}

#[test]
fn other_formats_are_read_too() {
    let folder = tempfile::tempdir().unwrap();
    // GraphML: triangles and paths, with a target and a part of their own.
    let graphs = folder.path().join("graphs");
    std::fs::create_dir(&graphs).unwrap();
    for i in 0..30 {
        let ring = i % 2 == 0;
        let mut edges = String::from("<edge source='a' target='b'/><edge source='b' target='c'/>");
        if ring {
            edges += "<edge source='c' target='a'/>";
        }
        let text = format!(
            "<graphml><key id='y' for='graph' attr.name='ring' attr.type='int'/>\
             <graph edgedefault='undirected'><data key='y'>{}</data>\
             <node id='a'/><node id='b'/><node id='c'/>{edges}</graph></graphml>",
            u8::from(ring)
        );
        std::fs::write(graphs.join(format!("{i:02}.graphml")), text).unwrap();
    }
    let (dataset, report) = user_data::load(&graphs, &user_data::Options::default()).unwrap();
    assert_eq!((dataset.task, dataset.samples.len()), (Task::Binary(1), 30));
    assert_eq!(dataset.target_names, ["ring"]);
    assert!(!report.shape.molecules && dataset.vertex.is_none());
    let (recipe, _) = defaults::recipe(
        &user_data::load(&graphs, &user_data::Options::default()).unwrap().0,
        &report,
    )
    .unwrap();
    assert!(recipe.degrees.is_some());

    // TU: a folder with classes.
    let tu = folder.path().join("tu");
    std::fs::create_dir(&tu).unwrap();
    let (mut a, mut indicator, mut labels) = (String::new(), String::new(), String::new());
    for g in 0..30 {
        let base = 3 * g;
        for (u, v) in [(1, 2), (2, 1), (2, 3), (3, 2)] {
            a += &format!("{}, {}\n", base + u, base + v);
        }
        indicator += &format!("{0}\n{0}\n{0}\n", g + 1);
        labels += if g % 3 == 0 { "-1\n" } else { "1\n" };
    }
    for (name, text) in [("A", a), ("graph_indicator", indicator), ("graph_labels", labels)] {
        std::fs::write(tu.join(format!("TOY_{name}.txt")), text).unwrap();
    }
    let (dataset, report) = user_data::load(&tu, &user_data::Options::default()).unwrap();
    assert_eq!(dataset.task, Task::Classes(vec!["-1".into(), "1".into()]));
    assert!(report.task.contains("2 classes"));
}

#[test]
fn mistakes_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = table(folder.path());
    let error =
        |options: user_data::Options| user_data::load(&path, &options).unwrap_err().to_string();
    let many = error(user_data::Options::default());
    assert!(many.contains("--target") && many.contains("ringed"), "{many}");
    assert!(error(options(&["yield"], None)).contains("no column `yield`"));
    assert!(error(options(&["id"], None)).contains("is it a name?"));
    let split = Some(Split::Column("fold".into()));
    assert!(error(options(&["size"], split)).contains("no column `fold`"));
    std::fs::write(&path, "smiles,y\nC1CC,1\n").unwrap();
    assert!(error(options(&["y"], None)).contains("none of its 1 rows"));
}

/// Asks for a stop once a unit has finished some epochs.
struct StopAt<'a> {
    unit: &'a str,
    epochs: u64,
    stop: &'a std::sync::atomic::AtomicBool,
    names: std::sync::Mutex<Vec<String>>,
}

impl Observer for StopAt<'_> {
    fn event(&self, event: Event<'_>) {
        let mut names = self.names.lock().unwrap();
        match event {
            Event::Planned(planned) => *names = planned.units.to_vec(),
            Event::Epoch { unit, row, .. }
                if names[unit] == self.unit && row.epoch == self.epochs =>
            {
                self.stop.store(true, std::sync::atomic::Ordering::Relaxed);
            }
            _ => {}
        }
    }
}

/// Stopped within the second member and again within the final fit, a run ends with the same
/// files, bit for bit.
#[test]
fn members_and_the_final_fit_are_taken_up_where_they_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let path = table(folder.path());
    let request = |source, out: &str| {
        let settings = ["training.epochs=6", "network.width=8", "network.layers=1", "seeds=2"];
        let settings = settings.iter().chain(&["final=true"]).map(|s| (*s).to_owned()).collect();
        let options =
            options(&["size"], None).with_shares("50/30/20".parse().unwrap()).with_intervals(true);
        let settings = if matches!(source, TrainSource::Run(_)) { Vec::new() } else { settings };
        TrainRequest::new(source)
            .with_user_data(options)
            .with_settings(settings)
            .with_out(folder.path().join(out))
            .with_jobs(1)
    };
    train(&request(TrainSource::Data(path.clone()), "whole"), &()).unwrap();
    let pieces = folder.path().join("pieces");
    for (unit, epochs, source) in [
        ("seed-1", 4, TrainSource::Data(path.clone())),
        ("final-seed-1", 1, TrainSource::Run(pieces.clone())),
    ] {
        let request = request(source, "pieces");
        let names = std::sync::Mutex::default();
        let stop = StopAt { unit, epochs, stop: &request.stop, names };
        let stopped = train(&request, &stop);
        assert!(matches!(stopped, Err(gsn_lab::Error::Stopped)), "{unit}");
        assert!(!pieces.join("results.json").exists(), "{unit}");
    }
    train(&request(TrainSource::Run(pieces.clone()), "pieces"), &()).unwrap();
    for name in ["results.json", "metrics.jsonl", "model.gsn", "final.gsn"] {
        let [whole, pieces] = ["whole", "pieces"]
            .map(|run| std::fs::read(folder.path().join(run).join(name)).unwrap());
        assert!(whole == pieces, "{name} differs");
    }
    let file = ModelFile::open(pieces.join("final.gsn")).unwrap();
    let units: Vec<&str> = file.members().map(|member| member.unit.as_str()).collect();
    assert_eq!(units, ["final-seed-0", "final-seed-1"]);
    assert_eq!(file.card.final_rows, Some(150));
    assert!(file.card.calibration.is_some() && file.card.coverage.is_some());
}
