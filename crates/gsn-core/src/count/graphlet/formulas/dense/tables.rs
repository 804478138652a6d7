//! Numbers of pairs of twin classes, as dense rows.
//!
//! A number f(x, y, …) of distinct vertices depends on their classes alone, so it is kept by class;
//! on the diagonal it is that of two different members. A sum over vertices z is Σ_Z n_Z f(Z) over
//! the classes, minus one f for every named vertex whose class Z is: it is no *other* member of it
//! (what it contributes itself, if anything, is added). Numbers that no vertices stand for, such as
//! those of three members of a class of two, get the weight 0 in all, so they may be anything;
//! arithmetic wraps.
//!
//! With C(u, x) = N(u) ∩ N(x): c(u, x) = |C(u, x)|, h(u, x) = Σ_{y∈C(u,x)} c(x, y),
//! s(y) = |C(u, x) ∩ N(y)|, m(u, x) = Σ_{y∈C(u,x)} s(y), and, for arcs uv with T = C(u, v),
//! V(z) = Σ_{x∈T∩N(z)} |C(u, x) ∩ N(z)|, whose sums over T and N(v) are edges inside T with their
//! common neighbours in N(u), and the rims of wheels.

use super::Wants;
use super::number::Number;
use crate::count::budget::{Meter, Stop, patience};
use crate::count::twins::TwinClasses;
use crate::graph::Graph;
use crate::pattern::bits;
use rayon::prelude::*;

/// Numbers a row is padded to, so that sums of rows are vector instructions.
const LANES: usize = 8;

/// Tables of one graph; memory is reused for the next.
#[derive(Debug, Default)]
pub(in crate::count) struct DenseTables<N> {
    pub(super) classes: TwinClasses,
    /// Whether they are those of the graph that is prepared next.
    found: bool,
    /// Numbers a row.
    pub(super) stride: usize,
    /// Words a row.
    words: usize,
    /// Adjacency as bits; a closed class is adjacent to itself.
    rows: Vec<u64>,
    /// The same as numbers, all bits set or none.
    masks: Vec<N>,
    /// Number of vertices by class, and the set of classes that have several.
    pub(super) sizes: Vec<u32>,
    several: Vec<u64>,
    /// d by class, and twice the triangles.
    pub(super) degrees: Vec<u32>,
    pub(super) triangles: Vec<N>,
    /// c.
    walks: Vec<N>,
    /// n_x c(x, y) where x and y are adjacent.
    weighted: Vec<N>,
    /// h and m.
    near: Vec<N>,
    pairs: Vec<N>,
    /// By arc: edges inside T with their common neighbours in N(u), and rims of wheels.
    pub(super) inner: Vec<u64>,
    pub(super) wheels: Vec<u64>,
    /// Triangles inside T, where the first class is not the larger one.
    pub(super) cliques: Vec<u64>,
    /// Edges by class of the smaller and of the larger end.
    buckets: Vec<u32>,
    edges: Vec<u32>,
}

/// Memory of one thread.
#[derive(Debug, Default)]
pub(super) struct RowScratch<N> {
    /// s, for one root and every x.
    common: Vec<N>,
    /// n_x s where x and y are adjacent.
    weighted: Vec<N>,
    sum: Vec<N>,
    set: Vec<u64>,
    inside: Vec<u64>,
}

/// A root of the first pass and its rows of the tables.
struct RootRows<'a, N> {
    u: usize,
    near: &'a mut [N],
    pairs: &'a mut [N],
    inner: &'a mut [u64],
    wheels: &'a mut [u64],
    cliques: &'a mut [u64],
}

impl<N: Number> DenseTables<N> {
    /// Forgets the classes of a graph that was not prepared.
    pub(super) fn forget_classes(&mut self) {
        self.found = false;
    }

    /// Finds the classes of a graph, unless nobody waits for them any more; if any is prepared next,
    /// this one is.
    pub(super) fn find_classes(&mut self, graph: &Graph) -> Option<&TwinClasses> {
        self.classes.find(graph, patience).ok()?;
        self.found = true;
        Some(&self.classes)
    }

    /// Bytes that the tables of a graph take that has at the most so many classes of twins.
    pub(super) fn memory(graph: &Graph, classes: usize) -> u64 {
        let classes = graph.order().min(classes);
        ((24 + 5 * size_of::<N>()) * classes * classes
            + 40 * graph.order()
            + 4 * graph.edge_count()) as u64
    }

    pub(super) fn fill(
        &mut self,
        wants: &Wants,
        graph: &Graph,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        if !std::mem::take(&mut self.found) {
            self.classes.find(graph, || meter.look())?;
        }
        meter.steps((graph.order() + graph.arc_count()) as u64)?;
        self.load(graph);
        if wants.arcs {
            self.sort_edges(graph);
        }
        let q = self.len();
        self.count_walks(meter)?;
        let stride = self.stride;
        let room = |table: &mut Vec<N>, wanted: bool| {
            table.clear();
            table.resize(if wanted { q * stride } else { 0 }, N::default());
        };
        room(&mut self.near, wants.near);
        room(&mut self.pairs, wants.pairs);
        let room = |table: &mut Vec<u64>, wanted: bool| {
            table.clear();
            table.resize(if wanted { q * stride } else { 0 }, 0);
        };
        room(&mut self.inner, wants.inner);
        room(&mut self.wheels, wants.inner);
        room(&mut self.cliques, wants.cliques);
        if q == 0 || !wants.first_pass() {
            return Ok(());
        }
        let [mut near, mut pairs] = [&mut self.near, &mut self.pairs].map(std::mem::take);
        let [mut inner, mut wheels, mut cliques] =
            [&mut self.inner, &mut self.wheels, &mut self.cliques].map(std::mem::take);
        let mut rows: Vec<RootRows<'_, N>> = Vec::with_capacity(q);
        {
            let [mut near, mut pairs] = [&mut near, &mut pairs].map(|t| t.chunks_mut(stride));
            let [mut inner, mut wheels, mut cliques] =
                [&mut inner, &mut wheels, &mut cliques].map(|t| t.chunks_mut(stride));
            rows.extend((0..q).map(|u| RootRows {
                u,
                near: near.next().unwrap_or_default(),
                pairs: pairs.next().unwrap_or_default(),
                inner: inner.next().unwrap_or_default(),
                wheels: wheels.next().unwrap_or_default(),
                cliques: cliques.next().unwrap_or_default(),
            }));
        }
        let parallel = q >= 64 && crate::threads::number() > 1;
        let shared = &*self;
        let result = if parallel {
            let meter = &*meter;
            rows.par_iter_mut().with_max_len(4).try_for_each_init(
                RowScratch::default,
                |scratch, row| {
                    let mut meter = meter.fork();
                    shared.first_pass(wants, row, scratch, &mut meter)?;
                    meter.close()
                },
            )
        } else {
            let mut scratch = RowScratch::default();
            rows.iter_mut().try_for_each(|row| shared.first_pass(wants, row, &mut scratch, meter))
        };
        drop(rows);
        [self.near, self.pairs] = [near, pairs];
        [self.inner, self.wheels, self.cliques] = [inner, wheels, cliques];
        result
    }

    /// Number of classes.
    pub(super) fn len(&self) -> usize {
        self.classes.len()
    }

    fn load(&mut self, graph: &Graph) {
        let q = self.len();
        self.stride = q.next_multiple_of(LANES);
        self.words = q.div_ceil(64);
        let (stride, words) = (self.stride, self.words);
        self.rows.clear();
        self.rows.resize(q * words, 0);
        self.masks.clear();
        self.masks.resize(q * stride, N::default());
        self.sizes.clear();
        self.sizes.extend(&self.classes.sizes);
        self.several.clear();
        self.several.resize(words, 0);
        for x in (0..q).filter(|&x| self.sizes[x] > 1) {
            self.several[x / 64] |= 1 << (x % 64);
        }
        self.degrees.clear();
        for x in 0..q {
            let itself = self.classes.closed[x].then_some(x);
            for y in self.classes.neighbors(graph, x).chain(itself) {
                self.rows[x * words + y / 64] |= 1 << (y % 64);
                self.masks[x * stride + y] = N::ALL;
            }
            self.degrees.push(graph.degree(self.classes.first[x]) as u32);
        }
    }

    /// Puts the edges in order of the classes of their ends.
    fn sort_edges(&mut self, graph: &Graph) {
        let q = self.len();
        let class = |v: u32| self.classes.class_of[v as usize] as usize;
        self.buckets.clear();
        self.buckets.resize(q * q + 1, 0);
        for (u, v) in graph.edges() {
            self.buckets[class(u) * q + class(v) + 1] += 1;
        }
        let mut sum = 0;
        for bucket in &mut self.buckets {
            sum += *bucket;
            *bucket = sum;
        }
        let mut place = self.buckets.clone();
        self.edges.clear();
        self.edges.resize(graph.edge_count(), 0);
        for (edge, (u, v)) in graph.edges().enumerate() {
            let at = &mut place[class(u) * q + class(v)];
            self.edges[*at as usize] = edge as u32;
            *at += 1;
        }
    }

    /// The edges whose smaller end is in class `u` and whose larger end is in class `v`.
    pub(super) fn edges(&self, u: usize, v: usize) -> &[u32] {
        let at = u * self.len() + v;
        match self.buckets.get(at..at + 2) {
            Some(ends) => &self.edges[ends[0] as usize..ends[1] as usize],
            None => &[],
        }
    }

    /// c, and what follows from it at once.
    fn count_walks(&mut self, meter: &mut Meter<'_>) -> Result<(), Stop> {
        let (q, stride) = (self.len(), self.stride);
        let mut walks = std::mem::take(&mut self.walks);
        walks.clear();
        walks.resize(q * stride, N::default());
        self.weighted.clear();
        self.weighted.resize(q * stride, N::default());
        self.triangles.clear();
        for u in 0..q {
            let row = &mut walks[u * stride..][..stride];
            let mut degree = 0;
            for z in bits_of(self.row(u)) {
                // The root is no neighbour of itself.
                add_masked(row, self.mask(z), N::from(self.sizes[z] - u32::from(z == u)));
                degree += 1;
            }
            for x in bits_of(self.row(u)) {
                // Nor is x.
                row[x] = row[x].minus(N::from(u32::from(self.is_closed(x))));
            }
            meter.steps(((degree + 1) * stride / LANES) as u64)?;
            let size = N::from(self.sizes[u]);
            let weighted = &mut self.weighted[u * stride..][..stride];
            let masks = &self.masks[u * stride..][..stride];
            for ((weighted, &walks), &mask) in weighted.iter_mut().zip(&*row).zip(masks) {
                *weighted = size.times(walks & mask);
            }
            let sum = bits_of(self.row(u)).fold(N::default(), |sum, x| {
                let others = N::from(self.sizes[x] - u32::from(x == u));
                sum.plus(others.times(row[x]))
            });
            self.triangles.push(sum);
        }
        self.walks = walks;
        Ok(())
    }

    #[inline]
    pub(super) fn row(&self, x: usize) -> &[u64] {
        &self.rows[x * self.words..][..self.words]
    }

    #[inline]
    fn mask(&self, x: usize) -> &[N] {
        &self.masks[x * self.stride..][..self.stride]
    }

    /// c(u, ·).
    #[inline]
    pub(super) fn walks(&self, u: usize) -> &[N] {
        &self.walks[u * self.stride..][..self.stride]
    }

    /// h(u, ·), if wanted.
    pub(super) fn near(&self, u: usize) -> &[N] {
        self.near.get(u * self.stride..(u + 1) * self.stride).unwrap_or_default()
    }

    /// m(u, ·), if wanted.
    pub(super) fn pairs(&self, u: usize) -> &[N] {
        self.pairs.get(u * self.stride..(u + 1) * self.stride).unwrap_or_default()
    }

    #[inline]
    pub(super) fn is_closed(&self, x: usize) -> bool {
        self.classes.closed[x]
    }

    /// Members of class `z` apart from `u` and `x`, if they belong to it.
    #[inline]
    pub(super) fn others(&self, z: usize, u: usize, x: usize) -> u32 {
        self.sizes[z].wrapping_sub(u32::from(z == u)).wrapping_sub(u32::from(z == x))
    }

    /// The classes next to both `u` and `x`.
    pub(super) fn meet(&self, u: usize, x: usize, set: &mut Vec<u64>) {
        set.clear();
        set.extend(self.row(u).iter().zip(self.row(x)).map(|(a, b)| a & b));
    }

    /// s(y) = |C(u, x) ∩ N(y)| for all y; `set` is C(u, x).
    pub(super) fn common(&self, (u, x): (usize, usize), set: &[u64], s: &mut [N]) {
        s.fill(N::default());
        for z in bits_of(set) {
            add_masked(s, self.mask(z), N::from(self.others(z, u, x)));
        }
        for y in bits_of(set).filter(|&y| self.is_closed(y)) {
            s[y] = s[y].minus(N::from(1));
        }
    }

    /// Σ c(x, y) over the ordered pairs of adjacent x and y in T; `set` is T.
    pub(super) fn edges_inside(
        &self,
        (u, v): (usize, usize),
        set: &[u64],
        sum: &mut Vec<N>,
    ) -> u64 {
        let stride = self.stride;
        let weighted = |x: usize| &self.weighted[x * stride..][..stride];
        sum.clear();
        sum.resize(stride, N::default());
        bits_of(set).for_each(|x| add_row(sum, weighted(x)));
        let own = [u, v].map(|x| contains(set, x).then_some(x));
        bits_of(set).fold(0u64, |total, y| {
            let mut value = sum[y];
            for x in own.iter().flatten() {
                value = value.minus(self.walks(*x)[y] & self.mask(*x)[y]);
            }
            value = value.minus(self.walks(y)[y] & self.mask(y)[y]);
            total.wrapping_add(u64::from(self.others(y, u, v)).wrapping_mul(value.into()))
        })
    }

    /// Fills the rows of one root.
    fn first_pass(
        &self,
        wants: &Wants,
        rows: &mut RootRows<'_, N>,
        scratch: &mut RowScratch<N>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop> {
        let (q, stride, u) = (self.len(), self.stride, rows.u);
        let RowScratch { common, weighted, sum, set, inside } = scratch;
        common.resize(common.len().max(q * stride), N::default());
        weighted.resize(weighted.len().max(q * stride), N::default());
        for x in 0..q {
            let adjacent = contains(self.row(u), x);
            self.meet(u, x, set);
            let classes: usize = set.iter().map(|word| word.count_ones() as usize).sum();
            meter.steps(1 + classes as u64)?;
            if classes == 0 {
                continue;
            }
            if wants.near {
                let walks = self.walks(x);
                rows.near[x] = bits_of(set).fold(N::default(), |sum, y| {
                    sum.plus(N::from(self.others(y, u, x)).times(walks[y]))
                });
            }
            if !(wants.pairs || wants.inner && adjacent) {
                continue;
            }
            meter.steps((classes * stride / LANES) as u64)?;
            let s = &mut common[x * stride..][..stride];
            self.common((u, x), set, s);
            if wants.pairs {
                rows.pairs[x] = bits_of(set).fold(N::default(), |sum, y| {
                    sum.plus(N::from(self.others(y, u, x)).times(s[y]))
                });
            }
            if wants.inner && adjacent {
                let weighted = &mut weighted[x * stride..][..stride];
                let size = N::from(self.sizes[x]);
                for ((weighted, &s), &mask) in weighted.iter_mut().zip(&*s).zip(self.mask(x)) {
                    *weighted = size.times(s & mask);
                }
            }
        }
        for v in bits_of(self.row(u)) {
            self.meet(u, v, set);
            let classes: usize = set.iter().map(|word| word.count_ones() as usize).sum();
            if wants.inner {
                meter.steps((classes * stride / LANES) as u64)?;
                sum.clear();
                sum.resize(stride, N::default());
                bits_of(set).for_each(|x| add_row(sum, &weighted[x * stride..][..stride]));
                for x in [u, v].into_iter().filter(|&x| contains(set, x)) {
                    subtract_masked(sum, &common[x * stride..][..stride], self.mask(x));
                }
                for z in bits_of(set).filter(|&z| self.is_closed(z)) {
                    sum[z] = sum[z].minus(common[z * stride + z]);
                }
                let total = |over: &[u64]| {
                    bits_of(over).fold(0u64, |total, z| {
                        let others = u64::from(self.others(z, u, v));
                        total.wrapping_add(others.wrapping_mul(sum[z].into()))
                    })
                };
                rows.inner[v] = total(set);
                // The rim may pass through u itself.
                let through = bits_of(set).fold(0u64, |total, x| {
                    let others = u64::from(self.others(x, u, v));
                    total.wrapping_add(others.wrapping_mul(self.walks(u)[x].into()))
                });
                rows.wheels[v] = total(self.row(v)).wrapping_add(through);
            }
            if wants.cliques && u <= v {
                meter.steps((classes * classes / 2) as u64)?;
                rows.cliques[v] = self.triangles_inside((u, v), set, inside);
            }
        }
        Ok(())
    }

    /// Triangles inside T, each once; `set` is T.
    fn triangles_inside(&self, (u, v): (usize, usize), set: &[u64], inside: &mut Vec<u64>) -> u64 {
        let weight = |x: usize| u64::from(self.others(x, u, v));
        let two = |w: u64| w.wrapping_mul(w.wrapping_sub(1)) / 2;
        let mut total = 0u64;
        for x in bits_of(set) {
            inside.clear();
            inside.extend(set.iter().zip(self.row(x)).map(|(a, b)| a & b));
            keep_above(inside, x);
            let (mut edges, mut single) = (0u64, 0u64);
            for y in bits_of(inside) {
                let from = y / 64;
                let row = self.row(y);
                let mut beyond = 0u64;
                for at in from..self.words {
                    let mut word = inside[at] & row[at];
                    if at == from {
                        word &= above(y % 64);
                    }
                    // Most classes are single vertices.
                    beyond += u64::from(word.count_ones());
                    for z in bits(word & self.several[at]) {
                        beyond = beyond.wrapping_add(weight(at * 64 + z)).wrapping_sub(1);
                    }
                }
                let w = weight(y);
                edges += w * beyond + if self.is_closed(y) { two(w) } else { 0 };
                single += w;
            }
            let w = weight(x);
            total += w * edges;
            if self.is_closed(x) && w >= 2 {
                total += two(w) * single + two(w) * (w - 2) / 3;
            }
        }
        total
    }
}

/// Whether a set has this element.
#[inline]
pub(super) fn contains(set: &[u64], x: usize) -> bool {
    set[x / 64] >> (x % 64) & 1 == 1
}

/// The elements of a set.
#[inline]
pub(super) fn bits_of(set: &[u64]) -> impl Iterator<Item = usize> + '_ {
    set.iter().enumerate().flat_map(|(at, &word)| bits(word).map(move |bit| at * 64 + bit))
}

/// Bits above one.
fn above(bit: usize) -> u64 {
    (!0u64 << bit) & !(1 << bit)
}

/// Takes out all elements up to `x`.
fn keep_above(set: &mut [u64], x: usize) {
    set[..x / 64].fill(0);
    set[x / 64] &= above(x % 64);
}

/// Adds `weight` wherever the mask says so.
#[inline]
fn add_masked<N: Number>(sum: &mut [N], mask: &[N], weight: N) {
    for (sum, &mask) in sum.iter_mut().zip(mask) {
        *sum = sum.plus(mask & weight);
    }
}

#[inline]
fn add_row<N: Number>(sum: &mut [N], row: &[N]) {
    for (sum, &value) in sum.iter_mut().zip(row) {
        *sum = sum.plus(value);
    }
}

#[inline]
fn subtract_masked<N: Number>(sum: &mut [N], row: &[N], mask: &[N]) {
    for ((sum, &value), &mask) in sum.iter_mut().zip(row).zip(mask) {
        *sum = sum.minus(value & mask);
    }
}
