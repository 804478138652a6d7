//! What a file calls the vertices of its graphs: numbers or texts, kept beside the graph.
//!
//! Inside a graph vertices are 0, 1, 2, …. Where a file names them just so, nothing is kept.

use gsn_core::memory;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fmt;

/// The longest name in bytes; a table may repeat a name in every row.
const LONGEST: usize = 1000;

/// The names of a graph's vertices, in the order of the vertices.
///
/// ```
/// use gsn_io::{VertexName, VertexNames};
/// let names = |texts: [&str; 3]| VertexNames::from_texts(texts.map(str::to_owned).into());
/// assert_eq!(names(["10", "20", "-3"])?, Some(VertexNames::Integers(vec![10, 20, -3])));
/// assert_eq!(names(["0", "1", "2"])?, None); // as the vertices are numbered anyway
/// let people = names(["ann", "bob", "7"])?.unwrap();
/// assert_eq!(people.get(2), VertexName::Text("7".into()));
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VertexNames {
    /// Whole numbers.
    Integers(Vec<i64>),
    /// Texts; unless they were asked for, not all of them are whole numbers of 64 bits.
    Text(Vec<String>),
}

/// One vertex as its file calls it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum VertexName {
    /// By a number.
    Integer(i64),
    /// By a text.
    Text(String),
}

impl fmt::Display for VertexName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VertexName::Integer(number) => number.fmt(f),
            VertexName::Text(text) => text.fmt(f),
        }
    }
}

/// What the names of some vertices are; what comes later can hold what comes before.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum NameKind {
    /// The places of the vertices in their graph, from 0.
    #[default]
    None,
    /// Whole numbers.
    Integers,
    /// Texts.
    Strings,
}

/// How vertices are to be called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VertexNaming {
    /// As the file calls them.
    #[default]
    Auto,
    /// By whole numbers; graphs with other names are rejected.
    Integers,
    /// By text, whatever it looks like.
    Text,
    /// By their place in the graph, from 0.
    Index,
}

impl VertexNames {
    /// Names that are text in the file: numbers if all of them are, nothing if they only count
    /// the vertices.
    ///
    /// # Errors
    /// When a name is too long.
    pub fn from_texts(texts: Vec<String>) -> Result<Option<Self>, String> {
        if let Some(long) = texts.iter().find(|text| text.len() > LONGEST) {
            let head: String = long.chars().take(20).collect();
            return Err(format!("the name `{head}…` of a vertex is longer than {LONGEST} bytes"));
        }
        let numbers: Option<Vec<i64>> = texts.iter().map(|text| canonical(text)).collect();
        Ok(match numbers {
            Some(numbers) => Self::from_integers(numbers),
            None => Some(VertexNames::Text(texts)),
        })
    }

    /// Names that are numbers; nothing if they only count the vertices.
    pub fn from_integers(numbers: Vec<i64>) -> Option<Self> {
        let plain = numbers.iter().enumerate().all(|(at, &number)| number == at as i64);
        (!plain).then_some(VertexNames::Integers(numbers))
    }

    /// The name of a vertex.
    ///
    /// # Panics
    /// If there is no such vertex.
    pub fn get(&self, vertex: u32) -> VertexName {
        match self {
            VertexNames::Integers(numbers) => VertexName::Integer(numbers[vertex as usize]),
            VertexNames::Text(texts) => VertexName::Text(texts[vertex as usize].clone()),
        }
    }

    /// What the names are.
    pub fn kind(&self) -> NameKind {
        match self {
            VertexNames::Integers(_) => NameKind::Integers,
            VertexNames::Text(_) => NameKind::Strings,
        }
    }

    /// All names as text.
    pub(crate) fn texts(&self) -> Vec<String> {
        match self {
            VertexNames::Integers(numbers) => numbers.iter().map(i64::to_string).collect(),
            VertexNames::Text(texts) => texts.clone(),
        }
    }
}

impl VertexNaming {
    /// The names of a graph with `order` vertices as they are wanted.
    pub(crate) fn apply(
        self,
        names: Option<VertexNames>,
        order: usize,
    ) -> Result<Option<VertexNames>, String> {
        let places = || (0..order as i64).collect::<Vec<_>>();
        Ok(match (self, names) {
            (VertexNaming::Auto, names) => names,
            (VertexNaming::Index, _) => None,
            (VertexNaming::Integers, None) => Some(VertexNames::Integers(places())),
            (VertexNaming::Integers, Some(VertexNames::Text(texts))) => {
                let other = texts.iter().find(|text| canonical(text).is_none());
                let other = other.map_or("", String::as_str);
                let other = crate::record::excerpt(other.as_bytes());
                return Err(format!("the vertex `{other}` has no number; use --vertex-names text"));
            }
            (VertexNaming::Integers, numbers) => numbers,
            (VertexNaming::Text, None) => {
                Some(VertexNames::Text(places().iter().map(i64::to_string).collect()))
            }
            (VertexNaming::Text, Some(names)) => Some(VertexNames::Text(names.texts())),
        })
    }
}

/// A whole number that is written as we would write it.
pub(crate) fn canonical(text: &str) -> Option<i64> {
    let number: i64 = text.parse().ok()?;
    let plain = !text.starts_with(['+', '0']) && !text.starts_with("-0") || text == "0";
    plain.then_some(number)
}

/// Bytes that a short name takes, twice in the table and once more when the table grows.
const NAME_BYTES: u64 = 192;

/// Vertices by name, numbered in the order in which they are first seen.
#[derive(Default)]
pub(crate) struct NameTable {
    places: HashMap<String, u32>,
    order: Vec<String>,
}

impl NameTable {
    /// The vertex of this name, and whether it is new.
    pub(crate) fn vertex(&mut self, name: &str) -> Result<(u32, bool), String> {
        if let Some(&vertex) = self.places.get(name) {
            return Ok((vertex, false));
        }
        let vertex = u32::try_from(self.order.len()).ok().filter(|&v| v < u32::MAX);
        let vertex = vertex.ok_or("there are too many vertices")?;
        if vertex.is_power_of_two() {
            let more = u64::from(vertex) * NAME_BYTES;
            memory::ask(more, || format!("{} names of vertices", 2 * u64::from(vertex)))
                .map_err(|e| e.to_string())?;
        }
        self.places.insert(name.to_owned(), vertex);
        self.order.push(name.to_owned());
        Ok((vertex, true))
    }

    /// The vertex of this name, if there is one.
    pub(crate) fn find(&self, name: &str) -> Option<u32> {
        self.places.get(name).copied()
    }

    /// Number of vertices.
    pub(crate) fn len(&self) -> usize {
        self.order.len()
    }

    /// The names of all vertices.
    pub(crate) fn into_names(self) -> Result<Option<VertexNames>, String> {
        drop(self.places);
        VertexNames::from_texts(self.order)
    }

    /// Vertices in increasing order of their numbers, where all names are numbers: the names,
    /// and the new place of every vertex.
    pub(crate) fn into_sorted(self) -> Result<(Option<VertexNames>, Option<Vec<u32>>), String> {
        let Some(numbers) =
            self.order.iter().map(|text| canonical(text)).collect::<Option<Vec<i64>>>()
        else {
            return Ok((self.into_names()?, None));
        };
        let mut by_number: Vec<u32> = (0..numbers.len() as u32).collect();
        by_number.sort_unstable_by_key(|&v| numbers[v as usize]);
        let mut place = vec![0; numbers.len()];
        for (new, &old) in by_number.iter().enumerate() {
            place[old as usize] = new as u32;
        }
        let sorted = by_number.iter().map(|&v| numbers[v as usize]).collect();
        Ok((VertexNames::from_integers(sorted), Some(place)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_as_we_write_them_are_numbers() {
        for (text, number) in [("0", Some(0)), ("-7", Some(-7)), ("10", Some(10))] {
            assert_eq!(canonical(text), number);
        }
        for text in ["", "007", "+3", "-0", "00", "1.0", " 1", "99999999999999999999"] {
            assert_eq!(canonical(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_are_sorted_and_texts_stay_in_their_order() {
        let mut table = NameTable::default();
        for name in ["30", "10", "30", "20"] {
            table.vertex(name).unwrap();
        }
        let (names, place) = table.into_sorted().unwrap();
        assert_eq!(names, Some(VertexNames::Integers(vec![10, 20, 30])));
        assert_eq!(place, Some(vec![2, 0, 1]));
        let mut table = NameTable::default();
        table.vertex("b").unwrap();
        table.vertex("1").unwrap();
        let (names, place) = table.into_sorted().unwrap();
        assert_eq!(names, Some(VertexNames::Text(vec!["b".into(), "1".into()])));
        assert_eq!(place, None);
    }

    #[test]
    fn names_are_given_as_they_are_wanted() {
        let numbers = || Some(VertexNames::Integers(vec![5, 6]));
        let texts = || Some(VertexNames::Text(vec!["a".into(), "6".into()]));
        assert_eq!(VertexNaming::Auto.apply(texts(), 2), Ok(texts()));
        assert_eq!(VertexNaming::Index.apply(texts(), 2), Ok(None));
        assert_eq!(VertexNaming::Integers.apply(numbers(), 2), Ok(numbers()));
        assert!(VertexNaming::Integers.apply(texts(), 2).unwrap_err().contains("`a`"));
        let text = |names: [&str; 2]| Ok(Some(VertexNames::Text(names.map(str::to_owned).into())));
        assert_eq!(VertexNaming::Text.apply(numbers(), 2), text(["5", "6"]));
        assert_eq!(VertexNaming::Text.apply(None, 2), text(["0", "1"]));
    }
}
