//! Which kernel counts which patterns in which graph, and why.
//!
//! [`KERNELS`] lists the kernels; each says itself what it accepts, when it is used
//! ([`Use`]) and what it costs. The rules here name none of them. In a small graph the kernels of
//! families (cycles, paths, cliques, stars) and the listing of small connected vertex sets are
//! fastest; in a large one formulas beat listing for patterns of up to five vertices. A kernel
//! that runs anyway also counts whatever it can at no extra cost. Everything else is counted
//! pattern by pattern.

use super::cells::{PatternColumns, WantedTables};
use super::clique::CliqueKernel;
use super::cycle::CycleKernel;
use super::graphlet::{FormulaKernel, GirthKernel, ListingKernel, TwinKernel};
use super::homomorphism::{HomomorphismKernel, QuotientKernel};
use super::kernel::{Registration, SmallMembers, Use};
use super::matcher::MatcherKernel;
use super::path::PathKernel;
use super::planned::PlannedKernel;
use super::star::StarKernel;
use crate::graph::Graph;
use crate::memory::Bytes;
use crate::pattern::Pattern;
use std::fmt;

/// All kernels, in the order in which they run; of two that fit equally well, the first is taken.
pub(super) const KERNELS: &[Registration] = &[
    Registration::of::<MatcherKernel>(),
    Registration::of::<GirthKernel>(),
    Registration::of::<FormulaKernel>(),
    Registration::of::<TwinKernel>(),
    Registration::of::<ListingKernel>(),
    Registration::of::<CliqueKernel>(),
    Registration::of::<StarKernel>(),
    Registration::of::<CycleKernel>(),
    Registration::of::<PathKernel>(),
    Registration::of::<QuotientKernel>(),
    Registration::of::<HomomorphismKernel>(),
];

/// Vertices of the largest pattern that counts as small: sets of so many are soon listed.
const SMALL: usize = 5;

/// Larger patterns of one size from which on listing all vertex sets beats one search each.
const MANY: usize = 8;

/// Whether a graph is so small and sparse that comparing plans would cost more than counting.
pub(super) fn is_tiny(graph: &Graph) -> bool {
    graph.order() <= 64 && graph.arc_count() <= 8 * graph.order()
}

/// Gives every pattern to a kernel; small ones to `alternative` where it fits, if there is one.
pub(super) fn assign(
    kernels: &'static [Registration],
    patterns: &[PatternColumns],
    wanted: WantedTables,
    alternative: Option<usize>,
) -> Vec<PlannedKernel> {
    let mut taken = vec![Vec::new(); kernels.len()];
    if wanted.occurrences() {
        let rules = Rules::new(kernels, patterns);
        for columns in patterns {
            taken[rules.kernel_for(&columns.pattern, alternative)].push(columns.clone());
        }
    }
    if wanted.homomorphism()
        && let Some(maps) = kernels.iter().position(|kernel| kernel.used == Use::Maps)
    {
        taken[maps] = patterns.to_vec();
    }
    let mut planned = Vec::new();
    for (index, patterns) in taken.into_iter().enumerate() {
        let groups = match kernels[index].used {
            Use::EachAlone => patterns.into_iter().map(|columns| vec![columns]).collect(),
            _ if patterns.is_empty() => Vec::new(),
            _ => vec![patterns],
        };
        let plan = |group| PlannedKernel::new(kernels, index, group, wanted);
        planned.extend(groups.into_iter().map(plan));
    }
    planned
}

/// What the choice of a kernel for one pattern depends on: all the other patterns.
struct Rules {
    kernels: &'static [Registration],
    /// How many of the patterns each kernel accepts.
    accepted: Vec<usize>,
    /// Families that have to run for a member that is not small; they count the small ones, too.
    runs_anyway: Vec<bool>,
    /// Vertices of the largest small pattern that no family keeps.
    needed: Option<usize>,
    /// Vertices up to which all patterns at once are worth it.
    listed: Option<usize>,
}

impl Rules {
    fn new(kernels: &'static [Registration], patterns: &[PatternColumns]) -> Self {
        let patterns = || patterns.iter().map(|columns| &columns.pattern);
        let accepted = |kernel: &Registration| patterns().filter(|p| (kernel.accepts)(p)).count();
        let mut rules = Self {
            kernels,
            accepted: kernels.iter().map(accepted).collect(),
            runs_anyway: vec![false; kernels.len()],
            needed: None,
            listed: None,
        };
        for pattern in patterns() {
            if !rules.is_small(pattern)
                && let Some(family) = rules.family(pattern)
            {
                rules.runs_anyway[family] = true;
            }
        }
        let left = |f: usize| rules.small_members(f) == Some(SmallMembers::Leave);
        let needed = |p: &&Pattern| {
            rules.is_small(p) && rules.family(p).is_none_or(|f| left(f) && !rules.runs_anyway[f])
        };
        let largest_needed = patterns().filter(needed).map(Pattern::order).max();
        let listable = || patterns().filter(|pattern| rules.all_small(pattern).is_some());
        let larger = listable().filter(|pattern| pattern.order() > SMALL).count();
        let largest = listable().map(Pattern::order).max();
        rules.listed = if larger >= MANY { largest } else { largest_needed };
        rules.needed = largest_needed;
        rules
    }

    /// The first kernel that accepts a pattern, of those with such a use.
    fn first(&self, pattern: &Pattern, test: impl Fn(Use) -> bool) -> Option<usize> {
        self.kernels.iter().position(|kernel| test(kernel.used) && (kernel.accepts)(pattern))
    }

    /// The kernel that counts this pattern along with all others of its size.
    fn all_small(&self, pattern: &Pattern) -> Option<usize> {
        self.first(pattern, |used| used == Use::AllSmall)
    }

    fn is_small(&self, pattern: &Pattern) -> bool {
        pattern.order() <= SMALL && self.all_small(pattern).is_some()
    }

    fn small_members(&self, kernel: usize) -> Option<SmallMembers> {
        match self.kernels[kernel].used {
            Use::Family(members) => Some(members),
            _ => None,
        }
    }

    /// The family of a pattern. A triangle is a cycle and a clique: it goes where most of the
    /// other patterns go.
    fn family(&self, pattern: &Pattern) -> Option<usize> {
        let takes =
            |&f: &usize| self.small_members(f).is_some() && (self.kernels[f].accepts)(pattern);
        (0..self.kernels.len()).rev().filter(takes).max_by_key(|&f| self.accepted[f])
    }

    /// The kernel that counts a pattern.
    fn kernel_for(&self, pattern: &Pattern, alternative: Option<usize>) -> usize {
        let family = self.family(pattern);
        let kept = family.is_some_and(|f| self.runs_anyway[f]);
        let fits = |a: &usize| {
            // Formulas are not started for members that their family counts as fast.
            let worth = self.kernels[*a].used != Use::AllSmallWhereCheaper
                || self.needed.is_some()
                || family.is_some_and(|f| self.small_members(f) != Some(SmallMembers::Keep));
            worth && !kept && (self.kernels[*a].accepts)(pattern)
        };
        let listed = !kept && self.listed.is_some_and(|most| pattern.order() <= most);
        alternative
            .filter(fits)
            .or_else(|| self.all_small(pattern).filter(|_| listed))
            .or(family)
            .or_else(|| self.first(pattern, |used| used == Use::EachAlone))
            .expect("one kernel accepts every pattern")
    }
}

/// How a count would be made.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The kernels in the order they run.
    pub steps: Vec<PlanStep>,
    /// Bytes of the graph and of the tables.
    pub held_memory: u64,
}

/// One kernel of a [`Plan`].
#[derive(Clone, Debug, PartialEq)]
pub struct PlanStep {
    /// Name of the kernel.
    pub kernel: &'static str,
    /// Why it was chosen.
    pub reason: &'static str,
    /// Names of the patterns it counts together.
    pub patterns: Vec<String>,
    /// Predicted number of steps, to an order of magnitude.
    pub predicted_steps: f64,
    /// Predicted seconds on one thread, to an order of magnitude.
    pub predicted_seconds: f64,
    /// The kernels that would count the patterns otherwise, each with the seconds predicted for it.
    pub instead_of: Vec<(&'static str, f64)>,
    /// Predicted bytes that it takes at its height beside the graph and the tables.
    pub predicted_memory: u64,
}

impl Plan {
    /// Predicted seconds of the whole count on one thread.
    pub fn predicted_seconds(&self) -> f64 {
        self.steps.iter().map(|step| step.predicted_seconds).sum()
    }

    /// Predicted bytes of the whole count at its height: the graph, the tables, and the kernel that
    /// takes most.
    pub fn predicted_memory(&self) -> u64 {
        let most = self.steps.iter().map(|step| step.predicted_memory).max();
        self.held_memory + most.unwrap_or(0)
    }

    /// Predicted number of steps of the whole count.
    pub fn predicted_steps(&self) -> f64 {
        self.steps.iter().map(|step| step.predicted_steps).sum()
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.steps {
            let PlanStep { kernel, reason, patterns, predicted_steps, .. } = step;
            let time = seconds(step.predicted_seconds);
            let patterns = patterns.join(", ");
            writeln!(f, "{kernel:<7} about {predicted_steps:.1e} steps, {time}: {patterns}")?;
            writeln!(f, "        {reason}")?;
            for (other, time) in &step.instead_of {
                writeln!(f, "        instead of {other}, {}", seconds(*time))?;
            }
        }
        let time = seconds(self.predicted_seconds());
        writeln!(f, "total   about {:.1e} steps, {time}", self.predicted_steps())?;
        write!(f, "memory  about {}", Bytes(self.predicted_memory()))
    }
}

/// A predicted time in words.
fn seconds(time: f64) -> String {
    match time {
        ..1e-3 => "less than 1 ms".into(),
        ..1.0 => format!("{:.0} ms", time * 1e3),
        ..1e5 => format!("{time:.0} s"),
        _ => format!("{time:.0e} s"),
    }
}
