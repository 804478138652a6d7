//! Maps that keep edges, counted without listing them; and occurrences as signed sums of them.
//!
//! The number of maps of a pattern H into a graph is a sum over the images of its vertices, and a
//! decomposition of H says in which order to take the sums: a leaf is a sum over neighbours, a
//! triangle's ear a sum over triangles, and a cycle a few sparse rows around every vertex. A tree
//! costs O(m) whatever its size, a pattern of treewidth two at most O(n m), where search costs one
//! step for every path it walks. What patterns and roots have in common is worked out once.
//!
//! [`HomomorphismKernel`] counts maps ([`Matching::Homomorphism`]), labels and directions included.
//! [`QuotientKernel`] counts occurrences: injective maps are a signed sum of the maps of all
//! quotients of the pattern, and induced ones one over supergraphs.

mod anchored;
mod anchors;
mod bounds;
mod build;
mod columns;
mod compile;
mod engine;
mod estimate;
mod expression;
mod forms;
mod functions;
mod host;
mod lanes;
mod lifetimes;
mod machine;
mod number;
mod program;
mod shape;
mod sums;
#[cfg(test)]
mod tests;

use super::Matching;
use super::budget::{Meter, Stop};
use super::cells::{Cells, PatternColumns, WantedTables};
use super::kernel::{Kernel, Piece, Use, is_plain};
use crate::graph::Graph;
use crate::pattern::Pattern;
use columns::{ColumnSum, Columns};
#[cfg(any(test, feature = "testing"))]
pub(super) use engine::ALWAYS_WIDE;
use engine::Memory;
use expression::Expressions;
use program::Program;
use shape::{Root, Shape};
use sums::{Sums, rows_of};

/// Vertices whose columns are filled one column after the other.
const TOGETHER: usize = 1024;

/// A program and the columns that follow from it.
#[derive(Clone, Debug)]
struct Plan {
    program: Program,
    columns: Columns,
}

impl Plan {
    fn new(expressions: Expressions, columns: Columns) -> Self {
        let mut program = Program::new(expressions, &columns.functions());
        program.needs_reverse |= columns.arc.iter().any(|column| column.backward);
        Self { program, columns }
    }

    fn run<K: Kernel<Prepared = Memory>, C: Cells>(
        &self,
        piece: Piece<'_, '_, K, C>,
    ) -> Result<(), Stop> {
        let Piece { graph, prepared, roots, out, meter, .. } = piece;
        let width = self.columns.vertex_terms() as u64;
        let arcs = self.columns.arc_terms() as u64;
        let mut from = roots.start;
        while from < roots.end {
            let some = from..roots.end.min(from + TOGETHER);
            let degrees = some.clone().map(|v| graph.degree(v as u32) as u64);
            let steps = degrees.map(|degree| 1 + width + arcs * degree / 2).sum();
            meter.steps(steps)?;
            from = some.end;
            self.columns.add(prepared, graph, some, out)?;
        }
        Ok(())
    }
}

/// One root for every vertex orbit of a pattern, with its column and the orbit's size.
fn vertex_roots(own: &PatternColumns) -> Vec<(Root, usize, usize)> {
    let orbits = own.orbits.vertex_orbits();
    orbits.iter().map(|orbit| (Root::Vertex(orbit[0]), own.vertex(orbit[0]), orbit.len())).collect()
}

/// The same for arcs; in undirected patterns an orbit behind its reverse says so.
fn arc_roots(own: &PatternColumns) -> Vec<(Root, usize, usize, bool)> {
    let orbits = &own.orbits.arc_orbits();
    let root = |(index, orbit): (usize, &Vec<(usize, usize)>)| {
        let (a, b) = orbit[0];
        let back = own.orbits.reverse(index).filter(|&back| back < index);
        let (first, second) = orbits[back.unwrap_or(index)][0];
        (Root::Arc(first, second), own.arc(a, b), orbit.len(), back.is_some())
    };
    orbits.iter().enumerate().map(root).collect()
}

impl Columns {
    /// Adds what is wanted of a pattern: the sum of each root, from its column, the size of its
    /// orbit and whether it is read behind its reverse.
    fn extend(
        &mut self,
        own: &PatternColumns,
        wanted: WantedTables,
        mut sum: impl FnMut(Root, usize, usize, bool) -> ColumnSum,
    ) {
        if wanted.vertices {
            let roots = vertex_roots(own).into_iter();
            self.vertex.extend(roots.map(|(root, at, size)| sum(root, at, size, false)));
        }
        if wanted.arcs {
            let roots = arc_roots(own).into_iter();
            self.arc.extend(roots.map(|(root, at, size, back)| sum(root, at, size, back)));
        }
    }
}

/// Counts maps that keep edges.
#[derive(Clone, Debug)]
pub(super) struct HomomorphismKernel(Plan);

impl Kernel for HomomorphismKernel {
    const NAME: &'static str = "maps";
    const REASON: &'static str =
        "sums along a decomposition of the patterns, shared by all of them";
    const USE: Use = Use::Maps;
    const SHARED_BY_PARTS: bool = false;

    type Prepared = Memory;
    type Scratch = ();

    fn accepts(_: &Pattern) -> bool {
        true
    }

    fn new(patterns: &[PatternColumns], wanted: WantedTables) -> Self {
        let directed = patterns.first().is_some_and(|own| own.pattern.is_directed());
        let mut expressions = Expressions::new(directed);
        let mut columns = Columns::default();
        let mut function = |own: &PatternColumns, root: Root| {
            let shape = Shape::of(&own.pattern, &mut expressions);
            vec![(1, build::rooted(shape, root, &mut expressions))]
        };
        let column = |column, sum, backward| ColumnSum {
            matching: Matching::Homomorphism,
            column,
            sum,
            times: 1,
            divisor: 1,
            backward,
        };
        for own in patterns.iter().filter(|_| wanted.homomorphism()) {
            columns.extend(own, wanted, |root, at, _, backward| {
                column(at, function(own, root), backward)
            });
        }
        Self(Plan::new(expressions, columns))
    }

    fn estimate(&self, graph: &Graph) -> f64 {
        estimate::steps(&self.0.program, &self.0.columns, graph)
    }

    fn excessive_memory(&self, graph: &Graph) -> Option<u64> {
        self.0.program.excessive_memory(graph)
    }

    fn memory(&self, graph: &Graph, threads: usize) -> u64 {
        self.0.program.bytes(graph, threads)
    }

    fn prepare(
        &self,
        graph: &Graph,
        prepared: &mut Memory,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        prepared.fill(&self.0.program, graph, meter)
    }

    /// What is left for the roots is to read the values off.
    fn weight(&self, graph: &Graph, _: &Memory, root: usize) -> f64 {
        1.0 + graph.degree(root as u32) as f64
    }

    fn run<C: Cells>(&self, piece: Piece<'_, '_, Self, C>) -> Result<(), Stop> {
        self.0.run(piece)
    }
}

/// Counts occurrences by the maps of quotients.
#[derive(Clone, Debug)]
pub(super) struct QuotientKernel(Plan);

/// Most vertices of a pattern whose quotients are listed: it has 4140 at most.
const MAX_ORDER: usize = 9;

impl Kernel for QuotientKernel {
    const NAME: &'static str = "sums";
    const REASON: &'static str = "signed sums of the maps of all quotients, each counted once";
    const USE: Use = Use::WhereCheaper;
    const SHARED_BY_PARTS: bool = false;

    type Prepared = Memory;
    type Scratch = ();

    fn accepts(pattern: &Pattern) -> bool {
        is_plain(pattern) && pattern.order() <= MAX_ORDER
    }

    fn new(patterns: &[PatternColumns], wanted: WantedTables) -> Self {
        let mut sums = Sums::new();
        let mut columns = Columns::default();
        for matching in [Matching::Induced, Matching::Subgraph] {
            if !wanted.matchings[matching as usize] {
                continue;
            }
            for own in patterns {
                let rows = rows_of(&own.pattern);
                let group = own.orbits.group_order().to_u128().unwrap_or(1) as i128;
                columns.extend(own, wanted, |root, column, size, backward| {
                    let sum = match matching {
                        Matching::Induced => sums.induced(&rows, root),
                        _ => sums.injective(&rows, root),
                    };
                    let times = size as i128;
                    ColumnSum { matching, column, sum, times, divisor: group, backward }
                });
            }
        }
        Self(Plan::new(sums.expressions, columns))
    }

    fn estimate(&self, graph: &Graph) -> f64 {
        estimate::steps(&self.0.program, &self.0.columns, graph)
    }

    fn excessive_memory(&self, graph: &Graph) -> Option<u64> {
        self.0.program.excessive_memory(graph)
    }

    fn memory(&self, graph: &Graph, threads: usize) -> u64 {
        self.0.program.bytes(graph, threads)
    }

    fn prepare(
        &self,
        graph: &Graph,
        prepared: &mut Memory,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        prepared.fill(&self.0.program, graph, meter)
    }

    /// What is left for the roots is to read the values off.
    fn weight(&self, graph: &Graph, _: &Memory, root: usize) -> f64 {
        1.0 + graph.degree(root as u32) as f64
    }

    fn run<C: Cells>(&self, piece: Piece<'_, '_, Self, C>) -> Result<(), Stop> {
        self.0.run(piece)
    }
}
