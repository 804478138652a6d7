//! What is known of the whole graph before the bases of single arcs are put together.
//!
//! Triangles on every arc come first; then one pass over all roots fills the tables that the
//! second pass (the run proper) reads at other vertices and edges. Only tables that a wanted
//! column needs are filled. Everything by edge is a [`CompactNumbers`] table: all in all at most 64 bytes
//! an edge and 108 a vertex.

use super::Needs;
use super::at_vertices::VertexTables;
use super::compact::CompactNumbers;
use super::cycles::Cycles;
use super::four::FourTables;
use super::root::{AtRoot, BaseValues, RootScratch};
use super::rooted::{FAR, NEAR, SUMMED, U, UV, V, edge, path, triangle};
use super::work::{CLIQUES4, CLIQUES5, KeptTables, WALKS3};
use crate::count::budget::{Meter, Stop};
use crate::count::hand_out::hand_out;
use crate::graph::Graph;

/// Sums over the neighbours of a vertex u: the bases that are attached to one root only.
/// `(base on u, base on v)`, in the order of [`Prepared::vertex`].
pub(super) const VERTEX: [(usize, usize); 10] = [
    (edge(U, 0), edge(V, 0)),
    (edge(U, U), edge(V, V)),
    (path(U, 0, 0), path(V, 0, 0)),
    (path(U, U, 0), path(V, V, 0)),
    (path(U, U, U), path(V, V, V)),
    (path(0, U, 0), path(0, V, 0)),
    (path(0, U, U), path(0, V, V)),
    (triangle(U, 0, 0), triangle(V, 0, 0)),
    (triangle(U, U, 0), triangle(V, V, 0)),
    (triangle(U, U, U), triangle(V, V, V)),
];

/// Tables of one graph; memory is reused for the next.
#[derive(Debug, Default)]
pub(in crate::count) struct Prepared {
    /// t by arc.
    pub(super) triangles: Vec<u32>,
    /// By vertex, as listed in [`VERTEX`].
    pub(super) vertex: [CompactNumbers; VERTEX.len()],
    /// Q by arc (twice the edge id, one more against the order of vertices).
    by_arc: CompactNumbers,
    /// P, walks of length 3, edges inside T, by edge.
    by_edge: [CompactNumbers; 3],
    /// Bases that diamonds and wheels spread over edges away from the root.
    pub(super) spread: [CompactNumbers; 2],
    /// Far bases of u → v, u < v, by edge.
    pub(super) far_edge: [CompactNumbers; 5],
    /// Far and costly bases summed over all v, by u.
    pub(super) sums: [CompactNumbers; SUMS],
    /// 5-cycles by edge or vertex.
    pub(super) cycles: Cycles,
    /// Common neighbours of the ends of every edge, from `common_start` of the edge on, unless
    /// they are too many to keep.
    common: Option<Vec<u32>>,
    common_start: Vec<u32>,
    mark: Vec<u32>,
    root: RootScratch,
    /// In place of all others where patterns have at most four vertices.
    pub(super) four: FourTables,
    /// In place of all others where only vertices are counted, if they were filled.
    pub(super) at_vertices: VertexTables,
    pub(super) is_summed: bool,
}

/// Number of [`FAR`] and [`SUMMED`] bases, in this order.
pub(super) const SUMS: usize = FAR.len() + SUMMED.len();

/// Common neighbours that are kept at the most: 16 MB; few in tests, so that both ways are taken.
const MAX_COMMON: usize = if cfg!(test) { 64 } else { 1 << 22 };

/// Roots that one thread takes at a time, and arcs from which on several threads are worth it.
const PIECE: usize = 16;
pub(super) const PARALLEL_ARCS: usize = 20_000;

impl Prepared {
    /// Bytes that tables and threads take in a graph.
    pub(super) fn memory(needs: &Needs, graph: &Graph, threads: usize) -> u64 {
        if let Some(four) = needs.four {
            return FourTables::memory(four, graph, threads);
        }
        if let Some(sums) = needs.summed_in(graph) {
            return VertexTables::memory(sums, graph, threads);
        }
        let (n, m) = (graph.order() as u64, graph.edge_count() as u64);
        let set = |needed: &&bool| **needed;
        let of_vertices = needs.vertex.iter().chain(&needs.sums).filter(set).count() as u64;
        let kept = needs.second.kept;
        let spread = [needs.first.spread_diamonds, needs.first.spread_wheels];
        let by_edge = [kept.degrees, kept.walks, kept.cliques, kept.triangles, kept.triangles];
        let all = by_edge.iter().chain(&spread).chain(&needs.far_edge);
        let of_edges = all.filter(set).count() as u64;
        let triangles = if needs.triangles { 8 * m + 4 * n } else { 0 };
        // A compact number has four bytes, unless it is large.
        let tables = 4 * (of_vertices * n + of_edges * m) + triangles;
        let cycles = needs.cycles.map_or(0, |by_edge| Cycles::memory(graph, by_edge, threads));
        tables + cycles + (threads * RootScratch::memory(graph)) as u64
    }

    pub(super) fn fill(
        &mut self,
        needs: &Needs,
        graph: &Graph,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        if let Some(four) = needs.four {
            return self.four.fill(four, graph, meter);
        }
        let parallel = graph.arc_count() >= PARALLEL_ARCS && crate::threads::number() > 1;
        self.is_summed = match needs.summed_in(graph) {
            Some(sums) => self.at_vertices.fill(sums, graph, parallel, meter)?,
            None => false,
        };
        if self.is_summed {
            return Ok(());
        }
        if let Some(by_edge) = needs.cycles {
            self.cycles.fill(graph, by_edge, parallel, meter)?;
        }
        if needs.triangles {
            self.count_triangles(graph, needs.first.diamonds || needs.second.diamonds, meter)?;
        }
        self.reset(needs, graph);
        for u in 0..graph.order() as u32 {
            meter.steps(graph.degree(u) as u64)?;
            if needs.vertex[0] {
                let sum = graph.neighbors(u).iter().map(|&x| graph.degree(x) as u64).sum();
                self.vertex[0].set(u as usize, sum);
            }
            if needs.vertex[1] {
                let sum = self.triangles[graph.arcs_of(u)].iter().map(|&t| u64::from(t)).sum();
                self.vertex[1].set(u as usize, sum);
            }
        }
        if !needs.first_pass {
            return Ok(());
        }
        let mut root = std::mem::take(&mut self.root);
        let shared = &*self;
        let result = if !parallel {
            (0..graph.order() as u32)
                .try_for_each(|u| shared.first_pass(needs, graph, u, &mut root, meter))
        } else {
            let meter = &*meter;
            let roots = graph.order() as u32;
            let memories =
                hand_out(graph.order().div_ceil(PIECE), RootScratch::default, |root, piece| {
                    let mut meter = meter.fork();
                    let first = (piece * PIECE) as u32;
                    for u in first..(first + PIECE as u32).min(roots) {
                        shared.first_pass(needs, graph, u, root, &mut meter)?;
                    }
                    meter.close()
                });
            memories.map(drop)
        };
        self.root = root;
        for table in self.tables() {
            table.freeze();
        }
        result
    }

    fn tables(&mut self) -> impl Iterator<Item = &mut CompactNumbers> {
        (self.vertex.iter_mut())
            .chain(&mut self.by_edge)
            .chain(&mut self.spread)
            .chain(&mut self.far_edge)
            .chain(&mut self.sums)
            .chain([&mut self.by_arc])
    }

    fn reset(&mut self, needs: &Needs, graph: &Graph) {
        let (n, m) = (graph.order(), graph.edge_count());
        let len = |needed: bool, len: usize| if needed { len } else { 0 };
        for (table, &needed) in self.vertex.iter_mut().zip(&needs.vertex) {
            table.reset(len(needed, n));
        }
        let kept = needs.second.kept;
        self.by_arc.reset(len(kept.triangles, 2 * m));
        let by_edge = [kept.degrees, kept.walks, kept.cliques];
        for (table, needed) in self.by_edge.iter_mut().zip(by_edge) {
            table.reset(len(needed, m));
        }
        let spread = [needs.first.spread_diamonds, needs.first.spread_wheels];
        for (table, needed) in self.spread.iter_mut().zip(spread) {
            table.reset(len(needed, m));
        }
        for i in 0..NEAR.len() {
            self.far_edge[i].reset(len(needs.far_edge[i], m));
        }
        for (table, &needed) in self.sums.iter_mut().zip(&needs.sums) {
            table.reset(len(needed, n));
        }
    }

    /// t of every arc: each edge once, from the end with more neighbours.
    fn count_triangles(
        &mut self,
        graph: &Graph,
        keep: bool,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        let mut common = self.common.take().unwrap_or_default();
        common.clear();
        let mut keep = keep;
        self.common_start.clear();
        self.common_start.resize(if keep { graph.edge_count() } else { 0 }, 0);
        self.triangles.clear();
        self.triangles.resize(graph.arc_count(), 0);
        self.mark.clear();
        self.mark.resize(graph.order(), u32::MAX);
        for u in 0..graph.order() as u32 {
            let row = graph.neighbors(u);
            for &x in row {
                self.mark[x as usize] = u;
            }
            for (&v, arc) in row.iter().zip(graph.arcs_of(u)) {
                let other = graph.neighbors(v);
                if (other.len(), v) > (row.len(), u) {
                    continue;
                }
                meter.steps(other.len() as u64)?;
                let shared = other.iter().filter(|&&x| self.mark[x as usize] == u);
                let found = if keep {
                    let start = common.len();
                    self.common_start[graph.edge_id(arc)] = start as u32;
                    common.extend(shared);
                    keep = common.len() <= MAX_COMMON;
                    common.len() - start
                } else {
                    shared.count()
                } as u32;
                self.triangles[arc] = found;
                if let Some(back) = graph.arc_id(v, u) {
                    self.triangles[back] = found;
                }
            }
        }
        self.common = keep.then_some(common);
        Ok(())
    }

    /// Common neighbours of the ends of an arc, if they were kept.
    #[inline]
    pub(super) fn common_neighbors(&self, graph: &Graph, arc: usize) -> Option<&[u32]> {
        let start = *self.common_start.get(graph.edge_id(arc))? as usize;
        self.common.as_ref()?.get(start..start + self.triangles[arc] as usize)
    }

    /// Ordered pairs of adjacent common neighbours of the ends of an edge, if kept.
    #[inline]
    pub(super) fn cliques(&self, id: usize) -> u64 {
        self.by_edge[2].get(id)
    }

    /// Fills what the arcs of root `u` contribute.
    fn first_pass(
        &self,
        needs: &Needs,
        graph: &Graph,
        u: u32,
        root: &mut RootScratch,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        let kept = needs.second.kept;
        let (row, arcs) = (graph.neighbors(u), graph.arcs_of(u));
        let mut sums = [0u64; VERTEX.len()];
        let at = AtRoot { graph, prepared: self, u, work: &needs.first };
        root.bases(
            at,
            |_| true,
            meter,
            |j, values| {
                let (v, arc) = (row[j], arcs.start + j);
                let id = graph.edge_id(arc);
                if kept.triangles {
                    self.by_arc.set(2 * id + usize::from(u > v), values[edge(UV, U)]);
                }
                if u < v {
                    for (table, needed, base) in [
                        (0, kept.degrees, edge(UV, 0)),
                        (1, kept.walks, WALKS3),
                        (2, kept.cliques, CLIQUES4),
                    ] {
                        if needed {
                            self.by_edge[table].set(id, values[base]);
                        }
                    }
                }
                for i in 0..NEAR.len() {
                    if needs.far_edge[i] && v < u {
                        self.far_edge[i].set(id, values[NEAR[i]]);
                    }
                    if needs.sums[i] {
                        self.sums[i].add(v as usize, values[NEAR[i]]);
                    }
                }
                for (i, base) in SUMMED.into_iter().enumerate() {
                    if !needs.sums[FAR.len() + i] {
                        continue;
                    }
                    let table = &self.sums[FAR.len() + i];
                    if base != CLIQUES5 {
                        table.add(u as usize, values[base]);
                    } else if v > u {
                        table.add(u as usize, values[base]);
                        table.add(v as usize, values[base]);
                    }
                }
                self.add_to_vertex(graph, needs, v, arc, values, &mut sums);
                Ok(())
            },
        )?;
        for (i, &sum) in sums.iter().enumerate() {
            if needs.vertex[i] && i >= 2 {
                self.vertex[i].set(u as usize, sum);
            }
        }
        Ok(())
    }

    /// Terms of the tables by vertex that one arc contributes.
    fn add_to_vertex(
        &self,
        graph: &Graph,
        needs: &Needs,
        v: u32,
        arc: usize,
        values: &BaseValues,
        sums: &mut [u64; VERTEX.len()],
    ) {
        let degree = graph.degree(v) as u64;
        let t = self.triangles.get(arc).map_or(0, |&t| u64::from(t));
        let neighbor = |i: usize| if needs.vertex[i] { self.vertex[i].get(v as usize) } else { 0 };
        sums[2] += degree * degree;
        sums[3] += t * degree;
        sums[4] += t * t;
        sums[5] += neighbor(0);
        // Σ c(w)² over vertices w is the number of walks of length 3 back to a neighbour.
        sums[6] += values[WALKS3];
        sums[7] += neighbor(1);
        sums[8] += values[edge(UV, V)];
        sums[9] += values[CLIQUES4];
    }

    /// Terms at a common neighbour x of u and v of the sums over T, in the order that
    /// [`RootScratch`] puts them away; the edges ux and vx come with whether x is the larger end.
    #[inline]
    pub(super) fn kept_at(
        &self,
        kept: KeptTables,
        x: u32,
        (at_u, u_below): (usize, bool),
        (at_v, v_below): (usize, bool),
    ) -> [u64; 12] {
        let mut terms = [0; 12];
        for i in 0..2 {
            if !self.vertex[i].is_empty() {
                terms[i] = self.vertex[i].get(x as usize);
            }
        }
        if kept.degrees {
            terms[2] = self.by_edge[0].get(at_u);
            terms[3] = self.by_edge[0].get(at_v);
        }
        if kept.triangles {
            terms[4] = self.by_arc.get(2 * at_u + usize::from(!u_below));
            terms[5] = self.by_arc.get(2 * at_v + usize::from(!v_below));
            terms[6] = self.by_arc.get(2 * at_u + usize::from(u_below));
            terms[7] = self.by_arc.get(2 * at_v + usize::from(v_below));
        }
        if kept.walks {
            terms[8] = self.by_edge[1].get(at_u);
            terms[9] = self.by_edge[1].get(at_v);
        }
        if kept.cliques {
            terms[10] = self.by_edge[2].get(at_u);
            terms[11] = self.by_edge[2].get(at_v);
        }
        terms
    }
}
