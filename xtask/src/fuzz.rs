//! `cargo xtask fuzz`: long runs of the fuzzer, and their figures in the docs.
//!
//! Figures are a line for every chunk below `target`; writing the page also keeps their sums in the
//! repository, from which a run in another checkout goes on.

use crate::command::{cargo, say};
use crate::page;
use anyhow::{Context, Result, bail, ensure};

/// Executions of every reader and cases of the comparison with the truth, where nothing else is asked for.
const LONG: [u64; 2] = [10_000_000, 1_000_000];

/// The sums of what has been run.
const KEPT: &str = "fuzz/figures.tsv";

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
    std::fs::create_dir_all(&out)?;
    let (figures, kept) = (out.join("figures.tsv"), crate::root().join(KEPT));
    if !figures.exists() && kept.exists() {
        std::fs::copy(&kept, &figures)?;
    }
    if write {
        let mut table = cargo("test --workspace --quiet --test fuzz -- table");
        page::put("fuzz", &page::output(table.arg(&figures))?)?;
        return Ok(std::fs::write(kept, sums(&std::fs::read_to_string(figures)?)?)?);
    }
    let mut command = cargo("test --workspace --test fuzz --");
    command.args(["long", &runs.to_string(), &cases.to_string()]);
    let status = command.arg(&out).arg(page::commit()?).args(names).status()?;
    say(&format!("figures: {}", figures.display()));
    ensure!(status.success(), "there are failures: {}", out.join("failures").display());
    Ok(())
}

/// One line instead of all that a target has at a commit, in the order of the first ones: the last
/// chunk, the sums of executions, failures and time, and the slowest.
fn sums(lines: &str) -> Result<String> {
    let mut all: Vec<([&str; 2], [u64; 5])> = Vec::new();
    for line in lines.lines() {
        let mut cells = line.split('\t');
        let mut cell = || cells.next().with_context(|| format!("not a line of figures: {line}"));
        let who = [cell()?, cell()?];
        let mut numbers = [0; 5];
        for number in &mut numbers {
            *number = cell()?.parse().with_context(|| format!("not a line of figures: {line}"))?;
        }
        let [chunk, executions, failures, time, slowest] = numbers;
        match all.iter_mut().find(|(known, _)| *known == who) {
            None => all.push((who, numbers)),
            Some((_, sum)) => {
                sum[0] = sum[0].max(chunk);
                sum[1] += executions;
                sum[2] += failures;
                sum[3] += time;
                sum[4] = sum[4].max(slowest);
            }
        }
    }
    let line = |([commit, target], numbers): ([&str; 2], [u64; 5])| {
        let numbers = numbers.map(|number| number.to_string());
        format!("{commit}\t{target}\t{}\n", numbers.join("\t"))
    };
    Ok(all.into_iter().map(line).collect())
}

#[cfg(test)]
mod tests {
    use super::sums;

    #[test]
    fn lines_of_a_target_at_a_commit_become_one() {
        let lines = "a\tx\t0\t20\t0\t7\t5\na\ty\t0\t9\t0\t1\t1\na\tx\t1\t30\t1\t8\t2\nb\tx\t2\t1\t0\t1\t1\n";
        let kept = "a\tx\t1\t50\t1\t15\t5\na\ty\t0\t9\t0\t1\t1\nb\tx\t2\t1\t0\t1\t1\n";
        assert_eq!(sums(lines).unwrap(), kept);
        assert_eq!(sums(kept).unwrap(), kept);
        assert!(sums("nonsense\n").is_err());
    }
}
