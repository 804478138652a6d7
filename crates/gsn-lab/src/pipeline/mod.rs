//! [`Pipeline`]: from a graph with its counts to what a network reads, and back from what it
//! predicts. Fitted once, stored whole with the model, applied to any other graph.
//!
//! | file | what |
//! |---|---|
//! | `mod` | fitting and encoding |
//! | `reader` | from a record of a file to a sample, for training and prediction alike |
//! | `vocabulary` | which category a value becomes |
//! | `unseen` | a tally of what was never seen in training |
//! | `features` | features of vertices and arcs |
//! | `columns` | numbers of graphs as wholes |
//! | `scale` | standardised targets |
//! | `bounds` | the range that predictions are kept to |
//! | `model` | the `[network]` table written out as a [`gsn_nn::ModelConfig`] |
//!
//! Cost: linear in vertices, arcs and cells.

mod bounds;
mod columns;
mod features;
mod model;
mod reader;
mod scale;
#[cfg(test)]
mod tests;
mod unseen;
mod vocabulary;

pub use bounds::Bounds;
pub use reader::{Reader, element};
pub use scale::Scale;
pub use unseen::Unseen;
pub use vocabulary::Vocabulary;

use crate::dataset::{Dataset, Sample, Task};
use crate::error::{Error, Result};
use crate::recipe::network::{EdgeFeatures, Kind};
use crate::recipe::{self, Fit, Recipe, Targets, UnseenCategory};
use columns::ColumnStep;
use features::FeatureTable;
use gsn_core::encode::{Codes, closed_walks, degrees};
use gsn_core::{CountEncoder, CountSpec, Counts, Encoding, Scope};
use gsn_nn::{Features, GraphInput};
use serde::{Deserialize, Serialize};

/// Everything between a graph and a network, fitted.
///
/// ```
/// use gsn_core::{Counter, Graph};
/// use gsn_lab::pipeline::Pipeline;
/// use gsn_lab::recipe::Recipe;
/// use gsn_lab::{Dataset, Sample, Splits, Task};
///
/// let recipe = Recipe::parse(r#"
///     protocol = { fixed-split = { choose = "last" } }
///     data.set = "mine"
///     counts = { patterns = "cycle:3", scope = "vertex", matching = "induced" }
///     network = { kind = "gin", layers = 2, width = 8, readout = "sum" }
///     training = { batch = 2, epochs = 1, lr = 0.1, loss = "l1", metric = "mae" }
/// "#, "example")?;
/// let sample = |edges: &[(u32, u32)], y| Sample {
///     columns: Vec::new(),
///     censoring: Vec::new(),
///     row: 0,
///     graph: Graph::from_edges(4, edges.iter().copied()).unwrap(),
///     vertex: None,
///     arc: None,
///     targets: vec![y],
/// };
/// let mine = Dataset {
///     name: "mine".into(),
///     samples: vec![sample(&[(0, 1), (1, 2), (2, 0)], 1.0), sample(&[(0, 1), (1, 2)], 0.0)],
///     task: Task::Regression(1),
///     columns: Vec::new(),
///     target_names: vec!["y".into()],
///     vertex: None,
///     arc: None,
///     splits: Splits::None,
///     licence: String::new(),
/// };
/// let counter = Counter::new(recipe.counts.as_ref().unwrap().spec());
/// let counts: Vec<_> =
///     mine.samples.iter().map(|s| counter.count(&s.graph)).collect::<Result<_, _>>()?;
///
/// // Fitted on the second graph alone, the pipeline has never seen a triangle.
/// let pipeline = Pipeline::fit(&recipe, &mine, &counts, &[1])?;
/// let (input, unseen) = pipeline.encode_counting(&mine.samples[0], Some(&counts[0]))?;
/// assert_eq!((input.vertices, unseen.counts), (4, 3));
/// let config = pipeline.model_config(&recipe, mine.task.outputs())?;
/// gsn_nn::Model::<f32>::new(config, 0)?.check(&gsn_nn::Batch::new(&[input])?)?;
/// # Ok::<(), gsn_lab::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Pipeline {
    counts: Option<CountStep>,
    degrees: Option<CountEncoder>,
    /// Degrees stand in for the features of the vertices, for a network without layers.
    degrees_are_features: bool,
    vertex: FeatureTable,
    arc: Option<FeatureTable>,
    /// Steps of the closed walks whose chances stand beside the features of the vertices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    walks: Option<usize>,
    /// Numbers of the graph as a whole, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    columns: Option<ColumnStep>,
    /// Do totals of the counts stand behind them?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    totals: bool,
    scale: Option<Scale>,
    /// Limits of the predictions, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bounds: Option<Bounds>,
    /// Mean of ln(degree + 1) over the vertices of the training part, for scalers by degree.
    average_log_degree: f64,
}

/// What is counted, and the encoder of its columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct CountStep {
    /// The recipe's table; the patterns written out, so that no file is needed later.
    #[serde(deserialize_with = "recipe::stored_counts")]
    spec: recipe::Counts,
    encoder: CountEncoder,
    /// The largest count of every column at fitting time, where numbers have no vocabulary that
    /// would tell what was never seen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    most: Vec<u64>,
}

impl CountStep {
    /// Cells that are larger than any of their column was.
    fn beyond(&self, counts: &Counts) -> u64 {
        let columns = self.most.len().max(1);
        let rows = counts.values().chunks_exact(columns);
        rows.map(|row| row.iter().zip(&self.most).filter(|(x, most)| x > most).count() as u64).sum()
    }
}

impl Recipe {
    /// Whether what a network reads depends on the training part, so that every fold needs a
    /// pipeline of its own.
    pub fn depends_on_fold(&self) -> bool {
        let scaled = self.network.scalers.as_ref().is_some_and(|s| !s.is_empty());
        self.counts.as_ref().is_some_and(|counts| counts.fit == Fit::Train)
            || self.degrees.as_ref().is_some_and(|degrees| degrees.fit == Fit::Train)
            || self.data.unseen != UnseenCategory::Error
            || self.data.targets == Targets::Standardise
            || self.data.bound.is_some()
            || self.training.as_ref().is_some_and(|training| training.class_weights.is_some())
            || scaled
    }
}

impl Pipeline {
    /// Fits a pipeline. `counts` belong to the samples one by one (nothing is read if the recipe
    /// has no `[counts]`), `train` are the indices of the training part.
    ///
    /// # Errors
    /// If the recipe asks for features that the dataset does not have, or they are not what the
    /// dataset says.
    pub fn fit(
        recipe: &Recipe,
        dataset: &Dataset,
        counts: &[Counts],
        train: &[u32],
    ) -> Result<Self> {
        let fail = |what: String| Error::data(&dataset.name, what);
        let samples = &dataset.samples;
        if let Some(i) = train.iter().find(|&&i| i as usize >= samples.len()) {
            return Err(fail(format!("there is no graph {i} to train on")));
        }
        let part = |fit: Fit| -> Vec<usize> {
            match fit {
                Fit::Train => train.iter().map(|&i| i as usize).collect(),
                Fit::All => (0..samples.len()).collect(),
            }
        };
        let encode = |e: gsn_core::encode::EncodeError| fail(e.to_string());
        let step = |spec: &recipe::Counts| {
            if counts.len() != samples.len() {
                let (n, m) = (counts.len(), samples.len());
                return Err(fail(format!("counts of {n} graphs, but there are {m}")));
            }
            let columns = spec.spec().columns();
            let fits = |c: &Counts| c.scope() == spec.spec().scope() && c.columns() == &columns[..];
            if let Some(i) = counts.iter().position(|c| !fits(c)) {
                return Err(fail(format!("the counts of graph {i} are not those of the recipe")));
            }
            let part: Vec<&Counts> = part(spec.fit).into_iter().map(|i| &counts[i]).collect();
            let encoder = CountEncoder::fit(&part, spec.encoding, spec.unseen());
            let numbers =
                matches!(spec.encoding, Encoding::Raw | Encoding::Log1p | Encoding::Standardise);
            let most = match numbers && recipe.data.unseen != UnseenCategory::Error {
                true => (0..columns.len())
                    .map(|c| part.iter().flat_map(|counts| counts.column(c)).max().unwrap_or(0))
                    .collect(),
                false => Vec::new(),
            };
            let spec = spec.clone().written_out();
            Ok(CountStep { spec, encoder: encoder.map_err(encode)?, most })
        };
        let degree_encoder = |spec: &recipe::Degrees| {
            let all: Vec<u64> =
                part(spec.fit).iter().flat_map(|&i| degrees(&samples[i].graph)).collect();
            let tables = [all.as_slice()];
            CountEncoder::fit_tables(["degree"], tables, spec.encoding, spec.unseen())
                .map_err(encode)
        };
        let learning = || train.iter().map(|&i| &samples[i as usize]);
        let unseen = recipe.data.unseen;
        let vertex = FeatureTable::fit(
            "vertex",
            dataset.vertex.as_ref(),
            unseen,
            learning().map(|s| s.vertex.as_ref()),
        );
        let arc = match (recipe.network.edge_features, &dataset.arc) {
            (EdgeFeatures::None, _) => None,
            (_, None) => {
                let what = "has no features of arcs, but `network.edge-features` asks for them";
                return Err(fail(what.into()));
            }
            (_, Some(data)) => Some(
                FeatureTable::fit("arc", Some(data), unseen, learning().map(|s| s.arc.as_ref()))
                    .map_err(fail)?,
            ),
        };
        let scale = match recipe.data.targets {
            Targets::Raw => None,
            Targets::Standardise => {
                if !matches!(dataset.task, Task::Regression(_)) {
                    let what = "is no regression, so its targets cannot be standardised";
                    return Err(fail(what.into()));
                }
                let targets = learning().map(|sample| sample.targets.as_slice());
                Some(Scale::fit(dataset.task.targets(), targets))
            }
        };
        let bounds = match (recipe.data.bound, &dataset.task) {
            (None, _) => None,
            (Some(share), Task::Regression(targets)) => {
                let rows = learning().map(|sample| sample.targets.as_slice());
                Some(Bounds::fit(share, *targets, rows))
            }
            (Some(_), _) => {
                return Err(fail("is no regression, so its predictions have no bound".into()));
            }
        };
        let columns = (!dataset.columns.is_empty()).then(|| {
            ColumnStep::fit(&dataset.columns, learning().map(|sample| sample.columns.as_slice()))
        });
        let mut logs = (0.0, 0u64);
        if recipe.network.kind == Kind::Dgn {
            for degree in learning().flat_map(|s| degrees(&s.graph)) {
                logs = (logs.0 + (degree as f64).ln_1p(), logs.1 + 1);
            }
        }
        Ok(Self {
            counts: recipe.counts.as_ref().map(step).transpose()?,
            degrees: recipe.degrees.as_ref().map(degree_encoder).transpose()?,
            degrees_are_features: recipe.network.kind == Kind::Deepsets,
            vertex: vertex.map_err(fail)?,
            arc,
            walks: recipe.network.walks,
            columns,
            totals: recipe.network.count_totals,
            scale,
            bounds,
            average_log_degree: if logs.0 > 0.0 { logs.0 / logs.1 as f64 } else { 1.0 },
        })
    }

    /// What is counted, if anything is.
    pub fn count_spec(&self) -> Option<&CountSpec> {
        self.counts.as_ref().map(|step| step.spec.spec())
    }

    /// Names of the columns that graphs must bring as wholes; usually none.
    pub fn columns(&self) -> &[String] {
        self.columns.as_ref().map_or(&[], |step| &step.names)
    }

    /// Does the head read totals of the counts?
    pub(crate) fn reads_totals(&self) -> bool {
        self.totals
    }

    /// How many numbers a network reads of a graph as a whole.
    fn graph_numbers(&self) -> usize {
        let totals = self.counts.as_ref().filter(|_| self.totals);
        self.columns().len() + totals.map_or(0, |step| step.encoder.columns().len())
    }

    /// How targets were scaled, if they were.
    pub fn scale(&self) -> Option<&Scale> {
        self.scale.as_ref()
    }

    /// Limits of the predictions, if there are any.
    pub fn bounds(&self) -> Option<&Bounds> {
        self.bounds.as_ref()
    }

    /// Takes one graph's prediction back to the unit of the data and to its limits; says which
    /// targets lay outside of them.
    pub fn restore_within_bounds(&self, prediction: &mut [f64]) -> Vec<usize> {
        if let Some(scale) = &self.scale {
            scale.undo(prediction);
        }
        self.bounds.as_ref().map_or_else(Vec::new, |bounds| bounds.apply(prediction))
    }

    /// [`Pipeline::restore_within_bounds`], if it does not matter what lay outside.
    pub fn restore(&self, prediction: &mut [f64]) {
        self.restore_within_bounds(prediction);
    }

    /// What a network reads of a graph, targets scaled.
    ///
    /// # Errors
    /// If counts are missing, features are not as when the pipeline was fitted, or a value is
    /// unseen and has no place.
    pub fn encode(&self, sample: &Sample, counts: Option<&Counts>) -> Result<GraphInput> {
        self.encode_counting(sample, counts).map(|(input, _)| input)
    }

    /// [`Pipeline::encode`], and how much of the graph was never seen at fitting time.
    ///
    /// # Errors
    /// As [`Pipeline::encode`].
    pub fn encode_counting(
        &self,
        sample: &Sample,
        counts: Option<&Counts>,
    ) -> Result<(GraphInput, Unseen)> {
        let fail = |what: String| Error::Graph { row: sample.row, what };
        let graph = &sample.graph;
        let mut unseen = Unseen::default();
        let (mut vertex_ids, mut arc_ids) = (None, None);
        if let Some(step) = &self.counts {
            let counts = counts.ok_or_else(|| fail("has no counts".into()))?;
            let (rows, columns) = (counts.rows(), step.encoder.columns().len());
            let scope = step.spec.spec().scope();
            let wanted = match scope {
                Scope::Vertex => graph.order(),
                Scope::Edge => graph.edge_count(),
                Scope::Arc => graph.arc_count(),
            };
            if counts.scope() != scope || counts.columns().len() != columns || rows != wanted {
                return Err(fail("has counts of something else".into()));
            }
            let encoded = step.encoder.encode(counts.values()).map_err(|e| fail(e.to_string()))?;
            unseen.counts = encoded.unseen + step.beyond(counts);
            let table = table(encoded.codes, columns);
            match scope {
                Scope::Vertex => vertex_ids = Some(table),
                Scope::Arc => arc_ids = Some(table),
                Scope::Edge => {
                    arc_ids = Some(on_arcs(table, (0..graph.arc_count()).map(|a| graph.edge_id(a))))
                }
            }
        }
        let degrees = match &self.degrees {
            None => None,
            Some(encoder) => {
                let encoded = encoder.encode(&degrees(graph)).map_err(|e| fail(e.to_string()))?;
                unseen.degrees = encoded.unseen;
                Some(table(encoded.codes, 1))
            }
        };
        let (vertex, degrees) = match degrees {
            Some(degrees) if self.degrees_are_features => (degrees, None),
            degrees => {
                let given = sample.vertex.as_ref();
                let (vertex, n) =
                    self.vertex.encode("vertex", given, graph.order()).map_err(fail)?;
                unseen.vertex_categories = n;
                (vertex, degrees)
            }
        };
        let arc = match &self.arc {
            None => None,
            Some(table) => {
                let (arc, n) =
                    table.encode("arc", sample.arc.as_ref(), graph.arc_count()).map_err(fail)?;
                unseen.arc_categories = n;
                Some(arc)
            }
        };
        let walks = match self.walks {
            Some(_) if graph.is_directed() => {
                return Err(fail(
                    "is directed, and `network.walks` go along edges both ways".into(),
                ));
            }
            walks => walks
                .map(|steps| Features::Values { cols: steps, data: closed_walks(graph, steps) }),
        };
        let mut numbers = Vec::new();
        if let Some(step) = &self.columns {
            (numbers, unseen.missing) = step.encode(&sample.columns).map_err(fail)?;
        }
        if let Some(counts) = counts.filter(|_| self.totals) {
            numbers.extend(totals(counts));
        }
        let mut targets = sample.targets.clone();
        if let Some(scale) = &self.scale {
            scale.apply(&mut targets);
        }
        let mut input = GraphInput {
            vertices: graph.order(),
            arcs: graph.arcs().map(|(u, v)| [u, v]).collect(),
            vertex: Some(vertex),
            arc,
            vertex_ids,
            arc_ids,
            degrees,
            numbers: walks,
            graph: numbers,
            targets,
            weights: Vec::new(),
            censoring: sample.censoring.clone(),
        };
        input.sort_arcs();
        Ok((input, unseen))
    }
}

/// ln(1 + total) of every column.
fn totals(counts: &Counts) -> impl Iterator<Item = f64> + '_ {
    (0..counts.columns().len()).map(|c| {
        let total: f64 = counts.column(c).map(|count| count as f64).sum();
        total.ln_1p()
    })
}

fn table(codes: Codes, cols: usize) -> Features {
    match codes {
        Codes::Categories(data) => Features::Categories { cols, data },
        Codes::Values(data) => Features::Values { cols, data },
    }
}

/// Rows of edges handed to their arcs: row `edges[a]` goes to arc a.
fn on_arcs(table: Features, edges: impl Iterator<Item = usize>) -> Features {
    fn spread<T: Copy>(cols: usize, data: &[T], edges: impl Iterator<Item = usize>) -> Vec<T> {
        edges.flat_map(|e| &data[e * cols..(e + 1) * cols]).copied().collect()
    }
    match table {
        Features::Categories { cols, data } => {
            Features::Categories { cols, data: spread(cols, &data, edges) }
        }
        Features::Values { cols, data } => {
            Features::Values { cols, data: spread(cols, &data, edges) }
        }
    }
}
