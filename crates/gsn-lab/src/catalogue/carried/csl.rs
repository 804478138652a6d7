//! The files of CSL, generated.
//!
//! Class c holds 15 copies of C41(1, R), R the c-th skip length: 41 vertices in a ring, joined to
//! their neighbours on it and to the vertices R steps away. In the k-th copy the last four
//! vertices are renamed by the k-th permutation of them in lexicographic order, as in the
//! published set.

use crate::catalogue::read::SKIPS;
use crate::error::{Error, Result};
use gsn_core::graph::graph6;

const ORDER: usize = 41;
const COPIES: usize = 15;
/// Vertices that are renamed, the last ones.
const RENAMED: usize = 4;

/// The graphs in graph6, one a line.
pub(super) fn graphs() -> Result<Vec<u8>> {
    let mut text = String::new();
    for skip in SKIPS {
        for renamed in permutations().take(COPIES) {
            let first = ORDER - RENAMED;
            let on_ring = |vertex: usize| match vertex.checked_sub(first) {
                Some(at) => first + renamed.iter().position(|&to| to == at).unwrap_or(at),
                None => vertex,
            };
            let has_edge = |u: usize, v: usize| {
                let steps = on_ring(u).abs_diff(on_ring(v));
                [1, skip].iter().any(|&skip| steps == skip || steps == ORDER - skip)
            };
            text += &graph6::encode(ORDER, has_edge).map_err(|e| Error::data("CSL", e))?;
            text.push('\n');
        }
    }
    Ok(text.into_bytes())
}

/// The class of every graph, one a line.
pub(super) fn labels() -> Result<Vec<u8>> {
    let lines = (0..SKIPS.len()).map(|class| format!("{class}\n").repeat(COPIES));
    Ok(lines.collect::<String>().into_bytes())
}

/// The permutations of 0, 1, 2, 3 in lexicographic order.
fn permutations() -> impl Iterator<Item = [usize; RENAMED]> {
    let digits = |n: usize| [n >> 6 & 3, n >> 4 & 3, n >> 2 & 3, n & 3];
    let are_distinct = |p: &[usize; RENAMED]| p.iter().fold(0, |set, i| set | 1 << i) == 0b1111;
    (0..256).map(digits).filter(are_distinct)
}
