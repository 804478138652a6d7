//! Partition refinement of small sparse graphs on machine words.
//!
//! At most 64 vertices of degree at most 7, no arc colours: sets of vertices are words, and the
//! numbers of arcs into a splitter are added for all vertices at once in three bit planes. Every
//! choice is that of [`Refiner`](super::partition::Refiner), so that both give the same colour the
//! same name. A molecule takes about a microsecond.

use super::partition::{COLOURED, PACKED, PACKED_DEGREE as DEGREE, StableParts, pack};
use crate::graph::Graph;
use crate::graph::small::{WORD, first};
use crate::pattern::bits;

/// Refines the graph and writes its parts down; `false`, with nothing written, when it is too
/// large, too dense or directed.
pub(super) fn run(graph: &Graph, colours: Option<&[u32]>, found: &mut StableParts) -> bool {
    let n = graph.order();
    if n > WORD || graph.is_directed() {
        return false;
    }
    let mut rows = [0u64; WORD];
    for v in 0..n {
        let neighbors = graph.neighbors(v as u32);
        if neighbors.len() > DEGREE {
            return false;
        }
        rows[v] = neighbors.iter().fold(0, |row, &w| row | 1 << w);
    }
    found.begin(n);
    let mut left = first(n);
    while left != 0 {
        let mut part = left & left.wrapping_neg();
        let mut frontier = part;
        while frontier != 0 {
            let v = frontier.trailing_zeros() as usize;
            frontier &= frontier - 1;
            let fresh = rows[v] & !part;
            part |= fresh;
            frontier |= fresh;
        }
        left &= !part;
        Cells::new(part, colours).refine(&rows).write(&rows, colours, found);
    }
    true
}

/// An ordered partition of a connected part; a cell is known by the number of vertices before it.
struct Cells {
    members: [u64; WORD],
    /// Positions of the cells.
    starts: u64,
    /// Position of every vertex' cell.
    at: [u8; WORD],
    size: u32,
}

impl Cells {
    fn new(part: u64, colours: Option<&[u32]>) -> Self {
        let mut cells =
            Self { members: [0; WORD], starts: 0, at: [0; WORD], size: part.count_ones() };
        match colours {
            None => {
                cells.members[0] = part;
                cells.starts = 1;
            }
            Some(colours) => {
                let mut order = [0u8; WORD];
                let mut count = 0;
                for v in bits(part) {
                    order[count] = v as u8;
                    count += 1;
                }
                let order = &mut order[..count];
                order.sort_unstable_by_key(|&v| colours[v as usize]);
                let mut position = 0;
                for run in order.chunk_by(|&a, &b| colours[a as usize] == colours[b as usize]) {
                    cells.starts |= 1 << position;
                    for &v in run {
                        cells.members[position] |= 1 << v;
                        cells.at[v as usize] = position as u8;
                    }
                    position += run.len();
                }
            }
        }
        cells
    }

    fn refine(mut self, rows: &[u64; WORD]) -> Self {
        // A cell is queued at first or when it is a piece: at most 64 + 2 · 63 times in all.
        let mut queue = [0u8; 4 * WORD];
        let (mut head, mut tail) = (0, 0);
        for position in bits(self.starts) {
            queue[tail] = position as u8;
            tail += 1;
        }
        let mut queued = self.starts;
        while head < tail && self.starts.count_ones() < self.size {
            let splitter = queue[head] as usize;
            head += 1;
            queued &= !(1 << splitter);
            // Bit planes of the number of arcs into the splitter.
            let (mut one, mut two, mut four) = (0u64, 0u64, 0u64);
            for x in bits(self.members[splitter]) {
                let row = rows[x];
                let carry = one & row;
                one ^= row;
                let carry_on = two & carry;
                two ^= carry;
                four ^= carry_on;
            }
            let hit = one | two | four;
            let most = if four != 0 {
                7
            } else if two != 0 {
                3
            } else {
                1
            };
            let with = |count: usize| {
                (if count & 1 == 1 { one } else { !one })
                    & (if count & 2 == 2 { two } else { !two })
                    & (if count & 4 == 4 { four } else { !four })
            };
            let mut touched = 0u64;
            let mut rest = hit;
            while rest != 0 {
                let position = self.at[rest.trailing_zeros() as usize] as usize;
                touched |= 1 << position;
                rest &= !self.members[position];
            }
            for position in bits(touched) {
                let cell = self.members[position];
                if cell & (cell - 1) == 0 {
                    continue;
                }
                let v = cell.trailing_zeros();
                let count = (one >> v & 1 | (two >> v & 1) << 1 | (four >> v & 1) << 2) as usize;
                if cell & !with(count) == 0 {
                    continue;
                }
                // Pieces by rising count, then what was not hit.
                let mut pieces = [0u64; DEGREE + 1];
                let mut number = 0;
                for count in 1..=most {
                    let piece = cell & with(count);
                    pieces[number] = piece;
                    number += usize::from(piece != 0);
                }
                pieces[number] = cell & !hit;
                number += usize::from(pieces[number] != 0);
                let mut largest = 0;
                for piece in 1..number {
                    if pieces[piece].count_ones() > pieces[largest].count_ones() {
                        largest = piece;
                    }
                }
                let was_queued = queued >> position & 1 == 1;
                let mut begin = position;
                for (at, &piece) in pieces[..number].iter().enumerate() {
                    self.members[begin] = piece;
                    self.starts |= 1 << begin;
                    if at > 0 {
                        for v in bits(piece) {
                            self.at[v] = begin as u8;
                        }
                    }
                    if if was_queued { at > 0 } else { at != largest } {
                        queued |= 1 << begin;
                        queue[tail] = begin as u8;
                        tail += 1;
                    }
                    begin += piece.count_ones() as usize;
                }
            }
        }
        self
    }

    fn write(&self, rows: &[u64; WORD], colours: Option<&[u32]>, found: &mut StableParts) {
        let cells = self.starts.count_ones();
        let coloured = if colours.is_some() { COLOURED } else { 0 };
        found.open(cells, self.size, coloured | PACKED);
        let number = |position: u8| (self.starts & ((1u64 << position) - 1)).count_ones();
        for (cell, position) in bits(self.starts).enumerate() {
            let members = self.members[position];
            for v in bits(members) {
                found.put(v, cell as u32);
            }
            let v = members.trailing_zeros() as usize;
            if let Some(colours) = colours {
                found.keys.push(colours[v]);
            }
            let mut around = [0u32; DEGREE];
            let mut degree = 0;
            for w in bits(rows[v]) {
                // Insertion keeps the few neighbours sorted.
                let new = number(self.at[w]);
                let mut at = degree;
                while at > 0 && around[at - 1] > new {
                    around[at] = around[at - 1];
                    at -= 1;
                }
                around[at] = new;
                degree += 1;
            }
            pack(&mut found.keys, &around[..degree]);
        }
        found.close();
    }
}
