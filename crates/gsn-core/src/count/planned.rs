//! Kernels with their patterns, their types no longer named, and how they run.

use super::budget::{Limits, Meter, Stop};
use super::cells::{Cells, CountTables, Outputs, PatternColumns, WantedTables};
use super::cost::nanoseconds;
use super::counts::{Counts, Header};
use super::gauge::{self, Gauge};
use super::hand_out::hand_out;
use super::kernel::{Kernel, Piece, Registration};
use super::layout::View;
use super::part::Part;
use crate::graph::Graph;
use crate::memory;
use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

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
        names(self.pattern_names().into_iter())
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

/// Names in one text, shortened when there are many.
pub(super) fn names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    match &names[..] {
        [first, .., last] if names.len() > 4 => {
            format!("{first} to {last} ({} patterns)", names.len())
        }
        _ => names.join(", "),
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

    /// See [`Kernel::memory`].
    fn memory(&self, graph: &Graph, threads: usize) -> u64;

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

    fn memory(&self, graph: &Graph, threads: usize) -> u64 {
        Kernel::memory(self, graph, threads)
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

/// Roots that are weighed between two looks at the limits.
const PERIOD: usize = 1 << 10;

/// Runs one kernel over one graph.
fn run<K: Kernel>(
    kernel: &K,
    graph: &Graph,
    (prepared, scratch): &mut MemoryOf<K>,
    tables: &mut CountTables,
    how: &Run<'_>,
) -> Result<(), Stop> {
    let mut meter = how.limits.meter();
    if tables.arc.iter().any(Option::is_some) {
        graph.find_edge_ids(|| meter.look())?;
    }
    kernel.prepare(graph, prepared, &mut meter)?;
    let prepared = &*prepared;
    let all = kernel.roots(graph, prepared);
    let weights = |roots: Range<usize>, meter: &Meter<'_>| {
        let mut weights = Vec::with_capacity(roots.len());
        for root in roots {
            if weights.len() % PERIOD == PERIOD - 1 {
                meter.look()?;
            }
            weights.push(kernel.weight(graph, prepared, root));
        }
        Ok(weights)
    };
    let roots = match how.part {
        Some(part) => part.of_roots(&weights(0..all, &meter)?),
        None => 0..all,
    };
    if !how.parallel && how.gauge.is_none() {
        if !roots.is_empty() {
            let (out, meter) = (&mut tables.plain(), &mut meter);
            Kernel::run(kernel, Piece { graph, prepared, roots, scratch, out, meter })?;
        }
        return meter.close();
    }
    meter.close()?;
    let weights = weights(roots.clone(), &meter)?;
    let pieces = gauge::cut(roots, &weights);
    drop(weights);
    if let Some(gauge) = how.gauge {
        gauge.cut(how.limits.used(), pieces.iter().map(|piece| piece.1));
    }
    let pieces: Vec<Range<usize>> = pieces.into_iter().map(|piece| piece.0).collect();
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
    // Hubs are in many occurrences: threads that share their cells wait for each other.
    let cells = tables.cells();
    let threads = crate::threads::number() as u64;
    let own = cells <= OWN_CELLS
        && memory::ask_for::<u64>(cells as u64 * threads, || "tables of threads".into()).is_ok();
    let work = Work { kernel, graph, prepared, limits: how.limits };
    if own {
        let like = &*tables;
        let start = || (K::Scratch::default(), like.alike());
        let states = hand_out(pieces.len(), start, |(scratch, own), at| {
            let i = piece(at);
            begin(i);
            finish(i, work.run(pieces[i].clone(), scratch, &mut own.plain())?);
            Ok(())
        })?;
        states.iter().for_each(|(_, own)| tables.add_all(own));
        return Ok(());
    }
    let shared = tables.shared();
    let start = || (K::Scratch::default(), shared.clone());
    let states = hand_out(pieces.len(), start, |(scratch, out), at| {
        let i = piece(at);
        begin(i);
        finish(i, work.run(pieces[i].clone(), scratch, out)?);
        Ok(())
    });
    states.map(drop)
}

/// Cells of all tables up to which every thread has its own: 32 MB; few in tests, so that both ways
/// are taken.
pub(super) const OWN_CELLS: usize = if cfg!(test) { 1 << 12 } else { 1 << 22 };

/// What the threads that run a kernel share.
struct Work<'a, K: Kernel> {
    kernel: &'a K,
    graph: &'a Graph,
    prepared: &'a K::Prepared,
    limits: &'a Limits<'a>,
}

impl<K: Kernel> Work<'_, K> {
    /// Runs some roots and returns their steps.
    fn run<C: Cells>(
        &self,
        roots: Range<usize>,
        scratch: &mut K::Scratch,
        out: &mut Outputs<C>,
    ) -> Result<u64, Stop> {
        let mut meter = self.limits.meter();
        let (graph, prepared, meter) = (self.graph, self.prepared, &mut meter);
        Kernel::run(
            self.kernel,
            Piece { graph, prepared, roots, scratch, out, meter: &mut *meter },
        )?;
        meter.close()?;
        Ok(meter.counted())
    }
}

#[cfg(test)]
mod tests {
    use crate::count::{Matching, Scope};
    use crate::{CountSpec, Counter, generate};

    /// The graph is large enough to be cut; tables of vertices are those of threads, tables of
    /// arcs are shared.
    #[test]
    fn any_number_of_threads_gives_the_same_counts() {
        let graph = generate::chung_lu(1000, 2.5, 24.0, 3).unwrap();
        assert!(graph.arc_count() >= 20_000);
        let pools = [1, 2, 5]
            .map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap());
        for patterns in ["clique:3..=5", "cycle:4", "star:2..=3", "all:3..=4", "path:4"] {
            let spec = CountSpec::new(patterns.parse().unwrap());
            for (scope, matching) in
                [(Scope::Vertex, Matching::Subgraph), (Scope::Arc, Matching::Induced)]
            {
                let counter = Counter::new(&spec.clone().with_scope(scope).with_matching(matching));
                let mut counts =
                    pools.iter().map(|pool| pool.install(|| counter.count(&graph).unwrap()));
                let alone = counts.next().unwrap();
                assert!(alone.values().iter().any(|&count| count > 0));
                for several in counts {
                    assert_eq!(several.values(), alone.values(), "{patterns} {scope:?}");
                }
            }
        }
    }
}
