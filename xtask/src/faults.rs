//! `cargo xtask faults`: the long run of kills, full disks and inputs that fail, and its figures in the
//! docs. Each of its tests is run alone and its figures are kept, so that an interrupted run goes on.

use crate::command::{cargo, say};
use crate::page;
use anyhow::{Context, Result, bail, ensure};
use std::path::Path;

/// Faults of every kind for every verb, where nothing else is asked for.
const LONG: u64 = 200;
/// The tests, all in `crates/gsn-cli/tests/cli/crash`.
const TESTS: [&str; 5] = [
    "a_kill_at_any_write_or_rename_leaves_no_trace",
    "a_kill_at_any_moment_leaves_no_trace",
    "a_full_disk_a_device_that_fails_and_a_folder_without_rights_are_errors_that_name_the_file",
    "an_input_that_cannot_be_read_or_vanishes_is_an_error_that_names_it",
    "reads_of_a_single_byte_change_nothing",
];

/// Runs the tests whose figures are not there yet, then writes the page if that is asked for.
pub(crate) fn faults(words: &[&str]) -> Result<()> {
    let (cases, write) = match *words {
        [] => (LONG, false),
        ["--write"] => (LONG, true),
        ["--cases", cases] => (cases.parse().context("--cases needs a number")?, false),
        _ => bail!("faults [--cases N | --write]"),
    };
    let folder = crate::root().join("target/faults");
    std::fs::create_dir_all(&folder)?;
    let mut kept = Vec::new();
    for test in TESTS {
        let file = folder.join(format!("{test}-{cases}.tsv"));
        if !file.is_file() {
            run(test, cases, &file)?;
        }
        kept.push(std::fs::read_to_string(&file)?);
    }
    let table = table(&kept.concat())?;
    say(&table);
    if write { page::put("faults", &table) } else { Ok(()) }
}

/// Runs one test and keeps what it tells: a line with the version for every kind of fault.
fn run(test: &str, cases: u64, file: &Path) -> Result<()> {
    let commit = page::commit()?;
    let mut command = cargo("test --workspace --test cli --");
    command.args([&format!("crash::{test}"), "--exact", "--nocapture"]);
    say(&format!("{test}, {cases} faults a verb"));
    let said = page::output(command.env("GSN_CASES", cases.to_string()))?;
    let lines: String = figures(&said).map(|line| format!("{commit}\t{line}\n")).collect();
    ensure!(!lines.is_empty(), "{test} tells no figures");
    Ok(std::fs::write(file, lines)?)
}

/// The lines in which a test tells how many faults there were: kind, verb and number.
fn figures(said: &str) -> impl Iterator<Item = &str> {
    said.lines().filter_map(|line| line.split_once("faults\t").map(|(_, figures)| figures))
}

/// A row for every kind of fault, a column for every verb.
fn table(lines: &str) -> Result<String> {
    let mut commits: Vec<&str> = Vec::new();
    let mut verbs: Vec<&str> = Vec::new();
    let mut kinds: Vec<(&str, Vec<(&str, u64)>)> = Vec::new();
    for line in lines.lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        let &[commit, kind, verb, number] = &cells[..] else { bail!("not a figure: {line}") };
        let number = number.parse().with_context(|| format!("not a figure: {line}"))?;
        commits.extend((!commits.contains(&commit)).then_some(commit));
        verbs.extend((!verbs.contains(&verb)).then_some(verb));
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, row)) => row.push((verb, number)),
            None => kinds.push((kind, vec![(verb, number)])),
        }
    }
    let total: u64 = kinds.iter().flat_map(|(_, row)| row).map(|(_, number)| number).sum();
    let commits: Vec<String> = commits.iter().map(|commit| format!("`{commit}`")).collect();
    let mut out = format!(
        "{total} faults at {}, by `cargo xtask faults --write`; none broke a promise. Where there are fewer \
         than {LONG}, they are all the calls there are, or the command was over before the kill.\n\n\
         | fault | {} |\n|---|{}\n",
        commits.join(" "),
        verbs.join(" | "),
        "--:|".repeat(verbs.len())
    );
    for (kind, row) in kinds {
        let number = |verb: &&str| row.iter().find(|(of, _)| of == verb).map(|(_, number)| number);
        let cells = verbs.iter().map(|verb| number(verb).map_or(String::new(), u64::to_string));
        out += &format!("| {kind} | {} |\n", cells.collect::<Vec<_>>().join(" | "));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_become_a_table() {
        let said = "test x ... faults\tkill\tcount\t3\nfaults\tkill\ttrain\t5\nother\n";
        assert_eq!(figures(said).collect::<Vec<_>>(), ["kill\tcount\t3", "kill\ttrain\t5"]);
        let lines = "a\tkill\tcount\t3\na\tkill\ttrain\t5\nb\tfull\ttrain\t7\n";
        let table = table(lines).unwrap();
        assert!(table.starts_with("15 faults at `a` `b`"), "{table}");
        assert!(table.ends_with("| kill | 3 | 5 |\n| full |  | 7 |\n"), "{table}");
        assert!(super::table("nonsense\n").is_err());
    }
}
