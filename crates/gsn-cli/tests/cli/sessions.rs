//! The sessions in README.md and docs/ are run, so what they show is what happens.
//!
//! A block that starts with three backticks and `console` holds commands after `$ ` and what they
//! print. `[..]` stands for any part of a line, a line `...` for any lines, `? 1` for the exit
//! code (0 if there is none). The blocks of a file share a folder and run in order.

use super::{finish, folder};
use std::path::{Path, PathBuf};
use std::process::Command;

struct Step {
    line: usize,
    command: String,
    expected: Vec<String>,
    code: i32,
}

fn steps(markdown: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut inside = false;
    for (at, line) in markdown.lines().enumerate() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if !inside {
        } else if let Some(command) = line.strip_prefix("$ ") {
            let (command, expected) = (command.to_owned(), Vec::new());
            steps.push(Step { line: at + 1, command, expected, code: 0 });
        } else if let Some(step) = steps.last_mut() {
            match line.strip_prefix("? ") {
                Some(code) => step.code = code.parse().expect("an exit code"),
                None => step.expected.push(line.to_owned()),
            }
        }
    }
    steps
}

/// Whether a line is what was expected, `[..]` standing for anything.
fn fits(expected: &str, line: &str) -> bool {
    match expected.split_once("[..]") {
        None => expected == line,
        Some((start, rest)) => {
            let Some(mut tail) = line.strip_prefix(start) else { return false };
            loop {
                if fits(rest, tail) {
                    return true;
                }
                let mut letters = tail.chars();
                if letters.next().is_none() {
                    return false;
                }
                tail = letters.as_str();
            }
        }
    }
}

fn all_fit(expected: &[String], lines: &[&str]) -> bool {
    match (expected.split_first(), lines.split_first()) {
        (None, None) => true,
        (Some((dots, rest)), _) if dots == "..." => {
            (0..=lines.len()).any(|skipped| all_fit(rest, &lines[skipped..]))
        }
        (Some((first, rest)), Some((line, lines))) => fits(first, line) && all_fit(rest, lines),
        _ => false,
    }
}

/// Runs the sessions of a file; how many commands there were.
fn check(path: &Path) -> usize {
    let markdown =
        std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let folder = folder(&[]);
    let program = Path::new(env!("CARGO_BIN_EXE_gsn")).parent().unwrap();
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let paths =
        std::env::join_paths([program.to_owned()].into_iter().chain(std::env::split_paths(&paths)))
            .unwrap();
    let steps = steps(&markdown);
    for step in &steps {
        let mut shell = Command::new("sh");
        shell
            .args(["-c", &format!("{{ {}\n}} 2>&1", step.command)])
            .current_dir(folder.path())
            .env("PATH", &paths)
            .env("NO_COLOR", "1");
        let output = finish(shell);
        let printed = String::from_utf8_lossy(&output.stdout);
        let lines: Vec<&str> = printed.lines().map(str::trim_end).collect();
        let place = format!("{}:{}: $ {}", path.display(), step.line, step.command);
        assert!(all_fit(&step.expected, &lines), "{place}\nprints\n{printed}");
        assert_eq!(output.status.code(), Some(step.code), "{place}\n{printed}");
    }
    steps.len()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[cfg(unix)]
#[test]
fn the_tour_of_the_readme_is_true() {
    assert!(check(&root().join("README.md")) >= 5);
}

#[cfg(unix)]
#[test]
fn the_sessions_of_the_documentation_are_true() {
    let mut commands = 0;
    for entry in std::fs::read_dir(root().join("docs/src")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "md") {
            commands += check(&path);
        }
    }
    assert!(commands >= 5);
}

#[test]
fn every_page_is_in_the_summary_and_every_link_of_the_readme_leads_somewhere() {
    let summary = super::text(root().join("docs/src/SUMMARY.md"));
    for name in super::names(&root().join("docs/src")) {
        assert!(
            name == "SUMMARY.md" || summary.contains(&name) || !name.ends_with(".md"),
            "{name}"
        );
    }
    let readme = super::text(root().join("README.md"));
    for link in readme.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
        let there = link.contains("://") || link.starts_with('#') || root().join(link).exists();
        assert!(there, "{link}");
    }
}

#[test]
fn wildcards_stand_for_what_they_should() {
    assert!(fits("a[..]c", "abbbc") && fits("[..]", "") && fits("x [..] y [..]", "x 1 y 2 y"));
    assert!(!fits("a[..]c", "abbb") && !fits("a", "ab"));
    let lines = |text: &str| text.split('|').map(str::to_owned).collect::<Vec<_>>();
    assert!(all_fit(&lines("a|...|z"), &["a", "b", "c", "z"]));
    assert!(all_fit(&lines("a|..."), &["a"]));
    assert!(!all_fit(&lines("a|z"), &["a", "b", "z"]));
}
