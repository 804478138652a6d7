//! `gsn reproduce`: the published tables, row by row, and the page of what came of them.

use crate::args::Common;
use crate::interrupt;
use crate::outcome::{Outcome, say};
use crate::screen::Screen;
use anyhow::bail;
use gsn_lab::experiment::{Observer, Options};
use gsn_lab::reproduce::{
    Kept, ReproduceObserver, ReproduceRequest, Row, Table, core, reproduce, tables, write_page,
};
use gsn_lab::sweep::SweepObserver;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What `--help` says below the options.
pub(crate) const HELP: &str = "\
Examples:
  gsn reproduce --list
  gsn reproduce zinc --quick
  gsn reproduce mutag-gsn-e zinc-gsn-ef-100k
  gsn reproduce zinc --seed 0 --seed 1 --jobs 2
  gsn reproduce --page-only

Every row is a run of its own below RUNS. What is kept with the same recipe, made by a program
that gives the same bits, is not run again, and begun runs go on, so the same command can be given
again after a stop. The page is written anew whenever something was kept.

Exit codes: 0 done, 2 failure or stopped by Ctrl-C (what was done is saved)";

/// Arguments of `gsn reproduce`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Tables or rows by their names (see --list) [default: all of them]
    #[arg(value_name = "TABLE")]
    names: Vec<String>,
    /// Only three epochs of one seed a row, to see that it runs; nothing is kept
    #[arg(long)]
    quick: bool,
    /// Only this seed of the rows that are repeated with seeds; may be repeated
    #[arg(long = "seed", value_name = "S")]
    seeds: Vec<u64>,
    /// List tables and rows with what is kept of them; run and write nothing
    #[arg(long, conflicts_with_all = ["quick", "seeds"])]
    list: bool,
    /// Write the page from what is kept, and run nothing
    #[arg(long, conflicts_with_all = ["names", "quick", "seeds", "list"])]
    page_only: bool,
    /// Folder of what is kept, a small file for every row or seed
    #[arg(long, value_name = "FOLDER", default_value = "docs/results")]
    results: PathBuf,
    /// The page
    #[arg(long, value_name = "FILE.md", default_value = "docs/src/results.md")]
    page: PathBuf,
    /// Folder of the runs
    #[arg(long, value_name = "RUNS", default_value = "runs/reproduce")]
    runs: PathBuf,
    /// Folds and seeds trained side by side [default: whatever is faster, by measuring]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
}

/// Says which row is under way, and keeps the page in line.
struct RowLines<'a> {
    quiet: bool,
    arguments: &'a Arguments,
    tables: &'a [Table],
    request: &'a ReproduceRequest,
}

impl SweepObserver for RowLines<'_> {
    fn cell(&self, at: usize, cells: usize, name: &str, finished: bool) {
        if !self.quiet && !finished {
            say(format_args!("  cell {} of {cells}: {name}", at + 1));
        }
    }

    fn observer(&self) -> Box<dyn Observer + '_> {
        Box::new(Screen::new(self.quiet))
    }
}

impl ReproduceObserver for RowLines<'_> {
    fn row(&self, at: usize, rows: usize, row: &Row, finished: bool) {
        if !self.quiet {
            let what = if finished { " (kept before)" } else { "" };
            say(format_args!("row {} of {rows}: {}{what}", at + 1, row.id));
        }
    }

    fn kept(&self, _row: &Row) -> gsn_lab::Result<()> {
        self.write_page()
    }
}

impl RowLines<'_> {
    fn write_page(&self) -> gsn_lab::Result<()> {
        let Arguments { page, results, .. } = self.arguments;
        write_page(page, self.tables, results, &self.request.core)
    }
}

/// Runs the verb.
pub(crate) fn run(arguments: &Arguments, common: &Common) -> anyhow::Result<Outcome> {
    let tables = tables()?;
    let options = Options {
        jobs: arguments.jobs.map(usize::from),
        stop: interrupt::switch(),
        ..Options::new(&arguments.runs)
    };
    let request = ReproduceRequest {
        names: arguments.names.clone(),
        seeds: arguments.seeds.clone(),
        quick: arguments.quick,
        results: arguments.results.clone(),
        program: program(),
        core: core()?,
        options,
    };
    let mut out = std::io::stdout().lock();
    if arguments.list {
        list(&mut out, &request, &tables)?;
        return Ok(Outcome::Done);
    }
    let lines = RowLines { quiet: common.quiet, arguments, tables: &tables, request: &request };
    if arguments.page_only {
        lines.write_page()?;
        return Ok(Outcome::Done);
    }
    let done = match reproduce(&request, &tables, &lines) {
        Err(gsn_lab::Error::Stopped) => bail!("stopped; the same command goes on where it was"),
        other => other?,
    };
    for one in &done {
        writeln!(out, "{}", line(&one.row, &one.kept, &request.core))?;
    }
    Ok(Outcome::Done)
}

fn list(out: &mut impl Write, request: &ReproduceRequest, tables: &[Table]) -> anyhow::Result<()> {
    let wanted = request.rows(tables)?;
    for table in tables {
        let mut rows = wanted.iter().filter(|(name, _)| *name == table.name).peekable();
        if rows.peek().is_some() {
            writeln!(out, "{}: {}", table.name, table.title)?;
        }
        for (_, row) in rows {
            writeln!(out, "  {}", line(row, &row.kept(&request.results)?, &request.core))?;
        }
    }
    Ok(())
}

/// A row for a person: its name, what it aims for, what came of it.
fn line(row: &Row, kept: &[Kept], core: &str) -> String {
    let published = row.published().map(|p| format!(", published {}", p.mean)).unwrap_or_default();
    let came = kept.iter().map(|kept| {
        let stale = if kept.core == core { "" } else { " (stale)" };
        let what = match (&kept.results, &kept.compared, &kept.sweep) {
            (Some(results), ..) => format!("{:.4}", results.report.test.mean),
            (_, Some(compared), _) => format!("{:.4} %", 100.0 * compared.share),
            (.., Some(sweep)) => format!("{} cells", sweep.lines.len()),
            _ if !kept.scores.is_empty() => format!("{:.3?}", kept.scores),
            _ => "nothing".into(),
        };
        format!("{what}{stale}")
    });
    let came: Vec<String> = came.collect();
    match came.is_empty() {
        true => format!("{}: not run, about {} min{published}", row.id, row.minutes),
        false => format!("{}: {}{published}", row.id, came.join(" ")),
    }
}

/// The version of the program, and the commit of the checkout it is run in, if it is run in one; a
/// `+` stands for files that were changed since.
fn program() -> String {
    let version = env!("CARGO_PKG_VERSION");
    let git = |arguments: &[&str]| {
        let output =
            Command::new("git").current_dir(Path::new(".")).args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    match git(&["rev-parse", "--short=10", "HEAD"]) {
        Some(commit) => {
            let changed = git(&["status", "--porcelain", "--untracked-files=no"]);
            let sign = if changed.is_none_or(|files| files.is_empty()) { "" } else { "+" };
            format!("{version} at {commit}{sign}")
        }
        None => version.to_owned(),
    }
}
