//! [`Counter`]: from a [`CountSpec`] and graphs to counts.

use super::budget::{Budget, Limits, Patience, Stop};
use super::cells::{CountTable, CountTables, PatternColumns};
use super::counts::{Column, Counts};
use super::error::{CountError, CountErrorKind};
use super::gather::NotGathered;
use super::gauge::Gauge;
use super::layout::{ColumnLayout, Layout, View};
use super::part::Part;
use super::plan::{KERNELS, Plan, is_tiny};
use super::planned::{PlannedKernel, Run, names};
use super::prepared::{PreparedPatterns, Workspace};
use super::{Matching, Scope};
use crate::graph::Graph;
use crate::memory;
use crate::orbit::EdgeOrbits;
use crate::spec::CountSpec;
use crate::threads::{self, Alone};
use rayon::prelude::*;
use std::borrow::Borrow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// What is called as a count goes on: the share that is done, 0 to 1.
type Progress = Arc<dyn Fn(f64) + Send + Sync>;

/// Counts the occurrences of a collection of patterns in any number of graphs.
///
/// Threads are those of the surrounding rayon pool: graphs are counted side by side, and a large
/// graph is cut into pieces. The numbers do not depend on how many threads there are.
///
/// ```
/// use gsn_core::{Budget, CountSpec, Counter, Graph, Matching, Scope};
///
/// let square = Graph::from_edges(4, [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)])?;
/// let spec = CountSpec::new("cycle:4".parse()?)
///     .with_scope(Scope::Arc)
///     .with_matching(Matching::Subgraph);
/// let counter = Counter::new(&spec).budget(Budget::steps(1_000_000));
/// let counts = counter.count(&square)?;
/// assert_eq!(counts.columns()[0].name(), "cycle:4/a0");
/// // The four outer edges lie on the 4-cycle, the chord 0-2 does not.
/// let on_cycle: Vec<u64> = counts.column(0).collect();
/// assert_eq!(on_cycle, [1, 0, 1, 1, 1, 0, 1, 1, 1, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Counter {
    prepared: Arc<PreparedPatterns>,
    spec: CountSpec,
    budget: Budget,
    cancel: Option<Arc<AtomicBool>>,
    part: Option<Part>,
    progress: Option<Progress>,
    /// What the count of one small graph leaves for the next.
    kept: Arc<Mutex<Option<Box<Kept>>>>,
    /// Where tests see the steps so far.
    #[cfg(test)]
    steps: Arc<std::sync::atomic::AtomicU64>,
}

/// Memory that is reused where graphs are counted one by one, and the layout it belongs to.
struct Kept {
    layout: Layout,
    workspace: Workspace,
}

/// Arcs of a graph after which the memory is kept.
const KEPT_ARCS: usize = 4_000;

/// Arcs of a graph for which a plan takes long enough to be stopped; few in tests.
const LONG_PLAN: usize = if cfg!(test) { 100 } else { 100_000 };

/// Arcs of a graph in which kernels may take more memory than is granted unseen.
const MUCH_MEMORY: usize = if cfg!(test) { 100 } else { 4_000 };

/// Whether several threads should work on one graph: it is large, or not so small and costly.
fn worth_cutting(graph: &Graph, kernels: &[PlannedKernel]) -> bool {
    let costly = || kernels.iter().map(|planned| planned.estimate(graph)).sum::<f64>() > 1e7;
    graph.arc_count() >= 20_000 || (graph.arc_count() >= 1_000 && costly())
}

impl Counter {
    /// Counts what `spec` says, without a limit unless told otherwise.
    pub fn new(spec: &CountSpec) -> Self {
        let patterns = PatternColumns::of(spec.patterns().patterns());
        Self {
            prepared: Arc::new(PreparedPatterns::new(patterns, KERNELS)),
            spec: spec.clone(),
            budget: Budget::default(),
            cancel: None,
            part: None,
            progress: None,
            kept: Arc::default(),
            #[cfg(test)]
            steps: Arc::default(),
        }
    }

    /// Counts the same patterns in another way; what was prepared for them is shared.
    #[must_use]
    pub fn with_view(self, scope: Scope, matching: Matching, orbits: EdgeOrbits) -> Self {
        let spec = self.spec.with_scope(scope).with_matching(matching).with_orbits(orbits);
        Self { spec, kept: Arc::default(), ..self }
    }

    /// Counts with these kernels.
    #[cfg(test)]
    pub(super) fn with_kernels(self, kernels: &'static [super::kernel::Registration]) -> Self {
        let patterns = self.prepared.patterns().to_vec();
        let prepared = Arc::new(PreparedPatterns::new(patterns, kernels));
        Self { prepared, kept: Arc::default(), ..self }
    }

    /// The steps of the count that is watched, as far as it is.
    #[cfg(test)]
    pub(super) fn steps_so_far(&self) -> Arc<std::sync::atomic::AtomicU64> {
        self.steps.clone()
    }

    /// How much work a graph may take.
    #[must_use]
    pub fn budget(self, budget: Budget) -> Self {
        Self { budget, ..self }
    }

    /// A switch that stops counting, from any thread.
    #[must_use]
    pub fn cancel_when(self, switch: Arc<AtomicBool>) -> Self {
        Self { cancel: Some(switch), ..self }
    }

    /// Does a part of the work on each graph: the counts of all parts add up to those of the graph.
    /// Parts may be counted on different machines, each of which has the graph; what a kernel finds
    /// out about the graph as a whole, it finds out in every part.
    ///
    /// ```
    /// use gsn_core::{CountSpec, Counter, Graph, count::Part};
    ///
    /// let graph = Graph::from_edges(4, [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)])?;
    /// let counter = Counter::new(&CountSpec::new("cycle:3".parse()?));
    /// let mut sum = [0; 4];
    /// for part in Part::all(3) {
    ///     let counts = counter.clone().with_part(part).count(&graph)?;
    ///     sum.iter_mut().zip(counts.column(0)).for_each(|(sum, count)| *sum += count);
    /// }
    /// assert_eq!(sum, [1, 2, 2, 1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_part(self, part: Part) -> Self {
        Self { part: Some(part), ..self }
    }

    /// Called now and then with the share of the work that is done, 0 to 1: of the graphs in
    /// [`Counter::count_many`], of the steps in [`Counter::count`], which predicts them as it goes
    /// and tells shares that grow as evenly as the work does, 1 at the end. May be called from
    /// several threads, and then not always in increasing order.
    #[must_use]
    pub fn on_progress(self, call: impl Fn(f64) + Send + Sync + 'static) -> Self {
        Self { progress: Some(Arc::new(call)), ..self }
    }

    /// What is counted.
    pub fn spec(&self) -> &CountSpec {
        &self.spec
    }

    /// The columns of the counts.
    pub fn columns(&self) -> Arc<[Column]> {
        self.column_layout(self.spec.scope()).columns.clone()
    }

    /// The columns of a scope and how they are gathered; worked out once.
    fn column_layout(&self, scope: Scope) -> Arc<ColumnLayout> {
        let orbits = self.spec.orbits();
        let slot = &self.prepared.layouts[scope as usize][orbits as usize];
        let new = || ColumnLayout::new(self.prepared.patterns(), scope, orbits);
        slot.get_or_init(|| Arc::new(new())).clone()
    }

    /// How the patterns would be counted in `graph`, by which kernels, and at what predicted cost.
    ///
    /// # Errors
    /// When the patterns do not fit the graph (directions, labels).
    pub fn plan(&self, graph: &Graph) -> Result<Plan, CountError> {
        self.check(graph, [self.spec.scope()]).map_err(alone)?;
        let layout = self.layout(&[(self.spec.scope(), self.spec.matching())]);
        let plan = self.prepared.explain(graph, layout.wanted, self.parts());
        let held_memory = graph.memory() + layout.memory(graph, crate::threads::number());
        Ok(Plan { held_memory, ..plan })
    }

    /// Counts in one graph.
    ///
    /// # Errors
    /// See [`CountErrorKind`]; there is no partial count.
    pub fn count(&self, graph: &Graph) -> Result<Counts, CountError> {
        let kept = self.kept.try_lock().ok().and_then(|mut kept| kept.take());
        let mut kept = kept.unwrap_or_else(|| {
            let layout = self.layout(&[(self.spec.scope(), self.spec.matching())]);
            Box::new(Kept { layout, workspace: Workspace::default() })
        });
        let progress = self.progress.as_deref();
        let counts = self.views_in(graph, &kept.layout, &mut kept.workspace, progress);
        let counts = counts.map_err(alone)?;
        if graph.arc_count() <= KEPT_ARCS
            && let Ok(mut place) = self.kept.try_lock()
        {
            *place = Some(kept);
        }
        Ok(counts.into_iter().next().expect("one view gives one table"))
    }

    /// Counts several views of one graph in one go, which costs little more than one of them.
    ///
    /// # Errors
    /// See [`CountErrorKind`].
    pub fn count_views(
        &self,
        graph: &Graph,
        views: &[(Scope, Matching)],
    ) -> Result<Vec<Counts>, CountError> {
        let layout = self.layout(views);
        let call = self.progress.as_deref();
        self.views_in(graph, &layout, &mut Workspace::default(), call).map_err(alone)
    }

    /// Counts in many graphs, side by side.
    ///
    /// # Errors
    /// The first graph, in their order, that could not be counted; use [`Counter::count_each`]
    /// to keep the others.
    pub fn count_many<G: Borrow<Graph> + Sync>(
        &self,
        graphs: &[G],
    ) -> Result<Vec<Counts>, CountError> {
        self.count_each(graphs).into_iter().collect()
    }

    /// Counts in many graphs, side by side; a graph that cannot be counted does not stop the rest.
    pub fn count_each<G: Borrow<Graph> + Sync>(
        &self,
        graphs: &[G],
    ) -> Vec<Result<Counts, CountError>> {
        let views = [(self.spec.scope(), self.spec.matching())];
        self.count_views_each(graphs, &views)
            .into_iter()
            .map(|counts| counts.map(|views| views.into_iter().next().expect("one view")))
            .collect()
    }

    /// [`Counter::count_views`] of many graphs, side by side.
    pub fn count_views_each<G: Borrow<Graph> + Sync>(
        &self,
        graphs: &[G],
        views: &[(Scope, Matching)],
    ) -> Vec<Result<Vec<Counts>, CountError>> {
        let layout = self.layout(views);
        let done = AtomicUsize::new(0);
        let one = |workspace: &mut Workspace, (index, graph): (usize, &G)| {
            let counts = self
                .views_in(graph.borrow(), &layout, workspace, None)
                .map_err(|kind| CountError { graph: Some(index), kind });
            if let Some(call) = &self.progress {
                call((done.fetch_add(1, Relaxed) + 1) as f64 / graphs.len() as f64);
            }
            counts
        };
        let share = threads::number() > 1;
        let mut counted = Vec::with_capacity(graphs.len());
        if !share || graphs.iter().all(|graph| is_tiny(graph.borrow())) {
            let mut workspace = Workspace::default();
            let mut alone = Alone::start();
            for item in graphs.iter().enumerate() {
                counted.push(one(&mut workspace, item));
                if share && alone.needs_help(graphs.len() - counted.len()) {
                    break;
                }
            }
        }
        if counted.len() < graphs.len() {
            let rest = graphs.par_iter().enumerate().skip(counted.len());
            counted.par_extend(rest.map_init(Workspace::default, one));
        }
        counted
    }

    /// How many parts share the work.
    fn parts(&self) -> usize {
        self.part.map_or(1, Part::of)
    }

    /// What does not depend on the graph: the columns of every view, and how they are gathered.
    fn layout(&self, views: &[(Scope, Matching)]) -> Layout {
        let of = |&(scope, matching): &(Scope, Matching)| View {
            scope,
            matching,
            layout: self.column_layout(scope),
        };
        let views = views.iter().map(of).collect();
        Layout::new(views, self.prepared.patterns(), self.prepared.columns())
    }

    fn views_in(
        &self,
        graph: &Graph,
        layout: &Layout,
        workspace: &mut Workspace,
        progress: Option<&(dyn Fn(f64) + Send + Sync)>,
    ) -> Result<Vec<Counts>, CountErrorKind> {
        self.check(graph, layout.views.iter().map(|view| view.scope))?;
        workspace.start(layout);
        // What planning takes counts, too.
        let limits = Limits::new(self.budget, self.cancel.as_deref());
        if graph.arc_count() < LONG_PLAN {
            return self.views_within(limits, graph, layout, workspace, progress);
        }
        let patience = Patience::of(&limits, self.cancel.as_ref());
        patience.during(|| self.views_within(limits, graph, layout, workspace, progress))
    }

    fn views_within(
        &self,
        limits: Limits<'_>,
        graph: &Graph,
        layout: &Layout,
        workspace: &mut Workspace,
        progress: Option<&(dyn Fn(f64) + Send + Sync)>,
    ) -> Result<Vec<Counts>, CountErrorKind> {
        let chosen = self.prepared.choose(graph, layout.wanted, self.parts(), workspace);
        let kernels = &*chosen;
        let all_names = || names(self.prepared.patterns().iter().map(|own| own.pattern.name()));
        if graph.arc_count() >= LONG_PLAN {
            limits.meter().close().map_err(|stop| self.stopped(stop, all_names()))?;
        }
        self.refuse_too_large(graph, kernels)?;
        let gauge = progress.map(|call| {
            let estimate =
                |planned: &PlannedKernel| planned.kernel.predicted_steps(graph).clamp(1.0, 1e18);
            Gauge::new(call, kernels.iter().map(estimate).collect())
        });
        let watch = |used: u64| {
            #[cfg(test)]
            self.steps.store(used, Relaxed);
            if let Some(gauge) = &gauge {
                gauge.tick(used);
            }
        };
        let watch = gauge.as_ref().map(|_| &watch as &(dyn Fn(u64) + Sync));
        let limits = limits.watched(watch);
        if let [only] = kernels
            && progress.is_none()
            && self.part.is_none()
            && layout.is_plain()
        {
            let (kept, headers) = (workspace.kernels.of(only), &workspace.headers);
            let counts = only.kernel.write_tables(graph, kept, &layout.views, headers, &limits);
            if let Some(counts) = counts.map_err(|stop| self.stopped(stop, only.names()))? {
                return Ok(counts);
            }
        }
        let parallel = worth_cutting(graph, kernels) && threads::number() > 1;
        self.refuse_hopeless(graph, kernels)?;
        let small = !parallel && layout.is_small(graph);
        let mut tables = if small {
            let mut tables = std::mem::take(&mut workspace.tables);
            layout.resize(graph, &mut tables);
            tables
        } else {
            // What ended the count matters more than the table that it ended at.
            layout.tables(graph).map_err(|kind| match limits.meter().close() {
                Err(stop) => self.stopped(stop, all_names()),
                Ok(()) => kind,
            })?
        };
        let how = Run { limits: &limits, parallel, part: self.part, gauge: gauge.as_ref() };
        for planned in kernels {
            self.ask_for_memory(graph, planned, parallel)?;
            let kept = workspace.kernels.of(planned);
            let ran = planned.kernel.run(graph, kept, &mut tables, &how);
            ran.map_err(|stop| self.stopped(stop, planned.names()))?;
            if let Some(gauge) = &gauge {
                gauge.end_kernel(limits.used());
            }
        }
        if let Some(gauge) = &gauge {
            gauge.end();
        }
        self.check_overflow(&tables)?;
        if !small {
            let counts = layout.gather(graph, tables, &workspace.headers, &limits);
            return counts.map_err(|failed| match failed {
                NotGathered::TooLarge(pattern) => self.too_large(pattern),
                NotGathered::Stopped(stop) => self.stopped(stop, all_names()),
            });
        }
        let counts = layout.pack(graph, &mut tables, &workspace.headers);
        let counts = counts.map_err(|pattern| self.too_large(pattern))?;
        tables.clear();
        workspace.tables = tables;
        Ok(counts)
    }

    /// Refuses a graph in which a kernel would take more memory than it may.
    fn refuse_too_large(
        &self,
        graph: &Graph,
        kernels: &[PlannedKernel],
    ) -> Result<(), CountErrorKind> {
        let too_large = |planned: &PlannedKernel| {
            let gigabytes = planned.kernel.excessive_memory(graph)?;
            Some(CountErrorKind::Work { patterns: planned.names(), gigabytes })
        };
        kernels.iter().find_map(too_large).map_or(Ok(()), Err)
    }

    /// Asks whether a kernel may have the memory that it takes.
    fn ask_for_memory(
        &self,
        graph: &Graph,
        planned: &PlannedKernel,
        parallel: bool,
    ) -> Result<(), CountErrorKind> {
        if graph.arc_count() >= MUCH_MEMORY && memory::limit().is_some() {
            let threads = if parallel { threads::number() } else { 1 };
            let wanted = planned.kernel.memory(graph, threads);
            memory::ask(wanted, || format!("counting {}", planned.names()))?;
        }
        Ok(())
    }

    /// Whether the patterns and scopes make sense for this graph.
    fn check(
        &self,
        graph: &Graph,
        scopes: impl IntoIterator<Item = Scope>,
    ) -> Result<(), CountErrorKind> {
        if graph.is_directed() && scopes.into_iter().any(|scope| scope == Scope::Edge) {
            return Err(CountErrorKind::DirectedEdges);
        }
        let demands = &self.prepared.demands;
        let directed = !graph.is_directed();
        let wrong = if directed { demands.directed } else { demands.undirected };
        if let Some(pattern) = wrong {
            return Err(CountErrorKind::Direction { pattern: self.name_of(pattern), directed });
        }
        // A graph without edges has no edge labels to show, and no occurrence either.
        let edge_labels = graph.arc_labels().is_some() || graph.arc_count() == 0;
        for (asked, there, what) in [
            (demands.vertex_labels, graph.vertex_labels().is_some(), "vertex"),
            (demands.edge_labels, edge_labels, "edge"),
        ] {
            if let Some(pattern) = asked.filter(|_| !there) {
                return Err(CountErrorKind::NoLabels { pattern: self.name_of(pattern), what });
            }
        }
        Ok(())
    }

    fn refuse_hopeless(
        &self,
        graph: &Graph,
        kernels: &[PlannedKernel],
    ) -> Result<(), CountErrorKind> {
        // A prediction may be wrong by an order of magnitude; it refuses only what is far beyond.
        const BEYOND: f64 = 1000.0;
        let Some(limit) = self.budget.steps else { return Ok(()) };
        if graph.order() <= 64 {
            return Ok(());
        }
        let of_part = |planned: &PlannedKernel| {
            planned.kernel.predicted_steps(graph) / planned.shared_by(self.parts())
        };
        let predicted: Vec<f64> = kernels.iter().map(of_part).collect();
        let all: f64 = predicted.iter().sum();
        if all < limit as f64 * BEYOND {
            return Ok(());
        }
        let worst = (0..predicted.len())
            .max_by(|&i, &j| predicted[i].total_cmp(&predicted[j]))
            .expect("some kernel has a cost");
        Err(CountErrorKind::Hopeless {
            patterns: kernels[worst].names(),
            predicted: all,
            share: 100.0 * predicted[worst] / all,
            limit,
        })
    }

    fn stopped(&self, stop: Stop, patterns: String) -> CountErrorKind {
        match stop {
            Stop::Steps => {
                let limit = self.budget.steps.unwrap_or(u64::MAX);
                CountErrorKind::Steps { patterns, limit }
            }
            Stop::Time => {
                CountErrorKind::Time { patterns, limit: self.budget.time.unwrap_or_default() }
            }
            Stop::Cancelled => CountErrorKind::Cancelled,
            Stop::Overflow => CountErrorKind::Overflow { patterns },
        }
    }

    fn check_overflow(&self, tables: &CountTables) -> Result<(), CountErrorKind> {
        let patterns = self.prepared.patterns();
        let first =
            |tables: &[Option<CountTable>]| tables.iter().flatten().find_map(CountTable::overflow);
        // A column belongs to the last pattern that starts at it or before.
        let owner = if let Some(column) = first(&tables.vertex) {
            patterns.partition_point(|p| p.vertex_column <= column)
        } else if let Some(column) = first(&tables.arc) {
            patterns.partition_point(|p| p.arc_column <= column)
        } else {
            return Ok(());
        };
        Err(self.too_large(owner - 1))
    }

    /// The error of a pattern that has a number too large for 64 bits.
    fn too_large(&self, pattern: usize) -> CountErrorKind {
        CountErrorKind::Overflow { patterns: self.name_of(pattern) }
    }

    fn name_of(&self, pattern: usize) -> String {
        self.prepared.patterns()[pattern].pattern.name().to_owned()
    }
}

fn alone(kind: CountErrorKind) -> CountError {
    CountError { graph: None, kind }
}
