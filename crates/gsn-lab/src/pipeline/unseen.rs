//! [`Unseen`]: how much of a graph was never seen in training.

use super::reader::element;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::AddAssign;

/// What a model met that the graphs it was fitted on did not have, and how often.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unseen {
    /// Counts.
    pub counts: u64,
    /// Degrees.
    pub degrees: u64,
    /// Categories of vertices.
    pub vertex_categories: u64,
    /// Categories of arcs.
    pub arc_categories: u64,
    /// Atoms that the features of molecules have no category for.
    pub atoms: u64,
    /// Values of columns that are missing; the mean of the training part stands for them.
    pub missing: u64,
    /// Labels of vertices; atomic numbers of molecules.
    pub vertex_labels: BTreeMap<u32, u64>,
    /// Labels of edges, once for every edge.
    pub edge_labels: BTreeMap<u32, u64>,
}

impl Unseen {
    /// True if everything was seen before.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// How many there are.
    pub fn values(&self) -> u64 {
        let labels: u64 = self.vertex_labels.values().chain(self.edge_labels.values()).sum();
        let categories = self.vertex_categories + self.arc_categories;
        self.counts + self.degrees + categories + self.atoms + self.missing + labels
    }

    /// A phrase for everything that there is, such as `2 × Se`.
    pub fn phrases(&self, molecules: bool) -> Vec<String> {
        let mut phrases = Vec::new();
        if self.counts + self.degrees + self.vertex_categories + self.arc_categories > 0 {
            phrases.push(self.to_string());
        }
        if self.atoms > 0 {
            let s = if self.atoms == 1 { "" } else { "s" };
            phrases.push(format!("{} atom{s} without a category", self.atoms));
        }
        if self.missing > 0 {
            let s = if self.missing == 1 { "" } else { "s" };
            phrases.push(format!(
                "{} missing value{s} of columns (taken as their mean)",
                self.missing
            ));
        }
        for (&label, n) in &self.vertex_labels {
            let label = if molecules { element(label) } else { format!("vertex label {label}") };
            phrases.push(format!("{n} × {label}"));
        }
        phrases
            .extend(self.edge_labels.iter().map(|(label, n)| format!("{n} × edge label {label}")));
        phrases
    }
}

impl AddAssign<&Unseen> for Unseen {
    fn add_assign(&mut self, other: &Self) {
        self.counts += other.counts;
        self.degrees += other.degrees;
        self.vertex_categories += other.vertex_categories;
        self.arc_categories += other.arc_categories;
        self.atoms += other.atoms;
        self.missing += other.missing;
        for (to, from) in [
            (&mut self.vertex_labels, &other.vertex_labels),
            (&mut self.edge_labels, &other.edge_labels),
        ] {
            from.iter().for_each(|(&label, n)| *to.entry(label).or_default() += n);
        }
    }
}

impl fmt::Display for Unseen {
    /// Counts, degrees and categories: `3 counts and 1 vertex category`, or `nothing`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            (self.counts, "count", "counts"),
            (self.degrees, "degree", "degrees"),
            (self.vertex_categories, "vertex category", "vertex categories"),
            (self.arc_categories, "arc category", "arc categories"),
        ];
        let words: Vec<String> = parts
            .iter()
            .filter(|part| part.0 > 0)
            .map(|(n, one, many)| format!("{n} {}", if *n == 1 { one } else { many }))
            .collect();
        match words.split_last() {
            None => f.write_str("nothing"),
            Some((last, [])) => f.write_str(last),
            Some((last, first)) => write!(f, "{} and {last}", first.join(", ")),
        }
    }
}
