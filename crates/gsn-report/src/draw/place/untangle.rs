//! Turns over parts of a placement until they are no longer in each other's way.
//!
//! A part that hangs on the rest by one edge, or at one vertex, can be mirrored in that edge without changing a length or an
//! angle inside either. Of all such moves the best is made as long as it helps; where vertices still meet,
//! parts are also turned a little. O(moves · n²) a step, O(moves² · n²) where single moves are not enough.

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

/// What is tried.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Effort {
    /// Mirrors of one part, and parts that change places.
    One,
    /// Mirrors of two parts at once, too.
    Two,
    /// Parts turned a little, too.
    Turns,
}

pub(super) fn untangle(places: &mut Vec<Point>, graph: &Skeleton, moves: &[Move]) {
    let inside = |m: &Move| {
        let mut inside = vec![false; places.len()];
        m.vertices.iter().for_each(|&v| inside[v] = true);
        inside
    };
    let inside = moves.iter().map(inside).collect();
    let mut trial = Trial { graph, energy: 0.0, bent: vec![0.0; moves.len()], moves, inside };
    trial.energy = trial.energy(places, &trial.bent);
    for effort in [Effort::One, Effort::Two, Effort::Turns] {
        trial.improve(places, effort);
        if !trial.troubled(places) {
            return;
        }
    }
}

/// Energy and places after a move, and which part it turned how far.
type Offer = (f64, Vec<Point>, Option<(usize, f64)>);

struct Trial<'a> {
    graph: &'a Skeleton<'a>,
    moves: &'a [Move],
    /// For every move, whether a vertex moves.
    inside: Vec<Vec<bool>>,
    energy: f64,
    /// How far each part is turned.
    bent: Vec<f64>,
}

impl Trial<'_> {
    /// Makes the best move as long as there is a good one.
    fn improve(&mut self, places: &mut Vec<Point>, effort: Effort) {
        for _ in 0..STEPS {
            let mut best: Option<Offer> = None;
            let mut offer = |energy: f64, candidate: Vec<Point>, turned: Option<(usize, f64)>| {
                let least = best.as_ref().map_or(self.energy, |(least, ..)| *least);
                if energy < least - 1e-6 {
                    best = Some((energy, candidate, turned));
                }
            };
            let whole = |candidate: &[Point]| self.energy(candidate, &self.bent);
            for (i, m) in self.moves.iter().enumerate() {
                // A part that moves as a whole changes nothing inside of it or of the rest.
                let rest = self.energy - self.across(places, i);
                let next = self.mirrored(places, m);
                offer(rest + self.across(&next, i), next, None);
                for j in (0..i).filter(|&j| self.moves[j].pivot == m.pivot) {
                    let next = self.swapped(places, m, &self.moves[j]);
                    offer(whole(&next), next, None);
                }
                if effort >= Effort::Two && m.vertices.len() > 1 && m.first.len() == 1 {
                    // The part and what it hangs on, seen from the other side.
                    for other in self.moves[..i].iter().filter(|o| o.vertices.len() > 1) {
                        let next = self.mirrored(&self.mirrored(places, other), m);
                        offer(whole(&next), next, None);
                    }
                }
                for part in NUDGES.into_iter().filter(|_| effort == Effort::Turns) {
                    let pivot = places[m.pivot];
                    let mut next = places.clone();
                    for &v in &m.vertices {
                        next[v] = add(pivot, rotate(sub(places[v], pivot), turn(part)));
                    }
                    let turned = bending(self.bent[i] + part) - bending(self.bent[i]);
                    offer(rest + self.across(&next, i) + turned, next, Some((i, part)));
                }
            }
            let Some((energy, better, turned)) = best else { return };
            (*places, self.energy) = (better, energy);
            if let Some((i, part)) = turned {
                self.bent[i] += part;
            }
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
        let mut energy =
            self.wrong_sides(places) + bent.iter().map(|&part| bending(part)).sum::<f64>();
        for (i, &p) in places.iter().enumerate() {
            energy += places[..i].iter().map(|&q| nearness(p, q)).sum::<f64>();
        }
        let edges = self.graph.edges;
        for (i, &one) in edges.iter().enumerate() {
            energy += edges[..i].iter().map(|&other| crossing(places, one, other)).sum::<f64>();
        }
        energy
    }

    /// The part of the energy that lies between what move `i` moves and the rest.
    fn across(&self, places: &[Point], i: usize) -> f64 {
        let (inside, m) = (&self.inside[i], &self.moves[i]);
        let mut energy = self.wrong_sides(places);
        for &v in &m.vertices {
            let rest = places.iter().zip(inside).filter(|(_, inside)| !**inside);
            energy += rest.map(|(&q, _)| nearness(places[v], q)).sum::<f64>();
        }
        let moves = |&(a, b): &(usize, usize)| inside[a] || inside[b];
        let edges = self.graph.edges;
        for &one in edges.iter().filter(|e| moves(e)) {
            let rest = edges.iter().filter(|e| !moves(e));
            energy += rest.map(|&other| crossing(places, one, other)).sum::<f64>();
        }
        energy
    }

    fn wrong_sides(&self, places: &[Point]) -> f64 {
        let wrong = |&&([a, b, c, d], same): &&([usize; 4], bool)| {
            let along = sub(places[c], places[b]);
            let left = cross(along, sub(places[a], places[b]));
            let right = cross(along, sub(places[d], places[c]));
            (left * right > 0.0) != same
        };
        60.0 * self.graph.sides.iter().filter(wrong).count() as f64
    }
}

/// What two vertices cost that are near each other. Neighbours and their neighbours are what they are; this is about the others.
fn nearness(p: Point, q: Point) -> f64 {
    let (x, y) = sub(p, q);
    let square = x * x + y * y;
    let mut energy = 0.1 / square.max(1e-3);
    if square < 0.85 * 0.85 {
        let near = 0.85 - square.sqrt();
        energy += if square < TOO_NEAR * TOO_NEAR { 40.0 } else { 0.0 } + 20.0 * near;
    }
    energy
}

/// What two edges cost that cross.
fn crossing(places: &[Point], (a, b): (usize, usize), (c, d): (usize, usize)) -> f64 {
    let (p, q, r, s) = (places[a], places[b], places[c], places[d]);
    // Far edges cannot cross; edges are about 1 long.
    let far = (p.0 - r.0).abs() >= 3.0 || (p.1 - r.1).abs() >= 3.0;
    let apart = a != c && a != d && b != c && b != d;
    if !far && apart && segments_cross((p, q), (r, s)) { 25.0 } else { 0.0 }
}

/// What a part costs that is turned.
fn bending(part: f64) -> f64 {
    30.0 * part.abs()
}
