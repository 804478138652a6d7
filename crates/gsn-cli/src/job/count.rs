//! From a file of graphs to a table of counts, as a stream: read, count in parallel, write in
//! order. Memory holds a few batches, whatever the number of rows.

use super::pipeline::{self, Stage};
use anyhow::bail;
use gsn_core::count::{CountError, CountErrorKind};
use gsn_core::graph::Dropped;
use gsn_core::{Counter, Counts, Graph};
use gsn_io::{
    Batch, CountSink, GraphRecord, GraphSource, InputInfo, ReadOptions, Rejected, Sidecar,
    TableFormat, TableSummary,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Rows of a batch at most.
const BATCH_ROWS: usize = 1024;
/// Numbers that are counted before they are handed on: 16 MB, unless one graph has more.
const PIECE_CELLS: usize = 1 << 21;

/// Arcs of a graph that is worth a word about how far it is.
const LARGE: usize = 20_000;

/// Everything that is needed to count.
pub(crate) struct Job {
    /// What to read; `-` is standard input.
    pub(crate) input: PathBuf,
    /// How to read it.
    pub(crate) read: ReadOptions,
    /// What to count.
    pub(crate) counter: Counter,
    /// The same, for a graph that is large enough to say how far it is.
    pub(crate) large: Counter,
    /// Where to write; `-` is standard output.
    pub(crate) output: PathBuf,
    /// What to write.
    pub(crate) format: TableFormat,
    /// What to write beside it; input and table are filled in.
    pub(crate) sidecar: Sidecar,
    /// Turned on to stop.
    pub(crate) cancel: Arc<AtomicBool>,
}

/// What was done.
pub(crate) struct Summary {
    /// What was written.
    pub(crate) table: TableSummary,
    /// Rows that were read, rejected ones included.
    pub(crate) input_rows: u64,
    /// Columns after the keys.
    pub(crate) columns: usize,
    /// The first rejected rows.
    pub(crate) first_rejected: Vec<Rejected>,
    /// What was left out of the graphs that were read.
    pub(crate) dropped: Dropped,
    /// What the reader has to say about the input.
    pub(crate) notes: Vec<String>,
}

/// Rejected rows that a summary holds.
const FIRST: usize = 100;

/// Some graphs with their counts, and the rows between them that have none.
struct Piece {
    counted: Vec<(u64, Graph, Counts)>,
    rejected: Vec<Rejected>,
}

/// Counts and writes. `tell` is called with the rows read and the graphs counted so far.
///
/// # Errors
/// When the input cannot be read, the output cannot be written, the patterns do not fit the
/// graphs, or the switch was turned on. Then there is no output.
pub(crate) fn count(job: Job, tell: &(dyn Fn(u64, u64) + Sync)) -> anyhow::Result<Summary> {
    let source = GraphSource::open(&job.input, &job.read)?;
    let columns: Vec<String> =
        job.counter.columns().iter().map(|column| column.name().to_owned()).collect();
    let inputs = files_of(&job.input);
    let mut sink =
        CountSink::create(&job.output, job.format, job.counter.spec().scope(), &columns, &inputs)?;
    let mut work = Work {
        counter: &job.counter,
        large: &job.large,
        width: columns.len(),
        cancel: &job.cancel,
        tell,
        rows: 0,
        graphs: 0,
        dropped: Dropped::default(),
        first_rejected: Vec::new(),
        sure: false,
    };
    let mut write = |piece: Piece| -> anyhow::Result<()> {
        for (row, graph, counts) in &piece.counted {
            sink.push(*row, graph, counts.values())?;
        }
        for rejected in &piece.rejected {
            sink.reject(rejected)?;
        }
        Ok(())
    };
    let batches = source.read_batches(BATCH_ROWS);
    let batches = pipeline::run(batches, &mut work, &mut write)?;

    let mut sidecar = job.sidecar;
    let input_rows = work.rows;
    if job.output.as_os_str() != "-" {
        sidecar.input = Some(InputInfo::of_batches(&batches, input_rows)?);
    }
    work.stop_if_cancelled()?;
    let (dropped, first_rejected) = (work.dropped, work.first_rejected);
    let notes = batches.source().notes();
    let table = sink.finish(Some(sidecar))?;
    Ok(Summary { table, input_rows, columns: columns.len(), first_rejected, dropped, notes })
}

/// The files that an output must not replace.
pub(crate) fn files_of(input: &Path) -> Vec<PathBuf> {
    let mut files = vec![input.to_owned()];
    if let Ok(entries) = input.read_dir() {
        files.extend(entries.flatten().map(|entry| entry.path()));
    }
    files
}

/// The middle of the pipeline: batches in, pieces out.
struct Work<'a> {
    counter: &'a Counter,
    large: &'a Counter,
    width: usize,
    cancel: &'a AtomicBool,
    tell: &'a (dyn Fn(u64, u64) + Sync),
    rows: u64,
    graphs: u64,
    dropped: Dropped,
    first_rejected: Vec<Rejected>,
    /// Whether some graph was counted, so that the patterns are known to fit the input.
    sure: bool,
}

impl Stage<Batch, Piece> for Work<'_> {
    fn process(
        &mut self,
        batch: Batch,
        send: &mut dyn FnMut(Piece) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        self.rows += (batch.records.len() + batch.rejected.len()) as u64;
        let mut rejected = batch.rejected.into_iter().peekable();
        let mut records = batch.records.into_iter().peekable();
        loop {
            self.stop_if_cancelled()?;
            let mut group: Vec<GraphRecord> = Vec::new();
            let mut cells = 0;
            while let Some(record) = records.next_if(|_| group.is_empty() || cells < PIECE_CELLS) {
                cells += (record.graph.arc_count() + record.graph.order()) * self.width;
                self.dropped.self_loops += record.dropped.self_loops;
                self.dropped.duplicates += record.dropped.duplicates;
                group.push(record);
            }
            let next = records.peek().map_or(u64::MAX, |record| record.row);
            let mut own = Vec::new();
            while let Some(bad) = rejected.next_if(|bad| bad.row < next) {
                own.push(bad);
            }
            let last = records.peek().is_none();
            send(self.count(group, own)?)?;
            (self.tell)(self.rows, self.graphs);
            if last {
                return Ok(());
            }
        }
    }

    fn wait(&mut self) -> anyhow::Result<()> {
        self.stop_if_cancelled()
    }
}

impl Work<'_> {
    fn stop_if_cancelled(&self) -> anyhow::Result<()> {
        if self.cancel.load(Ordering::Relaxed) {
            bail!("cancelled; nothing was written");
        }
        Ok(())
    }

    /// Counts a group of graphs; those that cannot be counted join the rejected rows.
    fn count(
        &mut self,
        group: Vec<GraphRecord>,
        mut rejected: Vec<Rejected>,
    ) -> anyhow::Result<Piece> {
        let (mut keys, mut graphs) = (Vec::new(), Vec::new());
        for record in group {
            keys.push((record.row, record.name));
            graphs.push(record.graph);
        }
        let results = match &graphs[..] {
            [graph] if graph.arc_count() >= LARGE => vec![self.large.count(graph)],
            many => self.counter.count_each(many),
        };
        self.check_fit(&results)?;
        self.stop_if_cancelled()?;
        let mut counted = Vec::with_capacity(graphs.len());
        for (((row, name), graph), result) in keys.into_iter().zip(graphs).zip(results) {
            match result {
                Ok(counts) => counted.push((row, graph, counts)),
                Err(error) => rejected.push(Rejected {
                    row,
                    line: None,
                    input: name.unwrap_or_default(),
                    reason: error.kind.to_string(),
                }),
            }
        }
        self.graphs += counted.len() as u64;
        rejected.sort_by_key(|bad| bad.row);
        let room = FIRST.saturating_sub(self.first_rejected.len());
        self.first_rejected.extend(rejected.iter().take(room).cloned());
        Ok(Piece { counted, rejected })
    }

    /// Patterns that fit none of the first graphs are a mistake in the command, not in the rows.
    fn check_fit(&mut self, results: &[Result<Counts, CountError>]) -> anyhow::Result<()> {
        if self.sure || results.is_empty() {
            return Ok(());
        }
        let misfit = |result: &Result<Counts, CountError>| match result {
            Err(CountError { kind, .. }) => matches!(
                kind,
                CountErrorKind::Direction { .. }
                    | CountErrorKind::NoLabels { .. }
                    | CountErrorKind::DirectedEdges
            ),
            Ok(_) => false,
        };
        if let Some(Err(error)) = results.first().filter(|_| results.iter().all(misfit)) {
            bail!("{}", error.kind);
        }
        self.sure = true;
        Ok(())
    }
}
