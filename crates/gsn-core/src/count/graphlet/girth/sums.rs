//! Sums around every vertex and edge of a graph without triangles and squares.
//!
//! In such a graph walks that do not turn back are paths up to four edges long, unless they close a
//! pentagon, and sums over neighbours count them: O(m) for everything but the pentagons, which
//! cost O(Σ d²) — or a word a vertex on graphs of at most 64 vertices.

use super::roles::{RoleCounts, arc, vertex};
use crate::graph::Graph;
use crate::graph::small::{Rows, WORD, fill};

/// Largest degree: products of four degrees stay far below 2⁶⁴.
const MAX_DEGREE: usize = 1 << 12;
/// Largest graph looked at, so that looking in vain costs little.
const MAX_VERTICES: usize = 1 << 14;

/// Sums around one vertex v; w runs over its neighbours.
#[derive(Clone, Copy, Debug, Default)]
struct VertexSums {
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
///
/// Loops go over all arcs at once: the short loop over a vertex's neighbours ends where no
/// processor expects it to, which would cost more than the sums.
#[derive(Debug, Default)]
pub(in crate::count) struct LocalSums {
    /// Source of every arc.
    sources: Vec<u32>,
    /// What lies two edges away from each vertex, in graphs of at most 64 vertices.
    away: Vec<u64>,
    /// Whether the two above are those of the next graph.
    surveyed: bool,
    vertices: Vec<VertexSums>,
    /// Pentagons on every edge.
    pentagons: Vec<u64>,
    stamps: Vec<u32>,
}

impl LocalSums {
    /// Bytes that the sums of a graph take.
    pub(super) fn memory(graph: &Graph) -> u64 {
        let a_vertex = size_of::<VertexSums>() + 4;
        (a_vertex * graph.order() + 8 * graph.arc_count()) as u64
    }

    /// Whether the graph is sparse, undirected and has neither triangles nor squares. If so, the
    /// next sums must be those of this graph.
    pub(super) fn suit(&mut self, graph: &Graph) -> bool {
        let n = graph.order();
        let sparse = !graph.is_directed() && n <= MAX_VERTICES && graph.arc_count() <= 4 * n;
        self.surveyed = sparse && self.survey(graph);
        self.surveyed
    }

    /// Notes the sources; whether all degrees are small and there are no short cycles.
    fn survey(&mut self, graph: &Graph) -> bool {
        let n = graph.order();
        self.sources.clear();
        self.sources.resize(graph.arc_count(), 0);
        for u in 0..n as u32 {
            self.sources[graph.arcs_of(u)].fill(u);
        }
        if n > WORD {
            return graph.max_degree() <= MAX_DEGREE && no_short_cycle(graph);
        }
        let mut rows = [0; WORD];
        fill(graph, &mut rows);
        // LocalSums a vertex, nothing may be met twice within two edges.
        let mut seen: Rows = std::array::from_fn(|v| rows[v] | 1 << v);
        let mut twice = 0;
        for (&u, (v, _)) in self.sources.iter().zip(graph.targets_and_edges()) {
            let (u, v) = (u as usize % WORD, v as usize % WORD);
            let around = rows[v] & !(1 << u);
            twice |= seen[u] & around;
            seen[u] |= around;
        }
        self.away.clear();
        self.away.extend((0..n).map(|v| seen[v] & !rows[v] & !(1 << v)));
        twice == 0
    }
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

impl LocalSums {
    /// Adds up in a graph that suits.
    pub(super) fn add_up(&mut self, graph: &Graph, pentagons: bool) {
        if !std::mem::take(&mut self.surveyed) {
            self.survey(graph);
        }
        let n = graph.order();
        self.vertices.clear();
        self.vertices.extend((0..n as u32).map(|v| {
            let degree = graph.degree(v) as u64;
            let on = degree.saturating_sub(1);
            let pairs = on * on.saturating_sub(1) / 2;
            let triples = pairs * on.saturating_sub(2) / 3;
            VertexSums { degree, on, pairs, triples, ..VertexSums::default() }
        }));
        let vertices = &mut self.vertices[..];
        let arcs = || {
            let pairs = self.sources.iter().zip(graph.targets_and_edges());
            pairs.map(|(&u, (v, _))| (u as usize, v as usize))
        };
        for (v, w) in arcs() {
            let VertexSums { on, pairs, triples, .. } = vertices[w];
            let sums = &mut vertices[v];
            sums.two += on;
            sums.squares += on * on;
            sums.around_pairs += pairs;
            sums.around_triples += triples;
        }
        for (v, w) in arcs() {
            let VertexSums { on, two, around_pairs, .. } = vertices[w];
            let sums = &mut vertices[v];
            sums.three += two - sums.on;
            sums.tips += around_pairs - sums.pairs;
            sums.leaves += on.saturating_sub(1) * (two - sums.on);
        }
        for (v, w) in arcs() {
            vertices[v].four += vertices[w].three;
        }
        for sums in vertices {
            sums.four -= sums.on * sums.two;
        }
        self.pentagons.clear();
        self.pentagons.resize(graph.edge_count(), 0);
        match (pentagons, n <= WORD) {
            (false, _) => {}
            (true, true) => self.pentagons_in_words(graph),
            (true, false) => self.pentagons_in_lists(graph),
        }
    }

    /// Source, target and edge of every arc of the graph whose sums these are.
    pub(super) fn arcs(&self, graph: &Graph) -> impl Iterator<Item = (usize, usize, usize)> {
        let arcs = self.sources.iter().zip(graph.targets_and_edges());
        arcs.map(|(&u, (v, edge))| (u as usize, v as usize, edge as usize))
    }

    /// A pentagon on the edge {u, v} is a vertex two edges away from both.
    fn pentagons_in_words(&mut self, graph: &Graph) {
        let Self { sources, away, pentagons, vertices, .. } = self;
        for (&u, (v, edge)) in sources.iter().zip(graph.targets_and_edges()) {
            let opposite = away[u as usize] & away[v as usize];
            // Most edges are on no pentagon; which arc comes first cannot be predicted.
            if (opposite != 0) & (u < v) {
                let found = u64::from(opposite.count_ones());
                pentagons[edge as usize] = found;
                vertices[u as usize].pentagons += found;
                vertices[v as usize].pentagons += found;
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
                    let both = away(v, u).filter(|&x| stamps[x as usize] == u).count() as u64;
                    self.pentagons[graph.edge_id(arc)] = both;
                    self.vertices[u as usize].pentagons += both;
                    self.vertices[v as usize].pentagons += both;
                }
            }
        }
        self.stamps = stamps;
        self.halve();
    }

    /// A pentagon has two edges at each of its vertices.
    fn halve(&mut self) {
        self.vertices.iter_mut().for_each(|sums| sums.pentagons /= 2);
    }

    /// The counts of a vertex, by role.
    #[inline]
    pub(super) fn vertex(&self, v: usize, induced: bool) -> RoleCounts {
        use vertex::*;
        let p = &self.vertices[v];
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
    pub(super) fn arc(&self, u: usize, v: usize, edge: usize, induced: bool) -> RoleCounts {
        use arc::*;
        let (a, b) = (&self.vertices[u], &self.vertices[v]);
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
        // Of a pentagon's five paths one lacks the edge, the others have it in their four positions.
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
