//! One report of every kind, made by the program itself from what it wrote.

use crate::command::{cargo, run};
use anyhow::{Context, Result};
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// What the program is asked to make, in this order.
const MADE: [&str; 11] = [
    "train molecules.csv --target size --epochs 12 --seeds 3 --out numbers -q",
    "train molecules.csv --target ring --epochs 8 --folds 3 --out answers -q",
    "train mutag-gsn-e --epochs 4 --out classes -q",
    "train sr-gsn-e --out random -q",
    "sweep molecules.csv --target size --grid network.width=4,8 --epochs 2 --out grid -q",
    "tune molecules.csv --target size --trials 3 --epochs 3 --out search -q",
    "suggest molecules.csv --target size --max-size 5 -o suggest.json -q",
    "explain numbers/model.gsn molecules.csv --graphs 6 -o explain.json -q",
    "count molecules.csv -p cycle:3..=6,star:3 -o counts.parquet -q",
    "train hostile.csv --target <img/src=x> --epochs 2 --out hostile -q",
    "demo -q",
];

/// Names of pages, and what they are of.
const PAGES: [(&str, &str); 14] = [
    ("numbers", "numbers"),
    ("answers", "answers"),
    ("classes", "classes"),
    ("random", "random"),
    ("several", "numbers answers classes"),
    ("grid", "grid"),
    ("search", "search"),
    ("suggest", "suggest.json"),
    ("explain", "explain.json"),
    ("separate", "separate.json"),
    ("counts", "counts.parquet"),
    ("stopped", "stopped"),
    ("many", "many"),
    ("hostile", "hostile"),
];

/// Writes the pages into an empty folder.
pub(super) fn write(folder: &Path) -> Result<()> {
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    std::fs::create_dir_all(folder)?;
    let put = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).with_context(|| path.display().to_string())
    };
    put("molecules.csv", &molecules("size", |at| format!("molecule {at}")))?;
    put("hostile.csv", &molecules("<img/src=x>", hostile))?;
    // The program that the tests run, built together with all of them: a choice of targets, another set
    // of features or another profile would be a build of its own.
    run(&mut cargo("test --workspace --no-run"))?;
    let gsn = || {
        let mut gsn = Command::new(crate::root().join("target/debug/gsn"));
        gsn.current_dir(folder);
        gsn
    };
    for command in MADE {
        run(gsn().args(command.split_whitespace()).stdout(Stdio::null()))?;
    }
    let file = std::fs::File::create(folder.join("separate.json"))?;
    let words = "separate sr251256 -p cycle:3..=6 --seeds 2 --json -q";
    run(gsn().args(words.split_whitespace()).stdout(file))?;
    stopped(folder)?;
    many(folder)?;
    for (name, what) in PAGES {
        let page = format!("{name}.html");
        run(gsn().arg("report").args(what.split_whitespace()).args(["-q", "-o", &page]))?;
    }
    kept(folder)?;
    run(gsn().args(["report", "kept", "-q", "-o", "kept.html"]))
}

/// Results of two runs with their commands, as `docs/results` has them.
fn kept(folder: &Path) -> Result<()> {
    let to = folder.join("kept");
    std::fs::create_dir(&to)?;
    for name in ["numbers", "classes"] {
        let results = std::fs::read_to_string(folder.join(name).join("results.json"))?;
        let command = format!("gsn train {name}");
        let text = format!("{{\"command\": {command:?}, \"results\": {results}}}");
        std::fs::write(to.join(name).with_extension("json"), text)?;
    }
    Ok(())
}

/// Chains and rings, called what `name` says.
fn molecules(target: &str, name: impl Fn(usize) -> String) -> String {
    let mut table = format!("id,smiles,{target},ring\n");
    for at in 0..90usize {
        let tail = ["C", "CC", "CCC", "O", "N", "CO", "CN", "OC", "C(=O)O"][at % 9];
        let (core, ring) = [("C1CCCC1", "yes"), ("CCCCC", "no"), ("c1ccccc1", "yes")][at / 9 % 3];
        let size = core.len() + tail.len();
        let name = name(at).replace('"', "\"\"");
        let _ = writeln!(table, "\"{name}\",{core}{tail},{size}.{},{ring}", at % 7);
    }
    table
}

/// Names that a page must not take for markup, turn around or make room for.
fn hostile(at: usize) -> String {
    match at % 5 {
        0 => format!("<script>document.title='{at}'</script>"),
        1 => format!("\"><img src=x onerror=alert({at})>"),
        2 => format!("\u{202e}{at} eman desrever\u{2066}"),
        3 => format!("{at}{}", "W".repeat(3000)),
        _ => format!("{at} {}", "n\u{336}a\u{336}m\u{336}e ".repeat(40)),
    }
}

/// A run that was killed: no results, the last line of its log cut short.
fn stopped(folder: &Path) -> Result<()> {
    let (from, to) = (folder.join("numbers"), folder.join("stopped"));
    std::fs::create_dir(&to)?;
    for name in ["recipe.toml", "versions.json", "own.json", "sessions.jsonl", "split.csv"] {
        if from.join(name).is_file() {
            std::fs::copy(from.join(name), to.join(name))?;
        }
    }
    let log = std::fs::read_to_string(from.join("metrics.jsonl"))?;
    std::fs::write(to.join("metrics.jsonl"), &log[..log.len() * 2 / 3])?;
    Ok(())
}

/// The same run with a hundred thousand predictions.
fn many(folder: &Path) -> Result<()> {
    let (from, to) = (folder.join("numbers"), folder.join("many"));
    std::fs::create_dir(&to)?;
    for name in ["recipe.toml", "versions.json", "own.json", "results.json", "metrics.jsonl"] {
        std::fs::copy(from.join(name), to.join(name))?;
    }
    let table = std::fs::read_to_string(from.join("predictions.csv"))?;
    let head = table.lines().next().context("no predictions")?;
    let mut rows = format!("{head}\n");
    let columns = head.split(',').count();
    for at in 0..100_000u32 {
        let truth = f64::from(at % 997) / 90.0;
        let said = truth + f64::from(at % 13) / 10.0 - 0.6;
        let _ = write!(rows, "ensemble,{at},molecule {at}");
        for place in 3..columns {
            let cell = match columns - place {
                3 => "test".to_owned(),
                2 => truth.to_string(),
                1 => said.to_string(),
                _ => String::new(),
            };
            let _ = write!(rows, ",{cell}");
        }
        rows.push('\n');
    }
    std::fs::write(to.join("predictions.csv"), rows)?;
    Ok(())
}
