//! Pairs of graphs, counted by the sizes of classes.

use crate::error::{Error, Result};
use std::collections::HashMap;

/// Which pairs of a list of graphs are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pairing {
    /// Every two graphs.
    #[default]
    All,
    /// 0 with 1, 2 with 3, and so on.
    Consecutive,
}

impl Pairing {
    pub(super) fn check(self, graphs: usize) -> Result<()> {
        if graphs < 2 {
            let what = format!("{graphs} graphs make no pair; at least two are needed");
            return Err(Error::Separate(what));
        }
        if self == Pairing::Consecutive && graphs % 2 == 1 {
            let what = format!(
                "{graphs} graphs do not come in pairs: graph {} is left over; a file of pairs holds \
                 the partners one after the other",
                graphs - 1
            );
            return Err(Error::Separate(what));
        }
        Ok(())
    }

    /// Number of pairs.
    pub fn count(self, graphs: usize) -> u64 {
        match self {
            Pairing::All => choose(graphs as u64),
            Pairing::Consecutive => graphs as u64 / 2,
        }
    }

    /// Whether `i` and `j` are a pair.
    pub(super) fn has(self, i: usize, j: usize) -> bool {
        self == Pairing::All || i / 2 == j / 2
    }
}

fn choose(n: u64) -> u64 {
    n * n.saturating_sub(1) / 2
}

/// Number of pairs whose graphs are in the same class.
///
/// ```
/// use gsn_lab::separate::{Pairing, equal_pairs};
/// assert_eq!(equal_pairs(&[0, 0, 1, 0], Pairing::All), 3);
/// assert_eq!(equal_pairs(&[0, 0, 1, 0], Pairing::Consecutive), 1);
/// ```
pub fn equal_pairs(classes: &[u32], pairing: Pairing) -> u64 {
    match pairing {
        Pairing::All => sizes(classes).values().map(|&size| choose(size)).sum(),
        Pairing::Consecutive => {
            classes.chunks_exact(2).filter(|pair| pair[0] == pair[1]).count() as u64
        }
    }
}

/// The graphs that are in a pair of equal class, in order.
pub fn open_graphs(classes: &[u32], pairing: Pairing) -> Vec<usize> {
    match pairing {
        Pairing::All => {
            let sizes = sizes(classes);
            (0..classes.len()).filter(|&at| sizes[&classes[at]] > 1).collect()
        }
        Pairing::Consecutive => {
            (0..classes.len()).filter(|&at| classes[at] == classes[at ^ 1]).collect()
        }
    }
}

fn sizes(classes: &[u32]) -> HashMap<u32, u64> {
    let mut sizes = HashMap::new();
    for &class in classes {
        *sizes.entry(class).or_default() += 1;
    }
    sizes
}

/// The first pairs of equal class, by their second graph.
pub(super) fn list(classes: &[u32], pairing: Pairing, most: usize) -> Vec<(usize, usize)> {
    let mut members: HashMap<u32, Vec<usize>> = HashMap::new();
    let mut found = Vec::new();
    for (at, &class) in classes.iter().enumerate() {
        let members = members.entry(class).or_default();
        for &other in members.iter() {
            if found.len() >= most {
                return found;
            }
            if pairing.has(other, at) {
                found.push((other, at));
            }
        }
        // Of a file of pairs only the partner matters.
        if pairing == Pairing::Consecutive {
            members.clear();
        }
        members.push(at);
    }
    found
}

/// Splits classes by what is known about some of the graphs; in place, and numbered anew.
pub(super) fn split(classes: &mut [u32], some: &[usize], finer: &[u32]) {
    // Graphs outside keep their class, which none of `some` can then share: mark them apart.
    let mut names: HashMap<(u32, u32), u32> = HashMap::new();
    let mut parts: Vec<u32> = vec![0; classes.len()];
    for (i, &at) in some.iter().enumerate() {
        parts[at] = finer[i] + 1;
    }
    for (class, part) in classes.iter_mut().zip(parts) {
        let next = names.len() as u32;
        *class = *names.entry((*class, part)).or_insert(next);
    }
}
