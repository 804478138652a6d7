//! `cargo xtask fuzz`: long runs of the fuzzer, and their figures in the docs.

use crate::command::{cargo, program, say};
use anyhow::{Context, Result, bail, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Executions of every reader and cases of every comparison, where nothing else is asked for.
const LONG: [u64; 2] = [10_000_000, 1_000_000];
/// The page with the figures, and what stands around them.
const PAGE: &str = "docs/src/reliability.md";
const MARKS: [&str; 2] = ["<!-- fuzz: begin -->\n", "<!-- fuzz: end -->\n"];

/// Runs some targets, or all of them, or writes the page.
pub(crate) fn fuzz(words: &[&str]) -> Result<()> {
    let mut names: Vec<&str> = Vec::new();
    let [mut runs, mut cases] = LONG;
    let (mut out, mut write) = (crate::root().join("target/fuzz"), false);
    let mut rest = words.iter();
    while let Some(&word) = rest.next() {
        let mut value = || rest.next().copied().with_context(|| format!("{word} needs a value"));
        match word {
            "--runs" => runs = value()?.parse().context("--runs needs a number")?,
            "--cases" => cases = value()?.parse().context("--cases needs a number")?,
            "--out" => out = std::path::absolute(value()?)?,
            "--write" => write = true,
            _ if word.starts_with('-') => bail!("there is no option {word}"),
            name => names.push(name),
        }
    }
    if write {
        return page(&out.join("figures.tsv"));
    }
    std::fs::create_dir_all(&out)?;
    let mut command = cargo("test --workspace --test fuzz --");
    command.args(["long", &runs.to_string(), &cases.to_string()]);
    let status = command.arg(&out).arg(commit()?).args(names).status()?;
    say(&format!("figures: {}", out.join("figures.tsv").display()));
    ensure!(status.success(), "there are failures: {}", out.join("failures").display());
    Ok(())
}

/// The version that is run, with a sign where files were changed since.
fn commit() -> Result<String> {
    let id = text(program("git").args(["rev-parse", "--short=10", "HEAD"]))?;
    let changes = text(program("git").args(["status", "--porcelain", "--untracked-files=no"]))?;
    Ok(format!("{}{}", id.trim(), if changes.is_empty() { "" } else { "+" }))
}

fn text(command: &mut Command) -> Result<String> {
    let output = command.stderr(std::process::Stdio::inherit()).output()?;
    ensure!(output.status.success(), "{} failed", command.get_program().display());
    Ok(String::from_utf8(output.stdout)?)
}

/// Puts the table of a file of figures into the docs.
fn page(figures: &Path) -> Result<()> {
    let table = text(cargo("test --workspace --quiet --test fuzz --").arg("table").arg(figures))?;
    let path: PathBuf = crate::root().join(PAGE);
    let page = std::fs::read_to_string(&path)?;
    Ok(std::fs::write(&path, between_marks(&page, &table)?)?)
}

fn between_marks(page: &str, table: &str) -> Result<String> {
    let [begin, end] = MARKS;
    let (before, rest) = page.split_once(begin).context("the page has no place for figures")?;
    let (_, after) = rest.split_once(end).context("the place for figures has no end")?;
    Ok([before, begin, table, end, after].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_between_the_marks_changes() {
        let [begin, end] = MARKS;
        let page = format!("a\n{begin}old\n{end}z\n");
        let new = between_marks(&page, "new\n").unwrap();
        assert_eq!(new, format!("a\n{begin}new\n{end}z\n"));
        assert_eq!(between_marks(&new, "new\n").unwrap(), new);
        assert!(between_marks("nothing", "new").is_err());
    }
}
