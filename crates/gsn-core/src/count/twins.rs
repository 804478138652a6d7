//! Twins: vertices with the same neighbours, and what is left of a graph when each class of them is
//! one vertex.
//!
//! Two vertices are *open* twins if N(u) = N(v), and *closed* twins if N(u) ∪ {u} = N(v) ∪ {v}.
//! Exchanging twins changes nothing, so all members of a class have the same counts, and so have all
//! edges between two classes. Both relations are equivalences, and no vertex has twins of both
//! kinds: if v were a closed and w an open twin of u, then v and w would be adjacent, hence u and w.
//!
//! Candidates share the sum of a fixed random number for every neighbour; each is then compared with
//! the first of its class. O(m + n log n).
//!
//! In a large graph this takes a while, so the caller may look at its limits on the way.

use super::budget::{Looks, out_of_patience};
use crate::graph::Graph;
use crate::random::mix;
use std::collections::HashSet;

/// The classes of a graph's vertices, numbered by their first vertex.
#[derive(Debug, Default)]
pub(super) struct TwinClasses {
    /// The class of every vertex.
    pub(super) class_of: Vec<u32>,
    /// Number of vertices by class.
    pub(super) sizes: Vec<u32>,
    /// Whether the members of a class are adjacent; of a single vertex they are not.
    pub(super) closed: Vec<bool>,
    /// First vertex by class.
    pub(super) first: Vec<u32>,
    /// The vertices class by class; those of class c start at `starts[c]`.
    members: Vec<u32>,
    starts: Vec<u32>,
    sums: Vec<u64>,
    sorted: Vec<(u64, u32)>,
    /// The first twin of every vertex, so far.
    leader: Vec<u32>,
}

impl TwinClasses {
    /// Finds the classes of an undirected graph, labels aside. `look` is called every few thousand
    /// steps and may stop the work; then nothing of it is of use.
    pub(super) fn find<E>(
        &mut self,
        graph: &Graph,
        look: impl Fn() -> Result<(), E>,
    ) -> Result<(), E> {
        let n = graph.order() as u32;
        let mut looks = Looks::new(look);
        self.sums.clear();
        for v in 0..n {
            looks.after(1 + graph.degree(v))?;
            self.sums.push(sum_of(graph, v));
        }
        self.leader.clear();
        self.leader.extend(0..n);
        let closed = |v: u32, w: u32| {
            let others = |v: u32, w: u32| graph.neighbors(v).iter().filter(move |&&x| x != w);
            graph.has_arc(v, w) && others(v, w).eq(others(w, v))
        };
        let cost = |v: u32| 1 + graph.degree(v);
        self.join(|v, sum| sum.wrapping_add(number_of(v)), closed, cost, &mut looks)?;
        self.join(|_, sum| sum, |v, w| graph.neighbors(v) == graph.neighbors(w), cost, &mut looks)?;
        self.number(graph, &mut looks)
    }

    /// Gives every vertex without twins so far the first vertex that is its twin.
    fn join<E, L: Fn() -> Result<(), E>>(
        &mut self,
        key: impl Fn(u32, u64) -> u64,
        twins: impl Fn(u32, u32) -> bool,
        cost: impl Fn(u32) -> usize,
        looks: &mut Looks<L>,
    ) -> Result<(), E> {
        self.sort(key, looks)?;
        for run in self.sorted.chunk_by(|a, b| a.0 == b.0) {
            for (at, &(_, v)) in run.iter().enumerate() {
                looks.after(1)?;
                if self.leader[v as usize] != v {
                    continue;
                }
                for &(_, w) in &run[at + 1..] {
                    looks.after(cost(w))?;
                    if self.leader[w as usize] == w && twins(v, w) {
                        self.leader[w as usize] = v;
                    }
                }
            }
        }
        Ok(())
    }

    /// Puts the vertices in order of a number that is theirs; many of them first by its upper bits,
    /// then those with the same upper bits, so that no part of it takes long.
    fn sort<E, L: Fn() -> Result<(), E>>(
        &mut self,
        key: impl Fn(u32, u64) -> u64,
        looks: &mut Looks<L>,
    ) -> Result<(), E> {
        let keys = || self.sums.iter().zip(0u32..).map(|(&sum, v)| (key(v, sum), v));
        self.sorted.clear();
        if self.sums.len() < MANY {
            self.sorted.extend(keys());
            self.sorted.sort_unstable();
            return Ok(());
        }
        let part = |key: u64| (key >> (64 - PARTS)) as usize;
        let mut ends = [0usize; (1 << PARTS) + 1];
        for (key, _) in keys() {
            looks.after(1)?;
            ends[part(key) + 1] += 1;
        }
        for at in 1..ends.len() {
            ends[at] += ends[at - 1];
        }
        self.sorted.resize(self.sums.len(), (0, 0));
        for (key, v) in keys() {
            looks.after(1)?;
            let at = &mut ends[part(key)];
            self.sorted[*at] = (key, v);
            *at += 1;
        }
        let mut start = 0;
        for &end in &ends[..1 << PARTS] {
            looks.after(end - start)?;
            self.sorted[start..end].sort_unstable();
            start = end;
        }
        Ok(())
    }

    fn number<E, L: Fn() -> Result<(), E>>(
        &mut self,
        graph: &Graph,
        looks: &mut Looks<L>,
    ) -> Result<(), E> {
        let n = self.leader.len();
        self.class_of.clear();
        self.class_of.resize(n, 0);
        self.sizes.clear();
        self.first.clear();
        self.closed.clear();
        for v in 0..n {
            looks.after(1)?;
            let leader = self.leader[v] as usize;
            if leader == v {
                self.class_of[v] = self.sizes.len() as u32;
                self.sizes.push(0);
                self.first.push(v as u32);
                self.closed.push(false);
            }
            let class = self.class_of[leader];
            self.class_of[v] = class;
            self.sizes[class as usize] += 1;
            if leader != v {
                self.closed[class as usize] = graph.has_arc(leader as u32, v as u32);
            }
        }
        self.starts.clear();
        let mut next = 0;
        for &size in &self.sizes {
            self.starts.push(next);
            next += size;
        }
        self.starts.push(next);
        let mut place = self.starts.clone();
        self.members.clear();
        self.members.resize(n, 0);
        for v in 0..n {
            looks.after(1)?;
            let at = &mut place[self.class_of[v] as usize];
            self.members[*at as usize] = v as u32;
            *at += 1;
        }
        Ok(())
    }

    /// Number of classes.
    pub(super) fn len(&self) -> usize {
        self.sizes.len()
    }

    /// The vertices of a class, in increasing order.
    pub(super) fn members(&self, class: usize) -> &[u32] {
        &self.members[self.starts[class] as usize..self.starts[class + 1] as usize]
    }

    /// The classes next to a class, itself apart, each once.
    pub(super) fn neighbors<'a>(
        &'a self,
        graph: &'a Graph,
        class: usize,
    ) -> impl Iterator<Item = usize> + 'a {
        let first = |&&w: &&u32| self.first[self.class_of[w as usize] as usize] == w;
        let row = graph.neighbors(self.first[class]);
        row.iter().filter(first).map(|&w| self.class_of[w as usize] as usize)
    }
}

/// Whether a graph has at most so many classes of twins: tells soon where there are more.
pub(super) fn are_few(graph: &Graph, most: usize) -> bool {
    // A vertex begins a class if nobody before it has its neighbours, with or without itself.
    let (mut open, mut closed) = (HashSet::new(), HashSet::new());
    let mut found = 0;
    for v in 0..graph.order() as u32 {
        if found > most || (v.is_multiple_of(1 << 12) && out_of_patience()) {
            return false;
        }
        let sum = sum_of(graph, v);
        let with_itself = sum.wrapping_add(number_of(v));
        if open.contains(&sum) || closed.contains(&with_itself) {
            continue;
        }
        open.insert(sum);
        closed.insert(with_itself);
        found += 1;
    }
    found <= most
}

/// What tells the neighbours of a vertex from those of others.
fn sum_of(graph: &Graph, v: u32) -> u64 {
    graph.neighbors(v).iter().fold(0, |sum, &w| sum.wrapping_add(number_of(w)))
}

/// Vertices from which on their numbers are sorted in parts, and the upper bits that tell the part;
/// few in tests.
const MANY: usize = if cfg!(test) { 8 } else { 1 << 15 };
const PARTS: u32 = if cfg!(test) { 2 } else { 8 };

/// A fixed random number for every vertex.
fn number_of(v: u32) -> u64 {
    mix(u64::from(v) + 1)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::count::testing::graphs;
    use crate::random::Random;
    use proptest::prelude::*;
    use std::cell::Cell;

    /// Small random graphs in which every vertex is replaced by up to four twins, adjacent or not;
    /// vertices are numbered at random.
    pub(in crate::count) fn blown_up(
        orders: std::ops::Range<usize>,
    ) -> impl Strategy<Value = Graph> {
        (graphs(orders), any::<u64>()).prop_map(|(graph, seed)| {
            let mut random = Random::new(seed);
            let mut copies: Vec<Vec<u32>> = Vec::new();
            let (mut n, mut edges) = (0u32, Vec::new());
            for _ in 0..graph.order() {
                let size = 1 + random.below(4).saturating_sub(random.below(3)) as u32;
                let class: Vec<u32> = (n..n + size).collect();
                n += size;
                if random.below(2) == 0 {
                    edges.extend(class.iter().flat_map(|&a| (class[0]..a).map(move |b| (a, b))));
                }
                copies.push(class);
            }
            for (u, v) in graph.edges() {
                for &a in &copies[u as usize] {
                    edges.extend(copies[v as usize].iter().map(|&b| (a, b)));
                }
            }
            let names = random.permutation(n as usize);
            Graph::from_edges(n as usize, edges).unwrap().relabelled(&names).unwrap()
        })
    }

    proptest! {
        #[test]
        fn classes_are_what_the_definition_says(graph in blown_up(0..8)) {
            let mut found = TwinClasses::default();
            found.find(&graph, || Ok::<(), ()>(())).unwrap();
            let classes = found.len();
            prop_assert!(are_few(&graph, classes));
            prop_assert!(classes == 0 || !are_few(&graph, classes - 1));
            let closed = |v: u32| {
                let mut all = graph.neighbors(v).to_vec();
                all.push(v);
                all.sort_unstable();
                all
            };
            // Stopped at any look, it begins anew.
            let class_of = found.class_of.clone();
            for last in 0.. {
                let left = Cell::new(last);
                let look = || {
                    let more = left.get() > 0;
                    left.set(left.get().max(1) - 1);
                    more.then_some(()).ok_or(())
                };
                if found.find(&graph, look).is_ok() {
                    break;
                }
            }
            prop_assert_eq!(&found.class_of, &class_of);
            for v in 0..graph.order() as u32 {
                for w in 0..v {
                    let open = graph.neighbors(v) == graph.neighbors(w);
                    let twins = open || closed(v) == closed(w);
                    let [a, b] = [v, w].map(|v| found.class_of[v as usize]);
                    prop_assert_eq!(a == b, twins);
                    prop_assert!(a != b || found.closed[a as usize] != open);
                }
            }
            for class in 0..found.len() {
                prop_assert_eq!(found.members(class).len(), found.sizes[class] as usize);
                prop_assert_eq!(found.members(class)[0], found.first[class]);
                let mut expected: Vec<usize> = (graph.neighbors(found.first[class]).iter())
                    .map(|&w| found.class_of[w as usize] as usize)
                    .filter(|&other| other != class)
                    .collect();
                expected.sort_unstable();
                expected.dedup();
                let mut neighbors: Vec<usize> = found.neighbors(&graph, class).collect();
                neighbors.sort_unstable();
                prop_assert_eq!(neighbors, expected);
            }
        }
    }
}
