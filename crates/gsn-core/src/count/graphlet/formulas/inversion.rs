//! From wanted columns to monomials: Möbius inversion, derived by program.
//!
//! A map that keeps edges is injective on the quotient by the vertices it identifies, so
//! inj(F; roots) = Σ_π μ(π) hom(F/π; roots) over the partitions π of V(F) into independent
//! sets, μ(π) = Π (−1)^(|B|−1) (|B|−1)!. An arc orbit's subgraph occurrences are its injective
//! maps divided by the stabiliser of the arc; the signed map of [`super::super::conversion`] turns them
//! into induced ones. Vertices are the same with one root: hom(F; a → u) is the sum of
//! hom(F; a → u, b → v) over v for any one neighbour b of a, whichever is cheapest.

use super::super::columns::Targets;
use super::super::conversion::{Conversion, sign};
use super::super::graphlets::{Class, has_edge, pair};
use super::rooted::{BASES, CYCLES5, Monomial};
use crate::count::cells::{PatternColumns, WantedTables};
use std::collections::BTreeMap;

/// The formulas of all wanted tables of some patterns.
#[derive(Clone, Debug)]
pub(super) struct TableFormulas {
    /// Vertices of the largest pattern.
    pub(super) largest: usize,
    pub(super) arcs: Formulas,
    pub(super) vertices: Formulas,
}

impl TableFormulas {
    pub(super) fn new(patterns: &[PatternColumns], wanted: WantedTables) -> Self {
        let targets = Targets::of(patterns);
        Self {
            largest: targets.last().map_or(2, |target| target.graphlets.order),
            arcs: Formulas::of_arcs(&targets, wanted),
            vertices: Formulas::of_vertices(&targets, wanted),
        }
    }

    /// What it costs to put so many rows of vertices and of arcs together, in reads of a table.
    pub(super) fn reads(&self, vertices: f64, arcs: f64) -> f64 {
        (self.vertices.terms() as f64 * vertices + self.arcs.terms() as f64 * arcs) / 4.0
    }
}

/// A subgraph count: Σ coefficient · monomial, divided by the stabiliser.
#[derive(Clone, Debug)]
struct Row {
    terms: Vec<(u16, i64)>,
    stabiliser: u32,
}

/// An output: its columns and Σ coefficient · row.
#[derive(Clone, Debug)]
struct Output {
    columns: Vec<usize>,
    terms: Vec<(u16, i64)>,
}

/// The formulas of all columns, for rows of one kind.
#[derive(Clone, Debug, Default)]
pub(super) struct Formulas {
    /// What has to be known of an arc (or summed over the arcs of a vertex).
    pub(super) monomials: Vec<Monomial>,
    rows: Vec<Row>,
    induced: Vec<Output>,
    subgraph: Vec<Output>,
}

impl Formulas {
    /// Those of the arc columns.
    fn of_arcs(targets: &[Targets], wants: WantedTables) -> Self {
        let mut builder = Builder::default();
        for target in targets.iter().filter(|_| wants.arcs) {
            let maps = &Conversion::of(target.graphlets.order).arc;
            let class_of = |column| target.graphlets.class_of_arc_column(column);
            builder.add(&target.arc, maps, wants, class_of, |class, column| {
                let (a, b) = class.arc_reps[column - class.arc_base];
                let size = class.arc.as_flattened().iter().filter(|&&c| c == column as u16).count();
                (rooted(target.graphlets.order, class, &[a, b], Monomial::of), size)
            });
        }
        builder.finish()
    }

    /// Those of the vertex columns.
    fn of_vertices(targets: &[Targets], wants: WantedTables) -> Self {
        let mut builder = Builder::default();
        for target in targets.iter().filter(|_| wants.vertices) {
            let maps = &Conversion::of(target.graphlets.order).vertex;
            let class_of = |column| target.graphlets.class_of_vertex_column(column);
            builder.add(&target.vertex, maps, wants, class_of, |class, column| {
                let a = class.vertex_reps[column - class.vertex_base];
                let size = class.vertex.iter().filter(|&&c| c == column as u16).count();
                (rooted(target.graphlets.order, class, &[a], vertex_monomial), size)
            });
        }
        builder.finish()
    }

    /// Marks the bases the monomials use.
    pub(super) fn mark(&self, bases: &mut [bool; BASES]) {
        for monomial in &self.monomials {
            bases[monomial.base as usize] = true;
        }
    }

    /// Terms over all rows and outputs: the cost of one [`Formulas::evaluate`].
    fn terms(&self) -> usize {
        let outputs = self.induced.iter().chain(&self.subgraph);
        self.rows.iter().map(|row| row.terms.len()).sum::<usize>()
            + outputs.map(|output| output.terms.len()).sum::<usize>()
    }

    /// Counts from the values of the monomials; `counts` is room for them. Calls `put` with the
    /// matching (0 induced, 1 subgraph), the output columns and the count.
    ///
    /// Arithmetic wraps: the counts in the end fit, so what happens on the way does not matter.
    pub(super) fn evaluate<R: Ring, E>(
        &self,
        values: &[R],
        counts: &mut Vec<R>,
        mut put: impl FnMut(usize, &[usize], R) -> Result<(), E>,
    ) -> Result<(), E> {
        counts.clear();
        counts.extend(self.rows.iter().map(|row| sum(&row.terms, values).divide(row.stabiliser)));
        for (matching, outputs) in [&self.induced, &self.subgraph].into_iter().enumerate() {
            for output in outputs {
                put(matching, &output.columns, sum(&output.terms, counts))?;
            }
        }
        Ok(())
    }
}

fn sum<R: Ring>(terms: &[(u16, i64)], values: &[R]) -> R {
    terms.iter().fold(R::ZERO, |sum, &(at, c)| sum.plus(values[at as usize].times(c)))
}

/// Wrapping arithmetic.
pub(super) trait Ring: Copy {
    const ZERO: Self;
    fn plus(self, other: Self) -> Self;
    fn times(self, coefficient: i64) -> Self;
    /// Exact quotient of a number that is not negative.
    fn divide(self, divisor: u32) -> Self;
}

macro_rules! ring {
    ($type:ty) => {
        impl Ring for $type {
            const ZERO: Self = 0;
            #[inline]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline]
            fn times(self, coefficient: i64) -> Self {
                self.wrapping_mul(coefficient as $type)
            }
            #[inline]
            fn divide(self, divisor: u32) -> Self {
                if divisor == 1 { self } else { self / divisor as $type }
            }
        }
    };
}
ring!(u64);
ring!(u128);

#[derive(Default)]
struct Builder {
    index: BTreeMap<Monomial, u16>,
    formulas: Formulas,
}

impl Builder {
    /// Adds the columns of one number of vertices; `root` gives the maps of a column's rooted graph and the
    /// number of roots in the orbit.
    fn add<'a>(
        &mut self,
        columns: &[Vec<usize>],
        maps: &[Vec<(u16, u32)>],
        wants: WantedTables,
        class_of: impl Fn(usize) -> &'a Class,
        root: impl Fn(&Class, usize) -> (BTreeMap<Monomial, i64>, usize),
    ) {
        let mut outputs: BTreeMap<u16, Vec<(u16, i64)>> = BTreeMap::new();
        for (f, below) in maps.iter().enumerate() {
            let wanted = |h: usize| !columns[h].is_empty();
            let own = wants.subgraph() && wanted(f);
            let above = wants.induced() && below.iter().any(|&(h, _)| wanted(h as usize));
            if !own && !above {
                continue;
            }
            let class = class_of(f);
            let (monomials, orbit) = root(class, f);
            let row = self.formulas.rows.len() as u16;
            let stabiliser = class.group / orbit as u32;
            self.push_row(monomials, stabiliser);
            if own {
                let columns = columns[f].clone();
                self.formulas.subgraph.push(Output { columns, terms: vec![(row, 1)] });
            }
            if above {
                for &(h, c) in below.iter().filter(|&&(h, _)| wanted(h as usize)) {
                    let coefficient = sign(class_of(h as usize), class) * i64::from(c);
                    outputs.entry(h).or_default().push((row, coefficient));
                }
            }
        }
        for (h, terms) in outputs {
            self.formulas.induced.push(Output { columns: columns[h as usize].clone(), terms });
        }
    }

    fn push_row(&mut self, monomials: BTreeMap<Monomial, i64>, stabiliser: u32) {
        let mut terms = Vec::with_capacity(monomials.len());
        for (monomial, c) in monomials.into_iter().filter(|&(_, c)| c != 0) {
            let next = self.index.len() as u16;
            let at = *self.index.entry(monomial).or_insert(next);
            if at == next {
                self.formulas.monomials.push(monomial);
            }
            terms.push((at, c));
        }
        self.formulas.rows.push(Row { terms, stabiliser });
    }

    fn finish(self) -> Formulas {
        self.formulas
    }
}

/// Injective maps of a class rooted at `roots`, as Σ coefficient · monomial.
fn rooted(
    order: usize,
    class: &Class,
    roots: &[usize],
    monomial: fn(usize, u32) -> Monomial,
) -> BTreeMap<Monomial, i64> {
    let mut vertices = roots.to_vec();
    vertices.extend((0..order).filter(|a| !roots.contains(a)));
    let mut found = BTreeMap::new();
    let mut blocks: Vec<Vec<usize>> = Vec::new();
    let mut cycle = None;
    partition(class.code, &vertices, &mut blocks, &mut |blocks| {
        let mut quotient = 0u32;
        for (j, block) in blocks.iter().enumerate() {
            for (i, other) in blocks[..j].iter().enumerate() {
                let joined =
                    block.iter().any(|&a| other.iter().any(|&b| has_edge(class.code, a, b)));
                quotient |= u32::from(joined) << pair(i, j);
            }
        }
        let mobius: i64 = blocks.iter().map(|b| [1, 1, -1, 2, -6][b.len()]).product();
        let monomial = monomial(blocks.len(), quotient);
        *found.entry(monomial).or_insert(0) += mobius;
        if monomial.base as usize == CYCLES5 {
            cycle = Some(monomial);
        }
    });
    match cycle {
        // Its base counts injective maps already.
        Some(cycle) => [(cycle, 1)].into(),
        None => found,
    }
}

/// Visits every partition of `vertices` into independent sets, first vertices first.
fn partition(
    code: u32,
    vertices: &[usize],
    blocks: &mut Vec<Vec<usize>>,
    visit: &mut impl FnMut(&[Vec<usize>]),
) {
    let Some((&a, rest)) = vertices.split_first() else { return visit(blocks) };
    for at in 0..blocks.len() {
        if blocks[at].iter().all(|&b| !has_edge(code, a, b)) {
            blocks[at].push(a);
            partition(code, rest, blocks, visit);
            blocks[at].pop();
        }
    }
    blocks.push(vec![a]);
    partition(code, rest, blocks, visit);
    blocks.pop();
}

/// The root is vertex 0; the other root is the neighbour that makes the cheapest monomial.
fn vertex_monomial(order: usize, code: u32) -> Monomial {
    let candidates = (1..order).filter(|&b| has_edge(code, 0, b)).map(|b| {
        let swap = |x: usize| match x {
            1 => b,
            x if x == b => 1,
            x => x,
        };
        let mut swapped = 0u32;
        for j in 1..order {
            for i in 0..j {
                swapped |= u32::from(has_edge(code, swap(i), swap(j))) << pair(i, j);
            }
        }
        Monomial::of(order, swapped)
    });
    candidates.min_by_key(|&m| (m.rank(), m)).expect("patterns are connected")
}
