//! Sorted rows out of many edges, by counting: a block of sources at a time, blocks side by side.
//!
//! Pieces of the edge list are first sorted by block, each in the cache of its thread; then each
//! block counts its rows, fills and sorts them. O(m + Σ d log d) time, and at the most 24 bytes an
//! edge of an undirected graph beside the edges themselves.

use super::Adjacency;
use rayon::prelude::*;
use std::ops::Range;

/// Which arcs an edge `u`–`v` gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ways {
    /// `u → v` and `v → u`.
    Both,
    /// `u → v`.
    Forward,
    /// `v → u`.
    Backward,
}

/// Edges of a piece; few in tests, so that there are several.
const PIECE: usize = if cfg!(test) { 16 } else { 1 << 16 };
/// Blocks at the most.
const BLOCKS: usize = 256;

/// The rows of these edges, whose ends are below `order`, without loops and duplicates.
pub(super) fn sorted_rows(order: usize, edges: &[(u32, u32)], ways: Ways) -> Adjacency {
    let shift = order.div_ceil(BLOCKS).next_power_of_two().trailing_zeros();
    let blocks = order.div_ceil(1 << shift);
    let pieces: Vec<Piece> =
        edges.par_chunks(PIECE).map(|edges| Piece::sort(edges, ways, shift, blocks)).collect();
    let block = |at: usize| {
        let first = at << shift;
        let sources = first..order.min(first + (1 << shift));
        Block::sort(sources, pieces.iter().map(|piece| piece.block(at)))
    };
    let sorted: Vec<Block> = (0..blocks).into_par_iter().map(block).collect();
    drop(pieces);
    gather(order, sorted)
}

/// Some arcs, in order of the block of their source.
struct Piece {
    arcs: Vec<(u32, u32)>,
    starts: Vec<u32>,
}

impl Piece {
    fn sort(edges: &[(u32, u32)], ways: Ways, shift: u32, blocks: usize) -> Self {
        let mut starts = vec![0u32; blocks + 1];
        each_arc(edges, ways, |(u, _)| starts[(u >> shift) as usize + 1] += 1);
        for block in 0..blocks {
            starts[block + 1] += starts[block];
        }
        let mut next = starts.clone();
        let mut arcs = vec![(0, 0); starts[blocks] as usize];
        each_arc(edges, ways, |arc| {
            let at = &mut next[(arc.0 >> shift) as usize];
            arcs[*at as usize] = arc;
            *at += 1;
        });
        Self { arcs, starts }
    }

    fn block(&self, at: usize) -> &[(u32, u32)] {
        &self.arcs[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}

#[inline]
fn each_arc(edges: &[(u32, u32)], ways: Ways, mut take: impl FnMut((u32, u32))) {
    for &(u, v) in edges {
        if u == v {
            continue;
        }
        if ways != Ways::Backward {
            take((u, v));
        }
        if ways != Ways::Forward {
            take((v, u));
        }
    }
}

/// The finished rows of some sources.
struct Block {
    degrees: Vec<u32>,
    targets: Vec<u32>,
}

impl Block {
    fn sort<'a>(
        sources: Range<usize>,
        parts: impl Iterator<Item = &'a [(u32, u32)]> + Clone,
    ) -> Self {
        let mut starts = vec![0u32; sources.len() + 1];
        for &(u, _) in parts.clone().flatten() {
            starts[u as usize - sources.start + 1] += 1;
        }
        for row in 0..sources.len() {
            starts[row + 1] += starts[row];
        }
        let mut targets = vec![0; starts[sources.len()] as usize];
        let mut next = starts.clone();
        for &(u, v) in parts.flatten() {
            let at = &mut next[u as usize - sources.start];
            targets[*at as usize] = v;
            *at += 1;
        }
        let mut kept = 0;
        let mut degrees = next;
        degrees.truncate(sources.len());
        for (row, degree) in degrees.iter_mut().enumerate() {
            let range = starts[row] as usize..starts[row + 1] as usize;
            targets[range.clone()].sort_unstable();
            let first = kept;
            for at in range {
                let target = targets[at];
                if kept == first || targets[kept - 1] != target {
                    targets[kept] = target;
                    kept += 1;
                }
            }
            *degree = (kept - first) as u32;
        }
        targets.truncate(kept);
        Self { degrees, targets }
    }
}

/// The rows of all blocks, one after the other.
fn gather(order: usize, blocks: Vec<Block>) -> Adjacency {
    let mut offsets = Vec::with_capacity(order + 1);
    let mut end = 0;
    offsets.push(0);
    for &degree in blocks.iter().flat_map(|block| &block.degrees) {
        end += degree;
        offsets.push(end);
    }
    let mut targets = vec![0; end as usize];
    let mut rest = &mut targets[..];
    let mut places = Vec::with_capacity(blocks.len());
    for block in blocks {
        let (place, behind) = rest.split_at_mut(block.targets.len());
        rest = behind;
        places.push((place, block));
    }
    places.into_par_iter().for_each(|(place, block)| place.copy_from_slice(&block.targets));
    Adjacency { offsets, targets }
}
