//! All patterns of at most five vertices on large sparse graphs, by formulas; `five` in plans.
//!
//! Counts maps, not occurrences: the number of maps of a rooted graph is a product of a few
//! numbers known of an arc ([`rooted`]), and the numbers come from one look at the two-step
//! neighbourhood of each root ([`root`]). Möbius inversion over quotients turns maps into
//! occurrences, derived by program for whatever is wanted ([`inversion`]). Nothing larger than a
//! wedge is listed, apart from the edges and triangles of ego networks. Patterns of at most four
//! vertices have tables of their own, by edge ([`four`]). The README in the folder above has the
//! mathematics.
//!
//! Cost: a few reads per wedge and per wedge of an ego network, and for 5-cycles ([`cycles`]) per
//! edge around the two-step neighbourhoods below each vertex in order of degree.

mod at_vertices;
mod cliques;
mod compact;
mod cycles;
mod dense;
mod four;
mod inversion;
mod predict;
mod prepared;
mod ranked;
mod root;
mod rooted;
mod work;

use super::columns;
use crate::count::MATCHINGS;
use crate::count::budget::{Meter, Stop, out_of_patience};
use crate::count::cells::{Cells, Outputs, PatternColumns, WantedTables};
use crate::count::kernel::{Kernel, Piece, Use};
use crate::count::probe::fixed_random;
use crate::graph::Graph;
use crate::pattern::Pattern;
use at_vertices::{VertexNeeds, VertexTables};
use four::{ArcNumbers, FOUR, FourNeeds};
use inversion::TableFormulas;
use prepared::{Prepared, SUMS, VERTEX};
use root::{AtRoot, BaseValues, RootScratch};
use rooted::{BASES, CYCLES5, FAR, Monomial, SUMMED, U, UV, V, edge};
use work::{CLIQUES4, WALKS3, Work};

pub(in crate::count) use dense::TwinKernel;

/// The largest pattern.
const MAX_ORDER: usize = 5;

/// Counts patterns of at most 5 vertices, undirected and without labels.
#[derive(Clone, Debug)]
pub(in crate::count) struct FormulaKernel {
    formulas: TableFormulas,
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
    /// Whether 5-cycles are counted, and if so by edge rather than by vertex.
    cycles: Option<bool>,
    /// The vertex monomial of 5-cycles, where they are counted by vertex.
    cycles_at: Option<usize>,
    first_pass: bool,
    first: Work,
    second: Work,
    /// The tables that do for patterns of at most four vertices, in place of all the above.
    four: Option<FourNeeds>,
    /// Vertex monomials read from the sums of these tables.
    summed: Vec<(usize, usize)>,
    /// The sums that do where only vertices are counted, in place of all the above.
    at_vertices: Option<VertexNeeds>,
}

impl Needs {
    fn new(formulas: &TableFormulas) -> Self {
        let TableFormulas { largest, arcs, vertices } = formulas;
        let (mut of_arcs, mut of_vertices) = ([false; BASES], [false; BASES]);
        arcs.mark(&mut of_arcs);
        vertices.mark(&mut of_vertices);
        let (first, second) = Work::passes(&of_arcs, &of_vertices);
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
        let four = (*largest <= 4).then(|| FourNeeds::new(&of_arcs, &of_vertices, triangles));
        let mut sums = [false; SUMS];
        let (mut streamed, mut stored) = (Vec::new(), Vec::new());
        let (mut cycles_at, mut summed) = (None, Vec::new());
        for (at, monomial) in vertices.monomials.iter().enumerate() {
            let base = monomial.base as usize;
            match FAR.into_iter().chain(SUMMED).position(|summed| summed == base) {
                Some(table) => {
                    sums[table] = true;
                    stored.push((at, table));
                }
                None if base == CYCLES5 && !of_arcs[base] => cycles_at = Some(at),
                None => match FOUR.iter().position(|&four| four == base) {
                    Some(table) if four.is_some_and(|four| !four.by_edge) => {
                        summed.push((at, table));
                    }
                    _ => streamed.push(at),
                },
            }
        }
        let only_vertices = four.is_none() && arcs.monomials.is_empty();
        let at_vertices = VertexNeeds::of(&vertices.monomials).filter(|_| only_vertices);
        Self {
            triangles,
            vertex,
            far_edge: FAR.map(|base| of_arcs[base]),
            sums,
            streamed,
            stored,
            cycles: (of_arcs[CYCLES5] || of_vertices[CYCLES5]).then_some(of_arcs[CYCLES5]),
            cycles_at,
            first_pass,
            first,
            second,
            four,
            summed,
            at_vertices,
        }
    }

    /// What is summed at vertices, where that is all and the numbers are not too large for it.
    fn summed_in(&self, graph: &Graph) -> Option<&VertexNeeds> {
        self.at_vertices.as_ref().filter(|_| VertexTables::fits(graph))
    }
}

/// Memory of one thread.
#[derive(Debug, Default)]
pub(in crate::count) struct Scratch {
    root: RootScratch,
    monomials: Vec<u64>,
    counts: Vec<u64>,
    sums: Vec<u128>,
    wide_counts: Vec<u128>,
}

impl FormulaKernel {
    /// Whether the maps at one arc surely fit 64 bits: each vertex besides the roots is a
    /// neighbour of one before it. So must the 5-cycles at a vertex, which are at most one for
    /// each edge and pair of neighbours.
    fn fits(&self, graph: &Graph) -> bool {
        let most = graph.max_degree() as u128;
        most.pow(self.formulas.largest as u32 - 2) < 1 << 63
            && (self.needs.cycles.is_none()
                || 2 * most * most * (graph.edge_count() as u128) < 1 << 63)
    }
}

/// Steps of a search that take as long as one read: reads go all over the tables. Measured on
/// collaboration graphs and molecules of more than 64 atoms.
const READ: f64 = 4.0;

/// The same for four vertices, of an arc that is ranked and kept with its numbers, and of an entry of the
/// lists that are gone through in their order. Fitted to the times of `all:3..=4` in 21 graphs of 2,700 to
/// 184,000 edges.
const KEPT_ARC: f64 = 34.0;
const ENTRY: f64 = 0.6;

impl Kernel for FormulaKernel {
    const NAME: &'static str = "five";
    const REASON: &'static str =
        "formulas over degrees, triangles and common neighbours; no listing";
    const USE: Use = Use::AllSmallWhereCheaper;
    // Triangles, sums and 5-cycles are all there before the first root.
    const SHARED_BY_PARTS: bool = false;

    type Prepared = Prepared;
    type Scratch = Scratch;

    fn accepts(pattern: &Pattern) -> bool {
        columns::accepts(pattern, MAX_ORDER)
    }

    fn new(patterns: &[PatternColumns], wanted: WantedTables) -> Self {
        let formulas = TableFormulas::new(patterns, wanted);
        let needs = Needs::new(&formulas);
        Self { formulas, needs }
    }

    fn prepare(
        &self,
        graph: &Graph,
        prepared: &mut Prepared,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        if !self.fits(graph) {
            return Err(Stop::Overflow);
        }
        prepared.fill(&self.needs, graph, meter)
    }

    fn memory(&self, graph: &Graph, threads: usize) -> u64 {
        Prepared::memory(&self.needs, graph, threads)
    }

    fn run<C: Cells>(&self, piece: Piece<'_, '_, Self, C>) -> Result<(), Stop> {
        let mut piece = piece;
        for u in piece.roots.clone() {
            piece.meter.steps(1)?;
            if self.needs.four.is_some() {
                self.rank(&mut piece, u as u32)?;
            } else if piece.prepared.is_summed {
                self.sums_at(&mut piece, u as u32)?;
            } else {
                self.root(&mut piece, u as u32)?;
            }
        }
        Ok(())
    }

    /// Reads, predicted: wedges, and for five vertices the edges that leave two-step
    /// neighbourhoods; infinite where the kernel would refuse.
    fn estimate(&self, graph: &Graph) -> f64 {
        if !self.fits(graph) {
            return f64::INFINITY;
        }
        let arcs = graph.arc_count() as f64;
        let degree = |v: u32| graph.degree(v) as f64;
        let mut reads = self.formulas.reads(graph.order() as f64, arcs / 2.0);
        if let Some(four) = &self.needs.four {
            return reads * READ + arcs * KEPT_ARC + predict::entries(four, graph) * ENTRY;
        }
        // Pairs of vertices two steps apart are met once, and twice where vertices are all.
        let summed = self.needs.summed_in(graph).is_some();
        let times = match (summed, self.needs.first_pass) {
            (true, _) => 1.0,
            (false, true) => 4.0,
            (false, false) => 2.0,
        };
        reads += self.inner_reads(graph) * if summed { 0.5 } else { 1.0 };
        for u in 0..graph.order() as u32 {
            if u.is_multiple_of(1 << 14) && out_of_patience() {
                break;
            }
            if summed && graph.degree(u) < 2 {
                reads += 1.0;
                continue;
            }
            let wedges: f64 = graph.neighbors(u).iter().map(|&x| degree(x)).sum();
            reads += times * wedges;
            if self.needs.cycles.is_some() {
                // Mostly low ranks, which see little below them.
                let mean = if degree(u) > 0.0 { wedges / degree(u) } else { 0.0 };
                reads += (wedges * mean / 16.0).min(arcs / 2.0);
            }
        }
        reads * READ
    }

    fn predicted_steps(&self, graph: &Graph) -> f64 {
        predict::steps(&self.needs, graph)
    }
}

/// Arcs a vertex from which on wedges between neighbours cost more than all others, and how many
/// of them are looked at.
const DENSE: usize = 16;
const SAMPLES: usize = 64;

impl FormulaKernel {
    /// Reads between neighbours of the roots, predicted from the triangles on some edges.
    fn inner_reads(&self, graph: &Graph) -> f64 {
        let n = graph.order();
        let Needs { first, second, .. } = &self.needs;
        let times = [first.codegrees, first.cliques, first.diamonds, second.codegrees]
            .into_iter()
            .chain([second.cliques, second.diamonds])
            .filter(|&needed| needed)
            .count() as f64;
        if times == 0.0 || graph.arc_count() < DENSE * n {
            return 0.0;
        }
        let mut random = fixed_random();
        let mut squares = 0;
        for _ in 0..SAMPLES {
            // Any arc, by its end and a neighbour of that.
            let u = graph.arc_target(random.below(graph.arc_count()));
            let v = graph.neighbors(u)[random.below(graph.degree(u))];
            squares += common_neighbors(graph, u, v).pow(2);
        }
        times * squares as f64 * graph.edge_count() as f64 / SAMPLES as f64
    }

    /// Puts the counts of root `u` and of its arcs to larger vertices together.
    fn root<C: Cells>(&self, piece: &mut Piece<'_, '_, Self, C>, u: u32) -> Result<(), Stop> {
        let Piece { graph, prepared, scratch, out, meter, .. } = piece;
        let Scratch { root, monomials, counts, sums, wide_counts } = &mut **scratch;
        let vertices = out.wants_vertices() && !self.formulas.vertices.monomials.is_empty();
        let arcs = out.wants_arcs() && !self.formulas.arcs.monomials.is_empty();
        sums.clear();
        sums.resize(self.formulas.vertices.monomials.len(), 0);
        let (row, first_arc) = (graph.neighbors(u), graph.arcs_of(u).start);
        let wanted = |v: u32| vertices || (arcs && v > u);
        let at = AtRoot { graph, prepared, u, work: &self.needs.second };
        root.bases(at, wanted, meter, |j, values| {
            let (v, arc) = (row[j], first_arc + j);
            let powers = self.complete(graph, prepared, (u, v), arc, values);
            let value = |m: &Monomial| values[m.base as usize] * powers[m.powers as usize];
            if vertices {
                for &at in &self.needs.streamed {
                    sums[at] += u128::from(value(&self.formulas.vertices.monomials[at]));
                }
            }
            if arcs && v > u {
                let id = graph.edge_id(arc);
                for (i, far) in FAR.into_iter().enumerate() {
                    if self.needs.far_edge[i] {
                        values[far] = prepared.far_edge[i].get(id);
                    }
                }
                self.put_arc(id, values, &powers, (monomials, counts), out)?;
            }
            Ok(())
        })?;
        if !vertices {
            return Ok(());
        }
        for &(at, table) in &self.needs.stored {
            sums[at] = prepared.sums[table].wide(u as usize);
        }
        if let Some(at) = self.needs.cycles_at {
            sums[at] = prepared.cycles.at_vertex(u as usize).into();
        }
        self.put_vertex(u, sums, wide_counts, out)
    }

    /// Puts the counts of a rank together where sums at vertices are all there is.
    fn sums_at<C: Cells>(&self, piece: &mut Piece<'_, '_, Self, C>, r: u32) -> Result<(), Stop> {
        let Piece { prepared, scratch, out, meter, .. } = piece;
        let Scratch { monomials, counts, sums, wide_counts, .. } = &mut **scratch;
        let (tables, Some(needs)) = (&prepared.at_vertices, &self.needs.at_vertices) else {
            return Ok(());
        };
        meter.steps(tables.ranked.degree(r).into())?;
        let u = tables.ranked.vertices[r as usize] as usize;
        if u128::from(tables.ranked.degree(r)).pow(4) >= 1 << 63 {
            needs.wide_values(tables, r, monomials, sums);
            return self.put_vertex(u as u32, sums, wide_counts, out);
        }
        needs.values(tables, r, monomials);
        // Fewer than 2⁶³ maps, so there is nothing to overflow.
        self.formulas.vertices.evaluate(monomials, counts, |matching, columns, count: u64| {
            if let Some(table) = out.vertex(MATCHINGS[matching]) {
                columns.iter().for_each(|&column| table.add(u, column, count));
            }
            Ok(())
        })
    }

    /// Adds the counts of an edge, from the bases and powers of its arc to the larger vertex.
    #[inline]
    fn put_arc<C: Cells>(
        &self,
        id: usize,
        values: &BaseValues,
        powers: &[u64; 64],
        (monomials, counts): (&mut Vec<u64>, &mut Vec<u64>),
        out: &mut Outputs<C>,
    ) -> Result<(), Stop> {
        let value = |m: &Monomial| values[m.base as usize] * powers[m.powers as usize];
        monomials.clear();
        monomials.extend(self.formulas.arcs.monomials.iter().map(value));
        self.formulas.arcs.evaluate(monomials, counts, |matching, columns, count: u64| {
            if let Some(table) = out.arc(MATCHINGS[matching]) {
                columns.iter().for_each(|&column| table.add(id, column, count));
            }
            Ok(())
        })
    }

    /// Adds the counts of a vertex, from the values of its monomials.
    fn put_vertex<C: Cells>(
        &self,
        u: u32,
        sums: &[u128],
        counts: &mut Vec<u128>,
        out: &mut Outputs<C>,
    ) -> Result<(), Stop> {
        self.formulas.vertices.evaluate(sums, counts, |matching, columns, count: u128| {
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
        values: &mut BaseValues,
    ) -> [u64; 64] {
        values[rooted::ONE] = 1;
        if self.needs.cycles == Some(true) {
            values[CYCLES5] = prepared.cycles.get(graph.edge_id(arc));
        }
        for (i, (at_u, at_v)) in VERTEX.into_iter().enumerate() {
            if self.needs.vertex[i] {
                values[at_u] = prepared.vertex[i].get(u as usize);
                values[at_v] = prepared.vertex[i].get(v as usize);
            }
        }
        let t = if self.needs.triangles { u64::from(prepared.triangles[arc]) } else { 0 };
        let factors = [graph.degree(u) as u64, graph.degree(v) as u64, t];
        let mut powers = [0; 64];
        fill_powers(&mut powers, self.formulas.largest - 2, factors);
        powers
    }

    /// Puts the counts of a rank together, and those of its arcs to vertices of larger numbers.
    fn rank<C: Cells>(&self, piece: &mut Piece<'_, '_, Self, C>, r: u32) -> Result<(), Stop> {
        let Piece { prepared, scratch, out, meter, .. } = piece;
        let Scratch { monomials, counts, sums, wide_counts, .. } = &mut **scratch;
        let four = &prepared.four;
        let vertices = out.wants_vertices() && !self.formulas.vertices.monomials.is_empty();
        let arcs = out.wants_arcs() && !self.formulas.arcs.monomials.is_empty();
        sums.clear();
        sums.resize(self.formulas.vertices.monomials.len(), 0);
        let (u, degree) = (four.ranked.vertices[r as usize], four.ranked.degree(r));
        meter.steps(degree.into())?;
        let (mut values, mut powers) = ([0; BASES], [0; 64]);
        values[rooted::ONE] = 1;
        let around = four.around(r);
        for (place, arc) in four.ranked.arcs(r).zip(four.arcs(r)) {
            let v = four.ranked.vertices[arc.target as usize];
            let along = arcs && v > u;
            if !vertices && !along {
                continue;
            }
            put_numbers(&mut values, arc, around, four.around(arc.target));
            let ends = [degree, four.ranked.degree(arc.target), arc.triangles].map(u64::from);
            fill_powers(&mut powers, self.formulas.largest - 2, ends);
            let value = |m: &Monomial| values[m.base as usize] * powers[m.powers as usize];
            if vertices {
                for &at in &self.needs.streamed {
                    sums[at] += u128::from(value(&self.formulas.vertices.monomials[at]));
                }
            }
            if along {
                let id = four.graph_edge(place);
                self.put_arc(id, &values, &powers, (monomials, counts), out)?;
            }
        }
        if !vertices {
            return Ok(());
        }
        for &(at, table) in &self.needs.summed {
            sums[at] = four.sum(table, r).into();
        }
        self.put_vertex(u, sums, wide_counts, out)
    }
}

/// Number of vertices next to both.
fn common_neighbors(graph: &Graph, u: u32, v: u32) -> usize {
    let (mut one, mut other) = (graph.neighbors(u), graph.neighbors(v));
    if one.len() > other.len() {
        std::mem::swap(&mut one, &mut other);
    }
    one.iter().filter(|x| other.binary_search(x).is_ok()).count()
}

/// The bases of an arc u → v, and of what is around its ends.
#[inline]
fn put_numbers(values: &mut BaseValues, arc: ArcNumbers, u: [u32; 2], v: [u32; 2]) {
    values[edge(UV, 0)] = arc.degrees.into();
    values[edge(UV, U)] = arc.near[0].into();
    values[edge(UV, V)] = arc.near[1].into();
    values[CLIQUES4] = arc.cliques.into();
    values[WALKS3] = arc.walks;
    for (at, (at_u, at_v)) in VERTEX[..2].iter().enumerate() {
        values[*at_u] = u[at].into();
        values[*at_v] = v[at].into();
    }
}

/// Products of at most so many factors, by packed exponents.
#[inline]
fn fill_powers(powers: &mut [u64; 64], most: usize, factors: [u64; 3]) {
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
}
