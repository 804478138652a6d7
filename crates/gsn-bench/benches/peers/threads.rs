//! Two threads beside one on a set of small graphs, by two measures. Wall-clock time is disturbed by
//! other work on the machine, so the best of many short passes is taken on each side. The CPU time
//! of the busier thread is what wall-clock time would be on an idle machine. A turn is several
//! passes: a thread that slept during the other side's turn may start on a busy core, and the system
//! needs longer than a pass to move it.

use crate::arena::Arena;
use anyhow::Result;
use gsn_bench::clock;
use gsn_bench::data;
use gsn_bench::table::Table;
use gsn_core::Matching::{Induced, Subgraph};
use gsn_core::Scope::{Arc, Vertex};
use gsn_core::{CountSpec, Counter};

const TURNS: usize = 15;
const PASSES: usize = 10;
const FLOOR: f64 = 1.7;

/// The table of the rows.
pub(crate) fn run(arena: &Arena) -> Result<Table> {
    let mut table = Table::new([
        "work",
        "one thread",
        "two threads",
        "speed-up",
        "CPU, one thread",
        "CPU, busier of two",
        "speed-up",
        "floor",
        "met",
    ]);
    let Ok(zinc) = data::unlabelled("ZINC-12k", 2000) else { return Ok(table) };
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let two = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
    let views = [(Vertex, Induced), (Arc, Induced), (Vertex, Subgraph), (Arc, Subgraph)];
    for (id, patterns) in [("threads-cycles", "cycle:3..=8"), ("threads-all", "all:3..=5")] {
        if !arena.wants(id) {
            continue;
        }
        let counter = Counter::new(&CountSpec::new(patterns.parse()?));
        // Wall and CPU seconds, the least of all turns, of one thread and of two.
        let mut least = [[f64::INFINITY; 2]; 2];
        for _ in 0..TURNS {
            for (pool, least) in [&one, &two].into_iter().zip(&mut least) {
                for _ in 0..PASSES {
                    let before = pool.broadcast(|_| clock::thread_cpu());
                    let work = || counter.count_views_each(&zinc, &views);
                    least[0] = least[0].min(pool.install(|| clock::wall_seconds(work)));
                    let after = pool.broadcast(|_| clock::thread_cpu());
                    let used = after.iter().zip(&before).map(|(after, before)| *after - *before);
                    least[1] = least[1].min(used.max().unwrap_or_default().as_secs_f64());
                }
            }
        }
        let speed_up = [least[0][0] / least[1][0], least[0][1] / least[1][1]];
        table.row([
            format!("2,000 ZINC molecules, {patterns}, vertex and arc, both matchings"),
            clock::show(least[0][0]),
            clock::show(least[1][0]),
            format!("{:.2}×", speed_up[0]),
            clock::show(least[0][1]),
            clock::show(least[1][1]),
            format!("{:.2}×", speed_up[1]),
            format!("{FLOOR}×"),
            match speed_up.map(|times| times >= FLOOR) {
                [true, _] => "yes",
                [false, true] => "by CPU time only",
                [false, false] => "**no**",
            }
            .to_owned(),
        ]);
    }
    println!("{table}");
    Ok(table)
}
