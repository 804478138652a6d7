//! `cargo xtask fuzz`: long runs of the fuzzer, and their figures in the docs.

use crate::command::{cargo, say};
use crate::page;
use anyhow::{Context, Result, bail, ensure};

/// Executions of every reader and cases of the comparison with the truth, where nothing else is asked for.
const LONG: [u64; 2] = [10_000_000, 1_000_000];

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
        let mut table = cargo("test --workspace --quiet --test fuzz -- table");
        return page::put("fuzz", &page::output(table.arg(out.join("figures.tsv")))?);
    }
    std::fs::create_dir_all(&out)?;
    let mut command = cargo("test --workspace --test fuzz --");
    command.args(["long", &runs.to_string(), &cases.to_string()]);
    let status = command.arg(&out).arg(page::commit()?).args(names).status()?;
    say(&format!("figures: {}", out.join("figures.tsv").display()));
    ensure!(status.success(), "there are failures: {}", out.join("failures").display());
    Ok(())
}
