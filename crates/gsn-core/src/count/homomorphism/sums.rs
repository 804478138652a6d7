//! Counts of occurrences as signed sums of numbers of maps.
//!
//! Injective maps are a sum over quotients (`pattern/quotient.rs`); induced ones follow from injective maps
//! of supergraphs on the same vertices:
//!
//! > ind(H, u → v) = Σ over F ⊇ H with V(F) = V(H): (−1)^(|E(F)| − |E(H)|) · inj(F, u → v)
//!
//! An occurrence is met by |Aut(H)| maps, of which |Aut(H)| / |o| send a given vertex u of the orbit
//! o to the vertex of the occurrence that plays o. So the number of occurrences in which v plays o
//! is inj(H, u → v) · |o| / |Aut(H)|.

use super::build;
use super::expression::{Expressions, Function};
use super::forms::CanonicalForms;
use super::shape::{Root, Shape};
use crate::orbit::{EdgeOrbits, Orbits};
use crate::pattern::quotient::partitions;
use crate::pattern::{Pattern, bits};
use std::collections::{BTreeMap, HashMap};

/// A sum of multiples of functions.
pub(super) type Sum = Vec<(i64, Function)>;

/// A root in a canonical form, one for all that automorphisms carry to each other.
type CanonicalRoot = (u32, Root);

/// Sums for the patterns of a kernel, with what they share.
#[derive(Debug)]
pub(super) struct Sums {
    pub(super) expressions: Expressions,
    forms: CanonicalForms,
    /// Orbits of the canonical forms.
    orbits: Vec<Orbits>,
    /// Maps of the canonical forms, by root.
    maps: HashMap<CanonicalRoot, Function>,
    /// Injective maps of the canonical forms, by root.
    injective: HashMap<CanonicalRoot, Sum>,
}

impl Sums {
    pub(super) fn new() -> Self {
        Self {
            expressions: Expressions::new(false),
            forms: CanonicalForms::default(),
            orbits: Vec::new(),
            maps: HashMap::new(),
            injective: HashMap::new(),
        }
    }

    /// The canonical form of a rooted graph.
    fn canonical(&mut self, rows: &[u64], root: Root) -> CanonicalRoot {
        let (form, position) = self.forms.of(rows);
        let at = |v: usize| usize::from(position[v]);
        let root = match root {
            Root::Vertex(r) => Root::Vertex(at(r)),
            Root::Arc(r, s) => Root::Arc(at(r), at(s)),
        };
        while self.orbits.len() < self.forms.graphs.len() {
            let rows = &self.forms.graphs[self.orbits.len()];
            self.orbits.push(Orbits::of(&pattern_of(rows), EdgeOrbits::Exact));
        }
        let orbits = &self.orbits[form as usize];
        let n = self.forms.graphs[form as usize].len();
        let root = match root {
            Root::Vertex(r) => {
                let same = |&v: &usize| orbits.vertex(v) == orbits.vertex(r);
                Root::Vertex((0..n).find(same).unwrap_or(r))
            }
            Root::Arc(r, s) => {
                let rows = &self.forms.graphs[form as usize];
                let arcs = (0..n).flat_map(|a| bits(rows[a]).map(move |b| (a, b)));
                let mut same = arcs.filter(|&(a, b)| orbits.arc(a, b) == orbits.arc(r, s));
                let (a, b) = same.next().unwrap_or((r, s));
                Root::Arc(a, b)
            }
        };
        (form, root)
    }

    /// The maps of a rooted graph.
    fn maps(&mut self, rows: &[u64], root: Root) -> Function {
        let key = self.canonical(rows, root);
        if let Some(&known) = self.maps.get(&key) {
            return known;
        }
        let shape = Shape::plain(&self.forms.graphs[key.0 as usize]);
        let function = build::rooted(shape, key.1, &mut self.expressions);
        self.maps.insert(key, function);
        function
    }

    /// The injective maps of a rooted graph.
    pub(super) fn injective(&mut self, rows: &[u64], root: Root) -> Sum {
        let key = self.canonical(rows, root);
        if let Some(known) = self.injective.get(&key) {
            return known.clone();
        }
        let mut sum = BTreeMap::<Function, i64>::new();
        for partition in partitions(rows) {
            let at = |v: usize| usize::from(partition.block[v]);
            let root = match root {
                Root::Vertex(r) => Root::Vertex(at(r)),
                Root::Arc(r, s) => Root::Arc(at(r), at(s)),
            };
            *sum.entry(self.maps(&partition.rows, root)).or_default() += partition.sign;
        }
        let sum = as_sum(sum);
        self.injective.insert(key, sum.clone());
        sum
    }

    /// The induced injective maps of a rooted graph.
    pub(super) fn induced(&mut self, rows: &[u64], root: Root) -> Sum {
        let n = rows.len();
        let missing: Vec<(usize, usize)> = (0..n)
            .flat_map(|a| (0..a).map(move |b| (a, b)))
            .filter(|&(a, b)| rows[a] >> b & 1 == 0)
            .collect();
        // Supergraphs with the root at the same place are added up first.
        let mut signs = BTreeMap::<(u32, u8, u8), i64>::new();
        let mut example = BTreeMap::new();
        for added in 0u64..1 << missing.len() {
            let mut larger = rows.to_vec();
            for edge in bits(added) {
                let (a, b) = missing[edge];
                larger[a] |= 1 << b;
                larger[b] |= 1 << a;
            }
            let (form, at) = self.canonical(&larger, root);
            let key = match at {
                Root::Vertex(r) => (form, r as u8, u8::MAX),
                Root::Arc(r, s) => (form, r as u8, s as u8),
            };
            let sign = if added.count_ones() % 2 == 0 { 1 } else { -1 };
            *signs.entry(key).or_default() += sign;
            example.entry(key).or_insert((form, at));
        }
        let mut sum = BTreeMap::<Function, i64>::new();
        for (key, sign) in signs.into_iter().filter(|&(_, sign)| sign != 0) {
            let (form, at) = example[&key];
            let rows = self.forms.graphs[form as usize].clone();
            for (times, function) in self.injective(&rows, at) {
                *sum.entry(function).or_default() += sign * times;
            }
        }
        as_sum(sum)
    }
}

fn as_sum(sum: BTreeMap<Function, i64>) -> Sum {
    let terms = sum.into_iter().filter(|&(_, times)| times != 0);
    terms.map(|(function, times)| (times, function)).collect()
}

/// The sets of neighbours of a plain pattern.
pub(super) fn rows_of(pattern: &Pattern) -> Vec<u64> {
    (0..pattern.order()).map(|v| pattern.out_set(v)).collect()
}

/// A canonical form as a pattern.
fn pattern_of(rows: &[u64]) -> Pattern {
    let edges: Vec<(usize, usize)> = (0..rows.len())
        .flat_map(|a| bits(rows[a]).filter(move |&b| a < b).map(move |b| (a, b)))
        .collect();
    Pattern::new("", rows.len(), &edges).expect("a quotient of a pattern is a pattern")
}
