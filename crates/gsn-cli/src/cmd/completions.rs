//! `gsn completions`: scripts that complete verbs and options in a shell.

use crate::args::Cli;
use crate::outcome::Outcome;
use clap::CommandFactory;
use clap_complete::Shell;
use std::io::Write;

/// What `--help` says below the options.
pub(crate) const HELP: &str = "\
Examples:
  gsn completions bash > ~/.local/share/bash-completion/completions/gsn
  gsn completions zsh > ~/.zfunc/_gsn
  gsn completions fish > ~/.config/fish/completions/gsn.fish

Exit codes: 0 done, 2 failure";

/// Arguments of `gsn completions`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The shell
    shell: Shell,
}

/// Runs the verb.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Outcome> {
    // Into memory first: the generator panics where a pipe is closed.
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "gsn", &mut script);
    std::io::stdout().lock().write_all(&script)?;
    Ok(Outcome::Done)
}
