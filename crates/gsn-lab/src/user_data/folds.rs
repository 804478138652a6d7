//! Folds of a cross validation, and rows kept apart for intervals.
//!
//! Rows are dealt into bins as a split deals them into parts: at random, every stratum evenly, or
//! by groups that are never torn. Everything follows from the seed. Cost: one sort for every fold.

use super::split::Shares;
use crate::dataset::Fold;
use crate::error::{Error, Result};
use gsn_core::random::derive;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// A validation part of fewer rows is not halved: neither half would be of use.
const LEAST_TO_HALVE: usize = 40;

/// How often rows are cut into how many folds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Folds {
    /// Folds of a cut, at least 2.
    pub folds: u32,
    /// Different cuts; 1 by default.
    #[serde(default = "once")]
    pub repeats: u32,
}

fn once() -> u32 {
    1
}

/// Which rows belong together, or must be spread.
#[derive(Debug, Clone, Copy)]
pub enum Alike<'a> {
    /// None.
    No,
    /// Rows of one stratum are spread evenly.
    Strata(&'a [usize]),
    /// Rows of one group stay together.
    Groups(&'a [String]),
}

/// Deals rows into bins of about the same size, in an order that the key decides.
fn deal(rows: &[u32], bins: usize, key: u64, alike: Alike<'_>) -> Vec<Vec<u32>> {
    let random = |i: u32| (derive(key, u64::from(i)), i);
    let mut out = vec![Vec::new(); bins];
    match alike {
        Alike::No | Alike::Strata(_) => {
            let stratum = |i: u32| match alike {
                Alike::Strata(strata) => strata.get(i as usize).copied().unwrap_or(0),
                _ => 0,
            };
            let mut order = rows.to_vec();
            order.sort_by_key(|&i| (stratum(i), random(i)));
            order.into_iter().enumerate().for_each(|(at, i)| out[at % bins].push(i));
        }
        Alike::Groups(keys) => {
            let mut groups = BTreeMap::<Option<&String>, Vec<u32>>::new();
            for &i in rows {
                groups.entry(keys.get(i as usize)).or_default().push(i);
            }
            let mut groups: Vec<Vec<u32>> = groups.into_values().collect();
            // Large groups first: small ones fill what is left.
            groups.sort_by_key(|group| (Reverse(group.len()), random(group[0])));
            for group in groups {
                if let Some(smallest) = out.iter_mut().min_by_key(|bin| bin.len()) {
                    smallest.extend(group);
                }
            }
        }
    }
    out.iter_mut().for_each(|bin| bin.sort_unstable());
    out
}

impl Folds {
    /// Cuts `n` rows: every fold of every repeat is the test part once. Of the other rows a
    /// validation part is held out by the same kind of cut; `shares` says how much of it.
    ///
    /// # Errors
    /// When a part would be empty.
    ///
    /// ```
    /// use gsn_lab::user_data::folds::{Alike, Folds};
    /// use gsn_lab::user_data::split::Shares;
    /// let five = Folds { folds: 5, repeats: 2 };
    /// let folds = five.cut(90, Alike::No, Shares::default(), 0)?;
    /// assert_eq!(folds.len(), 10);
    /// assert_eq!((folds[0].train.len(), folds[0].validation.len(), folds[0].test.len()), (64, 8, 18));
    /// # Ok::<(), gsn_lab::Error>(())
    /// ```
    pub fn cut(self, n: usize, alike: Alike<'_>, shares: Shares, seed: u64) -> Result<Vec<Fold>> {
        let Self { folds, repeats } = self;
        let fail = |what: String| Err(Error::Recipe(what));
        if folds < 2 || repeats < 1 {
            return fail(format!("{folds} folds, {repeats} times: at least 2 folds, once"));
        }
        if shares.validation <= 0.0 {
            let what = "folds need a validation part to choose by; give it a share with --shares";
            return fail(what.into());
        }
        // As many bins as validation parts fit into what is no test part.
        let bins = ((shares.train + shares.validation) / shares.validation).round().max(2.0);
        let all: Vec<u32> = (0..n as u32).collect();
        let mut cut = Vec::new();
        for repeat in 0..repeats {
            let key = derive(derive(seed, 0x666f_6c64), u64::from(repeat));
            let tests = deal(&all, folds as usize, key, alike);
            for (at, test) in tests.iter().enumerate() {
                let rest: Vec<u32> =
                    all.iter().filter(|i| test.binary_search(i).is_err()).copied().collect();
                let mut parts = deal(&rest, bins as usize, derive(key, at as u64 + 1), alike);
                // The smallest: a group that is larger than a part should be learned from.
                parts.sort_by_key(Vec::len);
                let taken = parts.iter().position(|part| !part.is_empty());
                let validation = taken.map(|at| parts.swap_remove(at)).unwrap_or_default();
                let mut train = parts.concat();
                train.sort_unstable();
                if train.is_empty() || test.is_empty() {
                    let what = match alike {
                        Alike::Groups(_) => "groups",
                        _ => "rows",
                    };
                    return fail(format!("there are too few {what} for {folds} folds"));
                }
                let test = test.clone();
                cut.push(Fold { train, validation, test, ..Fold::default() });
            }
        }
        Ok(cut)
    }
}

/// Keeps half of a validation part apart for intervals: nothing is learned from or chosen by it. A
/// part of fewer than 40 rows is left whole, and so is a fold that has such rows already.
pub fn keep_apart(fold: &mut Fold, seed: u64, strata: Option<&Vec<usize>>) {
    if fold.validation.len() < LEAST_TO_HALVE || !fold.calibration.is_empty() {
        return;
    }
    let alike = strata.map_or(Alike::No, |strata| Alike::Strata(strata));
    let mut halves = deal(&fold.validation, 2, derive(seed, 0x6361_6c69), alike).into_iter();
    fold.validation = halves.next().unwrap_or_default();
    fold.calibration = halves.next().unwrap_or_default();
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn set(rows: &[u32]) -> BTreeSet<u32> {
        rows.iter().copied().collect()
    }

    #[test]
    fn every_row_is_tested_once_in_every_repeat() {
        let groups: Vec<String> = (0..103u32).map(|i| (i * i % 37).to_string()).collect();
        let strata: Vec<usize> = (0..103).map(|i| usize::from(i % 10 == 0)).collect();
        for alike in [Alike::No, Alike::Strata(&strata), Alike::Groups(&groups)] {
            let cut = Folds { folds: 5, repeats: 3 }.cut(103, alike, Shares::default(), 7).unwrap();
            assert_eq!(cut.len(), 15);
            for repeat in cut.chunks(5) {
                let mut tested: Vec<u32> = repeat.iter().flat_map(|f| f.test.clone()).collect();
                tested.sort_unstable();
                assert_eq!(tested, (0..103).collect::<Vec<u32>>(), "{alike:?}");
            }
            for Fold { train, validation, test, calibration } in &cut {
                assert!(calibration.is_empty() && !validation.is_empty());
                assert_eq!(train.len() + validation.len() + test.len(), 103);
                assert_eq!(set(&[&train[..], validation, test].concat()).len(), 103);
                match alike {
                    Alike::Groups(keys) => {
                        let of = |part: &[u32]| -> BTreeSet<&String> {
                            part.iter().map(|&i| &keys[i as usize]).collect()
                        };
                        assert!(of(train).is_disjoint(&of(test)));
                        assert!(of(train).is_disjoint(&of(validation)));
                        assert!(of(validation).is_disjoint(&of(test)));
                    }
                    Alike::Strata(strata) => {
                        let rare = test.iter().filter(|&&i| strata[i as usize] == 1).count();
                        assert!((2..=3).contains(&rare), "{rare}");
                    }
                    Alike::No => {}
                }
            }
            assert_ne!(cut[0].test, cut[5].test, "repeats differ");
        }
    }

    #[test]
    fn what_cannot_be_cut_is_said() {
        let cut = |folds, n, shares: &str| {
            let shares = shares.parse().unwrap();
            Folds { folds, repeats: 1 }.cut(n, Alike::No, shares, 0).unwrap_err().to_string()
        };
        assert!(cut(1, 10, "80/10/10").contains("at least 2 folds"));
        assert!(cut(5, 3, "80/10/10").contains("too few rows for 5 folds"));
        assert!(cut(5, 100, "80/0/20").contains("--shares"));
        let groups: Vec<String> = (0..50).map(|i| (i % 3).to_string()).collect();
        let folds = Folds { folds: 4, repeats: 1 };
        let error = folds.cut(50, Alike::Groups(&groups), Shares::default(), 0).unwrap_err();
        assert!(error.to_string().contains("too few groups"), "{error}");
    }

    #[test]
    fn half_of_a_large_validation_part_is_kept_apart() {
        let cut = |n: u32, seed, strata| {
            let mut fold = Fold { validation: (0..n).collect(), ..Fold::default() };
            keep_apart(&mut fold, seed, strata);
            fold
        };
        assert_eq!(
            (cut(39, 0, None).validation.len(), cut(39, 0, None).calibration.len()),
            (39, 0)
        );
        let mut halved = cut(41, 0, None);
        assert_eq!((halved.validation.len(), halved.calibration.len()), (21, 20));
        assert_eq!(set(&[&halved.validation[..], &halved.calibration].concat()).len(), 41);
        assert_ne!(halved, cut(41, 1, None));
        keep_apart(&mut halved, 0, None);
        assert_eq!(halved, cut(41, 0, None), "not twice");
        let strata: Vec<usize> = (0..60).map(|i| usize::from(i < 10)).collect();
        let rare = cut(60, 0, Some(&strata)).calibration.iter().filter(|&&i| i < 10).count();
        assert_eq!(rare, 5);
    }
}
