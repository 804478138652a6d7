//! Columns of numbers as features of a graph as a whole: standardised on the training part, stored
//! with the model.

use super::Scale;
use serde::{Deserialize, Serialize};

/// Names of the columns, and how they are scaled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ColumnStep {
    pub(super) names: Vec<String>,
    scale: Scale,
}

impl ColumnStep {
    /// Learns mean and deviation of these rows; NaN marks a missing value.
    pub(super) fn fit<'a>(names: &[String], rows: impl Iterator<Item = &'a [f64]> + Clone) -> Self {
        Self { names: names.to_vec(), scale: Scale::fit(names.len(), rows) }
    }

    /// The numbers as a network reads them, and how many are missing: the mean stands for those.
    pub(super) fn encode(&self, row: &[f64]) -> Result<(Vec<f64>, u64), String> {
        if row.len() != self.names.len() {
            let (n, m) = (row.len(), self.names.len());
            return Err(format!("has {n} numbers of its own, but {m} are read"));
        }
        let mut numbers = row.to_vec();
        self.scale.apply(&mut numbers);
        let mut missing = 0;
        for x in numbers.iter_mut().filter(|x| !x.is_finite()) {
            (*x, missing) = (0.0, missing + 1);
        }
        Ok((numbers, missing))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_stands_for_what_is_missing() {
        let rows = [[1.0, 5.0], [3.0, 5.0], [f64::NAN, 5.0]];
        let names = ["a".to_owned(), "b".to_owned()];
        let step = ColumnStep::fit(&names, rows.iter().map(|row| row.as_slice()));
        assert_eq!(step.encode(&[3.0, 6.0]), Ok((vec![1.0, 1.0], 0)));
        assert_eq!(step.encode(&[f64::NAN, 5.0]), Ok((vec![0.0, 0.0], 1)));
        assert!(step.encode(&[1.0]).is_err());
    }
}
