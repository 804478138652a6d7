//! The automorphism group of a pattern, as a chain of stabilisers.

use super::Classes;
use super::refine::{Child, Partition, Relations};
use crate::pattern::{Pattern, bits};
use std::fmt;

/// The number of elements of a group, kept as factors so that 63! is exact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupOrder {
    factors: Vec<u32>,
}

impl GroupOrder {
    /// The order as a number, where it fits.
    pub fn to_u128(&self) -> Option<u128> {
        self.factors.iter().try_fold(1u128, |product, &f| product.checked_mul(u128::from(f)))
    }
}

impl fmt::Display for GroupOrder {
    /// Writes the exact decimal number, however long.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Groups of nine digits, least significant first.
        const BASE: u64 = 1_000_000_000;
        let mut digits = vec![1u64];
        for &factor in &self.factors {
            let mut carry = 0;
            for group in &mut digits {
                let value = *group * u64::from(factor) + carry;
                *group = value % BASE;
                carry = value / BASE;
            }
            if carry > 0 {
                digits.push(carry);
            }
        }
        let mut text = String::new();
        for (i, group) in digits.iter().rev().enumerate() {
            text += &if i == 0 { group.to_string() } else { format!("{group:09}") };
        }
        f.pad_integral(true, "", &text)
    }
}

/// One branch of individualised vertices down to a discrete partition, and the automorphisms that
/// fix its first vertices.
///
/// On the way down every vertex of the first open cell is tried, and one whose refinement has the
/// smallest trace is taken, so that the branch is one a canonical form can be read from. On the
/// way up, the generators found below fix all vertices individualised above; the orbit of a
/// level's vertex under them and under every automorphism found there is its orbit in the
/// stabiliser, and its length a factor of the group order.
pub(super) struct Chain {
    pub(super) levels: Vec<Level>,
    /// The discrete partition at the end.
    pub(super) leaf: Partition,
    pub(super) generators: Vec<Vec<u8>>,
}

/// A partition on the branch.
pub(super) struct Level {
    pub(super) partition: Partition,
    /// Position of the cell the next vertex is taken from.
    pub(super) cell: usize,
    /// The vertex taken.
    pub(super) base: usize,
    /// Trace and shape of the next partition.
    next: (u64, u64),
    /// For every vertex a representative of its orbit under the automorphisms that fix this
    /// partition; `base` represents its own.
    pub(super) orbit: Vec<u8>,
    /// Length of the orbit of `base`.
    pub(super) length: u32,
}

/// For each vertex of `base` in turn, its orbit (as a set) under the automorphisms that fix the
/// vertices of `base` before it.
pub(crate) fn stabiliser_orbits(pattern: &Pattern, base: &[usize]) -> Vec<u64> {
    let relations = Relations::of(pattern);
    let chain = Chain::new(&relations, relations.root(), base);
    // Vertices that are fixed with those before them have no level.
    let mut levels = chain.levels.iter().peekable();
    base.iter()
        .map(|&v| match levels.next_if(|level| level.base == v) {
            Some(level) => (0..pattern.order())
                .filter(|&w| level.orbit[w] as usize == v)
                .fold(0, |orbit, w| orbit | 1 << w),
            None => 1 << v,
        })
        .collect()
}

/// Trace and shape: what corresponding partitions have in common.
pub(super) fn key(child: &Child) -> (u64, u64) {
    (child.trace, child.partition.starts)
}

impl Chain {
    /// The chain of the automorphisms that keep every cell of an equitable partition. The branch
    /// takes the vertices of `preferred` first, where they are not fixed already.
    pub(super) fn new(relations: &Relations, root: Partition, preferred: &[usize]) -> Self {
        let mut levels = Vec::new();
        let mut partition = root;
        let mut preferred = preferred.iter();
        loop {
            let wanted = preferred.find_map(|&v| Some((partition.open_cell_of(v)?, 1 << v)));
            let first = || partition.first_open().map(|cell| (cell, partition.cell(cell)));
            let Some((cell, candidates)) = wanted.or_else(first) else { break };
            let (base, child) = bits(candidates)
                .map(|v| (v, relations.individualise(&partition, cell, v)))
                .min_by_key(|(v, child)| (key(child), *v))
                .expect("an open cell has vertices");
            let next = key(&child);
            levels.push(Level { partition, cell, base, next, orbit: Vec::new(), length: 1 });
            partition = child.partition;
        }
        let mut chain = Self { levels, leaf: partition, generators: Vec::new() };
        chain.find_automorphisms(relations);
        chain
    }

    /// Goes up the branch and finds, level by level, the orbit of its vertex.
    fn find_automorphisms(&mut self, relations: &Relations) {
        let n = relations.order();
        let leaf = (self.leaf.order(n), relations.code(&self.leaf));
        let mut orbits = Classes::new(n);
        for depth in (0..self.levels.len()).rev() {
            let Level { cell, base, .. } = self.levels[depth];
            let mut refused: Vec<usize> = Vec::new();
            for v in bits(self.levels[depth].partition.cell(cell)) {
                let root = orbits.find(v);
                if root == orbits.find(base) || refused.iter().any(|&r| orbits.find(r) == root) {
                    continue;
                }
                match self.corresponding_leaf(relations, depth, None, v, &leaf.1) {
                    Some(order) => {
                        let mut g = vec![0; n];
                        for (&from, &to) in leaf.0.iter().zip(&order) {
                            g[from as usize] = to;
                            orbits.join(from as usize, to as usize);
                        }
                        self.generators.push(g);
                    }
                    None => refused.push(v),
                }
            }
            let root = orbits.find(base);
            let orbit = |v| if orbits.find(v) == root { base } else { orbits.find(v) } as u8;
            let level = &mut self.levels[depth];
            level.orbit = (0..n).map(orbit).collect();
            level.length = level.orbit.iter().filter(|&&v| v as usize == base).count() as u32;
        }
    }

    /// Takes `v` instead of the base at `depth`, and goes on to a leaf with the code of the
    /// chain's leaf; returns its order. `partition` replaces the chain's own at this depth.
    fn corresponding_leaf(
        &self,
        relations: &Relations,
        depth: usize,
        partition: Option<&Partition>,
        v: usize,
        code: &[u64],
    ) -> Option<Vec<u8>> {
        let level = &self.levels[depth];
        let partition = partition.unwrap_or(&level.partition);
        let child = relations.individualise(partition, level.cell, v);
        if key(&child) != level.next {
            return None;
        }
        let child = child.partition;
        match self.levels.get(depth + 1) {
            None => (relations.code(&child) == code).then(|| child.order(relations.order())),
            Some(below) => bits(child.cell(below.cell))
                .find_map(|w| self.corresponding_leaf(relations, depth + 1, Some(&child), w, code)),
        }
    }

    /// Order of the group that fixes the partition at `depth`.
    pub(super) fn order(&self, depth: usize) -> GroupOrder {
        GroupOrder { factors: self.levels[depth..].iter().map(|level| level.length).collect() }
    }
}
