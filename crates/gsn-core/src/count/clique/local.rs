//! A root and its later neighbours as a graph of its own, in rows of bits.

use crate::count::members::Members;
use crate::count::pivot::{DenseGraph, WordGraph};
use crate::graph::Graph;
use crate::graph::oriented::{EdgeNumbers, OrientedGraph};
use crate::graph::small::WORD;

/// The later neighbours of a root: numbered 0..p, with the root itself as p.
#[derive(Debug, Default)]
pub(super) struct LocalGraph {
    /// Ranks of the later neighbours, then that of the root.
    ranks: Vec<u32>,
    members: Members,
    width: usize,
    rows: Vec<u64>,
    /// Number of edges between the later neighbours.
    links: usize,
    /// Edge between two of them, where there is one, at `a * (p + 1) + b`.
    edges: Vec<u32>,
}

impl LocalGraph {
    /// Number of later neighbours.
    pub(super) fn len(&self) -> usize {
        self.ranks.len() - 1
    }

    fn start(&mut self, later: impl Iterator<Item = u32>, root: u32, order: usize) {
        self.ranks.clear();
        self.ranks.extend(later);
        self.members.set(&self.ranks, order);
        let p = self.ranks.len();
        self.ranks.push(root);
        self.width = p.div_ceil(WORD);
        self.rows.clear();
        self.rows.resize(p * self.width, 0);
        self.links = 0;
    }

    fn end(&mut self) {
        let p = self.len();
        self.members.clear(&self.ranks[..p]);
    }

    #[inline]
    fn link(&mut self, a: usize, b: usize) {
        self.rows[a * self.width + b / WORD] |= 1 << (b % WORD);
        self.rows[b * self.width + a / WORD] |= 1 << (a % WORD);
        self.links += 1;
    }

    /// Loads the later neighbours of a rank; returns how many arcs were looked at.
    pub(super) fn load(
        &mut self,
        oriented: &OrientedGraph,
        root: u32,
        numbers: EdgeNumbers,
    ) -> u64 {
        let row = oriented.neighbors(root);
        // Rows that are looked at soon are called for together.
        let touched = row.iter().fold(0, |sum, &w| sum ^ oriented.touch(w));
        std::hint::black_box(touched);
        self.start(row.iter().copied(), root, oriented.vertices.len());
        let mut looked = row.len();
        match numbers {
            EdgeNumbers::Leave => {
                for (a, &w) in row.iter().enumerate() {
                    let targets = oriented.neighbors(w);
                    looked += targets.len();
                    for &x in targets {
                        if let Some(b) = self.members.place(x) {
                            self.link(a, b);
                        }
                    }
                }
            }
            EdgeNumbers::Keep => looked += self.link_with_edges(oriented, root),
        }
        self.end();
        looked as u64
    }

    fn link_with_edges(&mut self, oriented: &OrientedGraph, root: u32) -> usize {
        let row = oriented.neighbors(root);
        let p = row.len();
        if self.edges.len() < (p + 1) * (p + 1) {
            self.edges.resize((p + 1) * (p + 1), 0);
        }
        let mut looked = 0;
        for (a, &w) in row.iter().enumerate() {
            let targets = oriented.neighbors(w);
            looked += targets.len();
            for (&x, &edge) in targets.iter().zip(oriented.edges(w)) {
                if let Some(b) = self.members.place(x) {
                    self.link(a, b);
                    self.edges[a * (p + 1) + b] = edge;
                    self.edges[b * (p + 1) + a] = edge;
                }
            }
        }
        for (a, &edge) in oriented.edges(root).iter().enumerate() {
            self.edges[a * (p + 1) + p] = edge;
            self.edges[p * (p + 1) + a] = edge;
        }
        looked
    }

    /// Loads the neighbours of a vertex that come later in the order of degrees, without having
    /// oriented the graph: ranks are vertices here. Returns about how many arcs
    /// [`LocalGraph::load`] would look at.
    pub(super) fn sample(&mut self, graph: &Graph, v: u32) -> f64 {
        let place = |w: u32| (graph.degree(w), w);
        let later = graph.neighbors(v).iter().copied().filter(|&w| place(w) > place(v));
        self.start(later, v, graph.order());
        let p = self.len();
        let most = (graph.arc_count() as f64).sqrt();
        let mut looked = p as f64;
        for a in 0..p {
            let w = self.ranks[a];
            let row = graph.neighbors(w);
            let some = || row.iter().step_by(row.len().div_ceil(SAMPLES));
            let share = some().filter(|&&x| place(x) > place(w)).count() as f64;
            looked += (share * row.len() as f64 / some().len() as f64).min(most);
            if row.len() <= SEARCH * p {
                for &x in row {
                    if let Some(b) = self.members.place(x).filter(|&b| b < a) {
                        self.link(a, b);
                    }
                }
            } else {
                for b in 0..a {
                    let (x, y) = (self.ranks[b].min(w), self.ranks[b].max(w));
                    let short = if place(x) < place(y) { (x, y) } else { (y, x) };
                    if graph.has_arc(short.0, short.1) {
                        self.link(a, b);
                    }
                }
            }
        }
        self.end();
        looked
    }

    /// Number of edges between later neighbours.
    pub(super) fn links(&self) -> usize {
        self.links
    }

    /// Number of pairs of later neighbours that are not adjacent.
    pub(super) fn missing(&self) -> usize {
        let p = self.len();
        p * p.saturating_sub(1) / 2 - self.links
    }

    /// The pairs.
    pub(super) fn missing_pairs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let p = self.len();
        let adjacent =
            move |a: usize, b: usize| self.rows[a * self.width + b / WORD] >> (b % WORD) & 1 == 1;
        let pairs = (0..p).flat_map(|a| (0..a).map(move |b| (a, b)));
        pairs.filter(move |&(a, b)| !adjacent(a, b)).map(|(a, b)| (a as u32, b as u32))
    }

    /// One word a row, if that is enough.
    pub(super) fn word(&self) -> Option<WordGraph> {
        (self.width <= 1).then(|| {
            let mut rows = [0; WORD];
            rows[..self.rows.len()].copy_from_slice(&self.rows);
            WordGraph::plain(rows)
        })
    }

    pub(super) fn dense(&self) -> DenseGraph<'_> {
        DenseGraph { width: self.width, rows: &self.rows }
    }

    /// The rank of a later neighbour, or of the root.
    #[inline]
    pub(super) fn rank(&self, a: usize) -> usize {
        self.ranks[a] as usize
    }

    /// The edge between two of them, if edges were kept.
    #[inline]
    pub(super) fn edge(&self, a: usize, b: usize) -> usize {
        self.edges[a * self.ranks.len() + b] as usize
    }
}

/// Neighbours of a vertex by which is told how many of them come later.
const SAMPLES: usize = 32;
/// Entries of a row that take as long as to search it for one.
const SEARCH: usize = 16;
