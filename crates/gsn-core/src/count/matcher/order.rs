//! In which order the matcher binds the vertices of a pattern, and how it meets every occurrence
//! once.
//!
//! The *core* is bound vertex by vertex in a connected order that binds most edges early. What is
//! left hangs on the core in at most two *tails*: classes of interchangeable vertices (equal
//! neighbours, equal labels) that are chosen from a candidate set by binomials instead of being
//! listed. Induced matching forbids edges inside the set, so there the tail is one vertex.
//!
//! Symmetry: for every core vertex in turn, its orbit under the automorphisms that fix the core
//! vertices before it must be mapped to larger graph vertices than itself. Exactly one of the
//! |Aut(H)| maps onto an occurrence obeys all of these.

use crate::count::Matching;
use crate::orbit::stabiliser_orbits;
use crate::pattern::{Pattern, bits};

/// A core vertex, or a tail of interchangeable ones.
#[derive(Clone, Debug)]
pub(super) struct Level {
    /// Pattern vertices bound here: one in the core, all members of a tail.
    pub(super) members: Vec<usize>,
    /// Levels bound before that are joined to this one.
    pub(super) joined: Vec<usize>,
    /// Levels bound before whose vertex must be smaller than this one.
    pub(super) above: Vec<usize>,
    /// Levels whose marks are compared, and which of them must be set: arcs from those levels.
    pub(super) check_out: u64,
    pub(super) want_out: u64,
    /// The same for arcs towards those levels; directed patterns only.
    pub(super) check_in: u64,
    pub(super) want_in: u64,
    /// Whether later levels compare this level's marks.
    pub(super) marked: bool,
    pub(super) min_degree: usize,
    pub(super) label: Option<u32>,
    /// Whether an edge to an earlier level asks for a label.
    pub(super) edge_labels: bool,
}

/// The whole order: core levels, then tails.
#[derive(Clone, Debug)]
pub(super) struct Order {
    pub(super) core: Vec<Level>,
    pub(super) tails: Vec<Level>,
}

impl Order {
    /// An order for `pattern` that binds `root` first, or a good vertex when there is no wish.
    pub(super) fn new(pattern: &Pattern, matching: Matching, root: Option<usize>) -> Self {
        let tails = choose_tails(pattern, matching, root);
        let tail_set: u64 = tails.iter().flatten().map(|&a| 1u64 << a).sum();
        let core = core_order(pattern, tail_set, root);
        let mut levels: Vec<Vec<usize>> = core.iter().map(|&a| vec![a]).collect();
        levels.extend(tails);
        let level_of = |a: usize| levels.iter().position(|members| members.contains(&a)).unwrap();

        let mut above: Vec<Vec<usize>> = vec![Vec::new(); levels.len()];
        for (depth, orbit) in stabiliser_orbits(pattern, &core).into_iter().enumerate() {
            for b in bits(orbit & !(1 << core[depth])) {
                let level = level_of(b);
                if !above[level].contains(&depth) {
                    above[level].push(depth);
                }
            }
        }
        let mut built: Vec<Level> = levels
            .iter()
            .enumerate()
            .map(|(depth, members)| level(pattern, matching, &core, members, depth))
            .collect();
        for (level, above) in built.iter_mut().zip(above) {
            level.above = above;
        }
        for depth in 0..core.len() {
            built[depth].marked = built[depth + 1..]
                .iter()
                .any(|later| (later.check_out | later.check_in) >> depth & 1 == 1);
        }
        let tails = built.split_off(core.len());
        Self { core: built, tails }
    }
}

/// What is compared when the vertices `members` are bound after the first `depth` core vertices.
fn level(
    pattern: &Pattern,
    matching: Matching,
    core: &[usize],
    members: &[usize],
    depth: usize,
) -> Level {
    let a = members[0];
    let before = &core[..depth.min(core.len())];
    let positions = |set: u64| -> u64 {
        before.iter().enumerate().filter(|&(_, &b)| set >> b & 1 == 1).map(|(p, _)| 1 << p).sum()
    };
    let joined: Vec<usize> = bits(positions(pattern.neighbor_set(a))).collect();
    let (want_out, want_in) = (positions(pattern.in_set(a)), positions(pattern.out_set(a)));
    let all = positions(u64::MAX);
    let (check_out, check_in) = match matching {
        Matching::Induced => (all, all),
        // Walking the one neighbour's own list checks its arc already.
        Matching::Subgraph if joined.len() == 1 && !pattern.is_directed() => (0, 0),
        Matching::Subgraph | Matching::Homomorphism => (want_out, want_in),
    };
    let directed = pattern.is_directed();
    Level {
        members: members.to_vec(),
        edge_labels: joined.iter().any(|&p| {
            let b = core[p];
            pattern.arc_label(a, b).is_some() || pattern.arc_label(b, a).is_some()
        }),
        joined,
        above: Vec::new(),
        check_out,
        want_out: want_out & check_out,
        check_in: if directed { check_in } else { 0 },
        want_in: if directed { want_in & check_in } else { 0 },
        marked: false,
        min_degree: pattern.out_set(a).count_ones() as usize,
        label: pattern.vertex_label(a),
    }
}

/// The classes of interchangeable vertices that are chosen last.
fn choose_tails(pattern: &Pattern, matching: Matching, root: Option<usize>) -> Vec<Vec<usize>> {
    let n = pattern.order();
    let mut classes: Vec<Vec<usize>> = Vec::new();
    for a in (0..n).filter(|&a| Some(a) != root) {
        match classes
            .iter_mut()
            .find(|class| matching == Matching::Subgraph && interchangeable(pattern, class[0], a))
        {
            Some(class) => class.push(a),
            None => classes.push(vec![a]),
        }
    }
    let set = |class: &[usize]| class.iter().map(|&a| 1u64 << a).sum::<u64>();
    let leaves_core = |tail: u64| {
        let core = !tail & (u64::MAX >> (64 - n));
        core != 0 && connected(pattern, core)
    };
    // Fewest core vertices first, then a core with most edges.
    let edges_lost =
        |tail: u64| bits(tail).map(|a| pattern.neighbor_set(a).count_ones()).sum::<u32>();
    let worth = |tail: u64| (tail.count_ones(), u32::MAX - edges_lost(tail));
    let part = |class: &[usize], size: usize| class[..size].to_vec();
    let mut options = Vec::new();
    for (i, c) in classes.iter().enumerate() {
        for size in 1..=c.len() {
            options.push(vec![part(c, size)]);
            if matching == Matching::Induced {
                continue;
            }
            for d in classes[..i].iter().filter(|d| pattern.neighbor_set(c[0]) & set(d) == 0) {
                options.extend((1..=d.len()).map(|other| vec![part(d, other), part(c, size)]));
            }
        }
    }
    options
        .into_iter()
        .filter(|tails| leaves_core(tails.iter().map(|t| set(t)).sum()))
        .max_by_key(|tails| worth(tails.iter().map(|t| set(t)).sum()))
        .expect("a connected graph of two or more vertices has one that is no cut vertex")
}

/// Whether swapping two vertices that are not joined is an automorphism.
fn interchangeable(pattern: &Pattern, a: usize, b: usize) -> bool {
    pattern.out_set(a) == pattern.out_set(b)
        && pattern.in_set(a) == pattern.in_set(b)
        && pattern.vertex_label(a) == pattern.vertex_label(b)
        && bits(pattern.neighbor_set(a)).all(|c| {
            pattern.arc_label(a, c) == pattern.arc_label(b, c)
                && pattern.arc_label(c, a) == pattern.arc_label(c, b)
        })
}

fn connected(pattern: &Pattern, set: u64) -> bool {
    let mut reached = set & set.wrapping_neg();
    loop {
        let wider = bits(reached).fold(reached, |r, v| r | pattern.neighbor_set(v)) & set;
        if wider == reached {
            return reached == set;
        }
        reached = wider;
    }
}

/// Labelled and well-connected vertices first, then always the one with most bound neighbours.
fn core_order(pattern: &Pattern, tails: u64, root: Option<usize>) -> Vec<usize> {
    let inside: Vec<usize> = (0..pattern.order()).filter(|&a| tails >> a & 1 == 0).collect();
    let mut order = Vec::with_capacity(inside.len());
    let mut bound = 0u64;
    while order.len() < inside.len() {
        let next = inside
            .iter()
            .copied()
            .filter(|&a| bound >> a & 1 == 0)
            .filter(|&a| bound == 0 || pattern.neighbor_set(a) & bound != 0)
            .max_by_key(|&a| {
                (
                    bound == 0 && Some(a) == root,
                    (pattern.neighbor_set(a) & bound).count_ones(),
                    pattern.vertex_label(a).is_some(),
                    pattern.degree(a),
                    usize::MAX - a,
                )
            })
            .expect("the core is connected");
        bound |= 1 << next;
        order.push(next);
    }
    order
}
