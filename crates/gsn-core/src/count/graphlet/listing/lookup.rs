//! What the search looks up: columns by code, and where sums go in the end.
//!
//! Internal columns are numbered 0, 1, … over all wanted numbers of vertices and only those
//! classes that a wanted table draws on: the wanted patterns themselves and, for subgraph matching, the graphs
//! on the same vertices that contain them.

use super::super::columns::Targets;
use super::super::conversion::Conversion;
use super::super::graphlets::{Class, Graphlets, MAX_ORDER, NONE, pairs};
use crate::count::cells::{PatternColumns, WantedTables};

/// Positions a code's vertex columns take up; a power of two keeps indexing cheap.
pub(super) const VERTEX_STRIDE: usize = 8;

/// Everything the search needs to know about the wanted patterns.
#[derive(Clone, Debug)]
pub(super) struct Lookups {
    /// Vertices of the largest wanted pattern.
    pub(super) largest: usize,
    /// By number of vertices; `None` where no such pattern is wanted.
    pub(super) by_order: [Option<Lookup>; MAX_ORDER + 1],
    pub(super) vertex: OutputColumns,
    pub(super) arc: OutputColumns,
    pub(super) wants: WantedTables,
}

/// Internal columns by code.
#[derive(Clone, Debug)]
pub(super) struct Lookup {
    /// Whether sets with this code count at all.
    pub(super) used: Vec<bool>,
    /// Column of position `i` at `code * VERTEX_STRIDE + i`.
    pub(super) vertex: Vec<u16>,
    /// Column of the pair at bit `e` at `code * arc_stride + 2e` for the arc from the lower
    /// position to the higher one, one further for its reverse.
    pub(super) arc: Vec<u16>,
    pub(super) arc_stride: usize,
}

/// Where the sum of an internal column goes: lists of all columns, one after the other.
#[derive(Clone, Debug)]
pub(super) struct OutputColumns {
    induced: Vec<u32>,
    induced_starts: Vec<u32>,
    subgraph: Vec<(u32, u32)>,
    subgraph_starts: Vec<u32>,
}

impl Default for OutputColumns {
    fn default() -> Self {
        Self {
            induced: Vec::new(),
            induced_starts: vec![0],
            subgraph: Vec::new(),
            subgraph_starts: vec![0],
        }
    }
}

impl OutputColumns {
    /// Number of internal columns.
    pub(super) fn columns(&self) -> usize {
        self.induced_starts.len() - 1
    }

    /// Output columns of the induced table.
    #[inline]
    pub(super) fn induced(&self, column: usize) -> &[u32] {
        let starts = &self.induced_starts[column..column + 2];
        &self.induced[starts[0] as usize..starts[1] as usize]
    }

    /// Output columns of the subgraph table and multiplicities.
    #[inline]
    pub(super) fn subgraph(&self, column: usize) -> &[(u32, u32)] {
        let starts = &self.subgraph_starts[column..column + 2];
        &self.subgraph[starts[0] as usize..starts[1] as usize]
    }

    fn push(
        &mut self,
        wants: WantedTables,
        own: &[usize],
        image: &[(u16, u32)],
        all: &[Vec<usize>],
    ) {
        if wants.induced() {
            self.induced.extend(own.iter().map(|&column| column as u32));
        }
        for &(h, c) in image {
            self.subgraph.extend(all[h as usize].iter().map(|&column| (column as u32, c)));
        }
        self.induced_starts.push(self.induced.len() as u32);
        self.subgraph_starts.push(self.subgraph.len() as u32);
    }
}

impl Lookups {
    pub(super) fn new(patterns: &[PatternColumns], wants: WantedTables) -> Self {
        let mut lookups = Self {
            largest: 1,
            by_order: Default::default(),
            vertex: OutputColumns::default(),
            arc: OutputColumns::default(),
            wants,
        };
        for targets in Targets::of(patterns) {
            lookups.add(&targets);
        }
        lookups
    }

    fn add(&mut self, targets: &Targets) {
        let (graphlets, k) = (targets.graphlets, targets.graphlets.order);
        self.largest = k;
        let empty = [];
        let maps = self.wants.subgraph().then(|| Conversion::of(k));
        let mut vertex_column = vec![NONE; graphlets.vertex_columns];
        let mut arc_column = vec![NONE; graphlets.arc_columns];
        for class in &graphlets.classes {
            let contains_wanted = maps.is_some_and(|maps| {
                let mut below = maps.vertex[class.vertex_base].iter();
                below.any(|&(h, _)| !targets.vertex[h as usize].is_empty())
            });
            let wanted = self.wants.induced() && targets.wants(class);
            if !contains_wanted && !wanted {
                continue;
            }
            for at in class.vertex_base..class.vertex_base + class.vertex_reps.len() {
                vertex_column[at] = self.vertex.columns() as u16;
                let image = maps.map_or(&empty[..], |maps| &maps.vertex[at]);
                self.vertex.push(self.wants, &targets.vertex[at], image, &targets.vertex);
            }
            for at in class.arc_base..class.arc_base + class.arc_reps.len() {
                arc_column[at] = self.arc.columns() as u16;
                let image = maps.map_or(&empty[..], |maps| &maps.arc[at]);
                self.arc.push(self.wants, &targets.arc[at], image, &targets.arc);
            }
        }
        let arcs = if self.wants.arcs { &arc_column[..] } else { &[] };
        self.by_order[k] = Some(Lookup::new(graphlets, &vertex_column, arcs));
    }
}

impl Lookup {
    fn new(graphlets: &Graphlets, vertex_column: &[u16], arc_column: &[u16]) -> Self {
        let k = graphlets.order;
        let codes = 1usize << pairs(k);
        let arc_stride = 2 * pairs(k);
        let mut lookup = Self {
            used: vec![false; codes],
            vertex: vec![NONE; codes * VERTEX_STRIDE],
            arc: vec![NONE; if arc_column.is_empty() { 0 } else { codes * arc_stride }],
            arc_stride,
        };
        for code in 0..codes {
            let Some((class, p)) = graphlets.locate(code as u32) else { continue };
            lookup.used[code] = vertex_column[class.vertex_base] != NONE;
            if lookup.used[code] {
                lookup.fill(k, code, class, p, vertex_column, arc_column);
            }
        }
        lookup
    }

    fn fill(
        &mut self,
        k: usize,
        code: usize,
        class: &Class,
        p: &[u8; MAX_ORDER],
        vertex_column: &[u16],
        arc_column: &[u16],
    ) {
        for j in 0..k {
            let b = p[j] as usize;
            self.vertex[code * VERTEX_STRIDE + j] = vertex_column[class.vertex[b] as usize];
            for i in 0..if arc_column.is_empty() { 0 } else { j } {
                let a = p[i] as usize;
                if class.arc[a][b] != NONE {
                    let at = code * self.arc_stride + 2 * (pairs(j) + i);
                    self.arc[at] = arc_column[class.arc[a][b] as usize];
                    self.arc[at + 1] = arc_column[class.arc[b][a] as usize];
                }
            }
        }
    }
}
