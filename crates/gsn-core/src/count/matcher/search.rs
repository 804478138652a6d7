//! The search itself: binding core vertices, counting tails, adding on the way back.

use super::Columns;
use super::order::{Level, Order};
use crate::count::binomial::binomial;
use crate::count::budget::{Meter, Stop};
use crate::count::cells::Cells;
use crate::count::probe::fixed_random;
use crate::graph::Graph;
use crate::pattern::Pattern;
use std::ops::Range;

/// Memory a thread keeps from search to search.
#[derive(Default)]
pub(in crate::count) struct Scratch {
    /// For every graph vertex, the levels whose vertex has an arc to it, and [`USED`].
    out: Vec<u64>,
    /// For every graph vertex, the levels whose vertex it has an arc to; directed graphs only.
    incoming: Vec<u64>,
    /// Pattern and graph vertex of every bound level.
    bound: Vec<(usize, u32)>,
    /// Candidates of the tails.
    tails: [Vec<u32>; 2],
    /// Whether a search was given up and left marks behind.
    dirty: bool,
}

/// Marks a vertex that is bound. No level needs this bit: the 64th is never compared, because a
/// core of 64 vertices leaves no tail.
const USED: u64 = 1 << 63;

impl Scratch {
    /// Makes room for a graph; all marks are clear afterwards.
    pub(super) fn reset(&mut self, graph: &Graph, order: &Order) {
        if self.dirty {
            self.out.fill(0);
            self.incoming.fill(0);
        }
        let n = graph.order();
        if self.out.len() < n {
            self.out.resize(n, 0);
        }
        if graph.is_directed() && self.incoming.len() < n {
            self.incoming.resize(n, 0);
        }
        self.bound.clear();
        self.bound.resize(order.core.len(), (0, 0));
        self.dirty = true;
    }

    /// Says that the search came to its end and took its marks back.
    pub(super) fn clean(&mut self) {
        self.dirty = false;
    }
}

/// One search over one graph in one order.
pub(super) struct Search<'a, 'm, C> {
    pub(super) pattern: &'a Pattern,
    pub(super) columns: &'a Columns,
    pub(super) graph: &'a Graph,
    pub(super) order: &'a Order,
    pub(super) scratch: &'a mut Scratch,
    pub(super) vertex: Option<&'a mut C>,
    pub(super) arc: Option<&'a mut C>,
    pub(super) meter: &'a mut Meter<'m>,
}

impl<C: Cells> Search<'_, '_, C> {
    /// Counts the occurrences whose first core vertex is one of `roots`.
    pub(super) fn roots(&mut self, roots: Range<usize>) -> Result<(), Stop> {
        let level = &self.order.core[0];
        for v in roots {
            self.meter.steps(1)?;
            let v = v as u32;
            if self.graph.degree(v) >= level.min_degree
                && level.labels_fit(self.pattern, self.graph, &[], v)
            {
                self.bind(0, v)?;
            }
        }
        Ok(())
    }

    /// Binds core level `depth` to `v`, counts what follows and adds it to `v`'s rows.
    fn bind(&mut self, depth: usize, v: u32) -> Result<u64, Stop> {
        let level = &self.order.core[depth];
        self.scratch.bound[depth] = (level.vertex(), v);
        self.mark(depth, v);
        let found = if depth + 1 == self.order.core.len() {
            self.count_tails()?
        } else {
            self.extend(depth + 1)?
        };
        self.unmark(depth, v);
        if found > 0 {
            self.add(level, v, found);
        }
        Ok(found)
    }

    /// Tries every candidate of core level `depth`.
    fn extend(&mut self, depth: usize) -> Result<u64, Stop> {
        let level = &self.order.core[depth];
        let candidates = candidates(self.pattern, self.graph, level, &self.scratch.bound);
        self.meter.steps(candidates.len() as u64 + 1)?;
        let mut found = 0u64;
        for &v in candidates {
            if self.fits(level, v) {
                found = found.checked_add(self.bind(depth, v)?).ok_or(Stop::Overflow)?;
            }
        }
        Ok(found)
    }

    /// Whether `v` may stand at `level`: free, with the right arcs, degree and labels.
    #[inline]
    fn fits(&self, level: &Level, v: u32) -> bool {
        fits(self.pattern, self.graph, level, self.scratch, v)
    }

    fn mark(&mut self, depth: usize, v: u32) {
        let marked = self.order.core[depth].marked;
        toggle(self.graph, self.scratch, depth, v, marked);
    }

    fn unmark(&mut self, depth: usize, v: u32) {
        // Marks are single bits, so setting and clearing are one operation.
        self.mark(depth, v);
    }

    /// Chooses the tails: binomials for each set of candidates, and for two sets the choices that
    /// do not collide.
    fn count_tails(&mut self) -> Result<u64, Stop> {
        let mut lists = std::mem::take(&mut self.scratch.tails);
        let found = self.count_tails_in(&mut lists);
        self.scratch.tails = lists;
        found
    }

    fn count_tails_in(&mut self, lists: &mut [Vec<u32>; 2]) -> Result<u64, Stop> {
        for (level, list) in self.order.tails.iter().zip(lists.iter_mut()) {
            let candidates = candidates(self.pattern, self.graph, level, &self.scratch.bound);
            self.meter.steps(candidates.len() as u64 + 1)?;
            list.clear();
            list.extend(candidates.iter().copied().filter(|&v| self.fits(level, v)));
            if list.len() < level.members.len() {
                return Ok(0);
            }
        }
        let [first, second] = lists;
        match &self.order.tails[..] {
            [tail] => self.add_one_tail(tail, first),
            [one, two] => self.add_two_tails((one, first), (two, second)),
            _ => unreachable!("an order has one or two tails"),
        }
    }

    fn add_one_tail(&mut self, tail: &Level, set: &[u32]) -> Result<u64, Stop> {
        let (size, take) = (set.len(), tail.members.len());
        let found = binomial(size, take).ok_or(Stop::Overflow)?;
        let share = binomial(size - 1, take - 1).ok_or(Stop::Overflow)?;
        for &v in set {
            self.add(tail, v, share);
        }
        Ok(found)
    }

    fn add_two_tails(
        &mut self,
        (one, first): (&Level, &[u32]),
        (two, second): (&Level, &[u32]),
    ) -> Result<u64, Stop> {
        let both = overlap(first, second);
        let choices = Choices {
            only_first: first.len() - both,
            only_second: second.len() - both,
            both,
            take_first: one.members.len(),
            take_second: two.members.len(),
        };
        let found = choices.count().ok_or(Stop::Overflow)?;
        if found == 0 {
            return Ok(0);
        }
        for (tail, set, other, shares) in [
            (one, first, second, choices.shares()),
            (two, second, first, choices.swapped().shares()),
        ] {
            let (alone, shared) = shares.ok_or(Stop::Overflow)?;
            let mut other = other.iter().peekable();
            for &v in set {
                while other.next_if(|&&w| w < v).is_some() {}
                let share = if other.peek() == Some(&&v) { shared } else { alone };
                self.add(tail, v, share);
            }
        }
        Ok(found)
    }

    /// Adds `found` occurrences to the row of `v` and to those of its arcs to bound vertices.
    fn add(&mut self, level: &Level, v: u32, found: u64) {
        let a = level.vertex();
        if let Some(table) = &mut self.vertex {
            table.add(v as usize, self.columns.vertex[a], found);
        }
        let Some(table) = &mut self.arc else { return };
        let (graph, n) = (self.graph, self.pattern.order());
        let mut put = |b: usize, c: usize, u: u32, w: u32| {
            if let Some(arc) = graph.arc_id(u, w) {
                table.add(graph.edge_id(arc), self.columns.arc[b * n + c], found);
            }
        };
        for &p in &level.joined {
            let (b, w) = self.scratch.bound[p];
            if !graph.is_directed() {
                if v < w { put(a, b, v, w) } else { put(b, a, w, v) }
            } else {
                if self.pattern.has_arc(a, b) {
                    put(a, b, v, w);
                }
                if self.pattern.has_arc(b, a) {
                    put(b, a, w, v);
                }
            }
        }
    }
}

/// The shortest neighbour list that holds every candidate of `level`, from its lower bound on.
fn candidates<'g>(
    pattern: &Pattern,
    graph: &'g Graph,
    level: &Level,
    bound: &[(usize, u32)],
) -> &'g [u32] {
    let list = level
        .joined
        .iter()
        .map(|&p| {
            let (b, w) = bound[p];
            if pattern.has_arc(b, level.vertex()) {
                graph.neighbors(w)
            } else {
                graph.in_neighbors(w)
            }
        })
        .min_by_key(|list| list.len())
        .unwrap_or(&[]);
    match level.above.iter().map(|&p| bound[p].1).max() {
        None => list,
        Some(lower) => &list[list.partition_point(|&v| v <= lower)..],
    }
}

#[inline]
fn fits(pattern: &Pattern, graph: &Graph, level: &Level, scratch: &Scratch, v: u32) -> bool {
    scratch.out[v as usize] & (level.check_out | USED) == level.want_out
        && (level.check_in == 0 || scratch.incoming[v as usize] & level.check_in == level.want_in)
        && graph.degree(v) >= level.min_degree
        && level.labels_fit(pattern, graph, &scratch.bound, v)
}

/// Sets the marks of a vertex that is bound at `depth`, or takes them back.
fn toggle(graph: &Graph, scratch: &mut Scratch, depth: usize, v: u32, marked: bool) {
    scratch.out[v as usize] ^= USED;
    if marked {
        for &w in graph.neighbors(v) {
            scratch.out[w as usize] ^= 1 << depth;
        }
        if graph.is_directed() {
            for &w in graph.in_neighbors(v) {
                scratch.incoming[w as usize] ^= 1 << depth;
            }
        }
    }
}

/// Common elements of two sorted lists.
fn overlap(first: &[u32], second: &[u32]) -> usize {
    let mut rest = second.iter().peekable();
    first
        .iter()
        .filter(|&&v| {
            while rest.next_if(|&&w| w < v).is_some() {}
            rest.peek() == Some(&&v)
        })
        .count()
}

/// Disjoint choices from two overlapping sets.
#[derive(Clone, Copy)]
struct Choices {
    only_first: usize,
    only_second: usize,
    both: usize,
    take_first: usize,
    take_second: usize,
}

impl Choices {
    fn swapped(self) -> Self {
        Self {
            only_first: self.only_second,
            only_second: self.only_first,
            both: self.both,
            take_first: self.take_second,
            take_second: self.take_first,
        }
    }

    /// Σ_j C(both, j) · C(only_first, take_first − j) · C(rest of second, take_second), j the
    /// number of common elements that the first set takes.
    fn count(self) -> Option<u64> {
        let mut total = 0u64;
        for j in 0..=self.both.min(self.take_first) {
            let first = binomial(self.both, j)?
                .checked_mul(binomial(self.only_first, self.take_first - j)?)?;
            if first > 0 {
                let second = binomial(self.only_second + self.both - j, self.take_second)?;
                total = total.checked_add(first.checked_mul(second)?)?;
            }
        }
        Some(total)
    }

    /// Choices in which the first set takes one given element: one that only it has, one that both
    /// have.
    fn shares(self) -> Option<(u64, u64)> {
        let take_first = self.take_first - 1;
        let alone = match self.only_first.checked_sub(1) {
            None => 0,
            Some(only_first) => Self { only_first, take_first, ..self }.count()?,
        };
        let shared = match self.both.checked_sub(1) {
            None => 0,
            Some(both) => Self { both, take_first, ..self }.count()?,
        };
        Some((alone, shared))
    }
}

/// Expected number of candidates looked at, from random descents with a fixed seed. Descents end early
/// where they have looked at more candidates than the search would.
pub(super) fn probe(pattern: &Pattern, graph: &Graph, order: &Order) -> f64 {
    const PROBES: usize = 1000;
    const FEW: usize = 50;
    let n = graph.order();
    if n == 0 {
        return 0.0;
    }
    let mut scratch = Scratch::default();
    scratch.reset(graph, order);
    let mut random = fixed_random();
    let (mut total, mut looked) = (0.0, 0);
    let mut fitting = Vec::new();
    let mut probes = 0;
    loop {
        probes += 1;
        let mut weight = n as f64;
        let mut v = random.below(n) as u32;
        let mut depth = 0;
        if graph.degree(v) >= order.core[0].min_degree
            && order.core[0].labels_fit(pattern, graph, &[], v)
        {
            loop {
                scratch.bound[depth] = (order.core[depth].vertex(), v);
                toggle(graph, &mut scratch, depth, v, order.core[depth].marked);
                depth += 1;
                let level = order.core.get(depth).unwrap_or(&order.tails[0]);
                let list = candidates(pattern, graph, level, &scratch.bound);
                total += weight * list.len() as f64;
                looked += list.len();
                if depth == order.core.len() {
                    break;
                }
                fitting.clear();
                fitting.extend(
                    list.iter().copied().filter(|&w| fits(pattern, graph, level, &scratch, w)),
                );
                if fitting.is_empty() {
                    break;
                }
                weight *= fitting.len() as f64;
                v = fitting[random.below(fitting.len())];
            }
        }
        for depth in (0..depth).rev() {
            let v = scratch.bound[depth].1;
            toggle(graph, &mut scratch, depth, v, order.core[depth].marked);
        }
        let expected = n as f64 + total / probes as f64;
        if probes == PROBES || (probes % FEW == 0 && expected < looked as f64) {
            return expected;
        }
    }
}
