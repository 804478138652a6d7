//! Chores of the workspace: `cargo xtask test` runs every check and every test there is.

mod benches;
mod command;
mod dependencies;
mod faults;
mod fuzz;
mod links;
mod memory;
mod page;
mod pages;
mod python;
mod report;
mod reproducible;
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
  pages   writes what is made from the code and from measurements: docs/src/recipe-keys.md,
          docs/src/cli.md and the table of README.md
  benches [TABLE...]
          measures the tables of benches/README.md and its like anew and writes them with
          the commit they were made at; with names, only those tables
  fuzz [TARGET...] [--runs N] [--cases N] [--out FOLDER] [--write]
          a long run of the fuzzer, which goes on where it was interrupted;
          with --write, puts its figures into docs/src/reliability.md
  faults [--cases N | --write]
          a long run of kills, full disks and inputs that fail, which goes on where
          it was interrupted; with --write, puts its figures into the same page
  sbom    writes the bill of materials, target/sbom/gsn.cdx.json
  reproducible [--write]
          builds the last commit in two folders and compares the programs;
          with --write, puts their hash into the same page
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
        ["pages"] => pages::write(),
        ["benches", ref names @ ..] => benches::measure(names),
        ["fuzz", ref words @ ..] => fuzz::fuzz(words),
        ["faults", ref words @ ..] => faults::faults(words),
        ["sbom"] => sbom::write(),
        ["reproducible"] => reproducible::check().map(drop),
        ["reproducible", "--write"] => page::put("builds", &reproducible::check()?),
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
