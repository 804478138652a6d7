//! Canonical forms of graphs, each found once.

use crate::pattern::quotient::{CanonicalRows, canonical};
use std::collections::{BTreeMap, HashMap};

/// Canonical forms that were found before.
#[derive(Debug, Default)]
pub(super) struct CanonicalForms {
    known: HashMap<Vec<u64>, (u32, Vec<u8>)>,
    pub(super) graphs: Vec<CanonicalRows>,
    index: BTreeMap<CanonicalRows, u32>,
}

impl CanonicalForms {
    /// The number of the canonical form of a graph, and the positions of its vertices there.
    pub(super) fn of(&mut self, rows: &[u64]) -> (u32, &[u8]) {
        if !self.known.contains_key(rows) {
            let (form, position) = canonical(rows);
            let next = self.graphs.len() as u32;
            let at = *self.index.entry(form).or_insert_with_key(|form| {
                self.graphs.push(form.clone());
                next
            });
            self.known.insert(rows.to_vec(), (at, position));
        }
        let (at, position) = &self.known[rows];
        (*at, position)
    }
}
