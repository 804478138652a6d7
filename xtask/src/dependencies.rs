//! What the crates depend on: nothing they do not use, and nothing `deny.toml` does not allow.

use crate::command::{cargo, run, say, succeeds};
use crate::stage::LeftOut;
use crate::tools::CARGO_DENY;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long the database of advisories may take to come.
const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) fn check() -> Result<Vec<LeftOut>> {
    let unused = unused(&packages()?);
    if !unused.is_empty() {
        bail!("{}", unused.join("\n"));
    }
    run(CARGO_DENY.command()?.args(["--locked", "check", "licenses", "bans", "sources"]))?;
    if !succeeds(CARGO_DENY.command()?.args(["fetch", "db"]), PATIENCE) {
        say("the database of advisories cannot be reached");
        return Ok(vec![LeftOut("advisories, whose database cannot be reached".into())]);
    }
    run(CARGO_DENY.command()?.args(["--locked", "check", "advisories"])).map(|()| vec![])
}

/// A crate of the workspace.
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) published: bool,
    folder: PathBuf,
    /// Names as the sources spell them, and whether they are for tests and build scripts only.
    dependencies: Vec<(String, bool)>,
}

impl Package {
    /// The contents of all Rust files below a folder or of one file of the package.
    pub(crate) fn sources(&self, below: &str) -> Vec<String> {
        let mut texts = Vec::new();
        collect(&self.folder.join(below), &mut texts);
        texts
    }
}

fn collect(path: &Path, texts: &mut Vec<String>) {
    if path.extension().is_some_and(|ending| ending == "rs") {
        texts.extend(std::fs::read_to_string(path));
    }
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        collect(&entry.path(), texts);
    }
}

/// The crates of the workspace, as cargo tells.
pub(crate) fn packages() -> Result<Vec<Package>> {
    let output = cargo("metadata --no-deps --format-version 1").output()?;
    if !output.status.success() {
        bail!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    }
    let told: Value = serde_json::from_slice(&output.stdout)?;
    let all = told["packages"].as_array().context("cargo metadata tells no packages")?;
    all.iter().map(package).collect()
}

fn package(told: &Value) -> Result<Package> {
    let text = |value: &Value| value.as_str().map(str::to_owned).context("cargo metadata");
    let dependency = |told: &Value| {
        let name = text(&told["rename"]).or_else(|_| text(&told["name"]))?;
        Ok((name.replace('-', "_"), !told["kind"].is_null()))
    };
    let dependencies = told["dependencies"].as_array().into_iter().flatten().map(dependency);
    Ok(Package {
        name: text(&told["name"])?,
        published: !told["publish"].as_array().is_some_and(Vec::is_empty),
        folder: Path::new(&text(&told["manifest_path"])?).parent().context("no folder")?.into(),
        dependencies: dependencies.collect::<Result<_>>()?,
    })
}

/// Dependencies whose names no source mentions.
fn unused(packages: &[Package]) -> Vec<String> {
    let mut unused = Vec::new();
    for package in packages {
        let source = package.sources("src").join("\n");
        let other = ["tests", "benches", "examples", "build.rs"];
        let other = other.map(|folder| package.sources(folder).join("\n")).join("\n");
        for (name, aside) in &package.dependencies {
            if !(mentions(&source, name) || *aside && mentions(&other, name)) {
                unused.push(format!("{} does not use its dependency {name}", package.name));
            }
        }
    }
    unused
}

/// Whether a word stands in a text.
fn mentions(text: &str, word: &str) -> bool {
    let joins = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(joins) && !text[at + word.len()..].starts_with(joins))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_whole() {
        assert!(mentions("use csv::Reader;", "csv") && mentions("csv", "csv"));
        assert!(!mentions("use csv_core::Reader; let xcsv;", "csv"));
    }

    #[test]
    fn a_crate_that_is_not_mentioned_is_found() {
        let mut all = packages().unwrap();
        assert_eq!(unused(&all), Vec::<String>::new());
        all[0].dependencies.push(("no_such_crate".into(), false));
        assert_eq!(unused(&all).len(), 1);
    }
}
