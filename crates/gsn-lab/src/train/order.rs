//! Which graphs a step sees, and the keys of everything random in a unit.
//!
//! Nothing is drawn from a generator that moves: the order of a pass and the seed of a step are
//! hashes of (seed, fold, epoch, pass or step). So any step can be made without those before it,
//! and neither threads nor a restart change anything. Cost: one shuffle a pass.

use gsn_core::random::derive;

/// Keys of the random streams of one unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RandomKeys {
    key: u64,
}

impl RandomKeys {
    /// For a seed and a fold (0 where there are none).
    pub fn new(seed: u64, fold: u64) -> Self {
        Self { key: derive(derive(0x6773_6e2d_6c61_6221, seed), fold) }
    }

    fn stream(self, which: u64) -> u64 {
        derive(self.key, which)
    }

    /// Decides the start of every parameter.
    pub fn weights(self) -> u64 {
        self.stream(0)
    }

    /// Decides dropout and random features of a training step.
    pub fn step(self, epoch: u64, step: u64) -> u64 {
        derive(derive(self.stream(1), epoch), step)
    }

    /// Decides the order of a pass.
    pub fn pass(self, epoch: u64, pass: u64) -> u64 {
        derive(derive(self.stream(2), epoch), pass)
    }

    /// Decides which graphs are held out.
    pub fn held_out(self) -> u64 {
        self.stream(3)
    }

    /// Decides random features of an evaluation.
    pub fn evaluation(self) -> u64 {
        self.stream(4)
    }
}

/// `items` in the random order that `key` decides.
pub(crate) fn shuffled(key: u64, items: &[u32]) -> Vec<u32> {
    let mut out = items.to_vec();
    for i in (1..out.len()).rev() {
        // The high half of a product is uniform in 0..=i up to 2^-32.
        let j = (u128::from(derive(key, i as u64)) * (i as u128 + 1)) >> 64;
        out.swap(i, j as usize);
    }
    out
}

/// Mini-batches of one unit.
#[derive(Debug, Clone)]
pub struct Order<'a> {
    items: &'a [u32],
    batch: usize,
    keys: RandomKeys,
    /// The pass whose order is at hand.
    current: Option<(u64, u64)>,
    order: Vec<u32>,
}

impl<'a> Order<'a> {
    /// Over `items`, `batch` of them at a time.
    pub fn new(items: &'a [u32], batch: usize, keys: RandomKeys) -> Self {
        Self { items, batch: batch.max(1), keys, current: None, order: Vec::new() }
    }

    /// Steps of one pass over all items.
    pub fn steps(&self) -> u64 {
        self.items.len().div_ceil(self.batch) as u64
    }

    /// The items of a step. Every epoch starts a new order; so does every pass within it.
    pub fn of_step(&mut self, epoch: u64, step: u64) -> &[u32] {
        let steps = self.steps().max(1);
        let pass = step / steps;
        if self.current != Some((epoch, pass)) {
            self.order = shuffled(self.keys.pass(epoch, pass), self.items);
            self.current = Some((epoch, pass));
        }
        let from = (step % steps) as usize * self.batch;
        &self.order[from..(from + self.batch).min(self.order.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pass_sees_every_item_once_in_another_order() {
        let items: Vec<u32> = (10..33).collect();
        let mut order = Order::new(&items, 5, RandomKeys::new(1, 2));
        assert_eq!(order.steps(), 5);
        let mut pass = |epoch: u64, pass: u64| -> Vec<u32> {
            (5 * pass..5 * pass + 5).flat_map(|s| order.of_step(epoch, s).to_vec()).collect()
        };
        let all = [pass(0, 0), pass(0, 1), pass(1, 0), pass(1, 1)];
        for (i, a) in all.iter().enumerate() {
            let mut sorted = a.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, items);
            assert!(all[..i].iter().all(|b| a != b), "two passes share an order");
        }
        assert_eq!(order.of_step(0, 4).len(), 3, "the last batch of a pass is smaller");
    }

    #[test]
    fn steps_do_not_depend_on_those_before() {
        let items: Vec<u32> = (0..40).collect();
        let mut all = Order::new(&items, 8, RandomKeys::new(0, 3));
        let seen: Vec<Vec<u32>> = (0..12).map(|s| all.of_step(7, s).to_vec()).collect();
        for s in (0..12).rev() {
            let mut fresh = Order::new(&items, 8, RandomKeys::new(0, 3));
            assert_eq!(fresh.of_step(7, s), seen[s as usize]);
        }
    }

    /// Every item is equally often at every place, within five standard deviations.
    #[test]
    fn shuffles_are_fair() {
        let (n, rounds) = (6, 60_000);
        let items: Vec<u32> = (0..n).collect();
        let mut at = vec![0u32; (n * n) as usize];
        for key in 0..rounds {
            for (place, item) in shuffled(derive(5, key), &items).into_iter().enumerate() {
                at[place * n as usize + item as usize] += 1;
            }
        }
        let expected = rounds as f64 / f64::from(n);
        let spread = 5.0 * (expected * (1.0 - 1.0 / f64::from(n))).sqrt();
        assert!(at.iter().all(|&c| (f64::from(c) - expected).abs() < spread), "{at:?}");
    }
}
