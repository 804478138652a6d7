//! Which kernel counts which patterns in which graph, and why.
//!
//! On a small graph the family kernels (cycles, paths, cliques, stars) and the listing of small
//! connected vertex sets are fastest; on a large one formulas beat listing for patterns of up to
//! five vertices. A kernel that runs anyway takes along whatever it counts at no extra cost. All
//! that is left goes to the matcher, pattern by pattern.

use super::budget::Stop;
use super::cells::{Tables, Task};
use super::kernel::{self, Kernel, Run};
use super::matcher;
use crate::graph::Graph;
use crate::pattern::Pattern;
use std::fmt;
use std::sync::OnceLock;

/// One kernel with its patterns.
#[derive(Debug)]
pub(super) enum Step {
    Matcher(Box<matcher::Step>),
}

type State<K> = (<K as Kernel>::Prepared, <K as Kernel>::Scratch);

/// Memory of one thread for every kernel.
#[derive(Default)]
pub(super) struct Workspace {
    matcher: State<matcher::Step>,
}

/// Calls the same function of whichever kernel a step holds.
macro_rules! each {
    ($step:expr, $kernel:ident => $call:expr) => {
        match $step {
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
            Self::Matcher(k) => kernel::run(&**k, graph, &mut workspace.matcher, tables, how),
        }
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
            Self::Matcher(_) => ("match", "a symmetry-broken search for this pattern alone"),
        }
    }
}

/// Everything that can be counted, prepared once for all graphs.
pub(super) struct Menu {
    tasks: Vec<Task>,
    columns: (usize, usize),
    light: OnceLock<Vec<Step>>,
    heavy: OnceLock<Vec<Step>>,
}

/// Patterns of six vertices from which on listing all vertex sets beats one search each.
const MANY: usize = 8;

/// Vertices up to which a graph is small whatever its edges.
const SMALL_ORDER: usize = 64;

impl Menu {
    pub(super) fn new(tasks: Vec<Task>) -> Self {
        let columns = tasks.last().map_or((0, 0), |task| {
            (
                task.vertex_column + task.orbits.vertex_count(),
                task.arc_column + task.orbits.arc_count(),
            )
        });
        Self { tasks, columns, light: OnceLock::new(), heavy: OnceLock::new() }
    }

    pub(super) fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// Columns of vertex tables and of arc tables.
    pub(super) fn columns(&self) -> (usize, usize) {
        self.columns
    }

    /// The steps for this graph.
    pub(super) fn steps(&self, graph: &Graph) -> &[Step] {
        let light = self.light.get_or_init(|| assign(&self.tasks, false));
        if graph.order() <= SMALL_ORDER || !self.tasks.iter().any(|task| small(&task.pattern)) {
            return light;
        }
        let heavy = self.heavy.get_or_init(|| assign(&self.tasks, true));
        let cost = |steps: &[Step]| steps.iter().map(|step| step.estimate(graph)).sum::<f64>();
        if cost(heavy) < cost(light) { heavy } else { light }
    }

    /// The steps for this graph in words.
    pub(super) fn explain(&self, graph: &Graph) -> Plan {
        let steps = self.steps(graph);
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

/// Whether table look-ups and formulas know this pattern.
fn small(pattern: &Pattern) -> bool {
    pattern.order() <= 5 && !pattern.is_directed() && !pattern.is_labelled()
}

fn assign(tasks: &[Task], _: bool) -> Vec<Step> {
    tasks.iter().map(|t| Step::Matcher(Box::new(matcher::Step::new(t.clone())))).collect()
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
