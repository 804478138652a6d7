//! A validation part cut from a training part, stratified by class.
//!
//! Every class gives its share (largest remainders get what is left over), drawn by a key. Cost:
//! one shuffle.

use crate::dataset::Fold;
use crate::train::order::shuffled;
use gsn_core::random::derive;
use std::collections::BTreeMap;

/// The fold with `1 / parts` of its training part as validation part. `class` says which stratum
/// a graph belongs to.
pub(crate) fn hold_out(fold: &Fold, parts: usize, key: u64, class: impl Fn(u32) -> u64) -> Fold {
    let mut strata: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
    for &i in &fold.train {
        strata.entry(class(i)).or_default().push(i);
    }
    let wanted = fold.train.len() / parts;
    let mut sizes: Vec<(usize, usize, u64)> =
        strata.iter().map(|(&c, of)| (of.len() / parts, of.len() % parts, c)).collect();
    let missing = wanted - sizes.iter().map(|s| s.0).sum::<usize>();
    sizes.sort_by_key(|&(_, remainder, c)| (std::cmp::Reverse(remainder), c));
    sizes.iter_mut().take(missing).for_each(|s| s.0 += 1);
    let mut held = Vec::with_capacity(wanted);
    for (take, _, c) in sizes {
        let of = strata.get(&c).map(Vec::as_slice).unwrap_or_default();
        held.extend_from_slice(&shuffled(derive(key, c), of)[..take]);
    }
    held.sort_unstable();
    let train = fold.train.iter().filter(|i| held.binary_search(i).is_err()).copied().collect();
    Fold { train, validation: held, ..fold.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_gives_its_share() {
        let fold = Fold { train: (0..100).collect(), test: vec![200], ..Fold::default() };
        let class = |i: u32| u64::from(i >= 70) + u64::from(i >= 99);
        let cut = hold_out(&fold, 9, 3, class);
        assert_eq!((cut.validation.len(), cut.train.len()), (11, 89));
        let of = |c| cut.validation.iter().filter(|&&i| class(i) == c).count();
        assert!([(8, 3, 0), (7, 3, 1), (8, 2, 1), (7, 4, 0)].contains(&(of(0), of(1), of(2))));
        let mut all = [cut.train.clone(), cut.validation.clone()].concat();
        all.sort_unstable();
        assert_eq!(all, fold.train);
        assert_eq!(cut, hold_out(&fold, 9, 3, class), "the same key cuts the same");
        assert_ne!(cut, hold_out(&fold, 9, 4, class), "another key cuts differently");
    }
}
