//! Where the vertices of a sparse connected graph go: ring systems as polygons, and chains between and around them with
//! even angles. This is how molecules are drawn.
//!
//! Starts at the largest ring system, or at the end of a longest path, and puts to every placed vertex what hangs on it:
//! one chain goes on in a zigzag, several share the free angle. [`super::untangle`] then turns over what is in the way.

use super::rings::smallest_rings;
use super::stress::distances_from;
use super::system::{System, inward, systems};
use super::untangle::{Move, untangle};
use crate::draw::plane::{
    Point, Turn, add, angle_order, back, cross, direction, part_of_turn, rotate, sub, turn,
};

/// What a vertex asks for.
pub(super) struct Skeleton<'a> {
    pub(super) neighbours: &'a [Vec<usize>],
    pub(super) edges: &'a [(usize, usize)],
    /// Whether a chain goes straight through this vertex.
    pub(super) straight: &'a [bool],
    /// Four vertices a-b=c-d each, and whether a and d lie on the same side of b=c.
    pub(super) sides: &'a [([usize; 4], bool)],
}

/// Something that hangs on a vertex.
#[derive(Clone, Copy, Debug)]
enum Item {
    /// A neighbour, by an edge that lies on no ring.
    Chain(usize),
    /// A ring system that the vertex is part of.
    System(usize),
}

struct Assembly<'a> {
    graph: &'a Skeleton<'a>,
    systems: Vec<System>,
    /// Systems of every vertex.
    of: Vec<Vec<usize>>,
    placed: Vec<bool>,
    places: Vec<Option<Point>>,
    parent: Vec<usize>,
    /// The vertices that were placed last on both sides of every edge of no ring, for turning over.
    moves: Vec<Move>,
    /// Vertices behind each vertex, for the order of branches.
    weight: Vec<usize>,
}

/// Places the graph.
pub(super) fn place(graph: &Skeleton) -> Vec<Point> {
    let n = graph.neighbours.len();
    let rings = smallest_rings(graph.neighbours, graph.edges);
    let systems = systems(&rings, graph.neighbours);
    let mut of = vec![Vec::new(); n];
    for (at, system) in systems.iter().enumerate() {
        system.vertices.iter().for_each(|&v| of[v].push(at));
    }
    let mut assembly = Assembly {
        graph,
        placed: vec![false; systems.len()],
        systems,
        of,
        places: vec![None; n],
        parent: vec![usize::MAX; n],
        moves: Vec::new(),
        weight: vec![0; n],
    };
    let order = assembly.grow();
    let mut places: Vec<Point> = assembly.places.iter().map(|p| p.unwrap_or_default()).collect();
    let moves = assembly.completed_moves(&order);
    untangle(&mut places, graph, &moves);
    places
}

impl Assembly<'_> {
    /// Places everything; gives the vertices in the order in which they were.
    fn grow(&mut self) -> Vec<usize> {
        let largest =
            (0..self.systems.len()).rev().max_by_key(|&at| self.systems[at].vertices.len());
        let mut order = Vec::new();
        match largest {
            Some(at) => {
                self.placed[at] = true;
                let System { vertices, places } = self.systems[at].clone();
                for (v, p) in vertices.into_iter().zip(places) {
                    self.places[v] = Some(p);
                    order.push(v);
                }
            }
            None => {
                let root = self.end_of_longest_path();
                self.places[root] = Some((0.0, 0.0));
                order.push(root);
            }
        }
        self.weigh(&order);
        let mut at = 0;
        while at < order.len() {
            let v = order[at];
            self.hang(v, &mut order);
            at += 1;
        }
        order
    }

    fn end_of_longest_path(&self) -> usize {
        let farthest = |from: usize| {
            let distance = distances_from(self.graph.neighbours, from);
            (0..distance.len()).rev().max_by_key(|&v| distance[v]).unwrap_or(0)
        };
        let one = farthest(0);
        one.min(farthest(one))
    }

    /// How many vertices lie behind each, seen from the start.
    fn weigh(&mut self, start: &[usize]) {
        let neighbours = self.graph.neighbours;
        let mut seen = vec![false; neighbours.len()];
        start.iter().for_each(|&v| seen[v] = true);
        let (mut found, mut from) = (start.to_vec(), vec![usize::MAX; neighbours.len()]);
        let mut at = 0;
        while at < found.len() {
            for &w in &neighbours[found[at]] {
                if !std::mem::replace(&mut seen[w], true) {
                    from[w] = found[at];
                    found.push(w);
                }
            }
            at += 1;
        }
        for &v in found.iter().rev() {
            self.weight[v] += 1;
            if from[v] != usize::MAX {
                self.weight[from[v]] += self.weight[v];
            }
        }
    }

    /// Places what hangs on a placed vertex.
    fn hang(&mut self, v: usize, order: &mut Vec<usize>) {
        let neighbours = self.graph.neighbours;
        let here = self.places[v].unwrap_or_default();
        let mut items: Vec<Item> = Vec::new();
        let in_waiting = |w: usize| {
            self.of[v].iter().any(|&at| !self.placed[at] && self.systems[at].place(w).is_some())
        };
        for &w in &neighbours[v] {
            if self.places[w].is_none() && !in_waiting(w) {
                items.push(Item::Chain(w));
            }
        }
        items.sort_by_key(|item| match item {
            Item::Chain(w) => std::cmp::Reverse(self.weight[*w]),
            Item::System(_) => std::cmp::Reverse(0),
        });
        let waiting = self.of[v].iter().filter(|&&at| !self.placed[at]);
        items.splice(0..0, waiting.map(|&at| Item::System(at)));
        if items.is_empty() {
            return;
        }
        let used: Vec<Turn> =
            neighbours[v].iter().filter_map(|&w| direction(sub(self.places[w]?, here))).collect();
        for (item, way) in items.iter().zip(self.ways(v, &used, &items)) {
            match *item {
                Item::Chain(w) => {
                    self.places[w] = Some(add(here, way));
                    self.parent[w] = v;
                    order.push(w);
                    self.moves.push(Move { pivot: v, axis: way, first: vec![w], vertices: vec![] });
                }
                Item::System(at) => self.put(at, v, way, order),
            }
        }
    }

    /// Directions for what hangs on `v`, in the order of `items`.
    fn ways(&self, v: usize, used: &[Turn], items: &[Item]) -> Vec<Turn> {
        let k = items.len();
        let system = items.iter().any(|item| matches!(item, Item::System(_)));
        match used {
            [] if k == 1 => vec![turn(-1.0 / 12.0)],
            [] => (0..k).map(|i| turn(i as f64 / k as f64 - 1.0 / 12.0)).collect(),
            &[only] if !system => {
                let away = (-only.0, -only.1);
                // The side on which the chain came from one step before.
                let side = self.side_before(v, only);
                let slots: Vec<f64> = match k {
                    1 if self.graph.straight[v] => vec![0.0],
                    1 => vec![1.0 / 6.0],
                    2 => vec![1.0 / 6.0, -1.0 / 6.0],
                    3 => vec![0.0, 0.25, -0.25],
                    _ => (1..=k).map(|i| i as f64 / (k + 1) as f64 - 0.5).collect(),
                };
                slots.into_iter().map(|part| rotate(away, turn(side * part))).collect()
            }
            _ => in_widest_gap(used, items.iter().map(|item| self.width(v, item)).collect()),
        }
    }

    /// The part of a turn that an item takes at `v`.
    fn width(&self, v: usize, item: &Item) -> f64 {
        let Item::System(at) = *item else { return 0.0 };
        let system = &self.systems[at];
        let here = system.place(v).unwrap_or_default();
        let ways: Vec<Turn> = self.graph.neighbours[v]
            .iter()
            .filter_map(|&w| direction(sub(system.place(w)?, here)))
            .collect();
        1.0 - widest_gap(&ways).1
    }

    /// 1 or -1: to which side of the edge to its parent a chain turns at `v`, so that it goes on
    /// away from where it came from.
    fn side_before(&self, v: usize, to_parent: Turn) -> f64 {
        let parent = self.parent[v];
        let Some(here) = self.places.get(parent).copied().flatten() else { return 1.0 };
        let before = self.graph.neighbours[parent]
            .iter()
            .filter(|&&w| w != v)
            .filter_map(|&w| direction(sub(self.places[w]?, here)))
            .map(|way| cross(to_parent, way))
            .find(|side| side.abs() > 1e-6);
        // Turning by a positive part from `away` is to the side where `cross(away, ·)` is positive;
        // a neighbour of the parent on the same side has a negative cross with `to_parent`.
        match before {
            Some(side) if side < 0.0 => -1.0,
            _ => 1.0,
        }
    }

    /// Places a ring system whose vertex `v` is placed, with its inside in direction `way`.
    fn put(&mut self, at: usize, v: usize, way: Turn, order: &mut Vec<usize>) {
        self.placed[at] = true;
        let system = self.systems[at].clone();
        let here = self.places[v].unwrap_or_default();
        let foot = system.place(v).unwrap_or_default();
        let by = rotate(way, back(inward(&system, v, self.graph.neighbours)));
        let mut first = Vec::new();
        for (&w, &p) in system.vertices.iter().zip(&system.places) {
            if w != v {
                self.places[w] = Some(add(here, rotate(sub(p, foot), by)));
                self.parent[w] = v;
                first.push(w);
                order.push(w);
            }
        }
        self.moves.push(Move { pivot: v, axis: way, first, vertices: vec![] });
    }

    /// The moves with all that hangs behind them.
    fn completed_moves(&self, order: &[usize]) -> Vec<Move> {
        let mut children = vec![Vec::new(); order.len()];
        for &v in order {
            if let Some(list) = children.get_mut(self.parent[v]) {
                list.push(v);
            }
        }
        let complete = |m: &Move| {
            let mut vertices = m.first.clone();
            let mut at = 0;
            while at < vertices.len() {
                vertices.extend(&children[vertices[at]]);
                at += 1;
            }
            Move { vertices, ..m.clone() }
        };
        self.moves.iter().map(complete).collect()
    }
}

/// Where the widest gap between directions starts, and which part of a turn it is.
fn widest_gap(ways: &[Turn]) -> (f64, f64) {
    let mut sorted = ways.to_vec();
    sorted.sort_by(|a, b| angle_order(*a).total_cmp(&angle_order(*b)));
    let parts: Vec<f64> = sorted.iter().map(|&way| part_of_turn(way)).collect();
    let mut widest = (0.0, 0.0);
    for (i, &from) in parts.iter().enumerate() {
        let to = parts.get(i + 1).copied().unwrap_or(parts[0] + 1.0);
        if to - from > widest.1 + 1e-9 {
            widest = (from, to - from);
        }
    }
    widest
}

/// Directions for items of these widths, spread evenly over the widest gap.
fn in_widest_gap(used: &[Turn], widths: Vec<f64>) -> Vec<Turn> {
    let (from, gap) = widest_gap(used);
    let space = (gap - widths.iter().sum::<f64>()) / (widths.len() + 1) as f64;
    let mut at = from;
    let put = |width: &f64| {
        let middle = at + space + width / 2.0;
        at += space + width;
        turn(middle)
    };
    widths.iter().map(put).collect()
}
