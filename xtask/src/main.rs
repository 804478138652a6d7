//! Chores of the workspace: `cargo xtask test` runs every check and every test there is.

mod command;
mod dependencies;
mod fuzz;
mod links;
mod memory;
mod python;
mod report;
mod reproducible;
mod results;
mod sbom;
mod stage;
mod tools;

use anyhow::{Result, bail};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "\
Usage: cargo xtask <CHORE>

Chores:
  test [STAGE...]
          every check and every test there is: what continuous integration runs;
          with names, only those stages
  results [RUN COMMAND]
          writes docs/src/results.md; with a run, keeps its results first
  fuzz [TARGET...] [--runs N] [--cases N] [--out FOLDER] [--write]
          a long run of the fuzzer, which goes on where it was interrupted;
          with --write, puts its figures into docs/src/reliability.md
  sbom    writes the bill of materials, target/sbom/gsn.cdx.json
  reproducible
          builds the last commit in two folders and compares the programs
  list    the stages of `test`, without running them";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            command::say(&format!("xtask: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let chores: Vec<String> = std::env::args().skip(1).collect();
    match chores.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["test", ref names @ ..] => stage::run(names),
        ["results"] => results::write(),
        ["results", run, command] => results::keep(run, command),
        ["fuzz", ref words @ ..] => fuzz::fuzz(words),
        ["sbom"] => sbom::write(),
        ["reproducible"] => reproducible::check(),
        ["list"] => {
            stage::STAGES.iter().for_each(|stage| command::say(&stage.to_string()));
            Ok(())
        }
        _ => bail!("one chore is needed\n{USAGE}"),
    }
}

/// The root of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
