//! Lists every connected vertex set of a few vertices once and looks it up; `small` in plans.
//!
//! ESU (Wernicke) grows each connected set of at most K vertices from its smallest vertex, so
//! one search serves all sizes. The adjacency bits of the set are its code; the code says which
//! class and orbits to add to. Only induced counts are added up while searching; subgraph counts
//! follow from them by the conversion of [`super::conversion`], applied to whatever has been added
//! up (it is linear, so partial sums may be converted and added).
//!
//! Cost: every connected set, its vertices and its edges. [`word`] is the search on graphs of at
//! most 64 vertices, [`list`] the one on any graph.

mod list;
mod lookup;
mod sums;
mod word;

use super::columns;
use super::graphlets::MAX_ORDER;
use crate::count::budget::{Stop, out_of_patience};
use crate::count::cells::{Cells, PatternColumns, WantedTables};
use crate::count::kernel::{Kernel, Piece, Use};
use crate::graph::Graph;
use crate::pattern::Pattern;
use lookup::Lookups;

/// Steps that one set counts for: its vertices and edges are each a table entry added to.
const STEPS: u64 = 8;

/// Counts all patterns of at most 6 vertices, undirected and without labels.
#[derive(Clone, Debug)]
pub(in crate::count) struct ListingKernel {
    lookups: Lookups,
}

/// Memory of one thread.
#[derive(Debug, Default)]
pub(in crate::count) struct Scratch {
    word: word::Memory,
    list: list::Memory,
}

impl Kernel for ListingKernel {
    const NAME: &'static str = "small";
    const REASON: &'static str = "every connected vertex set listed once and looked up in a table";
    const USE: Use = Use::AllSmall;

    type Prepared = ();
    type Scratch = Scratch;

    fn accepts(pattern: &Pattern) -> bool {
        columns::accepts(pattern, MAX_ORDER)
    }

    fn new(patterns: &[PatternColumns], wanted: WantedTables) -> Self {
        Self { lookups: Lookups::new(patterns, wanted) }
    }

    /// Marks of every vertex, by thread.
    fn memory(&self, graph: &Graph, threads: usize) -> u64 {
        (threads * 8 * graph.order()) as u64
    }

    fn run<C: Cells>(&self, piece: Piece<'_, '_, Self, C>) -> Result<(), Stop> {
        let Piece { graph, roots, scratch, out, meter, .. } = piece;
        if graph.order() <= word::MAX_ORDER {
            word::run(&self.lookups, graph, roots, &mut scratch.word, out, meter)
        } else {
            list::run(&self.lookups, graph, roots, &mut scratch.list, out, meter)
        }
    }

    /// Connected sets, predicted: trees of each size by degrees, at most all sets of that size.
    fn estimate(&self, graph: &Graph) -> f64 {
        STEPS as f64 * estimate(graph, self.lookups.largest)
    }
}

/// Every connected set has a spanning tree, so the trees of each size bound the sets; molecules
/// and other sparse graphs come close to the bound.
fn estimate(graph: &Graph, largest: usize) -> f64 {
    let degree = |v: u32| graph.degree(v) as f64;
    let choose =
        |n: f64, k: usize| (0..k).map(|i| (n - i as f64).max(0.0) / (i + 1) as f64).product();
    let n = graph.order() as f64;
    let mut trees = [0.0f64; MAX_ORDER + 1];
    trees[1] = n;
    trees[2] = graph.edge_count() as f64;
    for v in 0..graph.order() as u32 {
        if v.is_multiple_of(1 << 12) && out_of_patience() {
            break;
        }
        let d = degree(v);
        let (mut walks, mut forks) = (0.0, 0.0);
        if largest > 3 {
            for &w in graph.neighbors(v) {
                walks += degree(w) - 1.0;
                forks += (degree(w) - 1.0) * (degree(w) - 2.0) / 2.0;
            }
        }
        let wedges: f64 = choose(d, 2);
        let stars: f64 = choose(d, 3);
        trees[3] += wedges;
        // Paths by their middle edge, halved because both ends see it.
        trees[4] += stars + (d - 1.0).max(0.0) * walks / 2.0;
        // Paths by their middle vertex, forks by their edge, stars.
        let pairs_of_walks = if d > 0.0 { walks * walks * (d - 1.0) / d / 2.0 } else { 0.0 };
        trees[5] += choose(d, 4) + pairs_of_walks + (d - 1.0).max(0.0) * forks;
    }
    if trees[4] > 0.0 {
        trees[6] = trees[5] * (trees[5] / trees[4]).max(1.0);
    }
    (1..=largest).map(|k| trees[k].min(choose(n, k))).sum()
}
