//! What own data bring beside graphs, and what predictions hand on: SMILES as arguments, kept columns,
//! metrics, duplicates, class weights, bounds, columns of numbers.

use super::{expect, folder, run_with, text};

const QUICK: &str = "--epochs 2 --width 8 --layers 2 --seeds 1";

/// 96 different chains and rings with a number, a yes or no, an id and a temperature.
fn table() -> String {
    let mut table = String::from("id,smiles,y,rare,t\n");
    let tails = ["", "O", "N", "F", "Cl", "S", "CO", "CN", "C=O", "C#N", "OC", "NC"];
    for (at, tail) in tails.repeat(8).iter().enumerate() {
        let chain = "C".repeat(at / 12 + 2);
        let y = at as f64 / 10.0;
        let rare = usize::from(at % 8 == 0);
        table += &format!("m{at},{chain}{tail},{y},{rare},{}\n", 290 + at % 7);
    }
    table
}

#[test]
fn smiles_are_arguments_and_a_missing_file_is_a_missing_file() {
    let folder = folder(&[("m.csv", table().as_bytes())]);
    let here = folder.path();
    expect(0, here, &format!("train m.csv --target y {QUICK} --out run -q"));
    let ran = expect(0, here, "predict run/model.gsn CCO c1ccccc1O -q");
    let lines: Vec<&str> = ran.out.lines().collect();
    assert!(lines[0].starts_with("row,smiles,y,"), "{}", ran.out);
    assert!(lines[1].starts_with("0,CCO,") && lines[2].starts_with("1,c1ccccc1O,"), "{}", ran.out);
    let ran = expect(2, here, "predict run/model.gsn nosuch.csv");
    assert!(ran.err.contains("nosuch.csv") && ran.out.is_empty(), "{}{}", ran.err, ran.out);
    let ran = expect(2, here, "predict run/model.gsn C1CC");
    assert!(ran.err.contains("there is no such file, and it is no SMILES"), "{}", ran.err);
    let ran = expect(2, here, "predict run/model.gsn m.csv CCO");
    assert!(ran.err.contains("m.csv: is a file"), "{}", ran.err);
    // One bad one among several is a row without a prediction.
    let ran = expect(1, here, "predict run/model.gsn CCO C1CC");
    assert!(ran.out.lines().nth(2).unwrap().starts_with("1,C1CC,"), "{}", ran.out);
}

#[test]
fn columns_are_kept_and_predictions_judged_where_targets_are_there() {
    let folder = folder(&[("m.csv", (table() + "last,C1CC,1,0,290\n").as_bytes())]);
    let here = folder.path();
    expect(1, here, &format!("train m.csv --target y {QUICK} --out run -q"));
    let ran = expect(1, here, "predict run/model.gsn m.csv --id id --keep smiles,y -o p.csv");
    assert!(ran.err.contains("judged by y of 96 rows: mae "), "{}", ran.err);
    let out = text(here.join("p.csv"));
    assert!(out.starts_with("row,id,smiles,input_y,y,"), "{out}");
    assert!(out.lines().nth(1).unwrap().starts_with("0,m0,CC,0,"), "{out}");
    assert!(out.lines().last().unwrap().starts_with("96,last,C1CC,1,,"), "{out}");
    expect(1, here, "predict run/model.gsn m.csv --keep all --id id -o all.parquet");
    let ran = expect(1, here, "predict run/model.gsn m.csv --keep all -o all.csv --json");
    assert!(text(here.join("all.csv")).starts_with("row,id,smiles,input_y,rare,t,y,"));
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(json["judged"]["rows"], 96);
    assert!(json["judged"]["metrics"]["rmse"].as_f64().unwrap() > 0.0, "{json}");
    let ran = expect(2, here, "predict run/model.gsn m.csv --keep nosuch");
    let said = "there is no column `nosuch` to keep; there are id, smiles, y, rare, t";
    assert!(ran.err.contains(said) && ran.out.is_empty(), "{}", ran.err);
}

#[test]
fn the_same_molecule_in_two_parts_is_told() {
    let mut table = table();
    table += &table.lines().skip(1).map(|line| format!("again-{line}\n")).collect::<String>();
    let folder = folder(&[("m.csv", table.as_bytes())]);
    let here = folder.path();
    let ran = expect(0, here, &format!("train m.csv --target y {QUICK} --out run"));
    assert!(ran.err.contains("molecules to judge by and"), "{}", ran.err);
    assert!(ran.err.contains("are in another part too (row "), "{}", ran.err);
    assert!(ran.err.contains("their scores are too good"), "{}", ran.err);
}

#[test]
fn classes_may_weigh_the_same() {
    let folder = folder(&[("m.csv", table().as_bytes())]);
    let here = folder.path();
    expect(0, here, &format!("train m.csv --target rare {QUICK} --out plain -q"));
    let weighted = "train m.csv --target rare --class-weights";
    expect(0, here, &format!("{weighted} balanced {QUICK} --out run -q"));
    assert!(text(here.join("run/recipe.toml")).contains("class-weights = \"balanced\""));
    let mean = |run: &str| {
        let ran = expect(0, here, &format!("predict {run}/model.gsn m.csv -q"));
        let cell = |line: &str| line.split(',').nth(1).unwrap().parse::<f64>().unwrap();
        ran.out.lines().skip(1).map(cell).sum::<f64>() / 96.0
    };
    assert!(mean("run") > mean("plain"), "what is rare weighs more");
    expect(0, here, &format!("{weighted} 1,7 {QUICK} --out fixed -q"));
    let ran = expect(2, here, &format!("{weighted} 1,2,3 {QUICK} --out wrong"));
    assert!(ran.err.contains("3 weights, but there are 2 classes: no, yes"), "{}", ran.err);
    let ran = expect(2, here, "train m.csv --target y --class-weights balanced --out none");
    assert!(ran.err.contains("a regression has no classes"), "{}", ran.err);
    assert_eq!(run_with(here, &["train", "m.csv", "--class-weights", "even"]).code, 2);
}

#[test]
fn bounds_are_learned_from_left_out_or_refused() {
    let censored = table().replace(",9.1,", ",>9,").replace(",0.3,", ",<0.5,");
    let folder = folder(&[("m.csv", censored.as_bytes())]);
    let here = folder.path();
    let ran = expect(0, here, &format!("train m.csv --target y {QUICK} --out run"));
    let said =
        "2 targets of `y` are bounds (1 with <, 1 with >): they cost only where a prediction is";
    assert!(ran.err.contains(said), "{}", ran.err);
    assert!(ran.err.contains("task: regression"), "{}", ran.err);
    let out = text(here.join("run/predictions.csv"));
    assert!(out.contains(",<0.5,") && out.contains(",>9,"), "{out}");
    expect(0, here, &format!("train m.csv --target y --folds 2 {QUICK} --out folds -q"));
    let ran =
        expect(1, here, &format!("train m.csv --target y --censored drop {QUICK} --out dropped"));
    assert!(ran.err.contains("left out: 2 rows"), "{}", ran.err);
    let ran = expect(2, here, "train m.csv --target y --censored error --out none");
    assert!(ran.err.contains("`<0.5` of `y` is a bound, not a number"), "{}", ran.err);
}

#[test]
fn columns_of_numbers_are_read_beside_the_graph() {
    let gap = table().replace("m5,CCS,0.5,0,295", "m5,CCS,0.5,0,");
    let folder = folder(&[("m.csv", gap.as_bytes()), ("bare.csv", b"smiles\nCCO\n")]);
    let here = folder.path();
    let train = format!("train m.csv --target y --with-columns t {QUICK}");
    expect(0, here, &format!("{train} --out run -q"));
    std::fs::write(here.join("n.csv"), "smiles,T\nCCO,290\nCCO,296\nCCO,\nCCO,warm\n").unwrap();
    let ran = expect(1, here, "predict run/model.gsn n.csv -o p.csv");
    let out = text(here.join("p.csv"));
    let cell =
        |row: usize, at: usize| out.lines().nth(row + 1).unwrap().split(',').nth(at).unwrap();
    assert_ne!(cell(0, 1), cell(1, 1), "{out}");
    assert!(out.contains("1 missing value of columns (taken as their mean)"), "{out}");
    assert!(ran.err.contains("`warm` in column `t` is no number"), "{}", ran.err);
    let ran = expect(2, here, "predict run/model.gsn bare.csv");
    assert!(ran.err.contains("and `t` is missing"), "{}", ran.err);
    let ran = expect(2, here, &format!("train m.csv --target y --with-columns nosuch {QUICK}"));
    assert!(ran.err.contains("there is no column `nosuch` (--with-columns)"), "{}", ran.err);
    expect(0, here, &format!("{train} --folds 2 --out folds -q"));
    let ran = expect(0, here, "predict folds/model.gsn m.csv -o folds.csv");
    assert!(ran.err.contains("judged by y of 96 rows"), "{}", ran.err);
    // Stopped and taken up, or run through: the same model.
    expect(0, here, &format!("{train} --out again -q"));
    let model = |run: &str| std::fs::read(here.join(run).join("model.gsn")).unwrap();
    assert_eq!(model("run"), model("again"));
}

#[test]
fn delimiters_are_found_or_set() {
    // A title with commas in it makes the first line ambiguous.
    let text = table().replace(',', ";").replace("id;", "\"id, name, number\";");
    let folder = folder(&[("m.csv", text.as_bytes())]);
    let here = folder.path();
    expect(0, here, &format!("train m.csv --target y {QUICK} --delimiter semicolon --out run -q"));
    let ran = expect(0, here, "predict run/model.gsn m.csv --delimiter semicolon -q");
    assert_eq!(ran.out.lines().count(), 97);
    let ran = expect(2, here, "predict run/model.gsn m.csv --delimiter tab");
    assert!(ran.err.contains("smiles") && ran.out.is_empty(), "{}", ran.err);
    let ran = expect(2, here, "train m.csv --target y --delimiter colon");
    assert!(ran.err.contains("semicolon"), "{}", ran.err);
}
