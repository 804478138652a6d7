//! The automorphism group of a pattern, as a strong generating set.

use super::Classes;
use super::refine::{branch_vertex, individualise, isomorphism, label_colours, refine_together};
use crate::pattern::Pattern;
use std::fmt;

/// The number of elements of a group, kept as factors so that 63! is exact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupOrder {
    factors: Vec<u32>,
}

impl GroupOrder {
    /// The order as a number, where it fits.
    pub fn to_u128(&self) -> Option<u128> {
        self.factors.iter().try_fold(1u128, |product, &f| product.checked_mul(u128::from(f)))
    }
}

impl fmt::Display for GroupOrder {
    /// Writes the exact decimal number, however long.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Groups of nine digits, least significant first.
        const BASE: u64 = 1_000_000_000;
        let mut digits = vec![1u64];
        for &factor in &self.factors {
            let mut carry = 0;
            for group in &mut digits {
                let value = *group * u64::from(factor) + carry;
                *group = value % BASE;
                carry = value / BASE;
            }
            if carry > 0 {
                digits.push(carry);
            }
        }
        let mut text = String::new();
        for (i, group) in digits.iter().rev().enumerate() {
            text += &if i == 0 { group.to_string() } else { format!("{group:09}") };
        }
        f.pad_integral(true, "", &text)
    }
}

pub(super) struct Group {
    pub(super) order: GroupOrder,
    pub(super) generators: Vec<Vec<u8>>,
}

/// Goes down one branch of individualised vertices to a discrete colouring, then back up: at each
/// level the generators found below fix all vertices individualised above, so the orbit of the
/// level's vertex under them and under every automorphism found here is its orbit in the
/// stabiliser, and its length a factor of the group order.
pub(super) fn automorphisms(pattern: &Pattern) -> Group {
    let n = pattern.order();
    let mut levels = Vec::new();
    let mut colours = label_colours(pattern, pattern).0;
    loop {
        (colours, _) = refine_together((pattern, &colours), (pattern, &colours))
            .expect("a pattern has the colours of itself");
        let Some(v) = branch_vertex(&colours) else { break };
        let next = individualise(&colours, v);
        levels.push((v, colours));
        colours = next;
    }

    let mut generators: Vec<Vec<u8>> = Vec::new();
    let mut orbits = Classes::new(n);
    let mut factors = Vec::new();
    while let Some((base, colours)) = levels.pop() {
        let fixed = individualise(&colours, base);
        let class: Vec<usize> = (0..n).filter(|&v| colours[v] == colours[base]).collect();
        let mut refused: Vec<usize> = Vec::new();
        for &v in &class {
            let root = orbits.find(v);
            if root == orbits.find(base) || refused.iter().any(|&r| orbits.find(r) == root) {
                continue;
            }
            let moved = individualise(&colours, v);
            match isomorphism((pattern, &fixed), (pattern, &moved)) {
                Some(g) => {
                    for x in 0..n {
                        orbits.join(x, g[x] as usize);
                    }
                    generators.push(g);
                }
                None => refused.push(v),
            }
        }
        let base = orbits.find(base);
        let length = (0..n).filter(|&v| orbits.find(v) == base).count();
        factors.push(length as u32);
    }
    Group { order: GroupOrder { factors }, generators }
}

/// For each vertex of `base` in turn, its orbit (as a set) under the automorphisms that fix the
/// vertices of `base` before it.
pub(crate) fn stabiliser_orbits(pattern: &Pattern, base: &[usize]) -> Vec<u64> {
    let mut colours = label_colours(pattern, pattern).0;
    base.iter()
        .map(|&a| {
            (colours, _) = refine_together((pattern, &colours), (pattern, &colours))
                .expect("a pattern has the colours of itself");
            let fixed = individualise(&colours, a);
            let orbit = (0..pattern.order())
                .filter(|&v| colours[v] == colours[a])
                .filter(|&v| {
                    v == a
                        || isomorphism((pattern, &fixed), (pattern, &individualise(&colours, v)))
                            .is_some()
                })
                .map(|v| 1u64 << v)
                .sum();
            colours = fixed;
            orbit
        })
        .collect()
}
