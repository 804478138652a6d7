//! The graphs of an input in another format, row after row. Memory holds a few hundred rows.

use crate::atomic::Group;
use crate::error::Error;
use crate::format::Format;
use crate::monitor::{Event, Monitor};
use crate::record::Row;
use crate::source::{GraphSource, ReadOptions};
use crate::table::{RejectedFile, RejectedRows, rejected_path};
use crate::write::{GraphSink, Lost};
use gsn_core::setters;
use std::path::PathBuf;

/// What to convert, and to what.
#[derive(Clone, Debug)]
pub struct ConvertRequest {
    /// The file or folder with graphs; `-` is standard input.
    pub input: PathBuf,
    /// The file or folder to write; `-` is standard output.
    pub output: PathBuf,
    /// How the input is read; by default its name and contents tell.
    pub read: ReadOptions,
    /// The format of the output; by default its ending says it.
    pub format: Option<Format>,
    /// Hears how far the call is, and can stop it; by default neither.
    pub monitor: Monitor,
}

impl ConvertRequest {
    /// Writes the graphs of `input` to `output`.
    pub fn new(input: impl Into<PathBuf>, output: impl Into<PathBuf>) -> Self {
        Self {
            input: input.into(),
            output: output.into(),
            read: ReadOptions::default(),
            format: None,
            monitor: Monitor::default(),
        }
    }

    setters! { with_read(read: ReadOptions), with_format(format: Format), with_monitor(monitor: Monitor) }
}

/// What was converted.
#[derive(Clone, Debug)]
pub struct ConvertSummary {
    /// The format that was written.
    pub format: Format,
    /// Graphs that were written.
    pub graphs: u64,
    /// Rows that were read, rejected ones included.
    pub input_rows: u64,
    /// Rows that are no graphs.
    pub rejected: RejectedRows,
    /// What the format cannot hold.
    pub lost: Lost,
    /// What should be said about the input as a whole.
    pub notes: Vec<String>,
}

/// Writes the graphs of an input in another format, with the list of rejected rows beside them.
///
/// ```
/// use gsn_io::{ConvertRequest, convert};
///
/// let dir = tempfile::tempdir()?;
/// let (input, output) = (dir.path().join("two.g6"), dir.path().join("two.gin"));
/// std::fs::write(&input, "A_\nnonsense\n")?;
/// let summary = convert(&ConvertRequest::new(&input, &output))?;
/// assert_eq!((summary.graphs, summary.rejected.count), (1, 1));
/// assert!(summary.lost.is_nothing());
/// assert_eq!(std::fs::read_to_string(&output)?, "1\n2 0\n0 1 1\n0 1 0\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the input cannot be read, holds no graph ([`Error::NoGraph`]), the format cannot hold
/// one of its graphs or is not for writing, or the monitor's switch was turned on
/// ([`Error::Cancelled`]). Then nothing is written.
pub fn convert(request: &ConvertRequest) -> Result<ConvertSummary, Error> {
    let ConvertRequest { input, output, read, monitor, .. } = request;
    let format = match request.format {
        Some(format) => format,
        None => Format::of_output(output)?,
    };
    let mut source = GraphSource::open(input, read)?;
    let mut sink = GraphSink::create(output, format, &source.files())?;
    let standard = output.as_os_str() == "-";
    let mut list = RejectedFile::new((!standard).then(|| rejected_path(output)));
    let mut input_rows = 0u64;
    for row in source.by_ref() {
        match row? {
            Row::Graph(record) => {
                sink.push(&record)?;
            }
            Row::Rejected(bad) => list.push(&bad)?,
        }
        input_rows += 1;
        if input_rows.is_multiple_of(1024) {
            monitor.tell(Event::Rows { read: input_rows, done: sink.written() });
            monitor.check()?;
        }
    }
    let graphs = sink.written();
    if graphs == 0 {
        let path = input.display().to_string();
        return Err(Error::NoGraph { path, rejected: list.into_first() });
    }
    let mut group = Group::default();
    let rejected = list.finish_in(&mut group)?;
    let lost = sink.finish_in(&mut group)?;
    group.commit()?;
    Ok(ConvertSummary { format, graphs, input_rows, rejected, lost, notes: source.notes() })
}
