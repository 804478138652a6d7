//! Patterns: the small connected graphs H whose occurrences are counted.
//!
//! A [`Pattern`] is connected and simple by construction and has at most [`MAX_ORDER`] vertices,
//! so a set of its vertices is one machine word. A [`PatternSet`] is an ordered collection of
//! them, written in the grammar that [`PatternSet::parse_with`] describes.

mod canonical;
mod edges;
mod error;
mod families;
mod generate;
mod parse;
pub(crate) mod quotient;
mod set;
mod sizes;
mod source;
#[cfg(test)]
mod tests;

pub use error::PatternSyntaxError;
pub(crate) use generate::connected;
pub use set::{Duplicate, PatternSet};
pub use source::{MoleculeShape, NoSource, PatternSource};

use crate::graph::graph6::{self, Graph6Error};
use std::collections::BTreeMap;

/// The largest number of vertices of a pattern.
pub const MAX_ORDER: usize = 64;

/// Why something is not a pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// Fewer than two vertices, or more than [`MAX_ORDER`].
    #[error("a pattern has 2 to {MAX_ORDER} vertices, not {0}")]
    Order(usize),
    /// An edge end is not a vertex of the pattern.
    #[error("edge {0}-{1} names a vertex the pattern does not have")]
    VertexOutOfRange(usize, usize),
    /// An edge from a vertex to itself.
    #[error("vertex {0} has an edge to itself; patterns are simple graphs")]
    SelfLoop(usize),
    /// The same edge twice.
    #[error("edge {0}-{1} is given twice")]
    Duplicate(usize, usize),
    /// Some vertex cannot be reached.
    #[error("the pattern is not connected: vertex {0} cannot be reached from vertex 0")]
    Disconnected(usize),
    /// A label for something that is not there, or two labels for one thing.
    #[error("{0}")]
    Label(String),
    /// Not graph6.
    #[error("not graph6: {0}")]
    Graph6(#[from] Graph6Error),
    /// Two different patterns under one name.
    #[error("two different patterns are called `{0}`")]
    Name(String),
}

/// A small connected graph, directed or not, with optional labels; unlabelled parts match any
/// label.
///
/// ```
/// use gsn_core::Pattern;
/// let triangle = Pattern::new("triangle", 3, &[(0, 1), (1, 2), (2, 0)])?;
/// assert_eq!((triangle.order(), triangle.size()), (3, 3));
/// assert!(Pattern::new("two edges", 4, &[(0, 1), (2, 3)]).is_err());
/// # Ok::<(), gsn_core::pattern::PatternError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pattern {
    name: String,
    directed: bool,
    /// `out[v]` has bit `w` when there is an arc v → w.
    out: Vec<u64>,
    /// The transpose of `out`; the same in undirected patterns.
    incoming: Vec<u64>,
    vertex_labels: Vec<Option<u32>>,
    /// Label of an arc; in undirected patterns both arcs of an edge are here.
    arc_labels: BTreeMap<(u8, u8), u32>,
}

impl Pattern {
    /// An undirected pattern on the vertices `0..order`.
    ///
    /// # Errors
    /// When the edges do not make a simple connected graph of 2 to 64 vertices.
    pub fn new(
        name: impl Into<String>,
        order: usize,
        edges: &[(usize, usize)],
    ) -> Result<Self, PatternError> {
        Self::build(name.into(), order, edges, false)
    }

    /// A directed pattern; connected when directions are ignored.
    ///
    /// # Errors
    /// As [`Pattern::new`].
    pub fn directed(
        name: impl Into<String>,
        order: usize,
        arcs: &[(usize, usize)],
    ) -> Result<Self, PatternError> {
        Self::build(name.into(), order, arcs, true)
    }

    fn build(
        name: String,
        order: usize,
        edges: &[(usize, usize)],
        directed: bool,
    ) -> Result<Self, PatternError> {
        if !(2..=MAX_ORDER).contains(&order) {
            return Err(PatternError::Order(order));
        }
        let (mut out, mut incoming) = (vec![0u64; order], vec![0u64; order]);
        for &(a, b) in edges {
            if a >= order || b >= order {
                return Err(PatternError::VertexOutOfRange(a, b));
            }
            if a == b {
                return Err(PatternError::SelfLoop(a));
            }
            if out[a] >> b & 1 == 1 {
                return Err(PatternError::Duplicate(a, b));
            }
            out[a] |= 1 << b;
            incoming[b] |= 1 << a;
            if !directed {
                out[b] |= 1 << a;
                incoming[a] |= 1 << b;
            }
        }
        let (mut reached, mut frontier) = (1u64, 1u64);
        while frontier != 0 {
            let v = frontier.trailing_zeros() as usize;
            frontier &= frontier - 1;
            let fresh = (out[v] | incoming[v]) & !reached;
            reached |= fresh;
            frontier |= fresh;
        }
        if let Some(lost) = (0..order).find(|&v| reached >> v & 1 == 0) {
            return Err(PatternError::Disconnected(lost));
        }
        Ok(Self {
            name,
            directed,
            out,
            incoming,
            vertex_labels: vec![None; order],
            arc_labels: BTreeMap::new(),
        })
    }

    /// The undirected pattern that a graph6 string writes, named `g6:` and the string.
    ///
    /// ```
    /// use gsn_core::Pattern;
    /// let pattern = Pattern::from_graph6("DQc")?;
    /// assert_eq!((pattern.name(), pattern.order(), pattern.size()), ("g6:DQc", 5, 4));
    /// # Ok::<(), gsn_core::pattern::PatternError>(())
    /// ```
    ///
    /// # Errors
    /// When the string is malformed or the graph no pattern.
    pub fn from_graph6(text: &str) -> Result<Self, PatternError> {
        let (order, edges) = graph6::decode(text.as_bytes())?;
        let edges: Vec<_> = edges.iter().map(|&(u, v)| (u as usize, v as usize)).collect();
        Self::new(format!("g6:{text}"), order, &edges)
    }

    /// The same pattern under another name.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Asks for a label on vertex `v`.
    ///
    /// # Errors
    /// When there is no such vertex or it has another label already.
    pub fn with_vertex_label(mut self, v: usize, label: u32) -> Result<Self, PatternError> {
        match self.vertex_labels.get_mut(v) {
            None => Err(PatternError::Label(format!("vertex {v} is labelled but not there"))),
            Some(Some(other)) if *other != label => Err(PatternError::Label(format!(
                "vertex {v} is given the labels {other} and {label}"
            ))),
            Some(slot) => {
                *slot = Some(label);
                Ok(self)
            }
        }
    }

    /// Asks for a label on the edge (in directed patterns the arc) `a`–`b`.
    ///
    /// # Errors
    /// When there is no such edge or it has another label already.
    pub fn with_edge_label(mut self, a: usize, b: usize, label: u32) -> Result<Self, PatternError> {
        if a >= self.order() || b >= self.order() || !self.has_arc(a, b) {
            return Err(PatternError::Label(format!("edge {a}-{b} is labelled but not there")));
        }
        let mut put = |key| match self.arc_labels.insert(key, label) {
            Some(other) if other != label => Err(PatternError::Label(format!(
                "edge {a}-{b} is given the labels {other} and {label}"
            ))),
            _ => Ok(()),
        };
        put((a as u8, b as u8))?;
        if !self.directed {
            put((b as u8, a as u8))?;
        }
        Ok(self)
    }

    /// What the user called it; column names start with it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of vertices.
    pub fn order(&self) -> usize {
        self.out.len()
    }

    /// Number of edges (arcs of a directed pattern).
    pub fn size(&self) -> usize {
        let ones: u32 = self.out.iter().map(|row| row.count_ones()).sum();
        ones as usize / if self.directed { 1 } else { 2 }
    }

    /// Whether arcs have a direction of their own.
    pub fn is_directed(&self) -> bool {
        self.directed
    }

    /// Whether any vertex or edge asks for a label.
    pub fn is_labelled(&self) -> bool {
        self.has_vertex_labels() || self.has_edge_labels()
    }

    /// Whether any vertex asks for a label.
    pub fn has_vertex_labels(&self) -> bool {
        self.vertex_labels.iter().any(Option::is_some)
    }

    /// Whether any edge asks for a label.
    pub fn has_edge_labels(&self) -> bool {
        !self.arc_labels.is_empty()
    }

    /// Whether the arc `a → b` is there.
    pub fn has_arc(&self, a: usize, b: usize) -> bool {
        self.out[a] >> b & 1 == 1
    }

    /// Set of the vertices `v` points to.
    pub fn out_set(&self, v: usize) -> u64 {
        self.out[v]
    }

    /// Set of the vertices that point to `v`.
    pub fn in_set(&self, v: usize) -> u64 {
        self.incoming[v]
    }

    /// Set of the vertices joined to `v` in either direction.
    pub fn neighbor_set(&self, v: usize) -> u64 {
        self.out[v] | self.incoming[v]
    }

    /// Number of vertices joined to `v` in either direction.
    pub fn degree(&self, v: usize) -> usize {
        self.neighbor_set(v).count_ones() as usize
    }

    /// All arcs in lexicographic order; both directions of every undirected edge.
    pub fn arcs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.order()).flat_map(move |a| bits(self.out[a]).map(move |b| (a, b)))
    }

    /// All edges in lexicographic order; `a < b` in undirected patterns.
    pub fn edges(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.arcs().filter(|&(a, b)| self.directed || a < b)
    }

    /// The label vertex `v` asks for.
    pub fn vertex_label(&self, v: usize) -> Option<u32> {
        self.vertex_labels[v]
    }

    /// The label the arc `a → b` asks for.
    pub fn arc_label(&self, a: usize, b: usize) -> Option<u32> {
        self.arc_labels.get(&(a as u8, b as u8)).copied()
    }
}

/// The elements of a set of pattern vertices, in increasing order.
pub(crate) fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let lowest = set.trailing_zeros() as usize;
            set &= set - 1;
            lowest
        })
    })
}
