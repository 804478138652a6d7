//! `gsn man`: manual pages, made from the same text as `--help`.

use super::reference;
use crate::args::{Cli, Common};
use crate::outcome::{Outcome, say, several};
use anyhow::{Context, bail};
use clap::{Command, CommandFactory};
use std::io::Write;
use std::path::PathBuf;

/// What `--help` says below the options.
pub(crate) const HELP: &str = "\
Examples:
  gsn man | man -l -
  gsn man train | man -l -
  gsn man --out ~/.local/share/man/man1
  gsn man --markdown > commands.md

Exit codes: 0 done, 2 failure";

/// Arguments of `gsn man`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The verb; without it the page of the whole program
    verb: Option<String>,
    /// Write the pages of the program and of every verb into this folder
    #[arg(short, long, value_name = "FOLDER", conflicts_with = "verb")]
    out: Option<PathBuf>,
    /// Print all of it as one page of Markdown
    #[arg(long, conflicts_with_all = ["verb", "out"])]
    markdown: bool,
}

/// Runs the verb.
pub(crate) fn run(arguments: &Arguments, common: &Common) -> anyhow::Result<Outcome> {
    let mut command = Cli::command();
    command.build();
    if arguments.markdown {
        std::io::stdout().lock().write_all(reference::page(&command).as_bytes())?;
        return Ok(Outcome::Done);
    }
    if let Some(folder) = &arguments.out {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        let verbs = command.get_subcommands().filter(|verb| verb.get_name() != "help");
        let mut pages = 0;
        for page in std::iter::once(&command).chain(verbs) {
            let path = folder.join(format!("{}.1", title(page)));
            gsn_io::atomic::replace(&path, &render(page)?)
                .with_context(|| format!("cannot write {}", path.display()))?;
            pages += 1;
        }
        if !common.quiet {
            say(format_args!("wrote {} into {}", several(pages, "page"), folder.display()));
        }
        return Ok(Outcome::Done);
    }
    let page = match &arguments.verb {
        None => &command,
        Some(verb) => match command.find_subcommand(verb) {
            Some(page) => page,
            None => bail!("there is no verb `{verb}`; `gsn help` lists them"),
        },
    };
    std::io::stdout().lock().write_all(&render(page)?)?;
    Ok(Outcome::Done)
}

/// `gsn` or `gsn-train`.
fn title(command: &Command) -> String {
    command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned()
}

fn render(command: &Command) -> anyhow::Result<Vec<u8>> {
    let mut page = Vec::new();
    let command = command.clone().version(env!("CARGO_PKG_VERSION"));
    clap_mangen::Man::new(command).render(&mut page)?;
    Ok(page)
}
