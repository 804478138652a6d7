//! Patterns prepared once for all graphs: their columns, what they ask of a graph, and the plans
//! for every kind of graph, each made when it is first needed.

use super::cells::{CountTables, PatternColumns, WantedTables};
use super::counts::Header;
use super::kernel::{Registration, Use};
use super::layout::{ColumnLayout, Layout};
use super::plan::{Plan, PlanStep, assign, is_tiny};
use super::planned::{KernelMemories, PlannedKernel};
use super::replace::{Comparison, LONG, Replacements, TimedPlan};
use crate::graph::Graph;
use crate::pattern::Pattern;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// The patterns of a counter, with all that does not depend on the graph.
pub(super) struct PreparedPatterns {
    patterns: Vec<PatternColumns>,
    columns: (usize, usize),
    /// What the patterns ask of a graph.
    pub(super) demands: Demands,
    /// Columns by scope and notion of edge orbits; made when first used.
    pub(super) layouts: [[OnceLock<Arc<ColumnLayout>>; 2]; 3],
    kernels: &'static [Registration],
    /// The plans by wanted tables and alternative kernel, for [`PreparedPatterns::plan`].
    plans: Vec<OnceLock<Option<Vec<PlannedKernel>>>>,
    /// Plans in which one kernel takes the place of others.
    replacements: Replacements,
}

/// The kernels for a graph.
pub(super) enum Chosen<'a> {
    Kept(&'a [PlannedKernel]),
    Made(Vec<PlannedKernel>),
}

impl Deref for Chosen<'_> {
    type Target = [PlannedKernel];

    fn deref(&self) -> &[PlannedKernel] {
        match self {
            Self::Kept(plan) => plan,
            Self::Made(plan) => plan,
        }
    }
}

/// The first pattern, if any, that asks for each of these.
pub(super) struct Demands {
    pub(super) directed: Option<usize>,
    pub(super) undirected: Option<usize>,
    pub(super) vertex_labels: Option<usize>,
    pub(super) edge_labels: Option<usize>,
}

impl Demands {
    fn of(patterns: &[PatternColumns]) -> Self {
        let first = |test: fn(&Pattern) -> bool| patterns.iter().position(|p| test(&p.pattern));
        Self {
            directed: first(Pattern::is_directed),
            undirected: first(|pattern| !pattern.is_directed()),
            vertex_labels: first(Pattern::has_vertex_labels),
            edge_labels: first(Pattern::has_edge_labels),
        }
    }
}

/// Memory of one thread, reused from graph to graph.
#[derive(Default)]
pub(super) struct Workspace {
    pub(super) kernels: KernelMemories,
    /// Tables for small graphs, all zero between two counts.
    pub(super) tables: CountTables,
    /// The columns of every view.
    pub(super) headers: Vec<Header>,
}

impl Workspace {
    /// Gets ready for counts of this layout, always the same.
    pub(super) fn start(&mut self, layout: &Layout) {
        if self.headers.is_empty() {
            let of = layout.views.iter().map(|view| Arc::new(view.layout.columns.clone()));
            self.headers.extend(of);
        }
    }
}

impl PreparedPatterns {
    /// These patterns, to be counted by these kernels.
    pub(super) fn new(patterns: Vec<PatternColumns>, kernels: &'static [Registration]) -> Self {
        let columns = patterns.last().map_or((0, 0), PatternColumns::end);
        let plans = WantedTables::KINDS * (1 + kernels.len());
        Self {
            demands: Demands::of(&patterns),
            patterns,
            columns,
            layouts: Default::default(),
            kernels,
            plans: std::iter::repeat_with(OnceLock::new).take(plans).collect(),
            replacements: Replacements::default(),
        }
    }

    pub(super) fn patterns(&self) -> &[PatternColumns] {
        &self.patterns
    }

    /// Columns of vertex tables and of arc tables.
    pub(super) fn columns(&self) -> (usize, usize) {
        self.columns
    }

    /// The plan that fills these tables and uses this alternative for small patterns, or no
    /// alternative; `None` when the alternative has nothing to count.
    fn plan(&self, wanted: WantedTables, alternative: Option<usize>) -> Option<&[PlannedKernel]> {
        let at = wanted.kind() * (1 + self.kernels.len()) + alternative.map_or(0, |a| 1 + a);
        let plan = self.plans[at].get_or_init(|| {
            let plan = assign(self.kernels, &self.patterns, wanted, alternative);
            let used = |a: usize| plan.iter().any(|planned| planned.index == a);
            alternative.is_none_or(used).then_some(plan)
        });
        plan.as_deref()
    }

    /// The plans with an alternative of this use, and the alternative.
    fn alternatives(
        &self,
        wanted: WantedTables,
        used: Use,
    ) -> impl Iterator<Item = (&[PlannedKernel], &PlannedKernel)> {
        let with_use = (0..self.kernels.len()).filter(move |&a| self.kernels[a].used == used);
        with_use.filter_map(move |a| {
            let plan = self.plan(wanted, Some(a))?;
            Some((plan, plan.iter().find(|planned| planned.index == a)?))
        })
    }

    /// The kernels that fill these tables for this graph, whose work is shared by so many parts.
    pub(super) fn choose(
        &self,
        graph: &Graph,
        wanted: WantedTables,
        parts: usize,
        workspace: &mut Workspace,
    ) -> Chosen<'_> {
        for (plan, alternative) in self.alternatives(wanted, Use::AllSmallWhereSuited) {
            if alternative.kernel.suits(graph, workspace.kernels.of(alternative)) {
                return Chosen::Kept(plan);
            }
        }
        let usual = self.plan(wanted, None).unwrap_or_default();
        if is_tiny(graph) || !wanted.occurrences() {
            return Chosen::Kept(usual);
        }
        let (kernels, memories) = (self.kernels, &mut workspace.kernels);
        let mut compare = Comparison { kernels, graph, wanted, parts, memories };
        let mut best = TimedPlan { plan: usual, times: compare.times(usual) };
        for used in [Use::AllSmallWhereCheaper, Use::AllSmall] {
            // Listing all sets of some size may be faster than one search after the other.
            if used == Use::AllSmall && best.time() <= LONG {
                continue;
            }
            for (plan, _) in self.alternatives(wanted, used) {
                let other = TimedPlan { plan, times: compare.times(plan) };
                if other.time() < best.time() {
                    best = other;
                }
            }
        }
        match self.replacements.better(&best, &mut compare) {
            Some((made, _)) => Chosen::Made(made),
            None => Chosen::Kept(best.plan),
        }
    }

    /// The kernels for this graph in words.
    pub(super) fn explain(&self, graph: &Graph, wanted: WantedTables, parts: usize) -> Plan {
        let mut workspace = Workspace::default();
        let chosen = self.choose(graph, wanted, parts, &mut workspace);
        let (kernels, memories) = (self.kernels, &mut workspace.kernels);
        let mut compare = Comparison { kernels, graph, wanted, parts, memories };
        let steps = chosen.iter().map(|one| self.explain_one(one, &mut compare)).collect();
        Plan { steps, held_memory: 0 }
    }

    /// A kernel in words, with the time of what else could count its patterns.
    fn explain_one(&self, planned: &PlannedKernel, compare: &mut Comparison<'_>) -> PlanStep {
        let time = compare.time(planned);
        let others = (0..self.kernels.len()).filter(|&by| {
            let replaced = planned.replaced.iter().any(|other| other.index == by);
            !replaced && compare.is_worth_telling(by, planned, time)
        });
        let others: Vec<PlannedKernel> = others
            .map(|by| self.replacements.kernel(by, planned.patterns(), compare))
            .filter(|other| other.kernel.excessive_memory(compare.graph).is_none())
            .collect();
        let mut seconds = |one: &PlannedKernel| (one.registration.name, compare.time(one) / 1e9);
        let all = planned.replaced.iter().chain(&others).map(&mut seconds);
        PlanStep {
            kernel: planned.registration.name,
            reason: planned.registration.reason,
            patterns: planned.pattern_names().into_iter().map(str::to_owned).collect(),
            instead_of: all.filter(|(_, seconds)| seconds.is_finite()).collect(),
            predicted_seconds: time / 1e9,
            predicted_steps: planned.kernel.predicted_steps(compare.graph),
            predicted_memory: planned.kernel.memory(compare.graph, crate::threads::number()),
        }
    }
}
