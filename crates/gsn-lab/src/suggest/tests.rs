//! Signal and noise on data whose truth is known.

use super::*;
use crate::dataset::{Fold, Task};
use gsn_core::generate;
use gsn_core::random::Random;

fn dataset(targets: impl Fn(usize, &gsn_core::Graph) -> f64, task: Task) -> Dataset {
    let samples: Vec<Sample> = (0..240)
        .map(|i| {
            let graph = generate::erdos_renyi(12, 0.25, i as u64).unwrap();
            let targets = vec![targets(i, &graph)];
            Sample {
                row: i as u64,
                graph,
                vertex: None,
                arc: None,
                columns: Vec::new(),
                targets,
                censoring: Vec::new(),
            }
        })
        .collect();
    Dataset {
        name: "random".into(),
        samples,
        task,
        columns: Vec::new(),
        target_names: vec!["y".into()],
        vertex: None,
        arc: None,
        splits: Splits::Fixed(Fold { train: (0..200).collect(), ..Fold::default() }),
        licence: String::new(),
    }
}

fn triangles(graph: &gsn_core::Graph) -> f64 {
    let counter = gsn_core::Counter::new(&gsn_core::CountSpec::new("cycle:3".parse().unwrap()));
    counter.count(graph).unwrap().column(0).sum::<u64>() as f64 / 3.0
}

#[test]
fn what_makes_the_label_leads() {
    let set = dataset(|_, graph| triangles(graph), Task::Regression(1));
    let found = suggest(&set, &Options::new(4)).unwrap();
    assert_eq!((found.graphs, found.part.as_str()), ((200, 200), "training split"));
    let first = &found.candidates[0];
    assert_eq!(first.pattern, "cycle:3");
    assert!((first.signal.share - 1.0).abs() < 1e-9, "{first:?}");
    // Another pattern may be picked first for its δ; together they explain the label.
    let explained: f64 = found.picks.iter().map(|pick| pick.signal).sum();
    assert!(explained > 0.95, "{:?}", found.picks);
    assert!(found.picks.iter().any(|pick| pick.pattern == "cycle:3"), "{:?}", found.picks);
    assert!(found.patterns.parse::<PatternSet>().is_ok());
    assert!(found.delta_with >= found.delta_without);
    // Picked scores are δ of growing collections.
    assert!(found.picks.windows(2).all(|w| w[0].delta <= w[1].delta));
}

#[test]
fn noise_ranks_as_noise() {
    // Labels without any relation: few of the candidates pass the 99th percentile.
    let mut passed = 0;
    let mut all = 0;
    for seed in 0..5 {
        let noise = |i: usize, _: &gsn_core::Graph| Random::new(1000 * seed + i as u64).unit();
        let set = dataset(noise, Task::Regression(1));
        let found = suggest(&set, &Options::new(4)).unwrap();
        let noise = |name: &String| {
            found.candidates.iter().any(|c| c.pattern == *name && c.signal.above() == 0.0)
        };
        assert!(!found.picks.iter().any(|pick| noise(&pick.pattern)), "{:?}", found.picks);
        passed += found.candidates.iter().filter(|c| c.signal.above() > 0.0).count();
        all += found.candidates.len();
    }
    assert!(passed * 10 <= all, "{passed} of {all}");
}

#[test]
fn classes_are_labels_too() {
    let names = vec!["few".to_owned(), "many".to_owned()];
    let label = |_: usize, graph: &gsn_core::Graph| f64::from(u8::from(triangles(graph) > 3.0));
    let set = dataset(label, Task::Classes(names));
    let found = suggest(&set, &Options::new(4)).unwrap();
    assert_eq!(found.candidates[0].pattern, "cycle:3");
    assert!(found.candidates[0].signal.above() > 0.3);
}

#[test]
fn without_labels_the_score_decides() {
    let set = dataset(|_, _| f64::NAN, Task::Regression(1));
    let found = suggest(&set, &Options::new(4)).unwrap();
    assert!(found.notes.iter().any(|note| note.contains("no label")), "{:?}", found.notes);
    assert!(!found.picks.is_empty() && found.picks.iter().all(|pick| pick.signal == 0.0));
    assert!(suggest(&set, &Options::new(2)).is_err());
}
