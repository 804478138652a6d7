//! From a file of graphs to a table of predictions, as a stream: read, predict in parallel, write
//! in order. Memory holds a few batches, whatever the number of rows.

use gsn_io::{
    Batch, Event, GraphSource, Monitor, PredictionSink, ReadOptions, Rejected, RejectedRows,
    TableFormat, pipeline,
};
use gsn_lab::predict::{Answer, Predictor, Tally};
use std::path::PathBuf;

/// Rows that are read and predicted together.
const BATCH_ROWS: usize = 2048;

/// Everything that is needed to predict.
pub(crate) struct Job {
    /// What to read; `-` is standard input.
    pub(crate) input: PathBuf,
    /// How to read it.
    pub(crate) read: ReadOptions,
    /// Who predicts.
    pub(crate) predictor: Predictor,
    /// Where to write; `-` is standard output.
    pub(crate) output: PathBuf,
    /// What to write.
    pub(crate) format: TableFormat,
    /// Who hears how far it is and may stop it.
    pub(crate) monitor: Monitor,
}

/// What was done.
pub(crate) struct Summary {
    pub(crate) tally: Tally,
    /// Rows without a prediction.
    pub(crate) failed: RejectedRows,
    /// What the reader has to say about the input.
    pub(crate) notes: Vec<String>,
}

/// Answers, and the rejected rows among them for the list.
type Piece = (Vec<Answer>, Vec<Rejected>);

/// Predicts some rows.
fn answer(predictor: &Predictor, batch: Batch, tally: &mut Tally) -> Piece {
    let mut known = batch.rejected.clone().into_iter().peekable();
    let answers = predictor.predict(batch, tally);
    let failed = answers.iter().filter_map(|answer| {
        let reason = answer.numbers.as_ref().err()?;
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

/// Predicts and writes.
///
/// # Errors
/// When the input cannot be read, the output cannot be written, or the switch was turned on. Then
/// there is no output.
pub(crate) fn predict(job: &Job) -> Result<Summary, gsn_io::Error> {
    let Job { predictor, monitor, .. } = job;
    let source = GraphSource::open(&job.input, &job.read)?;
    let columns = predictor.columns();
    let mut sink = PredictionSink::create(&job.output, job.format, &columns, &source.files())?;
    let mut tally = Tally::default();
    let work = |batch: Batch, send: &mut dyn FnMut(Piece) -> Result<(), gsn_io::Error>| {
        monitor.check()?;
        let piece = answer(predictor, batch, &mut tally);
        monitor.tell(Event::Rows { read: tally.rows, done: tally.rows });
        send(piece)
    };
    let write = |(answers, failed): Piece| {
        for Answer { row, numbers } in &answers {
            match numbers {
                Ok(numbers) => sink.push(*row, Ok(&predictor.cells(numbers)))?,
                Err(reason) => sink.push(*row, Err(reason))?,
            }
        }
        failed.iter().try_for_each(|bad| sink.reject(bad))
    };
    let batches = pipeline::run(source.read_batches(BATCH_ROWS), monitor, work, write)?;
    monitor.check()?;
    let failed = sink.finish()?;
    Ok(Summary { tally, failed, notes: batches.source().notes() })
}
