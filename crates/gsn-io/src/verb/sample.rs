//! Random samples from streams, the same for the same seed on every machine.

use gsn_core::random::Random;

/// Keeps `room` items of a stream of any length, every one as likely as any other.
pub(super) struct Reservoir<T> {
    room: usize,
    seen: usize,
    kept: Vec<T>,
    random: Random,
}

impl<T> Reservoir<T> {
    /// An empty one.
    pub(super) fn new(room: usize, seed: u64) -> Self {
        Self { room, seen: 0, kept: Vec::new(), random: Random::new(seed) }
    }

    /// Offers one item.
    pub(super) fn offer(&mut self, item: T) {
        self.seen += 1;
        if self.kept.len() < self.room {
            self.kept.push(item);
            return;
        }
        let at = self.random.below(self.seen);
        if let Some(slot) = self.kept.get_mut(at) {
            *slot = item;
        }
    }

    /// What was kept, in no particular order.
    pub(super) fn into_kept(self) -> Vec<T> {
        self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_as_likely_as_any_other() {
        let mut hits = [0; 20];
        for seed in 0..4000 {
            let mut reservoir = Reservoir::new(5, seed);
            (0..20).for_each(|item| reservoir.offer(item));
            let kept = reservoir.into_kept();
            assert_eq!(kept.len(), 5);
            kept.iter().for_each(|&item| hits[item] += 1);
        }
        // 1,000 expected, standard deviation 27.
        assert!(hits.iter().all(|&n| (850..1150).contains(&n)), "{hits:?}");
    }
}
