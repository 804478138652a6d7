//! A count table held against its input: the keys of every row, and a sample of the counts by
//! brute force.
//!
//! A cell is the number of injective maps that send a member of the orbit to the row's vertex (or
//! edge, or arc), divided by |Aut(H)|; orbits and |Aut(H)| are those of the sidecar. The search
//! shares no code with the kernels and visits nothing but the row's surroundings, so rows of a
//! large graph can be checked alone.

use super::sample::{Random, Reservoir};
use anyhow::{Context, bail, ensure};
use gsn_core::count::oracle;
use gsn_core::{Graph, Matching, Pattern, Scope};
use gsn_io::{CountTable, GraphCounts, GraphSource, PatternInfo, ReadOptions, Row, Sidecar};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Steps that one cell may take.
const CELL_STEPS: u64 = 20_000_000;
/// Rows of one graph that are recounted at most.
const ROWS: usize = 500;

/// What to check, and how much of it.
pub(crate) struct Job {
    /// The table.
    pub(crate) table: PathBuf,
    /// The input, when it is no longer where the sidecar says.
    pub(crate) input: Option<PathBuf>,
    /// Graphs to recount.
    pub(crate) sample: usize,
    /// Start of the random choice.
    pub(crate) seed: u64,
    /// Time to spend on recounting.
    pub(crate) time: Duration,
    /// Turned on to stop.
    pub(crate) cancel: Arc<AtomicBool>,
}

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// The input that was read.
    pub(crate) input: PathBuf,
    /// Graphs in the table; the keys of all their rows are right.
    pub(crate) graphs: u64,
    /// Graphs of which some rows were recounted.
    pub(crate) recounted: u64,
    /// Rows that were recounted.
    pub(crate) rows: u64,
    /// Numbers that were recounted.
    pub(crate) cells: u64,
    /// Numbers that brute force could not recount in its steps.
    pub(crate) too_expensive: u64,
    /// Rows that were chosen but not begun when time was up.
    pub(crate) not_begun: u64,
    /// Numbers that differ.
    pub(crate) differences: Vec<Difference>,
}

/// A number in the table that is not what brute force finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    /// Row of the input.
    pub(crate) graph: u64,
    /// `[vertex, vertex]`, or `[source, target]`.
    pub(crate) ends: [u32; 2],
    /// Name of the column.
    pub(crate) column: String,
    /// What the table says.
    pub(crate) table: u64,
    /// What brute force finds.
    pub(crate) brute_force: u128,
}

/// Checks a table. `tell` is called now and then with what is going on.
///
/// # Errors
/// When table, sidecar or input cannot be read, do not belong together, or the keys are wrong.
pub(crate) fn verify(job: &Job, tell: &dyn Fn(String)) -> anyhow::Result<Report> {
    let sidecar = Sidecar::read(&job.table).with_context(|| {
        format!(
            "a table is checked with the sidecar that `gsn count` wrote beside {}",
            job.table.display()
        )
    })?;
    let recount = Recount::new(&sidecar)?;
    let mut report = Report { input: input_of(job, &sidecar)?, ..Report::default() };
    let sample = read(job, &sidecar, &recount, &mut report, tell)?;
    let deadline = Instant::now() + job.time;
    let mut random = Random::new(job.seed ^ 0x5eed);
    for (at, (graph, counts)) in sample.iter().enumerate() {
        tell(format!("recounting graph {} of {}", at + 1, sample.len()));
        let rows = random.choose(ROWS, counts.ends.len());
        let done: Vec<RowResult> = rows
            .par_iter()
            .map(|&row| {
                let late = Instant::now() > deadline || job.cancel.load(Relaxed);
                if late { None } else { Some(recount.row(graph, counts, row)) }
            })
            .map(|checked| checked.unwrap_or(RowResult { begun: false, ..Default::default() }))
            .collect();
        ensure!(!job.cancel.load(Relaxed), "cancelled");
        report.recounted += u64::from(done.iter().any(|row| row.begun));
        for row in done {
            report.rows += u64::from(row.begun);
            report.not_begun += u64::from(!row.begun);
            report.cells += row.cells;
            report.too_expensive += row.too_expensive;
            report.differences.extend(row.differences);
        }
    }
    Ok(report)
}

/// Where the input is: as named now, as named then, or beside the table.
fn input_of(job: &Job, sidecar: &Sidecar) -> anyhow::Result<PathBuf> {
    if let Some(input) = &job.input {
        return Ok(input.clone());
    }
    let named = sidecar.input.as_ref().context("the sidecar names no input; use --input")?;
    let named = Path::new(&named.digest.path);
    if named.as_os_str() == "-" {
        bail!("the table was counted from standard input; name the file with --input");
    }
    let beside = job.table.with_file_name(named.file_name().unwrap_or_default());
    [named.to_owned(), beside].into_iter().find(|path| path.exists()).with_context(|| {
        format!("the input {} is not there any more; use --input", named.display())
    })
}

/// Reads table and input side by side, checks all keys and keeps a sample.
fn read(
    job: &Job,
    sidecar: &Sidecar,
    recount: &Recount,
    report: &mut Report,
    tell: &dyn Fn(String),
) -> anyhow::Result<Vec<(Graph, GraphCounts)>> {
    let name = job.table.display();
    let mut table = CountTable::open(&job.table)?;
    ensure!(
        table.columns() == recount.columns,
        "{name}: the columns are not those that the sidecar describes"
    );
    let mut source = GraphSource::open(&report.input, &read_options(sidecar)?)?;
    let mut reservoir = Reservoir::new(job.sample, job.seed);
    let (mut absent, mut empty, mut rejected) = (0u64, 0u64, 0u64);
    let mut next = table.next().transpose()?;
    for row in source.by_ref() {
        ensure!(!job.cancel.load(Relaxed), "cancelled");
        let Row::Graph(record) = row? else {
            rejected += 1;
            continue;
        };
        let ends = recount.ends(&record.graph);
        if next.as_ref().is_none_or(|counts| counts.graph != record.row) {
            // Graphs that could not be counted have no rows, and neither have empty ones.
            absent += u64::from(!ends.is_empty());
            empty += u64::from(ends.is_empty());
            continue;
        }
        if let Some(counts) = std::mem::replace(&mut next, table.next().transpose()?) {
            ensure!(
                counts.ends == ends,
                "{name}: the rows of graph {} are not those of the input",
                counts.graph
            );
            report.graphs += 1;
            if report.graphs.is_multiple_of(1024) {
                tell(format!("{} graphs read", report.graphs));
            }
            reservoir.offer((record.graph, counts));
        }
    }
    if let Some(named) = &sidecar.input {
        let found = source.digest()?.sha256;
        ensure!(
            found == named.digest.sha256,
            "{} is not the input that was counted: its sha256 is {found}, the sidecar says {}",
            report.input.display(),
            named.digest.sha256
        );
    }
    if let Some(counts) = next {
        bail!("{name}: graph {} is not in the input", counts.graph);
    }
    if let Some(written) = &sidecar.table {
        let least = absent + rejected;
        ensure!(
            (least..=least + empty).contains(&written.rejected),
            "{name}: {least} graphs of the input are not in the table, but {} were rejected",
            written.rejected
        );
    }
    let mut kept = reservoir.into_kept();
    kept.sort_by_key(|(_, counts)| counts.graph);
    Ok(kept)
}

/// How the input was read.
fn read_options(sidecar: &Sidecar) -> anyhow::Result<ReadOptions> {
    let text = |name: &str| sidecar.options.get(name).and_then(|value| value.as_str());
    Ok(ReadOptions {
        format: text("format").map(str::parse).transpose()?,
        directed: sidecar.options.get("directed").is_some_and(|value| value == true),
        smiles_column: text("smiles").map(str::to_owned),
        ..ReadOptions::default()
    })
}

/// Everything that is known about the columns.
struct Recount {
    scope: Scope,
    matching: Matching,
    columns: Vec<String>,
    patterns: Vec<Described>,
}

/// A pattern as the sidecar describes it.
struct Described {
    pattern: Pattern,
    automorphisms: u128,
    /// For every orbit the ways in which its members can lie on the ends of a row.
    orbits: Vec<Vec<Vec<usize>>>,
}

#[derive(Default)]
struct RowResult {
    begun: bool,
    cells: u64,
    too_expensive: u64,
    differences: Vec<Difference>,
}

impl Recount {
    fn new(sidecar: &Sidecar) -> anyhow::Result<Self> {
        let (scope, matching) = (sidecar.spec.scope(), sidecar.spec.matching());
        let mut columns = Vec::new();
        let mut patterns = Vec::new();
        for info in &sidecar.patterns {
            let described = Described::new(info, scope)?;
            let letter = match scope {
                Scope::Vertex => 'v',
                Scope::Edge => 'e',
                Scope::Arc => 'a',
            };
            let name = |orbit| format!("{}/{letter}{orbit}", info.name);
            columns.extend((0..described.orbits.len()).map(name));
            patterns.push(described);
        }
        Ok(Self { scope, matching, columns, patterns })
    }

    /// The keys that a graph's rows must have.
    fn ends(&self, graph: &Graph) -> Vec<[u32; 2]> {
        match self.scope {
            Scope::Vertex => (0..graph.order() as u32).map(|v| [v, v]).collect(),
            Scope::Edge => graph.edges().map(|(u, v)| [u, v]).collect(),
            Scope::Arc => graph.arcs().map(|(u, v)| [u, v]).collect(),
        }
    }

    /// Recounts one row.
    fn row(&self, graph: &Graph, counts: &GraphCounts, row: usize) -> RowResult {
        let mut result = RowResult { begun: true, ..RowResult::default() };
        let ends = counts.ends[row];
        let values = &counts.values[row * self.columns.len()..][..self.columns.len()];
        let mut column = 0;
        for described in &self.patterns {
            for orbit in &described.orbits {
                let (table, name) = (values[column], &self.columns[column]);
                column += 1;
                let Some(maps) = described.maps(graph, self.matching, orbit, ends) else {
                    result.too_expensive += 1;
                    continue;
                };
                result.cells += 1;
                if u128::from(table).checked_mul(described.automorphisms) != Some(maps) {
                    let brute_force = maps / described.automorphisms;
                    let (graph, column) = (counts.graph, name.clone());
                    result.differences.push(Difference { graph, ends, column, table, brute_force });
                }
            }
        }
        result
    }
}

impl Described {
    fn new(info: &PatternInfo, scope: Scope) -> anyhow::Result<Self> {
        let pattern = info.pattern()?;
        let automorphisms = info.automorphisms.parse().with_context(|| {
            format!("`{}` has too many automorphisms for brute force", info.name)
        })?;
        ensure!(automorphisms > 0, "the sidecar gives {} no automorphism", info.name);
        let both = |&(a, b): &(usize, usize)| [vec![a, b], vec![b, a]];
        let orbits = match scope {
            Scope::Vertex => {
                let of = |orbit: &Vec<usize>| orbit.iter().map(|&v| vec![v]).collect();
                info.vertex_orbits.iter().map(of).collect()
            }
            Scope::Arc => {
                let of =
                    |orbit: &Vec<(usize, usize)>| orbit.iter().map(|&(a, b)| vec![a, b]).collect();
                info.arc_orbits.iter().map(of).collect()
            }
            Scope::Edge => {
                let of = |orbit: &Vec<(usize, usize)>| orbit.iter().flat_map(both).collect();
                info.edge_orbits.iter().map(of).collect()
            }
        };
        Ok(Self { pattern, automorphisms, orbits })
    }

    /// The maps behind one number of the table, each occurrence as often as the pattern has
    /// automorphisms; `None` when that takes too many steps.
    fn maps(
        &self,
        graph: &Graph,
        matching: Matching,
        orbit: &[Vec<usize>],
        ends: [u32; 2],
    ) -> Option<u128> {
        let mut maps = 0u128;
        for members in orbit {
            let fixed: Vec<(usize, u32)> = members.iter().copied().zip(ends).collect();
            let found = oracle::maps_through(&self.pattern, graph, matching, &fixed, CELL_STEPS)?;
            maps += u128::from(found);
        }
        Some(maps)
    }
}
