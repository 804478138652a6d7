//! `gsn report`: everything that the program writes can be looked at.

use super::{expect, folder, text};
use std::path::Path;

/// A table of chains and rings with a number and a class to predict.
fn molecules() -> String {
    let mut table = String::from("id,smiles,size,ring\n");
    for i in 0..40usize {
        let tail = ["C", "CC", "CCC", "O", "N", "CO", "CN", "OC"][i % 8];
        let (core, ring) = [("C1CCCC1", "yes"), ("CCCCC", "no")][i / 8 % 2];
        table += &format!("m<{i}>,{core}{tail},{}.{i},{ring}\n", core.len());
    }
    table
}

fn made() -> tempfile::TempDir {
    folder(&[("m.csv", molecules().as_bytes())])
}

#[track_caller]
fn shows(here: &Path, file: &str, parts: &[&str]) {
    let page = text(here.join(file));
    for part in parts {
        assert!(page.contains(part), "{file} lacks {part}");
    }
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    assert!(!page.contains("src=") && !page.contains("NaN"), "{file}");
    assert!(page.len() < 3_000_000, "{}", page.len());
}

#[test]
fn training_ends_with_a_report_of_numbers_or_answers() {
    let folder = made();
    let here = folder.path();
    let ran = expect(0, here, "train m.csv --target size --epochs 3 --seeds 2 --out numbers -q");
    assert!(ran.out.ends_with("run: numbers\nreport: numbers/report.html\n"), "{}", ran.out);
    shows(
        here,
        "numbers/report.html",
        &[
            "mean of 2 networks",
            "prediction against target",
            "m&lt;",
            "test rows, the worst first, by error",
            "What moved them",
            "Effects of patterns",
            "without a network",
            "Loss by epoch",
            "linear model",
            "gsn train numbers/recipe.toml",
            "sha256",
        ],
    );
    expect(0, here, "train m.csv --target ring --epochs 3 --folds 3 --out answers -q");
    let parts = ["ROC curve", "Calibration", "Precision and recall", "what was said of what"];
    shows(here, "answers/report.html", &parts);
    let ran = expect(0, here, "report numbers answers -o both.html");
    assert_eq!(ran.err, "wrote both.html\n");
    shows(here, "both.html", &["2 runs side by side", "Where the recipes differ", "answers: "]);
    let ran = expect(2, here, "report m.csv");
    assert!(ran.err.contains("m.csv: is nothing that has a report"), "{}", ran.err);
    assert!(!here.join("report.html").exists());
}

#[test]
fn other_results_have_reports_too() {
    let folder = made();
    let here = folder.path();
    let grid = "--grid network.width=4,8 --epochs 2";
    expect(0, here, &format!("sweep m.csv --target size {grid} --out grid -q"));
    expect(0, here, "report grid -o grid.html -q");
    shows(here, "grid.html", &["Sweep grid", "2 cells are finished", "network.width=4"]);
    expect(0, here, "tune m.csv --target size --trials 2 --epochs 2 --out found -q");
    expect(0, here, "report found -o found.html -q");
    shows(here, "found.html", &["Search found", "The winner", "Trials, the best first"]);
    expect(0, here, "suggest m.csv --target size --max-size 5 -o s.json -q");
    expect(0, here, "report s.json -o suggested.html -q");
    shows(here, "suggested.html", &["Patterns for m.csv", "All candidates"]);
    expect(0, here, "count m.csv -p cycle:3..=5 -o c.parquet -q");
    expect(0, here, "report c.parquet -o counts.html -q");
    shows(here, "counts.html", &["Counts in c.parquet", "cycle:5/v0", "rows above 0"]);
    expect(0, here, "train m.csv --target size --epochs 1 --out run -q");
    expect(0, here, "explain run/model.gsn m.csv --graphs 3 -o why.json -q");
    expect(0, here, "report why.json -o why.html -q");
    shows(here, "why.html", &["What moved predictions", "3 of ", "Effects of patterns", "Row 2 "]);
    let found = expect(0, here, "separate sr251256 -p cycle:3..=4 --seeds 1 --json -q").out;
    std::fs::write(here.join("pairs.json"), found).unwrap();
    expect(0, here, "report pairs.json s.json -o pairs.html -q");
    shows(here, "pairs.html", &["Telling the graphs of sr251256 apart", "3-fwl", "105 pairs"]);
    let results = std::fs::read_to_string(here.join("run/results.json")).unwrap();
    let kept = format!("{{\"command\": \"gsn train m.csv\", \"results\": {results}}}");
    std::fs::create_dir(here.join("kept")).unwrap();
    std::fs::write(here.join("kept/one.json"), kept).unwrap();
    expect(0, here, "report kept -o kept.html -q");
    shows(here, "kept.html", &["Results kept in kept", "gsn train m.csv"]);
}
