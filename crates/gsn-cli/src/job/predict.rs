//! From a file of graphs to a table of predictions, as a stream: read, predict in parallel, write
//! in order. Memory holds a few batches, whatever the number of rows.

use super::count::files_of;
use super::pipeline::{self, Stage};
use anyhow::bail;
use gsn_io::{Batch, GraphSource, PredictionSink, ReadOptions, Rejected, TableFormat};
use gsn_lab::predict::{Answer, Predictor, Tally};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Rows that are read and predicted together.
const BATCH_ROWS: usize = 2048;
/// Failed rows that a summary holds.
const FIRST: usize = 100;

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
    /// Turned on to stop.
    pub(crate) cancel: Arc<AtomicBool>,
}

/// What was done.
pub(crate) struct Summary {
    pub(crate) tally: Tally,
    /// The first rows without a prediction.
    pub(crate) first_failed: Vec<Rejected>,
    /// Where all of them are listed.
    pub(crate) rejected_path: Option<PathBuf>,
    /// What the reader has to say about the input.
    pub(crate) notes: Vec<String>,
}

struct Work<'a> {
    predictor: &'a Predictor,
    cancel: &'a AtomicBool,
    tell: &'a (dyn Fn(u64) + Sync),
    tally: Tally,
}

impl Work<'_> {
    fn stop_if_cancelled(&self) -> anyhow::Result<()> {
        if self.cancel.load(Ordering::Relaxed) {
            bail!("cancelled; nothing was written");
        }
        Ok(())
    }
}

/// Answers, and the rejected rows among them for the list.
type Piece = (Vec<Answer>, Vec<Rejected>);

impl Stage<Batch, Piece> for Work<'_> {
    fn process(
        &mut self,
        batch: Batch,
        send: &mut dyn FnMut(Piece) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        self.stop_if_cancelled()?;
        let mut known = batch.rejected.clone().into_iter().peekable();
        let answers = self.predictor.predict(batch, &mut self.tally);
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
        (self.tell)(self.tally.rows);
        send((answers, failed))
    }

    fn wait(&mut self) -> anyhow::Result<()> {
        self.stop_if_cancelled()
    }
}

/// Predicts and writes. `tell` is called with the rows done so far.
///
/// # Errors
/// When the input cannot be read, the output cannot be written, or the switch was turned on. Then
/// there is no output.
pub(crate) fn predict(job: Job, tell: &(dyn Fn(u64) + Sync)) -> anyhow::Result<Summary> {
    let source = GraphSource::open(&job.input, &job.read)?;
    let inputs = files_of(&job.input);
    let columns = job.predictor.columns();
    let mut sink = PredictionSink::create(&job.output, job.format, &columns, &inputs)?;
    let mut first_failed: Vec<Rejected> = Vec::new();
    let predictor = &job.predictor;
    let mut write = |(answers, failed): Piece| -> anyhow::Result<()> {
        for Answer { row, numbers } in &answers {
            match numbers {
                Ok(numbers) => sink.push(*row, Ok(&predictor.cells(numbers)))?,
                Err(reason) => sink.push(*row, Err(reason))?,
            }
        }
        for bad in failed {
            sink.reject(&bad)?;
            if first_failed.len() < FIRST {
                first_failed.push(bad);
            }
        }
        Ok(())
    };
    let mut work = Work { predictor, cancel: &job.cancel, tell, tally: Tally::default() };
    let batches = source.read_batches(BATCH_ROWS);
    let batches = pipeline::run(batches, &mut work, &mut write)?;
    work.stop_if_cancelled()?;
    let tally = work.tally;
    let rejected_path = sink.finish()?;
    let notes = batches.source().notes();
    Ok(Summary { tally, first_failed, rejected_path, notes })
}
