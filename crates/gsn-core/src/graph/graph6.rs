//! graph6: a simple undirected graph as one line of printable characters.
//!
//! N(n) gives the number of vertices in 1, 4 or 8 characters, then the upper triangle of the
//! adjacency matrix follows column by column, six bits to a character, each character 63 more
//! than its bits (McKay's `formats.txt`). Decoding costs O(length), encoding O(n²), and nothing
//! is allocated that the bytes at hand do not call for.

/// The largest number of vertices the format can write.
pub const MAX_ORDER: u64 = (1 << 36) - 1;

/// Optional start of a file; [`decode`] skips it.
pub const HEADER: &[u8] = b">>graph6<<";

/// Why bytes are not graph6 or sparse6. Positions count bytes from 0; messages count from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Graph6Error {
    /// Nothing there.
    #[error("empty; even the graph without vertices is written `?`")]
    Empty,
    /// A byte that the format never uses.
    #[error("character {} is {}; only `?` to `~` occur", position + 1, shown(*byte))]
    InvalidByte {
        /// Where it is.
        position: usize,
        /// What is there.
        byte: u8,
    },
    /// Fewer bytes than the number of vertices asks for.
    #[error("{length} characters where {expected} are needed")]
    Truncated {
        /// Bytes at hand.
        length: usize,
        /// Bytes needed.
        expected: u64,
    },
    /// More bytes than the number of vertices asks for.
    #[error("nothing may follow character {position}, but there are {length} in all")]
    Overlong {
        /// Where the first needless byte is.
        position: usize,
        /// Bytes at hand.
        length: usize,
    },
    /// Bits that only fill the last byte are not what they must be.
    #[error("character {} has wrong filling bits", position + 1)]
    Padding {
        /// Where the byte is.
        position: usize,
    },
    /// sparse6 names a vertex that is not below the number of vertices.
    #[error("character {} names vertex {vertex} of only {order}", position + 1)]
    VertexOutOfRange {
        /// Where the number starts.
        position: usize,
        /// The vertex named.
        vertex: u64,
        /// The number of vertices.
        order: u64,
    },
    /// More vertices than can be told apart.
    #[error("{0} vertices are too many")]
    TooManyVertices(u64),
    /// A sister format.
    #[error("this is {found}, not {wanted}")]
    OtherFormat {
        /// What the first character says.
        found: &'static str,
        /// What was to be read.
        wanted: &'static str,
    },
}

fn shown(byte: u8) -> String {
    if byte.is_ascii_graphic() {
        format!("`{}`", char::from(byte))
    } else {
        format!("the byte {byte:#04x}")
    }
}

/// Reads one graph without its line end: the number of vertices and the edges `(u, v)`, `u < v`,
/// ordered by `v`, then `u`.
///
/// ```
/// use gsn_core::graph::graph6;
/// assert_eq!(graph6::decode(b"DQc")?, (5, vec![(0, 2), (1, 3), (0, 4), (3, 4)]));
/// assert!(graph6::decode(b"DQ").is_err());
/// # Ok::<(), graph6::Graph6Error>(())
/// ```
///
/// # Errors
/// When the length does not fit the number of vertices, a byte is not of the format, or a bit
/// that only fills the last byte is set.
pub fn decode(bytes: &[u8]) -> Result<(usize, Vec<(u32, u32)>), Graph6Error> {
    let start = if bytes.starts_with(HEADER) { HEADER.len() } else { 0 };
    match bytes.get(start) {
        None => return Err(Graph6Error::Empty),
        Some(b':') => return Err(other("sparse6")),
        Some(b';') => return Err(other("incremental sparse6")),
        Some(b'&') => return Err(other("digraph6")),
        Some(_) => {}
    }
    let (order, body) = read_order(bytes, start)?;
    let bits = u128::from(order) * u128::from(order.saturating_sub(1)) / 2;
    let expected = body as u64 + bits.div_ceil(6) as u64;
    check_bytes(bytes, body, expected)?;
    if (bytes.len() as u64) < expected {
        return Err(Graph6Error::Truncated { length: bytes.len(), expected });
    }
    if bytes.len() as u64 > expected {
        let position = expected as usize;
        return Err(Graph6Error::Overlong { position, length: bytes.len() });
    }
    // The bytes are there, so the number of vertices is about the root of their number.
    let mut edges = Vec::new();
    let (mut u, mut v) = (0u32, 1u32);
    for (position, byte) in bytes.iter().enumerate().skip(body) {
        let six = byte - 63;
        for shift in (0..6).rev() {
            if u64::from(v) >= order {
                if six & ((2 << shift) - 1) != 0 {
                    return Err(Graph6Error::Padding { position });
                }
                break;
            }
            if six >> shift & 1 == 1 {
                edges.push((u, v));
            }
            u += 1;
            if u == v {
                (u, v) = (0, v + 1);
            }
        }
    }
    Ok((order as usize, edges))
}

/// Writes a graph; `has_edge(u, v)` is asked once for every `u < v`.
///
/// ```
/// use gsn_core::graph::graph6;
/// let path = graph6::encode(5, |u, v| v == u + 1)?;
/// assert_eq!(path, "DhC");
/// # Ok::<(), graph6::Graph6Error>(())
/// ```
///
/// # Errors
/// When there are more than [`MAX_ORDER`] vertices.
pub fn encode(
    order: usize,
    mut has_edge: impl FnMut(usize, usize) -> bool,
) -> Result<String, Graph6Error> {
    let mut out = Writer::new("", order as u64)?;
    for v in 1..order {
        for u in 0..v {
            out.bit(has_edge(u, v));
        }
    }
    while out.filled() != 0 {
        out.bit(false);
    }
    Ok(out.text)
}

fn other(found: &'static str) -> Graph6Error {
    Graph6Error::OtherFormat { found, wanted: "graph6" }
}

/// Reads N(n) at `start`: the number of vertices and where the body starts.
pub(super) fn read_order(bytes: &[u8], start: usize) -> Result<(u64, usize), Graph6Error> {
    let (from, digits) = match bytes[start..] {
        [b'~', b'~', ..] => (start + 2, 6),
        [b'~', ..] => (start + 1, 3),
        _ => (start, 1),
    };
    check_bytes(bytes, start, (from + digits) as u64)?;
    if bytes.len() < from + digits {
        let expected = (from + digits) as u64;
        return Err(Graph6Error::Truncated { length: bytes.len(), expected });
    }
    let digits = &bytes[from..from + digits];
    let order = digits.iter().fold(0, |n, &byte| n << 6 | u64::from(byte - 63));
    Ok((order, from + digits.len()))
}

/// Whether the bytes at hand in `from..to` are all of the format.
pub(super) fn check_bytes(bytes: &[u8], from: usize, to: u64) -> Result<(), Graph6Error> {
    let to = usize::try_from(to).unwrap_or(usize::MAX).min(bytes.len());
    match (from..to).find(|&at| !(63..=126).contains(&bytes[at])) {
        Some(position) => Err(Graph6Error::InvalidByte { position, byte: bytes[position] }),
        None => Ok(()),
    }
}

/// Six bits to a character, high bit first.
pub(super) struct Writer {
    pub(super) text: String,
    six: u8,
    filled: u32,
}

impl Writer {
    /// Starts with `prefix` and N(`order`).
    pub(super) fn new(prefix: &str, order: u64) -> Result<Self, Graph6Error> {
        let mut out = Self { text: prefix.to_owned(), six: 0, filled: 0 };
        let digits = match order {
            0..=62 => 1,
            63..=258_047 => {
                out.text.push('~');
                3
            }
            258_048..=MAX_ORDER => {
                out.text.push_str("~~");
                6
            }
            _ => return Err(Graph6Error::TooManyVertices(order)),
        };
        out.number(order, 6 * digits);
        Ok(out)
    }

    pub(super) fn bit(&mut self, bit: bool) {
        self.six = self.six << 1 | u8::from(bit);
        self.filled += 1;
        if self.filled == 6 {
            self.text.push(char::from(self.six + 63));
            (self.six, self.filled) = (0, 0);
        }
    }

    /// The lowest `width` bits of `value`, high bit first.
    pub(super) fn number(&mut self, value: u64, width: u32) {
        for shift in (0..width).rev() {
            self.bit(value >> shift & 1 == 1);
        }
    }

    /// Bits of the last character that are in use; 0 when none is begun.
    pub(super) fn filled(&self) -> u32 {
        self.filled
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_strings() {
        assert_eq!(decode(b"?"), Ok((0, vec![])));
        assert_eq!(decode(b"@"), Ok((1, vec![])));
        assert_eq!(decode(b"A_"), Ok((2, vec![(0, 1)])));
        assert_eq!(decode(b">>graph6<<Bw"), Ok((3, vec![(0, 1), (0, 2), (1, 2)])));
        assert_eq!(encode(0, |_, _| true).unwrap(), "?");
        assert_eq!(encode(3, |_, _| true).unwrap(), "Bw");
        // The headers of formats.txt.
        assert_eq!(read_order(b"~?B?", 0), Ok((3 << 6, 4)));
        assert_eq!(read_order(b"~@CZ", 0).unwrap().0, 4379);
        assert_eq!(Writer::new("", 12_345).unwrap().text, "~B?x");
        assert_eq!(Writer::new("", 460_175_067).unwrap().text, "~~?ZZZZZ");
        assert_eq!(read_order(b"~~?ZZZZZ", 0), Ok((460_175_067, 8)));
        assert_eq!(Writer::new("", MAX_ORDER).unwrap().text, "~~~~~~~~");
        assert!(Writer::new("", MAX_ORDER + 1).is_err());
    }

    #[test]
    fn malformed_strings_say_where() {
        let truncated = |length, expected| Err(Graph6Error::Truncated { length, expected });
        assert_eq!(decode(b""), Err(Graph6Error::Empty));
        assert_eq!(decode(b">>graph6<<"), Err(Graph6Error::Empty));
        assert_eq!(decode(b"DQ"), truncated(2, 3));
        assert_eq!(decode(b"~?"), truncated(2, 4));
        assert_eq!(decode(b"~~????"), truncated(6, 8));
        assert_eq!(decode(b"DQcc"), Err(Graph6Error::Overlong { position: 3, length: 4 }));
        assert_eq!(decode(b"?_"), Err(Graph6Error::Overlong { position: 1, length: 2 }));
        assert_eq!(decode(b"DQd"), Err(Graph6Error::Padding { position: 2 }));
        assert_eq!(decode(b"D c"), Err(Graph6Error::InvalidByte { position: 1, byte: b' ' }));
        assert_eq!(decode(b"DQ\xff"), Err(Graph6Error::InvalidByte { position: 2, byte: 255 }));
        assert_eq!(decode(b"DQc\n"), Err(Graph6Error::Overlong { position: 3, length: 4 }));
        assert_eq!(decode(b":An"), Err(other("sparse6")));
        // A header that claims 2^36 - 1 vertices must not cost any memory.
        assert!(matches!(decode(b"~~~~~~~~"), Err(Graph6Error::Truncated { length: 8, .. })));
        assert!(matches!(decode(b"~~~~~~~~????"), Err(Graph6Error::Truncated { .. })));
        let text = decode(b"D\x07c").unwrap_err().to_string();
        assert_eq!(text, "character 2 is the byte 0x07; only `?` to `~` occur");
    }

    proptest! {
        #[test]
        fn round_trip(order in 0..90usize, bits in prop::collection::vec(any::<bool>(), 90 * 89 / 2)) {
            let has = |u: usize, v: usize| bits[v * (v - 1) / 2 + u];
            let text = encode(order, has).unwrap();
            let (n, edges) = decode(text.as_bytes()).unwrap();
            prop_assert_eq!(n, order);
            let wanted: Vec<_> = (1..order)
                .flat_map(|v| (0..v).map(move |u| (u, v)))
                .filter(|&(u, v)| has(u, v))
                .map(|(u, v)| (u as u32, v as u32))
                .collect();
            prop_assert_eq!(edges, wanted);
        }

        #[test]
        fn whatever_is_read_is_written_back(bytes in prop::collection::vec(60..=127u8, 0..12)) {
            if let Ok((order, edges)) = decode(&bytes) {
                let has = |u: usize, v: usize| edges.contains(&(u as u32, v as u32));
                let text = encode(order, has).unwrap();
                // Longer forms of N(n) than needed are understood, but not written.
                prop_assert!(bytes[0] == b'~' || text.as_bytes() == bytes);
            }
        }
    }
}
