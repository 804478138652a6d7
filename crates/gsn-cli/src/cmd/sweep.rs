//! `gsn sweep`: one recipe over a grid of settings, with a table and a plot.

use crate::args::Common;
use crate::interrupt;
use crate::outcome::{Outcome, say};
use crate::screen::Screen;
use anyhow::bail;
use gsn_lab::experiment::{Observer, Options};
use gsn_lab::sweep::{Sweep, SweepObserver, sweep};
use std::io::Write;
use std::path::PathBuf;

/// What `--help` says below the options.
pub(crate) const HELP: &str = "\
Examples:
  gsn sweep sweeps/zinc-families.toml
  gsn sweep sweeps/zinc-fraction.toml --set training.epochs=100 --out runs/short
  gsn sweep mine.toml --list

Every cell is a run of its own below RUN/cells. Finished cells are skipped and begun ones go on,
so the same command can be given again after a stop. RUN/table.csv and RUN/plot.svg are written
after every cell.

Exit codes: 0 done, 2 failure or stopped by Ctrl-C (what was done is saved)";

/// Arguments of `gsn sweep`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The sweep
    #[arg(value_name = "SWEEP.toml")]
    sweep: PathBuf,
    /// Change a key of the recipe of every cell, such as training.epochs=100; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// Folder of the sweep [default: runs/NAME]
    #[arg(short, long, value_name = "RUN")]
    out: Option<PathBuf>,
    /// Folds and seeds trained side by side [default: whatever is faster, by measuring]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// List the cells and stop
    #[arg(long)]
    list: bool,
    /// Print the table as one JSON object on standard output
    #[arg(long)]
    json: bool,
}

/// Says which cell is under way.
struct CellLines {
    quiet: bool,
}

impl SweepObserver for CellLines {
    fn cell(&self, at: usize, cells: usize, name: &str, finished: bool) {
        if !self.quiet {
            let what = if finished { " (finished before)" } else { "" };
            say(format_args!("cell {} of {cells}: {name}{what}", at + 1));
        }
    }

    fn observer(&self) -> Box<dyn Observer + '_> {
        Box::new(Screen::new(self.quiet))
    }
}

/// Runs the verb.
pub(crate) fn run(arguments: &Arguments, common: &Common) -> anyhow::Result<Outcome> {
    let mut plan = Sweep::open(&arguments.sweep)?;
    for setting in &arguments.settings {
        let Some((key, value)) = setting.split_once('=') else {
            bail!("--set {setting}: write KEY=VALUE, such as training.epochs=100");
        };
        plan.set.insert(key.trim().to_owned(), value.trim().into());
    }
    if arguments.list {
        let mut out = std::io::stdout().lock();
        for cell in plan.cells()? {
            writeln!(out, "{}", cell.name)?;
        }
        return Ok(Outcome::Done);
    }
    let out = arguments.out.clone().unwrap_or_else(|| PathBuf::from("runs").join(&plan.name));
    let jobs = arguments.jobs.map(usize::from);
    let options = Options { jobs, stop: interrupt::switch(), ..Options::new(&out) };
    let table = match sweep(&plan, &options, &CellLines { quiet: common.quiet }) {
        Err(gsn_lab::Error::Stopped) => {
            bail!("stopped; the same command goes on where it was")
        }
        other => other?,
    };
    let mut stdout = std::io::stdout().lock();
    if arguments.json {
        writeln!(stdout, "{}", serde_json::to_string(&table)?)?;
    } else {
        write!(stdout, "{}", table.to_text())?;
        writeln!(stdout, "\ntable: {}", out.join("table.csv").display())?;
        if plan.plot.is_some() {
            writeln!(stdout, "plot: {}", out.join("plot.svg").display())?;
        }
    }
    Ok(Outcome::Done)
}
