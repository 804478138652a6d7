//! The program `gsn`: arguments in, a verb's work, an exit code out.
//!
//! Every verb is a short file in `cmd`. Results go to standard output, everything meant for a
//! person watching goes to standard error. It is a library so that the Python package can bring the
//! program along ([`main`]) and call its verbs ([`Call`]).

mod args;
mod call;
mod cmd;
mod demo;
#[cfg(test)]
mod documented;
mod given;
mod interrupt;
mod memory;
mod outcome;
mod progress;
mod screen;
mod style;

pub use call::Call;
pub use memory::limit as limit_memory;

use args::{Cli, Verb};
use clap::{CommandFactory, FromArgMatches};
use given::Given;
use gsn_core::{EdgeOrbits, Orbits, Pattern, PatternSet};
use outcome::Outcome;
use std::ffi::OsString;

/// Runs the program with these arguments, the first of which is its name; gives its exit code.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let matches = Cli::command().try_get_matches_from(arguments);
    let parsed = matches.and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, matches)));
    match parsed {
        Ok((cli, matches)) => outcome::exit_code(run(cli, &Given::of(&matches))),
        Err(error) => {
            // A closed stream is not a failure.
            let _ = error.print();
            error.exit_code() as u8
        }
    }
}

/// A page of patterns as SVG, vertices and arcs coloured by their orbits.
pub fn draw_patterns(patterns: &PatternSet, notion: EdgeOrbits) -> String {
    let orbits: Vec<Orbits> = patterns.iter().map(|p| Orbits::of(p, notion)).collect();
    let pairs: Vec<(&Pattern, &Orbits)> = patterns.iter().zip(&orbits).collect();
    gsn_report::draw::sheet(&pairs)
}

fn run(cli: Cli, given: &Given) -> anyhow::Result<Outcome> {
    let common = cli.common;
    memory::limit(common.max_memory);
    common.start_threads()?;
    match cli.verb {
        Verb::Demo(arguments) => cmd::demo::run(&arguments, &common),
        Verb::Patterns(arguments) => cmd::patterns::run(&arguments, &common),
        Verb::Count(arguments) => cmd::count::run(&arguments, &common),
        Verb::Convert(arguments) => cmd::convert::run(&arguments, &common),
        Verb::Recipes(arguments) => cmd::recipes::run(&arguments, &common),
        Verb::Train(arguments) => cmd::train::run(&arguments, &common, given),
        Verb::Separate(arguments) => cmd::separate::run(&arguments, &common),
        Verb::Suggest(arguments) => cmd::suggest::run(&arguments, &common),
        Verb::Generate(arguments) => cmd::generate::run(&arguments, &common),
        Verb::Data(arguments) => cmd::data::run(&arguments, &common),
        Verb::Predict(arguments) => cmd::predict::run(&arguments, &common),
        Verb::Explain(arguments) => cmd::explain::run(&arguments, &common),
        Verb::Sweep(arguments) => cmd::sweep::run(&arguments, &common, given),
        Verb::Tune(arguments) => cmd::tune::run(&arguments, &common, given),
        Verb::Reproduce(arguments) => cmd::reproduce::run(&arguments, &common),
        Verb::Verify(arguments) => cmd::verify::run(&arguments, &common),
        Verb::Info(arguments) => cmd::info::run(&arguments, &common),
        Verb::Report(arguments) => cmd::report::run(&arguments, &common),
        Verb::Completions(arguments) => cmd::completions::run(&arguments),
        Verb::Man(arguments) => cmd::man::run(&arguments, &common),
    }
}
