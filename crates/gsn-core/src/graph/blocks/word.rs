//! Blocks of a graph of at most 64 vertices: the same search on sets that are machine words.
//!
//! Two blocks share at most one vertex, so a block is the subgraph on its vertices and one word
//! says all about it. This is most of what lets molecules be counted in a microsecond or two.

use super::super::Graph;
use super::super::small::{Rows, WORD, above, below, fill, first};
use super::{Blocks, Kind};
use crate::pattern::bits;

/// What the search knows of every vertex; what an earlier search has left is never read.
#[derive(Debug)]
pub(super) struct Search {
    rows: Rows,
    /// When a vertex was entered, from 1; 0 before.
    entered: [u8; WORD],
    low: [u8; WORD],
    /// Neighbours still to be looked at.
    left: Rows,
    /// Unions of cycles.
    unions: Vec<u64>,
}

/// Edges beyond the number of vertices up to which blocks are found by the cycles of a forest.
const FEW: usize = 8;

impl Default for Search {
    fn default() -> Self {
        let (entered, low, unions) = ([0; WORD], [0; WORD], Vec::new());
        Self { rows: [0; WORD], entered, low, left: [0; WORD], unions }
    }
}

impl Blocks {
    pub(super) fn find_in_words(&mut self, graph: &Graph) {
        let mut search = self.word.take().unwrap_or_default();
        fill(graph, &mut search.rows);
        if graph.edge_count() <= graph.order() + FEW {
            search.unite(graph.order());
            for &set in &search.unions {
                self.emit_word(graph, &search.rows, set);
            }
        } else {
            let mut core = peel(&search.rows, graph.order());
            while core != 0 {
                core &= !self.component(graph, &mut search, core);
            }
        }
        self.word = Some(search);
    }

    /// Cuts the component of the smallest vertex of `core` into blocks; returns the component.
    fn component(&mut self, graph: &Graph, search: &mut Search, core: u64) -> u64 {
        let Search { rows, entered, low, left, .. } = search;
        // The path from the root, and the vertices that are in no block yet.
        let (mut path, mut stack) = ([0u8; WORD], [0u8; WORD]);
        let (mut depth, mut height, mut clock) = (0, 0, 0u8);
        let mut seen = 0u64;
        let mut v = core.trailing_zeros() as usize % WORD;
        loop {
            // Enter v.
            seen |= 1 << v;
            clock += 1;
            entered[v] = clock;
            low[v] = clock;
            left[v] = rows[v] & core;
            if depth > 0 {
                left[v] &= !(1 << path[depth - 1]);
            }
            path[depth % WORD] = v as u8;
            depth += 1;
            stack[height % WORD] = v as u8;
            height += 1;
            loop {
                let back = left[v] & seen;
                left[v] &= !back;
                low[v] = bits(back).fold(low[v], |low, w| low.min(entered[w]));
                if left[v] != 0 {
                    let next = left[v].trailing_zeros() as usize % WORD;
                    left[v] &= left[v] - 1;
                    v = next;
                    break;
                }
                // Leave v.
                depth -= 1;
                if depth == 0 {
                    return seen;
                }
                let parent = path[depth - 1] as usize % WORD;
                low[parent] = low[parent].min(low[v]);
                if low[v] >= entered[parent] {
                    let mut block = 1u64 << parent;
                    loop {
                        height -= 1;
                        let w = stack[height] as usize;
                        block |= 1 << w;
                        if w == v {
                            break;
                        }
                    }
                    if block.count_ones() > 2 {
                        self.emit_word(graph, rows, block);
                    }
                }
                v = parent;
            }
        }
    }

    /// Adds the block on these vertices.
    fn emit_word(&mut self, graph: &Graph, rows: &Rows, set: u64) {
        let edge_ids = graph.edge_ids();
        let edge = |v: usize, w: usize| {
            let rank = (rows[v] & below(w)).count_ones() as usize;
            edge_ids[graph.out.offsets[v] as usize + rank]
        };
        // Every vertex of a block has two neighbours in it; which have three, and more?
        let (mut forks, mut more) = (0u64, 0);
        for v in bits(set) {
            let around = rows[v] & set;
            let third = around & around.wrapping_sub(1);
            let third = third & third.wrapping_sub(1);
            forks |= u64::from(third != 0) << v;
            more |= third & third.wrapping_sub(1);
        }
        let kind = if forks == 0 {
            for v in bits(set) {
                self.vertices.push(v as u32);
                self.edges.extend(bits(rows[v] & set & above(v)).map(|w| edge(v, w)));
            }
            Kind::Ring
        } else if more == 0 && forks & (forks - 1) & ((forks & (forks - 1)) - 1) == 0 {
            // Two forks: three paths from one to the other.
            let ends = [forks.trailing_zeros() as usize, 63 - forks.leading_zeros() as usize];
            let first_edge = self.edges.len();
            self.vertices.extend(ends.map(|v| v as u32));
            self.starts.push(0);
            for first in bits(rows[ends[0]] & set) {
                let (mut before, mut at) = (ends[0], first);
                self.edges.push(edge(before, at));
                while at != ends[1] {
                    self.vertices.push(at as u32);
                    let next = rows[at] & set & !(1 << before);
                    (before, at) = (at, next.trailing_zeros() as usize % WORD);
                    self.edges.push(edge(before, at));
                }
                self.starts.push((self.edges.len() - first_edge) as u32);
            }
            Kind::Theta
        } else {
            self.emit_mesh(rows, set, edge);
            Kind::Mesh
        };
        self.finish(kind);
    }

    /// Adds the vertices, rows and arcs of a block with more than two independent cycles.
    fn emit_mesh(&mut self, rows: &Rows, set: u64, edge: impl Fn(usize, usize) -> u32) {
        let begin = self.vertices.len();
        let degree = |v: usize| (rows[v] & set).count_ones() as usize;
        // By decreasing degree, equal degrees by vertex.
        let (mut number, mut rest) = ([0u8; WORD], set);
        let mut start = 0;
        while rest != 0 {
            let most = bits(rest).map(degree).max().unwrap_or(0);
            for v in bits(rest).filter(|&v| degree(v) == most) {
                number[v] = (self.vertices.len() - begin) as u8;
                self.vertices.push(v as u32);
                self.starts.push(start);
                start += most as u32;
                rest &= !(1 << v);
            }
        }
        self.starts.push(start);
        for at in begin..self.vertices.len() {
            let v = self.vertices[at] as usize;
            let row = bits(rows[v] & set).fold(0u64, |row, w| row | 1 << number[w]);
            self.rows.push(row);
            let names = &self.vertices[begin..];
            self.edges.extend(bits(row).map(|w| edge(v, names[w] as usize)));
        }
    }
}

impl Search {
    /// The blocks of a graph with few independent cycles: every edge beyond a breadth-first forest
    /// closes a cycle with it, and those that share two vertices are in one block.
    fn unite(&mut self, order: usize) {
        let Self { rows, entered: parent, unions, .. } = self;
        unions.clear();
        let mut unseen = first(order);
        while unseen != 0 {
            let mut level = unseen & unseen.wrapping_neg();
            unseen &= !level;
            while level != 0 {
                let (mut next, mut rest) = (0, level);
                while rest != 0 {
                    let v = rest.trailing_zeros() as usize % WORD;
                    rest &= rest - 1;
                    let fresh = rows[v] & unseen;
                    unseen &= !fresh;
                    bits(fresh).for_each(|w| parent[w % WORD] = v as u8);
                    // On the same level and still to come, or below another vertex of this level.
                    let further = rows[v] & (rest | next);
                    next |= fresh;
                    for w in bits(further) {
                        let (mut a, mut b) = (v, w);
                        let mut cycle = 1u64 << v | 1 << w;
                        if level >> w & 1 == 0 {
                            b = parent[w % WORD] as usize;
                            cycle |= 1 << b;
                        }
                        while a != b {
                            a = parent[a % WORD] as usize;
                            b = parent[b % WORD] as usize;
                            cycle |= 1 << a | 1 << b;
                        }
                        add_union(unions, cycle);
                    }
                }
                level = next;
            }
        }
    }
}

/// Adds a set and unites what shares two vertices with it.
fn add_union(unions: &mut Vec<u64>, mut set: u64) {
    while let Some(at) = unions.iter().position(|&other| {
        let common = other & set;
        common & common.wrapping_sub(1) != 0
    }) {
        set |= unions.swap_remove(at);
    }
    unions.push(set);
}

/// The 2-core: vertices of degree 0 and 1 go until none is left.
fn peel(rows: &Rows, order: usize) -> u64 {
    let mut core = first(order);
    for v in 0..order {
        // Follow the chain that hangs on a leaf: what it uncovers may lie behind us.
        let mut leaf = v;
        while core >> leaf & 1 == 1 {
            let around = rows[leaf] & core;
            if around & around.wrapping_sub(1) != 0 {
                break;
            }
            core &= !(1 << leaf);
            if around == 0 {
                break;
            }
            leaf = around.trailing_zeros() as usize % WORD;
        }
    }
    core
}
