//! What `gsn train` leaves for other programs and other people: the split, the predictions of every
//! row, all metrics with intervals, pictures.

use super::{expect, folder, names, text};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Rings and chains with a name and a remark; the last row is no molecule.
fn molecules() -> String {
    let mut table = String::from("Name,smiles,size,ring,kind,remark\n");
    for (at, tail) in ["", "C", "CC", "O", "N", "CO", "CN", "CCl"].repeat(4).iter().enumerate() {
        let size = at as f64 / 4.0 + 0.1;
        table += &format!("r{at},C1CCCC1{tail},{size},1,ring,\"a, b\"\n");
        table += &format!("c{at},CCCCC{tail},-{size},0,chain,\n");
    }
    table + "x,C1CC,1.5,1,ring,\n"
}

const QUICK: &str =
    "--set training.epochs=3 --set network.width=8 --set network.layers=2 --seeds 1";

/// Lines of a table, each by the names of its columns.
fn table(path: impl AsRef<Path>) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_path(path).unwrap();
    let head: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let cells = |record: csv::StringRecord| {
        head.iter().cloned().zip(record.iter().map(str::to_owned)).collect()
    };
    reader.records().map(|record| cells(record.unwrap())).collect()
}

fn json(path: impl AsRef<Path>) -> Value {
    serde_json::from_str(&text(path)).unwrap()
}

/// A metric of the first unit on a part, with its interval.
fn metric(results: &Value, part: &str, name: &str) -> (f64, [f64; 2]) {
    let parts = results["metrics"][0]["parts"].as_array().unwrap();
    let part = parts.iter().find(|p| p["part"] == part).unwrap();
    let all = part["overall"].as_array().unwrap();
    let found = all.iter().find(|m| m["metric"] == name).unwrap();
    let interval = &found["interval95"];
    let number = |value: &Value| value.as_f64().unwrap();
    (number(&found["value"]), [number(&interval[0]), number(&interval[1])])
}

#[test]
fn a_run_leaves_its_split_its_predictions_and_every_metric() {
    let folder = folder(&[("m.csv", molecules().as_bytes())]);
    let here = folder.path();
    let ran = expect(1, here, &format!("train m.csv --target size {QUICK} --out run"));
    assert!(ran.out.contains("95 % interval (bootstrap over 7 graphs)"), "{}", ran.out);
    for name in ["mae", "rmse", "r2", "spearman"] {
        assert!(ran.out.contains(&format!("\n  {name} ")), "{}", ran.out);
    }
    let run = here.join("run");
    for name in ["split.csv", "predictions.csv", "learning-curve.svg", "parity.svg"] {
        assert!(names(&run).contains(&name.to_owned()), "{name}");
    }

    // The split that was announced, row by row.
    let split = table(run.join("split.csv"));
    assert_eq!(split.len(), 64);
    let count = |part: &str| split.iter().filter(|line| line["part"] == part).count();
    let said = [count("train"), count("validation"), count("test")];
    let [train, validation, test] = said;
    let line = format!("{train} to learn from, {validation} to choose by, {test} to judge by");
    assert!(ran.err.contains(&line), "{line}\n{}", ran.err);
    assert_eq!((split[3]["row"].as_str(), split[3]["id"].as_str()), ("3", "c1"));

    // Predictions of all of them, to the letter what `gsn predict` says.
    let said = table(run.join("predictions.csv"));
    expect(1, here, "predict run/model.gsn m.csv -o again.csv");
    let again = table(here.join("again.csv"));
    assert_eq!(said.len(), 64);
    for (line, cut) in said.iter().zip(&split) {
        let row: usize = line["row"].parse().unwrap();
        assert_eq!(line["size_predicted"], again[row]["size"], "row {row}");
        assert_eq!((&line["part"], &line["id"]), (&cut["part"], &cut["id"]));
        let digits = &line["size_predicted"];
        assert_eq!(&digits.parse::<f32>().unwrap().to_string(), digits);
    }
    assert_eq!(said[2]["remark"], "a, b");
    assert_eq!((said[2]["smiles"].as_str(), said[2]["size"].as_str()), ("C1CCCC1C", "0.35"));

    // Metrics that can be computed again from the table.
    let results = json(run.join("results.json"));
    for (part, rows) in [("train", train), ("validation", validation), ("test", test)] {
        let errors: Vec<f64> = said
            .iter()
            .filter(|line| line["part"] == part)
            .map(|line| {
                let number = |column: &str| line[column].parse::<f64>().unwrap();
                number("size_predicted") - number("size")
            })
            .collect();
        assert_eq!(errors.len(), rows);
        let mae = errors.iter().map(|e| e.abs()).sum::<f64>() / rows as f64;
        let rmse = (errors.iter().map(|e| e * e).sum::<f64>() / rows as f64).sqrt();
        for (name, expected) in [("mae", mae), ("rmse", rmse)] {
            let (value, [low, high]) = metric(&results, part, name);
            assert!((value - expected).abs() < 1e-6, "{part} {name}: {value}, {expected}");
            assert!(low < value && value < high, "{part} {name}");
        }
    }
    let (test_mae, _) = metric(&results, "test", "mae");
    assert_eq!(results["runs"][0]["value"].as_f64(), Some(test_mae));
    let picture = text(run.join("parity.svg"));
    assert_eq!(picture.matches("<circle").count(), test);
}

#[test]
fn probabilities_of_questions_and_classes_are_those_of_predict() {
    let folder = folder(&[("m.csv", molecules().as_bytes())]);
    let here = folder.path();
    for (target, columns) in [
        ("ring", &[("ring_predicted", "ring")][..]),
        ("kind", &[("kind_predicted", "kind"), ("kind=ring", "kind=ring")]),
    ] {
        let ran = expect(1, here, &format!("train m.csv --target {target} {QUICK} --out {target}"));
        for name in ["roc-auc", "pr-auc", "accuracy", "f1", "mcc", "log-loss", "calibration"] {
            assert!(ran.out.contains(&format!("\n  {name} ")), "{name}\n{}", ran.out);
        }
        expect(1, here, &format!("predict {target}/model.gsn m.csv -o again.csv"));
        let again = table(here.join("again.csv"));
        for line in table(here.join(target).join("predictions.csv")) {
            let row: usize = line["row"].parse().unwrap();
            for (ours, theirs) in columns {
                assert_eq!(line[*ours], again[row][*theirs], "{target}, row {row}");
            }
        }
        assert!(text(here.join(target).join("roc.svg")).contains("precision and recall"));
    }
    let kinds = table(here.join("kind/predictions.csv"));
    assert!(kinds.iter().all(|line| line["kind"] == "ring" || line["kind"] == "chain"));
}

#[test]
fn several_targets_are_measured_one_by_one_and_seeds_share_a_split() {
    let folder = folder(&[("m.csv", molecules().as_bytes())]);
    let here = folder.path();
    let train = "train m.csv --target size,ring --task regression --id remark";
    let two = QUICK.replace("--seeds 1", "--seeds 2");
    let ran = expect(1, here, &format!("{train} {two} --out run -q"));
    assert!(ran.out.contains("mean of all units, test"), "{}", ran.out);
    let split = text(here.join("run/split.csv"));
    assert!(split.starts_with("row,id,part\n0,\"a, b\","), "{split}");
    let said = table(here.join("run/predictions.csv"));
    assert_eq!((said[0]["unit"].as_str(), said[64]["unit"].as_str()), ("seed-0", "seed-1"));
    // Behind the units stands their mean, which is what the model says, for rows they never saw.
    let together = &said[2 * 64..];
    let count = |part: &str| together.iter().filter(|line| line["part"] == part).count();
    assert!(count("test") > 0 && count("validation") > 0 && count("train") == 0);
    expect(1, here, "predict run/model.gsn m.csv -o again.csv");
    let again = table(here.join("again.csv"));
    for line in together {
        let row: usize = line["row"].parse().unwrap();
        assert_eq!(line["unit"], "ensemble");
        assert_eq!(line["size_predicted"], again[row]["size"], "row {row}");
        assert_eq!(line["ring_predicted"], again[row]["ring"], "row {row}");
    }
    assert_eq!(said[0]["Name"], "r0", "another column names the rows, so this one is kept");
    let results = json(here.join("run/results.json"));
    let test = &results["metrics"][1]["parts"][2];
    let mae = |target: usize| {
        let metrics = test["targets"][target]["metrics"].as_array().unwrap();
        metrics.iter().find(|m| m["metric"] == "mae").unwrap()["value"].as_f64().unwrap()
    };
    assert_eq!(
        (&test["targets"][0]["target"], &test["targets"][1]["target"]),
        (&"size".into(), &"ring".into())
    );
    let overall = test["overall"][0]["value"].as_f64().unwrap();
    assert!((overall - (mae(0) + mae(1)) / 2.0).abs() < 1e-12);
    assert_ne!(mae(0), mae(1));
    let ran = expect(2, here, "train m.csv --target size --id nothing");
    assert!(ran.err.contains("there is no column `nothing` that names the rows"), "{}", ran.err);
}

#[test]
fn folds_list_their_parts_and_every_row_out_of_fold() {
    let folder = folder(&[("m.csv", molecules().as_bytes())]);
    let here = folder.path();
    expect(1, here, &format!("train m.csv --target size --folds 3 {QUICK} --out run -q"));
    let split = table(here.join("run/split.csv"));
    assert_eq!(split.len(), 3 * 64);
    let mut tested: Vec<u64> = split
        .iter()
        .filter(|line| line["part"] == "test")
        .map(|line| line["row"].parse().unwrap())
        .collect();
    tested.sort_unstable();
    assert!(tested.iter().copied().eq(0..64), "every row is in one test part: {tested:?}");
    let said = table(here.join("run/predictions.csv"));
    let of = |ensemble: bool| {
        let lines = said.iter().filter(|line| (line["unit"] == "ensemble") == ensemble);
        let lines = lines.filter(|line| line["part"] == "test");
        lines.map(|line| (&line["row"], &line["size_predicted"])).collect::<BTreeMap<_, _>>()
    };
    // With one member out of each fold the mean is what it says.
    assert_eq!((of(true).len(), of(true)), (64, of(false)));
}

#[test]
fn a_run_taken_up_again_leaves_the_same_tables() {
    let folder = folder(&[("m.csv", molecules().as_bytes())]);
    let here = folder.path();
    expect(1, here, &format!("train m.csv --target ring {QUICK} --out run -q"));
    let names = ["split.csv", "predictions.csv", "results.json", "learning-curve.svg", "roc.svg"];
    let all = || names.map(|name| text(here.join("run").join(name)));
    let before = all();
    for name in names {
        std::fs::remove_file(here.join("run").join(name)).unwrap();
    }
    std::fs::remove_file(here.join("run/units/seed-0/predictions.csv")).unwrap();
    expect(1, here, "train --resume run -q --threads 1");
    assert_eq!(all(), before);
}

#[test]
fn any_metric_that_fits_the_task_can_be_chosen_by() {
    let folder = folder(&[("m.csv", molecules().as_bytes())]);
    let here = folder.path();
    let quick = QUICK.replace("epochs=3", "epochs=1");
    for (target, metrics) in
        [("size", &["rmse", "r2", "spearman"][..]), ("kind", &["mcc", "log-loss", "pr-auc"])]
    {
        for name in metrics {
            let set = format!("--set training.metric={name} --out {target}-{name}");
            let ran = expect(1, here, &format!("train m.csv --target {target} {quick} {set}"));
            assert!(ran.out.contains(&format!("test {name}")), "{}", ran.out);
        }
    }
    let ran = expect(2, here, "train m.csv --target size --set training.metric=f1");
    assert!(ran.err.contains("`f1` does not measure what `training.loss` learns (numbers)"));
    assert!(ran.err.contains("use mae, rmse, mse, r2, spearman"), "{}", ran.err);
}
