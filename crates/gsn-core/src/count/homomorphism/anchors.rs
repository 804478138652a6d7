//! Which vertices of a block the loops run over, and from where its trees are counted.
//!
//! Costs are guessed for a graph of a thousand vertices and mean degree twenty: what matters is
//! the order of magnitude that each further step away from the anchors adds. Equal blocks get
//! equal choices, whatever their vertices are called, where costs tell them apart.

use super::shape::{Root, Shape};
use crate::pattern::bits;

/// Vertices of the graph that costs are guessed for, and its degree.
const VERTICES: f64 = 1000.0;
const DEGREE: f64 = 20.0;
/// Vertices adjacent to so many given ones, one or more.
const COMMON: [f64; 3] = [20.0, 2.0, 1.0];
/// Largest number of anchors that are looked for among all sets of vertices; beyond it vertices of
/// high degree are taken until no cycle is left.
const SEARCHED: usize = 4;
/// The same in blocks of more than [`LARGE`] vertices.
const SEARCHED_IN_LARGE: usize = 2;
const LARGE: usize = 12;

/// The anchors for a block, in the order of their loops.
pub(super) fn choose(shape: &Shape, root: Root) -> Vec<usize> {
    let vertices: Vec<usize> = bits(shape.alive).collect();
    let most = if vertices.len() > LARGE { SEARCHED_IN_LARGE } else { SEARCHED };
    for size in 1..=most.min(vertices.len()) {
        let mut best: Option<(f64, Vec<usize>)> = None;
        for_each_subset(&vertices, size, &mut |set| {
            if !shape.is_forest(shape.alive & !set) {
                return;
            }
            let sketch = Sketch::new(shape, in_order(shape, root, set));
            let cost = sketch.cost(shape, root);
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, sketch.anchors));
            }
        });
        if let Some((_, anchors)) = best {
            return anchors;
        }
    }
    let mut set = 0u64;
    while !shape.is_forest(shape.alive & !set) {
        let degree = |&v: &usize| (shape.around(v) & !set).count_ones();
        let next = bits(shape.alive & !set).max_by_key(degree).expect("a cycle has vertices");
        set |= 1 << next;
    }
    in_order(shape, root, set)
}

fn for_each_subset(vertices: &[usize], size: usize, call: &mut dyn FnMut(u64)) {
    fn extend(rest: &[usize], size: usize, set: u64, call: &mut dyn FnMut(u64)) {
        if size == 0 {
            return call(set);
        }
        for (at, &v) in rest.iter().enumerate() {
            extend(&rest[at + 1..], size - 1, set | 1 << v, call);
        }
    }
    extend(vertices, size, 0, call);
}

/// The root first, then whatever is next to most of those before.
fn in_order(shape: &Shape, root: Root, set: u64) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::new();
    let mut chosen = 0u64;
    while chosen != set {
        let next = bits(set & !chosen).max_by_key(|&v| {
            let near = (shape.around(v) & chosen).count_ones();
            (near, root.set() >> v & 1, shape.around(v).count_ones(), usize::MAX - v)
        });
        let next = next.expect("the set has more members");
        chosen |= 1 << next;
        order.push(next);
    }
    order
}

/// Anchors and the trees that are left without them.
pub(super) struct Sketch {
    pub(super) anchors: Vec<usize>,
    pub(super) trees: Vec<u64>,
    set: u64,
}

/// What a row is guessed to cost, and how many vertices it has.
#[derive(Clone, Copy)]
struct Guess {
    cost: f64,
    vertices: f64,
}

impl Sketch {
    pub(super) fn new(shape: &Shape, anchors: Vec<usize>) -> Self {
        let set = anchors.iter().fold(0, |set, &a| set | 1 << a);
        let trees = shape.components(shape.alive & !set);
        Self { anchors, trees, set }
    }

    /// Neighbours of a tree vertex in its tree, other than its parent.
    pub(super) fn children(&self, shape: &Shape, v: usize, parent: Option<usize>) -> u64 {
        let up = parent.map_or(0, |parent| 1 << parent);
        shape.around(v) & !self.set & !up
    }

    /// The nearest of the anchors before one, and how far away it is.
    pub(super) fn nearest(&self, shape: &Shape, at: usize) -> (usize, usize) {
        let (mut reached, mut distance) = (1u64 << self.anchors[at], 0);
        loop {
            if let Some(from) = (0..at).find(|&from| reached >> self.anchors[from] & 1 == 1) {
                return (from, distance);
            }
            reached = bits(reached).fold(reached, |set, v| set | shape.around(v));
            distance += 1;
        }
    }

    fn guess(&self, shape: &Shape, v: usize, parent: Option<usize>) -> Guess {
        let masks = (shape.around(v) & self.set).count_ones() as usize;
        let mut guess = match masks {
            0 => Guess { cost: 0.0, vertices: VERTICES },
            _ => Guess { cost: 0.0, vertices: COMMON[masks.min(COMMON.len()) - 1] },
        };
        for child in bits(self.children(shape, v, parent)) {
            let below = self.guess(shape, child, Some(v));
            let reading = below.vertices * DEGREE;
            guess.cost += below.cost;
            if masks == 0 {
                guess.cost += reading;
                guess.vertices = guess.vertices.min(0.9 * reading);
            } else {
                guess.cost += reading.min(guess.vertices * DEGREE);
            }
        }
        guess.cost += guess.vertices;
        guess
    }

    fn across(&self, shape: &Shape, v: usize, w: usize) -> f64 {
        let (one, other) = (self.guess(shape, v, Some(w)), self.guess(shape, w, Some(v)));
        one.cost + other.cost + DEGREE * one.vertices.min(other.vertices)
    }

    /// The vertex or edge of a tree from which it is counted cheapest.
    pub(super) fn best_middle(&self, shape: &Shape, tree: u64) -> (usize, Option<usize>) {
        let (middle, _) = self.middle(shape, tree);
        middle
    }

    fn middle(&self, shape: &Shape, tree: u64) -> ((usize, Option<usize>), f64) {
        let mut best = ((0, None), f64::INFINITY);
        for v in bits(tree) {
            let cost = self.guess(shape, v, None).cost;
            if cost < best.1 {
                best = ((v, None), cost);
            }
            for w in bits(shape.around(v) & tree).filter(|&w| v < w) {
                let cost = self.across(shape, v, w);
                if cost < best.1 {
                    best = ((v, Some(w)), cost);
                }
            }
        }
        best
    }

    /// Cost of all loops.
    fn cost(&self, shape: &Shape, root: Root) -> f64 {
        let mut rounds = VERTICES;
        for (at, &anchor) in self.anchors.iter().enumerate().skip(1) {
            let before = self.anchors[..at].iter();
            let near = before.filter(|&&b| shape.around(anchor) >> b & 1 == 1).count();
            rounds *= match near {
                0 => (DEGREE.powi(self.nearest(shape, at).1 as i32)).min(VERTICES),
                near => COMMON[near.min(COMMON.len()) - 1],
            };
        }
        let mut inside = 1.0;
        for &tree in &self.trees {
            let roots: Vec<usize> = bits(tree & root.set()).collect();
            inside += match roots[..] {
                [] => self.middle(shape, tree).1,
                [r] => self.guess(shape, r, None).cost,
                _ => self.across(shape, roots[0], roots[1]),
            };
        }
        rounds * inside
    }
}
