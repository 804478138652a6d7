//! Where the vertices of a ring system go: rings that share edges, as regular polygons where that can be.
//!
//! Ring after ring is put to those that are there: one edge in common gives a fused polygon, a longer path an arc over its
//! ends. Where rings are bridged, that crosses itself; then outlines are laid on a circle with the rest inside, these
//! and some random starts are relaxed, and the best of all is taken.

use super::flaws::Flaws;
use super::plain::{circle, scaled};
use super::stress::Wanted;
use crate::draw::plane::{
    Point, Turn, add, cross, direction, distance, length, mean, rotate, sub, times, turn,
};
use gsn_core::random::Random;

/// A ring system with places for its vertices.
#[derive(Clone, Debug)]
pub(super) struct System {
    /// Its vertices, in increasing order.
    pub(super) vertices: Vec<usize>,
    /// Their places; edges are about 1 long.
    pub(super) places: Vec<Point>,
}

impl System {
    /// The place of a vertex.
    pub(super) fn place(&self, v: usize) -> Option<Point> {
        self.vertices.binary_search(&v).ok().map(|at| self.places[at])
    }
}

/// The ring systems of a graph: rings that share edges, directly or through others.
pub(super) fn systems(rings: &[Vec<usize>], neighbours: &[Vec<usize>]) -> Vec<System> {
    let mut group: Vec<usize> = (0..rings.len()).collect();
    for i in 0..rings.len() {
        for j in 0..i {
            if shared_edges(&rings[i], &rings[j]) > 0 && group[i] != group[j] {
                let (from, to) = (group[i], group[j]);
                group.iter_mut().filter(|g| **g == from).for_each(|g| *g = to);
            }
        }
    }
    let mut names: Vec<usize> = group.clone();
    names.sort_unstable();
    names.dedup();
    let of = |name: usize| -> Vec<&[usize]> {
        rings.iter().zip(&group).filter(|(_, g)| **g == name).map(|(r, _)| &r[..]).collect()
    };
    names.into_iter().map(|name| system(&of(name), neighbours)).collect()
}

/// Edges of a ring, each from its smaller end.
fn ring_edges(ring: &[usize]) -> impl Iterator<Item = (usize, usize)> + '_ {
    let next = |i: usize| ring[(i + 1) % ring.len()];
    ring.iter().enumerate().map(move |(i, &a)| (a.min(next(i)), a.max(next(i))))
}

fn shared_edges(a: &[usize], b: &[usize]) -> usize {
    ring_edges(a).filter(|e| ring_edges(b).any(|f| f == *e)).count()
}

fn system(rings: &[&[usize]], neighbours: &[Vec<usize>]) -> System {
    let mut vertices: Vec<usize> = rings.iter().flat_map(|ring| ring.iter().copied()).collect();
    vertices.sort_unstable();
    vertices.dedup();
    // From here on vertices have the numbers of their places in this list.
    let local = |v: &usize| vertices.binary_search(v).unwrap_or(0);
    let rings: Vec<Vec<usize>> =
        rings.iter().map(|ring| ring.iter().map(local).collect()).collect();
    let around: Vec<Vec<usize>> = vertices
        .iter()
        .map(|&v| {
            neighbours[v].iter().filter(|w| vertices.binary_search(w).is_ok()).map(local).collect()
        })
        .collect();
    let mut edges: Vec<(usize, usize)> = rings.iter().flat_map(|ring| ring_edges(ring)).collect();
    edges.sort_unstable();
    edges.dedup();
    let places = Rings { rings: &rings, around: &around, edges: &edges }.place();
    System { vertices, places }
}

/// The rings of one system.
struct Rings<'a> {
    rings: &'a [Vec<usize>],
    around: &'a [Vec<usize>],
    edges: &'a [(usize, usize)],
}

/// Rings that the construction is started from.
const STARTS: usize = 8;
/// Badness up to which a construction is taken without looking further.
const FINE: f64 = 0.05;

impl Rings<'_> {
    fn place(&self) -> Vec<Point> {
        // Rings with most neighbours first: what is built around them is compact.
        let shared = |ring: &[usize]| {
            self.rings.iter().filter(|other| shared_edges(ring, other) > 0).count()
        };
        let mut starts: Vec<usize> = (0..self.rings.len()).collect();
        starts.sort_by_key(|&at| std::cmp::Reverse(shared(&self.rings[at])));
        let mut best: Option<(f64, Vec<Point>)> = None;
        let mut offer = |places: Vec<Point>| {
            let badness = self.badness(&places);
            if best.as_ref().is_none_or(|(least, _)| badness < least - 1e-9) {
                best = Some((badness, places));
            }
            badness
        };
        let mut built = Vec::new();
        for &start in starts.iter().take(STARTS) {
            let places = self.build(start);
            built.push(places.clone());
            if offer(places) < FINE {
                return best.map(|(_, places)| places).unwrap_or_default();
            }
        }
        let wanted = self.wanted();
        // Any ring can be the outline of a cage; the larger, the more room is inside.
        let mut outlines: Vec<Vec<usize>> = self.outline().into_iter().collect();
        let mut by_size = self.rings.to_vec();
        by_size.sort_by_key(|ring| std::cmp::Reverse(ring.len()));
        outlines.extend(by_size.into_iter().take(STARTS));
        for outline in outlines {
            let inside = scaled(&self.inside(&outline), self.edges);
            offer(wanted.settle(&inside));
            offer(inside);
        }
        let mut random = Random::new(1);
        for _ in 0..STARTS {
            let anywhere = |_| (3.0 * random.unit(), 3.0 * random.unit());
            let start: Vec<Point> = (0..self.around.len()).map(anywhere).collect();
            offer(wanted.settle(&start));
        }
        for places in built {
            offer(wanted.settle(&places));
        }
        best.map(|(_, places)| places).unwrap_or_default()
    }

    /// Flaws, edges that are not 1 long and rings that are not regular.
    fn badness(&self, places: &[Point]) -> f64 {
        let flaws = Flaws::of(places, self.edges);
        let off = |&(a, b): &(usize, usize)| (distance(places[a], places[b]) - 1.0).abs();
        let lengths: f64 = self.edges.iter().map(off).sum();
        let squeezed = |ring: &Vec<usize>| {
            let here: Vec<Point> = ring.iter().map(|&v| places[v]).collect();
            let centre = mean(&here);
            let ideal = radius(ring.len());
            here.iter().map(|&p| (distance(p, centre) - ideal).abs()).sum::<f64>() / ideal
        };
        let shapes: f64 = self.rings.iter().map(squeezed).sum();
        4.0 * flaws.weight() as f64 + lengths + 0.2 * shapes
    }

    /// Ring after ring, from this one.
    fn build(&self, start: usize) -> Vec<Point> {
        let mut places: Vec<Option<Point>> = vec![None; self.around.len()];
        let first = &self.rings[start];
        let polygon = circle(&(0..first.len()).collect::<Vec<_>>());
        first.iter().zip(polygon).for_each(|(&v, p)| places[v] = Some(p));
        let mut done = vec![false; self.rings.len()];
        done[start] = true;
        loop {
            // The ring of which most is there already; its rest is forced most.
            let there = |at: usize| {
                let edges = ring_edges(&self.rings[at]);
                edges.filter(|&(a, b)| places[a].is_some() && places[b].is_some()).count()
            };
            let next = (0..done.len()).rev().filter(|&at| !done[at]).max_by_key(|&at| there(at));
            let Some(at) = next else { break };
            done[at] = true;
            self.close(&self.rings[at], &done, &mut places);
        }
        places.into_iter().map(Option::unwrap_or_default).collect()
    }

    /// Places what is missing of a ring, run by run, on arcs away from the rings it touches.
    fn close(&self, ring: &[usize], done: &[bool], places: &mut [Option<Point>]) {
        let n = ring.len();
        let Some(first) = (0..n).find(|&i| places[ring[i]].is_some()) else { return };
        let touching: Vec<Point> = (self.rings.iter().zip(done))
            .filter(|(other, done)| **done && other[..] != *ring && shared_edges(ring, other) > 0)
            .map(|(other, _)| {
                let here: Vec<Point> = other.iter().filter_map(|&v| places[v]).collect();
                mean(&here)
            })
            .collect();
        let avoid = mean(&touching);
        let mut i = 0;
        while i < n {
            let from = ring[(first + i) % n];
            let mut gap = 0;
            while gap + 1 < n && places[ring[(first + i + gap + 1) % n]].is_none() {
                gap += 1;
            }
            if gap > 0 {
                let to = ring[(first + i + gap + 1) % n];
                if let (Some(p), Some(q)) = (places[from], places[to]) {
                    for (step, place) in arc(p, q, gap, avoid).into_iter().enumerate() {
                        places[ring[(first + i + step + 1) % n]] = Some(place);
                    }
                }
            }
            i += gap + 1;
        }
    }

    /// The sum of all rings, if that is one cycle: the outline of a system that can be drawn flat.
    fn outline(&self) -> Option<Vec<usize>> {
        let odd = |e: &&(usize, usize)| {
            let on = |ring: &&Vec<usize>| ring_edges(ring).any(|f| f == **e);
            self.rings.iter().filter(on).count() % 2 == 1
        };
        let sum: Vec<(usize, usize)> = self.edges.iter().filter(odd).copied().collect();
        let &(start, mut at) = sum.first()?;
        let mut outline = vec![start];
        let mut before = start;
        while at != start {
            outline.push(at);
            let mut next = sum.iter().filter_map(|&(a, b)| {
                if a == at && b != before { Some(b) } else { (b == at && a != before).then_some(a) }
            });
            let step = next.next()?;
            if next.next().is_some() || outline.len() > sum.len() {
                return None;
            }
            (before, at) = (at, step);
        }
        (outline.len() == sum.len()).then_some(outline)
    }

    /// The outline on a circle, everything else in the middle of its neighbours.
    fn inside(&self, outline: &[usize]) -> Vec<Point> {
        let mut places = vec![(0.0, 0.0); self.around.len()];
        let polygon = circle(&(0..outline.len()).collect::<Vec<_>>());
        outline.iter().zip(polygon).for_each(|(&v, p)| places[v] = p);
        for _ in 0..100 {
            for v in (0..places.len()).filter(|v| !outline.contains(v)) {
                places[v] = mean(self.around[v].iter().map(|&w| &places[w]));
            }
        }
        places
    }

    /// Edges of length 1, rings as regular as can be, all else a little nearer than along edges.
    fn wanted(&self) -> Wanted {
        let mut wanted = Wanted::of(self.around);
        for a in 0..self.around.len() {
            for b in 0..a {
                let along = wanted.distance(a, b);
                wanted.set(a, b, 0.8 * along, 0.3 / (along * along));
            }
        }
        for ring in self.rings {
            let n = ring.len();
            for (i, &a) in ring.iter().enumerate() {
                for (j, &b) in ring.iter().enumerate().take(i) {
                    let ideal = 2.0 * radius(n) * turn((i - j) as f64 / n as f64 / 2.0).1;
                    wanted.set(a, b, ideal, 1.0 / (ideal * ideal));
                }
            }
        }
        self.edges.iter().for_each(|&(a, b)| wanted.set(a, b, 1.0, 8.0));
        wanted
    }
}

/// Radius of a regular polygon with sides of length 1.
pub(super) fn radius(sides: usize) -> f64 {
    0.5 / turn(0.5 / sides as f64).1
}

/// `gap` places between `p` and `q` on a circle, all steps 1 long, on the side away from `avoid`.
fn arc(p: Point, q: Point, gap: usize, avoid: Point) -> Vec<Point> {
    let steps = gap as f64 + 1.0;
    let chord = distance(p, q);
    let along = direction(sub(q, p)).unwrap_or((1.0, 0.0));
    let side = cross(along, sub(avoid, p));
    if chord >= 0.98 * steps {
        // Too far apart for an arc: a line, bent a little so that it can be told from an edge.
        let aside: Turn = if side > 0.0 { (along.1, -along.0) } else { (-along.1, along.0) };
        let at = |i: usize| i as f64 / steps;
        let bend = |t: f64| times(0.3 * 4.0 * t * (1.0 - t), aside);
        return (1..=gap).map(|i| add(add(p, times(at(i) * chord, along)), bend(at(i)))).collect();
    }
    // With a turn of t at every step the ends are sin(steps t / 2) / sin(t / 2) apart.
    let (mut low, mut high) = (0.0, 1.0 / steps);
    for _ in 0..60 {
        let t = (low + high) / 2.0;
        let apart = turn(steps * t / 2.0).1 / turn(t / 2.0).1;
        if apart > chord { low = t } else { high = t }
    }
    let t = if side > 0.0 { -low } else { low };
    // The first step leaves the chord by half of the whole turn, to the other side.
    let mut step = rotate(along, turn(t * (steps - 1.0) / 2.0));
    let mut at = p;
    (0..gap)
        .map(|_| {
            at = add(at, step);
            step = rotate(step, turn(-t));
            at
        })
        .collect()
}

/// The direction from a vertex into its system.
pub(super) fn inward(system: &System, v: usize, neighbours: &[Vec<usize>]) -> Turn {
    let here = system.place(v).unwrap_or_default();
    let near = neighbours[v].iter().filter_map(|&w| direction(sub(system.place(w)?, here)));
    let sum = near.fold((0.0, 0.0), add);
    let rest = || direction(sub(mean(&system.places), here));
    let clear = (length(sum) > 0.1).then(|| direction(sum)).flatten();
    clear.or_else(rest).unwrap_or((1.0, 0.0))
}
