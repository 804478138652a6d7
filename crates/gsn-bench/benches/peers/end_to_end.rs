//! The binary, from a CSV file of molecules to a Parquet file of counts or of predictions, beside
//! the featuriser of OGB on the same strings.

use crate::arena::Arena;
use anyhow::{Context, Result, ensure};
use gsn_bench::clock::{self, Duel};
use gsn_bench::{data, work_dir, workspace};
use serde_json::json;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const ID: &str = "hiv-end-to-end";
const PREDICT: &str = "hiv-predict";
const TURNS: usize = 3;
/// Molecules that the model of the predictions is trained on, once: how well does not matter here.
const LEARNED: usize = 3000;

/// The row, or why there is none.
pub(crate) fn run(arena: &mut Arena) -> Result<()> {
    if arena.wants(PREDICT) {
        match predict(arena) {
            Ok(duel) => arena.add(
                "HIV.csv (41,127 SMILES) to predictions: `gsn predict`, default network, start to end",
                "ogb smiles2graph on the same strings, features alone",
                Some(8.0),
                &duel,
            ),
            Err(error) => arena.skip(PREDICT, &error),
        }
    }
    if !arena.wants(ID) {
        return Ok(());
    }
    match compare(arena) {
        Ok(duel) => arena.add(
            "HIV.csv (41,127 SMILES) to Parquet, cycle:3..=8, vertex: `gsn count`, start to end",
            "ogb smiles2graph on the same strings, features alone",
            Some(8.0),
            &duel,
        ),
        Err(error) => arena.skip(ID, &error),
    }
    Ok(())
}

/// The file of molecules, unpacked.
fn molecules() -> Result<PathBuf> {
    let input = work_dir().join("inputs/HIV.csv");
    std::fs::create_dir_all(work_dir().join("inputs"))?;
    std::fs::write(&input, data::text("ogbg-molhiv/HIV.csv.gz")?)?;
    Ok(input)
}

/// Predictions for all molecules, with the network that their number asks for.
fn predict(arena: &mut Arena) -> Result<Duel> {
    let input = molecules()?;
    let gsn = build()?;
    let some = work_dir().join("inputs/some.csv");
    let text = std::fs::read_to_string(&input)?;
    let lines: Vec<&str> = text.lines().take(1 + LEARNED).collect();
    std::fs::write(&some, lines.join("\n") + "\n")?;
    let run = work_dir().join("hiv-model");
    if run.exists() {
        std::fs::remove_dir_all(&run)?;
    }
    let status = Command::new(&gsn)
        .args(["train"])
        .arg(&some)
        .args(["--target", "HIV_active", "--set", "training.epochs=1", "-q", "--out"])
        .arg(&run)
        .stdout(Stdio::null())
        .status()?;
    ensure!(matches!(status.code(), Some(0 | 1)), "gsn train ended with {status}");
    let output = work_dir().join("hiv-predictions.parquet");
    let rows = text.lines().count() - 1;
    let ours = || -> Result<()> {
        let summary = Command::new(&gsn)
            .arg("predict")
            .arg(run.join("model.gsn"))
            .arg(&input)
            .arg("-o")
            .arg(&output)
            .args(["--threads", "1", "--json", "-q"])
            .output()?;
        let summary: serde_json::Value = serde_json::from_slice(&summary.stdout)?;
        let (all, failed) = (summary["rows"].as_u64(), summary["failed"].as_u64());
        ensure!(all == Some(rows as u64), "{summary}");
        ensure!(failed.is_some_and(|n| n < rows as u64 / 100), "{summary}");
        Ok(())
    };
    let peer = arena.pypi()?;
    let mut duel = Duel::default();
    for _ in 0..TURNS {
        let before = clock::children_cpu().context("no CPU time of children here")?;
        ours()?;
        let after = clock::children_cpu().context("no CPU time of children here")?;
        duel.ours.push(after - before);
        let answer = peer.ask(&json!({"command": "molecules", "input": input, "check": false}))?;
        duel.theirs.push(answer["seconds"].as_f64().context("no time")?);
    }
    Ok(duel)
}

fn compare(arena: &mut Arena) -> Result<Duel> {
    let input = molecules()?;
    let gsn = build()?;
    let peer = arena.pypi()?;
    let found = peer.ask(&json!({"command": "molecules", "input": input, "check": true}))?;

    // The same counts as text, where totals can be read off: rows are vertices.
    let table = work_dir().join("hiv.csv");
    count(&gsn, &input, &table, &["--matching", "subgraph"])?;
    // Molecules that the peer refuses are left out of the comparison, not of the clock.
    let refused: HashSet<u64> = serde_json::from_value(found["refused"].clone())?;
    let (vertices, cycles) = totals(&table, &refused)?;
    let theirs: Vec<u64> = serde_json::from_value(found["cycles"].clone())?;
    let all = found["vertices"].as_u64().context("no vertices")?;
    ensure!(vertices == all, "{vertices} vertices here, {all} there");
    ensure!(cycles == theirs, "cycles {cycles:?} here, {theirs:?} there");
    println!("{ID}: totals agree; {} molecules are refused there", refused.len());

    let mut duel = Duel::default();
    for _ in 0..TURNS {
        let before = clock::children_cpu().context("no CPU time of children here")?;
        count(&gsn, &input, &work_dir().join("hiv.parquet"), &[])?;
        let after = clock::children_cpu().context("no CPU time of children here")?;
        duel.ours.push(after - before);
        let answer = peer.ask(&json!({"command": "molecules", "input": input, "check": false}))?;
        duel.theirs.push(answer["seconds"].as_f64().context("no time")?);
    }
    Ok(duel)
}

/// The release binary, built when needed.
fn build() -> Result<PathBuf> {
    let target = work_dir().parent().context("no target directory")?.to_owned();
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["build", "--release", "-q", "-p", "gsn-cli", "--target-dir"])
        .arg(&target)
        .current_dir(workspace())
        .status()?;
    ensure!(status.success(), "the binary does not build");
    Ok(target.join("release/gsn"))
}

fn count(gsn: &Path, input: &Path, output: &Path, more: &[&str]) -> Result<()> {
    let status = Command::new(gsn)
        .arg("count")
        .arg(input)
        .arg("-o")
        .arg(output)
        .args(["--patterns", "cycle:3..=8", "--threads", "1"])
        .args(more)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    // 1: finished, with rejected rows.
    ensure!(matches!(status.code(), Some(0 | 1)), "gsn count ended with {status}");
    Ok(())
}

/// Rows of a table of vertex counts, and the cycles of every size; without the refused molecules.
fn totals(table: &Path, refused: &HashSet<u64>) -> Result<(u64, Vec<u64>)> {
    let text = std::fs::read_to_string(table)?;
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().context("an empty table")?.split(',').collect();
    let column = |name: &str| {
        let at = head.iter().position(|column| *column == name);
        at.with_context(|| format!("no column {name}"))
    };
    let graph = column("graph")?;
    let columns: Vec<usize> =
        (3..=8).map(|k| column(&format!("cycle:{k}/v0"))).collect::<Result<_>>()?;
    let mut sums = vec![0u64; columns.len()];
    let mut rows = 0;
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let number =
            |at: usize| Ok::<u64, anyhow::Error>(cells.get(at).context("a short row")?.parse()?);
        if refused.contains(&number(graph)?) {
            continue;
        }
        for (sum, &at) in sums.iter_mut().zip(&columns) {
            *sum += number(at)?;
        }
        rows += 1;
    }
    // A cycle is counted once at each of its vertices.
    Ok((rows, sums.iter().zip(3..).map(|(sum, k)| sum / k).collect()))
}
