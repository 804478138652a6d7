//! All patterns of at most five vertices by the same formulas as [`super`], in graphs that are small
//! when twins are one vertex; `twins` in plans.
//!
//! Dense graphs of people who work or play together are made of groups, so most of their vertices
//! have the same neighbours as others (`count/twins.rs`). Everything is computed for one vertex and
//! one arc of each class and weighted with the sizes of the others ([`tables`]); each base of an arc
//! is a sum over classes of products of a few numbers ([`sums`]). Members get equal counts.
//!
//! O(m + Σ_Z d(Z)² q) for q classes with d(Z) neighbours, a few in one vector instruction each, and
//! q² numbers of memory.

mod sums;
mod tables;
#[cfg(test)]
mod tests;

use super::super::columns;
use super::inversion::TableFormulas;
use super::rooted::{self, BASES, CYCLES5, Monomial};
use super::work::{CLIQUES5, WHEELS};
use super::{BaseValues, MAX_ORDER, fill_powers};
use crate::count::MATCHINGS;
use crate::count::budget::{Meter, Stop};
use crate::count::cells::{Cells, PatternColumns, WantedTables};
use crate::count::kernel::{Kernel, Piece, Use};
use crate::graph::Graph;
use crate::pattern::Pattern;
use sums::{INSIDE, INSIDE_U, INSIDE_V, NUMBERS, Wants};
use tables::{DenseTables, bits_of, contains};

/// Vertices of the largest graphs that are looked at, so that 32 bits hold every number of a pair,
/// and classes that tables are made for.
const MAX_VERTICES: usize = 1 << 14;
const MAX_CLASSES: usize = 1 << 10;

/// Arcs a vertex below which a graph is not dense enough to have many twins that cost anything.
const FEWEST_ARCS: usize = 6;

/// Steps of a search that take as long as one of these. Measured on collaboration graphs.
const STEP: f64 = 3.0;

/// Counts patterns of at most 5 vertices, undirected and without labels.
#[derive(Clone, Debug)]
pub(in crate::count) struct TwinKernel {
    formulas: TableFormulas,
    wants: Wants,
}

/// Memory of one thread.
#[derive(Debug, Default)]
pub(in crate::count) struct Scratch {
    set: Vec<u64>,
    common: Vec<u32>,
    sum: Vec<u32>,
    monomials: Vec<u64>,
    counts: Vec<u64>,
    sums: Vec<u128>,
    wide_counts: Vec<u128>,
}

impl Kernel for TwinKernel {
    const NAME: &'static str = "twins";
    const REASON: &'static str = "formulas over classes of vertices with the same neighbours";
    const USE: Use = Use::AllSmallWhereCheaper;
    const SHARED_BY_PARTS: bool = false;

    type Prepared = DenseTables;
    type Scratch = Scratch;

    fn accepts(pattern: &Pattern) -> bool {
        columns::accepts(pattern, MAX_ORDER)
    }

    fn new(patterns: &[PatternColumns], wanted: WantedTables) -> Self {
        let formulas = TableFormulas::new(patterns, wanted);
        let wants = Wants::new(&formulas.arcs, &formulas.vertices);
        Self { formulas, wants }
    }

    fn prepare(
        &self,
        graph: &Graph,
        prepared: &mut DenseTables,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        if graph.order() > MAX_VERTICES {
            return Err(Stop::Overflow);
        }
        prepared.fill(&self.wants, graph, meter)
    }

    /// Every class is one.
    fn roots(&self, _: &Graph, prepared: &DenseTables) -> usize {
        prepared.len()
    }

    fn weight(&self, _: &Graph, prepared: &DenseTables, root: usize) -> f64 {
        1.0 + bits_of(prepared.row(root)).count() as f64
    }

    fn memory(&self, graph: &Graph, _threads: usize) -> u64 {
        DenseTables::memory(graph, MAX_CLASSES)
    }

    fn run<C: Cells>(&self, piece: Piece<'_, '_, Self, C>) -> Result<(), Stop> {
        let mut piece = piece;
        for root in piece.roots.clone() {
            self.root(&mut piece, root)?;
        }
        Ok(())
    }

    fn estimate(&self, graph: &Graph) -> f64 {
        self.survey(graph, &mut DenseTables::default())
    }

    /// Rows added up and numbers multiplied, predicted; infinite where twins do not make the graph
    /// small.
    fn survey(&self, graph: &Graph, prepared: &mut DenseTables) -> f64 {
        let n = graph.order();
        prepared.forget_classes();
        if n > MAX_VERTICES || graph.arc_count() < FEWEST_ARCS * n {
            return f64::INFINITY;
        }
        let classes = prepared.find_classes(graph);
        let q = classes.len();
        if q > MAX_CLASSES {
            return f64::INFINITY;
        }
        let degrees = (0..q).map(|x| classes.neighbors(graph, x).count() as f64 + 1.0);
        let (arcs, wedges) = degrees.fold((0.0, 0.0), |(a, w), d| (a + d, w + d * d));
        let row = 1.0 + q as f64 / 8.0;
        // About a third of the wedges are triangles.
        let inside =
            f64::from(u8::from(self.wants.common)) + f64::from(u8::from(self.wants.inside));
        let mut steps = wedges * row * (1.0 + inside / 3.0);
        if self.wants.pairs || self.wants.inner {
            steps += wedges * row * 1.4;
        }
        if self.wants.cliques {
            let inside = wedges / arcs.max(1.0) / 2.0;
            steps += arcs / 4.0 * inside * inside * (1.0 + q as f64 / 64.0);
        }
        let products = |over: usize| self.wants.sums[over].len() as f64;
        steps += arcs * q as f64 * products(0) / 2.0;
        steps += wedges * (products(1) + products(2) + products(3) / 3.0) / 2.0;
        steps += self.formulas.reads(q as f64, arcs);
        steps * STEP + (n + 2 * graph.arc_count()) as f64
    }
}

/// Numbers at one arc u → v of classes.
struct Arc<'a> {
    tables: &'a DenseTables,
    u: usize,
    v: usize,
    /// T.
    set: &'a [u64],
    /// c(u, ·), c(v, ·), s.
    walks: [&'a [u32]; 2],
    common: &'a [u32],
    near: [&'a [u32]; 2],
    pairs: [&'a [u32]; 2],
}

impl Arc<'_> {
    /// Numbers of a vertex of class `y`, neither u nor v.
    #[inline]
    fn numbers(&self, y: usize) -> [u64; NUMBERS] {
        let get = |row: &[u32]| row.get(y).map_or(0, |&value| value.into());
        [
            self.tables.degrees[y].into(),
            self.walks[0][y].into(),
            self.walks[1][y].into(),
            get(self.common),
            1,
            self.tables.triangles[y].into(),
            get(self.near[0]),
            get(self.near[1]),
            get(self.pairs[0]),
            get(self.pairs[1]),
        ]
    }

    /// Numbers of u and of v.
    fn own_numbers(&self) -> [[u64; NUMBERS]; 2] {
        let Self { tables, u, v, .. } = *self;
        let get = |row: &[u32], y: usize| row.get(y).map_or(0, |&value| u64::from(value));
        let [d_u, d_v] = [u, v].map(|x| u64::from(tables.degrees[x]));
        let [t_u, t_v] = [u, v].map(|x| u64::from(tables.triangles[x]));
        let t = u64::from(self.walks[0][v]);
        let near = [get(self.near[1], u), get(self.near[0], v)];
        let pairs = [get(self.pairs[1], u), get(self.pairs[0], v)];
        [
            [d_u, d_u, t, t, 1, t_u, t_u, near[0], t_u, pairs[0]],
            [d_v, t, d_v, t, 1, t_v, near[1], t_v, pairs[1], t_v],
        ]
    }

    /// The bases that are sums over one of the four sets.
    fn sums(&self, wants: &Wants, values: &mut BaseValues) {
        let own = self.own_numbers();
        // Which of the sets u and v are in.
        let inside = [[true, false, true, false], [true, true, false, false]];
        let sets =
            [None, Some(self.tables.row(self.u)), Some(self.tables.row(self.v)), Some(self.set)];
        for (over, (sums, set)) in wants.sums.iter().zip(sets).enumerate() {
            if sums.is_empty() {
                continue;
            }
            for sum in sums {
                let [a, b] = sum.factors;
                values[sum.base] =
                    (0..2).filter(|&end| inside[end][over]).fold(0, |total: u64, end| {
                        total.wrapping_add(own[end][a].wrapping_mul(own[end][b]))
                    });
            }
            let mut add = |y: usize| {
                let numbers = self.numbers(y);
                let weight = u64::from(self.tables.others(y, self.u, self.v));
                for sum in sums {
                    let [a, b] = sum.factors;
                    let product = weight.wrapping_mul(numbers[a]).wrapping_mul(numbers[b]);
                    values[sum.base] = values[sum.base].wrapping_add(product);
                }
            };
            match set {
                Some(set) => bits_of(set).for_each(&mut add),
                None => (0..self.tables.len()).for_each(&mut add),
            }
        }
    }

    /// 5-cycles u – x – y – z – v: Σ_y of the choices of x ≠ v and z ≠ u that differ.
    fn cycles(&self) -> u64 {
        let (at_u, at_v) = (self.tables.row(self.u), self.tables.row(self.v));
        (0..self.tables.len()).fold(0, |total: u64, y| {
            let through = |row: &[u32], set: &[u64]| {
                u64::from(row[y]).wrapping_sub(u64::from(contains(set, y)))
            };
            let (x, z) = (through(self.walks[0], at_v), through(self.walks[1], at_u));
            let both = x.wrapping_mul(z).wrapping_sub(self.common[y].into());
            let weight = u64::from(self.tables.others(y, self.u, self.v));
            total.wrapping_add(weight.wrapping_mul(both))
        })
    }
}

impl TwinKernel {
    /// Puts the counts of a class and of its arcs together.
    fn root<C: Cells>(&self, piece: &mut Piece<'_, '_, Self, C>, u: usize) -> Result<(), Stop> {
        let Piece { prepared: tables, scratch, out, meter, .. } = piece;
        let Scratch { set, common, sum, monomials, counts, sums, wide_counts } = &mut **scratch;
        let tables: &DenseTables = tables;
        let vertices = out.wants_vertices() && !self.formulas.vertices.monomials.is_empty();
        let arcs = out.wants_arcs() && self.wants.arcs;
        sums.clear();
        sums.resize(self.formulas.vertices.monomials.len(), 0);
        let (mut values, mut powers): (BaseValues, _) = ([0; BASES], [0; 64]);
        values[rooted::ONE] = 1;
        for v in bits_of(tables.row(u)) {
            let edges = if arcs { tables.edges(u, v) } else { &[] };
            if !vertices && edges.is_empty() {
                continue;
            }
            self.bases((tables, u, v), (set, common, sum), &mut values, meter)?;
            let factors = [tables.degrees[u], tables.degrees[v], tables.walks(u)[v]].map(u64::from);
            fill_powers(&mut powers, self.formulas.largest - 2, factors);
            let value =
                |m: &Monomial| values[m.base as usize].wrapping_mul(powers[m.powers as usize]);
            if vertices {
                let times = u128::from(tables.sizes[v] - u32::from(u == v));
                for (sum, monomial) in sums.iter_mut().zip(&self.formulas.vertices.monomials) {
                    *sum += times * u128::from(value(monomial));
                }
            }
            if !edges.is_empty() {
                monomials.clear();
                monomials.extend(self.formulas.arcs.monomials.iter().map(value));
                meter.steps(edges.len() as u64)?;
                self.formulas.arcs.evaluate(
                    monomials,
                    counts,
                    |matching, columns, count: u64| {
                        if let Some(table) = out.arc(MATCHINGS[matching]) {
                            for &column in columns {
                                edges
                                    .iter()
                                    .for_each(|&edge| table.add(edge as usize, column, count));
                            }
                        }
                        Ok(())
                    },
                )?;
            }
        }
        if !vertices {
            return Ok(());
        }
        let members = tables.classes.members(u);
        meter.steps(members.len() as u64)?;
        self.formulas.vertices.evaluate(sums, wide_counts, |matching, columns, count: u128| {
            let count = u64::try_from(count).map_err(|_| Stop::Overflow)?;
            if let Some(table) = out.vertex(MATCHINGS[matching]) {
                for &column in columns {
                    members.iter().for_each(|&v| table.add(v as usize, column, count));
                }
            }
            Ok(())
        })
    }

    /// The bases of one arc u → v of classes.
    fn bases(
        &self,
        (tables, u, v): (&DenseTables, usize, usize),
        (set, common, sum): (&mut Vec<u64>, &mut Vec<u32>, &mut Vec<u32>),
        values: &mut BaseValues,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        let wants = &self.wants;
        tables.meet(u, v, set);
        let classes: usize = set.iter().map(|word| word.count_ones() as usize).sum();
        let rows = usize::from(wants.common) + usize::from(wants.inside);
        meter.steps((1 + tables.len() + rows * classes * tables.stride / 8) as u64)?;
        common.clear();
        if wants.common {
            common.resize(tables.stride, 0);
            tables.common((u, v), set, common);
        }
        let arc = Arc {
            tables,
            u,
            v,
            set,
            walks: [tables.walks(u), tables.walks(v)],
            common,
            near: [tables.near(u), tables.near(v)],
            pairs: [tables.pairs(u), tables.pairs(v)],
        };
        arc.sums(wants, values);
        if wants.cycles {
            values[CYCLES5] = arc.cycles();
        }
        if wants.inside {
            values[INSIDE] = tables.edges_inside((u, v), set, sum);
        }
        let at =
            |table: &[u64], u: usize, v: usize| table.get(u * tables.stride + v).map_or(0, |&x| x);
        values[INSIDE_U] = at(&tables.inner, u, v);
        values[INSIDE_V] = at(&tables.inner, v, u);
        values[WHEELS] = at(&tables.wheels, u, v);
        values[CLIQUES5] = at(&tables.cliques, u.min(v), u.max(v)).wrapping_mul(6);
        Ok(())
    }
}
