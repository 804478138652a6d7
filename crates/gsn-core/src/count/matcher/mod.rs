//! The matcher: counts any pattern, labels and directions included.
//!
//! A symmetry-broken search over the core of the pattern (see [`order`]); every node returns its
//! number of completions, so a core vertex is added to once for its whole subtree, and the tails
//! are counted by binomials, not listed. Costs one step for every candidate looked at, at most
//! n · d^(core − 1) of them.

mod order;
mod search;

use super::MATCHINGS;
use super::budget::{Meter, Stop};
use super::cells::{Cells, Outputs, Task};
use super::graphlet::Wants;
use super::kernel::Kernel;
use crate::graph::Graph;
use crate::pattern::Pattern;
use order::{Level, Order};
pub(super) use search::Scratch;
use search::Search;
use std::ops::Range;

/// Counts one pattern.
#[derive(Clone, Debug)]
pub(super) struct Step {
    tasks: [Task; 1],
    /// Orders to choose from, by matching; more than one only for labelled patterns, whose search
    /// should start at the rarest label.
    orders: [Vec<Order>; 2],
    columns: Columns,
}

/// Columns of the pattern's vertices and arcs in the tables.
#[derive(Clone, Debug)]
struct Columns {
    vertex: Vec<usize>,
    /// Column of the arc (a, b) at `a * order + b`; `usize::MAX` where there is none.
    arc: Vec<usize>,
}

/// Which order to use for this graph, by matching.
#[derive(Default)]
pub(super) struct Prepared {
    order: [usize; 2],
}

impl Step {
    /// Everything is accepted; only the wanted matchings are prepared.
    pub(super) fn new(task: Task, wants: Wants) -> Self {
        let pattern = &task.pattern;
        let n = pattern.order();
        let roots: Vec<Option<usize>> = if pattern.has_vertex_labels() {
            task.orbits.vertex_orbits().iter().map(|orbit| Some(orbit[0])).collect()
        } else {
            vec![None]
        };
        let orders = MATCHINGS.map(|matching| {
            let roots = roots.iter().filter(|_| wants.matchings[matching as usize]);
            roots.map(|&root| Order::new(pattern, matching, root)).collect()
        });
        let mut arc = vec![usize::MAX; n * n];
        for (a, b) in pattern.arcs() {
            arc[a * n + b] = task.arc(a, b);
        }
        let columns = Columns { vertex: (0..n).map(|a| task.vertex(a)).collect(), arc };
        Self { orders, columns, tasks: [task] }
    }

    fn pattern(&self) -> &Pattern {
        &self.tasks[0].pattern
    }
}

impl Kernel for Step {
    type Prepared = Prepared;
    type Scratch = Scratch;

    fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// Chooses the order whose first vertex has the rarest label.
    fn prepare(
        &self,
        graph: &Graph,
        prepared: &mut Prepared,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        prepared.order = [0, 0];
        let several = self.orders.iter().any(|orders| orders.len() > 1);
        let Some(labels) = graph.vertex_labels().filter(|_| several) else {
            return Ok(());
        };
        meter.steps(labels.len() as u64)?;
        prepared.order = MATCHINGS.map(|matching| {
            let orders = &self.orders[matching as usize];
            let frequency = |order: &Order| match order.core[0].label {
                None => labels.len(),
                Some(label) => labels.iter().filter(|&&l| l == label).count(),
            };
            (0..orders.len()).min_by_key(|&i| frequency(&orders[i])).unwrap_or(0)
        });
        Ok(())
    }

    fn roots(&self, graph: &Graph, _: &Prepared) -> usize {
        graph.order()
    }

    fn run<C: Cells>(
        &self,
        graph: &Graph,
        prepared: &Prepared,
        roots: Range<usize>,
        scratch: &mut Scratch,
        out: &mut Outputs<C>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        for matching in MATCHINGS {
            let (vertex, arc) = out.both(matching);
            if vertex.is_none() && arc.is_none() {
                continue;
            }
            let order = &self.orders[matching as usize][prepared.order[matching as usize]];
            scratch.reset(graph, order);
            let mut search = Search {
                pattern: self.pattern(),
                columns: &self.columns,
                graph,
                order,
                scratch: &mut *scratch,
                vertex,
                arc,
                meter: &mut *meter,
            };
            search.roots(roots.clone())?;
            scratch.clean();
        }
        Ok(())
    }

    /// Knuth's estimate: the mean over random descents of the product of the branchings met.
    fn estimate(&self, graph: &Graph) -> f64 {
        self.orders
            .iter()
            .filter_map(|orders| orders.first())
            .map(|order| search::probe(self.pattern(), graph, order))
            .sum()
    }
}

impl Level {
    /// The core vertex of this level.
    fn vertex(&self) -> usize {
        self.members[0]
    }

    /// Whether the labels of `v` and of its arcs to the vertices bound before are the ones asked for.
    fn labels_fit(&self, pattern: &Pattern, graph: &Graph, bound: &[(usize, u32)], v: u32) -> bool {
        if let Some(label) = self.label
            && graph.vertex_labels().is_none_or(|labels| labels[v as usize] != label)
        {
            return false;
        }
        if !self.edge_labels {
            return true;
        }
        let a = self.vertex();
        let fits = |b: usize, c: usize, u: u32, w: u32| {
            pattern.arc_label(b, c).is_none_or(|label| {
                let found = graph.arc_labels().zip(graph.arc_id(u, w));
                found.is_some_and(|(labels, arc)| labels[arc] == label)
            })
        };
        self.joined.iter().all(|&p| {
            let (b, w) = bound[p];
            fits(a, b, v, w) && fits(b, a, w, v)
        })
    }
}

#[cfg(test)]
mod tests;
