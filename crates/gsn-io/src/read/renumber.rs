//! Vertices renumbered from 0 in increasing order of their numbers.
//!
//! Numbers that are not too far apart are marked in a set of bits, and their ranks are read off
//! it; others are sorted and searched for. O(m) time in the first case, O(m log m) in the second.

use super::pairs::Pairs;
use crate::names::VertexNames;
use rayon::prelude::*;

/// Bits of the set that every edge pays for.
const BITS_AN_EDGE: u64 = 64;
/// Edges that one thread takes at a time.
const PIECE: usize = 1 << 16;

/// The number of vertices, the edges between them, and what the vertices are called.
type Numbered = (u64, Vec<(u32, u32)>, Option<VertexNames>);

/// Keeps the numbers that occur.
///
/// # Errors
/// When there are too many.
pub(super) fn compacted(pairs: Pairs) -> Result<Numbered, String> {
    let end = pairs.end();
    match pairs {
        Pairs::Narrow(pairs) if end / BITS_AN_EDGE <= pairs.len() as u64 => {
            by_bits(pairs, end as usize)
        }
        Pairs::Narrow(pairs) => by_search(&pairs),
        Pairs::Wide(pairs) => by_search(&pairs),
    }
}

/// The numbers below an end that occur, and how many are below each word of them.
struct Marks {
    words: Vec<u64>,
    below: Vec<u32>,
}

impl Marks {
    fn of(pairs: &[(u32, u32)], end: usize) -> (Self, usize) {
        let words = end.div_ceil(64);
        let mark = |pairs: &[(u32, u32)]| {
            let mut set = vec![0u64; words];
            for &(u, v) in pairs {
                set[u as usize / 64] |= 1 << (u % 64);
                set[v as usize / 64] |= 1 << (v % 64);
            }
            set
        };
        let pieces = pairs.len().div_ceil(rayon::current_num_threads()).max(PIECE);
        let either = |mut a: Vec<u64>, b: Vec<u64>| {
            a.iter_mut().zip(b).for_each(|(a, b)| *a |= b);
            a
        };
        let words = pairs.par_chunks(pieces).map(mark).reduce_with(either).unwrap_or_default();
        let mut count = 0;
        let below = words
            .iter()
            .map(|word| {
                let before = count;
                count += word.count_ones();
                before
            })
            .collect();
        (Self { words, below }, count as usize)
    }

    #[inline]
    fn rank(&self, number: u32) -> u32 {
        let word = self.words[number as usize / 64];
        self.below[number as usize / 64] + (word & ((1 << (number % 64)) - 1)).count_ones()
    }

    fn numbers(&self) -> Vec<i64> {
        let of_word = |(at, &word): (usize, &u64)| {
            (0..64i64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| at as i64 * 64 + bit)
        };
        self.words.iter().enumerate().flat_map(of_word).collect()
    }
}

fn by_bits(mut pairs: Vec<(u32, u32)>, end: usize) -> Result<Numbered, String> {
    let (marks, count) = Marks::of(&pairs, end);
    if count >= u32::MAX as usize {
        return Err(format!("{count} vertices are too many"));
    }
    if count == end {
        return Ok((end as u64, pairs, None));
    }
    pairs.par_chunks_mut(PIECE).for_each(|pairs| {
        for (u, v) in pairs {
            (*u, *v) = (marks.rank(*u), marks.rank(*v));
        }
    });
    Ok((count as u64, pairs, VertexNames::from_integers(marks.numbers())))
}

fn by_search<T: Copy + Ord + Into<u64> + Send + Sync>(
    pairs: &[(T, T)],
) -> Result<Numbered, String> {
    let mut numbers: Vec<T> = pairs.par_iter().flat_map_iter(|&(u, v)| [u, v]).collect();
    numbers.par_sort_unstable();
    numbers.dedup();
    if numbers.len() >= u32::MAX as usize {
        return Err(format!("{} vertices are too many", numbers.len()));
    }
    let rank = |number: T| numbers.partition_point(|&other| other < number) as u32;
    let arcs = pairs.par_iter().map(|&(u, v)| (rank(u), rank(v))).collect();
    let order = numbers.len() as u64;
    let numbers = || numbers.iter().map(|&number| number.into());
    let signed: Option<Vec<i64>> = numbers().map(|number: u64| number.try_into().ok()).collect();
    let names = match signed {
        Some(numbers) => VertexNames::from_integers(numbers),
        None => Some(VertexNames::Text(numbers().map(|number| number.to_string()).collect())),
    };
    Ok((order, arcs, names))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Both ways agree, and give the ranks of the numbers.
        #[test]
        fn bits_and_search_agree(
            pairs in proptest::collection::vec((0..200u32, 100..300u32), 5..60),
            gap in 0..1000u32,
        ) {
            let pairs: Vec<_> = pairs.iter().map(|&(u, v)| (u, v + gap)).collect();
            let end = pairs.iter().map(|&(u, v)| u.max(v) as usize + 1).max().unwrap();
            let (order, arcs, names) = by_bits(pairs.clone(), end).unwrap();
            prop_assert_eq!(by_search(&pairs).unwrap(), (order, arcs.clone(), names.clone()));
            let number = |vertex: u32| match &names {
                None => i64::from(vertex),
                Some(VertexNames::Integers(numbers)) => numbers[vertex as usize],
                Some(VertexNames::Text(_)) => panic!("small numbers are numbers"),
            };
            for (&(u, v), &(a, b)) in pairs.iter().zip(&arcs) {
                prop_assert_eq!((number(a), number(b)), (i64::from(u), i64::from(v)));
                prop_assert!(u64::from(a.max(b)) < order);
            }
        }
    }
}
