//! The molecules that the third act learns: pairs that colour refinement cannot tell apart.
//!
//! Of every pair one is two rings of n atoms that share a bond (decalin for n = 6), the other two
//! rings of n - 1 atoms joined by a bond (bicyclopentyl for n = 6). Both have 2n - 2 ring atoms;
//! atoms at the same distance from the middle carry the same group in both, so that refinement
//! gives both the same colours. Which groups, and n, are random.

use gsn_core::{Graph, GraphBuilder};

const CARBON: u32 = 6;
/// Groups that atoms may carry, as chains of elements.
const GROUPS: [&[u32]; 6] = [&[], &[CARBON], &[8], &[7], &[CARBON, CARBON], &[CARBON, 8]];
/// Sizes of the fused rings.
const SIZES: std::ops::RangeInclusive<usize> = 4..=8;

/// Random numbers without state: number `i` of stream `key`.
fn random(key: u64, i: u64) -> u64 {
    let key = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    gsn_core::random::mix(key.wrapping_add(i.wrapping_mul(0xd6e8_feb8_6659_fd93)))
}

/// Pair number `at`: the fused one, then the joined one.
pub(crate) fn pair(at: u64) -> anyhow::Result<[Graph; 2]> {
    let n = SIZES.start() + random(at, 0) as usize % SIZES.count();
    // Groups by distance from the middle.
    let groups: Vec<&[u32]> =
        (0..n).map(|d| GROUPS[random(at, 1 + d as u64) as usize % GROUPS.len()]).collect();
    Ok([molecule(n, true, &groups)?, molecule(n, false, &groups)?])
}

/// Atoms 0 and n - 1 are the middle; each half is a chain of n - 1 atoms that starts there.
fn molecule(n: usize, fused: bool, groups: &[&[u32]]) -> anyhow::Result<Graph> {
    let half = n - 1;
    let mut bonds: Vec<(usize, usize)> = vec![(0, half)];
    for start in [0, half] {
        bonds.extend((start..start + half - 1).map(|v| (v, v + 1)));
    }
    // The last atom of a half closes a ring: over both middles, or back to its own.
    let (last, end) = (half - 1, 2 * half - 1);
    bonds.extend(if fused { [(last, half), (end, 0)] } else { [(last, 0), (end, half)] });
    let mut atoms = vec![CARBON; 2 * half];
    for v in 0..2 * half {
        let along = v % half;
        // Both ends of a half lie beside a middle.
        let distance = along.min(half - along);
        let mut from = v;
        for &element in groups[distance] {
            bonds.push((from, atoms.len()));
            from = atoms.len();
            atoms.push(element);
        }
    }
    let mut builder = GraphBuilder::undirected(atoms.len());
    for (u, v) in bonds {
        builder.edge(u as u32, v as u32);
    }
    builder.vertex_labels(atoms);
    Ok(builder.build()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gsn_core::wl::refine;
    use gsn_core::{CountSpec, Counter};

    /// Elements and bonds around every atom, sorted.
    fn surroundings(graph: &Graph) -> Vec<(u32, Vec<u32>)> {
        let labels = graph.vertex_labels().unwrap();
        let of = |v: u32| {
            let mut around: Vec<u32> =
                graph.neighbors(v).iter().map(|&u| labels[u as usize]).collect();
            around.sort_unstable();
            (labels[v as usize], around)
        };
        let mut all: Vec<_> = (0..graph.order() as u32).map(of).collect();
        all.sort();
        all
    }

    #[test]
    fn pairs_look_alike_to_refinement_and_differ_in_their_rings() {
        for at in 0..200 {
            let [fused, joined] = pair(at).unwrap();
            assert_eq!(fused.order(), joined.order());
            assert_eq!(surroundings(&fused), surroundings(&joined));
            let seen = refine(&[fused.clone(), joined.clone()], &[]).unwrap();
            assert_eq!(seen.histogram(0), seen.histogram(1), "pair {at}");
            let counter = Counter::new(&CountSpec::new("cycle:3..=8".parse().unwrap()));
            let most = |g: &Graph| counter.count(g).unwrap().values().iter().copied().max();
            assert_eq!((most(&fused), most(&joined)), (Some(2), Some(1)), "pair {at}");
        }
    }

    #[test]
    fn size_six_is_decalin_and_bicyclopentyl() {
        let groups = vec![&[] as &[u32]; 6];
        let (decalin, other) =
            (molecule(6, true, &groups).unwrap(), molecule(6, false, &groups).unwrap());
        assert_eq!((decalin.order(), decalin.edge_count()), (10, 11));
        let counter = Counter::new(&CountSpec::new("cycle:5, cycle:6".parse().unwrap()));
        let sums = |g: &Graph| {
            let counts = counter.count(g).unwrap();
            [0, 1].map(|c| counts.column(c).sum::<u64>())
        };
        assert_eq!((sums(&decalin), sums(&other)), ([0, 12], [10, 0]));
    }
}
