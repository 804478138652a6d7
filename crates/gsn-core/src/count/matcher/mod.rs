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
use super::cells::{Cells, PatternColumns, WantedTables};
use super::kernel::{Kernel, Piece, Use};
use crate::graph::Graph;
use crate::pattern::Pattern;
use order::{Level, Order};
use search::{Scratch, Search};

/// Counts one pattern of any kind.
#[derive(Clone, Debug)]
pub(super) struct MatcherKernel {
    pattern: Pattern,
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

impl Kernel for MatcherKernel {
    const NAME: &'static str = "match";
    const REASON: &'static str = "a symmetry-broken search for this pattern alone";
    const USE: Use = Use::EachAlone;

    type Prepared = Prepared;
    type Scratch = Scratch;

    fn accepts(_: &Pattern) -> bool {
        true
    }

    fn new(patterns: &[PatternColumns], wanted: WantedTables) -> Self {
        let [own] = patterns else { unreachable!("patterns come to this kernel one at a time") };
        let pattern = own.pattern.clone();
        let n = pattern.order();
        let roots: Vec<Option<usize>> = if pattern.has_vertex_labels() {
            own.orbits.vertex_orbits().iter().map(|orbit| Some(orbit[0])).collect()
        } else {
            vec![None]
        };
        let orders = MATCHINGS.map(|matching| {
            let roots = roots.iter().filter(|_| wanted.matchings[matching as usize]);
            roots.map(|&root| Order::new(&pattern, matching, root)).collect()
        });
        let mut arc = vec![usize::MAX; n * n];
        for (a, b) in pattern.arcs() {
            arc[a * n + b] = own.arc(a, b);
        }
        let columns = Columns { vertex: (0..n).map(|a| own.vertex(a)).collect(), arc };
        Self { pattern, orders, columns }
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

    /// Marks of every vertex, by thread; two in a directed graph.
    fn memory(&self, graph: &Graph, threads: usize) -> u64 {
        let marks = if graph.is_directed() { 16 } else { 8 };
        (threads * marks * graph.order()) as u64
    }

    fn run<C: Cells>(&self, piece: Piece<'_, '_, Self, C>) -> Result<(), Stop> {
        let Piece { graph, prepared, roots, scratch, out, meter } = piece;
        for matching in MATCHINGS {
            let (vertex, arc) = out.both(matching);
            if vertex.is_none() && arc.is_none() {
                continue;
            }
            let order = &self.orders[matching as usize][prepared.order[matching as usize]];
            scratch.reset(graph, order);
            let mut search = Search {
                pattern: &self.pattern,
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
            .map(|order| search::probe(&self.pattern, graph, order))
            .sum()
    }
}

impl Level {
    /// The core vertex of this level.
    fn vertex(&self) -> usize {
        self.members[0]
    }

    /// Whether `v` and its arcs to the vertices bound before have the labels asked for.
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
