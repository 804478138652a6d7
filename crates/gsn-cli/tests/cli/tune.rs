//! `gsn tune` and `gsn sweep` on own data.

use super::user_data::molecules;
use super::{expect, folder, names, run, text};
use serde_json::Value;
use std::path::Path;

const SPACE: &str = "'network.width' = [4, 8]\n'network.layers' = { from = 1, to = 2 }\n\
                     'training.lr' = { log = [1e-3, 1e-2] }\n'network.dropout' = [0.0, 0.2]\n";

fn own() -> tempfile::TempDir {
    let good = molecules().replace("C1CC,1.5,1,ring\n", "");
    folder(&[("m.csv", good.as_bytes()), ("space.toml", SPACE.as_bytes())])
}

/// Everything of a search that must not depend on how often it was stopped.
fn kept(search: &Path) -> Vec<String> {
    let mut all: Vec<String> =
        ["table.csv", "plot.svg", "best.toml", "results.json"].map(|f| text(search.join(f))).into();
    for trial in names(&search.join("trials")) {
        all.push(text(search.join("trials").join(trial).join("metrics.jsonl")));
    }
    all
}

#[test]
fn a_search_ends_the_same_however_often_it_is_stopped() {
    let folder = own();
    let here = folder.path();
    let asked = "tune m.csv --target size --space space.toml --trials 7 --epochs 6 --batch 16 -q";
    let ran = expect(0, here, &format!("{asked} --out one"));
    assert!(ran.out.contains("7 trials of mae\nbest: trial "), "{}", ran.out);
    assert!(ran.out.contains("looked at once"), "{}", ran.out);
    let table = text(here.join("one/table.csv"));
    assert!(table.starts_with("trial,epochs,mae,state,network.dropout,"), "{table}");
    assert_eq!(table.matches(",finished,").count(), 2, "{table}");
    assert_eq!(table.matches(",set aside,").count(), 5, "{table}");
    // The test part was looked at for the winner alone.
    let judged = |trial: &String| here.join("one/trials").join(trial).join("results.json").exists();
    let judged: Vec<String> = names(&here.join("one/trials")).into_iter().filter(judged).collect();
    assert_eq!(judged.len(), 1, "{judged:?}");
    for trial in names(&here.join("one/trials")) {
        let curve = text(here.join("one/trials").join(trial).join("metrics.jsonl"));
        assert!(!curve.contains("\"test\""), "{curve}");
    }
    // When the time is always up, every session trains one trial on by one rung.
    let mut ran = expect(2, here, &format!("{asked} --out two --minutes 0.00001"));
    let mut sessions = 1;
    while ran.code != 0 && sessions < 20 {
        assert!(ran.err.contains("go on with `gsn tune --resume two`"), "{}", ran.err);
        ran = run(here, "tune --resume two -q --minutes 0.00001");
        sessions += 1;
    }
    assert_eq!(sessions, 7 + 2);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(kept(&here.join("two")), kept(&here.join("one")));
    // The recipe repeats the winner: the run was never interrupted, the trial was.
    expect(0, here, "train one/best.toml --out again -q");
    let json = |path: &str| -> Value { serde_json::from_str(&text(here.join(path))).unwrap() };
    assert_eq!(json("again/results.json")["mean"], json("one/results.json")["results"]["mean"]);
    assert_eq!(
        text(here.join("again/metrics.jsonl")),
        text(here.join(format!("one/trials/{}/metrics.jsonl", judged[0])))
    );
    assert_eq!(
        std::fs::read(here.join("again/model.gsn")).unwrap(),
        std::fs::read(here.join("one/model.gsn")).unwrap()
    );
}

#[test]
fn a_search_without_a_space_tries_what_is_usual() {
    let folder = own();
    let here = folder.path();
    let ran = expect(
        0,
        here,
        "tune m.csv --target ring --trials 3 --epochs 3 --width 6 --out search --json",
    );
    let json: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(json["trials"].as_array().unwrap().len(), 3);
    assert_eq!(json["trials"][0]["settings"].as_array().unwrap().len(), 0);
    let drawn = json["trials"][1]["settings"].to_string();
    for key in ["counts.patterns", "counts.encoding", "network.readout", "training.lr"] {
        assert!(drawn.contains(key), "{drawn}");
    }
    assert!(!drawn.contains("network.width"), "what was set is not varied: {drawn}");
    assert!(ran.err.contains("search: 3 trials to epoch 1, 1 trial to epoch 3"), "{}", ran.err);
    assert!(ran.err.contains("trial 0 to epoch 1: the recipe as it is"), "{}", ran.err);
    assert!(text(here.join("search/plot.svg")).contains("</svg>"));
}

#[test]
fn searches_that_make_no_sense_are_refused() {
    let folder = own();
    let here = folder.path();
    let said = |code: i32, asked: &str, said: &str| {
        let ran = expect(code, here, asked);
        assert!(ran.err.contains(said), "{asked}\n{}", ran.err);
    };
    said(2, "tune mutag-gsn-e", "which the protocol `tud-paper` does not have");
    said(2, "tune zinc-mpnn --target y", "--target: the recipe `zinc-mpnn` trains on ZINC-12k");
    said(
        2,
        "tune m.csv --target size --space space.toml --width 8",
        "network.width is in the space",
    );
    said(2, "tune --resume m", "holds no search");
    said(2, "tune --resume m --trials 3", "--resume cannot be combined with --trials");
    said(2, "tune m.csv --target size --minutes 0", "--minutes 0");
    std::fs::write(here.join("bad.toml"), "'network.widht' = [3]").unwrap();
    said(2, "tune m.csv --target size --space bad.toml", "did you mean `width`?");
    std::fs::write(here.join("bad.toml"), "'network.width' = 3").unwrap();
    said(2, "tune m.csv --target size --space bad.toml", "network.width: write a list of values");
    said(2, "tune m.csv --target size --space m.csv", "m.csv");
    std::fs::create_dir(here.join("full")).unwrap();
    std::fs::write(here.join("full/note"), "").unwrap();
    said(2, "tune m.csv --target size --out full", "is not empty");
}

#[test]
fn own_data_are_swept_over_a_grid() {
    let folder = own();
    let here = folder.path();
    let asked = "sweep m.csv --target size --seed 1 --grid network.width=4,8 \
                 --grid counts.patterns=cycle:5;cycle:5,path:4 --epochs 1 --layers 1 --out grid";
    let ran = expect(0, here, asked);
    assert!(ran.err.contains("cell 4 of 4: counts.patterns=cycle:5,path:4,network.width=8"));
    let table = text(here.join("grid/table.csv"));
    assert_eq!(table.lines().count(), 5, "{table}");
    assert!(table.starts_with("counts.patterns,network.width,validation_mae,"), "{table}");
    assert!(text(here.join("grid/plot.svg")).contains("cycle:5,path:4"));
    let cell = here.join("grid/cells/counts.patterns=cycle:5,network.width=8");
    assert!(text(cell.join("own.json")).contains("\"seed\": 1"));
    assert!(names(&cell).contains(&"model.gsn".to_owned()));
    // Given again, nothing is trained again.
    let again = expect(0, here, asked);
    assert!(again.err.contains("cell 1 of 4: counts.patterns=cycle:5,network.width=4 (finished"));
    assert_eq!(again.out, ran.out);
    // The same from a file.
    let file = "recipe = 'm.csv'\n[reading]\ntargets = ['size']\n[axes]\nw = [4, 8]\n\
                [set]\n'network.width' = '{w}'\n";
    std::fs::write(here.join("s.toml"), file).unwrap();
    let ran = expect(0, here, "sweep s.toml --list --epochs 1");
    assert_eq!(ran.out, "w=4\nw=8\n");
    for (asked, said) in [
        ("sweep m.csv --target size", "say what to vary with --grid"),
        ("sweep zinc-families --only family=star", "there is no value star"),
        ("sweep m.csv --target size --grid network.width", "there is no key"),
        ("sweep m.csv --target size --grid network.width=4 --width 8", "is an axis of the sweep"),
        ("sweep m.csv --target size --grid network.widht=4", "did you mean `width`?"),
        ("sweep mutag-gsn-e --grid network.width=4 --target y", "--target: the recipe"),
    ] {
        let ran = expect(2, here, asked);
        assert!(ran.err.contains(said), "{asked}\n{}", ran.err);
    }
}
