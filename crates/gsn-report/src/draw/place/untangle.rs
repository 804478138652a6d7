//! Turns over parts of a placement until they are no longer in each other's way.
//!
//! A part that hangs on the rest by one edge, or at one vertex, can be mirrored in that edge without changing a length or an
//! angle inside either. Of all such moves the best is made as long as it helps; where vertices still meet,
//! parts are also turned a little. O(moves · n²) a step.

use super::flaws::TOO_NEAR;
use super::skeleton::Skeleton;
use crate::draw::plane::{
    Point, Turn, add, cross, direction, mirror, rotate, segments_cross, sub, turn,
};

/// A part that hangs on one vertex.
#[derive(Clone, Debug)]
pub(super) struct Move {
    /// The vertex it hangs on.
    pub(super) pivot: usize,
    /// The direction in which it was hung there.
    pub(super) axis: Turn,
    /// The vertices that were hung on it themselves.
    pub(super) first: Vec<usize>,
    /// All vertices of the part.
    pub(super) vertices: Vec<usize>,
}

/// Steps after which it is enough.
const STEPS: usize = 60;
/// Parts of a turn by which parts are turned where mirrors do not help.
const NUDGES: [f64; 6] = [1.0 / 24.0, -1.0 / 24.0, 1.0 / 12.0, -1.0 / 12.0, 1.0 / 6.0, -1.0 / 6.0];

pub(super) fn untangle(places: &mut Vec<Point>, graph: &Skeleton, moves: &[Move]) {
    let mut trial = Trial { graph, energy: 0.0, bent: vec![0.0; moves.len()], moves };
    trial.energy = trial.energy(places, &trial.bent);
    trial.improve(places, false);
    if trial.troubled(places) {
        trial.improve(places, true);
    }
}

struct Trial<'a> {
    graph: &'a Skeleton<'a>,
    moves: &'a [Move],
    energy: f64,
    /// How far each part is turned.
    bent: Vec<f64>,
}

impl Trial<'_> {
    /// Makes the best move as long as there is a good one.
    fn improve(&mut self, places: &mut Vec<Point>, nudge: bool) {
        for _ in 0..STEPS {
            let mut best: Option<(f64, Vec<Point>, Vec<f64>)> = None;
            let mut offer = |candidate: Vec<Point>, bent: Vec<f64>| {
                let energy = self.energy(&candidate, &bent);
                let least = best.as_ref().map_or(self.energy, |(least, ..)| *least);
                if energy < least - 1e-6 {
                    best = Some((energy, candidate, bent));
                }
            };
            for (i, m) in self.moves.iter().enumerate() {
                offer(self.mirrored(places, m), self.bent.clone());
                if m.vertices.len() > 1 && m.first.len() == 1 {
                    // The part and what it hangs on, seen from the other side.
                    for other in self.moves[..i].iter().filter(|o| o.vertices.len() > 1) {
                        let both = self.mirrored(&self.mirrored(places, other), m);
                        offer(both, self.bent.clone());
                    }
                }
                for j in (0..i).filter(|&j| self.moves[j].pivot == m.pivot) {
                    offer(self.swapped(places, m, &self.moves[j]), self.bent.clone());
                }
                for part in NUDGES.into_iter().filter(|_| nudge) {
                    let mut bent = self.bent.clone();
                    bent[i] += part;
                    let pivot = places[m.pivot];
                    let mut next = places.clone();
                    for &v in &m.vertices {
                        next[v] = add(pivot, rotate(sub(places[v], pivot), turn(part)));
                    }
                    offer(next, bent);
                }
            }
            let Some((energy, better, bent)) = best else { return };
            (*places, self.energy, self.bent) = (better, energy, bent);
        }
    }

    /// The direction in which a part hangs now.
    fn axis(&self, places: &[Point], m: &Move) -> Turn {
        let pivot = places[m.pivot];
        let way = match m.first[..] {
            [only] => sub(places[only], pivot),
            _ => (m.first.iter())
                .filter(|&&v| self.graph.neighbours[m.pivot].contains(&v))
                .filter_map(|&v| direction(sub(places[v], pivot)))
                .fold((0.0, 0.0), add),
        };
        direction(way).unwrap_or(m.axis)
    }

    fn mirrored(&self, places: &[Point], m: &Move) -> Vec<Point> {
        let (pivot, axis) = (places[m.pivot], self.axis(places, m));
        let mut next = places.to_vec();
        m.vertices.iter().for_each(|&v| next[v] = mirror(places[v], pivot, axis));
        next
    }

    /// Two parts at the same vertex take each other's place.
    fn swapped(&self, places: &[Point], a: &Move, b: &Move) -> Vec<Point> {
        let pivot = places[a.pivot];
        let (to_a, to_b) = (self.axis(places, a), self.axis(places, b));
        let by = rotate(to_b, (to_a.0, -to_a.1));
        let mut next = places.to_vec();
        for (m, by) in [(a, by), (b, (by.0, -by.1))] {
            for &v in &m.vertices {
                next[v] = add(pivot, rotate(sub(places[v], pivot), by));
            }
        }
        next
    }

    /// Whether vertices meet or edges cross.
    fn troubled(&self, places: &[Point]) -> bool {
        super::flaws::Flaws::of(places, self.graph.edges).weight() > 0
    }

    /// What is made small: nearness, crossings, turned parts, double bonds with ends on wrong sides.
    fn energy(&self, places: &[Point], bent: &[f64]) -> f64 {
        let mut energy = 0.0;
        for (i, &p) in places.iter().enumerate() {
            for &q in &places[..i] {
                let square = {
                    let (x, y) = sub(p, q);
                    x * x + y * y
                };
                // Neighbours and their neighbours are what they are; this is about the others.
                energy += 0.1 / square.max(1e-3);
                if square < 0.85 * 0.85 {
                    let near = 0.85 - square.sqrt();
                    energy += if square < TOO_NEAR * TOO_NEAR { 40.0 } else { 0.0 } + 20.0 * near;
                }
            }
        }
        let edges = self.graph.edges;
        for (i, &(a, b)) in edges.iter().enumerate() {
            let (p, q) = (places[a], places[b]);
            for &(c, d) in &edges[..i] {
                let (r, s) = (places[c], places[d]);
                // Far edges cannot cross; edges are about 1 long.
                if (p.0 - r.0).abs() < 3.0
                    && (p.1 - r.1).abs() < 3.0
                    && a != c
                    && a != d
                    && b != c
                    && b != d
                    && segments_cross((p, q), (r, s))
                {
                    energy += 25.0;
                }
            }
        }
        for &([a, b, c, d], same) in self.graph.sides {
            let along = sub(places[c], places[b]);
            let (left, right) =
                (cross(along, sub(places[a], places[b])), cross(along, sub(places[d], places[c])));
            energy += if (left * right > 0.0) == same { 0.0 } else { 60.0 };
        }
        energy + bent.iter().map(|part| 30.0 * part.abs()).sum::<f64>()
    }
}
