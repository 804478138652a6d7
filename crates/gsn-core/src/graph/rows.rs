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
    let sources = |at: usize| at << shift..order.min((at + 1) << shift);
    let parts = |at: usize| pieces.iter().map(move |piece| piece.block(at));
    let count = |at: usize| degrees(sources(at), parts(at));
    let given: Vec<Vec<u32>> = (0..blocks).into_par_iter().map(count).collect();
    let offsets = offsets(order, &given);
    let mut targets = vec![0; offsets[order] as usize];
    let mut rest = &mut targets[..];
    let mut rows = Vec::with_capacity(blocks);
    for (at, mut degrees) in given.into_iter().enumerate() {
        let length = degrees.iter().map(|&degree| degree as usize).sum();
        let (own, behind) = rest.split_at_mut(length);
        rest = behind;
        rows.push(move || {
            fill(sources(at).start, parts(at), own, &mut degrees);
            degrees
        });
    }
    let kept: Vec<Vec<u32>> = rows.into_par_iter().map(|sort| sort()).collect();
    drop(pieces);
    close_gaps(order, offsets, targets, &kept)
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

/// How many arcs leave each of some sources.
fn degrees<'a>(sources: Range<usize>, parts: impl Iterator<Item = &'a [(u32, u32)]>) -> Vec<u32> {
    let mut degrees = vec![0; sources.len()];
    for &(u, _) in parts.flatten() {
        degrees[u as usize - sources.start] += 1;
    }
    degrees
}

/// Where rows start, from the degrees of all blocks.
fn offsets(order: usize, degrees: &[Vec<u32>]) -> Vec<u32> {
    let mut offsets = Vec::with_capacity(order + 1);
    let mut end = 0;
    offsets.push(0);
    for &degree in degrees.iter().flatten() {
        end += degree;
        offsets.push(end);
    }
    offsets
}

/// Puts the rows of sources from `first` on into `targets`, sorted and without duplicates, one
/// right behind the other; `degrees` become their lengths.
fn fill<'a>(
    first: usize,
    parts: impl Iterator<Item = &'a [(u32, u32)]>,
    targets: &mut [u32],
    degrees: &mut [u32],
) {
    let mut next = Vec::with_capacity(degrees.len());
    let mut end = 0;
    for &degree in &*degrees {
        next.push(end);
        end += degree;
    }
    for &(u, v) in parts.flatten() {
        let at = &mut next[u as usize - first];
        targets[*at as usize] = v;
        *at += 1;
    }
    let (mut start, mut kept) = (0, 0);
    for degree in degrees {
        let range = start..start + *degree as usize;
        start = range.end;
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
}

/// Moves the rows of all blocks together, where duplicates left gaps behind them.
fn close_gaps(
    order: usize,
    given: Vec<u32>,
    mut targets: Vec<u32>,
    kept: &[Vec<u32>],
) -> Adjacency {
    let offsets = offsets(order, kept);
    if offsets[order] == given[order] {
        return Adjacency { offsets, targets };
    }
    let mut first = 0;
    for block in kept {
        let from = given[first] as usize;
        let (to, end) = (offsets[first] as usize, offsets[first + block.len()] as usize);
        targets.copy_within(from..from + (end - to), to);
        first += block.len();
    }
    targets.truncate(offsets[order] as usize);
    targets.shrink_to_fit();
    Adjacency { offsets, targets }
}
