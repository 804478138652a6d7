//! Random samples from streams, the same for the same seed on every machine.

/// SplitMix64: small, and good enough to choose rows.
pub(super) struct Random(u64);

impl Random {
    /// A generator that starts from `seed`.
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which is not 0.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }

    /// `some` different numbers below `all` in increasing order, or all of them.
    pub(super) fn choose(&mut self, some: usize, all: usize) -> Vec<usize> {
        if some >= all {
            return (0..all).collect();
        }
        // Floyd's algorithm: every set of this size is equally likely.
        let mut chosen = std::collections::BTreeSet::new();
        for top in all - some..all {
            let pick = self.below(top as u64 + 1) as usize;
            if !chosen.insert(pick) {
                chosen.insert(top);
            }
        }
        chosen.into_iter().collect()
    }
}

/// Keeps `room` items of a stream of any length, every one as likely as any other.
pub(super) struct Reservoir<T> {
    room: usize,
    seen: u64,
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
        let at = self.random.below(self.seen) as usize;
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

    #[test]
    fn choices_are_different_sorted_and_repeatable() {
        let chosen = Random::new(7).choose(10, 1000);
        assert_eq!(chosen.len(), 10);
        assert!(chosen.windows(2).all(|w| w[0] < w[1]) && chosen[9] < 1000);
        assert_eq!(chosen, Random::new(7).choose(10, 1000));
        assert_eq!(Random::new(7).choose(5, 3), [0, 1, 2]);
    }
}
