//! Kernels with their patterns, their types no longer named, and how they run.

use super::budget::{Limits, Stop};
use super::cells::{CountTables, PatternColumns, WantedTables};
use super::cost::nanoseconds;
use super::counts::{Counts, Header};
use super::gauge::{self, Gauge};
use super::kernel::{Kernel, Piece, Registration};
use super::layout::View;
use super::part::Part;
use crate::graph::Graph;
use rayon::prelude::*;
use std::any::Any;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// A kernel with the patterns that it counts, ready for any graph.
#[derive(Clone)]
pub(super) struct PlannedKernel {
    pub(super) registration: &'static Registration,
    /// Position in the plan's list of kernels.
    pub(super) index: usize,
    patterns: Arc<[PatternColumns]>,
    pub(super) kernel: Arc<dyn AnyKernel>,
    /// The kernels that would count the patterns otherwise.
    pub(super) replaced: Vec<PlannedKernel>,
}

impl PlannedKernel {
    pub(super) fn new(
        kernels: &'static [Registration],
        index: usize,
        patterns: Vec<PatternColumns>,
        wanted: WantedTables,
    ) -> Self {
        let registration = &kernels[index];
        let kernel = Arc::from((registration.new)(&patterns, wanted));
        Self { registration, index, patterns: patterns.into(), kernel, replaced: Vec::new() }
    }

    /// Names of the patterns.
    pub(super) fn pattern_names(&self) -> Vec<&str> {
        self.patterns.iter().map(|columns| columns.pattern.name()).collect()
    }

    /// Names of the patterns in one text, shortened when there are many.
    pub(super) fn names(&self) -> String {
        let names = self.pattern_names();
        match &names[..] {
            [first, .., last] if names.len() > 4 => {
                format!("{first} to {last} ({} patterns)", names.len())
            }
            _ => names.join(", "),
        }
    }

    /// Predicted steps.
    pub(super) fn estimate(&self, graph: &Graph) -> f64 {
        self.kernel.estimate(graph)
    }

    /// Parts that share its work, of so many.
    pub(super) fn shared_by(&self, parts: usize) -> f64 {
        if self.registration.shared_by_parts { parts as f64 } else { 1.0 }
    }

    /// Predicted time of each of so many parts.
    pub(super) fn nanoseconds(
        &self,
        graph: &Graph,
        parts: usize,
        memories: &mut KernelMemories,
    ) -> f64 {
        let steps = self.kernel.survey(graph, memories.of(self));
        steps / self.shared_by(parts) * nanoseconds(self.registration.name)
    }

    /// The patterns with their columns.
    pub(super) fn patterns(&self) -> &[PatternColumns] {
        &self.patterns
    }
}

/// Memory of one thread for all kernels, by their position in the plan's list.
#[derive(Default)]
pub(super) struct KernelMemories(Vec<KernelMemory>);

impl KernelMemories {
    /// The memory of one kernel.
    pub(super) fn of(&mut self, planned: &PlannedKernel) -> &mut KernelMemory {
        if self.0.len() <= planned.index {
            self.0.resize_with(planned.index + 1, KernelMemory::default);
        }
        &mut self.0[planned.index]
    }
}

/// Memory of one thread for one kernel, made when the kernel first needs it.
#[derive(Default)]
pub(super) struct KernelMemory(Option<Box<dyn Any + Send>>);

type MemoryOf<K> = (<K as Kernel>::Prepared, <K as Kernel>::Scratch);

impl KernelMemory {
    fn of<K: Kernel>(&mut self) -> &mut MemoryOf<K> {
        let memory = self.0.get_or_insert_with(|| Box::<MemoryOf<K>>::default());
        memory.downcast_mut().expect("memory belongs to one kernel")
    }
}

/// A [`Kernel`] of any type.
pub(super) trait AnyKernel: Send + Sync {
    /// See [`Kernel::estimate`].
    fn estimate(&self, graph: &Graph) -> f64;

    /// See [`Kernel::survey`].
    fn survey(&self, graph: &Graph, memory: &mut KernelMemory) -> f64;

    /// See [`Kernel::predicted_steps`].
    fn predicted_steps(&self, graph: &Graph) -> f64;

    /// See [`Kernel::excessive_memory`].
    fn excessive_memory(&self, graph: &Graph) -> Option<u64>;

    /// See [`Kernel::suits`].
    fn suits(&self, graph: &Graph, memory: &mut KernelMemory) -> bool;

    /// Adds all counts in one graph to the tables.
    fn run(
        &self,
        graph: &Graph,
        memory: &mut KernelMemory,
        tables: &mut CountTables,
        how: &Run<'_>,
    ) -> Result<(), Stop>;

    /// The finished tables of all views, if the kernel can write them.
    fn write_tables(
        &self,
        graph: &Graph,
        memory: &mut KernelMemory,
        views: &[View],
        headers: &[Header],
        limits: &Limits<'_>,
    ) -> Result<Option<Vec<Counts>>, Stop>;
}

impl<K: Kernel> AnyKernel for K {
    fn estimate(&self, graph: &Graph) -> f64 {
        Kernel::estimate(self, graph)
    }

    fn survey(&self, graph: &Graph, memory: &mut KernelMemory) -> f64 {
        Kernel::survey(self, graph, &mut memory.of::<K>().0)
    }

    fn predicted_steps(&self, graph: &Graph) -> f64 {
        Kernel::predicted_steps(self, graph)
    }

    fn excessive_memory(&self, graph: &Graph) -> Option<u64> {
        Kernel::excessive_memory(self, graph)
    }

    fn suits(&self, graph: &Graph, memory: &mut KernelMemory) -> bool {
        Kernel::suits(self, graph, &mut memory.of::<K>().0)
    }

    fn run(
        &self,
        graph: &Graph,
        memory: &mut KernelMemory,
        tables: &mut CountTables,
        how: &Run<'_>,
    ) -> Result<(), Stop> {
        run(self, graph, memory.of::<K>(), tables, how)
    }

    fn write_tables(
        &self,
        graph: &Graph,
        memory: &mut KernelMemory,
        views: &[View],
        headers: &[Header],
        limits: &Limits<'_>,
    ) -> Result<Option<Vec<Counts>>, Stop> {
        let Some(write) = K::WRITE_TABLE else { return Ok(None) };
        let (prepared, _) = memory.of::<K>();
        let mut meter = limits.meter();
        self.prepare(graph, prepared, &mut meter)?;
        meter.close()?;
        let table = |(view, header): (&View, &Header)| {
            let packed = write(self, graph, prepared, view.scope, view.matching);
            Counts::packed(view.scope, header.clone(), view.rows(graph), packed)
        };
        Ok(Some(views.iter().zip(headers).map(table).collect()))
    }
}

/// How a count runs.
pub(super) struct Run<'a> {
    pub(super) limits: &'a Limits<'a>,
    /// Whether several threads work on one graph.
    pub(super) parallel: bool,
    /// The part of the roots that is run; all of them without.
    pub(super) part: Option<Part>,
    /// Hears how far the kernel is.
    pub(super) gauge: Option<&'a Gauge<'a>>,
}

/// Pieces that a graph's roots are cut into when several threads work on it: enough to even out hubs, few enough to cost nothing.
const PIECES: usize = 512;

/// Runs one kernel over one graph.
fn run<K: Kernel>(
    kernel: &K,
    graph: &Graph,
    (prepared, scratch): &mut MemoryOf<K>,
    tables: &mut CountTables,
    how: &Run<'_>,
) -> Result<(), Stop> {
    let mut meter = how.limits.meter();
    kernel.prepare(graph, prepared, &mut meter)?;
    let prepared = &*prepared;
    let all = kernel.roots(graph, prepared);
    let weight = |root: usize| kernel.weight(graph, prepared, root);
    let roots = how.part.map_or(0..all, |part| part.of_roots(all, weight));
    if !how.parallel && how.gauge.is_none() {
        if !roots.is_empty() {
            let (out, meter) = (&mut tables.plain(), &mut meter);
            Kernel::run(kernel, Piece { graph, prepared, roots, scratch, out, meter })?;
        }
        return meter.close();
    }
    meter.close()?;
    let pieces = match how.gauge {
        Some(gauge) => {
            let pieces = gauge::cut(roots, weight);
            gauge.cut(how.limits.used(), pieces.iter().map(|piece| piece.1));
            pieces.into_iter().map(|piece| piece.0).collect()
        }
        None => equal_pieces(roots),
    };
    let order = how.gauge.map(|_| gauge::spread(pieces.len()));
    let piece = |at: usize| order.as_ref().map_or(at, |order| order[at]);
    let begin = |i: usize| {
        if let Some(gauge) = how.gauge {
            gauge.begin(i);
        }
    };
    let finish = |i: usize, steps: u64| {
        if let Some(gauge) = how.gauge {
            gauge.finish(i, steps, how.limits.used());
        }
    };
    if !how.parallel {
        for i in (0..pieces.len()).map(piece) {
            begin(i);
            let (roots, before) = (pieces[i].clone(), meter.counted());
            let (out, meter) = (&mut tables.plain(), &mut meter);
            Kernel::run(
                kernel,
                Piece { graph, prepared, roots, scratch, out, meter: &mut *meter },
            )?;
            meter.close()?;
            finish(i, meter.counted() - before);
        }
        return Ok(());
    }
    let shared = tables.shared();
    // Scratch memory may be as large as the graph: as many as there are threads, no more.
    let pool = Mutex::new(Vec::new());
    let pool = || pool.lock().unwrap_or_else(PoisonError::into_inner);
    (0..pieces.len()).into_par_iter().map(piece).try_for_each(|i| {
        begin(i);
        let mut scratch: K::Scratch = pool().pop().unwrap_or_default();
        let mut meter = how.limits.meter();
        let piece = Piece {
            graph,
            prepared,
            roots: pieces[i].clone(),
            scratch: &mut scratch,
            out: &mut shared.clone(),
            meter: &mut meter,
        };
        Kernel::run(kernel, piece)?;
        pool().push(scratch);
        meter.close()?;
        finish(i, meter.counted());
        Ok(())
    })
}

/// Pieces of equal length.
fn equal_pieces(roots: Range<usize>) -> Vec<Range<usize>> {
    let length = roots.len().div_ceil(PIECES).max(1);
    let piece = |start: usize| start..(start + length).min(roots.end);
    roots.clone().step_by(length).map(piece).collect()
}
