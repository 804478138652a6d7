//! Canonical order of a pattern's vertices, by individualisation and refinement.
//!
//! The tree of partitions is searched level by level. Of a level only the partitions with the
//! smallest trace go on, which is the same choice in every isomorphic pattern; of vertices that
//! an automorphism fixing the partition carries to each other one is taken, as both lead to the
//! same codes. So no two partitions of a level are equivalent, and most patterns, however
//! symmetric, keep a single one. Among the discrete partitions at the end the smallest code wins.

use super::group::{Chain, key};
use super::refine::{Child, Partition, Relations};
use crate::pattern::bits;
use std::rc::Rc;

/// What is known of the automorphisms that fix a partition.
#[derive(Clone)]
enum Stabiliser {
    Trivial,
    /// That of this depth of a chain.
    Known(Rc<Chain>, usize),
    NotSought,
}

/// The vertices in canonical order: isomorphic patterns, and only they, look the same when their
/// vertices are put in this order.
pub(crate) fn canonical_order(relations: &Relations) -> Vec<u8> {
    let root = relations.root();
    let chain = Rc::new(Chain::new(relations, root.clone(), &[]));
    let mut level = vec![(root, Stabiliser::Known(chain, 0))];
    while let Some(cell) = level[0].0.first_open() {
        let mut best: Option<(u64, u64)> = None;
        let mut next = Vec::new();
        for (partition, stabiliser) in level {
            let stabiliser = match stabiliser {
                Stabiliser::NotSought => {
                    Stabiliser::Known(Rc::new(Chain::new(relations, partition.clone(), &[])), 0)
                }
                known => known,
            };
            for (v, below) in branches(&partition, cell, &stabiliser) {
                let child = relations.individualise(&partition, cell, v);
                let key = key(&child);
                if best.is_none_or(|best| key < best) {
                    best = Some(key);
                    next.clear();
                }
                if best == Some(key) {
                    let Child { partition, .. } = child;
                    next.push((partition, below));
                }
            }
        }
        level = next;
    }
    let leaf = level
        .iter()
        .map(|(leaf, _)| leaf)
        .min_by_key(|leaf| relations.code(leaf))
        .expect("the best child of every level is kept");
    leaf.order(relations.order())
}

/// One vertex of every orbit on the cell, and what is known of its stabiliser.
fn branches(
    partition: &Partition,
    cell: usize,
    stabiliser: &Stabiliser,
) -> Vec<(usize, Stabiliser)> {
    let members = bits(partition.cell(cell));
    let Stabiliser::Known(chain, depth) = stabiliser else {
        return members.map(|v| (v, Stabiliser::Trivial)).collect();
    };
    let level = &chain.levels[*depth];
    let group = chain.order(*depth).to_u128();
    members
        .filter(|&v| level.orbit[v] as usize == v)
        .map(|v| {
            let length = level.orbit.iter().filter(|&&w| w as usize == v).count() as u128;
            let below = if group == Some(length) {
                Stabiliser::Trivial
            } else if v == level.base {
                Stabiliser::Known(Rc::clone(chain), depth + 1)
            } else {
                Stabiliser::NotSought
            };
            (v, below)
        })
        .collect()
}
