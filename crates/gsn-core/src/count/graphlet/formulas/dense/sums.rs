//! Which sums over vertices the bases of an arc are.
//!
//! Let u → v be the arc and S_∅ = V, S_u = N(u), S_v = N(v), S_uv = T. An edge base (A, B) is
//! Σ_{y∈S_A} |N(y) ∩ S_B|, a path base (B; A, C) is Σ_{y∈S_B} |N(y) ∩ S_A| |N(y) ∩ S_C|, and most
//! triangle bases are sums of h or m (see [`super::tables`]). So a base is a set to sum over and two
//! numbers of a vertex to multiply.

use super::super::inversion::Formulas;
use super::super::rooted::{BASES, CYCLES5, U, UV, V, edge, path, triangle};
use super::super::work::{CLIQUES5, WHEELS};

/// Numbers of a vertex y: |N(y) ∩ S_A| for each of the four sets comes first.
pub(super) const NUMBERS: usize = 10;
pub(super) const COMMON: usize = UV;
pub(super) const ONE: usize = 4;
pub(super) const TRIANGLES: usize = 5;
pub(super) const NEAR_U: usize = 6;
pub(super) const NEAR_V: usize = 7;
pub(super) const PAIRS_U: usize = 8;
pub(super) const PAIRS_V: usize = 9;

/// Edges inside T and their common neighbours anywhere, in N(u) and in N(v).
pub(super) const INSIDE: usize = triangle(UV, UV, 0);
pub(super) const INSIDE_U: usize = triangle(UV, UV, U);
pub(super) const INSIDE_V: usize = triangle(UV, UV, V);

/// A base as the sum of a product of two numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sum {
    pub(super) base: usize,
    pub(super) factors: [usize; 2],
}

/// What the wanted formulas ask for.
#[derive(Clone, Debug)]
pub(in crate::count) struct Wants {
    /// Whether anything is counted by arc.
    pub(super) arcs: bool,
    /// By the set to sum over.
    pub(super) sums: [Vec<Sum>; 4],
    pub(super) cycles: bool,
    pub(super) inside: bool,
    /// s at all.
    pub(super) common: bool,
    /// Tables of the first pass: h, m, edges inside T and wheels, triangles inside T.
    pub(super) near: bool,
    pub(super) pairs: bool,
    pub(super) inner: bool,
    pub(super) cliques: bool,
}

impl Wants {
    pub(super) fn new(arcs: &Formulas, vertices: &Formulas) -> Self {
        let mut bases = [false; BASES];
        arcs.mark(&mut bases);
        vertices.mark(&mut bases);
        let mut sums: [Vec<Sum>; 4] = Default::default();
        let mut add = |base: usize, over: usize, factors: [usize; 2]| {
            if bases[base] {
                sums[over].push(Sum { base, factors });
            }
        };
        for a in 1..4 {
            for b in 0..=a {
                add(edge(a, b), a, [b, ONE]);
            }
        }
        for over in 0..4 {
            for a in 0..4 {
                for c in (0..=a).filter(|&c| path(over, a, c) != CYCLES5) {
                    add(path(over, a, c), over, [a, c]);
                }
            }
        }
        for (over, number, others) in [
            (U, TRIANGLES, [0, 0]),
            (V, TRIANGLES, [0, 0]),
            (UV, TRIANGLES, [0, 0]),
            (U, NEAR_U, [U, 0]),
            (V, NEAR_V, [V, 0]),
            (V, NEAR_U, [U, 0]),
            (UV, NEAR_U, [U, 0]),
            (UV, NEAR_V, [V, 0]),
            (U, PAIRS_U, [U, U]),
            (V, PAIRS_V, [V, V]),
            (V, PAIRS_U, [U, U]),
            (U, PAIRS_V, [V, V]),
            (UV, PAIRS_U, [U, U]),
            (UV, PAIRS_V, [V, V]),
        ] {
            add(triangle(over, others[0], others[1]), over, [number, ONE]);
        }
        let uses = |numbers: &[usize]| {
            let used = |sum: &Sum| sum.factors.iter().any(|factor| numbers.contains(factor));
            sums.iter().flatten().any(used)
        };
        let cycles = bases[CYCLES5];
        Self {
            arcs: !arcs.monomials.is_empty(),
            cycles,
            inside: bases[INSIDE],
            common: cycles || uses(&[COMMON]),
            near: uses(&[NEAR_U, NEAR_V]),
            pairs: uses(&[PAIRS_U, PAIRS_V]),
            inner: bases[INSIDE_U] || bases[INSIDE_V] || bases[WHEELS],
            cliques: bases[CLIQUES5],
            sums,
        }
    }

    /// Whether some table takes a look at every pair of classes before the bases.
    pub(super) fn first_pass(&self) -> bool {
        self.near || self.pairs || self.inner || self.cliques
    }
}
