//! From a file of graphs to a table of predictions, as a stream: read, predict in parallel, write
//! in order. Memory holds a few batches, whatever the number of rows.

use super::beside::{Judge, Judgement, Keep, Kept, check_columns};
use super::{Answer, Predictor, Tally};
use crate::error::Result;
use gsn_core::setters;
use gsn_io::{
    Batch, Batches, Delimiter, Error, Event, Format, GraphSource, Monitor, Prediction,
    PredictionColumns, PredictionKind, PredictionSink, ReadOptions, Rejected, RejectedRows,
    TableFormat, pipeline,
};
use std::io::Cursor;
use std::path::PathBuf;

/// Rows that are read and predicted together.
const BATCH_ROWS: usize = 2048;

/// Where the graphs are.
#[derive(Debug, Clone)]
pub enum PredictInput {
    /// A file or folder; `-` is standard input.
    Path(PathBuf),
    /// These SMILES themselves.
    Smiles(Vec<String>),
}

impl<P: Into<PathBuf>> From<P> for PredictInput {
    fn from(path: P) -> Self {
        Self::Path(path.into())
    }
}

impl PredictInput {
    /// How messages call it.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Path(path) if path.as_os_str() == "-" => "standard input".into(),
            Self::Path(path) => path.display().to_string(),
            Self::Smiles(_) => "the SMILES given".into(),
        }
    }

    pub(crate) fn open(&self, read: ReadOptions) -> Result<GraphSource, Error> {
        match self {
            Self::Path(path) => GraphSource::open(path, &read),
            Self::Smiles(all) => {
                let read = ReadOptions { format: Some(Format::Smi), ..read };
                let text = Cursor::new(all.join("\n").into_bytes());
                GraphSource::from_reader(self.name(), text, &read)
            }
        }
    }
}

/// What to predict, and where to write it.
#[derive(Debug, Clone)]
pub struct PredictRequest {
    /// The graphs.
    pub input: PredictInput,
    /// The table; `-` is standard output.
    pub output: PathBuf,
    /// The format of the input; by default its name and contents tell.
    pub input_format: Option<Format>,
    /// What separates the columns of a text table; by default its first line tells.
    pub delimiter: Option<Delimiter>,
    /// The column that holds SMILES, by default the one called `smiles`.
    pub smiles_column: Option<String>,
    /// The format of the table; by default the ending of `output` says it, and standard output
    /// gets CSV.
    pub format: Option<TableFormat>,
    /// Columns of the input that stand in front of the predictions; none by default.
    pub keep: Keep,
    /// Hears how far the call is, and can stop it; by default neither.
    pub monitor: Monitor,
}

impl PredictRequest {
    /// Predicts for the graphs of `input` and writes the table `output`.
    pub fn new(input: impl Into<PredictInput>, output: impl Into<PathBuf>) -> Self {
        Self {
            input: input.into(),
            output: output.into(),
            input_format: None,
            delimiter: None,
            smiles_column: None,
            format: None,
            keep: Keep::default(),
            monitor: Monitor::default(),
        }
    }

    setters! {
        with_input_format(input_format: Format),
        with_delimiter(delimiter: Delimiter),
        with_smiles_column(smiles_column: String),
        with_format(format: TableFormat),
        with_keep(keep: Keep),
        with_monitor(monitor: Monitor),
    }
}

/// What was predicted.
#[derive(Debug, Clone)]
pub struct PredictSummary {
    /// Rows, and what was met in them.
    pub tally: Tally,
    /// Rows without a prediction.
    pub failed: RejectedRows,
    /// How good the predictions are, if the input holds targets.
    pub judged: Option<Judgement>,
    /// What should be said about the input as a whole.
    pub notes: Vec<String>,
}

/// Predicts for every row of an input and writes a table with a line for each, with the list of
/// rows without a prediction beside it.
///
/// ```no_run
/// use gsn_lab::model_file::ModelFile;
/// use gsn_lab::predict::{PredictRequest, Predictor, predict};
///
/// let predictor = Predictor::new(ModelFile::open("run/model.gsn")?)?;
/// let done = predict(&predictor, &PredictRequest::new("molecules.csv", "predictions.parquet"))?;
/// println!("{} rows, {} without a prediction", done.tally.rows, done.tally.failed);
/// # Ok::<(), gsn_lab::Error>(())
/// ```
///
/// # Errors
/// When the input cannot be read, the output cannot be written, or the monitor's switch was
/// turned on. Then nothing is written.
pub fn predict(predictor: &Predictor, request: &PredictRequest) -> Result<PredictSummary> {
    let PredictRequest { input, output, monitor, .. } = request;
    let format = match request.format {
        Some(format) => format,
        None => PredictionSink::format_of(output)?,
    };
    let read = ReadOptions {
        format: request.input_format,
        delimiter: request.delimiter,
        keep_smiles: request.keep != Keep::Nothing,
        ..predictor.read_options(request.smiles_column.clone())
    };
    let source = input.open(read)?;
    let files = source.files();
    let create = |columns: &Columns| PredictionSink::create(output, format, columns, &files);
    let push = |sink: &mut PredictionSink, line: Line<'_>| match line {
        Line::Row(row, cells, error) => sink.push_with(row, cells, error),
        Line::Rejected(bad) => sink.reject(bad),
    };
    let to = (create, push);
    let (sink, met) = lines(predictor, source, &input.name(), &request.keep, monitor, to)?;
    let failed = sink.finish()?;
    let Met { tally, judged, notes } = met;
    Ok(PredictSummary { tally, failed, judged, notes })
}

/// Predictions in memory, and what was met on the way.
#[derive(Debug, Clone)]
pub struct PredictTable {
    /// A line for every row of the input, in its order.
    pub table: PredictionColumns,
    /// Rows, and what was met in them.
    pub tally: Tally,
    /// Rows without a prediction.
    pub failed: Vec<Rejected>,
    /// How good the predictions are, if the input holds targets.
    pub judged: Option<Judgement>,
    /// What should be said about the input as a whole.
    pub notes: Vec<String>,
}

/// Predicts for every row of a source, which was opened with [`Predictor::read_options`]; the same
/// numbers as [`predict`] writes. `name` stands for the source in messages.
///
/// ```no_run
/// use gsn_io::GraphSource;
/// use gsn_lab::model_file::ModelFile;
/// use gsn_lab::predict::{Keep, Predictor, predict_source};
///
/// let predictor = Predictor::new(ModelFile::open("run/model.gsn")?)?;
/// let source = GraphSource::open("molecules.csv", &predictor.read_options(None))?;
/// let said = predict_source(&predictor, source, "molecules.csv", &Keep::Nothing, &Default::default())?;
/// println!("{:?}", said.table.cells[0]);
/// # Ok::<(), gsn_lab::Error>(())
/// ```
///
/// # Errors
/// As [`predict`].
pub fn predict_source(
    predictor: &Predictor,
    source: GraphSource,
    name: &str,
    keep: &Keep,
    monitor: &Monitor,
) -> Result<PredictTable> {
    type Held = (PredictionColumns, Vec<Rejected>);
    let create = |columns: &Columns| Ok((PredictionColumns::new(columns), Vec::new()));
    let push = |(table, failed): &mut Held, line: Line<'_>| {
        match line {
            Line::Row(row, cells, error) => table.push(row, cells, error)?,
            Line::Rejected(bad) => failed.push(bad.clone()),
        }
        Ok(())
    };
    let ((table, failed), met) = lines(predictor, source, name, keep, monitor, (create, push))?;
    let Met { tally, judged, notes } = met;
    Ok(PredictTable { table, tally, failed, judged, notes })
}

/// Columns of a table of predictions.
type Columns = [(String, PredictionKind)];

/// A line of the table, or a row without a prediction for the list beside it.
enum Line<'a> {
    Row(u64, &'a [Prediction], Option<&'a str>),
    Rejected(&'a Rejected),
}

/// What was met on the way.
struct Met {
    tally: Tally,
    judged: Option<Judgement>,
    notes: Vec<String>,
}

/// Predicts for every row of a source; what `create` makes for the columns takes the lines by
/// `push`.
fn lines<S: Send>(
    predictor: &Predictor,
    source: GraphSource,
    name: &str,
    keep: &Keep,
    monitor: &Monitor,
    (create, push): (
        impl FnOnce(&Columns) -> Result<S, Error>,
        impl Fn(&mut S, Line<'_>) -> Result<(), Error> + Sync,
    ),
) -> Result<(S, Met)> {
    predictor.check(&source)?;
    let source = Peeked::new(source.read_batches(BATCH_ROWS))?;
    if let Some(first) = &source.first {
        check_columns(predictor, &first.fields, name)?;
    }
    let kept = Kept::find(keep, source.first.as_ref(), name)?;
    let columns = kept.columns(predictor.columns());
    let blank = vec![Prediction::Missing; predictor.columns().len()];
    let mut sink = create(&columns)?;
    let (mut tally, mut judge) = (Tally::default(), Judge::default());
    let work = |batch: Batch, send: &mut dyn FnMut(Piece) -> Result<(), Error>| {
        monitor.check()?;
        let (cells, targets) = (kept.cells(&batch), judge.targets(predictor, &batch));
        let (answers, failed) = answer(predictor, batch, &mut tally);
        let mut targets = targets.into_iter().peekable();
        for answer in &answers {
            let known = targets.next_if(|(row, _)| *row == answer.row);
            if let (Ok(said), Some((_, targets))) = (&answer.said, known) {
                judge.take(&said.numbers, &targets);
            }
        }
        let piece = (answers, cells, failed);
        monitor.tell(Event::Rows { read: tally.rows, done: tally.rows - tally.failed });
        send(piece)
    };
    let write = |(answers, kept, failed): Piece| {
        for (answer, (_, mut row)) in answers.iter().zip(kept) {
            let said = predictor.cells(answer);
            row.extend_from_slice(said.as_deref().unwrap_or(&blank));
            let error = said.as_ref().err().map(String::as_str);
            push(&mut sink, Line::Row(answer.row, &row, error))?;
        }
        failed.iter().try_for_each(|bad| push(&mut sink, Line::Rejected(bad)))
    };
    let source = pipeline::run(source, monitor, work, write)?;
    monitor.check()?;
    let judged = judge.finish(&predictor.file().card.task)?;
    Ok((sink, Met { tally, judged, notes: source.rest.source().notes() }))
}

/// Batches whose first one can be looked at before they are read.
struct Peeked {
    first: Option<Batch>,
    rest: Batches,
}

impl Peeked {
    fn new(mut rest: Batches) -> Result<Self, Error> {
        Ok(Self { first: rest.next().transpose()?, rest })
    }
}

impl Iterator for Peeked {
    type Item = Result<Batch, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.first.take().map(Ok).or_else(|| self.rest.next())
    }
}

/// Answers, the kept cells of their rows, and the rejected rows among them for the list.
type Piece = (Vec<Answer>, Vec<(u64, Vec<Prediction>)>, Vec<Rejected>);

/// Predicts some rows.
fn answer(predictor: &Predictor, batch: Batch, tally: &mut Tally) -> (Vec<Answer>, Vec<Rejected>) {
    let mut known = batch.rejected.clone().into_iter().peekable();
    let answers = predictor.predict(batch, tally);
    let failed = answers.iter().filter_map(|answer| {
        let reason = answer.said.as_ref().err()?;
        // What the reader rejected comes with its line and text.
        while known.next_if(|bad| bad.row < answer.row).is_some() {}
        Some(known.next_if(|bad| bad.row == answer.row).unwrap_or_else(|| Rejected {
            row: answer.row,
            line: None,
            input: String::new(),
            reason: reason.clone(),
            fields: Vec::new(),
        }))
    });
    let failed = failed.collect();
    (answers, failed)
}
