//! From a file of graphs to a list of the occurrences themselves, as comma-separated values: one line an occurrence, with the
//! vertices in their roles as the input calls them. Memory holds a few hundred graphs, whatever the length of the list.

use super::count::misfit;
use crate::atomic::{Disk, Group};
use crate::error::Error;
use crate::monitor::{Event, Monitor};
use crate::names::VertexNames;
use crate::output::{OutFile, csv_field, decimal, refuse_input};
use crate::record::{GraphRecord, Rejected};
use crate::source::{GraphSource, ReadOptions};
use crate::table::{RejectedFile, RejectedRows, rejected_path};
use gsn_core::count::{Counts, Coverage, Occurrences};
use gsn_core::{Budget, CountSpec, Counter, Matching, PatternSet, Scope, setters};
use std::path::PathBuf;

/// Rows of a batch at most.
const BATCH_ROWS: usize = 256;

/// What to list, and where.
#[derive(Clone, Debug)]
pub struct ListRequest {
    /// The file or folder with graphs; `-` is standard input.
    pub input: PathBuf,
    /// The list, `.csv` or `.csv.gz`; `-` is standard output.
    pub output: PathBuf,
    /// The patterns.
    pub patterns: PatternSet,
    /// Which subgraphs are occurrences; induced by default.
    pub matching: Matching,
    /// Occurrences of one pattern in one graph that are listed at most; 1000 by default.
    pub limit: u64,
    /// How the input is read; by default its name and contents tell.
    pub read: ReadOptions,
    /// The work that counting a graph may take, without limit by default; graphs beyond are
    /// rejected.
    pub budget: Budget,
    /// Hears how far the call is, and can stop it; by default neither.
    pub monitor: Monitor,
}

impl ListRequest {
    /// Lists the occurrences of `patterns` in the graphs of `input` in `output`.
    pub fn new(
        input: impl Into<PathBuf>,
        output: impl Into<PathBuf>,
        patterns: PatternSet,
    ) -> Self {
        Self {
            input: input.into(),
            output: output.into(),
            patterns,
            matching: Matching::default(),
            limit: 1000,
            read: ReadOptions::default(),
            budget: Budget::unlimited(),
            monitor: Monitor::default(),
        }
    }

    setters! {
        with_matching(matching: Matching),
        with_limit(limit: u64),
        with_read(read: ReadOptions),
        with_budget(budget: Budget),
        with_monitor(monitor: Monitor),
    }
}

/// What was listed.
#[derive(Clone, Debug)]
pub struct ListSummary {
    /// For every pattern its occurrences in all graphs, as they were counted, and how many of
    /// them were listed.
    pub patterns: Vec<(u128, u64)>,
    /// Graphs that were counted.
    pub graphs: u64,
    /// Rows that were read, rejected ones included.
    pub input_rows: u64,
    /// Rows that are no graphs, or that the budget did not suffice for.
    pub rejected: RejectedRows,
    /// What should be said about the input as a whole.
    pub notes: Vec<String>,
}

/// Lists the occurrences of patterns in the graphs of an input, with the list of rejected rows beside.
///
/// The columns are `graph`, `pattern`, `number` (from 1), `of` (the exact total in this graph, which is counted, not listed)
/// and `v0`, `v1`, … for the vertices of the pattern.
///
/// ```
/// use gsn_io::{ListRequest, list};
///
/// let dir = tempfile::tempdir()?;
/// let (input, output) = (dir.path().join("friends.edges"), dir.path().join("list.csv"));
/// std::fs::write(&input, "ann bob\nbob eve\neve ann\neve tim\n")?;
/// let summary = list(&ListRequest::new(&input, &output, "cycle:3".parse()?))?;
/// assert_eq!(summary.patterns, [(1, 1)]);
/// let text = std::fs::read_to_string(&output)?;
/// assert_eq!(text, "graph,pattern,number,of,v0,v1,v2\n0,cycle:3,1,1,ann,bob,eve\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the input cannot be read or the list cannot be written, the patterns fit none of the graphs, or the monitor's
/// switch was turned on ([`Error::Cancelled`]). Then nothing is written.
pub fn list(request: &ListRequest) -> Result<ListSummary, Error> {
    let ListRequest { input, output, patterns, matching, read, budget, monitor, .. } = request;
    let source = GraphSource::open(input, read)?;
    let standard = output.as_os_str() == "-";
    let rejected = (!standard).then(|| rejected_path(output));
    refuse_input(output, &source.files())?;
    rejected.iter().try_for_each(|path| refuse_input(path, &source.files()))?;
    let spec = CountSpec::new(patterns.clone()).with_scope(Scope::Vertex).with_matching(*matching);
    let mut counter = Counter::new(&spec).budget(*budget);
    if let Some(switch) = monitor.cancel() {
        counter = counter.cancel_when(switch.clone());
    }
    let mut lines = Lines::create(request, Coverage::of(&spec))?;
    let mut rejected = RejectedFile::new(rejected);
    let (mut rows, mut graphs, mut sure) = (0, 0, false);
    let mut batches = source.read_batches(BATCH_ROWS);
    for batch in batches.by_ref() {
        let batch = batch?;
        rows += (batch.records.len() + batch.rejected.len()) as u64;
        let these: Vec<_> = batch.records.iter().map(|record| &record.graph).collect();
        let results = counter.count_each(&these);
        monitor.check()?;
        if !sure && !results.is_empty() {
            misfit(&results).map_or(Ok(()), |kind| Err(Error::Count { kind }))?;
            sure = true;
        }
        let mut bad = batch.rejected;
        for (record, result) in batch.records.iter().zip(results) {
            match result {
                Ok(counts) => {
                    lines.put(record, &counts)?;
                    graphs += 1;
                }
                Err(error) => bad.push(rejected_row(record, &error.kind.to_string())),
            }
        }
        bad.sort_by_key(|bad| bad.row);
        bad.iter().try_for_each(|bad| rejected.push(bad))?;
        monitor.tell(Event::Rows { read: rows, done: graphs });
    }
    let mut group = Group::default();
    let rejected = rejected.finish_in(&mut group)?;
    let patterns = lines.totals.clone();
    lines.file.finish(&mut group)?;
    group.commit()?;
    let notes = batches.source().notes();
    Ok(ListSummary { patterns, graphs, input_rows: rows, rejected, notes })
}

fn rejected_row(record: &GraphRecord, reason: &str) -> Rejected {
    let name = record.name.clone().unwrap_or_default();
    Rejected::new(record.row, record.line, name.as_bytes(), reason)
}

/// The list in the making.
struct Lines<'a> {
    request: &'a ListRequest,
    coverage: Coverage,
    file: OutFile,
    /// Vertices of the largest pattern.
    roles: usize,
    /// Counted and listed so far, for every pattern.
    totals: Vec<(u128, u64)>,
    line: Vec<u8>,
}

impl<'a> Lines<'a> {
    fn create(request: &'a ListRequest, coverage: Coverage) -> Result<Self, Error> {
        let mut file = OutFile::create(&request.output, &Disk::default())?;
        let roles = request.patterns.iter().map(|pattern| pattern.order()).max().unwrap_or(0);
        let mut header = "graph,pattern,number,of".to_owned();
        (0..roles).for_each(|role| header += &format!(",v{role}"));
        file.put((header + "\n").as_bytes())?;
        let totals = vec![(0, 0); request.patterns.len()];
        Ok(Self { request, coverage, file, roles, totals, line: Vec::new() })
    }

    /// The occurrences in one graph.
    fn put(&mut self, record: &GraphRecord, counts: &Counts) -> Result<(), Error> {
        let ListRequest { patterns, matching, limit, monitor, .. } = self.request;
        let counted = self.coverage.totals(counts);
        for (at, (pattern, total)) in patterns.iter().zip(counted).enumerate() {
            self.totals[at].0 += total;
            let wanted = total.min((*limit).into()) as usize;
            let mut found = Occurrences::new(pattern, &record.graph, *matching);
            if let Some(switch) = monitor.cancel() {
                found = found.stop_when(switch.clone());
            }
            for (number, image) in found.take(wanted).enumerate() {
                self.line.clear();
                decimal(&mut self.line, record.row);
                self.line.push(b',');
                csv_field(&mut self.line, pattern.name());
                self.line.extend(format!(",{},{total}", number + 1).bytes());
                for v in &image {
                    self.line.push(b',');
                    name(&mut self.line, record.vertex_names.as_ref(), *v);
                }
                self.line.extend(std::iter::repeat_n(b',', self.roles - image.len()));
                self.line.push(b'\n');
                self.file.put(&self.line)?;
                self.totals[at].1 += 1;
            }
            monitor.check()?;
        }
        Ok(())
    }
}

fn name(out: &mut Vec<u8>, names: Option<&VertexNames>, v: u32) {
    match names {
        Some(names) => csv_field(out, &names.get(v).to_string()),
        None => decimal(out, v.into()),
    }
}
