//! [`Counter`]: from patterns and options to counts.

use super::budget::{Budget, Limits, Stop};
use super::cells::{Table, Tables, Task};
use super::counts::{Column, Counts};
use super::error::{CountError, CountErrorKind};
use super::kernel::Run;
use super::layout::{Layout, Sheet, View, wants};
use super::packed::MAX_COLUMNS;
use super::plan::{Menu, Plan, Step, Workspace};
use super::{Matching, Scope};
use crate::graph::Graph;
use crate::orbit::{EdgeOrbits, Orbits};
use crate::pattern::{Pattern, PatternSet};
use rayon::prelude::*;
use std::borrow::Borrow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// What is called as a count goes on: the share that is done, 0 to 1.
type Progress = Arc<dyn Fn(f64) + Send + Sync>;

/// Counts the occurrences of a collection of patterns in any number of graphs.
///
/// Threads are those of the surrounding rayon pool: graphs are counted side by side, and a large
/// graph is cut into pieces. The numbers do not depend on how many threads there are.
///
/// ```
/// use gsn_core::{Budget, Counter, Graph, Matching, PatternSet, Scope};
///
/// let square = Graph::from_edges(4, [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)])?;
/// let patterns: PatternSet = "cycle:4".parse()?;
/// let counter = Counter::new(&patterns)
///     .scope(Scope::Arc)
///     .matching(Matching::Subgraph)
///     .budget(Budget::steps(1_000_000));
/// let counts = counter.count(&square)?;
/// assert_eq!(counts.columns()[0].name(), "cycle:4/a0");
/// // The four outer edges lie on the 4-cycle, the chord 0-2 does not.
/// let on_cycle: Vec<u64> = counts.column(0).collect();
/// assert_eq!(on_cycle, [1, 0, 1, 1, 1, 0, 1, 1, 1, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Counter {
    menu: Arc<Menu>,
    scope: Scope,
    matching: Matching,
    edge_orbits: EdgeOrbits,
    budget: Budget,
    cancel: Option<Arc<AtomicBool>>,
    progress: Option<Progress>,
}

/// Whether several threads should work on one graph: it is large, or not so small and costly.
fn worth_cutting(graph: &Graph, steps: &[Step]) -> bool {
    let costly = || steps.iter().map(|step| step.estimate(graph)).sum::<f64>() > 1e7;
    graph.arc_count() >= 20_000 || (graph.arc_count() >= 1_000 && costly())
}

impl Counter {
    /// Counts these patterns: vertex scope, induced matching and no limit unless told otherwise.
    pub fn new(patterns: &PatternSet) -> Self {
        let orbits: Vec<Orbits> = patterns
            .patterns()
            .par_iter()
            .map(|pattern| Orbits::of(pattern, EdgeOrbits::Exact))
            .collect();
        let (mut vertex_column, mut arc_column) = (0, 0);
        let mut tasks = Vec::with_capacity(orbits.len());
        for (pattern, orbits) in patterns.patterns().iter().zip(orbits) {
            let task = Task { pattern: pattern.clone(), orbits, vertex_column, arc_column };
            vertex_column += task.orbits.vertex_count();
            arc_column += task.orbits.arc_count();
            tasks.push(task);
        }
        Self {
            menu: Arc::new(Menu::new(tasks)),
            scope: Scope::default(),
            matching: Matching::default(),
            edge_orbits: EdgeOrbits::default(),
            budget: Budget::default(),
            cancel: None,
            progress: None,
        }
    }

    /// What the rows are.
    #[must_use]
    pub fn scope(self, scope: Scope) -> Self {
        Self { scope, ..self }
    }

    /// Which subgraphs are occurrences.
    #[must_use]
    pub fn matching(self, matching: Matching) -> Self {
        Self { matching, ..self }
    }

    /// Which notion of edge and arc orbits the columns follow.
    #[must_use]
    pub fn edge_orbits(self, edge_orbits: EdgeOrbits) -> Self {
        Self { edge_orbits, ..self }
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

    /// Called now and then with the share of the work that is done, 0 to 1: of the graphs in
    /// [`Counter::count_many`], of the graph in [`Counter::count`]. May be called from several
    /// threads, and then not always in increasing order.
    #[must_use]
    pub fn on_progress(self, call: impl Fn(f64) + Send + Sync + 'static) -> Self {
        Self { progress: Some(Arc::new(call)), ..self }
    }

    /// The patterns, in order.
    pub fn patterns(&self) -> impl ExactSizeIterator<Item = &Pattern> {
        self.menu.tasks().iter().map(|task| &task.pattern)
    }

    /// The columns of the counts.
    pub fn columns(&self) -> Arc<[Column]> {
        self.sheet(self.scope).columns.clone()
    }

    /// The columns of a scope and how they are gathered; worked out once.
    fn sheet(&self, scope: Scope) -> Arc<Sheet> {
        let slot = &self.menu.sheets[scope as usize][self.edge_orbits as usize];
        slot.get_or_init(|| Arc::new(Sheet::new(self.menu.tasks(), scope, self.edge_orbits)))
            .clone()
    }

    /// How the patterns would be counted in `graph`, by which kernels, and at what predicted cost.
    ///
    /// # Errors
    /// When the patterns do not fit the graph (directions, labels).
    pub fn plan(&self, graph: &Graph) -> Result<Plan, CountError> {
        self.check(graph, [self.scope]).map_err(alone)?;
        Ok(self.menu.explain(graph, wants(&[(self.scope, self.matching)])))
    }

    /// Counts in one graph.
    ///
    /// # Errors
    /// See [`CountErrorKind`]; there is no partial count.
    pub fn count(&self, graph: &Graph) -> Result<Counts, CountError> {
        let view = [(self.scope, self.matching)];
        let counts = self.count_views(graph, &view)?;
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
        let views = [(self.scope, self.matching)];
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
        if rayon::current_num_threads() == 1 {
            let mut workspace = Workspace::default();
            return graphs.iter().enumerate().map(|item| one(&mut workspace, item)).collect();
        }
        graphs.par_iter().enumerate().map_init(Workspace::default, one).collect()
    }

    /// What does not depend on the graph: the columns of every view, and how they are gathered.
    fn layout(&self, views: &[(Scope, Matching)]) -> Layout {
        let of = |&(scope, matching): &(Scope, Matching)| View {
            scope,
            matching,
            sheet: self.sheet(scope),
        };
        Layout { views: views.iter().map(of).collect(), wants: wants(views) }
    }

    fn views_in(
        &self,
        graph: &Graph,
        layout: &Layout,
        workspace: &mut Workspace,
        progress: Option<&(dyn Fn(f64) + Send + Sync)>,
    ) -> Result<Vec<Counts>, CountErrorKind> {
        self.check(graph, layout.views.iter().map(|view| view.scope))?;
        workspace.head(layout);
        let limits = Limits::new(self.budget, self.cancel.as_deref());
        let steps = self.menu.steps(graph, layout.wants, workspace);
        if let [step @ Step::Girth(_)] = steps
            && progress.is_none()
            && let Some(counts) = step
                .at_once(graph, layout, workspace, &limits)
                .map_err(|stop| self.stopped(stop, &step.names()))?
        {
            return Ok(counts);
        }
        let parallel = rayon::current_num_threads() > 1 && worth_cutting(graph, steps);
        self.refuse_hopeless(graph, steps)?;
        let small = !parallel && self.is_small(graph);
        let mut tables = if small {
            self.small_tables(graph, &layout.views, std::mem::take(&mut workspace.tables))
        } else {
            self.tables(graph, &layout.views)?
        };
        let done = Mutex::new(0.0);
        let report = |share: f64| {
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            *done += share / steps.len() as f64;
            if let Some(call) = progress {
                call(f64::min(*done, 1.0));
            }
        };
        let progress = progress.map(|_| &report as &(dyn Fn(f64) + Sync));
        let how = Run { limits: &limits, parallel, progress };
        for step in steps {
            step.run(graph, workspace, &mut tables, &how)
                .map_err(|stop| self.stopped(stop, &step.names()))?;
        }
        self.check_overflow(&tables)?;
        if !small {
            return self.gather(graph, &layout.views, tables, workspace);
        }
        let counts = self.pack(graph, &layout.views, &tables, workspace)?;
        tables.clear();
        workspace.tables = tables;
        Ok(counts)
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
        let demands = &self.menu.demands;
        let name = |pattern: usize| self.menu.tasks()[pattern].pattern.name().to_owned();
        let directed = !graph.is_directed();
        let wrong = if directed { demands.directed } else { demands.undirected };
        if let Some(pattern) = wrong {
            return Err(CountErrorKind::Direction { pattern: name(pattern), directed });
        }
        // A graph without edges has no edge labels to show, and no occurrence either.
        let edge_labels = graph.arc_labels().is_some() || graph.arc_count() == 0;
        for (asked, there, what) in [
            (demands.vertex_labels, graph.vertex_labels().is_some(), "vertex"),
            (demands.edge_labels, edge_labels, "edge"),
        ] {
            if let Some(pattern) = asked.filter(|_| !there) {
                return Err(CountErrorKind::NoLabels { pattern: name(pattern), what });
            }
        }
        Ok(())
    }

    /// Whether tables are so small that they are kept from graph to graph, and their columns so
    /// few that those without counts can be left out.
    fn is_small(&self, graph: &Graph) -> bool {
        const CELLS: usize = 1 << 15;
        let (vertex, arc) = self.menu.columns();
        vertex.max(arc) <= MAX_COLUMNS
            && vertex * graph.order() <= CELLS
            && arc * graph.edge_count() <= CELLS
    }

    /// Tables of zeros, one row a vertex or an edge, in memory that was used before.
    fn small_tables(&self, graph: &Graph, views: &[View], mut tables: Tables) -> Tables {
        let columns = self.menu.columns();
        for view in views {
            let at = view.matching as usize;
            let (slot, rows, columns) = match view.scope {
                Scope::Vertex => (&mut tables.vertex[at], graph.order(), columns.0),
                Scope::Edge | Scope::Arc => (&mut tables.arc[at], graph.edge_count(), columns.1),
            };
            slot.get_or_insert_default().resize(rows, columns);
        }
        tables
    }

    /// Turns the tables of a small graph into the views that were asked for.
    fn pack(
        &self,
        graph: &Graph,
        views: &[View],
        tables: &Tables,
        workspace: &Workspace,
    ) -> Result<Vec<Counts>, CountErrorKind> {
        let mut counts = Vec::with_capacity(views.len());
        for (view, header) in views.iter().zip(&workspace.headers) {
            let table = match view.scope {
                Scope::Vertex => &tables.vertex[view.matching as usize],
                Scope::Edge | Scope::Arc => &tables.arc[view.matching as usize],
            };
            let table = table.as_ref().expect("every view has its table");
            let packed = view.sheet.gather.pack(graph, table).map_err(self.too_large(view))?;
            counts.push(Counts::packed(view.scope, header.clone(), view.rows(graph), packed));
        }
        Ok(counts)
    }

    /// The error of a gathered column whose sum is too large.
    fn too_large(&self, view: &View) -> impl Fn(usize) -> CountErrorKind {
        |column| {
            let pattern = view.sheet.columns[column].pattern;
            let name = self.menu.tasks()[pattern].pattern.name().to_owned();
            CountErrorKind::Overflow { patterns: name }
        }
    }

    /// Zeroed tables for the views.
    fn tables(&self, graph: &Graph, views: &[View]) -> Result<Tables, CountErrorKind> {
        let columns = self.menu.columns();
        let mut tables = Tables::default();
        for view in views {
            let at = view.matching as usize;
            // Arc rows are gathered in place: see `gather`.
            let (slot, rows, columns) = match view.scope {
                Scope::Vertex => (&mut tables.vertex[at], graph.order(), columns.0),
                Scope::Edge => (&mut tables.arc[at], graph.edge_count(), columns.1),
                Scope::Arc => (&mut tables.arc[at], graph.arc_count(), columns.1),
            };
            if slot.as_ref().is_none_or(|table| table.rows() < rows) {
                let memory = CountErrorKind::Memory { rows, columns };
                *slot = Some(Table::zeros(rows, columns).ok_or(memory)?);
            }
        }
        Ok(tables)
    }

    fn refuse_hopeless(&self, graph: &Graph, steps: &[Step]) -> Result<(), CountErrorKind> {
        // A prediction may be wrong by an order of magnitude; it refuses only what is far beyond.
        const BEYOND: f64 = 1000.0;
        let Some(limit) = self.budget.steps else { return Ok(()) };
        if graph.order() <= 64 {
            return Ok(());
        }
        let predicted: Vec<f64> = steps.iter().map(|step| step.estimate(graph)).collect();
        let all: f64 = predicted.iter().sum();
        if all < limit as f64 * BEYOND {
            return Ok(());
        }
        let worst = (0..predicted.len())
            .max_by(|&i, &j| predicted[i].total_cmp(&predicted[j]))
            .expect("some step has a cost");
        Err(CountErrorKind::Hopeless {
            patterns: steps[worst].names(),
            predicted: all,
            share: 100.0 * predicted[worst] / all,
            limit,
        })
    }

    fn stopped(&self, stop: Stop, patterns: &str) -> CountErrorKind {
        let patterns = patterns.to_owned();
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

    fn check_overflow(&self, tables: &Tables) -> Result<(), CountErrorKind> {
        let tasks = self.menu.tasks();
        let owner = |starts: fn(&Task) -> usize, column: usize| {
            let next = tasks.partition_point(|task| starts(task) <= column);
            CountErrorKind::Overflow { patterns: tasks[next - 1].pattern.name().to_owned() }
        };
        for table in tables.vertex.iter().flatten() {
            if let Some(column) = table.overflow() {
                return Err(owner(|task| task.vertex_column, column));
            }
        }
        for table in tables.arc.iter().flatten() {
            if let Some(column) = table.overflow() {
                return Err(owner(|task| task.arc_column, column));
            }
        }
        Ok(())
    }

    /// Turns the kernels' tables into the views that were asked for.
    fn gather(
        &self,
        graph: &Graph,
        views: &[View],
        tables: Tables,
        workspace: &Workspace,
    ) -> Result<Vec<Counts>, CountErrorKind> {
        let mut vertex = tables.vertex.map(|t| t.map(Table::into_values));
        let mut arc = tables.arc.map(|t| t.map(Table::into_values));
        let mut counts = Vec::with_capacity(views.len());
        for (i, view) in views.iter().enumerate() {
            let slot = match view.scope {
                Scope::Vertex => &mut vertex[view.matching as usize],
                Scope::Edge | Scope::Arc => &mut arc[view.matching as usize],
            };
            let again = views[i + 1..].iter().any(|later| {
                later.matching == view.matching
                    && (later.scope == Scope::Vertex) == (view.scope == Scope::Vertex)
            });
            let values = if again { slot.clone() } else { slot.take() };
            let values = values.expect("every view has its table");
            let values = view.sheet.gather.apply(graph, values).map_err(self.too_large(view))?;
            let header = workspace.headers[i].clone();
            counts.push(Counts::whole(view.scope, header, view.rows(graph), values));
        }
        Ok(counts)
    }
}

fn alone(kind: CountErrorKind) -> CountError {
    CountError { graph: None, kind }
}
