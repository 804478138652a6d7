//! Colour refinement of patterns on bit sets.
//!
//! A [`Partition`] is an ordered list of cells (colour classes). Refining makes it equitable: any
//! two vertices of a cell have equally many arcs of each kind into every cell. All choices depend
//! on the structure alone, so isomorphic patterns get corresponding partitions and the same
//! trace. One refinement costs O(kinds · cells · n) operations on machine words.

use crate::pattern::{Pattern, bits};
use std::collections::BTreeMap;

/// How `v` and `w` are joined: the arc `v → w` with its label, and the arc back.
type Kind = (Option<Option<u32>>, Option<Option<u32>>);

/// A pattern as sets: `sets[kind * n + v]` holds the vertices joined to `v` in this way.
pub(crate) struct Relations {
    n: usize,
    kinds: usize,
    sets: Vec<u64>,
    /// Vertices grouped by label.
    start: Partition,
}

impl Relations {
    pub(crate) fn of(pattern: &Pattern) -> Self {
        let n = pattern.order();
        let mut by_label = BTreeMap::<_, u64>::new();
        for v in 0..n {
            *by_label.entry(pattern.vertex_label(v)).or_default() |= 1 << v;
        }
        let start = Partition::new(by_label.into_values());
        if !pattern.is_directed() && !pattern.has_edge_labels() {
            let sets = (0..n).map(|v| pattern.out_set(v)).collect();
            return Self { n, kinds: 1, sets, start };
        }
        let mut by_kind = BTreeMap::<Kind, Vec<u64>>::new();
        for v in 0..n {
            for w in bits(pattern.neighbor_set(v)) {
                let arc = |a, b| pattern.has_arc(a, b).then(|| pattern.arc_label(a, b));
                by_kind.entry((arc(v, w), arc(w, v))).or_insert_with(|| vec![0; n])[v] |= 1 << w;
            }
        }
        Self { n, kinds: by_kind.len(), sets: by_kind.into_values().flatten().collect(), start }
    }

    /// An undirected graph without labels: `rows[v]` is the set of neighbours.
    pub(crate) fn plain(rows: &[u64]) -> Self {
        let n = rows.len();
        let everything = u64::MAX >> (64 - n);
        Self { n, kinds: 1, sets: rows.to_vec(), start: Partition::new([everything].into_iter()) }
    }

    pub(crate) fn order(&self) -> usize {
        self.n
    }

    /// The coarsest equitable partition that keeps labels apart.
    pub(crate) fn root(&self) -> Partition {
        let mut partition = self.start.clone();
        let all = partition.starts;
        self.refine(&mut partition, all);
        partition
    }

    /// Puts `v` before the rest of its cell, the one at position `cell`, and refines; returns the
    /// partition and its trace. `partition` must be equitable.
    pub(crate) fn individualise(&self, partition: &Partition, cell: usize, v: usize) -> Child {
        let mut partition = partition.clone();
        let rest = partition.cells[cell] & !(1 << v);
        partition.cells[cell] = 1 << v;
        partition.cells[cell + 1] = rest;
        partition.starts |= 1 << (cell + 1);
        let trace = self.refine(&mut partition, 1 << cell);
        Child { partition, trace }
    }

    /// Splits cells until the partition is equitable, given the positions of the cells that may
    /// tell vertices apart. The trace is a digest of all counts on the way: partitions with
    /// different traces do not correspond, those with equal traces may or may not.
    fn refine(&self, partition: &mut Partition, mut waiting: u64) -> u64 {
        let discrete = u64::MAX >> (64 - self.n);
        let mut trace = 0x243F_6A88_85A3_08D3;
        let mut see = |value: u64| {
            trace = (trace ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
        };
        while waiting != 0 && partition.starts != discrete {
            let at = waiting.trailing_zeros() as usize;
            waiting &= waiting - 1;
            let splitter = partition.cells[at];
            for kind in 0..self.kinds {
                let sets = &self.sets[kind * self.n..(kind + 1) * self.n];
                see((kind as u64) << 8 | at as u64);
                for cell in bits(partition.starts) {
                    let members = partition.cells[cell];
                    let (mut least, mut most) = (u32::MAX, 0);
                    let mut by_count = [0u64; 65];
                    for v in bits(members) {
                        let count = (sets[v] & splitter).count_ones();
                        least = least.min(count);
                        most = most.max(count);
                        by_count[count as usize] |= 1 << v;
                    }
                    if least == most {
                        see((cell as u64) << 8 | u64::from(least));
                        continue;
                    }
                    let mut position = cell;
                    for count in least..=most {
                        let part = by_count[count as usize];
                        if part != 0 {
                            see(1 << 16 | (position as u64) << 8 | u64::from(count));
                            partition.cells[position] = part;
                            partition.starts |= 1 << position;
                            waiting |= 1 << position;
                            position += part.count_ones() as usize;
                        }
                    }
                }
            }
        }
        trace
    }

    /// The pattern with its vertices in the order of a discrete partition; equal codes mean that
    /// taking one order to the other is an isomorphism.
    pub(crate) fn code(&self, leaf: &Partition) -> Vec<u64> {
        let order = leaf.order(self.n);
        let mut position = [0u8; 64];
        for (at, &v) in order.iter().enumerate() {
            position[v as usize] = at as u8;
        }
        let moved = |set| bits(set).fold(0u64, |moved, w| moved | 1 << position[w]);
        let rows = |kind: usize| order.iter().map(move |&v| (kind, v as usize));
        (0..self.kinds).flat_map(rows).map(|(k, v)| moved(self.sets[k * self.n + v])).collect()
    }
}

/// A refined partition and the digest of its refinement.
pub(crate) struct Child {
    pub(crate) partition: Partition,
    pub(crate) trace: u64,
}

/// An ordered partition; a cell is known by its position, the number of vertices before it.
#[derive(Clone)]
pub(crate) struct Partition {
    cells: [u64; 64],
    /// Positions of the cells.
    pub(crate) starts: u64,
}

impl Partition {
    fn new(sets: impl Iterator<Item = u64>) -> Self {
        let (mut cells, mut starts, mut position) = ([0; 64], 0, 0);
        for set in sets {
            cells[position] = set;
            starts |= 1 << position;
            position += set.count_ones() as usize;
        }
        Self { cells, starts }
    }

    /// The vertices of the cell at `position`.
    pub(crate) fn cell(&self, position: usize) -> u64 {
        self.cells[position]
    }

    /// Position of the first cell of several vertices; none when the partition is discrete.
    pub(crate) fn first_open(&self) -> Option<usize> {
        bits(self.starts).find(|&position| self.cells[position].count_ones() > 1)
    }

    /// Position of the cell of `v`, when it has other vertices, too.
    pub(crate) fn open_cell_of(&self, v: usize) -> Option<usize> {
        bits(self.starts).find(|&position| {
            let cell = self.cells[position];
            cell >> v & 1 == 1 && cell.count_ones() > 1
        })
    }

    /// The vertices of a discrete partition in order.
    pub(crate) fn order(&self, n: usize) -> Vec<u8> {
        self.cells[..n].iter().map(|cell| cell.trailing_zeros() as u8).collect()
    }
}
