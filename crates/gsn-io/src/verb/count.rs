//! From a file of graphs to a table of counts, as a stream: read, count in parallel, write in
//! order. Memory holds a few batches, whatever the number of rows.

use crate::error::Error;
use crate::monitor::{Event, Monitor};
use crate::names::VertexNames;
use crate::pipeline;
use crate::record::{Batch, GraphRecord, Rejected};
use crate::source::{GraphSource, ReadOptions};
use crate::table::{BudgetInfo, CountSink, InputInfo, Sidecar, TableFormat, TableSummary};
use gsn_core::count::{CountError, CountErrorKind};
use gsn_core::graph::Dropped;
use gsn_core::{Budget, CountSpec, Counter, Counts, Graph, setters};
use std::path::PathBuf;

/// Rows of a batch at most.
const BATCH_ROWS: usize = 256;
/// Numbers that are counted before they are handed on: 16 MB, unless one graph has more.
const PIECE_CELLS: usize = 1 << 21;
/// Arcs of a graph so large that its own progress is reported.
const LARGE: usize = 20_000;

/// What to count, where, and where to write it.
#[derive(Clone, Debug)]
pub struct CountRequest {
    /// The file or folder with graphs; `-` is standard input.
    pub input: PathBuf,
    /// The table; `-` is standard output.
    pub output: PathBuf,
    /// What is counted.
    pub spec: CountSpec,
    /// How the input is read; by default its name and contents tell.
    pub read: ReadOptions,
    /// The format of the table; by default the ending of `output` says it, and standard output
    /// gets CSV.
    pub format: Option<TableFormat>,
    /// The work that a graph may take, without limit by default; graphs beyond are rejected.
    pub budget: Budget,
    /// Hears how far the call is, and can stop it; by default neither.
    pub monitor: Monitor,
}

impl CountRequest {
    /// Counts what `spec` says in the graphs of `input` and writes the table `output`.
    pub fn new(input: impl Into<PathBuf>, output: impl Into<PathBuf>, spec: CountSpec) -> Self {
        Self {
            input: input.into(),
            output: output.into(),
            spec,
            read: ReadOptions::default(),
            format: None,
            budget: Budget::unlimited(),
            monitor: Monitor::default(),
        }
    }

    setters! {
        with_read(read: ReadOptions),
        with_format(format: TableFormat),
        with_budget(budget: Budget),
        with_monitor(monitor: Monitor),
    }
}

/// What was counted.
#[derive(Clone, Debug)]
pub struct CountSummary {
    /// What was written.
    pub table: TableSummary,
    /// Rows that were read, rejected ones included.
    pub input_rows: u64,
    /// Columns after the keys.
    pub columns: usize,
    /// What was left out of the graphs that were read.
    pub dropped: Dropped,
    /// What should be said about the input as a whole.
    pub notes: Vec<String>,
}

/// Counts the patterns of a [`CountSpec`] around every vertex, edge or arc of every graph of an
/// input and writes a table, with its [`Sidecar`] and the list of rejected rows beside it.
///
/// A row that is no graph, or that the budget does not suffice for, is rejected; the others are
/// counted. The numbers do not depend on the number of threads.
///
/// ```
/// use gsn_core::CountSpec;
/// use gsn_io::{CountRequest, count};
///
/// let dir = tempfile::tempdir()?;
/// let (input, output) = (dir.path().join("rings.g6"), dir.path().join("rings.csv"));
/// std::fs::write(&input, "Bw\nnonsense\nBg\n")?; // a triangle, a bad row, a path
/// let rings = CountSpec::new("cycle:3..=6".parse()?);
/// let summary = count(&CountRequest::new(&input, &output, rings))?;
/// assert_eq!((summary.table.graphs, summary.table.rows), (2, 6));
/// assert_eq!(summary.table.rejected.first[0].row, 1);
/// assert!(std::fs::read_to_string(&output)?.starts_with("graph,vertex,cycle:3/v0,"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the input cannot be read, the output cannot be written, the patterns fit none of the
/// first graphs ([`Error::Count`]), or the monitor's switch was turned on ([`Error::Cancelled`]).
/// Then nothing is written.
pub fn count(request: &CountRequest) -> Result<CountSummary, Error> {
    let CountRequest { input, output, spec, read, budget, monitor, .. } = request;
    let format = match request.format {
        Some(format) => format,
        None => TableFormat::of_output(output)?,
    };
    let source = GraphSource::open(input, read)?;
    let mut counter = Counter::new(spec).budget(*budget);
    if let Some(switch) = monitor.cancel() {
        counter = counter.cancel_when(switch.clone());
    }
    let columns: Vec<String> = counter.columns().iter().map(|c| c.name().to_owned()).collect();
    let sink = CountSink::create(output, format, spec.scope(), &columns, &source.files())?;
    let mut sink = sink.with_monitor(monitor.clone());
    let told = monitor.clone();
    let mut work = Work {
        large: counter.clone().on_progress(move |share| told.tell(Event::LargeGraph(share))),
        counter,
        width: columns.len(),
        monitor,
        rows: 0,
        graphs: 0,
        dropped: Dropped::default(),
        sure: false,
    };
    let write = |piece: Piece| {
        for Counted { row, graph, names, counts } in &piece.counted {
            sink.push_named(*row, graph, names.as_ref(), counts.values())?;
        }
        piece.rejected.iter().try_for_each(|rejected| sink.reject(rejected))
    };
    let small = source.is_small();
    let batches = source.read_batches(BATCH_ROWS);
    let process =
        |batch, send: &mut dyn FnMut(Piece) -> Result<(), Error>| work.process(batch, send);
    let batches = if small {
        pipeline::run_alone(batches, monitor, process, write)?
    } else {
        pipeline::run(batches, monitor, process, write)?
    };

    let mut sidecar = Sidecar::new(spec);
    sidecar.budget = BudgetInfo {
        steps: budget.max_steps(),
        seconds: budget.max_time().map(|time| time.as_secs_f64()),
    };
    sidecar.set_read_options(read);
    if output.as_os_str() != "-" {
        sidecar.input = Some(InputInfo::of(batches.source(), work.rows)?);
    }
    monitor.check()?;
    let (input_rows, dropped) = (work.rows, work.dropped);
    let notes = batches.source().notes();
    let table = sink.finish(Some(sidecar))?;
    Ok(CountSummary { table, input_rows, columns: columns.len(), dropped, notes })
}

/// Some graphs with their counts, and the rows between them that have none.
struct Piece {
    counted: Vec<Counted>,
    rejected: Vec<Rejected>,
}

struct Counted {
    row: u64,
    graph: Graph,
    names: Option<VertexNames>,
    counts: Counts,
}

/// The middle of the pipeline: batches in, pieces out.
struct Work<'a> {
    counter: Counter,
    /// The same, for a graph that is large enough to say how far it is.
    large: Counter,
    width: usize,
    monitor: &'a Monitor,
    rows: u64,
    graphs: u64,
    dropped: Dropped,
    /// Whether some graph was counted, so that the patterns are known to fit the input.
    sure: bool,
}

impl Work<'_> {
    fn process(
        &mut self,
        batch: Batch,
        send: &mut dyn FnMut(Piece) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.rows += (batch.records.len() + batch.rejected.len()) as u64;
        let mut rejected = batch.rejected.into_iter().peekable();
        let mut records = batch.records.into_iter().peekable();
        loop {
            self.monitor.check()?;
            let mut group: Vec<GraphRecord> = Vec::new();
            let mut cells = 0;
            while let Some(record) = records.next_if(|_| group.is_empty() || cells < PIECE_CELLS) {
                cells += (record.graph.arc_count() + record.graph.order()) * self.width;
                self.dropped.self_loops += record.dropped.self_loops;
                self.dropped.duplicates += record.dropped.duplicates;
                group.push(record);
            }
            let next = records.peek().map_or(u64::MAX, |record| record.row);
            let mut before = Vec::new();
            while let Some(bad) = rejected.next_if(|bad| bad.row < next) {
                before.push(bad);
            }
            let last = records.peek().is_none();
            send(self.count(group, before)?)?;
            self.monitor.tell(Event::Rows { read: self.rows, done: self.graphs });
            if last {
                return Ok(());
            }
        }
    }

    /// Counts a group of graphs; those that cannot be counted join the rejected rows.
    fn count(
        &mut self,
        group: Vec<GraphRecord>,
        mut rejected: Vec<Rejected>,
    ) -> Result<Piece, Error> {
        let (mut keys, mut graphs) = (Vec::new(), Vec::new());
        for record in group {
            keys.push((record.row, record.name, record.vertex_names));
            graphs.push(record.graph);
        }
        let results = match &graphs[..] {
            [graph] if graph.arc_count() >= LARGE => vec![self.large.count(graph)],
            many => self.counter.count_each(many),
        };
        self.check_fit(&results)?;
        self.monitor.check()?;
        let mut counted = Vec::with_capacity(graphs.len());
        for (((row, name, names), graph), result) in keys.into_iter().zip(graphs).zip(results) {
            match result {
                Ok(counts) => counted.push(Counted { row, graph, names, counts }),
                Err(error) => rejected.push(Rejected {
                    row,
                    line: None,
                    input: name.unwrap_or_default(),
                    reason: error.kind.to_string(),
                    fields: Vec::new(),
                }),
            }
        }
        self.graphs += counted.len() as u64;
        rejected.sort_by_key(|bad| bad.row);
        Ok(Piece { counted, rejected })
    }

    /// Patterns that fit none of the first graphs are a mistake in the request, not in the rows.
    fn check_fit(&mut self, results: &[Result<Counts, CountError>]) -> Result<(), Error> {
        if self.sure || results.is_empty() {
            return Ok(());
        }
        misfit(results).map_or(Ok(()), |kind| Err(Error::Count { kind }))?;
        self.sure = true;
        Ok(())
    }
}

/// Why patterns fit none of the graphs, if they do not.
pub(super) fn misfit(results: &[Result<Counts, CountError>]) -> Option<CountErrorKind> {
    let misfit = |result: &Result<Counts, CountError>| match result {
        Err(CountError { kind, .. }) => matches!(
            kind,
            CountErrorKind::Direction { .. }
                | CountErrorKind::NoLabels { .. }
                | CountErrorKind::DirectedEdges
        ),
        Ok(_) => false,
    };
    let first = results.first()?.as_ref().err()?;
    results.iter().all(misfit).then(|| first.kind.clone())
}
