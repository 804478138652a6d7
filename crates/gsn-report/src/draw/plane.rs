//! Points of the plane, with operations that give the same bits on every machine.
//!
//! Only sums, products, quotients and square roots are used, which are rounded in one way
//! everywhere; sines and arc tangents of the machine's own library are not.

/// A place in the plane; `y` grows downwards.
pub type Point = (f64, f64);

/// A direction as (cosine, sine), which is also the rotation that turns (1, 0) to it.
pub(super) type Turn = (f64, f64);

pub(super) fn add(p: Point, q: Point) -> Point {
    (p.0 + q.0, p.1 + q.1)
}

pub(super) fn sub(p: Point, q: Point) -> Point {
    (p.0 - q.0, p.1 - q.1)
}

pub(super) fn times(factor: f64, p: Point) -> Point {
    (factor * p.0, factor * p.1)
}

pub(super) fn dot(p: Point, q: Point) -> f64 {
    p.0 * q.0 + p.1 * q.1
}

/// Positive if `q` lies to the left of `p`, seen from the origin with `y` upwards.
pub(super) fn cross(p: Point, q: Point) -> f64 {
    p.0 * q.1 - p.1 * q.0
}

pub(super) fn length(p: Point) -> f64 {
    dot(p, p).sqrt()
}

pub(super) fn distance(p: Point, q: Point) -> f64 {
    length(sub(p, q))
}

/// The direction of `p`, or none if it has no length.
pub(super) fn direction(p: Point) -> Option<Turn> {
    let length = length(p);
    (length > 1e-9).then(|| times(1.0 / length, p))
}

/// `p` turned by `turn`.
pub(super) fn rotate(p: Point, turn: Turn) -> Point {
    (p.0 * turn.0 - p.1 * turn.1, p.0 * turn.1 + p.1 * turn.0)
}

/// The turn in the other sense.
pub(super) fn back(turn: Turn) -> Turn {
    (turn.0, -turn.1)
}

/// The mirror image of `p` in the line through `foot` with direction `along`.
pub(super) fn mirror(p: Point, foot: Point, along: Turn) -> Point {
    let from = sub(p, foot);
    sub(add(foot, times(2.0 * dot(from, along), along)), from)
}

/// This part of a full turn.
pub(super) fn turn(part: f64) -> Turn {
    let part = part - part.floor();
    let quarters = (4.0 * part).round();
    // At most an eighth of a turn remains, where the series converge at once.
    let x = (part - quarters / 4.0) * std::f64::consts::TAU;
    let (mut cos, mut sin, mut term) = (0.0, 0.0, 1.0);
    for n in 0..20 {
        match n % 4 {
            0 => cos += term,
            1 => sin += term,
            2 => cos -= term,
            _ => sin -= term,
        }
        term *= x / f64::from(n + 1);
    }
    match quarters as i64 % 4 {
        0 => (cos, sin),
        1 => (-sin, cos),
        2 => (-cos, -sin),
        _ => (sin, -cos),
    }
}

/// A number that grows with the angle of `p` from (1, 0), from 0 to 4 for a full turn.
pub(super) fn angle_order(p: Point) -> f64 {
    let sum = p.0.abs() + p.1.abs();
    if sum == 0.0 {
        return 0.0;
    }
    match (p.0 >= 0.0, p.1 >= 0.0) {
        (true, true) => p.1 / sum,
        (false, _) => 2.0 - p.1 / sum,
        (true, false) => 4.0 + p.1 / sum,
    }
}

/// The part of a full turn at which `p` lies, in [0, 1), by halving: exact to 2⁻⁴⁰.
pub(super) fn part_of_turn(p: Point) -> f64 {
    let wanted = angle_order(p);
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..40 {
        let middle = (low + high) / 2.0;
        if angle_order(turn(middle)) <= wanted { low = middle } else { high = middle }
    }
    low
}

/// Smallest and largest coordinates.
pub(super) fn bounds(places: &[Point]) -> (Point, Point) {
    let start = ((f64::MAX, f64::MAX), (f64::MIN, f64::MIN));
    places.iter().fold(start, |(low, high), p| {
        ((low.0.min(p.0), low.1.min(p.1)), (high.0.max(p.0), high.1.max(p.1)))
    })
}

pub(super) fn mean<'a>(places: impl IntoIterator<Item = &'a Point>) -> Point {
    let (mut sum, mut n) = ((0.0, 0.0), 0.0);
    for &p in places {
        (sum, n) = (add(sum, p), n + 1.0);
    }
    times(1.0 / f64::max(n, 1.0), sum)
}

/// Whether the inner parts of two segments meet.
pub(super) fn segments_cross((p, q): (Point, Point), (r, s): (Point, Point)) -> bool {
    let side = |a: Point, b: Point, c: Point| cross(sub(b, a), sub(c, a));
    side(p, q, r) * side(p, q, s) < -1e-12 && side(r, s, p) * side(r, s, q) < -1e-12
}

/// How far `r` is from the segment from `p` to `q`.
pub(super) fn from_segment(r: Point, p: Point, q: Point) -> f64 {
    let along = sub(q, p);
    let square = dot(along, along);
    let t = if square > 0.0 { (dot(sub(r, p), along) / square).clamp(0.0, 1.0) } else { 0.0 };
    distance(r, add(p, times(t, along)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_sines_and_cosines_and_are_found_again() {
        for i in -50..150 {
            let part = f64::from(i) / 97.0;
            let (cos, sin) = turn(part);
            let angle = part * std::f64::consts::TAU;
            assert!((cos - angle.cos()).abs() < 1e-14 && (sin - angle.sin()).abs() < 1e-14);
            let found = part_of_turn((3.0 * cos, 3.0 * sin));
            let off = (found - part).rem_euclid(1.0);
            assert!(!(1e-9..=1.0 - 1e-9).contains(&off), "{part} {found}");
        }
    }

    #[test]
    fn mirrors_and_crossings() {
        let p = mirror((1.0, 2.0), (0.0, 0.0), (1.0, 0.0));
        assert_eq!(p, (1.0, -2.0));
        let cross = ((0.0, 0.0), (1.0, 1.0));
        assert!(segments_cross(cross, ((0.0, 1.0), (1.0, 0.0))));
        assert!(!segments_cross(cross, ((1.0, 1.0), (2.0, 0.0))));
        assert_eq!(from_segment((0.5, 1.0), (0.0, 0.0), (1.0, 0.0)), 1.0);
        assert_eq!(from_segment((3.0, 0.0), (0.0, 0.0), (1.0, 0.0)), 2.0);
    }
}
