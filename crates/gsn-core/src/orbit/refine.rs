//! Colour refinement of patterns, and isomorphism by individualising and refining.

use crate::pattern::{Pattern, bits};

/// Colours of the vertices of a pattern, `0..` by rank.
pub(crate) type Colouring = Vec<u8>;

/// What a vertex sees: its colour, then (direction and label of the arc, colour) of its neighbours.
type Signature = (u8, Vec<(bool, bool, Option<u32>, u8)>);

fn signature(pattern: &Pattern, colours: &[u8], v: usize) -> Signature {
    let mut seen: Vec<_> = bits(pattern.neighbor_set(v))
        .flat_map(|w| {
            let (out, back) = (pattern.has_arc(v, w), pattern.has_arc(w, v));
            [
                out.then(|| (true, back, pattern.arc_label(v, w), colours[w])),
                (back && pattern.is_directed())
                    .then(|| (false, out, pattern.arc_label(w, v), colours[w])),
            ]
        })
        .flatten()
        .collect();
    seen.sort_unstable();
    (colours[v], seen)
}

/// Refines the colourings of two patterns together until no vertex learns anything new, so that
/// equal colours mean the same in both; `None` when the patterns turn out to differ.
pub(crate) fn refine_together(
    (p, cp): (&Pattern, &[u8]),
    (q, cq): (&Pattern, &[u8]),
) -> Option<(Colouring, Colouring)> {
    let n = p.order();
    let (mut cp, mut cq) = (cp.to_vec(), cq.to_vec());
    let mut classes = 0;
    loop {
        let sp: Vec<_> = (0..n).map(|v| signature(p, &cp, v)).collect();
        let sq: Vec<_> = (0..n).map(|v| signature(q, &cq, v)).collect();
        let mut ranks = sp.clone();
        ranks.sort_unstable();
        let mut other = sq.clone();
        other.sort_unstable();
        if ranks != other {
            return None;
        }
        ranks.dedup();
        let rank = |s: &Signature| ranks.partition_point(|r| r < s) as u8;
        cp = sp.iter().map(rank).collect();
        cq = sq.iter().map(rank).collect();
        if ranks.len() == classes {
            return Some((cp, cq));
        }
        classes = ranks.len();
    }
}

/// Vertex labels as colours, the same colour for the same label in both patterns.
pub(crate) fn label_colours(p: &Pattern, q: &Pattern) -> (Colouring, Colouring) {
    let labels = |p: &Pattern| (0..p.order()).map(|v| p.vertex_label(v)).collect::<Vec<_>>();
    let (lp, lq) = (labels(p), labels(q));
    let mut ranks: Vec<_> = lp.iter().chain(&lq).copied().collect();
    ranks.sort_unstable();
    ranks.dedup();
    let rank = |l: &Option<u32>| ranks.partition_point(|r| r < l) as u8;
    (lp.iter().map(rank).collect(), lq.iter().map(rank).collect())
}

/// Gives `v` a colour of its own, just below the rest of its class.
pub(crate) fn individualise(colours: &[u8], v: usize) -> Colouring {
    (0..colours.len())
        .map(|w| {
            let behind = colours[w] > colours[v] || (colours[w] == colours[v] && w != v);
            colours[w] + u8::from(behind)
        })
        .collect()
}

/// A vertex of the first class that has several, smallest vertex first.
pub(crate) fn branch_vertex(colours: &[u8]) -> Option<usize> {
    (0..colours.len())
        .filter(|&v| colours.iter().filter(|&&c| c == colours[v]).count() > 1)
        .min_by_key(|&v| (colours[v], v))
}

/// An isomorphism from `p` to `q` that keeps the given colours, if there is one.
pub(crate) fn isomorphism(
    (p, cp): (&Pattern, &[u8]),
    (q, cq): (&Pattern, &[u8]),
) -> Option<Vec<u8>> {
    let (cp, cq) = refine_together((p, cp), (q, cq))?;
    let Some(v) = branch_vertex(&cp) else {
        let mut map = vec![0u8; p.order()];
        for v in 0..p.order() {
            map[v] = cq.iter().position(|&c| c == cp[v])? as u8;
        }
        return preserves(p, q, &map).then_some(map);
    };
    let down = individualise(&cp, v);
    (0..q.order())
        .filter(|&w| cq[w] == cp[v])
        .find_map(|w| isomorphism((p, &down), (q, &individualise(&cq, w))))
}

/// Whether `map` carries `p` onto `q`, arcs and labels included.
fn preserves(p: &Pattern, q: &Pattern, map: &[u8]) -> bool {
    let to = |v: usize| map[v] as usize;
    p.size() == q.size()
        && (0..p.order()).all(|v| p.vertex_label(v) == q.vertex_label(to(v)))
        && p.arcs()
            .all(|(a, b)| q.has_arc(to(a), to(b)) && p.arc_label(a, b) == q.arc_label(to(a), to(b)))
}
