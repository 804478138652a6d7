//! What is wrong with a placement: edges that cross, vertices too near to each other or to edges of others.

use crate::draw::plane::{Point, distance, from_segment, segments_cross};

/// Numbers of flaws of a placement whose edges are about 1 long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flaws {
    /// Pairs of edges without a common end that cross.
    pub crossings: usize,
    /// Pairs of vertices nearer than [`TOO_NEAR`].
    pub overlaps: usize,
    /// Vertices nearer than [`ON_EDGE`] to an edge that is not theirs, ends left out.
    pub covered: usize,
}

/// Vertices nearer than this overlap.
pub const TOO_NEAR: f64 = 0.45;
/// A vertex nearer than this to an edge of others lies on it.
pub const ON_EDGE: f64 = 0.2;

impl Flaws {
    /// The flaws of this placement. O(n² + m² + nm).
    pub fn of(places: &[Point], edges: &[(usize, usize)]) -> Self {
        let mut flaws = Self::default();
        for (i, &(a, b)) in edges.iter().enumerate() {
            for &(c, d) in &edges[..i] {
                let apart = a != c && a != d && b != c && b != d;
                let (left, right) = ((places[a], places[b]), (places[c], places[d]));
                flaws.crossings += usize::from(apart && segments_cross(left, right));
            }
            for (_, &r) in places.iter().enumerate().filter(|&(v, _)| v != a && v != b) {
                let ends = distance(r, places[a]).min(distance(r, places[b]));
                let on = from_segment(r, places[a], places[b]) < ON_EDGE && ends >= TOO_NEAR;
                flaws.covered += usize::from(on);
            }
        }
        for (i, &p) in places.iter().enumerate() {
            let near = |q: &&Point| distance(p, **q) < TOO_NEAR;
            flaws.overlaps += places[..i].iter().filter(near).count();
        }
        flaws
    }

    /// One number for comparisons: a crossing can be read, the others hardly.
    pub fn weight(&self) -> usize {
        self.crossings + 4 * (self.overlaps + self.covered)
    }
}
