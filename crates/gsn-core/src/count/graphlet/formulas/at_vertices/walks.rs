//! Pairs of vertices two steps apart, each from the end of higher rank, and what the walks between
//! them add to both ends and to the vertices in the middle.

use super::super::ranked::{Below, add_narrow};
use super::{Sum, VertexNeeds, VertexTables};
use crate::count::budget::{Meter, Stop};

/// What walks u – x – y from the root gather at y; every number is at most that of arcs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cell {
    /// c(y): the number of walks.
    pub(super) walks: u32,
    /// Σ t(u, x).
    near: u32,
    /// Σ t(x, y).
    far: u32,
    /// Ordered pairs of adjacent common neighbours of u and y.
    pub(super) pairs: u32,
}

/// Memory of one thread.
#[derive(Debug, Default)]
pub(super) struct WalkScratch {
    /// Zero between two roots.
    pub(super) cells: Vec<Cell>,
    /// Those with walks are first; one place more than there are vertices.
    reached: Vec<u32>,
    number: usize,
}

impl WalkScratch {
    /// Bytes for the vertices of a graph.
    pub(super) fn memory(order: usize) -> usize {
        (size_of::<Cell>() + 4) * order
    }

    /// Walks from `u` to everything below it.
    pub(super) fn walk(
        &mut self,
        tables: &VertexTables,
        u: u32,
        below: &Below,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        let ranked = &tables.ranked;
        if self.cells.len() < ranked.order() {
            self.cells.resize(ranked.order(), Cell::default());
            self.reached.resize(ranked.order() + 1, 0);
        }
        let (cells, reached) = (&mut self.cells[..], &mut self.reached[..]);
        let mut number = 0;
        for to_x in ranked.arcs(u) {
            let near = tables.triangles[to_x];
            let arcs = below.arcs(ranked.targets[to_x], ranked);
            meter.steps(arcs.len() as u64)?;
            let row = ranked.targets[arcs.clone()].iter().zip(&tables.triangles[arcs]);
            for (&y, &far) in row {
                // Written always, kept where it is new: cheaper than a jump that cannot be foreseen.
                let cell = &mut cells[y as usize];
                reached[number] = y;
                number += usize::from(cell.walks == 0);
                cell.walks += 1;
                cell.near += near;
                cell.far += far;
            }
        }
        self.number = number;
        Ok(())
    }

    /// Adds what the walks amount to; `edges` lie between neighbours of `u`.
    pub(super) fn credit<const SHARED: bool>(
        &mut self,
        tables: &VertexTables,
        needs: &VertexNeeds,
        u: u32,
        edges: u64,
        below: &Below,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        let ranked = &tables.ranked;
        let own = u64::from(ranked.degree(u));
        if needs.middle {
            for &x in &ranked.targets[ranked.arcs(u)] {
                let arcs = below.arcs(x, ranked);
                meter.steps(arcs.len() as u64)?;
                let (mut walks, mut squares, mut pairs) = (0, 0u64, 0u64);
                for (&y, kept) in
                    ranked.targets[arcs.clone()].iter().zip(&tables.walks[arcs.clone()])
                {
                    let cell = &self.cells[y as usize];
                    walks += cell.walks;
                    squares += u64::from(cell.walks) * u64::from(cell.walks);
                    pairs += u64::from(cell.pairs);
                    // Walks of length 3 from y to x by way of u, which is above y.
                    add_narrow::<SHARED>(kept, cell.walks);
                }
                // Those from u to x, by way of u itself and of what is below; u is next in the list.
                add_narrow::<SHARED>(&tables.walks[arcs.end], walks + own as u32);
                tables.add::<SHARED>(x, Sum::MiddleWalks, 2 * squares + own * own);
                tables.add::<SHARED>(x, Sum::MiddlePairs, 2 * pairs + 2 * edges);
            }
        }
        // From u back to u: all neighbours, and all edges between them.
        let triangles: u64 = tables.triangles[ranked.arcs(u)].iter().map(|&t| u64::from(t)).sum();
        let mut sums = [own * own * own, own * own * own, own * triangles, own * 2 * edges];
        for &y in &self.reached[..self.number] {
            let Cell { walks, near, far, pairs } = std::mem::take(&mut self.cells[y as usize]);
            let [walks, near, far, pairs] = [walks, near, far, pairs].map(u64::from);
            let square = walks * walks;
            sums[0] += square * u64::from(ranked.degree(y));
            sums[1] += square * walks;
            sums[2] += walks * far;
            sums[3] += walks * pairs;
            tables.add::<SHARED>(y, Sum::EndDegrees, square * own);
            tables.add::<SHARED>(y, Sum::EndCubes, square * walks);
            tables.add::<SHARED>(y, Sum::EndTriangles, walks * near);
            tables.add::<SHARED>(y, Sum::EndPairs, walks * pairs);
        }
        let all = [Sum::EndDegrees, Sum::EndCubes, Sum::EndTriangles, Sum::EndPairs];
        for (sum, value) in all.into_iter().zip(sums) {
            tables.add::<SHARED>(u, sum, value);
        }
        self.number = 0;
        Ok(())
    }
}
