//! 5-cycles through every edge or vertex, each found from its vertex of highest rank.
//!
//! Vertices are ranked by degree. Let u be the root and everything below be restricted to ranks
//! below u: X = N(u), c(y) = |X ∩ N(y)|. The cycles u – x – y – z – w through an edge yz number
//! (c(y) − [z∈X]) (c(z) − [y∈X]) − |X ∩ N(y) ∩ N(z)|: choices of x and w apart from x = z, w = y
//! and x = w. Likewise for xy: S(y) − c(x) − [y∈X] (deg(y) − 1) − |N(x) ∩ N(y)|, where
//! S(y) = Σ_{z∈N(y)} c(z); and ux gets the sum of those over y. What is taken off for x = w is a
//! triangle with a pendant edge to a higher vertex and is done for all roots at once: a triangle
//! costs each of its edges the edges that leave it upwards, and each such edge two.
//!
//! Hubs only see what is below them, so the cost, Σ_u of the edges around the two-step
//! neighbourhood below u, stays far below that of walks of length 4.

use super::ranked::{Below, RankedGraph, add};
use crate::count::budget::{Meter, Stop, out_of_patience};
use crate::count::hand_out::hand_out;
use crate::count::probe::{fixed_random, sum_over_roots};
use crate::graph::Graph;
use std::ops::{Deref, Range};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Number of 5-cycles by edge, or twice the number by vertex or rank.
///
/// Sums wrap on the way; the final numbers are below 2⁶⁴ (the kernel sees to that).
#[derive(Debug, Default)]
pub(super) struct Cycles {
    by_edge: bool,
    counts: Vec<AtomicU64>,
}

/// The graph by rank, and the edge of each arc where they are asked for.
struct Ranked<'a> {
    graph: &'a RankedGraph,
    edges: Vec<u32>,
}

impl Deref for Ranked<'_> {
    type Target = RankedGraph;

    fn deref(&self) -> &RankedGraph {
        self.graph
    }
}

/// What is known of a vertex y below the root; every number is at most that of arcs.
#[derive(Clone, Copy, Default)]
struct Cell {
    /// S(y) − [y∈X] (deg(y) − 1).
    rest: u32,
    /// Σ c(x) over the members x of X next to y.
    taken: u32,
}

/// Memory of one thread.
#[derive(Default)]
struct CycleScratch {
    below: Below,
    /// c.
    walks: Vec<u32>,
    /// Whether it is in X.
    inside: Vec<bool>,
    cells: Vec<Cell>,
    /// Those with walks are first; as many places as vertices.
    reached: Vec<u32>,
}

impl Cycles {
    /// Bytes that counting in a graph takes at its height.
    pub(super) fn memory(graph: &Graph, by_edge: bool, threads: usize) -> u64 {
        let (n, m) = (graph.order(), graph.edge_count());
        let counts = 8 * if by_edge { m } else { n };
        // The graph by rank with its edges, and what triangles take off.
        let edges = if by_edge { 16 * m } else { 0 };
        (counts + edges + 16 * m + 28 * n + threads * (17 * n + Below::memory(n))) as u64
    }

    /// Number of 5-cycles through an edge.
    #[inline]
    pub(super) fn get(&self, edge: usize) -> u64 {
        self.counts[edge].load(Relaxed)
    }

    /// Twice the number of 5-cycles through a vertex, or through a rank.
    pub(super) fn at_vertex(&self, v: usize) -> u64 {
        self.counts[v].load(Relaxed)
    }

    /// Counts in `graph`, with several threads if asked to.
    pub(super) fn fill(
        &mut self,
        graph: &Graph,
        by_edge: bool,
        parallel: bool,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        let mut edges = vec![0; if by_edge { graph.arc_count() } else { 0 }];
        let put = |place: usize, arc: usize| {
            if by_edge {
                edges[place] = graph.edge_id(arc) as u32;
            }
        };
        let ranked = RankedGraph::new(graph, put, |steps| meter.steps(steps))?;
        self.by_edge = by_edge;
        let length = if by_edge { graph.edge_count() } else { graph.order() };
        self.fill_ranked(&Ranked { graph: &ranked, edges }, length, parallel, meter)?;
        if !by_edge {
            let mut counts = vec![0; length];
            for (&v, count) in ranked.vertices.iter().zip(&self.counts) {
                counts[v as usize] = count.load(Relaxed);
            }
            self.counts.iter_mut().zip(counts).for_each(|(to, count)| *to.get_mut() = count);
        }
        Ok(())
    }

    /// Counts by rank in a graph that is ranked already.
    pub(super) fn fill_by_rank(
        &mut self,
        graph: &RankedGraph,
        parallel: bool,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        self.by_edge = false;
        self.fill_ranked(&Ranked { graph, edges: Vec::new() }, graph.order(), parallel, meter)
    }

    fn fill_ranked(
        &mut self,
        ranked: &Ranked<'_>,
        length: usize,
        parallel: bool,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        self.counts.clear();
        self.counts.resize_with(length, AtomicU64::default);
        let roots = ranked.order() as u32;
        if parallel {
            let meter = &*meter;
            // High ranks cost most and go first.
            hand_out(roots as usize, CycleScratch::default, |memory, at| {
                let mut meter = meter.fork();
                self.root::<true>(ranked, roots - 1 - at as u32, memory, &mut meter)?;
                meter.close()
            })?;
        } else {
            let mut memory = CycleScratch::default();
            for u in 0..roots {
                self.root::<false>(ranked, u, &mut memory, meter)?;
            }
        }
        self.take_off_triangles(ranked, meter)
    }

    /// The steps that [`Cycles::fill`] will take, from a sample of roots.
    pub(super) fn predicted_steps(graph: &Graph) -> f64 {
        let mut looked = 0;
        let ranked = RankedGraph::new(
            graph,
            |_, _| (),
            |more| {
                looked += more;
                if looked < 1 << 16 {
                    return Ok(());
                }
                looked = 0;
                if out_of_patience() { Err(Stop::Cancelled) } else { Ok(()) }
            },
        );
        let Ok(ranked) = ranked else { return f64::INFINITY };
        let n = graph.order();
        let mut seen = vec![u32::MAX; n];
        // High ranks cost most.
        sum_over_roots(n, &mut fixed_random(), |root, _| {
            let u = (n - 1 - root) as u32;
            let mut steps = 1;
            for &x in &ranked.targets[ranked.below(u, u)] {
                let arcs = ranked.below(x, u);
                steps += 2 * arcs.len() + ranked.below(x, x).len();
                for &y in &ranked.targets[arcs] {
                    if std::mem::replace(&mut seen[y as usize], u) != u {
                        steps += ranked.below(y, u).len();
                    }
                }
            }
            steps as f64
        })
    }

    /// Takes off at an edge, or at both its ends.
    #[inline]
    fn take_off(&self, ranked: &Ranked<'_>, r: u32, arc: usize, value: u64) {
        let value = value.wrapping_neg();
        if self.by_edge {
            add::<false>(&self.counts[ranked.edges[arc] as usize], value);
        } else {
            for r in [r, ranked.targets[arc]] {
                add::<false>(&self.counts[r as usize], value);
            }
        }
    }

    fn root<const SHARED: bool>(
        &self,
        ranked: &Ranked<'_>,
        u: u32,
        memory: &mut CycleScratch,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        let members = ranked.below(u, u);
        if members.is_empty() {
            return meter.steps(1);
        }
        let n = ranked.order();
        if memory.walks.len() < n {
            memory.walks.resize(n, 0);
            memory.inside.resize(n, false);
            memory.cells.resize(n, Cell::default());
            memory.reached.resize(n + 1, 0);
        }
        memory.below.go_to(u, ranked);
        let mut reached = 0;
        let result = self.cycles::<SHARED>(ranked, u, members.clone(), memory, &mut reached, meter);
        for &x in &ranked.targets[members] {
            memory.inside[x as usize] = false;
        }
        for &y in &memory.reached[..reached] {
            memory.walks[y as usize] = 0;
        }
        result
    }

    fn cycles<const SHARED: bool>(
        &self,
        ranked: &Ranked<'_>,
        u: u32,
        members: Range<usize>,
        memory: &mut CycleScratch,
        reached_number: &mut usize,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        let CycleScratch { below, walks, inside, cells, reached } = memory;
        let targets = &ranked.targets;
        for &x in &targets[members.clone()] {
            inside[x as usize] = true;
            let arcs = below.arcs(x, ranked);
            meter.steps(arcs.len() as u64)?;
            for &y in &targets[arcs] {
                // Written always, kept where it is new: cheaper than a jump that cannot be foreseen.
                let walks = &mut walks[y as usize];
                reached[*reached_number] = y;
                *reached_number += usize::from(*walks == 0);
                *walks += 1;
            }
        }
        for &y in &reached[..*reached_number] {
            let arcs = below.arcs(y, ranked);
            meter.steps(arcs.len() as u64)?;
            let row = &targets[arcs.clone()];
            let sum: u32 = row.iter().map(|&z| walks[z as usize]).sum();
            let twice = if inside[y as usize] { row.len() as u32 - 1 } else { 0 };
            cells[y as usize] = Cell { rest: sum - twice, taken: 0 };
            if self.by_edge {
                let (own, own_in) = (u64::from(walks[y as usize]), u64::from(inside[y as usize]));
                // Each edge yz once. Where c(z) = 0, y is not in X, and there is no cycle.
                for (&z, arc) in row.iter().zip(arcs).take_while(|&(&z, _)| z < y) {
                    let other = u64::from(walks[z as usize]);
                    if other != 0 {
                        let found = (own - u64::from(inside[z as usize])) * (other - own_in);
                        add::<SHARED>(&self.counts[ranked.edges[arc] as usize], found);
                    }
                }
            }
        }
        let mut all = 0u64;
        for (&x, arc) in targets[members.clone()].iter().zip(members) {
            let own = walks[x as usize];
            let arcs = below.arcs(x, ranked);
            meter.steps(arcs.len() as u64)?;
            let row = &targets[arcs.clone()];
            let mut through = 0u64;
            if self.by_edge {
                for (&y, arc) in row.iter().zip(arcs) {
                    let found = u64::from(cells[y as usize].rest - own);
                    through += found;
                    add::<SHARED>(&self.counts[ranked.edges[arc] as usize], found);
                }
                add::<SHARED>(&self.counts[ranked.edges[arc] as usize], through);
            } else {
                for &y in row {
                    let cell = &mut cells[y as usize];
                    through += u64::from(cell.rest);
                    cell.taken += own;
                }
                through -= u64::from(own) * row.len() as u64;
                add::<SHARED>(&self.counts[x as usize], 2 * through);
            }
            all += through;
        }
        if !self.by_edge {
            add::<SHARED>(&self.counts[u as usize], all);
            // At y, both as the end of xy and of yz: the sums over x and over z agree.
            for &y in &reached[..*reached_number] {
                let Cell { rest, taken } = cells[y as usize];
                let found = u64::from(walks[y as usize]) * u64::from(rest) - u64::from(taken);
                add::<SHARED>(&self.counts[y as usize], 2 * found);
            }
        }
        Ok(())
    }

    /// Takes off walks u – x – y – z – x – u: a triangle xyz and an edge xu to a higher u.
    fn take_off_triangles(&self, ranked: &Ranked<'_>, meter: &mut Meter<'_>) -> Result<(), Stop> {
        let n = ranked.order();
        // Edges from a neighbour x of the root to ranks above the root, if marked for the root.
        let (mut mark, mut up) = (vec![u32::MAX; n], vec![0u32; n]);
        // The arc from the root to x, if marked.
        let mut to = vec![0usize; n];
        // By arc xu: triangles at x that begin to lie below u there.
        let mut begins = vec![0u32; ranked.targets.len()];
        let mut begin = |arcs: Range<usize>, up: u32| {
            if up > 0 {
                begins[arcs.end - up as usize] += 1;
            }
        };
        for u in 0..n as u32 {
            let members = ranked.below(u, u);
            let own_up = (ranked.arcs(u).end - members.end) as u32;
            for (&x, arc) in ranked.targets[members.clone()].iter().zip(members.clone()) {
                let above = ranked.arcs(x).end - ranked.below(x, u + 1).end;
                mark[x as usize] = u;
                to[x as usize] = arc;
                up[x as usize] = above as u32;
            }
            for &x in &ranked.targets[members] {
                let arcs = ranked.below(x, x);
                meter.steps(arcs.len() as u64 + 1)?;
                for (&y, xy) in ranked.targets[arcs.clone()].iter().zip(arcs) {
                    if mark[y as usize] != u {
                        continue;
                    }
                    for (corner, above) in [(u, own_up), (x, up[x as usize]), (y, up[y as usize])] {
                        begin(ranked.arcs(corner), above);
                    }
                    let [at_u, at_x, at_y] =
                        [own_up, up[x as usize], up[y as usize]].map(u64::from);
                    for (r, arc) in [(u, to[x as usize]), (x, xy), (u, to[y as usize])] {
                        self.take_off(ranked, r, arc, at_u + at_x + at_y);
                    }
                }
            }
        }
        for x in 0..n as u32 {
            let arcs = ranked.arcs(x);
            meter.steps(arcs.len() as u64)?;
            let mut triangles = 0u64;
            for arc in arcs {
                triangles += u64::from(begins[arc]);
                self.take_off(ranked, x, arc, 2 * triangles);
            }
        }
        Ok(())
    }
}
