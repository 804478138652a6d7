use super::*;
use crate::cache::Cache;
use crate::dataset::{Sample, Splits};
use crate::recipe::Recipe;
use gsn_core::Graph;
use gsn_core::random::{derive, uniform};
use gsn_nn::{Features, config::Data};

/// Paths and cycles with marks; the target is about the number of marks.
fn data(task: Task) -> (CountedDataset, Fold) {
    let samples: Vec<Sample> = (0..240u64)
        .map(|row| {
            let n = 4 + (derive(1, row) % 8) as u32;
            let ring = derive(2, row).is_multiple_of(2);
            let edges = (0..n - u32::from(!ring)).map(|v| (v, (v + 1) % n));
            let marks: Vec<u32> = (0..n).map(|v| (derive(row + 5, v.into()) % 3) as u32).collect();
            let marked = marks.iter().filter(|&&m| m == 1).count();
            let target = match &task {
                Task::Regression(_) => {
                    marked as f64 + 2.0 * f64::from(u8::from(ring)) + 0.01 * uniform(3, row)
                }
                Task::Binary(_) => f64::from(u8::from(ring)),
                Task::Classes(_) => marked.min(2) as f64,
            };
            Sample {
                row,
                graph: Graph::from_edges(n as usize, edges).unwrap(),
                vertex: Some(Features::Categories { cols: 1, data: marks }),
                arc: None,
                columns: Vec::new(),
                censoring: Vec::new(),
                targets: vec![
                    target
                        + 0.01
                            * uniform(3, row)
                            * f64::from(u8::from(matches!(task, Task::Regression(_)))),
                ],
            }
        })
        .collect();
    let fold = Fold {
        train: (0..160).collect(),
        validation: (160..200).collect(),
        test: (200..240).collect(),
        ..Fold::default()
    };
    let dataset = Dataset {
        name: "marks".into(),
        samples,
        task,
        columns: Vec::new(),
        target_names: vec!["y".into()],
        vertex: Some(Data::Categories { sizes: vec![3] }),
        arc: None,
        splits: Splits::Fixed(fold.clone()),
        licence: String::new(),
    };
    let recipe = r#"
        protocol = { fixed-split = { choose = "last" } }
        data.set = "marks"
        counts = { patterns = "cycle:3..=12", scope = "vertex", matching = "induced" }
        network = { kind = "gin", layers = 2, width = 8, readout = "sum" }
        training = { batch = 2, epochs = 1, lr = 0.1, loss = "l1", metric = "mae" }
    "#;
    let recipe = Recipe::parse(recipe, "test").unwrap();
    (CountedDataset::new(&recipe, dataset, &Cache::off(), None).unwrap(), fold)
}

fn judged(task: Task, loss: Loss, metric: Metric) -> Vec<Baseline> {
    let (data, fold) = data(task);
    baselines(&data, &[&fold], (loss, metric)).unwrap()
}

#[test]
fn what_counts_decide_is_learned_by_all_but_the_constant() {
    let numbers = judged(Task::Regression(1), Loss::L1, Metric::Mae);
    let test = |all: &[Baseline], at: usize| all[at].test.unwrap();
    assert_eq!(numbers[0].name, "mean");
    assert!(test(&numbers, 1) < 0.4 * test(&numbers, 0), "{numbers:?}");
    assert!(test(&numbers, 2) < 0.5 * test(&numbers, 0), "{numbers:?}");
    let yes = judged(Task::Binary(1), Loss::BceWithLogits, Metric::RocAuc);
    assert_eq!((yes[0].name.as_str(), yes[0].test), ("majority", Some(0.5)));
    assert!(test(&yes, 1) > 0.97 && test(&yes, 2) > 0.97, "{yes:?}");
    let names = ["none", "one", "more"].map(String::from).to_vec();
    let classes = judged(Task::Classes(names), Loss::CrossEntropy, Metric::Accuracy);
    assert!(test(&classes, 0) < 0.9 && test(&classes, 2) > 0.95, "{classes:?}");
    assert!(test(&classes, 1) > test(&classes, 0), "{classes:?}");
}

#[test]
fn missing_targets_and_parts_are_left_out() {
    let (mut data, mut fold) = data(Task::Regression(1));
    data.dataset.samples[3].targets[0] = f64::NAN;
    fold.validation.clear();
    let all = baselines(&data, &[&fold], (Loss::L1, Metric::Mae)).unwrap();
    assert!(all.iter().all(|b| b.validation.is_none() && b.test.unwrap().is_finite()), "{all:?}");
}

#[test]
fn threads_change_no_bit() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (data, fold) = data(Task::Regression(1));
            Method::ALL.map(|method| {
                let said = predict(method, &data, &fold.train).unwrap();
                said.data().iter().map(|x| x.to_bits()).collect::<Vec<_>>()
            })
        })
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn a_network_that_loses_is_told_so() {
    let one = |name: &str, validation, test| Baseline {
        name: name.into(),
        validation: Some(validation),
        test: Some(test),
    };
    let all = [one("mean", 2.0, 2.1), one("linear model", 1.0, 0.8), one("forest", 1.1, 1.2)];
    assert!(verdict(Metric::Mae, (Some(0.9), 0.7), &all).is_empty());
    let said = verdict(Metric::Mae, (Some(1.05), 1.5), &all);
    assert!(said[0].starts_with("the linear model is better than the network on the validation"));
    assert_eq!(
        said[1],
        "on the test part the network (mae 1.5000) loses to the linear model (0.8000) and the \
         forest (1.2000)"
    );
}
