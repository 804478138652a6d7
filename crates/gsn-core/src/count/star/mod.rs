//! Stars with any numbers of leaves, both matchings, vertices and arcs.
//!
//! Subgraph: any leaves will do, so a centre of degree d has C(d, l) stars of l leaves and each
//! neighbour is in C(d − 1, l − 1) of them. Induced: the leaves are an independent set among the
//! neighbours, that is, a clique of the complement; `pivot` counts those of all sizes in one
//! search without listing them, and neighbours without a triangle on their spoke cost nothing.
//! Where there are many edges among the neighbours, up to five leaves come from the counts of small
//! patterns in the neighbourhood (`independent`); in large graphs up to three leaves are left to
//! the formulas for small patterns.
//!
//! O(n + m) for subgraphs; for induced stars also the triangles, and the search or the counts.

mod neighbourhood;
#[cfg(test)]
mod tests;

use super::Matching;
use super::binomial::binomial;
use super::budget::{Meter, Stop};
use super::cells::{Cells, Outputs, PatternColumns, WantedTables};
use super::cost::nanoseconds;
use super::graphlet::FormulaKernel;
use super::independent::{self, IndependentSets, MAX_SET, SetCounts};
use super::kernel::{Kernel, Piece, SmallMembers, Use, is_plain, surroundings};
use super::pivot::{Memory, PivotGraph, Pivoter, Sink, WordGraph, full, probe};
use super::probe::{fixed_random, sum_over_roots};
use crate::graph::Graph;
use crate::graph::oriented::{EdgeNumbers, OrientedGraph};
use crate::graph::small::WORD;
use crate::pattern::{MAX_ORDER, Pattern};
use crate::random::Random;
use neighbourhood::Neighbourhood;
use std::ops::Range;
use std::sync::OnceLock;

/// Counts stars of any numbers of leaves.
#[derive(Clone, Debug)]
pub(super) struct StarKernel {
    /// Numbers of leaves, in increasing order.
    leaves: Vec<usize>,
    /// Columns, by number of leaves.
    columns: Vec<Columns>,
    /// The columns of the i-th number of leaves.
    ranges: Vec<Range<usize>>,
    /// Whether induced stars are wanted.
    induced: bool,
    patterns: Vec<PatternColumns>,
    wanted: WantedTables,
    /// The formulas for all these stars, made when first needed.
    formulas: OnceLock<FormulaKernel>,
}

/// What is known of a graph.
#[derive(Debug, Default)]
pub(super) struct Prepared {
    pivot: PivotGraph,
    /// Subgraph stars that a leaf is in, by number of leaves and degree of the centre; `None` where
    /// 64 bits do not suffice. Filled in large graphs.
    by_degree: Vec<Vec<Option<u64>>>,
    formulas: <FormulaKernel as Kernel>::Prepared,
}

/// Columns of one star.
#[derive(Clone, Copy, Debug)]
struct Columns {
    centre: usize,
    leaf: usize,
    /// Arc from the centre to a leaf.
    out: usize,
    /// Arc from a leaf to the centre.
    back: usize,
}

/// Memory of one thread.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    memory: Memory,
    neighbourhood: Neighbourhood,
    sets: independent::Memory,
    formulas: <FormulaKernel as Kernel>::Scratch,
}

/// Edges of a graph that is large; few in tests, so that both ways are taken.
const LARGE: usize = if cfg!(test) { 80 } else { 4096 };

/// Leaves up to which large graphs are left to the formulas.
const FEW_LEAVES: usize = 3;

/// Edges among neighbours from which on leaves are counted by small patterns; few in tests, so
/// that both ways are taken.
const MANY_EDGES: usize = if cfg!(test) { 6 } else { 256 };

/// The centre of a star: the vertex that all others are joined to.
fn centre(pattern: &Pattern) -> Option<usize> {
    (0..pattern.order()).find(|&a| pattern.degree(a) + 1 == pattern.order())
}

impl StarKernel {
    /// Credits a spoke and its leaf with stars of every number of leaves.
    #[inline]
    fn leaf<C: Cells>(
        &self,
        out: &mut Outputs<C>,
        matching: Matching,
        (centre, leaf): (usize, usize),
        edge: usize,
        counts: &[u64],
    ) {
        for ((range, &l), &count) in self.ranges.iter().zip(&self.leaves).zip(counts) {
            if count == 0 {
                continue;
            }
            for columns in &self.columns[range.clone()] {
                // An edge alone is a star around either end; it counts as the one around its
                // smaller end for the arc, and for each vertex as the one around itself.
                if l > 1
                    && let Some(cells) = out.vertex(matching)
                {
                    cells.add(leaf, columns.leaf, count);
                }
                if (l > 1 || centre < leaf)
                    && let Some(cells) = out.arc(matching)
                {
                    cells.add(edge, if centre < leaf { columns.out } else { columns.back }, count);
                }
            }
        }
    }

    /// Credits a centre.
    fn centre<C: Cells>(
        &self,
        out: &mut Outputs<C>,
        matching: Matching,
        centre: usize,
        size: usize,
        count: u64,
    ) {
        if let Some(cells) = out.vertex(matching) {
            for columns in &self.columns[self.ranges[size].clone()] {
                cells.add(centre, columns.centre, count);
            }
        }
    }

    /// Stars around `v` where any leaves will do: subgraphs, and all where no two neighbours are
    /// joined.
    fn any_leaves<C: Cells>(
        &self,
        graph: &Graph,
        v: u32,
        matching: Matching,
        out: &mut Outputs<C>,
    ) -> Result<(), Stop> {
        let degree = graph.degree(v);
        let mut counts = [0; MAX_ORDER];
        for (size, &l) in self.leaves.iter().enumerate().take_while(|(_, l)| **l <= degree) {
            // The centre's number may be too large where those of the leaves fit.
            if out.vertex(matching).is_some() {
                let count = binomial(degree, l).ok_or(Stop::Overflow)?;
                self.centre(out, matching, v as usize, size, count);
            }
            counts[size] = binomial(degree - 1, l - 1).ok_or(Stop::Overflow)?;
        }
        for arc in graph.arcs_of(v) {
            let ends = (v as usize, graph.arc_target(arc) as usize);
            self.leaf(out, matching, ends, graph.edge_id(arc), &counts);
        }
        Ok(())
    }
}

/// Centres of most neighbours that an estimate walks from more than once, and how often; walks by
/// which two ways are compared.
const HUBS: usize = 16;
const WALKS: u32 = 64;
const FEW_WALKS: u32 = 4;

/// Steps of a search that take as long as one look at a neighbour.
const LOOK: f64 = 0.1;

impl Kernel for StarKernel {
    const NAME: &'static str = "star";
    const REASON: &'static str = "leaves chosen from each neighbourhood";
    const USE: Use = Use::Family(SmallMembers::Keep);

    type Prepared = Prepared;
    type Scratch = Scratch;

    fn accepts(pattern: &Pattern) -> bool {
        is_plain(pattern) && pattern.size() + 1 == pattern.order() && centre(pattern).is_some()
    }

    fn new(patterns: &[PatternColumns], wanted: WantedTables) -> Self {
        let (mut leaves, mut columns, mut ranges) = (Vec::new(), Vec::new(), Vec::new());
        for l in 1..MAX_ORDER {
            let from = columns.len();
            for star in patterns.iter().filter(|star| star.pattern.order() == l + 1) {
                let c = centre(&star.pattern).expect("stars have a centre");
                let a = usize::from(c == 0);
                let (centre, leaf) = (star.vertex(c), star.vertex(a));
                columns.push(Columns { centre, leaf, out: star.arc(c, a), back: star.arc(a, c) });
            }
            if columns.len() > from {
                leaves.push(l);
                ranges.push(from..columns.len());
            }
        }
        let (induced, patterns) = (wanted.induced(), patterns.to_vec());
        Self { leaves, columns, ranges, induced, patterns, wanted, formulas: OnceLock::new() }
    }

    fn prepare(
        &self,
        graph: &Graph,
        prepared: &mut Prepared,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        if let Some(formulas) = self.formulas(graph) {
            return formulas.prepare(graph, &mut prepared.formulas, meter);
        }
        prepared.by_degree.clear();
        if self.wanted.subgraph() && !self.wanted.arcs && graph.order() > WORD {
            let most = graph.max_degree();
            let of = |l: usize| (0..=most).map(|d| binomial(d.max(1) - 1, l - 1)).collect();
            prepared.by_degree.extend(self.leaves.iter().map(|&l| of(l)));
        }
        if self.induced {
            prepared.pivot.load(graph, EdgeNumbers::Leave, meter)
        } else {
            meter.steps(1)
        }
    }

    /// Subgraphs take a look at each neighbour.
    fn weight(&self, graph: &Graph, _: &Prepared, root: usize) -> f64 {
        let degree = graph.degree(root as u32) as f64;
        if self.induced { surroundings(graph, root as u32) } else { 1.0 + degree }
    }

    fn predicted_steps(&self, graph: &Graph) -> f64 {
        match self.formulas(graph) {
            Some(formulas) => formulas.predicted_steps(graph),
            None => self.steps(graph, 1.0, IndependentSets::predicted_steps),
        }
    }

    fn memory(&self, graph: &Graph, threads: usize) -> u64 {
        if let Some(formulas) = self.formulas(graph) {
            return formulas.memory(graph, threads);
        }
        if graph.order() <= WORD {
            return 0;
        }
        let by_degree = 16 * self.leaves.len() * graph.max_degree();
        // The position of every vertex, by thread.
        let positions = if self.induced { 4 * threads * graph.order() } else { 0 };
        let oriented =
            if self.induced { OrientedGraph::memory(graph, EdgeNumbers::Leave) } else { 0 };
        oriented + (by_degree + positions) as u64
    }

    fn run<C: Cells>(&self, piece: Piece<'_, '_, Self, C>) -> Result<(), Stop> {
        let Piece { graph, prepared, roots, scratch, out, meter } = piece;
        let Some(&fewest) = self.leaves.first() else { return Ok(()) };
        if let Some(formulas) = self.formulas(graph) {
            let (prepared, scratch) = (&prepared.formulas, &mut scratch.formulas);
            return formulas.run(Piece { graph, prepared, roots, scratch, out, meter });
        }
        let Prepared { pivot: prepared, by_degree, .. } = prepared;
        let (induced, subgraph) = (out.wants(Matching::Induced), out.wants(Matching::Subgraph));
        // Independent sets are cliques of the complement.
        let word = (graph.order() <= WORD).then(|| WordGraph::plain(prepared.rows.map(|row| !row)));
        for v in roots {
            let degree = graph.degree(v as u32);
            meter.steps(1 + degree as u64)?;
            if subgraph && !by_degree.is_empty() && !out.wants_arcs() {
                self.gather(graph, v as u32, by_degree, out)?;
            } else if subgraph && degree >= fewest {
                self.any_leaves(graph, v as u32, Matching::Subgraph, out)?;
            }
            if degree < fewest {
                continue;
            }
            if !induced {
                continue;
            }
            if word.is_none() {
                let name = |w: u32| prepared.oriented.rank[w as usize];
                let row = |w: u32| prepared.oriented.neighbors(w);
                let looked = scratch.neighbourhood.load(graph, v as u32, name, row, |_, _| true);
                meter.steps(looked)?;
                if scratch.neighbourhood.size() == 0 {
                    self.any_leaves(graph, v as u32, Matching::Induced, out)?;
                    continue;
                }
                let random = &mut fixed_random();
                if let Some(inside) = self.by_patterns(&mut scratch.neighbourhood, random)
                    && self.sets(graph, v as u32, &inside, scratch, out, meter)?
                {
                    continue;
                }
            }
            let dense = word.is_none() && scratch.neighbourhood.fill_rows();
            let sink = Spokes { kernel: self, graph, centre: v, numbered: word.is_none(), out };
            let mut pivoter = Pivoter::new(&self.leaves, &mut scratch.memory, sink, meter);
            match &word {
                Some(word) => pivoter.count(word, prepared.rows[v])?,
                None if dense => pivoter.count(&scratch.neighbourhood.dense(), full(degree))?,
                None => pivoter.count(&scratch.neighbourhood.complement(), full(degree))?,
            }
            for size in 0..self.leaves.len() {
                let total = pivoter.total(size);
                if total > 0 {
                    self.centre(pivoter.sink.out, Matching::Induced, v, size, total);
                }
            }
        }
        Ok(())
    }

    fn estimate(&self, graph: &Graph) -> f64 {
        if let Some(formulas) = self.formulas(graph) {
            return formulas.estimate(graph) * nanoseconds(FormulaKernel::NAME)
                / nanoseconds(Self::NAME);
        }
        self.steps(graph, LOOK, |sets, inside| sets.nanoseconds(inside) / nanoseconds(Self::NAME))
    }
}

impl StarKernel {
    /// Predicted steps, those of independent sets in a neighbourhood as they are told; where nothing
    /// is searched for, a look at a neighbour counts as `look`.
    fn steps(
        &self,
        graph: &Graph,
        look: f64,
        of_sets: impl Fn(&IndependentSets, &Graph) -> f64,
    ) -> f64 {
        let reading = (graph.order() + graph.arc_count()) as f64;
        let (Some(&fewest), Some(&most)) = (self.leaves.first(), self.leaves.last()) else {
            return reading;
        };
        if !self.induced {
            return look * reading;
        }
        if graph.max_degree() <= 4 {
            return 4.0 * reading;
        }
        let mut around = Neighbourhood::default();
        let mut order: Vec<u32> = (0..graph.order() as u32).collect();
        order.sort_unstable_by_key(|&v| (std::cmp::Reverse(graph.degree(v)), v));
        reading
            + sum_over_roots(order.len(), &mut fixed_random(), |root, random| {
                let v = order[root];
                if graph.degree(v) < fewest {
                    return 1.0;
                }
                around.load(graph, v, |w| w, |w| graph.neighbors(w), |w, x| w < x);
                // Looked at from the end with fewer neighbours to come.
                let looked = (graph.degree(v) + around.size()) as f64;
                if let Some(inside) = self.by_patterns(&mut around, random) {
                    return looked + of_sets(IndependentSets::of(most), &inside);
                }
                // One walk may miss the branches that matter; those of hubs matter most.
                let walks = if root < HUBS { WALKS } else { 1 };
                looked + self.search(&mut around, walks, random)
            })
    }

    /// The formulas, where they count all stars that are wanted in this graph.
    fn formulas(&self, graph: &Graph) -> Option<&FormulaKernel> {
        let few = self.leaves.last().is_some_and(|&most| most <= FEW_LEAVES);
        if !few || !self.induced || graph.order() <= WORD || graph.edge_count() < LARGE {
            return None;
        }
        Some(self.formulas.get_or_init(|| FormulaKernel::new(&self.patterns, self.wanted)))
    }

    /// Subgraph stars that `v` is the centre of, and those that it is a leaf of.
    fn gather<C: Cells>(
        &self,
        graph: &Graph,
        v: u32,
        by_degree: &[Vec<Option<u64>>],
        out: &mut Outputs<C>,
    ) -> Result<(), Stop> {
        let Some(cells) = out.vertex(Matching::Subgraph) else { return Ok(()) };
        let degree = graph.degree(v);
        for ((range, &l), leaf) in self.ranges.iter().zip(&self.leaves).zip(by_degree) {
            let centre = binomial(degree, l).ok_or(Stop::Overflow)?;
            // An edge alone is counted at each end as the star around it.
            let centres = if l > 1 { graph.neighbors(v) } else { &[] };
            let mut sum = 0u64;
            for &c in centres {
                let more = leaf[graph.degree(c)].ok_or(Stop::Overflow)?;
                sum = sum.checked_add(more).ok_or(Stop::Overflow)?;
            }
            for columns in &self.columns[range.clone()] {
                cells.add(v as usize, columns.centre, centre);
                cells.add(v as usize, columns.leaf, sum);
            }
        }
        Ok(())
    }

    /// The neighbourhood as a graph, where leaves are counted by small patterns in it: where these
    /// are predicted to take less time than a search. Tests do not ask for times.
    fn by_patterns(&self, around: &mut Neighbourhood, random: &mut Random) -> Option<Graph> {
        let most = self.leaves.last().copied().unwrap_or(0);
        if !(2..=MAX_SET).contains(&most) || around.size() < MANY_EDGES {
            return None;
        }
        let inside = around.graph()?;
        if cfg!(test) {
            return Some(inside);
        }
        let search = self.search(around, FEW_WALKS, random) * nanoseconds(Self::NAME);
        (IndependentSets::of(most).nanoseconds(&inside) < 2.0 * search).then_some(inside)
    }

    /// Predicted steps of the search in a neighbourhood: the mean of some walks.
    fn search(&self, around: &mut Neighbourhood, walks: u32, random: &mut Random) -> f64 {
        let most = self.leaves.last().copied().unwrap_or(0);
        let (all, dense) = (full(around.order()), around.fill_rows());
        let walk = |_| match dense {
            true => probe(&around.dense(), all.clone(), 0, most, random),
            false => probe(&around.complement(), all.clone(), 0, most, random),
        };
        (0..walks).map(walk).sum::<f64>() / f64::from(walks)
    }

    /// Induced stars around `v`, whose neighbourhood is `inside`; `false` if that was not possible.
    fn sets<C: Cells>(
        &self,
        graph: &Graph,
        v: u32,
        inside: &Graph,
        scratch: &mut Scratch,
        out: &mut Outputs<C>,
        meter: &mut Meter<'_>,
    ) -> Result<bool, Stop> {
        let most = self.leaves.last().copied().unwrap_or(0);
        let arcs = graph.arcs_of(v);
        let mut fits = true;
        let mut wanted = |counts: &SetCounts| -> [u64; MAX_SET] {
            std::array::from_fn(|size| match self.leaves.get(size) {
                Some(&l) => counts[l].unwrap_or_else(|| {
                    fits = false;
                    0
                }),
                None => 0,
            })
        };
        let all = IndependentSets::of(most).count(
            inside,
            &mut scratch.sets,
            meter,
            |position, counts| {
                let arc = arcs.start + position;
                let ends = (v as usize, graph.arc_target(arc) as usize);
                self.leaf(out, Matching::Induced, ends, graph.edge_id(arc), &wanted(counts));
            },
        )?;
        let Some(all) = all else { return Ok(false) };
        for (size, &total) in wanted(&all)[..self.leaves.len()].iter().enumerate() {
            if total > 0 {
                self.centre(out, Matching::Induced, v as usize, size, total);
            }
        }
        if fits { Ok(true) } else { Err(Stop::Overflow) }
    }
}

/// Credits the leaves around a centre.
struct Spokes<'a, C> {
    kernel: &'a StarKernel,
    graph: &'a Graph,
    centre: usize,
    /// Whether leaves are numbered by their position among the centre's neighbours.
    numbered: bool,
    out: &'a mut Outputs<C>,
}

impl<C: Cells> Sink for Spokes<'_, C> {
    fn pairs(&self) -> bool {
        false
    }

    #[inline]
    fn vertex(&mut self, v: usize, counts: &[u64]) {
        let arcs = self.graph.arcs_of(self.centre as u32);
        let position = if self.numbered {
            v
        } else {
            self.graph.neighbors(self.centre as u32).partition_point(|&w| (w as usize) < v)
        };
        let arc = arcs.start + position;
        let ends = (self.centre, self.graph.arc_target(arc) as usize);
        self.kernel.leaf(self.out, Matching::Induced, ends, self.graph.edge_id(arc), counts);
    }

    fn pair(&mut self, _: usize, _: usize, _: &[u64]) {}
}
