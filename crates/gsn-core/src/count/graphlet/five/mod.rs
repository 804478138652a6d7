//! The kernel `five`: all patterns of at most five vertices on large sparse graphs (DESIGN §10).
//!
//! Counts maps, not occurrences: the number of maps of a rooted graph is a product of a few
//! numbers known of an arc ([`rooted`]), and the numbers come from one look at the two-step
//! neighbourhood of each root ([`root`]). Möbius inversion over quotients turns maps into
//! occurrences, derived by program for whatever is wanted ([`plan`]). Nothing larger than a
//! wedge is listed, apart from the edges and triangles of ego networks. The README has the
//! mathematics.
//!
//! Cost: a few reads per wedge, per wedge of an ego network, and per edge of the two-step
//! neighbourhoods (for 5-cycles).

mod cliques;
mod narrow;
mod plan;
mod prepared;
mod root;
mod rooted;
mod work;

pub(in crate::count) use prepared::Prepared;

use super::super::MATCHINGS;
use super::super::budget::{Meter, Stop};
use super::super::cells::{Cells, Outputs, Task};
use super::super::kernel::Kernel;
use super::columns::{self, Targets, Wants};
use crate::graph::Graph;
use crate::pattern::Pattern;
use plan::Block;
use prepared::{SUMS, VERTEX};
use root::{Root, Values};
use rooted::{BASES, FAR, Monomial, SUMMED};
use std::ops::Range;
use work::{Work, is_summed};

/// The largest pattern.
const MAX_ORDER: usize = 5;

/// The prepared kernel.
#[derive(Clone, Debug)]
pub(in crate::count) struct Step {
    tasks: Vec<Task>,
    /// Vertices of the largest pattern.
    largest: usize,
    arcs: Block,
    vertices: Block,
    needs: Needs,
}

/// What the wanted columns ask for.
#[derive(Clone, Debug)]
struct Needs {
    /// Triangles on every arc.
    triangles: bool,
    /// By table of [`VERTEX`].
    vertex: [bool; VERTEX.len()],
    far_edge: [bool; 5],
    /// By table of [`FAR`] and [`SUMMED`] bases.
    sums: [bool; SUMS],
    /// Vertex monomials added up over the arcs of the second pass.
    streamed: Vec<usize>,
    /// Vertex monomials read from tables of sums.
    stored: Vec<(usize, usize)>,
    first_pass: bool,
    first: Work,
    second: Work,
}

impl Needs {
    fn new(arcs: &Block, vertices: &Block) -> Self {
        let (mut of_arcs, mut of_vertices) = ([false; BASES], [false; BASES]);
        arcs.mark(&mut of_arcs);
        vertices.mark(&mut of_vertices);
        let (first, second) = Work::passes(&of_arcs, &of_vertices);
        let mut sums = [false; SUMS];
        let (mut streamed, mut stored) = (Vec::new(), Vec::new());
        for (at, monomial) in vertices.monomials.iter().enumerate() {
            let base = monomial.base as usize;
            match FAR.into_iter().chain(SUMMED).position(|summed| summed == base) {
                Some(table) if FAR.contains(&base) || is_summed(base, &of_arcs) => {
                    sums[table] = true;
                    stored.push((at, table));
                }
                _ => streamed.push(at),
            }
        }
        let mut vertex = VERTEX.map(|(u, v)| second.bases[u] || second.bases[v]);
        vertex[0] |= vertex[5] || second.bases[rooted::path(0, rooted::UV, 0)];
        vertex[1] |= vertex[7] || second.bases[rooted::triangle(rooted::UV, 0, 0)];
        let first_pass = first.ego || first.walks || vertex[2..].iter().any(|&needed| needed);
        let powers_of_t = arcs.monomials.iter().chain(&vertices.monomials).any(|m| m.powers >= 16);
        let triangles = powers_of_t
            || vertex[1]
            || vertex[3]
            || vertex[4]
            || [&first, &second].iter().any(|work| work.ego || work.gather);
        Self {
            triangles,
            vertex,
            far_edge: FAR.map(|base| of_arcs[base]),
            sums,
            streamed,
            stored,
            first_pass,
            first,
            second,
        }
    }
}

/// Memory of one thread.
#[derive(Debug, Default)]
pub(in crate::count) struct Scratch {
    root: Root,
    monomials: Vec<u64>,
    counts: Vec<u64>,
    sums: Vec<u128>,
    wide_counts: Vec<u128>,
}

impl Step {
    /// Undirected unlabelled patterns of at most 5 vertices.
    pub(in crate::count) fn accepts(pattern: &Pattern) -> bool {
        columns::accepts(pattern, MAX_ORDER)
    }

    /// A step that fills all tables it is given.
    pub(in crate::count) fn new(tasks: Vec<Task>) -> Self {
        Self::wanting(tasks, Wants::ALL)
    }

    /// A step for counts that ask for these tables only.
    pub(in crate::count) fn wanting(tasks: Vec<Task>, wants: Wants) -> Self {
        let targets = Targets::of(&tasks);
        let largest = targets.last().map_or(2, |target| target.size.order);
        let (arcs, vertices) = (Block::arcs(&targets, wants), Block::vertices(&targets, wants));
        let needs = Needs::new(&arcs, &vertices);
        Self { tasks, largest, arcs, vertices, needs }
    }

    /// Whether the maps at one arc of a graph with this largest degree surely fit 64 bits: each
    /// vertex besides the roots is a neighbour of one before it.
    fn fits(&self, max_degree: usize) -> bool {
        (max_degree as u128).pow(self.largest as u32 - 2) < 1 << 63
    }
}

impl Kernel for Step {
    type Prepared = Prepared;
    type Scratch = Scratch;

    fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    fn prepare(
        &self,
        graph: &Graph,
        prepared: &mut Prepared,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        if !self.fits(graph.max_degree()) {
            return Err(Stop::Overflow);
        }
        prepared.fill(self, graph, meter)
    }

    fn roots(&self, graph: &Graph, _prepared: &Prepared) -> usize {
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
        let vertices = out.wants_vertices() && !self.vertices.monomials.is_empty();
        let arcs = out.wants_arcs() && !self.arcs.monomials.is_empty();
        for u in roots {
            meter.steps(1)?;
            self.root(graph, prepared, u as u32, (vertices, arcs), scratch, out, meter)?;
        }
        Ok(())
    }

    /// Reads, predicted: wedges, and for five vertices the edges that leave two-step
    /// neighbourhoods; infinite where the kernel would refuse.
    fn estimate(&self, graph: &Graph) -> f64 {
        if !self.fits(graph.max_degree()) {
            return f64::INFINITY;
        }
        let arcs = graph.arc_count() as f64;
        let degree = |v: u32| graph.degree(v) as f64;
        let mut reads = 0.0;
        for u in 0..graph.order() as u32 {
            let wedges: f64 = graph.neighbors(u).iter().map(|&x| degree(x)).sum();
            reads += 2.0 * wedges;
            if self.needs.first_pass {
                reads += 2.0 * wedges;
            }
            if self.needs.first.walks4 || self.needs.second.walks4 {
                let mean = if degree(u) > 0.0 { wedges / degree(u) } else { 0.0 };
                reads += (wedges * mean).min(arcs);
            }
        }
        let rows = [(&self.vertices, graph.order()), (&self.arcs, graph.edge_count())];
        reads
            + rows
                .iter()
                .map(|(block, rows)| block.terms() as f64 * *rows as f64 / 4.0)
                .sum::<f64>()
    }
}

impl Step {
    /// Puts the counts of root `u` and of its arcs to larger vertices together.
    #[allow(clippy::too_many_arguments)]
    fn root<C: Cells>(
        &self,
        graph: &Graph,
        prepared: &Prepared,
        u: u32,
        (vertices, arcs): (bool, bool),
        scratch: &mut Scratch,
        out: &mut Outputs<C>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        let Scratch { root, monomials, counts, sums, wide_counts } = scratch;
        sums.clear();
        sums.resize(self.vertices.monomials.len(), 0);
        let (row, first_arc) = (graph.neighbors(u), graph.arcs_of(u).start);
        let wanted = |v: u32| vertices || (arcs && v > u);
        root.bases(graph, prepared, u, &self.needs.second, wanted, meter, |j, values| {
            let (v, arc) = (row[j], first_arc + j);
            let powers = self.complete(graph, prepared, (u, v), arc, values);
            let value = |m: &Monomial| values[m.base as usize] * powers[m.powers as usize];
            if vertices {
                for &at in &self.needs.streamed {
                    sums[at] += u128::from(value(&self.vertices.monomials[at]));
                }
            }
            if arcs && v > u {
                let id = graph.edge_id(arc);
                for (i, far) in FAR.into_iter().enumerate() {
                    if self.needs.far_edge[i] {
                        values[far] = prepared.far_edge[i].get(id);
                    }
                }
                let value = |m: &Monomial| values[m.base as usize] * powers[m.powers as usize];
                monomials.clear();
                monomials.extend(self.arcs.monomials.iter().map(value));
                self.arcs.evaluate(monomials, counts, |matching, columns, count: u64| {
                    if let Some(table) = out.arc(MATCHINGS[matching]) {
                        columns.iter().for_each(|&column| table.add(id, column, count));
                    }
                    Ok(())
                })?;
            }
            Ok(())
        })?;
        if !vertices {
            return Ok(());
        }
        for &(at, table) in &self.needs.stored {
            sums[at] = prepared.sums[table].wide(u as usize);
        }
        self.vertices.evaluate(sums, wide_counts, |matching, columns, count: u128| {
            let count = u64::try_from(count).map_err(|_| Stop::Overflow)?;
            if let Some(table) = out.vertex(MATCHINGS[matching]) {
                columns.iter().for_each(|&column| table.add(u as usize, column, count));
            }
            Ok(())
        })
    }

    /// Adds the bases that hang on one end alone and returns the products of the factors, by
    /// packed exponents.
    fn complete(
        &self,
        graph: &Graph,
        prepared: &Prepared,
        (u, v): (u32, u32),
        arc: usize,
        values: &mut Values,
    ) -> [u64; 64] {
        values[rooted::ONE] = 1;
        for (i, (at_u, at_v)) in VERTEX.into_iter().enumerate() {
            if self.needs.vertex[i] {
                values[at_u] = prepared.vertex[i].get(u as usize);
                values[at_v] = prepared.vertex[i].get(v as usize);
            }
        }
        let t = if self.needs.triangles { u64::from(prepared.triangles[arc]) } else { 0 };
        let factors = [graph.degree(u) as u64, graph.degree(v) as u64, t];
        let mut powers = [0; 64];
        powers[0] = 1;
        let most = self.largest - 2;
        for a in 0..=most {
            for b in 0..=most - a {
                for c in 0..=most - a - b {
                    let at = a + 4 * b + 16 * c;
                    powers[at] = match (a, b, c) {
                        (0, 0, 0) => 1,
                        (1.., _, _) => powers[at - 1] * factors[0],
                        (_, 1.., _) => powers[at - 4] * factors[1],
                        _ => powers[at - 16] * factors[2],
                    };
                }
            }
        }
        powers
    }
}
