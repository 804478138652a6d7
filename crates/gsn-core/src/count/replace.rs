//! Plans in which other kernels count the patterns of some, where that takes less time.
//!
//! Whether it does depends on the graph, so it is asked for every graph that is not tiny, cheaply
//! first: kernels are compared only where their work takes longer than the comparison. Then every
//! kernel that accepts a group of patterns is asked for its time. So a pattern alone goes to the
//! kernel that is predicted to take the least, and never takes longer than in a family that
//! contains it, where a kernel has the same and more to do. What was made is kept for the next
//! graph.

use super::budget::out_of_patience;
use super::cells::{PatternColumns, WantedTables};
use super::kernel::{Registration, Use, is_complete};
use super::planned::{KernelMemories, PlannedKernel};
use crate::graph::Graph;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Arcs below which counting is too fast to compare plans.
const ARCS: usize = 256;
/// How many times as long as making a kernel its work must take.
const WORTH: f64 = 3.0;
/// Nanoseconds to look at one quotient or supergraph of a pattern.
const LOOK: f64 = 15_000.0;
/// Nanoseconds of a count from which on all kernels are compared, and those for every vertex and
/// arc of the graph, which most kernels look at before they tell their time.
pub(super) const LONG: f64 = 1e7;
const LOOK_AROUND: f64 = 100.0;
/// Nanoseconds up to which nobody asks what else could be done.
const SHORT: f64 = 1e6;
/// Most vertices of a pattern whose induced occurrences are counted in place of others.
const MAX_INDUCED: usize = 6;

/// What is counted where, and memory for what kernels find out on the way.
pub(super) struct Comparison<'a> {
    pub(super) kernels: &'static [Registration],
    pub(super) graph: &'a Graph,
    pub(super) wanted: WantedTables,
    /// How many parts share the work.
    pub(super) parts: usize,
    pub(super) memories: &'a mut KernelMemories,
}

impl Comparison<'_> {
    /// Predicted nanoseconds of a kernel.
    pub(super) fn time(&mut self, planned: &PlannedKernel) -> f64 {
        if out_of_patience() {
            return f64::INFINITY;
        }
        planned.nanoseconds(self.graph, self.parts, self.memories)
    }

    /// Predicted nanoseconds of the kernels of a plan.
    pub(super) fn times(&mut self, plan: &[PlannedKernel]) -> Vec<f64> {
        plan.iter().map(|planned| self.time(planned)).collect()
    }

    /// Whether so many nanoseconds are enough to ask all kernels for theirs.
    fn is_long(&self, time: f64) -> bool {
        let size = self.graph.order() + self.graph.arc_count();
        time > LONG + LOOK_AROUND * size as f64
    }

    /// Whether the time of another kernel is worth telling beside that of one which takes so long.
    pub(super) fn is_worth_telling(&self, by: usize, beside: &PlannedKernel, time: f64) -> bool {
        if time <= SHORT || !self.may_count(by, beside) {
            return false;
        }
        let many = self.kernels[by].used == Use::WhereCheaper;
        !many || time > WORTH * making(beside.patterns(), self.wanted)
    }

    /// Whether a kernel may count the patterns of another one.
    pub(super) fn may_count(&self, by: usize, instead_of: &PlannedKernel) -> bool {
        let (kernel, patterns) = (&self.kernels[by], instead_of.patterns());
        let used = match kernel.used {
            Use::Maps | Use::AllSmallWhereSuited => false,
            Use::EachAlone => patterns.len() == 1,
            // Maps of a clique are its occurrences, so sums would only look for cliques without
            // pivots; their estimate knows nothing of hubs in each other's neighbourhood.
            Use::WhereCheaper => !patterns.iter().all(|own| is_complete(&own.pattern)),
            _ => true,
        };
        used && instead_of.registration.used != Use::Maps
            && by != instead_of.index
            && patterns.iter().all(|own| fits(kernel, own, self.wanted))
    }
}

/// A plan for a graph, with the time of each of its kernels.
pub(super) struct TimedPlan<'a> {
    pub(super) plan: &'a [PlannedKernel],
    pub(super) times: Vec<f64>,
}

impl TimedPlan<'_> {
    pub(super) fn time(&self) -> f64 {
        self.times.iter().sum()
    }
}

/// Tables, a kernel, and its patterns by their first columns.
type KernelKey = (usize, usize, Vec<(usize, usize)>);

/// Kernels that were made for patterns that others count elsewhere.
#[derive(Default)]
pub(super) struct Replacements(Mutex<HashMap<KernelKey, PlannedKernel>>);

/// A kernel, the kernels of the plan whose patterns it counts, and its time.
struct Run {
    by: usize,
    groups: Vec<usize>,
    time: f64,
}

impl Replacements {
    /// A better plan than this one, if there is one, and its time.
    pub(super) fn better(
        &self,
        base: &TimedPlan<'_>,
        compare: &mut Comparison<'_>,
    ) -> Option<(Vec<PlannedKernel>, f64)> {
        if compare.graph.arc_count() < ARCS || compare.graph.is_directed() {
            return None;
        }
        let run =
            |(at, &time): (usize, &f64)| Run { by: base.plan[at].index, groups: vec![at], time };
        let mut runs: Vec<Run> = base.times.iter().enumerate().map(run).collect();
        let together = self.together(base.plan, &mut runs, compare);
        let one_by_one = self.one_by_one(base.plan, &mut runs, compare);
        let made = |run: &Run| self.planned(base.plan, run, compare);
        (together || one_by_one)
            .then(|| (runs.iter().map(made).collect(), runs.iter().map(|run| run.time).sum()))
    }

    /// Gives all groups that are worth it to the kernel that counts many at once, or those of them
    /// that it counts faster one by one.
    fn together(
        &self,
        plan: &[PlannedKernel],
        runs: &mut Vec<Run>,
        compare: &mut Comparison<'_>,
    ) -> bool {
        let by = compare.kernels.iter().position(|kernel| kernel.used == Use::WhereCheaper);
        let Some(by) = by else { return false };
        let mut chosen: Vec<usize> = (0..plan.len())
            .filter(|&at| compare.may_count(by, &plan[at]))
            .filter(|&at| runs[at].time > WORTH * making(plan[at].patterns(), compare.wanted))
            .collect();
        let mut cheaper = |groups: &[usize]| {
            let before: f64 = groups.iter().map(|&at| runs[at].time).sum();
            self.time(plan, by, groups, compare).filter(|&time| time < before)
        };
        let mut time = if chosen.is_empty() { None } else { cheaper(&chosen) };
        if time.is_none() && chosen.len() > 1 {
            chosen.retain(|&at| cheaper(&[at]).is_some());
            time = if chosen.is_empty() { None } else { cheaper(&chosen) };
        }
        let Some(time) = time else { return false };
        runs.retain(|run| !chosen.contains(&run.groups[0]));
        runs.push(Run { by, groups: chosen, time });
        true
    }

    /// Gives every group that takes long to the kernel that takes least, one after the other.
    fn one_by_one(
        &self,
        plan: &[PlannedKernel],
        runs: &mut Vec<Run>,
        compare: &mut Comparison<'_>,
    ) -> bool {
        let mut changed = false;
        for at in 0..plan.len() {
            let alone = |run: &&Run| run.groups == [at];
            let Some(run) = runs.iter().find(alone).filter(|run| compare.is_long(run.time)) else {
                continue;
            };
            let (mut least, mut best) = (run.time, None);
            for by in (0..compare.kernels.len()).filter(|&by| by != run.by) {
                // The kernel for many was asked before. The one for any pattern has no family to
                // itself, and what it predicts for hubs is too uncertain to leave them to it.
                let used = compare.kernels[by].used;
                let asked = used != Use::WhereCheaper && used != Use::EachAlone;
                if !asked || !compare.may_count(by, &plan[at]) {
                    continue;
                }
                // Where the kernel runs already, it gets more to do.
                let there = runs.iter().position(|run| run.by == by);
                let (mut groups, before) =
                    there.map_or((Vec::new(), 0.0), |r| (runs[r].groups.clone(), runs[r].time));
                groups.push(at);
                let Some(time) = self.time(plan, by, &groups, compare) else { continue };
                if time - before < least {
                    (least, best) = (time - before, Some((there, Run { by, groups, time })));
                }
            }
            if let Some((there, run)) = best {
                let there = there.map(|r| runs[r].groups.clone());
                runs.retain(|run| run.groups != [at] && Some(&run.groups) != there.as_ref());
                runs.push(run);
                changed = true;
            }
        }
        changed
    }

    /// Predicted time of a kernel for groups of a plan; none where it takes too much memory.
    fn time(
        &self,
        plan: &[PlannedKernel],
        by: usize,
        groups: &[usize],
        compare: &mut Comparison<'_>,
    ) -> Option<f64> {
        let planned = self.kernel(by, &patterns_of(plan, groups), compare);
        let fits = planned.kernel.excessive_memory(compare.graph).is_none();
        fits.then(|| compare.time(&planned))
    }

    /// The kernel of a plan that does this.
    fn planned(
        &self,
        plan: &[PlannedKernel],
        run: &Run,
        compare: &Comparison<'_>,
    ) -> PlannedKernel {
        let Run { by, groups, .. } = run;
        if let [at] = groups[..]
            && plan[at].index == *by
        {
            return plan[at].clone();
        }
        let mut made = self.kernel(*by, &patterns_of(plan, groups), compare);
        let replaced = groups.iter().filter(|&&at| plan[at].index != *by);
        made.replaced.extend(replaced.map(|&at| plan[at].clone()));
        made
    }

    /// A kernel for some patterns; made once.
    pub(super) fn kernel(
        &self,
        by: usize,
        patterns: &[PatternColumns],
        compare: &Comparison<'_>,
    ) -> PlannedKernel {
        let columns = patterns.iter().map(|own| (own.vertex_column, own.arc_column)).collect();
        let key = (compare.wanted.kind(), by, columns);
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = known().get(&key) {
            return made.clone();
        }
        let made = PlannedKernel::new(compare.kernels, by, patterns.to_vec(), compare.wanted);
        known().insert(key, made.clone());
        made
    }
}

/// The patterns of some kernels of a plan, in the order of their columns.
fn patterns_of(plan: &[PlannedKernel], groups: &[usize]) -> Vec<PatternColumns> {
    let all = groups.iter().flat_map(|&at| plan[at].patterns());
    let mut patterns: Vec<PatternColumns> = all.cloned().collect();
    patterns.sort_by_key(|own| own.vertex_column);
    patterns
}

/// Whether a kernel may count this pattern in place of another one.
pub(super) fn fits(by: &Registration, own: &PatternColumns, wanted: WantedTables) -> bool {
    let supergraphs = by.used == Use::WhereCheaper && wanted.induced();
    (by.accepts)(&own.pattern) && (!supergraphs || own.pattern.order() <= MAX_INDUCED)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{chung_lu, erdos_renyi};
    use crate::{CountSpec, Counter, Matching, PatternSet, Scope};

    fn counter(patterns: PatternSet, matching: Matching) -> Counter {
        Counter::new(&CountSpec::new(patterns).with_matching(matching))
    }

    /// Seconds below which a pattern is not compared with all kernels.
    fn not_compared(own: &PatternColumns, graph: &Graph, matching: Matching) -> f64 {
        let mut wanted = WantedTables::ALL;
        wanted.matchings[0] = matching == Matching::Induced;
        let size = (graph.order() + graph.arc_count()) as f64;
        let of_many = WORTH * making(std::slice::from_ref(own), wanted);
        (LONG + LOOK_AROUND * size).max(of_many) / 1e9
    }

    #[test]
    fn a_pattern_alone_costs_no_more_than_a_family_that_contains_it() {
        let graphs = [
            erdos_renyi(400, 0.05, 1).unwrap(),
            chung_lu(1500, 2.5, 20.0, 2).unwrap(),
            erdos_renyi(150, 0.9, 3).unwrap(),
            Graph::from_edges(900, (1..900).map(|leaf| (0, leaf))).unwrap(),
        ];
        let mut compared = 0;
        for family in ["all:3..=5", "cycle:3..=7", "path:3..=7", "clique:3..=6, star:2..=5"] {
            for matching in [Matching::Induced, Matching::Subgraph] {
                let all: PatternSet = family.parse().unwrap();
                let together = counter(all.clone(), matching);
                for (at, graph) in graphs.iter().enumerate() {
                    let most = together.plan(graph).unwrap().predicted_seconds();
                    for own in &PatternColumns::of(all.patterns()) {
                        let pattern = own.pattern.clone();
                        let name = pattern.name().to_owned();
                        let alone = PatternSet::from_patterns(vec![pattern]).unwrap();
                        let alone = counter(alone, matching).plan(graph).unwrap();
                        let time = alone.predicted_seconds();
                        let least = not_compared(own, graph, matching);
                        assert!(
                            time <= most.max(least) * 1.0001,
                            "{name} takes {time} s and {family} {most} s in graph {at}:\n{alone}"
                        );
                        compared += usize::from(time > least);
                    }
                }
            }
        }
        assert!(compared > 8, "{compared} patterns took long enough to be compared");
    }

    #[test]
    fn maps_are_counted_beside_occurrences_that_follow_from_maps() {
        let graph = erdos_renyi(200, 0.1, 1).unwrap();
        let patterns: PatternSet = "path:6, cycle:6".parse().unwrap();
        let occurrences = counter(patterns.clone(), Matching::Subgraph);
        assert_eq!(occurrences.plan(&graph).unwrap().steps[0].kernel, "sums");
        let maps = counter(patterns, Matching::Homomorphism);
        let views = [Matching::Subgraph, Matching::Homomorphism].map(|m| (Scope::Vertex, m));
        let both = occurrences.count_views(&graph, &views).unwrap();
        assert_eq!(both[0], occurrences.count(&graph).unwrap());
        assert_eq!(both[1], maps.count(&graph).unwrap());
    }
}
