//! Paths of any set of lengths, both matchings, vertices and arcs, in one depth-first pass.
//!
//! From every vertex all paths are walked; each is met from both of its ends, so only the first
//! half of a walk needs credit (see `count/tally.rs`), and the last vertex is counted, not listed.
//! A chord on the way only rules out induced paths, so one pass gives both counts.
//!
//! At most one step for every path of k − 1 vertices, twice; in graphs of more than 64 vertices
//! one for every neighbour looked at.

mod large;
mod positions;
mod small;
#[cfg(test)]
mod tests;

use super::budget::{Meter, Stop};
use super::cells::{Cells, PatternColumns, WantedTables};
use super::kernel::{Kernel, Piece, SmallMembers, Use, is_plain};
use super::probe::{fixed_random, sum_over_roots};
use super::tally::{SavedTotals, Tally, WalkColumns};
use crate::graph::Graph;
use crate::graph::small::{self as bit, BitGraph, Rows, WORD};
use crate::pattern::Pattern;
use crate::random::Random;
use positions::Positions;

/// Counts paths of any lengths.
#[derive(Clone, Debug)]
pub(super) struct PathKernel {
    positions: Positions,
    /// Whether walks go on behind a chord.
    chords: bool,
}

/// Bit rows of a small graph.
#[derive(Debug)]
pub(super) struct Prepared {
    rows: Rows,
}

impl Default for Prepared {
    fn default() -> Self {
        Self { rows: [0; WORD] }
    }
}

/// Memory of one thread.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    saved: SavedTotals,
    marks: large::Marks,
}

impl PathKernel {
    /// Steps if walks of this length that do not turn back were paths: an excellent guess while
    /// they are too short to run into themselves.
    fn walks(&self, graph: &Graph) -> f64 {
        let n = graph.order() as u32;
        let look = |v: u32| if n as usize <= WORD { 1.0 } else { 1.0 + graph.degree(v) as f64 };
        // ways[v]: walks of some number of edges that end at v.
        let mut ways = vec![1.0f64; n as usize];
        let mut next = ways.clone();
        let mut steps: f64 = (0..n).map(look).sum();
        for edges in 1..=self.positions.longest() - 2 {
            for v in 0..n {
                let around = graph.neighbors(v).iter();
                next[v as usize] = around
                    .map(|&u| {
                        let degree = graph.degree(u) as f64;
                        let onward = if edges == 1 { 1.0 } else { (degree - 1.0) / degree };
                        ways[u as usize] * onward
                    })
                    .sum();
            }
            std::mem::swap(&mut ways, &mut next);
            let last = edges + 2 == self.positions.longest();
            steps +=
                (0..n).map(|v| ways[v as usize] * if last { 1.0 } else { look(v) }).sum::<f64>();
        }
        steps
    }

    /// Steps by random walks; how many ways there are on is told by a few of them.
    fn probes(&self, graph: &Graph) -> f64 {
        let mut order: Vec<u32> = (0..graph.order() as u32).collect();
        order.sort_unstable_by_key(|&v| (std::cmp::Reverse(graph.degree(v)), v));
        let (mut walk, mut next) = (Vec::<u32>::new(), Vec::new());
        sum_over_roots(order.len(), &mut fixed_random(), |root, _| {
            let mut sum = 0.0;
            // The same walks for any length, so that shorter paths are never predicted to cost more.
            let mut starts = Random::new(root as u64);
            for _ in 0..PROBES {
                let random = &mut Random::new(starts.bits());
                let mut weight = 1.0;
                walk.clear();
                walk.push(order[root]);
                while walk.len() < self.positions.longest() - 1 {
                    let (&at, before) = walk.split_last().expect("a walk has a start");
                    let fits = |&y: &u32| {
                        let clean = |&x: &u32| x != y && (self.chords || !graph.has_arc(x, y));
                        before.iter().all(clean)
                    };
                    let around = graph.neighbors(at);
                    next.clear();
                    let looked = if around.len() <= LOOKED {
                        next.extend(around.iter().copied().filter(fits));
                        around.len()
                    } else {
                        let some = (0..LOOKED).map(|_| around[random.below(around.len())]);
                        next.extend(some.filter(fits));
                        LOOKED
                    };
                    if next.is_empty() {
                        break;
                    }
                    weight *= next.len() as f64 * around.len() as f64 / looked as f64;
                    let y = next[random.below(next.len())];
                    walk.push(y);
                    let look = if graph.order() <= WORD { 0 } else { graph.degree(y) };
                    sum += weight * (1 + look) as f64;
                }
            }
            1.0 + sum / PROBES as f64
        })
    }
}

impl Kernel for PathKernel {
    const NAME: &'static str = "path";
    const REASON: &'static str = "all paths in one depth-first walk, the last vertex counted";
    // Listing all small vertex sets finds short paths faster than walking.
    const USE: Use = Use::Family(SmallMembers::Leave);

    type Prepared = Prepared;
    type Scratch = Scratch;

    fn accepts(pattern: &Pattern) -> bool {
        // Connected, one edge less than vertices, no branching.
        is_plain(pattern)
            && pattern.size() + 1 == pattern.order()
            && (0..pattern.order()).all(|a| pattern.degree(a) <= 2)
    }

    fn new(patterns: &[PatternColumns], wanted: WantedTables) -> Self {
        Self { positions: Positions::new(patterns), chords: wanted.subgraph() }
    }

    /// Makes bit rows for a small graph.
    fn prepare(
        &self,
        graph: &Graph,
        prepared: &mut Prepared,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        if graph.order() <= WORD {
            bit::fill(graph, &mut prepared.rows);
            meter.steps(graph.arc_count() as u64)?;
        }
        Ok(())
    }

    /// Marks of every vertex, by thread.
    fn memory(&self, graph: &Graph, threads: usize) -> u64 {
        (threads * 2 * graph.order()) as u64
    }

    /// Counts the paths that start at these roots.
    fn run<C: Cells>(&self, piece: Piece<'_, '_, Self, C>) -> Result<(), Stop> {
        let Piece { graph, prepared, roots, scratch, out, meter } = piece;
        let mut tally = Tally::new(&self.positions, out, &mut scratch.saved);
        if graph.order() <= WORD {
            let graph = BitGraph::of(graph, &prepared.rows);
            let mut search = small::Search { graph, tally: &mut tally, meter };
            for root in roots {
                search.root(root)?;
            }
        } else {
            let state = &mut scratch.marks;
            let mut search = large::Search { graph, tally: &mut tally, meter, state };
            for root in roots {
                search.root(root as u32)?;
            }
        }
        Ok(())
    }

    fn estimate(&self, graph: &Graph) -> f64 {
        let reading = (graph.order() + graph.arc_count()) as f64;
        match self.positions.longest() {
            0..=2 => reading,
            longest if longest <= WALKS_UP_TO => {
                let walks = self.walks(graph);
                // Most walks in a dense graph have a chord, which is worth a look if it matters.
                if self.chords || walks < MANY {
                    reading + walks
                } else {
                    reading + self.probes(graph)
                }
            }
            _ => reading + self.probes(graph),
        }
    }
}

/// Number of vertices up to which walks stand for paths in estimates.
const WALKS_UP_TO: usize = 8;
/// Steps from which on it is worth asking how many walks have chords.
const MANY: f64 = 1e7;
/// Random walks from each root probed, and neighbours of a vertex that are looked at.
const PROBES: usize = 8;
const LOOKED: usize = 16;
