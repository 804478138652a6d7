//! Intervals that hold as often as they say: split conformal prediction.
//!
//! The errors of a model on n rows that were neither learned from nor chosen by are sorted. A new
//! row of the same kind has an error of at most the k-th of them, k = ⌈(n + 1)·level⌉, with a
//! probability of at least `level`, whatever the model and the distribution. If k is larger than
//! n, no finite interval can promise that much.
//!
//! | task | error of a row | what a new row gets |
//! |---|---|---|
//! | numbers | \|y − ŷ\|, or \|y − ŷ\| / (spread + offset) with several members | an interval |
//! | yes or no | 1 − p(the truth) | the answers with 1 − p at most that error, and the likelier |
//! | classes | 1 − p(the class) | the classes, likewise |
//!
//! Errors out of fold are of members that did not see the row, and every new row is predicted by
//! all members. Each error is then counted from what its own members say about the new row (CV+):
//! the bound is the k-th of all these numbers.
//!
//! The offset is the mean error on the rows that were chosen by, so that members that happen to
//! agree do not make an interval of no width. Cost: one sort.

mod coverage;

pub use coverage::{Count, Coverage, Covered};

use crate::dataset::Task;
use crate::ensemble::{Said, first_largest};
use gsn_core::random::derive;
use serde::{Deserialize, Serialize};

/// Rows whose errors are kept at most; more add nothing but bytes.
const MOST: usize = 10_000;

/// How often an interval shall hold.
///
/// ```
/// use gsn_lab::conformal::Level;
/// assert_eq!("0.9".parse::<Level>(), Ok(Level::default()));
/// assert!("90".parse::<Level>().is_err());
/// // The ninth of nine errors; eight are too few.
/// assert_eq!((Level::default().rank(9), Level::default().rank(8)), (Some(9), None));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Level(f64);

impl Default for Level {
    /// 0.9
    fn default() -> Self {
        Self(0.9)
    }
}

impl TryFrom<f64> for Level {
    type Error = String;

    fn try_from(share: f64) -> Result<Self, String> {
        match share > 0.0 && share < 1.0 {
            true => Ok(Self(share)),
            false => Err(format!("{share} is no share between 0 and 1; write 0.9 for 90 %")),
        }
    }
}

impl From<Level> for f64 {
    fn from(level: Level) -> f64 {
        level.0
    }
}

impl std::str::FromStr for Level {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no share between 0 and 1; write 0.9 for 90 %");
        text.trim().parse::<f64>().map_err(|_| wrong())?.try_into().map_err(|_| wrong())
    }
}

impl std::fmt::Display for Level {
    /// `90 %`
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} %", (self.0 * 1e6).round() / 1e4)
    }
}

impl Level {
    /// Which of `n` ascending errors bounds a new one, from 1; nothing if they are too few.
    pub fn rank(self, n: usize) -> Option<usize> {
        // A product that is a whole number but for rounding is that number.
        let exact = (n as f64 + 1.0) * self.0;
        let rank = (exact - 1e-9 * exact).ceil().max(1.0) as usize;
        (rank <= n).then_some(rank)
    }

    /// The least number of errors that allows a finite bound.
    pub fn least(self) -> usize {
        let n = (self.0 / (1.0 - self.0)).floor() as usize;
        (n.saturating_sub(1)..).find(|&n| self.rank(n).is_some()).unwrap_or(usize::MAX)
    }
}

/// Which rows the errors are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// A part that was kept apart for it.
    KeptApart,
    /// Every row, predicted by the members that did not see it.
    OutOfFold,
}

/// Sorted errors of a model, from which intervals of any level follow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Calibration {
    /// Which rows they are of.
    pub source: Source,
    /// Errors that every row has: one for every cut into folds.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub repeats: usize,
    /// Which members the errors of each group are of, by their places in the model file; without
    /// groups all errors are of all members together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<Vec<usize>>,
    /// One for every target; for classes one.
    pub targets: Vec<Errors>,
}

fn once() -> usize {
    1
}

fn is_once(n: &usize) -> bool {
    *n == 1
}

/// Errors of one target.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Errors {
    /// Errors are in multiples of the members' spread and this; as they are if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<f64>,
    /// The errors of each group (one if there are no groups), ascending.
    pub sorted: Vec<Vec<f64>>,
}

/// A row whose target is known, and what was predicted for it.
pub type Judged<'a> = (&'a [f64], &'a Said);

impl Errors {
    /// How many there are, in all groups.
    pub fn count(&self) -> usize {
        self.sorted.iter().map(Vec::len).sum()
    }

    /// What a row's error is measured in.
    fn unit(&self, spread: Option<f64>) -> f64 {
        self.offset.map_or(1.0, |offset| offset + spread.unwrap_or(0.0))
    }
}

impl Calibration {
    /// Sorts the errors of rows that all members predict together. `chosen_by` are the rows that
    /// were chosen by, for the offset; without spread or without them errors are taken as they
    /// are.
    pub fn new<'a>(
        task: &Task,
        source: Source,
        rows: &[Judged<'a>],
        chosen_by: &[Judged<'a>],
    ) -> Self {
        let targets = (0..task.targets()).map(|target| {
            let offset = offset(task, target, chosen_by);
            let sorted = vec![sorted(task, target, offset, rows, MOST)];
            Errors { offset, sorted }
        });
        Self { source, repeats: 1, groups: Vec::new(), targets: targets.collect() }
    }

    /// Sorts the errors of all rows out of fold: for every fold its members, by their places in
    /// the model file, and the rows they were not trained on. Every row occurs `repeats` times.
    pub fn out_of_fold(
        task: &Task,
        repeats: usize,
        folds: Vec<(Vec<usize>, Vec<Judged<'_>>)>,
    ) -> Self {
        let most = MOST.div_ceil(folds.len().max(1));
        let targets = (0..task.targets()).map(|target| {
            let each = folds.iter().map(|(_, rows)| sorted(task, target, None, rows, most));
            Errors { offset: None, sorted: each.collect() }
        });
        let targets = targets.collect();
        let groups = folds.into_iter().map(|(members, _)| members).collect();
        Self { source: Source::OutOfFold, repeats: repeats.max(1), groups, targets }
    }

    /// The same without groups, for other members than those the errors are of.
    #[must_use]
    pub fn pooled(mut self) -> Self {
        self.groups.clear();
        for errors in &mut self.targets {
            let mut all = errors.sorted.concat();
            all.sort_by(f64::total_cmp);
            errors.sorted = vec![all];
        }
        self
    }

    /// Errors that a target has, counting every row once.
    pub fn rows(&self, target: usize) -> usize {
        self.targets.get(target).map_or(0, Errors::count) / self.repeats
    }

    /// Which of the ascending errors of all groups bounds a new one, from 1.
    fn rank(&self, target: usize, level: Level) -> Option<usize> {
        Some(level.rank(self.rows(target))? * self.repeats)
    }

    /// What the members of each group say together, from what every member says; nothing if
    /// there are no groups.
    pub fn groups_of(&self, members: &[Vec<f64>]) -> Vec<Said> {
        let said = |group: &Vec<usize>| {
            let members: Vec<&Vec<f64>> = group.iter().filter_map(|&at| members.get(at)).collect();
            Said::mean_of(&members)
        };
        self.groups.iter().filter_map(said).collect()
    }

    /// The errors of a target with what the members they are of say about a new row.
    fn each<'a>(
        &'a self,
        target: usize,
        said: &'a Said,
        groups: &'a [Said],
    ) -> Option<impl Iterator<Item = (&'a Vec<f64>, &'a Said)> + Clone> {
        let errors = self.targets.get(target)?;
        let fits = self.groups.is_empty() || groups.len() == errors.sorted.len();
        let alone = self.groups.is_empty().then_some(said);
        fits.then(|| errors.sorted.iter().zip(alone.into_iter().chain(groups)))
    }

    /// The interval of a number, from what all members say together and what each group says
    /// ([`Calibration::groups_of`]); nothing if there are too few errors for this level.
    ///
    /// The upper end is the error of the right rank, each counted from what its own group says
    /// (CV+); the lower end likewise. What all say together always lies within.
    pub fn interval(
        &self,
        target: usize,
        level: Level,
        said: &Said,
        groups: &[Said],
    ) -> Option<[f64; 2]> {
        let errors = self.targets.get(target)?;
        let rank = self.rank(target, level)?;
        let mean = *said.numbers.get(target)?;
        let end = |sign: f64| -> Option<f64> {
            let reach = |(sorted, said): (&Vec<f64>, &Said)| -> Option<Vec<f64>> {
                let spread = said.spread.as_ref().and_then(|spread| spread.get(target).copied());
                let (unit, centre) = (errors.unit(spread), sign * said.numbers.get(target)?);
                Some(sorted.iter().map(|error| centre + error * unit).collect())
            };
            let each: Vec<Vec<f64>> =
                self.each(target, said, groups)?.map(reach).collect::<Option<_>>()?;
            match &each[..] {
                [one] => one.get(rank - 1).copied(),
                several => {
                    let mut all = several.concat();
                    let last = all.len().checked_sub(1)?;
                    let (_, end, _) =
                        all.select_nth_unstable_by((rank - 1).min(last), f64::total_cmp);
                    Some(*end)
                }
            }
        };
        let (low, high) = (-end(-1.0)?, end(1.0)?);
        Some([low.min(mean), high.max(mean)])
    }

    /// Which answers to a target belong to the set of a level, in the order of [`answers`];
    /// nothing if there are too few errors for it. The most likely answer always does, so that no
    /// set is empty.
    pub fn set(
        &self,
        task: &Task,
        target: usize,
        level: Level,
        said: &Said,
        groups: &[Said],
    ) -> Option<Vec<bool>> {
        let rank = self.rank(target, level)?;
        let together = answers(task, target, said);
        let likeliest = first_largest(&together);
        let each: Vec<(&Vec<f64>, Vec<f64>)> = self
            .each(target, said, groups)?
            .map(|(sorted, said)| (sorted, answers(task, target, said)))
            .collect();
        let is_in = |at: usize| {
            // Errors that are smaller than that of this answer.
            let smaller = |(sorted, answers): &(&Vec<f64>, Vec<f64>)| -> Option<usize> {
                let error = 1.0 - answers.get(at)?;
                Some(sorted.partition_point(|known| *known < error))
            };
            let smaller: Option<usize> = each.iter().map(smaller).sum();
            Some(at) == likeliest || smaller.is_some_and(|smaller| smaller < rank)
        };
        Some((0..together.len()).map(is_in).collect())
    }

    /// Targets that have too few errors for a level.
    pub fn too_few(&self, level: Level) -> usize {
        (0..self.targets.len()).filter(|&target| self.rank(target, level).is_none()).count()
    }
}

/// Errors of rows, at most so many, ascending.
fn sorted(
    task: &Task,
    target: usize,
    offset: Option<f64>,
    rows: &[Judged<'_>],
    most: usize,
) -> Vec<f64> {
    let measure = Errors { offset, sorted: Vec::new() };
    let mut found: Vec<f64> = rows
        .iter()
        .filter_map(|row| error(task, target, &measure, row))
        .filter(|error| error.is_finite())
        .collect();
    if found.len() > most {
        // Any choice that does not look at the errors keeps the promise.
        let mut order: Vec<usize> = (0..found.len()).collect();
        order.sort_by_key(|&at| (derive(0x6361_6c69, at as u64), at));
        found = order.into_iter().take(most).map(|at| found[at]).collect();
    }
    found.sort_by(f64::total_cmp);
    found
}

/// The probabilities of the answers to a target: no and yes, or the classes.
pub fn answers(task: &Task, target: usize, said: &Said) -> Vec<f64> {
    match task {
        Task::Regression(_) => Vec::new(),
        Task::Binary(_) => said.numbers.get(target).map_or(Vec::new(), |p| vec![1.0 - p, *p]),
        Task::Classes(_) => said.numbers.clone(),
    }
}

/// How wrong a prediction is; nothing where the truth is not known.
fn error(task: &Task, target: usize, errors: &Errors, (truth, said): &Judged<'_>) -> Option<f64> {
    let truth = truth.get(target).copied().filter(|truth| !truth.is_nan())?;
    match task {
        Task::Regression(_) => {
            let spread = said.spread.as_ref().and_then(|spread| spread.get(target).copied());
            Some((truth - said.numbers.get(target)?).abs() / errors.unit(spread))
        }
        _ => Some(1.0 - answers(task, target, said).get(truth as usize)?),
    }
}

/// The mean error of a number on the rows that were chosen by, if members have a spread there.
fn offset(task: &Task, target: usize, chosen_by: &[Judged<'_>]) -> Option<f64> {
    let spread = chosen_by.iter().all(|(_, said)| said.spread.is_some());
    if !matches!(task, Task::Regression(_)) || !spread {
        return None;
    }
    let plain = Errors::default();
    let errors: Vec<f64> =
        chosen_by.iter().filter_map(|row| error(task, target, &plain, row)).collect();
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    (mean.is_finite() && mean > 0.0).then_some(mean)
}

#[cfg(test)]
mod tests;
