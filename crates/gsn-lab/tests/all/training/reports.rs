//! What the protocols report, against the definitions.

use super::*;
use gsn_lab::model_file::Part;
use gsn_lab::protocol::{Choose, Statistics};
use gsn_lab::train::Row;

/// `metrics.jsonl`, by unit.
fn curves(run: &Path) -> BTreeMap<String, Vec<Row>> {
    let text = std::fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    let mut all: BTreeMap<String, Vec<Row>> = BTreeMap::new();
    for line in text.lines() {
        let mut line: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(line).unwrap();
        let unit = line.remove("unit").unwrap().as_str().unwrap().to_string();
        all.entry(unit).or_default().push(serde_json::from_value(line.into()).unwrap());
    }
    all
}

#[test]
fn the_papers_protocol_reports_the_best_mean_epoch() {
    let (dataset, settings) = (classes(), classes_settings());
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let results =
        run(&dataset, Protocol::TudPaper, &settings, &[0], &options(&out, 1, None)).unwrap();
    let curves = curves(&out);
    assert_eq!(curves.keys().collect::<Vec<_>>(), ["fold-0", "fold-1", "fold-2", "fold-3"]);
    let means: Vec<f64> = (0..4)
        .map(|e| curves.values().map(|rows| rows[e].test.unwrap()).sum::<f64>() / 4.0)
        .collect();
    let best = (0..4).rev().max_by(|&a, &b| means[a].total_cmp(&means[b])).unwrap();
    let report = &results.report;
    assert!((report.test.mean - means[best]).abs() < 1e-15);
    let at: Vec<f64> = curves.values().map(|rows| rows[best].test.unwrap()).collect();
    assert_eq!(report.test, Statistics::of(&at).unwrap());
    assert!(report.runs.iter().all(|run| run.epoch == best as u64 + 1 && run.epochs == 4));
    assert!(curves.values().flatten().all(|row| row.validation.is_none() && row.train.is_none()));
    let lrs: Vec<f64> = curves["fold-0"].iter().map(|row| row.lr).collect();
    assert_eq!(lrs, [0.01, 0.01, 0.005, 0.005]);
    let written: Results =
        serde_json::from_slice(&std::fs::read(out.join("results.json")).unwrap()).unwrap();
    assert_eq!(written, results);
    // Folds differ, so every unit lists its own parts; the kept models are those of the last epoch.
    let split = std::fs::read_to_string(out.join("split.csv")).unwrap();
    assert_eq!(split.lines().next(), Some("unit,row,id,part"));
    assert_eq!(split.lines().filter(|line| line.ends_with(",test")).count(), 62);
    assert_eq!(split.lines().count(), 1 + 4 * 62);
    let said = std::fs::read_to_string(out.join("predictions.csv")).unwrap();
    assert_eq!(said.lines().count(), 1 + 4 * 62);
    for (unit, rows) in results.metrics.iter().zip(curves.values()) {
        let test = unit.parts.iter().find(|part| part.part == Part::Test).unwrap();
        assert_eq!(test.get(Metric::Accuracy).unwrap().value, rows[3].test);
    }
}

#[test]
fn the_fair_protocol_never_looks_at_the_test_part_and_reports_both() {
    let (dataset, settings) = (classes(), classes_settings());
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let results =
        run(&dataset, Protocol::TudFair, &settings, &[0], &options(&out, 1, None)).unwrap();
    let curves = curves(&out);
    assert_eq!(curves.len(), 8);
    for run in &results.report.runs {
        let rows = &curves[&run.unit];
        assert!(rows.iter().all(|row| row.test.is_none()));
        let best = rows.iter().map(|row| row.validation.unwrap()).fold(0.0, f64::max);
        let first = rows.iter().find(|row| row.validation.unwrap() == best).unwrap();
        assert_eq!((run.epoch, run.validation), (first.epoch, Some(best)));
    }
    let beside = results.beside.unwrap();
    let alone = folder.path().join("alone");
    let paper =
        run(&dataset, Protocol::TudPaper, &settings, &[0], &options(&alone, 1, None)).unwrap();
    assert_eq!(beside, paper.report);
}

#[test]
fn a_fixed_split_reports_the_last_or_the_best_epoch() {
    let (dataset, mut settings) = (numbers(), numbers_settings());
    settings.train_metric = true;
    let folder = tempfile::tempdir().unwrap();
    for (choose, name) in [(Choose::Last, "last"), (Choose::BestValidation, "best")] {
        let out = folder.path().join(name);
        let protocol = Protocol::FixedSplit { choose };
        let results = run(&dataset, protocol, &settings, &[3], &options(&out, 1, None)).unwrap();
        let (one, rows) = (&results.report.runs[0], &curves(&out)["seed-3"]);
        let epoch = match choose {
            Choose::Last => rows.len() as u64,
            Choose::BestValidation => {
                let value = |row: &&Row| row.validation.unwrap();
                rows.iter().min_by(|a, b| value(a).total_cmp(&value(b))).unwrap().epoch
            }
        };
        assert_eq!(one.epoch, epoch);
        assert_eq!(one.validation, rows[epoch as usize - 1].validation);
        assert!(one.train.is_some() && results.report.train.is_some());
        assert!(
            one.value < 12.0,
            "errors are in the unit of the data, and it learnt: {}",
            one.value
        );
        assert!(rows.iter().all(|row| row.test.is_none()));
    }
}

/// The run ends after the first epoch that leaves the rate below the least one.
#[test]
fn a_small_rate_ends_the_run() {
    let dataset = numbers();
    let settings = Settings { min_lr: Some(0.015), epochs: 500, ..numbers_settings() };
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let last = Protocol::FixedSplit { choose: Choose::Last };
    run(&dataset, last, &settings, &[0], &options(&out, 1, None)).unwrap();
    let rows = &curves(&out)["seed-0"];
    assert!(rows.len() < 500);
    assert!(rows.iter().all(|row| row.lr == 0.02), "it ends before a step with the smaller rate");
}

#[test]
fn cuts_that_a_protocol_cannot_use_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let options = options(&folder.path().join("run"), 1, None);
    let last = Protocol::FixedSplit { choose: Choose::Last };
    let said = run(&classes(), last, &classes_settings(), &[0], &options).unwrap_err().to_string();
    assert!(said.contains("no fixed split"), "{said}");
    let said = run(&numbers(), Protocol::TudPaper, &numbers_settings(), &[0], &options);
    assert!(said.unwrap_err().to_string().contains("no folds"));
    assert!(!options.out.exists());
}
