//! Chooses the defaults for a user's own data by validation, and writes `docs/src/defaults.md`.
//!
//! `GSN_DATA=… cargo run --release -p gsn-lab --example defaults -- --write` trains every choice on
//! every task, cut and seed (some hours of one core), and writes the page; without `--write` it
//! goes to standard output. Finished runs are lines of `runs.jsonl` beside this file, so the study
//! can be stopped at any time and goes on where it was; `--again` repeats those of another numeric
//! core than today's, `--only-write` trains nothing.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints")]

mod choices;
mod page;
mod runs;
mod skill;
mod tasks;

use choices::{BEFORE, Choice, FIRST, SECOND, WINNER};
use runs::{Cut, Log};
use std::error::Error;
use std::path::Path;

/// The result of a step.
type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Seeds of cuts and weights, of small tasks and of large ones.
const SEEDS: u64 = 3;
const LARGE_SEEDS: u64 = 2;
/// Members of the largest ensemble.
const MEMBERS: u64 = 5;

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let has = |word: &str| words.iter().any(|said| said == word);
    let data = std::env::var("GSN_DATA").map_err(|_| "GSN_DATA must name the benchmark sets")?;
    let folder = tempfile::tempdir()?;
    let (small, large) = tasks::tasks(Path::new(&data), folder.path())?;
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut log = Log::open(&here.join("examples/defaults/runs.jsonl"), has("--again"))?;
    let cuts = Cut::all(&small, SEEDS)?;
    let large_cuts = Cut::all(&large, LARGE_SEEDS)?;
    if !has("--only-write") {
        // Predictions are wanted of the first and of the winner on the small tasks.
        let wanted = |choice: &Choice| [BEFORE.name, WINNER.name].contains(&choice.name);
        let on_small = FIRST.iter().chain(SECOND).map(|choice| (choice, &cuts, wanted(choice)));
        let on_large = SECOND.iter().map(|choice| (choice, &large_cuts, false));
        for (choice, cuts, keep) in on_small.chain(on_large) {
            for cut in cuts {
                log.run(cut, choice, cut.seed, keep)?;
            }
            let (runs, seconds) = log.total();
            eprintln!("{}: {runs} runs, {seconds:.0} s", choice.name);
        }
        for cut in cuts.iter().filter(|cut| cut.seed == 0) {
            (0..MEMBERS).try_for_each(|weights| log.run(cut, &WINNER, weights, true))?;
        }
        log.tidy()?;
    }
    let all = page::against(&cuts)?;
    let all_large = page::against(&large_cuts)?;
    let text = [
        include_str!("head.txt").to_owned(),
        format!("\n## How it was chosen\n\n{}\n", page::method(&log)),
        page::list(&[(&small, &cuts), (&large, &large_cuts)]),
        format!("\n## One change at a time\n\n{}", page::choices(&all, &log, FIRST)?),
        format!("\n## On top of what won\n\n{}", page::choices(&all, &log, SECOND)?),
        format!("\n## The same on larger sets\n\n{}", page::choices(&all_large, &log, SECOND)?),
        format!("\n## Task by task\n\n{}", page::tasks(&all, &log)?),
        format!("\n## Members\n\n{}", page::members(&all, &log)?),
        format!("\n## Bounds\n\n{}", page::bounds(&all, &log)?),
    ];
    let text = text.concat();
    match has("--write") {
        true => std::fs::write(here.join("../../docs/src/defaults.md"), text)?,
        false => print!("{text}"),
    }
    Ok(())
}
