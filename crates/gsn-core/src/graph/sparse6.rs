//! sparse6: an undirected graph as one line of printable characters, short when edges are few.
//!
//! After `:` and N(n) come units of one bit b and one number x of k bits, where k is the number
//! of bits of n − 1. Starting at v = 0, b = 1 adds one to v; then x > v moves v to x, and any
//! other x is the edge x–v (McKay's `formats.txt`). Loops and repeated edges can be written.
//! Decoding costs O(length) and allocates no more; the number of vertices, which a short line
//! can put at 2³², is for the caller to look at before building anything of that size.

use super::graph6::{Graph6Error, Writer, check_bytes, read_order};

/// Optional start of a file; [`decode`] skips it.
pub const HEADER: &[u8] = b">>sparse6<<";

/// Reads one graph without its line end: the number of vertices and the edges `(u, v)`, `u ≤ v`,
/// in the order of the bytes, with the loops and repetitions that are there.
///
/// ```
/// use gsn_core::graph::sparse6;
/// // The example of formats.txt.
/// assert_eq!(sparse6::decode(b":Fa@x^")?, (7, vec![(0, 1), (0, 2), (1, 2), (5, 6)]));
/// # Ok::<(), gsn_core::graph::graph6::Graph6Error>(())
/// ```
///
/// # Errors
/// When a byte is not of the format, a vertex is out of range, the line goes on after its end, or
/// there are more than 2³² vertices. Incremental sparse6 (`;`) is refused.
pub fn decode(bytes: &[u8]) -> Result<(usize, Vec<(u32, u32)>), Graph6Error> {
    let start = if bytes.starts_with(HEADER) { HEADER.len() } else { 0 };
    match bytes.get(start) {
        None => return Err(Graph6Error::Empty),
        Some(b':') => {}
        Some(b';') => return Err(other("incremental sparse6")),
        Some(b'&') => return Err(other("digraph6")),
        Some(_) => return Err(other("graph6")),
    }
    if bytes.len() == start + 1 {
        let expected = start as u64 + 2;
        return Err(Graph6Error::Truncated { length: bytes.len(), expected });
    }
    let (order, body) = read_order(bytes, start + 1)?;
    if order > 1 << 32 || usize::try_from(order).is_err() {
        return Err(Graph6Error::TooManyVertices(order));
    }
    check_bytes(bytes, body, u64::MAX)?;
    let overlong = |position| Graph6Error::Overlong { position, length: bytes.len() };
    if order == 0 {
        return if bytes.len() > body { Err(overlong(body)) } else { Ok((0, Vec::new())) };
    }

    let mut bits = Bits { body: &bytes[body..], at: 0 };
    let width = number_width(order);
    let mut edges = Vec::new();
    let mut v = 0u64;
    while bits.left() > width {
        let unit = bits.at;
        v += u64::from(bits.take(1) == 1);
        let x = bits.take(width);
        if x > v {
            v = x;
        } else if v < order {
            edges.push((x as u32, v as u32));
        }
        if v >= order {
            // Only the ones that fill the last byte lead out of the graph.
            bits.at = unit;
            if bits.clone().all_ones() {
                break;
            }
            let position = body + unit / 6;
            return Err(Graph6Error::VertexOutOfRange { position, vertex: v, order });
        }
    }
    if bits.left() >= 6 {
        return Err(overlong(body + bits.at.div_ceil(6)));
    }
    // Writers put one 0 first where ones alone would read as an edge, some in other cases, too.
    let mut rest = bits;
    if rest.left() > 0 && rest.clone().take(1) == 0 {
        rest.take(1);
    }
    if !rest.all_ones() {
        return Err(Graph6Error::Padding { position: bytes.len() - 1 });
    }
    Ok((order as usize, edges))
}

/// Writes a graph; ends may come in either order, loops and repeated edges are kept.
///
/// ```
/// use gsn_core::graph::sparse6;
/// assert_eq!(sparse6::encode(7, [(0, 1), (0, 2), (2, 1), (5, 6)])?, ":Fa@x^");
/// # Ok::<(), gsn_core::graph::graph6::Graph6Error>(())
/// ```
///
/// # Errors
/// When there are more than 2³² vertices or an edge names a vertex not below `order`.
pub fn encode(
    order: usize,
    edges: impl IntoIterator<Item = (u32, u32)>,
) -> Result<String, Graph6Error> {
    let n = order as u64;
    if n > 1 << 32 {
        return Err(Graph6Error::TooManyVertices(n));
    }
    let mut edges: Vec<(u64, u64)> =
        edges.into_iter().map(|(a, b)| (u64::from(a.max(b)), u64::from(a.min(b)))).collect();
    edges.sort_unstable();
    let mut out = Writer::new(":", n)?;
    if let Some(&(vertex, _)) = edges.last().filter(|&&(v, _)| v >= n) {
        let position = out.text.len();
        return Err(Graph6Error::VertexOutOfRange { position, vertex, order: n });
    }
    let width = number_width(n);
    let mut current = 0;
    for (v, u) in edges {
        if v > current + 1 {
            out.bit(true);
            out.number(v, width);
            out.bit(false);
        } else {
            out.bit(v > current);
        }
        current = v;
        out.number(u, width);
    }
    let missing = (6 - out.filled()) % 6;
    // Ones would be read as a loop at n − 1 here.
    if n == 1 << width && missing > width && current + 2 == n {
        out.bit(false);
    }
    while out.filled() != 0 {
        out.bit(true);
    }
    Ok(out.text)
}

fn other(found: &'static str) -> Graph6Error {
    Graph6Error::OtherFormat { found, wanted: "sparse6" }
}

/// Number of bits of `order - 1`.
fn number_width(order: u64) -> u32 {
    u64::BITS - order.saturating_sub(1).leading_zeros()
}

/// Six bits of every byte, high bit first.
#[derive(Clone)]
struct Bits<'a> {
    body: &'a [u8],
    at: usize,
}

impl Bits<'_> {
    fn left(&self) -> u32 {
        u32::try_from(self.body.len() * 6 - self.at).unwrap_or(u32::MAX)
    }

    fn take(&mut self, width: u32) -> u64 {
        let mut value = 0;
        for _ in 0..width {
            let six = self.body[self.at / 6] - 63;
            value = value << 1 | u64::from(six >> (5 - self.at % 6) & 1);
            self.at += 1;
        }
        value
    }

    fn all_ones(mut self) -> bool {
        while self.left() > 0 {
            if self.take(1) == 0 {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_strings() {
        assert_eq!(decode(b":?"), Ok((0, vec![])));
        assert_eq!(decode(b":@"), Ok((1, vec![])));
        assert_eq!(decode(b":An"), Ok((2, vec![(0, 1)])));
        assert_eq!(decode(b">>sparse6<<:An"), Ok((2, vec![(0, 1)])));
        // A single vertex with a loop, and two loops on it.
        assert_eq!(decode(b":@^"), Ok((1, vec![(0, 0)])));
        assert_eq!(encode(1, [(0, 0)]).unwrap(), ":@^");
        assert_eq!(encode(0, []).unwrap(), ":?");
        assert_eq!(encode(300, []).unwrap(), ":~?Ck");
    }

    #[test]
    fn the_zero_before_the_filling_ones() {
        // Filling ones must not turn into edges, whatever the number of bits left over.
        for n in [2u32, 4, 8, 16] {
            for last in 0..n {
                for count in 1..6 {
                    let edges: Vec<_> = (0..count).map(|_| (0, last)).collect();
                    let text = encode(n as usize, edges.iter().copied()).unwrap();
                    assert_eq!(decode(text.as_bytes()), Ok((n as usize, edges)), "{text}");
                }
            }
        }
    }

    #[test]
    fn malformed_strings_say_where() {
        assert_eq!(decode(b""), Err(Graph6Error::Empty));
        assert_eq!(decode(b":"), Err(Graph6Error::Truncated { length: 1, expected: 2 }));
        assert_eq!(decode(b":~?"), Err(Graph6Error::Truncated { length: 3, expected: 5 }));
        assert_eq!(decode(b"DQc"), Err(other("graph6")));
        assert_eq!(decode(b";Fa@x^"), Err(other("incremental sparse6")));
        assert_eq!(decode(b":Fa x^"), Err(Graph6Error::InvalidByte { position: 3, byte: b' ' }));
        assert_eq!(decode(b":?~"), Err(Graph6Error::Overlong { position: 2, length: 3 }));
        assert_eq!(decode(b":Fa@x^~"), Err(Graph6Error::Overlong { position: 6, length: 7 }));
        assert_eq!(decode(b":D?"), Err(Graph6Error::Padding { position: 2 }));
        assert!(matches!(decode(b":~~~~~~~~"), Err(Graph6Error::TooManyVertices(_))));
        // Five vertices, x = 7 in the first unit and something after it.
        let error = Graph6Error::VertexOutOfRange { position: 2, vertex: 7, order: 5 };
        assert_eq!(decode(b":D[?"), Err(error));
        assert!(encode(3, [(0, 3)]).is_err());
    }

    proptest! {
        #[test]
        fn round_trip(
            order in 1..80u32,
            pairs in prop::collection::vec((any::<u32>(), any::<u32>()), 0..40),
        ) {
            let mut edges: Vec<_> = pairs
                .iter()
                .map(|&(a, b)| (a % order, b % order))
                .map(|(a, b)| (a.max(b), a.min(b)))
                .collect();
            edges.sort_unstable();
            let edges: Vec<_> = edges.into_iter().map(|(v, u)| (u, v)).collect();
            let text = encode(order as usize, edges.iter().copied()).unwrap();
            prop_assert_eq!(decode(text.as_bytes()), Ok((order as usize, edges)));
        }

        #[test]
        fn any_bytes_give_a_graph_or_an_error(bytes in prop::collection::vec(58..=127u8, 0..14)) {
            let mut line = vec![b':'];
            line.extend(bytes);
            if let Ok((order, edges)) = decode(&line) {
                prop_assert!(edges.iter().all(|&(u, v)| u <= v && (v as usize) < order));
                let text = encode(order, edges.iter().copied()).unwrap();
                let (again, mut read) = decode(text.as_bytes()).unwrap();
                let mut edges = edges;
                edges.sort_unstable();
                read.sort_unstable();
                prop_assert_eq!((again, read), (order, edges));
            }
        }
    }
}
