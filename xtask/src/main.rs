//! Chores of the workspace: `cargo xtask test` runs every check and every test there is.

mod results;
mod stage;

use anyhow::{Result, bail};
use std::process::ExitCode;

const USAGE: &str = "\
Usage: cargo xtask <CHORE>

Chores:
  test    every check and every test there is: what continuous integration runs
  results [RUN COMMAND]
          writes docs/src/results.md; with a run, keeps its results first
  list    the stages of `test` and their commands, without running them";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            stage::say(&format!("xtask: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let chores: Vec<String> = std::env::args().skip(1).collect();
    match chores.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["test"] => stage::run(&stage::all()),
        ["results"] => results::write(),
        ["results", run, command] => results::keep(run, command),
        ["list"] => {
            stage::all().iter().for_each(|stage| stage::say(&stage.to_string()));
            Ok(())
        }
        _ => bail!("one chore is needed\n{USAGE}"),
    }
}
