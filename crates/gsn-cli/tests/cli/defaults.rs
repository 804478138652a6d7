//! What a run on own data does by itself: what steers it, what keeps its predictions sane, and what
//! it is compared with.

use super::{expect, folder, text};

const QUICK: &str =
    "--set training.epochs=3 --set network.width=8 --set network.layers=2 --seeds 1";

/// Chains and rings whose number is about their length; `parts` has no validation row.
fn molecules() -> String {
    let mut table = String::from("smiles,size,ring,parts\n");
    for at in 0..60 {
        let (tail, part) = ("C".repeat(at % 12), if at % 5 == 0 { "test" } else { "train" });
        let size = (at % 12) as f64 + 0.01 * at as f64;
        match at % 2 {
            0 => table += &format!("C1CCCC1{tail},{size},1,{part}\n"),
            _ => table += &format!("CCCCC{tail},{size},0,{part}\n"),
        }
    }
    table
}

#[test]
fn without_validation_rows_some_training_rows_are_held_out() {
    let folder = folder(&[("m.csv", molecules().as_bytes())]);
    let here = folder.path();
    for (how, parts) in [
        ("--split column:parts", "44 to learn from, 4 to choose by, 12 to judge by"),
        ("--shares 80/0/20", "44 to learn from, 4 to choose by, 12 to judge by"),
    ] {
        let out = if how.contains("column") { "column" } else { "shares" };
        let ran = expect(0, here, &format!("train m.csv --target size {how} {QUICK} --out {out}"));
        assert!(ran.err.contains(parts), "{}", ran.err);
        assert!(
            ran.err.contains("no rows to choose by, so 4 of those to learn from are held out"),
            "{}",
            ran.err
        );
        // Nothing looks at the test part before the end.
        let metrics = text(here.join(out).join("metrics.jsonl"));
        assert!(metrics.contains("validation_loss") && !metrics.contains("\"test"), "{metrics}");
    }
    let ran = expect(2, here, "train m.csv --target size --shares 80/10/20 --out no");
    assert!(ran.err.contains("add up to 110, not to 100"), "{}", ran.err);
}

#[test]
fn with_very_few_rows_training_follows_a_fixed_schedule() {
    let few: String = molecules().lines().take(10).map(|line| format!("{line}\n")).collect();
    let folder = folder(&[("few.csv", few.as_bytes())]);
    let here = folder.path();
    let ran =
        expect(0, here, &format!("train few.csv --target size --shares 70/0/30 {QUICK} --out run"));
    assert!(ran.err.contains("fixed schedule and the last epoch is taken"), "{}", ran.err);
    let recipe = text(here.join("run/recipe.toml"));
    assert!(recipe.contains("choose = \"last\"") && recipe.contains("step"), "{recipe}");
    let ran = expect(
        2,
        here,
        "train few.csv --target size --shares 70/0/30 --out no \
         --set training.schedule={plateau={factor=0.5,patience=2}}",
    );
    assert!(ran.err.contains("a plateau is seen on the validation part"), "{}", ran.err);
}

#[test]
fn a_network_is_shown_beside_what_can_be_had_without_one() {
    let folder = folder(&[("m.csv", molecules().as_bytes())]);
    let here = folder.path();
    // An untrained network against a number that is linear in the size of the molecule.
    let ran = expect(
        0,
        here,
        &format!("train m.csv --target size {QUICK} --set training.lr=1e-9 --out run -q"),
    );
    let lines: Vec<Vec<&str>> =
        ran.out.lines().map(|line| line.split_whitespace().collect()).collect();
    let row = |name: &str| -> f64 {
        let row = lines.iter().find(|row| row.first() == Some(&name)).expect(name);
        row.last().unwrap().parse().unwrap()
    };
    assert!(row("linear") < 0.2 * row("mean"), "{}", ran.out);
    assert!(row("linear") < row("network") && row("forest") < row("mean"), "{}", ran.out);
    assert!(ran.out.contains("note: on the test part the network (mae "), "{}", ran.out);
    assert!(ran.out.contains("is better than the network on the validation part"), "{}", ran.out);
    let results: serde_json::Value =
        serde_json::from_str(&text(here.join("run/results.json"))).unwrap();
    let names: Vec<&str> = results["baselines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|b| b["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["mean", "linear model", "forest"]);
    // The same with another number of threads, to the last digit.
    expect(
        0,
        here,
        &format!(
            "train m.csv --target size {QUICK} --set training.lr=1e-9 --out one -q --threads 1"
        ),
    );
    assert_eq!(text(here.join("run/results.json")), text(here.join("one/results.json")));
}

#[test]
fn predictions_far_outside_are_taken_back_and_flagged() {
    let large = format!("smiles\nCCCC\n{}\n", "C".repeat(400));
    let files = [("m.csv", molecules()), ("large.csv", large)];
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, t)| (*name, t.as_bytes())).collect();
    let folder = folder(&files);
    let here = folder.path();
    expect(0, here, &format!("train m.csv --target size {QUICK} --out run -q"));
    let recipe = text(here.join("run/recipe.toml"));
    let bound = recipe.lines().find(|line| line.starts_with("bound = ")).expect("a bound");
    let share: f64 = bound.trim_start_matches("bound = ").parse().unwrap();
    let ran = expect(0, here, "predict run/model.gsn large.csv -o out.csv");
    assert!(!ran.err.contains("error"), "{}", ran.err);
    let table = text(here.join("out.csv"));
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    let column = |name: &str| rows[0].iter().position(|cell| *cell == name).expect(name);
    let (size, flag) = (column("size"), column("flag"));
    assert!(rows[1][flag].is_empty(), "{table}");
    assert!(rows[2][flag].contains("far outside the targets of the training"), "{table}");
    // The targets lie within 0 and 11.6.
    let said: f64 = rows[2][size].parse().unwrap();
    let room = share * 11.6;
    assert!((-room..=11.6 + room).contains(&said), "{said} with a bound of {share}");
}

/// The choices that `docs/src/defaults.md` names.
#[test]
fn the_defaults_are_those_that_won() {
    let folder = folder(&[("m.csv", molecules().as_bytes())]);
    let here = folder.path();
    for (target, more) in [("size", &["loss = \"l1\"", "bound = 0.25"][..]), ("ring", &[])] {
        expect(0, here, &format!("train m.csv --target {target} --save-recipe {target}.toml"));
        let recipe = text(here.join(format!("{target}.toml")));
        let always = [
            "batch-norm = \"re-estimated\"",
            "encoding = \"log1p\"",
            "readout = \"sum\"",
            "unseen = \"rare\"",
            "weight-decay = 0.0001",
            "layers = 3",
            "choose = \"best-validation\"",
            "seeds = 3",
        ];
        for line in always.iter().chain(more) {
            assert!(recipe.lines().any(|found| found.trim() == *line), "{line} in {recipe}");
        }
    }
}
