//! Canonical form of patterns: equal for isomorphic patterns and only for them.

use super::{Pattern, graph6};
use crate::orbit::{Relations, canonical_order};

impl Pattern {
    /// The isomorphic pattern whose vertices are in canonical order, named by its
    /// [`canonical_code`](Self::canonical_code).
    ///
    /// ```
    /// use gsn_core::Pattern;
    /// let path = Pattern::new("1-0-2", 3, &[(1, 0), (0, 2)])?;
    /// let same = Pattern::new("0-2-1", 3, &[(0, 2), (2, 1)])?;
    /// assert_eq!(path.canonical(), same.canonical());
    /// # Ok::<(), gsn_core::pattern::PatternError>(())
    /// ```
    #[must_use]
    pub fn canonical(&self) -> Self {
        let mut canonical = self.reordered(&canonical_order(&Relations::of(self)));
        canonical.name = canonical.text();
        canonical
    }

    /// The number that each vertex has in the [`canonical`](Self::canonical) pattern.
    ///
    /// ```
    /// use gsn_core::Pattern;
    /// let path = Pattern::new("1-0-2", 3, &[(1, 0), (0, 2)])?;
    /// let (position, canonical) = (path.canonical_positions(), path.canonical());
    /// assert!(path.edges().all(|(a, b)| canonical.has_arc(position[a], position[b])));
    /// # Ok::<(), gsn_core::pattern::PatternError>(())
    /// ```
    pub fn canonical_positions(&self) -> Vec<usize> {
        let mut position = vec![0; self.order()];
        for (at, &v) in canonical_order(&Relations::of(self)).iter().enumerate() {
            position[v as usize] = at;
        }
        position
    }

    /// A text that isomorphic patterns share and no others, labels and directions included: a map
    /// key, a cache key, and a pattern of the grammar (`g6:…` or `edges:…`).
    ///
    /// # Complexity
    /// Microseconds for patterns of a few vertices, about a millisecond for 64 vertices; the
    /// search grows with the number of partitions that refinement cannot tell apart.
    ///
    /// ```
    /// use gsn_core::PatternSet;
    /// let set: PatternSet = "star:2, path:3, edges:0>1,1>2".parse()?;
    /// let codes: Vec<_> = set.iter().map(|pattern| pattern.canonical_code()).collect();
    /// assert_eq!(codes[0], codes[1]);
    /// assert_eq!(codes[2], "edges:0>2,2>1");
    /// # Ok::<(), gsn_core::pattern::PatternSyntaxError>(())
    /// ```
    pub fn canonical_code(&self) -> String {
        self.canonical().name
    }

    /// Whether the two are the same but for the numbers of their vertices and their names.
    pub fn is_isomorphic(&self, other: &Self) -> bool {
        self.order() == other.order()
            && self.size() == other.size()
            && self.directed == other.directed
            && self.canonical_code() == other.canonical_code()
    }

    /// The pattern whose vertex `i` is this one's `order[i]`, a permutation.
    pub(crate) fn reordered(&self, order: &[u8]) -> Self {
        let mut position = vec![0u8; order.len()];
        for (at, &v) in order.iter().enumerate() {
            position[v as usize] = at as u8;
        }
        let moved = |sets: &[u64]| {
            let row =
                |&v: &u8| super::bits(sets[v as usize]).fold(0, |set, w| set | 1 << position[w]);
            order.iter().map(row).collect::<Vec<u64>>()
        };
        Self {
            name: self.name.clone(),
            directed: self.directed,
            out: moved(&self.out),
            incoming: moved(&self.incoming),
            vertex_labels: order.iter().map(|&v| self.vertex_labels[v as usize]).collect(),
            arc_labels: self
                .arc_labels
                .iter()
                .map(|(&(a, b), &label)| ((position[a as usize], position[b as usize]), label))
                .collect(),
        }
    }

    /// The pattern in the shortest form of the grammar that keeps the numbers of its vertices.
    fn text(&self) -> String {
        if self.directed || self.is_labelled() {
            return self.edge_list();
        }
        match graph6::encode(self.order(), |u, v| self.has_arc(u, v)) {
            Ok(text) => format!("g6:{text}"),
            Err(_) => self.edge_list(),
        }
    }
}
