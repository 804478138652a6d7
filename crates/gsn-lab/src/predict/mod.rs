//! Predictions for graphs never seen, batch by batch.
//!
//! [`predict`] goes from a file of graphs to a table of predictions.
//! [`Predictor::predict`] takes some rows of an input and gives as many answers, in order. A row
//! that is no graph, or that the model cannot read, gets its reason instead of numbers. What a
//! graph is predicted does not depend on the rows beside it. Memory: the rows handed in.

mod stream;

pub use stream::{PredictRequest, PredictSummary, predict};

use crate::dataset::{Sample, Task};
use crate::error::Result;
use crate::model_file::ModelFile;
use crate::pipeline::{Reader, Unseen};
use gsn_core::{Counter, Graph};
use gsn_io::{Batch as Rows, GraphRecord, Prediction, PredictionKind};
use gsn_nn::{Batch, GraphInput, Pool};
use rayon::prelude::*;

/// Graphs that go through the network together; results do not depend on it.
pub const BATCH: usize = 128;
/// Rows that are read and counted together.
const TOGETHER: usize = 64;

/// A model, ready to predict.
pub struct Predictor {
    file: ModelFile,
    reader: Reader,
    counter: Option<Counter>,
    pool: Pool<f32>,
    batch: usize,
}

/// The answer for one row.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Row of the input.
    pub row: u64,
    /// The prediction in the unit of the data (logits for classes and yes-or-no tasks), or why there
    /// is none.
    pub numbers: Result<Vec<f64>, String>,
}

/// What was met on the way.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tally {
    /// Rows.
    pub rows: u64,
    /// Rows without a prediction.
    pub failed: u64,
    /// Rows with something that was never seen in training.
    pub unseen_rows: u64,
    /// What was never seen in training.
    pub unseen: Unseen,
}

/// What the network reads of a row, and what of it was never seen in training.
type Read = (GraphInput, Unseen);

impl Predictor {
    /// A predictor with this model.
    ///
    /// # Errors
    /// If the model was trained on graphs that cannot be read from files.
    pub fn new(file: ModelFile) -> Result<Self> {
        let reader = file.card.reader.clone().ok_or_else(|| {
            crate::Error::data(
                &file.card.data,
                "its features cannot be read from other files, so the model cannot be applied",
            )
        })?;
        let counter = file.card.pipeline.count_spec().map(Counter::new);
        Ok(Self { file, reader, counter, pool: Pool::new(), batch: BATCH })
    }

    /// The same with batches of this size.
    pub fn with_batch(self, batch: usize) -> Self {
        Self { batch: batch.max(1), ..self }
    }

    /// How inputs are read.
    pub fn reader(&self) -> &Reader {
        &self.reader
    }

    /// The model and its card.
    pub fn file(&self) -> &ModelFile {
        &self.file
    }

    /// Answers for all rows, in their order.
    pub fn predict(&self, rows: Rows, tally: &mut Tally) -> Vec<Answer> {
        let mut answers: Vec<Answer> = rows
            .rejected
            .into_iter()
            .map(|bad| Answer { row: bad.row, numbers: Err(bad.reason) })
            .collect();
        let records = rows.records;
        let keys: Vec<u64> = records.iter().map(|record| record.row).collect();
        let parts = records.into_par_iter().chunks(TOGETHER);
        let read: Vec<Result<Read, String>> = parts.flat_map_iter(|part| self.read(part)).collect();
        let mut ready: Vec<(u64, GraphInput)> = Vec::with_capacity(read.len());
        for (row, read) in keys.into_iter().zip(read) {
            match read {
                Ok((input, unseen)) => {
                    tally.unseen_rows += u64::from(!unseen.is_empty());
                    tally.unseen += &unseen;
                    ready.push((row, input));
                }
                Err(reason) => answers.push(Answer { row, numbers: Err(reason) }),
            }
        }
        let said: Vec<Vec<Answer>> =
            ready.par_chunks(self.batch).map(|chunk| self.apply(chunk)).collect();
        answers.extend(said.into_iter().flatten());
        answers.sort_by_key(|answer| answer.row);
        tally.rows += answers.len() as u64;
        tally.failed += answers.iter().filter(|answer| answer.numbers.is_err()).count() as u64;
        answers
    }

    /// What the network reads of some rows.
    fn read(&self, records: Vec<GraphRecord>) -> Vec<Result<Read, String>> {
        let sample = |record: GraphRecord| match record.graph.order() {
            0 => Err("the graph has no vertex".into()),
            _ => self.reader.sample(record, Vec::new()),
        };
        let samples: Vec<Result<(Sample, Unseen), String>> =
            records.into_iter().map(sample).collect();
        let mut counts = self.counter.as_ref().map(|counter| {
            let graphs: Vec<&Graph> = samples.iter().flatten().map(|(s, _)| &s.graph).collect();
            counter.count_each(&graphs).into_iter()
        });
        let read = |sample: Result<(Sample, Unseen), String>| {
            let (sample, mut unseen) = sample?;
            let counts = counts.as_mut().and_then(Iterator::next).transpose();
            let counts = counts.map_err(|error| error.kind.to_string())?;
            let encoded = self.file.card.pipeline.encode_counting(&sample, counts.as_ref());
            let (input, met) = encoded.map_err(|error| match error {
                // The row stands beside the message anyway.
                crate::Error::Graph { what, .. } => what,
                other => other.to_string(),
            })?;
            unseen += &met;
            Ok((input, unseen))
        };
        samples.into_iter().map(read).collect()
    }

    fn apply(&self, chunk: &[(u64, GraphInput)]) -> Vec<Answer> {
        let graphs: Vec<&GraphInput> = chunk.iter().map(|(_, input)| input).collect();
        let said =
            Batch::new(&graphs).and_then(|batch| self.file.model.predict(&batch, &self.pool));
        let answer = |(at, (row, _)): (usize, &(u64, GraphInput))| {
            let numbers = match &said {
                Err(error) => Err(error.to_string()),
                Ok(said) => {
                    let mut numbers: Vec<f64> =
                        said.row(at).iter().map(|&x| f64::from(x)).collect();
                    self.file.card.pipeline.restore(&mut numbers);
                    match numbers.iter().all(|x| x.is_finite()) {
                        true => Ok(numbers),
                        false => Err("the network gives no finite number".into()),
                    }
                }
            };
            Answer { row: *row, numbers }
        };
        chunk.iter().enumerate().map(answer).collect()
    }

    /// Columns of a table of predictions: the targets; for classes the class and then the
    /// probability of each.
    pub fn columns(&self) -> Vec<(String, PredictionKind)> {
        let card = &self.file.card;
        match &card.task {
            Task::Regression(_) | Task::Binary(_) => {
                card.targets.iter().map(|name| (name.clone(), PredictionKind::Number)).collect()
            }
            Task::Classes(names) => {
                let target = card.targets.first().cloned().unwrap_or_else(|| "class".into());
                let share = |name: &String| (format!("{target}={name}"), PredictionKind::Number);
                let shares: Vec<_> = names.iter().map(share).collect();
                [vec![(target.clone(), PredictionKind::Text)], shares].concat()
            }
        }
    }

    /// One row of such a table: numbers as they are, logits as probabilities.
    pub fn cells(&self, numbers: &[f64]) -> Vec<Prediction> {
        let number = |&x: &f64| Prediction::Number(x);
        match &self.file.card.task {
            Task::Regression(_) => numbers.iter().map(number).collect(),
            Task::Binary(_) => {
                numbers.iter().map(|&x| Prediction::Number(1.0 / (1.0 + (-x).exp()))).collect()
            }
            Task::Classes(names) => {
                let most = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let powers: Vec<f64> = numbers.iter().map(|x| (x - most).exp()).collect();
                let sum: f64 = powers.iter().sum();
                let best = (0..numbers.len())
                    .reduce(|a, b| if numbers[b] > numbers[a] { b } else { a })
                    .and_then(|best| names.get(best));
                let class = Prediction::Text(best.cloned().unwrap_or_default());
                let shares = powers.iter().map(|power| Prediction::Number(power / sum));
                std::iter::once(class).chain(shares).collect()
            }
        }
    }
}
