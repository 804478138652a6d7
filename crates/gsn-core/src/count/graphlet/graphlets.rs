//! All connected graphs of k ≤ 6 vertices, by adjacency code.
//!
//! A graph on the positions 0..k is a number of k(k−1)/2 bits: bit j(j−1)/2 + i is the edge
//! {i, j}, i < j, so appending a vertex appends bits. Every connected code knows its isomorphism
//! class and a permutation onto the class representative (its smallest code); a class knows its
//! vertex and arc orbits. The columns of k are its classes' orbits, one after the other.
//!
//! Built once, when first asked for: every class is spread over its k! codes. k = 5 takes well
//! under a millisecond, k = 6 a few.

use std::sync::OnceLock;

/// Vertices of the largest graphs in the table.
pub(super) const MAX_ORDER: usize = 6;

/// Class of codes that are not connected.
pub(super) const NONE: u16 = u16::MAX;

/// Where the bits of vertex `j` begin in a code: the number of pairs below it.
pub(super) const fn pairs(j: usize) -> usize {
    j * j.saturating_sub(1) / 2
}

/// Bit of the pair {i, j} in a code.
pub(super) const fn pair(i: usize, j: usize) -> usize {
    if i < j { pairs(j) + i } else { pairs(i) + j }
}

/// Whether `code` has the edge {i, j}.
pub(super) const fn has_edge(code: u32, i: usize, j: usize) -> bool {
    i != j && code >> pair(i, j) & 1 == 1
}

/// One isomorphism class.
#[derive(Debug)]
pub(super) struct Class {
    /// The representative: the smallest code of the class.
    pub(super) code: u32,
    /// |Aut|.
    pub(super) group: u32,
    /// Column of each vertex's orbit among the vertex columns of this k.
    pub(super) vertex: [u16; MAX_ORDER],
    /// Column of each arc's orbit among the arc columns of this k.
    pub(super) arc: [[u16; MAX_ORDER]; MAX_ORDER],
    /// A vertex of each orbit; the orbit's column is the first column plus the index.
    pub(super) vertex_reps: Vec<usize>,
    /// An arc of each orbit.
    pub(super) arc_reps: Vec<(usize, usize)>,
    /// First vertex column.
    pub(super) vertex_base: usize,
    /// First arc column.
    pub(super) arc_base: usize,
}

/// All connected graphs of so many vertices.
#[derive(Debug)]
pub(super) struct Graphlets {
    pub(super) order: usize,
    /// Class of every code, [`NONE`] where not connected.
    pub(super) class: Vec<u16>,
    /// Index in `permutations` of the map from positions to representative vertices.
    permutation: Vec<u16>,
    permutations: Vec<[u8; MAX_ORDER]>,
    pub(super) classes: Vec<Class>,
    pub(super) vertex_columns: usize,
    pub(super) arc_columns: usize,
}

impl Graphlets {
    /// Those of 2 to [`MAX_ORDER`] vertices; worked out once.
    pub(super) fn of(order: usize) -> &'static Self {
        static SIZES: [OnceLock<Graphlets>; MAX_ORDER + 1] =
            [const { OnceLock::new() }; MAX_ORDER + 1];
        SIZES[order].get_or_init(|| Self::build(order))
    }

    fn build(order: usize) -> Self {
        let codes = 1usize << pairs(order);
        let permutations = permutations(order);
        let mut graphlets = Self {
            order,
            class: vec![NONE; codes],
            permutation: vec![0; codes],
            permutations,
            classes: Vec::new(),
            vertex_columns: 0,
            arc_columns: 0,
        };
        for code in 0..codes as u32 {
            if graphlets.class[code as usize] == NONE && is_connected(order, code) {
                graphlets.add_class(code);
            }
        }
        graphlets
    }

    /// Adds the class of `code`, the smallest of its codes.
    fn add_class(&mut self, code: u32) {
        let k = self.order;
        let mut first_vertex = [u8::MAX; MAX_ORDER];
        let mut first_arc = [[(u8::MAX, u8::MAX); MAX_ORDER]; MAX_ORDER];
        let mut group = 0;
        for (index, p) in self.permutations.iter().enumerate() {
            let image = pull_back(k, code, p);
            if self.class[image as usize] == NONE {
                self.class[image as usize] = self.classes.len() as u16;
                self.permutation[image as usize] = index as u16;
            }
            if image == code {
                group += 1;
                for a in 0..k {
                    first_vertex[a] = first_vertex[a].min(p[a]);
                    for b in 0..k {
                        first_arc[a][b] = first_arc[a][b].min((p[a], p[b]));
                    }
                }
            }
        }
        let mut class = Class {
            code,
            group,
            vertex: [NONE; MAX_ORDER],
            arc: [[NONE; MAX_ORDER]; MAX_ORDER],
            vertex_reps: Vec::new(),
            arc_reps: Vec::new(),
            vertex_base: self.vertex_columns,
            arc_base: self.arc_columns,
        };
        for a in 0..k {
            let first = first_vertex[a] as usize;
            if first == a {
                class.vertex[a] = (self.vertex_columns + class.vertex_reps.len()) as u16;
                class.vertex_reps.push(a);
            }
            class.vertex[a] = class.vertex[first];
            for b in 0..k {
                if has_edge(code, a, b) {
                    let (c, d) = (first_arc[a][b].0 as usize, first_arc[a][b].1 as usize);
                    if (c, d) == (a, b) {
                        class.arc[a][b] = (self.arc_columns + class.arc_reps.len()) as u16;
                        class.arc_reps.push((a, b));
                    }
                    class.arc[a][b] = class.arc[c][d];
                }
            }
        }
        self.vertex_columns += class.vertex_reps.len();
        self.arc_columns += class.arc_reps.len();
        self.classes.push(class);
    }

    /// Class of a connected code and the representative vertex of each position.
    pub(super) fn locate(&self, code: u32) -> Option<(&Class, &[u8; MAX_ORDER])> {
        let class = self.classes.get(self.class[code as usize] as usize)?;
        Some((class, &self.permutations[self.permutation[code as usize] as usize]))
    }

    /// Class that a vertex column belongs to.
    pub(super) fn class_of_vertex_column(&self, column: usize) -> &Class {
        &self.classes[self.classes.partition_point(|c| c.vertex_base <= column) - 1]
    }

    /// Class that an arc column belongs to.
    pub(super) fn class_of_arc_column(&self, column: usize) -> &Class {
        &self.classes[self.classes.partition_point(|c| c.arc_base <= column) - 1]
    }
}

/// The code that has {i, j} where `code` has {p(i), p(j)}.
fn pull_back(order: usize, code: u32, p: &[u8; MAX_ORDER]) -> u32 {
    let mut image = 0;
    for j in 1..order {
        for i in 0..j {
            let at = pair(p[i] as usize, p[j] as usize);
            image |= (code >> at & 1) << (pairs(j) + i);
        }
    }
    image
}

/// Whether a code describes a connected graph.
pub(super) fn is_connected(order: usize, code: u32) -> bool {
    let (mut reached, mut frontier) = (1u32, 1u32);
    while frontier != 0 {
        let v = frontier.trailing_zeros() as usize;
        frontier &= frontier - 1;
        for w in 0..order {
            if has_edge(code, v, w) && reached >> w & 1 == 0 {
                reached |= 1 << w;
                frontier |= 1 << w;
            }
        }
    }
    reached.count_ones() as usize == order
}

/// All permutations of 0..order, the identity first.
fn permutations(order: usize) -> Vec<[u8; MAX_ORDER]> {
    let mut all = vec![[0u8; MAX_ORDER]];
    for length in 1..=order {
        let mut longer = Vec::with_capacity(all.len() * length);
        for p in &all {
            for last in (0..length as u8).rev() {
                let mut q = *p;
                for x in &mut q[..length - 1] {
                    *x += u8::from(*x >= last);
                }
                q[length - 1] = last;
                longer.push(q);
            }
        }
        all = longer;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_numbers_of_graphs_and_orbits() {
        let numbers: Vec<_> = (2..=MAX_ORDER)
            .map(|k| (Graphlets::of(k).classes.len(), Graphlets::of(k).vertex_columns))
            .collect();
        assert_eq!(numbers, [(1, 1), (2, 3), (6, 11), (21, 58), (112, 407)]);
    }

    #[test]
    fn every_code_is_carried_onto_its_representative() {
        for k in 2..=MAX_ORDER {
            let graphlets = Graphlets::of(k);
            let factorial: u32 = (1..=k as u32).product();
            let mut members = vec![0; graphlets.classes.len()];
            for code in 0..1u32 << pairs(k) {
                assert_eq!(graphlets.locate(code).is_some(), is_connected(k, code));
                let Some((class, p)) = graphlets.locate(code) else { continue };
                members[graphlets.class[code as usize] as usize] += 1;
                for j in 1..k {
                    for i in 0..j {
                        assert_eq!(
                            has_edge(code, i, j),
                            has_edge(class.code, p[i] as usize, p[j] as usize)
                        );
                    }
                }
            }
            for (class, &members) in graphlets.classes.iter().zip(&members) {
                assert_eq!(class.group * members, factorial);
            }
        }
    }
}
