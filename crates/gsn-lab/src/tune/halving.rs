//! Successive halving: many trials for a few epochs, the better ones for more.
//!
//! With `keep` = 3, every rung has three times the epochs of the one before and a third of its
//! trials; the last rung trains to the end. Li et al., "Hyperband", JMLR 18 (2018), section 3.

/// One rung of the ladder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rung {
    /// Trials that reach it.
    pub trials: usize,
    /// Epochs they are trained to.
    pub epochs: u64,
}

/// The rungs for so many trials of so many epochs; one in `keep` goes on. The last has all epochs.
///
/// ```
/// use gsn_lab::tune::{Rung, rungs};
/// let ladder = rungs(9, 90, 3);
/// let expected = [(9, 10), (3, 30), (1, 90)].map(|(trials, epochs)| Rung { trials, epochs });
/// assert_eq!(ladder, expected);
/// ```
pub fn rungs(trials: usize, epochs: u64, keep: usize) -> Vec<Rung> {
    let (mut trials, keep) = (trials.max(1), keep.max(2));
    let mut counts = vec![trials];
    let mut least = epochs;
    while trials >= keep && least / keep as u64 >= 1 {
        trials /= keep;
        least /= keep as u64;
        counts.push(trials);
    }
    let last = counts.len() - 1;
    let rung = |(at, trials): (usize, usize)| Rung {
        trials,
        // From above, so that the last rung has all epochs whatever the rounding.
        epochs: (at..last).fold(epochs, |n, _| n / keep as u64),
    };
    counts.into_iter().enumerate().map(rung).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rungs_grow_to_all_epochs_and_shrink_to_one_trial() {
        for trials in 1..60 {
            for epochs in 1..40 {
                let ladder = rungs(trials, epochs, 3);
                assert_eq!(ladder[0].trials, trials);
                assert_eq!(ladder.last().unwrap().epochs, epochs);
                assert!(ladder.iter().all(|rung| rung.trials >= 1 && rung.epochs >= 1));
                for pair in ladder.windows(2) {
                    assert!(pair[0].epochs < pair[1].epochs && pair[0].trials > pair[1].trials);
                }
            }
        }
        assert_eq!(rungs(30, 200, 3).len(), 4);
        assert_eq!(rungs(5, 1, 3), [Rung { trials: 5, epochs: 1 }]);
    }
}
