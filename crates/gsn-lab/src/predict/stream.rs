//! From a file of graphs to a table of predictions, as a stream: read, predict in parallel, write
//! in order. Memory holds a few batches, whatever the number of rows.

use super::{Answer, Predictor, Tally};
use crate::error::Result;
use gsn_core::setters;
use gsn_io::{
    Batch, Error, Event, Format, GraphSource, Monitor, PredictionSink, Rejected, RejectedRows,
    TableFormat, pipeline,
};
use std::path::PathBuf;

/// Rows that are read and predicted together.
const BATCH_ROWS: usize = 2048;

/// What to predict, and where to write it.
#[derive(Debug, Clone)]
pub struct PredictRequest {
    /// The file or folder with graphs; `-` is standard input.
    pub input: PathBuf,
    /// The table; `-` is standard output.
    pub output: PathBuf,
    /// The format of the input; by default its name and contents tell.
    pub input_format: Option<Format>,
    /// The column that holds SMILES, by default the one called `smiles`.
    pub smiles_column: Option<String>,
    /// The format of the table; by default the ending of `output` says it, and standard output
    /// gets CSV.
    pub format: Option<TableFormat>,
    /// Hears how far the call is, and can stop it; by default neither.
    pub monitor: Monitor,
}

impl PredictRequest {
    /// Predicts for the graphs of `input` and writes the table `output`.
    pub fn new(input: impl Into<PathBuf>, output: impl Into<PathBuf>) -> Self {
        Self {
            input: input.into(),
            output: output.into(),
            input_format: None,
            smiles_column: None,
            format: None,
            monitor: Monitor::default(),
        }
    }

    setters! {
        with_input_format(input_format: Format),
        with_smiles_column(smiles_column: String),
        with_format(format: TableFormat),
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
    let read = predictor.reader().options(request.input_format, request.smiles_column.clone());
    let source = GraphSource::open(input, &read)?;
    let mut sink = PredictionSink::create(output, format, &predictor.columns(), &source.files())?;
    let mut tally = Tally::default();
    let work = |batch: Batch, send: &mut dyn FnMut(Piece) -> Result<(), Error>| {
        monitor.check()?;
        let piece = answer(predictor, batch, &mut tally);
        monitor.tell(Event::Rows { read: tally.rows, done: tally.rows - tally.failed });
        send(piece)
    };
    let write = |(answers, failed): Piece| {
        for answer in &answers {
            match predictor.cells(answer) {
                Ok(cells) => sink.push(answer.row, Ok(&cells))?,
                Err(reason) => sink.push(answer.row, Err(&reason))?,
            }
        }
        failed.iter().try_for_each(|bad| sink.reject(bad))
    };
    let batches = pipeline::run(source.read_batches(BATCH_ROWS), monitor, work, write)?;
    monitor.check()?;
    let failed = sink.finish()?;
    Ok(PredictSummary { tally, failed, notes: batches.source().notes() })
}

/// Answers, and the rejected rows among them for the list.
type Piece = (Vec<Answer>, Vec<Rejected>);

/// Predicts some rows.
fn answer(predictor: &Predictor, batch: Batch, tally: &mut Tally) -> Piece {
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
        }))
    });
    let failed = failed.collect();
    (answers, failed)
}
