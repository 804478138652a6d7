//! What every kernel offers, and how its work is run by one thread or several.

use super::budget::{Limits, Meter, Stop};
use super::cells::{Cells, Outputs, Tables, Task};
use crate::graph::Graph;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

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

/// How a count runs.
pub(super) struct Run<'a> {
    pub(super) limits: &'a Limits<'a>,
    /// Whether several threads work on one graph.
    pub(super) parallel: bool,
    /// Called after every piece of work with its share of the kernel's work.
    pub(super) progress: Option<&'a (dyn Fn(f64) + Sync)>,
}

/// Pieces that a graph's roots are cut into when several threads work on it or somebody watches:
/// enough to even out hubs, few enough to cost nothing.
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
    let whole = !how.parallel && how.progress.is_none();
    let piece = if whole { roots } else { roots.div_ceil(PIECES) }.max(1);
    let pieces = roots.div_ceil(piece);
    let range = |i: usize| i * piece..((i + 1) * piece).min(roots);
    let done = || {
        if let Some(call) = how.progress {
            call(1.0 / pieces as f64);
        }
    };
    if !how.parallel {
        for i in 0..pieces {
            kernel.run(graph, prepared, range(i), scratch, &mut tables.plain(), &mut meter)?;
            done();
        }
        return meter.close();
    }
    meter.close()?;
    let (prepared, shared) = (&*prepared, tables.shared());
    // Scratch memory may be as large as the graph: as many as there are threads, no more.
    let pool = Mutex::new(Vec::new());
    let pool = || pool.lock().unwrap_or_else(PoisonError::into_inner);
    (0..pieces).into_par_iter().try_for_each(|i| {
        let mut scratch = pool().pop().unwrap_or_default();
        let mut meter = how.limits.meter();
        kernel.run(graph, prepared, range(i), &mut scratch, &mut shared.clone(), &mut meter)?;
        pool().push(scratch);
        done();
        meter.close()
    })
}
