//! Predictions for graphs never seen, batch by batch.
//!
//! [`predict`] goes from a file of graphs to a table of predictions.
//! [`Predictor::predict`] takes some rows of an input and gives as many answers, in order. A row
//! that is no graph, or that the model cannot read, gets its reason instead of numbers. What a
//! graph is predicted does not depend on the rows beside it. Several members are averaged as
//! [`crate::ensemble`] says. Memory: the rows handed in, once for every different pipeline.
//!
//! | file | what |
//! |---|---|
//! | `mod` | from rows to answers |
//! | `beside` | columns that are kept, and targets to judge by |
//! | `cells` | from answers to the columns of a table |
//! | `record_batch` | predictions beside the rows of a record batch |
//! | `stream` | from a file of graphs to such a table, in a file or in memory |

pub(crate) mod beside;
mod cells;
#[cfg(feature = "columnar")]
mod record_batch;
mod stream;

pub use beside::{Judgement, Keep};
pub use stream::{
    PredictInput, PredictRequest, PredictSummary, PredictTable, predict, predict_source,
};

use crate::conformal::Level;
use crate::dataset::Sample;
use crate::ensemble::Said;
use crate::error::Result;
use crate::model_file::{Member, ModelFile};
use crate::pipeline::{Pipeline, Reader, Unseen};
use crate::user_data::task::Cell;
use gsn_core::{Counter, Counts, Graph};
use gsn_io::{Batch as Rows, GraphRecord, GraphSource, ReadOptions};
use gsn_nn::metrics::Scored;
use gsn_nn::{Batch, GraphInput, Matrix, Pool};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;

/// Graphs that go through the network together; results do not depend on it.
pub const BATCH: usize = 128;
/// Rows that are read and counted together.
const TOGETHER: usize = 64;

/// A model, ready to predict.
pub struct Predictor {
    file: ModelFile,
    reader: Reader,
    counter: Option<Counter>,
    /// For every member the place of its pipeline among the different ones, and of each of these
    /// the first member that has it.
    encodings: Vec<usize>,
    encoders: Vec<usize>,
    pool: Pool<f32>,
    batch: usize,
    /// How often intervals shall hold; none are given without.
    level: Option<Level>,
}

/// The answer for one row.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Row of the input.
    pub row: u64,
    /// The prediction, or why there is none.
    pub said: Result<Said, String>,
    /// What of the row was never seen in training.
    pub unseen: Unseen,
    /// What the groups of members that errors out of fold are of say; empty without such errors.
    pub groups: Vec<Said>,
    /// Targets for which a member's prediction lay outside of its limits and was taken back.
    pub outside: Vec<usize>,
}

impl Answer {
    fn refused(row: u64, reason: String) -> Self {
        let (groups, outside) = (Vec::new(), Vec::new());
        Self { row, said: Err(reason), unseen: Unseen::default(), groups, outside }
    }
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

/// What the members read of a row, an input for every different pipeline, and what of it was never
/// seen in training.
pub(crate) type Read = (Vec<GraphInput>, Unseen);

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
        let counter = file.first.pipeline.count_spec().map(Counter::new);
        let (mut encodings, mut encoders) = (Vec::new(), Vec::new());
        let mut different: Vec<&Pipeline> = Vec::new();
        for (at, member) in file.members().enumerate() {
            let known = different.iter().position(|pipeline| **pipeline == member.pipeline);
            encodings.push(known.unwrap_or(different.len()));
            if known.is_none() {
                different.push(&member.pipeline);
                encoders.push(at);
            }
        }
        let level = Some(Level::default());
        let (pool, batch) = (Pool::new(), BATCH);
        Ok(Self { file, reader, counter, encodings, encoders, pool, batch, level })
    }

    /// The same with intervals that hold this often (0.9 by default), or without.
    pub fn with_level(self, level: Option<Level>) -> Self {
        Self { level, ..self }
    }

    /// The same with batches of this size.
    pub fn with_batch(self, batch: usize) -> Self {
        Self { batch: batch.max(1), ..self }
    }

    /// Refuses an input whose labels are not of the kind that the model learned: every atom would be
    /// something it has never seen.
    ///
    /// # Errors
    /// For molecules, if it was trained on graphs with other labels.
    pub fn check(&self, source: &GraphSource) -> Result<()> {
        self.check_molecules(source.is_molecules(), source.path())
    }

    fn check_molecules(&self, given: bool, name: impl AsRef<Path>) -> Result<()> {
        let Reader { molecules, vertex, edge, .. } = &self.reader;
        let labelled = vertex.is_some() || edge.is_some();
        if !given || molecules.is_some() || !labelled {
            return Ok(());
        }
        let what = format!(
            "holds molecules, but the model was trained on {}, whose labels are not kinds of atoms and \
             bonds; train on molecules, or give graphs with the labels it knows",
            self.file.card.data
        );
        Err(crate::Error::file(name, what))
    }

    /// How an input is opened; SMILES are in the column `smiles`, by default the one called so.
    pub fn read_options(&self, smiles: Option<String>) -> ReadOptions {
        ReadOptions { keep_fields: true, ..self.reader.options(None, smiles) }
    }

    /// How inputs are read.
    pub fn reader(&self) -> &Reader {
        &self.reader
    }

    /// The model and its card.
    pub fn file(&self) -> &ModelFile {
        &self.file
    }

    /// Names of the columns that the model reads beside the graph; usually none.
    pub fn columns_read(&self) -> &[String] {
        self.file.first.pipeline.columns()
    }

    /// Answers for all rows, in their order.
    pub fn predict(&self, rows: Rows, tally: &mut Tally) -> Vec<Answer> {
        let mut answers: Vec<Answer> =
            rows.rejected.into_iter().map(|bad| Answer::refused(bad.row, bad.reason)).collect();
        let places = self.places(&rows.fields);
        let records = rows.records;
        let keys: Vec<u64> = records.iter().map(|record| record.row).collect();
        let parts = records.into_par_iter().chunks(TOGETHER);
        let read: Vec<Result<Read, String>> =
            parts.flat_map_iter(|part| self.read(part, &places)).collect();
        let mut ready: Vec<(u64, Read)> = Vec::with_capacity(read.len());
        for (row, read) in keys.into_iter().zip(read) {
            match read {
                Ok((inputs, unseen)) => {
                    tally.unseen_rows += u64::from(!unseen.is_empty());
                    tally.unseen += &unseen;
                    ready.push((row, (inputs, unseen)));
                }
                Err(reason) => answers.push(Answer::refused(row, reason)),
            }
        }
        let said: Vec<Vec<Answer>> =
            ready.par_chunks(self.batch).map(|chunk| self.apply(chunk)).collect();
        answers.extend(said.into_iter().flatten());
        answers.sort_by_key(|answer| answer.row);
        tally.rows += answers.len() as u64;
        tally.failed += answers.iter().filter(|answer| answer.said.is_err()).count() as u64;
        answers
    }

    /// What the members read of some rows.
    fn read(
        &self,
        records: Vec<GraphRecord>,
        places: &[Option<usize>],
    ) -> Vec<Result<Read, String>> {
        let samples: Vec<Result<(Sample, Unseen), String>> =
            records.into_iter().map(|record| self.sample(record, places)).collect();
        let mut counts = self.counter.as_ref().map(|counter| {
            let graphs: Vec<&Graph> = samples.iter().flatten().map(|(s, _)| &s.graph).collect();
            counter.count_each(&graphs).into_iter()
        });
        let read = |sample: Result<(Sample, Unseen), String>| {
            let (sample, mut unseen) = sample?;
            let counts = counts.as_mut().and_then(Iterator::next).transpose();
            let counts = counts.map_err(|error| error.kind.to_string())?;
            let (inputs, met) = self.encode(&sample, counts.as_ref())?;
            unseen += &met;
            Ok((inputs, unseen))
        };
        samples.into_iter().map(read).collect()
    }

    /// The graph of a row with what the model reads beside it.
    pub(crate) fn sample(
        &self,
        record: GraphRecord,
        places: &[Option<usize>],
    ) -> Result<(Sample, Unseen), String> {
        if record.graph.order() == 0 {
            return Err("the graph has no vertex".into());
        }
        let number = |(at, name): (&Option<usize>, &String)| {
            let text = at.and_then(|at| record.fields.get(at)).cloned();
            let cell = Cell::Text(text.unwrap_or_default());
            match cell.is_gap() {
                true => Ok(f64::NAN),
                false => {
                    cell.number().ok_or_else(|| format!("`{cell}` in column `{name}` is no number"))
                }
            }
        };
        let columns: Result<_, String> =
            places.iter().zip(self.columns_read()).map(number).collect();
        let (sample, unseen) = self.reader.sample(record, Vec::new())?;
        Ok((Sample { columns: columns?, ..sample }, unseen))
    }

    /// Where the columns that the model reads stand among those of an input.
    pub(crate) fn places(&self, fields: &[String]) -> Vec<Option<usize>> {
        self.columns_read().iter().map(|name| beside::place(fields, name)).collect()
    }

    /// What the members say about the same graph as it is read in several ways; nothing where they say no finite number.
    pub(crate) fn say(&self, read: &[Vec<GraphInput>]) -> Vec<Option<Vec<f64>>> {
        let rows: Vec<(u64, Read)> =
            read.iter().map(|inputs| (0, (inputs.clone(), Unseen::default()))).collect();
        let answers = rows.par_chunks(self.batch).flat_map_iter(|chunk| self.apply(chunk));
        answers.map(|answer| answer.said.ok().map(|said| said.numbers)).collect()
    }

    /// The member and the encoding of every network.
    pub(crate) fn encodings(&self) -> impl Iterator<Item = (&Member, usize)> {
        self.file.members().zip(self.encodings.iter().copied())
    }

    /// A graph as every different pipeline gives it, and what none of them has seen.
    pub(crate) fn encode(&self, sample: &Sample, counts: Option<&Counts>) -> Result<Read, String> {
        let mut inputs = Vec::with_capacity(self.encoders.len());
        let mut least: Option<Unseen> = None;
        for member in self.encoders.iter().filter_map(|&at| self.file.members().nth(at)) {
            let encoded = member.pipeline.encode_counting(sample, counts);
            let (input, met) = encoded.map_err(|error| match error {
                // The row stands beside the message anyway.
                crate::Error::Graph { what, .. } => what,
                other => other.to_string(),
            })?;
            inputs.push(input);
            if least.as_ref().is_none_or(|least| met.values() < least.values()) {
                least = Some(met);
            }
        }
        Ok((inputs, least.unwrap_or_default()))
    }

    /// What the members say about some rows.
    fn apply(&self, chunk: &[(u64, Read)]) -> Vec<Answer> {
        let mut members = Vec::with_capacity(self.encodings.len());
        for (member, &encoding) in self.file.members().zip(&self.encodings) {
            let graphs: Vec<&GraphInput> =
                chunk.iter().map(|(_, (inputs, _))| &inputs[encoding]).collect();
            let said =
                Batch::new(&graphs).and_then(|batch| member.model.predict(&batch, &self.pool));
            members.push(match said {
                Ok(said) => (said, &member.pipeline),
                Err(error) => {
                    let refused = |(row, _): &(u64, Read)| Answer::refused(*row, error.to_string());
                    return chunk.iter().map(refused).collect();
                }
            });
        }
        let answer = |(at, (row, (_, unseen))): (usize, &(u64, Read))| {
            let mut outside = BTreeSet::new();
            let mut one = |(said, pipeline): &(Matrix<f32>, &Pipeline)| {
                let mut numbers: Vec<f64> = said.row(at).iter().map(|&x| f64::from(x)).collect();
                outside.extend(pipeline.restore_within_bounds(&mut numbers));
                let finite = numbers.iter().all(|x| x.is_finite());
                Scored::probabilities(self.file.card.task.answers(), &mut numbers);
                finite.then_some(numbers)
            };
            let all: Option<Vec<Vec<f64>>> = members.iter().map(&mut one).collect();
            let calibration = self.file.card.calibration.as_ref().filter(|_| self.level.is_some());
            let groups = calibration.zip(all.as_ref()).map(|(known, all)| known.groups_of(all));
            let groups = groups.unwrap_or_default();
            let said = all.and_then(|all| Said::mean_of(&all));
            let said = said.ok_or_else(|| "the network gives no finite number".to_owned());
            let outside = outside.into_iter().collect();
            Answer { row: *row, said, unseen: unseen.clone(), groups, outside }
        };
        chunk.iter().enumerate().map(answer).collect()
    }
}
