//! 1-WL on molecules beside networkx, and separating strongly regular graphs beside rustworkx,
//! which only counts.
//!
//! `cargo bench -p gsn-bench --bench expressivity` runs both; words behind `--` select rows
//! (`hiv`, `regular`), `--publish` puts the table into `benches/README.md`.
#![allow(clippy::print_stdout, reason = "a benchmark is a program that prints")]

use anyhow::{Context, Result, ensure};
use gsn_bench::clock::{self, Duel};
use gsn_bench::peer::{self, Peer};
use gsn_bench::table::Table;
use gsn_bench::{data, memory, publish, work_dir};
use gsn_core::wl::{Fwl, Names, group, refine};
use gsn_core::{CountSpec, Counter, Graph, Matching, PatternSet, Scope, generate};
use gsn_lab::separate::{Options, Pairing, equal_pairs, separate};
use serde_json::json;
use std::collections::HashMap;
use std::process::Command;
use std::time::Duration;

const CYCLES: &str = "cycle:3..=6";
const TURNS: usize = 3;

fn main() -> Result<()> {
    let Some(mut words) = gsn_bench::arguments() else { return Ok(()) };
    if words.iter().any(|word| word == "--memory") {
        return child();
    }
    let published = gsn_bench::flag(&mut words, "--publish");
    let wants = |id: &str| words.is_empty() || words.iter().any(|word| id.contains(word.as_str()));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let mut peer = Peer::from_pypi()?;
    let mut table = Table::new(["work", "against", "ours", "peer", "ratio", "floor", "met"]);
    if wants("hiv") {
        hiv(&pool, &mut peer, &mut table)?;
    }
    if wants("regular") {
        regular(&pool, &mut peer, &mut table)?;
    }
    let mut text = format!(
        "{}; networkx {}, rustworkx {}. CPU time of one thread, graphs in memory on both sides.\n\n{table}",
        publish::made_at()?,
        peer.version("networkx")?,
        peer.version("rustworkx")?,
    );
    if wants("regular") {
        text += &format!("\n{}\n{}\n", large_memory()?, forty(&pool)?);
    }
    publish::result("expressivity", &text, published)
}

fn row(work: &str, against: &str, floor: Option<f64>, duel: &Duel) -> [String; 7] {
    let (middle, least, most) = duel.ratio();
    let cells = [
        work.to_owned(),
        against.to_owned(),
        clock::show(clock::median(&duel.ours)),
        clock::show(clock::median(&duel.theirs)),
        format!("{middle:.0}× ({least:.0}–{most:.0})"),
        floor.map_or("context".to_owned(), |floor| format!("{floor}×")),
        floor.map_or(String::new(), |floor| if middle >= floor { "yes" } else { "**no**" }.into()),
    ];
    println!("{}", cells.join("  |  "));
    cells
}

/// 1-WL on all molecules of ogbg-molhiv, to the end, beside networkx' hash with its own number of
/// iterations.
fn hiv(pool: &rayon::ThreadPool, peer: &mut Peer, table: &mut Table) -> Result<()> {
    let graphs = data::unlabelled("ogbg-molhiv", usize::MAX)?;
    let input = work_dir().join("inputs/hiv-wl.txt");
    data::write(&graphs, &input)?;
    let ask = |peer: &mut Peer, check: bool| {
        peer.ask(&json!({ "command": "wl", "input": input, "limit": 8.0, "check": check }))
    };
    let answer = ask(peer, true)?;
    let theirs: Vec<String> = serde_json::from_value(answer["hashes"].clone())?;
    let ours = pool.install(|| refine(&graphs, &[]))?.classes();
    // Ours goes on to the end, so it is at least as fine.
    let mut seen: HashMap<u32, &str> = HashMap::new();
    for (&class, hash) in ours.iter().zip(&theirs) {
        let first = seen.entry(class).or_insert(hash);
        ensure!(first == hash, "networkx separates what 1-WL does not");
    }
    let mut duel = Duel::default();
    for _ in 0..TURNS {
        duel.ours.push(pool.install(|| {
            clock::cpu_seconds(Duration::from_millis(500), || {
                refine(&graphs, &[]).map(|colouring| colouring.classes())
            })
        }));
        let answer = ask(peer, false)?;
        let done = answer["graphs"].as_u64().context("no number of graphs")? as f64;
        let seconds = answer["seconds"].as_f64().context("no time")?;
        duel.theirs.push(seconds * graphs.len() as f64 / done);
    }
    let work = format!("1-WL on {} HIV molecules, to the end, grouped", graphs.len());
    let against = "networkx weisfeiler_lehman_graph_hash, 3 iterations (a part, scaled)";
    table.row(row(&work, against, Some(50.0), &duel));
    Ok(())
}

fn options() -> Result<Options> {
    Ok(Options {
        scopes: vec![Scope::Arc],
        matchings: vec![Matching::Induced],
        fwl: 1,
        seeds: 0,
        certificates: 0,
        isomorphism: false,
        ..Options::new(CYCLES.parse()?)
    })
}

/// Counts all columns of all graphs, then groups them: without leaving out separated graphs.
fn count_all(graphs: &[Graph], counter: &Counter) -> Result<u64> {
    let mut names = Names::default();
    let mut rows = Vec::with_capacity(graphs.len());
    for some in graphs.chunks(128) {
        for counts in counter.count_each(some) {
            let mut row = names.of_counts(&counts?);
            row.sort_unstable();
            rows.push(row);
        }
    }
    Ok(equal_pairs(&group(rows), Pairing::All))
}

/// `separate` on SR(35,16,6,8) beside the counting alone by rustworkx.
fn regular(pool: &rayon::ThreadPool, peer: &mut Peer, table: &mut Table) -> Result<()> {
    let graphs = data::labelled("sr351668")?;
    let options = options()?;
    let counter = Counter::new(&on_arcs(&options));
    let report = pool.install(|| separate(&graphs, &options))?;
    ensure!(report.tests.iter().any(|t| t.test == "counts" && t.failures == Some(0)));
    ensure!(pool.install(|| count_all(&graphs, &counter))? == 0);

    let sample = data::spread(&graphs, 4);
    let input = work_dir().join("inputs/sr351668.txt");
    data::write(&sample, &input)?;
    let patterns: &PatternSet = &options.patterns;
    let request = |command: &str, graphs: usize| {
        json!({
            "command": command,
            "input": input,
            "library": "rustworkx vf2",
            "patterns": patterns.iter().map(peer::describe).collect::<Vec<_>>(),
            "induced": true,
            "graphs": graphs,
            "limit": 8.0,
        })
    };
    let answer = peer.ask(&request("check", sample.len()))?;
    let done = answer["graphs"].as_u64().context("no number of graphs")? as usize;
    let theirs: Vec<u64> = serde_json::from_value(answer["totals"].clone())?;
    let mut ours = vec![0u64; patterns.len()];
    for counts in Counter::new(&CountSpec::new(patterns.clone())).count_many(&sample[..done])? {
        for (at, column) in counts.columns().iter().enumerate() {
            ours[column.pattern()] += counts.column(at).sum::<u64>();
        }
    }
    for ((pattern, ours), theirs) in patterns.iter().zip(ours).zip(theirs) {
        // Every vertex counts its cycles, and a cycle of k has 2k maps: twice the sum.
        ensure!(2 * ours == theirs, "{}: {ours} here, {theirs} there", pattern.name());
    }
    let (mut staged, mut whole) = (Duel::default(), Duel::default());
    for _ in 0..TURNS {
        let least = Duration::from_millis(200);
        staged
            .ours
            .push(pool.install(|| clock::cpu_seconds(least, || separate(&graphs, &options).ok())));
        whole
            .ours
            .push(pool.install(|| clock::cpu_seconds(least, || count_all(&graphs, &counter).ok())));
        let seconds = peer.ask(&request("time", done))?["seconds"].as_f64().context("no time")?;
        let scaled = seconds * graphs.len() as f64 / done as f64;
        staged.theirs.push(scaled);
        whole.theirs.push(scaled);
    }
    let against = format!("rustworkx VF2, counting alone (on {done}, scaled)");
    let work =
        |how: &str| format!("SR(35,16,6,8), 7.4 million pairs, arcs, induced {CYCLES}: {how}");
    table.row(row(&work("`separate`"), &against, Some(100.0), &staged));
    table.row(row(&work("everything counted, then grouped"), &against, None, &whole));
    Ok(())
}

/// Seconds of 2-FWL on a pair of 40 vertices.
fn forty(pool: &rayon::ThreadPool) -> Result<String> {
    let pair = [generate::random_regular(40, 5, 1)?, generate::random_regular(40, 5, 2)?];
    let fwl = Fwl::new(2)?;
    let twins = [pair[0].clone(), pair[0].clone()];
    let seconds = |graphs: &[Graph]| {
        pool.install(|| {
            clock::cpu_seconds(Duration::from_millis(200), || fwl.classes(graphs, &[]).ok())
        })
    };
    Ok(format!(
        "2-FWL on two random 5-regular graphs of 40 vertices: {}; on two copies of one, which takes every round: {}.",
        clock::show(seconds(&pair)),
        clock::show(seconds(&twins))
    ))
}

/// Memory of `separate` in a process of its own.
fn large_memory() -> Result<String> {
    let output = Command::new(std::env::current_exe()?)
        .args(["--bench", "--memory"])
        .envs(memory::RETURN_FREED)
        .output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

fn on_arcs(options: &Options) -> CountSpec {
    CountSpec::new(options.patterns.clone()).with_scope(Scope::Arc)
}

fn child() -> Result<()> {
    let graphs = data::labelled("sr351668")?;
    let options = options()?;
    memory::reset()?;
    separate(&graphs, &options)?;
    let (_, staged) = memory::held()?;
    memory::reset()?;
    count_all(&graphs, &Counter::new(&on_arcs(&options)))?;
    let (_, whole) = memory::held()?;
    println!(
        "Most memory of the whole process on SR(35,16,6,8): {staged:.0} MB for `separate`, {whole:.0} MB with everything \
         counted (limit: 1 GB)."
    );
    Ok(())
}
