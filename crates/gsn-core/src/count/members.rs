//! Some vertices out of many, each with its place among them.
//!
//! Most vertices that are looked up are none of them, which a set of bits tells without a read of
//! the table of places: it is 32 times as large and does not stay in the cache.

/// The members of a list among all vertices.
#[derive(Debug, Default)]
pub(super) struct Members {
    bits: Vec<u64>,
    /// Where a member stands in the list.
    places: Vec<u32>,
}

impl Members {
    /// Takes the vertices of a list for members; all vertices are below `order`. They are
    /// [cleared](Members::clear) before the next list comes.
    #[inline]
    pub(super) fn set(&mut self, list: &[u32], order: usize) {
        if self.places.len() < order {
            self.bits.resize(order.div_ceil(64), 0);
            self.places.resize(order, 0);
        }
        for (place, &v) in list.iter().enumerate() {
            self.bits[v as usize / 64] |= 1 << (v % 64);
            self.places[v as usize] = place as u32;
        }
    }

    /// Forgets the members, which are those of this list.
    #[inline]
    pub(super) fn clear(&mut self, list: &[u32]) {
        for &v in list {
            self.bits[v as usize / 64] = 0;
        }
    }

    /// The place of a vertex in the list, if it is there.
    #[inline]
    pub(super) fn place(&self, v: u32) -> Option<usize> {
        let member = self.bits[v as usize / 64] >> (v % 64) & 1 == 1;
        member.then(|| self.places[v as usize] as usize)
    }

    /// Bytes for so many vertices.
    pub(super) fn memory(order: usize) -> u64 {
        order as u64 * 4 + order as u64 / 8
    }
}
