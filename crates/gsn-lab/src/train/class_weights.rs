//! What the classes are worth in the loss: `training.class-weights`.

use crate::dataset::{Dataset, Task};
use crate::error::{Error, Result};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What yes and no, or the classes, are worth in the loss.
///
/// ```
/// use gsn_lab::train::ClassWeights;
/// assert_eq!("balanced".parse(), Ok(ClassWeights::Balanced));
/// assert_eq!("1,9.5".parse(), Ok(ClassWeights::Fixed(vec![1.0, 9.5])));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum ClassWeights {
    /// Every class as much as every other: n / (k · members) for each of its n labels among k
    /// classes, by the training part.
    Balanced,
    /// These: of no and yes, or of the classes in their order.
    Fixed(Vec<f64>),
}

/// What is wrong with a text or a list.
const WRONG: &str = "class weights are `balanced` or a list of numbers above zero";

impl ClassWeights {
    fn fixed(weights: Vec<f64>) -> Result<Self, String> {
        match weights.len() > 1 && weights.iter().all(|&w| w > 0.0 && w.is_finite()) {
            true => Ok(Self::Fixed(weights)),
            false => Err(format!("{WRONG}, one for each class")),
        }
    }

    /// For every target the weight of each class, by the graphs `train` of a dataset.
    ///
    /// # Errors
    /// If there are no classes, or not as many as weights.
    pub fn fit(&self, dataset: &Dataset, train: &[u32]) -> Result<Vec<Vec<f64>>> {
        let fail = |what: String| Error::Recipe(format!("training.class-weights: {what}"));
        let (targets, classes) = match &dataset.task {
            Task::Regression(_) => return Err(fail("a regression has no classes".into())),
            Task::Binary(n) => (*n, 2),
            Task::Classes(names) => (1, names.len()),
        };
        if let Self::Fixed(weights) = self {
            if weights.len() != classes {
                let (n, of) = (
                    weights.len(),
                    match &dataset.task {
                        Task::Classes(names) => names.join(", "),
                        _ => "no, yes".into(),
                    },
                );
                return Err(fail(format!("{n} weights, but there are {classes} classes: {of}")));
            }
            return Ok(vec![weights.clone(); targets]);
        }
        let balanced = |target: usize| {
            let mut members = vec![0usize; classes];
            for &i in train {
                let value = dataset.samples[i as usize].targets[target];
                if !value.is_nan() {
                    members[(value as usize).min(classes - 1)] += 1;
                }
            }
            let n: usize = members.iter().sum();
            let weight = |&m: &usize| if m == 0 { 1.0 } else { n as f64 / (classes * m) as f64 };
            members.iter().map(weight).collect()
        };
        Ok((0..targets).map(balanced).collect())
    }

    /// The weights of a graph's targets.
    pub(crate) fn of_targets(fitted: &[Vec<f64>], targets: &[f64]) -> Vec<f64> {
        let weight = |(weights, &target): (&Vec<f64>, &f64)| match target.is_nan() {
            true => 1.0,
            false => weights.get(target as usize).copied().unwrap_or(1.0),
        };
        fitted.iter().zip(targets).map(weight).collect()
    }
}

impl std::str::FromStr for ClassWeights {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "balanced" {
            return Ok(Self::Balanced);
        }
        let numbers: Result<Vec<f64>, _> = text.split(',').map(|n| n.trim().parse()).collect();
        Self::fixed(numbers.map_err(|_| format!("`{text}`: {WRONG}"))?)
    }
}

impl std::fmt::Display for ClassWeights {
    /// As a recipe has it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Balanced => f.write_str("\"balanced\""),
            Self::Fixed(weights) => write!(f, "{weights:?}"),
        }
    }
}

impl Serialize for ClassWeights {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Balanced => serializer.serialize_str("balanced"),
            Self::Fixed(weights) => weights.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ClassWeights {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Given {
            Name(String),
            List(Vec<f64>),
        }
        let given =
            Given::deserialize(deserializer).map_err(|_| serde::de::Error::custom(WRONG))?;
        let read = match given {
            Given::Name(name) => name.parse(),
            Given::List(weights) => Self::fixed(weights),
        };
        read.map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recipes_hold_a_word_or_a_list() {
        #[derive(Debug, PartialEq, Serialize, Deserialize)]
        struct Table {
            w: ClassWeights,
        }
        for text in ["w = \"balanced\"\n", "w = [1.0, 2.5]\n"] {
            let table: Table = toml::from_str(text).unwrap();
            assert_eq!(toml::to_string(&table).unwrap(), text);
            assert_eq!(format!("w = {}\n", table.w), text);
        }
        for wrong in ["w = \"even\"", "w = [1.0]", "w = [1.0, -1.0]", "w = 3"] {
            assert!(toml::from_str::<Table>(wrong).is_err(), "{wrong}");
        }
    }
}
