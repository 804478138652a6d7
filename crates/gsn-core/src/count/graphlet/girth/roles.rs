//! The roles that vertices and arcs play in the patterns a graph of girth five can hold.
//!
//! Up to five vertices these are the trees and the pentagon. A role is an orbit of one of them;
//! it is told from degrees alone.

use crate::pattern::{Pattern, bits};

/// Room for the counts of one row, by role; a power of two, so that masked indices need no check.
pub(super) type RoleCounts = [u64; 32];

macro_rules! numbered {
    ($(#[$doc:meta])* $module:ident: $($name:ident),*) => {
        $(#[$doc])*
        pub(super) mod $module {
            #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
            #[repr(u8)]
            enum Number { $($name),* }
            $(pub(in super::super) const $name: usize = Number::$name as usize;)*
        }
    };
}

numbered! {
    /// Roles of vertices.
    vertex: EDGE, P3_END, P3_MIDDLE, S3_LEAF, S3_CENTRE, P4_END, P4_INNER, P5_END, P5_SECOND,
    P5_MIDDLE, FORK_TIP, FORK_ARM, FORK_CENTRE, FORK_LEAF, S4_LEAF, S4_CENTRE, C5
}

numbered! {
    /// Roles of arcs; every second one is the reverse of the one before, the last ones are their
    /// own reverses.
    arc: P3_OUT, P3_IN, S3_OUT, S3_IN, P4_OUT, P4_IN, P5_OUT, P5_IN, P5_INNER_OUT,
    P5_INNER_IN, FORK_TIP_OUT, FORK_TIP_IN, FORK_ARM_OUT, FORK_ARM_IN, FORK_LEAF_OUT, FORK_LEAF_IN,
    S4_OUT, S4_IN, P4_MIDDLE, EDGE, C5
}

/// The role of vertex `a`; `None` in patterns that hold a triangle or a square.
pub(super) fn of_vertex(pattern: &Pattern, a: usize) -> Option<usize> {
    use vertex::*;
    let degree = |a: usize| pattern.degree(a);
    let beside = |wanted: usize| bits(pattern.neighbor_set(a)).any(|b| degree(b) == wanted);
    let most = (0..pattern.order()).map(degree).max();
    Some(match (pattern.order(), pattern.size(), most?, degree(a)) {
        (2, ..) => EDGE,
        (3, 2, _, 1) => P3_END,
        (3, 2, ..) => P3_MIDDLE,
        (4, 3, 3, 1) => S3_LEAF,
        (4, 3, 3, _) => S3_CENTRE,
        (4, 3, _, 1) => P4_END,
        (4, 3, ..) => P4_INNER,
        (5, 4, 4, 1) => S4_LEAF,
        (5, 4, 4, _) => S4_CENTRE,
        (5, 4, 3, 3) => FORK_CENTRE,
        (5, 4, 3, 2) => FORK_ARM,
        (5, 4, 3, _) => {
            if beside(3) {
                FORK_LEAF
            } else {
                FORK_TIP
            }
        }
        (5, 4, 2, 1) => P5_END,
        (5, 4, 2, _) => {
            if beside(1) {
                P5_SECOND
            } else {
                P5_MIDDLE
            }
        }
        (5, 5, 2, _) => C5,
        _ => return None,
    })
}

/// The role of the arc between vertices of these roles.
pub(super) fn of_arc(from: usize, to: usize) -> usize {
    use vertex::*;
    let one_way = match (from.min(to), from.max(to)) {
        (P4_INNER, P4_INNER) => return arc::P4_MIDDLE,
        (EDGE, EDGE) => return arc::EDGE,
        (C5, C5) => return arc::C5,
        (P3_END, _) => arc::P3_OUT,
        (S3_LEAF, _) => arc::S3_OUT,
        (P4_END, _) => arc::P4_OUT,
        (P5_END, _) => arc::P5_OUT,
        (P5_SECOND, _) => arc::P5_INNER_OUT,
        (FORK_TIP, _) => arc::FORK_TIP_OUT,
        (FORK_ARM, _) => arc::FORK_ARM_OUT,
        (FORK_CENTRE, _) => arc::FORK_LEAF_IN,
        (_, _) => arc::S4_OUT,
    };
    // The fork's leaves have larger numbers than its centre.
    if from < to { one_way } else { one_way ^ 1 }
}
