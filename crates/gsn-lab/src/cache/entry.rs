//! One entry as bytes: a header, the packed columns, a checksum over all of it.

use super::key::{Key, Order};
use super::layout::Layout;
use super::pack::{CHUNK, Packed, Packer};
use gsn_core::{Counts, Graph};
use rayon::prelude::*;
use std::borrow::Borrow;

const MAGIC: &[u8; 8] = b"gsncols1";

/// The columns of one pattern over all graphs.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) columns: Vec<Packed>,
    rows: usize,
}

impl Entry {
    /// Packs pattern `place` of freshly counted `counts` in the order of its canonical form.
    pub(super) fn pack<G: Borrow<Graph> + Sync>(
        graphs: &[G],
        layout: &Layout,
        counts: &[Counts],
        place: usize,
        order: &Order,
    ) -> Self {
        let first = counts.first().map_or(0, |counts| {
            counts.columns().iter().take_while(|column| column.pattern() < place).count()
        });
        let mut kept = vec![0; order.columns.len()];
        for (orbit, &column) in order.columns.iter().enumerate() {
            kept[column] = first + orbit;
        }
        let pack = |&column: &usize| {
            let mut packer = Packer::default();
            for (graph, counts) in graphs.iter().zip(counts) {
                let graph: &Graph = graph.borrow();
                if layout.is_halved(graph) {
                    let forward = graph.arcs().zip(counts.column(column));
                    forward.filter(|((u, v), _)| u < v).for_each(|(_, n)| packer.push(n));
                } else {
                    counts.column(column).for_each(|n| packer.push(n));
                }
            }
            packer.finish()
        };
        Self { columns: kept.par_iter().map(pack).collect(), rows: layout.stored_rows() }
    }

    /// The bytes of the entry, which know their own key.
    pub(super) fn to_bytes(&self, key: &Key) -> Vec<u8> {
        let about = format!("{}\n{}", key.file, key.about);
        let mut bytes = MAGIC.to_vec();
        let mut word = |n: usize| bytes.extend((n as u64).to_le_bytes());
        word(self.rows);
        word(self.columns.len());
        word(about.len());
        self.columns.iter().for_each(|column| word(column.data.len()));
        bytes.extend(about.as_bytes());
        for column in &self.columns {
            bytes.extend(&column.ways);
            column.bases.iter().for_each(|base| bytes.extend(base.to_le_bytes()));
            bytes.extend(&column.data);
        }
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        bytes
    }

    /// The entry in `bytes`, if they are whole and that of `key` with columns of `rows` numbers.
    pub(super) fn from_bytes(bytes: &[u8], key: &Key, rows: usize) -> Option<Self> {
        let (body, sum) = bytes.split_last_chunk::<4>()?;
        if crc32fast::hash(body) != u32::from_le_bytes(*sum) {
            return None;
        }
        let mut rest = body.strip_prefix(MAGIC)?;
        let (found, columns, about) = (word(&mut rest)?, word(&mut rest)?, word(&mut rest)?);
        if found != rows {
            return None;
        }
        let lengths: Vec<usize> = (0..columns).map(|_| word(&mut rest)).collect::<Option<_>>()?;
        let mut words = take(&mut rest, about)?.split(|&byte| byte == b'\n');
        if words.next() != Some(key.file.as_bytes()) {
            return None;
        }
        let chunks = rows.div_ceil(CHUNK);
        let mut packed = Vec::with_capacity(lengths.len());
        for length in lengths {
            let ways = take(&mut rest, chunks)?.to_vec();
            let bases = take(&mut rest, 8 * chunks)?.as_chunks::<8>().0.iter();
            let bases = bases.map(|&base| u64::from_le_bytes(base)).collect();
            let data = take(&mut rest, length)?.to_vec();
            packed.push(Packed::new(ways, bases, data, rows)?);
        }
        rest.is_empty().then_some(Self { columns: packed, rows })
    }

    /// What the entry whose first bytes these are says about itself.
    pub(super) fn about(bytes: &[u8]) -> Option<String> {
        let mut rest = bytes.strip_prefix(MAGIC)?;
        let (_, columns, length) = (word(&mut rest)?, word(&mut rest)?, word(&mut rest)?);
        take(&mut rest, columns.checked_mul(8)?)?;
        let text = std::str::from_utf8(take(&mut rest, length)?).ok()?;
        Some(text.split_once('\n')?.1.to_owned())
    }
}

fn take<'a>(rest: &mut &'a [u8], n: usize) -> Option<&'a [u8]> {
    let (head, tail) = rest.split_at_checked(n)?;
    *rest = tail;
    Some(head)
}

fn word(rest: &mut &[u8]) -> Option<usize> {
    let (head, tail) = rest.split_first_chunk::<8>()?;
    *rest = tail;
    usize::try_from(u64::from_le_bytes(*head)).ok()
}
