//! What is to be predicted for the graphs of a batch: targets, what each is worth, and whether it
//! is the value itself or a bound of it.

use super::GraphInput;
use crate::error::{Error, Result};
use crate::matrix::Matrix;
use crate::scalar::Scalar;

/// What a target says about the true value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Censoring {
    /// It is the value.
    #[default]
    None,
    /// The value is no larger: `<0.5`.
    Below,
    /// The value is no smaller: `>10`.
    Above,
}

impl Censoring {
    /// Whether a prediction agrees with a target that is a bound, so that it costs nothing.
    pub fn holds(self, prediction: f64, target: f64) -> bool {
        match self {
            Censoring::None => false,
            Censoring::Below => prediction <= target,
            Censoring::Above => prediction >= target,
        }
    }
}

/// Targets of several graphs, a row a graph; NaN marks a missing one.
#[derive(Debug, Clone, Default)]
pub struct Labels<T> {
    /// The targets.
    pub targets: Matrix<T>,
    /// What each is worth in the loss; all the same if there are none.
    pub(crate) weights: Option<Matrix<T>>,
    /// Which of them are censoring, row after row; none if there are none.
    pub(crate) censoring: Option<Vec<Censoring>>,
}

impl<T: Scalar> Labels<T> {
    /// The labels of these graphs.
    ///
    /// # Errors
    /// If the graphs do not all have as many, or a graph does not have as many weights or censoring.
    pub fn new(graphs: &[&GraphInput]) -> Result<Self> {
        let cols = graphs.first().map_or(0, |g| g.targets.len());
        let fail = |graph: usize, what: String| Error::Graph { graph, what };
        for (i, g) in graphs.iter().enumerate() {
            if g.targets.len() != cols {
                let n = g.targets.len();
                return Err(fail(i, format!("{n} targets, but graph 0 has {cols}")));
            }
            for (n, what) in [(g.weights.len(), "weights"), (g.censoring.len(), "censoring")] {
                if n != 0 && n != cols {
                    return Err(fail(i, format!("{n} {what} of {cols} targets")));
                }
            }
        }
        let table = |get: &dyn Fn(&GraphInput, usize) -> f64| {
            let cells = graphs.iter().flat_map(|g| (0..cols).map(|t| T::from_f64(get(g, t))));
            Matrix::from_vec(graphs.len(), cols, cells.collect())
                .ok_or_else(|| crate::error::batch("targets"))
        };
        let weighted = graphs.iter().any(|g| !g.weights.is_empty());
        let weight = |g: &GraphInput, t: usize| g.weights.get(t).copied().unwrap_or(1.0);
        let censored = graphs.iter().any(|g| !g.censoring.is_empty());
        let bound = |g: &&GraphInput, t: usize| g.censoring.get(t).copied().unwrap_or_default();
        let censoring =
            || graphs.iter().flat_map(|g| (0..cols).map(move |t| bound(g, t))).collect::<Vec<_>>();
        Ok(Self {
            targets: table(&|g, t| g.targets[t])?,
            weights: weighted.then(|| table(&weight)).transpose()?,
            censoring: censored.then(censoring),
        })
    }

    /// What the label at this place is worth.
    pub(crate) fn weight(&self, at: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights.data()[at].to_f64())
    }

    /// Whether the target at this place is a bound that the prediction keeps.
    pub(crate) fn kept(&self, at: usize, prediction: f64, target: f64) -> bool {
        self.censoring.as_ref().is_some_and(|censoring| censoring[at].holds(prediction, target))
    }
}

impl<T> From<Matrix<T>> for Labels<T> {
    /// Exact targets, all worth the same.
    fn from(targets: Matrix<T>) -> Self {
        Self { targets, weights: None, censoring: None }
    }
}
