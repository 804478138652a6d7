//! From a protocol, a dataset's cuts and seeds to the units that are trained.

use super::held_out::hold_out;
use super::{Choose, Protocol};
use crate::dataset::{Dataset, Fold, Splits, Task};
use crate::error::{Error, Result};
use crate::train::{Measures, RandomKeys, Settings, Unit};

/// Which protocol a unit is reported by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The protocol's own.
    Main,
    /// The paper's protocol, reported beside a fair one.
    Paper,
}

/// A unit to be trained.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Its name, also of its folder: `fold-3`, `seed-0`, `seed-1-fold-3`, `fair-fold-3`,
    /// `repeat-1-fold-3`.
    pub name: String,
    /// Which protocol it is reported by.
    pub role: Role,
    /// Its seed.
    pub seed: u64,
    /// Its fold, where there are folds.
    pub fold_index: Option<u64>,
    /// Its parts.
    pub fold: Fold,
    /// What is measured after every epoch.
    pub measures: Measures,
}

impl Plan {
    /// The unit of fold `at` of a cross validation.
    fn of_fold(protocol: &Protocol, seeds: usize, seed: u64, at: usize, fold: &Fold) -> Self {
        let (folds, repeats) = match *protocol {
            Protocol::CrossValidation { folds, repeats } => (folds.max(1) as usize, repeats),
            _ => (usize::MAX, 1),
        };
        let mut name = String::new();
        if seeds > 1 {
            name += &format!("seed-{seed}-");
        }
        if repeats > 1 {
            name += &format!("repeat-{}-", at / folds);
        }
        name += &format!("fold-{}", at % folds);
        let chosen = !fold.validation.is_empty();
        let measures = Measures { validation: chosen, keep_best: chosen, ..Measures::default() };
        let (fold_index, fold) = (Some(at as u64), fold.clone());
        Self { name, role: Role::Main, seed, fold_index, fold, measures }
    }

    /// The keys of everything random in it.
    pub fn keys(&self) -> RandomKeys {
        RandomKeys::new(self.seed, self.fold_index.unwrap_or(0))
    }
}

impl Protocol {
    /// The units of a run. `splits` are the dataset's cuts as the recipe wants them.
    ///
    /// # Errors
    /// If the cuts are not those that the protocol needs.
    pub fn plan(
        &self,
        dataset: &Dataset,
        splits: &Splits,
        settings: &Settings,
        seeds: &[u64],
    ) -> Result<Vec<Plan>> {
        let needs_score = Unit::needs_score(settings);
        let fail = |what: &str| {
            Error::data(&dataset.name, format!("{what}, which the protocol {} needs", self.name()))
        };
        let mut plans = Vec::new();
        match (self, splits) {
            (Protocol::TudPaper | Protocol::TudFair, Splits::Folds(folds)) => {
                if folds.is_empty() || folds.iter().any(|f| f.train.is_empty() || f.test.is_empty())
                {
                    return Err(fail("has folds without training or test graphs"));
                }
                let paper =
                    Measures { test: true, train: settings.train_metric, ..Measures::default() };
                let fair = Measures { validation: true, keep_best: true, ..Measures::default() };
                let roles: &[(bool, Role, &str)] = match self {
                    Protocol::TudPaper => &[(false, Role::Main, "")],
                    _ => &[(true, Role::Main, "fair-"), (false, Role::Paper, "")],
                };
                for &(held_out, role, prefix) in roles {
                    for &seed in seeds {
                        for (f, fold) in folds.iter().enumerate() {
                            let f = f as u64;
                            let seed_name = if seeds.len() > 1 {
                                format!("seed-{seed}-")
                            } else {
                                String::new()
                            };
                            let mut plan = Plan {
                                name: format!("{prefix}{seed_name}fold-{f}"),
                                role,
                                seed,
                                fold_index: Some(f),
                                fold: Fold { validation: Vec::new(), ..fold.clone() },
                                measures: paper,
                            };
                            if held_out {
                                plan.measures = fair;
                                let key = plan.keys().held_out();
                                plan.fold = hold_out(fold, 9, key, |i| stratum(dataset, i));
                                if plan.fold.validation.is_empty() {
                                    return Err(fail("has too few graphs to hold some out"));
                                }
                            }
                            plans.push(plan);
                        }
                    }
                }
            }
            (Protocol::FixedSplit { choose }, Splits::Fixed(fold)) => {
                if fold.train.is_empty() || fold.test.is_empty() {
                    return Err(fail("has no training or no test graphs"));
                }
                let best = *choose == Choose::BestValidation;
                if best && fold.validation.is_empty() {
                    return Err(fail("has no validation part"));
                }
                let validated = !fold.validation.is_empty();
                if needs_score && !validated {
                    let what = "training.schedule: a plateau is seen on the validation part, and \
                                there is none; use `step` or `none`, or give validation rows";
                    return Err(Error::Recipe(what.into()));
                }
                let measures = Measures {
                    train: false,
                    validation: validated && (best || needs_score),
                    test: false,
                    keep_best: best,
                };
                for &seed in seeds {
                    let (name, fold) = (format!("seed-{seed}"), fold.clone());
                    plans.push(Plan {
                        name,
                        role: Role::Main,
                        seed,
                        fold_index: None,
                        fold,
                        measures,
                    });
                }
            }
            (&Protocol::CrossValidation { folds, repeats }, Splits::Folds(cut)) => {
                if folds == 0 || cut.len() != folds as usize * repeats as usize {
                    return Err(fail("is not cut into as many folds"));
                }
                for &seed in seeds {
                    for (at, fold) in cut.iter().enumerate() {
                        plans.push(Plan::of_fold(self, seeds.len(), seed, at, fold));
                    }
                }
            }
            (Protocol::FixedSplit { .. }, _) => return Err(fail("has no fixed split")),
            (Protocol::Separation { .. }, _) => {
                return Err(Error::Recipe(format!("the protocol {} trains nothing", self.name())));
            }
            (_, _) => return Err(fail("has no folds")),
        }
        Ok(plans)
    }
}

/// The class of a graph; a regression has one stratum.
fn stratum(dataset: &Dataset, i: u32) -> u64 {
    match dataset.task {
        Task::Regression(_) => 0,
        Task::Binary(_) | Task::Classes(_) => {
            let targets = dataset.samples.get(i as usize).map(|s| s.targets.as_slice());
            targets.and_then(|t| t.first()).map_or(0, |t| t.to_bits())
        }
    }
}
