//! How many steps the search for cycles will take, by random walks.

use crate::count::probe::{fixed_random, sum_over_roots};
use crate::graph::blocks::{Block, Blocks, Mesh};
use crate::graph::small::WORD;
use crate::random::Random;

/// Blocks that are probed one by one; of the rest a few are.
const LARGEST: usize = 12;
/// Random walks from each root.
const WALKS: usize = 3;
/// Arcs looked at when measuring distances from a root; further vertices count as near.
const ARCS: usize = 4096;

/// Predicted steps over all blocks, for cycles up to `longest`; without `chords` the search turns
/// back at the first one.
pub(super) fn steps(
    blocks: &Blocks,
    longest: usize,
    chords: bool,
    roots: impl Fn(&Block<'_>) -> usize,
) -> f64 {
    let mut random = fixed_random();
    let mut order: Vec<usize> = (0..blocks.len()).collect();
    order.sort_by_key(|&b| (std::cmp::Reverse(blocks.get(b).kept_edges()), b));
    let rest = order.split_off(order.len().min(LARGEST));
    let mut walk = Walk { chords, ..Walk::default() };
    let mut block_steps = |b: usize, random: &mut Random| {
        let block = blocks.get(b);
        let Block::Mesh(mesh) = block else { return block.order() as f64 };
        sum_over_roots(roots(&block), random, |root, random| {
            walk.from(mesh, root as u32, longest, random)
        })
    };
    let most: f64 = order.into_iter().map(|b| block_steps(b, &mut random)).sum();
    most + sum_over_roots(rest.len(), &mut random, |i, random| block_steps(rest[i], random))
}

#[derive(Default)]
struct Walk {
    chords: bool,
    /// Distance from the root, by vertex; `u32::MAX` when not known.
    distance: Vec<u32>,
    reached: Vec<u32>,
    walk: Vec<u32>,
    next: Vec<u32>,
}

impl Walk {
    /// Estimated steps of the search from one root.
    fn from(&mut self, block: Mesh<'_>, root: u32, longest: usize, random: &mut Random) -> f64 {
        let complete = self.measure(block, root, longest);
        let mut sum = 0.0;
        for _ in 0..WALKS {
            let mut weight = 1.0;
            self.walk.clear();
            self.walk.push(root);
            for depth in 1..longest - 1 {
                let at = self.walk[depth - 1] as usize;
                self.next.clear();
                for y in block.neighbors(at) {
                    let far = self.distance[y as usize];
                    let fits =
                        if far == u32::MAX { !complete } else { far as usize <= longest - depth };
                    let clean = |&x: &u32| x != y && (self.chords || !block.is_edge(x, y));
                    if y > root && fits && self.walk[..depth - 1].iter().all(clean) {
                        self.next.push(y);
                    }
                }
                if self.next.is_empty() {
                    break;
                }
                weight *= self.next.len() as f64;
                let y = self.next[random.below(self.next.len())];
                let last = depth == longest - 2 && longest > 4;
                let scan = if block.order() <= WORD || last { 0 } else { block.degree(y as usize) };
                sum += weight * (1 + scan) as f64;
                self.walk.push(y);
            }
        }
        for v in self.reached.drain(..) {
            self.distance[v as usize] = u32::MAX;
        }
        1.0 + sum / WALKS as f64
    }

    /// Distances from the root; whether all that matter were found.
    fn measure(&mut self, block: Mesh<'_>, root: u32, longest: usize) -> bool {
        if self.distance.len() < block.order() {
            self.distance.resize(block.order(), u32::MAX);
        }
        self.distance[root as usize] = 0;
        self.reached.push(root);
        let (mut next, mut arcs) = (0, 0);
        while let Some(&v) = self.reached.get(next) {
            let distance = self.distance[v as usize] + 1;
            if distance as usize > longest / 2 {
                break;
            }
            arcs += block.degree(v as usize);
            if arcs > ARCS {
                return false;
            }
            for w in block.neighbors(v as usize) {
                if w > root && self.distance[w as usize] == u32::MAX {
                    self.distance[w as usize] = distance;
                    self.reached.push(w);
                }
            }
            next += 1;
        }
        true
    }
}
