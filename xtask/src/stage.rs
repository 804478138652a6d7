//! The stages of `cargo xtask test`, in one list. Cheap checks come first and tests last, so that
//! the end of the output is the test runner's own summary.

use crate::command::{cargo, run as must, say, tests};
use crate::{dependencies, links, memory, pages, python, report, tools};
use anyhow::{Context, Result, bail};
use std::fmt;
use std::time::Instant;

/// One kind of check.
pub(crate) struct Stage {
    name: &'static str,
    about: &'static str,
    check: fn() -> Result<Vec<LeftOut>>,
}

/// What a stage could not check on this machine, and why.
pub(crate) struct LeftOut(pub(crate) String);

/// Everything that is checked. A new kind of check is one more entry; keep the tests last.
pub(crate) const STAGES: [Stage; 11] = [
    Stage { name: "formatting", about: "rustfmt", check: formatting },
    Stage { name: "lints", about: "clippy, warnings are errors", check: lints },
    Stage { name: "documentation", about: "rustdoc, warnings are errors", check: documentation },
    Stage {
        name: "features",
        about: "every crate alone, with its default features and without",
        check: features,
    },
    Stage {
        name: "dependencies",
        about: "none unused; licences, sources, bans and advisories by cargo-deny",
        check: dependencies::check,
    },
    Stage {
        name: "book",
        about: "every link leads somewhere; mdBook builds without warnings",
        check: book,
    },
    Stage {
        name: "figures",
        about: "measured tables that are older than their code are called stale",
        check: figures,
    },
    Stage {
        name: "memory",
        about: "modules with `unsafe` under valgrind, and under Miri where it is installed",
        check: memory::check,
    },
    Stage {
        name: "python",
        about: "the Python package: wheel, types, style, tests with torch and PyG",
        check: python::check,
    },
    Stage {
        name: "report",
        about: "reports of every kind in a real browser, at three sizes",
        check: report::check,
    },
    Stage { name: "tests", about: "every test and every example in the docs", check: all_tests },
];

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:14} {}", self.name, self.about)
    }
}

/// Runs the stages of these names, or all of them, and stops at the first that fails.
pub(crate) fn run(names: &[&str]) -> Result<()> {
    if let Some(name) = names.iter().find(|name| STAGES.iter().all(|s| s.name != **name)) {
        bail!("there is no stage `{name}`; `cargo xtask list` shows them");
    }
    let chosen = |stage: &&Stage| names.is_empty() || names.contains(&stage.name);
    let stages: Vec<&Stage> = STAGES.iter().filter(chosen).collect();
    if stages.iter().any(|stage| stage.name == "python") {
        python::begin();
    }
    let mut report = Vec::new();
    for (index, stage) in stages.iter().enumerate() {
        if index + 1 == stages.len() {
            report.iter().for_each(|line: &String| say(line));
        }
        say(&format!("[{}/{}] {stage}", index + 1, stages.len()));
        let start = Instant::now();
        let left_out = (stage.check)().with_context(|| format!("stage `{}`", stage.name))?;
        report.push(format!("{:14} passed, {} s", stage.name, start.elapsed().as_secs()));
        report.extend(left_out.into_iter().map(|LeftOut(why)| format!("  not checked: {why}")));
    }
    Ok(())
}

fn formatting() -> Result<Vec<LeftOut>> {
    must(crate::command::program("cargo").args(["fmt", "--all", "--check"])).map(|()| vec![])
}

fn lints() -> Result<Vec<LeftOut>> {
    must(&mut cargo("clippy --workspace --all-targets -- -D warnings")).map(|()| vec![])
}

fn documentation() -> Result<Vec<LeftOut>> {
    let mut doc = cargo("doc --workspace --no-deps");
    must(doc.env("RUSTDOCFLAGS", "-D warnings")).map(|()| vec![])
}

fn features() -> Result<Vec<LeftOut>> {
    for package in dependencies::packages()?.iter().filter(|package| package.published) {
        for smallest in ["", "--no-default-features"] {
            must(&mut cargo(&format!("check -p {} {smallest}", package.name)))?;
        }
    }
    Ok(vec![])
}

fn book() -> Result<Vec<LeftOut>> {
    let broken = links::broken(&crate::root())?;
    if !broken.is_empty() {
        bail!("{}", broken.join("\n"));
    }
    let ran = tools::MDBOOK.command()?.args(["build", "docs"]).output().context("mdbook")?;
    let said =
        String::from_utf8_lossy(&ran.stderr).into_owned() + &String::from_utf8_lossy(&ran.stdout);
    said.lines().for_each(say);
    match ran.status.success() && !said.contains("WARN") {
        true => Ok(vec![]),
        false => bail!("mdbook did not build the book without warnings"),
    }
}

fn figures() -> Result<Vec<LeftOut>> {
    match pages::behind()? {
        None => Ok(vec![LeftOut("ages of measured tables: the history is not here".into())]),
        Some(behind) if behind.is_empty() => Ok(vec![]),
        Some(behind) => bail!(
            "{}: a table is older than the code it measured and does not say so, or is not and does; \
             `cargo xtask benches` measures it, `cargo xtask pages` marks it",
            behind.join(", ")
        ),
    }
}

/// A test is ignored only where its data is missing: with data, all must run.
fn all_tests() -> Result<Vec<LeftOut>> {
    let tally = tests(&mut cargo("test --workspace --no-fail-fast"))?;
    let data = std::env::var_os("GSN_DATA").filter(|value| !value.is_empty());
    match data {
        Some(data) if tally.ignored > 0 => {
            bail!("{} tests were ignored although GSN_DATA names {}", tally.ignored, data.display())
        }
        _ => Ok(vec![]),
    }
}
