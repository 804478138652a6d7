//! The families of the grammar: names, sizes and members.

use super::generate::{self, MAX_CONNECTED, MAX_TREE};
use super::{MAX_ORDER, Pattern};
use std::borrow::Cow;
use std::ops::RangeInclusive;

/// A family of patterns that a number selects from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Family {
    Cycle,
    Path,
    Clique,
    Star,
    Tree,
    All,
}

impl Family {
    pub(super) const ALL: [Self; 6] =
        [Self::Cycle, Self::Path, Self::Clique, Self::Star, Self::Tree, Self::All];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Cycle => "cycle",
            Self::Path => "path",
            Self::Clique => "clique",
            Self::Star => "star",
            Self::Tree => "tree",
            Self::All => "all",
        }
    }

    /// The numbers it can be asked for.
    pub(super) fn sizes(self) -> RangeInclusive<usize> {
        match self {
            Self::Cycle => 3..=MAX_ORDER,
            Self::Path | Self::Clique => 2..=MAX_ORDER,
            Self::Star => 1..=MAX_ORDER - 1,
            Self::Tree => 2..=MAX_TREE,
            Self::All => 2..=MAX_CONNECTED,
        }
    }

    /// What the number counts.
    pub(super) fn unit(self) -> &'static str {
        match self {
            Self::Star => "leaves",
            _ => "vertices",
        }
    }

    /// The patterns of size `k`, which must be one of [`Family::sizes`].
    pub(super) fn patterns(self, k: usize) -> Cow<'static, [Pattern]> {
        let one = |order, edges: Vec<(usize, usize)>| {
            let pattern = Pattern::new(format!("{}:{k}", self.name()), order, &edges);
            let pattern = pattern.expect("every family member of an allowed size is a pattern");
            Cow::Owned(vec![pattern])
        };
        match self {
            Self::Cycle => one(k, (0..k).map(|v| (v, (v + 1) % k)).collect()),
            Self::Path => one(k, (1..k).map(|v| (v - 1, v)).collect()),
            Self::Clique => one(k, (0..k).flat_map(|v| (0..v).map(move |u| (u, v))).collect()),
            Self::Star => one(k + 1, (1..=k).map(|leaf| (0, leaf)).collect()),
            Self::Tree => generate::trees(k).into(),
            Self::All => generate::connected(k).into(),
        }
    }
}
