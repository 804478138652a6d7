//! Options mean what they say: they act, or they are refused with a sentence.

use super::user_data::molecules;
use super::{Ran, expect, finish, folder, gsn, names, run_with, text};
use std::path::Path;

/// Every option for own data with a value, by itself.
const OWN: [&str; 15] = [
    "--target y",
    "--smiles s",
    "--task classes",
    "--split random",
    "--shares 70/20/10",
    "--seed 3",
    "--seed 0",
    "--features ogb",
    "--format csv",
    "--directed",
    "--id name",
    "--censored drop",
    "--with-columns a,b",
    "--folds 3",
    "--no-intervals",
];

#[test]
fn options_for_own_data_are_refused_for_a_benchmark() {
    let folder = folder(&[]);
    for option in OWN {
        for more in ["", " --save-recipe mine.toml", " --epochs 1"] {
            let ran = expect(2, folder.path(), &format!("train mutag-gsn-e {option}{more}"));
            let name = option.split_whitespace().next().unwrap();
            assert!(ran.err.contains(&format!("{name}: the recipe `mutag-gsn-e`")), "{}", ran.err);
            assert!(ran.err.contains("name a file in place of the recipe"), "{}", ran.err);
        }
    }
    let ran = expect(2, folder.path(), "train mutag-gsn-e --split random --seed 1");
    assert!(ran.err.contains("--split, --seed") || ran.err.contains("--seed, --split"));
    assert!(names(folder.path()).is_empty());
}

#[test]
fn a_run_that_goes_on_takes_no_other_settings() {
    let folder = folder(&[]);
    let here = folder.path();
    let more = ["--set training.lr=1", "--seeds 3", "--out other", "--epochs 9", "--width 3"];
    let more = more.iter().chain(&["--patterns cycle:3", "--save-recipe r.toml"]);
    for option in OWN.iter().chain(more) {
        let ran = expect(2, here, &format!("train --resume run {option}"));
        let name = option.split_whitespace().next().unwrap();
        let said = format!("--resume cannot be combined with {name}: a run goes on as it was");
        assert!(ran.err.contains(&said), "{}", ran.err);
    }
    expect(2, here, "train mutag-gsn-e --resume run");
    let ran = expect(2, here, "train --resume run --jobs 1");
    assert!(ran.err.contains("holds no run"), "{}", ran.err);
}

#[test]
fn a_recipe_is_saved_with_its_changes_and_nothing_is_trained() {
    let folder = folder(&[]);
    let here = folder.path();
    let changes = "--patterns cycle:3..=5,clique:4 --scope arc --matching subgraph --orbits official \
                   --epochs 7 --lr 1 --batch 9 --width 11 --layers 3 --seeds 2 --set network.dropout=0.25";
    let ran = expect(0, here, &format!("train mutag-gsn-e {changes} --save-recipe mine.toml"));
    assert!(ran.err.contains("wrote mine.toml; train it with `gsn train mine.toml`"));
    let saved = text(here.join("mine.toml"));
    for line in [
        "patterns = \"cycle:3..=5,clique:4\"",
        "scope = \"arc\"",
        "matching = \"subgraph\"",
        "edge-orbits = \"official\"",
        "epochs = 7",
        "lr = 1.0",
        "batch = 9",
        "width = 11",
        "layers = 3",
        "seeds = 2",
        "dropout = 0.25",
    ] {
        assert!(saved.lines().any(|there| there == line), "{line}\n{saved}");
    }
    assert_eq!(names(here), ["mine.toml"]);
    let ran = expect(0, here, "recipes mine.toml");
    assert_eq!(ran.out, saved);
}

#[test]
fn a_key_is_changed_once() {
    let folder = folder(&[]);
    for (short, set) in [
        ("--width 8", "network.width=9"),
        ("--epochs 8", "training.epochs=8"),
        ("--patterns cycle:3", "counts.patterns=cycle:4"),
        ("--seeds 3", "seeds=4"),
    ] {
        let ran = expect(2, folder.path(), &format!("train mutag-gsn-e {short} --set {set}"));
        let name = short.split_whitespace().next().unwrap();
        let said = format!("{name} and --set {set} change the same key; give one of them");
        assert!(ran.err.contains(&said), "{}", ran.err);
    }
    let ran = expect(2, folder.path(), "train mutag-gsn-e --width 0");
    assert!(ran.err.contains("0 leaves no network"), "{}", ran.err);
}

#[test]
fn a_saved_recipe_repeats_the_run_by_itself() {
    let folder = folder(&[("m.csv", molecules().as_bytes())]);
    let here = folder.path();
    let asked = "train m.csv --target size --split stratified --seed 5 --shares 60/20/20 \
                 --epochs 2 --width 8 --layers 2";
    expect(0, here, &format!("{asked} --save-recipe mine.toml"));
    assert_eq!(names(here), ["m.csv", "mine.toml"]);
    expect(1, here, &format!("{asked} --out one"));
    let ran = expect(1, here, "train mine.toml --out two");
    assert!(ran.err.contains("stratified split, seed 5: 38 to learn from"), "{}", ran.err);
    assert_eq!(text(here.join("one/metrics.jsonl")), text(here.join("two/metrics.jsonl")));
    // What is given stands over the recipe, even if it is what would be so by default.
    let ran = expect(1, here, "train mine.toml --seed 0 --shares 80/10/10 --out three");
    assert!(ran.err.contains("stratified split, seed 0: 51 to learn from"), "{}", ran.err);
}

#[test]
fn the_screen_follows_the_settings() {
    let folder = folder(&[("m.csv", molecules().as_bytes())]);
    let asked = "train m.csv --target size --width 8 --set network.layers=2 --epochs 1 --batch 5";
    let ran = expect(1, folder.path(), &format!("{asked} --patterns cycle:3..=4 --out run"));
    for line in [
        "patterns cycle:3..=4 (counts.patterns as set)",
        "network gsn, 2 layers of width 8 (network.layers, network.width as set)",
        "1 epochs at most, batches of 5; judged by mae (training.epochs, training.batch as set)",
    ] {
        assert!(ran.err.lines().any(|said| said == line), "{line}\n{}", ran.err);
    }
}

#[test]
fn what_suggest_prints_can_be_pasted() {
    let folder = folder(&[("my molecules.csv", molecules().as_bytes())]);
    let here = folder.path();
    let asked =
        ["suggest", "my molecules.csv", "--target", "ring", "--max-size", "5", "--seed", "2"];
    let ran = run_with(here, &asked);
    assert_eq!(ran.code, 1, "{}", ran.err);
    let line = ran.out.lines().rev().find(|line| line.trim().starts_with("gsn train")).unwrap();
    assert!(line.contains("'my molecules.csv' --target ring --seed 2 --patterns"), "{line}");
    let picked = line.split("--patterns ").nth(1).unwrap().split(' ').next().unwrap();
    assert!(picked.contains("cycle:5"), "{line}");
    let shell = |line: &str| -> Ran {
        let mut command = std::process::Command::new("sh");
        let program = Path::new(env!("CARGO_BIN_EXE_gsn")).parent().unwrap();
        let paths = std::env::var_os("PATH").unwrap_or_default();
        let paths = std::env::split_paths(&paths);
        let paths = std::env::join_paths([program.to_owned()].into_iter().chain(paths)).unwrap();
        command.current_dir(here).env("PATH", paths).args(["-c", line]);
        finish(command).into()
    };
    let ran = shell(&format!("{} --epochs 1 --width 4 --out run", line.trim()));
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(text(here.join("run/recipe.toml")).contains(&format!("patterns = \"{picked}\"")));
    // A benchmark's line names a recipe that counts in it.
    let ran = expect(0, here, "suggest MUTAG --max-size 4");
    let line = ran.out.lines().rev().find(|line| line.trim().starts_with("gsn train")).unwrap();
    let ran = shell(&format!("{} --save-recipe mutag.toml", line.trim()));
    assert_eq!(ran.code, 0, "{}", ran.err);
}

#[test]
fn noise_is_not_suggested() {
    let mut table = String::from("smiles,y\n");
    for at in 0..80u32 {
        let smiles = ["CCO", "C1CC1C", "CC(C)C", "C1CCC1", "CCCC"][at as usize % 5];
        // Digits of a multiplicative sequence: nothing to do with the molecule.
        let y = (u64::from(at) * 2_654_435_761 % 1_000_003) as f64 / 1e6;
        table += &format!("{smiles},{y}\n");
    }
    let folder = folder(&[("m.csv", table.as_bytes())]);
    let ran = expect(0, folder.path(), "suggest m.csv --target y --max-size 5 --json");
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let noise = |name: &serde_json::Value| {
        let all = json["candidates"].as_array().unwrap();
        let row = all.iter().find(|row| row["pattern"] == *name).unwrap();
        row["signal"]["share"].as_f64() <= row["signal"]["baseline"].as_f64()
    };
    let picks = json["picks"].as_array().unwrap();
    assert!(!picks.iter().any(|pick| noise(&pick["pattern"])), "{}", ran.out);
}

#[test]
fn a_task_that_does_not_fit_is_named() {
    let folder = folder(&[("m.csv", molecules().as_bytes())]);
    let ran = expect(2, folder.path(), "train m.csv --target size --task binary");
    let said = "`size` cannot be read as binary: 64 of 64 values are not yes and no or 0 and 1";
    assert!(ran.err.contains(said) && ran.err.contains("--task regression"), "{}", ran.err);
    let ran = expect(2, folder.path(), "train m.csv --target kind --task regression");
    assert!(ran.err.contains("64 of 64 values are not numbers (such as `chain`)"), "{}", ran.err);
    let asked = "train m.csv --target ring --task regression --epochs 1 --width 4 --out run";
    let ran = expect(1, folder.path(), asked);
    assert!(ran.err.contains("task: regression, since `ring` is read so, as asked for"));
    let ran = expect(2, folder.path(), "train mutag-gsn-e --set training.metric=mae");
    assert!(!ran.err.contains("CrossEntropy"), "{}", ran.err);
}

#[test]
fn a_data_folder_without_data_is_said() {
    let folder = folder(&[]);
    let mut command = gsn(folder.path());
    command.env("GSN_DATA", folder.path());
    command.args(["train", "sr-gsn-e", "--seeds", "1", "--out", "run"]);
    let ran: Ran = finish(command).into();
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("which holds no set of the catalogue; sr251256"), "{}", ran.err);
}

#[test]
fn a_model_of_labelled_graphs_refuses_molecules() {
    let folder = folder(&[("m.csv", molecules().as_bytes())]);
    let here = folder.path();
    let quick = "--epochs 1 --width 4 --layers 1 --set training.steps-per-epoch=1 --jobs 1";
    expect(0, here, &format!("train mutag-gsn-e {quick} --out run -q"));
    let ran = expect(2, here, "predict run/model.gsn m.csv -o out.csv");
    let said = "holds molecules, but the model was trained on MUTAG, whose labels are not kinds of";
    assert!(ran.err.contains(said), "{}", ran.err);
    assert!(!here.join("out.csv").exists());
}

#[test]
fn rows_with_bad_targets_are_listed_with_line_and_molecule() {
    let table = molecules().replace("C1CC,1.5,1,ring\n", "CCCO,many,0,chain\nCCCN,,0,chain\n");
    let folder = folder(&[("m.csv", table.as_bytes())]);
    let here = folder.path();
    let ran =
        expect(1, here, "train m.csv --target size --epochs 1 --width 4 --layers 1 --out run");
    assert!(ran.err.contains("row 64 (line 66): target `many` is no finite number"), "{}", ran.err);
    let list = text(here.join("run/rejected.csv"));
    let rows: Vec<&str> = list.lines().collect();
    assert!(rows.iter().any(|row| row.starts_with("64,66,CCCO,")), "{list}");
    assert!(rows.iter().any(|row| row.starts_with("65,67,CCCN,")), "{list}");
}
