//! What a kernel is, and how it registers with the plan.
//!
//! A kernel is a type that implements [`Kernel`]. The plan sees it as a [`Registration`] and, once
//! it was given patterns, as a [`PlannedKernel`](super::planned::PlannedKernel); neither names the
//! type.

use super::budget::{Meter, Stop};
use super::cells::{Cells, Outputs, PatternColumns, WantedTables};
use super::packed::PackedTable;
use super::planned::AnyKernel;
use super::{Matching, Scope};
use crate::graph::Graph;
use crate::pattern::Pattern;
use std::ops::Range;

/// A way to count some patterns.
///
/// Work is cut by roots: `0..roots`, each to be run once, in any order, on any thread; together
/// they fill all wanted tables.
pub(super) trait Kernel: Send + Sync + Sized + 'static {
    /// Name in plans.
    const NAME: &'static str;
    /// Why a plan chooses this kernel, in a few words.
    const REASON: &'static str;
    /// When a plan chooses it.
    const USE: Use;
    /// Whether its work is in the roots, so that parts of them share it; else most of it is done
    /// before, by every part.
    const SHARED_BY_PARTS: bool = true;
    /// How it writes a finished table, if it can do so without adding up in
    /// [`CountTables`](super::cells::CountTables) first.
    const WRITE_TABLE: Option<WriteTable<Self>> = None;

    /// What is found out about a graph once, before the roots.
    type Prepared: Default + Send + Sync + 'static;
    /// Memory of one thread, reused from graph to graph.
    type Scratch: Default + Send + 'static;

    /// Whether it can count this pattern.
    fn accepts(pattern: &Pattern) -> bool;

    /// The kernel for these patterns, all of which it accepts. Only these tables will be filled.
    fn new(patterns: &[PatternColumns], wanted: WantedTables) -> Self;

    /// Predicted number of steps; an order of magnitude is enough.
    fn estimate(&self, graph: &Graph) -> f64;

    /// The same by a look at the graph that `prepare` would take again; what it finds out may stay
    /// in `prepared`: if the kernel is chosen, the same graph is prepared next.
    fn survey(&self, graph: &Graph, _prepared: &mut Self::Prepared) -> f64 {
        self.estimate(graph)
    }

    /// Predicted number of steps as the meter will count them, where the estimate weighs them.
    fn predicted_steps(&self, graph: &Graph) -> f64 {
        self.estimate(graph)
    }

    /// Gigabytes (2³⁰ bytes) that it would take, if these are more than it may take.
    fn excessive_memory(&self, _graph: &Graph) -> Option<u64> {
        None
    }

    /// Bytes that it takes at its height beside the graph and the tables, when so many threads
    /// work; a factor of two is enough.
    fn memory(&self, graph: &Graph, threads: usize) -> u64;

    /// Whether it can count in this graph. What was found out on the way may stay in `prepared`:
    /// if the kernel is chosen, the same graph is prepared next.
    fn suits(&self, _graph: &Graph, _prepared: &mut Self::Prepared) -> bool {
        true
    }

    /// Looks at the whole graph.
    fn prepare(
        &self,
        _graph: &Graph,
        _prepared: &mut Self::Prepared,
        _meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        Ok(())
    }

    /// Number of pieces of work.
    fn roots(&self, graph: &Graph, _prepared: &Self::Prepared) -> usize {
        graph.order()
    }

    /// About how much work a root is, in any unit; by default that of a vertex and what is around
    /// it.
    fn weight(&self, graph: &Graph, _prepared: &Self::Prepared, root: usize) -> f64 {
        if root < graph.order() { surroundings(graph, root as u32) } else { 1.0 }
    }

    /// Does some of them.
    fn run<C: Cells>(&self, piece: Piece<'_, '_, Self, C>) -> Result<(), Stop>;
}

/// Some of the roots of a kernel, and all that it needs to count them.
pub(super) struct Piece<'a, 'm, K: Kernel, C> {
    pub(super) graph: &'a Graph,
    pub(super) prepared: &'a K::Prepared,
    pub(super) roots: Range<usize>,
    pub(super) scratch: &'a mut K::Scratch,
    pub(super) out: &'a mut Outputs<C>,
    pub(super) meter: &'a mut Meter<'m>,
}

/// Writes the finished table of a scope and matching, from a prepared graph.
pub(super) type WriteTable<K> =
    fn(&K, &Graph, &<K as Kernel>::Prepared, Scope, Matching) -> PackedTable;

/// When a plan chooses a kernel; `plan.rs` has the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// For every pattern that no other kernel takes, each on its own.
    EachAlone,
    /// For patterns of one shape and any size, all of them in one search.
    Family(SmallMembers),
    /// For all small patterns together, in any graph.
    AllSmall,
    /// The same, in graphs where it is predicted to take fewer steps than the others.
    AllSmallWhereCheaper,
    /// The same, in graphs that it suits ([`Kernel::suits`]).
    AllSmallWhereSuited,
    /// In place of other kernels, for all of their patterns together, where it is predicted to take
    /// less time.
    WhereCheaper,
    /// For maps of all patterns together; no other kernel counts them.
    Maps,
}

/// What happens to the small members of a family when no larger one makes it run anyway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SmallMembers {
    /// The family counts them, unless a kernel for all small patterns runs anyway.
    Keep,
    /// The same, but where [`Use::AllSmallWhereCheaper`] is cheaper it takes them.
    KeepUnlessCheaper,
    /// A kernel for all small patterns takes them.
    Leave,
}

/// What the plan knows of a kernel.
#[derive(Clone, Copy)]
pub(super) struct Registration {
    pub(super) name: &'static str,
    pub(super) reason: &'static str,
    pub(super) used: Use,
    pub(super) shared_by_parts: bool,
    pub(super) accepts: fn(&Pattern) -> bool,
    pub(super) new: fn(&[PatternColumns], WantedTables) -> Box<dyn AnyKernel>,
}

impl Registration {
    /// The entry of a kernel in the plan's list.
    pub(super) const fn of<K: Kernel>() -> Self {
        Self {
            name: K::NAME,
            reason: K::REASON,
            used: K::USE,
            shared_by_parts: K::SHARED_BY_PARTS,
            accepts: K::accepts,
            new: |patterns, wanted| Box::new(K::new(patterns, wanted)),
        }
    }
}

/// Vertices within two steps, each as often as there are ways to it.
pub(super) fn surroundings(graph: &Graph, v: u32) -> f64 {
    let near = graph.neighbors(v).iter().map(|&x| graph.degree(x)).sum::<usize>();
    1.0 + near as f64
}

/// Whether a pattern has neither directions nor labels, as most kernels ask.
pub(super) fn is_plain(pattern: &Pattern) -> bool {
    !pattern.is_directed() && !pattern.is_labelled()
}

/// Whether all vertices of a pattern are adjacent.
pub(super) fn is_complete(pattern: &Pattern) -> bool {
    pattern.size() == pattern.order() * (pattern.order() - 1) / 2
}
