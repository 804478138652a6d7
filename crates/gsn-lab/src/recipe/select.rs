//! Which graphs of a dataset an experiment uses: `data.min-vertices` and `data.fraction`.

use super::Data;
use crate::dataset::{Dataset, Fold, Splits};
use gsn_core::random::Random;

impl Data {
    /// The dataset without the graphs that are left out, and with as much of every training part
    /// as is wanted. Which training graphs stay depends on nothing but their rows, and those of
    /// a smaller share are among those of a larger one.
    pub fn select(&self, mut dataset: Dataset) -> Dataset {
        if self.min_vertices > 0 {
            // Where each graph goes; it goes nowhere if it is too small.
            let mut places = Vec::with_capacity(dataset.samples.len());
            let mut next = 0;
            for sample in &dataset.samples {
                let stays = sample.graph.order() >= self.min_vertices;
                places.push(stays.then_some(next));
                next += u32::from(stays);
            }
            dataset.samples.retain(|sample| sample.graph.order() >= self.min_vertices);
            let moved = |part: &mut Vec<u32>| {
                *part = part.iter().filter_map(|&i| *places.get(i as usize)?).collect();
            };
            each_fold(&mut dataset.splits, |fold| {
                let Fold { train, validation, calibration, test } = fold;
                [train, validation, calibration, test].into_iter().for_each(moved);
            });
        }
        if self.fraction < 1.0 {
            let rows: Vec<u64> = dataset.samples.iter().map(|sample| sample.row).collect();
            each_fold(&mut dataset.splits, |fold| {
                let wanted = (self.fraction * fold.train.len() as f64).ceil() as usize;
                let key = |&i: &u32| (scrambled(rows.get(i as usize).copied().unwrap_or(0)), i);
                let mut kept = fold.train.clone();
                kept.sort_unstable_by_key(key);
                let last = wanted.checked_sub(1).and_then(|at| kept.get(at)).map(key);
                fold.train.retain(|i| Some(key(i)) <= last);
            });
        }
        dataset
    }
}

fn each_fold(splits: &mut Splits, change: impl Fn(&mut Fold)) {
    match splits {
        Splits::None => {}
        Splits::Fixed(fold) => change(fold),
        Splits::Folds(folds) => folds.iter_mut().for_each(change),
    }
}

/// A number without visible order.
fn scrambled(row: u64) -> u64 {
    Random::new(row).bits()
}
