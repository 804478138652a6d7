//! Blocks of a graph of any size, by neighbors lists.

use super::super::Graph;
use super::super::small::{WORD, below};
use super::{Blocks, Kind};

/// Memory of the search.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// Degree inside what is left while peeling; 0 for what was peeled.
    degree: Vec<u32>,
    /// When the search entered a vertex, from 1; 0 before.
    entered: Vec<u32>,
    low: Vec<u32>,
    /// Next arc to look at.
    cursor: Vec<u32>,
    path: Vec<u32>,
    /// Edges not yet in a block: both ends and the edge id.
    pending: Vec<[u32; 3]>,
    /// Number of a vertex in the block being built.
    local: Vec<u32>,
    count: Vec<u32>,
    order: Vec<u32>,
    spare: Vec<[u32; 2]>,
}

/// Vertices that are entered, left or peeled, or edges of a block, between two looks; few in tests.
const PERIOD: usize = if cfg!(test) { 4 } else { 1 << 12 };
/// The part of all vertices that a block must have for them to be gone through.
const PART: usize = if cfg!(test) { 2 } else { 16 };

impl Blocks {
    pub(super) fn find_in_lists<E>(
        &mut self,
        graph: &Graph,
        look: &impl Fn() -> Result<(), E>,
    ) -> Result<(), E> {
        let n = graph.order();
        graph.find_edge_ids(look)?;
        let scratch = &mut self.scratch;
        scratch.peel(graph, look)?;
        scratch.entered.clear();
        scratch.entered.resize(n, 0);
        scratch.low.resize(n, 0);
        scratch.cursor.resize(n, 0);
        if scratch.local.len() < n {
            scratch.local.resize(n, u32::MAX);
        }
        let mut clock = 0;
        for root in 0..n as u32 {
            if self.scratch.degree[root as usize] > 0 && self.scratch.entered[root as usize] == 0 {
                self.search(graph, root, &mut clock, look)?;
            }
        }
        Ok(())
    }

    /// Cuts the component of `root` into blocks.
    fn search<E>(
        &mut self,
        graph: &Graph,
        root: u32,
        clock: &mut u32,
        look: &impl Fn() -> Result<(), E>,
    ) -> Result<(), E> {
        self.scratch.enter(graph, root, clock);
        let mut left = 0;
        while let Some(&v) = self.scratch.path.last() {
            let scratch = &mut self.scratch;
            let at = v as usize;
            let arc = scratch.cursor[at] as usize;
            if arc < graph.arcs_of(v).end {
                scratch.cursor[at] += 1;
                let w = graph.arc_target(arc);
                let seen = scratch.entered[w as usize];
                if seen == 0 {
                    if scratch.degree[w as usize] > 0 {
                        scratch.pending.push([v, w, graph.edge_id(arc) as u32]);
                        scratch.enter(graph, w, clock);
                    }
                } else if seen < scratch.entered[at]
                    && scratch.path.len().checked_sub(2).map(|i| scratch.path[i]) != Some(w)
                {
                    scratch.pending.push([v, w, graph.edge_id(arc) as u32]);
                    scratch.low[at] = scratch.low[at].min(seen);
                }
                continue;
            }
            left += 1;
            if left % PERIOD == 0 {
                look()?;
            }
            scratch.path.pop();
            let Some(&parent) = scratch.path.last() else { break };
            let low = scratch.low[at];
            let up = &mut scratch.low[parent as usize];
            *up = low.min(*up);
            if low >= scratch.entered[parent as usize] {
                // The edges since parent → v are one block.
                let from = scratch
                    .pending
                    .iter()
                    .rposition(|&[a, b, _]| a == parent && b == v)
                    .expect("the edge to v was pushed when v was entered");
                self.emit(from, look)?;
            }
        }
        Ok(())
    }

    /// Turns the pending edges from `from` on into a block.
    fn emit<E>(&mut self, from: usize, look: &impl Fn() -> Result<(), E>) -> Result<(), E> {
        let start = self.ends();
        let scratch = &mut self.scratch;
        let size = scratch.pending.len() - from;
        if size == 1 {
            scratch.pending.pop(); // a bridge
            return Ok(());
        }
        scratch.count.clear();
        for some in scratch.pending[from..].chunks(PERIOD) {
            if some.len() == PERIOD {
                look()?;
            }
            for &[a, b, _] in some {
                for v in [a, b] {
                    let local = &mut scratch.local[v as usize];
                    if *local == u32::MAX {
                        *local = scratch.count.len() as u32;
                        self.vertices.push(v);
                        scratch.count.push(0);
                    }
                    scratch.count[*local as usize] += 1;
                }
            }
        }
        let order = scratch.count.len();
        if size == order {
            self.edges.extend(scratch.pending.drain(from..).map(|[_, _, edge]| edge));
            for &v in &self.vertices[start.vertices..] {
                scratch.local[v as usize] = u32::MAX;
            }
            self.finish(Kind::Ring);
            return Ok(());
        }

        // Renumber by decreasing degree; equal degrees by vertex, so that the numbering does not
        // depend on the way the search went.
        scratch.sort(&self.vertices[start.vertices..]);
        let (local, count) = (&mut scratch.local, &scratch.count);
        let degree = |v: u32, local: &[u32]| count[local[v as usize] as usize];
        self.vertices.truncate(start.vertices);
        let mut arcs = 0;
        for &v in &scratch.order {
            self.vertices.push(v);
            self.starts.push(arcs);
            arcs += degree(v, local);
        }
        self.starts.push(arcs);
        for (number, &v) in scratch.order.iter().enumerate() {
            local[v as usize] = number as u32;
        }

        self.edges.resize(start.edges + 2 * size, 0);
        let starts = &self.starts[start.starts..];
        let arcs = &mut self.edges[start.edges..];
        let pending = &scratch.pending[from..];
        if order <= WORD {
            // The bits of a row sort its arcs: the position of an arc is its target's rank.
            self.rows.resize(start.rows + order, 0);
            let rows = &mut self.rows[start.rows..];
            for &[a, b, _] in pending {
                let (a, b) = (local[a as usize], local[b as usize]);
                rows[a as usize] |= 1 << b;
                rows[b as usize] |= 1 << a;
            }
            for &[a, b, edge] in pending {
                let (a, b) = (local[a as usize] as usize, local[b as usize] as usize);
                for (source, target) in [(a, b), (b, a)] {
                    let rank = (rows[source] & below(target)).count_ones();
                    arcs[(starts[source] + rank) as usize] = edge;
                }
            }
        } else {
            // Sort arcs by (source, target) in two bucket passes: by target, then stably by source.
            self.targets.resize(start.targets + 2 * size, 0);
            let targets = &mut self.targets[start.targets..];
            let cursor = &mut scratch.count;
            cursor.copy_from_slice(&starts[..order]);
            scratch.spare.clear();
            scratch.spare.resize(2 * size, [0; 2]);
            for some in pending.chunks(PERIOD) {
                if some.len() == PERIOD {
                    look()?;
                }
                for &[a, b, edge] in some {
                    let (a, b) = (local[a as usize], local[b as usize]);
                    for (source, target) in [(a, b), (b, a)] {
                        let at = &mut cursor[target as usize];
                        scratch.spare[*at as usize] = [source, edge];
                        *at += 1;
                    }
                }
            }
            cursor.copy_from_slice(&starts[..order]);
            for target in 0..order {
                if target % PERIOD == PERIOD - 1 {
                    look()?;
                }
                let into = starts[target] as usize..starts[target + 1] as usize;
                for &[source, edge] in &scratch.spare[into] {
                    let at = &mut cursor[source as usize];
                    targets[*at as usize] = target as u32;
                    arcs[*at as usize] = edge;
                    *at += 1;
                }
            }
        }
        for &v in &scratch.order {
            local[v as usize] = u32::MAX;
        }
        scratch.pending.truncate(from);
        self.finish(Kind::Mesh);
        Ok(())
    }
}

impl Scratch {
    /// Puts the vertices of a block into `order`: by decreasing degree, then by their numbers. If
    /// they are a good part of all vertices, by counting.
    fn sort(&mut self, vertices: &[u32]) {
        let Self { order, local, count, .. } = self;
        let degree = |v: u32| count[local[v as usize] as usize];
        order.clear();
        if vertices.len() < local.len() / PART {
            order.extend_from_slice(vertices);
            order.sort_unstable_by_key(|&v| (std::cmp::Reverse(degree(v)), v));
            return;
        }
        let most = count.iter().max().map_or(0, |&most| most as usize);
        let mut next = vec![0u32; most + 2];
        for &degree in &*count {
            next[most - degree as usize + 1] += 1;
        }
        for at in 1..next.len() {
            next[at] += next[at - 1];
        }
        order.resize(vertices.len(), 0);
        for v in (0..local.len() as u32).filter(|&v| local[v as usize] != u32::MAX) {
            let at = &mut next[most - degree(v) as usize];
            order[*at as usize] = v;
            *at += 1;
        }
    }

    /// Takes vertices of degree 0 and 1 off until none is left.
    fn peel<E>(&mut self, graph: &Graph, look: &impl Fn() -> Result<(), E>) -> Result<(), E> {
        self.degree.clear();
        self.degree.extend((0..graph.order() as u32).map(|v| graph.degree(v) as u32));
        for v in 0..graph.order() as u32 {
            if v as usize % PERIOD == PERIOD - 1 {
                look()?;
            }
            // Follow the chain that hangs on a leaf: what it uncovers may lie behind us.
            let mut leaf = v;
            while self.degree[leaf as usize] == 1 {
                self.degree[leaf as usize] = 0;
                for &next in graph.neighbors(leaf) {
                    if self.degree[next as usize] > 0 {
                        self.degree[next as usize] -= 1;
                        leaf = next;
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    fn enter(&mut self, graph: &Graph, v: u32, clock: &mut u32) {
        *clock += 1;
        let at = v as usize;
        self.entered[at] = *clock;
        self.low[at] = *clock;
        self.cursor[at] = graph.arcs_of(v).start as u32;
        self.path.push(v);
    }
}
