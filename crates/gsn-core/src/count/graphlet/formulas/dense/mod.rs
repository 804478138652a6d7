//! All patterns of at most five vertices by the same formulas as [`super`], in graphs that are small
//! when twins are one vertex; `twins` in plans.
//!
//! Dense graphs of people who work or play together are made of groups, so most of their vertices
//! have the same neighbours as others (`count/twins.rs`). Everything is computed for one vertex and
//! one arc of each class and weighted with the sizes of the others ([`tables`]); each base of an arc
//! is a sum over classes of products of a few numbers ([`sums`]). Members get equal counts. Stars of
//! any size, and what is made of a few of them, are small as well, in numbers of 64 bits.
//!
//! O(m + Σ_Z d(Z)² q) for q classes with d(Z) neighbours, a few in one vector instruction each, and
//! q² numbers of memory.

mod number;
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
use crate::count::cells::{Cells, Outputs, PatternColumns, WantedTables};
use crate::count::kernel::{Kernel, Piece, Use};
use crate::count::twins::are_few;
use crate::graph::Graph;
use crate::pattern::Pattern;
use number::Number;
use sums::{INSIDE, INSIDE_U, INSIDE_V, NUMBERS, Wants};
use tables::{DenseTables, bits_of, contains};

/// Vertices up to which 32 bits hold every number of a pair, and up to which 64 bits hold the maps
/// of three vertices; classes that tables are made for.
const NARROW: usize = 1 << 14;
const MAX_VERTICES: usize = 1 << 20;
const MAX_CLASSES: usize = 1 << 10;

/// Arcs a vertex below which a graph is not dense enough to have many twins that cost anything,
/// unless it has so many vertices and few classes.
const FEWEST_ARCS: usize = 6;
const MANY: usize = 1 << 12;

/// Members of a class that get their counts between two looks at the limits.
const PERIOD: usize = 1 << 12;

/// Steps of a search that take as long as one of these. Measured on collaboration graphs.
const STEP: f64 = 3.0;

/// The part of that which patterns of at most four vertices take. Measured on twelve graphs of COLLAB of 700
/// to 40,000 edges.
const FOUR: f64 = 0.25;

/// Counts patterns of at most 5 vertices, undirected and without labels.
#[derive(Clone, Debug)]
pub(in crate::count) struct TwinKernel {
    formulas: TableFormulas,
    wants: Wants,
}

/// Tables of numbers that are wide enough for a graph.
#[derive(Debug, Default)]
pub(in crate::count) struct Tables {
    is_wide: bool,
    narrow: DenseTables<u32>,
    wide: DenseTables<u64>,
}

/// Does the same with the tables in use, whatever their numbers are.
macro_rules! with {
    ($tables:expr, $name:ident => $work:expr) => {
        match $tables.is_wide {
            false => {
                let $name = &$tables.narrow;
                $work
            }
            true => {
                let $name = &$tables.wide;
                $work
            }
        }
    };
}

impl Tables {
    /// Takes the tables that this graph needs.
    fn start(&mut self, graph: &Graph) {
        self.is_wide = graph.order() > NARROW;
        #[cfg(any(test, feature = "testing"))]
        if crate::count::homomorphism::ALWAYS_WIDE.get() {
            self.is_wide = true;
        }
    }
}

/// Memory of one thread.
#[derive(Debug, Default)]
pub(in crate::count) struct Scratch {
    narrow: Rows<u32>,
    wide: Rows<u64>,
    sums: ArcSums,
}

/// Rows of the tables at one arc.
#[derive(Debug, Default)]
struct Rows<N> {
    set: Vec<u64>,
    common: Vec<N>,
    sum: Vec<N>,
}

/// What is added up at a class, and the counts that follow.
#[derive(Debug, Default)]
struct ArcSums {
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

    type Prepared = Tables;
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
        prepared: &mut Tables,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        if graph.order() > MAX_VERTICES {
            return Err(Stop::Overflow);
        }
        prepared.start(graph);
        match prepared.is_wide {
            false => prepared.narrow.fill(&self.wants, graph, meter),
            true => prepared.wide.fill(&self.wants, graph, meter),
        }
    }

    /// Every class is one.
    fn roots(&self, _: &Graph, prepared: &Tables) -> usize {
        with!(prepared, tables => tables.len())
    }

    fn weight(&self, _: &Graph, prepared: &Tables, root: usize) -> f64 {
        1.0 + with!(prepared, tables => bits_of(tables.row(root)).count()) as f64
    }

    fn memory(&self, graph: &Graph, _threads: usize) -> u64 {
        match graph.order() > NARROW {
            false => DenseTables::<u32>::memory(graph, MAX_CLASSES),
            true => DenseTables::<u64>::memory(graph, MAX_CLASSES),
        }
    }

    fn run<C: Cells>(&self, piece: Piece<'_, '_, Self, C>) -> Result<(), Stop> {
        let Piece { prepared, roots, scratch, out, meter, .. } = piece;
        let Scratch { narrow, wide, sums } = scratch;
        for root in roots {
            match prepared.is_wide {
                false => self.root((&prepared.narrow, root), (narrow, sums), out, meter)?,
                true => self.root((&prepared.wide, root), (wide, sums), out, meter)?,
            }
        }
        Ok(())
    }

    fn estimate(&self, graph: &Graph) -> f64 {
        self.survey(graph, &mut Tables::default())
    }

    /// Rows added up and numbers multiplied, predicted; infinite where twins do not make the graph
    /// small.
    fn survey(&self, graph: &Graph, prepared: &mut Tables) -> f64 {
        let n = graph.order();
        prepared.start(graph);
        prepared.narrow.forget_classes();
        prepared.wide.forget_classes();
        let dense = n <= NARROW && graph.arc_count() >= FEWEST_ARCS * n;
        if n > MAX_VERTICES || !dense && (n < MANY || !are_few(graph, MAX_CLASSES)) {
            return f64::INFINITY;
        }
        let classes = match prepared.is_wide {
            false => prepared.narrow.find_classes(graph),
            true => prepared.wide.find_classes(graph),
        };
        let Some(classes) = classes else { return f64::INFINITY };
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
        if self.formulas.largest <= 4 {
            steps *= FOUR;
        }
        steps += self.formulas.reads(q as f64, arcs);
        steps * STEP + (n + 2 * graph.arc_count()) as f64
    }
}

/// Numbers at one arc u → v of classes.
struct Arc<'a, N> {
    tables: &'a DenseTables<N>,
    u: usize,
    v: usize,
    /// T.
    set: &'a [u64],
    /// c(u, ·), c(v, ·), s.
    walks: [&'a [N]; 2],
    common: &'a [N],
    near: [&'a [N]; 2],
    pairs: [&'a [N]; 2],
}

impl<N: Number> Arc<'_, N> {
    /// Numbers of a vertex of class `y`, neither u nor v.
    #[inline]
    fn numbers(&self, y: usize) -> [u64; NUMBERS] {
        let get = |row: &[N]| row.get(y).map_or(0, |&value| value.into());
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
        let get = |row: &[N], y: usize| row.get(y).map_or(0, |&value| value.into());
        let [d_u, d_v] = [u, v].map(|x| u64::from(tables.degrees[x]));
        let [t_u, t_v] = [u, v].map(|x| tables.triangles[x].into());
        let t = self.walks[0][v].into();
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
            let through = |row: &[N], set: &[u64]| {
                let all: u64 = row[y].into();
                all.wrapping_sub(u64::from(contains(set, y)))
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
    fn root<N: Number, C: Cells>(
        &self,
        (tables, u): (&DenseTables<N>, usize),
        (rows, sums): (&mut Rows<N>, &mut ArcSums),
        out: &mut Outputs<C>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        let ArcSums { monomials, counts, sums, wide_counts } = sums;
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
            self.bases((tables, u, v), rows, &mut values, meter)?;
            let [d_u, d_v] = [u, v].map(|x| u64::from(tables.degrees[x]));
            let factors = [d_u, d_v, tables.walks(u)[v].into()];
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
                self.formulas.arcs.evaluate(
                    monomials,
                    counts,
                    |matching, columns, count: u64| {
                        // Tables are zero to begin with, and most counts of a star are.
                        if count > 0
                            && let Some(table) = out.arc(MATCHINGS[matching])
                        {
                            for some in edges.chunks(PERIOD) {
                                if some.len() == PERIOD {
                                    meter.look()?;
                                }
                                for &edge in some {
                                    let put = |&column| table.add(edge as usize, column, count);
                                    columns.iter().for_each(put);
                                }
                            }
                        }
                        Ok(())
                    },
                )?;
                meter.steps(edges.len() as u64)?;
            }
        }
        if !vertices {
            return Ok(());
        }
        let members = tables.classes.members(u);
        meter.steps(members.len() as u64)?;
        self.formulas.vertices.evaluate(sums, wide_counts, |matching, columns, count: u128| {
            let count = u64::try_from(count).map_err(|_| Stop::Overflow)?;
            if count > 0
                && let Some(table) = out.vertex(MATCHINGS[matching])
            {
                for some in members.chunks(PERIOD) {
                    if some.len() == PERIOD {
                        meter.look()?;
                    }
                    for &v in some {
                        columns.iter().for_each(|&column| table.add(v as usize, column, count));
                    }
                }
            }
            Ok(())
        })
    }

    /// The bases of one arc u → v of classes.
    fn bases<N: Number>(
        &self,
        (tables, u, v): (&DenseTables<N>, usize, usize),
        rows: &mut Rows<N>,
        values: &mut BaseValues,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        let wants = &self.wants;
        let Rows { set, common, sum } = rows;
        tables.meet(u, v, set);
        let classes: usize = set.iter().map(|word| word.count_ones() as usize).sum();
        let rows = usize::from(wants.common) + usize::from(wants.inside);
        meter.steps((1 + tables.len() + rows * classes * tables.stride / 8) as u64)?;
        common.clear();
        if wants.common {
            common.resize(tables.stride, N::default());
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
