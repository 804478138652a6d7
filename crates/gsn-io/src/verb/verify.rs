//! A count table held against its input: the keys of every row, and a sample of the counts by
//! brute force ([`super::recount`]).

use super::recount::{Recount, RowResult, Sampled};
use super::sample::Reservoir;
use crate::error::Error;
use crate::monitor::{Event, Monitor};
use crate::names::{NameKind, VertexName};
use crate::record::Row;
use crate::source::GraphSource;
use crate::table::{CountTable, Sidecar};
use gsn_core::random::Random;
use gsn_core::setters;
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Rows of one graph that are recounted at most.
const ROWS: usize = 500;

/// Which table to check, and how much of it.
#[derive(Clone, Debug)]
pub struct VerifyRequest {
    /// The table; its sidecar lies beside it.
    pub table: PathBuf,
    /// The input; by default what the sidecar names, there or beside the table.
    pub input: Option<PathBuf>,
    /// Graphs to recount, 100 by default; with none only keys and the hash are checked.
    pub sample: usize,
    /// Start of the random choice of graphs and rows, 0 by default.
    pub seed: u64,
    /// Time to spend on recounting, 60 seconds by default.
    pub time: Duration,
    /// Hears how far the call is, and can stop it; by default neither.
    pub monitor: Monitor,
}

impl VerifyRequest {
    /// Checks `table`.
    pub fn new(table: impl Into<PathBuf>) -> Self {
        Self {
            table: table.into(),
            input: None,
            sample: 100,
            seed: 0,
            time: Duration::from_secs(60),
            monitor: Monitor::default(),
        }
    }

    setters! {
        with_input(input: PathBuf),
        with_sample(sample: usize),
        with_seed(seed: u64),
        with_time(time: Duration),
        with_monitor(monitor: Monitor),
    }
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct VerifyReport {
    /// The input that was read.
    pub input: PathBuf,
    /// Graphs in the table; the keys of all their rows are right.
    pub graphs: u64,
    /// Graphs of which some rows were recounted.
    pub recounted: u64,
    /// Rows that were recounted.
    pub rows: u64,
    /// Numbers that were recounted.
    pub cells: u64,
    /// Numbers that brute force could not recount in its steps.
    pub too_expensive: u64,
    /// Numbers of rows that were begun which there was no time for.
    pub out_of_time: u64,
    /// Rows that were chosen but not begun when time was up.
    pub not_begun: u64,
    /// Numbers that differ.
    pub differences: Vec<Difference>,
    /// Whether the table, which differs, is another one than its sidecar was written with.
    pub other_table: bool,
}

/// A number in the table that is not what brute force finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Row of the input.
    pub graph: u64,
    /// `[vertex, vertex]`, or `[source, target]`, as the table calls them.
    pub ends: [VertexName; 2],
    /// Name of the column.
    pub column: String,
    /// What the table says.
    pub table: u64,
    /// What brute force finds.
    pub brute_force: u128,
}

/// Why a table could not be checked, or is wrong as a whole.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The sidecar is missing or damaged.
    #[error("a table is checked with the sidecar that `gsn count` wrote beside {table}")]
    Sidecar {
        /// The table.
        table: String,
        /// What is wrong with the sidecar.
        source: Error,
    },
    /// Table or input cannot be read.
    #[error(transparent)]
    Io(#[from] Error),
    /// Where the input is cannot be told.
    #[error("{0}")]
    Input(String),
    /// What the sidecar says about a pattern is no use for brute force.
    #[error("{0}")]
    Pattern(String),
    /// The table does not belong to its sidecar or its input.
    #[error("{table}: {what}")]
    Table {
        /// The table.
        table: String,
        /// What does not fit.
        what: String,
    },
    /// The input is another one than was counted.
    #[error(
        "{input} is not the input that was counted: its sha256 is {found}, the sidecar says {said}"
    )]
    OtherInput {
        /// The input.
        input: String,
        /// Its sha256.
        found: String,
        /// That of the sidecar.
        said: String,
    },
    /// The monitor's switch was turned on.
    #[error("cancelled")]
    Cancelled,
}

/// Checks a table that [`count`](crate::count) wrote: its columns and keys, the hash of its input,
/// and by brute force a sample of its numbers. The search shares no code with the kernels.
///
/// ```
/// use gsn_core::CountSpec;
/// use gsn_io::{CountRequest, VerifyRequest, count, verify};
///
/// let dir = tempfile::tempdir()?;
/// let (input, output) = (dir.path().join("rings.g6"), dir.path().join("rings.csv"));
/// std::fs::write(&input, "Bw\nBg\n")?; // a triangle and a path
/// count(&CountRequest::new(&input, &output, CountSpec::new("cycle:3..=6".parse()?)))?;
/// let report = verify(&VerifyRequest::new(&output))?;
/// assert_eq!((report.graphs, report.cells), (2, 24));
/// assert!(report.differences.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When table, sidecar or input cannot be read, do not belong together, or the keys are wrong.
/// Numbers that differ are in the report.
pub fn verify(request: &VerifyRequest) -> Result<VerifyReport, VerifyError> {
    let sidecar = Sidecar::read(&request.table).map_err(|source| VerifyError::Sidecar {
        table: request.table.display().to_string(),
        source,
    })?;
    let recount = Recount::new(&sidecar)?;
    let checked = compare(request, &sidecar, &recount);
    // What is wrong with a table says more than that it is another one.
    match (checked, sidecar.check_table(&request.table)) {
        (Ok(report), Err(other)) if report.differences.is_empty() => Err(other.into()),
        (Ok(report), other) => Ok(VerifyReport { other_table: other.is_err(), ..report }),
        (Err(error), _) => Err(error),
    }
}

fn compare(
    request: &VerifyRequest,
    sidecar: &Sidecar,
    recount: &Recount,
) -> Result<VerifyReport, VerifyError> {
    let mut report = VerifyReport { input: input_of(request, sidecar)?, ..VerifyReport::default() };
    let sample = read(request, sidecar, recount, &mut report)?;
    let deadline = Instant::now() + request.time;
    let mut random = Random::new(request.seed ^ 0x5eed);
    for (at, sampled) in sample.iter().enumerate() {
        request.monitor.tell(Event::Recount { graph: at + 1, of: sample.len() });
        let rows = random.choose(ROWS, sampled.ends.len());
        let stopped = || request.monitor.check().is_err();
        let late = || Instant::now() > deadline || stopped();
        let done: Vec<RowResult> = rows
            .par_iter()
            .map(|&row| match late() {
                true => RowResult::default(),
                false => recount.row(sampled, row, &late),
            })
            .collect();
        if stopped() {
            return Err(VerifyError::Cancelled);
        }
        report.recounted += u64::from(done.iter().any(|row| row.begun));
        for row in done {
            report.rows += u64::from(row.begun);
            report.not_begun += u64::from(!row.begun);
            report.cells += row.cells;
            report.too_expensive += row.too_expensive;
            report.out_of_time += row.out_of_time;
            report.differences.extend(row.differences);
        }
    }
    Ok(report)
}

/// Where the input is: as named now, as named then, or beside the table.
fn input_of(request: &VerifyRequest, sidecar: &Sidecar) -> Result<PathBuf, VerifyError> {
    if let Some(input) = &request.input {
        return Ok(input.clone());
    }
    let Some(named) = &sidecar.input else {
        return Err(VerifyError::Input("the sidecar names no input; use --input".into()));
    };
    let named = Path::new(&named.digest.path);
    if named.as_os_str() == "-" {
        let what = "the table was counted from standard input; name the file with --input";
        return Err(VerifyError::Input(what.into()));
    }
    let beside = request.table.with_file_name(named.file_name().unwrap_or_default());
    [named.to_owned(), beside].into_iter().find(|path| path.exists()).ok_or_else(|| {
        let named = named.display();
        VerifyError::Input(format!("the input {named} is not there any more; use --input"))
    })
}

/// Reads table and input side by side, checks all keys and keeps a sample.
fn read(
    request: &VerifyRequest,
    sidecar: &Sidecar,
    recount: &Recount,
    report: &mut VerifyReport,
) -> Result<Vec<Sampled>, VerifyError> {
    let wrong =
        |what: String| VerifyError::Table { table: request.table.display().to_string(), what };
    let mut table = CountTable::open(&request.table)?;
    if table.columns() != recount.columns() {
        return Err(wrong("the columns are not those that the sidecar describes".into()));
    }
    let mut source = GraphSource::open(&report.input, &sidecar.read_options(&request.table)?)?;
    // Older tables hold the places of vertices, whatever the input calls them.
    let named = sidecar.table.as_ref().is_some_and(|table| table.vertex_names != NameKind::None);
    let mut reservoir = Reservoir::new(request.sample, request.seed);
    let (mut absent, mut empty, mut rejected, mut rows) = (0u64, 0u64, 0u64, 0u64);
    let mut next = table.next().transpose()?;
    for row in source.by_ref() {
        request.monitor.check().map_err(|_| VerifyError::Cancelled)?;
        rows += 1;
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
            if !counts.are_about(&ends, record.vertex_names.as_ref().filter(|_| named)) {
                let graph = counts.graph;
                return Err(wrong(format!("the rows of graph {graph} are not those of the input")));
            }
            report.graphs += 1;
            if report.graphs.is_multiple_of(1024) {
                request.monitor.tell(Event::Rows { read: rows, done: report.graphs });
            }
            reservoir.offer(Sampled { graph: record.graph, counts, ends });
        }
    }
    if let Some(named) = &sidecar.input {
        let (found, said) = (source.digest()?.sha256, named.digest.sha256.clone());
        if found != said {
            let input = report.input.display().to_string();
            return Err(VerifyError::OtherInput { input, found, said });
        }
    }
    if let Some(counts) = next {
        return Err(wrong(format!("graph {} is not in the input", counts.graph)));
    }
    if let Some(written) = &sidecar.table {
        let least = absent + rejected;
        if !(least..=least + empty).contains(&written.rejected) {
            return Err(wrong(format!(
                "{least} graphs of the input are not in the table, but {} were rejected",
                written.rejected
            )));
        }
    }
    let mut kept = reservoir.into_kept();
    kept.sort_by_key(|sampled| sampled.counts.graph);
    Ok(kept)
}
