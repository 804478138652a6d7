//! Cuts of the user's data: at random, stratified, by scaffold, or as a column says.
//!
//! All are deterministic: the order comes from a hash of (seed, row), never from the time or the
//! threads. Linear except for sorting.

use crate::dataset::{Fold, Task};
use crate::error::{Error, Result};
use gsn_core::random::derive;
use std::collections::BTreeMap;

/// How to cut.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Split {
    /// At random.
    Random,
    /// At random, every class (or every tenth of the targets' range of ranks) in its share.
    Stratified,
    /// By Murcko scaffold: no scaffold is in two parts, frequent ones are trained on.
    Scaffold,
    /// As this column says: `train`, `validation` (`valid`, `val`, `dev`) or `test`.
    Column(String),
}

impl std::str::FromStr for Split {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "random" => Ok(Split::Random),
            "stratified" => Ok(Split::Stratified),
            "scaffold" => Ok(Split::Scaffold),
            _ => match text.strip_prefix("column:") {
                Some(name) if !name.is_empty() => Ok(Split::Column(name.to_owned())),
                _ => Err(format!(
                    "no split is called `{text}`; there are random, stratified, scaffold and \
                     column:NAME"
                )),
            },
        }
    }
}

impl std::fmt::Display for Split {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Split::Random => f.write_str("random"),
            Split::Stratified => f.write_str("stratified"),
            Split::Scaffold => f.write_str("scaffold"),
            Split::Column(name) => write!(f, "column:{name}"),
        }
    }
}

/// Shares of training, validation and test part.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Shares {
    /// To learn from.
    pub train: f64,
    /// To choose by.
    pub validation: f64,
    /// To judge by.
    pub test: f64,
}

impl Default for Shares {
    fn default() -> Self {
        Self { train: 0.8, validation: 0.1, test: 0.1 }
    }
}

impl std::str::FromStr for Shares {
    type Err = String;

    /// `80/10/10` or `0.8/0.1/0.1`.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!("`{text}` are no shares of training, validation and test part; write 80/10/10")
        };
        let parts: Vec<f64> = text
            .split('/')
            .map(|x| x.trim().parse())
            .collect::<Result<_, _>>()
            .map_err(|_| wrong())?;
        let sum: f64 = parts.iter().sum();
        match parts[..] {
            [train, validation, test] if train > 0.0 && validation >= 0.0 && test > 0.0 => {
                if (sum - 100.0).abs() > 1e-6 && (sum - 1.0).abs() > 1e-8 {
                    return Err(format!("the shares `{text}` add up to {sum}, not to 100 (or 1)"));
                }
                Ok(Self { train: train / sum, validation: validation / sum, test: test / sum })
            }
            _ => Err(wrong()),
        }
    }
}

/// `0..n` in an order that the seed decides.
fn shuffled(n: usize, seed: u64) -> Vec<u32> {
    let mut order: Vec<u32> = (0..n as u32).collect();
    order.sort_by_key(|&i| (derive(seed, u64::from(i)), i));
    order
}

/// Cuts `n` rows at random.
///
/// # Errors
/// When a part would be empty that must not be.
///
/// ```
/// use gsn_lab::user_data::split::{Shares, random_split};
/// let fold = random_split(100, Shares::default(), 0).unwrap();
/// assert_eq!((fold.train.len(), fold.validation.len(), fold.test.len()), (80, 10, 10));
/// assert_eq!(fold, random_split(100, Shares::default(), 0).unwrap());
/// ```
pub fn random_split(n: usize, shares: Shares, seed: u64) -> Result<Fold> {
    dealt(shuffled(n, seed), shares)
}

/// Cuts so that every stratum is in every part in its share, give or take one row.
///
/// # Errors
/// When a part would be empty that must not be.
pub fn stratified_split(strata: &[usize], shares: Shares, seed: u64) -> Result<Fold> {
    let mut order = shuffled(strata.len(), seed);
    order.sort_by_key(|&i| strata[i as usize]);
    dealt(order, shares)
}

/// Deals rows in this order: after any number of them each part has its share, rounded. So
/// neighbours in the order are spread over the parts as evenly as can be.
fn dealt(order: Vec<u32>, shares: Shares) -> Result<Fold> {
    let mut fold = Fold::default();
    // The remainder of a part: what it should have by now less what it has.
    for (dealt, i) in order.into_iter().enumerate() {
        let due = |share: f64, part: &Vec<u32>| share * (dealt + 1) as f64 - part.len() as f64;
        let (train, validation, test) = (
            due(shares.train, &fold.train),
            due(shares.validation, &fold.validation),
            due(shares.test, &fold.test),
        );
        if test > train && test >= validation {
            fold.test.push(i);
        } else if validation > train {
            fold.validation.push(i);
        } else {
            fold.train.push(i);
        }
    }
    sorted(fold)
}

/// What rows are alike, for [`stratified_split`]: their class, or their tenth by rank.
pub fn strata(task: &Task, targets: &[Vec<f64>]) -> Vec<usize> {
    let first = |row: &Vec<f64>| row.first().copied().unwrap_or(f64::NAN);
    match task {
        Task::Regression(_) => {
            let mut order: Vec<usize> = (0..targets.len()).collect();
            order.sort_by(|&a, &b| first(&targets[a]).total_cmp(&first(&targets[b])));
            let mut out = vec![0; targets.len()];
            for (rank, i) in order.into_iter().enumerate() {
                out[i] = 10 * rank / targets.len();
            }
            out
        }
        _ => targets
            .iter()
            .map(|row| {
                // Several questions: their answers together, a gap being an answer of its own.
                row.iter().fold(0usize, |code, &x| {
                    let digit = if x.is_nan() { 2 } else { x as usize };
                    code.wrapping_mul(3).wrapping_add(digit)
                })
            })
            .collect(),
    }
}

/// Cuts by groups that must not be torn: large groups first, into the training part while there
/// is room, then into the validation part, the rest into the test part.
///
/// # Errors
/// When a part would be empty that must not be.
pub fn group_split(keys: &[String], shares: Shares) -> Result<Fold> {
    let mut groups = BTreeMap::<&str, Vec<u32>>::new();
    for (i, key) in keys.iter().enumerate() {
        groups.entry(key).or_default().push(i as u32);
    }
    let mut groups: Vec<Vec<u32>> = groups.into_values().collect();
    groups.sort_by_key(|group| (std::cmp::Reverse(group.len()), group[0]));
    let n = keys.len() as f64;
    let room = |share: f64| (share * n).round() as usize;
    let (train, both) = (room(shares.train), room(shares.train + shares.validation));
    let mut fold = Fold::default();
    for group in groups {
        if fold.train.len() + group.len() <= train {
            fold.train.extend(group);
        } else if fold.train.len() + fold.validation.len() + group.len() <= both {
            fold.validation.extend(group);
        } else {
            fold.test.extend(group);
        }
    }
    sorted(fold)
}

/// The part a text of a split column names.
pub fn part(text: &str) -> Result<Part, String> {
    match text.trim().to_ascii_lowercase().as_str() {
        "train" | "training" => Ok(Part::Train),
        "val" | "valid" | "validation" | "dev" => Ok(Part::Validation),
        "calibration" | "calibrate" => Ok(Part::Calibration),
        "test" | "testing" => Ok(Part::Test),
        other => Err(format!(
            "the split column says `{other}`, not train, validation, calibration or \
                             test"
        )),
    }
}

/// A part of a cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// To learn from.
    Train,
    /// To choose by.
    Validation,
    /// To learn from its errors how wide intervals must be.
    Calibration,
    /// To judge by.
    Test,
}

/// Splits as the options say.
///
/// # Errors
/// When a part is empty that must not be.
pub fn given_split(parts: &[Part]) -> Result<Fold> {
    let of = |wanted| {
        let rows = parts.iter().enumerate().filter(|(_, part)| **part == wanted);
        rows.map(|(i, _)| i as u32).collect()
    };
    sorted(Fold {
        train: of(Part::Train),
        validation: of(Part::Validation),
        calibration: of(Part::Calibration),
        test: of(Part::Test),
    })
}

fn sorted(mut fold: Fold) -> Result<Fold> {
    for (part, name) in [(&fold.train, "training"), (&fold.test, "test")] {
        if part.is_empty() {
            return Err(Error::Recipe(format!(
                "the {name} part would be empty; there are too few rows (or groups), or the \
                 shares leave it none"
            )));
        }
    }
    fold.train.sort_unstable();
    fold.validation.sort_unstable();
    fold.calibration.sort_unstable();
    fold.test.sort_unstable();
    Ok(fold)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parts(fold: &Fold) -> Vec<u32> {
        let mut all = [&fold.train[..], &fold.validation, &fold.test].concat();
        all.sort_unstable();
        all
    }

    proptest! {
        #[test]
        fn every_row_is_in_exactly_one_part(n in 3usize..400, seed in 0u64..50, classes in 1usize..6) {
            let all: Vec<u32> = (0..n as u32).collect();
            let strata: Vec<usize> = (0..n).map(|i| i * i % classes).collect();
            let keys: Vec<String> = (0..n).map(|i| (i * i % (1 + n / 2)).to_string()).collect();
            if n >= 20 {
                prop_assert_eq!(&parts(&random_split(n, Shares::default(), seed).unwrap()), &all);
            }
            if let Ok(fold) = stratified_split(&strata, Shares::default(), seed) {
                prop_assert_eq!(&parts(&fold), &all);
                // In every stratum the test part has its share, give or take two rows.
                for class in 0..classes {
                    let members = strata.iter().filter(|&&s| s == class).count();
                    let test = fold.test.iter().filter(|&&i| strata[i as usize] == class).count();
                    prop_assert!((test as f64 - 0.1 * members as f64).abs() <= 2.0);
                }
            }
            if let Ok(fold) = group_split(&keys, Shares::default()) {
                prop_assert_eq!(&parts(&fold), &all);
                for (a, b) in [(&fold.train, &fold.test), (&fold.train, &fold.validation)] {
                    let keys_of = |part: &[u32]| part.iter().map(|&i| keys[i as usize].clone()).collect::<std::collections::BTreeSet<_>>();
                    prop_assert!(keys_of(a).is_disjoint(&keys_of(b)));
                }
            }
        }
    }

    #[test]
    fn seeds_decide_and_shares_are_met() {
        let a = random_split(1000, Shares::default(), 1).unwrap();
        assert_ne!(a, random_split(1000, Shares::default(), 2).unwrap());
        let shares: Shares = "60/20/20".parse().unwrap();
        let b = random_split(1000, shares, 1).unwrap();
        assert_eq!((b.train.len(), b.validation.len(), b.test.len()), (600, 200, 200));
        assert!("80/20".parse::<Shares>().is_err() && "0/50/50".parse::<Shares>().is_err());
        assert_eq!("0.6/0.2/0.2".parse(), Ok(shares));
        assert!("90/10/10".parse::<Shares>().unwrap_err().contains("add up to 110"));
        assert!("0.5/0.1/0.1".parse::<Shares>().unwrap_err().contains("add up to 0.7"));
        assert!(random_split(1, Shares::default(), 0).is_err());
    }

    #[test]
    fn large_groups_are_trained_on() {
        let keys: Vec<String> =
            ["a"; 8].iter().chain(&["b"]).chain(&["c"]).map(|s| (*s).to_owned()).collect();
        let fold = group_split(&keys, Shares::default()).unwrap();
        assert_eq!(
            (fold.train.len(), &fold.validation[..], &fold.test[..]),
            (8, &[8][..], &[9][..])
        );
    }

    #[test]
    fn columns_and_names_are_understood() {
        assert_eq!(part(" Valid "), Ok(Part::Validation));
        assert!(part("hold-out").is_err());
        assert_eq!("column:fold".parse(), Ok(Split::Column("fold".into())));
        assert!("murcko".parse::<Split>().unwrap_err().contains("scaffold"));
        let fold = given_split(&[Part::Train, Part::Test, Part::Train]).unwrap();
        assert_eq!((&fold.train[..], &fold.test[..]), (&[0, 2][..], &[1][..]));
        assert!(given_split(&[Part::Train]).is_err());
    }
}
