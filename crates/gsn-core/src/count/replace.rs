//! Plans in which one kernel counts the patterns of several others, where that takes less time.
//!
//! Whether it does depends on the graph, so it is asked for every graph that is not tiny, cheaply
//! first: only kernels whose work is worth making another one for are compared at all. What was
//! made is kept for the next graph.

use super::cells::{PatternColumns, WantedTables};
use super::kernel::{Registration, Use};
use super::planned::PlannedKernel;
use crate::graph::Graph;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A plan (by its alternative kernel) and tables, and which of its kernels are replaced.
type Key = (usize, Option<usize>, Vec<usize>);

/// Plans that were made, by what they replace.
#[derive(Default)]
pub(super) struct Replacements(Mutex<HashMap<Key, Arc<Vec<PlannedKernel>>>>);

/// Arcs below which counting is too fast to compare plans.
const ARCS: usize = 256;
/// How many times as long as making a kernel its work must take.
const WORTH: f64 = 3.0;
/// Nanoseconds to look at one quotient or supergraph of a pattern.
const LOOK: f64 = 15_000.0;
/// Most vertices of a pattern whose induced occurrences are counted in place of others.
const MAX_INDUCED: usize = 6;

impl Replacements {
    /// A better plan than this one for this graph, if there is one.
    pub(super) fn better(
        &self,
        kernels: &'static [Registration],
        (plan, alternative): (&[PlannedKernel], Option<usize>),
        graph: &Graph,
        wanted: WantedTables,
        parts: usize,
    ) -> Option<Arc<Vec<PlannedKernel>>> {
        let by = kernels.iter().position(|kernel| kernel.used == Use::WhereCheaper)?;
        if graph.arc_count() < ARCS || graph.is_directed() {
            return None;
        }
        let walks = Walks::of(graph);
        let candidate = |planned: &PlannedKernel| {
            let all = planned.patterns();
            all.iter().all(|own| fits(&kernels[by], own, wanted))
                && all.iter().map(|own| walks.steps(own)).sum::<f64>() > making(all, wanted)
        };
        let mut times = vec![0.0; plan.len()];
        let mut chosen = Vec::new();
        for (at, planned) in plan.iter().enumerate().filter(|(_, planned)| candidate(planned)) {
            times[at] = planned.nanoseconds(graph, parts);
            if times[at] > WORTH * making(planned.patterns(), wanted) {
                chosen.push(at);
            }
        }
        let cheaper = |moved: &[usize]| {
            let made = self.made(kernels, by, (plan, alternative), moved, wanted);
            let new = || made.iter().filter(|planned| planned.index == by);
            if new().any(|planned| planned.kernel.excessive_memory(graph).is_some()) {
                return None;
            }
            let time: f64 = new().map(|planned| planned.nanoseconds(graph, parts)).sum();
            (time < moved.iter().map(|&at| times[at]).sum()).then_some(made)
        };
        if chosen.is_empty() {
            return None;
        }
        if let Some(all) = cheaper(&chosen) {
            return Some(all);
        }
        if chosen.len() == 1 {
            return None;
        }
        chosen.retain(|&at| cheaper(&[at]).is_some());
        if chosen.is_empty() { None } else { cheaper(&chosen) }
    }

    /// The plan in which a kernel takes the place of those at these positions.
    fn made(
        &self,
        kernels: &'static [Registration],
        by: usize,
        (plan, alternative): (&[PlannedKernel], Option<usize>),
        moved: &[usize],
        wanted: WantedTables,
    ) -> Arc<Vec<PlannedKernel>> {
        let key = (wanted.kind(), alternative, moved.to_vec());
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = known().get(&key) {
            return Arc::clone(made);
        }
        let (mut made, mut replaced, mut patterns) = (Vec::new(), Vec::new(), Vec::new());
        for (at, planned) in plan.iter().enumerate() {
            let own = planned.patterns().to_vec();
            let again = PlannedKernel::new(kernels, planned.index, own, wanted);
            if moved.contains(&at) {
                patterns.extend_from_slice(planned.patterns());
                replaced.push(again);
            } else {
                made.push(again);
            }
        }
        made.push(PlannedKernel::new(kernels, by, patterns, wanted).replacing(replaced));
        let made = Arc::new(made);
        known().insert(key, Arc::clone(&made));
        made
    }
}

/// Whether a kernel may count this pattern in place of another one.
pub(super) fn fits(by: &Registration, own: &PatternColumns, wanted: WantedTables) -> bool {
    (by.accepts)(&own.pattern) && (!wanted.induced() || own.pattern.order() <= MAX_INDUCED)
}

/// Nanoseconds to make a kernel for some patterns.
fn making(patterns: &[PatternColumns], wanted: WantedTables) -> f64 {
    let one = |own: &PatternColumns| {
        let (order, size) = (own.pattern.order(), own.pattern.size());
        // Bell numbers: partitions of all vertices but one.
        let partitions = [1.0, 1.0, 2.0, 5.0, 15.0, 52.0, 203.0, 877.0, 4140.0];
        let quotients = partitions[(order - 1).min(partitions.len() - 1)];
        let missing = order * (order - 1) / 2 - size;
        let supergraphs =
            if wanted.induced() { f64::from(missing.min(60) as u32).exp2() } else { 0.0 };
        LOOK * (quotients + supergraphs)
    };
    patterns.iter().map(one).sum()
}

/// How many walks there are, as a quick bound of what search can take.
struct Walks {
    arcs: f64,
    met: f64,
}

impl Walks {
    fn of(graph: &Graph) -> Self {
        let squares: f64 =
            (0..graph.order() as u32).map(|v| (graph.degree(v) as f64).powi(2)).sum();
        let arcs = graph.arc_count() as f64;
        Self { arcs, met: squares / arcs.max(1.0) }
    }

    /// Walks through as many vertices as a pattern has.
    fn steps(&self, own: &PatternColumns) -> f64 {
        self.arcs * self.met.powi(own.pattern.order() as i32 - 2)
    }
}
