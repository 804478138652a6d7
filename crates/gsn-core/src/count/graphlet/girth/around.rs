//! What lies around every vertex and edge of a graph without triangles and squares.
//!
//! Then walks that do not turn back are paths up to four edges long, unless they close a
//! pentagon, and sums over neighbours count them: O(m) for everything but the pentagons, which
//! cost O(Σ d²) — or a word a vertex on graphs of at most 64 vertices.

use super::roles::{Counts, arc, vertex};
use crate::graph::Graph;
use crate::graph::small::{Rows, WORD, fill, first};
use crate::pattern::bits;

/// Largest degree: products of four degrees stay far below 2⁶⁴.
const MAX_DEGREE: usize = 1 << 12;
/// Largest graph looked at, so that looking in vain costs little.
const MAX_VERTICES: usize = 1 << 14;

/// Sums around one vertex v; w runs over its neighbours.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    degree: u64,
    /// d − 1: ways on for a walk that came along an edge; 0 when there is no edge.
    on: u64,
    /// Pairs and triples of them.
    pairs: u64,
    triples: u64,
    /// Σ on(w): paths of two edges from v.
    two: u64,
    /// Σ on(w)².
    squares: u64,
    /// Σ pairs(w), Σ triples(w).
    around_pairs: u64,
    around_triples: u64,
    /// Paths of three edges from v.
    three: u64,
    /// Paths of two edges from v whose last vertex starts a pair of others.
    tips: u64,
    /// Forks that have v as a leaf.
    leaves: u64,
    /// Paths of four edges from v, closed ones included once they close a pentagon.
    four: u64,
    pentagons: u64,
}

/// The sums of a graph, reused from graph to graph.
#[derive(Debug, Default)]
pub(in crate::count) struct Around {
    places: Vec<Place>,
    /// Pentagons on every edge.
    pentagons: Vec<u64>,
    stamps: Vec<u32>,
}

/// Whether the graph is sparse, undirected and has neither triangles nor squares.
pub(in crate::count) fn suits(graph: &Graph) -> bool {
    let n = graph.order();
    if graph.is_directed() || n > MAX_VERTICES || graph.arc_count() > 4 * n {
        return false;
    }
    if n <= WORD {
        let mut rows = [0; WORD];
        fill(graph, &mut rows);
        return (0..n).all(|v| seconds(&rows, v).is_some());
    }
    graph.max_degree() <= MAX_DEGREE && no_short_cycle(graph)
}

/// The vertices two edges away from `v`, unless there is a triangle or a square on it.
#[inline]
fn seconds(rows: &Rows, v: usize) -> Option<u64> {
    let (mut seen, mut twice) = (rows[v % WORD] | 1 << v, 0);
    for w in bits(rows[v % WORD]) {
        let around = rows[w % WORD] & !(1 << v);
        twice |= seen & around;
        seen |= around;
    }
    (twice == 0).then_some(seen & !rows[v % WORD] & !(1 << v))
}

fn no_short_cycle(graph: &Graph) -> bool {
    let mut stamps = vec![u32::MAX; graph.order()];
    (0..graph.order() as u32).all(|v| {
        graph.neighbors(v).iter().for_each(|&w| stamps[w as usize] = v);
        graph.neighbors(v).iter().all(|&w| {
            let mut on = graph.neighbors(w).iter().filter(|&&x| x != v);
            on.all(|&x| std::mem::replace(&mut stamps[x as usize], v) != v)
        })
    })
}

impl Around {
    /// Looks around in a graph that [`suits`].
    pub(super) fn look(&mut self, graph: &Graph, pentagons: bool) {
        let n = graph.order();
        self.places.clear();
        self.places.extend((0..n as u32).map(|v| {
            let degree = graph.degree(v) as u64;
            let on = degree.saturating_sub(1);
            let pairs = on * on.saturating_sub(1) / 2;
            let triples = pairs * on.saturating_sub(2) / 3;
            Place { degree, on, pairs, triples, ..Place::default() }
        }));
        let places = &mut self.places[..];
        for v in 0..n {
            let (mut two, mut squares, mut pairs, mut triples) = (0, 0, 0, 0);
            for &w in graph.neighbors(v as u32) {
                let w = &places[w as usize];
                two += w.on;
                squares += w.on * w.on;
                pairs += w.pairs;
                triples += w.triples;
            }
            let place = &mut places[v];
            (place.two, place.squares) = (two, squares);
            (place.around_pairs, place.around_triples) = (pairs, triples);
        }
        for v in 0..n {
            let Place { degree, on, pairs, .. } = places[v];
            let (mut three, mut tips, mut leaves) = (0, 0, 0);
            for &w in graph.neighbors(v as u32) {
                let w = &places[w as usize];
                three += w.two;
                tips += w.around_pairs;
                leaves += w.on.saturating_sub(1) * (w.two - on);
            }
            let place = &mut places[v];
            place.three = three - degree * on;
            place.tips = tips - degree * pairs;
            place.leaves = leaves;
        }
        for v in 0..n {
            let three: u64 =
                graph.neighbors(v as u32).iter().map(|&w| places[w as usize].three).sum();
            places[v].four = three - places[v].on * places[v].two;
        }
        self.pentagons.clear();
        self.pentagons.resize(graph.edge_count(), 0);
        if !pentagons {
        } else if n <= WORD {
            self.pentagons_in_words(graph);
        } else {
            self.pentagons_in_lists(graph);
        }
    }

    /// A pentagon on the edge {u, v} is a vertex two edges away from both.
    fn pentagons_in_words(&mut self, graph: &Graph) {
        let (mut rows, mut away) = ([0; WORD], [0; WORD]);
        fill(graph, &mut rows);
        let n = graph.order();
        for v in bits(first(n)) {
            away[v] = seconds(&rows, v).unwrap_or(0);
        }
        for u in 0..n as u32 {
            for arc in graph.arcs_of(u) {
                let v = graph.arc_target(arc);
                let opposite = away[u as usize % WORD] & away[v as usize % WORD];
                if u < v && opposite != 0 {
                    self.found(graph.edge_id(arc), u, v, u64::from(opposite.count_ones()));
                }
            }
        }
        self.halve();
    }

    fn pentagons_in_lists(&mut self, graph: &Graph) {
        let mut stamps = std::mem::take(&mut self.stamps);
        stamps.clear();
        stamps.resize(graph.order(), u32::MAX);
        let away = |v: u32, via: u32| {
            let on = graph.neighbors(v).iter().filter(move |&&w| w != via);
            on.flat_map(move |&w| graph.neighbors(w).iter().copied().filter(move |&x| x != v))
        };
        for u in 0..graph.order() as u32 {
            away(u, u).for_each(|x| stamps[x as usize] = u);
            for arc in graph.arcs_of(u) {
                let v = graph.arc_target(arc);
                if u < v {
                    let both = away(v, u).filter(|&x| stamps[x as usize] == u).count();
                    self.found(graph.edge_id(arc), u, v, both as u64);
                }
            }
        }
        self.stamps = stamps;
        self.halve();
    }

    #[inline]
    fn found(&mut self, edge: usize, u: u32, v: u32, pentagons: u64) {
        self.pentagons[edge] = pentagons;
        self.places[u as usize].pentagons += pentagons;
        self.places[v as usize].pentagons += pentagons;
    }

    /// A pentagon has two edges at each of its vertices.
    fn halve(&mut self) {
        self.places.iter_mut().for_each(|place| place.pentagons /= 2);
    }

    /// The counts of a vertex, by role.
    #[inline]
    pub(super) fn vertex(&self, v: usize, induced: bool) -> Counts {
        use vertex::*;
        let p = &self.places[v];
        let mut counts = [0; _];
        counts[EDGE] = p.degree;
        counts[P3_END] = p.two;
        counts[P3_MIDDLE] = p.pairs + p.on;
        counts[S3_LEAF] = p.around_pairs;
        counts[S3_CENTRE] = p.triples + p.pairs;
        counts[P4_END] = p.three;
        counts[P4_INNER] = p.on * p.two;
        counts[S4_LEAF] = p.around_triples;
        // C(d, 4) = C(d − 1, 3) · d / 4.
        counts[S4_CENTRE] = p.triples * p.degree / 4;
        counts[FORK_CENTRE] = p.pairs * p.two;
        counts[FORK_LEAF] = p.leaves;
        counts[FORK_ARM] = p.on * p.around_pairs;
        counts[FORK_TIP] = p.tips;
        // A pentagon holds five paths: two end at a vertex, two have it next to the end.
        let closed = if induced { p.pentagons } else { 0 };
        counts[P5_END] = p.four - 2 * closed;
        counts[P5_SECOND] = p.on * p.three - 2 * closed;
        counts[P5_MIDDLE] = (p.two * p.two - p.squares) / 2 - closed;
        counts[C5] = p.pentagons;
        counts
    }

    /// The counts of the arc `u → v`, by role.
    #[inline]
    pub(super) fn arc(&self, u: usize, v: usize, edge: usize, induced: bool) -> Counts {
        use arc::*;
        let (a, b) = (&self.places[u], &self.places[v]);
        let mut counts = [0; _];
        counts[EDGE] = 1;
        counts[P3_OUT] = b.on;
        counts[P3_IN] = a.on;
        counts[S3_OUT] = b.pairs;
        counts[S3_IN] = a.pairs;
        // Paths of two and three edges that go on from this one.
        let (two_out, two_in) = (b.two - a.on, a.two - b.on);
        counts[P4_OUT] = two_out;
        counts[P4_IN] = two_in;
        counts[P4_MIDDLE] = a.on * b.on;
        counts[FORK_LEAF_OUT] = b.on.saturating_sub(1) * two_out;
        counts[FORK_LEAF_IN] = a.on.saturating_sub(1) * two_in;
        counts[FORK_ARM_OUT] = b.pairs * a.on;
        counts[FORK_ARM_IN] = a.pairs * b.on;
        counts[FORK_TIP_OUT] = b.around_pairs - a.pairs;
        counts[FORK_TIP_IN] = a.around_pairs - b.pairs;
        counts[S4_OUT] = b.triples;
        counts[S4_IN] = a.triples;
        // Of a pentagon's five paths one lacks the edge, the others have it in their four places.
        let pentagons = self.pentagons[edge];
        let closed = if induced { pentagons } else { 0 };
        counts[P5_OUT] = b.three - two_in - closed;
        counts[P5_IN] = a.three - two_out - closed;
        counts[P5_INNER_OUT] = a.on * two_out - closed;
        counts[P5_INNER_IN] = b.on * two_in - closed;
        counts[C5] = pentagons;
        counts
    }
}
