//! What every kernel offers, and how its work is run by one thread or several.

use super::budget::{Limits, Meter, Stop};
use super::cells::{Cells, Outputs, Tables, Task};
use crate::graph::Graph;
use rayon::prelude::*;
use std::ops::Range;

/// A way to count some patterns. Work is cut by roots: `0..roots`, each to be run once, in any
/// order, on any thread; together they fill all wanted tables.
pub(super) trait Kernel: Sync {
    /// What is found out about a graph once, before the roots.
    type Prepared: Default + Send + Sync;
    /// Memory of one thread, reused from graph to graph.
    type Scratch: Default + Send;

    /// The patterns this kernel counts.
    fn tasks(&self) -> &[Task];

    /// Looks at the whole graph.
    fn prepare(
        &self,
        graph: &Graph,
        prepared: &mut Self::Prepared,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop>;

    /// Number of pieces of work.
    fn roots(&self, graph: &Graph, prepared: &Self::Prepared) -> usize;

    /// Does some of them.
    fn run<C: Cells>(
        &self,
        graph: &Graph,
        prepared: &Self::Prepared,
        roots: Range<usize>,
        scratch: &mut Self::Scratch,
        out: &mut Outputs<C>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop>;

    /// Predicted number of steps; an order of magnitude is enough.
    fn estimate(&self, graph: &Graph) -> f64;
}

/// How a count runs: its limits, and what to call as it goes on.
pub(super) struct Run<'a> {
    pub(super) limits: &'a Limits<'a>,
    /// Whether several threads work on one graph.
    pub(super) parallel: bool,
}

/// Pieces that a graph's roots are cut into when several threads work on it: enough to even out
/// hubs, few enough to cost nothing.
const PIECES: usize = 512;

/// Runs one kernel over one graph.
pub(super) fn run<K: Kernel>(
    kernel: &K,
    graph: &Graph,
    (prepared, scratch): &mut (K::Prepared, K::Scratch),
    tables: &mut Tables,
    how: &Run<'_>,
) -> Result<(), Stop> {
    let mut meter = how.limits.meter();
    kernel.prepare(graph, prepared, &mut meter)?;
    let roots = kernel.roots(graph, prepared);
    if !how.parallel {
        kernel.run(graph, prepared, 0..roots, scratch, &mut tables.plain(), &mut meter)?;
        return meter.close();
    }
    meter.close()?;
    let piece = roots.div_ceil(PIECES).max(1);
    let prepared = &*prepared;
    let tables = &*tables;
    (0..roots.div_ceil(piece)).into_par_iter().try_for_each_init(
        K::Scratch::default,
        |scratch, i| {
            let range = i * piece..((i + 1) * piece).min(roots);
            let mut meter = how.limits.meter();
            kernel.run(graph, prepared, range, scratch, &mut tables.shared(), &mut meter)?;
            meter.close()
        },
    )
}
