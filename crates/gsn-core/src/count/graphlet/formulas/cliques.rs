//! The edges and triangles inside T, the common neighbours of a root and one of its neighbours.
//!
//! Rows of bits over T, a block of columns at a time so that memory stays in proportion to T; a
//! triangle is a bit common to the rows of two adjacent vertices.

use super::root::Link;
use crate::count::budget::{Meter, Stop};

/// Words of a row in one block; few in tests, so that there are several.
const BLOCK: usize = if cfg!(test) { 1 } else { 16 };

/// Memory of one thread.
#[derive(Debug, Default)]
pub(super) struct InnerEdges {
    /// One more than the index in T, by index among the root's neighbours; 0 elsewhere.
    index: Vec<u32>,
    rows: Vec<u64>,
    /// Edges inside T, by indices in T, smaller end first.
    edges: Vec<(u32, u32)>,
}

/// Sums over ordered pairs of adjacent vertices in T.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct InnerSums {
    /// Of the triangles on them.
    pub(super) triangles: u64,
    /// Of their common neighbours in the ego network of the root.
    pub(super) codegrees: u64,
    /// Of their common neighbours in T.
    pub(super) cliques: u64,
}

impl InnerEdges {
    /// T is what the links of `j` lead to, among `degree` neighbours of the root; `links` and
    /// `codegrees` give those of each neighbour.
    pub(super) fn count<'a>(
        &mut self,
        links: impl Fn(usize) -> &'a [Link],
        codegrees: impl Fn(usize) -> &'a [u32],
        triangles: &[u32],
        (degree, j, cliques): (usize, usize, bool),
        meter: &mut Meter<'_>,
    ) -> Result<InnerSums, Stop> {
        let members = links(j);
        if self.index.len() < degree {
            self.index.resize(degree, 0);
        }
        for (i, link) in members.iter().enumerate() {
            self.index[link.to as usize] = i as u32 + 1;
        }
        self.edges.clear();
        let mut found = InnerSums::default();
        let mut steps = members.len();
        for (i, link) in members.iter().enumerate() {
            let x = link.to as usize;
            let weights = codegrees(x);
            steps += links(x).len();
            for (at, second) in links(x).iter().enumerate() {
                let k = self.index[second.to as usize] as usize;
                if k > i + 1 {
                    found.triangles += 2 * u64::from(triangles[second.arc as usize]);
                    found.codegrees += 2 * u64::from(weights.get(at).copied().unwrap_or(0));
                    self.edges.push((i as u32, k as u32 - 1));
                }
            }
        }
        for link in members {
            self.index[link.to as usize] = 0;
        }
        meter.steps(steps as u64)?;
        if cliques {
            found.cliques = self.triangles(members.len(), meter)?;
        }
        Ok(found)
    }

    /// Six times the triangles that the edges make.
    fn triangles(&mut self, order: usize, meter: &mut Meter<'_>) -> Result<u64, Stop> {
        if self.edges.len() < 3 {
            return Ok(0);
        }
        let all_words = order.div_ceil(64);
        let mut found = 0;
        for first in (0..all_words).step_by(BLOCK) {
            let words = BLOCK.min(all_words - first);
            let block = first * 64..(first + words) * 64;
            self.rows.clear();
            self.rows.resize(order * words, 0);
            for &(i, k) in &self.edges {
                for (i, k) in [(i as usize, k as usize), (k as usize, i as usize)] {
                    if block.contains(&k) {
                        self.rows[i * words + (k - block.start) / 64] |= 1 << (k % 64);
                    }
                }
            }
            for (done, &(i, k)) in self.edges.iter().enumerate() {
                let (i, k) = (i as usize * words, k as usize * words);
                let (a, b) = (&self.rows[i..i + words], &self.rows[k..k + words]);
                found += a.iter().zip(b).map(|(a, b)| u64::from((a & b).count_ones())).sum::<u64>();
                if done % 1024 == 1023 {
                    meter.steps(1024)?;
                }
            }
            meter.steps(self.edges.len() as u64 % 1024)?;
        }
        // Each triangle was seen from its three edges.
        Ok(2 * found)
    }
}
