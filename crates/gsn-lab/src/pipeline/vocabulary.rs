//! [`Vocabulary`]: which category a value becomes, and where values never seen go.
//!
//! Cost: an array access where the values seen have no gaps below, a binary search elsewhere.

use gsn_core::{Encoding, Unseen as Policy};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Categories of the values that were seen, and one for all others.
///
/// ```
/// use gsn_lab::pipeline::Vocabulary;
/// let elements = Vocabulary::fit([8, 6, 7, 6]);
/// assert_eq!((elements.code(7), elements.size()), (Some((1, true)), 4));
/// assert_eq!(elements.code(17), Some((3, false)));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub struct Vocabulary {
    /// Values and their categories, by value.
    known: Vec<(u32, u32)>,
    /// The category of all others; without it they have none.
    unknown: Option<u32>,
}

/// A vocabulary as it is stored.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Vocabulary", deny_unknown_fields, rename_all = "kebab-case")]
struct Stored {
    known: BTreeMap<u32, u32>,
    #[serde(default)]
    unknown: Option<u32>,
}

impl From<Stored> for Vocabulary {
    fn from(Stored { known, unknown }: Stored) -> Self {
        Self { known: known.into_iter().collect(), unknown }
    }
}

impl From<Vocabulary> for Stored {
    fn from(Vocabulary { known, unknown }: Vocabulary) -> Self {
        Self { known: known.into_iter().collect(), unknown }
    }
}

impl Vocabulary {
    /// Numbers the values in increasing order and gives all others the next number.
    pub fn fit(values: impl IntoIterator<Item = u32>) -> Self {
        let known: BTreeSet<u32> = values.into_iter().collect();
        let unknown = Some(known.len() as u32);
        Self { known: known.into_iter().zip(0..).collect(), unknown }
    }

    /// These categories, and none for other values.
    pub fn closed(known: BTreeMap<u32, u32>) -> Self {
        Self { known: known.into_iter().collect(), unknown: None }
    }

    /// Whether no value was seen.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// The values that were seen, in increasing order.
    pub fn values(&self) -> impl Iterator<Item = u32> {
        self.known.iter().map(|&(value, _)| value)
    }

    /// Number of categories.
    pub fn size(&self) -> usize {
        let known = self.known.iter().map(|&(_, category)| category);
        known.chain(self.unknown).max().map_or(0, |most| most as usize + 1)
    }

    /// The category of a value and whether it was seen; none if there is no place for it.
    #[inline]
    pub fn code(&self, value: u32) -> Option<(u32, bool)> {
        // Values are distinct and increasing: where v stands at place v, all below it are there.
        if let Some(&(found, category)) = self.known.get(value as usize)
            && found == value
        {
            return Some((category, true));
        }
        match self.known.binary_search_by_key(&value, |&(value, _)| value) {
            Ok(at) => Some((self.known[at].1, true)),
            Err(_) => self.unknown.map(|unknown| (unknown, false)),
        }
    }
}

/// A vocabulary for every column of a table of categories.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StoredColumns", into = "StoredColumns")]
pub(super) struct ColumnVocabularies {
    names: Vec<String>,
    columns: Vec<Vocabulary>,
}

/// As model files hold them: in the words of an encoder of counts.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredColumns {
    encoding: Encoding,
    unseen: Policy,
    columns: Vec<String>,
    fitted: Vec<StoredColumn>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum StoredColumn {
    Values(Vec<u32>),
}

impl TryFrom<StoredColumns> for ColumnVocabularies {
    type Error = String;

    fn try_from(stored: StoredColumns) -> Result<Self, String> {
        let StoredColumns { encoding, unseen, columns: names, fitted } = stored;
        if (encoding, unseen) != (Encoding::OneHot, Policy::Unknown) || names.len() != fitted.len()
        {
            return Err("the vocabularies of the features are damaged".into());
        }
        let column = |StoredColumn::Values(values): StoredColumn| Vocabulary::fit(values);
        Ok(Self { names, columns: fitted.into_iter().map(column).collect() })
    }
}

impl From<ColumnVocabularies> for StoredColumns {
    fn from(of: ColumnVocabularies) -> Self {
        let column = |v: &Vocabulary| StoredColumn::Values(v.values().collect());
        Self {
            encoding: Encoding::OneHot,
            unseen: Policy::Unknown,
            fitted: of.columns.iter().map(column).collect(),
            columns: of.names,
        }
    }
}

impl ColumnVocabularies {
    /// Learns the vocabularies of `columns` columns, called `what`, from whole tables: the values
    /// of at least `least` of them.
    pub(super) fn fit<'a>(
        what: &str,
        columns: usize,
        tables: impl IntoIterator<Item = &'a [u32]>,
        least: u32,
    ) -> Self {
        // Tables with the value, and the last of them.
        let mut seen = vec![BTreeMap::<u32, (u32, usize)>::new(); columns];
        for (at, table) in tables.into_iter().enumerate() {
            for row in table.chunks_exact(columns.max(1)) {
                for (seen, &value) in seen.iter_mut().zip(row) {
                    let (tables, last) = seen.entry(value).or_insert((1, at));
                    if *last != at {
                        (*tables, *last) = (*tables + 1, at);
                    }
                }
            }
        }
        let often = |seen: BTreeMap<u32, (u32, usize)>| {
            let values = seen.into_iter().filter(|&(_, (tables, _))| tables >= least);
            Vocabulary::fit(values.map(|(value, _)| value))
        };
        Self {
            names: (0..columns).map(|c| format!("{what} column {c}")).collect(),
            columns: seen.into_iter().map(often).collect(),
        }
    }

    pub(super) fn sizes(&self) -> Vec<usize> {
        self.columns.iter().map(Vocabulary::size).collect()
    }

    /// The codes of a whole table, and how many of its values were never seen.
    pub(super) fn encode(&self, table: &[u32]) -> (Vec<u32>, u64) {
        let mut unseen = 0;
        let code = |(vocabulary, &value): (&Vocabulary, &u32)| {
            let (code, seen) = vocabulary.code(value).unwrap_or_default();
            unseen += u64::from(!seen);
            code
        };
        (self.columns.iter().cycle().zip(table).map(code).collect(), unseen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_values_share_the_place_of_unknown_ones() {
        let tables: [&[u32]; 3] = [&[6, 1, 8, 1], &[6, 1, 6, 2], &[9, 1, 9, 1]];
        let fit = |least| ColumnVocabularies::fit("vertex", 2, tables, least);
        assert_eq!((fit(1).sizes(), fit(2).sizes()), (vec![4, 3], vec![2, 2]));
        // Twice in one graph is still one graph.
        assert_eq!(fit(2).encode(&[6, 1, 9, 2, 8, 7]), (vec![0, 0, 1, 1, 1, 1], 4));
    }
}
