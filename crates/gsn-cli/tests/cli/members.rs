//! Several members: seeds, folds, intervals, a final fit, and what `gsn predict` makes of them.

use super::{expect, folder, names, run, text};
use serde_json::Value;
use std::path::Path;

/// 240 molecules with a number, a yes or no and a class.
fn molecules() -> String {
    let cores =
        ["C1CCCC1", "CCCCC", "c1ccccc1", "C1CCCCC1", "CCOCC", "C1CC1", "c1ccncc1", "CC(C)C"];
    let tails = ["", "C", "CC", "O", "N", "CO", "CN", "CCl", "CCC", "C(=O)O"];
    let mut table = String::from("smiles,size,ring,kind,part\n");
    for at in 0..240 {
        let (core, tail) = (cores[at / 10 % 8], tails[at % 10]);
        let smiles = format!("{}{core}{tail}", "C".repeat(at / 80));
        let size = smiles.len() as f64 + (at * 7 % 11) as f64 / 10.0;
        let ring = core.contains('1');
        let kind =
            if core.contains('c') { "aromatic" } else { ["chain", "ring"][usize::from(ring)] };
        let part = ["train", "train", "valid", "test"][at % 4];
        table += &format!("{smiles},{size:.2},{},{kind},{part}\n", u8::from(ring));
    }
    table
}

const QUICK: &str = "--lr 0.01 --width 8 --layers 1 --jobs 1";

fn json(path: impl AsRef<Path>) -> Value {
    serde_json::from_str(&text(path)).unwrap()
}

/// The header of a table, and the numbers of one of its columns.
fn column(table: &str, name: &str) -> Vec<f64> {
    let mut lines = table.lines();
    let at = lines.next().unwrap().split(',').position(|column| column == name).unwrap();
    lines.map(|line| line.split(',').nth(at).unwrap().parse().unwrap_or(f64::NAN)).collect()
}

/// A person trains five networks on one split and hands on one file.
#[test]
fn seeds_are_members_of_one_model() {
    let folder = folder(&[("m.csv", molecules().as_bytes())]);
    let here = folder.path();
    let train = format!(
        "train m.csv --target size --shares 60/20/20 --seeds 3 {QUICK} --epochs 4 --out run"
    );
    let ran = expect(0, here, &train);
    assert!(ran.err.contains("24 to choose by, 24 kept apart for intervals, 48 to judge by"));
    assert!(ran.out.contains("mean of 3 members: mae "), "{}", ran.out);
    assert!(ran.out.contains("intervals of 90 % (from 24 rows kept apart) hold for "));
    let results = json(here.join("run/results.json"));
    assert_eq!(results["runs"].as_array().unwrap().len(), 3);
    assert_eq!(results["ensemble"]["count"], 48);
    let table = text(here.join("run/predictions.csv"));
    let means: Vec<&str> = table.lines().filter(|line| line.starts_with("ensemble,")).collect();
    assert_eq!(means.len(), 96, "validation, calibration and test part");
    assert_eq!(means.iter().filter(|line| line.contains(",calibration,")).count(), 24);

    let said = expect(0, here, "predict run/model.gsn m.csv").out;
    let header = "row,size,size_spread,size_low,size_high,flag,error";
    assert_eq!(said.lines().next(), Some(header));
    let alone = [0, 1, 2].map(|seed| {
        let model = format!("predict run/units/seed-{seed}/model.gsn m.csv");
        let said = expect(0, here, &model).out;
        assert_eq!(said.lines().next(), Some("row,size,flag,error"));
        column(&said, "size")
    });
    let [mean, spread] = ["size", "size_spread"].map(|name| column(&said, name));
    for row in 0..240 {
        let all = alone.each_ref().map(|member| member[row]);
        let expected = all.iter().sum::<f64>() / 3.0;
        let squares: f64 = all.iter().map(|x| (x - expected) * (x - expected)).sum();
        assert!((mean[row] - expected).abs() < 1e-5, "row {row}");
        assert!((spread[row] - (squares / 2.0).sqrt()).abs() < 1e-5, "row {row}");
    }

    // A higher level is wider; what the rows kept apart cannot promise is not given.
    let width = |level: &str| {
        let said = expect(0, here, &format!("predict run/model.gsn m.csv --interval {level}"));
        column(&said.out, "size_high")[0] - column(&said.out, "size_low")[0]
    };
    assert!(width("0.5") < width("0.8") && width("0.8") < width("0.95"));
    let ran = expect(0, here, "predict run/model.gsn m.csv --interval 0.99");
    assert!(ran.err.contains("no intervals of 99 %: they need 99 rows kept apart"), "{}", ran.err);
    assert!(column(&ran.out, "size_low").iter().all(|x| x.is_nan()));
    let ran = expect(0, here, "predict run/model.gsn m.csv --no-interval");
    assert_eq!(ran.out.lines().next(), Some("row,size,size_spread,flag,error"));
    let ran = run(here, "predict run/model.gsn m.csv --interval 90");
    assert!(ran.code == 2 && ran.err.contains("write 0.9 for 90 %"), "{}", ran.err);

    // Without rows kept apart there are no intervals, and asking for them is a mistake.
    let ran = expect(0, here, &format!("{train}2 --no-intervals"));
    assert!(ran.err.contains("48 to choose by, 48 to judge by"), "{}", ran.err);
    let ran = expect(2, here, "predict run2/model.gsn m.csv --interval 0.8");
    assert!(ran.err.contains("train with --folds"), "{}", ran.err);
}

#[test]
fn folds_judge_every_row_out_of_fold() {
    let folder = folder(&[("m.csv", molecules().as_bytes())]);
    let here = folder.path();
    let train = |more: &str| format!("train m.csv --target size {QUICK} --epochs 4 {more}");
    let ran = expect(0, here, &train("--folds 3 --repeats 2 --split scaffold --out run"));
    assert!(ran.err.contains("3 scaffold folds, 2 times, seed 0: about "), "{}", ran.err);
    assert!(ran.out.contains("cross-validation"), "{}", ran.out);
    assert!(ran.out.contains("on all 240 rows, means of 2 members"), "{}", ran.out);
    assert!(ran.out.contains("(from 240 rows out of fold)"), "{}", ran.out);
    let results = json(here.join("run/results.json"));
    let units: Vec<&str> =
        results["runs"].as_array().unwrap().iter().map(|r| r["unit"].as_str().unwrap()).collect();
    assert_eq!(
        units[..4],
        ["repeat-0-fold-0", "repeat-0-fold-1", "repeat-0-fold-2", "repeat-1-fold-0"]
    );
    assert_eq!(results["ensemble"]["rows"], "out-of-fold");
    assert_eq!(results["intervals"]["targets"][0]["rows"], 240);
    let said = expect(0, here, "predict run/model.gsn m.csv").out;
    let (low, high) = (column(&said, "size_low"), column(&said, "size_high"));
    assert!((0..240).all(|row| low[row] < high[row]));

    // One fold, one member; the score of the table is that of its rows out of fold.
    expect(0, here, &train("--folds 3 --out one -q"));
    let results = json(here.join("one/results.json"));
    let sum: f64 =
        results["runs"].as_array().unwrap().iter().map(|r| r["value"].as_f64().unwrap()).sum();
    let all = results["ensemble"]["value"].as_f64().unwrap();
    assert!((all - sum / 3.0).abs() < 1e-9, "folds of one size: {all} and {}", sum / 3.0);

    for (more, said) in [
        ("--folds 1", "1 is not in 2"),
        ("--repeats 2", "--folds"),
        ("--folds 200 --split scaffold", "too few groups for 200 folds"),
        ("--folds 3 --split column:part", "use --split random, stratified or scaffold"),
        ("--folds 3 --shares 80/0/20", "--shares"),
    ] {
        let ran = expect(2, here, &train(&format!("{more} --out x")));
        assert!(ran.err.contains(said), "{more}: {}", ran.err);
    }
    let ran = expect(2, here, "train mutag-gsn-e --folds 5");
    assert!(ran.err.contains("For your own data name a file"), "{}", ran.err);
}

#[test]
fn answers_come_with_sets() {
    let folder = folder(&[("m.csv", molecules().as_bytes())]);
    let here = folder.path();
    for (target, header) in [
        ("ring", "row,ring,ring_spread,ring_set,flag,error"),
        ("kind", "row,kind,kind=aromatic,kind=chain,kind=ring,kind_spread,kind_set,flag,error"),
    ] {
        expect(
            0,
            here,
            &format!(
                "train m.csv --target {target} --folds 2 {QUICK} --epochs 4 --out {target} -q"
            ),
        );
        let said =
            expect(0, here, &format!("predict {target}/model.gsn m.csv --interval 0.95")).out;
        let mut lines = said.lines();
        assert_eq!(lines.next(), Some(header));
        let sets: Vec<&str> = lines.map(|line| line.rsplit(',').nth(2).unwrap()).collect();
        assert!(sets.iter().all(|set| set.len() > 3 && set.starts_with('{') && set.ends_with('}')));
        let table = molecules();
        let right = table.lines().skip(1).zip(&sets).filter(|(row, set)| {
            let cells: Vec<&str> = row.split(',').collect();
            let truth = match target {
                "ring" => ["no", "yes"][usize::from(cells[2] == "1")],
                _ => cells[3],
            };
            set[1..set.len() - 1].split('|').any(|answer| answer == truth)
        });
        assert!(right.count() >= 216, "{target}: {sets:?}");
    }
}

/// The networks that are handed on may know all rows; what is reported is what was measured.
#[test]
fn a_final_fit_uses_all_rows_and_changes_no_result() {
    let folder = folder(&[("m.csv", molecules().as_bytes())]);
    let here = folder.path();
    let train = format!("train m.csv --target size --shares 60/20/20 --seeds 2 {QUICK} --epochs 4");
    expect(0, here, &format!("{train} --out plain -q"));
    let ran = expect(0, here, &format!("{train} --final --out run"));
    assert!(ran.out.contains("final.gsn: 2 networks fitted on all 240 rows for "), "{}", ran.out);
    let (plain, with) =
        (json(here.join("plain/results.json")), json(here.join("run/results.json")));
    for key in ["mean", "runs", "ensemble", "intervals"] {
        assert_eq!(plain[key], with[key], "{key}");
    }
    assert_eq!(with["final"]["rows"], 240);
    let epochs: Vec<u64> =
        with["runs"].as_array().unwrap().iter().map(|r| r["epoch"].as_u64().unwrap()).collect();
    assert_eq!(with["final"]["epochs"], *epochs.iter().min().unwrap());
    assert!(names(&here.join("run/units")).contains(&"final-seed-1".to_owned()));
    let [selected, fitted] = ["model", "final"].map(|model| {
        column(&expect(0, here, &format!("predict run/{model}.gsn m.csv")).out, "size")
    });
    assert_ne!(selected, fitted);
    let ran = expect(2, here, "train mutag-gsn-e --final");
    assert!(ran.err.contains("selects no epoch"), "{}", ran.err);
}
