//! All connected graphs and all trees of a given number of vertices, up to isomorphism.
//!
//! Every connected graph has a vertex that can be removed without disconnecting it, so all graphs
//! of k vertices come from those of k − 1 by joining a new vertex to some of the old ones. So
//! that most graphs are made once only, the new vertex must come first among the vertices that
//! could be removed, by a number that isomorphisms do not change; canonical forms tell the rest
//! apart. Trees grow by leaves. The order is by number of edges, then by canonical code.
//! Each size is made once a process; 8 vertices take about a tenth of a second.

use super::{Pattern, bits};
use crate::graph::graph6;
use crate::orbit::{Relations, canonical_order};
use std::collections::HashSet;
use std::sync::OnceLock;

/// The largest graphs and trees that are made; the next would be 261,080 graphs or 235 trees.
pub(super) const MAX_CONNECTED: usize = 8;
pub(super) const MAX_TREE: usize = 10;

/// All connected graphs of `k` vertices, 2 to [`MAX_CONNECTED`].
pub(crate) fn connected(k: usize) -> &'static [Pattern] {
    static MADE: [OnceLock<Vec<Pattern>>; MAX_CONNECTED + 1] =
        [const { OnceLock::new() }; MAX_CONNECTED + 1];
    MADE[k].get_or_init(|| {
        if k == 2 {
            return patterns_of(&[vec![0b10, 0b01]]);
        }
        let mut found = UpToIsomorphism::default();
        for smaller in connected(k - 1) {
            for joined in 1..1u64 << (k - 1) {
                let rows = extended(smaller, joined);
                if comes_first(&rows, k - 1) {
                    found.add(&rows);
                }
            }
        }
        found.patterns()
    })
}

/// All trees of `k` vertices, 2 to [`MAX_TREE`].
pub(super) fn trees(k: usize) -> &'static [Pattern] {
    static MADE: [OnceLock<Vec<Pattern>>; MAX_TREE + 1] = [const { OnceLock::new() }; MAX_TREE + 1];
    MADE[k].get_or_init(|| {
        if k == 2 {
            return connected(2).to_vec();
        }
        let mut found = UpToIsomorphism::default();
        for smaller in trees(k - 1) {
            for v in 0..k - 1 {
                found.add(&extended(smaller, 1 << v));
            }
        }
        found.patterns()
    })
}

/// The graph with a new vertex joined to those in `joined`, as sets of neighbours.
fn extended(pattern: &Pattern, joined: u64) -> Vec<u64> {
    let n = pattern.order();
    let old = (0..n).map(|v| pattern.out_set(v) | (joined >> v & 1) << n);
    old.chain([joined]).collect()
}

/// Whether `new` has the smallest number among the vertices that can be removed.
fn comes_first(rows: &[u64], new: usize) -> bool {
    let number = |v: usize| {
        let degree = |w: usize| rows[w].count_ones();
        let around: u32 = bits(rows[v]).map(degree).sum();
        let inside: u32 = bits(rows[v]).map(|w| (rows[w] & rows[v]).count_ones()).sum();
        degree(v) << 16 | around << 8 | inside
    };
    let own = number(new);
    (0..rows.len()).all(|v| number(v) >= own || !connected_without(rows, v))
}

fn connected_without(rows: &[u64], v: usize) -> bool {
    let others = (u64::MAX >> (64 - rows.len())) & !(1 << v);
    let mut reached = others & others.wrapping_neg();
    let mut frontier = reached;
    while frontier != 0 {
        let around = bits(frontier).fold(0, |set, w| set | rows[w]);
        frontier = around & others & !reached;
        reached |= frontier;
    }
    reached == others
}

/// Graphs of one order, of isomorphic ones the first, by canonical form.
#[derive(Default)]
struct UpToIsomorphism(HashSet<Vec<u64>>);

impl UpToIsomorphism {
    fn add(&mut self, rows: &[u64]) {
        let relations = Relations::plain(rows);
        let order = canonical_order(&relations);
        let mut position = [0u8; 64];
        for (at, &v) in order.iter().enumerate() {
            position[v as usize] = at as u8;
        }
        let row = |&v: &u8| bits(rows[v as usize]).fold(0, |set, w| set | 1 << position[w]);
        self.0.insert(order.iter().map(row).collect());
    }

    fn patterns(self) -> Vec<Pattern> {
        let graphs: Vec<_> = self.0.into_iter().collect();
        patterns_of(&graphs)
    }
}

/// Graphs in their canonical form as patterns, by number of edges and name.
pub(super) fn patterns_of(graphs: &[Vec<u64>]) -> Vec<Pattern> {
    let mut patterns: Vec<_> = graphs
        .iter()
        .map(|rows| {
            graph6::encode(rows.len(), |u, v| rows[u] >> v & 1 == 1)
                .map_err(super::PatternError::from)
                .and_then(|text| Pattern::from_graph6(&text))
                .expect("a connected graph of few vertices is a pattern")
        })
        .collect();
    patterns.sort_by(|p, q| p.size().cmp(&q.size()).then_with(|| p.name.cmp(&q.name)));
    patterns
}
