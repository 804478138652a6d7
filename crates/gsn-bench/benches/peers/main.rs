//! Our counts beside other libraries on the same inputs in one run, one thread against one thread;
//! totals are compared first, and where they differ no ratio is printed.
//!
//! `cargo bench -p gsn-bench --bench peers` runs everything (some ten minutes); words behind `--`
//! select rows whose id contains one of them, `--publish` puts the tables into `benches/README.md`,
//! and `--ours` runs our side alone, for a profiler.
#![allow(clippy::print_stdout, reason = "a benchmark is a program that prints")]

mod arena;
mod end_to_end;
mod floors;
mod large;
mod threads;

use anyhow::Result;
use arena::Arena;
use gsn_bench::publish;

fn main() -> Result<()> {
    let Some(mut words) = gsn_bench::arguments() else { return Ok(()) };
    if let [flag, what, threads] = &words[..]
        && flag == "--memory"
    {
        return large::child(what, threads.parse()?);
    }
    let published = gsn_bench::flag(&mut words, "--publish");
    let alone = gsn_bench::flag(&mut words, "--ours");
    let mut arena = Arena::new(words, alone)?;
    if alone {
        floors::run(&mut arena)?;
        return floors::context(&mut arena);
    }
    floors::run(&mut arena)?;
    end_to_end::run(&mut arena)?;
    floors::context(&mut arena)?;
    let floors = arena.take_table();
    let threads = threads::run(&arena)?;
    let large = large::run(&arena)?;

    let context = format!(
        "{}; {}. CPU time, graphs in memory on both sides, sides taking turns; \
         ratio = median of the turns, least and most in brackets.",
        publish::made_at()?,
        arena.versions()
    );
    let text = format!("{context}\n\n{floors}\n{threads}\n{large}");
    for reason in arena.skipped() {
        println!("skipped {reason}");
    }
    publish::result("peers", &text, published)
}
