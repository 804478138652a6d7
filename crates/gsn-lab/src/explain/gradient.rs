//! Effects by integrated gradients, from no counts (x₀) to those of the graph (x).
//!
//! The cell of row r and column c gets ∫₀¹ ⟨∂f/∂e_r, e_c(x_rc) − e_c(0)⟩ dt along the straight line from e(x₀) to e(x), e being the
//! encoding that the network reads: see [`gsn_nn::Model::identifier_shares`]. f is what is predicted, behind scale, limits and
//! probabilities, and the mean over the members. The cells of a pattern sum to its gradient; an occurrence gets from each cell it is
//! counted in an equal share with all others counted there. All patterns sum to f(x) − f(x₀).
//!
//! The integral is a sum over the middles of equal steps, in double precision. Steps are doubled until the sum is right to
//! [`TOLERANCE`], at most [`MOST_STEPS`]; how far it is off is part of the result.

use super::{Explainer, Path, PatternEffect};
use crate::dataset::{Sample, Task};
use crate::error::Result;
use crate::pipeline::Pipeline;
use crate::predict::Predictor;
use gsn_core::{Counts, Graph, Scope, memory};
use gsn_nn::metrics::Scored;
use gsn_nn::{Batch, GraphInput, Matrix, Model, Pool};

/// How far the gradients' sum may be off, as a part of the largest difference it should be.
pub const TOLERANCE: f64 = 1e-3;
/// Differences below this are not resolved.
const LEAST: f64 = 1e-6;
const FIRST_STEPS: usize = 16;
const MOST_STEPS: usize = 1024;
/// Vertices and arcs of the copies of a graph that go through the network together.
const BATCH_SIZE: usize = 1 << 16;

/// Networks in double precision.
pub(super) struct Gradients<'a> {
    members: Vec<(Model<f64>, &'a Pipeline, usize)>,
    task: &'a Task,
    pool: Pool<f64>,
}

impl<'a> Gradients<'a> {
    /// The networks of a model; or why there are no gradients.
    pub(super) fn new(predictor: &'a Predictor) -> Result<Result<Self, String>> {
        let mut members = Vec::new();
        for (member, encoding) in predictor.encodings() {
            if let Err(error) = member.model.can_share() {
                return Ok(Err(error.to_string()));
            }
            if member.pipeline.reads_totals() {
                let why = "the head reads totals of the counts, which are not differentiated";
                return Ok(Err(why.into()));
            }
            members.push((member.model.in_double()?, &member.pipeline, encoding));
        }
        Ok(Ok(Self { members, task: &predictor.file().card.task, pool: Pool::new() }))
    }

    /// Fills in the gradients of a graph; or says why there are none.
    pub(super) fn share(
        &self,
        explainer: &Explainer,
        sample: &Sample,
        counts: &Counts,
        patterns: &mut [PatternEffect],
    ) -> Result<Result<Path, String>> {
        let values = counts.values();
        let read = |values: Vec<u64>| {
            let columns = counts.columns().into();
            let counts = Counts::from_parts(counts.scope(), columns, counts.rows(), values);
            explainer.predictor.encode(sample, counts.as_ref())
        };
        let (start, end) = match (read(vec![0; values.len()]), read(values.to_vec())) {
            (Ok((start, _)), Ok((end, _))) => (start, end),
            (Err(reason), _) | (_, Err(reason)) => return Ok(Err(reason)),
        };
        let outputs = self.task.outputs();
        let wanted = 2 * (outputs * values.len()) as u64;
        let room = memory::ask_for::<f64>(wanted, || "the gradients of a graph".to_owned());
        if let Err(error) = room {
            return Ok(Err(error.to_string()));
        }
        let mut cells = vec![0.0; outputs * values.len()];
        let mut path = Path { steps: 0, gap: vec![0.0; outputs] };
        for (model, pipeline, encoding) in &self.members {
            let ends = (&start[*encoding], &end[*encoding]);
            let line = Line { model, pipeline, task: self.task, ends, graph: &sample.graph };
            let mut steps = FIRST_STEPS;
            let (shares, gap) = loop {
                explainer.monitor.check()?;
                let (shares, gap, fine) = line.integrate(steps, counts, &self.pool)?;
                if fine || steps >= MOST_STEPS {
                    break (shares, gap);
                }
                steps *= 2;
            };
            let part = 1.0 / self.members.len() as f64;
            cells.iter_mut().zip(shares).for_each(|(sum, share)| *sum += part * share);
            path.gap.iter_mut().zip(gap).for_each(|(sum, gap)| *sum += part * gap);
            path.steps = path.steps.max(steps);
        }
        if !cells.iter().all(|share| share.is_finite()) {
            return Ok(Err("the network gives no finite number".into()));
        }
        hand_out(&cells, explainer, sample, counts, patterns);
        Ok(Ok(path))
    }
}

/// Sums cells over patterns and hands them out to occurrences.
fn hand_out(
    cells: &[f64],
    explainer: &Explainer,
    sample: &Sample,
    counts: &Counts,
    patterns: &mut [PatternEffect],
) {
    let (values, columns) = (counts.values(), counts.columns().len());
    let of_output = || cells.chunks_exact(values.len().max(1));
    for pattern in patterns {
        let own = |at: usize| counts.columns()[at % columns].pattern() == pattern.pattern;
        let sum = |cells: &[f64]| (0..cells.len()).filter(|&at| own(at)).map(|at| cells[at]).sum();
        pattern.effect.gradient = Some(of_output().map(sum).collect());
        for occurrence in &mut pattern.occurrences {
            let covered: Vec<usize> = explainer
                .coverage
                .cells(pattern.pattern, &occurrence.vertices, &sample.graph)
                .map(|(row, column)| row * columns + column)
                .collect();
            let sum = |cells: &[f64]| covered.iter().map(|&at| cells[at] / values[at] as f64).sum();
            occurrence.effect.gradient = Some(of_output().map(sum).collect());
        }
    }
}

/// The line of one member from no counts to those of a graph.
struct Line<'a> {
    model: &'a Model<f64>,
    pipeline: &'a Pipeline,
    task: &'a Task,
    /// What the network reads at the ends.
    ends: (&'a GraphInput, &'a GraphInput),
    graph: &'a Graph,
}

impl Line<'_> {
    /// The shares of all cells of the counts for every output, how far their sums are off, and whether that will do.
    fn integrate(
        &self,
        steps: usize,
        counts: &Counts,
        pool: &Pool<f64>,
    ) -> Result<(Vec<f64>, Vec<f64>, bool)> {
        let outputs = self.task.outputs();
        let columns = counts.columns().len();
        let cells = counts.rows() * columns;
        let mut sums = vec![0.0; outputs * cells];
        let rows = self.rows(counts.scope());
        // A copy of the graph for every step and output.
        let all: Vec<(usize, usize)> =
            (0..steps).flat_map(|step| (0..outputs).map(move |output| (step, output))).collect();
        let size = self.ends.0.vertices + self.ends.0.arcs.len();
        for some in all.chunks((BATCH_SIZE / size.max(1)).clamp(1, 256)) {
            let start = Batch::new(&vec![self.ends.0; some.len()])?;
            let end = Batch::new(&vec![self.ends.1; some.len()])?;
            let at: Vec<f64> =
                some.iter().map(|&(step, _)| (step as f64 + 0.5) / steps as f64).collect();
            let asked = |said: &Matrix<f64>| {
                let slopes = some.iter().enumerate();
                let slopes =
                    slopes.flat_map(|(row, &(_, output))| self.slope(said.row(row), output));
                Matrix::from_vec(said.rows(), outputs, slopes.collect()).unwrap_or_default()
            };
            let found = self.model.identifier_shares((&start, &end), &at, asked, pool)?;
            let one = found.shares.chunks_exact((rows.len() * columns).max(1));
            for (shares, &(_, output)) in one.zip(some) {
                let sums = &mut sums[output * cells..][..cells];
                for (shares, &row) in shares.chunks_exact(columns.max(1)).zip(&rows) {
                    let cells = sums[row * columns..].iter_mut();
                    cells.zip(shares).for_each(|(sum, share)| *sum += share / steps as f64);
                }
            }
        }
        let ends = Batch::new(&[self.ends.0, self.ends.1])?;
        let said = self.model.predict(&ends, pool)?;
        let [start, end] = [0, 1].map(|row| self.finished(said.row(row)));
        let change: Vec<f64> = end.iter().zip(&start).map(|(end, start)| end - start).collect();
        let total = |output: usize| sums[output * cells..][..cells].iter().sum::<f64>();
        let gap: Vec<f64> =
            change.iter().enumerate().map(|(output, change)| total(output) - change).collect();
        let largest = change.iter().fold(LEAST, |most, change| most.max(change.abs()));
        let fine = gap.iter().all(|gap| gap.abs() <= TOLERANCE * largest);
        Ok((sums, gap, fine))
    }

    /// The row of the counts that each row of the identifiers comes from; see [`GraphInput::sort_arcs`].
    fn rows(&self, scope: Scope) -> Vec<usize> {
        if scope == Scope::Vertex {
            return (0..self.graph.order()).collect();
        }
        let mut order: Vec<usize> = (0..self.graph.arc_count()).collect();
        order.sort_by_key(|&arc| self.graph.arc_target(arc));
        match scope {
            Scope::Edge => order.into_iter().map(|arc| self.graph.edge_id(arc)).collect(),
            _ => order,
        }
    }

    /// What is predicted when the network says this.
    fn finished(&self, said: &[f64]) -> Vec<f64> {
        let mut numbers = said.to_vec();
        self.pipeline.restore(&mut numbers);
        Scored::probabilities(self.task.answers(), &mut numbers);
        numbers
    }

    /// The gradient of what is predicted for one output with respect to what the network says.
    fn slope(&self, said: &[f64], output: usize) -> Vec<f64> {
        let predicted = self.finished(said);
        let p = predicted[output];
        let one = |other: usize| match self.task {
            Task::Regression(_) if other != output => 0.0,
            Task::Regression(_) => {
                let scale = self.pipeline.scale().map_or(1.0, |scale| scale.deviation()[output]);
                let inside = self.pipeline.bounds().is_none_or(|bounds| {
                    let mut free = said.to_vec();
                    if let Some(scale) = self.pipeline.scale() {
                        scale.undo(&mut free);
                    }
                    (bounds.least()[output]..=bounds.most()[output]).contains(&free[output])
                });
                if inside { scale } else { 0.0 }
            }
            Task::Binary(_) if other != output => 0.0,
            Task::Binary(_) => p * (1.0 - p),
            Task::Classes(_) => p * (f64::from(u8::from(other == output)) - predicted[other]),
        };
        (0..predicted.len()).map(one).collect()
    }
}
