//! Reports in a real browser: Chromium opens one of every kind, at three sizes.
//!
//! `report.mjs` says what is looked at. Pages and screenshots are left in `target/report`. Chromium
//! comes from the system, the two packages of JavaScript at fixed versions from npm, both only where
//! that is possible without asking anyone.

use crate::command::{cargo, program, run, succeeds};
use crate::stage::LeftOut;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const SOON: Duration = Duration::from_secs(600);
const PACKAGES: [&str; 2] = ["playwright-core@1.65.0", "axe-core@4.14.0"];

pub(crate) fn check() -> Result<Vec<LeftOut>> {
    let Some(chromium) = chromium() else {
        return left_out("Chromium, which cannot be installed");
    };
    let Some(packages) = packages()? else {
        return left_out("Node.js with npm and its packages, which cannot be installed");
    };
    let folder = crate::root().join("target/report");
    write_reports(&folder)?;
    let script = crate::root().join("xtask/src/report.mjs");
    let mut node = program("node");
    run(node.arg(script).arg(&folder).arg(chromium).current_dir(packages))?;
    Ok(vec![])
}

fn left_out(missing: &str) -> Result<Vec<LeftOut>> {
    Ok(vec![LeftOut(format!("reports in a browser: that needs {missing}"))])
}

/// The browser, which is installed if that is possible.
fn chromium() -> Option<PathBuf> {
    let there = || {
        let paths = std::env::var_os("PATH")?;
        let names = ["chromium", "chromium-browser", "google-chrome"];
        let mut all = std::env::split_paths(&paths).flat_map(|path| names.map(|n| path.join(n)));
        all.find(|path| succeeds(Command::new(path).arg("--version"), SOON))
    };
    let mut install = program("apt-get");
    install.args(["install", "--yes", "chromium"]);
    there().or_else(|| if succeeds(&mut install, SOON) { there() } else { None })
}

/// A folder below `target` with the packages; nothing if they cannot be had.
fn packages() -> Result<Option<PathBuf>> {
    let folder = crate::root().join("target/tools/browser");
    let ready = folder.join(PACKAGES.join("+"));
    if ready.exists() {
        return Ok(Some(folder));
    }
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("package.json"), "{\"private\": true}\n")?;
    let mut npm = program("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--ignore-scripts"]).args(PACKAGES);
    if !succeeds(npm.current_dir(&folder), SOON) {
        return Ok(None);
    }
    std::fs::write(ready, "")?;
    Ok(Some(folder))
}

/// One report of every kind.
fn write_reports(folder: &Path) -> Result<()> {
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    std::fs::create_dir_all(folder)?;
    let table = folder.join("molecules.csv");
    std::fs::write(&table, molecules()).with_context(|| table.display().to_string())?;
    run(&mut cargo("build -p gsn-cli --bin gsn"))?;
    let gsn = |arguments: &str| -> Result<()> {
        let mut gsn = Command::new(crate::root().join("target/debug/gsn"));
        gsn.args(arguments.split_whitespace()).current_dir(folder);
        run(gsn.stdout(std::process::Stdio::null()))
    };
    gsn("train molecules.csv --target size --epochs 8 --out numbers -q")?;
    gsn("train molecules.csv --target ring --epochs 8 --folds 3 --out answers -q")?;
    gsn("train mutag-gsn-e --epochs 2 --out classes -q")?;
    gsn("sweep molecules.csv --target size --grid network.width=4,8 --epochs 2 --out grid -q")?;
    gsn("tune molecules.csv --target size --trials 3 --epochs 3 --out search -q")?;
    gsn("suggest molecules.csv --target size --max-size 5 -o suggest.json -q")?;
    gsn("count molecules.csv -p cycle:3..=6 -o counts.parquet -q")?;
    gsn("demo -q")?;
    let kept = crate::root().join("docs/results");
    for (name, what) in [
        ("numbers", "numbers"),
        ("answers", "answers"),
        ("classes", "classes"),
        ("several", "numbers answers classes"),
        ("grid", "grid"),
        ("search", "search"),
        ("suggest", "suggest.json"),
        ("counts", "counts.parquet"),
        ("kept", &kept.display().to_string()),
    ] {
        gsn(&format!("report {what} -o {name}.html -q"))?;
    }
    Ok(())
}

/// Chains and rings with names that a page must not take for markup.
fn molecules() -> String {
    let mut table = String::from("id,smiles,size,ring\n");
    for at in 0..90usize {
        let tail = ["C", "CC", "CCC", "O", "N", "CO", "CN", "OC", "C(=O)O"][at % 9];
        let (core, ring) = [("C1CCCC1", "yes"), ("CCCCC", "no"), ("c1ccccc1", "yes")][at / 9 % 3];
        let size = core.len() + tail.len();
        table += &format!("<b>molecule {at}</b>,{core}{tail},{size}.{},{ring}\n", at % 7);
    }
    table
}
