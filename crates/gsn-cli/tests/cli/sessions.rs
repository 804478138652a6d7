//! The sessions in README.md and docs/ are run, so what they show is what happens.
//!
//! A block that starts with three backticks and `console` holds commands after `$ ` and what they
//! print. `[..]` stands for any part of a line, a line `...` for any lines, `? 1` for the exit
//! code (0 if there is none). A `toml` block that starts with `# NAME.toml` becomes that file. The
//! blocks of a page share a folder and run in order. A picture on
//! the page that a session writes under the same name must be the one that lies in `docs/src`;
//! `GSN_WRITE_PICTURES=1` puts it there.

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
    let mut lines = markdown.lines().enumerate();
    while let Some((_, fence)) = lines.next() {
        let Some(language) = fence.strip_prefix("```") else { continue };
        let block: Vec<(usize, &str)> =
            lines.by_ref().take_while(|(_, line)| !line.starts_with("```")).collect();
        let step = |at, command| Step { line: at + 1, command, expected: vec![], code: 0 };
        match (language, block.first()) {
            ("toml", Some(&(at, first))) if first.ends_with(".toml") => {
                let text: String = block.iter().map(|(_, line)| format!("{line}\n")).collect();
                let name = first.trim_start_matches("# ");
                steps.push(step(at, format!("cat > {name} <<'END'\n{text}END")));
            }
            ("console", _) => {
                for (at, line) in block {
                    match (line.strip_prefix("$ "), steps.last_mut()) {
                        (Some(command), _) => steps.push(step(at, command.to_owned())),
                        (None, Some(last)) => match line.strip_prefix("? ") {
                            Some(code) => last.code = code.parse().expect("an exit code"),
                            None => last.expected.push(line.to_owned()),
                        },
                        (None, None) => panic!("line {}: no command", at + 1),
                    }
                }
            }
            _ => {}
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
    pictures(path, &markdown, folder.path());
    steps.len()
}

/// Compares the pictures of a page with those that its sessions wrote.
fn pictures(page: &Path, markdown: &str, folder: &Path) {
    for link in markdown.split("![").skip(1).filter_map(|rest| rest.split(['(', ')']).nth(1)) {
        let shown = page.parent().unwrap().join(link);
        let written = folder.join(shown.file_name().unwrap());
        let Ok(picture) = std::fs::read(&written) else { continue };
        if std::env::var_os("GSN_WRITE_PICTURES").is_some() {
            std::fs::write(&shown, &picture).unwrap();
        }
        let there = std::fs::read(&shown).unwrap_or_default();
        assert!(there == picture, "{}: {link} is not what the session draws", page.display());
    }
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

/// Blocks in languages that nothing runs, each with the reason.
const NOT_RUN: [(&str, &str, &str); 10] = [
    (
        "README.md",
        "cargo run --release -- demo",
        "the demo has tests of its own; the other is what runs this",
    ),
    ("CONTRIBUTING.md", "cargo run --release -- demo", "as above"),
    ("ARCHITECTURE.md", "", "drawings"),
    ("docs/src/mathematics.md", "", "formulas"),
    ("docs/src/cli.md", "gsn ", "how a command is called, in general"),
    (
        "docs/src/data.md",
        "error: dataset",
        "what a damaged file leads to; catalogue tests damage one",
    ),
    (
        "docs/src/data.md",
        "zinc = {part",
        "needs PyG to download its sets; tests of `gsn.datasets` use small ones",
    ),
    ("docs/src/python.md", "pip install", "installs from the package index"),
    (
        "docs/src/scale.md",
        "import gsn.spark",
        "needs clusters; crates/gsn-py/tests/scale runs the same calls",
    ),
    ("docs/src/scale.md", "# gsn convert", "as above"),
];

/// Commands that `examples.rs` runs stand on these pages.
const EXAMPLES: [&str; 2] = ["docs/src/cli.md", "docs/src/reproducing.md"];

/// Python is run by `crates/gsn-py/tests`, from these pages.
const PYTHON: [&str; 3] = ["README.md", "docs/src/python.md", "docs/src/pyg.md"];

#[test]
fn every_block_of_every_page_is_run_or_there_is_a_reason() {
    let book =
        super::names(&root().join("docs/src")).into_iter().map(|name| format!("docs/src/{name}"));
    let pages = ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"].map(str::to_owned).into_iter();
    let mut met = [false; NOT_RUN.len()];
    for page in pages.chain(book).filter(|name| name.ends_with(".md")) {
        let text = super::text(root().join(&page));
        let mut lines = text.lines().enumerate();
        while let Some((at, line)) = lines.next() {
            let Some(language) = line.trim_start().strip_prefix("```") else { continue };
            let block: Vec<&str> = lines
                .by_ref()
                .map(|(_, line)| line)
                .take_while(|line| !line.trim_start().starts_with("```"))
                .collect();
            let first = block.first().copied().unwrap_or_default();
            let reason = NOT_RUN
                .iter()
                .position(|(name, start, _)| page == *name && first.starts_with(start));
            let run = match language {
                "console" | "rust" => true,
                "toml" => first.ends_with(".toml"),
                "sh" if EXAMPLES.contains(&page.as_str()) => true,
                "python" if PYTHON.contains(&page.as_str()) => true,
                _ => false,
            };
            assert!(
                run || reason.is_some(),
                "{page}:{}: nothing runs this block of `{language}`",
                at + 1
            );
            if let (false, Some(reason)) = (run, reason) {
                met[reason] = true;
            }
        }
    }
    for ((page, start, _), met) in NOT_RUN.iter().zip(met) {
        assert!(met, "{page} has no block `{start}` any more");
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
