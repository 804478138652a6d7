//! Triangles, which simplicial vertices and twins are in.
//!
//! Each is met at its first vertex in an order in which all have few later neighbours. One step for every pair of later
//! neighbours that is looked at.

use super::search::{Scratch, Task};
use crate::count::Matching;
use crate::count::budget::{Meter, Stop};
use crate::count::cells::{Cells, Outputs};
use crate::count::tally::WalkColumns;

/// The triangles whose first vertex has this rank.
pub(super) fn triangles<C: Cells>(
    task: &Task<'_>,
    rank: usize,
    scratch: &mut Scratch,
    out: &mut Outputs<C>,
    meter: &mut Meter<'_>,
) -> Result<(), Stop> {
    let (oriented, columns) = (task.oriented, task.columns);
    let (vertices, rank) = (&oriented.vertices, rank as u32);
    let around = oriented.neighbors(rank);
    meter.steps(1)?;
    if around.len() < 2 {
        return Ok(());
    }
    let order = task.graph.order();
    scratch.is_next.resize(scratch.is_next.len().max(order), false);
    scratch.triangles.resize(scratch.triangles.len().max(order), 0);
    around.iter().for_each(|&w| scratch.is_next[w as usize] = true);
    for &w in around {
        let later = oriented.neighbors(w);
        meter.steps(1 + later.len() as u64)?;
        let mut found = 0;
        for (&x, &edge) in later.iter().zip(oriented.edges(w)) {
            if scratch.is_next[x as usize] {
                found += 1;
                scratch.triangles[x as usize] += 1;
                if let Some(cells) = out.arc(Matching::Induced) {
                    columns.add_edge(cells, 3, 0, (edge as usize, true), 1);
                }
            }
        }
        scratch.triangles[w as usize] += found;
    }
    let mut twice = 0;
    for (&w, &edge) in around.iter().zip(oriented.edges(rank)) {
        scratch.is_next[w as usize] = false;
        let found = u64::from(std::mem::take(&mut scratch.triangles[w as usize]));
        twice += found;
        if found > 0 {
            if let Some(cells) = out.vertex(Matching::Induced) {
                columns.add_vertex(cells, 3, 0, vertices[w as usize] as usize, found);
            }
            if let Some(cells) = out.arc(Matching::Induced) {
                columns.add_edge(cells, 3, 0, (edge as usize, true), found);
            }
        }
    }
    if let Some(cells) = out.vertex(Matching::Induced).filter(|_| twice > 0) {
        columns.add_vertex(cells, 3, 0, vertices[rank as usize] as usize, twice / 2);
    }
    Ok(())
}
