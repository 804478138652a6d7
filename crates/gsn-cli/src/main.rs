//! The program `gsn`: arguments in, a verb's work, an exit code out.
//!
//! Every verb is a short file in `cmd`. Results go to standard output, everything meant for a
//! person watching goes to standard error.

mod args;
mod cmd;
mod demo;
mod draw;
mod interrupt;
mod outcome;
mod progress;
mod screen;
mod style;

use args::{Cli, Verb};
use clap::Parser;
use outcome::Outcome;
use std::process::ExitCode;

/// Counting a batch makes and drops thousands of tables; the system's allocator gives the memory
/// back to the kernel each time, and fetching it again costs more than the counting.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = Cli::parse();
    outcome::exit_code(run(cli))
}

fn run(cli: Cli) -> anyhow::Result<Outcome> {
    let common = cli.common;
    common.start_threads()?;
    match cli.verb {
        Verb::Demo(arguments) => cmd::demo::run(&arguments, &common),
        Verb::Patterns(arguments) => cmd::patterns::run(&arguments, &common),
        Verb::Count(arguments) => cmd::count::run(&arguments, &common),
        Verb::Convert(arguments) => cmd::convert::run(&arguments, &common),
        Verb::Recipes(arguments) => cmd::recipes::run(&arguments, &common),
        Verb::Train(arguments) => cmd::train::run(&arguments, &common),
        Verb::Separate(arguments) => cmd::separate::run(&arguments, &common),
        Verb::Suggest(arguments) => cmd::suggest::run(&arguments, &common),
        Verb::Generate(arguments) => cmd::generate::run(&arguments, &common),
        Verb::Data(arguments) => cmd::data::run(&arguments, &common),
        Verb::Predict(arguments) => cmd::predict::run(&arguments, &common),
        Verb::Sweep(arguments) => cmd::sweep::run(&arguments, &common),
        Verb::Verify(arguments) => cmd::verify::run(&arguments, &common),
    }
}
