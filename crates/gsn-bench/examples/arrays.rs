//! Counts graphs that are in memory as edge indexes: the Rust side of
//! `crates/gsn-py/benches/floors.py`, which starts it and asks for one pass after the other.
//!
//! `arrays FILE PATTERNS` reads a file of 64-bit numbers (graphs, columns, the vertices of every
//! graph, where the columns of each start, all sources, all targets). For every line `vertex` or
//! `arc` on its standard input it answers with the seconds of CPU time of one pass, one thread,
//! from the edge indexes (graphs are built and counted) and from graphs that are built already,
//! and with the sum of all counts.
#![allow(clippy::print_stdout, reason = "a benchmark is a program that prints")]

use anyhow::{Context, Result, bail};
use gsn_bench::clock::cpu;
use gsn_core::{CountSpec, Counter, Counts, Graph, Scope};
use std::hint::black_box;
use std::io::BufRead;

/// Edge indexes one after the other, as PyTorch Geometric keeps them.
struct Arrays {
    orders: Vec<usize>,
    starts: Vec<usize>,
    sources: Vec<i64>,
    targets: Vec<i64>,
}

impl Arrays {
    fn read(path: &str) -> Result<Self> {
        let bytes = std::fs::read(path).with_context(|| format!("no {path}"))?;
        let numbers: Vec<i64> =
            bytes.as_chunks().0.iter().map(|&bytes| i64::from_le_bytes(bytes)).collect();
        let [graphs, columns, rest @ ..] = &numbers[..] else { bail!("{path} is empty") };
        let (graphs, columns) = (usize::try_from(*graphs)?, usize::try_from(*columns)?);
        if rest.len() != 2 * graphs + 1 + 2 * columns {
            bail!("{path} holds {} numbers for {graphs} graphs", rest.len());
        }
        let whole = |numbers: &[i64]| -> Result<Vec<usize>> {
            numbers.iter().map(|&n| Ok(usize::try_from(n)?)).collect()
        };
        let (orders, rest) = rest.split_at(graphs);
        let (starts, rest) = rest.split_at(graphs + 1);
        let (sources, targets) = rest.split_at(columns);
        Ok(Self {
            orders: whole(orders)?,
            starts: whole(starts)?,
            sources: sources.to_vec(),
            targets: targets.to_vec(),
        })
    }

    /// The graph of some columns.
    fn graph(&self, g: usize) -> Result<Graph> {
        let columns = self.starts[g]..self.starts[g + 1];
        let ends = self.sources[columns.clone()].iter().zip(&self.targets[columns]);
        Ok(Graph::from_edges(self.orders[g], ends.map(|(&u, &v)| (u as u32, v as u32)))?)
    }

    fn graphs(&self) -> Result<Vec<Graph>> {
        (0..self.orders.len()).map(|g| self.graph(g)).collect()
    }
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, patterns] = &arguments[..] else { bail!("usage: arrays FILE PATTERNS") };
    let arrays = Arrays::read(path)?;
    let graphs = arrays.graphs()?;
    let spec = CountSpec::new(patterns.parse()?);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    for line in std::io::stdin().lock().lines() {
        let scope: Scope = line?.trim().parse()?;
        let counter = Counter::new(&spec.clone().with_scope(scope));
        let (from_edges, from_graphs, sum) = pool.install(|| -> Result<_> {
            let begin = cpu();
            black_box(counter.count_many(&arrays.graphs()?)?);
            let middle = cpu();
            let counts = counter.count_many(&graphs)?;
            let end = cpu();
            Ok((middle - begin, end - middle, counts.iter().map(total).sum::<u64>()))
        })?;
        println!("{} {} {sum}", from_edges.as_secs_f64(), from_graphs.as_secs_f64());
    }
    Ok(())
}

/// The sum of a table.
fn total(counts: &Counts) -> u64 {
    counts.filled().1.iter().sum()
}
