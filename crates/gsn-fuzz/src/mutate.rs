//! How bytes are changed: flips, numbers at their limits, words of the formats, pieces moved, copied and
//! cut, and pieces of other seeds. Everything follows from the random numbers.

use gsn_core::random::Random;

/// Bytes that an input may have; small ones go through fast.
const LONGEST: usize = 1 << 14;

/// Words that readers look for.
const WORDS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2147483647",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "1e308",
    "nan",
    "\n",
    "\r\n",
    "\t",
    " ",
    ",",
    ";",
    "\"",
    "\"\"",
    "#",
    "%",
    "\0",
    "\u{feff}",
    "é",
    "--- ",
    ">>graph6<<",
    ">>sparse6<<",
    ":",
    "~",
    "~~",
    "~~~~~~~~",
    "~?",
    "?",
    "nodes",
    "edges",
    "source",
    "target",
    "graph",
    "smiles",
    "id",
    "label",
    "directed",
    "[",
    "]",
    "{",
    "}",
    "[[",
    "<graph>",
    "</graph>",
    "<node id=\"",
    "<data key=\"",
    "&amp;",
    "&#0;",
    "<![CDATA[",
    "<!--",
    "-->",
    "multigraph",
    "links",
    "null",
    "true",
    "1.5",
    "node [",
    "edge [",
    "%%MatrixMarket matrix coordinate pattern symmetric\n",
    "array",
    "complex",
    "skew-symmetric",
    "p edge ",
    "e 1 2\n",
    "n 1 1\n",
    "c ",
    "M  END\n",
    "M  CHG",
    "M  V30 ",
    "$$$$\n",
    "V3000",
    "V2000",
    "C",
    "c",
    "N",
    "(",
    ")",
    "=",
    "#",
    "%12",
    "%(12)",
    "[Fe+++]",
    "[13CH3-]",
    "@",
    "@@",
    "/",
    "\\",
    ".",
    "..",
    "()",
    "|$;R$|",
    "cycle:",
    "clique:",
    "path:",
    "star:",
    "all:",
    "edges:",
    "g6:",
    "smiles:",
    "trees:",
    "..=",
    "3..=5",
    "0-1",
    "0>1",
    "@1",
    "+",
    "*",
    "file:",
    "[network]",
    "[training]",
    "extends",
    "= ",
    "kind = \"",
    "epochs = ",
    "\"format\":",
    "\"data_offsets\":[0,",
    "\"shape\":[",
    "PAR1",
    "ARROW1",
    "PK\u{3}\u{4}",
    "'shape': (",
    "'descr': '<u8'",
    "\"orbit\":",
    "\"patterns\":",
    "\"scope\":",
];

/// Numbers at which lengths go wrong.
const EDGES: &[u64] = &[
    0,
    1,
    2,
    7,
    8,
    63,
    64,
    127,
    128,
    255,
    256,
    0x7fff,
    0x8000,
    0xffff,
    0x1_0000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    i64::MAX as u64,
    1 << 63,
    u64::MAX - 1,
    u64::MAX,
];

/// Another input, out of one of `pool`.
pub(crate) fn mutate(pool: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = pool.get(random.below(pool.len().max(1))).cloned().unwrap_or_default();
    for _ in 0..1 << random.below(4) {
        step(&mut bytes, pool, random);
    }
    bytes.truncate(LONGEST);
    bytes
}

fn step(bytes: &mut Vec<u8>, pool: &[Vec<u8>], random: &mut Random) {
    let length = bytes.len();
    let at = random.below(length + 1);
    match random.below(13) {
        0 | 1 if at < length => bytes[at] ^= 1 << random.below(8),
        2 if at < length => bytes[at] = random.bits() as u8,
        3 => bytes.insert(at, random.bits() as u8),
        4 => {
            bytes.drain(piece(length, 16, random));
        }
        // A length, a count or an offset in either order of bytes.
        5 => {
            let number = EDGES[random.below(EDGES.len())].wrapping_add(random.below(3) as u64);
            let width = 1 << random.below(4);
            let word = match random.below(2) {
                0 => number.to_le_bytes()[..width].to_vec(),
                _ => number.to_be_bytes()[8 - width..].to_vec(),
            };
            let end = (at + width).min(length);
            bytes.splice(at..end, word);
        }
        6 | 7 => {
            let word = WORDS[random.below(WORDS.len())].bytes();
            let end = (at + random.below(2) * word.len()).min(length);
            bytes.splice(at..end, word);
        }
        8 => {
            let copied = bytes[piece(length, 64, random)].to_vec();
            let times = 1 << random.below(5);
            bytes.splice(at..at, copied.repeat(times));
        }
        9 => {
            let other = &pool[random.below(pool.len())];
            let part = other[piece(other.len(), 256, random)].to_vec();
            let end = (at + random.below(2) * part.len()).min(length);
            bytes.splice(at..end, part);
        }
        10 => bytes.truncate(at),
        // Another number where one stands.
        11 => {
            let digits = bytes[at..].iter().position(u8::is_ascii_digit).map(|near| at + near);
            if let Some(from) = digits {
                let many = bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                let number = match random.below(3) {
                    0 => EDGES[random.below(EDGES.len())],
                    _ => random.below(40) as u64,
                };
                bytes.splice(from..from + many, number.to_string().into_bytes());
            }
        }
        _ => {
            let (from, to) = (piece(length, 32, random), piece(length, 32, random));
            let many = from.len().min(to.len());
            bytes.copy_within(from.start..from.start + many, to.start);
        }
    }
}

/// A piece of so many bytes at the most.
fn piece(length: usize, most: usize, random: &mut Random) -> std::ops::Range<usize> {
    let from = random.below(length + 1);
    from..(from + random.below(most) + 1).min(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_numbers_give_the_same_bytes() {
        let pool = [b"0 1\n1 2\n".to_vec(), b"# nodes 4\n".to_vec()];
        let all = |seed| {
            let mut random = Random::new(seed);
            (0..500).map(|_| mutate(&pool, &mut random)).collect::<Vec<_>>()
        };
        assert_eq!(all(3), all(3));
        assert_ne!(all(3), all(4));
        let different: std::collections::HashSet<_> = all(3).into_iter().collect();
        assert!(different.len() > 400, "{}", different.len());
        assert!(different.iter().all(|bytes| bytes.len() <= LONGEST));
    }
}
