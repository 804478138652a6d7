//! Which options stand on the command line, so that one that cannot act is refused and not
//! ignored.

use crate::args::Cli;
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory};

/// The options that were typed for the verb, by their long names.
pub(crate) struct Given {
    options: Vec<Typed>,
}

struct Typed {
    name: String,
    heading: Option<String>,
}

impl Given {
    /// Of a parsed command line.
    pub(crate) fn of(matches: &ArgMatches) -> Self {
        let command = Cli::command();
        let typed = matches.subcommand().and_then(|(verb, inner)| {
            let command = command.find_subcommand(verb)?;
            let there = |arg: &&clap::Arg| {
                inner.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine)
            };
            let named = |arg: &clap::Arg| {
                let heading = arg.get_help_heading().map(str::to_owned);
                Some(Typed { name: arg.get_long()?.to_owned(), heading })
            };
            Some(command.get_arguments().filter(there).filter_map(named).collect())
        });
        Self { options: typed.unwrap_or_default() }
    }

    /// Those that the help lists under this heading.
    pub(crate) fn under(&self, heading: &str) -> Vec<String> {
        let there = |typed: &&Typed| typed.heading.as_deref() == Some(heading);
        self.options.iter().filter(there).map(|typed| typed.name.clone()).collect()
    }

    /// Refuses every option beside `--with` that is not among `allowed`.
    pub(crate) fn refuse_beside(
        &self,
        with: &str,
        allowed: &[&str],
        why: &str,
    ) -> anyhow::Result<()> {
        let refused: Vec<String> = self
            .options
            .iter()
            .filter(|typed| !allowed.contains(&typed.name.as_str()))
            .map(|typed| format!("--{}", typed.name))
            .collect();
        anyhow::ensure!(
            refused.is_empty(),
            "--{with} cannot be combined with {}: {why}; start anew without --{with} to change it",
            refused.join(", ")
        );
        Ok(())
    }
}
