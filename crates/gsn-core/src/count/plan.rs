//! Which kernel counts which patterns in which graph, and why.
//!
//! On a small graph the family kernels (cycles, paths, cliques, stars) and the listing of small
//! connected vertex sets are fastest; on a large one formulas beat listing for patterns of up to
//! five vertices. A kernel that runs anyway takes along whatever it counts at no extra cost. All
//! that is left goes to the matcher, pattern by pattern.

use super::Scope;
use super::budget::Limits;
use super::budget::Stop;
use super::cells::{Tables, Task};
use super::counts::{Counts, Header};
use super::graphlet::{self, Wants};
use super::kernel::{self, Kernel, Run};
use super::layout::{Layout, Sheet};
use super::{clique, cycle, matcher, path, star};
use crate::graph::Graph;
use crate::pattern::Pattern;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// One kernel with its patterns.
#[derive(Debug)]
pub(super) enum Step {
    Cycle(cycle::Step),
    Path(path::Step),
    Clique(clique::Step),
    Star(star::Step),
    Listing(graphlet::small::Step),
    Formulas(graphlet::five::Step),
    Girth(graphlet::girth::Step),
    Matcher(Box<matcher::Step>),
}

type State<K> = (<K as Kernel>::Prepared, <K as Kernel>::Scratch);

/// Memory of one thread for every kernel.
#[derive(Default)]
pub(super) struct Workspace {
    cycle: State<cycle::Step>,
    path: State<path::Step>,
    clique: State<clique::Step>,
    star: State<star::Step>,
    listing: State<graphlet::small::Step>,
    formulas: State<graphlet::five::Step>,
    girth: State<graphlet::girth::Step>,
    matcher: State<matcher::Step>,
    /// Tables for small graphs, all zero between two counts.
    pub(super) tables: Tables,
    /// The columns of every view.
    pub(super) headers: Vec<Header>,
}

impl Workspace {
    /// Gets ready for counts of this layout, always the same.
    pub(super) fn head(&mut self, layout: &Layout) {
        if self.headers.is_empty() {
            let of = layout.views.iter().map(|view| Arc::new(view.sheet.columns.clone()));
            self.headers.extend(of);
        }
    }
}

/// Calls the same function of whichever kernel a step holds.
macro_rules! each {
    ($step:expr, $kernel:ident => $call:expr) => {
        match $step {
            Step::Cycle($kernel) => $call,
            Step::Path($kernel) => $call,
            Step::Clique($kernel) => $call,
            Step::Star($kernel) => $call,
            Step::Listing($kernel) => $call,
            Step::Formulas($kernel) => $call,
            Step::Girth($kernel) => $call,
            Step::Matcher($kernel) => $call,
        }
    };
}

impl Step {
    pub(super) fn run(
        &self,
        graph: &Graph,
        workspace: &mut Workspace,
        tables: &mut Tables,
        how: &Run<'_>,
    ) -> Result<(), Stop> {
        match self {
            Self::Cycle(k) => kernel::run(k, graph, &mut workspace.cycle, tables, how),
            Self::Path(k) => kernel::run(k, graph, &mut workspace.path, tables, how),
            Self::Clique(k) => kernel::run(k, graph, &mut workspace.clique, tables, how),
            Self::Star(k) => kernel::run(k, graph, &mut workspace.star, tables, how),
            Self::Listing(k) => kernel::run(k, graph, &mut workspace.listing, tables, how),
            Self::Formulas(k) => kernel::run(k, graph, &mut workspace.formulas, tables, how),
            Self::Girth(k) => kernel::run(k, graph, &mut workspace.girth, tables, how),
            Self::Matcher(k) => kernel::run(&**k, graph, &mut workspace.matcher, tables, how),
        }
    }

    /// All views at once, without tables in between, where this step can do so.
    pub(super) fn at_once(
        &self,
        graph: &Graph,
        layout: &Layout,
        workspace: &mut Workspace,
        limits: &Limits<'_>,
    ) -> Result<Option<Vec<Counts>>, Stop> {
        let Self::Girth(kernel) = self else { return Ok(None) };
        if layout.views.iter().any(|view| !view.sheet.gather.is_plain()) {
            return Ok(None);
        }
        let (around, ()) = &mut workspace.girth;
        let mut meter = limits.meter();
        kernel.prepare(graph, around, &mut meter)?;
        meter.close()?;
        let views = layout.views.iter().zip(&workspace.headers);
        Ok(views
            .map(|(view, header)| {
                let columns = header.len();
                let packed = match view.scope {
                    Scope::Vertex => kernel.vertices(graph, around, columns, view.matching)?,
                    Scope::Edge | Scope::Arc => {
                        kernel.arcs(graph, around, columns, view.matching)?
                    }
                };
                Some(Counts::packed(view.scope, header.clone(), view.rows(graph), packed))
            })
            .collect())
    }

    /// Predicted steps.
    pub(super) fn estimate(&self, graph: &Graph) -> f64 {
        each!(self, kernel => kernel.estimate(graph))
    }

    fn tasks(&self) -> &[Task] {
        each!(self, kernel => kernel.tasks())
    }

    /// Names of the patterns, shortened when there are many.
    pub(super) fn names(&self) -> String {
        let names: Vec<&str> = self.tasks().iter().map(|task| task.pattern.name()).collect();
        match &names[..] {
            [first, .., last] if names.len() > 4 => {
                format!("{first} to {last} ({} patterns)", names.len())
            }
            _ => names.join(", "),
        }
    }

    fn kernel_and_reason(&self) -> (&'static str, &'static str) {
        match self {
            Self::Cycle(_) => ("cycle", "all cycles in one search of each biconnected block"),
            Self::Path(_) => ("path", "all paths in one depth-first walk, the last vertex counted"),
            Self::Clique(_) => ("clique", "all cliques by pivoting, shares by binomials"),
            Self::Star(_) => ("star", "leaves chosen from each neighbourhood"),
            Self::Listing(_) => {
                ("small", "every connected vertex set listed once and looked up in a table")
            }
            Self::Formulas(_) => {
                ("five", "formulas over degrees, triangles and common neighbours; no listing")
            }
            Self::Girth(_) => {
                ("girth", "no triangles and squares here: trees by degrees, and pentagons")
            }
            Self::Matcher(_) => ("match", "a symmetry-broken search for this pattern alone"),
        }
    }
}

/// Everything that can be counted, prepared once for all graphs.
pub(super) struct Menu {
    tasks: Vec<Task>,
    columns: (usize, usize),
    /// What the patterns ask of a graph.
    pub(super) demands: Demands,
    /// Columns by scope and notion of edge orbits; made when first used.
    pub(super) sheets: [[OnceLock<Arc<Sheet>>; 2]; 3],
    /// Steps for small and for large graphs, by the tables that are wanted; made when first used.
    light: [OnceLock<Vec<Step>>; 16],
    /// Steps for graphs without triangles and squares, if that helps.
    girth: [OnceLock<Option<Vec<Step>>>; 16],
    heavy: [OnceLock<Option<Vec<Step>>>; 16],
}

/// The first pattern, if any, that asks for each of these.
pub(super) struct Demands {
    pub(super) directed: Option<usize>,
    pub(super) undirected: Option<usize>,
    pub(super) vertex_labels: Option<usize>,
    pub(super) edge_labels: Option<usize>,
}

impl Demands {
    fn of(tasks: &[Task]) -> Self {
        let first = |test: fn(&Pattern) -> bool| tasks.iter().position(|t| test(&t.pattern));
        Self {
            directed: first(Pattern::is_directed),
            undirected: first(|pattern| !pattern.is_directed()),
            vertex_labels: first(Pattern::has_vertex_labels),
            edge_labels: first(Pattern::has_edge_labels),
        }
    }
}

/// Patterns of six vertices from which on listing all vertex sets beats one search each.
const MANY: usize = 8;

/// Whether a graph is so small and sparse that looking at it longer would cost more than counting.
fn tiny(graph: &Graph) -> bool {
    graph.order() <= 64 && graph.arc_count() <= 8 * graph.order()
}

impl Menu {
    pub(super) fn new(tasks: Vec<Task>) -> Self {
        let columns = tasks.last().map_or((0, 0), |task| {
            (
                task.vertex_column + task.orbits.vertex_count(),
                task.arc_column + task.orbits.arc_count(),
            )
        });
        let demands = Demands::of(&tasks);
        Self {
            tasks,
            columns,
            demands,
            sheets: Default::default(),
            light: Default::default(),
            girth: Default::default(),
            heavy: Default::default(),
        }
    }

    pub(super) fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// Columns of vertex tables and of arc tables.
    pub(super) fn columns(&self) -> (usize, usize) {
        self.columns
    }

    /// The steps that fill these tables for this graph.
    pub(super) fn steps(&self, graph: &Graph, wants: Wants, workspace: &mut Workspace) -> &[Step] {
        let at = usize::from(wants.vertices)
            | usize::from(wants.arcs) << 1
            | usize::from(wants.matchings[0]) << 2
            | usize::from(wants.matchings[1]) << 3;
        let girth = self.girth[at].get_or_init(|| {
            let steps = assign(&self.tasks, wants, Small::Girth);
            steps.iter().any(|step| matches!(step, Step::Girth(_))).then_some(steps)
        });
        if let Some(girth) = girth
            && workspace.girth.0.suits(graph)
        {
            return girth;
        }
        let light = self.light[at].get_or_init(|| assign(&self.tasks, wants, Small::Listed));
        if tiny(graph) {
            return light;
        }
        let heavy = self.heavy[at].get_or_init(|| {
            let steps = assign(&self.tasks, wants, Small::Formulas);
            steps.iter().any(|step| matches!(step, Step::Formulas(_))).then_some(steps)
        });
        let cost = |steps: &[Step]| steps.iter().map(|step| step.estimate(graph)).sum::<f64>();
        match heavy {
            Some(heavy) if cost(heavy) < cost(light) => heavy,
            _ => light,
        }
    }

    /// The steps for this graph in words.
    pub(super) fn explain(&self, graph: &Graph, wants: Wants) -> Plan {
        let steps = self.steps(graph, wants, &mut Workspace::default());
        Plan {
            steps: steps
                .iter()
                .map(|step| {
                    let (kernel, reason) = step.kernel_and_reason();
                    let tasks = step.tasks();
                    PlanStep {
                        kernel,
                        reason,
                        patterns: tasks.iter().map(|t| t.pattern.name().to_owned()).collect(),
                        predicted_steps: step.estimate(graph),
                    }
                })
                .collect(),
        }
    }
}

/// What counts patterns of up to five vertices that no family kernel must keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Small {
    /// Families where there is one, listing for the rest.
    Listed,
    /// Formulas, but for cliques and stars alone.
    Formulas,
    /// Formulas for graphs without triangles and squares.
    Girth,
}

/// Gives every task to a kernel: the first family that takes it, listing or formulas where they
/// are needed or run anyway, else the matcher.
fn assign(tasks: &[Task], wants: Wants, by: Small) -> Vec<Step> {
    type Accepts = fn(&Pattern) -> bool;
    type Build = fn(Vec<Task>, Wants) -> Step;
    const PATHS: usize = 3;
    let small = graphlet::five::Step::accepts;
    let families: [(Accepts, Build); 4] = [
        (clique::Step::accepts, |tasks, _| Step::Clique(clique::Step::new(tasks))),
        (star::Step::accepts, |tasks, _| Step::Star(star::Step::new(tasks))),
        (cycle::Step::accepts, |tasks, wants| Step::Cycle(cycle::Step::wanting(tasks, wants))),
        (path::Step::accepts, |tasks, _| Step::Path(path::Step::new(tasks))),
    ];
    // A triangle is a cycle and a clique: it goes where most of the others go.
    let members = families.map(|(accepts, _)| tasks.iter().filter(|t| accepts(&t.pattern)).count());
    let family = |pattern: &Pattern| {
        let takes = |f: &usize| families[*f].0(pattern);
        (0..families.len()).rev().filter(takes).max_by_key(|&f| members[f])
    };
    // A family that must run for a large member counts its small members on the way.
    let runs_anyway: Vec<bool> = (0..families.len())
        .map(|f| tasks.iter().any(|t| family(&t.pattern) == Some(f) && !small(&t.pattern)))
        .collect();
    let listable = graphlet::small::Step::accepts;
    let sixes = tasks.iter().filter(|t| listable(&t.pattern) && t.pattern.order() == 6).count();
    // Short paths alone are found faster by listing all small sets than by walking.
    let listed_alone = |f: Option<usize>| f.is_none_or(|f| f == PATHS && !runs_anyway[f]);
    let needed = tasks
        .iter()
        .filter(|t| small(&t.pattern) && listed_alone(family(&t.pattern)))
        .map(|t| t.pattern.order())
        .max();
    // Sizes up to which vertex sets are listed (or, up to five, formulas used).
    let listed = if sixes >= MANY { Some(6) } else { needed };

    let mut by_family: Vec<Vec<Task>> = vec![Vec::new(); families.len()];
    let (mut listing, mut five, mut girth, mut steps) = (vec![], vec![], vec![], vec![]);
    for task in tasks {
        let pattern = &task.pattern;
        let family = family(pattern);
        let kept = family.is_some_and(|f| runs_anyway[f]);
        let sets = listable(pattern) && !kept && listed.is_some_and(|k| pattern.order() <= k);
        // Cliques and stars have closed forms of their own; cycles and paths gain from formulas.
        let by_formula = by == Small::Formulas
            && small(pattern)
            && !kept
            && (needed.is_some() || family.is_some_and(|f| f >= 2));
        if by == Small::Girth && graphlet::girth::Step::accepts(pattern) && !kept {
            girth.push(task.clone());
        } else if by_formula {
            five.push(task.clone());
        } else if sets {
            listing.push(task.clone());
        } else if let Some(f) = family {
            by_family[f].push(task.clone());
        } else {
            steps.push(Step::Matcher(Box::new(matcher::Step::new(task.clone(), wants))));
        }
    }
    if !girth.is_empty() {
        steps.push(Step::Girth(graphlet::girth::Step::wanting(girth, wants)));
    }
    if !five.is_empty() {
        steps.push(Step::Formulas(graphlet::five::Step::wanting(five, wants)));
    }
    if !listing.is_empty() {
        steps.push(Step::Listing(graphlet::small::Step::wanting(listing, wants)));
    }
    for ((_, build), tasks) in families.iter().zip(by_family) {
        if !tasks.is_empty() {
            steps.push(build(tasks, wants));
        }
    }
    steps
}

/// How a count would be made.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The kernels in the order they run.
    pub steps: Vec<PlanStep>,
}

/// One kernel of a [`Plan`].
#[derive(Clone, Debug, PartialEq)]
pub struct PlanStep {
    /// Name of the kernel.
    pub kernel: &'static str,
    /// Why it is the one.
    pub reason: &'static str,
    /// Names of the patterns it counts together.
    pub patterns: Vec<String>,
    /// Predicted number of steps, to an order of magnitude.
    pub predicted_steps: f64,
}

impl Plan {
    /// Predicted number of steps of the whole count.
    pub fn predicted_steps(&self) -> f64 {
        self.steps.iter().map(|step| step.predicted_steps).sum()
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.steps {
            let PlanStep { kernel, reason, patterns, predicted_steps } = step;
            writeln!(f, "{kernel:<7} about {predicted_steps:.1e} steps: {}", patterns.join(", "))?;
            writeln!(f, "        {reason}")?;
        }
        write!(f, "total   about {:.1e} steps", self.predicted_steps())
    }
}
