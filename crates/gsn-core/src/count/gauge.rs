//! How much of a count is done, by its steps.
//!
//! Roots differ by orders of magnitude, so their number says little. A count that is watched cuts
//! them into pieces of about equal predicted weight and takes the pieces in an order that is
//! spread over all roots at any time. What a piece took predicts what its neighbours will take, so
//! the share that is done, steps so far over steps in all, soon grows as evenly as the work does.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Pieces that the roots of a watched count are cut into, at least where there are as many.
const PIECES: usize = 512;
/// Pieces from which on their steps are trusted to predict the rest, and from which on fully.
const TRUSTED: [usize; 2] = [8, 40];
/// Growth of the share that is worth telling.
const WORTH: f64 = 0.001;
/// What is told at most before the end.
const MOST: f64 = 0.999;

/// Cuts roots of these weights into pieces, none of which has much more than its part of the roots
/// or of their weight.
pub(super) fn cut(roots: Range<usize>, weights: &[f64]) -> Vec<(Range<usize>, f64)> {
    let all: f64 = weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    // In parts of the whole: half by number, half by weight.
    let part = |root: usize| 0.5 / roots.len() as f64 + 0.5 * weights[root - roots.start] / all;
    let mut pieces = Vec::with_capacity(2 * PIECES);
    let (mut from, mut sum) = (roots.start, 0.0);
    for root in roots.clone() {
        sum += part(root);
        if sum * PIECES as f64 >= 1.0 || root + 1 == roots.end {
            pieces.push((from..root + 1, sum));
            (from, sum) = (root + 1, 0.0);
        }
    }
    pieces
}

/// The numbers below `n` in an order whose beginnings are spread evenly: bits reversed.
pub(super) fn spread(n: usize) -> Vec<usize> {
    let bits = n.next_power_of_two().trailing_zeros();
    let reversed =
        |at: usize| if bits == 0 { 0 } else { at.reverse_bits() >> (usize::BITS - bits) };
    (0..n.next_power_of_two()).map(reversed).filter(|&at| at < n).collect()
}

/// Hears of steps and pieces and tells the share that is done.
pub(super) struct Gauge<'a> {
    call: &'a (dyn Fn(f64) + Send + Sync),
    state: Mutex<State>,
}

struct State {
    /// Predicted steps of every kernel; those before `kernel` are done.
    kernels: Vec<f64>,
    kernel: usize,
    /// Steps when the kernel at work began, and when its pieces did.
    begun: u64,
    cut: Option<u64>,
    pieces: Vec<PieceState>,
    finished: usize,
    /// Share of the pieces' weight that is done or at work.
    weight_done: f64,
    /// Predicted steps that are still to come.
    rest: f64,
    told: f64,
}

struct PieceState {
    weight: f64,
    begun: bool,
    steps: Option<f64>,
}

impl<'a> Gauge<'a> {
    /// Tells `call` about a count by kernels of these predicted steps.
    pub(super) fn new(call: &'a (dyn Fn(f64) + Send + Sync), kernels: Vec<f64>) -> Self {
        let state = State {
            rest: kernels.iter().sum(),
            kernels,
            kernel: 0,
            begun: 0,
            cut: None,
            pieces: Vec::new(),
            finished: 0,
            weight_done: 0.0,
            told: 0.0,
        };
        Self { call, state: Mutex::new(state) }
    }

    fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The kernel at work has cut its roots, after `used` steps of all kernels.
    pub(super) fn cut(&self, used: u64, weights: impl Iterator<Item = f64>) {
        self.with(|state| {
            state.cut = Some(used);
            let piece = |weight| PieceState { weight, begun: false, steps: None };
            state.pieces = weights.map(piece).collect();
            (state.finished, state.weight_done) = (0, 0.0);
            state.predict(used);
        });
    }

    /// A piece is begun.
    pub(super) fn begin(&self, piece: usize) {
        self.with(|state| state.pieces[piece].begun = true);
    }

    /// A piece is done and took so many steps, of `used` in all.
    pub(super) fn finish(&self, piece: usize, steps: u64, used: u64) {
        self.with(|state| {
            state.pieces[piece].steps = Some(steps as f64);
            state.finished += 1;
            state.weight_done += state.pieces[piece].weight;
            state.predict(used);
        });
        self.tick(used);
    }

    /// The kernel at work is done.
    pub(super) fn end_kernel(&self, used: u64) {
        self.with(|state| {
            state.kernel += 1;
            (state.begun, state.cut) = (used, None);
            state.pieces.clear();
            state.predict(used);
        });
        self.tick(used);
    }

    /// So many steps were done; tells the share if it has grown.
    pub(super) fn tick(&self, used: u64) {
        let told = self.with(|state| {
            if state.cut.is_none() {
                state.predict(used);
            }
            let share = state.share(used).min(MOST);
            let worth = share >= state.told + WORTH;
            if worth {
                state.told = share;
            }
            worth.then_some(share)
        });
        if let Some(share) = told {
            (self.call)(share);
        }
    }

    /// Everything is done.
    pub(super) fn end(&self) {
        (self.call)(1.0);
    }
}

impl State {
    /// The share of all steps that are done.
    fn share(&self, used: u64) -> f64 {
        let used = used as f64;
        let share = used / (used + self.rest).max(1.0);
        if self.cut.is_none() || self.finished >= TRUSTED[1] {
            return share;
        }
        // Few pieces may be far from typical; all of them together are another opinion.
        let base = self.cut.unwrap_or(self.begun) as f64;
        let later: f64 = self.kernels.iter().skip(self.kernel + 1).sum();
        let mut here = self.kernels.get(self.kernel).copied().unwrap_or(0.0);
        if self.finished > 0 {
            let steps: f64 = self.pieces.iter().filter_map(|piece| piece.steps).sum();
            here = here.max(steps / self.weight_done);
        }
        let by_weight = (base + here * self.weight_done) / (base + here + later).max(1.0);
        let trust = self.finished.saturating_sub(TRUSTED[0]) as f64;
        let trust = trust / (TRUSTED[1] - TRUSTED[0]) as f64;
        let low = share.min(by_weight);
        low + (share - low) * trust
    }

    /// Predicts what is still to come after `used` steps.
    fn predict(&mut self, used: u64) {
        let later: f64 = self.kernels.iter().skip(self.kernel + 1).sum();
        let estimate = self.kernels.get(self.kernel).copied().unwrap_or(0.0);
        if self.cut.is_none() {
            // An estimate may be too low; then what is left stays a part of what is done.
            let here = used.saturating_sub(self.begun) as f64;
            self.rest = (estimate - here).max(0.1 * here) + later;
            return;
        }
        let mut rest = 0.0;
        if self.finished == 0 {
            let open = 1.0 - self.weight_done;
            rest = estimate * open;
        } else {
            // Steps a weight of the last piece that is done, and where the next one is.
            let rate = |at: usize| {
                let piece = &self.pieces[at];
                piece.steps.map(|steps| steps / piece.weight.max(f64::MIN_POSITIVE))
            };
            let mut before: Option<(usize, f64)> = None;
            let mut after: Option<(usize, f64)> = None;
            for at in 0..self.pieces.len() {
                if let Some(rate) = rate(at) {
                    before = Some((at, rate));
                    continue;
                }
                if after.is_none_or(|(next, _)| next < at) {
                    after = (at..self.pieces.len()).find_map(|next| Some((next, rate(next)?)));
                    after = after.or(Some((usize::MAX, f64::NAN)));
                }
                let rate = match (before, after.filter(|(next, _)| *next != usize::MAX)) {
                    (Some((left, low)), Some((right, high))) => {
                        let way = (at - left) as f64 / (right - left) as f64;
                        low + (high - low) * way
                    }
                    (Some((_, rate)), None) | (None, Some((_, rate))) => rate,
                    (None, None) => 0.0,
                };
                // Of what is at work, about half is done.
                let part = if self.pieces[at].begun { 0.5 } else { 1.0 };
                rest += rate * self.pieces[at].weight * part;
            }
        }
        self.rest = rest + later;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::Counts;
    use crate::count::kernel::Registration;
    use crate::count::plan::KERNELS;
    use crate::{CountSpec, Counter, Graph, Matching, generate};
    use std::sync::Arc;
    use std::sync::atomic::Ordering::Relaxed;

    #[test]
    fn pieces_cover_all_roots_and_none_is_heavy_unless_a_root_is() {
        for roots in [0, 1, 7, 512, 5000] {
            let weights: Vec<f64> = (0..roots).map(|root| 1.0 / (1.0 + root as f64)).collect();
            let pieces = cut(0..roots, &weights);
            let mut next = 0;
            for (range, _) in &pieces {
                assert_eq!(range.start, next);
                assert!(range.end > range.start);
                next = range.end;
            }
            assert_eq!(next, roots);
            let heavy = |(range, part): &&(Range<usize>, f64)| {
                range.len() > 1 && *part > 2.0 / PIECES as f64
            };
            assert_eq!(pieces.iter().find(heavy), None);
        }
    }

    #[test]
    fn every_beginning_of_the_order_is_spread() {
        for n in [0, 1, 2, 3, 100, 512, 700] {
            let order = spread(n);
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..n));
        }
        let order = spread(512);
        for length in [64, 128, 300] {
            let low = order[..length].iter().filter(|&&at| at < 256).count();
            assert!(low.abs_diff(length / 2) <= 16, "{length}: {low}");
        }
    }

    /// The kernels whose work comes in pieces.
    const SEARCHING: &[Registration] = KERNELS.split_at(KERNELS.len() - 2).0;

    /// Watches a count by one thread or two; shares as told, beside the steps at that time.
    fn watch(patterns: &str, graph: &Graph, threads: usize) -> (Vec<(f64, f64)>, Counts) {
        let spec = CountSpec::new(patterns.parse().unwrap()).with_matching(Matching::Subgraph);
        // Sums along decompositions are done before there are pieces.
        let counter = Counter::new(&spec).with_kernels(SEARCHING);
        let (steps, told) = (counter.steps_so_far(), Arc::new(Mutex::new(Vec::new())));
        let (seen, list) = (steps.clone(), told.clone());
        let counter = counter.on_progress(move |share| {
            list.lock().unwrap().push((share, seen.load(Relaxed) as f64));
        });
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let counts = pool.install(|| counter.count(graph)).unwrap();
        let told = told.lock().unwrap().clone();
        (told, counts)
    }

    #[test]
    fn shares_grow_as_evenly_as_the_steps_on_a_graph_with_hubs() {
        let graph = generate::chung_lu(2000, 2.3, 8.0, 1).unwrap();
        // How far what is told may be off, and how far in the last quarter. Most of what the
        // formulas read they read before there are pieces, where only their estimate, from a sample
        // of the vertices, tells how much is to come.
        for (patterns, off, last_off) in [
            ("cycle:3..=6", 0.08, 0.03),
            ("path:6", 0.15, 0.03),
            ("clique:3..=6", 0.12, 0.03),
            ("all:5", 0.3, 0.1),
        ] {
            let (told, counts) = watch(patterns, &graph, 1);
            let (last, all) = told[told.len() - 1];
            assert_eq!(last, 1.0, "{patterns}");
            assert!(told.windows(2).all(|two| two[0].0 < two[1].0), "{patterns}");
            for (share, steps) in &told {
                let done = steps / all;
                assert!((share - done).abs() < off, "{patterns}: {share} told at {done}");
            }
            // With all pieces known to be alike or not, nothing is left to chance.
            for (share, steps) in told.iter().filter(|(_, steps)| steps / all > 0.75) {
                let done = steps / all;
                assert!((share - done).abs() < last_off, "{patterns}: {share} told at {done}");
            }
            let (several, same) = watch(patterns, &graph, 2);
            assert_eq!(several[several.len() - 1].0, 1.0, "{patterns}");
            assert_eq!(counts, same, "{patterns}");
        }
    }

    #[test]
    fn kernels_share_the_way_by_their_steps() {
        let graph = generate::chung_lu(1500, 2.3, 8.0, 2).unwrap();
        let (told, _) = watch("cycle:3..=6, clique:7, path:6", &graph, 1);
        let all = told[told.len() - 1].1;
        for (share, steps) in &told {
            let done = steps / all;
            assert!((share - done).abs() < 0.25, "{share} told at {done}");
        }
    }
}
