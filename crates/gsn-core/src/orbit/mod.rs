//! Orbits: the roles that vertices, edges and arcs of a pattern can play.
//!
//! Two vertices (arcs, edges) of H are in one orbit when an automorphism of H carries one to the
//! other. The group is never listed: `star:19` has 19! automorphisms. A stabiliser chain found by
//! individualisation and refinement gives a strong generating set; |Aut(H)| is the product of the
//! orbit lengths down the chain, and orbits are the classes the generators join.

mod canonical;
mod group;
mod refine;
#[cfg(test)]
mod tests;

pub(crate) use canonical::canonical_order;
pub use group::GroupOrder;
pub(crate) use group::stabiliser_orbits;
pub(crate) use refine::Relations;

use crate::pattern::Pattern;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Which notion of edge and arc orbits to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EdgeOrbits {
    /// Orbits of Aut(H) on edges and arcs.
    #[default]
    Exact,
    /// Pairs of vertex orbits, as in the authors' code: coarser for 6 of the 112 connected graphs
    /// of six vertices and 34 of the 853 of seven.
    Official,
}

/// The automorphism group of a pattern and its orbits.
///
/// Vertex orbits are numbered by their smallest vertex, arc orbits by their lexicographically
/// smallest arc, edge orbits by their smallest edge `a < b`.
///
/// ```
/// use gsn_core::{EdgeOrbits, Orbits, Pattern};
/// let path = Pattern::new("path:4", 4, &[(0, 1), (1, 2), (2, 3)])?;
/// let orbits = Orbits::of(&path, EdgeOrbits::Exact);
/// assert_eq!(orbits.group_order().to_string(), "2");
/// assert_eq!((orbits.vertex(0), orbits.vertex(3), orbits.vertex(1)), (0, 0, 1));
/// assert_eq!((orbits.arc_count(), orbits.edge_count()), (3, 2));
/// # Ok::<(), gsn_core::pattern::PatternError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Orbits {
    group_order: GroupOrder,
    generators: Vec<Vec<u8>>,
    vertex: Vec<u8>,
    vertex_count: usize,
    order: usize,
    /// Arc orbit of (a, b) at `a * order + b`; `NONE` where there is no arc.
    arc: Vec<u16>,
    arc_count: usize,
    /// Arc orbit of the reversed arcs; empty in directed patterns.
    reverse: Vec<u16>,
    /// Edge orbit that each arc orbit belongs to.
    edge_of_arc_orbit: Vec<u16>,
    edge_count: usize,
}

const NONE: u16 = u16::MAX;

impl Orbits {
    /// The orbits of each of some patterns.
    pub(crate) fn of_all(patterns: &[Pattern], notion: EdgeOrbits) -> Vec<Self> {
        /// Patterns from which on waking other threads is worth it.
        const MANY: usize = 16;
        let of = |pattern| Self::of(pattern, notion);
        if patterns.len() < MANY {
            patterns.iter().map(of).collect()
        } else {
            patterns.par_iter().map(of).collect()
        }
    }

    /// Finds the group of `pattern` and its orbits.
    ///
    /// # Arguments
    /// * `pattern`: automorphisms preserve its labels and directions;
    /// * `notion`: what edge and arc orbits are; vertex orbits do not depend on it.
    ///
    /// # Complexity
    /// Polynomial in the number of vertices for all but a few strongly regular patterns, however
    /// large the group: microseconds for a few vertices, about a millisecond for 64. The group is
    /// not listed.
    pub fn of(pattern: &Pattern, notion: EdgeOrbits) -> Self {
        let relations = Relations::of(pattern);
        let group = group::Chain::new(&relations, relations.root(), &[]);
        let n = pattern.order();
        let mut vertices = Classes::new(n);
        for g in &group.generators {
            for v in 0..n {
                vertices.join(v, g[v] as usize);
            }
        }
        let (vertex, vertex_count) = vertices.numbered(0..n);

        let mut arcs = Classes::new(n * n);
        match notion {
            EdgeOrbits::Exact => {
                for g in &group.generators {
                    for (a, b) in pattern.arcs() {
                        arcs.join(a * n + b, g[a] as usize * n + g[b] as usize);
                    }
                }
            }
            EdgeOrbits::Official => {
                let mut first = std::collections::HashMap::new();
                for (a, b) in pattern.arcs() {
                    let at = a * n + b;
                    arcs.join(*first.entry((vertex[a], vertex[b])).or_insert(at), at);
                }
            }
        }
        let (arc, arc_count) = arcs.numbered(pattern.arcs().map(|(a, b)| a * n + b));
        let mut reverse = Vec::new();
        if !pattern.is_directed() {
            reverse = vec![NONE; arc_count];
            for (a, b) in pattern.arcs() {
                reverse[arc[a * n + b] as usize] = arc[b * n + a];
            }
        }
        // An edge orbit is an arc orbit together with its reverse; arcs with a < b come in the
        // order that numbers the edges.
        let mut edge_of_arc_orbit = vec![NONE; arc_count];
        let mut edge_count = 0;
        for (a, b) in pattern.edges() {
            let orbit = arc[a * n + b] as usize;
            if edge_of_arc_orbit[orbit] == NONE {
                edge_of_arc_orbit[orbit] = edge_count as u16;
                if let Some(&back) = reverse.get(orbit) {
                    edge_of_arc_orbit[back as usize] = edge_count as u16;
                }
                edge_count += 1;
            }
        }
        Self {
            group_order: group.order(0),
            generators: group.generators,
            vertex: vertex.iter().map(|&orbit| orbit as u8).collect(),
            vertex_count,
            order: n,
            arc,
            arc_count,
            reverse,
            edge_of_arc_orbit,
            edge_count,
        }
    }

    /// |Aut(H)|, exactly.
    pub fn group_order(&self) -> &GroupOrder {
        &self.group_order
    }

    /// Permutations that generate Aut(H): `g[v]` is where `v` goes.
    pub fn generators(&self) -> &[Vec<u8>] {
        &self.generators
    }

    /// Number of vertex orbits.
    pub fn vertex_count(&self) -> usize {
        self.vertex_count
    }

    /// Orbit of vertex `v`.
    pub fn vertex(&self, v: usize) -> usize {
        self.vertex[v] as usize
    }

    /// Number of arc orbits.
    pub fn arc_count(&self) -> usize {
        self.arc_count
    }

    /// Orbit of the arc `a → b`, which must be there.
    pub fn arc(&self, a: usize, b: usize) -> usize {
        self.arc[a * self.order + b] as usize
    }

    /// Orbit of the reversed arcs of arc orbit `orbit`, in undirected patterns.
    pub fn reverse(&self, orbit: usize) -> Option<usize> {
        self.reverse.get(orbit).map(|&back| back as usize)
    }

    /// Number of edge orbits; in directed patterns edges are arcs.
    pub fn edge_count(&self) -> usize {
        self.edge_count
    }

    /// Edge orbit that arc orbit `orbit` is one direction of.
    pub fn edge_of_arc_orbit(&self, orbit: usize) -> usize {
        self.edge_of_arc_orbit[orbit] as usize
    }

    /// Vertices of each orbit.
    pub fn vertex_orbits(&self) -> Vec<Vec<usize>> {
        let mut orbits = vec![Vec::new(); self.vertex_count];
        for v in 0..self.order {
            orbits[self.vertex(v)].push(v);
        }
        orbits
    }

    /// Arcs of each orbit, in lexicographic order.
    pub fn arc_orbits(&self) -> Vec<Vec<(usize, usize)>> {
        let mut orbits = vec![Vec::new(); self.arc_count];
        for (at, &orbit) in self.arc.iter().enumerate() {
            if orbit != NONE {
                orbits[orbit as usize].push((at / self.order, at % self.order));
            }
        }
        orbits
    }

    /// Edges of each orbit, in lexicographic order; `a < b` in undirected patterns.
    pub fn edge_orbits(&self) -> Vec<Vec<(usize, usize)>> {
        let mut orbits = vec![Vec::new(); self.edge_count];
        for (at, &orbit) in self.arc.iter().enumerate() {
            let (a, b) = (at / self.order, at % self.order);
            if orbit != NONE && (a < b || self.reverse.is_empty()) {
                orbits[self.edge_of_arc_orbit(orbit as usize)].push((a, b));
            }
        }
        orbits
    }
}

/// Union-find over small indices.
struct Classes(Vec<usize>);

impl Classes {
    fn new(n: usize) -> Self {
        Self((0..n).collect())
    }

    fn find(&mut self, mut x: usize) -> usize {
        while self.0[x] != x {
            self.0[x] = self.0[self.0[x]];
            x = self.0[x];
        }
        x
    }

    fn join(&mut self, x: usize, y: usize) {
        let (x, y) = (self.find(x), self.find(y));
        self.0[x.max(y)] = x.min(y);
    }

    /// Numbers the classes of `members` in the order they are met.
    fn numbered(mut self, members: impl Iterator<Item = usize>) -> (Vec<u16>, usize) {
        let n = self.0.len();
        let (mut number, mut of_root, mut count) = (vec![NONE; n], vec![NONE; n], 0);
        for x in members {
            let root = self.find(x);
            if of_root[root] == NONE {
                of_root[root] = count as u16;
                count += 1;
            }
            number[x] = of_root[root];
        }
        (number, count)
    }
}
