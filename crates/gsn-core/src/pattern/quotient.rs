//! The quotients of a pattern, and injective maps as a signed sum of maps of quotients.
//!
//! A map of H into a simple graph glues together the vertices that it sends to one place; these are
//! never adjacent. So with μ(π) = ∏ over the blocks B of π of (−1)^(|B|−1) · (|B|−1)!
//!
//! > inj(H, u → v) = Σ over the partitions π of V(H) into independent sets: μ(π) · hom(H/π, \[u\] → v)
//!
//! (Lovász; Curticapean, Dell, Marx 2017). Partitions with isomorphic quotients that have the root
//! at the same place are added up. A pattern of k vertices has at most Bell(k − 1) such partitions
//! if it is connected: 877 for eight.

use super::{Pattern, bits};
use crate::orbit::{Relations, canonical_order};
use std::collections::HashSet;

/// Most vertices of a pattern whose quotients the grammar names.
pub(super) const MAX_QUOTIENTS: usize = 10;

/// A partition of a pattern's vertices into independent sets.
#[derive(Clone, Debug)]
pub(crate) struct Partition {
    /// The block of every vertex.
    pub(crate) block: Vec<u8>,
    /// Neighbours of every block.
    pub(crate) rows: Vec<u64>,
    /// μ.
    pub(crate) sign: i64,
}

/// All partitions of a graph into independent sets; `rows[v]` are the neighbours of `v`.
pub(crate) fn partitions(rows: &[u64]) -> Vec<Partition> {
    let mut found = Vec::new();
    let mut block = vec![0u8; rows.len()];
    extend(rows, 0, &mut block, &mut Vec::new(), &mut found);
    found
}

fn extend(
    rows: &[u64],
    v: usize,
    block: &mut Vec<u8>,
    blocks: &mut Vec<u64>,
    found: &mut Vec<Partition>,
) {
    if v == rows.len() {
        found.push(partition(rows, block, blocks));
        return;
    }
    for at in 0..blocks.len() {
        if blocks[at] & rows[v] == 0 {
            blocks[at] |= 1 << v;
            block[v] = at as u8;
            extend(rows, v + 1, block, blocks, found);
            blocks[at] &= !(1 << v);
        }
    }
    block[v] = blocks.len() as u8;
    blocks.push(1 << v);
    extend(rows, v + 1, block, blocks, found);
    blocks.pop();
}

fn partition(rows: &[u64], block: &[u8], blocks: &[u64]) -> Partition {
    let around = |members: &u64| {
        let joined = bits(*members).fold(0, |set, v| set | rows[v]);
        bits(joined).fold(0u64, |set, w| set | 1 << block[w])
    };
    let sign = |members: &u64| (1..i64::from(members.count_ones())).map(|k| -k).product::<i64>();
    Partition {
        block: block.to_vec(),
        rows: blocks.iter().map(around).collect(),
        sign: blocks.iter().map(sign).product(),
    }
}

/// A graph in its canonical form.
pub(crate) type CanonicalRows = Vec<u64>;

/// The canonical form of a graph, and the number of each of its vertices there.
pub(crate) fn canonical(rows: &[u64]) -> (CanonicalRows, Vec<u8>) {
    let order = canonical_order(&Relations::plain(rows));
    let mut position = vec![0u8; rows.len()];
    for (at, &v) in order.iter().enumerate() {
        position[v as usize] = at as u8;
    }
    let row = |&v: &u8| bits(rows[v as usize]).fold(0, |set, w| set | 1 << position[w]);
    (order.iter().map(row).collect(), position)
}

/// All quotients of a plain pattern, itself included, up to isomorphism, in the order in which all
/// connected graphs are listed: by vertices, edges and canonical name.
pub(super) fn quotients(pattern: &Pattern) -> Vec<Pattern> {
    let rows: Vec<u64> = (0..pattern.order()).map(|v| pattern.out_set(v)).collect();
    let mut seen = HashSet::new();
    let mut forms = HashSet::new();
    for partition in partitions(&rows) {
        if seen.insert(partition.rows.clone()) {
            forms.insert(canonical(&partition.rows).0);
        }
    }
    let forms: Vec<CanonicalRows> = forms.into_iter().collect();
    let mut all = super::generate::patterns_of(&forms);
    all.sort_by_key(Pattern::order);
    all
}
