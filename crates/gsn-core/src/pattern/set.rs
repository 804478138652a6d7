//! Ordered collections of patterns, and the repetitions in them.

use super::error::PatternSyntaxError;
use super::families::Family;
use super::source::{NoSource, PatternSource};
use super::{Pattern, PatternError, parse};
use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::str::FromStr;

/// An ordered collection of patterns with different names.
///
/// ```
/// use gsn_core::PatternSet;
/// let set: PatternSet = "cycle:3..=5, edges:0-1,1-2,2-0".parse()?;
/// let names: Vec<_> = set.iter().map(|pattern| pattern.name()).collect();
/// assert_eq!(names, ["cycle:3", "cycle:4", "cycle:5", "edges:0-1,1-2,2-0"]);
///
/// // The same graph twice gives two columns, and is reported.
/// let repeated = set.duplicates();
/// assert_eq!((repeated[0].first, repeated[0].index), (0, Some(3)));
/// # Ok::<(), gsn_core::pattern::PatternSyntaxError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatternSet {
    patterns: Vec<Pattern>,
    /// Patterns whose text came again.
    repeated: BTreeSet<usize>,
}

/// An entry of a collection that is the same graph as an earlier one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Duplicate {
    /// The earlier pattern.
    pub first: usize,
    /// Name of the earlier pattern.
    pub first_name: String,
    /// The later pattern; `None` when it had the same text and was left out.
    pub index: Option<usize>,
    /// Name of the later pattern.
    pub name: String,
}

impl fmt::Display for Duplicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.index {
            Some(_) => write!(f, "`{}` is the same pattern as `{}`", self.name, self.first_name),
            None => write!(f, "`{}` is given more than once and counted once", self.name),
        }
    }
}

impl PatternSet {
    /// Reads patterns in the grammar that the command line, recipes and Python share.
    ///
    /// | text | patterns |
    /// |---|---|
    /// | `cycle:6`, `path:4`, `clique:3` | of that many vertices |
    /// | `star:3` | a centre and that many leaves |
    /// | `tree:5` | all trees of that many vertices, 2 to 10, up to isomorphism |
    /// | `all:4` | all connected graphs of that many vertices, 2 to 8, up to isomorphism |
    /// | `cycle:3..=8`, `cycle:3..9` | those of every size |
    /// | `g6:DQc` | a graph in graph6 |
    /// | `edges:0-1,1-2,2-0` | an edge list; vertices are numbered from 0 without gaps |
    /// | `edges:0>1,1>2` | a directed pattern |
    /// | `edges:0@6-1@8,1-2` | labels of vertices; once is enough |
    /// | `edges:0-1:2,1-2:1` | labels of edges |
    /// | `spasm:cycle:7` | all quotients of a pattern of at most 10 vertices: what is left when vertices that are not adjacent are glued together |
    /// | `file:some.g6` | a file with a graph6 string or a pattern text on every line |
    /// | `smiles:c1ccccc1` | the shape of a molecule's heavy atoms |
    /// | `molecule:c1ccccc1` | the same with atomic numbers and kinds of bonds as labels |
    ///
    /// Patterns are separated by commas or line ends. Cycles, paths, cliques and stars are named
    /// by family and size, trees, connected graphs and quotients by their canonical form in graph6
    /// (ordered by number of vertices, then of edges, then by this name), all others as written
    /// (`edges:` without white space).
    ///
    /// # Errors
    /// At the first pattern that cannot be read, with the message of `source` where it refuses.
    pub fn parse_with(text: &str, source: &dyn PatternSource) -> Result<Self, PatternSyntaxError> {
        parse::parse(text, source)
    }

    /// A collection of these patterns; of equal ones with equal names the first is kept.
    ///
    /// # Errors
    /// When different patterns have the same name.
    pub fn from_patterns(patterns: Vec<Pattern>) -> Result<Self, PatternError> {
        let mut collector = Collector::default();
        for pattern in &patterns {
            collector.add(pattern)?;
        }
        Ok(collector.set)
    }

    /// Puts the patterns of `other` behind those of `self`.
    ///
    /// ```
    /// use gsn_core::PatternSet;
    /// let both = "cycle:3..=4".parse::<PatternSet>()?.combine("path:3".parse()?)?;
    /// assert_eq!(both.to_string(), "cycle:3,cycle:4,path:3");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When different patterns have the same name.
    pub fn combine(self, other: Self) -> Result<Self, PatternError> {
        let names = self.iter().map(|pattern| pattern.name.clone());
        let index = names.zip(0..).collect();
        let mut collector = Collector { set: self, index, ..Collector::default() };
        for (i, pattern) in other.iter().enumerate() {
            let at = collector.add(pattern)?;
            if other.repeated.contains(&i) {
                collector.set.repeated.insert(at);
            }
        }
        Ok(collector.set)
    }

    /// The patterns in order.
    pub fn patterns(&self) -> &[Pattern] {
        &self.patterns
    }

    /// The patterns in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Pattern> {
        self.patterns.iter()
    }

    /// Number of patterns.
    pub fn len(&self) -> usize {
        self.patterns.len()
    }

    /// Whether there is no pattern.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// The entries that repeat an earlier one up to isomorphism, labels and directions included.
    pub fn duplicates(&self) -> Vec<Duplicate> {
        let report = |first: usize, index: Option<usize>| Duplicate {
            first,
            first_name: self.patterns[first].name.clone(),
            index,
            name: self.patterns[index.unwrap_or(first)].name.clone(),
        };
        let mut found: Vec<_> = self.repeated.iter().map(|&first| report(first, None)).collect();
        let mut first = HashMap::new();
        for (index, pattern) in self.iter().enumerate() {
            let earlier = *first.entry(pattern.canonical_code()).or_insert(index);
            if earlier != index {
                found.push(report(earlier, Some(index)));
            }
        }
        found
    }
}

/// A collection that is being read.
#[derive(Default)]
pub(super) struct Collector {
    pub(super) set: PatternSet,
    /// Index of every name.
    index: HashMap<String, usize>,
    /// How often members of a family were asked for, up to twice: a third time changes nothing,
    /// and a short text can ask for a great many.
    asked: HashMap<(Family, usize), u8>,
}

impl Collector {
    /// Adds a pattern, unless it is there already; returns its index.
    pub(super) fn add(&mut self, pattern: &Pattern) -> Result<usize, PatternError> {
        let patterns = &mut self.set.patterns;
        match self.index.get(pattern.name()) {
            Some(&at) if patterns[at] == *pattern => {
                self.set.repeated.insert(at);
                Ok(at)
            }
            Some(_) => Err(PatternError::Name(pattern.name.clone())),
            None => {
                self.index.insert(pattern.name.clone(), patterns.len());
                patterns.push(pattern.clone());
                Ok(patterns.len() - 1)
            }
        }
    }

    /// Adds a pattern; one that is there already is no repetition.
    pub(super) fn add_new(&mut self, pattern: &Pattern) -> Result<(), PatternError> {
        match self.index.get(pattern.name()) {
            Some(&at) if self.set.patterns[at] == *pattern => Ok(()),
            _ => self.add(pattern).map(|_| ()),
        }
    }

    /// Adds the members of a family that have size `k`.
    pub(super) fn family(&mut self, family: Family, k: usize) -> Result<(), PatternError> {
        let asked = self.asked.entry((family, k)).or_default();
        if *asked < 2 {
            *asked += 1;
            for pattern in family.patterns(k).iter() {
                self.add(pattern)?;
            }
        }
        Ok(())
    }
}

impl FromStr for PatternSet {
    type Err = PatternSyntaxError;

    /// [`PatternSet::parse_with`] where files and molecules are refused.
    fn from_str(text: &str) -> Result<Self, PatternSyntaxError> {
        Self::parse_with(text, &NoSource)
    }
}

impl fmt::Display for PatternSet {
    /// A text in the grammar that gives these patterns again: their names, or the `edges:` form
    /// of patterns whose name is not of the grammar.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, pattern) in self.iter().enumerate() {
            if i > 0 {
                f.write_str(",")?;
            }
            if pattern.names_itself() {
                f.write_str(pattern.name())?;
            } else {
                f.write_str(&pattern.edge_list())?;
            }
        }
        Ok(())
    }
}

impl Pattern {
    /// Whether parsing the name gives this pattern. The names of molecules are not parsed, which
    /// takes a reader of SMILES.
    fn names_itself(&self) -> bool {
        let molecule = |name: &str| name.starts_with("smiles:") || name.starts_with("molecule:");
        let name = self.name();
        (molecule(name) && !name.contains([',', '\n']))
            || parse::parse(name, &NoSource).is_ok_and(|found| found.patterns == [self.clone()])
    }
}

impl<'a> IntoIterator for &'a PatternSet {
    type Item = &'a Pattern;
    type IntoIter = std::slice::Iter<'a, Pattern>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
