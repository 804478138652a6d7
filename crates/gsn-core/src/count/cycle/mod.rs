//! Cycles of any set of lengths, both matchings, vertices and arcs, in one search.
//!
//! Cycles stay inside biconnected blocks. A block that is a single ring is read off, and so are
//! the three cycles of one that is three paths between two vertices. In others every cycle starts
//! at its first vertex and is walked in both directions: then only the first half of a walk needs
//! credit (see `count/tally.rs`) and its last vertex need not be listed. Vertices are numbered by
//! decreasing degree, so hubs are first and then left out, and only vertices of degree three or
//! more can be first. A walk is cut when it cannot be back at the root in time. A chord on the way
//! only rules out induced cycles, so one search gives both counts.
//!
//! Where only induced cycles are wanted, vertices that are in none of four or more are left out and
//! twins are one vertex, if little of the graph is left then (`core`).
//!
//! O(n + m) to prepare; at most one step for every path of k − 1 vertices from a root.

mod core;
mod large;
mod probe;
mod small;
#[cfg(test)]
mod tests;

use self::core::{Core, Task};
use super::budget::{Meter, Stop, patience};
use super::cells::{Cells, Outputs, PatternColumns, WantedTables};
use super::kernel::{Kernel, Piece, SmallMembers, Use, is_plain};
use super::plan::is_tiny;
use super::tally::{SavedTotals, Tally, WalkColumns};
use super::uniform::UniformColumns;
use super::{MATCHINGS, Matching};
use crate::graph::Graph;
use crate::graph::blocks::{Block, Blocks, Mesh, Neighbors, Theta};
use crate::graph::oriented::{EdgeNumbers, OrientedGraph};
use crate::graph::small::{BitGraph, Rows, WORD};
use crate::pattern::Pattern;
use std::ops::Range;

/// Counts cycles of any lengths.
#[derive(Clone, Debug)]
pub(super) struct CycleKernel {
    columns: UniformColumns,
    /// Whether cycles with chords count, too.
    chords: bool,
}

/// The blocks of a graph and how their roots are numbered.
#[derive(Debug, Default)]
pub(super) struct Prepared {
    blocks: Blocks,
    /// Blocks that have roots.
    chosen: Vec<u32>,
    /// First root of each chosen block, and the number of roots at the end.
    first: Vec<usize>,
    /// What is searched in place of the blocks.
    core: Option<Core>,
    /// The graph in which triangles are found then.
    oriented: OrientedGraph,
}

/// Memory of one thread.
#[derive(Debug)]
pub(super) struct Scratch {
    rows: Rows,
    saved: SavedTotals,
    marks: large::Marks,
    core: core::Scratch,
}

impl Default for Scratch {
    fn default() -> Self {
        Self {
            rows: [0; WORD],
            saved: Default::default(),
            marks: Default::default(),
            core: Default::default(),
        }
    }
}

impl CycleKernel {
    /// What is left of a graph, where that is searched in place of its blocks. Tests look at tiny
    /// graphs, too.
    fn core<E>(&self, graph: &Graph, look: impl Fn() -> Result<(), E>) -> Result<Option<Core>, E> {
        let worth = cfg!(test) || !is_tiny(graph);
        let asked = worth && !self.chords && self.columns.largest() > 3;
        if asked { Core::of(graph, look) } else { Ok(None) }
    }

    /// How many vertices of a block can be the first of a cycle: in a mesh those of degree three
    /// and more, for without them only loose paths are left.
    fn block_roots(&self, block: &Block<'_>) -> usize {
        match block {
            Block::Ring { vertices, .. } => usize::from(self.columns.wants(vertices.len())),
            Block::Theta(theta) => {
                let [a, b, c] = theta.paths.map(|path| path.edges.len());
                let any = [a + b, a + c, b + c].iter().any(|&k| self.columns.wants(k));
                usize::from(any)
            }
            Block::Mesh(mesh) => match self.columns.sizes().first() {
                Some(&shortest) if shortest <= mesh.order() => {
                    (0..mesh.order()).take_while(|&v| mesh.degree(v) >= 3).count()
                }
                _ => 0,
            },
        }
    }

    fn task<'a>(&'a self, graph: &'a Graph, prepared: &'a Prepared) -> Task<'a> {
        Task { graph, oriented: &prepared.oriented, columns: &self.columns }
    }

    fn search<C: Cells>(
        &self,
        mesh: Mesh<'_>,
        roots: Range<usize>,
        scratch: &mut Scratch,
        out: &mut Outputs<C>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        let mut tally = Tally::new(&self.columns, out, &mut scratch.saved);
        match mesh.neighbors {
            Neighbors::Rows(rows) => {
                // Masked indices into rows of this length need no bounds check.
                scratch.rows[..rows.len()].copy_from_slice(rows);
                let bits = BitGraph::new(&scratch.rows, mesh.starts, mesh.edges);
                let mut search = small::Search::new(bits, mesh.vertices, &mut tally, meter);
                roots.into_iter().try_for_each(|root| search.root(root))
            }
            Neighbors::Lists(targets) => {
                let marks = &mut scratch.marks;
                let mut search = large::Search::new(mesh, targets, &mut tally, meter, marks);
                roots.into_iter().try_for_each(|root| search.root(root as u32))
            }
        }
    }

    /// A block that is one cycle.
    fn ring<C: Cells>(&self, vertices: &[u32], edges: &[u32], out: &mut Outputs<C>) {
        for matching in MATCHINGS {
            self.columns.each_vertex(out, matching, vertices.len(), vertices);
            self.columns.each_edge(out, matching, vertices.len(), edges);
        }
    }

    /// A block that is three paths between two vertices: any two of them are a cycle, and the
    /// third is a chord of it when it is an edge.
    fn theta<C: Cells>(&self, theta: &Theta<'_>, out: &mut Outputs<C>) {
        for third in 0..3 {
            let two = [theta.paths[(third + 1) % 3], theta.paths[(third + 2) % 3]];
            let size = two[0].edges.len() + two[1].edges.len();
            if !self.columns.wants(size) {
                continue;
            }
            for matching in MATCHINGS {
                if matching == Matching::Induced && theta.paths[third].edges.len() == 1 {
                    continue;
                }
                self.columns.each_vertex(out, matching, size, theta.ends);
                for path in two {
                    self.columns.each_vertex(out, matching, size, path.between);
                    self.columns.each_edge(out, matching, size, path.edges);
                }
            }
        }
    }
}

impl Kernel for CycleKernel {
    const NAME: &'static str = "cycle";
    const REASON: &'static str = "all cycles in one search of each biconnected block";
    const USE: Use = Use::Family(SmallMembers::KeepUnlessCheaper);

    type Prepared = Prepared;
    type Scratch = Scratch;

    fn accepts(pattern: &Pattern) -> bool {
        // Patterns are connected, so degree two everywhere leaves nothing but a cycle.
        is_plain(pattern) && (0..pattern.order()).all(|a| pattern.degree(a) == 2)
    }

    fn new(patterns: &[PatternColumns], wanted: WantedTables) -> Self {
        Self { columns: UniformColumns::new(patterns), chords: wanted.subgraph() }
    }

    /// Finds the blocks.
    fn prepare(
        &self,
        graph: &Graph,
        prepared: &mut Prepared,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        prepared.core = self.core(graph, || meter.look())?;
        if let Some(core) = &prepared.core {
            if self.columns.wants(3) {
                prepared.oriented.orient(graph, EdgeNumbers::Keep, || meter.look())?;
            }
            return meter.steps(core.looked);
        }
        prepared.blocks.find(graph, || meter.look())?;
        prepared.chosen.clear();
        prepared.first.clear();
        let mut roots = 0;
        for (index, block) in prepared.blocks.iter().enumerate() {
            let number = self.block_roots(&block);
            if number > 0 {
                prepared.chosen.push(index as u32);
                prepared.first.push(roots);
                roots += number;
            }
        }
        prepared.first.push(roots);
        meter.steps((graph.order() + graph.arc_count()) as u64)
    }

    fn roots(&self, graph: &Graph, prepared: &Prepared) -> usize {
        if let Some(core) = &prepared.core {
            return core.roots(&self.task(graph, prepared));
        }
        prepared.first.last().copied().unwrap_or(0)
    }

    /// In a mesh the pairs of arcs that a cycle can leave and enter the root by.
    fn weight(&self, graph: &Graph, prepared: &Prepared, root: usize) -> f64 {
        if let Some(core) = &prepared.core {
            return core.weight(&self.task(graph, prepared), root);
        }
        let at = prepared.first.partition_point(|&first| first <= root).max(1) - 1;
        match prepared.blocks.get(prepared.chosen[at] as usize) {
            Block::Mesh(mesh) => {
                let degree = mesh.degree(root - prepared.first[at]) as f64;
                degree * degree
            }
            block => block.order() as f64,
        }
    }

    /// The blocks, and marks of every vertex, by thread.
    fn memory(&self, graph: &Graph, threads: usize) -> u64 {
        if graph.order() <= WORD {
            return 0;
        }
        Blocks::memory(graph) + (threads * 12 * graph.order()) as u64
    }

    /// Counts the cycles that start at these roots.
    fn run<C: Cells>(&self, piece: Piece<'_, '_, Self, C>) -> Result<(), Stop> {
        let Piece { graph, prepared, roots, scratch, out, meter } = piece;
        if let Some(core) = &prepared.core {
            let task = self.task(graph, prepared);
            return core.run(&task, roots, &mut scratch.core, out, meter);
        }
        let mut at = prepared.first.partition_point(|&first| first <= roots.start).max(1) - 1;
        let mut root = roots.start;
        while root < roots.end {
            let block = prepared.blocks.get(prepared.chosen[at] as usize);
            let first = prepared.first[at];
            let last = prepared.first[at + 1].min(roots.end);
            match block {
                Block::Ring { vertices, edges } => {
                    self.ring(vertices, edges, out);
                    meter.steps(block.order() as u64)?;
                }
                Block::Theta(theta) => {
                    self.theta(&theta, out);
                    meter.steps(block.order() as u64)?;
                }
                Block::Mesh(mesh) => {
                    self.search(mesh, root - first..last - first, scratch, out, meter)?;
                }
            }
            root = last;
            at += 1;
        }
        Ok(())
    }

    fn estimate(&self, graph: &Graph) -> f64 {
        let reading = (graph.order() + graph.arc_count()) as f64;
        let excess = graph.edge_count() as f64 - graph.order() as f64;
        if excess < 4.0 {
            // Few independent cycles, so few cycles, each walked twice.
            return reading * 2.0;
        }
        let Ok(core) = self.core(graph, patience) else { return f64::INFINITY };
        let mut blocks = Blocks::default();
        if blocks.find(core.as_ref().map_or(graph, Core::graph), patience).is_err() {
            return f64::INFINITY;
        }
        let longest = self.columns.largest();
        reading + probe::steps(&blocks, longest, self.chords, |block| self.block_roots(block))
    }
}

/// Credits the root of a search with all its cycles and starts the next one from zero.
fn finish<C: Cells>(tally: &mut Tally<'_, UniformColumns, C>, root: usize) {
    for &k in tally.columns.sizes() {
        for (matching, total) in MATCHINGS.into_iter().zip(tally.of(k)) {
            if total > 0
                && let Some(cells) = tally.out.vertex(matching)
            {
                tally.columns.add_vertex(cells, k, 0, root, total / 2);
            }
        }
    }
    tally.clear();
}
