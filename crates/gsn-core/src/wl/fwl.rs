//! k-FWL, the folklore form of the k-dimensional Weisfeiler–Leman test, for k = 2 and 3.
//!
//! Colours belong to k-tuples of vertices. They start from how the tuple is joined (equalities,
//! arcs, start colours), and the new colour of t is
//! c′(t) = (c(t), {{ (c(t[1←w]), …, c(t[k←w])) : w ∈ V }}), until no class splits.
//!
//! A round sorts the n entries of every tuple: O(nᵏ⁺¹ log n) a graph. Signatures are kept in full
//! in a dictionary of the graphs that still look alike, for one round: nothing is hashed away,
//! and graphs that have become unlike any other drop out.

use super::names::group;
use super::{Start, WlError, starts_of};
use crate::graph::Graph;
use rayon::prelude::*;
use std::collections::HashMap;

/// The k-FWL test with a limit of memory.
///
/// ```
/// use gsn_core::{Graph, wl::Fwl};
/// let fwl = Fwl::new(2)?.with_limit(1 << 30);
/// // Two triangles and a hexagon look alike to 1-WL, not to 2-FWL.
/// let triangles = Graph::from_edges(6, [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)])?;
/// let hexagon = Graph::from_edges(6, (0..6).map(|v| (v, (v + 1) % 6)))?;
/// assert!(fwl.bytes(6, 2) < 1 << 20);
/// assert_eq!(fwl.classes(&[triangles, hexagon], &[])?, [0, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Fwl {
    k: usize,
    limit: u64,
}

/// Graphs that share their number of tuples and are refined together.
struct Member<'a> {
    graph: &'a Graph,
    start: Start<'a>,
    /// Colour of every tuple, and how many colours its group has.
    colours: Vec<u32>,
    used: u32,
}

impl Fwl {
    /// The test for tuples of length `k`, 2 or 3, in at most 2 GB.
    ///
    /// # Errors
    /// For any other `k`.
    pub fn new(k: usize) -> Result<Self, WlError> {
        if matches!(k, 2 | 3) { Ok(Self { k, limit: 2 << 30 }) } else { Err(WlError::Dimension(k)) }
    }

    /// With a limit of this many bytes for its tables, instead of 2 GB.
    #[must_use]
    pub fn with_limit(self, bytes: u64) -> Self {
        Self { limit: bytes, ..self }
    }

    /// Bytes that the tables of `graphs` graphs of `order` vertices take: the colours of all of
    /// them before and after a round, and the signatures of one graph on every thread. The
    /// dictionary of a round comes on top, 8·n bytes for every different signature; a round that
    /// would go over the limit is an error.
    pub fn bytes(&self, order: usize, graphs: usize) -> u64 {
        let tuples = (order as u64).saturating_pow(self.k as u32);
        let colours = tuples.saturating_mul(8).saturating_mul(graphs as u64);
        let threads = (rayon::current_num_threads().min(graphs)) as u64;
        let signatures = tuples.saturating_mul(8 * (order as u64 + 2)).saturating_mul(threads);
        colours.saturating_add(signatures)
    }

    /// Sorts graphs by their histograms of stable colours.
    ///
    /// # Arguments
    /// * `graphs`: any number of them;
    /// * `starts`: the start colours of every graph in the same order, or nothing at all.
    ///
    /// # Returns
    /// A number for every graph; the test tells two graphs apart exactly when their numbers differ.
    ///
    /// # Errors
    /// When start colours do not fit, or more memory than allowed is needed.
    ///
    /// # Complexity
    /// O(nᵏ⁺¹ log n) a graph and round, at most nᵏ rounds and few in practice;
    /// [`Fwl::bytes`] of memory.
    pub fn classes(&self, graphs: &[Graph], starts: &[Start<'_>]) -> Result<Vec<u32>, WlError> {
        let starts = starts_of(graphs, starts)?;
        let mut class = vec![0u32; graphs.len()];
        let mut next = 0;
        // Different numbers of vertices or arcs differ from the start.
        let shape = |graph: &Graph| (graph.order(), graph.arc_count(), graph.is_directed());
        for group in groups(&group(graphs.iter().map(shape))) {
            self.settle(graphs, &starts, &group, &mut class, &mut next)?;
        }
        // In the order of first appearance.
        Ok(super::names::group(class))
    }

    /// Whether the test tells two graphs apart.
    ///
    /// # Errors
    /// As [`Fwl::classes`].
    pub fn separates(
        &self,
        left: (&Graph, Start<'_>),
        right: (&Graph, Start<'_>),
    ) -> Result<bool, WlError> {
        let graphs = [left.0.clone(), right.0.clone()];
        let classes = self.classes(&graphs, &[left.1, right.1])?;
        Ok(classes[0] != classes[1])
    }

    /// The stable colour of every tuple of every graph, tuples in lexicographic order: names that
    /// mean the same in all graphs of the same number of vertices.
    ///
    /// # Errors
    /// As [`Fwl::classes`].
    pub fn colours(
        &self,
        graphs: &[Graph],
        starts: &[Start<'_>],
    ) -> Result<Vec<Vec<u32>>, WlError> {
        let starts = starts_of(graphs, starts)?;
        let mut all = vec![Vec::new(); graphs.len()];
        for indices in groups(&group(graphs.iter().map(Graph::order))) {
            let mut members = self.members(graphs, &starts, &indices)?;
            loop {
                let before = members[0].used;
                if self.round(&mut members)? == before {
                    break;
                }
            }
            for (member, &at) in members.into_iter().zip(&indices) {
                all[at] = member.colours;
            }
        }
        Ok(all)
    }

    /// Refines the graphs of `indices` until every group of alike ones is stable or alone.
    fn settle(
        &self,
        graphs: &[Graph],
        starts: &[Start<'_>],
        indices: &[usize],
        class: &mut [u32],
        next: &mut u32,
    ) -> Result<(), WlError> {
        let mut name = |indices: &[usize]| {
            for &at in indices {
                class[at] = *next;
            }
            *next += 1;
        };
        if indices.len() == 1 {
            name(indices);
            return Ok(());
        }
        let members = self.members(graphs, starts, indices)?;
        let mut open = vec![(indices.to_vec(), members)];
        while let Some((indices, mut members)) = open.pop() {
            // Colours are refined for the whole group; then it falls apart by histograms.
            let histograms = members.par_iter().map(Member::histogram).collect::<Vec<_>>();
            let split = groups(&group(histograms));
            if split.len() > 1 {
                let mut slots: Vec<Option<Member<'_>>> = members.into_iter().map(Some).collect();
                for part in split.iter().rev() {
                    let of_part: Vec<usize> = part.iter().map(|&i| indices[i]).collect();
                    if of_part.len() == 1 {
                        name(&of_part);
                        slots[part[0]] = None;
                    } else {
                        let members = part.iter().filter_map(|&i| slots[i].take()).collect();
                        open.push((of_part, members));
                    }
                }
                continue;
            }
            let before = members[0].distinct();
            self.round(&mut members)?;
            if members[0].distinct() == before
                && members.iter().all(|member| member.distinct() == before)
            {
                // Stable, and the histograms were equal: the new names correspond one to one.
                let histograms = members.par_iter().map(Member::histogram).collect::<Vec<_>>();
                for part in groups(&group(histograms)) {
                    name(&part.iter().map(|&i| indices[i]).collect::<Vec<_>>());
                }
            } else {
                open.push((indices, members));
            }
        }
        Ok(())
    }

    /// The graphs with their start colours.
    fn members<'a>(
        &self,
        graphs: &'a [Graph],
        starts: &[Start<'a>],
        indices: &[usize],
    ) -> Result<Vec<Member<'a>>, WlError> {
        let order = graphs[indices[0]].order();
        let needed = self.bytes(order, indices.len());
        if needed > self.limit {
            return Err(WlError::Memory { k: self.k, order, needed, limit: self.limit });
        }
        let mut members: Vec<Member<'a>> = indices
            .iter()
            .map(|&at| Member {
                graph: &graphs[at],
                start: starts[at],
                colours: Vec::new(),
                used: 0,
            })
            .collect();
        let k = self.k;
        let keys = |member: &Member<'a>| member.atomic_types(k);
        self.rename(&mut members, &keys)?;
        Ok(members)
    }

    /// One round for all members; returns how many colours there are now.
    fn round(&self, members: &mut [Member<'_>]) -> Result<u32, WlError> {
        match self.k {
            2 => self.rename(members, &|member| member.signatures::<2>()),
            _ => self.rename(members, &|member| member.signatures::<3>()),
        }
    }

    /// Gives every tuple the name of its signature: one dictionary for all members.
    fn rename<'a>(
        &self,
        members: &mut [Member<'a>],
        keys: &(impl Fn(&Member<'a>) -> Signatures + Sync),
    ) -> Result<u32, WlError> {
        let order = members[0].graph.order();
        let mut names: HashMap<Box<[u64]>, u32> = HashMap::new();
        let fixed = self.bytes(order, members.len());
        let threads = rayon::current_num_threads().max(1);
        for some in members.chunks_mut(2 * threads) {
            let local: Vec<Signatures> = some.par_iter().map(keys).collect();
            for (member, Signatures { distinct, of }) in some.iter_mut().zip(local) {
                let table: Vec<u32> = distinct
                    .into_iter()
                    .map(|key| {
                        let name = names.len() as u32;
                        *names.entry(key).or_insert(name)
                    })
                    .collect();
                member.colours = of.into_iter().map(|local| table[local as usize]).collect();
            }
            let needed = fixed + names.len() as u64 * 8 * (order as u64 + 6);
            if needed > self.limit {
                return Err(WlError::Memory { k: self.k, order, needed, limit: self.limit });
            }
        }
        let used = names.len() as u32;
        for member in members {
            member.used = used;
        }
        Ok(used)
    }
}

/// The different signatures of a graph's tuples, and which of them each tuple has.
struct Signatures {
    distinct: Vec<Box<[u64]>>,
    of: Vec<u32>,
}

impl Signatures {
    fn collect(tuples: usize, mut key: impl FnMut(usize, &mut Vec<u64>)) -> Self {
        let mut seen: HashMap<Box<[u64]>, u32> = HashMap::new();
        let mut buffer = Vec::new();
        let mut of = Vec::with_capacity(tuples);
        for tuple in 0..tuples {
            buffer.clear();
            key(tuple, &mut buffer);
            let local = match seen.get(&buffer[..]) {
                Some(&local) => local,
                None => {
                    let local = seen.len() as u32;
                    seen.insert(buffer[..].into(), local);
                    local
                }
            };
            of.push(local);
        }
        let mut distinct = vec![Box::default(); seen.len()];
        for (key, local) in seen {
            distinct[local as usize] = key;
        }
        Self { distinct, of }
    }
}

impl Member<'_> {
    fn histogram(&self) -> Vec<(u32, u32)> {
        let mut sorted = self.colours.clone();
        sorted.sort_unstable();
        sorted.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u32)).collect()
    }

    /// Number of colours of this graph.
    fn distinct(&self) -> usize {
        let mut seen = vec![false; self.used as usize];
        for &colour in &self.colours {
            seen[colour as usize] = true;
        }
        seen.iter().filter(|&&seen| seen).count()
    }

    /// How the vertices of each tuple are joined.
    fn atomic_types(&self, k: usize) -> Signatures {
        let n = self.graph.order();
        let vertex = |v: usize| self.start.vertex.map_or(0, |colours| u64::from(colours[v]));
        // 0: none, 1: the same vertex, else the colour of the arc plus 2.
        let mut joined = vec![0u64; n * n];
        for (arc, (u, v)) in self.graph.arcs().enumerate() {
            let colour = self.start.arc.map_or(0, |colours| u64::from(colours[arc]));
            joined[u as usize * n + v as usize] = colour + 2;
        }
        for v in 0..n {
            joined[v * n + v] = 1;
        }
        Signatures::collect(n.pow(k as u32), |tuple, key| {
            let (mut rest, mut vertices) = (tuple, [0; 3]);
            for v in vertices[..k].iter_mut().rev() {
                *v = rest % n;
                rest /= n;
            }
            for &u in &vertices[..k] {
                key.push(vertex(u));
                key.extend(vertices[..k].iter().map(|&v| joined[u * n + v]));
            }
        })
    }

    /// Old colour and sorted entries of every tuple.
    fn signatures<const K: usize>(&self) -> Signatures {
        let n = self.graph.order();
        let base = u64::from(self.used);
        let mut steps = [1usize; K];
        for at in (0..K - 1).rev() {
            steps[at] = steps[at + 1] * n;
        }
        Signatures::collect(n.pow(K as u32), |tuple, key| {
            // The tuple with entry `at` set to vertex 0.
            let mut roots = [0usize; K];
            for at in 0..K {
                roots[at] = tuple - (tuple / steps[at] % n) * steps[at];
            }
            key.push(u64::from(self.colours[tuple]));
            key.extend((0..n).map(|w| {
                let mut entry = 0;
                for at in 0..K {
                    entry = entry * base + u64::from(self.colours[roots[at] + w * steps[at]]);
                }
                entry
            }));
            key[1..].sort_unstable();
        })
    }
}

/// The members of every class, classes in order.
fn groups(classes: &[u32]) -> Vec<Vec<usize>> {
    let count = classes.iter().max().map_or(0, |&last| last as usize + 1);
    let mut groups = vec![Vec::new(); count];
    for (at, &class) in classes.iter().enumerate() {
        groups[class as usize].push(at);
    }
    groups
}
