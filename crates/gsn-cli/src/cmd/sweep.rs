//! `gsn sweep`: one recipe over a grid of settings, with a table and a plot.

use super::recipe::RecipeArguments;
use super::user_data::{self, UserDataArguments};
use crate::args::Common;
use crate::given::Given;
use crate::interrupt;
use crate::outcome::{Outcome, say};
use crate::screen::Screen;
use anyhow::{Context, bail};
use gsn_lab::experiment::{Observer, Options};
use gsn_lab::sweep::{Sweep, SweepObserver, sweep};
use std::io::Write;
use std::path::PathBuf;

/// What `--help` says below the options.
pub(crate) const HELP: &str = "\
Examples:
  gsn sweep zinc-families
  gsn sweep zinc-families --only family=cycle --only k=3,4,5
  gsn sweep sweeps/zinc-fraction.toml --set training.epochs=100 --out runs/short
  gsn sweep molecules.csv --target y --grid network.width=32,64 --grid training.lr=0.001,0.003
  gsn sweep molecules.csv --target y --grid 'counts.patterns=cycle:3..=6;cycle:3..=6,path:4'
  gsn sweep zinc-gsn-ef-100k --grid network.layers=2,3,4 --epochs 50
  gsn sweep mine.toml --list

Every cell is a run of its own below RUN/cells. Finished cells are skipped and begun ones go on,
so the same command can be given again after a stop. RUN/table.csv and RUN/plot.svg are written
after every cell.

Exit codes: 0 done, 2 failure or stopped by Ctrl-C (what was done is saved)";

/// Arguments of `gsn sweep`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A sweep by its name (zinc-families) or as a TOML file; with --grid a recipe or your own data
    #[arg(value_name = "SWEEP.toml")]
    sweep: String,
    /// A key of the recipe and its values; may be repeated. Values are separated by commas, or by
    /// semicolons where they have commas themselves
    #[arg(long, value_name = "KEY=VALUE,VALUE")]
    grid: Vec<String>,
    /// Only the cells with these values of an axis; may be repeated
    #[arg(long, value_name = "AXIS=VALUE,VALUE")]
    only: Vec<String>,
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
    #[command(flatten)]
    changes: RecipeArguments,
    #[command(flatten)]
    data: UserDataArguments,
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
pub(crate) fn run(
    arguments: &Arguments,
    common: &Common,
    given: &Given,
) -> anyhow::Result<Outcome> {
    let plan = plan(arguments, given)?;
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

/// The sweep that the arguments ask for.
fn plan(arguments: &Arguments, given: &Given) -> anyhow::Result<Sweep> {
    let name = &arguments.sweep;
    let mut plan = match &arguments.grid[..] {
        [] => match Sweep::find(name) {
            Ok(plan) => plan,
            Err(_) if !name.ends_with(".toml") => {
                bail!("`{name}` is no sweep; say what to vary with --grid KEY=VALUE,VALUE")
            }
            Err(error) => return Err(error.into()),
        },
        grid => Sweep::grid(name, grid).context("--grid")?,
    };
    for part in &arguments.only {
        plan = plan.only(part).context("--only")?;
    }
    for setting in arguments.changes.settings([])? {
        let Some((key, value)) = setting.split_once('=') else {
            bail!("--set {setting}: write KEY=VALUE, such as training.epochs=100");
        };
        let key = key.trim();
        if plan.axes.contains_key(key) {
            bail!("{key} is an axis of the sweep and is set as well; give one of them");
        }
        plan.set.insert(key.to_owned(), value.trim().into());
    }
    plan.given = given.under(user_data::HEADING);
    plan.reading = arguments.data.options().over(&plan.reading, &plan.given)?;
    Ok(plan)
}
