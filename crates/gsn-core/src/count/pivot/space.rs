//! Sets of vertices and their neighbours, in the three shapes the pivoting search meets.

use crate::graph::small::{Rows, WORD, below, first};
use crate::pattern::bits;

/// A graph whose cliques are counted, with sets of its vertices.
pub(in crate::count) trait CliqueGraph {
    /// A set of vertices.
    type Set: Clone;

    /// Number of elements.
    fn len(&self, set: &Self::Set) -> usize;
    /// Elements of `set` that are adjacent to `v`, which is one of its `count` elements.
    fn degree(&self, v: usize, set: &Self::Set, count: usize) -> usize;
    /// The set of them.
    fn meet(&self, v: usize, set: &Self::Set) -> Self::Set;
    /// Takes `v` out.
    fn remove(&self, v: usize, set: &mut Self::Set);
    /// The elements, in increasing order.
    fn members(&self, set: &Self::Set) -> impl Iterator<Item = usize>;
    /// Elements of `set` that are not adjacent to `v`, other than `v`.
    fn non_neighbors(&self, v: usize, set: &Self::Set) -> Self::Set;
    /// What the search's caller calls vertex `v`.
    fn name(&self, v: usize) -> usize;
    /// The same in one word, when the set fits and is not there yet.
    fn narrow(&self, set: &Self::Set) -> Option<(WordGraph, u64)>;
}

/// At most 64 vertices, one word a row. Rows may have bits outside the set searched.
pub(in crate::count) struct WordGraph {
    pub(in crate::count) rows: Rows,
    pub(in crate::count) names: [u32; WORD],
}

impl WordGraph {
    /// Vertices called what they are.
    pub(in crate::count) fn plain(rows: Rows) -> Self {
        Self { rows, names: std::array::from_fn(|v| v as u32) }
    }
}

impl CliqueGraph for WordGraph {
    type Set = u64;

    #[inline]
    fn len(&self, set: &u64) -> usize {
        set.count_ones() as usize
    }

    #[inline]
    fn degree(&self, v: usize, set: &u64, _: usize) -> usize {
        (self.meet(v, set)).count_ones() as usize
    }

    #[inline]
    fn meet(&self, v: usize, set: &u64) -> u64 {
        self.rows[v % WORD] & set & !(1 << v)
    }

    #[inline]
    fn remove(&self, v: usize, set: &mut u64) {
        *set &= !(1 << v);
    }

    #[inline]
    fn members(&self, set: &u64) -> impl Iterator<Item = usize> {
        bits(*set)
    }

    #[inline]
    fn non_neighbors(&self, v: usize, set: &u64) -> u64 {
        set & !self.rows[v % WORD] & !(1 << v)
    }

    #[inline]
    fn name(&self, v: usize) -> usize {
        self.names[v % WORD] as usize
    }

    #[inline]
    fn narrow(&self, _: &u64) -> Option<(WordGraph, u64)> {
        None
    }
}

fn members(set: &[u64]) -> impl Iterator<Item = usize> {
    set.iter().enumerate().flat_map(|(i, &word)| bits(word).map(move |b| i * WORD + b))
}

/// A set of all vertices below `n`.
pub(in crate::count) fn full(n: usize) -> Vec<u64> {
    (0..n.div_ceil(WORD)).map(|i| first(n - i * WORD)).collect()
}

/// Writes a set of at most 64 vertices of a larger space in one word; `row` says, as a set of
/// ranks, what a vertex is adjacent to.
fn narrow(set: &[u64], row: impl Fn(usize, &Ranks<'_>) -> u64) -> Option<(WordGraph, u64)> {
    let mut before = Vec::with_capacity(set.len());
    let mut count = 0;
    for word in set {
        before.push(count);
        count += word.count_ones();
    }
    if count as usize > WORD {
        return None;
    }
    let ranks = Ranks { set, before: &before };
    let mut word = WordGraph { rows: [0; WORD], names: [0; WORD] };
    for (i, v) in members(set).enumerate() {
        word.names[i] = v as u32;
        word.rows[i] = row(v, &ranks);
    }
    Some((word, first(count as usize)))
}

/// The ranks of the elements of a set in it.
struct Ranks<'a> {
    set: &'a [u64],
    /// Elements in earlier words.
    before: &'a [u32],
}

impl Ranks<'_> {
    /// The rank of `w` as a set of one, or the empty set when it is not an element.
    fn of(&self, w: usize) -> u64 {
        let (word, bit) = (self.set[w / WORD], w % WORD);
        let rank = self.before[w / WORD] + (word & below(bit)).count_ones();
        (word >> bit & 1).checked_shl(rank).unwrap_or(0)
    }
}

/// Any number of vertices, bit rows of several words.
pub(in crate::count) struct DenseGraph<'a> {
    /// Words a row.
    pub(in crate::count) width: usize,
    pub(in crate::count) rows: &'a [u64],
}

impl DenseGraph<'_> {
    fn row(&self, v: usize) -> &[u64] {
        &self.rows[v * self.width..(v + 1) * self.width]
    }
}

impl CliqueGraph for DenseGraph<'_> {
    type Set = Vec<u64>;

    fn len(&self, set: &Vec<u64>) -> usize {
        set.iter().map(|word| word.count_ones() as usize).sum()
    }

    fn degree(&self, v: usize, set: &Vec<u64>, _: usize) -> usize {
        self.row(v).iter().zip(set).map(|(a, b)| (a & b).count_ones() as usize).sum()
    }

    fn meet(&self, v: usize, set: &Vec<u64>) -> Vec<u64> {
        self.row(v).iter().zip(set).map(|(a, b)| a & b).collect()
    }

    fn remove(&self, v: usize, set: &mut Vec<u64>) {
        set[v / WORD] &= !(1 << (v % WORD));
    }

    fn members(&self, set: &Vec<u64>) -> impl Iterator<Item = usize> {
        members(set)
    }

    fn non_neighbors(&self, v: usize, set: &Vec<u64>) -> Vec<u64> {
        let mut rest = self.row(v).iter().zip(set).map(|(a, b)| !a & b).collect();
        self.remove(v, &mut rest);
        rest
    }

    fn name(&self, v: usize) -> usize {
        v
    }

    fn narrow(&self, set: &Vec<u64>) -> Option<(WordGraph, u64)> {
        narrow(set, |v, ranks| members(&self.meet(v, set)).fold(0, |row, w| row | ranks.of(w)))
    }
}

/// The complement of a sparse graph: adjacent is what the lists do not name.
pub(in crate::count) struct SparseComplement<'a> {
    /// The list of `v` is `starts[v]..starts[v + 1]`.
    pub(in crate::count) starts: &'a [u32],
    /// Lists of what `v` is not adjacent to.
    pub(in crate::count) lists: &'a [u32],
}

impl SparseComplement<'_> {
    fn list(&self, v: usize) -> &[u32] {
        &self.lists[self.starts[v] as usize..self.starts[v + 1] as usize]
    }

    fn misses(&self, v: usize, set: &[u64]) -> usize {
        let inside = |&&w: &&u32| set[w as usize / WORD] >> (w as usize % WORD) & 1 == 1;
        self.list(v).iter().filter(inside).count()
    }
}

impl CliqueGraph for SparseComplement<'_> {
    type Set = Vec<u64>;

    fn len(&self, set: &Vec<u64>) -> usize {
        set.iter().map(|word| word.count_ones() as usize).sum()
    }

    fn degree(&self, v: usize, set: &Vec<u64>, count: usize) -> usize {
        count - 1 - self.misses(v, set)
    }

    fn meet(&self, v: usize, set: &Vec<u64>) -> Vec<u64> {
        let mut rest = set.clone();
        self.remove(v, &mut rest);
        for &w in self.list(v) {
            self.remove(w as usize, &mut rest);
        }
        rest
    }

    fn remove(&self, v: usize, set: &mut Vec<u64>) {
        set[v / WORD] &= !(1 << (v % WORD));
    }

    fn members(&self, set: &Vec<u64>) -> impl Iterator<Item = usize> {
        members(set)
    }

    fn non_neighbors(&self, v: usize, set: &Vec<u64>) -> Vec<u64> {
        let mut rest = vec![0; set.len()];
        for &w in self.list(v) {
            let w = w as usize;
            rest[w / WORD] |= set[w / WORD] & 1 << (w % WORD);
        }
        rest
    }

    fn name(&self, v: usize) -> usize {
        v
    }

    fn narrow(&self, set: &Vec<u64>) -> Option<(WordGraph, u64)> {
        narrow(set, |v, ranks| !self.list(v).iter().fold(0, |row, &w| row | ranks.of(w as usize)))
    }
}
