//! Which computations a set of bases asks for.

use super::rooted::{BASES, FAR, NEAR, SUMMED, U, UV, V, edge, path, triangle};

/// Tables by edge or arc that the first pass over the roots keeps for the second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct KeptTables {
    /// P(u, v) = Σ_T deg(x).
    pub(super) degrees: bool,
    /// Q(u, v) = Σ_T t(u, x).
    pub(super) triangles: bool,
    /// Walks of length 3.
    pub(super) walks: bool,
    /// Edges inside T.
    pub(super) cliques: bool,
}

impl KeptTables {
    fn any(self) -> bool {
        self != Self::default()
    }
}

/// Parts of the work at a root, in the order they are done.
#[derive(Clone, Debug)]
pub(super) struct Work {
    pub(super) bases: [bool; BASES],
    /// Lists of common neighbours of the root and each neighbour.
    pub(super) ego: bool,
    /// Walks of length 2 from the root.
    pub(super) walks: bool,
    /// What is gathered from them for five vertices.
    pub(super) gather: bool,
    /// Common neighbours of the two ends of every edge between neighbours of the root.
    pub(super) diamonds: bool,
    /// Common neighbours inside the ego network.
    pub(super) codegrees: bool,
    /// Edges inside T and what they lie on.
    pub(super) cliques: bool,
    /// Triangles inside T.
    pub(super) cliques5: bool,
    /// Sums over T of vertex numbers and of numbers kept by edge.
    pub(super) sums: bool,
    pub(super) kept: KeptTables,
    /// Edges inside T are read from the kept table.
    pub(super) read_cliques: bool,
    /// Whether cliques are wanted on arcs to smaller vertices, too.
    pub(super) both_ways: bool,
    /// Σ over edges between neighbours, added to those edges.
    pub(super) spread_diamonds: bool,
    pub(super) spread_wheels: bool,
}

/// The base that diamonds add to: Σ_y |T ∩ N(y)|².
pub(super) const DIAMONDS: usize = path(0, UV, UV);
/// The base that wheels add to their rims.
pub(super) const WHEELS: usize = triangle(UV, U, V);
/// Walks of length 3.
pub(super) const WALKS3: usize = edge(V, U);
/// Ordered pairs of adjacent vertices in T.
pub(super) const CLIQUES4: usize = edge(UV, UV);
/// Ordered triangles in T; only computed on arcs to larger vertices.
pub(super) const CLIQUES5: usize = triangle(UV, UV, UV);

impl Work {
    pub(super) fn new(bases: [bool; BASES], spread_diamonds: bool, spread_wheels: bool) -> Self {
        let any = |list: &[usize]| list.iter().any(|&base| bases[base]);
        let gather = any(&[
            path(V, U, 0),
            path(U, V, 0),
            path(U, U, V),
            path(V, U, V),
            path(V, U, U),
            triangle(V, U, 0),
            triangle(V, U, U),
        ]);
        let diamonds = spread_diamonds || any(&[path(V, UV, U), triangle(V, U, U)]);
        let cliques5 = bases[CLIQUES5];
        let cliques = cliques5 || any(&[triangle(UV, UV, 0), triangle(UV, UV, U)]);
        let codegrees = spread_wheels
            || bases[triangle(UV, UV, U)]
            || any(&[CLIQUES4, path(UV, UV, 0), path(UV, UV, U), path(UV, UV, V)])
            || any(&[path(UV, UV, UV), path(U, UV, UV)]);
        let kept = KeptTables {
            degrees: any(&[path(U, UV, 0), path(V, UV, 0)]),
            triangles: any(&[path(U, U, UV), path(V, V, UV)])
                || any(&[triangle(UV, U, 0), triangle(UV, V, 0)]),
            walks: any(&[path(0, U, UV), path(0, V, UV)]),
            cliques: any(&[triangle(UV, U, U), triangle(UV, V, V)]),
        };
        let sums = kept.any() || any(&[path(0, UV, 0), triangle(UV, 0, 0)]);
        let in_common = any(&[edge(UV, 0), edge(UV, U), edge(UV, V)])
            || any(&[path(UV, 0, 0), path(UV, U, 0), path(UV, V, 0)])
            || any(&[path(UV, U, U), path(UV, U, V), path(UV, V, V)]);
        Self {
            ego: diamonds || cliques || codegrees || sums || in_common || any(&[DIAMONDS, WHEELS]),
            walks: gather || diamonds || bases[WALKS3],
            gather,
            diamonds,
            codegrees,
            cliques,
            cliques5,
            sums,
            kept,
            read_cliques: false,
            both_ways: false,
            spread_diamonds,
            spread_wheels,
            bases,
        }
    }

    /// The work of both passes: `arcs` and `vertices` are the bases that arc and vertex counts
    /// are made of. The second pass reads what the first one leaves in tables.
    pub(super) fn passes(arcs: &[bool; BASES], vertices: &[bool; BASES]) -> (Self, Self) {
        let mut bases = [false; BASES];
        let mut later = *arcs;
        for base in 0..BASES {
            let summed = SUMMED.contains(&base);
            later[base] |= vertices[base] && !summed && !FAR.contains(&base);
            bases[base] |= vertices[base] && summed;
        }
        let mut second = Self::new(later, false, false);
        for (far, near) in FAR.into_iter().zip(NEAR) {
            bases[near] |= arcs[far] || vertices[far];
        }
        bases[edge(UV, 0)] |= second.kept.degrees;
        bases[edge(UV, U)] |= second.kept.triangles;
        bases[WALKS3] |= second.kept.walks;
        bases[CLIQUES4] |= second.kept.cliques;
        // Tables by vertex that hold what a base sums to over the arcs of one root.
        bases[WALKS3] |= later[path(0, U, U)] || later[path(0, V, V)];
        bases[edge(UV, V)] |= later[triangle(U, U, 0)] || later[triangle(V, V, 0)];
        bases[CLIQUES4] |= later[triangle(U, U, U)] || later[triangle(V, V, V)];
        let mut first = Self::new(bases, later[DIAMONDS], later[WHEELS]);
        first.both_ways = true;
        let beyond = [path(UV, UV, 0), path(UV, UV, U), path(UV, UV, V), path(UV, UV, UV)];
        let more = beyond.iter().chain(&NEAR[3..]).any(|&base| later[base]);
        if first.codegrees && later[CLIQUES4] && !more {
            first.bases[CLIQUES4] = true;
            second.kept.cliques = true;
            second.read_cliques = true;
            second.codegrees = false;
        }
        (first, second)
    }
}
