//! `gsn train`: from a recipe to results, interrupted or not.

use super::{expect, folder, gsn, names, run, within_limit};
use serde_json::Value;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

const RECIPE: &str = r#"
about = "Rings, paths and stars, told apart by counts."
seeds = 2
protocol = { fixed-split = { choose = "best-validation" } }

[data]
set = "shapes.txt"

[counts]
patterns = "cycle:3..=4"
scope = "vertex"
matching = "induced"

[network]
kind = "gin"
layers = 2
width = 8
readout = "sum"
dropout = 0.2

[training]
batch = 8
epochs = 30
lr = 0.01
schedule = { plateau = { factor = 0.5, patience = 4 } }
loss = "cross-entropy"
metric = "accuracy"

[published]
mean = 0.9
printed = "nowhere"
"#;

/// Rings, paths and stars of different sizes, in the text format of GIN.
fn shapes() -> String {
    let mut text = String::from("60\n");
    for i in 0..60u32 {
        let (class, n) = (i % 3, 3 + i % 7);
        text += &format!("{n} {class}\n");
        for v in 0..n {
            let near: Vec<u32> = match class {
                0 => vec![(v + n - 1) % n, (v + 1) % n],
                1 => (v.checked_sub(1)).into_iter().chain((v + 1 < n).then_some(v + 1)).collect(),
                _ if v == 0 => (1..n).collect(),
                _ => vec![0],
            };
            let near: Vec<String> = near.iter().map(u32::to_string).collect();
            text += &format!("0 {} {}\n", near.len(), near.join(" "));
        }
    }
    text
}

fn prepared() -> tempfile::TempDir {
    folder(&[("shapes.toml", RECIPE.as_bytes()), ("shapes.txt", shapes().as_bytes())])
}

/// Fails unless both runs left the same results, metrics and weights.
#[track_caller]
fn same(folder: &Path, a: &str, b: &str) {
    for name in [
        "results.json",
        "metrics.jsonl",
        "model.gsn",
        "units/seed-0/last.ckpt",
        "units/seed-1/last.ckpt",
        "units/seed-1/best.safetensors",
        "units/seed-1/model.gsn",
    ] {
        let read = |run: &str| std::fs::read(folder.join(run).join(name)).expect(name);
        assert!(read(a) == read(b), "{name} differs");
    }
}

#[test]
fn a_recipe_becomes_results() {
    let folder = prepared();
    let ran = expect(0, folder.path(), "train shapes.toml --out whole --threads 2 --json");
    let last: Value = serde_json::from_str(ran.out.lines().last().unwrap()).unwrap();
    assert_eq!(last["metric"], "accuracy");
    assert_eq!(last["runs"].as_array().unwrap().len(), 2);
    let values: Vec<f64> =
        last["runs"].as_array().unwrap().iter().map(|run| run["value"].as_f64().unwrap()).collect();
    let mean = (values[0] + values[1]) / 2.0;
    assert_eq!(last["mean"].as_f64(), Some(mean));
    let std = ((values[0] - mean).powi(2) + (values[1] - mean).powi(2)).sqrt();
    assert_eq!(last["std"].as_f64(), Some(std));
    assert_eq!(last["interval95"].as_array().unwrap().len(), 2);
    assert!(mean > 0.8, "shapes are easy to tell apart: {mean}");
    let written = std::fs::read(folder.path().join("whole/results.json")).unwrap();
    let written: Value = serde_json::from_slice(&written).unwrap();
    assert_eq!((&written["mean"], &written["runs"]), (&last["mean"], &last["runs"]));
    let metrics = std::fs::read_to_string(folder.path().join("whole/metrics.jsonl")).unwrap();
    assert_eq!(metrics.lines().count(), 60);
    for name in ["recipe.toml", "versions.json", "model.gsn", "tensorboard/seed-0"] {
        assert!(folder.path().join("whole").join(name).exists(), "{name}");
    }
    assert!(ran.err.contains("seed-1 done after 30 epochs"), "{}", ran.err);

    let ran = expect(0, folder.path(), "train shapes.toml --out again --threads 1 --jobs 2 -q");
    assert_eq!(ran.err, "");
    assert!(ran.out.contains("test accuracy") && ran.out.contains("published"), "{}", ran.out);
    same(folder.path(), "whole", "again");

    let ran = expect(0, folder.path(), "train shapes.toml --seeds 1 --set training.epochs=2 -q");
    assert!(ran.out.contains("run: runs/shapes"), "{}", ran.out);
    let recipe = std::fs::read_to_string(folder.path().join("runs/shapes/recipe.toml")).unwrap();
    assert!(recipe.contains("epochs = 2") && recipe.contains("seeds = 1"), "{recipe}");
}

/// A recipe that trains nothing compares all pairs. Every 21st of the shapes is the same graph, so
/// among 60 there are 21 kinds, 18 of them three times and three twice.
#[test]
fn a_recipe_without_training_compares_pairs() {
    let (head, _) = RECIPE.split_once("[training]").unwrap();
    let recipe = head
        .replace(
            "fixed-split = { choose = \"best-validation\" }",
            "separation = { threshold = 1e-6 }",
        )
        .replace("dropout = 0.2", "norm = false");
    let folder = folder(&[("pairs.toml", recipe.as_bytes()), ("shapes.txt", shapes().as_bytes())]);
    let ran = expect(0, folder.path(), "train pairs.toml --out pairs --json");
    let found: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(found["pairs"], 60 * 59 / 2);
    // More than those: the star of three vertices is the path of three.
    let same: Vec<u64> = serde_json::from_value(found["failed"].clone()).unwrap();
    assert!(same.iter().all(|&n| n >= 18 * 3 + 3), "{same:?}");
    let written = std::fs::read(folder.path().join("pairs/results.json")).unwrap();
    let written: Value = serde_json::from_slice(&written).unwrap();
    assert_eq!(written["failed"], found["failed"]);
    let ran = expect(0, folder.path(), "train --resume pairs");
    assert!(ran.out.contains("not told apart"), "{}", ran.out);
    let ran = expect(2, folder.path(), "train pairs.toml --out pairs");
    assert!(ran.err.contains("holds a run already"), "{}", ran.err);
}

fn start(folder: &Path, resume: bool) -> Child {
    let arguments: &[&str] = match resume {
        true => &["train", "--resume", "pieces"],
        false => &["train", "shapes.toml", "--out", "pieces"],
    };
    let mut command = gsn(folder);
    command.args(arguments).args(["--checkpoint-seconds", "0", "--threads", "2", "--jobs", "2"]);
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the program starts")
}

/// Is a checkpoint being written just now?
fn is_writing(folder: &Path) -> bool {
    ["seed-0", "seed-1"].iter().any(|unit| {
        let entries = folder.join("pieces/units").join(unit).read_dir().into_iter().flatten();
        entries
            .flatten()
            .any(|entry| entry.file_name().to_string_lossy().starts_with(".last.ckpt."))
    })
}

/// Killed at moments of all kinds, half of them while a checkpoint is written, the run ends as if
/// nothing had happened.
#[cfg(unix)]
#[test]
fn a_run_killed_at_any_moment_ends_as_if_it_had_not_been() {
    let folder = prepared();
    // Long enough to be caught on a fast machine as well.
    let long = RECIPE.replace("epochs = 30", "epochs = 1500");
    std::fs::write(folder.path().join("shapes.toml"), long).unwrap();
    expect(0, folder.path(), "train shapes.toml --out whole -q");
    let mut killed = 0;
    for round in 0u64..12 {
        let resume = folder.path().join("pieces/recipe.toml").exists();
        let mut child = start(folder.path(), resume);
        std::thread::sleep(Duration::from_millis(20 + 17 * (round * 7 % 11)));
        if round % 2 == 1 {
            for _ in 0..2000 {
                if is_writing(folder.path()) || child.try_wait().unwrap().is_some() {
                    break;
                }
                std::thread::sleep(Duration::from_micros(50));
            }
        }
        if child.try_wait().unwrap().is_none() {
            child.kill().unwrap();
            killed += 1;
        }
        within_limit(move || child.wait()).unwrap();
    }
    assert!(killed > 3, "it was over before it could be killed");
    let resume = folder.path().join("pieces/recipe.toml").exists();
    let last = start(folder.path(), resume);
    let last = within_limit(|| last.wait_with_output()).unwrap();
    assert!(last.status.success(), "{}", String::from_utf8_lossy(&last.stderr));
    same(folder.path(), "whole", "pieces");
    for place in ["pieces", "pieces/units/seed-0", "pieces/units/seed-1"] {
        let left = names(&folder.path().join(place));
        assert!(!left.iter().any(|name| name.ends_with(".part")), "{left:?}");
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_saves_first() {
    let folder = prepared();
    let long = RECIPE.replace("epochs = 30", "epochs = 3000");
    std::fs::write(folder.path().join("shapes.toml"), long).unwrap();
    let child = start(folder.path(), false);
    let checkpoint = folder.path().join("pieces/units/seed-0/last.ckpt");
    within_limit(move || {
        while !checkpoint.exists() {
            std::thread::sleep(Duration::from_millis(5));
        }
    });
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let ended = within_limit(|| child.wait_with_output()).unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(2), "{said}");
    assert!(said.contains("stopped; go on with `gsn train --resume pieces`"), "{said}");
    let sessions = std::fs::read_to_string(folder.path().join("pieces/sessions.jsonl")).unwrap();
    assert!(sessions.contains("stopped"), "{sessions}");
}

#[test]
fn what_cannot_be_trained_is_said() {
    let folder = prepared();
    let at = folder.path();
    let said = |arguments: &str| expect(2, at, arguments).err;
    assert!(said("train no-such-recipe").contains("no-such-recipe"));
    assert!(said("train").contains("RECIPE"));
    assert!(said("train --resume nowhere").contains("no run"));
    assert!(said("train shapes.toml --resume x").contains("cannot be used with"));
    assert!(said("train shapes.toml --set training.lr=fast --out x").contains("lr"));
    assert!(said("train shapes.toml --out shapes.txt/run").contains("cannot be written"));
    expect(0, at, "train shapes.toml --set training.epochs=1 --out done -q");
    assert!(said("train shapes.toml --out done").contains("--resume done"));
    std::fs::write(at.join("shapes.txt"), shapes().replacen("3 0", "3 1", 1)).unwrap();
    assert!(said("train --resume done").contains("not those the run was started with"));
    std::fs::remove_file(at.join("shapes.txt")).unwrap();
    assert!(run(at, "train --resume done").err.contains("shapes.txt"));
}
