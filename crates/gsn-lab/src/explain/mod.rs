//! Which occurrences moved a prediction, and by how much.
//!
//! [`explain`] goes from a file of graphs to an [`Explanation`]. Every pattern and every occurrence gets two numbers for every
//! output:
//!
//! - *removal*: f(x) − f(x without it). Its counts are taken out of those of the graph exactly, the rest is encoded
//!   and predicted again (`removal.rs`). The graph itself stays as it is.
//! - *gradient*: its share of integrated gradients from no counts to those of the graph (`gradient.rs`), which sum to
//!   f(x) − f(no counts).
//!
//! Cost: a prediction for every occurrence that is looked at, and some tens for the gradients of every output.

mod gradient;
mod removal;
mod value;

pub use gradient::TOLERANCE;
pub use value::{
    Effect, ExplainedGraph, Explanation, OccurrenceEffect, Path, PatternEffect, PlainGraph,
    RejectedGraph,
};

use crate::dataset::{Sample, Task};
use crate::error::{Error, Result};
use crate::predict::beside::check_columns;
use crate::predict::{PredictInput, Predictor};
use gradient::Gradients;
use gsn_core::count::{Coverage, Occurrences};
use gsn_core::{CountSpec, Counter, Counts, setters};
use gsn_io::{Delimiter, Event, Format, GraphRecord, Monitor, ReadOptions, Rejected};

/// Rows that are read together.
const BATCH_ROWS: usize = 64;

/// What to explain.
#[derive(Debug, Clone)]
pub struct ExplainRequest {
    /// The graphs.
    pub input: PredictInput,
    /// The format of the input; by default its name and contents tell.
    pub input_format: Option<Format>,
    /// What separates the columns of a text table; by default its first line tells.
    pub delimiter: Option<Delimiter>,
    /// The column that holds SMILES, by default the one called `smiles`.
    pub smiles_column: Option<String>,
    /// Graphs that are explained at most, the first of the input; 100 by default.
    pub graphs: usize,
    /// Occurrences of one pattern in one graph that are looked at one by one, at most; 100 by default.
    pub limit: usize,
    /// Hears how far the call is, and can stop it; by default neither.
    pub monitor: Monitor,
}

impl ExplainRequest {
    /// Explains the graphs of `input`.
    pub fn new(input: impl Into<PredictInput>) -> Self {
        Self {
            input: input.into(),
            input_format: None,
            delimiter: None,
            smiles_column: None,
            graphs: 100,
            limit: 100,
            monitor: Monitor::default(),
        }
    }

    setters! {
        with_input_format(input_format: Format),
        with_delimiter(delimiter: Delimiter),
        with_smiles_column(smiles_column: String),
        with_graphs(graphs: usize),
        with_limit(limit: usize),
        with_monitor(monitor: Monitor),
    }
}

/// Explains the predictions for the graphs of an input. What is predicted is what [`predict`](crate::predict()) says.
///
/// ```no_run
/// use gsn_lab::explain::{ExplainRequest, explain};
/// use gsn_lab::model_file::ModelFile;
/// use gsn_lab::predict::Predictor;
///
/// let predictor = Predictor::new(ModelFile::open("run/model.gsn")?)?;
/// let found = explain(&predictor, &ExplainRequest::new("molecules.csv").with_graphs(5))?;
/// for graph in &found.graphs {
///     println!("row {}: {:?}, without patterns {:?}", graph.row, graph.prediction, graph.absent);
/// }
/// # Ok::<(), gsn_lab::Error>(())
/// ```
///
/// # Errors
/// When the model counts nothing or reads random numbers, the input cannot be read, or the monitor's switch was turned on. Rows that
/// cannot be explained are rejected with a reason.
pub fn explain(predictor: &Predictor, request: &ExplainRequest) -> Result<Explanation> {
    let gradients = || Gradients::new(predictor);
    let explainer = Explainer::new(predictor, request.limit, request.monitor.clone(), gradients)?;
    let read = ReadOptions {
        format: request.input_format,
        delimiter: request.delimiter,
        keep_smiles: true,
        ..predictor.read_options(request.smiles_column.clone())
    };
    let source = request.input.open(read)?;
    predictor.check(&source)?;
    let mut found = explainer.nothing_yet();
    let mut batches = source.read_batches(BATCH_ROWS);
    let mut checked = false;
    for batch in batches.by_ref() {
        let batch = batch?;
        request.monitor.check()?;
        if !std::mem::replace(&mut checked, true) {
            check_columns(predictor, &batch.fields, &request.input.name())?;
        }
        found.rows += (batch.records.len() + batch.rejected.len()) as u64;
        let places = predictor.places(&batch.fields);
        let mut rejected = batch.rejected;
        for record in batch.records {
            if found.graphs.len() >= request.graphs {
                found.left_out += 1;
                continue;
            }
            let (row, line) = (record.row, record.line);
            match explainer.graph(record, &places)? {
                Ok(graph) => found.graphs.push(graph),
                Err(reason) => {
                    let (input, fields) = (String::new(), Vec::new());
                    rejected.push(Rejected { row, line, input, reason, fields });
                }
            }
            let done = found.graphs.len() as u64;
            request.monitor.tell(Event::Rows { read: row + 1, done });
        }
        rejected.sort_by_key(|bad| bad.row);
        found.rejected.extend(rejected.into_iter().map(|bad| RejectedGraph {
            row: bad.row,
            line: bad.line,
            reason: bad.reason,
        }));
    }
    found.notes = batches.source().notes();
    Ok(found)
}

/// Explains the predictions for graphs that are at hand, those of the data that a run was trained on, by
/// removals alone: gradients take many times as long.
///
/// # Errors
/// When the model counts nothing or reads random numbers. Graphs that cannot be explained are rejected with a reason.
pub fn explain_samples(
    predictor: &Predictor,
    samples: &[&Sample],
    limit: usize,
) -> Result<Explanation> {
    let gradients = || Ok(Err("left out here; `gsn explain` has them".to_owned()));
    let explainer = Explainer::new(predictor, limit, Monitor::default(), gradients)?;
    let molecule = predictor.reader().molecules.is_some();
    let mut found = explainer.nothing_yet();
    for sample in samples {
        found.rows += 1;
        let row = sample.row;
        match explainer.sample(sample)? {
            Ok(effects) => {
                let graph = PlainGraph::of(&sample.graph, molecule, None);
                found.graphs.push(effects.of_graph(row, None, None, graph));
            }
            Err(reason) => found.rejected.push(RejectedGraph { row, line: None, reason }),
        }
    }
    Ok(found)
}

/// What moved the prediction for one graph.
struct Effects {
    prediction: Vec<f64>,
    absent: Vec<f64>,
    gradients: Result<Path, String>,
    patterns: Vec<PatternEffect>,
}

impl Effects {
    fn of_graph(
        self,
        row: u64,
        name: Option<String>,
        smiles: Option<String>,
        graph: PlainGraph,
    ) -> ExplainedGraph {
        let Self { prediction, absent, gradients, patterns } = self;
        let (gradients, no_gradients) = match gradients {
            Ok(path) => (Some(path), None),
            Err(reason) => (None, Some(reason)),
        };
        ExplainedGraph {
            row,
            name,
            smiles,
            graph,
            prediction,
            absent,
            gradients,
            no_gradients,
            patterns,
        }
    }
}

/// What is the same for all graphs.
struct Explainer<'a> {
    predictor: &'a Predictor,
    limit: usize,
    monitor: Monitor,
    spec: &'a CountSpec,
    counter: Counter,
    coverage: Coverage,
    gradients: Result<Gradients<'a>, String>,
}

impl<'a> Explainer<'a> {
    fn new(
        predictor: &'a Predictor,
        limit: usize,
        monitor: Monitor,
        gradients: impl FnOnce() -> Result<Result<Gradients<'a>, String>>,
    ) -> Result<Self> {
        let file = predictor.file();
        let refuse = |what: &str| Err(Error::data(&file.card.data, what));
        let Some(spec) = file.first.pipeline.count_spec() else {
            return refuse(
                "the model counts no patterns, so there is nothing to explain; train with \
                 `--patterns` for a model that does",
            );
        };
        if file.members().any(|member| member.model.config().inputs.random > 0) {
            return refuse(
                "the network reads fresh random numbers, so two predictions differ for other \
                 reasons than counts, and nothing can be explained",
            );
        }
        let mut counter = Counter::new(spec);
        if let Some(switch) = monitor.cancel() {
            counter = counter.cancel_when(switch.clone());
        }
        let coverage = Coverage::of(spec);
        let gradients = gradients()?;
        Ok(Self { predictor, limit, monitor, spec, counter, coverage, gradients })
    }

    fn nothing_yet(&self) -> Explanation {
        let file = self.predictor.file();
        let card = &file.card;
        let outputs = match &card.task {
            Task::Classes(names) => {
                let target = card.targets.first().cloned().unwrap_or_default();
                names.iter().map(|name| format!("{target}={name}")).collect()
            }
            _ => card.targets.clone(),
        };
        Explanation {
            model: card.name.clone(),
            data: card.data.clone(),
            outputs,
            probabilities: !matches!(card.task, Task::Regression(_)),
            members: file.members().len(),
            patterns: self.spec.patterns().iter().map(|p| p.name().to_owned()).collect(),
            scope: self.spec.scope(),
            matching: self.spec.matching(),
            limit: self.limit,
            graphs: Vec::new(),
            rejected: Vec::new(),
            rows: 0,
            left_out: 0,
            notes: Vec::new(),
        }
    }

    /// Explains one graph, or says why not. An error ends the call.
    fn graph(
        &self,
        record: GraphRecord,
        places: &[Option<usize>],
    ) -> Result<Result<ExplainedGraph, String>> {
        let molecule = self.predictor.reader().molecules.is_some();
        let names = record.vertex_names.as_ref().map(|names| {
            (0..record.graph.order() as u32).map(|v| names.get(v).to_string()).collect()
        });
        let (row, name, smiles) = (record.row, record.name.clone(), record.smiles.clone());
        let plain = PlainGraph::of(&record.graph, molecule, names);
        let sample = match self.predictor.sample(record, places) {
            Ok((sample, _)) => sample,
            Err(reason) => return Ok(Err(reason)),
        };
        let effects = self.sample(&sample)?;
        Ok(effects.map(|effects| effects.of_graph(row, name, smiles, plain)))
    }

    /// Explains what the network reads of one graph, or says why not. An error ends the call.
    fn sample(&self, sample: &Sample) -> Result<Result<Effects, String>> {
        let counts = match self.counter.count(&sample.graph) {
            Ok(counts) => counts,
            Err(error) => {
                self.monitor.check()?;
                return Ok(Err(error.kind.to_string()));
            }
        };
        let mut patterns = match self.occurrences(sample, &counts) {
            Ok(patterns) => patterns,
            Err(reason) => return Ok(Err(reason)),
        };
        let (prediction, absent) = match self.remove(sample, &counts, &mut patterns)? {
            Ok(said) => said,
            Err(reason) => return Ok(Err(reason)),
        };
        let gradients = match &self.gradients {
            Err(reason) => Err(reason.clone()),
            Ok(gradients) => gradients.share(self, sample, &counts, &mut patterns)?,
        };
        Ok(Ok(Effects { prediction, absent, gradients, patterns }))
    }

    /// The patterns that occur, with their first occurrences and without effects yet.
    fn occurrences(&self, sample: &Sample, counts: &Counts) -> Result<Vec<PatternEffect>, String> {
        let mut patterns = Vec::new();
        let totals = self.coverage.totals(counts);
        for (at, (pattern, total)) in self.spec.patterns().iter().zip(totals).enumerate() {
            if total == 0 {
                continue;
            }
            let total = u64::try_from(total)
                .map_err(|_| format!("{} occurs more than 2^64 times", pattern.name()))?;
            let mut found = Occurrences::new(pattern, &sample.graph, self.spec.matching());
            if let Some(switch) = self.monitor.cancel() {
                found = found.stop_when(switch.clone());
            }
            let wanted = usize::try_from(total).unwrap_or(usize::MAX).min(self.limit);
            let occurrences = found
                .take(wanted)
                .map(|vertices| OccurrenceEffect { vertices, effect: Effect::default() })
                .collect();
            let effect = Effect::default();
            patterns.push(PatternEffect { pattern: at, total, effect, occurrences });
        }
        Ok(patterns)
    }
}

#[cfg(test)]
mod tests;
