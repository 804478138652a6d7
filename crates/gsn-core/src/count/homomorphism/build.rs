//! From a rooted pattern to the expression that counts its maps.
//!
//! Leaves and ears of triangles are folded into their neighbours, parts behind a cut vertex or
//! behind the two ends of an edge are counted on their own, and what is left, if anything, is a
//! block that loops count (`anchored.rs`).

use super::anchored;
use super::expression::{Expressions, Function, FunctionForm, ONE, ONE_ARC};
use super::shape::{Root, Shape};
use crate::pattern::bits;

/// The number of maps of a pattern, as a function of the image of its root.
pub(super) fn rooted(mut shape: Shape, root: Root, all: &mut Expressions) -> Function {
    while fold_leaf(&mut shape, root, all)
        || fold_ear(&mut shape, root, all)
        || split_at_vertex(&mut shape, root, all)
        || split_at_edge(&mut shape, root, all)
    {}
    let inside = if shape.alive == root.set() {
        match root {
            Root::Vertex(_) => ONE,
            Root::Arc(..) => ONE_ARC,
        }
    } else {
        anchored::block(&shape, root, all)
    };
    // What was folded into the root itself multiplies the whole.
    match root {
        Root::Vertex(r) => all.vertex_product([shape.weight(r), inside]),
        Root::Arc(r, s) => {
            let source = at_source(shape.weight(r), all);
            let target = at_source(shape.weight(s), all);
            let target = all.reverse(target);
            all.arc_product([shape.arc(r, s), source, target, inside])
        }
    }
}

fn at_source(weight: Function, all: &mut Expressions) -> Function {
    if weight == ONE { ONE_ARC } else { all.add(FunctionForm::Source(weight)) }
}

/// Folds a vertex with one neighbour into it.
fn fold_leaf(shape: &mut Shape, root: Root, all: &mut Expressions) -> bool {
    let leaf = bits(shape.alive & !root.set()).find(|&v| shape.around(v).count_ones() == 1);
    let Some(leaf) = leaf else { return false };
    let next = shape.around(leaf).trailing_zeros() as usize;
    let (of, along) = (shape.weight(leaf), shape.arc(next, leaf));
    let sum = all.add(FunctionForm::NeighborSum { of, along });
    shape.multiply_weight(next, sum, all);
    shape.alive &= !(1 << leaf);
    true
}

/// Folds a vertex with two neighbours that are adjacent into the arc between them.
fn fold_ear(shape: &mut Shape, root: Root, all: &mut Expressions) -> bool {
    let is_ear = |&v: &usize| {
        let around = shape.around(v);
        around.count_ones() == 2 && {
            let first = around.trailing_zeros() as usize;
            shape.around(first) & around != 0
        }
    };
    let Some(ear) = bits(shape.alive & !root.set()).find(is_ear) else { return false };
    let ends: Vec<usize> = bits(shape.around(ear)).collect();
    let (first, middle) = (shape.arc(ends[0], ear), shape.weight(ear));
    let second = shape.arc(ear, ends[1]);
    let triangle = all.add(FunctionForm::Triangle { first, middle, second });
    shape.multiply_arc(ends[0], ends[1], triangle, all);
    shape.alive &= !(1 << ear);
    true
}

/// Counts the parts behind a cut vertex on their own.
fn split_at_vertex(shape: &mut Shape, root: Root, all: &mut Expressions) -> bool {
    for cut in bits(shape.alive) {
        let parts = shape.components(shape.alive & !(1 << cut));
        if parts.len() < 2 {
            continue;
        }
        for part in parts.into_iter().filter(|part| part & root.set() == 0) {
            let at = Root::Vertex(cut);
            let function = rooted(shape.part(part | 1 << cut, at), at, all);
            shape.multiply_weight(cut, function, all);
            shape.alive &= !part;
        }
        return true;
    }
    false
}

/// Counts the parts behind the two ends of an edge on their own.
fn split_at_edge(shape: &mut Shape, root: Root, all: &mut Expressions) -> bool {
    for a in bits(shape.alive) {
        for b in bits(shape.around(a)).filter(|&b| a < b) {
            let ends = 1u64 << a | 1 << b;
            let parts = shape.components(shape.alive & !ends);
            if parts.len() < 2 {
                continue;
            }
            for part in parts.into_iter().filter(|part| part & root.set() == 0) {
                let at = Root::Arc(a, b);
                let function = rooted(shape.part(part | ends, at), at, all);
                shape.multiply_arc(a, b, function, all);
                shape.alive &= !part;
            }
            return true;
        }
    }
    false
}
