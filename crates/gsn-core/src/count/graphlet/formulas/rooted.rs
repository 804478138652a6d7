//! Graphs rooted at an arc, and the value that counts their maps.
//!
//! Let u → v be an arc of G and F a connected graph of at most five vertices, two of which are
//! the roots, mapped to u and v. The number hom(F; u, v) of maps of the others that keep edges
//! is a [`Monomial`]: a vertex without a neighbour among the others contributes a factor (the
//! degree of u or v, or the number t of triangles on uv); the one component of the others that
//! has edges (one edge, a path of three vertices, a triangle) contributes a *base*, indexed by
//! which roots each of its vertices is attached to. The README lists how each base is computed.

use super::super::graphlets::has_edge;

/// Attached to u.
pub(super) const U: usize = 1;
/// Attached to v.
pub(super) const V: usize = 2;
/// Attached to both roots.
pub(super) const UV: usize = 3;

/// The base 1.
pub(super) const ONE: usize = 0;
const EDGES: usize = 1;
const PATHS: usize = EDGES + 16;
const TRIANGLES: usize = PATHS + 64;
/// Number of base indices; not all are in use.
pub(super) const BASES: usize = TRIANGLES + 64;

/// The base of an edge whose ends have these attachments.
pub(super) const fn edge(a: usize, b: usize) -> usize {
    if a >= b { EDGES + 4 * a + b } else { edge(b, a) }
}

/// The base of a path x – y – z, the middle vertex first.
pub(super) const fn path(y: usize, x: usize, z: usize) -> usize {
    if x >= z { PATHS + 16 * y + 4 * x + z } else { path(y, z, x) }
}

/// The base of a triangle.
pub(super) const fn triangle(x: usize, y: usize, z: usize) -> usize {
    if x < y {
        triangle(y, x, z)
    } else if y < z {
        triangle(x, z, y)
    } else {
        TRIANGLES + 16 * x + 4 * y + z
    }
}

/// The base whose maps are not counted: its graph is the 5-cycle, whose occurrences are.
pub(super) const CYCLES5: usize = path(0, U, V);

/// The bases of u → v that are only to be had as the [`NEAR`] bases of v → u.
pub(super) const FAR: [usize; 5] =
    [path(U, V, V), path(U, UV, V), triangle(V, V, U), triangle(UV, UV, V), path(V, UV, UV)];

/// What [`FAR`] bases are on the reverse arc.
pub(super) const NEAR: [usize; 5] =
    [path(V, U, U), path(V, UV, U), triangle(V, U, U), triangle(UV, UV, U), path(U, UV, UV)];

/// Bases that cost much and that vertex counts only need summed over v.
pub(super) const SUMMED: [usize; 11] = [
    NEAR[0],
    NEAR[1],
    NEAR[2],
    NEAR[3],
    NEAR[4],
    path(UV, UV, 0),
    path(UV, UV, U),
    path(UV, UV, V),
    path(UV, UV, UV),
    triangle(UV, UV, 0),
    triangle(UV, UV, UV),
];

/// A base times powers of the factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Monomial {
    pub(super) base: u8,
    /// Exponents of deg(u), deg(v) and t, packed as `u + 4v + 16t`.
    pub(super) powers: u8,
}

impl Monomial {
    /// What counts the maps of the graph with this code, rooted at its vertices 0 and 1.
    pub(super) fn of(order: usize, code: u32) -> Self {
        let attached = |x: usize| {
            U * usize::from(has_edge(code, x, 0)) + V * usize::from(has_edge(code, x, 1))
        };
        let others = 2..order;
        let mut powers = 0;
        let mut component = Vec::new();
        for x in others.clone() {
            if others.clone().any(|y| has_edge(code, x, y)) {
                component.push(x);
            } else {
                powers += [0, 1, 4, 16][attached(x)];
            }
        }
        let base = match component[..] {
            [] => ONE,
            [x, y] => edge(attached(x), attached(y)),
            [x, y, z] => {
                let middle = component
                    .iter()
                    .filter(|&&y| component.iter().filter(|&&x| has_edge(code, x, y)).count() == 2);
                match middle.collect::<Vec<_>>()[..] {
                    [&y] => {
                        let ends: Vec<_> = component.iter().filter(|&&x| x != y).collect();
                        path(attached(y), attached(*ends[0]), attached(*ends[1]))
                    }
                    _ => triangle(attached(x), attached(y), attached(z)),
                }
            }
            _ => unreachable!("at most three vertices besides the roots"),
        };
        Self { base: base as u8, powers }
    }

    /// Preference among arcs when only the vertex u matters: cheap bases first.
    pub(super) fn rank(self) -> u32 {
        const E1: usize = path(0, UV, UV);
        const E2: usize = triangle(UV, U, V);
        const G5: usize = path(V, UV, U);
        const G7: usize = triangle(V, U, U);
        let base = self.base as usize;
        match base {
            E1 | E2 => 20,
            _ if FAR.contains(&base) => 10,
            CYCLES5 => 8,
            G5 | G7 => 6,
            ONE => 0,
            _ if NEAR.contains(&base) => 5,
            _ => 1 + self.attachments().count_ones(),
        }
    }

    /// Roots that the base depends on.
    fn attachments(self) -> usize {
        let mut digits = match self.base as usize {
            ONE => 0,
            base if base >= TRIANGLES => base - TRIANGLES,
            base if base >= PATHS => base - PATHS,
            base => base - EDGES,
        };
        let mut all = 0;
        while digits != 0 {
            all |= digits & 3;
            digits >>= 2;
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::graphlets::pair;
    use super::*;

    #[test]
    fn a_house_with_its_roof_far_from_the_root_arc() {
        // u – v at the bottom, walls u – 2 and v – 3, roof 2 – 3 – 4.
        let edges = [(0, 1), (0, 2), (1, 3), (2, 3), (2, 4), (3, 4)];
        let code = edges.iter().map(|&(a, b)| 1 << pair(a, b)).sum();
        let monomial = Monomial::of(5, code);
        assert_eq!(monomial, Monomial { base: triangle(U, V, 0) as u8, powers: 0 });
    }

    #[test]
    fn leaves_are_factors() {
        let edges = [(0, 1), (0, 2), (0, 3), (1, 4), (0, 4)];
        let code = edges.iter().map(|&(a, b)| 1 << pair(a, b)).sum();
        assert_eq!(Monomial::of(5, code), Monomial { base: ONE as u8, powers: 1 + 1 + 16 });
    }
}
