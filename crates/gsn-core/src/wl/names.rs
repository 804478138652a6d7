//! Names for rows of numbers: equal rows, and only they, get the same name, in every graph.

use crate::count::Counts;
use std::collections::HashMap;
use std::hash::Hash;

/// A dictionary from rows of numbers to small names, in the order they are first met.
///
/// ```
/// use gsn_core::wl::{Names, Start, refine};
/// use gsn_core::{CountSpec, Counter, Graph};
///
/// // Decalin and bicyclopentyl: one for 1-WL, two once the rings are counted.
/// let decalin = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0), (5, 6), (6, 7), (7, 8), (8, 9), (9, 0)];
/// let other = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (0, 5), (5, 6), (6, 7), (7, 8), (8, 9), (9, 5)];
/// let graphs = [Graph::from_edges(10, decalin)?, Graph::from_edges(10, other)?];
/// assert_eq!(refine(&graphs, &[])?.classes(), [0, 0]);
///
/// let counter = Counter::new(&CountSpec::new("cycle:5..=6".parse()?));
/// let mut names = Names::default();
/// let colours: Vec<Vec<u32>> =
///     counter.count_many(&graphs)?.iter().map(|counts| names.of_counts(counts)).collect();
/// let starts: Vec<Start> =
///     colours.iter().map(|c| Start { vertex: Some(c), ..Start::default() }).collect();
/// assert_eq!(refine(&graphs, &starts)?.classes(), [0, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Names {
    names: HashMap<Box<[u64]>, u32>,
    bytes: usize,
}

impl Names {
    /// The name of a row.
    pub fn of_row(&mut self, row: &[u64]) -> u32 {
        if let Some(&name) = self.names.get(row) {
            return name;
        }
        let name = self.names.len() as u32;
        self.names.insert(row.into(), name);
        self.bytes += size_of_val(row) + 40;
        name
    }

    /// The names of all rows of a table.
    pub fn of_counts(&mut self, counts: &Counts) -> Vec<u32> {
        (0..counts.rows()).map(|row| self.of_row(counts.row(row))).collect()
    }

    /// The names of all rows of a table, told apart by their labels as well.
    pub fn of_labelled_counts(&mut self, counts: &Counts, labels: Option<&[u32]>) -> Vec<u32> {
        let Some(labels) = labels else { return self.of_counts(counts) };
        let mut key = Vec::new();
        (0..counts.rows())
            .map(|row| {
                key.clear();
                key.push(u64::from(labels[row]));
                key.extend_from_slice(counts.row(row));
                self.of_row(&key)
            })
            .collect()
    }

    /// Number of different rows.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether no row was named yet.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Bytes held, about.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

/// Numbers things by equality, in the order they are first met.
///
/// ```
/// assert_eq!(gsn_core::wl::group(["a", "b", "a"]), [0, 1, 0]);
/// ```
pub fn group<T: Eq + Hash>(things: impl IntoIterator<Item = T>) -> Vec<u32> {
    let mut seen = HashMap::new();
    things
        .into_iter()
        .map(|thing| {
            let next = seen.len() as u32;
            *seen.entry(thing).or_insert(next)
        })
        .collect()
}
