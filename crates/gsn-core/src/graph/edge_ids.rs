//! The edge behind every arc, worked out when it is first asked for: counts of vertices need it
//! rarely, and in a large graph it takes as long and as much memory as the rows themselves.

use super::Adjacency;
use std::convert::Infallible;
use std::sync::OnceLock;

/// Edge ids of the arcs of an undirected graph.
#[derive(Clone, Debug, Default)]
pub(super) struct EdgeIds(OnceLock<Vec<u32>>);

/// They follow from the rows, so graphs that are equal otherwise are equal, known or not.
impl PartialEq for EdgeIds {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for EdgeIds {}

impl EdgeIds {
    /// The edge of every arc of these rows, always the same ones.
    #[inline]
    pub(super) fn of(&self, out: &Adjacency) -> &[u32] {
        self.0.get_or_init(|| match number(out, || Ok::<(), Infallible>(())) {
            Ok(ids) => ids,
        })
    }

    /// Works them out now if they are not known; `look` is called every few thousand arcs and may
    /// stop that.
    pub(super) fn find<E>(
        &self,
        out: &Adjacency,
        look: impl Fn() -> Result<(), E>,
    ) -> Result<(), E> {
        if self.0.get().is_none() {
            // Whoever was faster found the same.
            let _ = self.0.set(number(out, look)?);
        }
        Ok(())
    }
}

/// Vertices between two looks; few in tests.
const PERIOD: u32 = if cfg!(test) { 4 } else { 1 << 11 };

/// Numbers the edges by (smaller end, larger end) and gives both arcs of an edge its number.
#[cold]
fn number<E>(out: &Adjacency, look: impl Fn() -> Result<(), E>) -> Result<Vec<u32>, E> {
    let mut ids = vec![0u32; out.targets.len()];
    // Arcs into v from smaller vertices arrive in increasing source order, which is the order of
    // v's own row: a cursor per vertex finds the reverse arc without searching.
    let mut cursor: Vec<u32> = out.offsets[..out.offsets.len() - 1].to_vec();
    let mut next = 0;
    for u in 0..cursor.len() as u32 {
        if u % PERIOD == PERIOD - 1 {
            look()?;
        }
        for arc in out.range(u) {
            let v = out.targets[arc];
            if u < v {
                ids[arc] = next;
                ids[cursor[v as usize] as usize] = next;
                cursor[v as usize] += 1;
                next += 1;
            }
        }
    }
    Ok(ids)
}
