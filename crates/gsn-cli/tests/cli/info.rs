//! `gsn info`: what a file or folder is.

use super::user_data::molecules;
use super::{expect, folder, text};
use serde_json::Value;
use std::path::Path;

/// What is said, one blank between words.
fn said(here: &Path, asked: &str) -> String {
    let out = expect(0, here, asked).out;
    let squeeze = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    out.lines().map(squeeze).collect::<Vec<_>>().join("\n")
}

fn json(here: &Path, asked: &str) -> Value {
    serde_json::from_str(&expect(0, here, &format!("{asked} --json")).out).unwrap()
}

#[track_caller]
fn holds(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(text.lines().any(|there| there.starts_with(line)), "{line}\n{text}");
    }
}

#[test]
fn a_run_its_model_and_its_recipe_say_what_they_are() {
    let folder = folder(&[("m.csv", molecules().as_bytes())]);
    let here = folder.path();
    expect(
        1,
        here,
        "train m.csv --target size --epochs 2 --width 8 --layers 2 --patterns cycle:5 --out run -q",
    );
    let run = said(here, "info run");
    holds(&run, &["run: a run", "state finished", "recipe m", "protocol fixed-split"]);
    holds(&run, &["epochs 2 at most", "unit seed-0: 2 epochs, best validation mae", "test mae"]);
    assert!(run.contains("m.csv") && run.contains("model run/model.gsn"), "{run}");
    let model = said(here, "info run/model.gsn");
    holds(
        &model,
        &["run/model.gsn: a model", "predicts size: 1 number", "counts cycle:5 (vertex, subgraph)"],
    );
    holds(&model, &["reads molecules", "network gsn, 2 layers of width 8", "data m.csv"]);
    holds(&model, &["licence own data: m.csv", "measured test mae"]);
    let model = json(here, "info run/model.gsn");
    assert_eq!((&model["kind"], &model["targets"][0]), (&"model".into(), &"size".into()));
    let results: Value = serde_json::from_str(&text(here.join("run/results.json"))).unwrap();
    assert_eq!(json(here, "info run")["results"]["mean"], results["mean"]);
    let recipe = said(here, "info run/recipe.toml");
    holds(&recipe, &["run/recipe.toml: a recipe", "network gsn, 2 layers of width 8"]);
    holds(
        &said(here, "info mutag-gsn-e"),
        &["mutag-gsn-e: a recipe", "data MUTAG", "published 0.906"],
    );
    // Without its results a run is not finished.
    std::fs::remove_file(here.join("run/results.json")).unwrap();
    let run = said(here, "info run");
    holds(&run, &["state not finished; go on with `gsn train --resume run`"]);
    let ran = expect(2, here, "info run/units/seed-0/last.ckpt");
    assert!(ran.err.contains("look at the folder of its run"), "{}", ran.err);
}

#[test]
fn graphs_and_tables_say_what_they_hold() {
    let edges = b"10 20\n20 30\n30 10\n30 40\n40 40\n";
    let folder = folder(&[
        ("m.csv", molecules().as_bytes()),
        ("net.txt", edges),
        ("two.g6", b"Dhc\nBw\n"),
        ("note.txt", b"dear diary\n"),
        ("bad.gsn", b"not a model"),
    ]);
    let here = folder.path();
    let table = said(here, "info m.csv");
    holds(&table, &["m.csv: graphs", "format csv", "graphs 64", "columns size, ring, kind"]);
    holds(&table, &["labels 4 kinds of atoms", "rejected 1 row; the first: row 64 (line 66)"]);
    let graphs = json(here, "info two.g6");
    assert_eq!(graphs["vertices"], serde_json::json!({ "least": 3, "most": 5, "all": 8 }));
    holds(&said(here, "info two.g6"), &["graphs 2", "vertices 3 to 5, 4.0 on average"]);
    let net = said(here, "info net.txt");
    holds(&net, &["graphs 1", "vertices 4", "edges 4", "left out 1 loops", "names integers"]);
    holds(&said(here, "info net.txt --directed"), &["arcs 4"]);
    expect(0, here, "count two.g6 -p cycle:3..=5 -o c.csv");
    let counts = said(here, "info c.csv");
    holds(&counts, &["c.csv: a table of counts", "patterns cycle:3, cycle:4, cycle:5"]);
    holds(&counts, &["counted vertex, induced", "rows 8 of 2 graphs", "columns 3: cycle:3"]);
    assert_eq!(json(here, "info c.csv.json"), json(here, "info c.csv"));
    for (asked, why) in [
        ("info nothing.csv", "is neither a file or folder nor a recipe"),
        ("info MUTAG", "is a benchmark of the catalogue; see `gsn data path MUTAG`"),
        ("info bad.gsn", "is not a gsn model file"),
        ("info note.txt", "note.txt"),
    ] {
        let ran = expect(2, here, asked);
        assert!(ran.err.contains(why) && ran.out.is_empty(), "{asked}\n{}", ran.err);
    }
}

#[test]
fn sweeps_and_searches_say_how_far_they_are() {
    let good = molecules().replace("C1CC,1.5,1,ring\n", "");
    let sweep = "recipe = 'zinc-mpnn'\n[axes]\nfraction = [0.5, 1.0]\n\
                 [set]\n'data.fraction' = '{fraction}'\n";
    let folder = folder(&[("m.csv", good.as_bytes()), ("s.toml", sweep.as_bytes())]);
    let here = folder.path();
    holds(&said(here, "info s.toml"), &["s.toml: a sweep", "axes fraction", "cells 2"]);
    let asked =
        "tune m.csv --target size --trials 2 --epochs 1 --width 4 --layers 1 --out found -q";
    expect(2, here, &format!("{asked} --minutes 0.00001"));
    let search = said(here, "info found");
    holds(
        &search,
        &["found: a search", "state not finished; go on with `gsn tune --resume found`"],
    );
    holds(&search, &["trials 1 of 2 begun"]);
    expect(0, here, "tune --resume found -q");
    holds(&said(here, "info found"), &["state finished", "trials 2 of 2 begun", "test mae"]);
}
