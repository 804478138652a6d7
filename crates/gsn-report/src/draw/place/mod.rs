//! Where vertices go: the one layout for graphs, patterns and molecules. Deterministic to the last bit.
//!
//! | file | what it places |
//! |---|---|
//! | `skeleton.rs` | sparse graphs, as chemists draw molecules: ring systems and chains |
//! | `system.rs` | the rings of one system as regular polygons |
//! | `plain.rs` | trees, cycles, cliques, and everything else by stress |
//!
//! Connected parts are placed one by one and set side by side.

mod flaws;
mod plain;
mod rings;
mod skeleton;
mod stress;
mod system;
mod untangle;

pub use flaws::{Flaws, ON_EDGE, TOO_NEAR};

use super::plane::{Point, add, bounds, distance, rotate, sub, turn};
use skeleton::Skeleton;

/// Vertices up to which rings are looked for.
const FEW_VERTICES: usize = 300;

/// What is known of a graph beside its edges.
#[derive(Clone, Debug, Default)]
pub(super) struct Chemistry {
    /// Vertices that chains pass without a bend.
    pub(super) straight: Vec<bool>,
    /// Four vertices a-b=c-d each, and whether a and d lie on the same side.
    pub(super) sides: Vec<([usize; 4], bool)>,
}

/// Places the vertices `0..order`, so that edges are 1 long in the mean. Edges beyond the order and loops are not allowed.
///
/// ```
/// let square = gsn_report::draw::layout(4, &[(0, 1), (1, 2), (2, 3), (3, 0)]);
/// assert!((square[0].0 - square[1].0).abs() < 1e-9 && (square[0].1 - square[1].1).abs() > 0.9);
/// ```
pub fn layout(order: usize, edges: &[(usize, usize)]) -> Vec<Point> {
    by_parts(order, edges, |neighbours, edges, _| {
        let rough = plain::place(neighbours, edges);
        let rough = plain::scaled(&rough, edges);
        if !is_skeleton(neighbours, edges) {
            return rough;
        }
        let straight = vec![true; neighbours.len()];
        let graph = Skeleton { neighbours, edges, straight: &straight, sides: &[] };
        let mut neat = skeleton::place(&graph);
        plain::level(&mut neat);
        let even = |&(a, b): &(usize, usize)| (distance(neat[a], neat[b]) - 1.0).abs() < 0.1;
        let better = Flaws::of(&neat, edges).weight() <= Flaws::of(&rough, edges).weight();
        if better && edges.iter().all(even) { neat } else { rough }
    })
}

/// Places the atoms of a molecule, with bonds 1 long.
pub(super) fn molecule_layout(
    order: usize,
    edges: &[(usize, usize)],
    chemistry: &Chemistry,
) -> Vec<Point> {
    by_parts(order, edges, |neighbours, edges, names| {
        if neighbours.len() > FEW_VERTICES {
            return plain::scaled(&plain::place(neighbours, edges), edges);
        }
        let straight: Vec<bool> = names.iter().map(|&v| chemistry.straight[v]).collect();
        let local = |v: usize| names.binary_search(&v).ok();
        let sides: Vec<([usize; 4], bool)> = (chemistry.sides.iter())
            .filter_map(|&([a, b, c, d], same)| {
                Some(([local(a)?, local(b)?, local(c)?, local(d)?], same))
            })
            .collect();
        let graph = Skeleton { neighbours, edges, straight: &straight, sides: &sides };
        let mut places = skeleton::place(&graph);
        straighten(&mut places, edges);
        places
    })
}

/// Whether a connected graph looks like rings and chains: neither a tree nor a cycle, and few rings for its size.
fn is_skeleton(neighbours: &[Vec<usize>], edges: &[(usize, usize)]) -> bool {
    let n = neighbours.len();
    let degree = neighbours.iter().map(Vec::len).max().unwrap_or(0);
    let rings = edges.len() + 1 - n;
    n <= FEW_VERTICES && (1..=n / 3).contains(&rings) && (3..=6).contains(&degree)
}

/// The smallest rings of a graph, none of a large one.
pub(super) fn smallest_rings_of(order: usize, edges: &[(usize, usize)]) -> Vec<Vec<usize>> {
    if order > FEW_VERTICES {
        return Vec::new();
    }
    rings::smallest_rings(&neighbours_of(order, edges), edges)
}

/// Sorted lists of neighbours.
pub(super) fn neighbours_of(order: usize, edges: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut neighbours = vec![Vec::new(); order];
    for &(a, b) in edges {
        neighbours[a].push(b);
        neighbours[b].push(a);
    }
    for list in &mut neighbours {
        list.sort_unstable();
        list.dedup();
    }
    neighbours
}

/// Places every connected part by `place`, which gets its lists of neighbours, its edges and the
/// names of its vertices, and sets the parts side by side.
fn by_parts(
    order: usize,
    edges: &[(usize, usize)],
    place: impl Fn(&[Vec<usize>], &[(usize, usize)], &[usize]) -> Vec<Point>,
) -> Vec<Point> {
    let mut edges: Vec<(usize, usize)> = edges.iter().map(|&(a, b)| (a.min(b), a.max(b))).collect();
    edges.sort_unstable();
    edges.dedup();
    let neighbours = neighbours_of(order, &edges);
    let mut places = vec![(0.0, 0.0); order];
    let mut parts: Vec<(Vec<usize>, Vec<Point>)> = Vec::new();
    let mut part_of = vec![usize::MAX; order];
    for v in 0..order {
        if part_of[v] != usize::MAX {
            continue;
        }
        let mut names = vec![v];
        part_of[v] = parts.len();
        let mut at = 0;
        while at < names.len() {
            for &w in &neighbours[names[at]] {
                if part_of[w] == usize::MAX {
                    part_of[w] = parts.len();
                    names.push(w);
                }
            }
            at += 1;
        }
        names.sort_unstable();
        parts.push((names, Vec::new()));
    }
    let mut number = vec![0; order];
    for (names, _) in &parts {
        names.iter().enumerate().for_each(|(at, &v)| number[v] = at);
    }
    let mut edges_of = vec![Vec::new(); parts.len()];
    for &(a, b) in &edges {
        edges_of[part_of[a]].push((number[a], number[b]));
    }
    for ((names, placed), edges) in parts.iter_mut().zip(&edges_of) {
        let local: Vec<Vec<usize>> =
            names.iter().map(|&v| neighbours[v].iter().map(|&w| number[w]).collect()).collect();
        *placed = if names.len() == 1 { vec![(0.0, 0.0)] } else { place(&local, edges, names) };
    }
    side_by_side(&mut parts);
    for (names, placed) in parts {
        names.into_iter().zip(placed).for_each(|(v, p)| places[v] = p);
    }
    centred(places)
}

/// Sets parts into rows, the largest first, about as wide as high together.
fn side_by_side(parts: &mut [(Vec<usize>, Vec<Point>)]) {
    if parts.len() < 2 {
        return;
    }
    const SPACE: f64 = 1.0;
    let box_of = |placed: &[Point]| {
        let (low, high) = bounds(placed);
        (low, high.0 - low.0 + SPACE, high.1 - low.1 + SPACE)
    };
    let area: f64 = parts.iter().map(|(_, p)| box_of(p).1 * box_of(p).2).sum();
    let widest = parts.iter().map(|(_, p)| box_of(p).1).fold(0.0, f64::max);
    let room = widest.max(1.5 * area.sqrt());
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by_key(|&at| std::cmp::Reverse(parts[at].0.len()));
    let mut rows: Vec<(Vec<usize>, f64, f64)> = Vec::new();
    for at in order {
        let (_, wide, high) = box_of(&parts[at].1);
        match rows.last_mut() {
            Some((row, used, tall)) if *used + wide <= room + 1e-9 => {
                row.push(at);
                (*used, *tall) = (*used + wide, tall.max(high));
            }
            _ => rows.push((vec![at], wide, high)),
        }
    }
    let mut top = 0.0;
    for (row, _, tall) in rows {
        let mut left = 0.0;
        for at in row {
            let (low, wide, high) = box_of(&parts[at].1);
            let shift = (left - low.0, top + (tall - high) / 2.0 - low.1);
            parts[at].1.iter_mut().for_each(|p| *p = add(*p, shift));
            left += wide;
        }
        top += tall;
    }
}

fn centred(places: Vec<Point>) -> Vec<Point> {
    let (low, high) = bounds(&places);
    let centre = ((low.0 + high.0) / 2.0, (low.1 + high.1) / 2.0);
    places.into_iter().map(|p| sub(p, centre)).collect()
}

/// Turns a molecule so that it is wide, and then as little as possible so that most bonds lie at multiples of 30°.
fn straighten(places: &mut [Point], edges: &[(usize, usize)]) {
    plain::level(places);
    // Bonds of hexagons and zigzags lie at a multiple of 60° from each other; steps of 30° let
    // them stand upright or lie.
    let mut best = (0usize, 0.0);
    for step in -15..=15 {
        let part = f64::from(step) / 360.0;
        let upright = |&&(a, b): &&(usize, usize)| {
            let way = rotate(sub(places[b], places[a]), turn(part));
            let part = super::plane::part_of_turn(way) * 12.0;
            (part - part.round()).abs() < 12.0 / 720.0
        };
        let count = edges.iter().filter(upright).count();
        if count > best.0 || count == best.0 && f64::abs(part) < f64::abs(best.1) {
            best = (count, part);
        }
    }
    // The step is a whole degree; the rest brings the first good bond exactly to its multiple.
    places.iter_mut().for_each(|p| *p = rotate(*p, turn(best.1)));
    for &(a, b) in edges {
        let part = super::plane::part_of_turn(sub(places[b], places[a])) * 12.0;
        let off = (part - part.round()) / 12.0;
        if off.abs() < 1.0 / 720.0 {
            places.iter_mut().for_each(|p| *p = rotate(*p, turn(-off)));
            return;
        }
    }
}

#[cfg(test)]
mod tests;
